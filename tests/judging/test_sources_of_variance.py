"""Where variance lies: components that were put in come back, and the standard error is that of the means."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.judging import judge
from bakeoff.judging.sources_of_variance import SourcesOfVariance
from bakeoff.measures import known_measure
from bakeoff.scores import Labels, Scores
from bakeoff.scores.table import with_clusters


def scores(values: np.ndarray, *, clusters: int = 0, own_runs: bool = False) -> Scores:
    """Learners × items × answers."""
    _, n, r = values.shape
    learner, item, answer = (index.ravel() for index in np.indices(values.shape))
    measure = known_measure("rmse")
    assert measure is not None
    runs = [f"{j}-{e}" if own_runs else str(e) for j, e in zip(learner, answer, strict=True)]
    made = Scores.of(
        values.ravel(),
        learner=[f"m{j}" for j in learner],
        instance=[str(i) for i in item],
        repeat=runs if r > 1 else None,
        measures={"rmse": measure},
    )
    if clusters:
        made = with_clusters(made, "passage", Labels.of([str(i * clusters // n) for i in item]), fixed=False)
    return made


def drawn(
    rng: np.random.Generator, n: int, r: int, *, item: float, sampling: float, C: int = 0, cluster: float = 0.0
) -> np.ndarray:
    values = item * rng.normal(size=(2, n, 1)) + sampling * rng.normal(size=(2, n, r))
    if C:
        values += cluster * rng.normal(size=(2, C, 1))[:, np.arange(n) * C // n]
    return 9 + values


@pytest.mark.parametrize("own_runs", [False, True])
def test_what_was_put_in_comes_back(own_runs: bool) -> None:
    rng = np.random.default_rng(3)  # runs that are alike seem to differ in 5 % of cases, of which 1 is one
    found = judge(scores(drawn(rng, 2000, 5, item=0.6, sampling=0.8), own_runs=own_runs)).sources
    assert found is not None
    assert found.items == pytest.approx(2 * 0.36, rel=0.1)
    assert found.sampling == pytest.approx(2 * 0.64, rel=0.05)
    assert found.answers == pytest.approx(5)
    assert found.shares == pytest.approx({"items": 0.36, "sampling": 0.64}, abs=0.03)


def test_the_standard_error_is_that_of_item_means() -> None:
    values = drawn(np.random.default_rng(2), 40, 3, item=1.0, sampling=1.0)
    found = judge(scores(values)).sources
    assert found is not None
    d = (values[0] - values[1]).mean(axis=1)
    assert found.standard_error() == pytest.approx(d.std(ddof=1) / 40**0.5)
    assert found.standard_error(answers=np.inf) == pytest.approx((found.items / 40) ** 0.5)
    assert found.standard_error(items=2) == pytest.approx(found.standard_error() / 2**0.5)


def test_clusters_have_their_part() -> None:
    rng = np.random.default_rng(3)
    values = drawn(rng, 4000, 3, item=0.5, sampling=0.5, C=400, cluster=0.7)
    found = judge(scores(values, clusters=400)).sources
    assert found is not None
    parts = np.array([0.49, 0.25, 0.25]) / 0.99
    assert list(found.shares.values()) == pytest.approx(parts.tolist(), abs=0.04)
    assert found.standard_error(items=np.inf) == pytest.approx((found.cluster / 400) ** 0.5)
    assert "lies between clusters" in found.sentence
    assert "of these clusters" in found.sentence


def test_one_learner_and_clusters_alone() -> None:
    rng = np.random.default_rng(4)
    values = drawn(rng, 600, 1, item=1.0, sampling=0.0, C=60, cluster=1.0)[:1]
    found = judge(scores(values, clusters=60)).sources
    assert isinstance(found, SourcesOfVariance)
    assert found.second == ""
    assert set(found.shares) == {"cluster", "items"}
    assert "the scores of m0" in found.sentence


def test_one_source_is_not_divided() -> None:
    assert judge(scores(drawn(np.random.default_rng(5), 40, 1, item=1.0, sampling=0.0))).sources is None
    same = np.repeat(np.random.default_rng(6).normal(size=(1, 40, 3)) + 9, 2, axis=0)
    assert judge(scores(same)).sources is None
