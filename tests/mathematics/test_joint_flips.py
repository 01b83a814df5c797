"""Joint sign flips: worked values, the definition by brute force, degenerate tables, intervals, and their size."""

from __future__ import annotations

import tracemalloc
from itertools import combinations, product
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics import joint_flips as module
from bakeoff.mathematics.joint_flips import SignedRankContrasts, best_by_flips, flip_intervals, joint_flips
from bakeoff.mathematics.step_down import Intervals, JointTest

EIGHT = [[62, 60, 55], [71, 66, 69], [80, 78, 70], [55, 56, 50], [90, 84, 83], [77, 70, 72], [66, 63, 60], [58, 51, 57]]
ANSWERS = [
    [int(x) for x in row]
    for row in ("110", "100", "111", "101", "000", "110", "100", "101", "010", "100", "110", "100")
]


def pairs(k: int) -> np.ndarray:
    rows = np.zeros((k * (k - 1) // 2, k))
    for row, (i, j) in zip(rows, combinations(range(k), 2), strict=True):
        row[i], row[j] = 1.0, -1.0
    return rows


def joint_signed_ranks(
    values: object, contrasts: object = None, *, alternative: str = "two-sided", alpha: float = 0.05,
    draws: int = 9_999, seed: int = 0, law: str = "auto",
) -> JointTest:  # fmt: skip
    """As `joint_flips` is called."""
    return SignedRankContrasts(values, contrasts).test(alternative, alpha, draws, seed, law)  # type: ignore[arg-type]


def signed_rank_intervals(
    values: object, contrasts: object = None, *, critical: float, alternative: str = "two-sided"
) -> Intervals:
    """As `flip_intervals` is called."""
    return SignedRankContrasts(values, contrasts).intervals(critical, alternative)  # type: ignore[arg-type]


def by_definition(d: np.ndarray, alternative: str = "two-sided") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """z, p and step-down p of differences (blocks × contrasts), over all 2^n signs."""
    side = {"two-sided": np.abs, "greater": lambda x: x, "less": lambda x: -x}[alternative]
    length = np.sqrt((d**2).sum(axis=0))
    length[length == 0] = 1.0
    z = d.sum(axis=0) / length
    drawn = side(np.array(list(product([-1, 1], repeat=len(d)))) @ d / length)
    seen = side(z)
    adjusted, before = np.empty(len(z)), 0.0
    for r in np.argsort(-seen, kind="stable"):
        before = adjusted[r] = max(before, np.mean(drawn[:, seen <= seen[r]].max(axis=1) >= seen[r] - 1e-9))
    return z, (drawn >= seen - 1e-9).mean(axis=0), adjusted


# --- worked values ----------------------------------------------------------------------------------------------------


def test_worked_values_of_scores() -> None:
    found = joint_flips(EIGHT, pairs(3))
    assert found.statistic == pytest.approx([2.33010269, 2.52941176, 0.88465174], abs=5e-9)
    assert found.p_adjusted.tolist() == [8 / 256, 2 / 256, 114 / 256]
    assert found.exact
    assert found.draws == 128
    assert joint_signed_ranks(EIGHT, pairs(3)).p_adjusted.tolist() == [8 / 256, 2 / 256, 114 / 256]


def test_worked_values_of_answers() -> None:
    found = joint_flips(ANSWERS, pairs(3))
    assert found.statistic == pytest.approx([1.88982237, 2.64575131, 0.81649658], abs=5e-9)
    assert found.p_adjusted.tolist() == [75 / 512, 15 / 512, 352 / 512]


# --- the definition ---------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 7),
    k=st.integers(2, 4),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
    levels=st.sampled_from([2, 3, 1000]),
)
def test_all_flips_are_those_of_the_definition(seed: int, n: int, k: int, alternative: str, levels: int) -> None:
    """Values of two or three levels tie a great deal; tenths are no binary fractions."""
    y = np.random.default_rng(seed).integers(0, levels, (n, k)) / 10
    z, p, adjusted = by_definition(np.round(y @ pairs(k).T, 9), alternative)
    found = joint_flips(y, pairs(k), alternative=alternative)
    assert found.exact
    assert found.statistic == pytest.approx(z)
    assert found.p == pytest.approx(p)
    assert found.p_adjusted == pytest.approx(adjusted)


@pytest.mark.parametrize("weights", [[[1, -1, 0, 0], [1, 0, -1, 0], [1, 0, 0, -1]], [[0.5, 0.5, -1, 0]]])
def test_any_family_of_contrasts(weights: list[list[float]]) -> None:
    y = np.random.default_rng(3).normal(size=(9, 4))
    d = y @ np.array(weights, dtype=float).T
    for found in (joint_flips(y, weights), joint_flips(d)):
        for seen, wanted in zip((found.statistic, found.p, found.p_adjusted), by_definition(d), strict=True):
            assert seen == pytest.approx(wanted)


def test_one_pair_is_the_permutation_test_of_scipy() -> None:
    d = np.random.default_rng(5).normal(0.4, 1, 11)
    for alternative in ("two-sided", "greater", "less"):
        peer = stats.permutation_test((d,), np.sum, permutation_type="samples", alternative=alternative)
        found = joint_flips(d[:, None], alternative=alternative)
        assert found.p.tolist() == found.p_adjusted.tolist() == pytest.approx([peer.pvalue])


def test_blocks_without_any_difference_do_not_count() -> None:
    padded = np.vstack([EIGHT, np.full((500, 3), 60)])
    found, plain = joint_flips(padded, pairs(3)), joint_flips(EIGHT, pairs(3))
    assert found.exact
    assert found.p_adjusted.tolist() == plain.p_adjusted.tolist()
    assert found.critical == plain.critical


def test_draws_are_near_the_law_and_repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.random.default_rng(1).normal([0, 0, 0.4, 0.8], size=(13, 4))
    exact = joint_flips(y, pairs(4))
    monkeypatch.setattr(module, "FEW", 5)
    for alternative in ("two-sided", "greater"):
        drawn = joint_flips(y, pairs(4), seed=2, alternative=alternative)
        assert not drawn.exact
        assert drawn.draws == 9_999
        if alternative == "two-sided":
            error = np.sqrt(drawn.p_adjusted * (1 - drawn.p_adjusted) / drawn.draws)  # that comes from drawing
            assert np.all(np.abs(drawn.p_adjusted - exact.p_adjusted) < 5 * error + 2e-4)
            assert drawn.critical == pytest.approx(exact.critical, abs=0.05)
            assert drawn.reach == pytest.approx(exact.reach, abs=0.05)
        assert drawn == joint_flips(y, pairs(4), seed=2, alternative=alternative)
    assert drawn != joint_flips(y, pairs(4), seed=3, alternative="greater")


def test_counts_of_equal_rows_and_the_normal_law_are_near_the_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    y = (rng.normal(size=(400, 1)) + rng.normal(size=(400, 3)) < [0.5, 0.7, 0.9]).astype(float)
    by_counts, normal = joint_flips(y, pairs(3)), joint_flips(y, pairs(3), law="normal")
    monkeypatch.setattr(module, "DISTINCT", 2)
    bits = joint_flips(y, pairs(3))
    for other in (by_counts, normal):
        assert other.statistic == pytest.approx(bits.statistic)
        assert other.p_adjusted == pytest.approx(bits.p_adjusted, abs=0.02)
        assert other.critical == pytest.approx(bits.critical, abs=0.08)
        assert other.reach == pytest.approx(bits.reach, abs=0.08)
    assert normal.p == pytest.approx(2 * stats.norm.sf(np.abs(normal.statistic)))


def test_z_of_answers_is_that_of_mcnemar() -> None:
    y = np.array(ANSWERS, dtype=float)
    b, c = np.sum(y[:, 0] > y[:, 1]), np.sum(y[:, 0] < y[:, 1])
    assert joint_flips(y, pairs(3)).statistic[0] == pytest.approx((b - c) / sqrt(b + c))


# --- tables at the edge -----------------------------------------------------------------------------------------------


def test_equal_learners_have_no_difference() -> None:
    y = np.random.default_rng(2).normal(size=(30, 3))
    for column in (y[:, 1], y[:, 1] * (1 + 1e-15)):
        for test in (joint_flips, joint_signed_ranks):
            found = test(np.column_stack([y, column]), pairs(4))  # pairs 12 13 14 23 24 34
            assert found.statistic[4] == 0
            assert found.p[4] == found.p_adjusted[4] == 1
            assert found.p_adjusted[0] == pytest.approx(found.p_adjusted[2])
    for law in ("auto", "normal"):
        nothing = joint_flips(np.ones((20, 3)), pairs(3), law=law, alternative="greater")
        assert nothing.p.tolist() == nothing.p_adjusted.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("test", [joint_flips, joint_signed_ranks])
def test_differences_that_are_the_same_in_every_block(test: object) -> None:
    found = test(np.full((9, 1), 0.1))  # type: ignore[operator]
    assert found.statistic[0] == pytest.approx(3.0, rel=0.15)
    assert found.p[0] == 2.0**-8
    few = test(np.full((5, 1), 0.1))  # type: ignore[operator]
    assert few.p[0] == 2.0**-4
    assert few.critical == few.reach == inf  # 1/16 is not below 5 %


def test_one_block() -> None:
    for test in (joint_flips, joint_signed_ranks):
        found = test([[3.0, 1.0, 0.0]], pairs(3))
        assert found.p_adjusted.tolist() == [1.0, 1.0, 1.0]
        assert found.critical == inf


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1e200])
@pytest.mark.parametrize("test", [joint_flips, joint_signed_ranks])
def test_the_unit_does_not_matter(unit: float, test: object) -> None:
    y = np.random.default_rng(8).normal(size=(20, 3))
    plain, scaled = test(y, pairs(3)), test(y * unit, pairs(3))  # type: ignore[operator]
    assert scaled.statistic == pytest.approx(plain.statistic)
    assert scaled.p_adjusted.tolist() == plain.p_adjusted.tolist()


