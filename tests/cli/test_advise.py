"""`bakeoff advise` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.registry import MODULES, explain
from bakeoff.scores import Level

Capture = pytest.CaptureFixture[str]


def test_every_procedure_is_said_to_fit_or_not(wide: str, capsys: Capture) -> None:
    assert main(["advise", wide, "--measure", "auc"]) == 0
    text = capsys.readouterr().out
    assert "Recommended: friedman" in text
    also, no = text.index("Also fitting:"), text.index("Not fitting:")
    for name in ("wilcoxon", "sign"):
        assert also < text.index(f"  {name}: ") < no
    for name in (name for name in MODULES if explain(name).level is not Level.TASKS):
        assert text.index(f"  {name}: ") > no


def test_json(wide: str, capsys: Capture) -> None:
    assert main(["advise", wide, "--measure", "auc", "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    assert advice["recommended"] == "friedman"
    assert [candidate["procedure"] for candidate in advice["candidates"]] == list(MODULES)
    fitting = {c["procedure"] for c in advice["candidates"] if c["fits"]}
    assert fitting >= {"friedman", "wilcoxon", "sign"}
    assert all(explain(name).level is Level.TASKS for name in fitting)


def test_what_a_row_is_decides(wide: str, folds: str, capsys: Capture) -> None:
    recommended = []
    for file in (wide, folds):
        assert main(["advise", file, "--measure", "auc", "--json"]) == 0
        recommended.append(json.loads(capsys.readouterr().out)["recommended"])
    assert recommended == ["friedman", "corrected-t"]


def test_the_level_can_be_set(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "both.csv"
    rows = [f"{t},{f},{learner},0.{t}{f}{learner}" for t in (1, 2, 3) for f in (1, 2) for learner in (4, 5)]
    path.write_text("\n".join(["task,fold,learner,auc", *rows]) + "\n")
    found = []
    for level in ([], ["--level", "resamples", "--task", "1"]):
        assert main(["advise", str(path), *level, "--json"]) == 0
        layout = json.loads(capsys.readouterr().out)["layout"]
        found.append((layout["level"], layout["n_blocks"]))
    assert found == [("tasks", 3), ("resamples", 2)]


def test_missing_values_follow_the_policy(gap: str, capsys: Capture) -> None:
    assert main(["advise", gap, "--measure", "auc", "--missing", "drop-block", "--json"]) == 0
    layout = json.loads(capsys.readouterr().out)["layout"]
    assert (layout["n_blocks"], layout["n_missing"]) == (3, 1)


def test_one_measure_of_several_must_be_chosen(two_measures: str, capsys: Capture) -> None:
    assert main(["advise", two_measures]) == 2
    assert "--measure NAME" in capsys.readouterr().err
    assert main(["advise", two_measures, "--measure", "accuracy"]) == 0


def test_it_applies_no_procedure(wide: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["advise", wide, "--measure", "auc", "--with", "friedman"])
    assert left.value.code == 2
    assert "--with friedman" in capsys.readouterr().err


STUDY = """
measures = ["squared_error", "absolute_error"]
[resampling]
scheme = "simulation"
repeats = 5
[[task]]
generator = "friedman1"
n = 30
m = 20
[[learner]]
path = "sklearn.linear_model.LinearRegression"
[[learner]]
path = "sklearn.dummy.DummyRegressor"
[[learner]]
path = "sklearn.neighbors.KNeighborsRegressor"
"""


def test_a_stored_study(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    assert main(["advise", str(path)]) == 2
    assert "Run it first" in capsys.readouterr().err
    assert main(["run", str(path)]) == 0
    capsys.readouterr()
    assert main(["advise", str(path), "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    assert advice["recommended"] == "closed-testing"
    assert advice["layout"]["problem"]["kind"] == "simulation"
    two = ["--learner", "LinearRegression", "--learner", "DummyRegressor"]
    assert main(["advise", str(path), "--measure", "absolute_error", *two]) == 0
    assert "Recommended: paired-permutation" in capsys.readouterr().out
    assert main(["advise", str(path), "--measure", "absolute_error", "--measure", "squared_error", *two]) == 0
    assert "hotelling" in capsys.readouterr().out
