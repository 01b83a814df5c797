"""The commands for scores that one has: from files to a verdict. No more than argparse is imported."""

from __future__ import annotations

from bakeoff.cli.grammar import (
    Command,
    curve_options,
    figure_options,
    other_names,
    output,
    paper,
    procedure,
    reading,
    request,
    table,
    values,
)

TYPE_CHECKING = False  # as in bakeoff/__init__.py: typing is too expensive for --help
if TYPE_CHECKING:
    import argparse


def _margin(command: argparse.ArgumentParser) -> None:
    command.add_argument("--margin", type=float, metavar="Δ", help="the difference that would matter, fixed in advance")


def _verdict(command: argparse.ArgumentParser) -> None:
    """What a verdict is about, by which procedure, held against which margin."""
    request(command)
    procedure(command)
    _margin(command)


def _compare(command: argparse.ArgumentParser) -> None:
    reading(command)
    _verdict(command)
    other_names(command, "--test --procedure --method", dest="procedure")
    _further_questions(command)
    command.add_argument("--figure", metavar="FILE", help="draw the verdict: .svg, .pdf or .png")
    paper(command)
    output(command)


def _advise(command: argparse.ArgumentParser) -> None:
    reading(command)
    command.add_argument("--level", choices=("instances", "resamples", "tasks"), help="read the scores at that level")
    command.add_argument("--all", action="store_true", help="also why each of the others does not fit")
    output(command)


def _analyse(command: argparse.ArgumentParser) -> None:
    reading(command)
    request(command)
    command.add_argument(
        "--with", "--test", dest="procedure", metavar="NAME", required=True, help="see `bakeoff procedures`"
    )
    command.add_argument(
        "--factor", metavar="COLUMN", help="of two factors: the second one, in place of the task (two-way-anova)"
    )
    _margin(command)
    output(command)


def _order(command: argparse.ArgumentParser) -> None:
    reading(command)
    _ordering(command)
    output(command)


def _plot(command: argparse.ArgumentParser) -> None:
    command.add_argument("kind", metavar="KIND", nargs="?", help="the kind of figure; a file alone: those that fit it")
    reading(command, optional=True)
    _verdict(command)
    other_names(command, "--test --procedure --method", dest="procedure")
    group = command.add_argument_group("some kinds")
    curve_options(group)
    group.add_argument(
        "--left", action="store_true", help="of critical-difference: all names on the left, as in a column"
    )
    for name, what in (
        ("x", "what is on the axis: sizes, levels of a factor, terms"), ("y", "of a contour: the second factor"),
        ("value", "the values"), ("group", "what a line is: learners, curves"),
    ):  # fmt: skip
        group.add_argument(f"--{name}", metavar="COLUMN", help=f"of figures of a plain table: {what}")
    other_names(group, "--factor", dest="x")
    group.add_argument("--bins", type=int, metavar="N", help="of histograms and calibration: the number of classes")
    figure_options(command)
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where it goes: .svg, .pdf or .png; critical-difference also as .tex",
    )


def _report(command: argparse.ArgumentParser) -> None:
    reading(command)
    _verdict(command)
    other_names(command, "--test --procedure --method", dest="procedure")
    command.add_argument("--store", metavar="FILE", help="of a study: where its results are (default: beside it)")
    command.add_argument("-o", "--output", metavar="FILE", default="report.html", help="the page (default report.html)")
    command.set_defaults(alpha=None, alternative=None, missing=None)  # of a study: what that planned


def _adjust(command: argparse.ArgumentParser) -> None:
    """What is to be adjusted, and how."""
    command.add_argument("p", type=float, nargs="+", metavar="P", help="the p-values")
    command.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    command.add_argument("--method", action="append", metavar="NAME", help="only this method (may be repeated)")
    command.add_argument(
        "--family-size", "--n", dest="family", type=int, metavar="N",
        help="how many hypotheses were tested, if that is more than the p-values given",
    )  # fmt: skip
    output(command)


def _further_questions(command: argparse.ArgumentParser) -> None:
    """Beside which learner is better."""
    command.add_argument(
        "--against",
        type=float,
        metavar="LEVEL",
        help="hold each learner against this level, in the unit of the measure: is the error below 0.02?",
    )
    command.add_argument(
        "--factor",
        metavar="COLUMN",
        help="a second factor beside the learner, as the features that were extracted: with interaction",
    )


def _checklist(command: argparse.ArgumentParser) -> None:
    """Of what, and by which procedure."""
    reading(command)
    _verdict(command)
    output(command)


def _aggregate(command: argparse.ArgumentParser) -> None:
    """Which number, and how it is resampled."""
    reading(command)
    command.add_argument(
        "--with",
        dest="statistic",
        required=True,
        metavar="NAME",
        help="iqm or improvement (runs on tasks), pass@K (answers to items), or a measure of predictions: auc, f1, …",
    )
    command.add_argument("--confidence", type=float, default=0.95, metavar="C", help="of intervals (default 0.95)")
    command.add_argument("--resamples", type=int, metavar="R", help="of the bootstrap")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the bootstrap (default 0)")
    output(command)


def _votes(command: argparse.ArgumentParser) -> None:
    """Files of votes, and what votes share."""
    command.add_argument("file", nargs="+", metavar="VOTES", help="battles of an arena, or judgments of pairs")
    command.add_argument(
        "--cluster", choices=("question", "judge", "both", "none"), help="what votes share (default: questions)"
    )
    command.add_argument("--without", action="append", metavar="MODEL", help="leave a model out (may be repeated)")
    command.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    output(command)


