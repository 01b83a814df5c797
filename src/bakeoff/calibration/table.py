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
from bakeoff.procedures import explain, procedure_names
from bakeoff.procedures.card import Answers, Card


@dataclass(frozen=True, slots=True)
class Setting:
    """A procedure on a null design. `claims` says whether the procedure claims its level there."""

    procedure: str
    design_name: str
    design: null.Design
    learners: int
    claims: bool
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def truth(self) -> float:
        """What the intervals should cover: no difference, or the mean or rate of the one learner."""
        return null.RATE if self.learners == 1 else 0.0


@dataclass(frozen=True, slots=True)
class SizeAndCoverage:
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


_RUNS = ("10 independent draws of the data", null.fresh_draws)
_FOLDS = ("10-fold cross-validation", null.cross_validation(1, 10))
_REPEATED = ("10×10-fold cross-validation", null.cross_validation(10, 10))
_HALVES = ("5×2-fold cross-validation", null.cross_validation(5, 2))
_TASKS = ("15 tasks", null.tasks)
_RUNS_ON_TASKS = ("10 runs on each of 5 tasks", null.tasks_with_folds)
_ANSWERS = ("200 right or wrong answers", null.answers)
_LOSSES = ("200 losses", null.losses)
_FEW = (("resamples", 1999),)

# The design that each procedure is meant for, the number of learners, and options that it needs.
_MEANT_FOR: dict[str, tuple[tuple[str, null.Design], int, tuple[tuple[str, Any], ...]]] = {
    "wilson": (("200 answers, rate .3", null.one_rate), 1, ()),
    "binomial": (("200 answers, rate .3", null.one_rate), 1, (("p0", null.RATE),)),
    "normal-approximation": (("200 answers, rate .3", null.one_rate), 1, (("p0", null.RATE),)),
    "mean-t": (("10 runs, mean .3", null.one_mean), 1, (("p0", null.RATE),)),
    "mean-z": (("10 runs, mean .3", null.one_mean), 1, (("p0", null.RATE), ("sigma", 0.05))),
    "sign-one": (("15 tasks, median .3", null.one_median), 1, (("constant", null.RATE),)),
    "mcnemar": (_ANSWERS, 2, ()),
    "dunn": (_ANSWERS, 4, ()),
    "cochran-q": (_ANSWERS, 4, ()),
    "delong": (("200 scores, two classes", null.probabilities), 2, ()),
    "two-proportions": (("two test sets of 200", null.independent_answers), 2, ()),
    "paired-t": (_LOSSES, 2, ()),
    "hochberg-tamhane": (_LOSSES, 4, ()),
    "diebold-mariano": (_LOSSES, 2, ()),
    "unpaired-losses": (("two test sets of 200", null.independent_losses), 2, ()),
    "variance-ratio": (("two test sets of 200", null.independent_losses), 2, ()),
    "corrected-t": (_FOLDS, 2, ()),
    "kfold-t": (_FOLDS, 2, ()),
    "calibrated-10x10": (_REPEATED, 2, ()),
    "5x2-f": (_HALVES, 2, ()),
    "5x2-t": (_HALVES, 2, ()),
    "unpaired-t": (("independent runs", null.independent_runs), 2, ()),
    "permutation": (_RUNS, 4, _FEW),
    "closed-testing": (_RUNS, 4, _FEW),
    "paired-permutation": (_RUNS, 2, ()),
    "independent-permutation": (("independent runs", null.independent_runs), 2, ()),
    "rm-anova": (_RUNS, 4, ()),
    "aligned-tukey": (_RUNS, 4, ()),
    "anova": (("independent runs", null.independent_runs), 4, ()),
    "hotelling": (("20 runs, two measures", null.two_measures), 2, ()),
    "manova": (("20 runs, two measures", null.two_measures), 4, ()),
    "wilcoxon": (_TASKS, 2, ()),
    "sign": (_TASKS, 2, ()),
    "win-loss-tie": (_TASKS, 2, ()),
    "friedman": (_TASKS, 4, ()),
    "kruskal-wallis": (("independent tasks", null.independent_tasks), 4, ()),
    "two-way-anova": (_RUNS_ON_TASKS, 4, ()),
    "bayes-correlated-t": (_FOLDS, 2, ()),
    "bayes-sign": (_TASKS, 2, ()),
    "bayes-signed-rank": (_TASKS, 2, (("samples", 5000),)),
    "bayes-hierarchical": (_RUNS_ON_TASKS, 2, (("rho", 0.0),)),
    "quade": (_TASKS, 4, ()),
    "friedman-aligned-ranks": (_TASKS, 4, ()),
    "skillings-mack": (("15 tasks, a fifth of the scores missing", null.incomplete_tasks), 4, ()),
}
# They do not hold their level even there; their cards quote the figures.
NOT_AT_LEVEL = frozenset({"kfold-t"})


def setting_for(card: Card) -> Setting:
    """The design that a procedure is meant for. Probabilities of a posterior claim no level."""
    (name, design), learners, options = _MEANT_FOR[card.name]
    return Setting(card.name, name, design, learners, card.name not in NOT_AT_LEVEL and not card.posterior, options)


def calibrate(setting: Setting, *, replications: int, seed: int, alpha: float = 0.05) -> SizeAndCoverage:
    """Simulate a procedure under its null hypothesis: the share of experiments in which it claims anything at all."""
    options = dict(setting.options)
    claims = with_intervals = covered = 0
    for child in np.random.SeedSequence(seed).spawn(replications):
        scores = setting.design(np.random.default_rng(child), setting.learners)
        try:
            found = analyse(scores, setting.procedure, alpha=alpha, anyway=True, **options)
        except DegenerateError:
            continue  # no statistic, no claim
        # Of several tests of all learners, or on several measures, the first is the procedure's own.
        several = explain(setting.procedure).answers is Answers.MULTIVARIATE
        rows = found.pairs if found.pairs and not several else found.rows[:1]
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


def further_settings() -> tuple[Setting, ...]:
    """What cautions warn of: procedures on designs that they are not meant for."""
    return (
        Setting("kfold-t", *_REPEATED, 2, claims=False),
        Setting("corrected-t", *_REPEATED, 2, claims=True),
        Setting("permutation", *_REPEATED, 2, False, _FEW),
        Setting("kfold-t", "30 random halves", null.cross_validation(15, 2), 2, claims=False),
        Setting("permutation", "50 draws, one fixed test set", null.fixed_test_set, 2, False, _FEW),
    )


def all_settings() -> tuple[Setting, ...]:
    return tuple(setting_for(explain(name)) for name in procedure_names()) + further_settings()


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
