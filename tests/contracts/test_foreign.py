"""A procedure, a scheme and a measure from outside the package go the whole way: only their own file knows them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import foreign
import numpy as np
import pytest
import zoo

import bakeoff
from bakeoff.calibration.table import calibrate, settings_for
from bakeoff.cli import main
from bakeoff.errors import MisfitError, UsageError
from bakeoff.procedures import procedure_named, register

ROOT = Path(__file__).parents[2]
STUDY = """\
seed = 3
measures = ["{measure}"]
[[task]]
data = "iris"
[[learner]]
name = "majority"
path = "sklearn.dummy.DummyClassifier"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[resampling]
scheme = "{scheme}"
folds = 6
"""


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    foreign.register()
    yield
    foreign.forget()


@pytest.fixture
def table(tmp_path: Path) -> str:
    values = zoo.values_for(bakeoff.explain("wilcoxon"), 2, np.random.default_rng(1))
    path = tmp_path / "scores.csv"
    zoo.table(values, kind="tasks").to_frame().to_csv(path, index=False)
    return str(path)


def test_it_is_listed_explained_and_advised(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["procedures"]) == 0
    assert "cautious-t" in capsys.readouterr().out
    assert main(["explain", "cautious-t"]) == 0
    assert "--times: how often the variance is counted; default 2.0" in capsys.readouterr().out
    advice = bakeoff.advise(bakeoff.read_scores(table))
    assert "cautious-t" in [candidate.procedure for candidate in advice.fitting]


def test_it_is_applied_judged_and_adjusted(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", table, "--with", "cautious-t", "--times", "3", "--margin", "0.1"]) == 0
    assert "a variance that is counted twice" in capsys.readouterr().out
    scores = bakeoff.read_scores(table)
    twice, once = (bakeoff.analyse(scores, "cautious-t", times=times).pairs[0] for times in (2.0, 1.0))
    assert twice.statistic == pytest.approx(once.statistic / np.sqrt(2))
    with pytest.raises(UsageError, match=r"cautious-t has no option 'time'\. Did you mean 'times'"):
        bakeoff.analyse(scores, "cautious-t", time=3)


def test_its_power_is_simulated_and_it_is_calibrated() -> None:
    answer = bakeoff.power("cautious-t", n=20, difference="1sd", replications=60, seed=1)
    assert 0.1 < answer.power < 0.999
    (setting,) = settings_for(bakeoff.explain("cautious-t"))
    found = calibrate(setting, replications=60, seed=1)
    assert not found.too_many


def test_they_pass_the_contracts() -> None:
    names = ("every_procedure", "hostile_values", "every_resampling", "every_response")
    contracts = [f"tests/contracts/test_{name}.py" for name in names]
    chosen = [sys.executable, "-m", "pytest", "-q", "-p", "foreign", "-p", "no:cacheprovider", *contracts]
    done = subprocess.run(
        [*chosen, "-k", "cautious or alternating or worst_recall"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert done.stdout.count(".") > 40


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(UsageError, match="There is a procedure 'friedman' already"):
        register(procedure_named("friedman"))
    for name, other in (("accuracy", []), ("worst_recall", []), ("my_own", ["MSE"])):
        with pytest.raises(UsageError, match=r"There is a measure '.*' already; give yours a name of its own"):
            bakeoff.measures.register(bakeoff.measures.Measure(name, larger_is_better=False), other_names=other)
    assert bakeoff.measures.known_measure("my_own") is None


def test_a_measure_from_outside_is_listed_read_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures"]) == 0
    assert "the class that is recognised least" in capsys.readouterr().out
    path = tmp_path / "scores.csv"
    rows = "".join(f"t{i},a,0.{i}\nt{i},b,0.{i + 1}\n" for i in range(1, 9))
    path.write_text(f"task,learner,Recall of the worst class\n{rows}", encoding="utf-8")
    measure = bakeoff.judge(bakeoff.read_scores(path)).finding.measure
    assert (measure.larger_is_better, measure.lower, measure.upper) == (True, 0, 1)
    assert measure.origin == "known measure: 'Recall of the worst class' is worst_recall"
    assert main(["report", str(path), "-o", str(tmp_path / "report.html")]) == 0


def test_a_measure_from_outside_is_computed_in_a_study_and_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = study(tmp_path, "cross-validation", "worst_recall")
    assert main(["judge", path]) == 0
    assert "compared by worst_recall (larger is better)" in " ".join(capsys.readouterr().out.split())
    after = study(tmp_path, "alternating")  # from stored predictions, though nobody thought of it before the run
    assert main(["scores", after, "--measure", "worst_recall"]) == 0
    assert "worst_recall" in capsys.readouterr().out
    assert main(["report", path, "-o", str(tmp_path / "report.html")]) == 0
    assert "worst_recall" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_measure_that_cannot_be_computed_as_it_says_is_refused() -> None:
    for how in ({"needs": "labels"}, {"needs": "resources", "compute": max}, {"compute": max}):
        with pytest.raises(UsageError, match="say what of a prediction it needs: labels, scores, prob"):
            bakeoff.measures.register(bakeoff.measures.Measure("my_own", larger_is_better=True), **how)
    with pytest.raises(UsageError, match="under a plain name, such as 'my_own'"):
        bakeoff.measures.register(bakeoff.measures.Measure("My own", larger_is_better=True))
    assert "my_own" not in bakeoff.measures.KNOWN


def study(tmp_path: Path, scheme: str, measure: str = "error") -> str:
    path = tmp_path / f"{scheme}.toml"
    path.write_text(STUDY.format(scheme=scheme, measure=measure), encoding="utf-8")
    assert main(["run", str(path), "--quiet"]) == 0
    return str(path)


def test_a_scheme_from_outside_is_planned_run_and_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = study(tmp_path, "alternating")
    assert main(["plan", path]) == 0
    assert main(["judge", path]) == 0
    assert "bayes is better than majority" in " ".join(capsys.readouterr().out.split())
    assert main(["export", path, "-o", str(tmp_path / "scores.csv")]) == 0
    scores = bakeoff.read_scores(tmp_path / "scores.csv")
    assert bakeoff.advise(scores).recommended == bakeoff.judge(scores).finding.procedure
    assert main(["compare", str(tmp_path / "scores.csv")]) == 0
    assert "bayes is better than majority" in " ".join(capsys.readouterr().out.split())
    assert main(["power", "--pilot", path, "--power", "0.8"]) == 0
    exchange = ["--null", "exchange", "--learner", "bayes", "--learner", "majority"]  # its splits are not by chance
    assert main(["calibrate", path, *exchange, "--replications", "20", "--with", "corrected-t", "--quiet"]) == 0
    assert "corrected-t" in capsys.readouterr().out


def test_scores_of_a_scheme_that_does_not_say_what_its_splits_share_are_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = study(tmp_path, "silent")
    assert main(["judge", path]) == 3
    assert "nobody says what the splits of the scheme 'silent' share" in " ".join(capsys.readouterr().err.split())
    assert main(["export", path, "-o", str(tmp_path / "silent.csv")]) == 0
    scores = bakeoff.read_scores(tmp_path / "silent.csv")
    with pytest.raises(MisfitError, match="No procedure can judge"):
        bakeoff.judge(scores)
    verdict = bakeoff.judge(scores, ratio=0.2)  # the user's word
    assert verdict.finding.procedure == "corrected-t"


def test_scores_of_a_scheme_that_is_not_registered_here_are_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = study(tmp_path, "alternating")
    scores = bakeoff.Study(tasks=["iris"], learners={"a": "sklearn.dummy.DummyClassifier"})  # ours are as ever
    assert scores.resampling.scheme == "cross-validation"
    foreign.forget()
    assert main(["judge", path]) in (2, 3)
    assert "alternating" in capsys.readouterr().err
