"""`bakeoff published`: the published results, or one of them computed again beside what the document prints."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli.output import emit
from bakeoff.errors import UsageError
from bakeoff.lab.published.catalogue import published_results, regenerate, result_named
from bakeoff.lab.published.result import Published
from bakeoff.presentation import count, text_table, to_json


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if arguments.name is None:
        if arguments.full:
            raise UsageError("--full computes one result at the document's own size: name it, as in the listing.")
        if arguments.figure or arguments.store:
            raise UsageError("--figure and --store are about one result: name it, as in the listing.")
        results = published_results()
        emit(arguments, to_json([result.to_dict() for result in results]) if arguments.json else _listing(results))
        return
    if arguments.figure:
        _check_figure(arguments.name, arguments.figure)
    made = regenerate(
        arguments.name, full=arguments.full, seed=arguments.seed, jobs=arguments.jobs, store=arguments.store
    )
    if arguments.figure and made.figure is not None:
        made.figure.save(arguments.figure)
    emit(arguments, made.to_json() if arguments.json else made.to_text())


def _check_figure(name: str, path: str) -> None:
    """Before anything is computed, which may take long: that there is a figure, and how it is to be saved."""
    from bakeoff.figures.files import kind_of

    kind_of(path)
    if not Path(path).parent.is_dir():
        raise UsageError(f"There is no directory {str(Path(path).parent)!r} to save the figure in. Make it first.")
    result = result_named(name)
    if not result.figure:
        could = ", ".join(other.name for other in published_results() if other.figure)
        raise UsageError(f"{result.name!r} has no figure; {could} have one.")


def _listing(results: Sequence[Published]) -> str:
    rows = [
        [
            result.name,
            result.document.value,
            status_of(result),
            _both(result.replications, result.full_replications) if result.replications else "exact",
            _both(round(result.seconds), round(result.full_seconds)),
        ]
        for result in results
    ]
    header = ["result", "document", "status", "replications", "seconds"]
    table = text_table(header, rows, left=3, most=70)
    return (
        f"{table}\n\nIn brackets: with --full. `bakeoff published NAME` computes one again and prints ours beside the "
        "document's."
    )


def status_of(result: Published) -> str:
    """What becomes of it, with the misprints that show."""
    return f"{result.status.value.partition(',')[0]}{' but for ' * bool(result.errata)}{', '.join(result.errata)}"


def _both(usual: int, full: int) -> str:
    """A number as it usually is, and in brackets with --full if that differs."""
    return count(usual) if usual == full else f"{count(usual)} ({count(full)})"
