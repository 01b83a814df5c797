"""Weights & Biases: runs exported as CSV, from the page or by the recipe of its documentation."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from bakeoff.formats.format import TABLE, Format, ScorePart, Sign, columns_of, flat, plain_part, table_part
from bakeoff.formats.sources import ScoreFile

TOOL = "Weights & Biases"
_BOOKKEEPING = "Name ID User Tags Notes Group Runtime Created Updated Host Hostname Sweep Description Commit Agent"


def read(source: ScoreFile) -> Iterable[ScorePart]:
    table = source.table()
    if {"config", "summary"} <= set(table.names):
        rows = [
            {"name": name, **_cells(config, "config."), **_cells(summary, "summary.")}
            for name, config, summary in zip(
                *(table.labels(each).values() for each in ("name", "config", "summary")), strict=True
            )
        ]
        return [table_part(source.name, columns_of(rows), tool=TOOL, long=True)]
    names = {name for name in table.names if name in _BOOKKEEPING.split() or name.startswith("_") or "__" in name}
    for name in names:
        table = table.without(name)
    return [plain_part(table, tool=TOOL, long=True)]


def _cells(text: str, prefix: str) -> dict[str, object]:
    """A dict that was written as text; nothing in it is executed."""
    try:
        value = ast.literal_eval(text) if len(text) < 100_000 else {}
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return {}
    cells = flat(value, prefix, depth=1) if isinstance(value, Mapping) else {}
    return {key: cell for key, cell in cells.items() if not key.startswith(f"{prefix}_")}


FORMAT = Format(
    name="wandb",
    title="a Weights & Biases export",
    signs=(Sign(TABLE, ("Name", "State"), certainty=3), Sign(TABLE, ("name", "config", "summary"), certainty=3)),
    maps="a row a run: State as status, config and summary columns; learner, task and repeat by --columns, or by names "
    "such as model, dataset, seed",
    drops="names of runs, tags, times, what begins with _. Crashed and running runs are kept as failures",
    read=read,
)
