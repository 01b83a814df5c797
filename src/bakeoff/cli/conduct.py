"""The commands for the conduct of an experiment: conclude."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.grammar import emit
from bakeoff.cli.study import stored, study_of


def run_conclude(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.conduct.conclusion import conclude

    study, path = study_of(arguments)
    if study.holdout is not None:
        stored(study, path, arguments.study).close()  # which says what to do if nothing was run
    found = conclude(study, path, arguments.learner, folder=arguments.models, anyway=arguments.anyway)
    emit(arguments, found.to_json() if arguments.json else found.to_text())
