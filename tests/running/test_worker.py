"""What a worker answers is tested through the engine (test_engine.py); here, how answers travel."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bakeoff.measures.response import Prediction
from bakeoff.running.work import Outcome, Status
from bakeoff.running.worker import read_message, write_message


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_message_arrives_whatever_its_size_and_leaves_nothing_behind(size: int, tmp_path: Path) -> None:
    ours, theirs = multiprocessing.Pipe()
    sent = pickle.dumps([Outcome(0, Status.OK, prediction=Prediction(np.arange(float(size))).packed())])
    write_message(ours, tmp_path, sent)  # nobody reads yet
    assert read_message(theirs, tmp_path) == sent
    assert not list(tmp_path.iterdir())
    ours.close()
    with pytest.raises(EOFError):
        read_message(theirs, tmp_path)
    theirs.close()


# ----------------------------------------------------------------------------------------------------------------------
# Memory


def test_the_peak_is_that_of_the_cell_and_not_of_a_larger_one_before() -> None:
    # In a process of its own: others may let go of memory while this one measures.
    code = """
import numpy as np
from bakeoff.running.worker import ResourceMeter
meter = ResourceMeter()
large = np.ones(25_000_000); meter.end(); first = meter.peak; del large
began = meter.begin(); small = np.ones(5_000_000); between = meter.now(); ended = meter.end(); second = meter.peak
meter.begin(); meter.end(); third = meter.peak
assert -1e-5 < between - began < ended - began + 1e-5, "all three are CPU time, in seconds"
print(first, second, third)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    first, second, third = map(float, out.split())
    assert 190e6 < first < 260e6
    assert 35e6 < second < 60e6
    assert third < 5e6
