from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path
from types import FrameType

import pytest

from bakeoff.running.processes import context, kill_stale, place_for_sockets, sigint_deferred

# A script without `if __name__ == "__main__"`: it would run itself again and again if workers imported it.
SCRIPT = """
print("once")
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
import bakeoff

class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))

study = bakeoff.Study(tasks=["iris"], learners={"mine": Mine()}, resampling={"scheme": "cv", "folds": 3})
scores = study.run(n_jobs=2)
print(scores.value.round(3).tolist())
"""


def test_a_plain_script_with_a_learner_of_its_own_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["once", "[0.66, 0.66, 0.68]"]


def test_threads_are_pinned_in_the_workers_and_not_in_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert type(context(1)).__name__ == "ServerContext", "where the system can fork"
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "PYTHONHASHSEED" not in os.environ or os.environ["PYTHONHASHSEED"] != "0"


@pytest.mark.parametrize("told", ["4711", "4712"])
def test_what_a_killed_run_left_is_killed_only_if_it_says_that_it_is_of_that_run(told: str) -> None:
    sleeping = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]
    environment = {**os.environ, "BAKEOFF_COORDINATOR": told}
    with subprocess.Popen(sleeping, env=environment, process_group=0, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        kill_stale(4711)
        if told == "4711":
            assert child.wait() == -9
        else:
            assert child.poll() is None
            child.kill()


# ----------------------------------------------------------------------------------------------------------------------
# Interrupts


@pytest.fixture
def noted() -> Iterator[list[int]]:
    """The signals that a handler of SIGTERM was given."""
    found: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        found.append(number)

    before = signal.signal(signal.SIGTERM, handler)
    yield found
    signal.signal(signal.SIGTERM, before)


def test_a_signal_is_delivered_once_and_at_the_end(noted: list[int]) -> None:
    with sigint_deferred():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert noted == []
    assert noted == [signal.SIGTERM]
    signal.raise_signal(signal.SIGTERM)
    assert noted == [signal.SIGTERM] * 2, "the handler is back in its place"


def test_an_error_inside_is_not_lost(noted: list[int]) -> None:
    @sigint_deferred()
    def work() -> None:
        signal.raise_signal(signal.SIGTERM)
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        work()
    assert noted == [signal.SIGTERM]


@pytest.mark.usefixtures("heeding_ctrl_c")
def test_ctrl_c_comes_after_what_it_would_have_cut_in_two() -> None:
    steps = []

    @sigint_deferred()
    def work() -> None:
        steps.append("begun")
        signal.raise_signal(signal.SIGINT)
        steps.append("finished")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["begun", "finished"]


def test_without_a_signal_nothing_happens() -> None:
    before = signal.getsignal(signal.SIGINT)
    with sigint_deferred():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_another_thread_changes_no_handler() -> None:
    before = signal.getsignal(signal.SIGINT)
    found = []

    def work() -> None:
        with sigint_deferred():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]


# ----------------------------------------------------------------------------------------------------------------------
# Server


# Starts the server, kills it, and has a worker tell what its environment is.
KILLED = """
import os, signal
from multiprocessing import forkserver
from bakeoff.running.processes import context
from bakeoff.running.worker import write_message
made = context(3)
server = forkserver._forkserver
connect = server.connect_to_new_process

def kill_and_connect(fds):  # at the worst moment: it was found alive, and a worker is about to be asked for
    os.kill(server._forkserver_pid, signal.SIGKILL)
    os.waitid(os.P_PID, server._forkserver_pid, os.WEXITED | os.WNOWAIT)
    forkserver.connect_to_new_process = connect
    return connect(fds)

forkserver.connect_to_new_process = kill_and_connect
process = None
while process is None:
    try:
        process = made.Process(target=os.system, args=("echo $PYTHONHASHSEED $OMP_NUM_THREADS",))
        process.start()
    except EOFError:
        process = None
process.join()
print(os.environ.get("PYTHONHASHSEED"))
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_server_that_was_killed_comes_back_as_it_was(tmp_path: Path) -> None:
    done = run(KILLED, tmp_path)
    assert (done.stdout, done.stderr) == ("0 3\nNone\n", "")


def test_a_long_path_of_the_folder_for_temporary_files_is_no_matter(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    done = run("from bakeoff.running.processes import context; context(1)", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(folder.iterdir()) == []


def test_the_usual_folder_is_used_if_its_path_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/var/tmp")
    assert place_for_sockets() == "/var/tmp"
    monkeypatch.setattr(tempfile, "tempdir", "/var/tmp/" + "ü" * 40)
    assert place_for_sockets() == "/tmp"


def test_the_caller_keeps_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MKL_NUM_THREADS", "7")
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    context(1)
    assert os.environ["MKL_NUM_THREADS"] == "7"
    assert "PYTHONHASHSEED" not in os.environ
    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGCONT)  # it is running
