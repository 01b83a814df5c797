"""The commands for the conduct of an experiment: conclude, and runs that stop when they have decided."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli.grammar import emit
from bakeoff.cli.study import stored, study_of
from bakeoff.errors import UsageError
from bakeoff.store.database import Place
from bakeoff.study.file import read_study
from bakeoff.study.study import Study
from bakeoff.text import to_json, wrapped


def until_decided(arguments: argparse.Namespace, study: Study, store: Place) -> None:
    """`bakeoff run --until-decided`."""
    if not arguments.until_decided:
        raise UsageError("--margin, --at-most and --bounded go with --until-decided, which is not there.")
    for flag in ("only", "budget", "again", "retry", "dry_run"):
        if getattr(arguments, flag):
            raise UsageError(f"--until-decided chooses the cells itself: leave --{flag.replace('_', '-')} out.")
    from bakeoff.cli.study import FailedCellsError, _stopped_like_ctrl_c
    from bakeoff.conduct.sequential import run_until_decided

    with _stopped_like_ctrl_c():
        race, summary = run_until_decided(
            study,
            store,
            margin=arguments.margin,
            at_most=arguments.at_most,
            workers=arguments.jobs,
            bounded=arguments.bounded,
            tell=None if arguments.quiet else print,
        )
    print(race.to_text())
    if failed := summary.failed + summary.failed_before:
        raise FailedCellsError(f"{failed} cells failed. bakeoff failures {arguments.study} shows why.")
    print(wrapped(f"Results: {store}. bakeoff judge {arguments.study} shows the decision again."))


def run_pilot(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.conduct.outlook import pilot

    study = read_study(arguments.study)
    store = arguments.store or str(Path(arguments.study).with_suffix(".pilot.sqlite"))
    found = pilot(study, store, splits=arguments.splits, workers=arguments.jobs)
    text = f"{found.to_text()}\n\nThe pilot is kept apart from the study, in {found.store}."
    emit(arguments, to_json(found.to_dict()) if arguments.json else text)


def run_conclude(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.conduct.conclusion import conclude

    study, path = study_of(arguments)
    if study.holdout is not None:
        stored(study, path, arguments.study).close()  # which says what to do if nothing was run
    found = conclude(study, path, arguments.learner, folder=arguments.models, anyway=arguments.anyway)
    emit(arguments, found.to_json() if arguments.json else found.to_text())
