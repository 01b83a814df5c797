"""The commands that tell what there is: procedures, explain, formats, measures, learners, datasets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from bakeoff.cli.grammar import emit
from bakeoff.formats import format_named, formats
from bakeoff.judging.topics import explain
from bakeoff.learners.learner import SHORT_NAMES
from bakeoff.measures.measure import other_names
from bakeoff.measures.response import KINDS, Response
from bakeoff.measures.responses import COMPUTED
from bakeoff.procedures import procedures
from bakeoff.tasks.sources import BundledSet, bundled, bundled_sets
from bakeoff.text import listing, number, text_table, to_json, to_json_value, wrapped


def run_procedures(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    cards = [procedure.card for procedure in procedures()]
    if arguments.json:
        emit(arguments, to_json([card.to_dict() for card in cards]))
        return
    rows = [[c.name, c.compares.value, c.level.value, c.title] for c in cards]
    listing = text_table(["procedure", "compares", "over", "title"], rows, left=4, most=70)
    emit(arguments, f"{listing}\n\n`bakeoff explain NAME` tells more about each.")


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff explain`: the card of a procedure, or another topic.


def run_explain(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    text = explain(" ".join(arguments.procedure))
    emit(arguments, text.to_json() if arguments.json else text.to_text())


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff formats`: which files are read, or all about one of them.


_TABLES = """\
CSV and Parquet tables need no format: long, wide or predictions, told by their headers. gzip, zstd and zip are
unpacked. Several files: bakeoff compare llama/ qwen/, logs/*.eval, new=a.jsonl old=b.jsonl.
`bakeoff formats NAME` tells more."""


def run_formats(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    chosen = [format_named(arguments.name)] if arguments.name else list(formats().values())
    if arguments.json:
        records = [each.to_dict() for each in chosen]
        emit(arguments, to_json(records[0] if arguments.name else records))
    elif arguments.name:
        (one,) = chosen
        parts = [f"Recognised by: {one.recognised_by}.", f"Maps: {one.maps}.", f"Drops: {one.drops}."]
        emit(arguments, "\n\n".join([f"{one.name}: {one.title}", *map(wrapped, parts)]))
    else:
        rows = [[each.name, each.title, each.recognised_by] for each in chosen]
        emit(arguments, f"{text_table(['format', 'files', 'recognised by'], rows, left=3, most=90)}\n\n{_TABLES}")


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff measures`: the list of all measures that are computed from predictions or measured by a run.


_MORE = """\
A study file may also describe a measure in a table: a loss_matrix, a functional (median, maximum, q0.95) of a loss,
or a scorer by its import path. Names of scikit-learn's scorers are measures too. Those that need resources or the
estimator must be named before the run; all others are computed from stored predictions at any time."""


def run_measures(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if arguments.json:
        emit(arguments, to_json([_record(response) for response in COMPUTED.values()]))
        return
    rows = [
        [r.name, r.measure.better, f"{number(r.measure.lower)} … {number(r.measure.upper)}", _kinds(r), r.needs, r.note]
        for r in COMPUTED.values()
    ]
    listing = text_table(["measure", "better", "range", "tasks", "needs", "note"], rows, left=6, most=70)
    emit(arguments, f"{listing}\n\n{_MORE}")


def _kinds(response: Response) -> str:
    if _two_classes_only(response):
        return "two classes"
    return "all" if response.kinds == KINDS else ", ".join(response.kinds)


def _two_classes_only(response: Response) -> bool:
    three = response.misfit("classification", ("a", "b", "c"))
    return three is not None and response.misfit("classification", ("a", "b")) is None


def _record(response: Response) -> dict[str, Any]:
    measure = response.measure
    return {
        "name": response.name,
        "other_names": other_names(response.name),
        "better": measure.better,
        "lower": measure.lower,
        "upper": measure.upper,
        "kinds": response.kinds,
        "two_classes_only": _two_classes_only(response),
        "needs": response.needs,
        "pointwise": response.pointwise is not None,
        "after_the_run": response.after_the_run,
        "note": response.note,
    }


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff learners`: those that have a short name.


def run_learners(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    known = list(SHORT_NAMES.values())
    if arguments.json:
        emit(arguments, to_json([to_json_value(each) for each in known]))
        return
    rows = [[each.name, each.kinds, each.about, each.path] for each in known]
    table = text_table(["learner", "tasks", "what it is", "path"], rows, left=4, most=80)
    more = (
        'In a study: path = "1R", or the path of any class that follows scikit-learn\'s conventions, or command = '
        "[…] for a program in any language. docs/learners.md tells more."
    )
    emit(arguments, f"{table}\n\n{wrapped(more)}")


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff datasets`: the data sets that come with bakeoff, or one of them in full.


def run_datasets(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
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
    lines = [f"{card.rows} rows, {card.inputs} inputs, {card.missing or 'no'} missing cells"]
    predicted = f"{card.kind} of {card.target!r}"
    if card.classes:
        predicted += f" ({card.classes} classes{f', positive: {card.positive}' if card.positive else ''})"
    lines.append(predicted)
    if card.categorical:
        lines.append(f"digits that are categories: {listing(card.categorical)}")
    if card.drop:
        lines.append(f"not used: {listing(card.drop)}")
    if card.group:
        lines.append(f"groups that are kept together: {card.group}")
    if card.test_rows:
        lines.append(f"the last {card.test_rows} rows are a test sample that came with the data")
    parts = [f"{card.name}: {card.title}", "\n".join(wrapped(f"  - {fact}", indent="    ") for fact in lines)]
    if card.note:
        parts.append(wrapped(card.note))
    parts.append(wrapped(f"Source: {card.attribution()}"))
    if card.reference:
        parts.append(wrapped(f"Reference: {card.reference}."))
    parts.append(f'In a study:\n\n  [[task]]\n  data = "{card.name}"')
    return "\n\n".join(parts)