def test_what_all_learners_share_does_not_matter() -> None:
    y = np.round(np.random.default_rng(8).normal(size=(20, 3)), 3)
    hard = np.random.default_rng(9).integers(0, 10**6, (20, 1))
    assert joint_flips(y + hard, pairs(3)).p_adjusted == pytest.approx(joint_flips(y, pairs(3)).p_adjusted, abs=1e-3)


def test_a_million_blocks_take_little_memory() -> None:
    rng = np.random.default_rng(1)
    y = (rng.random((300_000, 3)) < [0.8, 0.8, 0.81]).astype(float)
    tracemalloc.start()
    found = joint_flips(y, pairs(3))
    losses = joint_flips(rng.normal(size=(100_000, 3)), pairs(3), draws=999)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6
    assert found.p_adjusted[1] < 0.05 < found.p_adjusted[0]
    assert losses.draws == 999


def test_refusals() -> None:
    with pytest.raises(UsageError, match="finite number; found nan in row 1, column 2"):
        joint_flips([[1.0, np.nan]], [[1, -1]])
    with pytest.raises(UsageError, match="There is no law 'exact'"):
        joint_flips(EIGHT, pairs(3), law="exact")
    with pytest.raises(UsageError, match="alternative must be one of"):
        joint_signed_ranks(EIGHT, pairs(3), alternative="more")
    with pytest.raises(UsageError, match="lies strictly between 0 and 1"):
        joint_flips(EIGHT, pairs(3), alpha=0)


