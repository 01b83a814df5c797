"""Wide tables: a column per learner; a row per task, fold or instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.scores.reading.columns import set_aside
from bakeoff.scores.reading.headers import (
    CLUSTER,
    KEYS,
    SIZES,
    WIDE_ROLES,
    HeaderRoles,
    directed,
    key_columns,
    one_measure,
    recognise,
    rows_of_measure,
    size_columns,
    weak_role_of,
    with_range,
)
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.reading.shape import (
    IN_WORDS,
    UNNAMED,
    WIDE,
    combinations,
    numbered,
    numbered_within,
    scores_of_matrix,
)
from bakeoff.scores.table import Labels, Scores
from bakeoff.text import CodedWarning, listing

_KEY_OF_ROWS = {"tasks": "task", "folds": "fold", "runs": "repeat", "instances": "instance"}
_ROWS_IN_WORDS = (
    "Say --rows tasks (each row is another data set), --rows folds (each row is a fold of one cross-validation, in "
    "which every case was tested once), --rows runs (each row is another split, seed or run on one data set) or --rows "
    "instances (each row is one test case); in Python rows='tasks' and so on."
)
_FOLDS_BY_WORD = CodedWarning(
    "folds-by-word",
    "That the rows are folds of one cross-validation, in which every case was tested once, is known by your word: "
    "random splits overlap more than folds do, and more is then claimed than they bear.",
    "If the rows are random splits, say --rows runs --ratio N_TEST/N_TRAIN (in Python rows='runs', ratio=); columns "
    "n_train and n_test settle it as well.",
)


def read_wide(
    table: RawTable, *, rows: str | None = None, measures: Sequence[str] = (), larger_is_better: bool | None = None
) -> Scores:
    """The scores in a wide table; of several measures those named, or all.

    >>> table = RawTable("t.csv", ("svm", "knn"), (Labels.of(["0.9", "0.8"]), Labels.of(["0.7", "0.6"])))
    >>> read_wide(table, rows="tasks", measures=["accuracy"])
    <Scores: 4 rows, 2 learners, 2 tasks, accuracy>
    """
    roles = recognise(table, WIDE_ROLES)
    table = rows_of_measure(table, roles, measures)
    label, label_note = _row_label(table, roles)
    learners, aside_notes = set_aside(table, [name for name in roles.others(table) if name != label])
    _refuse_no_learners(table, learners)

    keys = key_columns(table, roles, (*KEYS, CLUSTER, "measure"))
    if "measure" not in keys and len(measures) > 1:
        raise one_measure(measures, f"{table.source} has a column for each learner and none that names measures")
    by_row = keys.pop("measure", Labels.constant(measures[0] if measures else UNNAMED, table.n_rows))
    keys, rows_note = _with_rows(table, keys, by_row, rows, label)
    values = np.column_stack([table.numbers(name) for name in learners])
    described, range_notes = with_range(directed(by_row.labels, larger_is_better), by_row, values)
    sizes = size_columns(table, roles)
    if rows == "folds" and len(sizes) < len(SIZES) and table.n_rows > 1:
        table = replace(table, doubts=(*table.doubts, _FOLDS_BY_WORD))
    return scores_of_matrix(
        table,
        values,
        learners,
        keys,
        measure=by_row,
        measures=described,
        n_train=sizes.get("n_train"),
        n_test=sizes.get("n_test"),
        notes=(
            *table.notes,
            f"read as {IN_WORDS[WIDE]}",
            *roles.notes,
            *label_note,
            *aside_notes,
            *rows_note,
            *range_notes,
        ),
    )


def _row_label(table: RawTable, roles: HeaderRoles) -> tuple[str | None, tuple[str, ...]]:
    """The column that only names the rows: by its header, by counting them, or the first one without numbers."""
    others = roles.others(table)
    for name in others:
        if name == "" or weak_role_of(name) == "row" or (name == others[0] and _counts_rows(table, name)):
            return name, (f"column {name!r} names the rows" if name else "the column without a name names the rows",)
    if any(roles.get(key) for key in KEYS):
        return None, ()
    for name in others:
        if not table.holds_numbers(name) and not table.is_empty(name):
            return name, (f"column {name!r} names the rows",)
    return None, ()


def _counts_rows(table: RawTable, name: str) -> bool:
    """Whether a column is 0, 1, 2, … or 1, 2, 3, …: a row number, and nobody's score."""
    if table.n_rows < 3:
        return False
    labels = table.labels(name).labels
    return any(labels == tuple(map(str, range(start, start + table.n_rows))) for start in (0, 1))


def _refuse_no_learners(table: RawTable, learners: list[str]) -> None:
    if not learners:
        raise table.error(
            "A wide table has a column of numbers for each learner, but none was found "
            f"(the columns are {listing([repr(name) for name in table.names])})."
        )


def _with_rows(
    table: RawTable, keys: dict[str, Labels], by_row: Labels, rows: str | None, label: str | None
) -> tuple[dict[str, Labels], tuple[str, ...]]:
    """The keys, with the one that `rows` asks for added from the label column or by counting."""
    told_apart = combinations([*keys.values(), by_row], table.n_rows) == table.n_rows
    if rows is None:
        if not keys or (set(keys) == {"task"} and not told_apart):
            reason = "several rows share their data set" if keys else "no column says what a row is"
            raise UsageError(f"What are the rows of {table.source}? The table is wide, and {reason}. {_ROWS_IN_WORDS}")
        return keys, ()
    wanted = _KEY_OF_ROWS[rows]
    finest = max(keys, key=KEYS.index, default=wanted)
    if KEYS.index(finest) > KEYS.index(wanted):
        raise UsageError(
            f"You said that the rows of {table.source} are {rows}, but one of its columns names the {finest} of each "
            "row. Leave --rows out, or leave that column out."
        )
    if wanted in keys or (finest == "repeat" and wanted == "fold" and told_apart):
        return keys, ()
    groups = [*keys.values(), by_row]
    if label is not None and combinations([*groups, table.labels(label)], table.n_rows) == table.n_rows:
        return {**keys, wanted: table.labels(label)}, (f"the rows are {rows}, as you said",)
    count = numbered(table.n_rows) if wanted == "instance" else numbered_within(groups, table.n_rows)
    return {**keys, wanted: count}, (f"the rows are {rows}, as you said, and numbered from 1",)
