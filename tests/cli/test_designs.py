"""Designs from the study file to the verdict: plan, run, judge, scores; and what is refused on the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main

COMMON = """
[[task]]
data = "iris"
[resampling]
scheme = "cross-validation"
folds = 3
"""
KNN = '[[learner]]\nname = "knn"\npath = "knn"\n'
BAYES = '[[learner]]\nname = "bayes"\npath = "naive-bayes"\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "study.toml") -> None:
    Path(name).write_text(COMMON + text, encoding="utf-8")


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_a_factorial_study(capsys: pytest.CaptureFixture[str]) -> None:
    write(KNN + '[factors]\n"knn.n_neighbors" = [1, 20, 90]\nknn.weights = ["uniform", "distance"]\n')
    assert main(["plan", "study.toml"]) == 0
    assert "Design: factorial, 6 settings (3 knn.n_neighbors × 2 knn.weights)." in told(capsys)
    assert main(["run", "study.toml", "--quiet"]) == 0
    told(capsys)
    assert main(["judge", "study.toml", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["designs"]
    effects = {each["name"]: each for each in found["effects"]}
    assert list(effects) == ["knn.n_neighbors", "knn.weights", "knn.n_neighbors × knn.weights"]
    assert effects["knn.n_neighbors"]["share"] > 0.3
    assert sum(each["share"] for each in effects.values()) == pytest.approx(1)
    assert set(found["levels"]) == {"knn.n_neighbors", "knn.weights"}
    # Any other question is about settings as learners.
    assert main(["judge", "study.toml", "--control", "knn n_neighbors=1 weights=uniform"]) == 0
    assert "EXPLORATORY" in told(capsys)
    assert main(["scores", "study.toml"]) == 0
    assert "knn n_neighbors=90 weights=uniform" in told(capsys)
    assert main(["judge", "study.toml", "--figure", "f.svg"]) == 2


def test_a_screening_of_one_split(capsys: pytest.CaptureFixture[str]) -> None:
    one = COMMON.replace('scheme = "cross-validation"\nfolds = 3', 'scheme = "hold-out"')
    factors = '[factors]\nn_neighbors = [1, 60]\nweights = ["uniform", "distance"]\np = [1, 2]\nleaf_size = [10, 30]\n'
    Path("study.toml").write_text(one + KNN + factors + '[design]\nkind = "screening"\n')
    assert main(["plan", "study.toml"]) == 0
    assert "Main effects only." in told(capsys)
    assert main(["run", "study.toml", "--quiet"]) == 0
    told(capsys)
    assert main(["judge", "study.toml", "--level", "resamples"]) == 0
    assert "[no-replicates]" in told(capsys)
    assert main(["judge", "study.toml"]) == 0  # of one split the test rows are compared
    assert "on new rows, not about learning anew" in told(capsys)


def test_learning_curves_and_noise(capsys: pytest.CaptureFixture[str]) -> None:
    write(KNN + BAYES + '[factors]\ntraining-size = [0.1, 0.5, 1.0]\n[design]\nkind = "learning-curve"\n')
    assert main(["run", "study.toml", "--quiet"]) == 0
    told(capsys)
    assert main(["judge", "study.toml"]) == 0
    text = told(capsys)
    assert "Learning curves: knn and bayes " in text
    assert "bands that are simultaneous over the sizes" in text
    write(KNN + BAYES + '[[task]]\ndata = "wine"\n[factors]\nclass-noise = [0, 0.3]\n[design]\nkind = "noise"\n')
    assert main(["run", "study.toml", "--quiet"]) == 0
    told(capsys)
    assert main(["judge", "study.toml"]) == 0
    assert "class-noise = 30% knn" in told(capsys)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (KNN + '[factors]\n"knn.k" = [1]\n', "has one level, 1"),
        (KNN + '[factors]\n"nkn.n_neighbors" = [1, 2]\n', "No learner has the factor 'nkn.n_neighbors'"),
        (KNN + '[factors]\nn_neighbors = [1, 2]\n[design]\nkind = "cube"\n', "There is no design 'cube'"),
        (KNN + '[design]\nkind = "factorial"\n', "A design needs factors"),
    ],
)
def test_a_bad_design_is_refused_with_the_file(text: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(text)
    assert main(["plan", "study.toml"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "study.toml" in said
    assert sentence in said


def test_a_parameter_that_does_not_exist_is_refused_before_the_first_cell(capsys: pytest.CaptureFixture[str]) -> None:
    write(KNN + '[factors]\n"knn.n_neighbours" = [1, 2]\n')
    assert main(["plan", "study.toml"]) == 0  # nothing is imported to plan
    assert main(["run", "study.toml", "--quiet"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "has no parameter 'n_neighbours'. Did you mean 'n_neighbors'?" in said
    assert not Path("study.sqlite").exists()
