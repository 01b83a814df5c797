"""From a matrix with a column per learner to Scores; wide tables and predictions both end here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bakeoff.measures import Measure
from bakeoff.scores.factor import Factor, frozen
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.table import NO_VALUE, OK, Scores


def scores_of_matrix(
    table: RawTable,
    values: NDArray[np.float64],
    learners: Sequence[str],
    keys: Mapping[str, Factor],
    *,
    measure: Factor,
    measures: Mapping[str, Measure],
    n_train: NDArray[np.float64] | None = None,
    n_test: NDArray[np.float64] | None = None,
    notes: Sequence[str] = (),
) -> Scores:
    """Scores in the order of the rows. Labels are never spelled out cell by cell: there may be millions."""
    n, k = values.shape
    value = values.reshape(-1)

    def each(column: Factor | None) -> Factor | None:
        return None if column is None else Factor(column.labels, frozen(np.repeat(column.codes, k)))

    def sizes(column: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        return None if column is None else np.repeat(column, k)

    return Scores.of(
        value,
        learner=Factor(tuple(learners), frozen(np.tile(np.arange(k), n))),
        task=each(keys.get("task")),
        repeat=each(keys.get("repeat")),
        fold=each(keys.get("fold")),
        instance=each(keys.get("instance")),
        measure=each(measure),
        measures=measures,
        n_train=sizes(n_train),
        n_test=sizes(n_test),
        status=status_of(value),
        source=table.source,
        notes=notes,
        lines=None if table.lines is None else np.repeat(table.lines, k),
    )


def status_of(value: NDArray[np.float64]) -> Factor:
    """ "ok" where there is a value, "missing" where there is none.

    >>> status_of(np.array([1.0, np.nan])).values()
    ['ok', 'missing']
    """
    missing = np.isnan(value)
    if not missing.any():
        return Factor.constant(OK, len(value))
    if missing.all():
        return Factor.constant(NO_VALUE, len(value))
    first_is_missing = bool(missing[0])
    labels = (NO_VALUE, OK) if first_is_missing else (OK, NO_VALUE)
    return Factor(labels, frozen((missing != first_is_missing).astype(np.intp)))


def numbered(length: int) -> Factor:
    """Rows numbered from 1.

    >>> numbered(3).labels
    ('1', '2', '3')
    """
    return Factor(tuple(map(str, range(1, length + 1))), frozen(np.arange(length, dtype=np.intp)))


def combinations(columns: Sequence[Factor], length: int) -> int:
    """How many different combinations of labels the rows have.

    >>> combinations([Factor.of(["iris", "iris"]), Factor.of(["1", "2"])], 2)
    2
    """
    return int(_groups(columns, length).max()) + 1


def _groups(columns: Sequence[Factor], length: int) -> NDArray[np.intp]:
    """One number a row, from 0, the same for rows with the same labels."""
    group = np.zeros(length, dtype=np.intp)
    for column in columns:
        # Numbered anew at each step, so that the product of many label counts cannot overflow.
        group = np.unique(group * len(column.labels) + column.codes, return_inverse=True)[1]
    return group


def numbered_within(groups: Sequence[Factor], length: int) -> Factor:
    """Rows numbered from 1 within each group of rows that share their labels.

    >>> numbered_within([Factor.of(["iris", "iris", "wine", "wine"])], 4).values()
    ['1', '2', '1', '2']
    """
    group = _groups(groups, length)
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    position = np.empty(length, dtype=np.intp)
    position[order] = np.arange(length) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # Numbers appear in their order: n + 1 can only follow n within a group.
    return Factor(tuple(map(str, range(1, int(sizes.max()) + 1))), frozen(position))
