"""Calibration: all procedures that read ten folds or their rows, on 1,000 experiments without a difference and 1,000
with one.

Nine read the errors of the folds, six the answers on the rows that were tested on (McNemar's test and its kin). The
peer is ourselves without the short cut: `analyse` on a table for every procedure and experiment, timed on a few of
them. The goal is a minute for everything once the scores are simulated. A wrong answer is an error: the sizes that
are known of this design (n = 200, α = .05) are 8.7 % for the paired t test over folds and 1.9 % for Nadeau and
Bengio's.
"""

from __future__ import annotations

from typing import Any

from measure import side

REPLICATIONS, FEW, GOAL, PROCEDURES = 1000, 10, 60.0, 10
SETUP = """
from bakeoff.judging import analyse
from bakeoff.calibration.apply import chosen_for
from bakeoff.calibration.designs import _answers_table, _table, design_named, simulated
from bakeoff.calibration.apply import calibrated
design = design_named("cv:10")
experiments = simulated(design, replications={replications}, seed=1)
chosen = chosen_for(experiments)
"""
OURS = "return [[row.procedure, row.size] for row in calibrated(experiments).rows]"
TABLES = """
for one in chosen:
    read = experiments.answers if one.on_answers else experiments
    fewer = {{name: one.options[name] for name, _ in one.procedure.card.fewer}}
    for values in (*read.null[:{few}], *read.different[:{few}]):
        table = _answers_table(values) if one.on_answers else _table(design, values)
        analyse(table, one.name, anyway=True, **fewer)
return len(chosen)
"""
KNOWN = {"kfold-t": 0.087, "corrected-t": 0.019}


def rows() -> list[dict[str, Any]]:
    ours = side(SETUP.format(replications=REPLICATIONS), OURS, 1)
    sizes = dict(ours.answer)
    if len(sizes) < PROCEDURES:
        raise AssertionError(f"{len(sizes)} procedures were calibrated, and {PROCEDURES} are to be")
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
