"""What a worker answers is tested through the engine (test_engine.py); here, how answers travel."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

from bakeoff.measures.response import Prediction
from bakeoff.running.work import Outcome, Status
from bakeoff.running.worker import received


def test_a_large_result_is_read_from_its_file_which_is_then_gone(tmp_path: Path) -> None:
    sent = [Outcome(0, Status.OK, prediction=Prediction(np.arange(1000.0)))]
    (tmp_path / "result-1-0").write_bytes(pickle.dumps(sent))
    got = received(tmp_path, "result-1-0")
    assert got[0].prediction is not None
    assert (got[0].prediction.values == np.arange(1000.0)).all()
    assert not list(tmp_path.iterdir())


def test_a_small_result_comes_as_it_is(tmp_path: Path) -> None:
    assert received(tmp_path, pickle.dumps([Outcome(0, Status.OK)])) == [Outcome(0, Status.OK)]


# ----------------------------------------------------------------------------------------------------------------------
# Memory


def test_the_peak_is_that_of_the_cell_and_not_of_a_larger_one_before() -> None:
    # In a process of its own: others may let go of memory while this one measures.
    code = """
import numpy as np
from bakeoff.running.worker import PeakMemory
peak = PeakMemory()
large = np.ones(25_000_000); first = peak.read(); del large
peak.start(); small = np.ones(5_000_000); second = peak.read()
peak.start(); third = peak.read()
print(first, second, third)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    first, second, third = map(float, out.split())
    assert 190e6 < first < 260e6
    assert 35e6 < second < 60e6
    assert third < 5e6
