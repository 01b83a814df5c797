"""Python judges a single test sample as the command line does: by its rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from bakeoff import Study, advise, analyse, judge
from bakeoff.cli import main
from bakeoff.errors import MisfitError
from bakeoff.judging.one_sample import of_test_rows
from bakeoff.scores import Level, Scores, unpaired

FILE = """\
measures = ["error", "auc"]
[[task]]
data = "wdbc"
[[learner]]
name = "majority"
path = "sklearn.dummy.DummyClassifier"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[resampling]
scheme = "hold-out"
"""


@pytest.fixture(scope="module")
def ran() -> Scores:
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB()}
    return Study("wdbc", learners, resampling="hold-out", measures=["error", "auc"]).run()


@pytest.mark.parametrize("measure", ["error", "auc"])
def test_python_says_what_the_command_line_says(
    measure: str, ran: Scores, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(FILE)
    assert main(["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(path), "--measure", measure, "--json"]) == 0
    (there,) = json.loads(capsys.readouterr().out)["verdicts"]
    here = judge(ran, measure=measure).to_dict()
    assert (
        here["finding"]["procedure"] == there["finding"]["procedure"] == ("mcnemar" if measure == "error" else "delong")
    )
    assert here["finding"]["rows"] == there["finding"]["rows"]
    assert here["standing"]["planned"] is there["standing"]["planned"] is (measure == "error")


def test_advice_and_analysis_look_at_the_rows_too(ran: Scores) -> None:
    assert advise(ran, measure="error").recommended == "mcnemar"
    advice = advise(ran, measure="auc")
    assert advice.recommended == "delong"
    assert [candidate.procedure for candidate in advice.fitting] == ["delong"]
    found = analyse(ran, "delong", measure="auc")
    assert found.measure.name == "auc"
    assert found.standing is not None
    assert "measure auc instead of error" in found.standing.reason
    assert analyse(ran, "mcnemar", measure="error").level is Level.INSTANCES


def test_another_level_and_independent_samples_are_left_alone(ran: Scores) -> None:
    assert of_test_rows(ran, None, "error", "resamples").scores is ran
    assert unpaired(ran).by_instance is None
    with pytest.raises(MisfitError, match=r"delong: DeLong's test of two AUCs .recommended"):
        judge(ran, measure="auc", procedure="friedman")
    assert of_test_rows(ran, "friedman", "auc", None).scores is ran


def test_a_table_without_rows_beside_it_is_as_it_was(ran: Scores) -> None:
    rows = ran.by_instance
    assert rows is not None
    assert of_test_rows(rows, "mcnemar", "error", None) == (rows, "mcnemar", "error")
