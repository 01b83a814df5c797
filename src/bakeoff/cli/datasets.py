"""`bakeoff datasets`: the data sets that come with bakeoff, or one of them in full."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.presentation import listing, text_table, to_json, wrapped
from bakeoff.tasks.bundled import BundledSet, bundled, bundled_sets


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if arguments.name is None:
        cards = list(bundled_sets().values())
        emit(arguments, to_json([card.to_dict() for card in cards]) if arguments.json else _listing(cards))
        return
    card = bundled(arguments.name)
    emit(arguments, to_json(card.to_dict()) if arguments.json else _in_full(card))


def _listing(cards: Sequence[BundledSet]) -> str:
    rows = [
        [c.name, c.kind, c.title, str(c.rows), str(c.inputs), str(c.classes or ""), str(c.missing or "")] for c in cards
    ]
    table = text_table(["data set", "kind", "title", "rows", "inputs", "classes", "missing"], rows, left=3, most=64)
    return f'{table}\n\nIn a study: data = "NAME". `bakeoff datasets NAME` tells more about each.'


def _in_full(card: BundledSet) -> str:
    """All that is known of one, and how to use it."""
    facts = [f"{card.rows} rows, {card.inputs} inputs, {card.missing or 'no'} missing cells"]
    predicted = f"{card.kind} of {card.target!r}"
    if card.classes:
        predicted += f" ({card.classes} classes{f', positive: {card.positive}' if card.positive else ''})"
    facts.append(predicted)
    if card.categorical:
        facts.append(f"digits that are categories: {listing(card.categorical)}")
    if card.drop:
        facts.append(f"not used: {listing(card.drop)}")
    if card.group:
        facts.append(f"groups that are kept together: {card.group}")
    if card.test_rows:
        facts.append(f"the last {card.test_rows} rows are a test sample that came with the data")
    parts = [f"{card.name}: {card.title}", "\n".join(wrapped(f"  - {fact}", indent="    ") for fact in facts)]
    if card.note:
        parts.append(wrapped(card.note))
    parts.append(wrapped(f"Source: {card.attribution()}"))
    if card.reference:
        parts.append(wrapped(f"Reference: {card.reference}."))
    parts.append(f'In a study:\n\n  [[task]]\n  data = "{card.name}"')
    return "\n\n".join(parts)
