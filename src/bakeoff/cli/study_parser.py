"""The grammar of the commands about studies. Only argparse is imported here."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., argparse.ArgumentParser]


def add_study_commands(command: Command, output: Callable[[argparse.ArgumentParser], None]) -> None:
    """From a study file to stored scores and a verdict."""
    init = command("init", "write a study file to begin with: commented, and running as it is")
    init.add_argument("file", nargs="?", default="study.toml", metavar="STUDY", help="its name (default: study.toml)")
    init.add_argument("--force", action="store_true", help="write over a file that is there")

    plan = command("plan", "show what a study will run: tasks, learners, splits, cells, time; nothing is run")
    _study(plan)
    output(plan)

    run = command("run", "run a study, or what is left of it; Ctrl-C stops it, running it again goes on")
    _study(run)
    run.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="worker processes (-1: one a processor)")
    run.add_argument("--retry", choices=("failed",), help="try the failed cells again")
    run.add_argument("--quiet", action="store_true", help="no progress bars")

    status = command("status", "show how far a study is: cells done, failed and left, and the time they take")
    _study(status)
    output(status)

    failures = command("failures", "show which cells of a study failed, grouped by what they have in common")
    _study(failures)
    failures.add_argument("--full", action="store_true", help="with the traceback of an example of each group")
    output(failures)

    scores = command("scores", "show the scores of a study, or write them: .csv or .parquet")
    _study(scores)
    scores.add_argument(
        "--measure", action="append", metavar="NAME", help="any measure, even if the study did not name it"
    )
    scores.add_argument("--instances", action="store_true", help="the loss on each test row, not its mean")
    output(scores)

    _from_predictions(command, output)

    judge = command("judge", "say what may be claimed of a study: its planned analyses, or one of your own", True)
    _study(judge)
    _request(judge)
    judge.add_argument("--figure", metavar="FILE", help="draw the verdict: .svg, .pdf or .png")
    output(judge)

    export = command("export", "write all that is stored of a study as tables, or its scores alone as one")
    _study(export)
    export.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FOLDER",
        help="a new folder for scores, predictions, splits and attempts; or FILE.csv, FILE.parquet: the scores alone",
    )
    export.add_argument("--format", choices=("parquet", "csv"), help="of the tables in a folder (default: parquet)")


def _from_predictions(command: Command, output: Callable[[argparse.ArgumentParser], None]) -> None:
    """What stored predictions tell beside scores."""
    confusion = command("confusion", "show which classes were taken for which, and what that costs")
    _study(confusion)
    _part(confusion)
    confusion.add_argument(
        "--loss",
        type=float,
        nargs="+",
        metavar="COST",
        help="what each decision costs, row by row (a row is a true class): 0 1 5 0; adds risk and threshold",
    )
    output(confusion)

    curves = command("curves", "show ROC, precision–recall, lift or cost curves, or draw them: -o roc.svg")
    _study(curves)
    _part(curves)
    curves.add_argument(
        "--kind",
        default="roc",
        choices=("roc", "pr", "sensitivity-specificity", "lift", "cost"),
        help="of curve (default: roc)",
    )
    curves.add_argument("--positive", metavar="CLASS", help="the class against all others; of two it is the second")
    output(curves)


def _part(command: argparse.ArgumentParser) -> None:
    command.add_argument("--task", action="append", metavar="NAME", help="only this task (may be repeated)")
    command.add_argument("--learner", action="append", metavar="NAME", help="only this learner (may be repeated)")


def _study(command: argparse.ArgumentParser) -> None:
    command.add_argument("study", metavar="STUDY", help="the study file, e.g. study.toml")
    command.add_argument("--store", metavar="FILE", help="where results are kept (default: beside it, study.sqlite)")


def _request(command: argparse.ArgumentParser) -> None:
    """The flags of an analysis; those that are not given are as the study planned."""
    group = command.add_argument_group("another analysis than the planned ones (it is marked as exploratory)")
    group.add_argument(
        "--measure", action="append", metavar="NAME", help="the measure (repeated: several at once, by a test of all)"
    )
    group.add_argument("--task", action="append", metavar="NAME", help="only this task (may be repeated)")
    group.add_argument("--learner", action="append", metavar="NAME", help="only this learner (may be repeated)")
    group.add_argument("--without", action="append", metavar="NAME", help="all learners but this (may be repeated)")
    group.add_argument("--with", dest="procedure", metavar="NAME", help="the procedure; default: the advisor's")
    group.add_argument("--contrast", action="append", metavar="WHAT", help="all-pairs, control, or 'a + b vs c'")
    group.add_argument("--control", metavar="LEARNER", help="hold the others against this learner")
    group.add_argument("--adjust", metavar="NAME")
    group.add_argument("--alpha", type=float, metavar="α")
    group.add_argument("--margin", type=float, metavar="Δ")
    group.add_argument("--alternative", choices=("two-sided", "better", "worse"))
    group.add_argument("--level", choices=("instances", "resamples", "tasks"))
    group.add_argument("--missing", choices=("error", "drop-block", "worst"))
    group.add_argument("--anyway", action="store_true", help="go on against advice; the report will say so")