# --- signed ranks and intervals ---------------------------------------------------------------------------------------


def rank_scores(d: np.ndarray) -> np.ndarray:
    ranks = np.sign(d) * stats.rankdata(np.abs(d))
    return ranks / sqrt(np.sum(ranks**2)) + 0.02 * d / sqrt(np.sum(d**2))


def rank_z(d: np.ndarray) -> float:
    scores = rank_scores(d)
    return float(scores.sum() / sqrt(np.sum(scores**2)))


@pytest.mark.parametrize("seed", range(4))
def test_signed_ranks_by_their_definition(seed: int) -> None:
    y = np.random.default_rng(seed).integers(0, 9, (8, 3)) + np.array([0, 0.5, 1.5])
    scores = np.column_stack([rank_scores(y @ c) for c in pairs(3)])
    z, p, adjusted = by_definition(scores)
    found = joint_signed_ranks(y, pairs(3))
    assert found.statistic == pytest.approx(z)
    assert found.p == pytest.approx(p)
    assert found.p_adjusted == pytest.approx(adjusted)


@given(seed=st.integers(0, 10_000), n=st.integers(6, 40))
@settings(max_examples=40)
def test_ends_of_intervals_are_where_z_reaches_the_quantile(seed: int, n: int) -> None:
    d = np.random.default_rng(seed).standard_t(3, n) + 0.3
    c = 2.1
    found = flip_intervals(d[:, None], critical=c)
    for end in (found.lower[0], found.upper[0]):
        x = d - end
        assert abs(x.sum()) / sqrt(np.sum(x**2)) == pytest.approx(c)
    assert (found.lower[0] <= 0 <= found.upper[0]) == (abs(d.sum()) / sqrt(np.sum(d**2)) <= c)
    ranked = signed_rank_intervals(d[:, None], critical=c)
    step = 1e-9 * np.ptp(d)
    assert rank_z(d - (ranked.lower[0] - step)) > c >= rank_z(d - (ranked.lower[0] + step))
    assert rank_z(d - (ranked.upper[0] + step)) < -c <= rank_z(d - (ranked.upper[0] - step))
    assert ranked.lower[0] < ranked.estimate[0] < ranked.upper[0]


