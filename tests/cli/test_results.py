"""`bakeoff confusion` as a user types it."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from math import log
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.cli.results import verdict_of
from bakeoff.measures.response import packed
from bakeoff.store.reader import Reader
from bakeoff.study.file import read_study
from bakeoff.study.study import Analysis

Capture = pytest.CaptureFixture[str]
STUDY = """\
resampling = { scheme = "cv", folds = 3 }
[[task]]
data = "sonar"
[[task]]
data = "iris"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "svm"
path = "sklearn.svm.LinearSVC"
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("confusion") / "study.toml"
    path.write_text(STUDY)
    assert main(["run", str(path), "--quiet"]) == 0
    return str(path)


def test_a_matrix_for_each_task_and_learner(study: str, capsys: Capture) -> None:
    capsys.readouterr()
    assert main(["confusion", study]) == 0
    said = capsys.readouterr().out
    assert "Rows are the true classes, columns the assigned ones" in said
    assert said.count("predictions in 3 test samples") == 4
    assert "true \\ assigned  setosa  versicolor  virginica  recall  precision" in said
    assert "risk" not in said
    assert main(["confusion", study, "--task", "iris", "--learner", "bayes", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["confusions"]
    assert sum(map(sum, one["matrix"])) == 150
    assert one["accuracy"] == pytest.approx(sum(one["matrix"][i][i] for i in range(3)) / 150)


def test_a_loss_gives_risk_and_threshold(study: str, capsys: Capture) -> None:
    assert main(["confusion", study, "--task", "sonar", "--loss", "0", "1", "5", "0"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "With this loss 'M' is the cheaper answer where its probability is above 0.1667." in said
    assert "if the cheapest class is chosen by its probabilities" in said
    assert "it gave no probabilities to choose the cheapest class by" in said
    assert main(["confusion", study, "--task", "sonar", "--loss", "0", "1", "5", "0", "--json"]) == 0
    bayes, svm = json.loads(capsys.readouterr().out)["confusions"]
    assert bayes["risk"] == pytest.approx((bayes["matrix"][0][1] + 5 * bayes["matrix"][1][0]) / 208)
    assert bayes["risk_of_cheapest"] is not None
    assert svm["risk_of_cheapest"] is None
    assert main(["confusion", study, "--task", "sonar", "--loss", "0", "0", "5", "0"]) == 0
    assert "No threshold exists" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--loss", "0", "1", "5"], "4 for two classes, 9 for three; found 3."),
        (["--loss", "0", "nan", "5", "0"], "--loss takes a finite number"),
        (["--loss", "0", "1", "5", "0"], "9 of them; found 4."),
        (["--task", "irsi"], "The study has no task 'irsi'. Did you mean 'iris'?"),
    ],
)
def test_mistakes_are_explained(flags: list[str], said: str, study: str, capsys: Capture) -> None:
    assert main(["confusion", study, *flags]) == 2
    assert said in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff curves` as a user types it.


@pytest.fixture(scope="module")
def study_curves(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("curves") / "study.toml"
    path.write_text(STUDY)
    assert main(["run", str(path), "--quiet"]) == 0
    return str(path)


def test_some_points_of_each_learner(study_curves: str, capsys: Capture) -> None:
    capsys.readouterr()
    assert main(["curves", study_curves, "--task", "sonar"]) == 0
    said = capsys.readouterr().out
    assert "ROC curve on sonar, 'M' against the rest. The mean of the curves of 3 test samples" in " ".join(
        said.split()
    )
    assert "fp-rate  tp-rate, bayes  tp-rate, svm" in said
    assert said.splitlines()[-1].split() == ["1", "1", "1"]


def test_between_points_the_table_reads_the_line(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "tree.toml"
    path.write_text(
        'resampling = { scheme = "hold-out", test_share = 0.3 }\ntask = [{ data = "heart" }]\n'
        '[[learner]]\nname = "tree"\npath = "sklearn.tree.DecisionTreeClassifier"\n'
    )
    assert main(["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["curves", str(path), "--json"]) == 0
    (curve,) = json.loads(capsys.readouterr().out)["curves"]
    assert len(curve["x"]) == 3  # a full-grown tree has one threshold
    assert main(["curves", str(path)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line[:1].isdigit()]
    for x, y in rows:
        assert float(y) == pytest.approx(np.interp(float(x), curve["x"], curve["y"]), rel=1e-3)


def test_all_points_as_json(study_curves: str, capsys: Capture) -> None:
    assert main(["curves", study_curves, "--kind", "pr", "--positive", "virginica", "--task", "iris", "--json"]) == 0
    bayes, svm = json.loads(capsys.readouterr().out)["curves"]
    assert (bayes["kind"], bayes["positive"], bayes["x_is"], bayes["y_is"]) == (
        "pr",
        "virginica",
        "recall",
        "precision",
    )
    assert len(bayes["x"]) == len(svm["y"]) == 101


@pytest.mark.parametrize("kind", ["roc", "pr", "sensitivity-specificity", "lift", "cost"])
def test_a_figure(kind: str, study_curves: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "curve.svg"
    assert main(["curves", study_curves, "--task", "sonar", "--kind", kind, "-o", str(path)]) == 0
    assert f"Figure:  {path}" in capsys.readouterr().out
    drawn = path.read_text()
    assert "bayes" in drawn
    assert "M against the rest" in drawn


def test_text_goes_into_any_other_file(study_curves: str, tmp_path: Path) -> None:
    assert main(["curves", study_curves, "--task", "sonar", "-o", str(tmp_path / "roc.txt")]) == 0
    assert "tp-rate, svm" in (tmp_path / "roc.txt").read_text()


def test_mistakes_are_explained_curves(study_curves: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["curves", study_curves]) == 3
    assert "--positive NAME: one class against all others" in capsys.readouterr().err
    lone = tmp_path / "lone.toml"
    lone.write_text(STUDY.replace('"iris"', '"wdbc"'))
    assert main(["run", str(lone), "--quiet"]) == 0
    assert main(["curves", str(lone), "-o", str(tmp_path / "x.svg")]) == 2
    assert "A figure shows one task, and there are 2: say --task NAME." in capsys.readouterr().err
    assert not (tmp_path / "x.svg").exists()


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff judge` as a user types it.


def text_of(svg: Path) -> str:
    return " ".join("".join(ElementTree.parse(svg).getroot().itertext()).split())


def test_the_planned_analysis(finished_study: Path, capsys: Capture) -> None:
    assert main(["judge", str(finished_study)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Planned in study 'small' (")
    assert "bayes is better than majority" in said
    assert "EXPLORATORY" not in said


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--alpha", "0.1"], "α 0.1 instead of 0.05"),
        (["--measure", "auc"], "measure auc instead of error"),
        (["--with", "kfold-t", "--anyway"], "procedure kfold-t instead of the one that fits"),
        (["--control", "majority"], "contrast control instead of all-pairs, control majority instead of none"),
    ],
)
def test_any_other_is_marked(flags: list[str], reason: str, finished_study: Path, capsys: Capture) -> None:
    assert main(["judge", str(finished_study), *flags]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("EXPLORATORY: study 'small' (")
    assert f"did not plan this analysis ({reason})." in said


def test_flags_that_say_what_was_planned_leave_it_planned(finished_study: Path, capsys: Capture) -> None:
    assert main(["judge", str(finished_study), "--measure", "error", "--alpha", "0.05"]) == 0
    assert capsys.readouterr().out.startswith("Planned")


def test_json_frame_and_figure_say_it_too(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    study = read_study(finished_study)
    for flags, planned in (([], True), (["--alpha", "0.1"], False)):
        figure, answer = tmp_path / "figure.svg", tmp_path / "answer.json"
        assert main(["judge", str(finished_study), *flags, "--figure", str(figure)]) == 0
        assert f"Figure:  {figure}" in capsys.readouterr().out
        assert main(["judge", str(finished_study), *flags, "--json", "-o", str(answer)]) == 0
        told = json.loads(answer.read_text(encoding="utf-8"))
        assert told["study"] == study.key
        (verdict,) = told["verdicts"]
        assert verdict["standing"]["planned"] is planned
        assert verdict["standing"]["key"] == study.key
        word = "Planned in" if planned else "EXPLORATORY"
        assert word in text_of(figure)
        assert word in verdict["paragraph"]
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        verdict, _ = verdict_of(Analysis("error", alpha=0.1), study, store, anyway=False)
    frame = verdict.to_frame()
    assert frame["planned"].tolist() == [False]


def test_an_analysis_added_after_the_results(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path = tmp_path / finished_study.name
    path.write_text(
        path.read_text() + '[[analysis]]\nmeasure = "error"\n[[analysis]]\nmeasure = "error"\nalpha = 0.01\n'
    )
    assert main(["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(path)]) == 0
    first, second = capsys.readouterr().out.split("─" * 100)
    assert first.startswith("Planned")
    assert "EXPLORATORY" in second
    assert "written into the study after its first results were stored" in " ".join(second.split())
    assert main(["judge", str(path), "--figure", str(tmp_path / "x.svg")]) == 2
    assert "2 analyses are planned; a figure shows one of them." in capsys.readouterr().err
    assert main(["judge", str(path), "--alpha", "0.01", "--figure", str(tmp_path / "x.svg")]) == 0


HELD_OUT = """\
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


def test_one_test_sample_is_judged_by_its_rows(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "held-out.toml"
    path.write_text(HELD_OUT)
    assert main(["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "On 190 instances, majority and bayes were compared by error (smaller is better). bayes has the better" in said
    )
    assert "The conclusion speaks about these fitted models on new instances." in said
    assert main(["judge", str(path), "--with", "mcnemar"]) == 0
    assert "McNemar" in capsys.readouterr().out
    assert main(["judge", str(path), "--measure", "auc"]) == 0
    assert "DeLong" in capsys.readouterr().out
    assert main(["judge", str(path), "--measure", "mcc"]) == 3
    assert "single-run" in capsys.readouterr().err


def test_a_procedures_own_options(finished_study: Path, capsys: Capture) -> None:
    flags = ["--with", "paired-permutation", "--anyway", "--resamples", "99"]
    assert main(["judge", str(finished_study), *flags]) in (0, 3)
    assert "unrecognised" not in capsys.readouterr().err
    assert main(["judge", str(finished_study), "--resamples", "99"]) == 2
    assert "A procedure's own options go with --with NAME" in capsys.readouterr().err


def test_a_margin_in_one_measure_is_none_in_another(tmp_path: Path, finished_study: Path, capsys: Capture) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path = tmp_path / finished_study.name
    path.write_text("margin = 0.01\n" + path.read_text())
    assert main(["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(path), "--measure", "fit_time", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdicts"][0]["margin"] is None


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--with", "freidman"], "Did you mean 'friedman'"),
        (["--measure", "acu"], "Did you mean 'auc'"),
        (["--control", "byes"], "Did you mean 'bayes'"),
        (["--adjust", "hlom"], "Did you mean 'holm'"),
        (["--alpha", "2"], "strictly between 0 and 1"),
        (["--margin", "-1"], "margin"),
        (["--figure", "x.gif"], "x.gif"),
    ],
)
def test_what_cannot_be(flags: list[str], says: str, finished_study: Path, capsys: Capture) -> None:
    assert main(["judge", str(finished_study), *flags]) == 2
    told = capsys.readouterr()
    assert says in told.err
    assert told.out == ""


def test_rows_of_a_unit_are_not_counted_as_independent(tmp_path: Path, capsys: Capture) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'resampling = { scheme = "hold-out" }\n[[task]]\ndata = "wdbc"\n'
        '[[learner]]\nname = "majority"\npath = "sklearn.dummy.DummyClassifier"\n'
        '[[learner]]\nname = "bayes"\npath = "sklearn.naive_bayes.GaussianNB"\n'
    )
    assert main(["run", str(study)]) == 0
    with sqlite3.connect(tmp_path / "study.sqlite") as store:
        (rows,) = store.execute("SELECT n FROM task").fetchone()
        # What is written from outside has no checksum that fits: as in stores of version 1 there is none.
        store.execute("UPDATE task SET units = ?, checksum = NULL", (packed(np.arange(rows) // 40),))
    store.close()
    capsys.readouterr()
    assert main(["judge", str(study)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "On 190 instances in 15 clusters (unit: a sample of such" in said
    assert "McNemar" not in said
    assert "flips of whole clusters" in said
    assert main(["judge", str(study), "--measure", "auc"]) == 3  # DeLong would count rows


def test_naming_every_part_of_a_study_leaves_nothing_out(finished_study: Path, capsys: Capture) -> None:
    flags = ["--learner", "bayes", "--learner", "majority", "--task", "iris"]
    assert main(["judge", str(finished_study), *flags]) == 0
    assert capsys.readouterr().out.startswith("Planned"), "nothing was left out"
    assert main(["judge", str(finished_study), "--learner", "bays"]) == 2
    assert "There is no learner 'bays'" in capsys.readouterr().err


def test_learners_that_failed_can_be_left_out(tmp_path: Path, capsys: Capture) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'resampling = { scheme = "cv", folds = 3 }\n[[task]]\ndata = "iris"\n'
        '[[learner]]\nname = "majority"\npath = "sklearn.dummy.DummyClassifier"\n'
        '[[learner]]\nname = "bayes"\npath = "sklearn.naive_bayes.GaussianNB"\n'
        '[[learner]]\nname = "broken"\npath = "sklearn.naive_bayes.GaussianNB"\nparameters = { priors = [1.0] }\n'
    )
    assert main(["run", str(study)]) == 4
    assert main(["judge", str(study)]) == 3
    advice = "--without broken: leave it out, and nothing is missing"
    assert advice in capsys.readouterr().err
    assert main(["judge", str(study), "--missing", "drop-block"]) == 3
    assert advice in capsys.readouterr().err
    assert main(["judge", str(study), "--without", "broken"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "did not plan this analysis (only learners majority and bayes)." in said
    assert main(["judge", str(study), "--without", "brokn"]) == 2
    assert "There is no learner 'brokn' in study.sqlite. Did you mean 'broken'?" in capsys.readouterr().err
    assert main(["judge", str(study), *(f"--without={name}" for name in ("broken", "bayes", "majority"))]) == 2
    assert "No learner is left" in capsys.readouterr().err
    assert main(["judge", str(study), "--learner", "bayes", "--learner", "majority"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "did not plan this analysis (only learners bayes and majority)." in said


def test_rows_of_one_cluster_count_once(tmp_path: Path, capsys: Capture) -> None:
    rng = np.random.default_rng(4)
    lines = [f"{rng.normal() + (i % 2):.3f},{i // 3},{'ab'[i % 2]}" for i in range(240)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,patient,y", *lines]))
    (tmp_path / "study.toml").write_text("""
resampling = { scheme = "hold-out" }
[[task]]
file = "mine.csv"
target = "y"
cluster = "patient"
[[learner]]
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
path = "sklearn.dummy.DummyClassifier"
""")
    assert main(["run", str(tmp_path / "study.toml"), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(tmp_path / "study.toml")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "On 80 instances in 55 clusters (unit: a sample of such" in said
    rows = tmp_path / "rows.parquet"
    assert main(["scores", str(tmp_path / "study.toml"), "--instances", "-o", str(rows)]) == 0
    assert "The column cluster says which" in " ".join(capsys.readouterr().out.split())
    assert main(["compare", str(rows), "--measure", "error"]) == 0
    assert "On 80 instances in 55 clusters (cluster: a sample of such" in " ".join(capsys.readouterr().out.split())


def test_a_measure_that_is_not_defined_everywhere(tmp_path: Path, capsys: Capture) -> None:
    """Three rows of one class in five folds: two test samples have no ROC curve, which is nobody's failure."""
    rng = np.random.default_rng(1)
    lines = [f"{rng.normal():.3f},{'b' if i < 3 else 'a'}" for i in range(60)]
    (tmp_path / "rare.csv").write_text("\n".join(["x,y", *lines]))
    study = tmp_path / "study.toml"
    study.write_text(
        'measures = ["auc"]\nresampling = { scheme = "cv", folds = 5 }\n[[task]]\nfile = "rare.csv"\ntarget = "y"\n'
        '[[learner]]\nname = "bayes"\npath = "sklearn.naive_bayes.GaussianNB"\n'
        '[[learner]]\nname = "tree"\npath = "sklearn.tree.DecisionTreeClassifier"\n'
    )
    assert main(["run", str(study), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(study)]) == 3
    said = capsys.readouterr().err
    assert "are not defined: All test rows (12) are of the class 'a'; an ROC curve needs rows of both classes." in said
    assert "--missing worst" not in said
    assert main(["judge", str(study), "--missing", "drop-block"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "2 blocks without a value for every learner were left out" in said
    assert "auc is not defined there: All test rows (12) are of the class 'a'" in said
    assert "--missing worst" not in said


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff scores` as a user types it.


def test_means_are_shown_measure_by_measure(finished_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study)]) == 0
    said = capsys.readouterr().out
    assert "Mean error (smaller is better)" in said
    assert "Mean fit_time (smaller is better)" in said
    assert re.search(r"^iris +0\.6\d* +0\.0\d*$", said, re.MULTILINE), "two thirds are not the majority"


def test_times_are_no_matter_of_predictions(finished_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study), "--measure", "predict_time"]) == 0
    said = capsys.readouterr().out
    assert "predict_time was read off what each fit took, after the run." in said
    assert "stored predictions" not in said


def test_a_measure_thought_of_later(finished_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study), "--measure", "auc", "--measure", "kappa"]) == 0
    said = capsys.readouterr().out
    assert "Mean auc (larger is better)" in said
    assert "auc was computed from stored predictions, after the run." in said
    assert "Mean kappa" in said
    assert "error" not in said


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_written_is_read_again_bit_by_bit(ending: str, finished_study: Path, tmp_path: Path) -> None:
    target = tmp_path / f"scores.{ending}"
    assert main(["scores", str(finished_study), "-o", str(target)]) == 0
    again = bakeoff.read_scores(str(target)).only(measure="error")
    stored = read_study(finished_study).scores(finished_study.with_suffix(".sqlite"), ["error"])
    assert again.value.tolist() == stored.value.tolist()
    assert again.learners == stored.learners
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert main(["compare", str(target), "--measure", "error"]) == 0


def test_as_json(finished_study: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study), "--json", "--measure", "error"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["value"]) == 6
    assert main(["scores", str(finished_study), "--json", "--measure", "error", "-o", str(tmp_path / "s.json")]) == 0
    assert json.loads((tmp_path / "s.json").read_text()) == told


@pytest.mark.parametrize(
    ("further", "code", "says"),
    [
        (["--measure", "acu"], 2, "Did you mean 'auc'"),
        (["--measure", "r2"], 2, "regression"),
        (["--measure", "error", "--measure", "error"], 2, "asked for twice"),
        (["-o", "scores.txt"], 2, "Scores are written to .csv or .parquet"),
        (["-o", "no/such/folder.csv"], 2, "cannot be written"),
        (["--instances"], 3, "tasks with one test sample"),
    ],
)
def test_what_cannot_be_scores(further: list[str], code: int, says: str, finished_study: Path, capsys: Capture) -> None:
    assert main(["scores", str(finished_study), *further]) == code
    assert says in capsys.readouterr().err


def test_what_is_not_defined_says_why(tmp_path: Path, capsys: Capture) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'resampling = { scheme = "cv", folds = 2 }\n[[task]]\ndata = "iris"\n'
        '[[learner]]\nname = "svm"\npath = "sklearn.svm.SVC"\n'
        '[[learner]]\nname = "bayes"\npath = "sklearn.naive_bayes.GaussianNB"\n'
    )
    assert main(["run", str(study)]) == 0
    capsys.readouterr()
    assert main(["scores", str(study), "--measure", "log_loss"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "2 of 4 scores have no value" in said
    assert "log_loss of svm: 2 not defined. The learner gives a decision function" in said
    assert "bayes: " not in said


# ----------------------------------------------------------------------------------------------------------------------
# Both of a file of predictions.


@pytest.fixture
def predictions(tmp_path: Path) -> str:
    path = tmp_path / "preds.csv"
    path.write_text("truth,svm,tree\n1,0.9,0.4\n0,0.2,0.3\n1,0.8,0.9\n0,0.6,0.1\n1,0.55,0.2\n0,0.1,0.05\n")
    return str(path)


def test_curves_of_a_file(predictions: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["curves", predictions]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "ROC curve, '1' against the rest. Of one test sample." in said
    assert "svm 0.8889" in said
    assert main(["curves", predictions, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["learner"] for one in told["curves"]] == ["svm", "tree"]
    assert told["curves"][0]["auc"][0] == pytest.approx(8 / 9)
    assert told["curves"][0]["band"]["kind"] == "simultaneous"
    assert told["preferences"][0]["cheapest"][0]["ratio_from"] == 0
    for kind in ("roc", "pr", "lift"):
        assert main(["curves", predictions, "--kind", kind, "-o", str(tmp_path / f"{kind}.svg")]) == 0
    assert main(["plot", "calibration", predictions, "-o", str(tmp_path / "c.svg"), "--bins", "2"]) == 0


def test_scores_beside_two_labels_are_of_the_class_that_is_named(
    predictions: str, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["curves", predictions, "--json"]) == 0
    areas = [one["auc"] for one in json.loads(capsys.readouterr().out)["curves"]]
    lines = [line.split(",") for line in Path(predictions).read_text().splitlines()]
    named = {"0": "healthy", "1": "sick"}
    path = str(tmp_path / "named.csv")
    for scale in (lambda p: p, lambda p: log(p / (1 - p))):  # probabilities, and scores without bounds
        cells = [[named[y], *(str(scale(float(p))) for p in rest)] for y, *rest in lines[1:]]
        Path(path).write_text("\n".join(",".join(line) for line in [lines[0], *cells]) + "\n")
        assert main(["curves", path, "--positive", "sick", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["curves"]
        assert [one["auc"] for one in told] == areas
        assert told[0]["positive"] == "sick"
        assert main(["plot", "roc", path, "--positive", "sick", "-o", str(tmp_path / "roc.svg")]) == 0
        capsys.readouterr()
    assert main(["curves", path]) == 2
    assert "say --positive sick or --positive healthy" in capsys.readouterr().err
    assert main(["curves", path, "--positive", "sik"]) == 2
    assert "Did you mean 'sick'?" in capsys.readouterr().err
    assert main(["confusion", path, "--positive", "sick"]) == 3
    assert "assigned no classes, only scores" in capsys.readouterr().err


def test_confusion_of_a_file_with_losses(predictions: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["confusion", predictions, "--loss", "0", "1", "5", "0"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Probabilities assign their class from 0.5 on" in said
    assert "svm: 6 predictions in 1 test sample" in said
    assert "'1' is the cheaper answer where its probability is above 0.1667" in said
    assert main(["confusion", predictions, "-o", str(tmp_path / "m.svg")]) == 0
    assert (tmp_path / "m.svg").exists()
    scores = tmp_path / "scores.csv"
    scores.write_text("task,a,b\nx,0.1,0.2\ny,0.3,0.1\n")
    assert main(["confusion", str(scores), "--measure", "error"]) == 3
    assert "holds no predictions of classes" in capsys.readouterr().err
