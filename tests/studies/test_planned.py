"""What counts as planned: what the study said before there were results."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.stores.reader import Reader
from bakeoff.studies.analysis import Analysis
from bakeoff.studies.conducting import conduct
from bakeoff.studies.file import read_study
from bakeoff.studies.planned import why_exploratory


def reason(study_file: Path, analysis: Analysis) -> str | None:
    study = read_study(study_file)
    with Reader(study_file.with_suffix(".sqlite")) as store:
        return why_exploratory(analysis, study, store)


PLANNED = Analysis("error")


def test_what_the_study_says_is_planned(finished_study: Path) -> None:
    assert reason(finished_study, PLANNED) is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (replace(PLANNED, alpha=0.1), "α 0.1 instead of 0.05"),
        (replace(PLANNED, procedure="sign"), "procedure sign instead of the one that fits"),
        (
            replace(PLANNED, measure="auc", margin=0.1),
            "measure auc instead of error, margin 0.1 instead of none",
        ),
        (replace(PLANNED, contrast=("bayes vs majority",)), "contrast bayes vs majority instead of all-pairs"),
        (replace(PLANNED, options={"zeros": "pratt"}), "options zeros = pratt instead of none"),
    ],
)
def test_others_are_not_and_the_difference_is_named(finished_study: Path, asked: Analysis, said: str) -> None:
    assert reason(finished_study, asked) == said


def test_an_analysis_added_after_the_first_results_was_not_planned_even_after_another_run(
    finished_study: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    changed = tmp_path / finished_study.name
    changed.write_text(changed.read_text() + '[[analysis]]\nmeasure = "error"\n[[analysis]]\nmeasure = "fit_time"\n')
    conduct(read_study(changed), changed.with_suffix(".sqlite"))
    assert reason(changed, PLANNED) is None
    assert reason(changed, Analysis("fit_time")) == "it was written into the study after its first results were stored"


def test_a_learner_added_later_leaves_the_analysis_planned(finished_study: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    changed = tmp_path / finished_study.name
    changed.write_text(changed.read_text() + '[[learner]]\nname = "coin"\npath = "sklearn.dummy.DummyClassifier"\n'
                       'parameters = { strategy = "uniform" }\n')  # fmt: skip
    conduct(read_study(changed), changed.with_suffix(".sqlite"))
    assert reason(changed, PLANNED) is None
