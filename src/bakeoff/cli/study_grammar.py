"""The commands for studies: from a study file to stored scores and a verdict, what comes before a run and after the
verdict. No more than argparse is imported."""

from __future__ import annotations

from bakeoff.cli.grammar import Command, curve_options, output, paper, part_of_study, procedure, study, table

TYPE_CHECKING = False  # as in bakeoff/__init__.py: typing is too expensive for --help
if TYPE_CHECKING:
    import argparse


def _init(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file", nargs="?", default="study.toml", metavar="STUDY", help="its name (default: study.toml)"
    )
    command.add_argument("--force", action="store_true", help="write over a file that is there")


def _plan(command: argparse.ArgumentParser) -> None:
    study(command)
    output(command)


def _run(command: argparse.ArgumentParser) -> None:
    study(command)
    command.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="worker processes (-1: one a processor)"
    )
    command.add_argument("--retry", choices=("failed",), help="try the failed cells again")
    command.add_argument(
        "--again", action="append", metavar="LEARNER", help="run a learner anew; its old results are kept"
    )
    command.add_argument(
        "--only", action="append", metavar="LEARNER/TASK", help="only this part: LEARNER, LEARNER/TASK or /TASK"
    )
    command.add_argument("--engine", metavar="ADDRESS", help="run the cells on a Dask cluster: tcp://SCHEDULER:8786")
    command.add_argument(
        "--shard", metavar="K/N", help="only the K-th of N parts, for batch systems; see bakeoff merge"
    )
    command.add_argument("--budget", metavar="TIME", help="begin no cell after this time: 10m, 2h, 90s")
    until = command.add_argument_group("stop when it is decided")
    until.add_argument(
        "--until-decided", action="store_true", help="run in stages, drop the clearly worse, stop when nothing is open"
    )
    until.add_argument("--margin", type=float, metavar="Δ", help="the difference that matters (default: the study's)")
    until.add_argument("--at-most", type=int, metavar="N", help="draws or tasks (default: all of the study)")
    until.add_argument(
        "--bounded", action="store_true", help="hold for any law of a measure with two ends; takes more draws"
    )
    command.add_argument("--dry-run", action="store_true", help="show what would be run, and run nothing")
    command.add_argument("--quiet", action="store_true", help="no progress bars")


def _status(command: argparse.ArgumentParser) -> None:
    study(command)
    command.add_argument(
        "--check", action="store_true", help="also read all that is stored, and compare every value with its checksum"
    )
    output(command)


def _failures(command: argparse.ArgumentParser) -> None:
    study(command)
    command.add_argument("--full", action="store_true", help="with the traceback of an example of each group")
    output(command)


def _scores(command: argparse.ArgumentParser) -> None:
    study(command)
    command.add_argument(
        "--measure", action="append", metavar="NAME", help="any measure, even if the study did not name it"
    )
    command.add_argument("--instances", action="store_true", help="the loss on each test row, not its mean")
    output(command)


def _predictions(command: argparse.ArgumentParser) -> None:
    """A stored study, or a file of predictions."""
    command.add_argument(
        "study", metavar="STUDY|FILE", help="a study file that was run, or a file with truth and predictions"
    )
    command.add_argument("--store", metavar="FILE", help="where results are kept (default: beside it, study.sqlite)")
    part_of_study(command)
    group = command.add_argument_group("reading a file of predictions")
    table(group)
    group.add_argument("--ignore", action="append", metavar="COLUMN", help="a column to leave out (may be repeated)")
    group.add_argument("--shape", choices=("predictions",), help="say that these are predictions, if it is mistaken")
    group.add_argument("--measure", metavar="NAME", help="the loss by which they are read, as error or brier")


def _confusion(command: argparse.ArgumentParser) -> None:
    _predictions(command)
    command.add_argument(
        "--loss",
        type=float,
        nargs="+",
        metavar="COST",
        help="what each decision costs, row by row (a row is a true class): 0 1 5 0; adds risk and threshold",
    )
    command.add_argument("--positive", metavar="CLASS", help="of a file with scores beside two labels: whose they are")
    output(command)


def _curves(command: argparse.ArgumentParser) -> None:
    _predictions(command)
    command.add_argument(
        "--kind",
        default="roc",
        choices=("roc", "pr", "sensitivity-specificity", "lift", "cost"),
        help="of curve (default: roc)",
    )
    command.add_argument("--positive", metavar="CLASS", help="the class against all others; of two it is the second")
    curve_options(command)
    output(command)


