"""From a store to Scores."""

from __future__ import annotations

import numpy as np
import pytest
from store_contract import SCHEME, Registered, failed, folds, ok, task_record

from bakeoff.errors import InputError, MisfitError
from bakeoff.judging import judge
from bakeoff.scores import Missing, blocks
from bakeoff.stores.scores import scores_of
from bakeoff.stores.store import Store


def test_scores_of_a_finished_study(store: Store) -> None:
    ours = Registered(store, splits=folds(3, repeats=2))
    ours.fill([0, 2])
    scores = scores_of(store, ours.key, ["error"])
    made = blocks(scores)
    assert scores.learners == ("learner 0", "learner 1")
    assert made.values.tolist() == [[0.0, 0.5]] * 6
    assert scores.notes == ("Study our study (study key), stored in study.sqlite.", "ours: a note")
    assert scores.source == "study.sqlite"
    assert scores.measures["error"].better == "smaller"


def test_all_measures_of_the_study(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 2])
    scores = scores_of(store, ours.key)
    assert scores.measure.labels == ("error", "auc")
    assert "auc was computed from stored predictions, after the run." in scores.notes


def test_failures_are_rows_without_a_value(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 2])
    before = scores_of(store, ours.key, ["error"])
    ours = Registered(store, learners=3)
    ours.write((2, 0, failed("it broke")), (2, 1, ok()), (2, 2, ok()))
    scores = scores_of(store, ours.key, ["error"])
    assert len(scores) == len(before) + 3
    (row,) = np.flatnonzero(np.isnan(scores.value))
    assert scores.status.values()[row] == "error"
    assert scores.message.values()[row] == "it broke"
    with pytest.raises(MisfitError, match=r"1 of 9 cells of study\.sqlite have no value for error"):
        blocks(scores)
    assert blocks(scores, missing=Missing.DROP_BLOCK).n_blocks == 2


def test_what_is_left_is_counted(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ok()))
    assert "5 of 6 cells were not run yet." in scores_of(store, ours.key, ["error"]).notes


def test_nothing_was_run(store: Store) -> None:
    with pytest.raises(InputError, match="No cell of the study has been run to its end yet"):
        scores_of(store, Registered(store).key)


def test_several_tasks_under_the_names_of_the_study(store: Store) -> None:
    ours = Registered(store)
    other = store.add_task(task_record("other"))
    store.add_splits(other, SCHEME, {"scheme": "cv"}, 1, folds(4))
    store.link(
        ours.study,
        [(other, "second", SCHEME), (ours.task, "first", SCHEME)],
        [(number, f"learner {i}") for i, number in enumerate(ours.learners)],
        [("error", {})],
    )
    ours.fill([0, 1])
    mine = ours.splits
    ours.splits = store.splits_of(other, SCHEME) or []
    ours.fill([0, 1])
    assert len(ours.splits) + len(mine) == 7
    scores = scores_of(store, ours.key)
    assert scores.tasks == ("second", "first")
    assert len(scores) == 14


def test_a_reader_gives_the_same_as_the_writer(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 1])
    with Store.read(store.path) as reader:
        np.testing.assert_array_equal(scores_of(reader, ours.key).value, scores_of(store, ours.key).value)


def test_a_verdict_from_a_store(store: Store) -> None:
    ours = Registered(store, splits=folds(3, repeats=10))
    ours.write(*((0, split, ours.wrong_in(split, split % 2)) for split in range(30)))
    ours.write(*((1, split, ours.wrong_in(split, 2)) for split in range(30)))
    verdict = judge(scores_of(store, ours.key, ["error"]), "corrected-t", anyway=True)
    assert verdict.order


def test_instances(store: Store) -> None:
    from bakeoff.resampling.split import Splits

    ours = Registered(store, splits=Splits(folds(3).splits[:1]))
    ours.fill([0, 2])
    scores = scores_of(store, ours.key, ["error"], instances=True)
    assert len(scores) == 8
    assert scores.notes == ("Study our study (study key), stored in study.sqlite.",)
