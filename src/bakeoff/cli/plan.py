"""`bakeoff plan`: what a study will run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.cli.studying import study_of
from bakeoff.presentation import to_json
from bakeoff.studies.plan import plan


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, store = study_of(arguments)
    made = plan(study, store)
    emit(arguments, to_json(made.to_dict()) if arguments.json else made.to_text())
