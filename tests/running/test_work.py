from __future__ import annotations

import pickle

import pytest

from bakeoff.errors import UsageError
from bakeoff.running.work import Chunk, Limits, Outcome, Status, Work, seconds, size


def test_one_by_one_keeps_each_cell_with_its_own_split() -> None:
    split = {number: (b"B%c" % number, b"B%c" % number) for number in (4, 5)}
    made = Chunk((Work(0, 0, 0, 4, 1), Work(1, 1, 0, 5, 2)), split).one_by_one()
    assert [(chunk.work[0].cell, list(chunk.splits)) for chunk in made] == [(0, [4]), (1, [5])]


def test_cells_of_one_learner_on_one_task_are_of_one_kind() -> None:
    assert Work(0, 2, 3, 4, 1).kind == Work(9, 2, 3, 7, 8).kind == (2, 3)


# ----------------------------------------------------------------------------------------------------------------------
# Limits


@pytest.mark.parametrize(
    ("said", "meant"), [("90 s", 90.0), ("1.5 min", 90.0), (0.5, 0.5), ("2h", 7200.0), (None, None)]
)
def test_times_as_people_write_them(said: object, meant: float | None) -> None:
    assert seconds(said) == meant


@pytest.mark.parametrize(
    ("said", "meant"), [("2 GB", 2 * 10**9), ("1 GiB", 2**30), ("500MB", 5 * 10**8), (2**30, 2**30), (None, None)]
)
def test_sizes_as_people_write_them(said: object, meant: int | None) -> None:
    assert size(said) == meant


@pytest.mark.parametrize("said", ["soon", "5 parsecs", True, [], "-3 s"])
def test_a_strange_time_is_refused(said: object) -> None:
    with pytest.raises(UsageError, match="A time is a number of seconds"):
        seconds(said)


@pytest.mark.parametrize("said", ["much", "5 elephants", True, 1.5])
def test_a_strange_size_is_refused(said: object) -> None:
    with pytest.raises(UsageError, match="A size is a number of bytes"):
        size(said)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"time_limit": 0.0}, "time_limit must be a positive number of seconds; found 0.0"),
        ({"time_limit": float("inf")}, "time_limit must be"),
        ({"memory_limit": 1000}, "memory_limit must be at least 16 MiB"),
        ({"threads": 0}, "threads must be a positive whole number; found 0"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Limits(**limits)  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------------------------
# Outcome


def test_an_outcome_survives_the_way_to_the_coordinator() -> None:
    sent = Outcome(
        3, Status.ERROR, "ValueError: x", "trace", undefined={"auc": "one class"}, resources={"seconds": 1.0}
    )
    assert pickle.loads(pickle.dumps(sent)) == sent


def test_a_status_is_the_text_that_is_stored() -> None:
    assert [str(status) for status in Status] == ["ok", "error", "invalid", "timeout", "memory", "crash"]
