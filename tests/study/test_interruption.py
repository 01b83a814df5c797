"""Ctrl-C, SIGTERM and SIGKILL: what is finished is kept, nothing is left behind, and the rest comes out the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from proofs import Place, Process, cells, content, odd, said, study_text, until

from bakeoff.study.file import read_study
from bakeoff.study.run import Summary, run_study

LEARNERS = {"numpy": odd("GlobalNumpy"), "hash order": odd("HashOrder")}
TEXT = study_text(LEARNERS, repeats=10)
N_CELLS = 60
Stop = Callable[[Process], None]


def ctrl_c(process: Process) -> None:
    os.killpg(process.pid, signal.SIGINT)


def terminate(process: Process) -> None:
    process.send_signal(signal.SIGTERM)


def conducted(place: Place) -> Summary:
    return run_study(read_study(place.folder / "study.toml"), place.store, workers=2)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("undisturbed") / "study", TEXT)
    assert conducted(place).ok == N_CELLS
    return place


@pytest.mark.usefixtures("heeding_ctrl_c")
@pytest.mark.parametrize("stop", [ctrl_c, terminate], ids=["Ctrl-C", "SIGTERM"])
def test_a_stopped_run_can_be_resumed(stop: Stop, undisturbed: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", TEXT)
    place.hold(6)
    process = place.start("run", "study.toml")
    until(lambda: cells(place.store), "the first batch of results")
    stop(process)
    done = said(process)
    assert done.code == 130
    assert "bakeoff: stopped. What is finished is kept; go on with: bakeoff run study.toml" in done.err
    assert "are left" in done.out
    assert place.processes() == {}
    assert list(place.temporary.iterdir()) == []
    kept = content(place.store)
    assert 0 < len(kept) <= 6
    place.let_go()
    assert "the last one: interrupted" in place.command("status", "study.toml").out
    resumed = conducted(place)
    assert (resumed.stored_before, resumed.ok) == (len(kept), N_CELLS - len(kept))
    assert content(place.store) == content(undisturbed.store)


@pytest.mark.usefixtures("heeding_ctrl_c")
def test_ctrl_c_while_the_workers_are_started(undisturbed: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", TEXT)
    place.fresh = True  # it may still be importing
    process = place.start("run", "study.toml", "--quiet", "-j", "2")
    until(place.scratch, "the run to begin")
    ctrl_c(process)
    # Python ends itself by SIGINT, which is 130 to a shell too, if Ctrl-C came inside an `exec` of some library that
    # was just being imported, although it was handled.
    assert said(process).code in (130, -signal.SIGINT)
    until(lambda: not place.processes(), "the end of all processes")
    assert list(place.temporary.iterdir()) == []
    conducted(place)
    assert content(place.store) == content(undisturbed.store)


def test_a_killed_run_takes_all_its_processes_along(tmp_path: Path) -> None:
    """Also those that would never end by themselves. What only the next run can find, that one ends."""
    forever = study_text(
        {
            "hangs": 'path = "hostile.Hangs"',
            "program": 'command = ["sh", "-c", "exec sleep 600", "{train}", "{test}", "{output}"]',
            "program of a program": 'command = ["sh", "-c", "sleep 601 & wait", "{train}", "{test}", "{output}"]',
        },
        folds=2,
    )
    place = Place(tmp_path / "study", forever)
    try:
        process = place.start("run", "study.toml", "--quiet", "-j", "6")

        def commands() -> str:
            return "; ".join(place.processes().values())

        until(lambda: "sleep 600" in commands() and "sleep 601" in commands(), "learners to be under way")
        until(lambda: len(place.workers()) == 6, "all workers")
        process.kill()
        said(process)
        until(lambda: set(place.processes().values()) <= {"sleep 601 "}, "the end of all that the run started")
        assert place.scratch(), "nobody was left to remove it"
        place.write(TEXT)
        assert place.run("-j", "2").code == 0
        assert place.processes() == {}
        assert list(place.temporary.iterdir()) == []
        assert cells(place.store) == N_CELLS, "a fit that was cut off is not a result"
    finally:
        place.kill_all()


def test_what_is_finished_is_written_while_the_other_cells_still_take_their_time(tmp_path: Path) -> None:
    """It waited for the next result otherwise, and would be lost with a run that is killed before that."""
    text = study_text({"at once": 'path = "majority"', "hangs": 'path = "hostile.Hangs"'}, folds=2)
    place = Place(tmp_path / "study", text)
    try:
        process = place.start("run", "study.toml", "--quiet", "-j", "2")
        until(lambda: cells(place.store) == 2, "results beside cells that hang")
        process.kill()
        said(process)
        assert cells(place.store) == 2
    finally:
        place.kill_all()
