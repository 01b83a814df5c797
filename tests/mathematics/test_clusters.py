"""Clusters: against the matrix formula and R, strata, resampling by definition, and components of variance."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.clusters import (
    ClusterSums,
    bootstrap_means,
    cluster_means,
    gather,
    number_labels,
    stratified_means,
    variance_components,
)
from bakeoff.mathematics.joint_flips import joint_flips

D = np.array([1, 0, 0, 1, 1, 0, -1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, -1, 1, 1.0])[:, None]
G = np.repeat(list("abcd"), [10, 4, 3, 3])
X = np.array([2.1, 0.4, 1.7, 3.3, 2.2, 0.9, -0.3, 1.2, 1.9, 0.6, 2.8, 3.1, -1.4, 0.2, 1.1, 2.5, 0.7])[:, None]
H = np.array([1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 3, 4, 5, 5, 5, 6, 6])


def by_matrices(d: np.ndarray, codes: np.ndarray) -> tuple[float, float, float]:
    """CR2 and Bell–McCaffrey's degrees of freedom for a mean, as Pustejovsky and Tipton write them."""
    n = len(d)
    hat = np.full((n, n), 1 / n)
    residual = d - d.mean()
    variance, vectors = 0.0, []
    for c in np.unique(codes):
        rows = np.flatnonzero(codes == c)
        values, axes = np.linalg.eigh(np.eye(len(rows)) - hat[np.ix_(rows, rows)])
        A = axes @ np.diag(values**-0.5) @ axes.T
        variance += float((A @ residual[rows]).sum()) ** 2 / n**2
        vectors.append((np.eye(n) - hat)[:, rows] @ A @ np.ones(len(rows)) / n)
    P = np.array([[a @ b for b in vectors] for a in vectors])
    return float(d.mean()), sqrt(variance), float(np.trace(P) ** 2 / np.sum(P**2))


def answer(found: object) -> list[float]:
    return [float(getattr(found, name)[0]) for name in ("estimate", "standard_error", "df")]


# --- a sample of clusters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "clusters", "wanted"),
    [
        # R 4.2.2, clubSandwich 0.5.8: coef_test(lm(d ~ 1), vcov = "CR2", cluster = g, test = "Satterthwaite")
        (D, G, (0.4, 0.106584680502, 2.24902723735, 3.75288454323, 0.0533861521073)),
        (X, H, (1.35294117647, 0.370222137895, 3.71068725355, 3.65440377003, 0.0246886599428)),
    ],
)
def test_r_says_the_same(d: np.ndarray, clusters: np.ndarray, wanted: tuple[float, ...]) -> None:
    mean, se, df = answer(cluster_means(gather(d, clusters)))
    assert (mean, se, df) == pytest.approx(wanted[:3], rel=1e-10)
    assert mean / se == pytest.approx(wanted[3], rel=1e-10)
    assert 2 * stats.t.sf(mean / se, df) == pytest.approx(wanted[4], rel=1e-9)


@settings(max_examples=30)
@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=7), seed=st.integers(0, 1000))
def test_the_matrix_formula(sizes: list[int], seed: int) -> None:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    d = np.random.default_rng(seed).normal(0.3, 1, (len(codes), 2))
    found = cluster_means(gather(d, codes))
    for column in range(2):
        wanted = by_matrices(d[:, column], codes)
        seen = (found.estimate[column], found.standard_error[column], found.df[column])
        assert seen == pytest.approx(wanted, rel=1e-9)


def test_equal_sizes_are_students_t_of_cluster_means() -> None:
    codes = np.repeat(np.arange(6), 4)
    d = np.random.default_rng(1).normal(size=(24, 1))
    means = d.reshape(6, 4).mean(axis=1)
    for weights in ("items", "clusters"):
        found = cluster_means(gather(d, codes), weights=weights)
        assert answer(found) == pytest.approx([means.mean(), stats.sem(means), 5.0])


def test_singletons_are_students_t_of_items() -> None:
    assert answer(cluster_means(gather(X, np.arange(17)))) == pytest.approx([X.mean(), stats.sem(X[:, 0]), 16.0])


def test_contrasts_are_those_of_differences() -> None:
    y = np.random.default_rng(2).normal(size=(17, 3))
    rows = np.array([[1, -1, 0], [0.5, 0.5, -1]])
    assert cluster_means(gather(y, H), rows).standard_error == pytest.approx(
        cluster_means(gather(y @ rows.T, H)).standard_error
    )


