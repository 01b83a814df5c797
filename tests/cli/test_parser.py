"""The grammar of the command line."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

import pytest

from bakeoff import cli
from bakeoff.cli import main, parser
from bakeoff.cli.results import _FLAGS

Capture = pytest.CaptureFixture[str]
# One line a command that has all it must have.
COMMANDS = {
    "compare": ["scores.csv"],
    "advise": ["scores.csv"],
    "analyse": ["scores.csv", "--with", "friedman"],
    "order": ["scores.csv", "--cost", "lda"],
    "plot": ["critical-difference", "scores.csv", "-o", "cd.svg"],
    "report": ["scores.csv"],
    "checklist": ["scores.csv"],
    "aggregate": ["scores.csv", "--with", "iqm"],
    "gate": ["old.csv", "new.csv", "--margin", "0.01"],
    "first": ["scores.csv"],
    "votes": ["battles.json"],
    "adjust": ["0.01", "0.2"],
    "serve": ["results"],
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
    "merge": ["a.sqlite", "b.sqlite", "-o", "all.sqlite"],
    "pilot": ["study.toml"],
    "conclude": ["study.toml"],
    "interval": ["750", "1000"],
    "threshold": ["5"],
    "power": ["t", "--n", "9"],
    "calibrate": ["study.toml"],
    "published": ["feelders-table4"],
    "procedures": [],
    "explain": ["friedman"],
    "formats": ["lm-eval"],
    "measures": [],
    "learners": [],
    "datasets": ["iris"],
    "demo": [],
}
# Commands whose answer is what they do, not what they say.
DOING = ("init", "run", "export", "merge", "plot", "report", "serve", "demo")


def test_help_lists_all_commands_by_what_one_has(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    begin = text[text.index("begin with:") :].splitlines()[1:4]
    assert [line.split()[1] for line in begin] == ["demo", "compare", "init"]
    titles = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert [title.split()[1] for title in titles] == ["with:", "a", "a", "a", "look"]
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("    ") and line[4] != " "]
    assert listed == list(COMMANDS)


def test_an_unknown_command_lists_the_known(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["comapre"])
    assert left.value.code == 2
    assert "There is no command 'comapre'. Did you mean 'compare'?" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_module_that_runs_it(name: str) -> None:
    arguments = parser().parse_args([name, *COMMANDS[name]])
    assert arguments.command == name
    assert callable(getattr(import_module(f"bakeoff.cli.{arguments.home}"), f"run_{name}"))


@pytest.mark.parametrize("name", COMMANDS)
def test_only_commands_with_a_procedure_let_unknown_flags_through(name: str, capsys: Capture) -> None:
    arguments, rest = parser().parse_known_args([name, *COMMANDS[name], "--unknown", "3"])
    assert rest == ["--unknown", "3"]
    assert arguments.takes_options == (name in ("compare", "analyse", "order", "plot", "report", "judge", "power"))
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


# ----------------------------------------------------------------------------------------------------------------------
# The grammar of the laboratory's commands.


def test_published_has_a_size_a_seed_and_workers() -> None:
    told = parser().parse_args(["published", "hothorn-table1", "--full", "--seed", "3", "-j", "2", "--json"])
    assert (told.name, told.full, told.seed, told.jobs, told.json) == ("hothorn-table1", True, 3, 2, True)
    told = parser().parse_args(["published"])
    assert (told.name, told.full, told.seed, told.jobs, told.output) == (None, False, 0, 1, None)


def test_help_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["published", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "List the published results, or compute one again beside what was printed." in text
    assert "with the document's own number of replications" in text


def test_calibrate_has_a_study_or_a_design() -> None:
    told = parser().parse_args(["calibrate", "s.toml", "--learner", "a", "--learner", "b", "--with", "x,y", "-j", "2"])
    assert (told.study, told.learner, told.procedure, told.jobs) == ("s.toml", ["a", "b"], ["x,y"], 2)
    told = parser().parse_args(["calibrate", "--design", "cv:10", "--n", "200", "--delta", "0.1"])
    assert (told.study, told.design, told.n, told.delta, told.alpha, told.seed) == (None, "cv:10", 200, 0.1, 0.05, 0)
    assert (told.replications, told.learner, told.null, told.quiet) == (None, None, None, False)


# ----------------------------------------------------------------------------------------------------------------------
# The grammar of `bakeoff power`.


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


# ----------------------------------------------------------------------------------------------------------------------
# The grammar of the commands about studies.


STUDYING = ("plan", "run", "status", "failures", "scores", "confusion", "curves", "judge", "export", "conclude")


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


@pytest.mark.parametrize("module", [module.name for module in iter_modules(cli.__path__)])
def test_a_module_of_commands_begins_with_their_names(module: str) -> None:
    loaded = import_module(f"bakeoff.cli.{module}")
    commands = {name.removeprefix("run_") for name, value in vars(loaded).items() if name.startswith("run_")
                and value.__module__ == loaded.__name__}  # fmt: skip
    assert commands <= set(re.findall(r"\w+", loaded.__doc__ or ""))
