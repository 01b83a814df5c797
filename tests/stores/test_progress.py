"""How far a study is."""

from __future__ import annotations

import pytest
from store_contract import Registered, failed, ok

from bakeoff.running.outcome import Status
from bakeoff.stores.progress import Part, Progress, progress
from bakeoff.stores.store import Store


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
