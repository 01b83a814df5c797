"""The request: what is asked of the data, checked once, for every procedure alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.inference.adjustments import ADJUSTMENTS, adjustment_named
from bakeoff.inference.contrasts import KINDS, Contrasts, Said, contrasts
from bakeoff.inference.evidence import SINGLE_STEP
from bakeoff.judging.relevance import checked_margin
from bakeoff.mathematics.laws import check_alpha
from bakeoff.measures.measure import normalise_name
from bakeoff.procedures import answering, meaning_of, procedure_named, procedures
from bakeoff.procedures.card import Answers, Card, Compares, Option
from bakeoff.scores import Level, Missing

ALTERNATIVES = ("two-sided", "better", "worse")
# Adjustments by the names that they have with one procedure: Fisher's least significant difference adjusts nothing.
ALSO_CALLED = {"bonferroni_dunn": "bonferroni", "lsd": "none", "fisher_lsd": "none", "fisher": "none"}
TITLES = {"scheffe": "Scheffé", "max-t": "Max-t"}


@dataclass(frozen=True)
class Request:
    """What is asked of a table of scores, checked where it is said: in Python, on the command line or in a study.

    `procedure` None means the one that fits, `level` and `adjust` None what it reads and adjusts by itself. `runs` says
    what runs of one task are, and `ratio` is the ratio of test to training size, where the table does not tell either.
    `about` says whether a table of several tasks with their instances is asked about new instances of these tasks
    ("items") or about new tasks ("problems"). `against` is a level that each learner alone is held against.
    `options` are those of the procedure.
    """

    procedure: str | None = None
    measure: str | tuple[str, ...] | None = None
    contrast: Said | Sequence[Said] = "all-pairs"
    control: str | None = None
    adjust: str | None = None
    alternative: str = "two-sided"
    level: Level | None = None
    missing: Missing = Missing.ERROR
    alpha: float = 0.05
    margin: float | None = None
    anyway: bool = False
    runs: str | None = None
    ratio: float | None = None
    about: str | None = None
    against: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        procedure: str | None = None,
        *,
        measure: str | Sequence[str] | None = None,
        contrast: Said | Sequence[Said] = "all-pairs",
        control: str | None = None,
        level: str | None = None,
        missing: str | Missing = Missing.ERROR,
        alpha: float = 0.05,
        margin: float | None = None,
        runs: str | None = None,
        options: Mapping[str, Any] | None = None,
        **rest: Any,
    ) -> Request:
        """A request from what was said; what is no word of every request is an option of the procedure.

        >>> Request.of("corrected-t", control="svm", ratio=0.5).options
        {'ratio': 0.5}
        """
        if procedure is not None:
            called, (procedure, implied) = procedure, meaning_of(procedure)
            if implied.get("contrast") == "control" and control is None and contrast == "all-pairs":
                raise UsageError(f"{called} holds the others against one learner: name it (control=, --control).")
            if "adjust" in implied and rest.get("adjust") is None:
                rest["adjust"] = implied["adjust"]
        if measure is not None and not isinstance(measure, str):
            if not isinstance(measure, Sequence):
                raise UsageError(f"A measure is asked for by its name; found {measure!r}.")
            measure = tuple(dict.fromkeys(measure))
        own = {**(options or {}), **{name: rest.pop(name) for name in list(rest) if name not in _COMMON}}
        # Beside a procedure by name a ratio is an option of it; without one it says that runs are random splits.
        ratio = own.pop("ratio", None) if procedure is None else own.get("ratio") if runs is not None else None
        return cls(
            procedure=procedure,
            measure=measure,
            contrast="control" if contrast == "all-pairs" and control is not None else contrast,
            control=control,
            level=checked_level(level),
            missing=checked_missing(missing),
            alpha=check_alpha(alpha),
            margin=checked_margin(margin),
            runs=runs,
            ratio=ratio,
            options=own,
            **rest,
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures asked about; none if nothing was said."""
        return () if self.measure is None else (self.measure,) if isinstance(self.measure, str) else self.measure

    @property
    def tail(self) -> float:
        """The error rate of one tail."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    def reading(self, best_first: Sequence[int]) -> Sequence[int]:
        """The order in which pairs are read: from the better learner to the worse, or, if a side was asked for, that of
        the table. A one-sided test whose side the data choose rejects twice as often as it says."""
        return best_first if self.alternative == "two-sided" else sorted(best_first)

    @property
    def contrast_name(self) -> str:
        """All-pairs, control or groups."""
        return self.contrast if isinstance(self.contrast, str) and self.contrast in KINDS else "groups"

    def describe(self) -> dict[str, Any]:
        """The request as a study describes a planned analysis."""
        return {
            "procedure": self.procedure,
            "measure": self.measure,
            "contrast": self.contrast,
            "control": self.control,
            "adjust": self.adjust,
            "alternative": self.alternative,
            "level": None if self.level is None else self.level.value,
            "missing": self.missing.value,
            "alpha": self.alpha,
            "margin": self.margin,
            "options": {name: value for name, value in self.options.items() if value is not None},
        }

    @property
    def decisions_will_do(self) -> bool:
        """Whether it needs no intervals: it asks for no margin, no side, and nothing but all pairs."""
        return (self.margin, self.contrast_name, self.alternative) == (None, "all-pairs", "two-sided")


_COMMON = frozenset({"adjust", "alternative", "anyway", "about", "against"})


# ----------------------------------------------------------------------------------------------------------------------
# Words and numbers of a request, each with its own refusal.


def checked_alternative(card: Card, alternative: str) -> str:
    if alternative not in ALTERNATIVES:
        raise UsageError(f"There is no alternative {alternative!r}. {nearest(alternative, ALTERNATIVES)}")
    if alternative != "two-sided" and not card.sides:
        raise UsageError(f"{card.title} has no sides: its alternative is that the learners differ, in any direction.")
    return alternative


def checked_missing(policy: str | Missing) -> Missing:
    try:
        return Missing(policy)
    except ValueError:
        raise UsageError(
            f"There is no policy {policy!r} for missing values. {nearest(policy, [known.value for known in Missing])}"
        ) from None


def checked_level(level: str | None) -> Level | None:
    if level is None:
        return None
    try:
        return Level(level)
    except ValueError:
        raise UsageError(f"There is no level {level!r}. {nearest(level, [known.value for known in Level])}") from None


def checked_options(card: Card, given: Mapping[str, Any]) -> dict[str, Any]:
    """The procedure's own options, checked against its card."""
    known = {option.name: option for option in card.options}
    for name in given:
        if name not in known:
            raise UsageError(f"{card.name} has no option {name!r}. {nearest(name, known)}")
    checked = {name: _of_its_kind(card, known[name], value) for name, value in given.items()}
    return {**{option.name: option.default for option in card.options}, **checked}


