"""`bakeoff run` as a user types it."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.cli.run import said
from bakeoff.studies.conducting import Summary

Capture = pytest.CaptureFixture[str]
BROKEN = '[[learner]]\nname = "broken"\npath = "sklearn.dummy.DummyClassifier"\nparameters = { strategy = "guess" }\n'


def test_once_and_again(small_study: Path, capsys: Capture) -> None:
    assert main(["run", str(small_study)]) == 0
    first = " ".join(capsys.readouterr().out.split())
    assert first.startswith("6 cells run in ")
    assert f"Results: {small_study.with_suffix('.sqlite')}" in first
    assert first.endswith(f"Next: bakeoff judge {small_study}")
    assert main(["run", str(small_study), "-j", "2"]) == 0
    assert "All 6 cells are stored in" in (again := capsys.readouterr().out)
    assert "nothing was left to run" in " ".join(again.split())


def test_failed_cells_are_an_exit_code_and_the_way_to_see_them(small_study: Path, capsys: Capture) -> None:
    small_study.write_text(small_study.read_text().replace("[resampling]", BROKEN + "[resampling]"))
    assert main(["run", str(small_study)]) == 4
    told = capsys.readouterr()
    assert "6 cells run in" in told.out
    assert "3 failed" in told.out
    assert (
        f"3 of 9 cells failed. bakeoff failures {small_study} shows why; --retry failed tries them again." in told.err
    )
    assert main(["run", str(small_study)]) == 4, "they are still failed"
    assert "6 of 9 cells are stored" in capsys.readouterr().out
    assert main(["run", str(small_study), "--retry", "failed"]) == 4
    assert "3 failed" in capsys.readouterr().out


def test_results_may_be_kept_elsewhere(small_study: Path, tmp_path: Path) -> None:
    store = tmp_path / "elsewhere.db"
    assert main(["run", str(small_study), "--store", str(store)]) == 0
    assert store.exists()
    assert not small_study.with_suffix(".sqlite").exists()


@pytest.mark.parametrize(
    ("further", "says"),
    [
        (["-j", "0"], "The number of workers must be positive"),
        (["--store", "no/such/folder/x.sqlite"], "there is no folder"),
    ],
)
def test_what_cannot_be(further: list[str], says: str, small_study: Path, capsys: Capture) -> None:
    assert main(["run", str(small_study), *further]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        (Summary(6, 6, 0, 0, 0, 0, 0.1), "All 6 cells are stored in x; nothing was left to run."),
        (Summary(6, 0, 6, 0, 0, 0, 61.0), "6 cells run in 1 min 01 s. Results: x"),
        (
            Summary(6, 3, 1, 1, 0, 1, 2.0, True),
            "1 cell run in 2 s, 1 failed, 3 were stored before, 1 is left. Results: x",
        ),
        (Summary(6, 4, 0, 0, 2, 0, 0.1), "4 of 6 cells are stored in x and 2 failed before; nothing was left to run."),
    ],
)
def test_the_sentence_at_the_end(summary: Summary, sentence: str) -> None:
    assert said(summary, "x") == sentence


SLOW = """\
[[task]]
data = "iris"
[[learner]]
path = "dawdling.Dawdler"
[resampling]
scheme = "cross-validation"
folds = 10
repeats = 100
"""


DAWDLING = """\
import time
from sklearn.dummy import DummyClassifier

class Dawdler(DummyClassifier):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)
"""


def test_ctrl_c_on_a_terminal_is_clean(tmp_path: Path) -> None:
    """As a program of its own on a pseudo-terminal: bars are shown, what is finished is kept, exit code 130."""
    (tmp_path / "study.toml").write_text(SLOW)
    (tmp_path / "dawdling.py").write_text(DAWDLING)
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "bakeoff", "run", "study.toml", "-j", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "100", "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # which is how a pseudo-terminal says that nobody is at the other end any more
        while part := os.read(ours, 65536):
            before, shown = shown, shown + part
            if b" left" in shown and b" left" not in before:  # the time that is left: cells are being run
                os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    os.close(ours)
    out, _ = running.communicate()
    text = shown.decode(errors="replace")
    assert running.returncode == 130, text
    assert "Traceback" not in text
    assert "stopped. What is finished is kept; go on with: bakeoff run study.toml" in " ".join(text.split())
    assert "are left" in out
    assert "study, 2 workers" in text
