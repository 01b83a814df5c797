from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bakeoff.running.processes import context, kill_orphans, kill_stale

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
    context(1)
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "PYTHONHASHSEED" not in os.environ or os.environ["PYTHONHASHSEED"] != "0"


def test_orphans_of_a_dead_worker_are_killed(tmp_path: Path) -> None:
    code = """
import os, time
os.setpgid(0, 0)
os.write(1, b"%d\\n" % (os.fork() or os.getpid()))
time.sleep(0 if os.getpid() == os.getpgid(0) else 600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as leader:
        assert leader.stdout is not None
        child = max(int(leader.stdout.readline()), int(leader.stdout.readline()))
    (tmp_path / f"worker-{leader.pid}").touch()
    kill_orphans(tmp_path)
    assert not list(tmp_path.iterdir())
    for _ in range(100):
        stat = Path(f"/proc/{child}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.02)
    pytest.fail("the child is still running")


@pytest.mark.parametrize("told", ["4711", "4712"])
def test_what_a_killed_run_left_is_killed_only_if_it_says_that_it_is_of_that_run(told: str, tmp_path: Path) -> None:
    sleeping = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]
    environment = {**os.environ, "BAKEOFF_COORDINATOR": told}
    with subprocess.Popen(sleeping, env=environment, process_group=0, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        (tmp_path / f"worker-{child.pid}").touch()
        kill_stale(tmp_path, 4711)
        if told == "4711":
            assert child.wait() == -9
        else:
            assert child.poll() is None
            child.kill()