def test_what_sizes_weigh() -> None:
    found = gather(D, G)
    assert isinstance(found, ClusterSums)
    assert found.items == 20
    assert found.effective_number == pytest.approx(400 / 134)
    assert found.largest_share == 0.5
    assert found.means[:, 0] == pytest.approx([0.3, 0.75, 1 / 3, 1 / 3])
    assert gather(np.ones((6, 1)), [1, 1, 2, 2, 3, 3]).effective_number == pytest.approx(3)


def test_flips_of_cluster_sums() -> None:
    """Every cluster's sum is positive: of 2³ signs that differ, one is as extreme."""
    assert joint_flips(gather(D, G).sums).p.tolist() == [1 / 8]


def test_without_spread_the_error_is_zero() -> None:
    found = cluster_means(gather(np.full((17, 1), 0.1), H))
    assert answer(found)[:2] == [pytest.approx(0.1), 0.0]
    assert answer(cluster_means(gather(np.full((17, 1), 0.1), H), weights="clusters"))[1] == 0.0
    assert answer(stratified_means(np.full((17, 1), 0.1), np.repeat([1, 2], [9, 8])))[1] == 0.0


def test_a_hundred_thousand_clusters() -> None:
    codes = np.repeat(np.arange(100_000), 2)
    found = cluster_means(gather(np.random.default_rng(1).normal(size=(200_000, 1)), codes))
    assert found.df[0] == pytest.approx(99_999)


# --- a fixed list of clusters -----------------------------------------------------------------------------------------


def test_strata_by_their_formula() -> None:
    codes = np.repeat([0, 1, 2], [4, 6, 7])
    parts = [X[codes == c, 0] for c in range(3)]
    by_items = stratified_means(X, codes)
    wanted = sqrt(sum(len(x) * x.var(ddof=1) for x in parts)) / 17
    assert answer(by_items)[:2] == pytest.approx([X.mean(), wanted])
    by_clusters = stratified_means(X, codes, weights="clusters")
    error = sqrt(sum(x.var(ddof=1) / len(x) for x in parts)) / 3
    assert answer(by_clusters)[:2] == pytest.approx([np.mean([x.mean() for x in parts]), error])


def test_two_strata_of_equal_weight_are_welchs() -> None:
    codes = np.repeat([0, 1], [7, 10])
    flipped = np.where(codes == 0, 1, -1)[:, None] * X
    welch = stats.ttest_ind(X[:7, 0], X[7:, 0], equal_var=False)
    mean, se, df = answer(stratified_means(flipped, codes, weights="clusters"))
    assert mean / se == pytest.approx(welch.statistic)
    assert df == pytest.approx(welch.df)


# --- resampling -------------------------------------------------------------------------------------------------------


def test_resampled_means_have_the_variance_of_all_resamples() -> None:
    y = np.array([[1.0, 0.2], [3.0, 0.1], [8.0, 0.9], [2.0, 0.4]])
    found = bootstrap_means(y, resamples=50_000, seed=1)
    assert found.shape == (50_000, 2)
    assert np.cov(found.T, ddof=0) == pytest.approx(np.cov(y.T, ddof=0) / 4, rel=0.03)
    assert np.array_equal(found, bootstrap_means(y, resamples=50_000, seed=1))


def test_clusters_are_resampled_whole() -> None:
    y, codes = np.array([[1.0], [2.0], [9.0]]), ["a", "a", "b"]
    found = bootstrap_means(y, codes, resamples=4_000, seed=2)[:, 0]
    shares = {value: np.mean(np.isclose(found, value)) for value in (1.5, 4.0, 9.0)}
    assert list(shares.values()) == pytest.approx([0.25, 0.5, 0.25], abs=0.04)


# --- components of variance -------------------------------------------------------------------------------------------


def test_published_components() -> None:
    """Dyestuff (Davies and Goldsmith 1972; Bates 2010, lme4, section 1.3): variances 1764.05 and 2451.25."""
    yields = [
        [1545, 1440, 1440, 1520, 1580],
        [1540, 1555, 1490, 1560, 1495],
        [1595, 1550, 1605, 1510, 1560],
        [1445, 1440, 1595, 1465, 1545],
        [1595, 1630, 1515, 1635, 1625],
        [1520, 1455, 1450, 1480, 1445],
    ]
    found = variance_components(np.ravel(yields)[:, None], np.repeat(list("ABCDEF"), 5))
    assert found.variances[:, 0] == pytest.approx([1764.05, 2451.25])
    assert found.df == (5, 24)


