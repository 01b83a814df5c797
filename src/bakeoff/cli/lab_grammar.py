"""The commands for questions before and beside an experiment: power, calibration, what was published. No more than
argparse is imported."""

from __future__ import annotations

import argparse

from bakeoff.cli.grammar import Command, output

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


def _interval(command: argparse.ArgumentParser) -> None:
    command.add_argument("counts", nargs="+", metavar="X/N", help="how many of how many; twice: two test sets")
    command.add_argument("--confidence", type=float, default=0.95, metavar="C", help="of the intervals (default 0.95)")
    command.add_argument(
        "--alternative",
        choices=("two-sided", "less", "greater"),
        default="two-sided",
        help="less, greater: intervals with one end, and a test of that side",
    )
    command.add_argument("--p0", type=float, metavar="RATE", help="of one rate: test it against this one")
    output(command)


def _threshold(command: argparse.ArgumentParser) -> None:
    command.add_argument("miss", type=float, metavar="MISS", help="what it costs to miss a positive")
    command.add_argument("alarm", type=float, nargs="?", default=1.0, metavar="ALARM", help="a false alarm (default 1)")
    output(command)


def _power(command: argparse.ArgumentParser) -> None:
    """How large an experiment must be."""
    command.epilog, command.formatter_class = _POWER_EPILOG, argparse.RawDescriptionHelpFormatter
    command.add_argument("words", metavar="TEST", nargs="*", help="the test; and the file of a pilot or study")
    command.add_argument(
        "--with", dest="procedure", metavar="TEST", help="the test (default with a pilot: the advisor's)"
    )
    _question(command.add_argument_group("question"))
    _guess(command.add_argument_group("guess"))
    _pilot(command.add_argument_group("pilot"))
    _computing(command.add_argument_group("computing"))
    output(command)


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
    output(command)


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
    output(command)


COMMANDS = (
    Command(
        "interval", "give intervals for a rate (750 1000), or for the difference of two (30/40 35/50)", _interval, "lab"
    ),
    Command("threshold", "say from which probability on a decision is the cheaper one", _threshold, "lab"),
    Command(
        "power",
        "say how many folds, tasks or instances a test needs, or what it can find with them",
        _power,
        "lab",
        takes_options=True,
    ),
    Command("calibrate", "simulate which procedures may be trusted on your own design", _calibrate, "lab"),
    Command("published", "list the published results, or compute one again beside what was printed", _published, "lab"),
)
