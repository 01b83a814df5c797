"""pass@k, interquartile means and probabilities of improvement: definitions, rliable's values, resampling by loops."""

from __future__ import annotations

from itertools import combinations
from math import inf

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.run_aggregates import (
    aggregates,
    improvement,
    interquartile_mean,
    interquartile_means,
    pass_at_k,
    probability_of_improvement,
)

# Runs × tasks.
X = np.array(
    [
        [0.61, 0.2, 1.4, 0.05],
        [0.66, 0.35, 1.1, 0.1],
        [0.58, 0.3, 1.9, 0.0],
        [0.7, 0.25, 1.3, 0.2],
        [0.64, 0.41, 1.6, 0.1],
    ]
)
Y = np.array([[0.55, 0.28, 1.2, 0.1], [0.6, 0.3, 1.5, 0.3], [0.62, 0.22, 1.0, 0.2], [0.5, 0.35, 1.35, 0.05]])


# --- pass@k -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 4, 7])
def test_pass_at_k_counts_the_samples_that_hold_a_right_answer(n: int) -> None:
    for c in range(n + 1):
        answers = [1] * c + [0] * (n - c)
        for k in range(1, n + 1):
            share = np.mean([any(sample) for sample in combinations(answers, k)])
            assert pass_at_k([c], n, k)[0] == pytest.approx(share)


def test_pass_at_k_of_many_answers_and_unequal_numbers() -> None:
    found = pass_at_k([3, 0, 200], [200, 100, 200], 100)
    chance = 1 - stats.hypergeom.pmf(0, 200, 3, 100)
    assert found == pytest.approx([chance, 0.0, 1.0])
    assert pass_at_k([1, 2], [10, 20], 1) == pytest.approx([0.1, 0.1])


def test_pass_at_k_is_unbiased() -> None:
    rng = np.random.default_rng(1)
    c = rng.binomial(10, 0.2, 40_000)
    assert pass_at_k(c, 10, 3).mean() == pytest.approx(1 - 0.8**3, abs=0.005)


def test_pass_at_k_refuses() -> None:
    with pytest.raises(UsageError, match="found 6 of 5 at position 2"):
        pass_at_k([1, 6], 5, 1)
    with pytest.raises(UsageError, match="at least 3; found k = 4"):
        pass_at_k([1, 2], [5, 3], 4)
    with pytest.raises(UsageError, match="found k = 0"):
        pass_at_k([1], 5, 0)
    with pytest.raises(UsageError, match=r"found 0\.5 of 5"):
        pass_at_k([0.5], 5, 1)
    with pytest.raises(UsageError, match="finite number; found nan"):
        pass_at_k([np.nan], 5, 1)


# --- interquartile means ----------------------------------------------------------------------------------------------


def test_rliable_says_the_same() -> None:
    """rliable 1.2.0: metrics.aggregate_iqm(X), of Y, and metrics.probability_of_improvement(X, Y)."""
    assert interquartile_mean(X.ravel()) == pytest.approx(0.47)
    assert interquartile_mean(Y.ravel()) == pytest.approx(0.4375)
    assert probability_of_improvement(list(X.T), list(Y.T)) == pytest.approx(0.6)


@pytest.mark.parametrize("n", range(1, 14))
def test_the_middle_half_is_that_of_scipy(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n)
    assert interquartile_mean(values) == pytest.approx(stats.trim_mean(values, 0.25))


def test_runs_are_resampled_within_their_task() -> None:
    rng = np.random.default_rng(2)
    resampled = np.hstack([rng.choice(task, (8_000, len(task))) for task in X.T])
    slow = stats.trim_mean(resampled, 0.25, axis=1)
    found = interquartile_means(list(X.T), seed=1)
    assert found.estimate == pytest.approx(0.47)
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(slow, [0.025, 0.975])), abs=0.008)
    assert found.resamples == 9_999
    assert found == interquartile_means(list(X.T), seed=1)


def test_differences_of_two_learners() -> None:
    found = interquartile_means(list(X.T), list(Y.T), seed=1)
    assert found.estimate == pytest.approx(0.47 - 0.4375)
    alone = [interquartile_means(list(one.T), seed=1) for one in (X, Y)]
    wide = alone[0].upper - alone[0].lower + alone[1].upper - alone[1].lower
    assert max(one.upper - one.lower for one in alone) < found.upper - found.lower < wide
    above = interquartile_means(list(X.T), list(Y.T), alternative="greater")
    assert above.upper == inf
    assert found.lower < above.lower < found.estimate


