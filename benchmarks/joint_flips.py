"""Joint sign flips of all 190 pairs of 20 learners on 1,000 items, 9,999 draws, step-down, against a loop in numpy.

The loop does what a paper says: for each draw, signs times differences, the maximum over all pairs that are left. It is
given a share of the draws, and its time is scaled up. Adjusted p-values are compared.
"""

from __future__ import annotations

from typing import Any

from measure import row, side

DRAWS = 9_999
SHARE = 199
GOAL = 10.0
TABLE = """
import numpy as np
rng = np.random.default_rng(2024)
table = rng.normal(size=(1_000, 1)) + rng.normal(size=(1_000, 20)) + np.linspace(0, 0.15, 20)
"""
OURS = """
from bakeoff.inference.contrasts import all_pairs
from bakeoff.mathematics.joint_flips import joint_flips
weights = all_pairs(range(20)).matrix
"""
LOOP = f"""
first, second = np.triu_indices(20, 1)
d = table[:, first] - table[:, second]
length = np.sqrt((d**2).sum(axis=0))
z = np.abs(d.sum(axis=0)) / length
order = np.argsort(-z)
count = np.zeros(len(z))
for _ in range({SHARE}):
    drawn = np.abs(rng.choice([-1.0, 1.0], 1_000) @ d) / length
    count += np.maximum.accumulate(drawn[order][::-1])[::-1] >= z[order]
p = np.empty(len(z))
p[order] = np.maximum.accumulate((1 + count) / (1 + {SHARE}))
return p.tolist()
"""


def rows() -> list[dict[str, Any]]:
    ours = side(TABLE + OURS, f"return joint_flips(table, weights, draws={DRAWS}).p_adjusted.tolist()", 10)
    loop = side(TABLE, LOOP, 5)
    if max(abs(a - b) for a, b in zip(ours.answer, loop.answer, strict=True)) > 0.2:
        raise RuntimeError("The two disagree about adjusted p-values.")
    what = f"joint sign flips, 1,000 × 20, 190 pairs, {DRAWS:,} draws"
    return [row(what, ours.run, "numpy loop", loop.run * DRAWS / SHARE, GOAL)]


if __name__ == "__main__":
    for one in rows():
        print(one)
