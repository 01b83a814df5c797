"""The ten differences of 5×2 cross-validation, in their order."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
import zoo
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.five_by_two import compute_f, compute_t, five_by_two_f, five_by_two_t, ten_differences
from bakeoff.scores import Scores


def test_splits_are_put_in_order() -> None:
    repeat, fold = [4, 3, 2, 1, 0] * 2, [1] * 5 + [0] * 5
    found, size = ten_differences(range(10), [1] * 10, repeat, fold, "t")
    assert found.tolist() == [[8, 3], [7, 2], [6, 1], [5, 0], [4, -1]]
    assert size == 9


def test_repeats_may_be_numbered_anyhow() -> None:
    repeat = np.repeat([7, 3, 9, 1, 5], 2)
    found, _ = ten_differences(range(10), [0] * 10, repeat, np.tile([2, 1], 5), "t")
    assert found[0].tolist() == [7, 6]


@pytest.mark.parametrize(
    ("a", "b", "repeat", "sentence"),
    [
        (range(8), range(8), None, "5×2 cv t test needs ten paired scores; found 8"),
        (range(10), range(9), None, "equally long"),
        (range(10), range(10), [0] * 4 + [1] * 6, "five repeats of two folds"),
    ],
)
def test_refusals(a: range, b: range, repeat: list[int] | None, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        ten_differences(a, b, repeat, None, "t")


# ----------------------------------------------------------------------------------------------------------------------
# Cv5x2 f


FIRST = np.array([[0.05, 0.04], [0.06, 0.05], [0.045, 0.055], [0.052, 0.048], [0.061, 0.047]])
SECOND = np.array([[-0.01, 0.01], [0.02, -0.02], [0.0, 0.01], [-0.01, -0.02], [0.015, -0.005]])

TEN = st.lists(st.integers(-99, 99), min_size=10, max_size=10).map(lambda x: np.reshape(x, (5, 2)) / 1000)
VARYING = TEN.filter(lambda p: bool(np.any(p[:, 0] != p[:, 1])))


@pytest.mark.parametrize(
    ("differences", "f", "p"),
    [(FIRST, 51.14843750000001, 0.0002104188005695607), (SECOND, 0.7115384615384616, 0.6981000573315171)],
)
def test_mlxtend(differences: np.ndarray, f: float, p: float) -> None:
    found = five_by_two_f(differences)
    assert (found.statistic, found.p) == pytest.approx((f, p), rel=1e-10)
    assert found.df == (10.0, 5.0)


@given(p=VARYING)
def test_definition(p: np.ndarray) -> None:
    s2 = ((p - p.mean(axis=1, keepdims=True)) ** 2).sum()
    found = five_by_two_f(p)
    assert found.statistic == pytest.approx((p**2).sum() / (2 * s2), rel=1e-9)
    assert found.p == pytest.approx(stats.f.sf(found.statistic, 10, 5), rel=1e-9)
    assert found.estimate == pytest.approx(p.mean(), abs=1e-15)


@given(p=VARYING, confidence=st.floats(0.5, 0.999))
def test_the_interval_holds_the_shifts_that_are_not_rejected(p: np.ndarray, confidence: float) -> None:
    found = five_by_two_f(p, confidence=confidence)
    if isnan(found.lower):
        assert "rejects every shift" in found.note
        assert five_by_two_f(p - p.mean()).p < 1 - confidence + 1e-9
    else:
        for end in (found.lower, found.upper):
            assert five_by_two_f(p - end).p == pytest.approx(1 - confidence, rel=1e-6)
        if abs(found.p - (1 - confidence)) > 1e-9:
            assert (found.lower > 0 or found.upper < 0) == (found.p < 1 - confidence)


@given(p=VARYING)
def test_a_higher_level_gives_a_wider_interval(p: np.ndarray) -> None:
    narrow, wide = five_by_two_f(p, confidence=0.9), five_by_two_f(p, confidence=0.99)
    assume(not isnan(narrow.lower))
    assert wide.lower <= narrow.lower
    assert wide.upper >= narrow.upper


def test_an_empty_interval_says_so() -> None:
    p = np.array([[0.1, 0.101], [-0.1, -0.101], [0.2, 0.201], [-0.2, -0.201], [0.3, 0.301]])
    found = five_by_two_f(p)
    assert isnan(found.lower)
    assert isnan(found.upper)
    assert found.p < 0.05
    assert found.note == "no interval: the test rejects every shift of the differences"


def test_no_difference_at_all() -> None:
    found = five_by_two_f(np.zeros((5, 2)))
    assert (found.statistic, found.p) == (0.0, 1.0)
    assert isnan(found.lower)
    assert isnan(found.upper)


def test_no_variance_within_replications_is_refused() -> None:
    with pytest.raises(DegenerateError, match="both folds show the same difference"):
        five_by_two_f(np.repeat([[0.1], [0.2], [0.1], [0.3], [0.2]], 2, axis=1))
    a = np.array([0.7, 0.8, 0.75, 0.9, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95])
    with pytest.raises(DegenerateError):
        compute_f(a, a - 0.05)  # 0.05 up to rounding error


def test_rounding_error_of_scores_is_no_difference() -> None:
    a = np.array([0.1 + 0.2, *np.full(9, 0.3)])
    assert compute_f(a, np.full(10, 0.3)).p == 1.0


@given(p=VARYING, factor=st.sampled_from([1e-200, 1e-6, 1e6, 1e150]))
def test_scale_does_not_matter(p: np.ndarray, factor: float) -> None:
    plain, scaled = five_by_two_f(p), five_by_two_f(p * factor)
    assert scaled.statistic == pytest.approx(plain.statistic, rel=1e-9)
    assert scaled.estimate == pytest.approx(plain.estimate * factor, rel=1e-9, abs=1e-15 * factor)


@given(order=st.permutations(range(10)))
def test_blocks_are_arranged_by_repeat_and_fold(order: list[int]) -> None:
    repeat, fold = np.repeat(np.arange(5), 2), np.tile([0, 1], 5)
    flat = FIRST.ravel()
    found = compute_f(flat[order], np.zeros(10), repeat=repeat[order], fold=fold[order])
    assert found.statistic == pytest.approx(five_by_two_f(FIRST).statistic, rel=1e-12)


def test_through_a_table_of_scores_in_any_order() -> None:
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    order = np.random.default_rng(1).permutation(20)
    values = np.concatenate([0.8 + FIRST.ravel(), np.full(10, 0.8)])[order]
    split = np.tile(np.arange(10), 2)[order]
    scores = Scores.of(
        values,
        learner=np.repeat(["a", "b"], 10)[order].tolist(),
        repeat=[f"r{i // 2}" for i in split],
        fold=[f"f{i % 2}" for i in split],
        measures={"accuracy": accuracy},
    )
    (row,) = analyse(scores, "5x2-f").pairs
    assert row.p == pytest.approx(0.0002104188005695607, rel=1e-9)
    with pytest.raises(MisfitError, match="five repeats of two folds"):
        analyse(Scores.of(values, learner=np.repeat(["a", "b"], 10)[order].tolist(), fold=split.tolist(),
                          measures={"accuracy": accuracy}), "5x2-f")  # fmt: skip


@pytest.mark.parametrize(
    ("differences", "sentence"),
    [
        ([[0.1, 0.2]] * 4, "5 × 2 differences"),
        ([[0.1, inf]] * 5, "finite"),
        ([[0.1, nan]] * 5, "finite"),
        ([["a", "b"]] * 5, "table of numbers"),
    ],
)
def test_bad_differences_are_refused(differences: list[list[float]], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        five_by_two_f(differences)


def test_bad_columns_are_refused() -> None:
    with pytest.raises(UsageError, match="ten paired scores; found 9"):
        compute_f(np.arange(9.0), np.zeros(9))
    with pytest.raises(UsageError, match="five repeats of two folds"):
        compute_f(np.arange(10.0), np.zeros(10), repeat=[0] * 10, fold=range(10))


# ----------------------------------------------------------------------------------------------------------------------
# Dietterich's 5×2 cv t test, and the ten statistics that it might be.


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
    found = compute_t([0.7] * 10, [0.7] * 10)
    assert (found.statistic, found.p) == (0, 1)
    assert isnan(found.lower)
    assert isnan(found.upper)


def test_rounding_is_not_a_difference() -> None:
    assert compute_t([0.1 + 0.2] * 10, [0.3] * 10).p == 1


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
