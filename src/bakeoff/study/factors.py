"""Factors and their levels: what a study changes on purpose, and a learner at one setting of it.

A factor is a parameter of a step ("pca.n_components"), a step of a pipeline ("scaler"), what prepares the data
("prepare"), which learner it is ("learner"), how much is learned from ("training-size"), the noise in that
("class-noise", "attribute-noise"), the order in which it is presented ("presentation-order"), or the data set ("task").
A learner at a setting is a learner: its parameters are in its key, so that storing, resuming and sharing work as for
any other. A learner that has none of the factors may stand beside the design, as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any

from bakeoff.designs.factorial import williams
from bakeoff.designs.response_surface import Axis
from bakeoff.errors import UsageError, nearest
from bakeoff.learners.learner import (
    PREPARE,
    ROWS,
    SHORT_NAMES,
    STATISTICS,
    Learner,
    full_path,
)
from bakeoff.text import listing

LEARNER, TASK, PREPARATION = "learner", "task", "prepare"
SIZE, CLASS_NOISE, ATTRIBUTE_NOISE = "training-size", "class-noise", "attribute-noise"
ORDER = "presentation-order"
OF_SAMPLE = {SIZE: "size", CLASS_NOISE: "class_noise", ATTRIBUTE_NOISE: "attribute_noise"}
OF_ALL = (LEARNER, TASK, PREPARATION, *OF_SAMPLE, ORDER)  # factors that every learner has
_MOST_ORDERS = 12
NOTHING = ("none", "passthrough")  # instead of a step
_KEYS = ("low", "high", "scale", "integer", "levels", "count", "of")


@dataclass(frozen=True)
class Factor:
    """A factor: its name, its levels, and for numbers the range that they lie in and how it is coded.

    Numbers are coded from −1 (`low`) to +1 (`high`), in equal steps or in equal ratios (`scale` "log"). With `of` they
    are multiples of a statistic of the learning sample.
    """

    name: str
    levels: tuple[Any, ...]
    numeric: bool = False
    low: float = -inf
    high: float = inf
    scale: str = "linear"
    integer: bool = False
    of: str | None = None
    range_given: bool = False

    @property
    def label(self) -> str:
        """The last part of its name."""
        return self.name.replace("__", ".").rpartition(".")[2]

    @property
    def axis(self) -> Axis:
        return Axis(self.low, self.high, self.scale, self.integer)

    def on(self, count: int) -> Factor:
        """The same with so many levels, evenly over the range; one whose levels were listed stays as it is."""
        if not self.range_given:
            return self
        steps = [self.axis.at(-1 + 2 * i / (count - 1)) for i in range(count)] if count > 1 else [self.axis.at(0)]
        return replace(self, levels=tuple(dict.fromkeys(steps)))

    def describe(self) -> dict[str, Any]:
        words: dict[str, Any] = {"levels": list(self.levels)}
        if self.numeric:
            words |= {"low": self.low, "high": self.high, "scale": self.scale, "integer": self.integer}
        return words | ({"of": self.of} if self.of else {})


def factor_from(name: str, given: Any) -> Factor:
    """A factor as a study names it: a list of levels, or a table with a range.

    >>> factor_from("k", {"low": 1, "high": 31, "scale": "log", "integer": True}).on(3).levels
    (1, 6, 31)
    >>> factor_from("kernel", ["rbf", "linear"]).numeric
    False
    """
    if isinstance(given, Factor):
        return given
    if name == ORDER:
        return _of_orders(given)
    if isinstance(given, Mapping):
        factor = _of_table(name, given)
    elif isinstance(given, (list, tuple, range)):
        factor = _of_list(name, list(given), "linear", None)
    else:
        raise UsageError(
            f"The factor {name!r} is {given!r}; expected is a list of levels, or a range such as "
            '{ low = 1, high = 31, scale = "log", integer = true }.'
        )
    return _checked(factor)


def _of_orders(given: Any) -> Factor:
    """Counter-balanced orders of presentation, by letters: a Williams design of as many parts of the rows."""
    if isinstance(given, bool) or not isinstance(given, int) or given % 2 or not 2 <= given <= _MOST_ORDERS:
        raise UsageError(
            f"{ORDER} is the number of counter-balanced orders, an even one from 2 to {_MOST_ORDERS}: with as many "
            f"parts of the rows, each stands once at each place and follows each other part once; found {given!r}."
        )
    return Factor(ORDER, tuple(_LETTERS[:given]))


_LETTERS = "ABCDEFGHIJKL"


def presentation(letter: str, orders: int) -> tuple[int, ...]:
    """The parts of the rows in the order that a letter means.

    >>> [presentation(letter, 4) for letter in "AB"]
    [(0, 1, 3, 2), (1, 2, 0, 3)]
    """
    return tuple(williams(orders)[_LETTERS.index(letter)].tolist())


def _of_list(name: str, levels: Sequence[Any], scale: str, of: str | None) -> Factor:
    if not levels:
        raise UsageError(f"The factor {name!r} has no level. Give a list of them.")
    for number, level in enumerate(levels):
        if level in levels[:number]:
            raise UsageError(f"The factor {name!r} has the level {level!r} twice.")
    for level in levels:
        if isinstance(level, float) and not isfinite(level):
            raise UsageError(f"The levels of {name!r} are finite numbers; found {level!r}.")
    numeric = all(isinstance(level, (int, float)) and not isinstance(level, bool) for level in levels)
    if not numeric:
        if of is not None or scale == "log":
            raise UsageError(f"The levels of {name!r} are no numbers, so that {'of' if of else 'scale'} says nothing.")
        return Factor(name, tuple(levels))
    low, high = float(min(levels)), float(max(levels))
    whole = all(isinstance(level, int) for level in levels)
    return Factor(name, tuple(levels), True, low, high, scale, whole and of is None, of)


def _of_table(name: str, given: Mapping[str, Any]) -> Factor:
    for key in given:
        if key not in _KEYS:
            raise UsageError(f"The factor {name!r} has no {key!r}. {nearest(key, _KEYS)}")
    scale, of = given.get("scale", "linear"), given.get("of")
    if scale not in ("linear", "log"):
        raise UsageError(f"The scale of the factor {name!r} is 'linear' or 'log'; found {scale!r}.")
    if of is not None and of not in STATISTICS:
        raise UsageError(f"The factor {name!r} is a multiple of {of!r}. {nearest(str(of), STATISTICS)}")
    if "levels" in given:
        if not isinstance(given["levels"], (list, tuple)):
            raise UsageError(f"The levels of {name!r} are a list; found {given['levels']!r}.")
        return _bounded(_of_list(name, list(given["levels"]), scale, of), given)
    ends = [given.get(end) for end in ("low", "high")]
    if not all(isinstance(end, (int, float)) and not isinstance(end, bool) and isfinite(end) for end in ends):
        raise UsageError(
            f"The factor {name!r} needs levels, or numbers low and high; found low = {ends[0]!r}, high = {ends[1]!r}."
        )
    low, high = float(ends[0]), float(ends[1])  # type: ignore[arg-type]
    integer, count = bool(given.get("integer", False)), given.get("count", 3)
    if isinstance(count, bool) or not isinstance(count, int) or count < 2:
        raise UsageError(f"count, the number of levels of {name!r}, is a whole number from 2 on; found {count!r}.")
    if integer and of is None and not (low.is_integer() and high.is_integer()):
        raise UsageError(
            f"The factor {name!r} is of whole numbers: low and high must be whole; found {low:g}, {high:g}."
        )
    factor = Factor(name, (low, high), True, low, high, scale, integer and of is None, of, True)
    return (
        _checked(factor).on(count) if "count" not in given else replace(_checked(factor).on(count), range_given=False)
    )


def _bounded(factor: Factor, given: Mapping[str, Any]) -> Factor:
    """A factor whose levels are listed, within the bounds that were given beside them."""
    for end, side in (("low", -1), ("high", 1)):
        bound = given.get(end)
        if bound is None:
            continue
        if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not factor.numeric:
            raise UsageError(f"{end} of {factor.name!r} is a number that bounds its levels; found {bound!r}.")
        beyond = [repr(level) for level in factor.levels if side * (level - bound) > 0]
        if beyond:
            raise UsageError(
                f"The factor {factor.name!r} has the level {listing(beyond)}, beyond its bound {end} = {bound:g}."
            )
    return factor


def _checked(factor: Factor) -> Factor:
    name = factor.name
    if factor.numeric and factor.range_given and not factor.low < factor.high:
        raise UsageError(f"The factor {name!r} goes from low to high; found {factor.low:g} and {factor.high:g}.")
    if factor.numeric and factor.scale == "log" and factor.low <= 0:
        raise UsageError(f"The factor {name!r} is logarithmic, so that its levels are positive; found {factor.low:g}.")
    if name in (CLASS_NOISE, ATTRIBUTE_NOISE) and not (factor.numeric and 0 <= factor.low <= factor.high < 1):
        raise UsageError(
            f"The levels of {name} are shares from 0 up to, not including, 1; found {list(factor.levels)}."
        )
    if name == SIZE and not (factor.numeric and factor.low > 0):
        raise UsageError(
            f"The levels of {SIZE} are shares of the learning sample (up to 1) or numbers of rows; found "
            f"{list(factor.levels)}."
        )
    if factor.of and name in OF_ALL:
        raise UsageError(f"The factor {name!r} is no parameter, and takes no `of`.")
    return factor


# ----------------------------------------------------------------------------------------------------------------------
# Where a factor applies: the step of a learner that its name means.


@dataclass(frozen=True)
class Address:
    """A step of a learner, and the parameter of it; the step itself, if none is named."""

    step: int
    parameter: str | None = None


def address_in(learner: Learner, name: str) -> Address | None:
    """What a factor's name means in a learner; None if it means nothing there.

    "step.parameter" or scikit-learn's step__parameter, where the step goes by its name, its short name or its class;
    "learner.parameter" is one of the learner's last step, as a name without a dot is for every learner.

    >>> from bakeoff.learners.learner import Learner, Step
    >>> knn = Learner("mine", steps=(Step("sklearn.decomposition.PCA"), Step("sklearn.neighbors.KNeighborsClassifier")))
    >>> address_in(knn, "pca.n_components"), address_in(knn, "knn.n_neighbors"), address_in(knn, "svm.C")
    (Address(step=0, parameter='n_components'), Address(step=1, parameter='n_neighbors'), None)
    """
    steps = _step_names(learner)
    if not steps:
        return None
    text = name
    for head, rest in _divisions(text):
        if head == learner.name and (inner := _in_steps(steps, rest)) is not None:
            return inner
        if (address := _in_steps(steps, text)) is not None:
            return address
        if head == learner.name:
            return Address(len(steps) - 1, rest.replace(".", "__"))
    if "." in text or "__" in text:
        return None
    own = [number for number, names in enumerate(steps) if text in names]
    return Address(own[0]) if own else Address(len(steps) - 1, text)


def _in_steps(steps: Sequence[set[str]], text: str) -> Address | None:
    for head, rest in _divisions(text):
        for number, names in enumerate(steps):
            if head in names:
                return Address(number, rest.replace(".", "__"))
    return None


def _divisions(text: str) -> Iterator[tuple[str, str]]:
    """Each way to divide a name in two at a dot or at scikit-learn's __, the longest beginning last."""
    for mark in (".", "__"):
        parts = text.split(mark)
        for i in range(1, len(parts)):
            if all((head := mark.join(parts[:i]), rest := mark.join(parts[i:]))):
                yield head, rest


