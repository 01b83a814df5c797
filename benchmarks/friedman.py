"""Friedman's test with Nemenyi's and Holm's comparisons of all pairs, 200 tasks × 20 learners, against autorank.

autorank gives Friedman's p, mean ranks and Nemenyi's critical difference; ours gives these and, for each of the 190
pairs, the adjusted p and the interval by Nemenyi and by Holm. By default autorank chooses a test by a pre-test of
normality, which on this table leads it to a repeated-measures ANOVA and Tukey's test.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from measure import row, side

GOAL = 8.0
TABLE = """
import numpy as np
rng = np.random.default_rng(2006)
table = 0.8 + 0.05 * rng.normal(size=(200, 1)) + 0.02 * rng.normal(size=(200, 20)) + np.linspace(0, 0.02, 20)
"""
OURS = """
from bakeoff.inference.contrasts import all_pairs
from bakeoff.inference.evidence import compare_estimates
from bakeoff.procedures.friedman import critical_difference, friedman
"""
JOB = """
many = friedman(-table)
pairs = all_pairs(np.argsort(many.estimates.values).tolist())
for adjustment in ("single-step", "holm"):
    compare_estimates(many.estimates, pairs, adjustment, 0.05, "two-sided")
return [many.tests[0].p, critical_difference(20, 200, 0.05)]
"""
WHOLE = """
verdict = bakeoff.judge(bakeoff.read_scores(frame, rows="tasks", measure="accuracy"), "friedman")
return len(verdict.decisions)
"""
FRAME = TABLE + 'import pandas as pd\nframe = pd.DataFrame(table, columns=[f"learner {i}" for i in range(20)])\n'
PEER = "from autorank import autorank\n" + FRAME


def rows() -> list[dict[str, Any]]:
    name = f"autorank {version('autorank')}"
    ours = side(OURS + TABLE, JOB, 50)
    whole = side("import bakeoff\n" + FRAME, WHOLE, 20)
    forced = side(PEER, 'made = autorank(frame, force_mode="nonparametric")\nreturn [made.pvalue, made.cd]', 10)
    default = side(PEER, "return autorank(frame).omnibus", 1)
    if any(abs(a - b) > 1e-3 * b for a, b in zip(ours.answer, forced.answer, strict=True)):
        raise RuntimeError(f"The two disagree: p and critical difference are {ours.answer} and {forced.answer}.")
    what = "Friedman, Nemenyi, Holm, 200 × 20"
    return [
        row(what, ours.run, f"{name}, nonparametric", forced.run, GOAL),
        row(f"{what}, with imports", ours.whole, f"{name}, nonparametric", forced.whole),
        row(f"{what}, from table to verdict", whole.run, f"{name}, nonparametric", forced.run),
        row(what, ours.run, f"{name}, default ({default.answer})", default.run),
    ]
