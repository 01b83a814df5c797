"""`bakeoff export` as a user types it."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from bakeoff.cli import main
from bakeoff.cli.study import summary_sentence
from bakeoff.power_analysis import power as simulated
from bakeoff.power_analysis.power import power
from bakeoff.running.engine import ChunkSizer
from bakeoff.running.work import Outcome
from bakeoff.study.file import TEMPLATE, read_study
from bakeoff.study.run import Summary, run_study

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("form", [None, "csv"])
def test_a_folder_with_everything(form: str | None, finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "out"
    assert main(["export", str(finished_study), "-o", str(folder), *(["--format", form] if form else [])]) == 0
    ending = form or "parquet"
    tables = {f"{name}.{ending}" for name in ("scores", "predictions", "splits", "attempts")}
    assert {path.name for path in folder.iterdir()} == {*tables, "study.json"}
    read = pd.read_csv if form == "csv" else pd.read_parquet
    assert len(read(folder / f"predictions.{ending}")) == 2 * 150
    assert len(read(folder / f"splits.{ending}")) == 3 * 150
    assert json.loads((folder / "study.json").read_text(encoding="utf-8"))["key"] == read_study(finished_study).key


def test_the_files_are_listed(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["export", str(finished_study), "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.split() == sorted(str(path) for path in (tmp_path / "out").iterdir())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_scores_alone(ending: str, finished_study: Path, tmp_path: Path) -> None:
    target = tmp_path / f"scores.{ending}"
    assert main(["export", str(finished_study), "-o", str(target)]) == 0
    assert main(["compare", str(target), "--measure", "error"]) == 0


def test_what_is_there_stays(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    assert main(["export", str(finished_study), "-o", str(tmp_path / "out")]) == 2
    assert "is there already. Name a folder that is not there yet" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


def test_two_formats_at_once(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["export", str(finished_study), "-o", str(tmp_path / "x.csv"), "--format", "parquet"]) == 2
    assert "--format parquet contradicts the ending of x.csv" in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff failures` as a user types it.


BROKEN = """\
[[learner]]
name = "broken"
path = "sklearn.dummy.DummyClassifier"
parameters = { strategy = "guess" }
[[learner]]
name = "unfit"
path = "sklearn.naive_bayes.GaussianNB"
parameters = { priors = [1.0] }
"""


@pytest.fixture(scope="module")
def failed_study(tmp_path_factory: pytest.TempPathFactory, finished_study: Path) -> Path:
    path = tmp_path_factory.mktemp("failed") / "failed.toml"
    path.write_text(finished_study.read_text().replace("[resampling]", BROKEN + "[resampling]"))
    assert main(["run", str(path), "--quiet"]) == 4
    return path


def test_none(finished_study: Path, capsys: Capture) -> None:
    assert main(["failures", str(finished_study)]) == 0
    assert capsys.readouterr().out == "No cell failed.\n"


def test_they_are_grouped_with_an_example_each(failed_study: Path, capsys: Capture) -> None:
    assert main(["failures", str(failed_study)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("6 cells failed, in 2 groups.\n")
    assert "3 × broken: error\n" in said
    assert "3 × unfit: error\n" in said
    assert "guess" in said
    assert "Number of priors must match number of classes" in said
    assert "on iris; e.g. task iris, repeat 1, fold " in said
    assert f"Try them again with: bakeoff run {failed_study} --retry failed" in said
    assert "Traceback" not in said


def test_in_full_with_the_traceback(failed_study: Path, capsys: Capture) -> None:
    assert main(["failures", str(failed_study), "--full"]) == 0
    said = capsys.readouterr().out
    assert "    |   File " in said
    assert all(line.startswith("    ") for line in said.splitlines() if "|" in line)


def test_as_json(failed_study: Path, capsys: Capture) -> None:
    assert main(["failures", str(failed_study), "--json"]) == 0
    groups = json.loads(capsys.readouterr().out)["failures"]
    assert sorted((group["learner"], group["status"], group["count"]) for group in groups) == [
        ("broken", "error", 3),
        ("unfit", "error", 3),
    ]


def test_the_fit_to_all_rows_is_no_repeat_and_no_fold(failed_study: Path, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "apparent.toml"
    scheme = 'scheme = "632"\nrepeats = 2'
    path.write_text(failed_study.read_text().replace('scheme = "cross-validation"\nfolds = 3', scheme))
    assert main(["run", str(path), "--quiet"]) == 4
    capsys.readouterr()
    assert main(["failures", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "e.g. task iris, apparent fit (to the whole learning sample), seed" in said
    assert "repeat 0" not in said
    assert main(["failures", str(path), "--json"]) == 0
    examples = json.loads(capsys.readouterr().out)["failures"][0]["examples"]
    assert [(each["role"], each["where"].rpartition("task iris, ")[2]) for each in examples] == [
        ("apparent", "apparent fit (to the whole learning sample)"),
        ("test", "repeat 1, fold 1"),
        ("test", "repeat 2, fold 1"),
    ]


def test_scores_and_judge_tell_what_has_no_value(failed_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(failed_study), "--measure", "error"]) == 0
    said = capsys.readouterr().out
    assert "6 of 12 scores have no value; means are over the others." in said
    assert "broken and unfit: 6 belong to cells that failed; bakeoff failures shows why." in said
    assert main(["judge", str(failed_study)]) != 0
    assert "broken" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff init` as a user types it.


def test_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    assert (tmp_path / "study.toml").read_text(encoding="utf-8") == TEMPLATE
    said = capsys.readouterr().out
    for step in ("bakeoff plan study.toml", "bakeoff run study.toml -j 2", "bakeoff judge study.toml"):
        assert step in said
    # What a study of that size can find is simulated: tests/conduct/test_outlook.py asks how well.
    monkeypatch.setattr(simulated, "power", lambda *given, **more: power(*given, **{**more, "replications": 10}))
    assert main(["plan", "study.toml"]) == 0
    assert "It finds a difference of about" in " ".join(capsys.readouterr().out.split())


def test_the_comments_name_the_file_as_it_is_called(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "wines.toml")]) == 0
    text = (tmp_path / "wines.toml").read_text(encoding="utf-8")
    assert "bakeoff run wines.toml" in text
    assert "study.toml" not in text


def test_a_file_that_is_there_is_kept_unless_told_otherwise(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "study.toml"
    path.write_text("mine")
    assert main(["init", str(path)]) == 2
    assert "is there already. Name another file, or write over it with --force." in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert main(["init", str(path), "--force"]) == 0
    assert path.read_text(encoding="utf-8") == TEMPLATE


@pytest.mark.parametrize(("name", "says"), [("study.yaml", "ends in .toml"), ("no/study.toml", "cannot be written")])
def test_what_cannot_be(tmp_path: Path, name: str, says: str, capsys: Capture) -> None:
    assert main(["init", str(tmp_path / name)]) == 2
    assert says in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff plan` as a user types it.


def test_before_and_after_a_run(small_study: Path, finished_study: Path, capsys: Capture) -> None:
    assert main(["plan", str(small_study)]) == 0
    before = capsys.readouterr().out
    assert before.startswith("Is anything learned from iris?\n")
    assert "cells:      6; 0 stored" in before
    assert not small_study.with_suffix(".sqlite").exists(), "a plan writes nothing"
    assert main(["plan", str(finished_study)]) == 0
    assert "cells:      6; 6 stored" in capsys.readouterr().out
    assert main(["plan", str(small_study), "--store", str(finished_study.with_suffix(".sqlite"))]) == 0
    assert "cells:      6; 6 stored" in capsys.readouterr().out


def test_as_json_and_into_a_file(small_study: Path, tmp_path: Path) -> None:
    assert main(["plan", str(small_study), "--json", "-o", str(tmp_path / "plan.json")]) == 0
    assert json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))["cells"] == 6


def test_a_mistake_in_the_file_is_a_message(small_study: Path, capsys: Capture) -> None:
    small_study.write_text(small_study.read_text().replace("seed", "sead"))
    assert main(["plan", str(small_study)]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"bakeoff: {small_study}, key sead: There is no key 'sead' here. Did you mean 'seed'?")
    assert said.out == ""


def test_a_target_that_the_data_do_not_have(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "mine.csv").write_text("x,y,class\n1,2,a\n2,3,b\n")
    path = tmp_path / "study.toml"
    text = '[[task]]\nfile = "mine.csv"\ntarget = "clas"\n[[learner]]\npath = "sklearn.dummy.DummyClassifier"\n'
    path.write_text(text)
    assert main(["plan", str(path)]) == 2
    assert "'clas'" in (said := capsys.readouterr().err)
    assert "class" in said.replace("'clas'", "")
    path.write_text(text.replace('target = "clas"\n', ""))
    assert main(["plan", str(path)]) == 2
    assert "target" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff run` as a user types it.


BROKEN_RUN = (
    '[[learner]]\nname = "broken"\npath = "sklearn.dummy.DummyClassifier"\nparameters = { strategy = "guess" }\n'
)


def test_once_and_again(small_study: Path, capsys: Capture) -> None:
    assert main(["run", str(small_study)]) == 0
    first = " ".join(capsys.readouterr().out.split())
    assert first.startswith("6 cells run in ")
    assert f"Results: {small_study.with_suffix('.sqlite')}" in first
    assert first.endswith(f"Next: bakeoff judge {small_study}")
    assert main(["run", str(small_study), "-j", "2"]) == 0
    assert "All 6 cells are stored in" in (again := capsys.readouterr().out)
    assert "nothing was left to run" in " ".join(again.split())


def test_failed_cells_are_an_exit_code_and_the_way_to_see_them(small_study: Path, capsys: Capture) -> None:
    small_study.write_text(small_study.read_text().replace("[resampling]", BROKEN_RUN + "[resampling]"))
    assert main(["run", str(small_study)]) == 4
    told = capsys.readouterr()
    assert "6 cells run in" in told.out
    assert "3 failed" in told.out
    assert (
        f"3 of 9 cells failed. bakeoff failures {small_study} shows why; --retry failed tries them again." in told.err
    )
    assert main(["run", str(small_study)]) == 4, "they are still failed"
    assert "6 of 9 cells are stored" in capsys.readouterr().out
    assert main(["run", str(small_study), "--retry", "failed"]) == 4
    assert "3 failed" in capsys.readouterr().out


def test_results_may_be_kept_elsewhere(small_study: Path, tmp_path: Path) -> None:
    store = tmp_path / "elsewhere.db"
    assert main(["run", str(small_study), "--store", str(store)]) == 0
    assert store.exists()
    assert not small_study.with_suffix(".sqlite").exists()


@pytest.mark.parametrize(
    ("further", "says"),
    [
        (["-j", "0"], "The number of workers must be positive"),
        (["--store", "no/such/folder/x.sqlite"], "there is no folder"),
    ],
)
def test_what_cannot_be_run(further: list[str], says: str, small_study: Path, capsys: Capture) -> None:
    assert main(["run", str(small_study), *further]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        (Summary(6, 6, 0, 0, 0, 0, 0.1), "All 6 cells are stored in x; nothing was left to run."),
        (Summary(6, 0, 6, 0, 0, 0, 61.0), "6 cells run in 1 min 01 s. Results: x"),
        (
            Summary(6, 3, 1, 1, 0, 1, 2.0, True),
            "1 cell run in 2 s, 1 failed, 3 were stored before, 1 is left. Results: x",
        ),
        (Summary(6, 4, 0, 0, 2, 0, 0.1), "4 of 6 cells are stored in x and 2 failed before; nothing was left to run."),
    ],
)
def test_the_sentence_at_the_end(summary: Summary, sentence: str) -> None:
    assert summary_sentence(summary, "x") == sentence


SLOW = """\
[[task]]
data = "iris"
[[learner]]
path = "dawdling.Dawdler"
[resampling]
scheme = "cross-validation"
folds = 10
repeats = 100
"""


DAWDLING = """\
import time
from sklearn.dummy import DummyClassifier

