"""The grammar of the command line. Only argparse is imported here."""

from __future__ import annotations

import argparse

from bakeoff import __version__
from bakeoff.cli.grammar import Grammar

TYPE_CHECKING = False  # as in bakeoff/__init__.py: typing is too expensive for --help
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Command = Callable[..., argparse.ArgumentParser]


def add_study_commands(
    command: Command, of_results: Command, output: Callable[[argparse.ArgumentParser], None]
) -> None:
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
    run.add_argument("--again", action="append", metavar="LEARNER", help="run a learner anew; its old results are kept")
    run.add_argument(
        "--only", action="append", metavar="LEARNER/TASK", help="only this part: LEARNER, LEARNER/TASK or /TASK"
    )
    run.add_argument("--budget", metavar="TIME", help="begin no cell after this time: 10m, 2h, 90s")
    run.add_argument("--dry-run", action="store_true", help="show what would be run, and run nothing")
    run.add_argument("--quiet", action="store_true", help="no progress bars")

    status = command("status", "show how far a study is: cells done, failed and left, and the time they take")
    _study(status)
    output(status)

    failures = command("failures", "show which cells of a study failed, grouped by what they have in common")
    _study(failures)
    failures.add_argument("--full", action="store_true", help="with the traceback of an example of each group")
    output(failures)

    scores = of_results("scores", "show the scores of a study, or write them: .csv or .parquet")
    _study(scores)
    scores.add_argument(
        "--measure", action="append", metavar="NAME", help="any measure, even if the study did not name it"
    )
    scores.add_argument("--instances", action="store_true", help="the loss on each test row, not its mean")
    output(scores)

    _from_predictions(of_results, output)

    judge = of_results("judge", "say what may be claimed of a study: its planned analyses, or one of your own", True)
    _study(judge)
    _study_request(judge)
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


def _study_request(command: argparse.ArgumentParser) -> None:
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


# ----------------------------------------------------------------------------------------------------------------------
# The grammar of `bakeoff power`. Only argparse is imported here.


_POWER_EPILOG = """\
Give two of --n, --difference and --power; the third is found (a power of 0.8 is wanted if only one is given).

  how many?          bakeoff power t --difference 0.02 --sd 0.05
  how small?         bakeoff power corrected-t --n 100 --sd 0.03
  how likely?        bakeoff power mcnemar --n 500 --difference 0.02 --discordant 0.06
  in clusters:       bakeoff power cluster-t --difference 0.05 --sd 0.5 --cluster-size 20 --icc 0.1
  many learners:     bakeoff power friedman --learners 5 --n 20 --difference 1sd
  from a pilot:      bakeoff power wilcoxon --pilot scores.csv --measure error --difference 0.01
  from a study:      bakeoff power study.toml --difference 0.01
  can it at all?     bakeoff power sign --smallest-p --n 6
  how often does it reject?  bakeoff power binomial --p0 0.3 --n 100 [--rate 0.2]

Tests are those of `bakeoff procedures`, and t, z and proportions. Power is exact where a formula is known (t, z, sign,
mcnemar, binomial, proportions, anova, hotelling, corrected-t, kfold-t, …), otherwise simulated; a test's own options
follow.

exit codes: 0 done; 2 usage or bad input; 3 out of reach, or the pilot does not fit
"""


def add_power_command(command: Command, output: Callable[[argparse.ArgumentParser], None]) -> None:
    """How large an experiment must be."""
    power = command("power", "say how many folds, tasks or instances a test needs, or what it can find with them", True)
    power.epilog, power.formatter_class = _POWER_EPILOG, argparse.RawDescriptionHelpFormatter
    power.add_argument("words", metavar="TEST", nargs="*", help="the test; and the file of a pilot or study")
    power.add_argument(
        "--with", dest="procedure", metavar="TEST", help="the test (default with a pilot: the advisor's)"
    )
    _question(power.add_argument_group("question"))
    _guess(power.add_argument_group("guess"))
    _pilot(power.add_argument_group("pilot"))
    _computing(power.add_argument_group("computing"))
    output(power)


def _question(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--n", "--tasks", "--runs", "--instances", dest="n", type=int, metavar="N", help="how many blocks there are"
    )
    group.add_argument("--difference", metavar="D", help="to be found: in the measure's unit, or in sds (0.5sd)")
    group.add_argument("--power", type=float, metavar="P", help="the chance to find it that is wanted (default 0.8)")
    group.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    group.add_argument("--one-sided", action="store_true", help="look for a difference in one direction only")
    group.add_argument("--smallest-p", action="store_true", help="the smallest p that N blocks can reach")
    group.add_argument(
        "--find",
        choices=("pair", "any", "all", "global"),
        help="what counts: the best against the worst learner (default), any or all true differences, or that not all "
        "learners are alike",
    )


