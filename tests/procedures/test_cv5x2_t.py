"""Dietterich's 5×2 cv t test, and the ten statistics that it might be."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
import zoo
from scipy import stats

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.judging import analyse
from bakeoff.procedures.cv5x2_t import compute, five_by_two_t

DIFFERENCES = np.array([[0.05, 0.04], [0.06, 0.05], [0.045, 0.055], [0.052, 0.048], [0.061, 0.047]])


def test_the_definition() -> None:
    """t = p11 / √(Σ s² / 5), s² = (p1 − p̄)² + (p2 − p̄)² = (p1 − p2)² / 2, with 5 degrees of freedom."""
    s = np.sqrt(np.mean(np.diff(DIFFERENCES, axis=1) ** 2 / 2))
    found = five_by_two_t(DIFFERENCES)
    assert found.statistic == pytest.approx(0.05 / s)
    assert found.p == pytest.approx(2 * stats.t.sf(0.05 / s, 5))
    half = stats.t.ppf(0.975, 5) * s
    assert (found.lower, found.upper) == pytest.approx((0.05 - half, 0.05 + half))


def test_all_ten_are_shown() -> None:
    found = five_by_two_t(DIFFERENCES)
    t = found.details["possible_t"]
    assert t.shape == (5, 2)
    for i in range(5):  # each is what the test would have been, had the folds been numbered otherwise
        for j in range(2):
            other = np.roll(np.roll(DIFFERENCES, -i, axis=0), -j, axis=1)
            assert five_by_two_t(other).statistic == pytest.approx(t[i, j])
            assert five_by_two_t(other).p == pytest.approx(found.details["possible_p"][i, j])
    assert f"{t.min():.4g} to {t.max():.4g}" in found.note


def test_the_arbitrary_choice_can_decide() -> None:
    mixed = np.array([[0.09, -0.01], [0.0, 0.02], [0.01, 0.03], [0.02, 0.0], [0.0, 0.01]])
    p = five_by_two_t(mixed).details["possible_p"]
    assert p.min() < 0.15 < 0.9 < p.max()


def test_sides() -> None:
    two, greater, less = (five_by_two_t(DIFFERENCES, alternative=side) for side in ("two-sided", "greater", "less"))
    assert (greater.p, less.p) == pytest.approx((two.p / 2, 1 - two.p / 2))
    assert (greater.upper, less.lower) == (inf, -inf)


def test_identical_learners() -> None:
    found = compute([0.7] * 10, [0.7] * 10)
    assert (found.statistic, found.p) == (0, 1)
    assert isnan(found.lower)
    assert isnan(found.upper)


def test_rounding_is_not_a_difference() -> None:
    assert compute([0.1 + 0.2] * 10, [0.3] * 10).p == 1


def test_no_variance() -> None:
    with pytest.raises(DegenerateError, match="both folds show the same difference"):
        five_by_two_t(np.repeat([[0.1], [0.2], [0.1], [0.3], [0.1]], 2, axis=1))


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_any_unit(unit: float) -> None:
    assert five_by_two_t(DIFFERENCES * unit).statistic == pytest.approx(five_by_two_t(DIFFERENCES).statistic)


@pytest.mark.parametrize("shape", [(4, 2), (5, 3), (2, 5)])
def test_other_shapes_are_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="needs 5 × 2 differences"):
        five_by_two_t(np.ones(shape))


def test_all_ten_are_in_the_answer() -> None:
    values = np.random.default_rng(3).random((10, 3))
    found = analyse(zoo.table(values, kind="repeats:5"), "5x2-t")
    (of_t, (header, rows)), (of_p, (_, probabilities)) = found.further_tables().items()
    assert (of_t[:2], of_p[:2]) == ("t ", "p ")
    assert header[1:] == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "4.1", "4.2", "5.1", "5.2"]
    assert [row[0] for row in rows] == [row.contrast for row in found.pairs]
    assert [float(row[1]) for row in rows] == pytest.approx([row.statistic for row in found.pairs], rel=1e-3)
    assert [float(row[1]) for row in probabilities] == pytest.approx([row.p for row in found.pairs], rel=1e-3)
    assert "t with the difference of each repeat.fold in the numerator" in found.to_text()


def test_learners_that_are_the_same_have_no_ten() -> None:
    values = np.tile(np.random.default_rng(3).random((10, 1)), (1, 2))
    assert analyse(zoo.table(values, kind="repeats:5"), "5x2-t").further_tables() == {}
