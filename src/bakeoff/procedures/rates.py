"""Rates of right or wrong answers: from the answers themselves, or as reported, with the size of the test set."""

from __future__ import annotations

from math import isfinite, isnan

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import binary_column, number_column
from bakeoff.measures.known import canonical_name
from bakeoff.procedures.card import Need
from bakeoff.scores import Layout, Level

SHARES = ("accuracy", "error")
_ROUNDING = 1e-6  # reported rates may pass 0 and 1 by so much
_NEAR = 0.25  # a rate that is this far from a count of n is not one of n


def rate_of(values: ArrayLike, n: float, which: str = "values") -> tuple[float, float]:
    """A rate and the size of its test set: of a column of answers, or of a single value whose size is given.

    >>> rate_of([1, 0, 0, 0], float("nan")), rate_of([0.75], 1000)
    ((0.25, 4.0), (0.75, 1000.0))
    """
    column = number_column(values, which)
    if len(column) == 1 and not isnan(n):
        return checked_rate_of(float(column[0]), float(n), which)
    answers = binary_column(column, which)
    return float(np.mean(answers)), float(len(answers))


def x_of(values: ArrayLike, n: float) -> tuple[float, float]:
    """x of n: the number of ones among answers, or a rate times the size that is given, which may be no whole number.

    >>> x_of([1, 0, 0, 0], float("nan")), x_of([0.15], 30)
    ((1.0, 4.0), (4.5, 30.0))
    """
    rate, size = rate_of(values, n)
    answers = np.size(values) > 1 or isnan(n)
    return float(np.sum(np.asarray(values, dtype=float))) if answers else rate * size, size


def checked_rate_of(rate: float, n: float, which: str) -> tuple[float, float]:
    """A rate and its n, if they can be such."""
    name = "rate" if which == "values" else f"{which} rate"
    if not (isfinite(n) and n > 0):
        raise UsageError(f"The {name} needs the size of its test set, at least one instance; found n = {n!r}.")
    if not -_ROUNDING <= rate <= 1 + _ROUNDING:
        raise UsageError(f"A rate lies between 0 and 1; the {'value' if which == 'values' else which} is {rate!r}.")
    return min(max(rate, 0.0), 1.0), n


def count_of(values: ArrayLike, n: float) -> tuple[int, int, str]:
    """How many of n, for tests that count whole answers, and a note if a rounded rate was counted back.

    >>> count_of([1, 0, 0, 0], float("nan")), count_of([0.75], 1000)
    ((1, 4, ''), (750, 1000, ''))
    >>> count_of([0.8533], 150)
    (128, 150, '0.8533 of 150 is counted as 128')
    """
    found, size = x_of(values, n)
    if size != int(size):
        raise UsageError(f"A test set has a whole number of instances; found n = {size!r}.")
    x, rate = round(found), found / size
    if abs(found - x) > _NEAR:
        raise DegenerateError(
            f"This test counts whole answers, and {rate:g} of {size:g} are {found:g}. Give the counts, or use a "
            "procedure that takes rates: wilson, normal-approximation."
        )
    exact = abs(found - x) <= _ROUNDING * size
    return x, int(size), "" if exact else f"{rate:g} of {size:g} is counted as {x}"


def _rates(facts: Layout) -> str | None:
    if facts.level is Level.INSTANCES:
        return None if facts.binary else f"the values of {facts.measure.name} are not 0 or 1 per instance"
    if facts.level is not Level.SINGLE:
        return f"it takes one rate a learner, or answers that are right or wrong; the blocks are {facts.level.value}"
    if isnan(facts.n_test):
        return "the sizes of the test sets are not known: give a column n_test"
    return None


def rates_or_answers() -> Need:
    """Answers that are right or wrong, or rates of them with their number."""
    return Need("answers that are right or wrong (0 or 1), or one rate a learner with the size n_test", _rates)


def is_share(facts: Layout) -> bool:
    """Whether a measure is a share of the test instances."""
    return canonical_name(facts.measure.name) in SHARES


def _share(facts: Layout) -> str | None:
    if facts.level is Level.INSTANCES or is_share(facts):
        return None
    return f"it takes rates over all test instances, as error and accuracy are, and the measure is {facts.measure.name}"


def share_of_instances() -> Need:
    """Only such rates have the variance e(1 − e)/n."""
    return Need("a rate over all test instances: error or accuracy", _share, essential=False)
