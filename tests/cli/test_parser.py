"""The grammar of the command line."""

from __future__ import annotations

from importlib import import_module

import pytest

from bakeoff.cli import main
from bakeoff.cli.parser import parser

Capture = pytest.CaptureFixture[str]
# One line a command that has all it must have.
COMMANDS = {
    "init": ["study.toml"],
    "plan": ["study.toml"],
    "run": ["study.toml"],
    "status": ["study.toml"],
    "failures": ["study.toml"],
    "scores": ["study.toml"],
    "confusion": ["study.toml"],
    "curves": ["study.toml"],
    "judge": ["study.toml"],
    "export": ["study.toml", "-o", "folder"],
    "compare": ["scores.csv"],
    "advise": ["scores.csv"],
    "analyse": ["scores.csv", "--with", "friedman"],
    "order": ["scores.csv", "--cost", "lda"],
    "adjust": ["0.01", "0.2"],
    "power": ["t", "--n", "9"],
    "calibrate": ["study.toml"],
    "published": ["feelders-table4"],
    "procedures": [],
    "explain": ["friedman"],
    "measures": [],
    "datasets": ["iris"],
    "demo": [],
}
# Commands whose answer is what they do, not what they say.
DOING = ("init", "run", "export", "demo")


def test_no_command_shows_help(capsys: Capture) -> None:
    assert main([]) == 2
    text = capsys.readouterr().out
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("    ") and line[4] != " "]
    assert listed == list(COMMANDS)


def test_an_unknown_command_lists_the_known(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["comapre"])
    assert left.value.code == 2
    assert "There is no command 'comapre'. Did you mean 'compare'?" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_module_that_runs_it(name: str) -> None:
    assert parser().parse_args([name, *COMMANDS[name]]).command == name
    assert callable(import_module(f"bakeoff.cli.{name}").run)


@pytest.mark.parametrize("name", COMMANDS)
def test_only_commands_with_a_procedure_let_unknown_flags_through(name: str, capsys: Capture) -> None:
    arguments, rest = parser().parse_known_args([name, *COMMANDS[name], "--unknown", "3"])
    assert rest == ["--unknown", "3"]
    assert arguments.takes_options == (name in ("compare", "analyse", "order", "judge", "power"))
    if not arguments.takes_options:
        with pytest.raises(SystemExit) as left:
            main([name, *COMMANDS[name], "--unknown", "3"])
        assert left.value.code == 2
        assert "unrecognised arguments: --unknown 3" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in DOING])
def test_answers_have_a_form_and_a_place(name: str) -> None:
    plain = parser().parse_args([name, *COMMANDS[name]])
    assert (plain.json, plain.output) == (False, None)
    for flag in ("-o", "--output"):
        asked = parser().parse_args([name, *COMMANDS[name], "--json", flag, "answer"])
        assert (asked.json, asked.output) == (True, "answer")


@pytest.mark.parametrize("name", ["compare", "advise", "analyse"])
def test_reading_takes_the_same_flags_everywhere(name: str) -> None:
    plain = parser().parse_args([name, *COMMANDS[name]])
    assert (plain.rows, plain.shape, plain.measure, plain.larger, plain.task, plain.learner) == (None,) * 6
    assert plain.missing == "error"
    flags = ["--rows", "folds", "--shape", "wide", "--measure", "auc", "--missing", "worst", "--level", "tasks"]
    asked = parser().parse_args([name, *COMMANDS[name], *flags, "--learner", "a", "--learner", "b", "--task", "t"])
    assert (asked.rows, asked.shape, asked.measure, asked.missing, asked.level) == (
        "folds", "wide", ["auc"], "worst", "tasks"
    )  # fmt: skip
    assert (asked.learner, asked.task) == (["a", "b"], ["t"])


def test_a_request_says_nothing_that_was_not_said() -> None:
    for name in ("compare", "analyse"):
        plain = parser().parse_args([name, *COMMANDS[name]])
        assert (plain.control, plain.adjust, plain.level) == (None, None, None)
        assert (plain.alpha, plain.alternative, plain.anyway) == (0.05, "two-sided", False)


def test_the_direction_is_said_once(capsys: Capture) -> None:
    for flag, larger in (("--larger-is-better", True), ("--smaller-is-better", False)):
        assert parser().parse_args(["compare", "scores.csv", flag]).larger is larger
    with pytest.raises(SystemExit):
        parser().parse_args(["compare", "scores.csv", "--larger-is-better", "--smaller-is-better"])
    assert "--smaller-is-better contradicts --larger-is-better: give one of them" in capsys.readouterr().err


def test_flags_are_not_abbreviated() -> None:
    """A cut flag might be meant for the procedure, and would change its meaning when another flag is added."""
    arguments, rest = parser().parse_known_args(["compare", "scores.csv", "--alph", "0.1"])
    assert (arguments.alpha, rest) == (0.05, ["--alph", "0.1"])


@pytest.mark.parametrize(
    "wrong",
    [["--missing", "ignore"], ["--rows", "columns"], ["--alternative", "greater"], ["--level", "folds"]],
    ids=" ".join,
)
def test_words_that_a_flag_does_not_know(wrong: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        parser().parse_args(["compare", "scores.csv", *wrong])
    assert left.value.code == 2
    assert f"{wrong[0]} cannot be {wrong[1]!r}. " in capsys.readouterr().err
