"""Failures, grouped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from store_contract import SCHEME, N, Registered, failed, folds, ok

from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.resampling.split import APPARENT, Split, Splits
from bakeoff.results.status import EXAMPLES, FitNote, Part, Progress, failures, progress, remarks
from bakeoff.running.work import Status
from bakeoff.store.writer import Store
from bakeoff.study.run import run_study
from bakeoff.study.study import Study


def test_no_failures(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, failed()), (0, 0, ok()))
    assert failures(store, ours.key) == []


def test_groups_and_examples(store: Store) -> None:
    ours = Registered(store)
    ours.write((1, 0, failed("no memory", Status.MEMORY)), (1, 1, failed("no memory", Status.MEMORY)))
    ours.write((0, 2, failed("once")), (0, 2, failed("again")), (1, 2, failed("other")))
    found = failures(store, ours.key)
    assert [(group.learner, group.status, group.message, group.count) for group in found] == [
        ("learner 1", "memory", "no memory", 2),
        ("learner 0", "error", "again", 1),
        ("learner 1", "error", "other", 1),
    ]
    example = found[1].examples[0]
    assert (example.task, example.repeat, example.fold, example.tries) == ("ours", 1, 3, 2)
    assert example.detail == "Traceback"
    assert example.seed == 7


def test_the_fit_to_all_rows_is_called_by_its_name(store: Store) -> None:
    whole = Split(0, 1, np.arange(N, dtype=np.int32), np.arange(N, dtype=np.int32), APPARENT)
    ours = Registered(store, splits=Splits((whole, *folds(2).splits)), scheme="632")
    ours.write((0, 0, failed("apparently")), (0, 1, failed("left out")))
    apparent, left_out = failures(store, ours.key)
    assert (apparent.message, left_out.message) == ("apparently", "left out")
    assert apparent.examples[0].where == "task ours, apparent fit (to the whole learning sample)"
    assert (apparent.examples[0].role, left_out.examples[0].role) == ("apparent", "test")
    assert left_out.examples[0].where == "task ours, repeat 1, fold 1"


def test_few_examples_of_many(store: Store) -> None:
    ours = Registered(store, splits=folds(6))
    ours.write(*((0, split, failed()) for split in range(6)))
    (group,) = failures(store, ours.key)
    assert group.count == 6
    assert len(group.examples) == EXAMPLES
    assert group.tasks == ("ours",)


def test_a_learner_under_two_names_fails_under_both(store: Store) -> None:
    ours = Registered(store)
    store.link(ours.study, [(ours.task, "t", SCHEME)], [(ours.learners[0], "a"), (ours.learners[0], "b")])
    ours.write((0, 0, failed()))
    assert [group.learner for group in failures(store, ours.key)] == ["a", "b"]


# ----------------------------------------------------------------------------------------------------------------------
# How far a study is.


def test_nothing_was_run(store: Store) -> None:
    found = progress(store, Registered(store).key)
    assert (found.cells, found.ok, found.failed, found.left) == (6, 0, 0, 6)
    assert found.seconds_left is None
    assert found.by_status == {"left": 6}


def test_some_were_run(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ours.wrong_in(0, 1)), (0, 1, failed()), (1, 0, failed(status=Status.CRASH)))
    ours.write((0, 1, failed(status=Status.TIMEOUT)))
    store.finish_run(ours.run)
    found = progress(store, ours.key)
    assert [(part.learner, part.ok, dict(part.failed), part.left) for part in found.parts] == [
        ("learner 0", 1, {"timeout": 1}, 1),
        ("learner 1", 0, {"crash": 1}, 2),
    ]
    assert found.by_status == {"ok": 1, "timeout": 1, "crash": 1, "left": 3}
    assert found.seconds_left == 3.0
    (run,) = found.runs
    assert (run.state, run.workers, run.threads) == ("finished", 2, 1)
    assert run.finished is not None


def test_seconds_without_a_total_are_those_of_fit_and_prediction(store: Store) -> None:
    ours = Registered(store, learners=1)
    ours.write((0, 0, ok(resources={"fit_time": 2.0, "predict_time": 1.0})))
    assert progress(store, ours.key).seconds_left == 6.0


def test_the_time_of_a_learner_is_its_own() -> None:
    parts = (
        Part("t", "slow", 3, 1, {}, 10.0),
        Part("t", "fast", 3, 1, {}, 1.0),
        Part("t", "new", 3, 0, {}, float("nan")),
    )
    found = Progress(None, parts, ())  # type: ignore[arg-type]
    assert found.seconds_left == pytest.approx(2 * 10 + 2 * 1 + 3 * 5.5)


def test_a_finished_study(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 1])
    found = progress(store, ours.key)
    assert (found.ok, found.left, found.seconds_left) == (6, 0, 0.0)


# ----------------------------------------------------------------------------------------------------------------------
# Remarks


def test_warnings_and_tuned_parameters_are_counted_by_learner(tmp_path: Path) -> None:
    tuned = Learner(
        "tuned", steps=(Step("sklearn.neighbors.KNeighborsClassifier"),), tuning=Tuning({"n_neighbors": (1,)}, 2)
    )
    hasty = Learner("hasty", steps=(Step("sklearn.linear_model.LogisticRegression", {"max_iter": 1}),))
    quiet = Learner("quiet", steps=(Step("sklearn.naive_bayes.GaussianNB"),))
    study = Study(tasks=["iris"], learners=[tuned, hasty, quiet], resampling=3)
    run_study(study, tmp_path / "s.sqlite")
    with Store.read(tmp_path / "s.sqlite") as store:
        first, second = remarks(store, study.key)
    assert first == FitNote("tuned", "tuned: n_neighbors=1", 3, "n_neighbors=1")
    assert second.learner == "hasty"
    assert second.cells == 3
    assert second.text.startswith("ConvergenceWarning: ")
