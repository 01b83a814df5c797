"""Two rates on independent test sets: R, Newcombe's printed intervals, the slides, and the path from a file."""

from __future__ import annotations

from math import inf, nan, sqrt
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import advise, analyse, judge
from bakeoff.procedures.rates import compute, two_proportions
from bakeoff.scores import read_scores, unpaired

SIDES = ("two-sided", "greater", "less")

# Newcombe (1998), Table II, method 10: a/m, b/n, lower, upper
NEWCOMBE = [
    (56, 70, 48, 80, 0.0524, 0.3339),
    (9, 10, 3, 10, 0.1705, 0.8090),
    (6, 7, 2, 7, 0.0582, 0.8062),
    (5, 56, 0, 29, -0.0381, 0.1926),
    (0, 10, 0, 20, -0.1611, 0.2775),
    (0, 10, 0, 10, -0.2775, 0.2775),
    (10, 10, 0, 20, 0.6791, 1.0000),
    (10, 10, 0, 10, 0.6075, 1.0000),
]


@pytest.mark.parametrize(("a", "m", "b", "n", "lower", "upper"), NEWCOMBE)
def test_newcombe(a: int, m: int, b: int, n: int, lower: float, upper: float) -> None:
    found = two_proportions(a / m, m, b / n, n)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=5e-5)


def test_pooled_z_is_the_chi_square_test() -> None:
    found = two_proportions(18 / 120, 120, 60 / 240, 240)
    chi2 = stats.chi2_contingency([[18, 102], [60, 180]], correction=False)
    assert (found.statistic**2, found.p) == pytest.approx((chi2.statistic, chi2.pvalue), rel=1e-10)
    assert found.statistic < 0


@pytest.mark.parametrize(
    ("counts", "alternative", "chi2", "p"),
    [  # R: prop.test(c(x1, x2), c(n1, n2), alternative); of the third the correction takes all
        ((18, 120, 60, 240), "two-sided", 4.142798691, 0.04181198662),
        ((5, 10, 9, 11), "less", 1.169318182, 0.1397707),
        ((5, 10, 6, 11), "two-sided", 0.0, 1.0),
    ],
)
def test_yates_s_correction(counts: tuple[int, int, int, int], alternative: str, chi2: float, p: float) -> None:
    x1, n1, x2, n2 = counts
    found = two_proportions(x1 / n1, n1, x2 / n2, n2, correction=True, alternative=alternative)
    assert (found.statistic**2, found.p) == pytest.approx((chi2, p), rel=1e-6)
    assert found.statistic <= 0


def test_the_slides() -> None:
    found = two_proportions(0.15, 30, 0.25, 5000, pooled=False, interval="wald")
    assert (found.lower, found.upper) == pytest.approx((-0.228336490109891, 0.0283364901098906))
    assert found.details["standard_error"] == pytest.approx(sqrt(0.0042875))


@given(
    a=st.integers(0, 30), b=st.integers(0, 50), pooled=st.booleans(), interval=st.sampled_from(("wald", "newcombe")),
    side=st.sampled_from(SIDES), confidence=st.sampled_from((0.8, 0.95, 0.99)),
)  # fmt: skip
def test_interval_and_test_agree(a: int, b: int, pooled: bool, interval: str, side: str, confidence: float) -> None:
    def found(x: int, n: int, y: int, m: int, alternative: str) -> tuple[float, float, float]:
        one = two_proportions(
            x / n, n, y / m, m, pooled=pooled, interval=interval, alternative=alternative, confidence=confidence
        )
        return one.p, one.lower, one.upper

    assume(pooled or {a / 30, b / 50} != {0.0, 1.0})
    p, lower, upper = found(a, 30, b, 50, side)
    assert (p <= 1 - confidence + 1e-12) == (not lower <= 0 <= upper)
    other = {"greater": "less", "less": "greater"}.get(side, side)
    assert found(b, 50, a, 30, other) == pytest.approx((p, -upper, -lower), abs=1e-12)


@pytest.mark.parametrize("interval", ["wald", "newcombe"])
@pytest.mark.parametrize(("first", "second"), [(0.0, 1.0), (1.0, 0.0)])
def test_nothing_and_all_need_pooling(first: float, second: float, interval: str) -> None:
    with pytest.raises(DegenerateError, match="z does not exist without pooling"):
        two_proportions(first, 30, second, 50, pooled=False, interval=interval)


def test_no_errors_at_all() -> None:
    for interval, upper in (("wald", 0.0), ("newcombe", 0.1135)):
        found = two_proportions(0.0, 30, 0.0, 50, interval=interval)
        assert (found.statistic, found.p) == (0.0, 1.0)
        assert found.upper == pytest.approx(upper, abs=5e-5)
        assert ("no width" in found.note) == (interval == "wald")


def test_columns_of_different_length() -> None:
    found = compute([1, 1, 0], [0, 0, 1, 0, 1])
    assert found.details["n"] == (3, 5)
    assert found.estimate == pytest.approx(2 / 3 - 2 / 5)


def test_one_instance_without_a_size_counts_as_one() -> None:
    assert compute([1], [0], nan, nan).details["n"] == (1, 1)


@pytest.mark.parametrize(
    ("rates", "sentence"),
    [
        ((1.2, 30, 0.5, 30), "A rate lies between 0 and 1; the first is 1.2"),
        ((0.2, 30, -0.1, 30), "the second is -0.1"),
        ((0.2, 0, 0.5, 30), "needs the size of its test set"),
        ((0.2, nan, 0.5, 30), "needs the size of its test set"),
        ((0.2, inf, 0.5, 30), "needs the size of its test set"),
        ((nan, 30, 0.5, 30), "A rate lies between 0 and 1"),
    ],
)
def test_bad_rates(rates: tuple[float, float, float, float], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        two_proportions(*rates)


def test_bad_options() -> None:
    with pytest.raises(UsageError, match="no interval of a difference of rates 'agresti'"):
        two_proportions(0.1, 10, 0.2, 10, interval="agresti")


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    path = tmp_path / "rates.csv"
    path.write_text("learner,error,n_test\nM1,0.15,30\nM2,0.25,5000\n")
    return path


def test_rates_with_sizes_from_a_file(rates: Path) -> None:
    scores = unpaired(read_scores(rates))
    assert advise(scores).recommended == "two-proportions"
    found = analyse(scores, "two-proportions", pooled=False, interval="wald")
    (row,) = found.pairs
    assert (row.first, row.estimate) == ("M1", pytest.approx(-0.1))
    assert (row.lower, row.upper) == pytest.approx((-0.228336490109891, 0.0283364901098906))
    assert found.effects == ()
    assert "single-run" not in [warning.code for warning in judge(scores).warnings]


def test_rates_are_taken_as_paired_until_the_user_says_otherwise(rates: Path) -> None:
    with pytest.raises(MisfitError, match="say --unpaired if not"):
        analyse(read_scores(rates), "two-proportions")


def test_rates_without_sizes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text("learner,error\nM1,0.15\nM2,0.25\n")
    with pytest.raises(MisfitError, match="give a column n_test"):
        analyse(unpaired(read_scores(path)), "two-proportions")


def test_other_measures_than_shares_of_instances_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text("learner,auc,n_test\nM1,0.8,30\nM2,0.7,50\n")
    with pytest.raises(MisfitError, match="rates over all test instances"):
        analyse(unpaired(read_scores(path)), "two-proportions")
