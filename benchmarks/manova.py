"""MANOVA of three measures, 5 learners × 20 resamples each, against statsmodels.

statsmodels builds a design matrix from a formula and solves one eigenproblem a term; ours solves one in all.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from measure import row, side

GOAL = 50.0
TABLE = """
import numpy as np
rng = np.random.default_rng(1932)
group = np.repeat(np.arange(5), 20)
y = rng.normal(size=(100, 3)) + np.outer(group, [0.1, 0.0, 0.2])
"""
OURS = """
from bakeoff.mathematics.multivariate import manova_groups
"""
JOB = """
return [[test.value, test.f, test.p] for test in manova_groups(y, group).tests[:3]]
"""
PEER = """
import pandas as pd
from statsmodels.multivariate.manova import MANOVA
"""
PEER_JOB = """
frame = pd.DataFrame({"a": y[:, 0], "b": y[:, 1], "c": y[:, 2], "group": group.astype(str)})
stat = MANOVA.from_formula("a + b + c ~ group", frame).mv_test().results["group"]["stat"]
names = ["Wilks' lambda", "Pillai's trace", "Hotelling-Lawley trace"]
return stat.loc[names, ["Value", "F Value", "Pr > F"]].astype(float).to_numpy().tolist()
"""


def rows() -> list[dict[str, Any]]:
    name = f"statsmodels {version('statsmodels')}"
    ours = side(OURS + TABLE, JOB, 200)
    peer = side(PEER + TABLE, PEER_JOB, 20)
    # Of Hotelling and Lawley's trace statsmodels has another approximate F (McKeon's): values only.
    pairs = [*zip(ours.answer[:2], peer.answer[:2], strict=True), (ours.answer[2][:1], peer.answer[2][:1])]
    worst = max(abs(a - b) for mine, theirs in pairs for a, b in zip(mine, theirs, strict=True))
    if worst > 1e-8:
        raise RuntimeError(f"The two disagree: by up to {worst}.")
    what = "MANOVA, 5 learners × 20, 3 measures"
    return [
        row(what, ours.run, name, peer.run, GOAL),
        row(f"{what}, with imports", ours.whole, name, peer.whole),
    ]
