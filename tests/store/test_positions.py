"""Positions of cells in their run, and records about studies."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from sqlalchemy import select

from bakeoff import Study
from bakeoff.store.reader import Reader
from bakeoff.store.schema import SCHEMA_VERSION, attempt, position
from bakeoff.store.writer import Store

KEPT = Path(__file__).parents[1] / "kept" / "0.1.0"


def test_every_attempt_of_a_run_has_its_position(tmp_path: Path) -> None:
    study = Study(tasks=["iris"], learners={"1R": "1R", "nb": "naive-bayes"}, resampling=4)
    study.run(store=tmp_path / "study.sqlite", n_jobs=2)
    with Reader(tmp_path / "study.sqlite") as store:
        positions = [row.position for row in store.rows(select(position.c.position))]
        assert sorted(positions) == list(range(1, 9))
        assert len(store.rows(select(attempt.c.cell))) == 8


def test_an_older_store_is_read_as_it_is_and_brought_up_when_it_is_written_to(tmp_path: Path) -> None:
    path = Path(shutil.copy(KEPT / "folds.sqlite", tmp_path / "old.sqlite"))
    with Reader(path) as reader:
        assert reader.schema < SCHEMA_VERSION
        assert reader.records("anything") == {}
        before = len(reader.rows(select(attempt.c.cell)))
    with Store.open(path) as store:
        store.keep("remark", "b", {"text": "ö", "n": [1, 2]})
        store.keep("remark", "a", "second")
        store.keep("remark", "b", "instead")
    with Reader(path) as reader:
        assert reader.schema == SCHEMA_VERSION
        assert reader.records("remark") == {"a": "second", "b": "instead"}
        assert reader.records("other") == {}
        assert len(reader.rows(select(attempt.c.cell))) == before
        assert reader.rows(select(position.c.position)) == []
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
