"""The request: what is asked of the data, checked once, for every procedure alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from bakeoff.adjustments import adjustment_named
from bakeoff.contrasts import KINDS, Contrasts, Said
from bakeoff.errors import UsageError, nearest
from bakeoff.evidence import SINGLE_STEP
from bakeoff.measures.known import plain
from bakeoff.procedures.card import Answers, Card, Option
from bakeoff.scores import Level, Missing, Scores

ALTERNATIVES = ("two-sided", "better", "worse")
# Adjustments by the names that they have with one procedure: Fisher's least significant difference adjusts nothing.
ALSO_CALLED = {"bonferroni_dunn": "bonferroni", "lsd": "none", "fisher_lsd": "none", "fisher": "none"}
TITLES = {"scheffe": "Scheffé", "max-t": "Max-t"}


@dataclass(frozen=True)
class Request:
    """The answer to all that is common to procedures."""

    alpha: float
    contrast: Said | Sequence[Said]
    control: str | None
    adjust: str | None
    alternative: str
    missing: Missing
    anyway: bool
    margin: float | None = None

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
        said = {plain(choice).replace("_", ""): choice for choice in option.choices}
        found = said.get(plain(str(value)).replace("_", ""))
        if found is None:
            listed = nearest(str(value), option.choices)
            raise UsageError(f"{option.name}={value!r} is not possible for {card.name}. {listed}")
        return found
    number = isinstance(value, Real) and not isinstance(value, bool)
    fits = {float: number, int: number and value == value // 1, bool: isinstance(value, bool)}
    if not fits.get(option.kind, isinstance(value, option.kind)):
        raise UsageError(f"{option.name} of {card.name} must be {_KINDS[option.kind]}; found {value!r}.")
    return option.kind(value)


def check_number_of_measures(card: Card, measure: str | Sequence[str]) -> None:
    """Most procedures take one measure at a time."""
    if isinstance(measure, str) or len(measure) == 1 or card.answers is Answers.MULTIVARIATE:
        return
    raise UsageError(
        f"{card.title} takes one measure at a time; found {len(measure)}: {', '.join(measure)}. Several at once are "
        "for hotelling (two learners) and manova (more)."
    )


def rows_asked_for(scores: Scores, card: Card, measure: str | Sequence[str] | None) -> Scores:
    """The rows of the measure asked for; of all measures, or of those named, for a multivariate procedure."""
    if card.answers is Answers.MULTIVARIATE:
        names = scores.measure.labels if measure is None else [measure] if isinstance(measure, str) else measure
        parts = [scores.only(measure=name) for name in names]  # checks that each exists
        return parts[0] if len(parts) == 1 else scores.only(measures=names)
    if measure is not None and not isinstance(measure, (str, Sequence)):
        raise UsageError(f"A measure is asked for by its name; found {measure!r}.")
    if measure is not None and not isinstance(measure, str):
        check_number_of_measures(card, measure)
        measure = measure[0]
    if measure is None and len(scores.measure.labels) > 1:
        raise UsageError(
            f"{scores.source} holds {len(scores.measure.labels)} measures ({', '.join(scores.measure.labels)}). "
            "Say which one the question is about: --measure NAME (in Python measure=NAME)."
        )
    return scores if measure is None else scores.only(measure=measure)


def rope_of(margin: float, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a Bayesian procedure, for which the margin of relevance is the rope."""
    if options.get("rope") not in (None, margin):
        raise UsageError(
            f"The margin is the rope of a Bayesian procedure: found margin {margin:g} and rope "
            f"{options['rope']:g}. Give one of them."
        )
    return {**options, "rope": margin}


def adjustment_asked_for(card: Card, request: Request, family: Contrasts) -> tuple[str, str]:
    """The adjustment's name and title: what was asked for, or the procedure's own, or Holm's."""
    asked = None if request.adjust is None else str(request.adjust)
    if card.posterior:
        if asked not in (None, "none"):
            raise UsageError(
                f"{card.title} gives probabilities of one pair each, which are not adjusted; leave {asked!r} out."
            )
        return "none", "no adjustment"
    own = plain(card.single_step)
    for name in card.further_adjust:
        if asked is not None and plain(asked) == plain(name):
            return name, f"{TITLES.get(name, name.capitalize())} adjustment"
    if asked is not None:
        asked = ALSO_CALLED.get(plain(asked), asked)
    if asked is not None and own and plain(asked) in (own, plain(SINGLE_STEP)):
        return SINGLE_STEP, f"{card.single_step} adjustment"
    if asked is not None and plain(asked) == plain(SINGLE_STEP):
        raise UsageError(f"{card.title} has no single-step adjustment; choose holm, bonferroni or another one.")
    if asked is None:
        own_fits = own and request.alternative == "two-sided" and family.kind == "all-pairs"
        if card.default_adjust == SINGLE_STEP and own_fits:
            return SINGLE_STEP, f"{card.single_step} adjustment"
        asked = "holm" if len(family) > 1 else "none"
    found = adjustment_named(asked)
    return found.name, f"{found.title} adjustment" if found.name != "none" else found.title


def adjustment_of_each(card: Card, request: Request) -> tuple[str, str]:
    """The adjustment of a procedure that looks at one learner at a time: none, unless one is asked for."""
    if request.control is not None or request.contrast_name != "all-pairs":
        raise UsageError(
            f"{card.title} looks at one learner at a time and compares none: leave contrast and control out, or choose "
            "a procedure for pairs (`bakeoff advise`)."
        )
    if request.adjust is None:
        return "none", "no adjustment"
    found = adjustment_named(ALSO_CALLED.get(plain(str(request.adjust)), request.adjust))
    if found.of_pairs is not None:
        raise UsageError(
            f"{found.title}'s adjustment is for all pairs of learners, and here each stands alone: use holm."
        )
    return found.name, f"{found.title} adjustment" if found.name != "none" else found.title
