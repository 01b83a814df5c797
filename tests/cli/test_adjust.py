"""`bakeoff adjust` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]


def test_what_each_method_rejects(capsys: Capture) -> None:
    assert main(["adjust", "0.03", "0.04", "0.045"]) == 0
    text = capsys.readouterr().out
    assert "Holm rejects nothing" in text
    assert "Hochberg rejects H1, H2 and H3" in text


def test_json_level_and_methods(capsys: Capture) -> None:
    assert main(["adjust", "0.01", "0.2", "--alpha", "0.02", "--method", "holm", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["alpha"] == 0.02
    assert found["adjusted"] == {"holm": [0.02, 0.2]}
    assert found["rejected"] == {"holm": [True, False]}


def test_output_file(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "adjusted.txt"
    assert main(["adjust", "0.01", "-o", str(target)]) == 0
    assert "1 p-value, adjusted" in target.read_text()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["1.2"], "p-values lie between 0 and 1; found 1.2"),
        (["-0.1"], "p-values lie between 0 and 1; found -0.1"),
        (["0.1", "--alpha", "2"], "strictly between 0 and 1"),
        (["0.1", "--method", "holms"], "Did you mean 'holm'?"),
    ],
)
def test_mistakes_are_sentences(arguments: list[str], sentence: str, capsys: Capture) -> None:
    assert main(["adjust", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_words_are_no_p_values(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["adjust", "small"])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert said == "bakeoff: P takes a number, but 'small' was found. See `bakeoff adjust --help`.\n"
