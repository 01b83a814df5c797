"""`bakeoff --help` against an interpreter that does nothing: the median of 20 starts of each, in turn, wall time."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median
from typing import Any

from measure import row

GOAL = 0.060
STARTS = 20


def start(*arguments: str) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def rows() -> list[dict[str, Any]]:
    start("-m", "bakeoff", "--help")  # compiles what was not compiled yet
    both = [(start("-m", "bakeoff", "--help"), start("-c", "pass")) for _ in range(STARTS)]
    ours, bare = (median(times) for times in zip(*both, strict=True))
    made = row(f"bakeoff --help, {1000 * (ours - bare):.0f} ms above", ours, "python -c pass", bare)
    return [{**made, "goal": f"within {1000 * GOAL:.0f} ms", "met": ours - bare <= GOAL}]
