"""MultiTest: orders by hand, from scores, and bad input."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import zoo
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff.cli import main
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging.order import layers, multitest, order_by_cost
from bakeoff.measures import known_measure
from bakeoff.scores import Scores, read_scores


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


# ----------------------------------------------------------------------------------------------------------------------
# Without a cost, and by a measured one.


def _costs(tmp_path: Path) -> Scores:
    rng, lines = np.random.default_rng(4), ["learner,fold,error,parameters"]
    for name, error, size in (("tree", 0.30, 100), ("mlp", 0.199, 20_000), ("svm", 0.2, 5_000)):
        lines += [f"{name},{fold},{error + 0.02 * rng.standard_normal():.6f},{size}" for fold in range(10)]
    path = tmp_path / "cost.csv"
    path.write_text("\n".join(lines) + "\n")
    return read_scores(path)


def test_a_measured_cost_is_a_cost_order(tmp_path: Path) -> None:
    scores = _costs(tmp_path)
    by_measure = multitest(scores, measure="error", cost_measure="parameters")
    by_order = multitest(scores.only(measure="error"), cost_order=["tree", "svm", "mlp"])
    assert by_measure.cost_order == by_order.cost_order == ("tree", "svm", "mlp")
    assert by_measure.order == by_order.order == ("svm", "mlp", "tree")
    assert by_measure.tests == by_order.tests
    assert by_measure.costs == {"tree": 100, "mlp": 20_000, "svm": 5_000}
    assert "Cost (parameters), cheapest first: tree (100), svm (5000), mlp (20000)." in by_measure.to_text()


def test_without_a_cost_the_order_is_one_of_groups(tmp_path: Path) -> None:
    found = multitest(_costs(tmp_path).only(measure="error"))
    assert set(found.groups[0]) == {"svm", "mlp"}
    assert found.groups[1] == ("tree",)
    assert len(found.tests) == 6  # both ways
    assert "Within a group nothing is claimed" in found.sentence
    assert max(test.p_adjusted for test in found.tests if test.beats) <= 0.05


def test_groups_of_tests_that_go_round_in_a_circle() -> None:
    assert layers(["a", "b", "c"], {("a", "b"), ("b", "c"), ("c", "a")}) == (("a", "b", "c"),)


def test_without_a_cost_few_orders_are_claimed_under_the_null() -> None:
    rng = np.random.default_rng(1)
    claimed = sum(
        len(multitest(zoo.table(rng.standard_normal((12, 3)), kind="tasks"), procedure="wilcoxon").groups) > 1
        for _ in range(200)
    )
    assert claimed / 200 <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


def test_a_cost_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _costs(tmp_path)
    path = str(tmp_path / "cost.csv")
    assert main(["order", path, "--measure", "error", "--cost-measure", "parameters"]) == 0
    assert "The whole order: svm, mlp, tree." in capsys.readouterr().out
    assert main(["order", path, "--measure", "error"]) == 0
    assert "then tree" in capsys.readouterr().out
    assert main(["order", path, "--measure", "error", "--cost-measure", "weights"]) == 2
    assert "'weights'" in capsys.readouterr().err
