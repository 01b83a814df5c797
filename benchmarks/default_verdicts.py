"""From a table of tasks × learners to the verdict by the default procedure, after imports: CPU time.

200 × 20 is judged by 9,999 joint flips of signed ranks for 190 pairs, with intervals: 1.5 · 10⁹ multiplications and
additions in single precision, of which a core does some 10¹¹ a second. The same table by Friedman's test, which draws
nothing, stands beside it. 60 × 1,000 has 499,500 pairs, each of which is a row of the finding.
"""

from __future__ import annotations

from typing import Any

from measure import row, side

WITHIN = {(200, 20): 0.06, (60, 1_000): 4.0}  # seconds of CPU
TABLE = """
import bakeoff, numpy as np, pandas as pd
rng = np.random.default_rng(2006)
table = 0.8 + 0.05 * rng.normal(size=({n}, 1)) + 0.02 * rng.normal(size=({n}, {k})) + np.linspace(0, 0.02, {k})
frame = pd.DataFrame(table, columns=[f"learner {{i}}" for i in range({k})])
"""
WHOLE = """
verdict = bakeoff.judge(bakeoff.read_scores(frame, rows="tasks", measure="accuracy"), {by!r})
return len(verdict.decisions)
"""


def rows() -> list[dict[str, Any]]:
    rows = []
    for (n, k), goal in WITHIN.items():
        times = 20 if k < 100 else 2
        ours, friedman = (side(TABLE.format(n=n, k=k), WHOLE.format(by=by), times).run for by in (None, "friedman"))
        what = f"{n} tasks × {k:,} learners, from table to default verdict"
        one = row(what, ours, "friedman, by name", friedman)
        rows.append({**one, "goal": f"within {goal:g} s", "met": ours <= goal})
    return rows


if __name__ == "__main__":
    for one in rows():
        print(one)
