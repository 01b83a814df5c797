"""What is said of a calibration: verdicts, the recommendation, text and JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.calibrating.built_in import design_named, simulated
from bakeoff.lab.calibrating.calibration import Calibrated, _recommended, calibrated, verdict_on

MADE = simulated(design_named("cv:5", 100), replications=40, seed=2)
FOUND = calibrated(MADE)


def row(procedure: str, verdict: str = "holds", power: float = 0.5, **more: object) -> Calibrated:
    made = Calibrated(procedure, procedure, 1000, 0.05, 0.007, verdict, 0.95, 0.007, power, 0.016, 0)
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


def test_the_text_says_what_was_done_and_what_it_means() -> None:
    text = " ".join(FOUND.to_text().split())
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
    assert max(map(len, FOUND.to_text().splitlines())) <= 100
    assert str(FOUND) == FOUND.to_text()


def test_json_and_frame_hold_every_number() -> None:
    told = json.loads(FOUND.to_json())
    assert told == FOUND.to_dict()
    assert told["recommended"] == FOUND.recommended
    assert {"procedure", "size", "size_error", "verdict", "coverage", "power", "power_error"} <= set(told["rows"][0])
    assert FOUND.to_frame()["size"].tolist() == [one.size for one in FOUND.rows]
    assert next(one for one in told["rows"] if one["procedure"] == "permutation")["coverage"] is None


def test_size_coverage_and_power_belong_together() -> None:
    one = FOUND["corrected-t"]
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
