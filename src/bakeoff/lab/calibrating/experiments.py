"""Experiments: many simulated ones of the same design, without a difference between two learners and with one."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.measures import Measure
from bakeoff.presentation import percent
from bakeoff.scores import Scores

Array = NDArray[np.float64]

# All experiments are held in memory, eight bytes a value.
MOST_VALUES = 2**26
# The default difference is one that a test would find with this power if it knew how much chance there is.
_POWER = 0.8
# Why every test over draws is liberal where an experiment has one test sample, which a table of sizes does not tell.
ONE_TEST_SAMPLE = (
    "All draws of an experiment are tested on one test sample. It may favour a learner by chance, and does so in every "
    "draw: the tests speak about that test sample, and the sizes here are about the learners. Fresh test samples, or "
    "a much larger one, make up for it; another test does not."
)


@dataclass(frozen=True, eq=False)
class RowByRow:
    """The same experiments row by row, where each row is tested on once: experiments × rows × 2 learners.

    `scores` is one of them as a table. The rows of a fold were predicted by the fit of that fold, so that procedures
    that read rows take answers of several fits for those of one: see `MANY_FITS`.
    """

    scores: Scores
    null: Array
    different: Array


MANY_FITS = (
    "it takes all answers for those of one fitted model on independent rows, and here each fold has a model of its own"
)


@dataclass(frozen=True, eq=False)
class Experiments:
    """`null` and `different` are experiments × blocks × 2 learners.

    The second learner is worse by `delta` in `different`, and by nothing in `null`. `scores` is one of the experiments
    as a table: its layout decides which procedures fit. `how` says in a sentence how they were made, `difference` where
    delta comes from, `breaks_dependence` that blocks were made independent which are not in earnest. `answers` are
    those on single rows, for procedures that read them.
    """

    scores: Scores
    null: Array
    different: Array
    delta: float
    how: str
    difference: str
    notes: tuple[str, ...] = ()
    breaks_dependence: bool = False
    answers: RowByRow | None = None

    @property
    def replications(self) -> int:
        return len(self.null)


def checked_replications(replications: Any) -> int:
    """At least twenty: a share among fewer says nothing about five per cent."""
    if isinstance(replications, bool) or not isinstance(replications, Integral) or replications < 20:
        raise UsageError(f"The number of replications is a whole number of at least 20; found {replications!r}.")
    return int(replications)


def checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise UsageError(f"The seed is a whole number that is not negative; found {seed!r}.")
    return int(seed)


def fits_memory(replications: int, blocks: int) -> bool:
    """Whether so many values are held in memory at once."""
    return 2 * replications * blocks <= MOST_VALUES


def check_memory(replications: int, blocks: int) -> None:
    """Refuse more values than fit into memory with some to spare."""
    if not fits_memory(replications, blocks):
        raise UsageError(
            f"{replications:,} replications of {blocks:,} blocks are more than the {MOST_VALUES:,} values that are "
            f"held in memory at once. At most {max(MOST_VALUES // (2 * blocks), 1):,} replications fit."
        )


def difference_of(null: Array, delta: float | None, alpha: float) -> tuple[float, str]:
    """The difference that power is measured at, and where it comes from.

    If the user gives none, it is (z₁₋α/₂ + z.₈) standard deviations of the mean difference between the learners over
    the experiments: a test that knew this standard deviation would find it with a probability of 80 %. Powers can then
    be compared at a glance, whatever the measure and however many blocks there are.
    """
    if delta is not None:
        if isinstance(delta, bool) or not isinstance(delta, Real) or not isfinite(delta) or delta <= 0:
            raise UsageError(f"delta, the difference to be found, must be a positive number; found {delta!r}.")
        return float(delta), "as asked for"
    spread = float((null[:, :, 0] - null[:, :, 1]).mean(axis=1).std(ddof=1))
    if not spread > 0:
        raise DegenerateError(
            "The two learners have the same mean in every simulated experiment: there is no chance here that a "
            "procedure could be calibrated against. Use learners that differ, or a finer measure."
        )
    found = (normal_quantile(1 - alpha / 2) + normal_quantile(_POWER)) * spread
    return (
        found,
        f"which a test that knew the spread of the mean difference would find with a power of {percent(_POWER)}",
    )


def with_difference(null: Array, delta: float, measure: Measure, seed: int) -> Array:
    """The same experiments with a second learner that is worse by delta, or better if that is negative.

    Scores are shifted. Right and wrong answers cannot be: so many right ones are made wrong at random that their mean
    is worse by delta (or wrong ones right).

    >>> from bakeoff.measures import known_measure
    >>> with_difference(np.zeros((1, 1, 2)) + 0.5, 0.1, known_measure("error"), 1).tolist()
    [[[0.5, 0.6]]]
    """
    made = null.copy()
    second = made[:, :, 1]
    if not np.isin(null, (0.0, 1.0)).all():
        second += -measure.sign * delta
        return made
    before, after = (1.0, 0.0) if measure.larger_is_better == (delta >= 0) else (0.0, 1.0)
    room = float((second == before).mean())
    if abs(delta) >= room:
        what = "right" if delta >= 0 else "wrong"
        raise UsageError(
            f"delta = {delta:g} is more than there is to lose: the second learner is {what} in {room:.1%} of its "
            "answers. Give a smaller difference."
        )
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    second[(second == before) & (rng.random(second.shape) < abs(delta) / room)] = after
    return made
