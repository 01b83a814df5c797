"""What was said about an experiment, made into a guess: checked, and filled up from a pilot."""

from __future__ import annotations

from math import isfinite, isnan
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.lab.powering.families import SHAPES, card_of, has_folds, usual_find
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.pilot import CORRELATION, Pilot
from bakeoff.lab.powering.scales import OWN_SCALE, has_sd
from bakeoff.lab.powering.special_tables import HOLES, MEASURES, SCORES
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.presentation import number
from bakeoff.procedures.card import Card, Compares
from bakeoff.scores import Scores


def guess_for(
    card: Card,
    seen: Pilot | None,
    *,
    sd: float | None,
    error: float | None,
    discordant: float | None,
    correlation: float | None,
    folds: int | None,
    learners: int | None,
    pattern: str,
    find: str | None,
    alpha: float,
    one_sided: bool,
    noise: str,
    auc: float | None = None,
    positives: float | None = None,
    measures: int | None = None,
    absent: float | None = None,
) -> Guess:
    """The guess; what was not said is the pilot's, or the usual."""
    if folds is not None and not has_folds(card):
        raise UsageError(f"{card.name} has no folds to choose: leave the number of folds out.")
    _check_own(card, auc=auc, positives=positives, measures=measures, absent=absent)
    given: dict[str, Any] = {
        "error": error,
        "discordant": discordant,
        "auc": auc,
        "positives": positives,
        "absent": absent,
    }
    given |= {"folds": folds, "learners": learners, "measures": measures, "correlation": correlation}
    if seen is not None:
        given |= {name: value for name, value in _of_pilot(card, seen).items() if given[name] is None}
    if card.compares is Compares.ONE:
        given["learners"] = 1
    elif given["learners"] is None:
        given["learners"] = 3 if card.compares is Compares.MANY else 2
    guess = Guess(
        sd=_sd(sd, seen),
        pattern=pattern,
        find=find or usual_find(card),
        alpha=alpha,
        sides=1 if one_sided else 2,
        residuals=_residuals(noise, seen, sd),
        **{name: value for name, value in given.items() if value is not None},
    )
    columns = guess.learners if guess.residuals is None else guess.residuals.shape[1]
    if columns != guess.learners:
        raise UsageError(f"noise = pilot has the pilot's {columns} learners; found {guess.learners}: leave them out.")
    if one_sided and guess.find == "global":
        raise UsageError("A test of all learners at once has no sides: leave one-sided out, or find a pair.")
    return guess


def _of_pilot(card: Card, seen: Pilot) -> dict[str, Any]:
    """What a pilot says of the things that a guess is about; None where it says nothing."""
    rates = {"error": seen.error, "auc": seen.auc, "positives": seen.positives, "absent": seen.absent}
    found: dict[str, Any] = {name: None if isnan(rate) else rate for name, rate in rates.items()}
    return found | {
        "discordant": _discordant(seen),
        "folds": seen.folds if has_folds(card) else None,
        "learners": len(seen.learners),
        "measures": seen.measures,
        "correlation": seen.value if seen.varies == CORRELATION else None,
    }


# Which guesses are for which tables.
_OF_SHAPE = {"auc": SCORES, "positives": SCORES, "measures": MEASURES, "absent": HOLES}


def _check_own(card: Card, **said: object) -> None:
    for name, value in said.items():
        if value is not None and SHAPES.get(card.name) != _OF_SHAPE[name]:
            tests = ", ".join(test for test, shape in SHAPES.items() if shape == _OF_SHAPE[name])
            raise UsageError(f"{name} is a guess for {tests}, and {card.name} has no use for it: leave it out.")


def chosen_card(test: str | None, pilot: Scores | None, measure: str | None, level: str | None) -> Card:
    if test is not None:
        return card_of(test)
    if pilot is None:
        raise UsageError("Name a test (t, sign, mcnemar, wilcoxon, friedman, …) or give the scores of a pilot.")
    from bakeoff.judging import advise

    advice = advise(pilot, measure=measure, level=level)
    if not advice.recommended:
        raise UsageError(f"{advice.summary} Name a test.")
    return card_of(advice.recommended)


def assumed_correlation(card: Card, correlation: float | None) -> float | None:
    return 0.0 if correlation is None and card.name.startswith("5x2") else correlation


def _sd(sd: float | None, seen: Pilot | None) -> float:
    if sd is not None:
        return float(sd)
    return seen.value if seen is not None and seen.varies == "sd" else 1.0


def _discordant(seen: Pilot) -> float | None:
    return seen.value if seen.varies.startswith("share") and 0 < seen.value < 1 else None


def _residuals(noise: str, seen: Pilot | None, sd: float | None) -> Any:
    if choice(noise, ("normal", "pilot"), "kind of noise") == "normal":
        return None
    if seen is None or seen.residuals is None:
        raise UsageError("noise = pilot takes the noise from the scores of a pilot, and there are none: give a pilot.")
    return seen.residuals * (1.0 if sd is None else sd / seen.value)


def stated_difference(
    said: float | str | None, wins: float | None, card: Card, guess: Guess, standardised: bool
) -> float | None:
    """The difference in the unit of the sd, however it was said."""
    if wins is not None:
        if said is not None or card.name not in ("sign", "sign-one"):
            raise UsageError("wins, the chance to win on a task, is for the sign test, and in place of a difference.")
        if not 0.5 < wins < 1:
            raise UsageError(f"The chance that the better one wins lies between 0.5 and 1; found {wins!r}.")
        return guess.sd * normal_quantile(wins)
    if said is None:
        return None
    text = str(said).strip().lower()
    in_sd = text.endswith("sd")
    try:
        value = float(text.removesuffix("sd"))
    except ValueError:
        raise UsageError(f"A difference is a number, or a number of sds such as 0.5sd; found {said!r}.") from None
    if not (isfinite(value) and value > 0):
        raise UsageError(f"The difference to find is a positive number: how much better is better; found {said!r}.")
    if in_sd and not has_sd(card.name):
        raise UsageError(f"{card.name} {OWN_SCALE[card.name]}.")
    if standardised and not in_sd:
        raise UsageError(
            f"Whether a difference of {number(value)} is large depends on how much scores vary: say the sd of the "
            f"differences (--sd 0.05), or the difference in its unit (--difference {number(value)}sd), or give a pilot."
        )
    return value * guess.sd if in_sd else value
