"""Tukey's comparisons of all pairs, 20 learners × 10 resamples each, against scipy.stats.tukey_hsd.

scipy integrates the Studentized range pair by pair; ours reads a table of it that was made once for 20 means. p-values
are compared to 1e-9 with a slow sum of our own that reads no table, because scipy's own are precise to about 1e-7 only.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from measure import row, side

GOAL = 200.0
PRECISE = 1e-9
TABLE = """
import numpy as np
rng = np.random.default_rng(1953)
table = 0.8 + 0.02 * rng.normal(size=(10, 20)) + np.linspace(0, 0.02, 20)
"""
OURS = """
from bakeoff.inference.contrasts import all_pairs
from bakeoff.inference.evidence import compare_estimates
from bakeoff.procedures.anova import anova
"""
JOB = """
found = compare_estimates(anova(table).estimates, all_pairs(range(20)), "single-step", 0.05, "two-sided")
return [pair.p_adjusted for pair in found]
"""
# The same integral without the table: the tail for known σ at every point of the integral over s.
SLOW = """
from bakeoff.mathematics import ranges as studentized
"""
SLOW_JOB = """
estimates = anova(table).estimates
found = compare_estimates(estimates, all_pairs(range(20)), "none", 0.05, "two-sided")
q = np.abs([pair.statistic for pair in found]) * 2**0.5
return studentized.studentize(lambda x: studentized._range_tail(x, 20), q, estimates.df).tolist()
"""
PEER_JOB = """
return stats.tukey_hsd(*table.T).pvalue[np.triu_indices(20, 1)].tolist()
"""


def rows() -> list[dict[str, Any]]:
    name = f"scipy {version('scipy')} tukey_hsd"
    ours = side(OURS + TABLE, JOB, 50)
    slow = side(OURS + SLOW + TABLE, SLOW_JOB, 1)
    peer = side("from scipy import stats\n" + TABLE, PEER_JOB, 2)
    for other, most in ((slow, PRECISE), (peer, 1e-6)):
        worst = max(abs(a - b) for a, b in zip(ours.answer, other.answer, strict=True))
        if worst > most:
            raise RuntimeError(f"The two disagree: p-values differ by up to {worst}.")
    what = "Tukey, 20 learners × 10"
    return [
        row(what, ours.run, name, peer.run, GOAL),
        row(f"{what}, with imports", ours.whole, name, peer.whole),
    ]
