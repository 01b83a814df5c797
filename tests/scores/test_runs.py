"""What runs of one task are, where their numbers do not tell: said by the user."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import numpy as np
import pytest
import zoo

from bakeoff.errors import UsageError
from bakeoff.scores import Scores, layout, read_scores
from bakeoff.scores.provenance import Provenance
from bakeoff.scores.runs import declared
from bakeoff.scores.splitting import Runs


def runs(n: int = 4, **sizes: float) -> Scores:
    column = {name: np.full(2 * n, size) for name, size in sizes.items()}
    return Scores.of(
        np.linspace(0.1, 0.3, 2 * n),
        learner=["a"] * n + ["b"] * n,
        repeat=[str(i) for i in range(n)] * 2,
        measures={"error": zoo.measure("error")},
        **column,  # type: ignore[arg-type]
    )


def test_runs_of_which_nothing_is_known_may_overlap() -> None:
    facts = layout(runs())
    assert facts.are_runs
    assert facts.runs_may_overlap
    assert isnan(facts.test_train_ratio)


@pytest.mark.parametrize(("said", "may"), [("independent", False), ("fixed-split", False)])
def test_a_declaration_settles_it(said: str, may: bool) -> None:
    made = declared(runs(), said)
    assert made.splitting.runs is Runs(said)
    assert layout(made).runs_may_overlap is may
    assert made.notes[-1].endswith("as you said")


def test_random_splits_come_with_a_ratio() -> None:
    with pytest.raises(UsageError, match="--ratio 1 for halves"):
        declared(runs(), "random-splits")
    made = declared(runs(), "random-splits", 0.5)
    assert layout(made).test_train_ratio == 0.5
    assert layout(made).runs_may_overlap


def test_a_ratio_alone_says_that_they_are_random_splits() -> None:
    assert declared(runs(), None, 1).splitting.runs is Runs.RANDOM_SPLITS


def test_sizes_are_a_ratio() -> None:
    assert layout(declared(runs(n_train=100, n_test=50), "random-splits")).test_train_ratio == 0.5
    assert layout(declared(runs(n_train=100, n_test=50), None, 0.25)).test_train_ratio == 0.25


@pytest.mark.parametrize(
    ("said", "ratio", "what"),
    [
        ("randomsplits", None, "Did you mean 'random-splits'"),
        ("random-splits", -1, "positive number; found -1"),
        (None, float("nan"), "positive number; found nan"),
        ("independent", 0.5, "leave one of the two out"),
    ],
)
def test_mistakes_are_told(said: str | None, ratio: float | None, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        declared(runs(), said, ratio)


def test_what_contradicts_the_table_is_refused() -> None:
    folds = zoo.table(np.ones((4, 2)), kind="kfold")
    with pytest.raises(UsageError, match="training sets of folds overlap"):
        declared(folds, "independent")
    assert layout(declared(folds, None, 0.5)).test_train_ratio == 0.5
    with pytest.raises(UsageError, match="has no two runs of"):
        declared(zoo.table(np.ones((4, 2)), kind="tasks"), "independent")


def test_nothing_said_changes_nothing() -> None:
    table = runs()
    assert declared(table, None) is table


def test_scores_of_a_study_are_marked() -> None:
    from dataclasses import replace

    came = Provenance("s", "0123456789", ())
    made = declared(replace(runs(), provenance=came), "independent")
    assert made.provenance is not None
    assert "sample of its own" in made.provenance.changes[0]


def test_a_file_can_say_it(tmp_path: Path) -> None:
    made = declared(runs(), None, 0.5)
    path = tmp_path / "runs.csv"
    made.to_frame().to_csv(path, index=False)
    assert read_scores(path).splitting == made.splitting
