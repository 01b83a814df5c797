"""What the Bayesian procedures share: the region of practical equivalence, and what is said about it."""

from __future__ import annotations

from math import isfinite
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.presentation import number
from bakeoff.procedures.card import Caution, Option
from bakeoff.scores import Blocks, Layout

ROPE = Option(
    "rope",
    0.0,
    "half width of the region of practical equivalence, in the measure's unit; a margin of relevance sets it",
    kind=float,
)
NULL = "none is tested; the answer is how probable it is that the first is worse, practically the same, or better"
PROBABILITIES = (
    "P(worse), P(same) and P(better) are probabilities of the difference given the data and the prior, not p-values; a "
    "claim needs one of them to be at least 1 − α. With rope = 0, the default, any difference counts, P(same) is 0 and "
    "the other two add up to one."
)
ONE_PAIR = Caution(
    "Each probability is about one pair by itself: there is no adjustment for the number of comparisons, and among "
    "many pairs some claims with probability 0.95 will be wrong."
)


def checked_rope(rope: float) -> float:
    """A rope is a difference that is not negative.

    >>> checked_rope(-0.01)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: The rope is a difference that is not negative, in the measure's unit; found -0.01.
    """
    if not (isfinite(rope) and rope >= 0):
        raise UsageError(f"The rope is a difference that is not negative, in the measure's unit; found {rope!r}.")
    return float(rope)


def rope_note(rope: float) -> str:
    """
    >>> rope_note(0.01), rope_note(0)
    ('rope ±0.01', 'no rope: any difference counts')
    """
    return f"rope ±{number(rope)}" if rope > 0 else "no rope: any difference counts"


def correlation_of(_blocks: Blocks, layout: Layout) -> dict[str, Any]:
    """ρ = n_test / (n_train + n_test), the share of the data that a resample is tested on: 1/K for K folds."""
    ratio = layout.test_train_ratio
    return {"rho": ratio / (1 + ratio)}


def checked_correlation(rho: float | None) -> float:
    """ρ, if it is known and possible."""
    if rho is None or rho != rho:
        raise UsageError(
            "The correlation between resamples is not known: give columns n_train and n_test, or --rho (in Python "
            "rho=), the share of the data that is tested on, e.g. 0.1 for ten folds."
        )
    if not 0 <= rho < 1:
        raise UsageError(f"The correlation rho between resamples lies in [0, 1); found {rho!r}.")
    return float(rho)
