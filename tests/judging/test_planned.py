"""Planned or exploratory: what the study said before there were results, whatever the way to a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zoo

import bakeoff
from bakeoff.inference.finding import Finding
from bakeoff.judging import analyse, judge, multitest
from bakeoff.judging.case import Case
from bakeoff.judging.planned import plan_status_of, unplanned
from bakeoff.judging.request import Request
from bakeoff.scores import Scores, unpaired
from bakeoff.scores.provenance import Provenance
from bakeoff.study.study import Analysis

KEY = "0123456789abcdef"
PLAN = Analysis("accuracy")


def table(*planned: Analysis, later: tuple[Analysis, ...] = (), learners: int = 3) -> Scores:
    rng = np.random.default_rng(3)
    made = zoo.table(0.7 + 0.02 * np.arange(learners) + 0.01 * rng.standard_normal((10, learners)), kind="kfold")
    plans = [tuple(each.describe() for each in some) for some in (planned or (PLAN,), later)]
    came = Provenance("wines", KEY, *plans, made.tasks, made.learners)
    return replace(made, provenance=came)


def said(scores: Scores, procedure: str | None = None, **request: Any) -> str:
    found = judge(scores, procedure, **request).standing
    assert found is not None
    assert found.planned is (found.reason == "")
    return found.reason


def test_scores_from_elsewhere_have_no_standing() -> None:
    verdict = judge(replace(table(), provenance=None))
    assert verdict.standing is None
    assert verdict.to_frame()["planned"].tolist() == [None] * 3
    assert unplanned(replace(table(), provenance=None), "x") is None


def test_what_the_study_says_is_planned() -> None:
    assert said(table()) == ""
    assert said(table(), measure="accuracy", alpha=0.05, contrast="all-pairs", missing="error") == ""
    assert said(table(replace(PLAN, contrast=("ada vs bob",))), contrast="ada vs bob") == ""
    assert said(table(replace(PLAN, alpha=0.1, margin=0.02)), alpha=0.1, margin=0.02) == ""
    assert said(table(replace(PLAN, control="ada")), control="ada") == ""
    against = Analysis("accuracy", contrast="control", control="ada")
    assert said(table(against), control="ada") == said(table(against), contrast="control", control="ada") == ""
    assert said(table(PLAN, replace(PLAN, alpha=0.01)), alpha=0.01) == ""


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"alpha": 0.1}, "α 0.1 instead of 0.05"),
        ({"margin": 0.1, "alpha": 0.01}, "α 0.01 instead of 0.05, margin 0.1 instead of none"),
        ({"procedure": "kfold-t", "anyway": True}, "procedure kfold-t instead of the one that fits"),
        ({"contrast": "ada vs bob"}, "contrast ada vs bob instead of all-pairs"),
        ({"control": "ada"}, "contrast control instead of all-pairs, control ada instead of none"),
        ({"adjust": "hommel"}, "adjust hommel instead of its own"),
        ({"alternative": "better"}, "alternative better instead of two-sided"),
        ({"level": "resamples"}, "level resamples instead of its own"),
        ({"missing": "worst"}, "missing worst instead of error"),
        (
            {"procedure": "corrected-t", "ratio": 0.5},
            "options ratio = 0.5 instead of none",
        ),
    ],
)
def test_others_are_not_and_the_difference_is_named(request_: dict[str, Any], reason: str) -> None:
    assert said(table(), **request_) == reason


def test_to_name_the_procedure_that_fits_is_to_ask_for_what_was_planned() -> None:
    fitting = judge(table()).finding.procedure
    assert said(table(), fitting) == ""
    named = table(replace(PLAN, procedure=fitting))
    assert said(named) == ""
    assert said(table(replace(PLAN, procedure="kfold-t"))) == "procedure the one that fits instead of kfold-t"
    standing = analyse(table(), fitting).standing
    assert standing is not None
    assert standing.planned
    assert said(table(replace(PLAN, procedure="no such procedure"))).endswith("instead of no such procedure")


def test_an_analysis_written_down_afterwards() -> None:
    late = table(later=(replace(PLAN, alpha=0.01),))
    assert said(late, alpha=0.01) == "it was written into the study after its first results were stored"
    assert said(late) == ""


def test_a_study_that_planned_nothing() -> None:
    scores = table()
    assert scores.provenance is not None
    assert said(replace(scores, provenance=replace(scores.provenance, planned=()))) == "it planned none"


def test_a_part_of_the_study_is_exploratory() -> None:
    scores = table()
    assert said(scores.only(learners=["cyd", "ada"])) == "only learners cyd and ada"
    assert said(scores.only(learners=["cyd", "bob", "ada"])) == ""
    assert said(scores.only(learners=["cyd", "ada"]), alpha=0.1) == "α 0.1 instead of 0.05, only learners cyd and ada"
    tasks = zoo.table(np.random.default_rng(1).random((8, 2)), kind="tasks")
    tasks = replace(tasks, provenance=Provenance("w", KEY, (PLAN.describe(),), (), (*tasks.tasks, "x"), tasks.learners))
    assert said(tasks).startswith("only tasks ")


def test_a_measure_turned_round_is_exploratory() -> None:
    made = table()
    turned = replace(made.measures["accuracy"], larger_is_better=False, by_user=True, turned=True)
    assert said(replace(made, measures={"accuracy": turned})) == "smaller accuracy taken for better"


def test_another_order_of_the_learners_is_another_side() -> None:
    one_sided = table(replace(PLAN, alternative="better"))
    assert said(one_sided, alternative="better") == ""
    turned = one_sided.only(learners=["cyd", "bob", "ada"])
    assert said(turned, alternative="better") == "learners in the order cyd, bob, ada"


def test_learners_taken_for_independent_samples() -> None:
    assert said(unpaired(table())) == "learners taken for independent samples"


def test_every_view_of_a_verdict_says_it() -> None:
    verdict = judge(table(), alpha=0.1)
    mark = "EXPLORATORY: study 'wines' (01234567) did not plan this analysis (α 0.1 instead of 0.05)."
    assert verdict.paragraph.startswith(mark)
    assert verdict.to_text().startswith("EXPLORATORY")
    assert mark in verdict._repr_html_().replace("&#x27;", "'")
    assert verdict.to_dict()["standing"]["planned"] is False
    assert verdict.to_frame()["planned"].tolist() == [False] * 3
    assert mark in bakeoff.critical_difference(verdict).caption


def test_every_view_of_a_finding_says_it() -> None:
    found: Finding = analyse(table(), "kfold-t")
    mark = "EXPLORATORY: study 'wines'"
    assert mark in found.to_text()
    assert mark in found._repr_html_().replace("&#x27;", "'")
    assert found.to_dict()["standing"]["reason"] == "procedure kfold-t instead of the one that fits"
    assert set(found.to_frame()["planned"]) == {False}
    assert "standing" in judge(table()).finding.to_dict()


def test_an_order_by_cost_is_none_of_the_analyses_of_a_study() -> None:
    made = multitest(table(), cost_order=["ada", "bob", "cyd"])
    assert made.standing is not None
    assert not made.standing.planned
    assert "did not plan this analysis (an order by cost). First is" in made.sentence
    assert "EXPLORATORY" in made.to_text()
    assert made.to_dict()["standing"]["planned"] is False
    assert multitest(replace(table(), provenance=None), cost_order=["ada", "bob", "cyd"]).standing is None


def test_a_procedure_that_is_already_known_to_fit_is_not_looked_for_again() -> None:
    found = plan_status_of(Case(table(), Request(procedure="delong")), "delong")
    assert found is not None
    assert found.planned


def test_in_python_a_study_gives_its_standing_along(finished_study: Path) -> None:
    study, store = bakeoff.read_study(finished_study), finished_study.with_suffix(".sqlite")
    for scores in (study.run(store=store), study.run(), study.scores(store), study.scores(store, ["error"])):
        assert judge(scores, measure="error").paragraph.startswith("Planned in study 'small' (")
        assert judge(scores, measure="error", alpha=0.1).paragraph.startswith("EXPLORATORY: study 'small' (")
    assert said(study.scores(store, ["auc"])) == "measure auc instead of error"
    assert said(study.scores(store), measure="fit_time") == "measure fit_time instead of error"
