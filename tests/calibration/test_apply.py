"""Procedures on arrays say what `analyse` says of the table."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from bakeoff.calibration import null_designs as null
from bakeoff.calibration.apply import (
    Calibration,
    ProcedureCalibration,
    _answering,
    _recommended,
    all_claims,
    calibrated,
    chosen_for,
    claims_of,
    verdict_on,
)
from bakeoff.calibration.designs import MANY_FITS, design_named, simulated
from bakeoff.calibration.refit import exchanged
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.scores import blocks, layout

DESIGNS = {
    "10 folds": null.cross_validation(1, 10),
    "10×10 folds": null.cross_validation(10, 10),
    "5×2 folds": null.cross_validation(5, 2),
    "answers": null.answers,
    "tasks": null.tasks,
}


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_every_procedure_says_what_it_would_say_of_a_table(design: null.Design) -> None:
    scores = design(np.random.default_rng(4), 2)
    values = blocks(scores, level=layout(scores).level).values
    found = chosen_for(exchanged(scores, replications=20))
    assert len(found) >= 6
    for one in found:
        card = one.procedure.card
        told = analyse(scores, one.name, anyway=True, **dict(card.fewer))
        row = told.pairs[0] if told.pairs else told.rows[0]
        made = _answering(one.procedure, 0.05, larger_is_better=False)(values, one.options)
        if card.posterior:
            assert max(made.worse, made.better) == pytest.approx(max(row.worse, row.better))
        else:
            p = row.p_adjusted if not isnan(row.p_adjusted) else row.p
            assert made.p == pytest.approx(p), one.name
        if not isnan(made.lower):
            # Pairs are read from the better learner to the worse, arrays from the first to the second.
            assert sorted(map(abs, (made.lower, made.upper))) == pytest.approx(sorted(map(abs, (row.lower, row.upper))))


def test_by_default_all_are_there_that_can_read_the_design_with_what_speaks_against_them() -> None:
    found = {one.name: one for one in chosen_for(simulated(design_named("cv:3x4", 40), replications=20, delta=0.05))}
    assert found["corrected-t"].unmet == ()
    assert "badly wrong" in found["kfold-t"].unmet[0]
    assert {"wilson", "unpaired-t", "wilcoxon", "manova", "two-way-anova", "mcnemar"}.isdisjoint(found)


def test_what_cannot_read_the_folds_reads_the_rows_where_they_are_there() -> None:
    made = simulated(design_named("cv:4", 40), replications=20, delta=0.05)
    found = {one.name: one for one in chosen_for(made)}
    rows = {name for name, one in found.items() if one.on_answers}
    assert rows == {
        "mcnemar",
        "item-flips",
        "dunn",
        "cochran-q",
        "paired-t",
        "bootstrap-t",
        "hochberg-tamhane",
        "diebold-mariano",
        "cosine-t",
    }
    assert all(MANY_FITS in found[name].unmet for name in rows)
    assert len(found) == 20
    (both,) = all_claims([found["mcnemar"]], made, 0.05)
    assert made.answers is not None
    assert both[0] == claims_of(found["mcnemar"], made.answers.null, 0.05, larger_is_better=False)
    without = replace(made, answers=None)
    assert len(chosen_for(without)) == 11
    with pytest.raises(MisfitError, match="it reads instances as blocks"):
        chosen_for(without, ["mcnemar"])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("wilcoxon", "it reads tasks as blocks"),
        ("unpaired-t", "it takes independent samples"),
        ("mean-t", "it looks at one learner"),
        ("hotelling", "several measures"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_with_what_can(name: str, reason: str) -> None:
    made = simulated(design_named("cv:5", 40), replications=20, delta=0.05)
    with pytest.raises(MisfitError) as refused:
        chosen_for(made, [name])
    assert reason in str(refused.value)
    assert "corrected-t" in str(refused.value)


def test_names_are_taken_once_and_misspelt_ones_refused() -> None:
    made = simulated(design_named("cv:5", 40), replications=20, delta=0.05)
    assert [one.name for one in chosen_for(made, ["kfold-t", "corrected-t", "kfold-t"])] == ["kfold-t", "corrected-t"]
    with pytest.raises(UsageError, match="Did you mean 'kfold-t'"):
        chosen_for(made, ["kfolt-t"])
    with pytest.raises(UsageError, match="No procedure is named"):
        chosen_for(made, [])


def test_claims_are_counted() -> None:
    made = simulated(design_named("cv:5", 40), replications=20, delta=0.05)
    (one,) = chosen_for(made, ["kfold-t"])
    clear = np.array([[0.1, 0.5], [0.11, 0.52], [0.12, 0.5], [0.1, 0.49], [0.1, 0.51]])
    none = np.array([[0.1, 0.1], [0.2, 0.1], [0.1, 0.2], [0.3, 0.2], [0.2, 0.3]])
    found = claims_of(one, np.stack([clear, none, none]), 0.05, larger_is_better=False)
    assert (found.experiments, found.claimed, found.with_interval, found.covered, found.refused) == (3, 1, 3, 2, 0)


def test_an_experiment_without_a_statistic_claims_nothing() -> None:
    made = simulated(design_named("cv:5x2", 40), replications=20, delta=0.05)
    (one,) = chosen_for(made, ["5x2-t"])
    apart = np.tile([[0.1, 0.2]], (10, 1))  # the same difference throughout: 0.1 / 0
    found = claims_of(one, apart[None], 0.05, larger_is_better=False)
    assert (found.claimed, found.refused) == (0, 1)


def test_processes_find_what_one_finds() -> None:
    made = simulated(design_named("cv:5", 40), replications=20, delta=0.1)
    chosen = chosen_for(made, ["permutation", "corrected-t"])
    assert all_claims(chosen, made, 0.05, jobs=2) == all_claims(chosen, made, 0.05)


# ----------------------------------------------------------------------------------------------------------------------
# What is said of a calibration: verdicts, the recommendation, text and JSON.


MADE = simulated(design_named("cv:5", 100), replications=40, seed=2)


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    return calibrated(MADE)


def row(procedure: str, verdict: str = "holds", power: float = 0.5, **more: object) -> ProcedureCalibration:
    made = ProcedureCalibration(procedure, procedure, 1000, 0.05, 0.007, verdict, 0.95, 0.007, power, 0.016, 0)
    return replace(made, **more)  # type: ignore[arg-type]


def test_the_most_powerful_of_those_that_hold_their_level_is_recommended() -> None:
    rows = [
        row("corrected-t", "conservative", 0.4),
        row("permutation", "liberal", 0.9),
        row("closed-testing", power=0.6),
    ]
    name, because = _recommended(rows, MADE)
    assert name == "closed-testing"
    assert because == "the most powerful (60 %) of the 2 that fit this design and hold their level."


def test_of_those_that_cannot_be_told_apart_the_advisor_chooses() -> None:
    name, because = _recommended([row("closed-testing", power=0.61), row("corrected-t", power=0.6)], MADE)
    assert name == "corrected-t"
    assert "cannot be told from the largest" in because
    assert because.endswith("nor can that of closed-testing.")


def test_nobody_is_recommended_against_advice_nor_without_a_level_nor_with_a_bad_name() -> None:
    rows = [
        row("rm-anova", against=("it is made for three learners or more",)),
        row("bayes-correlated-t", posterior=True),
        row("kfold-t"),
        row("permutation", "liberal"),
    ]
    name, because = _recommended(rows, MADE)
    assert name == ""
    assert "None of these procedures can be recommended" in because
    name, because = _recommended([*rows, row("corrected-t", power=0.1)], MADE)
    assert name == "corrected-t"
    assert "kfold-t is not recommended whatever is found" in because


@pytest.mark.parametrize(
    ("size", "replications", "verdict"),
    [
        (0.05, 20, "holds"),
        (0.0, 20, "holds"),
        (0.0, 1000, "conservative"),
        (0.2, 20, "liberal"),
        (0.07, 1000, "liberal"),
    ],
)
def test_a_verdict_needs_two_standard_errors(size: float, replications: int, verdict: str) -> None:
    assert verdict_on(size, replications, 0.05) == verdict


def test_the_text_says_what_was_done_and_what_it_means(calibration: Calibration) -> None:
    text = " ".join(calibration.to_text().split())
    for part in (
        "2 learners on 5 resamples of one task (K-fold cross-validation), error (smaller is better).",
        "equally good by symmetry",
        "40 experiments without a difference, and 40 in which the second learner is worse by δ =",
        "procedure level size coverage power at δ",
        "which should be α = 5 %",
        "hold the level as far as 40 experiments can tell",
        "calibrated-10x10*",
        "bayes-correlated-t†",
        "* against the advice for this design",
        "† a posterior claims no level",
        "Recommended: ",
    ):
        assert part in text
    assert max(map(len, calibration.to_text().splitlines())) <= 100
    assert str(calibration) == calibration.to_text()


def test_json_and_frame_hold_every_number(calibration: Calibration) -> None:
    told = json.loads(calibration.to_json())
    assert told == calibration.to_dict()
    assert told["recommended"] == calibration.recommended
    assert {"procedure", "size", "size_error", "verdict", "coverage", "power", "power_error"} <= set(told["rows"][0])
    assert calibration.to_frame()["size"].tolist() == [one.size for one in calibration.rows]
    assert next(one for one in told["rows"] if one["procedure"] == "permutation")["coverage"] is None


def test_size_coverage_and_power_belong_together(calibration: Calibration) -> None:
    one = calibration["corrected-t"]
    assert one.coverage == pytest.approx(1 - one.size)
    assert one.power > one.size
    assert one.replications == 40
    with pytest.raises(UsageError, match="strictly between 0 and 1"):
        calibrated(MADE, alpha=1.5)


def test_the_check_can_fail() -> None:
    """Experiments that are no null experiments make every procedure liberal."""
    lying = replace(MADE, null=np.where(np.arange(2) == 1, MADE.null + 0.5, MADE.null))
    found = calibrated(lying, ["corrected-t", "kfold-t"])
    assert [one.verdict for one in found.rows] == ["liberal", "liberal"]
    assert found.recommended == ""