def test_published_intraclass_correlation() -> None:
    """Shrout and Fleiss (1979), Psychological Bulletin 86, Table 4: ICC(1,1) = .17 of six targets, four judges."""
    ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = variance_components(np.ravel(ratings)[:, None], np.repeat(np.arange(6), 4))
    assert found.shares[0, 0] == pytest.approx(0.17, abs=0.005)


def test_sums_of_squares_of_an_unbalanced_nest_are_those_of_r() -> None:
    """R 4.2.2: anova(lm(x ~ a + a:b)) prints 1.70368627451, 14.682, 9.39666666667 with 2, 6 and 8 df."""
    a = [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]
    b = [1, 1, 2, 2, 2, 3, 1, 1, 2, 3, 3, 1, 2, 2, 3, 3, 3]
    found = variance_components(X, a, b)
    assert found.df == (2, 6, 8)
    assert found.groups == (3, 9)
    # Expected squares by hand: N = 17, n_i = 6, 5, 6, n_ij = 2 3 1 | 2 1 2 | 1 2 3.
    inner = (4 + 9 + 1) / 6 + (4 + 1 + 4) / 5 + (1 + 4 + 9) / 6
    cells, whole = 14 + 9 + 14, 36 + 25 + 36
    cluster, item, within = found.variances[:, 0]
    assert 8 * within == pytest.approx(9.39666666667)
    assert 6 * within + (17 - inner) * item == pytest.approx(14.682)
    assert 2 * within + (inner - cells / 17) * item + (17 - whole / 17) * cluster == pytest.approx(1.70368627451)
    assert cluster < 0 == found.shares[0, 0]


def test_components_are_right_on_average() -> None:
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 6, 12)
    clusters = np.repeat(np.arange(12), 3 * sizes)
    items = np.repeat(np.arange(sizes.sum()), 3)
    effects = rng.normal(0, 2, (12, 400))[clusters] + rng.normal(0, 1, (sizes.sum(), 400))[items]
    found = variance_components(effects + rng.normal(0, 0.5, (len(items), 400)), clusters, items)
    assert found.variances.mean(axis=1) == pytest.approx([4.0, 1.0, 0.25], rel=0.1)
    assert found.shares.sum(axis=0) == pytest.approx(np.ones(400))


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_refusals() -> None:
    with pytest.raises(UsageError, match="Each of 3 rows needs a label in 'clusters'; found the shape \\(2,\\)"):
        gather(np.ones((3, 1)), [1, 2])
    with pytest.raises(UsageError, match="it is missing in row 1"):
        number_labels([np.nan, 1.0], 2)
    with pytest.raises(UsageError, match="finite number; found nan"):
        gather([[np.nan]], [1])
    with pytest.raises(UsageError, match="second cluster"):
        cluster_means(gather(D, np.ones(20)))
    with pytest.raises(UsageError, match="There is no weights 'equal'"):
        cluster_means(gather(D, G), weights="equal")
    with pytest.raises(DegenerateError, match="1 of 6 clusters has one item only"):
        stratified_means(X, H)
    with pytest.raises(DegenerateError, match="Each group of level 1 has one value"):
        variance_components(X, np.arange(17))
    with pytest.raises(DegenerateError, match="Level 1 has one group in the whole"):
        variance_components(X, np.ones(17))
    with pytest.raises(DegenerateError, match="Level 2 has one group in each group of level 1"):
        variance_components(X, H, H)
    with pytest.raises(DegenerateError, match="at least one level"):
        variance_components(X)


def test_labels_of_any_kind() -> None:
    assert number_labels(np.array(["x", 3, "x", (1, 2)], dtype=object), 4).tolist() == [0, 1, 0, 2]
    assert number_labels([2.5, 1.0, 2.5], 3).tolist() == [0, 1, 0]
    assert number_labels(["b", "a", "a"], 3).tolist() == [0, 1, 1]


# --- size -------------------------------------------------------------------------------------------------------------


def test_few_false_claims_with_five_unequal_clusters() -> None:
    """One cluster is as large as all others together; items as independent would claim in half of the cases."""
    rng, wrong, naive = np.random.default_rng(5), 0, 0
    codes = np.repeat(np.arange(5), [40, 10, 10, 10, 10])
    for _ in range(600):
        d = sqrt(0.3) * rng.normal(size=5)[codes] + sqrt(0.7) * rng.normal(size=80)
        mean, se, df = answer(cluster_means(gather(d[:, None], codes)))
        wrong += bool(2 * stats.t.sf(abs(mean) / se, df) <= 0.05)
        naive += bool(stats.ttest_1samp(d, 0).pvalue <= 0.05)
    assert 9 <= wrong <= 52  # 30 expected; standard deviation 5.3
    assert naive > 200
