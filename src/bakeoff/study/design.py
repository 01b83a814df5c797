"""The design of a study: which settings of its factors are run, and what can be seen by them.

A design makes a learner of each setting. It is part of what the study is: the table of settings is in its description,
which the store keeps, so that whoever judges the scores knows the levels behind the name of a learner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.designs.effects import TIMES, Visibility, VisibleEffect, seen
from bakeoff.designs.factorial import (
    Fraction,
    fractional_factorial,
    full_factorial,
    full_factorial_runs,
    one_at_a_time,
    plackett_burman,
    standard_fraction,
)
from bakeoff.designs.response_surface import (
    box_behnken,
    central_composite,
    latin_hypercube,
    quadratic_terms,
    random_points,
    surface_effects,
)
from bakeoff.errors import UsageError, nearest
from bakeoff.learners.learner import Learner
from bakeoff.study.factors import (
    ATTRIBUTE_NOISE,
    CLASS_NOISE,
    LEARNER,
    ORDER,
    SIZE,
    TASK,
    Factor,
    at_setting,
    check_factors,
    factor_from,
    presentation,
    references,
    without_empty_steps,
)

MOST_SETTINGS = 2000
_SHOWN = 40  # settings in a text; JSON has all of them
Points = NDArray[np.float64]


@dataclass(frozen=True)
class DesignKind:
    """A kind of design: the options that it takes, and a line about it. `surface` ones are points in a region."""

    name: str
    about: str
    options: tuple[str, ...] = ()
    surface: bool = False
    two_levels: bool = False


KINDS = {
    kind.name: kind
    for kind in (
        DesignKind("factorial", "every combination of the levels", ("order", "interactions")),
        DesignKind(
            "fractional",
            "a regular fraction of the two-level factorial",
            ("runs", "resolution", "generators", "interactions", "order"),
            two_levels=True,
        ),
        DesignKind("one-at-a-time", "each factor alone, the others at a baseline", ("baseline", "interactions")),
        DesignKind("screening", "Plackett–Burman: main effects in few runs", ("interactions",), two_levels=True),
        DesignKind(
            "response-surface",
            "points that a quadratic surface is fitted to, and then where that has its best",
            ("points", "runs", "steps", "budget", "alpha"),
            surface=True,
        ),
        DesignKind("latin-hypercube", "points spread evenly over the region", ("runs",), surface=True),
        DesignKind("random", "points drawn at random: random search", ("runs",), surface=True),
        DesignKind("learning-curve", "how learners do as they get more to learn from", ("order",)),
        DesignKind("noise", "how learners bear wrong classes or wrong values", ("order",)),
    )
}
DEFAULT_LEVELS = {SIZE: [0.1, 0.2, 0.4, 0.7, 1.0], CLASS_NOISE: [0.0, 0.05, 0.1, 0.2]}


@dataclass(frozen=True)
class SearchStep:
    """A step that a response surface took after its first design: what was done, why, and which settings it added."""

    what: str
    why: str
    settings: tuple[Mapping[str, Any], ...]

    def describe(self) -> dict[str, Any]:
        return {"what": self.what, "why": self.why, "settings": [dict(each) for each in self.settings]}


@dataclass(frozen=True, eq=False)
class StudyDesign:
    """Kind, factors and options; the settings by the name of their learner; the learners that they were made of, and
    those beside the design, which have none of its factors."""

    kind: str
    factors: Mapping[str, Factor]
    options: Mapping[str, Any]
    settings: Mapping[str, Mapping[str, Any]]
    origins: tuple[Learner, ...]
    fraction: Fraction | None = None
    steps: tuple[SearchStep, ...] = ()
    references: tuple[Learner, ...] = ()

    def describe(self) -> dict[str, Any]:
        """As JSON. Of the learners only the names: what they are stands with the settings that were made of them."""
        description: dict[str, Any] = {
            "kind": self.kind,
            "factors": {name: factor.describe() for name, factor in self.factors.items()},
            "options": {name: self.options[name] for name in sorted(self.options)},
            "learners": [learner.name for learner in self.origins],
            "settings": {name: dict(setting) for name, setting in self.settings.items()},
        }
        if self.references:
            description["references"] = [learner.name for learner in self.references]
        return description | ({"steps": [step.describe() for step in self.steps]} if self.steps else {})

    @property
    def is_surface(self) -> bool:
        return KINDS[self.kind].surface

    @property
    def has_task(self) -> bool:
        """Whether the task is a factor itself, and not a sample of problems."""
        return TASK in self.factors

    @property
    def varied(self) -> tuple[str, ...]:
        """The factors that change from setting to setting: the learner too, if there are several."""
        names = [name for name in self.factors if name != TASK]
        return (LEARNER, *names) if len(self.origins) > 1 and LEARNER not in names else tuple(names)

    @property
    def order(self) -> int:
        """How many factors an interaction that is looked at has at most."""
        return 1 if self.kind == "screening" else int(self.options.get("order", 2))

    @cached_property
    def visible(self) -> Visibility:
        """What the settings can see."""
        if self.is_surface:
            return Visibility(surface_effects(self.coded(list(self.settings.values())), list(self.factors)), ())
        numbered = []
        for name in self.varied:
            column = [setting[name] for setting in self.settings.values()]
            known = list(dict.fromkeys(column))
            numbered.append([float(known.index(level)) for level in column])
        return seen(np.array(numbered).T, self.varied, self.order)

    def coded(self, settings: Sequence[Mapping[str, Any]]) -> Points:
        """Settings as points between −1 and +1."""
        return np.array([[self.factors[name].axis.coded(each[name]) for name in self.factors] for each in settings])

    def with_step(self, step: SearchStep) -> tuple[StudyDesign, list[Learner]]:
        """The design with the settings that a step adds, and the learners that these are."""
        new, learners = _settings(self.origins, self.factors, step.settings)
        return replace(self, settings={**self.settings, **new}, steps=(*self.steps, step)), learners

    # Views

    def to_text(self) -> str:
        parts = [show.wrapped(self.sentence)]
        header, rows = self.matrix()
        more = f"\n… and {len(rows) - _SHOWN} more (--json shows all)" if len(rows) > _SHOWN else ""
        parts.append(show.text_table(header, rows[:_SHOWN]) + more)
        parts += [show.wrapped(line, indent="  ") for line in self.about_visibility()]
        return "\n\n".join(parts)

    def matrix(self) -> tuple[list[str], list[list[str]]]:
        """The design matrix: a row for each setting, with its levels."""
        settings = self.settings.values()
        return ["run", *self.varied], [
            [str(i), *(_level(each[factor]) for factor in self.varied)] for i, each in enumerate(settings, 1)
        ]

    @property
    def aliases(self) -> list[VisibleEffect]:
        """The effects that go by several names."""
        return [effect for effect in self.visible.effects if effect.aliases]

    @property
    def sentence(self) -> str:
        """The design in a sentence."""
        levels = [len({_level(setting[name]) for setting in self.settings.values()}) for name in self.varied]
        counts = " × ".join(f"{n} {name}" for n, name in zip(levels, self.varied, strict=True))
        runs = show.counted(len(self.settings), "settings")
        if self.is_surface:
            low_high = "; ".join(f"{name} {f.low:g} to {f.high:g}{_scaled(f)}" for name, f in self.factors.items())
            return f"Design: {self.kind}, {runs} in the region {low_high}."
        whole = full_factorial_runs(levels)
        of = f" of {show.count(whole)}" if whole != len(self.settings) else ""
        return f"Design: {self.kind}, {runs}{of} ({counts})."

    def about_visibility(self) -> list[str]:
        """What the design sees, what it mixes, and what it cannot see: a line each."""
        lines = list(self._beside())
        if self.is_surface:
            k = len(self.factors)
            many = f"A quadratic surface of {show.counted(k, 'factors')} has {quadratic_terms(k)} coefficients"
            if not self.visible.effects:
                return [*lines, f"{many}, which so few settings do not determine: only the best of them will be told."]
            return [
                *lines,
                f"{many}. Structure that is finer than the distance between points is not seen; the test of lack of "
                "fit tells if there is some.",
            ]
        if self.fraction is not None and not self.fraction.defining and "resolution" in self.options:
            lines.append(
                f"No fraction of {len(self.factors)} factors has resolution {_roman(self.options['resolution'])}: this "
                "is the full factorial."
            )
        if self.fraction is not None and self.fraction.defining:
            letters = dict(zip(self.fraction.factors, self.factors, strict=True))
            words = ", ".join(self.fraction.defining)
            key = ", ".join(f"{letter} = {name}" for letter, name in letters.items())
            lines.append(f"Resolution {_roman(self.fraction.resolution)}; defining relation I = {words} ({key}).")
        mixed = [effect.label for effect in self.aliases]
        if mixed:
            lines.append(f"Aliased, which no number of replicates tells apart: {'; '.join(mixed)}.")
        absent = [name for name, hides in self.visible.hidden if not hides]
        if absent:
            lines.append(
                f"[unseen-interaction] This design cannot see {show.listing(absent)}: factors are never changed "
                "together. If the best level of one depends on another, it will be missed; a factorial design sees it."
            )
        if self.kind == "screening":
            partly = max((cosine for e in self.visible.effects for _, cosine in e.confounded), default=0.0)
            lines.append(
                "Main effects only. No interaction is seen, and "
                + (
                    f"each main effect is mixed with interactions of the others (correlation up to {partly:.2f}): "
                    if partly < 1 - 1e-9
                    else "each main effect is aliased with interactions of others: "
                )
                + "a design to find the few factors that matter, to be followed by one of those."
            )
        if len(self.varied) > self.order and self.kind in ("factorial", "fractional"):
            lines.append(f"Interactions of more than {self.order} factors are not looked at (order = {self.order}).")
        return lines

    def _beside(self) -> Iterator[str]:
        """Learners beside the design, and what its orders of presentation are."""
        if self.references:
            names = show.listing([learner.name for learner in self.references])
            yield (
                f"Beside the design, as they are: {names}. Without any of the factors they are no part of its effects; "
                "the best setting, chosen on other blocks, is compared with them."
            )
        if ORDER in self.factors:
            letters = self.factors[ORDER].levels
            orders = [" ".join(str(part + 1) for part in presentation(each, len(letters))) for each in letters]
            listed = "; ".join(f"{letter}: {order}" for letter, order in zip(letters, orders, strict=True))
            yield (
                f"Each learning sample, sorted as in the data, is presented in {len(letters)} parts of equal size, in "
                f"the orders {listed}. Each part stands once at each place, and follows each other part once."
            )


def _scaled(factor: Factor) -> str:
    of = f" × {factor.of}" if factor.of else ""
    return of + (" (log)" if factor.scale == "log" else "")


def _roman(number: int | None) -> str:
    return {None: "of a full factorial", 3: "III", 4: "IV", 5: "V", 6: "VI", 7: "VII"}.get(number, str(number))


def _level(value: Any) -> str:
    """A level as it is shown and as names hold it; of a path its last part.

    >>> _level(0.1), _level(3), _level("sklearn.preprocessing.MinMaxScaler"), _level("l.1")
    ('0.1', '3', 'MinMaxScaler', 'l.1')
    """
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    last = text.rpartition(".")[2]
    return last if text.count(".") > 1 and last[:1].isupper() else text


# ----------------------------------------------------------------------------------------------------------------------
# From what a study says to its settings.


def designed(
    learners: Sequence[Learner], factors: Any, design: Any, tasks: Sequence[str], seed: int
) -> tuple[StudyDesign, tuple[Learner, ...]]:
    """The design that a study describes, and the learners that it makes of those given."""
    kind, options = _kind(design)
    table = _factors(factors, kind)
    beside = references(table, learners)
    apart = {each.name for each in beside}
    learners = [each for each in learners if each.name not in apart]
    check_factors(table, learners, tasks)
    if LEARNER in table:
        learners = [each for each in learners if each.name in table[LEARNER].levels]
    table = {name: _levels_for(factor, kind) for name, factor in table.items()}
    for name, factor in table.items():
        if len(factor.levels) < 2 and name not in (TASK, LEARNER):
            raise UsageError(
                f"The factor {name!r} has one level, {factor.levels[0]!r}: nothing is seen of what does not change. "
                "Give it another level, or write it into the learner's parameters."
            )
    changing = {name: factor for name, factor in table.items() if name != TASK}
    if not changing and len(learners) < 2:
        raise UsageError("A design needs a factor that changes from run to run; found none.")
    points, fraction = _POINTS[kind.name](changing, options, seed)
    if len(points) > MOST_SETTINGS:
        raise UsageError(
            f"This design has {len(points):,} settings; at most {MOST_SETTINGS:,} are run. Take fewer levels, a "
            "fraction, or a response surface."
        )
    settings, settled = _settings(tuple(learners), table, points)
    whole = StudyDesign(kind.name, table, options, settings, tuple(learners), fraction, references=tuple(beside))
    _check_visible(whole, options.get("interactions", ()))
    return whole, (*settled, *beside)


def _kind(design: Any) -> tuple[DesignKind, dict[str, Any]]:
    given: dict[str, Any] = {"kind": design} if isinstance(design, str) else dict(design or {})
    name = given.pop("kind", "factorial")
    if name not in KINDS:
        raise UsageError(f"There is no design {name!r}. {nearest(str(name), KINDS)}")
    kind = KINDS[name]
    for option in given:
        if option not in kind.options:
            takes = f"takes {show.listing(list(kind.options))}" if kind.options else "takes no options"
            raise UsageError(f"The design {name!r} {takes}; found {option!r}. {nearest(option, kind.options)}")
    for option in ("runs", "resolution", "order", "steps", "budget"):
        value = given.get(option)
        if option in given and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise UsageError(f"{option} of a design is a positive whole number; found {value!r}.")
    if given.get("resolution", 3) < 3:
        raise UsageError(f"The resolution of a fraction is 3 or more; found {given['resolution']}.")
    alpha = given.get("alpha", 0.05)
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise UsageError(f"alpha of a design, at which a step is a gain, lies between 0 and 1; found {alpha!r}.")
    return kind, given


def _factors(given: Any, kind: DesignKind) -> dict[str, Factor]:
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(f"Factors are levels by name, such as {{'knn.n_neighbors': [1, 5, 9]}}; found {given!r}.")
    table = {name: factor_from(str(name), spec) for name, spec in (given or {}).items()}
    if kind.name == "learning-curve" and SIZE not in table:
        table[SIZE] = factor_from(SIZE, DEFAULT_LEVELS[SIZE])
    if kind.name == "noise" and CLASS_NOISE not in table and ATTRIBUTE_NOISE not in table:
        table[CLASS_NOISE] = factor_from(CLASS_NOISE, DEFAULT_LEVELS[CLASS_NOISE])
    if not table:
        raise UsageError('A design needs factors: write a table [factors], such as "knn.n_neighbors" = [1, 5, 9].')
    return table


def _levels_for(factor: Factor, kind: DesignKind) -> Factor:
    """The factor with the levels that the kind of design takes."""
    if kind.surface:
        if factor.name in (LEARNER, TASK) or not factor.numeric:
            raise UsageError(
                f"A surface is over numbers, and the levels of {factor.name!r} are {show.listing(_texts(factor), 4)}. "
                "Take a factorial design for it, or a surface for each level."
            )
        return factor
    if kind.two_levels and factor.name != TASK:
        two = factor.on(2)
        if len(two.levels) > 2:
            raise UsageError(
                f"A {kind.name} design has two levels of each factor; {factor.name!r} has {len(two.levels)}. Name the "
                "two that are furthest apart and still sensible."
            )
        return two
    return factor


def _texts(factor: Factor) -> list[str]:
    return [repr(level) for level in factor.levels]


Settings = list[dict[str, Any]]
ProcedureChoice = tuple[Settings, Fraction | None]


def _at(factors: Mapping[str, Factor], numbers: Points) -> Settings:
    """Settings from the numbers of levels."""
    return [
        {name: factor.levels[int(number)] for (name, factor), number in zip(factors.items(), row, strict=True)}
        for row in numbers
    ]


def _grid(factors: Mapping[str, Factor], options: Mapping[str, Any], seed: int) -> ProcedureChoice:
    return _at(factors, full_factorial([len(each.levels) for each in factors.values()])) if factors else [{}], None


def _fractional(factors: Mapping[str, Factor], options: Mapping[str, Any], seed: int) -> ProcedureChoice:
    k = len(factors)
    if "generators" in options:
        fraction = fractional_factorial(options["generators"])
        if fraction.design.shape[1] != k:
            raise UsageError(
                f"The generators name {fraction.design.shape[1]} factors, and the study has {k}: a word for each, in "
                f"their order ({show.listing(list(factors))})."
            )
    else:
        runs = options.get("runs")
        fraction = standard_fraction(k, runs=runs, resolution=options.get("resolution", None if runs else 4))
    return _at(factors, (fraction.design + 1) / 2), fraction


def _screening(factors: Mapping[str, Factor], options: Mapping[str, Any], seed: int) -> ProcedureChoice:
    return _at(factors, (plackett_burman(len(factors)) + 1) / 2), None


def _one_by_one(factors: Mapping[str, Factor], options: Mapping[str, Any], seed: int) -> ProcedureChoice:
    baseline = options.get("baseline", {})
    if not isinstance(baseline, Mapping):
        raise UsageError(f"The baseline is a level by factor, {{ name = level }}; found {baseline!r}.")
    for name, level in baseline.items():
        if name not in factors:
            raise UsageError(f"The baseline names {name!r}, which is no factor. {nearest(str(name), factors)}")
        if level not in factors[name].levels:
            raise UsageError(
                f"The baseline of {name!r} is {level!r}, which is none of its levels: "
                f"{show.listing(_texts(factors[name]))}."
            )
    at = [factor.levels.index(baseline.get(name, factor.levels[0])) for name, factor in factors.items()]
    return _at(factors, one_at_a_time([len(each.levels) for each in factors.values()], at)), None


def decoded(factors: Mapping[str, Factor], coded: Points) -> Settings:
    """Settings from coded points, each once."""
    rows = [
        {name: factor.axis.at(value) for (name, factor), value in zip(factors.items(), row, strict=True)}
        for row in coded
    ]
    return [row for number, row in enumerate(rows) if row not in rows[:number]]


def _surface(factors: Mapping[str, Factor], options: Mapping[str, Any], seed: int) -> ProcedureChoice:
    k, points = len(factors), options.get("points", "rotatable")
    runs = options.get("runs", 2 * quadratic_terms(k))
    designs: dict[str, Callable[[], Points]] = {
        "rotatable": lambda: central_composite(k, "rotatable", "inscribed", centre=(0, 1)),
        "faced": lambda: central_composite(k, "faced", "faced", centre=(0, 1)),
        "box-behnken": lambda: box_behnken(k),
        "latin-hypercube": lambda: latin_hypercube(k, runs, seed),
        "factorial": lambda: full_factorial([3] * k, coded=True),
    }
    if points not in designs:
        raise UsageError(f"The points of a response surface are {points!r}. {nearest(str(points), designs)}")
    settings = decoded(factors, designs[points]())
    check_surface(factors, settings)
    if options.get("budget", len(settings)) < len(settings):
        raise UsageError(
            f"The budget is {show.counted(options['budget'], 'settings')}, and the first design alone has "
            f"{len(settings)}. Give more, or other points."
        )
    return settings, None


def check_surface(factors: Mapping[str, Factor], settings: Settings) -> None:
    """Refuse settings that do not determine a quadratic surface."""
    needed = quadratic_terms(len(factors))
    short = [name for name in factors if len({setting[name] for setting in settings}) < 3]
    if len(settings) < needed or short:
        which = f"; {show.listing(short)} has fewer than three levels in its range" if short else ""
        raise UsageError(
            f"A quadratic surface of {show.counted(len(factors), 'factors')} has {needed} coefficients, and this "
            f"design has {show.counted(len(settings), 'different settings')}{which}. Give more runs or wider ranges."
        )


def _spread(make: Callable[[int, int, int], Points]) -> Callable[..., ProcedureChoice]:
    def points(factors: Mapping[str, Factor], options: Mapping[str, Any], seed: int) -> ProcedureChoice:
        k = len(factors)
        return decoded(factors, make(k, options.get("runs", 2 * quadratic_terms(k)), seed)), None

    return points


_POINTS: dict[str, Callable[[Mapping[str, Factor], Mapping[str, Any], int], ProcedureChoice]] = {
    "factorial": _grid,
    "fractional": _fractional,
    "one-at-a-time": _one_by_one,
    "screening": _screening,
    "response-surface": _surface,
    "latin-hypercube": _spread(latin_hypercube),
    "random": _spread(random_points),
    "learning-curve": _grid,
    "noise": _grid,
}


def _settings(
    learners: Sequence[Learner], factors: Mapping[str, Factor], points: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, dict[str, Any]], list[Learner]]:
    """The settings of each learner by name, and the learners at them."""
    settings: dict[str, dict[str, Any]] = {}
    learners_at: list[Learner] = []
    labels = {name: factor.label for name, factor in factors.items()}
    doubled = {label for label in labels.values() if list(labels.values()).count(label) > 1}
    for learner in learners:
        for point in points:
            if LEARNER in point and point[LEARNER] != learner.name:
                continue
            words = [
                f"{name if labels[name] in doubled else labels[name]}={_level(level)}"
                for name, level in point.items()
                if name != LEARNER
            ]
            name = " ".join([learner.name, *words])
            several = {LEARNER: learner.name} if len(learners) > 1 else {}
            settings[name] = {**several, **point}
            learners_at.append(without_empty_steps(at_setting(learner, point, factors, name)))
    return settings, learners_at


def _check_visible(design: StudyDesign, wanted: Any) -> None:
    """Refuse a design that cannot see an interaction that was asked for."""
    if isinstance(wanted, str) or not isinstance(wanted, (list, tuple)):
        raise UsageError(f'interactions are a list such as ["a × b"], those that must be seen; found {wanted!r}.')
    for each in wanted:
        text = each if isinstance(each, str) else TIMES.join(each)
        parts = [part.strip() for part in text.replace("*", "×").split("×")]
        unknown = [part for part in parts if part not in design.varied]
        if unknown or len(parts) < 2:
            what = (
                f"{unknown[0]!r} is no factor. {nearest(unknown[0], design.varied)}"
                if unknown
                else "it has one factor."
            )
            raise UsageError(f"The interaction {text!r} cannot be asked for: {what}")
        name = TIMES.join(sorted(parts, key=design.varied.index))
        effect = design.visible.effect(name)
        if effect is not None and not effect.aliases:
            continue
        hides = dict(design.visible.hidden).get(name, "")
        if effect is not None:
            hides = " and ".join(effect.aliases)
        why = f"it is aliased with {hides}" if hides else "factors are never changed together, or it is not looked at"
        larger = "a larger fraction (runs, resolution), other generators, or " if design.kind == "fractional" else ""
        raise UsageError(f"This design cannot see {name}: {why}. Take {larger}a factorial design.")
