"""`bakeoff --help` against an interpreter that does nothing, and `bakeoff compare` of a small file against importing
scipy's functions: wall time, the median of 20 and 10 starts of each in turn."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from measure import row

GOAL, VERDICT = 0.060, 0.450
STARTS, VERDICTS = 20, 10
SCORES = Path(__file__).parents[1] / "src" / "bakeoff" / "data" / "dietterich2000.csv"


def start(*arguments: str) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def rows() -> list[dict[str, Any]]:
    start("-m", "bakeoff", "--help")  # compiles what was not compiled yet
    both = [(start("-m", "bakeoff", "--help"), start("-c", "pass")) for _ in range(STARTS)]
    ours, bare = (median(times) for times in zip(*both, strict=True))
    entry = row(f"bakeoff --help, {1000 * (ours - bare):.0f} ms above", ours, "python -c pass", bare)
    compare = ("-m", "bakeoff", "compare", str(SCORES), "--measure", "error")
    start(*compare)
    each = [(start(*compare), start("-c", "import scipy.special")) for _ in range(VERDICTS)]
    verdict, scipy = (median(times) for times in zip(*each, strict=True))
    return [
        {**entry, "goal": f"within {1000 * GOAL:.0f} ms", "met": ours - bare <= GOAL},
        {
            **row(f"bakeoff compare of 33 × 4 scores, {verdict:.2f} s", verdict, "import scipy.special", scipy),
            "goal": f"{VERDICT:g} s",
            "met": verdict <= VERDICT,
        },
    ]