def _guess(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--sd", type=float, metavar="SD", help="of the differences of two learners from block to block")
    group.add_argument("--wins", type=float, metavar="P", help="sign test: the chance to win, in place of a difference")
    group.add_argument("--error", type=float, metavar="RATE", help="the worse error rate, or the one tested against")
    group.add_argument(
        "--p0", type=float, metavar="RATE", help="binomial, normal-approximation: the rate tested against"
    )
    group.add_argument(
        "--rate",
        type=float,
        metavar="RATE",
        help="the same: the true rate, larger or smaller than p0, for N or its power",
    )
    group.add_argument("--discordant", type=float, metavar="RATE", help="instances on which exactly one is right")
    group.add_argument(
        "--folds", type=int, metavar="K", help="of each cross-validation, or runs on a task (default 10)"
    )
    group.add_argument(
        "--correlation", type=float, metavar="ρ", help="between folds (default 1/K), or of scores (delong)"
    )
    group.add_argument("--cluster-size", type=float, metavar="M", help="instances in a cluster; n counts clusters then")
    group.add_argument("--icc", dest="correlation", type=float, metavar="ρ", help="of two instances of a cluster")
    group.add_argument("--auc", type=float, metavar="A", help="delong: the smaller area under the ROC curve")
    group.add_argument("--positives", type=float, metavar="RATE", help="delong: the share of positives (default 0.5)")
    group.add_argument("--measures", type=int, metavar="P", help="hotelling, manova: how many at once (default 2)")
    group.add_argument("--absent", type=float, metavar="RATE", help="skillings-mack: scores that will be missing")
    group.add_argument(
        "--learners", type=int, metavar="K", help="how many are compared (default 2; 3 by tests of many)"
    )
    group.add_argument(
        "--pattern",
        choices=("one", "spaced"),
        default="one",
        help="one learner is better than all others (default), or they lie at equal distances",
    )


def _pilot(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--pilot", metavar="FILE", help="scores to take the guess from: .csv, .parquet, or a study.toml")
    group.add_argument("--store", metavar="FILE", help="where a study's results are (default: beside it, study.sqlite)")
    group.add_argument("--measure", metavar="NAME", help="the measure; its name, if the file has none")
    direction = group.add_mutually_exclusive_group()
    direction.add_argument("--larger-is-better", dest="larger", action="store_true", default=None)
    direction.add_argument("--smaller-is-better", dest="larger", action="store_false", default=None)
    group.add_argument("--rows", choices=("tasks", "folds", "instances"), help="what a row of a wide table is")
    group.add_argument("--cluster", metavar="COLUMN", help="what several of its instances have in common: a sample")
    group.add_argument("--level", choices=("instances", "resamples", "tasks"), help="read the scores at that level")
    group.add_argument(
        "--pilot-runs",
        dest="runs",
        choices=("independent", "fixed-split"),
        help="what its numbered runs are: each on a sample of its own, or all on one split with other seeds",
    )
    group.add_argument("--task", action="append", metavar="NAME", help="only this task (may be repeated)")
    group.add_argument("--learner", action="append", metavar="NAME", help="only this learner (may be repeated)")
    group.add_argument(
        "--missing", choices=("error", "drop-block", "worst"), default="error", help="learners without a value"
    )
    group.add_argument(
        "--noise", choices=("normal", "pilot"), default="normal", help="what is simulated varies normally, or as it did"
    )


def _computing(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--simulate", action="store_true", help="simulate, even if there is a formula")
    group.add_argument("--replications", type=int, default=1000, metavar="R", help="of a simulation (default 1000)")
    group.add_argument("--seed", type=int, default=0, metavar="N", help="of a simulation (default 0)")
    group.add_argument("--curve", action="store_true", help="with a power curve, even if it has to be simulated")
    group.add_argument("--figure", metavar="FILE", help="draw the power curve: .svg, .pdf or .png")


# ----------------------------------------------------------------------------------------------------------------------
# The grammar of the commands of the laboratory. Only argparse is imported here.


def _small_questions(command: Command, output: Callable[[argparse.ArgumentParser], None]) -> None:
    """From numbers alone."""
    interval = command("interval", "give intervals for a rate (750 1000), or for the difference of two (30/40 35/50)")
    interval.add_argument("counts", nargs="+", metavar="X/N", help="how many of how many; twice: two test sets")
    interval.add_argument("--confidence", type=float, default=0.95, metavar="C", help="of the intervals (default 0.95)")
    interval.add_argument(
        "--alternative",
        choices=("two-sided", "less", "greater"),
        default="two-sided",
        help="less, greater: intervals with one end, and a test of that side",
    )
    interval.add_argument("--p0", type=float, metavar="RATE", help="of one rate: test it against this one")
    output(interval)

    threshold = command("threshold", "say from which probability on a decision is the cheaper one")
    threshold.add_argument("miss", type=float, metavar="MISS", help="what it costs to miss a positive")
    threshold.add_argument(
        "alarm", type=float, nargs="?", default=1.0, metavar="ALARM", help="a false alarm (default 1)"
    )
    output(threshold)


def add_lab_commands(command: Command, output: Callable[[argparse.ArgumentParser], None]) -> None:
    """What procedures do before anyone trusts them, and what has been published about them."""
    _small_questions(command, output)
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
    design.add_argument(
        "--design", metavar="NAME", help="cv:10, cv:10x10, draws:30, competition:50, answers, clusters:20"
    )
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


# ----------------------------------------------------------------------------------------------------------------------


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

    def commands_of(home: str) -> Command:
        """What adds a command that is carried out by the function run_NAME of the module `home`."""

        def command(name: str, text: str, takes_options: bool = False) -> argparse.ArgumentParser:
            parser = commands.add_parser(
                name, help=text, description=text[0].upper() + text[1:] + ".", epilog=_EPILOG, allow_abbrev=False
            )
            parser.set_defaults(takes_options=takes_options, grammar=parser, home=home)
            return parser

        return command

    add_study_commands(commands_of("study"), commands_of("results"), _output)
    _score_commands(commands_of("compare"))
    add_lab_commands(commands_of("lab"), _output)
    _lists(commands_of("lists"))
    demo = commands_of("demo")("demo", "run a real study, from data to verdict and figure, in less than a minute")
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
    _also(compare, "--test --procedure --method", dest="procedure")
    _further_questions(compare)
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
        "--with", "--test", dest="procedure", metavar="NAME", required=True, help="see `bakeoff procedures`"
    )
    analyse.add_argument(
        "--factor", metavar="COLUMN", help="of two factors: the second one, in place of the task (two-way-anova)"
    )
    analyse.add_argument("--margin", type=float, metavar="Δ", help="the difference that would matter, fixed in advance")
    _output(analyse)

    order = command(
        "order", "order learners from best to worst, the cheaper first where the data do not decide; or in groups", True
    )
    _reading(order)
    _ordering(order)
    _output(order)

    plot = command("plot", "draw a figure of scores or of a stored study; without KIND: which figures there are", True)
    plot.add_argument("kind", metavar="KIND", nargs="?", help="the kind of figure; a file alone: those that fit it")
    _reading(plot, optional=True)
    _request(plot)
    plot.add_argument("--with", dest="procedure", metavar="NAME", help="the procedure; default: the advisor's")
    plot.add_argument("--margin", type=float, metavar="Δ", help="the difference that would matter, fixed in advance")
    _also(plot, "--test --procedure --method", dest="procedure")
    plot.add_argument("--positive", metavar="CLASS", help="of ROC curves and their kin: the class they are about")
    plot.add_argument("-o", "--output", metavar="FILE", help="where it goes: .svg, .pdf or .png")

    _aggregating(command("aggregate", "give one number over all runs, answers or test rows, with intervals"))

    _gate(command("gate", "say whether a candidate may take the place of a baseline: not worse by a margin or more"))

    _votes(command("votes", "rank models by votes between two at a time: strengths, ranks they may have, tie groups"))

    adjust = command("adjust", "adjust p-values of your own for their number, and say what each method rejects")
    _p_values(adjust)
    _output(adjust)


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


def _aggregating(command: argparse.ArgumentParser) -> None:
    """Which number, and how it is resampled."""
    _reading(command)
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
    _output(command)


def _votes(command: argparse.ArgumentParser) -> None:
    """Files of votes, and what votes share."""
    command.add_argument("file", nargs="+", metavar="VOTES", help="battles of an arena, or judgments of pairs")
    command.add_argument(
        "--cluster", choices=("question", "judge", "both", "none"), help="what votes share (default: questions)"
    )
    command.add_argument("--without", action="append", metavar="MODEL", help="leave a model out (may be repeated)")
    command.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    _output(command)


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
    command.add_argument("--with", dest="procedure", metavar="NAME", help="the procedure; default: the advisor's")
    reading = command.add_argument_group("reading")
    _table(reading)
    _values(reading)
    files = command.add_argument_group("files")
    files.add_argument("--name", default="bakeoff", metavar="NAME", help="of the gate, in the marker of its comment")
    files.add_argument("--markdown", metavar="FILE", help="a comment for a pull request, below 60 kB")
    files.add_argument("--junit", metavar="FILE", help="JUnit's XML, a case for each comparison")
    files.add_argument("--github", action="store_true", help="the step's summary, outputs and annotation; no network")
    _output(command)


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

    formats = command("formats", "list the files that are read: how they are recognised, what they map, what they drop")
    formats.add_argument("name", metavar="NAME", nargs="?", help="the format to show in full")
    _output(formats)

    measures = command("measures", "list all measures, their directions and what they are computed from")
    _output(measures)

    learners = command("learners", "list learners that have a short name: those of the literature, and the usual ones")
    _output(learners)

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
    command.add_argument(
        "--family-size", "--n", dest="family", type=int, metavar="N",
        help="how many hypotheses were tested, if that is more than the p-values given",
    )  # fmt: skip


def _ordering(command: argparse.ArgumentParser) -> None:
    """How learners are put into an order."""
    cost = command.add_mutually_exclusive_group()
    cost.add_argument("--cost", action="append", metavar="LEARNER", help="a learner, cheapest first; one flag for each")
    cost.add_argument(
        "--cost-measure",
        metavar="NAME",
        help="a column that tells the cost: parameters, fit_time, … (smaller: cheaper)",
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


def _also(group: argparse._ActionsContainer, flags: str, **options: Any) -> None:
    """Other names that people guess for an option; the help names the one."""
    group.add_argument(*flags.split(), help=argparse.SUPPRESS, **options)


def _reading(command: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """What is to be read, and how."""
    what = "files, folders or globs, NAME=PATH, or - for standard input: CSV, Parquet, JSON, xlsx, or of a tool"
    command.add_argument("file", metavar="SCORES", nargs="*" if optional else "+", help=f"{what} (`bakeoff formats`)")
    group = command.add_argument_group("reading")
    _table(group)
    _part_of_table(group)
    rows = ("tasks", "folds", "runs", "instances")
    group.add_argument("--rows", choices=rows, help="what a row of a wide table is, if headers do not tell")
    group.add_argument("--shape", choices=("long", "wide", "predictions"), help="the shape, if it is mistaken")
    _values(group)
    about = "of several tasks with their instances: new instances of these tasks, or new tasks"
    group.add_argument("--about", choices=("items", "problems"), help=about)
    weights = "what counts alike in a mean: instances (default), or clusters, strata or tasks"
    group.add_argument("--weights", choices=("items", "clusters"), help=weights)
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


def _values(group: argparse._ArgumentGroup) -> None:
    """Which measure, which direction of it, what instances have in common, and what is left out."""
    group.add_argument(
        "--measure",
        action="append",
        metavar="NAME",
        help="the measure to compare by; its name, if the file has none (repeated: several at once)",
    )
    _also(group, "--metric --metrics --score", dest="measure", action="append")
    related = group.add_mutually_exclusive_group()
    related.add_argument("--cluster", metavar="COLUMN", help="what instances have in common, as passages: a sample")
    related.add_argument("--strata", metavar="COLUMN", help="the same, but a fixed list that the conclusion is about")
    group.add_argument("--ignore", action="append", metavar="COLUMN", help="a column to leave out (may be repeated)")
    direction = group.add_mutually_exclusive_group()
    direction.add_argument("--larger-is-better", dest="larger", action="store_true", default=None)
    direction.add_argument("--smaller-is-better", dest="larger", action="store_false", default=None)
    larger = "--higher-is-better --bigger-is-better --maximize --maximise"
    _also(direction, larger, dest="larger", action="store_true", default=None)
    _also(direction, "--lower-is-better --minimize --minimise", dest="larger", action="store_false", default=None)


def _table(group: argparse._ArgumentGroup) -> None:
    """What the files are, which column is what, and which rows count."""
    group.add_argument("--format", metavar="NAME", help="of the files, if it is mistaken (see `bakeoff formats`)")
    group.add_argument(
        "--columns",
        action="append",
        metavar="ROLE=HEADER,…",
        help="which column is what: learner=config.model,task=config.dataset,repeat=seed",
    )
    group.add_argument(
        "--where", action="append", metavar="COLUMN=VALUE", help="only these rows: status=finished (may be repeated)"
    )
    group.add_argument("--transpose", action="store_true", help="turn the table round first")
    group.add_argument("--average", action="store_true", help="average several values of one cell")


def _part_of_table(group: argparse._ArgumentGroup) -> None:
    """Of which tasks and learners, and what becomes of gaps."""
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
    _also(group, "--baseline --reference", dest="control")
    _also(group, "--posthoc --post-hoc", dest="adjust")
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
