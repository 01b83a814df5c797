from __future__ import annotations

import numpy as np
import zoo

from bakeoff.lab.powering.asking import power
from bakeoff.lab.powering.pilot_runs import about_pilot
from bakeoff.registry import procedure_named
from bakeoff.scores import Missing, Scores


def pilot() -> Scores:
    values = 0.2 + 0.03 * np.random.default_rng(0).standard_normal(24)
    return Scores.of(
        values,
        learner=["a"] * 12 + ["b"] * 12,
        repeat=[str(i) for i in range(12)] * 2,
        measures={"error": zoo.measure("error")},
    )


def test_power_from_runs_of_which_nothing_is_known_says_so() -> None:
    made = power("kfold-t", pilot=pilot(), n=20, difference=0.02)
    assert "What the 12 runs of the pilot are is not known" in made.warnings[0]
    assert "--pilot-runs independent" in made.to_text().replace("\n  ", " ")
    assert power("kfold-t", pilot=pilot(), n=20, difference=0.02, runs="independent").warnings == ()


def test_a_test_that_makes_up_for_overlap_needs_no_warning() -> None:
    assert about_pilot(pilot(), procedure_named("corrected-t").card, None, None, Missing.ERROR) == ()


def test_blocks_that_are_no_runs_are_left_alone() -> None:
    folds = zoo.table(np.random.default_rng(0).random((5, 2)), kind="kfold")
    assert about_pilot(folds, procedure_named("paired-permutation").card, None, None, Missing.ERROR) == ()
