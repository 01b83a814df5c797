"""`bakeoff power` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]


def said(capsys: Capture, line: str, *more: str) -> str:
    assert main(["power", *line.split(), *more]) == 0
    return capsys.readouterr().out


def test_how_many(capsys: Capture) -> None:
    text = said(capsys, "t --difference 0.02 --sd 0.05")
    assert text.startswith("52 pairs find a difference of 0.02 with a power of 0.808 (0.8 was wanted).")
    assert "pairs  difference  power" in text


def test_how_small_and_how_likely(capsys: Capture) -> None:
    assert "or more is found with a power of 0.8" in said(capsys, "corrected-t --n 100 --sd 0.03")
    assert "power of 0.373" in said(capsys, "mcnemar --instances 500 --difference 0.02 --discordant 0.06")
    assert "one-sided, α = 0.01" in said(capsys, "sign --tasks 20 --wins 0.8 --alpha 0.01 --one-sided")


def test_simulated(capsys: Capture) -> None:
    line = "friedman --learners 4 --tasks 10 --difference 1sd --replications 20 --seed 3 --find global --json"
    found = json.loads(said(capsys, line))
    assert found["how"] == "simulated, 20 replications, seed 3"
    assert found["guess"]["learners"] == 4
    assert 0 < found["at"]["error"] < 0.2
    assert json.loads(said(capsys, line)) == found


def test_options_of_the_test(capsys: Capture) -> None:
    text = said(capsys, "permutation --n 8 --difference 3sd --replications 10 --resamples 199")
    assert "a power of 1 ±" in text


def test_smallest_p(capsys: Capture) -> None:
    assert "it takes 6 tasks at least" in said(capsys, "sign --smallest-p --n 5").replace("\n", " ")
    found = json.loads(said(capsys, "wilcoxon --smallest-p --n 6 --learners 5 --json"))
    assert found["in_reach"] is False
    assert found["smallest_p"]["p"] == 2**-5
    assert found["smallest_p"]["tests"] == 10
    assert "cannot go below 0.01" in said(capsys, "permutation --smallest-p --n 9 --resamples 99")
    assert "has no lower end" in said(capsys, "t --smallest-p --n 5")
    assert json.loads(said(capsys, "t --smallest-p --n 5 --json"))["p"] == 0


@pytest.mark.parametrize("form", ["t {}", "{} --with t", "t --pilot {}", "--pilot {} --with t"])
def test_a_pilot(form: str, wide: str, capsys: Capture) -> None:
    line = form.format(wide) + " --measure accuracy --learner C4.5 --learner C4.5+m --difference 0.01"
    text = said(capsys, line).replace("\n  ", " ")
    assert "4 tasks, accuracy between C4.5+m and C4.5" in text
    assert "the upper 95 % confidence limit of the pilot" in text


def test_the_advisor_names_the_test_of_a_pilot(wide: str, capsys: Capture) -> None:
    text = said(capsys, f"{wide} --measure accuracy --n 10 --difference 0.02 --replications 10")
    assert "friedman" in text


def test_the_store_of_a_study_is_a_pilot(tmp_path: Path, capsys: Capture) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'name = "pilot"\nmeasures = ["error"]\nseed = 1\n[resampling]\nscheme = "cross-validation"\nfolds = 4\n'
        '[[task]]\ndata = "iris"\n[[learner]]\nname = "dummy"\npath = "sklearn.dummy.DummyClassifier"\n'
        '[[learner]]\nname = "bayes"\npath = "sklearn.naive_bayes.GaussianNB"\n[[analysis]]\nmeasure = "error"\n'
    )
    assert main(["power", "corrected-t", str(study), "--n", "8"]) == 2
    assert "Run it first" in capsys.readouterr().err
    assert main(["run", str(study), "--quiet"]) == 0
    capsys.readouterr()
    text = said(capsys, f"corrected-t {study} --n 8").replace("\n  ", " ")
    assert "4 resamples, error between bayes and dummy" in text
    assert "each repeat is a 4-fold cross-validation" in text
    assert "With 8 folds, a difference of" in text


def test_figure_and_output_file(tmp_path: Path, capsys: Capture) -> None:
    figure, answer = tmp_path / "curve.svg", tmp_path / "power.txt"
    assert said(capsys, "t --n 20 --sd 0.05 --figure", str(figure), "-o", str(answer)) == ""
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    assert f"Figure:  {figure}" in answer.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("", 2, "Name a test"),
        ("wilcoxn --n 5", 2, "Did you mean 'wilcoxon'"),
        ("t", 2, "what the experiment is to find"),
        ("t --difference 0.02", 2, "--sd 0.05"),
        ("t --n 5 --nonsense 1", 2, "unrecognised arguments: --nonsense"),
        ("t sign --n 5", 2, "One test is planned for at a time"),
        ("t a.csv b.csv", 2, "One pilot is read"),
        ("t nowhere.csv --n 5", 2, "no such file"),
        ("nowhere.toml", 2, "no such file"),
        ("sign --smallest-p", 2, "--smallest-p --n 6"),
        ("t --n 5 --figure curve.txt", 2, "ends in .svg"),
        ("sign --n 5", 3, "however large"),
        ("5x2-f --difference 1sd --replications 10", 3, "neither more nor less"),
    ],
)
def test_mistakes_are_sentences(line: str, code: int, sentence: str, capsys: Capture) -> None:
    assert main(["power", *line.split()]) == code
    assert sentence in capsys.readouterr().err


def test_several_measures_need_a_choice(two_measures: str, capsys: Capture) -> None:
    assert main(["power", "t", two_measures]) == 2
    assert "Say --measure NAME" in capsys.readouterr().err
    assert main(["power", "t", two_measures, "--measure", "accuracy", "--difference", "0.05"]) == 0


def test_tests_that_need_more_than_a_difference(capsys: Capture) -> None:
    assert "power of 0.931" in said(capsys, "hotelling --n 20 --measures 3 --difference 1sd")
    assert "19 tasks find" in said(capsys, "two-way-anova --difference 0.02 --sd 0.05 --folds 5")
    assert "350 instances in each test set" in said(capsys, "variance-ratio --difference 0.3")
    guess = "--auc 0.7 --positives 0.3 --correlation 0.4"
    areas = said(capsys, f"delong --n 200 --difference 0.1 {guess} --replications 20")
    assert "the smaller area under the ROC curve is 0.7, and 30 % of the instances are" in areas.replace("\n  ", " ")
    holes = said(capsys, "skillings-mack --n 12 --difference 2sd --absent 0.1 --replications 10 --find global")
    assert "10 % of the scores are missing" in holes.replace("\n  ", " ")


def test_several_measures_of_a_pilot(tmp_path: Path, capsys: Capture) -> None:
    rng = np.random.default_rng(2)
    path = tmp_path / "pilot.csv"
    lines = ["learner,fold,measure,value"]
    for fold in range(1, 13):
        for measure in ("error", "brier"):
            noise = rng.normal(0, 0.02)
            lines.append(f"a,{fold},{measure},{0.2 + noise + rng.normal(0, 0.02):.5f}")
            lines.append(f"b,{fold},{measure},{0.23 + noise + rng.normal(0, 0.02):.5f}")
    path.write_text("\n".join(lines), encoding="utf-8")
    text = said(capsys, f"hotelling {path}").replace("\n  ", " ")
    assert "12 resamples, error and brier between a and b; distance" in text
    assert "there are 2 measures" in text
    assert "the lower 95 % confidence limit of the pilot" in text
    assert main(["power", "hotelling", str(path), "--measure", "error"]) == 2
    assert "leave --measure out" in capsys.readouterr().err
    assert main(["power", "t", str(path)]) == 2
    assert "holds several measures" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("delong --n 100 --difference 0.1", "needs a guess of the smaller area under the ROC curve"),
        ("delong --n 100 --difference 0.4 --auc 0.7", "is more than there can be"),
        ("delong --n 100 --difference 0.5sd --auc 0.7", "say the difference of the areas"),
        ("t --n 10 --difference 1sd --auc 0.7", "auc is a guess for delong"),
        ("skillings-mack --n 10 --difference 1sd", "If none will be, plan with friedman"),
        ("hotelling --n 10 --difference 1sd --one-sided", "has no sides"),
        ("hotelling --n 10 --difference 1sd --learners 4", "compares two learners; found 4"),
        ("bayes-hierarchical --n 10 --difference 1sd", "does not know bayes-hierarchical"),
    ],
)
def test_what_is_missing_or_does_not_go_together(line: str, message: str, capsys: Capture) -> None:
    assert main(["power", *line.split()]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