@pytest.mark.parametrize("test", [joint_flips, joint_signed_ranks])
def test_single_precision_counts_the_same_draws(test: object, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    table = rng.standard_normal((40, 1)) + rng.standard_normal((40, 6)) + np.arange(6) / 4
    single = test(table, pairs(6), draws=1_999)  # type: ignore[operator]
    monkeypatch.setattr(module, "BLUR", 0.0)
    double = test(table, pairs(6), draws=1_999)  # type: ignore[operator]
    assert np.abs(single.p_adjusted - double.p_adjusted).max() <= 1 / 2000
    assert single.reach == pytest.approx(double.reach, abs=1e-5)


def test_near_clones_are_not_blurred() -> None:
    """Two learners that are nearly the same, far from a third: half the bits would not tell their flips apart."""
    rng = np.random.default_rng(4)
    first = rng.standard_normal(30) * 1e3
    d = rng.standard_normal(30) * 1e-5 + 3e-6
    found = joint_flips(np.column_stack([np.zeros(30), first, first + d]), [[0, 1, -1], [1, -1, 0]], seed=5)
    alone = joint_flips(-d[:, None], seed=5)
    assert found.p[0] == pytest.approx(alone.p[0], abs=0.01)


def test_without_ties_the_signed_rank_interval_is_nearly_that_of_walsh_averages() -> None:
    d = np.random.default_rng(1).normal(0.2, 1, 25)
    walsh = np.sort([(a + b) / 2 for i, a in enumerate(d) for b in d[i:]])
    found = signed_rank_intervals(d[:, None], critical=1.96)
    positive = (len(walsh) - 1.96 * sqrt(25 * 26 * 51 / 6)) / 2
    assert walsh[int(positive) - 2] <= found.lower[0] <= walsh[int(positive) + 2]
    assert found.estimate[0] == pytest.approx(np.median(walsh), abs=0.05)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("test", "intervals"), [(joint_flips, flip_intervals), (joint_signed_ranks, signed_rank_intervals)]
)
def test_intervals_agree_with_the_test_of_the_largest(seed: int, test: object, intervals: object) -> None:
    y = np.random.default_rng(seed).normal([0, 0, 0.6, 1.2], size=(10, 4))
    found = test(y, pairs(4))  # type: ignore[operator]
    single = intervals(y, pairs(4), critical=found.critical)  # type: ignore[operator]
    wide = intervals(y, pairs(4), critical=found.reach)  # type: ignore[operator]
    largest = int(np.argmax(np.abs(found.statistic)))
    claimed = found.p_adjusted <= 0.05
    without_zero = (single.lower > 0) | (single.upper < 0)
    assert without_zero[largest] == claimed[largest]
    assert np.all(claimed[(wide.lower > 0) | (wide.upper < 0)])
    close = 1e-8 * np.ptp(y)  # ends of signed ranks are searched for, to a billionth of the spread
    assert np.all(wide.lower <= single.lower + close)
    assert found.reach >= found.critical


def test_one_sided_intervals_are_open() -> None:
    for intervals in (flip_intervals, signed_rank_intervals):
        above, below = (intervals(EIGHT, pairs(3), critical=2.0, alternative=side) for side in ("greater", "less"))
        both = intervals(EIGHT, pairs(3), critical=2.0)
        assert above.upper.tolist() == [inf] * 3
        assert below.lower.tolist() == [-inf] * 3
        assert above.lower.tolist() == both.lower.tolist()
        assert below.upper.tolist() == both.upper.tolist()


def test_intervals_at_the_edge() -> None:
    d = np.column_stack([np.zeros(9), np.full(9, 0.3), np.arange(9.0)])
    for intervals in (flip_intervals, signed_rank_intervals):
        found = intervals(d, critical=2.5)
        assert np.isnan([found.lower[0], found.upper[0]]).all()
        assert (found.lower[1], found.estimate[1], found.upper[1]) == pytest.approx((0.3, 0.3, 0.3))
        assert 0 < found.lower[2] < 4 < found.upper[2]
        out_of_reach = intervals(d[:, 2:], critical=inf)
        assert (out_of_reach.lower[0], out_of_reach.upper[0]) == (-inf, inf)
    assert flip_intervals(d[:, 2:], critical=3.0).lower[0] == -inf


def test_intervals_of_means_are_students_with_another_quantile() -> None:
    d = np.random.default_rng(3).normal(size=(15, 1))
    c = 2.2
    t = c * sqrt(14 / (15 - c**2))
    found = flip_intervals(d, critical=c)
    assert found.upper[0] == pytest.approx(d.mean() + t * stats.sem(d[:, 0]))