def _step_names(learner: Learner) -> list[set[str]]:
    """The names that each step goes by."""
    if learner.estimator is not None:
        named = getattr(learner.estimator, "steps", None) or [("", learner.estimator)]
        parts = [(name, f"{type(part).__module__}.{type(part).__qualname__}") for name, part in named]
    else:
        parts = [(step.name, step.path) for step in learner.steps]
    names = []
    for name, path in parts:
        kind = path.rpartition(".")[2]
        short = {each.name for each in SHORT_NAMES.values() if each.path.rpartition(".")[2] == kind}
        names.append({kind, kind.lower(), *short, *([name] if name else [])})
    return names


# ----------------------------------------------------------------------------------------------------------------------
# A learner at a setting of the factors.


def at_setting(learner: Learner, setting: Mapping[str, Any], factors: Mapping[str, Factor], name: str) -> Learner:
    """The learner with the levels of a setting, under a name."""
    changed = replace(learner, name=name)
    for factor_name, level in setting.items():
        if factor_name in (LEARNER, TASK):
            continue
        if factor_name in OF_SAMPLE:
            part: dict[str, Any] = {OF_SAMPLE[factor_name]: float(level)}
            changed = replace(changed, sample=replace(changed.sample, **part))
        elif factor_name == ORDER:
            order = presentation(level, len(factors[ORDER].levels))
            changed = replace(changed, sample=replace(changed.sample, order=order))
        elif factor_name == PREPARATION:
            changed = replace(changed, prepare=level)
        else:
            changed = _with_level(changed, learner, factors[factor_name], level)
    return changed


