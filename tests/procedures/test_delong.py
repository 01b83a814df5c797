"""DeLong's test: the definition by all pairs, pROC's values, ties, and the path from a file of predictions."""

from __future__ import annotations

from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import advise, analyse, judge
from bakeoff.mathematics.auc import auc
from bakeoff.procedures.delong import delong
from bakeoff.scores import read_scores

TRUTH = np.arange(40) % 2.0
RNG = np.random.default_rng(5)
FIRST = np.round(RNG.random(40) + 0.5 * TRUTH, 1)
SECOND = np.round(RNG.random(40) + 0.2 * TRUTH, 1)


def by_all_pairs(truth: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """The difference and its standard error as DeLong, DeLong and Clarke-Pearson write them."""
    psi = [
        (s[truth == 1][:, None] > s[truth == 0]) + 0.5 * (s[truth == 1][:, None] == s[truth == 0])
        for s in (first, second)
    ]
    v10, v01 = [p.mean(axis=1) for p in psi], [p.mean(axis=0) for p in psi]
    cov = np.cov(v10) / len(v10[0]) + np.cov(v01) / len(v01[0])
    contrast = np.array([1.0, -1.0])
    return psi[0].mean() - psi[1].mean(), float(np.sqrt(contrast @ cov @ contrast))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_definition(alternative: str) -> None:
    difference, se = by_all_pairs(TRUTH, FIRST, SECOND)
    found = delong(TRUTH, FIRST, SECOND, alternative=alternative)
    z = difference / se
    p = {"greater": stats.norm.sf(z), "less": stats.norm.cdf(z), "two-sided": 2 * stats.norm.sf(abs(z))}[alternative]
    assert (found.estimate, found.statistic, found.p) == pytest.approx((difference, z, p))
    if alternative == "two-sided":
        assert found.upper - found.lower == pytest.approx(2 * stats.norm.ppf(0.975) * se)
    else:
        assert (found.lower, found.upper).count(inf if alternative == "greater" else -inf) == 1


@given(seed=st.integers(0, 2**32), n=st.integers(4, 30), levels=st.integers(1, 5))
def test_ties_and_few_instances(seed: int, n: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) < rng.integers(2, n - 1)).astype(float)  # two of each class at least
    a, b = rng.integers(0, levels, (2, n)).astype(float)
    difference, se = by_all_pairs(truth, a, b)
    assume(se > 1e-9 or abs(difference) < 1e-12)
    found = delong(truth, a, b)
    assert 0 <= found.p <= 1
    assert (found.p <= 0.05) == (not found.lower <= 0 <= found.upper)
    back = delong(truth, b, a)
    assert (found.estimate, found.p) == pytest.approx((-back.estimate, back.p))


def test_the_same_order_is_no_difference() -> None:
    for other in (FIRST, FIRST * 3 + 1, np.exp(FIRST)):
        found = delong(TRUTH, FIRST, other)
        assert (found.statistic, found.p, found.lower, found.upper) == (0, 1, 0, 0)


def test_constant_scores() -> None:
    assert delong(TRUTH, np.ones(40), np.ones(40)).p == 1
    found = delong(TRUTH, FIRST, np.ones(40))
    assert found.details["auc_second"] == 0.5
    assert found.estimate == pytest.approx(auc(TRUTH, FIRST) - 0.5)


def test_what_has_no_variance() -> None:
    with pytest.raises(DegenerateError, match="its variance is zero"):
        delong(TRUTH, TRUTH, -TRUTH)
    with pytest.raises(DegenerateError, match="at least two instances of each class; found 1 positive and 2 negative"):
        delong([1, 0, 0], [0.2, 0.1, 0.3], [0.1, 0.2, 0.3])
    with pytest.raises(DegenerateError, match="instances of both classes"):
        delong([1, 1], [0.2, 0.1], [0.1, 0.2])


def test_bad_arguments() -> None:
    with pytest.raises(UsageError, match="equally long"):
        delong([0, 1], [0.1, 0.2], [0.1])
    with pytest.raises(UsageError, match="must be 0 or 1"):
        delong([0, 3], [0.1, 0.2], [0.1, 0.2])


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.csv"
    rows = [f"{int(t)},{a:.3f},{b:.3f},{1 - a:.3f}" for t, a, b in zip(TRUTH, FIRST / 2, SECOND / 2, strict=True)]
    path.write_text("\n".join(["truth,good,fair,bad", *rows]) + "\n")
    return path


def test_from_a_file_of_probabilities(predictions: Path) -> None:
    scores = read_scores(predictions)
    assert "delong" in [candidate.procedure for candidate in advise(scores).fitting]
    found = analyse(scores, "delong", adjust="none")
    assert found.measure.name == "auc"
    assert found.position_name == "auc"
    expected = {"good": auc(TRUTH, FIRST), "fair": auc(TRUTH, SECOND), "bad": 1 - auc(TRUTH, FIRST)}
    assert dict(found.position) == pytest.approx(expected)
    rows = {(row.first, row.second): row for row in found.pairs}
    assert rows["good", "fair"].estimate == pytest.approx(delong(TRUTH, FIRST, SECOND).estimate)
    assert set(rows) == {("good", "fair"), ("good", "bad"), ("fair", "bad")}  # the larger AUC comes first


def test_the_verdict_shows_aucs(predictions: Path) -> None:
    verdict = judge(read_scores(predictions), "delong")
    assert verdict.means["good"] == pytest.approx(auc(TRUTH, FIRST))
    assert verdict.learner_table()[0] == ["learner", "auc"]
    assert verdict.ranking == ("good", "fair", "bad")
    assert "best auc" in verdict.paragraph


def test_larger_aucs_are_better_though_the_losses_are_not(predictions: Path) -> None:
    one = analyse(read_scores(predictions), "delong", alternative="better", control="bad", adjust="none").pairs
    assert all(row.p < 0.5 for row in one)


def test_groups_are_not_averaged(predictions: Path) -> None:
    with pytest.raises(UsageError, match="no use for averages of their predictions"):
        analyse(read_scores(predictions), "delong", contrast="good + fair vs bad")


def test_losses_without_predictions_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "losses.csv"
    path.write_text("instance,a,b\n1,0.2,0.1\n2,0.3,0.4\n3,0.5,0.1\n")
    scores = read_scores(path, measure="log_loss", rows="instances", shape="wide")
    with pytest.raises(MisfitError, match="read a table of predictions"):
        analyse(scores, "delong")


def test_size() -> None:
    rng, runs = np.random.default_rng(6), 1500
    truth = np.arange(60) % 2.0
    p = [delong(truth, *(rng.standard_normal((2, 60)) + truth)).p for _ in range(runs)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.02)
