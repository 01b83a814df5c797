"""Several measures at once on the command line: read by name, advised on, compared, reduced where they depend."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]
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
