"""`bakeoff procedures`: the list of all procedures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.presentation import text_table, to_json
from bakeoff.registry import procedures


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    cards = [procedure.card for procedure in procedures()]
    if arguments.json:
        emit(arguments, to_json([card.to_dict() for card in cards]))
        return
    rows = [[c.name, c.compares.value, c.level.value, c.title] for c in cards]
    listing = text_table(["procedure", "compares", "over", "title"], rows, left=4, most=70)
    emit(arguments, f"{listing}\n\n`bakeoff explain NAME` tells more about each.")
