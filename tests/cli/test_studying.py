"""What the commands about studies share: the file, its store, and planned analyses that could never be made."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]
LOOKING = ("status", "failures", "scores", "judge")


@pytest.mark.parametrize("command", [*LOOKING, "export"])
def test_before_the_first_run(command: str, small_study: Path, tmp_path: Path, capsys: Capture) -> None:
    further = ["-o", str(tmp_path / "out")] if command == "export" else []
    assert main([command, str(small_study), *further]) == 2
    said = capsys.readouterr().err
    assert "Nothing is stored yet" in said
    assert f"bakeoff run {small_study}" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", LOOKING)
def test_a_file_that_was_changed_since(command: str, finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path = tmp_path / finished_study.name
    path.write_text(path.read_text().replace("seed = 7", "seed = 8"))
    assert main([command, str(path)]) == 2
    said = capsys.readouterr().err
    assert "holds 1 other version of a study, but not this one: the file was changed since." in said
    assert f"bakeoff run {path}" in said


@pytest.mark.parametrize("command", LOOKING)
def test_a_store_that_is_none(command: str, small_study: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    assert main([command, str(small_study), "--store", str(tmp_path / "notes.txt")]) == 2
    assert "This is not a store of bakeoff" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["plan", "run", "judge"])
@pytest.mark.parametrize(
    ("analysis", "says"),
    [
        ('with = "freidman"', "There is no procedure 'freidman'. Did you mean 'friedman'?"),
        ('adjust = "hlom"', "There is no adjustment 'hlom'. Did you mean 'holm'?"),
        ('contrast = "bayes vs coin"', "coin"),
        ('with = "wilcoxon"\noptions = { zeroes = "x" }', "wilcoxon has no option 'zeroes'"),
    ],
)
def test_an_analysis_that_could_never_be_made_is_refused_first(
    command: str, analysis: str, says: str, small_study: Path, capsys: Capture
) -> None:
    small_study.write_text(f"{small_study.read_text()}[[analysis]]\n{analysis}\n")
    assert main([command, str(small_study)]) == 2
    said = capsys.readouterr().err
    assert f"{small_study}, key analysis[1]: " in said
    assert says in said
    assert not small_study.with_suffix(".sqlite").exists()


def test_nothing_but_run_executes_anything_of_a_study(tmp_path: Path, capsys: Capture) -> None:
    """Modules that leave a mark when they are imported: the learner's, the loader's, the scorer's."""
    for name, body in {
        "marked_learner": "from sklearn.dummy import DummyClassifier as Learner",
        "marked_loader": "def load():\n    return [[float(i)] for i in range(20)], ['a', 'b'] * 10",
        "marked_scorer": "def score(estimator, X, y):\n    return 0.5",
    }.items():
        mark = f"from pathlib import Path\n(Path(__file__).parent / 'mark-{name}').touch()\n"
        (tmp_path / f"{name}.py").write_text(mark + body + "\n")
    path = tmp_path / "study.toml"
    path.write_text(
        'measures = ["error", { name = "mine", scorer = "marked_scorer.score" }]\n'
        '[[task]]\nname = "made"\nloader = "marked_loader.load"\n'
        '[[learner]]\nname = "a"\npath = "marked_learner.Learner"\n'
        '[[learner]]\nname = "b"\npath = "marked_learner.Learner"\nparameters = { strategy = "uniform" }\n'
        '[resampling]\nscheme = "cv"\nfolds = 4\n[[analysis]]\n[[analysis]]\nmeasure = "mine"\n'
    )

    def marks() -> list[str]:
        found = sorted(mark.name for mark in tmp_path.glob("mark-*"))
        for mark in found:
            (tmp_path / mark).unlink()
            sys.modules.pop(mark.removeprefix("mark-"), None)
        return found

    assert main(["plan", str(path)]) == 0
    assert marks() == []
    assert main(["run", str(path), "--quiet"]) == 0, capsys.readouterr().err
    assert marks() == ["mark-marked_learner", "mark-marked_loader", "mark-marked_scorer"]
    for command in ("plan", "status", "failures", "scores", "judge"):
        assert main([command, str(path), "--json"]) in (0, 3), command
    assert main(["scores", str(path), "--measure", "mcc"]) == 0
    assert main(["export", str(path), "-o", str(tmp_path / "out")]) == 0
    assert marks() == []
