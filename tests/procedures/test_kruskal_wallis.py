"""Kruskal and Wallis's test: scipy's values, Tukey on ranks, bad input."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.inference.contrasts import all_pairs
from bakeoff.inference.evidence import compare_estimates
from bakeoff.judging import analyse
from bakeoff.mathematics.checks import midranks
from bakeoff.measures import known_measure
from bakeoff.procedures.anova import anova
from bakeoff.procedures.rank_tables import kruskal_wallis
from bakeoff.scores import Scores, unpaired


@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=5), seed=st.integers(0, 10**6), ties=st.booleans())
def test_h_is_that_of_scipy(sizes: list[int], seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    samples = [rng.integers(0, 4, n).astype(float) if ties else rng.normal(size=n) for n in [*sizes, 3]]
    assume(len(set(np.concatenate(samples))) > 1)
    found, expected = kruskal_wallis(samples, method="asymptotic").tests[0], stats.kruskal(*samples)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-8)


def test_two_samples_are_the_exact_rank_sum_test() -> None:
    a, b = [1.1, 2.2, 3.7, 9.0], [4.1, 5.3, 6.6, 7.2, 8.8]
    expected = stats.mannwhitneyu(a, b, method="exact").pvalue
    assert kruskal_wallis([a, b]).tests[0].p == pytest.approx(expected, rel=1e-12)


def test_method() -> None:
    rng = np.random.default_rng(1)
    small, large = list(rng.normal(size=(3, 3))), list(rng.normal(size=(3, 30)))
    assert kruskal_wallis(small).tests[0].note.startswith("exact")
    assert kruskal_wallis(small, method="asymptotic").tests[0].note == ""
    assert kruskal_wallis(large).tests[0].note == ""
    assert "too many ways" in kruskal_wallis(large, method="exact").tests[0].note


def test_pairs_are_tukey_on_the_ranks() -> None:
    rng = np.random.default_rng(2)
    samples = [rng.normal(size=n) for n in (6, 6, 6)]
    ranks = np.split(midranks(np.concatenate(samples)), 3)
    expected = stats.tukey_hsd(*ranks)
    estimates = kruskal_wallis(samples).estimates
    assert estimates is not None
    rows = compare_estimates(estimates, all_pairs(range(3)), "single-step", 0.05, "two-sided")
    assert [row.p_adjusted for row in rows] == pytest.approx(expected.pvalue[np.triu_indices(3, 1)], abs=1e-6)
    assert estimates.df == anova(ranks).tests[0].df[1] == 15


def test_only_ranks_matter() -> None:
    rng = np.random.default_rng(3)
    samples = [rng.random(5) for _ in range(3)]
    assert kruskal_wallis(samples).tests == kruskal_wallis([np.exp(9 * sample) for sample in samples]).tests


def test_rounding_error_breaks_no_tie() -> None:
    found = kruskal_wallis([[0.1 + 0.2, 0.5], [0.3, 0.7], [0.3, 0.9]])
    assert found.tests == kruskal_wallis([[0.3, 0.5], [0.3, 0.7], [0.3, 0.9]]).tests


def test_all_the_same() -> None:
    found = kruskal_wallis([[0.3, 0.3], [0.3, 0.3]]).tests[0]
    assert (found.statistic, found.p) == (0.0, 1.0)


@pytest.mark.parametrize("samples", [[[1, 2]], [[1, 2], []], [[1, 2], [nan]], [["a"], ["b"]]])
def test_bad_samples_are_refused(samples: Any) -> None:
    with pytest.raises(UsageError):
        kruskal_wallis(samples)
    with pytest.raises(UsageError, match="no method 'best'"):
        kruskal_wallis([[1, 2], [3, 4]], method="best")


@pytest.mark.parametrize("measure", ["error", "accuracy"])
def test_rank_one_is_best_through_a_table_of_scores(measure: str) -> None:
    known = known_measure(measure)
    assert known is not None
    values = np.arange(12.0) / 20
    learner = ["a"] * 4 + ["b"] * 4 + ["c"] * 4
    scores = Scores.of(values, learner=learner, fold=[str(i) for i in range(12)], measures={measure: known})
    found = analyse(unpaired(scores), "kruskal-wallis")
    best = "a" if measure == "error" else "c"
    assert found.pairs[0].first == best
    assert found.position[best] == 2.5
