"""A writer that is killed loses nothing that it was told is written, and leaves nothing half-written."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select
from store_contract import Registered, folds

from bakeoff.store.schema import attempt, cell, prediction, score
from bakeoff.store.writer import Store

REPEATS = 40
WRITER = f"""
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from store_contract import Registered, folds
from test_crashes import cells_of
from bakeoff.store.writer import Store
with Store.open(sys.argv[1]) as store:
    ours = Registered(store, splits=folds(6, repeats={REPEATS}))
    for cells in cells_of(ours):
        ours.write(*((learner, split, ours.wrong_in(split, 1)) for learner, split in cells))
        print("written", flush=True)
"""


def cells_of(ours: Registered) -> Iterator[list[tuple[int, int]]]:
    """Batches of six cells: three splits, two learners."""
    for start in range(0, len(ours.splits), 3):
        yield [(learner, split) for split in range(start, start + 3) for learner in (0, 1)]


def killed_writer(path: Path, after: float) -> int:
    """Start a writer, kill it some time after its first acknowledgement; returns how many batches it acknowledged."""
    here = Path(__file__).parent
    command = [sys.executable, "-c", WRITER, str(path), str(here), str(here.parent / "contracts")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "written\n", writer.stderr and writer.stderr.read()
        time.sleep(after)
        writer.kill()
        return 1 + len(writer.stdout.read().split())


@pytest.mark.parametrize("after", [0.0, 0.03, 0.1])
def test_sigkill_loses_nothing(tmp_path: Path, after: float) -> None:
    path = tmp_path / "s.db"
    acknowledged = killed_writer(path, after)
    with Store.read(path) as reader, reader.snapshot() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        cells, attempts, scores, predictions = (
            int(connection.execute(select(func.count()).select_from(table)).scalar_one())
            for table in (cell, attempt, score, prediction)
        )
    assert cells == attempts == scores == predictions
    with Store.open(path) as store:
        ours = Registered(store, splits=folds(6, repeats=REPEATS))
        batches = [{ours.cell(learner, split).key for learner, split in cells} for cells in cells_of(ours)]
        # The batch under way when it was killed is there as a whole or not at all.
        possible = [set().union(*batches[:count]) for count in (acknowledged, acknowledged + 1)]
        assert ours.states().keys() in possible
        ours.fill([1, 1])
        assert len(ours.states()) == 2 * len({number for number, _ in ours.splits})
