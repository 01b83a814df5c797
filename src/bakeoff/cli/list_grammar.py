"""The commands that list what there is, and the demonstration. No more than argparse is imported."""

from __future__ import annotations

from bakeoff.cli.grammar import Command, output

TYPE_CHECKING = False  # as in bakeoff/__init__.py: typing is too expensive for --help
if TYPE_CHECKING:
    import argparse


def _procedures(command: argparse.ArgumentParser) -> None:
    output(command)


def _explain(command: argparse.ArgumentParser) -> None:
    command.add_argument("procedure", metavar="NAME", nargs="+", help="a name, or a question in words")
    output(command)


def _formats(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help="the format to show in full")
    output(command)


def _measures(command: argparse.ArgumentParser) -> None:
    output(command)


def _learners(command: argparse.ArgumentParser) -> None:
    output(command)


def _datasets(command: argparse.ArgumentParser) -> None:
    """All of them, or one."""
    command.add_argument("name", metavar="NAME", nargs="?", help="the data set to show in full")
    output(command)


def _demo(command: argparse.ArgumentParser) -> None:
    command.add_argument("--output", default="demo", metavar="FOLDER", help="where the files go (default: demo)")
    command.add_argument("--scores", action="store_true", help="compare four learners by published scores instead")


COMMANDS = (
    Command("procedures", "list all procedures", _procedures, "lists"),
    Command(
        "explain",
        "explain a procedure or an adjustment, by any name, or find one by a question: two models one test set",
        _explain,
        "lists",
    ),
    Command(
        "formats",
        "list the files that are read: how they are recognised, what they map, what they drop",
        _formats,
        "lists",
    ),
    Command("measures", "list all measures, their directions and what they are computed from", _measures, "lists"),
    Command(
        "learners",
        "list learners that have a short name: those of the literature, and the usual ones",
        _learners,
        "lists",
    ),
    Command("datasets", "list the data sets that come with bakeoff, or tell all about one", _datasets, "lists"),
    Command("demo", "run a real study, from data to verdict and figure, in less than a minute", _demo, "demo"),
)
