"""Calibration: all procedures that read ten folds or their rows, on 1,000 experiments without a difference and 1,000
with one.

Two rows: the fifteen procedures that have been measured since the first benchmark, so that it can be compared with
earlier ones, and all that there are today, which draw more: joint flips and bootstrap-t of the rows take most of it.
Some read the errors of the folds, others the answers on the rows that were tested on (McNemar's test and its kin).

The peer is ourselves without the short cut: `analyse` on a table for every procedure and experiment, timed on a few of
them. The goal is a minute for everything once the scores are simulated. A wrong answer is an error: the sizes that
are known of this design (n = 200, α = .05) are 8.7 % for the paired t test over folds and 1.9 % for Nadeau and
Bengio's.
"""

from __future__ import annotations

from typing import Any

from measure import side

REPLICATIONS, FEW, GOAL = 1000, 10, 60.0
FIRST = [
    "aligned-tukey",
    "bayes-correlated-t",
    "calibrated-10x10",
    "closed-testing",
    "cochran-q",
    "corrected-t",
    "diebold-mariano",
    "dunn",
    "hochberg-tamhane",
    "kfold-t",
    "mcnemar",
    "paired-permutation",
    "paired-t",
    "permutation",
    "rm-anova",
]
SETUP = """
from bakeoff.judging import analyse
from bakeoff.calibration.apply import chosen_for
from bakeoff.calibration.designs import _answers_table, _table, design_named, simulated
from bakeoff.calibration.apply import calibrated
design = design_named("cv:10")
experiments = simulated(design, replications={replications}, seed=1)
first = {first}
chosen = [one for one in chosen_for(experiments) if (one.name in first) is {of_first}]
"""
OURS = "return [[row.procedure, row.size] for row in calibrated(experiments, [one.name for one in chosen]).rows]"
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


def measured(of_first: bool) -> tuple[dict[str, float], float, float]:
    """The sizes of those procedures, the time of their calibration, and that of as many tables."""
    ours = side(SETUP.format(replications=REPLICATIONS, first=FIRST, of_first=of_first), OURS, 1)
    tables = side(SETUP.format(replications=20, first=FIRST, of_first=of_first), TABLES.format(few=FEW), 1)
    return dict(ours.answer), ours.run, tables.run * REPLICATIONS / FEW


def rows() -> list[dict[str, Any]]:
    sizes, ours, theirs = measured(of_first=True)
    if len(sizes) < len(FIRST):
        raise AssertionError(f"{len(sizes)} procedures were calibrated, and {len(FIRST)} are to be")
    for name, known in KNOWN.items():
        error = (known * (1 - known) / REPLICATIONS) ** 0.5
        if abs(sizes[name] - known) > 3 * error:
            raise AssertionError(f"{name} has a size of {sizes[name]:.3f}, and {known} is known")
    later, ours_later, theirs_later = measured(of_first=False)
    return [
        row(f"the first {len(sizes)}", ours, theirs),
        row(f"all {len(sizes) + len(later)}", ours + ours_later, theirs + theirs_later),
    ]


def row(which: str, ours: float, theirs: float) -> dict[str, Any]:
    return {
        "name": f"calibration, {which} procedures × {2 * REPLICATIONS:,} experiments of 10 folds",
        "ours_cpu": ours,
        "peer": f"analyse, table by table ({2 * FEW} experiments, scaled)",
        "peer_cpu": theirs,
        "ratio": theirs / ours,
        "goal": f"< {GOAL:g} s",
        "met": ours < GOAL,
    }


if __name__ == "__main__":
    for one in rows():
        print(one)
