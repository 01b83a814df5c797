"""Adjustments for all pairs that use logical relations: Bergmann and Hommel's for 8 learners, Shaffer's for 20.

The peer is scmamp 0.3 (R), which cannot be installed from the package archives that are reachable here. Its times are
those that were measured once on a machine like this one, quoted and not run: 8.1 s and 31.7 s of CPU.
"""

from __future__ import annotations

from typing import Any

from measure import row, side

GOAL = 20.0
QUOTED = {"bergmann-hommel": (8, 8.1), "shaffer": (20, 31.7)}
OURS = """
import numpy as np
from itertools import combinations
from bakeoff.inference.adjustments import adjust
pairs = list(combinations(range({k}), 2))
p = np.random.default_rng({k}).random(len(pairs)) ** 4
"""
JOB = 'return adjust(p, "{name}", pairs).tolist()'


def rows() -> list[dict[str, Any]]:
    rows = []
    for name, (k, theirs) in QUOTED.items():
        ours = side(OURS.format(k=k), JOB.format(name=name), 20)
        rows.append(row(f"{name}, {k} learners", ours.run, "scmamp 0.3 (quoted, not run)", theirs, GOAL))
    nine = side(OURS.format(k=9), JOB.format(name="bergmann-hommel"), 5)
    rows.append(row("bergmann-hommel, 9 learners", nine.run, "scmamp 0.3 (quoted for 8, not run)", 8.1))
    return rows


if __name__ == "__main__":
    for one in rows():
        print(one)
