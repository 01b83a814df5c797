"""The grammar of `bakeoff power`."""

from __future__ import annotations

import pytest

from bakeoff.cli.parser import parser


@pytest.mark.parametrize("flag", ["--n", "--tasks", "--runs", "--instances"])
def test_the_number_of_blocks_has_several_names(flag: str) -> None:
    assert parser().parse_args(["power", "t", flag, "9"]).n == 9


def test_differences_are_words_and_tests_are_optional() -> None:
    given = parser().parse_args(["power", "--pilot", "a.csv", "--difference", "0.5sd"])
    assert (given.words, given.difference, given.pilot) == ([], "0.5sd", "a.csv")
    assert parser().parse_args(["power", "t", "a.csv"]).words == ["t", "a.csv"]


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["power", "--help"])
    text = capsys.readouterr().out
    for example in ("bakeoff power t --difference 0.02 --sd 0.05", "bakeoff power sign --smallest-p --n 6"):
        assert example in text
    assert "compare " not in text
