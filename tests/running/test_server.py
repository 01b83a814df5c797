from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import forkserver
from pathlib import Path

import pytest

from bakeoff.running.processes import context
from bakeoff.running.server import place_for_sockets

# Starts the server, kills it, and has a worker tell what its environment is.
KILLED = """
import os, signal
from multiprocessing import forkserver
from pebble import ProcessPool
from bakeoff.running.processes import context
made = context(3)
server = forkserver._forkserver
connect = server.connect_to_new_process

def kill_and_connect(fds):  # at the worst moment: it was found alive, and a worker is about to be asked for
    os.kill(server._forkserver_pid, signal.SIGKILL)
    os.waitid(os.P_PID, server._forkserver_pid, os.WEXITED | os.WNOWAIT)
    forkserver.connect_to_new_process = connect
    return connect(fds)

forkserver.connect_to_new_process = kill_and_connect
with ProcessPool(max_workers=1, context=made) as pool:
    found = [pool.schedule(os.getenv, args=(name,)).result() for name in ("PYTHONHASHSEED", "OMP_NUM_THREADS")]
print(found, os.environ.get("PYTHONHASHSEED"))
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
    assert (done.stdout, done.stderr) == ("['0', '3'] None\n", "")


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
