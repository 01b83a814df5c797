"""Failures, grouped."""

from __future__ import annotations

import numpy as np
from store_contract import SCHEME, N, Registered, failed, folds, ok

from bakeoff.resampling.split import APPARENT, Split, Splits
from bakeoff.running.outcome import Status
from bakeoff.stores.failures import EXAMPLES, failures
from bakeoff.stores.store import Store


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