class Dawdler(DummyClassifier):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)
"""


@pytest.mark.usefixtures("heeding_ctrl_c")
def test_ctrl_c_on_a_terminal_is_clean(tmp_path: Path) -> None:
    """As a program of its own on a pseudo-terminal: bars are shown, what is finished is kept, exit code 130."""
    (tmp_path / "study.toml").write_text(SLOW)
    (tmp_path / "dawdling.py").write_text(DAWDLING)
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "bakeoff", "run", "study.toml", "-j", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "100", "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # which is how a pseudo-terminal says that nobody is at the other end any more
        while part := os.read(ours, 65536):
            before, shown = shown, shown + part
            if b" left" in shown and b" left" not in before:  # the time that is left: cells are being run
                os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    os.close(ours)
    out, _ = running.communicate()
    text = shown.decode(errors="replace")
    assert running.returncode == 130, text
    assert "Traceback" not in text
    assert "stopped. What is finished is kept; go on with: bakeoff run study.toml" in " ".join(text.split())
    assert "are left" in out
    assert "study, 2 workers" in text


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff status` as a user types it.


class StopAfterTwo:
    """A user who presses Ctrl-C when two cells are done."""

    def __init__(self) -> None:
        self.seen = 0

    def begin(self, left: dict[tuple[int, int], int], pace: ChunkSizer, workers: int) -> None:
        pass

    def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
        self.seen += 1
        if self.seen == 2:
            raise KeyboardInterrupt


def test_of_a_finished_study(finished_study: Path, capsys: Capture) -> None:
    assert main(["status", str(finished_study)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("6 of 6 cells are done, 0 failed, 0 are left.\n")
    assert "1 run; the last one: finished, started " in said
    assert "majority" in said
    assert "iris" in said


def test_of_a_study_that_was_stopped(small_study: Path, capsys: Capture) -> None:
    run_study(read_study(small_study), small_study.with_suffix(".sqlite"), watcher=StopAfterTwo())
    assert main(["status", str(small_study)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("2 of 6 cells are done, 0 failed, 4 are left: about ")
    assert "the last one: interrupted" in said


def test_as_json_status(finished_study: Path, capsys: Capture) -> None:
    assert main(["status", str(finished_study), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["study"] == read_study(finished_study).key
    assert (told["cells"], told["by_status"]) == (6, {"ok": 6, "left": 0})
    assert [(part["task"], part["learner"], part["ok"]) for part in told["parts"]] == [
        ("iris", "majority", 3),
        ("iris", "bayes", 3),
    ]
    assert told["runs"][0]["state"] == "finished"


# ----------------------------------------------------------------------------------------------------------------------
# What the commands about studies share: the file, its store, and planned analyses that could never be made.


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
    assert "holds 1 other version of a study, but not this one: another seed than for the run. Run it" in said
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
