"""Long, wide or predictions: told by the headers."""

from __future__ import annotations

from bakeoff.errors import UsageError
from bakeoff.scores.reading.answers import Answers
from bakeoff.scores.reading.headers import KEYS, PREDICTION_ROLES, key_columns, recognise, role_of, weak_role_of
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
        _refuse_unclear_truth(table)
        return PREDICTIONS
    weak = any(weak_role_of(name) == "truth" for name in table.names)
    return PREDICTIONS if weak and not _a_row_per_task_or_split(table) else WIDE


def _refuse_unclear_truth(table: RawTable) -> None:
    """A row of numbers per task with a column "y" in it: scores of a learner called y, or one prediction a task?"""
    roles = recognise(table, PREDICTION_ROLES)
    keys = key_columns(table, roles)
    if set(keys) != {"task"} or table.n_rows < 2 or combinations([keys["task"]], table.n_rows) < table.n_rows:
        return
    truth = roles.column["truth"]
    answers = Answers(table, truth, tuple(name for name in roles.others(table) if name and weak_role_of(name) is None))
    if any(answers.numbers(name) is None for name in (truth, *answers.learners)):
        return
    if all(map(answers.are_labels, answers.learners)):
        return
    raise UsageError(
        f"Is column {truth!r} of {table.source} a learner, or the truth? Every row is another {roles.column['task']}, "
        "as in a table of scores. Say --shape wide if it is a learner, or --shape predictions if it is the truth and "
        "the others are predictions of it (in Python shape='wide' or shape='predictions')."
    )


def _a_row_per_task_or_split(table: RawTable) -> bool:
    """Whether task, repeat and fold number the rows: then "reference" is a learner and not the truth."""
    roles = recognise(table, KEYS)
    if roles.get("instance"):
        return False
    keys = key_columns(table, roles)
    if not keys:
        return False
    return combinations(list(keys.values()), table.n_rows) == table.n_rows
