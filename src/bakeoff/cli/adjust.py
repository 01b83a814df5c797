"""`bakeoff adjust`: p-values of your own, adjusted for their number by every method."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.familywise import METHODS, rejected


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    found = rejected(arguments.p, arguments.alpha, arguments.method or METHODS)
    emit(arguments, found.to_json() if arguments.json else found.to_text())
