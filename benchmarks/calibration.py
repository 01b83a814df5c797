"""Calibration: all procedures that read ten folds, on 1,000 experiments without a difference and 1,000 with one.

The peer is ourselves without the short cut: `analyse` on a table for every procedure and experiment, timed on a few of
them. The goal is a minute for everything once the scores are simulated. A wrong answer is an error: the sizes that are
known of this design (n = 200, α = .05) are 8.7 % for the paired t test and 1.9 % for Nadeau and Bengio's.
"""

from __future__ import annotations

from typing import Any

from measure import side

REPLICATIONS, FEW, GOAL = 1000, 10, 60.0
SETUP = """
from bakeoff.judging import analyse
from bakeoff.lab.calibrating.applying import _FEWER, chosen_for
from bakeoff.lab.calibrating.built_in import _table, design_named, simulated
from bakeoff.lab.calibrating.calibration import calibrated
design = design_named("cv:10")
experiments = simulated(design, replications={replications}, seed=1)
chosen = chosen_for(experiments)
"""
OURS = "return [[row.procedure, row.size] for row in calibrated(experiments).rows]"
TABLES = """
for values in (*experiments.null[:{few}], *experiments.different[:{few}]):
    for one in chosen:
        fewer = {{name: one.options[name] for name in _FEWER if name in one.options}}
        analyse(_table(design, values), one.name, anyway=True, **fewer)
return len(chosen)
"""
KNOWN = {"kfold-t": 0.087, "corrected-t": 0.019}


def rows() -> list[dict[str, Any]]:
    ours = side(SETUP.format(replications=REPLICATIONS), OURS, 1)
    sizes = dict(ours.answer)
    for name, known in KNOWN.items():
        error = (known * (1 - known) / REPLICATIONS) ** 0.5
        if abs(sizes[name] - known) > 3 * error:
            raise AssertionError(f"{name} has a size of {sizes[name]:.3f}, and {known} is known")
    tables = side(SETUP.format(replications=20), TABLES.format(few=FEW), 1)
    theirs = tables.run * REPLICATIONS / FEW
    return [
        {
            "name": f"calibration, {len(sizes)} procedures × {2 * REPLICATIONS:,} experiments of 10 folds",
            "ours_cpu": ours.run,
            "peer": f"analyse, table by table ({2 * FEW} experiments, scaled)",
            "peer_cpu": theirs,
            "ratio": theirs / ours.run,
            "goal": f"< {GOAL:g} s",
            "met": ours.run < GOAL,
        }
    ]


if __name__ == "__main__":
    for one in rows():
        print(one)