def _gate(command: argparse.ArgumentParser) -> None:
    """Two sides, the drop that is tolerated, and the files to write."""
    command.epilog = (
        "exit codes: 0 pass; 1 fail; 2 usage or bad input; 3 the data do not fit (other items, versions, too many "
        "failures); 5 undecided"
    )
    command.add_argument("baseline", metavar="BASELINE", help="results of what is there: a file, folder or archive")
    command.add_argument("candidate", metavar="CANDIDATE", help="results of what is to take its place")
    command.add_argument(
        "--margin", type=float, required=True, metavar="Δ", help="the drop in the measure that is tolerated, in advance"
    )
    command.add_argument("--anchor", metavar="FILE", help="a further baseline, which stays the same: no slow drift")
    command.add_argument("--task", action="append", metavar="NAME", help="only this task (may be repeated)")
    command.add_argument(
        "--alpha", type=float, default=0.05, metavar="α", help="of passing what is worse (default 0.05)"
    )
    command.add_argument(
        "--on-undecided", choices=("fail", "warn"), default="fail", help="what the data do not decide (default: fail)"
    )
    command.add_argument(
        "--max-failed", type=float, default=0.05, metavar="SHARE", help="of rows that may have failed (default 0.05)"
    )
    command.add_argument(
        "--missing", choices=("drop-block",), help="compare on the items that both have, if they are not the same"
    )
    command.add_argument("--anyway", action="store_true", help="go on though the two were not asked alike")
    procedure(command)
    group = command.add_argument_group("reading")
    table(group)
    values(group)
    files = command.add_argument_group("files")
    files.add_argument("--name", default="bakeoff", metavar="NAME", help="of the gate, in the marker of its comment")
    files.add_argument("--markdown", metavar="FILE", help="a comment for a pull request, below 60 kB")
    files.add_argument("--junit", metavar="FILE", help="JUnit's XML, a case for each comparison")
    files.add_argument("--github", action="store_true", help="the step's summary, outputs and annotation; no network")
    output(command)


def _first(command: argparse.ArgumentParser) -> None:
    """Scores of all that compete."""
    reading(command)
    procedure(command)
    command.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    command.add_argument("--level", choices=("instances", "resamples", "tasks"), help="read the scores at that level")
    command.add_argument("--anyway", action="store_true", help="go on against advice")
    output(command)


def _ordering(command: argparse.ArgumentParser) -> None:
    """How learners are put into an order."""
    cost = command.add_mutually_exclusive_group()
    cost.add_argument("--cost", action="append", metavar="LEARNER", help="a learner, cheapest first; one flag for each")
    cost.add_argument(
        "--cost-measure",
        metavar="NAME",
        help="a column that tells the cost: parameters, fit_time, … (smaller: cheaper)",
    )
    procedure(command)
    command.add_argument("--adjust", default="holm", metavar="NAME", help="for the number of pairs (default holm)")
    command.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    command.add_argument("--level", choices=("instances", "resamples", "tasks"), help="read the scores at that level")
    command.add_argument("--anyway", action="store_true", help="go on against advice")


def _serve(command: argparse.ArgumentParser) -> None:
    """What is served, and who may reach it."""
    command.add_argument("place", nargs="?", metavar="FOLDER", help="a folder of results, or a store (default: here)")
    command.add_argument(
        "--study", action="append", metavar="FILE", help="a study that may be run from the page (may be repeated)"
    )
    command.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="workers of such a run (default 1)")
    command.add_argument("--port", type=int, default=8351, metavar="N", help="default 8351; 0: any that is free")
    command.add_argument("--open", action="store_true", help="open it in the browser")
    command.add_argument(
        "--most-megabytes", type=int, default=64, metavar="MB", help="that can be dropped at once (default 64)"
    )
    group = command.add_argument_group("for other machines")
    group.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="listen at this address (default: this machine only); others need the token that is printed",
    )
    group.add_argument("--name", action="append", metavar="NAME", help="a name by which the server may be called")


COMMANDS = (
    Command(
        "compare",
        "read scores, say what fits them, and give a verdict in plain words",
        _compare,
        "compare",
        takes_options=True,
    ),
    Command(
        "advise",
        "say which procedures fit these scores (or a stored study.toml), which do not, and why",
        _advise,
        "compare",
    ),
    Command("analyse", "apply one procedure and show all that it finds", _analyse, "compare", takes_options=True),
    Command(
        "order",
        "order learners from best to worst, the cheaper first where the data do not decide; or in groups",
        _order,
        "compare",
        takes_options=True,
    ),
    Command(
        "plot",
        "draw a figure of scores, predictions or a stored study; without KIND: which figures there are, and fit",
        _plot,
        "plot",
        takes_options=True,
    ),
    Command(
        "report",
        "write a page of HTML about scores, a stored study.toml or a verdict.json: the answer, and all behind it",
        _report,
        "report",
        takes_options=True,
    ),
    Command(
        "checklist",
        "answer what reviewers ask of scores, a stored study or a verdict: runs, what varies, error bars, compute",
        _checklist,
        "report",
    ),
    Command("aggregate", "give one number over all runs, answers or test rows, with intervals", _aggregate, "compare"),
    Command(
        "gate",
        "say whether a candidate may take the place of a baseline: not worse by a margin or more",
        _gate,
        "compare",
    ),
    Command("first", "say who may be the best: a confidence set, and the ranks that each may have", _first, "compare"),
    Command(
        "votes",
        "rank models by votes between two at a time: strengths, ranks they may have, tie groups",
        _votes,
        "compare",
    ),
    Command(
        "adjust", "adjust p-values of your own for their number, and say what each method rejects", _adjust, "compare"
    ),
    Command("serve", "show files, studies, verdicts and plans as a page in the browser", _serve, "serve"),
)
