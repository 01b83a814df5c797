"""What reviewers ask, and what varies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import zoo

import bakeoff
from bakeoff.cli import main
from bakeoff.judging import judge
from bakeoff.measures import known_measure
from bakeoff.reports.checklist import TO_SAY, Compute, checklist_of
from bakeoff.reports.manuscript import as_text
from bakeoff.reports.variability import NO, PARTLY, UNKNOWN, YES, variability
from bakeoff.scores import Scores

KEPT = Path(__file__).parents[1] / "kept" / "0.1.0"
VALUES = 0.7 + 0.02 * np.random.default_rng(0).standard_normal((12, 3))


def covered(scores: Scores, tuned: bool | None = None, **request: object) -> dict[str, str]:
    finding = judge(scores, **request).finding  # type: ignore[call-overload]
    return {source.name.split()[0]: source.covered for source in variability(finding, tuned)}


def test_what_is_covered_follows_from_what_was_drawn_again() -> None:
    tasks = covered(zoo.table(VALUES, kind="tasks"))
    assert (tasks["problems"], tasks["training"], tasks["hardware"]) == (YES, PARTLY, NO)
    folds = covered(zoo.table(VALUES, kind="kfold"), tuned=True)
    assert (folds["training"], folds["tuning"], folds["problems"]) == (YES, YES, NO)
    answers = covered(zoo.table((VALUES > 0.7).astype(float), kind="instances"), tuned=True)
    assert (answers["test"], answers["training"], answers["seeds"], answers["tuning"]) == (YES, NO, NO, NO)
    runs = Scores.of(
        VALUES.ravel(),
        learner=["ada", "bob", "cyd"] * 12,
        repeat=[str(i) for i in range(12) for _ in range(3)],
        measures={"accuracy": known_measure("accuracy")},
    )
    assert covered(runs)["training"] == UNKNOWN
    fixed = covered(runs, runs="fixed-split")
    assert (fixed["seeds"], fixed["training"], fixed["test"]) == (YES, NO, NO)


def test_the_checklist_leaves_to_authors_what_scores_do_not_tell() -> None:
    verdict = judge(zoo.table(VALUES, kind="tasks"))
    of_file = {part.heading: part.text for part in checklist_of(verdict).sections}
    assert of_file["What compute was used?"].startswith(TO_SAY)
    assert TO_SAY in of_file["Which test was made, and was it fixed in advance?"]
    assert "not a standard error" in of_file["What are the error bars?"]
    assert "Undecided is not equal" in of_file["What is claimed, and what not?"]
    machine = {"processor": "Abacus 3", "cores": 2, "memory": 2**33, "gpus": [], "workers": 2}
    compute = Compute(120, 3, 0, 7200.0, 1, tuned=True, machine=machine)
    of_study = {part.heading: part.text for part in checklist_of(verdict, compute).sections}
    assert (
        "120 cells (a learner on a split) took 120 minutes in all, on Abacus 3, 2 cores, 8 GiB"
        in (of_study["What compute was used?"])
    )
    assert "3 failed" in of_study["How many runs are there, and of what?"]
    assert "Inside each learning sample" in of_study["How were learners tuned?"]


def test_sentences_of_the_table_are_whole_as_text() -> None:
    document = checklist_of(judge(zoo.table(VALUES, kind="tasks")))
    text = as_text(document)
    (table,) = document.tables
    assert "…" not in text
    words = " ".join(text.split())
    assert all(row[-1].text.split()[-1] in words for row in table.rows)
    assert max(map(len, text.splitlines())) <= 100


def test_the_command_takes_files_studies_and_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(bakeoff.__file__).parent / "data" / "dietterich2000.csv", "scores.csv")
    for ending in ("toml", "sqlite"):
        shutil.copy(KEPT / f"bootstrap.{ending}", tmp_path)
    assert main(["checklist", "scores.csv", "--measure", "error", "-o", "checklist.md"]) == 0
    assert "| problems (data sets) | covered |" in Path("checklist.md").read_text()
    assert main(["compare", "scores.csv", "--measure", "error", "-o", "verdict.json"]) == 0
    assert main(["checklist", "verdict.json", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert {source["source"] for source in whole["sources"]} >= {"test instances", "training samples"}
    assert main(["checklist", "bootstrap.toml"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Planned in study 'bootstrap'" in text
    assert "20 cells (a learner on a split) took" in text
    assert main(["checklist", "bootstrap.toml", "--measure", "nonsense"]) == 2
    assert "plans no analysis of nonsense" in capsys.readouterr().err
