"""Nemenyi's comparisons of all pairs, 100 tasks × 30 learners, against scikit-posthocs.

scikit-posthocs gives the matrix of p-values; ours gives the same p-values with estimates and simultaneous intervals.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from measure import row, side

GOAL = 10.0
TABLE = """
import numpy as np
rng = np.random.default_rng(1963)
table = 0.8 + 0.05 * rng.normal(size=(100, 1)) + 0.02 * rng.normal(size=(100, 30)) + np.linspace(0, 0.02, 30)
"""
OURS = """
from bakeoff.inference.contrasts import all_pairs
from bakeoff.inference.evidence import compare_estimates
from bakeoff.procedures.friedman import friedman
"""
JOB = """
found = compare_estimates(friedman(-table).estimates, all_pairs(range(30)), "single-step", 0.05, "two-sided")
return [pair.p_adjusted for pair in found]
"""
PEER_JOB = """
return posthoc_nemenyi_friedman(table).to_numpy()[np.triu_indices(30, 1)].tolist()
"""


def rows() -> list[dict[str, Any]]:
    name = f"scikit-posthocs {version('scikit-posthocs')}"
    ours = side(OURS + TABLE, JOB, 50)
    peer = side("from scikit_posthocs import posthoc_nemenyi_friedman\n" + TABLE, PEER_JOB, 20)
    worst = max(abs(a - b) for a, b in zip(ours.answer, peer.answer, strict=True))
    if worst > 1e-6:
        raise RuntimeError(f"The two disagree: p-values differ by up to {worst}.")
    what = "Nemenyi, 100 × 30"
    return [
        row(what, ours.run, name, peer.run, GOAL),
        row(f"{what}, with imports", ours.whole, name, peer.whole),
    ]
