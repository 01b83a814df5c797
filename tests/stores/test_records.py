"""Records are frozen, and an Outcome is what a store calls an attempt."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from store_contract import task_record

from bakeoff.running.outcome import Outcome, Status
from bakeoff.stores.records import Attempted, CellRecord, SplitsIndex


def test_records_do_not_change() -> None:
    for record in (task_record(), CellRecord(b"k", 1, 2, 3)):
        with pytest.raises(FrozenInstanceError):
            record.key = "other"  # type: ignore[misc,assignment]


def test_an_outcome_can_be_stored() -> None:
    attempted: Attempted = Outcome(0, Status.OK)
    names = [name for name in vars(Attempted) if not name.startswith("_")]
    assert names
    assert all(hasattr(attempted, name) for name in names)


def test_the_length_of_an_index() -> None:
    some = np.array([1, 2])
    assert len(SplitsIndex(some, (b"a", b"b"), some, some, ("test", "test"), some, some)) == 2
