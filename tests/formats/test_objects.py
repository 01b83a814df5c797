"""Results in memory: dicts of cross_validate, frames by name, records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff import UsageError, read_scores
from bakeoff.formats.objects import table_of


def cross_validated(*scores: float, negated: bool = False) -> dict[str, Any]:
    """As cross_validate(…, return_indices=True) gives it."""
    n = len(scores)
    test = {"test_neg_log_loss": -np.array(scores)} if negated else {"test_score": np.array(scores)}
    indices = {"train": [np.arange(40)] * n, "test": [np.arange(10) + 10 * i for i in range(n)]}
    return {"fit_time": np.ones(n), "score_time": np.ones(n), "train_score": np.ones(n), "indices": indices, **test}


def test_cross_validate_by_learner() -> None:
    results = {"tree": cross_validated(0.9, 0.8, 0.7), "svm": cross_validated(0.85, 0.8, 0.9)}
    scores = read_scores(results)
    assert scores.learners == ("tree", "svm")
    assert scores.value.tolist() == [0.9, 0.8, 0.7, 0.85, 0.8, 0.9]
    assert set(scores.n_train) == {40.0}
    assert scores.measures["score"].larger_is_better, "as every scorer of scikit-learn"
    assert bakeoff.judge(results).finding.procedure == "corrected-t"
    losses = read_scores({"tree": cross_validated(0.3, 0.2, negated=True)})
    assert losses.value.tolist() == [0.3, 0.2]
    assert not losses.measures["log_loss"].larger_is_better


def test_cross_validate_by_task_and_learner() -> None:
    tasks = {task: {"tree": cross_validated(0.9, 0.8), "svm": cross_validated(0.7, 0.6)} for task in ("iris", "wine")}
    scores = read_scores(tasks)
    assert (scores.tasks, scores.learners) == (("iris", "wine"), ("tree", "svm"))


def test_other_splits_are_told() -> None:
    other = cross_validated(0.7, 0.6)
    other["indices"]["test"] = other["indices"]["test"][::-1]
    (doubt,) = read_scores({"tree": cross_validated(0.9, 0.8), "svm": other}).doubts
    assert doubt.code == "asked-otherwise"
    assert "splits" in str(doubt)


def test_a_search_is_a_table_of_candidates() -> None:
    found = {
        "params": [{"depth": 1}, {"depth": 2}],
        "mean_fit_time": np.ones(2),
        "split0_test_score": np.array([0.5, 0.6]),
        "split1_test_score": np.array([0.7, 0.8]),
        "mean_test_score": np.array([0.6, 0.7]),
        "rank_test_score": np.array([2, 1]),
    }
    scores = read_scores(found)
    assert len(scores.learners) == 2
    assert len(scores) == 4


def test_frames_records_and_columns() -> None:
    first = pd.DataFrame({"fold": [1, 2], "accuracy": [0.5, 0.6]})
    assert read_scores({"a": first, "b": first}).learners == ("a", "b")
    records = [{"model": "a", "task": "t", "acc": 0.5}, {"model": "b", "task": "t", "acc": 0.6}]
    assert read_scores(records).value.tolist() == [0.5, 0.6]
    assert table_of([{"dataset": ["x", "y"], "svm": [1.0, 2.0]}]).names == ("dataset", "svm")


def test_how_a_table_is_read_is_said_to_judge() -> None:
    frame = pd.DataFrame({"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.3, 0.1, 0.5]})
    assert bakeoff.judge(frame, rows="tasks", larger_is_better=True).finding.procedure == "wilcoxon"
    assert bakeoff.advise(frame, rows="tasks", larger_is_better=True).recommended
    assert bakeoff.analyse(frame, "sign", rows="tasks", larger_is_better=True).procedure == "sign"
    read = read_scores(frame, rows="tasks", larger_is_better=True)
    with pytest.raises(UsageError, match="rows= says how a table is read; these scores have been read already"):
        bakeoff.judge(read, rows="tasks")


@pytest.mark.parametrize(
    "given", [5, [], {}, {"a": 5}, {"tree": {"test_score": [1, 2], "test_f1": [1], "fit_time": []}}]
)
def test_anything_else_is_a_sentence(given: Any) -> None:
    with pytest.raises(bakeoff.BakeoffError):
        read_scores(given)
