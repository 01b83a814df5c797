"""Hotelling's paired T²: R's values, its invariances, dependent measures, bad input."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.manova import hotelling
from bakeoff.scores import Scores

X1 = np.array(
    [[0.121, 0.185], [0.116, 0.149], [0.152, 0.15], [0.139, 0.152], [0.15, 0.179], [0.111, 0.206],
     [0.128, 0.181], [0.138, 0.152], [0.095, 0.131], [0.105, 0.174], [0.099, 0.199], [0.113, 0.203]]
)  # fmt: skip
X2 = np.array(
    [[0.13, 0.146], [0.127, 0.117], [0.19, 0.126], [0.149, 0.114], [0.158, 0.166], [0.12, 0.2],
     [0.123, 0.137], [0.158, 0.148], [0.114, 0.105], [0.103, 0.161], [0.11, 0.183], [0.121, 0.145]]
)  # fmt: skip
# tp, fp, fn, tn of ten folds with 50 positives and 50 negatives each.
COUNTS1 = np.array(
    [[40, 5, 10, 45], [42, 6, 8, 44], [39, 5, 11, 45], [41, 7, 9, 43], [43, 4, 7, 46],
     [40, 6, 10, 44], [38, 5, 12, 45], [42, 6, 8, 44], [41, 8, 9, 42], [40, 5, 10, 45]]
)  # fmt: skip
COUNTS2 = np.array(
    [[41, 5, 9, 45], [42, 7, 8, 43], [41, 4, 9, 46], [42, 7, 8, 43], [42, 5, 8, 45],
     [41, 8, 9, 42], [40, 5, 10, 45], [42, 5, 8, 45], [42, 8, 8, 42], [40, 6, 10, 44]]
)  # fmt: skip


def test_r() -> None:
    found = hotelling(X1, X2)
    assert found.statistic == pytest.approx(53.2323325491514, rel=1e-10)
    assert found.details["F"] == pytest.approx(24.1965147950688, rel=1e-10)
    assert found.p == pytest.approx(0.000147297358578067, rel=1e-9)
    assert found.df == (2.0, 10.0)
    assert found.details["w"] == pytest.approx([-130.586380174978, 113.330941997938], rel=1e-9)
    assert found.details["critical"] == pytest.approx(9.02620623328688, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_one_measure_is_the_paired_t_squared(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 9, 1))
    found, plain = hotelling(a, b), stats.ttest_rel(a[:, 0], b[:, 0])
    assert found.statistic == pytest.approx(plain.statistic**2, rel=1e-9)
    assert found.p == pytest.approx(plain.pvalue, rel=1e-8)


@given(seed=st.integers(0, 10**6), shift=st.floats(-5, 5))
def test_other_units_and_mixtures_of_measures_change_nothing(seed: int, shift: float) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 12, 3))
    mixed = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    plain = hotelling(a, b)
    for x1, x2 in ((a @ mixed, b @ mixed), (a * [1e-8, 1, 1e8], b * [1e-8, 1, 1e8]), (a + shift, b + shift), (b, a)):
        assert hotelling(x1, x2).statistic == pytest.approx(plain.statistic, rel=1e-6)


def test_w_separates_the_learners_most() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(2, 15, 3))
    found = hotelling(a, b)
    best = stats.ttest_rel(a @ found.details["w"], b @ found.details["w"]).statistic ** 2
    assert best == pytest.approx(found.statistic, rel=1e-9)
    for other in rng.normal(size=(50, 3)):
        assert stats.ttest_rel(a @ other, b @ other).statistic ** 2 <= best * (1 + 1e-9)


def test_fixed_class_sizes_are_refused_with_measures_to_keep() -> None:
    with pytest.raises(DegenerateError) as refusal:
        hotelling(COUNTS1, COUNTS2, measures=("tp", "fp", "fn", "tn"))
    assert "vary in 2 directions only" in str(refusal.value)
    assert "fn, tn differ by a constant or follow from the others" in str(refusal.value)
    assert refusal.value.alternatives[0] == "the same test on measures that are free of each other: tp, fp"
    assert "--reduce yes" in refusal.value.alternatives[1]
    assert hotelling(COUNTS1[:, :2], COUNTS2[:, :2]).p < 1


def test_rates_with_rounding_error_are_dependent_too() -> None:
    with pytest.raises(DegenerateError, match="2 directions only"):
        hotelling(COUNTS1 / 50 + 0.1, COUNTS2 / 50 + 0.1)
    weighted = np.column_stack([X1, X1 @ [0.3, 0.7]]), np.column_stack([X2, X2 @ [0.3, 0.7]])
    with pytest.raises(DegenerateError, match="measure 3 differ"):
        hotelling(*weighted)


def test_a_measure_that_never_differs_is_dropped() -> None:
    same = np.full((12, 1), 0.3)
    with pytest.raises(DegenerateError) as refusal:
        hotelling(np.hstack([same, X1]), np.hstack([same, X2]), measures=("a", "b", "c"))
    assert refusal.value.alternatives[0].endswith(": b, c")


def test_nearly_dependent_measures_are_data() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, 12, 1))
    noise = 1e-4 * rng.normal(size=(12, 1))
    found = hotelling(np.hstack([a, a + noise]), np.hstack([b, b]))
    d = np.hstack([a - b, a + noise - b])
    expected = 12 * d.mean(0) @ np.linalg.solve(np.cov(d.T), d.mean(0))
    assert found.statistic == pytest.approx(expected, rel=1e-5)


def test_the_same_values_everywhere() -> None:
    found = hotelling(X1, X1)
    assert (found.statistic, found.p) == (0.0, 1.0)
    assert found.note == "the two tables are the same"


def test_error_rate_at_a_true_null() -> None:
    rng = np.random.default_rng(8)
    p = [hotelling(*rng.normal(size=(2, 10, 3))).p for _ in range(2000)]
    assert stats.kstest(p, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(
    ("x1", "x2", "sentence"),
    [
        ([[1.0, 2.0]] * 2, [[1.0, 2.0]] * 2, "more blocks than measures; found 2 and 2"),
        ([[1.0, 2.0]] * 4, [[1.0]] * 4, "one shape"),
        ([[1.0, nan]] * 4, [[1.0, 2.0]] * 4, "finite"),
        ([1.0, 2.0], [1.0, 2.0], "row"),
        ([["x"]] * 3, [[1.0]] * 3, "table of numbers"),
    ],
)
def test_bad_tables_are_refused(x1: list[list[float]], x2: list[list[float]], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        hotelling(x1, x2)


def test_through_a_table_of_scores() -> None:
    measures = {name: known_measure(name) for name in ("fp_rate", "fn_rate")}
    rows = [
        (learner, name, fold, x[fold, j])
        for learner, x in (("a", X1), ("b", X2))
        for fold in range(12)
        for j, name in enumerate(measures)
    ]
    learner, measure, fold, value = (list(column) for column in zip(*rows, strict=True))
    scores = Scores.of(value, learner=learner, measure=measure, fold=fold, measures=measures)  # type: ignore[arg-type]
    (row,) = analyse(scores, "hotelling", measure=["fp_rate", "fn_rate"]).pairs
    assert row.p == pytest.approx(0.000147297358578067, rel=1e-9)
    with pytest.raises(MisfitError, match="several measures at once"):
        analyse(scores.only(measure="fp_rate"), "hotelling")


def test_reduced_to_measures_that_are_free_of_each_other() -> None:
    names = ("tp", "fp", "fn", "tn")
    found = hotelling(COUNTS1, COUNTS2, measures=names, reduce="yes")
    plain = hotelling(COUNTS1[:, :2], COUNTS2[:, :2])
    assert (found.statistic, found.p, found.df) == (plain.statistic, plain.p, plain.df)
    assert found.details["measures"] == ("tp", "fp")
    assert "fn, tn" in found.note
    with pytest.raises(DegenerateError):
        hotelling(np.tile([1.0, 1.5], (4, 1)), np.ones((4, 2)), reduce="yes")  # nothing is left
    with pytest.raises(UsageError, match="no reduce"):
        hotelling(X1, X2, reduce="maybe")


def test_measures_one_by_one() -> None:
    ((header, rows),) = hotelling(X1, X2, measures=("a", "b")).details["tables"].values()
    assert header[0] == "measure"
    for j, (name, difference, standardised, t, df, p, adjusted, w) in enumerate(rows):
        plain = stats.ttest_rel(X1[:, j], X2[:, j])
        assert name == "ab"[j]
        assert (difference, t, p) == pytest.approx((np.mean(X1[:, j] - X2[:, j]), plain.statistic, plain.pvalue))
        d = X1[:, j] - X2[:, j]
        assert standardised == pytest.approx(d.mean() / d.std(ddof=1))
        assert df == 11
        assert p <= adjusted <= 2 * p + 1e-12
        assert w == pytest.approx([-130.586380174978, 113.330941997938][j])


def test_the_effect_size_is_a_length() -> None:
    found = hotelling(X1, X2)
    assert found.details["D"] == pytest.approx((found.statistic / len(X1)) ** 0.5)
