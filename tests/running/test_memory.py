from __future__ import annotations

import subprocess
import sys


def test_the_peak_is_that_of_the_cell_and_not_of_a_larger_one_before() -> None:
    # In a process of its own: others may let go of memory while this one measures.
    code = """
import numpy as np
from bakeoff.running.memory import PeakMemory
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