def test_tasks_of_one_run_have_no_spread() -> None:
    found = interquartile_means([[0.1], [0.5], [0.9]], resamples=99)
    assert (found.lower, found.estimate, found.upper) == pytest.approx((0.5, 0.5, 0.5))


def test_tasks_may_have_unequal_numbers_of_runs() -> None:
    found = interquartile_means([[0.1, 0.2, 0.3, 0.4], [5.0], [7.0, 8.0]], resamples=499)
    assert found.estimate == pytest.approx(stats.trim_mean([0.1, 0.2, 0.3, 0.4, 5.0, 7.0, 8.0], 0.25))


# --- probability of improvement ---------------------------------------------------------------------------------------


def test_improvement_is_mann_and_whitneys() -> None:
    wanted = [stats.mannwhitneyu(x, y).statistic / 20 for x, y in zip(X.T, Y.T, strict=True)]
    assert probability_of_improvement(list(X.T), list(Y.T)) == pytest.approx(np.mean(wanted))
    assert probability_of_improvement(list(X.T), list(X.T)) == 0.5


def test_improvement_by_resampling_runs() -> None:
    rng, slow = np.random.default_rng(2), []
    for _ in range(1_500):
        x, y = ([rng.choice(task, len(task)) for task in side.T] for side in (X, Y))
        slow.append(probability_of_improvement(x, y))
    found = improvement(list(X.T), list(Y.T), seed=3)
    assert found.estimate == pytest.approx(0.6)
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(slow, [0.025, 0.975])), abs=0.025)
    below = improvement(list(X.T), list(Y.T), alternative="less")
    assert below.lower == 0.0
    assert below.upper < found.upper


def test_a_learner_that_is_always_above() -> None:
    found = improvement([[2, 3], [5, 6, 7]], [[1, 1], [4]], resamples=199)
    assert (found.lower, found.estimate, found.upper) == (1.0, 1.0, 1.0)


def test_refusals() -> None:
    with pytest.raises(UsageError, match="found 4 and 1 tasks"):
        improvement(list(X.T), [[1.0]])
    with pytest.raises(UsageError, match="'first' must have at least one task"):
        interquartile_means([])
    with pytest.raises(UsageError, match="Every value of 'second, task 2' must be a finite number; found nan"):
        improvement([[1.0], [2.0]], [[1.0], [np.nan]])
    with pytest.raises(UsageError, match="10 resamples are too few"):
        interquartile_means([[1.0, 2.0]], resamples=10)
    with pytest.raises(UsageError, match="confidence level"):
        interquartile_means([[1.0, 2.0]], confidence=1.0)


def test_intervals_cover() -> None:
    """Ten tasks, ten runs: 95 % intervals of the interquartile mean of normal scores cover in some 93 %."""
    rng, covered = np.random.default_rng(5), 0
    places = np.linspace(0, 1, 10)
    truth = interquartile_mean((places + rng.normal(0, 0.2, (20_000, 10))).ravel())
    for seed in range(300):
        runs = places + rng.normal(0, 0.2, (10, 10))
        found = interquartile_means(list(runs.T), resamples=399, seed=seed)
        covered += found.lower <= truth <= found.upper
    assert covered / 300 > 0.87


# ----------------------------------------------------------------------------------------------------------------------
# Aggregates of runs × tasks; values of rliable are among the oracles.


@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (10, 7), (5, 26)])
def test_summaries_of_runs(shape: tuple[int, int]) -> None:
    scores = np.random.default_rng(1).gamma(2, 0.5, shape)
    found = aggregates(scores, gamma=0.8)
    assert found.iqm == pytest.approx(stats.trim_mean(scores, 0.25, axis=None))
    assert found.median == pytest.approx(np.median(scores.mean(axis=0)))
    assert found.optimality_gap == pytest.approx(np.maximum(0.8 - scores, 0).mean())


def test_an_outlying_run_moves_the_mean_and_not_the_interquartile_mean() -> None:
    scores = np.tile([[0.4], [0.5], [0.5], [0.6], [0.5], [0.5], [0.5], [0.5]], 2)
    wild = scores.copy()
    wild[3, 0] = 60.0
    assert aggregates(wild).iqm == aggregates(scores).iqm == 0.5
    assert aggregates(wild).mean > 4


def test_refusals_of_summaries() -> None:
    with pytest.raises(UsageError, match="finite number"):
        aggregates([[0.1, float("nan")]])
    with pytest.raises(UsageError, match="γ"):
        aggregates([[0.1]], gamma=float("inf"))
