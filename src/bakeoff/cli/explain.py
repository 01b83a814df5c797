"""`bakeoff explain`: the card of a procedure, or another topic."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.judging.topics import explain


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    found = explain(arguments.procedure)
    emit(arguments, found.to_json() if arguments.json else found.to_text())
