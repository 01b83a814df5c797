"""`bakeoff calibrate`: which procedures may be trusted on a design of your own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from bakeoff.cli.output import emit
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.lab.calibrating.asking import calibrate

_OF_A_STUDY = ("learner", "task", "measure", "null", "store")


class StoppedError(BakeoffError):
    """The simulation was stopped by its user."""

    exit_code = 130


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if (arguments.design is None) == (arguments.study is None):
        raise UsageError(
            "A study is calibrated, or a design by name: bakeoff calibrate study.toml --learner NAME, or bakeoff "
            "calibrate --design cv:10 --n 200."
        )
    about = _of_study(arguments) if arguments.design is None else _of_design(arguments)
    try:
        found = calibrate(
            **about,
            procedures=procedures_named(arguments.procedure),
            replications=arguments.replications,
            delta=arguments.delta,
            alpha=arguments.alpha,
            seed=arguments.seed,
            n_jobs=arguments.jobs,
            progress=not arguments.quiet,
        )
    except KeyboardInterrupt:
        raise StoppedError("stopped. What is finished is kept; the same command goes on from there.") from None
    emit(arguments, found.to_json() if arguments.json else found.to_text())


def procedures_named(said: Sequence[str] | None) -> list[str] | None:
    """Names as they are given: several flags, or several names in one with commas between them.

    >>> procedures_named(["corrected-t, kfold-t", "wilcoxon"])
    ['corrected-t', 'kfold-t', 'wilcoxon']
    """
    return None if said is None else [name.strip() for part in said for name in part.split(",") if name.strip()]


def _of_design(arguments: argparse.Namespace) -> dict[str, Any]:
    for name in _OF_A_STUDY:
        if getattr(arguments, name):
            raise UsageError(f"--{name} is about a study, and --design has none: its learners are built in.")
    return {"what": arguments.design, "n": arguments.n}


def _of_study(arguments: argparse.Namespace) -> dict[str, Any]:
    from bakeoff.cli.studying import study_of

    if arguments.n is not None:
        raise UsageError("--n is the size of a sample of --design; a study says itself how large its samples are.")
    study, results = study_of(arguments)
    said = {name: getattr(arguments, name) for name in ("task", "measure", "null")}
    return {"what": study, "learners": arguments.learner or (), "store": results, **said}
