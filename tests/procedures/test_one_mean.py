"""The t interval and test of one learner's mean: scipy, R, and what does not exist."""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.one_mean import TEN_ERRORS, from_summary, mean_t, mean_z
from bakeoff.scores import Scores


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_scipy(alternative: str, confidence: float) -> None:
    ours = mean_t(TEN_ERRORS, p0=0.19, alternative=alternative, confidence=confidence)
    theirs = stats.ttest_1samp(TEN_ERRORS, 0.19, alternative=alternative)
    bounds = theirs.confidence_interval(confidence)
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)
    assert (ours.lower, ours.upper) == pytest.approx((bounds.low, bounds.high), rel=1e-12)


def test_without_a_value_there_is_an_interval_and_no_test() -> None:
    found = mean_t(TEN_ERRORS)
    assert isnan(found.p)
    assert found.statistic_name == ""
    assert found.lower < found.estimate < found.upper


def test_two_values_are_enough_and_one_is_not() -> None:
    assert mean_t([0.1, 0.3]).upper == pytest.approx(1.47062047361747, rel=1e-12)
    with pytest.raises(UsageError, match="at least two values"):
        mean_t([0.1])


@pytest.mark.parametrize("values", [[0.25] * 5, [0.0] * 3, [0.1 + 0.2, 0.3, 0.3]])
def test_constant_values_are_refused_as_in_r(values: list[float]) -> None:
    with pytest.raises(DegenerateError, match="standard error is zero"):
        mean_t(values, p0=0.25)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_any_unit(factor: float) -> None:
    found = mean_t(np.array(TEN_ERRORS) * factor, p0=0.18 * factor)
    assert found.statistic == pytest.approx(mean_t(TEN_ERRORS, p0=0.18).statistic, rel=1e-9)


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"p0": inf}, "p0, the value tested against, must be a finite number"),
        ({"confidence": 1.0}, "strictly between 0 and 1"),
        ({"alternative": "bigger"}, "alternative must be one of"),
    ],
)
def test_bad_arguments(bad: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        mean_t(TEN_ERRORS, **bad)  # type: ignore[arg-type]


def test_nan_is_refused() -> None:
    with pytest.raises(UsageError, match="found nan at position 2"):
        mean_t([0.1, float("nan")])


def test_one_learner_without_spread_does_not_hide_the_others() -> None:
    """A perfect learner has no standard error; the row says so, and the others have theirs."""
    measure = known_measure("accuracy")
    assert measure is not None
    learners, folds = ["good", "perfect"] * 4, [f for f in "1234" for _ in range(2)]
    values = [0.8, 1.0, 0.9, 1.0, 0.7, 1.0, 0.85, 1.0]
    scores = Scores.of(values, learner=learners, fold=folds, measures={"accuracy": measure})
    rows = {row.first: row for row in analyse(scores, "mean-t").rows}
    assert rows["perfect"].note.startswith("refused: The value is 1 in every one of 4 blocks")
    assert rows["good"].lower < 0.8125 < rows["good"].upper


# ----------------------------------------------------------------------------------------------------------------------
# The z interval and test of one learner's mean, for a known standard deviation.


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_normal_law(confidence: float) -> None:
    found = mean_z(TEN_ERRORS, sigma=0.02, confidence=confidence)
    expected = stats.norm.interval(confidence, loc=0.195, scale=0.02 / sqrt(10))
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-12)
    assert isnan(found.p)


def test_sides() -> None:
    less, greater = (mean_z(TEN_ERRORS, sigma=0.02, p0=0.185, alternative=side) for side in ("less", "greater"))
    assert less.p == pytest.approx(0.943076850996671, rel=1e-10)
    assert less.p + greater.p == pytest.approx(1)
    assert (less.lower, greater.upper) == (-inf, inf)
    assert less.upper == pytest.approx(0.205402967757511, rel=1e-10)


def test_one_value_is_enough() -> None:
    assert mean_z([0.2], sigma=0.1).estimate == 0.2


@pytest.mark.parametrize("sigma", [0.0, -1.0, nan, inf])
def test_sigma_is_a_positive_number(sigma: float) -> None:
    with pytest.raises(UsageError, match="must be a positive number"):
        mean_z(TEN_ERRORS, sigma=sigma)


def test_sigma_is_required() -> None:
    with pytest.raises(UsageError, match="use mean-t"):
        mean_z(TEN_ERRORS)


def test_coverage_with_an_estimated_sigma_is_as_the_card_says() -> None:
    """For normal values, (m − μ)/(s/√n) has Student's law, so the coverage is exact."""
    for n, covered in ((5, 0.88), (10, 0.92)):
        assert 1 - 2 * stats.t.sf(stats.norm.ppf(0.975), n - 1) == pytest.approx(covered, abs=0.005)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_summary_is_enough(alternative: str) -> None:
    of_values = mean_t(TEN_ERRORS, p0=0.18, alternative=alternative, confidence=0.9)
    mean, sd = float(np.mean(TEN_ERRORS)), float(np.std(TEN_ERRORS, ddof=1))
    found = from_summary(mean, sd, 10, p0=0.18, alternative=alternative, confidence=0.9)
    for name in ("estimate", "lower", "upper", "statistic", "p", "df"):
        assert getattr(found, name) == pytest.approx(getattr(of_values, name), rel=1e-12)


@pytest.mark.parametrize(
    "summary", [(0.2, 0.01, 1), (0.2, 0.0, 5), (0.2, -1.0, 5), (float("nan"), 0.1, 5), (1, 1, 2.5)]
)
def test_a_summary_that_is_none(summary: tuple[float, float, int]) -> None:
    with pytest.raises(UsageError):
        from_summary(*summary)
