"""The commands for the conduct of an experiment: what comes before its run and after its verdict. No more than argparse
is imported."""

from __future__ import annotations

from bakeoff.cli.grammar import Command, output, study

TYPE_CHECKING = False  # as in bakeoff/__init__.py: typing is too expensive for --help
if TYPE_CHECKING:
    import argparse


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
