"""Calibration: how often a procedure claims a difference where there is none, on the design it is meant for."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.calibration import null_designs as null
from bakeoff.errors import DegenerateError, UsageError
from bakeoff.inference.finding import Row
from bakeoff.judging import analyse
from bakeoff.procedures import explain, procedures
from bakeoff.procedures.card import Answers, Card, NullDesign
from bakeoff.records import Record


@dataclass(frozen=True, slots=True)
class Setting:
    """A procedure on a null design. `claims` says whether the procedure claims its level there."""

    procedure: str
    design_name: str
    design: null.Design
    learners: int
    claims: bool
    options: tuple[tuple[str, Any], ...] = ()
    alike: int = 0  # learners of which nothing may be claimed; 0: all

    @property
    def truth(self) -> float:
        """What the intervals should cover: no difference, or the mean or rate of the one learner."""
        return null.RATE if self.learners == 1 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class SizeAndCoverage(Record):
    """What a simulation found: in how many experiments there was a false claim, and in how many all intervals covered.

    `covered` counts among those that have intervals, `with_intervals`.
    """

    setting: Setting
    replications: int
    alpha: float
    false_claims: int
    with_intervals: int
    covered: int

    @property
    def coverage(self) -> float:
        return self.covered / self.with_intervals if self.with_intervals else nan

    @property
    def size(self) -> float:
        return self.false_claims / self.replications

    @property
    def size_error(self) -> float:
        """The Monte-Carlo standard error of the size."""
        return standard_error(self.false_claims, self.replications)

    @property
    def coverage_error(self) -> float:
        """The Monte-Carlo standard error of the coverage."""
        return standard_error(self.covered, self.with_intervals) if self.with_intervals else nan

    @property
    def too_many(self) -> bool:
        """Whether the size exceeds α by more than four standard errors, which are those of a size of α."""
        return self.size > self.alpha + 4 * sqrt(self.alpha * (1 - self.alpha) / self.replications)


def standard_error(count: int, of: int) -> float:
    """Of a share of `of` experiments; one more of either kind keeps a share of 0 or 1 from looking certain."""
    share = (count + 1) / (of + 2)
    return sqrt(share * (1 - share) / of)


_DESIGNS: dict[NullDesign, null.Design] = {
    NullDesign.ONE_RATE: null.one_rate,
    NullDesign.ONE_MEAN: null.one_mean,
    NullDesign.ONE_MEAN_OF_FOLDS: null.one_mean_of_folds,
    NullDesign.ONE_MEDIAN: null.one_median,
    NullDesign.ANSWERS: null.answers,
    NullDesign.LOSSES: null.losses,
    NullDesign.CLASS_SCORES: null.probabilities,
    NullDesign.TWO_ANSWERS: null.independent_answers,
    NullDesign.TWO_LOSSES: null.independent_losses,
    NullDesign.DRAWS: null.fresh_draws,
    NullDesign.FOLDS: null.cross_validation(1, 10),
    NullDesign.REPEATED_FOLDS: null.cross_validation(10, 10),
    NullDesign.HALVES: null.cross_validation(5, 2),
    NullDesign.RANDOM_HALVES: null.cross_validation(15, 2),
    NullDesign.FIXED_TEST: null.fixed_test_set,
    NullDesign.OWN_RUNS: null.independent_runs,
    NullDesign.MEASURES: null.two_measures,
    NullDesign.TASKS: null.tasks,
    NullDesign.OWN_TASKS: null.independent_tasks,
    NullDesign.TASKS_WITH_HOLES: null.incomplete_tasks,
    NullDesign.RUNS_ON_TASKS: null.tasks_with_folds,
    NullDesign.CROSSED: null.crossed,
    NullDesign.CLUSTERS: null.clustered(20),
    NullDesign.FEW_CLUSTERS: null.clustered(5, 20),
    NullDesign.MANY_CLUSTERS: null.clustered(100, 4, equal=True),
    NullDesign.STRATA: null.strata,
    NullDesign.SERIES: null.series,
    NullDesign.ONE_CLUSTERED: null.clustered(20),
    NullDesign.ONE_STRATIFIED: null.strata,
    NullDesign.ONE_SERIES: null.series,
    NullDesign.CLONES: null.near_clones,
    NullDesign.UNLIKE_LOSSES: null.unlike_losses,
    NullDesign.UNEQUAL_RUNS: null.unequal_runs,
    NullDesign.UNEQUAL_OWN_RUNS: null.unequal_own_runs,
    NullDesign.UNEQUAL_TASKS: null.unequal_tasks,
    NullDesign.POOL: null.pool,
}
# Designs in which some learners are better than others, and how many, the first, are alike: only claims about these
# are false.
_ALIKE = {NullDesign.POOL: 2}


def settings_for(card: Card) -> tuple[Setting, ...]:
    """The null designs of a procedure: first the one that it is meant for, then those that its cautions warn of."""
    return tuple(
        Setting(
            card.name,
            trial.design.value,
            _DESIGNS[trial.design],
            trial.learners,
            trial.holds,
            trial.options,
            _ALIKE.get(trial.design, 0),
        )
        for trial in card.trials
    )


def calibrate(setting: Setting, *, replications: int, seed: int, alpha: float = 0.05) -> SizeAndCoverage:
    """Simulate a procedure under its null hypothesis: the share of experiments in which it claims anything at all."""
    options = dict(setting.options)
    claims = with_intervals = covered = 0
    for child in np.random.SeedSequence(seed).spawn(replications):
        scores = setting.design(np.random.default_rng(child), setting.learners)
        try:
            finding = analyse(scores, setting.procedure, alpha=alpha, anyway=True, **options)
        except DegenerateError:
            continue  # no statistic, no claim
        # Of several tests of all learners, or on several measures, the first is the procedure's own.
        several = explain(setting.procedure).answers is Answers.MULTIVARIATE
        rows = finding.pairs if finding.pairs and not several else finding.rows[:1]
        if setting.alike:
            alike = set(finding.learners[: setting.alike])
            rows = tuple(row for row in rows if {row.first, row.second} <= alike)
        claims += any(_claims(row, alpha, setting.truth) for row in rows)
        intervals = [(row.lower, row.upper) for row in rows if not isnan(row.lower)]
        with_intervals += bool(intervals)
        truth = setting.truth
        covered += bool(intervals) and all(lower <= truth <= upper for lower, upper in intervals)
    return SizeAndCoverage(setting, replications, alpha, claims, with_intervals, covered)


def _claims(row: Row, alpha: float, truth: float) -> bool:
    """Whether a row says what is not true: by its p, a probability of its posterior, or else its interval."""
    if not isnan(row.better):
        return max(row.worse, row.better) >= 1 - alpha
    if not isnan(row.p_adjusted):
        return row.p_adjusted <= alpha
    return not (isnan(row.lower) or row.lower <= truth <= row.upper)


def all_settings() -> tuple[Setting, ...]:
    """What every procedure is meant for, then all else that is tried."""
    own, further = [], []
    for procedure in procedures():
        first, *others = settings_for(procedure.card)
        own.append(first)
        further += others
    return (*own, *further)


# ----------------------------------------------------------------------------------------------------------------------
# How exact a simulated probability is.


def monte_carlo_se(p: ArrayLike, replications: ArrayLike) -> Any:
    """The standard error √(p(1 − p)/R) of a proportion of R independent replications.

    >>> round(float(monte_carlo_se(0.05, 5000)), 4)
    0.0031
    """
    chance, runs = np.asarray(p, dtype=float), np.asarray(replications, dtype=float)
    if not ((chance >= 0) & (chance <= 1)).all():
        raise UsageError(f"A probability lies between 0 and 1; found {p!r}.")
    if not (runs >= 1).all():
        raise UsageError(f"There must be at least one replication; found {replications!r}.")
    return np.sqrt(chance * (1 - chance) / runs)
