"""Designs from the study file to the verdict: plan, run, judge, scores; and what is refused on the way."""

from __future__ import annotations

import json
import re
from html import unescape
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
    write(KNN + BAYES + '[[task]]\ndata = "wine"\n[factors]\ntraining-size = [0.2, 1.0]\ntask = ["iris", "wine"]\n')
    assert main(["run", "study.toml", "--quiet"]) == 0
    told(capsys)
    assert main(["judge", "study.toml"]) == 0
    text = told(capsys)
    assert "Learning curves on iris: knn and bayes " in text
    assert "Learning curves on wine: knn and bayes " in text
    assert "Mean error on wine by size" in text
    for task in ("iris", "wine"):
        assert main(["plot", "learning-curve", "study.toml", "--task", task, "-o", f"{task}.svg"]) == 0
    assert Path("iris.svg").read_bytes() != Path("wine.svg").read_bytes()
    told(capsys)
    write(KNN + BAYES + '[[task]]\ndata = "wine"\n[factors]\nclass-noise = [0, 0.3]\n[design]\nkind = "noise"\n')
    assert main(["run", "study.toml", "--quiet"]) == 0
    told(capsys)
    assert main(["judge", "study.toml"]) == 0
    assert "class-noise = 30% knn" in told(capsys)


ONE_PASS = """
[[learner]]
name = "one pass"
path = "sklearn.linear_model.Perceptron"
prepare = "standard"
parameters = { shuffle = false, max_iter = 1, tol = 0.001 }
"""


