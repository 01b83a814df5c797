"""MultiTest: orders by hand, from scores, and bad input."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from itertools import combinations

import numpy as np
import pytest
import zoo
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging.order import multitest, order_by_cost
from bakeoff.measures import known_measure
from bakeoff.scores import Scores


@pytest.mark.parametrize(
    ("edges", "order"),
    [
        ([], [0, 1, 2, 3]),
        ([(0, 1), (1, 2), (2, 3)], [3, 2, 1, 0]),
        ([(0, 3)], [1, 2, 3, 0]),
        ([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], [3, 2, 1, 0]),
    ],
)
def test_orders_by_hand(edges: list[tuple[int, int]], order: list[int]) -> None:
    assert order_by_cost([0, 1, 2, 3], edges) == order


@given(k=st.integers(1, 6), seed=st.integers(0, 1000))
def test_nobody_stands_before_a_costlier_one_that_beats_him(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cost = rng.permutation(k).tolist()
    edges = [(cost[i], cost[j]) for i, j in combinations(range(k), 2) if rng.random() < 0.4]
    order = order_by_cost(cost, edges)
    assert sorted(order) == list(range(k))
    assert all(order.index(j) < order.index(i) for i, j in edges)


def scores(lead: tuple[float, ...], larger: bool = True, kind: str = "task") -> Scores:
    rng = np.random.default_rng(1)
    n, k = 20, len(lead)
    values = 0.7 + 0.1 * rng.normal(size=(n, 1)) + np.array(lead) + 0.01 * rng.normal(size=(n, k))
    row, column = (part.ravel() for part in np.indices(values.shape))
    measure = known_measure("accuracy" if larger else "error")
    assert measure is not None
    blocks = {kind: [f"{kind}{i}" for i in row]}
    names = ["ada", "bob", "cyd", "dee"]
    return Scores.of(
        (values if larger else 1 - values).ravel(),
        learner=[names[j] for j in column],
        measures={measure.name: measure},
        **blocks,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("larger", [True, False])
@pytest.mark.parametrize("procedure", [None, "wilcoxon", "sign", "friedman"])
def test_a_costlier_learner_must_be_better(larger: bool, procedure: str | None) -> None:
    found = multitest(scores((0, 0.1, 0.1), larger), cost_order=["ada", "bob", "cyd"], procedure=procedure)
    assert found.order[-1] == "ada"
    assert found.order == ("bob", "cyd", "ada")
    turned = multitest(scores((0, 0.1, 0.1), larger), cost_order=["cyd", "bob", "ada"], procedure=procedure)
    assert turned.order == ("cyd", "bob", "ada")
    assert not any(test.beats for test in turned.tests if test.costlier == "ada")


def test_what_is_shown() -> None:
    found = multitest(scores((0, 0.1, 0.2)), cost_order=["ada", "bob", "cyd"], procedure="wilcoxon")
    assert found.best == "cyd"
    assert "First is cyd: it is significantly better than the cheaper ada and bob" in found.to_text().replace("\n", " ")
    assert "Holm adjustment" in found.heading
    assert found.to_dict()["order"] == ["cyd", "bob", "ada"]
    assert '"sentence"' in found.to_json()
    assert "<table>" in found._repr_html_()
    assert str(found) == found.to_text()
    with pytest.raises(FrozenInstanceError):
        found.alpha = 0.1  # type: ignore[misc]


def test_p_values_are_one_sided_and_adjusted() -> None:
    table = scores((0, 0.004, 0.006))
    plain = multitest(table, cost_order=["ada", "bob", "cyd"], procedure="wilcoxon", adjust="none")
    holm = multitest(table, cost_order=["ada", "bob", "cyd"], procedure="wilcoxon", adjust="holm")
    sharper = multitest(table, cost_order=["ada", "bob", "cyd"], procedure="wilcoxon", adjust="shaffer")
    p = sorted(test.p for test in plain.tests)
    assert [test.p for test in plain.tests] == [test.p_adjusted for test in plain.tests]
    assert min(test.p_adjusted for test in holm.tests) == pytest.approx(3 * p[0])
    assert all(a.p_adjusted <= b.p_adjusted for a, b in zip(sharper.tests, holm.tests, strict=True))
    assert "no adjustment" in plain.heading


def test_the_public_name() -> None:
    assert bakeoff.multitest is multitest


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (["ada", "bob"], "not in it: cyd"),
        (["ada", "bob", "cyd", "cyd"], "names 'cyd' twice"),
        (["ada", "bob", "cid"], "Did you mean 'cyd'"),
    ],
)
def test_the_cost_order_names_every_learner_once(cost: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        multitest(scores((0, 0, 0)), cost_order=cost)


def test_procedures_without_sides_are_refused() -> None:
    with pytest.raises(UsageError, match="needs one-sided tests of pairs"):
        multitest(scores((0, 0, 0), kind="fold"), cost_order=["ada", "bob", "cyd"], procedure="closed-testing")
    with pytest.raises(UsageError, match="needs one-sided tests of pairs"):
        multitest(scores((0, 0, 0), kind="fold"), cost_order=["ada", "bob", "cyd"], procedure="permutation")
    single = scores((0, 0.1)).only(tasks=["task1"])
    with pytest.raises(MisfitError, match="No procedure with one-sided tests"):
        multitest(single, cost_order=["ada", "bob"])


def test_without_a_procedure_the_advisor_chooses() -> None:
    assert multitest(scores((0, 0.1), kind="fold"), cost_order=["ada", "bob"]).procedure == "corrected-t"


def test_runs_of_which_nothing_is_known_are_warned_of() -> None:
    rng = np.random.default_rng(0)
    runs = Scores.of(
        0.2 + 0.02 * rng.random(20),
        learner=["a"] * 10 + ["b"] * 10,
        repeat=[str(i) for i in range(10)] * 2,
        measures={"error": zoo.measure("error")},
    )
    made = multitest(runs, cost_order=["a", "b"])
    assert [warning.code for warning in made.warnings] == ["unknown-runs"]
    assert "Warning [unknown-runs]" in made.to_text()
    assert multitest(runs, cost_order=["a", "b"], procedure="corrected-t", ratio=1.0).warnings == ()
