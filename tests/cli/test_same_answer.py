"""Scores that leave their study as a file, and what is made of them there: the same as in the study."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bakeoff
from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]

CLASSES = """
[[learner]]
name = "majority"
path = "sklearn.dummy.DummyClassifier"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "coin"
path = "sklearn.dummy.DummyClassifier"
parameters = { strategy = "uniform" }
"""
IRIS, WITH_TEST = '[[task]]\ndata = "iris"\n', '[[task]]\ndata = "iris"\ntest_rows = 50\n'
DRAWN = '[[task]]\ngenerator = "twonorm"\nn = 20\nm = 30\n'
STUDIES = {
    "cross-validation": '{ scheme = "cv", folds = 4 }\n' + IRIS,
    "repeated cross-validation": '{ scheme = "3x4" }\n' + IRIS,
    "5x2": '{ scheme = "5x2" }\n' + IRIS,
    "out-of-bootstrap": '{ scheme = "out-of-bootstrap", repeats = 6 }\n' + IRIS,
    "bootstrap-cv": '{ scheme = "bootstrap-cv", repeats = 5, folds = 2 }\n' + IRIS,
    "632+": '{ scheme = "632+", repeats = 6 }\n' + IRIS,
    "competition": '{ scheme = "competition", repeats = 6 }\n' + WITH_TEST,
    "simulation": '{ scheme = "simulation", repeats = 6 }\n' + DRAWN,
    "simulation with fresh test samples": '{ scheme = "simulation", repeats = 6 }\n' + DRAWN + 'test = "fresh"\n',
    "independent samples": '{ scheme = "simulation", repeats = 6, independent = true }\n' + DRAWN,
    "two simulations": '{ scheme = "simulation", repeats = 4 }\n' + DRAWN + DRAWN.replace("twonorm", "ringnorm"),
    "several tasks": '{ scheme = "cv", folds = 2 }\n' + IRIS + '[[task]]\ndata = "wine"\n[[task]]\ndata = "wdbc"\n',
}
PROCEDURES = {
    "cross-validation": "corrected-t",
    "repeated cross-validation": "corrected-t",
    "5x2": "5x2-f",
    "independent samples": "unpaired-t",
    "two simulations": "task-flips",
    "several tasks": "task-flips",
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    @cache
    def run(name: str) -> Path:
        path = tmp_path_factory.mktemp("study") / "mine.toml"
        path.write_text(f"resampling = {STUDIES[name]}{CLASSES}")
        assert main(["run", str(path), "--quiet"]) == 0
        return path

    return run


def answer(capsys: Capture, *command: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*command, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


# What only the data tell, which a file of scores does not hold.
ABOUT_THE_DATA = ("class-proportions", "drift", "duplicated-rows")


def claimed(verdict: dict[str, Any]) -> dict[str, Any]:
    """All of a verdict but the name of its file, its standing, and what is said of the data."""
    found = {name: part for name, part in verdict.items() if name not in ("standing", "answer", "paragraph")}
    said = tuple(each["text"] for each in found["warnings"] if each["code"] in ABOUT_THE_DATA)
    cautions = [each for each in found["finding"]["cautions"] if not (said and each.startswith(said))]
    found["warnings"] = [each for each in found["warnings"] if each["code"] not in ABOUT_THE_DATA]
    return {**found, "finding": {**found["finding"], "source": "", "standing": None, "cautions": cautions}}


def design_of(layout: dict[str, Any]) -> dict[str, Any]:
    doubts = [each for each in layout["doubts"] if each["code"] not in ABOUT_THE_DATA]
    return {**layout, "source": "", "doubts": doubts}


@pytest.mark.parametrize("name", STUDIES)
def test_advice_and_verdict_are_those_of_the_study(
    name: str, studies: Callable[[str], Path], tmp_path: Path, capsys: Capture
) -> None:
    study = studies(name)
    (judged,) = answer(capsys, "judge", str(study))["verdicts"]
    scores = bakeoff.read_study(study).scores(study.with_suffix(".sqlite"))
    advised = bakeoff.advise(scores)
    assert advised.recommended == judged["finding"]["procedure"] == PROCEDURES.get(name, "run-t")
    for ending in ("csv", "parquet"):
        file = tmp_path / f"scores.{ending}"
        assert main(["scores", str(study), "-o", str(file)]) == 0
        compared = answer(capsys, "compare", str(file))
        assert claimed(compared["verdict"]) == claimed(judged)
        assert design_of(compared["advice"]["layout"]) == design_of(advised.to_dict()["layout"])
        assert compared["advice"]["recommended"] == advised.recommended
        assert compared["verdict"]["paragraph"].endswith(judged["paragraph"].partition("). ")[2])
    again = bakeoff.read_scores(scores.to_frame())
    assert (again.problem, again.independent) == (scores.problem, scores.independent)


def test_parquet_tells_what_was_planned_and_csv_says_nothing(
    studies: Callable[[str], Path], tmp_path: Path, capsys: Capture
) -> None:
    study = studies("out-of-bootstrap")
    for ending in ("csv", "parquet"):
        file = tmp_path / f"scores.{ending}"
        assert main(["scores", str(study), "-o", str(file)]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert ("A CSV file cannot tell which analyses the study planned" in told) is (ending == "csv")
        for flags, planned in (((), True), (("--alpha", "0.1"), False)):
            standing = answer(capsys, "compare", str(file), *flags)["verdict"]["standing"]
            assert (standing and standing["planned"]) == (None if ending == "csv" else planned)
            assert main(["compare", str(file), *flags]) == 0
            said = capsys.readouterr().out
            assert ("EXPLORATORY" in said) is (ending == "parquet" and not planned)
            assert ("Planned in" in said) is (ending == "parquet" and planned)


def test_rows_that_were_changed_are_not_what_was_planned(
    studies: Callable[[str], Path], tmp_path: Path, capsys: Capture
) -> None:
    study = studies("cross-validation")
    file = tmp_path / "scores.parquet"
    assert main(["scores", str(study), "-o", str(file)]) == 0
    table = pq.read_table(file)
    kept = table.filter(pa.compute.not_equal(table["learner"], "coin"))
    assert kept.schema.metadata == table.schema.metadata
    pq.write_table(kept, file)
    standing = answer(capsys, "compare", str(file))["verdict"]["standing"]
    assert standing["planned"] is False
    assert standing["reason"] == "only learners majority and bayes, rows changed since they were exported"
    assert main(["compare", str(file), "--learner", "majority", "--learner", "bayes"]) == 0


@pytest.mark.parametrize(
    ("name", "ending"),
    [("5x2", "csv"), ("competition", "parquet"), ("independent samples", "csv"), ("several tasks", "parquet")],
)
def test_what_export_writes_is_the_same_where_a_scheme_makes_nothing_else_of_its_splits(
    name: str, ending: str, studies: Callable[[str], Path], tmp_path: Path, capsys: Capture
) -> None:
    study = studies(name)
    assert main(["export", str(study), "-o", str(tmp_path / "all"), "--format", ending]) == 0
    (judged,) = answer(capsys, "judge", str(study))["verdicts"]
    compared = answer(capsys, "compare", str(tmp_path / "all" / f"scores.{ending}"))["verdict"]
    assert compared["finding"]["procedure"] == judged["finding"]["procedure"]
    assert compared["means"] == pytest.approx(judged["means"])
    assert compared["standing"] == (judged["standing"] if ending == "parquet" else None)


@pytest.mark.parametrize(("name", "draws"), [("bootstrap-cv", False), ("632+", True)])
def test_where_it_does_the_splits_are_not_what_was_planned(
    name: str, draws: bool, studies: Callable[[str], Path], tmp_path: Path, capsys: Capture
) -> None:
    assert main(["export", str(studies(name)), "-o", str(tmp_path / "all")]) == 0
    compared = answer(capsys, "compare", str(tmp_path / "all" / "scores.parquet"))
    assert compared["verdict"]["standing"]["reason"] == "scores of single splits"
    assert (compared["advice"]["layout"]["problem"] is not None) is draws, "folds of one repeat are no draws"
    left_out = [note for note in compared["alignment"]["notes"] if "3 rows of fits to all rows" in note]
    assert len(left_out) == (name == "632+")


HELD_OUT = 'resampling = { scheme = "hold-out" }\n[[task]]\ndata = "wdbc"\n' + CLASSES


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_one_test_sample_by_its_rows(ending: str, tmp_path: Path, capsys: Capture) -> None:
    path, file = tmp_path / "held.toml", tmp_path / f"rows.{ending}"
    path.write_text(HELD_OUT)
    assert main(["run", str(path), "--quiet"]) == 0
    assert main(["scores", str(path), "--instances", "-o", str(file)]) == 0
    (judged,) = answer(capsys, "judge", str(path))["verdicts"]
    compared = answer(capsys, "compare", str(file))["verdict"]
    assert claimed(compared) == claimed(judged)
    assert (compared["standing"] is None) is (ending == "csv")