def test_counter_balanced_orders_from_the_file_to_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    """Iris is sorted by class: whoever learns in one pass depends on what comes last, and Bayes does not."""
    write(ONE_PASS + BAYES + "[factors]\npresentation-order = 4\n")
    assert main(["plan", "study.toml"]) == 0
    text = told(capsys)
    assert "8 settings (2 learner × 4 presentation-order)" in text
    assert "preparation for one pass: numbers are standardised" in text
    assert "preparation for bayes: none needed" in text
    assert "A: 1 2 4 3; B: 2 3 1 4; C: 3 4 2 1; D: 4 1 3 2" in text
    assert main(["run", "study.toml", "--quiet"]) == 0
    told(capsys)
    assert main(["judge", "study.toml", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["designs"]
    assert [each["name"] for each in found["effects"]] == [
        "learner",
        "presentation-order",
        "learner × presentation-order",
    ]
    one_pass, bayes = found["orders"]
    assert (one_pass["name"], bayes["name"]) == ("one pass", "bayes")
    assert one_pass["sd"] > 0.02
    assert (bayes["sd"], bayes["widest"]) == (0, 0)
    assert "The order of rows makes no difference at all to bayes." in found["paragraph"]
    assert "presentation-order" in found["levels"]
    assert main(["plot", "interaction", "study.toml", "-o", "orders.svg"]) == 0


def test_orders_do_not_change_what_is_learned_from(capsys: pytest.CaptureFixture[str]) -> None:
    """Parts, noise and order together: a learner that takes rows as a set scores the same in every order."""
    write(BAYES + "[factors]\npresentation-order = 2\ntraining-size = [0.5, 1.0]\nattribute-noise = [0.0, 0.3]\n")
    assert main(["run", "study.toml", "--quiet"]) == 0
    told(capsys)
    assert main(["judge", "study.toml", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["designs"]
    assert len(found["orders"]) == 4
    assert all(each["widest"] == 0 for each in found["orders"])


def test_a_learner_without_the_factors_stands_beside_the_design(capsys: pytest.CaptureFixture[str]) -> None:
    write(KNN + BAYES + '[factors]\n"knn.n_neighbors" = [1, 20, 90]\n"knn.weights" = ["uniform", "distance"]\n')
    assert main(["plan", "study.toml"]) == 0
    text = told(capsys)
    assert "6 settings (3 knn.n_neighbors × 2 knn.weights)" in text
    assert "Beside the design, as they are: bayes." in text
    assert "preparation for knn and bayes: none needed" in text
    assert main(["run", "study.toml", "--quiet"]) == 0
    assert "21 cells run" in told(capsys)
    assert main(["judge", "study.toml", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["designs"]
    assert len(found["settings"]) == 6
    assert found["best"]["of"] == 6
    assert [row["name"] for row in found["effects"]][:2] == ["knn.n_neighbors", "knn.weights"]
    assert "Beside the design, with the best setting chosen on the other blocks:" in found["paragraph"]
    assert set(found["reference"]["ranking"]) == {"best setting", "bayes"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (KNN + "[factors]\npresentation-order = 3\n", "an even one from 2 to 12"),
        (KNN + '[factors]\npresentation-order = ["A", "B"]\n', "the number of counter-balanced orders"),
        (KNN + BAYES + '[factors]\n"knn.n_neighbors" = [1, 9]\ntraining-size = [0.5, 1.0]\n', "and not of bayes"),
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
    for command in (["plan"], ["run", "--quiet"]):
        assert main([*command, "study.toml"]) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert "has no parameter 'n_neighbours'. Did you mean 'n_neighbors'?" in said
    assert not Path("study.sqlite").exists()


def sections_of(page: str) -> list[str]:
    return re.findall(r'<section id="([a-z-]+)"', page) or re.findall(r'<section[^>]* id="([a-z-]+)"', page)


@pytest.mark.parametrize(
    ("text", "figures", "told"),
    [
        (
            KNN + BAYES + '[factors]\n"knn.n_neighbors" = [1, 90]\n"knn.p" = [1, 2]\n',
            ["half-normal", "interaction"],
            ["Beside the design", "What the best mean is worth", "The design matrix", "knn.n_neighbors × knn.p"],
        ),
        (
            KNN
            + '[factors]\nn_neighbors = [1, 90]\np = [1, 2]\nweights = ["uniform", "distance"]\nleaf_size = [9, 30]\n'
            '[design]\nkind = "fractional"\n',
            ["half-normal", "interaction"],
            ["The alias structure", "Resolution IV", "aliased-effects", "defining relation"],
        ),
        (
            KNN + BAYES + '[[task]]\ndata = "wine"\n[factors]\ntraining-size = [0.3, 1.0]\ntask = ["iris", "wine"]\n',
            ["learning-curve"],
            ["Mean error on iris by size", "Mean error on wine by size", "Where two curves separate"],
        ),
        (
            KNN + "[factors]\nn_neighbors = { low = 1, high = 31, integer = true }\np = { low = 1, high = 4 }\n"
            '[design]\nkind = "response-surface"\nsteps = 1\n',
            ["contour"],
            ["of factors coded from −1 to +1", "The quadratic surface explains"],
        ),
        (
            KNN + BAYES + '[[task]]\ndata = "wine"\n[factors]\nclass-noise = [0, 0.3]\n[design]\nkind = "noise"\n',
            ["task-differences"],
            ["Wins-losses-ties at class-noise 0.3", "Wins, losses and ties over 2 tasks"],
        ),
    ],
)
def test_a_design_has_a_report(
    text: str, figures: list[str], told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write(text)
    assert main(["run", "study.toml", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["report", "study.toml", "-o", "r.html"]) == 0
    assert main(["judge", "study.toml", "--json"]) == 0
    out = capsys.readouterr().out
    (found,) = json.loads(out[out.index("{") :])["designs"]
    page = Path("r.html").read_text(encoding="utf-8")
    plain = " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())
    assert {"answer", "settings", "warnings", "failures", "design", "methods", "reproduce"} <= set(sections_of(page))
    assert " ".join(found["paragraph"].split()) in plain  # the page and the verdict say the same
    for name in figures:
        assert f'download="{name}' in page, name
    for words in told:
        assert words in plain, words
    assert "http://" not in re.sub(r"http://www.w3.org[^\"]*", "", re.sub(r"data:[^\"]*", "", page))


def test_names_are_text_in_the_report_of_a_design(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "<script>window.harmed = 1</script>"
    write(KNN.replace('name = "knn"', f'name = "{hostile}"') + '[factors]\n"n_neighbors" = [1, 90]\n')
    assert main(["run", "study.toml", "--quiet"]) == 0
    assert main(["report", "study.toml", "-o", "r.html"]) == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
