"""Random relabellings within blocks: against enumeration, against the plain loop, and resample by resample."""

from __future__ import annotations

import tracemalloc
from functools import reduce
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.block_permutations import (
    CHUNK,
    BlockLanes,
    CentredBlocks,
    count_random,
    enumerate_all,
    enumeration_size,
    spread,
    t_star,
)


def brute_force(table: np.ndarray) -> tuple[int, int]:
    """Every relabelling of every block, by the definition, in exact integers: K Σ S² − (Σ S)² orders as the spread."""
    whole = np.rint(table * 3).astype(int)
    k = whole.shape[1]
    sums = np.zeros((1, k), dtype=int)  # of the columns, for every relabelling of the blocks so far
    for block in whole.tolist():
        sums = (sums[:, None] + np.array(list(permutations(block)))).reshape(-1, k)
    statistic = k * (sums**2).sum(axis=1) - sums.sum(axis=1) ** 2
    mine = whole.sum(axis=0)
    return int(np.sum(statistic >= k * int((mine**2).sum()) - int(mine.sum()) ** 2)), len(sums)


def made(kind: str, b: int, k: int, seed: int = 0) -> np.ndarray:
    """A table: of real numbers, of thirds (full of ties that floating point hides), or of small integers."""
    rng = np.random.default_rng(seed)
    if kind == "real":
        return np.asarray(rng.normal(size=(b, k)) + 0.3 * np.arange(k))
    return rng.integers(0, 4, size=(b, k)) / (3 if kind == "thirds" else 1)


@pytest.mark.parametrize("kind", ["thirds", "integers"])
@pytest.mark.parametrize(("b", "k"), [(1, 2), (5, 2), (10, 2), (2, 3), (4, 3), (5, 3), (3, 4), (2, 5)])
def test_enumeration_by_the_definition(kind: str, b: int, k: int) -> None:
    for seed in range(3):
        table = made(kind, b, k, seed)
        found, size = enumerate_all(table)
        extreme, everything = brute_force(table)
        assert found / size == extreme / everything


def test_size_of_the_enumeration() -> None:
    assert enumeration_size(1, 5) == 1
    assert enumeration_size(4, 3) == 216
    with pytest.raises(UsageError, match="too many to enumerate"):
        enumerate_all(made("real", 30, 3))


@pytest.mark.parametrize("kind", ["real", "thirds", "integers"])
@pytest.mark.parametrize(("b", "k"), [(3, 2), (15, 2), (4, 3), (7, 3), (3, 4), (5, 4), (3, 5), (2, 6), (2, 7), (2, 8)])
def test_random_relabellings_agree_with_the_enumeration(kind: str, b: int, k: int) -> None:
    table = made(kind, b, k)
    found, size = enumerate_all(table)
    p, n = found / size, 100_000
    assert abs(count_random(table, n, seed=3) / n - p) <= 5 * sqrt(p * (1 - p) / n)


@pytest.mark.parametrize(("b", "k"), [(40, 2), (30, 3), (25, 4), (20, 5), (12, 6), (9, 7), (8, 9)])
def test_random_relabellings_agree_with_the_plain_loop(b: int, k: int) -> None:
    table = made("thirds", b, k)
    rng, n = np.random.default_rng(1), 20_000
    sums = np.array([rng.permuted(table, axis=1).sum(axis=0) for _ in range(n)])
    plain = np.mean(spread(sums) >= spread(table.sum(axis=0)) - 1e-9)
    assert abs(count_random(table, 5 * n, seed=1) / (5 * n) - plain) <= 5 * sqrt(plain * (1 - plain) * 1.2 / n)


