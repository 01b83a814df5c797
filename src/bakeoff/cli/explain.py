"""`bakeoff explain`: the card of a procedure."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.registry import explain


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    card = explain(arguments.procedure)
    emit(arguments, card.to_json() if arguments.json else card.to_text())
