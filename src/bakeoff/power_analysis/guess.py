"""A guess of what an experiment will be like: how scores vary, how large a difference is, and how it is tested."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import check_alpha
from bakeoff.procedures.card import Card

PATTERNS = ("one", "spaced")
FINDS = ("pair", "any", "all", "global")


@dataclass(frozen=True, eq=False)
class Guess:
    """What is taken for granted when power is computed.

    sd            of the differences of two learners from block to block; of the values of one learner, where learners
                  do not share blocks or there is only one
    correlation   of the differences in two folds of the same data, or of two instances of a cluster; None: what the
                  design implies
    cluster_size  instances in a cluster, on average; `cluster_spread` is the coefficient of variation of that
    folds         of cross-validation, if blocks are folds
    error         the error rate of the worse learner, or the rate tested against
    discordant    the share of instances on which exactly one of two learners is right
    learners      how many are compared; their pairs share α
    pattern       "one": the first is better than all the others by the difference; "spaced": they lie at equal
                  distances, the best better than the worst by the difference
    find          what counts as found: the difference of the "pair" of the best and the worst learner, "any" true
                  difference, "all" of them, or that not all learners are alike ("global")
    residuals     of a pilot, a row a block: noise is then drawn from them instead of the normal law
    auc           the smaller area under the ROC curve; `positives` is the share of the positive class, and
                  `correlation` that of the scores of two learners within a class
    measures      how many are compared at once
    absent        the share of scores that will be missing
    ratio         of test to training size, where blocks are splits of one data set; None: what the folds imply
    """

    sd: float = 1.0
    correlation: float | None = None
    folds: int | None = None
    cluster_size: float | None = None
    cluster_spread: float = 0.0
    error: float | None = None
    discordant: float | None = None
    learners: int = 2
    pattern: str = "one"
    find: str = "pair"
    alpha: float = 0.05
    sides: int = 2
    residuals: NDArray[np.float64] | None = None
    auc: float | None = None
    positives: float = 0.5
    measures: int = 2
    absent: float | None = None
    ratio: float | None = None

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        choice(self.pattern, PATTERNS, "pattern of differences")
        choice(self.find, FINDS, "kind of finding")
        if self.sides not in (1, 2):
            raise UsageError(f"A test has one or two sides; found {self.sides!r}.")
        if not (isfinite(self.sd) and self.sd > 0):
            raise UsageError(f"sd, the spread of the differences, is a positive number; found {self.sd!r}.")
        if self.correlation is not None and not 0 <= self.correlation < 1:
            raise UsageError(
                "The correlation between folds, scores or instances of a cluster is at least 0 and less than 1; found "
                f"{self.correlation}."
            )
        if self.ratio is not None and not (isfinite(self.ratio) and self.ratio > 0):
            raise UsageError(f"The ratio of test to training size is a positive number; found {self.ratio!r}.")
        _whole(self.learners, "The number of learners", 1)
        if self.folds is not None:
            _whole(self.folds, "The number of folds", 2)
        if self.cluster_size is not None and not (isfinite(self.cluster_size) and self.cluster_size >= 1):
            raise UsageError(f"A cluster holds one instance at least, on average; found {self.cluster_size!r}.")
        _whole(self.measures, "The number of measures", 1)
        if self.auc is not None and not 0.5 <= self.auc < 1:
            raise UsageError(f"The smaller area under the ROC curve is at least 0.5 and below 1; found {self.auc!r}.")
        for name, rate in (
            ("The error rate", self.error),
            ("The share of discordant instances", self.discordant),
            ("The share of positives", self.positives),
            ("The share of scores that will be missing", self.absent),
        ):
            if rate is not None and not 0 < rate < 1:
                raise UsageError(f"{name} lies strictly between 0 and 1; found {rate!r}.")

    @property
    def pairs(self) -> int:
        """How many pairs of learners there are, one at least."""
        return max(1, self.learners * (self.learners - 1) // 2)

    @property
    def share(self) -> float:
        """What is left of α for each pair, if all of them are tested (Bonferroni)."""
        return self.alpha / self.pairs

    def better_by(self, difference: float) -> NDArray[np.float64]:
        """How much better each learner is than the last, the best first.

        >>> Guess(learners=3).better_by(0.1).tolist(), Guess(learners=3, pattern="spaced").better_by(0.1).tolist()
        ([0.1, 0.0, 0.0], [0.1, 0.05, 0.0])
        """
        if self.pattern == "spaced" and self.learners > 1:
            return np.linspace(difference, 0.0, self.learners)
        return np.array([difference] + [0.0] * (self.learners - 1))


def _whole(value: Any, name: str, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise UsageError(f"{name} is a whole number, {least} at least; found {value!r}.")


# ----------------------------------------------------------------------------------------------------------------------
# What a difference is said in, test by test: most in the unit of the sd, some on a scale of their own.


# How a difference in error rates is said, which needs no sd to tell whether it is large.
OF_RATES = "compares error rates: say the difference as a rate, e.g. 0.02"


def own_scale(card: Card) -> str:
    """How a difference is said that needs no sd to tell whether it is large; empty where it needs one."""
    return card.difference_scale or (OF_RATES if card.binary else "")


# Where the search for the smallest difference begins.
FIRST_STEP = 0.01
