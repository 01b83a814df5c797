"""Instances in clusters and strata: limits, weights, refusals, and flips of whole clusters by definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import advise, analyse, judge
from bakeoff.mathematics.clusters import cluster_means, gather
from bakeoff.mathematics.laws import percentile_interval
from bakeoff.measures import known_measure
from bakeoff.procedures.clusters import (
    cluster_bootstrap,
    cluster_flips,
    cluster_mean,
    cluster_t,
    stratified_mean,
    stratified_t,
)
from bakeoff.scores import Labels, Scores
from bakeoff.scores.table import with_clusters

PAIR = np.array([[1.0, -1.0]])


def scores(values: np.ndarray, clusters: np.ndarray, *, fixed: bool = False) -> Scores:
    n, k = values.shape
    measure = known_measure("rmse")
    assert measure is not None
    made = Scores.of(
        values.ravel(),
        learner=[f"m{j}" for _ in range(n) for j in range(k)],
        instance=[str(i) for i in range(n) for _ in range(k)],
        measures={"rmse": measure},
    )
    labels = Labels.of([str(c) for c in np.repeat(clusters, k)])
    return with_clusters(made, "passage", labels, fixed=fixed)


def drawn(C: int, m: int, k: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(C), m)
    return rng.normal(size=(C, k))[clusters] + rng.normal(size=(C * m, k)), clusters


def test_clusters_of_one_size_are_students_t_on_their_means() -> None:
    values, clusters = drawn(6, 4, 2)
    means = (values[:, 0] - values[:, 1]).reshape(6, 4).mean(axis=1)
    for weights in ("items", "clusters"):
        found = cluster_t(values[:, 0], values[:, 1], clusters, weights=weights)
        assert found.df == pytest.approx((5.0,))
        assert found.statistic == pytest.approx(means.mean() / (means.std(ddof=1) / 6**0.5))


def test_weights_are_different_questions() -> None:
    x, clusters = np.array([1.0, 1, 1, 1, 0, 0]), np.array([0, 0, 0, 0, 1, 2])
    assert cluster_mean(x, clusters).estimate == pytest.approx(4 / 6)
    assert cluster_mean(x, clusters, weights="clusters").estimate == pytest.approx(1 / 3)
    with pytest.raises(UsageError, match="weights"):
        cluster_mean(x, clusters, weights="rows")


def test_flips_of_whole_clusters_by_definition() -> None:
    values, _ = drawn(7, 3, 2, seed=5)
    clusters = np.repeat(np.arange(7), [1, 2, 3, 4, 5, 3, 3])
    joint = cluster_flips(values, clusters).joint
    assert joint is not None
    found = joint.test(PAIR, 0.05, "two-sided")
    S = gather((values[:, 0] - values[:, 1])[:, None], clusters).sums[:, 0]
    all_flips = np.abs([np.dot(signs, S) for signs in product((-1, 1), repeat=7)])
    assert found.p[0] == pytest.approx(np.mean(all_flips >= abs(S.sum()) - 1e-12))
    errors = cluster_means(gather(values, clusters), PAIR)
    assert found.statistic[0] == pytest.approx(errors.t[0])
    low, high = (float(end[0]) for end in (found.intervals.lower, found.intervals.upper))
    wanted = errors.intervals(0.95)
    assert (low, high) == pytest.approx((float(wanted.lower[0]), float(wanted.upper[0])))


def test_intervals_of_many_are_wider_and_agree_with_p() -> None:
    values, clusters = drawn(12, 5, 5, seed=3)
    values[:, 0] += 1.6
    finding = analyse(scores(values, clusters), "cluster-flips")
    alone = analyse(scores(values, clusters), "cluster-flips", adjust="none")
    for row, single in zip(finding.pairs, alone.pairs, strict=True):
        assert (row.lower > 0 or row.upper < 0) == (row.p_adjusted <= 0.05)
        if row.interval == "simultaneous":
            assert row.upper - row.lower >= single.upper - single.lower


@pytest.mark.parametrize(("C", "wanted"), [(3, "cluster-t"), (7, "cluster-t"), (8, "cluster-flips")])
@pytest.mark.parametrize("k", [2, 4])
def test_the_number_of_clusters_decides(C: int, wanted: str, k: int) -> None:
    values, clusters = drawn(C, 6, k)
    assert advise(scores(values, clusters)).recommended == wanted
    if wanted == "cluster-t":
        assert judge(scores(values, clusters)).finding.adjust == ("holm" if k > 2 else "none")


def test_two_clusters_are_refused() -> None:
    values, clusters = drawn(2, 30, 2)
    with pytest.raises(MisfitError, match=r"too-few-clusters.*2 clusters \(passage\).*--strata passage"):
        judge(scores(values, clusters))
    with pytest.raises(MisfitError, match="at least 3 clusters, and there are 2"):
        analyse(scores(values, clusters), "cluster-t", anyway=True)


def test_what_ignores_clusters_is_refused_unless_insisted_on() -> None:
    values, clusters = drawn(10, 6, 2)
    with pytest.raises(MisfitError, match=r"60 of them lie in 10 clusters \(passage\), which they resemble"):
        analyse(scores(values, clusters), "paired-t")
    verdict = judge(scores(values, clusters), "paired-t", anyway=True)
    assert "dependent-instances" in {warning.code for warning in verdict.warnings}


def test_percentiles_of_few_clusters_are_refused() -> None:
    values, clusters = drawn(20, 6, 2)
    with pytest.raises(MisfitError, match="should have 50 clusters or more, and there are 20"):
        analyse(scores(values, clusters), "cluster-bootstrap")
    values, clusters = drawn(60, 3, 2)
    row = analyse(scores(values, clusters), "cluster-bootstrap", resamples=999).pairs[0]
    assert (row.lower > 0 or row.upper < 0) == (row.p <= 0.05)


def test_the_interval_of_draws_agrees_with_its_p() -> None:
    rng = np.random.default_rng(4)
    for shift in np.linspace(-3, 3, 41):
        draws = np.sort(rng.normal(size=199) + shift)
        for side in ("two-sided", "greater", "less"):
            low, high, p = percentile_interval(draws, 0.1, side)
            assert (low > 0 or high < 0) == (p <= 0.1)


def test_warnings_of_unequal_clusters() -> None:
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(5), [60, 10, 5, 5, 5])
    verdict = judge(scores(rng.normal(size=(85, 2)), clusters))
    codes = {warning.code: warning.text for warning in verdict.warnings}
    assert {"few-clusters", "large-cluster", "unequal-clusters"} <= set(codes)
    assert "as much as 1.91 of equal size" in codes["unequal-clusters"]
    assert (
        "(passage: a sample of such; as much as 1.91 of equal size; every instance counts alike)" in verdict.paragraph
    )
    other = judge(scores(rng.normal(size=(85, 2)), clusters), weights="clusters")
    assert "unequal-clusters" not in {warning.code for warning in other.warnings}
    assert "every cluster counts alike" in other.paragraph


def test_positions_follow_the_weights() -> None:
    values = np.array([[0.0, 1.0]] * 8 + [[1.0, 0.0], [1.0, 0.1], [0.9, 0.0]]) + 0.01 * np.arange(11)[:, None] % 0.03
    clusters = np.array([0] * 8 + [1, 2, 3])
    by_items, by_clusters = (judge(scores(values, clusters), "cluster-t", weights=w) for w in ("items", "clusters"))
    assert by_items.ranking == ("m0", "m1")
    assert by_clusters.ranking == ("m1", "m0")
    assert by_clusters.means == pytest.approx(dict(by_clusters.finding.position))
    assert by_clusters.finding.effects[0].difference == pytest.approx(by_clusters.finding.pairs[0].estimate)


# --- strata -----------------------------------------------------------------------------------------------------------


def test_strata_count_what_is_within() -> None:
    a = np.array([1.0, 2, 3, 11, 12, 13, 21, 22, 23])
    found = stratified_t(a, np.zeros(9), np.repeat([0, 1, 2], 3))
    assert found.details["standard_error"] == pytest.approx((3 * 3 * 1.0) ** 0.5 / 9)
    assert stratified_mean(a, np.repeat([0, 1, 2], 3)).estimate == pytest.approx(12.0)


def test_a_fixed_list_speaks_about_these_strata() -> None:
    values, clusters = drawn(6, 10, 3)
    verdict = judge(scores(values, clusters, fixed=True))
    assert verdict.finding.procedure == "stratified-t"
    assert "on new instances of these very 6 strata (passage)" in verdict.paragraph
    assert "(passage: a fixed list)" in verdict.paragraph


def test_strata_of_one_instance_are_refused() -> None:
    values, _ = drawn(6, 3, 2)
    clusters = np.array([0] * 10 + [1] * 7 + [2])
    with pytest.raises(MisfitError, match="needs two instances in each"):
        analyse(scores(values, clusters, fixed=True), "stratified-t")


# --- degenerate -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compute", [cluster_t, stratified_t, cluster_bootstrap])
def test_columns_that_are_the_same_are_no_evidence(compute: object) -> None:
    values, clusters = drawn(4, 5, 1)
    found = compute(values[:, 0], values[:, 0], clusters)  # type: ignore[operator]
    assert (found.p, found.estimate) == (1.0, 0.0)
    with pytest.raises(DegenerateError, match="Report the difference itself"):
        compute(values[:, 0] + 0.5, values[:, 0], clusters)  # type: ignore[operator]


def test_all_items_equal() -> None:
    with pytest.raises(DegenerateError, match=r"0\.5 in every cluster"):
        cluster_mean(np.full(9, 0.5), np.repeat([0, 1, 2], 3))
    verdict = judge(scores(np.full((40, 2), 0.5), np.repeat(np.arange(10), 4)))
    assert {judged.decision.value for judged in verdict.decisions} == {"undecided"}
