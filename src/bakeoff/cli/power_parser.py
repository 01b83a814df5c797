"""The grammar of `bakeoff power`. Only argparse is imported here."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., argparse.ArgumentParser]

_EPILOG = """\
Give two of --n, --difference and --power; the third is found (a power of 0.8 is wanted if only one is given).

  how many?          bakeoff power t --difference 0.02 --sd 0.05
  how small?         bakeoff power corrected-t --n 100 --sd 0.03
  how likely?        bakeoff power mcnemar --n 500 --difference 0.02 --discordant 0.06
  many learners:     bakeoff power friedman --learners 5 --n 20 --difference 1sd
  from a pilot:      bakeoff power wilcoxon --pilot scores.csv --measure error --difference 0.01
  from a study:      bakeoff power study.toml --difference 0.01
  can it at all?     bakeoff power sign --smallest-p --n 6

Tests are those of `bakeoff procedures`, and t, z and proportions. Power is exact where a formula is known (t, z, sign,
mcnemar, binomial, proportions, anova, hotelling, corrected-t, kfold-t, …), otherwise simulated; a test's own options
follow.

exit codes: 0 done; 2 usage or bad input; 3 out of reach, or the pilot does not fit
"""


def add_power_command(command: Command, output: Callable[[argparse.ArgumentParser], None]) -> None:
    """How large an experiment must be."""
    power = command("power", "say how many folds, tasks or instances a test needs, or what it can find with them", True)
    power.epilog, power.formatter_class = _EPILOG, argparse.RawDescriptionHelpFormatter
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
    group.add_argument("--discordant", type=float, metavar="RATE", help="instances on which exactly one is right")
    group.add_argument(
        "--folds", type=int, metavar="K", help="of each cross-validation, or runs on a task (default 10)"
    )
    group.add_argument(
        "--correlation", type=float, metavar="ρ", help="between folds (default 1/K), or of scores (delong)"
    )
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