# --- size -------------------------------------------------------------------------------------------------------------


def test_few_false_claims_with_unequal_variances_and_clones() -> None:
    """Two near-clones and two unlike learners, one of them five times as variable: 5 % at least once, not 20."""
    rng, wrong = np.random.default_rng(11), 0
    for seed in range(400):
        common = rng.normal(size=(12, 1))
        noise = rng.normal(size=(12, 4)) * [0.05, 0.05, 1.0, 5.0]
        wrong += bool(joint_flips(common + noise, pairs(4), seed=seed).p_adjusted.min() <= 0.05)
    assert 6 <= wrong <= 34  # 20 expected; standard deviation 4.4


def test_intervals_cover_also_where_differences_are_large() -> None:
    """The flips of d themselves would give 85 %, because all of them have the same sign."""
    rng, covered, narrow = np.random.default_rng(12), 0, 0
    means = np.array([0.0, 10.0, 20.0, 30.0])
    for seed in range(300):
        y = rng.normal(size=(15, 4)) * [1, 1, 2, 3] + means
        found = joint_flips(y, pairs(4), draws=499, seed=seed)
        for critical in (found.reach, found.critical):
            ends = flip_intervals(y, pairs(4), critical=critical)
            inside = bool(np.all((ends.lower <= pairs(4) @ means) & (pairs(4) @ means <= ends.upper)))
            covered, narrow = (covered + inside, narrow) if critical == found.reach else (covered, narrow + inside)
    assert covered / 300 > 0.91  # 95 % expected; standard deviation 1.3 %
    assert narrow <= covered


# --- who may be the best ----------------------------------------------------------------------------------------------


def test_who_may_be_the_best_agrees_with_r() -> None:
    """R 4.x, base: z_ji of all pairs, all 2^n vectors of signs from expand.grid, the share of max_j z*_ji >= max_j z_ji
    - 1e-9 over the columns that are left, from the largest statistic on, and the running maximum of these shares."""
    assert best_by_flips(EIGHT).p_adjusted.tolist() == [1.0, 0.02734375, 0.0078125]
    assert best_by_flips(ANSWERS).p_adjusted.tolist() == [1.0, 0.173828125, 0.029296875]


def test_who_may_be_the_best_does_not_depend_on_order_scale_or_shift() -> None:
    table = np.random.default_rng(3).normal([0, 0.5, 1.0, 1.2], size=(10, 4))
    order = [2, 0, 3, 1]
    for ranks in (False, True):
        found = best_by_flips(table, ranks=ranks)
        assert found.exact
        assert (
            best_by_flips(7 * table[:, order] + 5, ranks=ranks).p_adjusted.tolist() == found.p_adjusted[order].tolist()
        )
        assert np.all(found.p_adjusted >= found.p)
        assert found.p_adjusted[np.argmax(found.p)] == 1.0


def test_copies_and_a_table_without_spread_are_all_kept() -> None:
    table = np.random.default_rng(5).normal(size=(9, 2))
    assert best_by_flips(table[:, [0, 0, 1]]).p[:2].tolist() == best_by_flips(table[:, [0, 0, 1]]).p[:2][::-1].tolist()
    assert best_by_flips(np.ones((5, 3))).p_adjusted.tolist() == [1.0, 1.0, 1.0]


def test_the_best_stays_in_the_set_and_the_set_is_no_larger_than_that_of_all_pairs() -> None:
    """Learners of unlike variances, two of them the best; 400 tables. What is rejected too often would be seen."""
    rng, tables, alpha = np.random.default_rng(11), 400, 0.05
    lost, lost_any, size, by_pairs = 0, 0, 0, 0
    for _ in range(tables):
        x = rng.normal(size=(40, 1)) + rng.normal(size=(40, 5)) * [0.5, 1.5, 0.5, 1.0, 1.5] - [0, 0, 0.3, 0.4, 0.5]
        found = best_by_flips(x, draws=199, seed=1)
        lost += found.p[1] <= alpha
        lost_any += np.any(found.p_adjusted[:2] <= alpha)
        size += np.sum(found.p > alpha)
        tested = joint_flips(x, pairs(5), draws=199, seed=1)
        beaten = {
            j if z > 0 else i
            for (i, j), z, p in zip(combinations(range(5), 2), tested.statistic, tested.p_adjusted, strict=True)
            if p <= alpha
        }
        by_pairs += 5 - len(beaten)
    most = tables * alpha + 3 * sqrt(tables * alpha * (1 - alpha))
    assert lost <= most
    assert lost_any <= most
    assert size < 0.95 * by_pairs
