"""Long tables: a row per score, or a row per run with a column for each measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.measures import known_measure
from bakeoff.measures.known import plain
from bakeoff.presentation import listing
from bakeoff.scores.factor import Factor, frozen
from bakeoff.scores.reading.apparent import without_apparent
from bakeoff.scores.reading.counts import counts_as_rates
from bakeoff.scores.reading.design import taken_design
from bakeoff.scores.reading.direction import directed, with_range
from bakeoff.scores.reading.failures import settle_failures
from bakeoff.scores.reading.headers import (
    KEYS,
    LONG_ROLES,
    Roles,
    key_columns,
    matching,
    recognise,
    rows_of_measure,
    size_columns,
)
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.reading.shape import IN_WORDS, LONG, UNNAMED
from bakeoff.scores.table import Scores


def read_long(table: RawTable, *, measures: Sequence[str] = (), larger_is_better: bool | None = None) -> Scores:
    """The scores in a long table; of several measures those named, or all.

    >>> table = RawTable("t.csv", ("model", "acc"), (Factor.of(["svm", "knn"]), Factor.of(["0.9", "0.8"])))
    >>> read_long(table)
    <Scores: 2 rows, 2 learners, 1 task, acc>
    """
    table, design, design_notes = taken_design(table)
    table, role_notes = without_apparent(table)
    table, count_notes = counts_as_rates(table)
    roles = recognise(table, LONG_ROLES)
    if roles.get("learner") is None:
        raise table.error(
            "A long table needs a column that names the learners, but there is no column 'learner', 'model', "
            f"'classifier' or the like (the columns are {_quoted(table.names)})."
        )
    table = rows_of_measure(table, roles, measures)
    columns = _value_columns(table, roles, measures)
    times = len(columns.names)
    keys = {
        role: _tiled(column, times) for role, column in key_columns(table, roles, ("learner", *KEYS, "measure")).items()
    }
    by_row = keys.pop("measure", None)
    if by_row is None:
        by_row = Factor(columns.measures, frozen(np.repeat(np.arange(times), table.n_rows)))
    values = np.concatenate([table.numbers(name) for name in columns.names])
    values, status, message, failure_notes = settle_failures(table, values, roles.get("status"), columns.message)
    described, range_notes = with_range(directed(by_row.labels, larger_is_better), by_row, values)
    sizes = {role: np.tile(column, times) for role, column in size_columns(table, roles).items()}
    about_columns = (*table.notes, f"read as {IN_WORDS[LONG]}", *roles.notes, *columns.notes, *role_notes, *count_notes)
    made = Scores.of(
        values,
        learner=keys["learner"],
        task=keys.get("task"),
        repeat=keys.get("repeat"),
        fold=keys.get("fold"),
        instance=keys.get("instance"),
        measure=by_row,
        measures=described,
        n_train=sizes.get("n_train"),
        n_test=sizes.get("n_test"),
        status=status,
        message=message,
        source=table.source,
        notes=(*about_columns, *design_notes, *failure_notes, *range_notes),
        lines=None if table.lines is None else np.tile(table.lines, times),
    )
    made = replace(made, problem=design.problem, independent=design.independent, splitting=design.splitting)
    return replace(made, provenance=table.provenance)


def _tiled(column: Factor, times: int) -> Factor:
    return column if times == 1 else Factor(column.labels, frozen(np.tile(column.codes, times)))


@dataclass(frozen=True)
class ValueColumns:
    """The columns that hold values, the measure that each is about, and the column with error messages."""

    names: tuple[str, ...]
    measures: tuple[str, ...]
    message: str | None
    notes: tuple[str, ...]


def _value_columns(table: RawTable, roles: Roles, measures: Sequence[str]) -> ValueColumns:
    others = tuple(name for name in roles.others(table) if name)
    named = [name for name in others if known_measure(name)]
    # A column "error" without a number in it is a message, a "time" a date: not what their names would measure.
    numeric = [name for name in named if table.holds_numbers(name)]
    # Where every run failed there is no number at all: that is a result, and not the absence of one.
    numeric = numeric or [name for name in named if table.is_empty(name)]
    message = roles.get("message")
    if message is None:
        message = next((name for name in named if name not in numeric and plain(name) == "error"), None)
    if roles.get("measure"):
        chosen = {"": _needed(table, roles)}
    elif measures:
        # Of several, each must have a column of its own; one alone may also name the column of values.
        own = {name: next(iter(matching(name, others)), None) for name in measures}
        chosen = {name: column or _needed(table, roles, name, len(measures) == 1) for name, column in own.items()}
        _refuse_twice(chosen)
    else:
        value = roles.get("value")
        chosen = {UNNAMED: value} if value else {}
        chosen |= {name: name for name in numeric}
        if not chosen:
            _needed(table, roles)
    left = [name for name in others if name not in chosen.values() and name != message]
    return ValueColumns(
        names=tuple(chosen.values()),
        measures=tuple(chosen),
        message=message,
        notes=((f"ignored: {listing([repr(name) for name in left])}",) if left else ()),
    )


def _refuse_twice(chosen: Mapping[str, str]) -> None:
    for name, column in chosen.items():
        for other in chosen:
            if other != name and chosen[other] == column:
                raise UsageError(f"{name!r} and {other!r} are the same measure: name it once.")


def _needed(table: RawTable, roles: Roles, measure: str | None = None, alone: bool = True) -> str:
    """The value column, or an error that says what would do as one."""
    value = roles.get("value")
    if value is not None and alone:
        return value
    others = [name for name in roles.others(table) if name]
    if measure is not None:
        raise UsageError(
            f"There is no measure {measure!r} in {table.source}: neither a column 'value' or 'score' that it could "
            f"name, nor a column of that name. {nearest(measure, others)} If these are data sets, turn the table round."
        )
    if roles.get("measure"):
        raise table.error(
            f"The column {roles.get('measure')!r} names measures, but there is no column 'value' or 'score' "
            f"with their values (the columns are {_quoted(table.names)})."
        )
    raise table.error(
        f"The column {roles.get('learner')!r} names learners, but nothing holds their scores: a column 'value' or "
        "'score', or columns named after measures ('accuracy', 'auc', 'fit_time'), were expected, and the rest is "
        f"{_quoted(others) or 'nothing'}. Name the column that counts (--measure NAME; in Python measure=NAME), "
        "or turn the table round if its columns are data sets."
    )


def _quoted(names: Sequence[str]) -> str:
    return listing([repr(name) for name in names], most=12)
