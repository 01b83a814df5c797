"""`bakeoff calibrate`: which procedures may be trusted on a design of your own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli.output import emit
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.lab.calibrating.calibration import calibrated
from bakeoff.lab.calibrating.experiments import Experiments
from bakeoff.mathematics.laws import check_alpha

_OF_A_STUDY = ("learner", "task", "measure", "null", "store")
_REPLICATIONS, _OF_A_DESIGN = 200, 1000


class StoppedError(BakeoffError):
    """The simulation was stopped by its user."""

    exit_code = 130


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    check_alpha(arguments.alpha)
    names = procedures_named(arguments.procedure)
    from bakeoff.studies.conducting import checked_workers

    jobs = checked_workers(arguments.jobs)
    if (arguments.design is None) == (arguments.study is None):
        raise UsageError(
            "A study is calibrated, or a design by name: bakeoff calibrate study.toml --learner NAME, or bakeoff "
            "calibrate --design cv:10 --n 200."
        )
    experiments = _of_study(arguments, jobs) if arguments.design is None else _of_design(arguments)
    found = calibrated(experiments, names, alpha=arguments.alpha, jobs=jobs)
    emit(arguments, found.to_json() if arguments.json else found.to_text())


def procedures_named(said: Sequence[str] | None) -> list[str] | None:
    """Names as they are given: several flags, or several names in one with commas between them.

    >>> procedures_named(["corrected-t, kfold-t", "wilcoxon"])
    ['corrected-t', 'kfold-t', 'wilcoxon']
    """
    if said is None:
        return None
    names = [name.strip() for part in said for name in part.split(",") if name.strip()]
    from bakeoff.registry import procedure_named

    return [procedure_named(name).name for name in names]  # a misspelt one costs nothing yet


def _of_design(arguments: argparse.Namespace) -> Experiments:
    from bakeoff.lab.calibrating.built_in import design_named, simulated

    for name in _OF_A_STUDY:
        if getattr(arguments, name):
            raise UsageError(f"--{name} is about a study, and --design has none: its learners are built in.")
    return simulated(
        design_named(arguments.design, 200 if arguments.n is None else arguments.n),
        replications=_OF_A_DESIGN if arguments.replications is None else arguments.replications,
        seed=arguments.seed,
        delta=arguments.delta,
        alpha=arguments.alpha,
    )


def _of_study(arguments: argparse.Namespace, jobs: int) -> Experiments:
    from bakeoff.cli.studying import study_of
    from bakeoff.lab.calibrating.choosing import Asked, experiments_for

    if arguments.n is not None:
        raise UsageError("--n is the size of a sample of --design; a study says itself how large its samples are.")
    study, results = study_of(arguments)
    asked = Asked(
        learners=tuple(arguments.learner or ()),
        task=arguments.task,
        measure=arguments.measure,
        null=arguments.null,
        replications=_REPLICATIONS if arguments.replications is None else arguments.replications,
        seed=arguments.seed,
        delta=arguments.delta,
        alpha=arguments.alpha,
    )
    store = Path(results).with_suffix(".calibration.sqlite")
    try:
        return experiments_for(study, asked, results=results, store=store, workers=jobs, progress=not arguments.quiet)
    except KeyboardInterrupt:
        raise StoppedError("stopped. What is finished is kept; the same command goes on from there.") from None
