"""Preparing a run: what is registered, and what is not loaded again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling.split import Sample
from bakeoff.stores.store import Store
from bakeoff.studies.preparing import prepare, responses_for, sample_of, truth_of
from bakeoff.studies.study import Study
from bakeoff.tasks.task import as_task

LEARNERS = {"a": "x.A", "b": "x.B", "c": "x.C"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "study.sqlite")


def test_a_cell_is_found_by_its_number(store: Store) -> None:
    made = Study(["iris", "wine"], LEARNERS, resampling={"scheme": "cv", "folds": 2})
    with store:
        prepared = prepare(made, store)
    assert len(prepared.grid) == 2 * 2 * 3
    found = [prepared.locate(cell) for cell in range(12)]
    assert [learner for learner, _, _ in found] == [0, 1, 2] * 4
    assert [block.task for _, block, _ in found] == [0] * 6 + [1] * 6
    assert [position for _, _, position in found] == [0, 0, 0, 1, 1, 1] * 2


def test_preparing_twice_changes_nothing_and_reads_no_data(store: Store) -> None:
    with store:
        first = prepare(Study("iris", LEARNERS), store)
        assert set(first.loaded) == {0}
        again = prepare(Study("iris", LEARNERS), store)
        assert again.loaded == {}
        assert (again.study_id, again.learner_ids, again.task_ids) == (
            first.study_id,
            first.learner_ids,
            first.task_ids,
        )
        assert again.grid.keys() == first.grid.keys()
        assert again.dataset(0).n == 150, "read when it is needed"


def test_learners_added_later_get_the_same_splits(store: Store) -> None:
    with store:
        few = prepare(Study("iris", {"a": "x.A"}), store)
        many = prepare(Study("iris", LEARNERS), store)
        assert few.grid.split_ids().tolist() == many.grid.split_ids().tolist()
        assert set(few.grid.keys()) < set(many.grid.keys())
        train, test = many.rows_of(store)(int(many.grid.split_ids()[0]))
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(150))


def test_two_names_for_one_data_set_share_it(store: Store) -> None:
    with store:
        prepared = prepare(Study({"one": "iris", "two": "iris"}, LEARNERS), store)
        assert prepared.task_ids[0] == prepared.task_ids[1]


def test_notes_on_data_and_splits_arrive(store: Store) -> None:
    with store:
        prepared = prepare(Study("zoo", LEARNERS, resampling=10), store)
    assert any(note.startswith("zoo: ") and "some folds go without" in note for note in prepared.notes)


def test_the_truth_of_each_kind() -> None:
    labels = truth_of(as_task("t", ([[0.0], [1.0], [2.0]], ["b", "a", "b"])).load())
    assert (labels.kind, labels.values.tolist(), labels.classes) == ("classification", [1, 0, 1], ("a", "b"))
    numbers = truth_of(as_task("t", ([[0.0], [1.0]], [0.5, 1.5])).load())
    assert (numbers.kind, numbers.values.tolist()) == ("regression", [0.5, 1.5])
    density = truth_of(as_task("t", np.eye(3), kind="density").load())
    assert (density.kind, len(density.values)) == ("density", 3)


def test_measures_are_held_against_each_task() -> None:
    iris = as_task("iris", "iris").load()
    assert [made.name for made in responses_for(Study("iris", LEARNERS, measures=["error", "auc"]), iris)] == [
        "error",
        "auc",
    ]
    with pytest.raises(UsageError, match=r"Task 'iris': .*two classes|Task 'iris': .*'f1'"):
        responses_for(Study("iris", LEARNERS, measures="f1"), iris)


def test_what_a_scheme_may_know() -> None:
    data = as_task("t", (np.arange(8.0).reshape(4, 2), ["a", "b"] * 2), groups=[1, 1, 2, 2]).load()
    sample = sample_of(data)
    assert isinstance(sample, Sample)
    assert sample.n == 4
    assert sample.groups is not None