_KINDS: dict[type, str] = {float: "a number", int: "a whole number", bool: "True or False (yes or no)", str: "a word"}


def _of_its_kind(card: Card, option: Option, value: Any) -> Any:
    """The value of an option, if it is of the kind that its card asks for; words may be written with -, _ or none."""
    if value is None and option.default is None:
        return None
    if option.choices:
        spellings = {normalise_name(choice).replace("_", ""): choice for choice in option.choices}
        spelled = spellings.get(normalise_name(str(value)).replace("_", ""))
        if spelled is None:
            listed = nearest(str(value), option.choices)
            raise UsageError(f"{option.name}={value!r} is not possible for {card.name}. {listed}")
        return spelled
    number = isinstance(value, Real) and not isinstance(value, bool)
    fits = {float: number, int: number and value == value // 1, bool: isinstance(value, bool)}
    if not fits.get(option.kind, isinstance(value, option.kind)):
        raise UsageError(f"{option.name} of {card.name} must be {_KINDS[option.kind]}; found {value!r}.")
    return option.kind(value)


def check_number_of_measures(card: Card, measure: str | Sequence[str]) -> None:
    """Most procedures take one measure at a time."""
    if isinstance(measure, str) or len(measure) < 2 or card.answers is Answers.MULTIVARIATE:
        return
    raise UsageError(
        f"{card.title} takes one measure at a time; found {len(measure)}: {', '.join(measure)}. Several at once are "
        "for hotelling (two learners) and manova (more)."
    )


def rope_of(margin: float, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a Bayesian procedure, for which the margin of relevance is the rope."""
    if options.get("rope") not in (None, margin):
        raise UsageError(
            f"The margin is the rope of a Bayesian procedure: found margin {margin:g} and rope "
            f"{options['rope']:g}. Give one of them."
        )
    return {**options, "rope": margin}


def resolve_adjustment(card: Card, request: Request, family: Contrasts) -> tuple[str, str]:
    """The adjustment's name and title: what was asked for, or the procedure's own, or Holm's."""
    wanted = None if request.adjust is None else str(request.adjust)
    if card.posterior:
        if wanted not in (None, "none"):
            raise UsageError(
                f"{card.title} gives probabilities of one pair each, which are not adjusted; leave {wanted!r} out."
            )
        return "none", "no adjustment"
    own = normalise_name(card.single_step)
    for name in card.further_adjust:
        if wanted is not None and normalise_name(wanted) == normalise_name(name):
            return name, f"{TITLES.get(name, name.capitalize())} adjustment"
    if wanted is not None:
        wanted = ALSO_CALLED.get(normalise_name(wanted), wanted)
    if wanted is not None and own and normalise_name(wanted) in (own, normalise_name(SINGLE_STEP)):
        return SINGLE_STEP, f"{card.single_step} adjustment"
    if wanted is not None and normalise_name(wanted) == normalise_name(SINGLE_STEP):
        raise UsageError(f"{card.title} has no single-step adjustment; choose holm, bonferroni or another one.")
    if wanted is None:
        own_fits = own and request.alternative == "two-sided" and family.kind == "all-pairs"
        own_fits = own_fits or (own and card.any_family)
        if card.default_adjust == SINGLE_STEP and own_fits:
            return SINGLE_STEP, f"{card.single_step} adjustment"
        wanted = "holm" if len(family) > 1 else "none"
    adjustment = adjustment_named(wanted)
    return adjustment.name, f"{adjustment.title} adjustment" if adjustment.name != "none" else adjustment.title


def adjustment_of_each(card: Card, request: Request, learners: int = 1) -> tuple[str, str]:
    """The adjustment of a procedure that looks at one learner at a time: Holm's where several are held against a level,
    unless another one is asked for."""
    if request.control is not None or request.contrast_name != "all-pairs":
        raise UsageError(
            f"{card.title} looks at one learner at a time and compares none: leave contrast and control out, or choose "
            "a procedure for pairs (`bakeoff advise`)."
        )
    tested = bool(card.against) and request.options.get(card.against) is not None and learners > 1
    wanted = request.adjust or ("holm" if tested else "none")
    adjustment = adjustment_named(ALSO_CALLED.get(normalise_name(str(wanted)), wanted))
    if adjustment.of_pairs is not None:
        raise UsageError(
            f"{adjustment.title}'s adjustment is for all pairs of learners, and here each stands alone: use holm."
        )
    return adjustment.name, f"{adjustment.title} adjustment" if adjustment.name != "none" else adjustment.title


# ----------------------------------------------------------------------------------------------------------------------
# Fallback: a procedure that ends at a number of learners, what answers in its place, and how that is said.


@dataclass(frozen=True)
class Answering:
    """The card of the procedure that answers, and the adjustment and options that were asked for in its terms.

    `instead_of` names the procedure that was asked for, if that is another one, and `because` says why, in a sentence.
    """

    card: Card
    adjust: str | None
    options: Mapping[str, Any]
    instead_of: str = ""
    because: str = ""


def apply_fallback(requested: Card, learners: int, adjust: str | None, options: Mapping[str, Any]) -> Answering:
    """The procedure that was asked for, or its fallback for so many learners.

    The adjustment that the one makes itself is that of the other. Options that the other does not have are left out,
    and the sentence names them.

    >>> from bakeoff.procedures import explain
    >>> made = apply_fallback(explain("closed-testing"), 6, "closed testing", {"method": "exact"})
    >>> made.card.name, made.adjust, dict(made.options)
    ('aligned-tukey', 'single-step', {})
    >>> made.because.endswith("The option method was not used.")
    True
    """
    card = answering(requested, learners)
    if requested.fallback is None or card is requested:
        return Answering(requested, adjust, options)
    if adjust is not None and normalise_name(str(adjust)) == normalise_name(requested.single_step):
        adjust = SINGLE_STEP
    own = {option.name for option in card.options}
    kept = {name: value for name, value in options.items() if name in own}
    because = (
        f"{requested.name} was asked for, which is for at most {requested.fallback.most} learners; with {learners}, "
        f"{card.name} ({card.title}) answers in its place."
    )
    if unused := [name for name in options if name not in own]:
        several = len(unused) > 1
        because += f" The option{'s' * several} {', '.join(unused)} {'were' if several else 'was'} not used."
    return Answering(card, adjust, kept, requested.name, because)


# ----------------------------------------------------------------------------------------------------------------------
# What can be said of a request before there are scores: words that nothing knows, options that a procedure lacks.


def validate_before_run(
    procedure: str | None,
    learners: Sequence[str],
    *,
    measure: str | Sequence[str] = "",
    contrast: Any = "all-pairs",
    control: str | None = None,
    adjust: str | None = None,
    alternative: str = "two-sided",
    level: str | None = None,
    missing: str = "error",
    alpha: float = 0.05,
    margin: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Raise a UsageError for what `judge` would refuse whatever the scores turn out to be.

    >>> validate_before_run("freidman", ["svm", "tree"])
    Traceback (most recent call last):
    bakeoff.errors.UsageError: There is no procedure 'freidman'. Did you mean 'friedman'? ...
    """
    request = Request.of(
        procedure,
        measure=measure,
        contrast=contrast,
        control=control,
        adjust=adjust,
        alternative=alternative,
        level=level,
        missing=missing,
        alpha=alpha,
        margin=margin,
    )
    family = contrasts(contrast, learners, range(len(learners)), control) if len(learners) > 1 else None
    if procedure is None:
        if options:
            raise UsageError(f"Options ({', '.join(options)}) are a procedure's own: say which one.")
        _check_adjustment(adjust)
        return
    card = procedure_named(procedure).card
    check_number_of_measures(card, measure)
    checked_options(card, options or {})
    answer = apply_fallback(card, len(learners), adjust, options or {})
    card, request = answer.card, replace(request, adjust=answer.adjust)
    checked_alternative(card, alternative)
    if card.compares is Compares.ONE:
        adjustment_of_each(card, request)
    else:
        _check_pairs(card.title, family)
        assert family is not None
        resolve_adjustment(card, request, family)


def _check_pairs(title: str, family: Contrasts | None) -> None:
    if family is None:
        raise UsageError(f"{title} compares learners, and there is only one.")


def _check_adjustment(name: str | None) -> None:
    """An adjustment for whatever procedure will fit: any that some procedure knows."""
    if name is None or normalise_name(name) in (*ALSO_CALLED, normalise_name(SINGLE_STEP)):
        return
    try:
        adjustment_named(name)
    except UsageError:
        cards = [each.card for each in procedures()]
        own = {word for card in cards for word in (card.single_step, *card.further_adjust) if word}
        if normalise_name(name) not in {normalise_name(word) for word in own}:
            known = [*ADJUSTMENTS, SINGLE_STEP, *(word.lower() for word in own)]
            raise UsageError(f"There is no adjustment {name!r}. {nearest(name, set(known))}") from None