def _with_level(learner: Learner, origin: Learner, factor: Factor, level: Any) -> Learner:
    """A learner with one parameter, or one step, at a level. Names are those of the learner that it came from."""
    address = address_in(origin, factor.name)
    assert address is not None
    value = level if factor.of is None else {"multiple": float(level), "of": factor.of}
    if learner.estimator is not None:
        return replace(learner, estimator=_object_at(learner.estimator, address, value, learner.name))
    steps = list(learner.steps)
    if address.parameter is not None:
        old = steps[address.step]
        steps[address.step] = replace(old, parameters={**old.parameters, address.parameter: value})
    else:
        steps[address.step] = replace(steps[address.step], path=full_path(str(level)), parameters={})
    return replace(learner, steps=tuple(steps))


def without_empty_steps(learner: Learner) -> Learner:
    """The learner without the steps that are to be nothing."""
    kept = tuple(step for step in learner.steps if step.path not in NOTHING)
    if learner.steps and not kept:
        raise UsageError(f"Learner {learner.name!r} has no step left: its estimator cannot be {NOTHING[0]!r}.")
    return replace(learner, steps=kept) if len(kept) < len(learner.steps) else learner


def _object_at(estimator: Any, address: Address, value: Any, name: str) -> Any:
    """A copy of an estimator object, with a parameter at a level."""
    from sklearn.base import clone

    copied = clone(estimator)
    steps = getattr(copied, "steps", None)
    prefix = f"{steps[address.step][0]}__" if steps else ""
    if address.parameter is None:
        return copied.set_params(**{prefix.removesuffix("__"): "passthrough" if value in NOTHING else value})
    known = copied.get_params(deep=True)
    if prefix + address.parameter not in known:
        own = [each.removeprefix(prefix) for each in known if each.startswith(prefix)]
        raise UsageError(f"Learner {name!r} has no parameter {address.parameter!r}. {nearest(address.parameter, own)}")
    if isinstance(value, Mapping):
        from bakeoff.learners.wrappers import RelativeParameters

        inner = steps[address.step][1] if steps else copied
        wrapped = RelativeParameters(inner, {address.parameter: dict(value)})
        return copied.set_params(**{prefix.removesuffix("__"): wrapped}) if steps else wrapped
    return copied.set_params(**{prefix + address.parameter: value})


