"""The grammar of the commands of the laboratory. Only argparse is imported here."""

from __future__ import annotations

import argparse

from bakeoff.cli.power_parser import add_power_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., argparse.ArgumentParser]


def add_lab_commands(command: Command, output: Callable[[argparse.ArgumentParser], None]) -> None:
    """What procedures do before anyone trusts them, and what has been published about them."""
    add_power_command(command, output)
    calibrate = command("calibrate", "simulate which procedures may be trusted on your own design")
    _calibrate(calibrate)
    output(calibrate)
    published = command("published", "list the published results, or compute one again beside what was printed")
    _published(published)
    output(published)


def _calibrate(command: argparse.ArgumentParser) -> None:
    """A study or a design by name, and what is simulated of it."""
    command.add_argument("study", metavar="STUDY", nargs="?", help="the study file, e.g. study.toml; or see --design")
    command.add_argument(
        "--with", dest="procedure", action="append", metavar="NAMES", help="procedures, a,b,c (default: all that fit)"
    )
    command.add_argument("--replications", type=int, metavar="N", help="experiments (default 200; of a design 1000)")
    command.add_argument("--delta", type=float, metavar="δ", help="the difference that power is measured at")
    command.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of what is simulated (default 0)")
    command.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="worker processes (-1: one a processor)"
    )
    command.add_argument("--quiet", action="store_true", help="no progress bars")
    study = command.add_argument_group("on a study")
    study.add_argument(
        "--learner", action="append", metavar="NAME", help="one learner and a copy of it, or two (repeat the flag)"
    )
    study.add_argument("--task", metavar="NAME", help="the task, if there are several")
    study.add_argument("--measure", metavar="NAME", help="the measure (default: the first one of the study)")
    study.add_argument(
        "--null",
        choices=("copies", "exchange", "fresh"),
        help="two copies of a learner; outcomes of two exchanged at random; two on fresh samples of a generator",
    )
    study.add_argument("--store", metavar="FILE", help="where results are kept (default: beside it, study.sqlite)")
    design = command.add_argument_group("without a study")
    design.add_argument("--design", metavar="NAME", help="cv:10, cv:10x10, draws:30, competition:50 or answers")
    design.add_argument("--n", type=int, metavar="N", help="rows of a sample (default 200)")


def _published(command: argparse.ArgumentParser) -> None:
    """All of them, or one."""
    command.add_argument("name", metavar="NAME", nargs="?", help="the result to compute again")
    command.add_argument("--full", action="store_true", help="with the document's own number of replications")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of what is simulated (default 0)")
    command.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="worker processes (-1: one a processor)"
    )
    command.add_argument("--figure", metavar="FILE", help="draw the result, where it has a figure: .svg, .pdf or .png")
    command.add_argument("--store", metavar="FILE", help="keep what is finished, so that a long run can be resumed")