@pytest.mark.parametrize("kind", ["real", "thirds"])
@pytest.mark.parametrize(
    ("b", "k"), [(250, 4), (1, 3), (13, 2), (300, 2), (40, 3), (21, 5), (10, 6), (7, 7), (1100, 4)]
)
def test_each_resample_is_judged_as_without_rounding(kind: str, b: int, k: int) -> None:
    table = made(kind, b, k)
    packed = BlockLanes(CentredBlocks.of(table))
    n = 2000
    rows = -(-packed.n_groups // packed.digits)
    numbers = np.random.Generator(np.random.SFC64(5)).integers(
        0, packed.table_size**packed.digits, size=(rows, n), dtype=np.uint64
    )
    sums = packed.exact_sums(numbers)
    # Each row of sums is that of a relabelling: it has the total of the table, which is zero when centred.
    assert np.abs(sums.sum(axis=1)).max() < 1e-9
    assert count_random(table, n, seed=5) == packed.observed.at_least(sums)


@given(seed=st.integers(0, 10**6), b=st.integers(1, 60), k=st.integers(2, 7))
def test_rounding_stays_within_its_bound(seed: int, b: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    packed = BlockLanes(CentredBlocks.of(rng.lognormal(sigma=2, size=(b, k))))
    rows = -(-packed.n_groups // packed.digits)
    numbers = rng.integers(0, packed.table_size**packed.digits, size=(rows, 200), dtype=np.uint64)
    rounded = np.sqrt(packed.squared_spread(packed.packed_sums(numbers, packed.table)))
    assert np.abs(rounded - spread(packed.exact_sums(numbers)) / packed.unit).max() <= packed.bound


@pytest.mark.parametrize("k", [2, 3, 4])
def test_every_permutation_of_every_block_is_equally_likely(k: int) -> None:
    """Blocks of powers of two: the sum of a column says which value each block gave it."""
    b, n = 4, 60_000
    table = np.array([[2.0 ** (k * block + column) for column in range(k)] for block in range(b)])
    packed = BlockLanes(CentredBlocks.of(table))
    numbers = np.random.default_rng(2).integers(0, packed.table_size**packed.digits, size=(1, n), dtype=np.uint64)
    unit = float(np.abs(table - table.mean(axis=1, keepdims=True)).max())
    sums = np.rint(packed.exact_sums(numbers) * unit + table.mean(axis=1).sum()).astype(int)
    for block in range(b):
        got = reduce(lambda code, column: code * k + column, np.argsort((sums >> (k * block)) & (2**k - 1), axis=1).T)
        counts = np.unique(got, return_counts=True)[1]
        assert len(counts) == [0, 0, 2, 6, 24][k]
        assert np.abs(counts / n * len(counts) - 1).max() < 5 * sqrt(len(counts) / n)


def test_the_same_seed_gives_the_same_count() -> None:
    table = made("thirds", 50, 4)
    counts = [count_random(table, 10_000, seed) for seed in (1, 1, 2, 3)]
    assert counts[0] == counts[1]
    assert len(set(counts)) == 3


def test_a_second_chunk_is_as_good_as_the_first() -> None:
    table, n = made("real", 7, 3), CHUNK + 20_000
    found, size = enumerate_all(table)
    p = found / size
    assert abs(count_random(table, n, seed=1) / n - p) <= 5 * sqrt(p * (1 - p) / n)


@given(seed=st.integers(0, 10**6), factor=st.sampled_from([1e-200, 1e-9, 1e9, 1e200]))
def test_shifts_of_blocks_and_scale_do_not_matter(seed: int, factor: float) -> None:
    table = made("thirds", 5, 3, seed)
    shifted = (table + np.arange(5)[:, None] / 7) * factor
    assert enumerate_all(shifted)[0] / enumerate_all(shifted)[1] == enumerate_all(table)[0] / enumerate_all(table)[1]


def test_constant_blocks_say_nothing() -> None:
    table = made("real", 4, 3)
    more = np.vstack([table, np.full((3, 3), 0.7), [[0.1 + 0.2, 0.3, 0.3]]])
    assert enumerate_all(more) == enumerate_all(table)
    assert count_random(more, 5000, seed=1) == count_random(table, 5000, seed=1)


def test_a_table_without_differences_is_all_ties() -> None:
    assert enumerate_all(np.full((5, 3), 0.3)) == (1, 1)
    assert count_random(np.full((5, 3), 0.3), 1234, seed=1) == 1234


@pytest.mark.parametrize(
    ("b", "k", "resamples"), [(250, 4, 150_000), (2000, 7, 500), (10_000, 4, 100), (250, 12, 2000)]
)
def test_memory_is_bounded(b: int, k: int, resamples: int) -> None:
    table = made("real", b, k)
    tracemalloc.start()
    count_random(table, resamples, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_memory_does_not_grow_with_the_resamples() -> None:
    """The largest tables that the cards speak of: 10,000 blocks of 20 learners."""
    table = made("real", 10_000, 20)
    peaks = []
    for resamples in (20, 40):
        tracemalloc.start()
        count_random(table, resamples, seed=1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 100e6
    assert peaks[1] < 1.05 * peaks[0]


@pytest.mark.parametrize(("b", "k"), [(4, 5), (9, 3), (21, 2)])
def test_all_relabellings_are_not_in_memory_at_once(b: int, k: int) -> None:
    assert enumeration_size(b, k) >= 2**20
    tracemalloc.start()
    enumerate_all(made("real", b, k))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


@pytest.mark.parametrize(
    ("table", "resamples", "seed", "sentence"),
    [
        ([[1.0]], 10, 1, "2 columns"),
        ([[1.0, float("nan")]], 10, 1, "finite"),
        ([[1.0, 2.0]], 1.5, 1, "resamples"),
        ([[1.0, 2.0]], 10, -1, "seed"),
    ],
)
def test_bad_requests_are_refused(table: list[list[float]], resamples: int, seed: int, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        count_random(table, resamples, seed)


# ----------------------------------------------------------------------------------------------------------------------
# t*: the identities between it, F and χ².


@given(seed=st.integers(0, 10**6), b=st.integers(2, 12), k=st.integers(2, 6))
def test_f_is_that_of_repeated_measures_anova(seed: int, b: int, k: int) -> None:
    x = np.random.default_rng(seed).normal(size=(b, k))
    learners = b * ((x.mean(axis=0) - x.mean()) ** 2).sum()
    blocks = k * ((x.mean(axis=1) - x.mean()) ** 2).sum()
    residual = ((x - x.mean()) ** 2).sum() - learners - blocks
    assert t_star(x).f == pytest.approx((learners / (k - 1)) / (residual / ((k - 1) * (b - 1))), rel=1e-8)


@given(seed=st.integers(0, 10**6), b=st.integers(2, 20))
def test_two_learners_are_the_paired_t(seed: int, b: int) -> None:
    x = np.random.default_rng(seed).normal(size=(b, 2))
    d = x[:, 0] - x[:, 1]
    assert t_star(x).f == pytest.approx(stats.ttest_rel(*x.T).statistic ** 2, rel=1e-8)
    assert t_star(x).chi2 == pytest.approx((d.sum() / sqrt((d**2).sum())) ** 2, rel=1e-8)


@given(seed=st.integers(0, 10**6), factor=st.sampled_from([1e-150, 1e-9, 1e9, 1e150]))
def test_shifts_of_blocks_and_scale_do_not_move_t_star(seed: int, factor: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(6, 3))
    assert t_star((x + rng.normal(size=(6, 1))) * factor).value == pytest.approx(t_star(x).value, rel=1e-8)


def test_friedman_is_the_same_statistic_on_ranks() -> None:
    x = np.random.default_rng(1).normal(size=(9, 4))
    assert t_star(stats.rankdata(x, axis=1)).chi2 == pytest.approx(stats.friedmanchisquare(*x.T).statistic)
