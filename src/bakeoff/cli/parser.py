"""The grammar of the command line. Only argparse is imported here."""

from __future__ import annotations

import argparse

from bakeoff import __version__
from bakeoff.cli.grammar import Grammar
from bakeoff.cli.lab_parser import add_lab_commands
from bakeoff.cli.study_parser import add_study_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bakeoff.cli.study_parser import Command

_EPILOG = """\
exit codes: 0 done; 2 usage or bad input; 3 the data do not fit the request; 4 some cells of a run failed;
130 stopped with Ctrl-C
"""


def parser() -> argparse.ArgumentParser:
    """The parser of `bakeoff`, with one subparser a command."""
    top = Grammar(
        prog="bakeoff",
        description="Which method learns most from the data? Honest comparisons of machine-learning methods.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"bakeoff {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, text: str, takes_options: bool = False) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog=_EPILOG, allow_abbrev=False
        )
        made.set_defaults(takes_options=takes_options, grammar=made)
        return made

    add_study_commands(command, _output)
    _score_commands(command)
    add_lab_commands(command, _output)
    _lists(command)
    demo = command("demo", "run a real study, from data to verdict and figure, in less than a minute")
    demo.add_argument("--output", default="demo", metavar="FOLDER", help="where the files go (default: demo)")
    demo.add_argument("--scores", action="store_true", help="compare four learners by published scores instead")
    return top


def _score_commands(command: Command) -> None:
    """From scores of your own to a verdict."""
    compare = command("compare", "read scores, say what fits them, and give a verdict in plain words", True)
    _reading(compare)
    _request(compare)
    compare.add_argument("--with", dest="procedure", metavar="NAME", help="the procedure; default: the advisor's")
    compare.add_argument("--margin", type=float, metavar="Δ", help="the difference that would matter, fixed in advance")
    compare.add_argument("--figure", metavar="FILE", help="draw the verdict: .svg, .pdf or .png")
    _output(compare)

    advise = command("advise", "say which procedures fit these scores (or a stored study.toml), which do not, and why")
    _reading(advise)
    advise.add_argument("--level", choices=("instances", "resamples", "tasks"), help="read the scores at that level")
    _output(advise)

    analyse = command("analyse", "apply one procedure and show all that it finds", True)
    _reading(analyse)
    _request(analyse)
    analyse.add_argument(
        "--with", dest="procedure", metavar="NAME", required=True, help="the procedure (see `bakeoff procedures`)"
    )
    analyse.add_argument("--margin", type=float, metavar="Δ", help="the difference that would matter, fixed in advance")
    _output(analyse)

    order = command("order", "order learners from best to worst, the cheaper first where the data do not decide", True)
    _reading(order)
    _ordering(order)
    _output(order)

    adjust = command("adjust", "adjust p-values of your own for their number, and say what each method rejects")
    _p_values(adjust)
    _output(adjust)


def _lists(command: Command) -> None:
    """What there is to choose from."""
    listing = command("procedures", "list all procedures")
    _output(listing)

    explain = command(
        "explain",
        "explain a procedure (its question, needs, conventions, cautions, options), multitest, relevance, effect-sizes "
        "or an adjustment",
    )
    explain.add_argument("procedure", metavar="NAME")
    _output(explain)

    measures = command("measures", "list all measures, their directions and what they are computed from")
    _output(measures)

    _datasets(command("datasets", "list the data sets that come with bakeoff, or tell all about one"))


def _datasets(command: argparse.ArgumentParser) -> None:
    """All of them, or one."""
    command.add_argument("name", metavar="NAME", nargs="?", help="the data set to show in full")
    _output(command)


def _p_values(command: argparse.ArgumentParser) -> None:
    """What is to be adjusted, and how."""
    command.add_argument("p", type=float, nargs="+", metavar="P", help="the p-values")
    command.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    command.add_argument("--method", action="append", metavar="NAME", help="only this method (may be repeated)")


def _ordering(command: argparse.ArgumentParser) -> None:
    """How learners are put into an order."""
    command.add_argument(
        "--cost", action="append", required=True, metavar="LEARNER", help="a learner, cheapest first; one flag for each"
    )
    command.add_argument("--with", dest="procedure", metavar="NAME", help="the procedure; default: the advisor's")
    command.add_argument("--adjust", default="holm", metavar="NAME", help="for the number of pairs (default holm)")
    command.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    command.add_argument("--level", choices=("instances", "resamples", "tasks"), help="read the scores at that level")
    command.add_argument("--anyway", action="store_true", help="go on against advice")


def _output(command: argparse.ArgumentParser) -> None:
    """Where the answer goes, and in which form."""
    command.add_argument("--json", action="store_true", help="one JSON object instead of text")
    command.add_argument("-o", "--output", metavar="FILE", help="write the answer to a file instead of the screen")


def _reading(command: argparse.ArgumentParser) -> None:
    """What is to be read, and how."""
    command.add_argument("file", metavar="SCORES", help="CSV or Parquet file: long, wide or predictions")
    group = command.add_argument_group("reading")
    group.add_argument(
        "--rows", choices=("tasks", "folds", "instances"), help="what a row of a wide table is, if headers do not tell"
    )
    group.add_argument("--shape", choices=("long", "wide", "predictions"), help="the shape, if it is mistaken")
    group.add_argument(
        "--measure",
        action="append",
        metavar="NAME",
        help="the measure to compare by; its name, if the file has none (repeated: several at once)",
    )
    direction = group.add_mutually_exclusive_group()
    direction.add_argument("--larger-is-better", dest="larger", action="store_true", default=None)
    direction.add_argument("--smaller-is-better", dest="larger", action="store_false", default=None)
    group.add_argument(
        "--unpaired", action="store_true", help="no two learners were scored on the same folds or instances"
    )
    group.add_argument(
        "--runs",
        choices=("independent", "fixed-split", "random-splits"),
        help="what numbered runs of one task are: each on a sample of its own, all on one split with other seeds, or "
        "random splits of one data set (with --ratio)",
    )
    group.add_argument("--ratio", metavar="R", help="of random splits: test size over training size (0.5, 50/100)")
    group.add_argument("--task", action="append", metavar="NAME", help="only this task (may be repeated)")
    group.add_argument("--learner", action="append", metavar="NAME", help="only this learner (may be repeated)")
    group.add_argument("--without", action="append", metavar="NAME", help="all learners but this (may be repeated)")
    group.add_argument(
        "--missing",
        choices=("error", "drop-block", "worst"),
        default="error",
        help="learners without a value: refuse (default), leave the block out, or the worst value seen",
    )


def _request(command: argparse.ArgumentParser) -> None:
    """What is asked of the scores."""
    group = command.add_argument_group("request")
    group.add_argument(
        "--contrast",
        action="append",
        metavar="WHAT",
        help="all-pairs (default), control, groups in words: 'tree + forest vs lda', or weights: 'tree=1, lda=-1' "
        "(may be repeated)",
    )
    group.add_argument("--control", metavar="LEARNER", help="hold the others against this learner")
    group.add_argument(
        "--adjust", metavar="NAME", help="none, holm, bonferroni, hochberg, …, or the procedure's own (single-step)"
    )
    group.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    group.add_argument(
        "--alternative",
        choices=("two-sided", "better", "worse"),
        default="two-sided",
        help="of the first learner of each pair; pairs are then read in the order of the file, not of the results",
    )
    group.add_argument("--level", choices=("instances", "resamples", "tasks"), help="read the scores at that level")
    group.add_argument("--anyway", action="store_true", help="go on against advice; the report will say so")
