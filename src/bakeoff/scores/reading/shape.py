"""Long, wide or predictions: told by the headers."""

from __future__ import annotations

from bakeoff.errors import UsageError
from bakeoff.scores.reading.headers import KEYS, key_columns, recognise, role_of, weak_role_of
from bakeoff.scores.reading.matrix import combinations
from bakeoff.scores.reading.raw import RawTable

LONG, WIDE, PREDICTIONS = "long", "wide", "predictions"
SHAPES = (LONG, WIDE, PREDICTIONS)
UNNAMED = "score"  # the measure of a table that does not name one
ROWS = ("tasks", "folds", "instances")
IN_WORDS = {
    LONG: "a long table, a row per score",
    WIDE: "a wide table, a column per learner",
    PREDICTIONS: "predictions, a column per learner beside the truth",
}


def refuse_rows(source: str, shape: str, rows: str) -> None:
    """What the rows are is a question about wide tables only: elsewhere the answer would be lost without a word."""
    if shape == WIDE or (shape == PREDICTIONS and rows == "instances"):
        return
    raise UsageError(
        f"--rows {rows} says what the rows of a wide table are, but {source} was read as {IN_WORDS[shape]}. "
        "Leave --rows out, or say --shape wide."
    )


def shape_of(table: RawTable, rows: str | None = None) -> str:
    """The shape of a table: a learner column makes it long, a truth column predictions, and else it is wide.

    >>> from bakeoff.scores.factor import Factor
    >>> shape_of(RawTable("t", ("model", "acc"), (Factor.of(["svm"]), Factor.of(["1"]))))
    'long'
    >>> shape_of(RawTable("t", ("dataset", "svm"), (Factor.of(["iris"]), Factor.of(["1"]))))
    'wide'
    """
    if any(role_of(name) == "learner" for name in table.names):
        return LONG
    if rows in ("tasks", "folds"):
        return WIDE
    if any(role_of(name) == "truth" for name in table.names):
        return PREDICTIONS
    weak = any(weak_role_of(name) == "truth" for name in table.names)
    return PREDICTIONS if weak and not _a_row_per_task_or_split(table) else WIDE


def _a_row_per_task_or_split(table: RawTable) -> bool:
    """Whether task, repeat and fold number the rows: then "reference" is a learner and not the truth."""
    roles = recognise(table, KEYS)
    if roles.get("instance"):
        return False
    keys = key_columns(table, roles)
    if not keys:
        return False
    return combinations(list(keys.values()), table.n_rows) == table.n_rows
