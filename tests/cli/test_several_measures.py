"""Several measures at once on the command line: read by name, advised on, compared, reduced where they depend."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]
STUDY = """\
measures = ["error", "tp", "fp"]
resampling = { scheme = "cv", folds = 8 }
[[task]]
data = "sonar"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
"""
COUNTS = ["--measure", "tp", "--measure", "fp", "--measure", "fn", "--measure", "tn"]


@pytest.fixture
def counts(tmp_path: Path) -> str:
    """Ten folds of 40 positives and 60 negatives; a column that means nothing stands beside the counts."""
    rng = np.random.default_rng(4)
    lines = ["model,fold,tp,fp,fn,tn,frobs"]
    for fold in range(10):
        for model, rate in (("tree", 0.7), ("forest", 0.85), ("lda", 0.8)):
            tp, fp = int(rng.binomial(40, rate)), int(rng.binomial(60, 1 - rate))
            lines.append(f"{model},{fold},{tp},{fp},{40 - tp},{60 - fp},{rng.random()}")
    path = tmp_path / "counts.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_the_counts_of_a_confusion_matrix_have_known_directions(counts: str, capsys: Capture) -> None:
    assert main(["analyse", counts, "--with", "manova", "--measure", "tp", "--measure", "fp"]) == 0
    text = capsys.readouterr().out
    assert "tp        larger is better" in text
    assert "fp        smaller is better" in text
    assert "The estimate is" not in text, "there is none: T² has no unit"
    assert "the learners' mean projections" in text
    assert [line.split()[0] for line in text.split("along 2\n")[1].splitlines()[1:4]] == ["tree", "forest", "lda"]


@pytest.mark.parametrize("procedure", ["hotelling", "manova"])
def test_fixed_class_sizes_are_explained_and_the_reduced_form_works(
    procedure: str, counts: str, capsys: Capture
) -> None:
    command = ["analyse", counts, "--with", procedure, "--learner", "tree", "--learner", "forest", "--anyway"]
    assert main([*command, *COUNTS]) == 3
    said = capsys.readouterr().err
    assert "[tp, fp, fn, tn] has rank 2" in said
    assert "measures that are free of each other: tp, fp" in said
    assert "--reduce yes" in said
    assert main([*command, *COUNTS, "--reduce", "yes", "--json"]) == 0
    reduced = json.loads(capsys.readouterr().out)
    assert "left out as dependent: fn, tn" in reduced["rows"][0]["note"]
    assert main([*command, *COUNTS[:4], "--json"]) == 0
    two = json.loads(capsys.readouterr().out)
    assert reduced["rows"][0]["p"] == pytest.approx(two["rows"][0]["p"], rel=1e-12)


@pytest.mark.parametrize(
    ("learners", "expected"), [(["tree", "forest"], "hotelling"), (["tree", "forest", "lda"], "manova")]
)
def test_the_advisor_knows_them(learners: list[str], expected: str, counts: str, capsys: Capture) -> None:
    named = [word for name in learners for word in ("--learner", name)]
    assert main(["advise", counts, "--measure", "tp", "--measure", "fp", *named, "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    assert advice["recommended"] == expected
    assert advice["together"] == ["tp", "fp"]
    fitting = {c["procedure"] for c in advice["candidates"] if c["fits"]}
    assert fitting <= {"hotelling", "manova"}
    assert main(["advise", counts, "--measure", "tp", "--measure", "fp", *named]) == 0
    assert "Asked about 2 measures at once: tp, fp." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["compare", "--measure", "tp", "--measure", "fp"], "Say one measure, not 2: tp, fp."),
        (["analyse", "--with", "manova", "--measure", "tp", "--measure", "TP"], "'tp' and 'TP' are the same measure"),
        (["analyse", "--with", "manova", "--measure", "tp", "--measure", "fpp"], "There is no measure 'fpp'"),
        (["analyse", "--with", "manova", "--measure", "tp"], "on several measures at once (--measure repeated)"),
    ],
)
def test_what_cannot_be_asked_is_said(command: list[str], sentence: str, counts: str, capsys: Capture) -> None:
    assert main([command[0], counts, *command[1:]]) in (2, 3)
    assert sentence in " ".join(capsys.readouterr().err.split())


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("several") / "mine.toml"
    path.write_text(STUDY + '[[analysis]]\n[[analysis]]\nmeasure = ["tp", "fp"]\n')
    assert main(["run", str(path), "--quiet"]) == 0
    return str(path)


def test_a_study_is_judged_by_several_measures_at_once(study: str, tmp_path: Path, capsys: Capture) -> None:
    """What a study finds is what `analyse` finds in its scores."""
    capsys.readouterr()
    assert main(["judge", study, "--measure", "tp", "--measure", "fp", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (found,) = told["findings"]
    assert told["verdicts"] == []
    assert found["procedure"] == "hotelling"
    assert found["standing"]["planned"], "the second analysis of the file"
    scores = str(tmp_path / "scores.csv")
    assert main(["scores", study, "--measure", "tp", "--measure", "fp", "-o", scores]) == 0
    capsys.readouterr()
    assert main(["analyse", scores, "--with", "hotelling", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["p"] == pytest.approx(found["rows"][0]["p"], rel=1e-12)


def test_a_plan_of_several_measures(study: str, capsys: Capture) -> None:
    assert main(["plan", study]) == 0
    assert "planned:    tp and fp, by the procedure that fits, all-pairs, α = 0.05" in capsys.readouterr().out
    assert main(["judge", study]) == 0
    first, second = capsys.readouterr().out.split("─" * 100)
    assert "Planned in" in first
    assert "Planned in" in second
    assert "Hotelling" in second
    assert "Hotelling" not in first


def test_others_are_exploratory_and_a_procedure_for_one_is_refused(study: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["judge", study, "--measure", "error", "--measure", "fn"]) == 0
    assert "EXPLORATORY" in capsys.readouterr().out
    assert main(["judge", study, "--with", "hotelling", "--reduce", "yes"]) == 0
    assert "error" in capsys.readouterr().out, "without a measure it is about all of the study"
    assert main(["judge", study, "--measure", "tp", "--measure", "fp", "--with", "corrected-t"]) == 2
    assert "takes one measure at a time; found 2: tp, fp." in capsys.readouterr().err
    assert main(["judge", study, "--measure", "tp", "--measure", "fp", "--figure", str(tmp_path / "x.svg")]) == 2
    assert "A figure shows pairs of learners by one measure" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ('measure = ["tp", "fp"]\nwith = "corrected-t"', "takes one measure at a time; found 2: tp, fp."),
        ('measure = ["tp", "tp"]', "a list of different ones, was expected"),
        ("measure = []", "A measure, or a list of different ones"),
        ('measure = ["tp", "pf"]', "'pf' is not a measure of this study"),
    ],
)
def test_what_no_plan_can_mean_is_refused(words: str, said: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f"{STUDY}[[analysis]]\n{words}\n")
    assert main(["plan", str(path)]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