def references(factors: Mapping[str, Factor], learners: Sequence[Learner]) -> list[Learner]:
    """The learners that are run beside the design, as they are: those that have none of its factors, if others have
    all of them. Where a factor is one that every learner has, there are none."""
    names = [name for name in factors if name != TASK]
    if not names or any(name in OF_ALL for name in names):
        return []
    having = {each.name: [address_in(each, name) is not None for name in names] for each in learners}
    if not any(all(flags) for flags in having.values()):
        return []
    return [each for each in learners if not any(having[each.name])]


def check_factors(factors: Mapping[str, Factor], learners: Sequence[Learner], tasks: Sequence[str]) -> None:
    """Refuse a factor that nothing has, or that only some of the learners have."""
    for name, factor in factors.items():
        if name == LEARNER:
            _check_names(factor, [learner.name for learner in learners])
        elif name == TASK:
            _check_names(factor, tasks)
        elif name == PREPARATION:
            _check_names(factor, PREPARE)
        elif name not in OF_ALL:
            _check_address(name, factor, learners)
    for learner in learners:
        known: dict[Address, str] = {}
        for name in factors:
            address = None if name in OF_ALL else address_in(learner, name)
            if address is not None and known.setdefault(address, name) != name:
                raise UsageError(
                    f"The factors {known[address]!r} and {name!r} are the same parameter of learner {learner.name!r}: "
                    "name it once."
                )


def _check_names(factor: Factor, known: Sequence[str]) -> None:
    for level in factor.levels:
        if level not in known:
            raise UsageError(f"The factor {factor.name!r} has the level {level!r}. {nearest(str(level), known)}")


def _check_address(name: str, factor: Factor, learners: Sequence[Learner]) -> None:
    addresses = {learner.name: address_in(learner, name) for learner in learners}
    without = [each for each, address in addresses.items() if address is None]
    if len(without) == len(addresses):
        known = sorted({each for learner in learners for names in _step_names(learner) for each in names})
        head = name.replace("__", ".").partition(".")[0]
        more = (
            nearest(head, dict.fromkeys([*known, *(learner.name for learner in learners)]))
            if known
            else ("A command has no parameters that can be set from outside.")
        )
        raise UsageError(
            f"No learner has the factor {name!r}: it is written step.parameter, or is one of {LEARNER}, {TASK}, "
            f"{PREPARATION}, {SIZE}, {CLASS_NOISE}, {ATTRIBUTE_NOISE} and {ORDER}. {more}"
        )
    if without:
        raise UsageError(
            f"The factor {name!r} is a parameter of {listing([each for each in addresses if each not in without])} and "
            f"not of {listing(without)}. A learner of a design has all of its factors, or none and is run beside it: "
            "leave a factor out, or make a study of those that have them."
        )
    tuned = [each.name for each in learners if each.tuning is not None and factor.label in each.tuning.grid]
    if tuned:
        raise UsageError(f"{name!r} is a factor of the design and is tuned inside {listing(tuned)}. Leave one out.")
    if factor.of == ROWS and factor.numeric and factor.high > 1:
        raise UsageError(f"The levels of {name!r} are shares of the rows, at most 1; found {factor.high:g}.")
