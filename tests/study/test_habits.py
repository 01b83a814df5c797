"""What users do by habit: run a part, within a time, or not at all; look at a study in a notebook; just judge."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from bakeoff import Study, judge, read_study
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.inference.finding import Finding
from bakeoff.judging import Verdict
from bakeoff.results.status import progress
from bakeoff.store.reader import Reader
from bakeoff.study.run import checked_part

Capture = pytest.CaptureFixture[str]
STUDY = """\
measures = ["error", "tp", "fp"]
resampling = { scheme = "cv", folds = 3 }
[[task]]
data = "sonar"
[[task]]
data = "ionosphere"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
"""


@pytest.fixture
def two_by_two(tmp_path: Path) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(STUDY)
    return path


def left(path: Path) -> dict[tuple[str, str], int]:
    with Reader(path.with_suffix(".sqlite")) as store:
        return {(part.learner, part.task): part.left for part in progress(store, read_study(path).key).parts}


def said(capsys: Capture) -> str:
    out = capsys.readouterr()
    return " ".join((out.out + out.err).split())


# --- parts of a run ---------------------------------------------------------------------------------------------------


def test_a_dry_run_runs_nothing(two_by_two: Path, capsys: Capture) -> None:
    assert main(["run", str(two_by_two), "--dry-run", "--only", "tree"]) == 0
    text = said(capsys)
    assert "6 cells would be run. Nothing was run." in text
    assert "tree sonar 3" in text
    assert "bayes" not in text
    assert not two_by_two.with_suffix(".sqlite").exists()


def test_a_dry_run_counts_what_is_to_be_run_again(two_by_two: Path, capsys: Capture) -> None:
    assert main(["run", str(two_by_two), "--quiet"]) == 0
    said(capsys)
    assert main(["run", str(two_by_two), "--dry-run", "--again", "tree"]) == 0
    text = said(capsys)
    assert "6 cells would be run. Nothing was run." in text
    assert "tree sonar 3" in text
    assert "bayes" not in text
    for further, complaint in {
        ("--again", "tre"): "no learner 'tre' to be run again. Did you mean 'tree'?",
        ("--shard", "1/2"): "A dry run tells of the whole study. Leave --shard out",
    }.items():
        assert main(["run", str(two_by_two), "--dry-run", *further]) == 2
        assert complaint in said(capsys)


def test_a_part_is_run_and_the_rest_later(two_by_two: Path, capsys: Capture) -> None:
    assert main(["run", str(two_by_two), "--quiet", "--only", "tree/sonar", "--only", "/ionosphere"]) == 0
    assert "9 cells run in" in said(capsys)
    assert left(two_by_two) == {
        ("bayes", "sonar"): 3, ("tree", "sonar"): 0, ("bayes", "ionosphere"): 0, ("tree", "ionosphere"): 0,
    }  # fmt: skip
    assert main(["run", str(two_by_two), "--dry-run"]) == 0
    assert "3 cells would be run" in said(capsys)
    assert main(["run", str(two_by_two), "--quiet"]) == 0
    assert "3 cells run in" in said(capsys)
    assert main(["run", str(two_by_two), "--dry-run"]) == 0
    assert "Nothing would be run" in said(capsys)


@pytest.mark.parametrize(
    ("only", "complaint"),
    [
        ("tre", "there is no learner 'tre'. Did you mean 'tree'"),
        ("tree/iris", "there is no task 'iris'"),
        ("/sonr", "there is no task 'sonr'. Did you mean 'sonar'"),
    ],
)
def test_a_part_that_is_not_there(two_by_two: Path, only: str, complaint: str, capsys: Capture) -> None:
    assert main(["run", str(two_by_two), "--only", only]) == 2
    assert complaint in said(capsys)
    assert not two_by_two.with_suffix(".sqlite").exists()


def test_names_with_a_stroke_are_names() -> None:
    study = Study(["iris", "wine"], {"a/b": GaussianNB(), "a": DummyClassifier()})
    assert checked_part(study, ["a/b"]) == {(0, 0), (0, 1)}
    assert checked_part(study, ["a/b/wine"]) == {(0, 1)}
    assert checked_part(study, ["a/wine"]) == {(1, 1)}


def test_after_the_budget_no_cell_is_begun(two_by_two: Path, capsys: Capture) -> None:
    assert main(["run", str(two_by_two), "--quiet", "--budget", "0.0001s"]) == 0
    text = said(capsys)
    assert "the budget of time is spent: no further cell was begun" in text
    assert "12 are left" in text
    assert "Next: bakeoff run" in text
    assert sum(left(two_by_two).values()) == 12
    assert main(["run", str(two_by_two), "--budget", "ten minutes"]) == 2
    assert 'a text such as "90 s"' in said(capsys)
    assert main(["run", str(two_by_two), "--quiet", "--budget", "10m"]) == 0
    assert sum(left(two_by_two).values()) == 0


# --- judging ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scores() -> Any:
    learners = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    return Study(["sonar"], learners, 10, measures=["error", "tp", "fp"]).run()


def test_scores_of_a_study_are_judged_by_its_primary_measure(scores: Any) -> None:
    verdict = judge(scores)
    assert isinstance(verdict, Verdict)
    assert verdict.finding.measure.name == "error"
    assert verdict.finding.standing is not None
    assert verdict.finding.standing.planned
    assert judge(scores.only(measures=["tp", "fp"])).finding.measure.name == "tp"


def test_tables_from_elsewhere_still_ask(scores: Any) -> None:
    with pytest.raises(UsageError, match="holds 3 measures"):
        judge(scores.to_frame())


def test_several_measures_are_a_question_about_all_at_once(scores: Any) -> None:
    finding = judge(scores, measure=["tp", "fp"])
    assert isinstance(finding, Finding)
    assert finding.procedure == "hotelling"
    assert finding.standing is not None
    assert not finding.standing.planned


def test_a_measure_that_another_task_does_not_have(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "s.toml"
    path.write_text(
        STUDY.replace('measures = ["error", "tp", "fp"]', 'measures = ["error"]').replace("ionosphere", "iris")
    )
    assert main(["run", str(path), "--quiet"]) == 0
    assert main(["judge", str(path), "--task", "sonar", "--measure", "tp"]) == 0
    assert "mean tp" in said(capsys)
    assert main(["judge", str(path), "--measure", "tp"]) == 2
    assert "'iris'" in said(capsys)


def test_learners_that_always_failed_are_told_beside_confusions(two_by_two: Path, capsys: Capture) -> None:
    broken = '[[learner]]\nname = "broken"\npath = "sklearn.naive_bayes.MultinomialNB"\nparameters = { alpha = -1 }\n'
    two_by_two.write_text(STUDY + broken)
    assert main(["run", str(two_by_two), "--quiet"]) == 4
    capsys.readouterr()
    assert main(["confusion", str(two_by_two), "--task", "sonar"]) == 0
    text = said(capsys)
    assert "bayes on sonar: 208 predictions" in text
    assert "broken on sonar: all 3 cells failed; bakeoff failures" in text
    assert main(["confusion", str(two_by_two), "--learner", "broken"]) == 2
    assert "broken on sonar: all 3 cells failed" in said(capsys)


# --- notebooks --------------------------------------------------------------------------------------------------------


def test_a_study_shows_itself_and_its_progress(tmp_path: Path) -> None:
    study = Study(["iris"], {"<b>": GaussianNB(), "dummy": DummyClassifier()}, resampling=3, question="Which & why?")
    page = study._repr_html_()
    assert "Which &amp; why?" in page
    assert "&lt;b&gt;, dummy" in page
    assert "not run with a store yet" in page
    study.run(store=tmp_path / "s.sqlite", only=["dummy"])
    assert "3 of 6 cells are done, 0 failed, 3 are left" in study._repr_html_()


def test_a_run_in_a_notebook_shows_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, page: str) -> None:
            shown.append(page)

    def display(page: str, display_id: bool = False) -> Handle:
        shown.append(page)
        return Handle()

    ipython, displays = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    vars(ipython)["get_ipython"] = lambda: types.SimpleNamespace(kernel=object())
    vars(displays).update(display=display, HTML=str)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    study = Study(["iris"], {"bayes": GaussianNB(), "dummy": DummyClassifier()}, resampling=3)
    study.run()
    assert "0 of 6 cells" in shown[0]
    assert "6 of 6 cells" in shown[-1]
    shown.clear()
    study.run(progress=False)
    assert not shown