def _judge(command: argparse.ArgumentParser) -> None:
    study(command)
    _study_request(command)
    command.add_argument("--figure", metavar="FILE", help="draw the verdict: .svg, .pdf or .png")
    paper(command)
    output(command)


def _export(command: argparse.ArgumentParser) -> None:
    study(command)
    command.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FOLDER",
        help="a new folder for scores, predictions, splits and attempts; or FILE.csv, FILE.parquet: the scores alone",
    )
    command.add_argument("--format", choices=("parquet", "csv"), help="of the tables in a folder (default: parquet)")


def _study_request(command: argparse.ArgumentParser) -> None:
    """The flags of an analysis; those that are not given are as the study planned."""
    group = command.add_argument_group("another analysis than the planned ones (it is marked as exploratory)")
    group.add_argument(
        "--measure", action="append", metavar="NAME", help="the measure (repeated: several at once, by a test of all)"
    )
    group.add_argument("--task", action="append", metavar="NAME", help="only this task (may be repeated)")
    group.add_argument("--learner", action="append", metavar="NAME", help="only this learner (may be repeated)")
    group.add_argument("--without", action="append", metavar="NAME", help="all learners but this (may be repeated)")
    procedure(group)
    group.add_argument("--contrast", action="append", metavar="WHAT", help="all-pairs, control, or 'a + b vs c'")
    group.add_argument("--control", metavar="LEARNER", help="hold the others against this learner")
    group.add_argument("--adjust", metavar="NAME")
    group.add_argument("--alpha", type=float, metavar="α")
    group.add_argument("--margin", type=float, metavar="Δ")
    group.add_argument("--alternative", choices=("two-sided", "better", "worse"))
    group.add_argument("--level", choices=("instances", "resamples", "tasks"))
    group.add_argument("--missing", choices=("error", "drop-block", "worst"))
    group.add_argument("--anyway", action="store_true", help="go on against advice; the report will say so")


def _merge(command: argparse.ArgumentParser) -> None:
    command.add_argument("store", nargs="+", metavar="STORE", help="the stores to be merged: files, or postgresql://…")
    command.add_argument("-o", "--output", required=True, metavar="STORE", help="where it all goes; made, if it is new")


def _conclude(command: argparse.ArgumentParser) -> None:
    study(command)
    command.add_argument("--learner", metavar="NAME", help="this one; default: the one that the verdict is for")
    command.add_argument("--models", metavar="FOLDER", help="for final models and recipes (default: STUDY-final)")
    command.add_argument("--anyway", action="store_true", help="even if an earlier version of the study saw these rows")
    output(command)


def _pilot(command: argparse.ArgumentParser) -> None:
    study(command)
    command.add_argument("--splits", type=int, default=5, metavar="N", help="of each of up to six tasks (default 5)")
    command.add_argument(
        "--budget", metavar="TIME", help="stop after it, e.g. 90s, 15m (advice: at most a quarter of what you have)"
    )
    command.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="worker processes (-1: all processors)")
    output(command)


COMMANDS = (
    Command("init", "write a study file to begin with: commented, and running as it is", _init, "study"),
    Command("plan", "show what a study will run: tasks, learners, splits, cells, time; nothing is run", _plan, "study"),
    Command("run", "run a study, or what is left of it; Ctrl-C stops it, running it again goes on", _run, "study"),
    Command("status", "show how far a study is: cells done, failed and left, and the time they take", _status, "study"),
    Command("failures", "show which cells of a study failed, grouped by what they have in common", _failures, "study"),
    Command("scores", "show the scores of a study, or write them: .csv or .parquet", _scores, "results"),
    Command("confusion", "show which classes were taken for which, and what that costs", _confusion, "predictions"),
    Command(
        "curves", "show ROC, precision–recall, lift or cost curves, or draw them: -o roc.svg", _curves, "predictions"
    ),
    Command(
        "judge",
        "say what may be claimed of a study: its planned analyses, or one of your own",
        _judge,
        "results",
        takes_options=True,
    ),
    Command("export", "write all that is stored of a study as tables, or its scores alone as one", _export, "study"),
    Command(
        "merge",
        "put what several stores hold into one: shards of a batch system, a file into a database",
        _merge,
        "study",
    ),
    Command(
        "pilot",
        "run a few random splits first: whether all learners work, time, memory, and the power of the whole design",
        _pilot,
        "conduct",
    ),
    Command(
        "conclude",
        "score the chosen learner on the test set that was kept apart, once; fit the final model to all the rest",
        _conclude,
        "conduct",
    ),
)
