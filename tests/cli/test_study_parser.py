"""The grammar of the commands about studies."""

from __future__ import annotations

import pytest

from bakeoff.cli.judge import _FLAGS
from bakeoff.cli.parser import parser

STUDYING = ("plan", "run", "status", "failures", "scores", "confusion", "curves", "judge", "export")


def arguments(command: str) -> list[str]:
    return [command, "study.toml", *(["-o", "x"] if command == "export" else [])]


@pytest.mark.parametrize("command", STUDYING)
def test_each_takes_a_study_and_perhaps_a_store(command: str) -> None:
    plain = parser().parse_args(arguments(command))
    assert (plain.study, plain.store) == ("study.toml", None)
    assert parser().parse_args([*arguments(command), "--store", "a.db"]).store == "a.db"


@pytest.mark.parametrize("command", STUDYING)
def test_none_goes_without_a_study(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        parser().parse_args([command])
    assert left.value.code == 2
    assert "STUDY" in capsys.readouterr().err


def test_flags_of_judge_that_are_not_given_say_nothing() -> None:
    plain = parser().parse_args(["judge", "study.toml"])
    assert [getattr(plain, flag) for flag in _FLAGS] == [None] * len(_FLAGS)


def test_defaults() -> None:
    run = parser().parse_args(["run", "study.toml"])
    assert (run.jobs, run.retry, run.quiet) == (1, None, False)
    assert parser().parse_args(["init"]).file == "study.toml"
    assert parser().parse_args(["export", "study.toml", "-o", "x"]).format is None
