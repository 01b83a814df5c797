"""Rows that failed, as a status column, an error message or an empty cell says so.

A status other than "ok", "success", "finished" and the like is a failure, and its value does not count even if
there is one: a run that timed out leaves numbers that nobody should compare. It is kept as a row without a value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.measures.known import plain
from bakeoff.scores.factor import Factor, frozen
from bakeoff.scores.reading.numbers import is_missing
from bakeoff.scores.reading.raw import RawTable, in_order
from bakeoff.scores.table import NO_VALUE, OK

FAILED = "failed"
_FINE = {"ok", "okay", "success", "successful", "succeeded", "finished", "done", "complete", "completed", "passed"}
_FINE |= {"true", "yes", "1"}


def is_fine(status: str) -> bool:
    """Whether a status says that all went well; an empty one says nothing against it.

    >>> is_fine("Success"), is_fine(""), is_fine("timeout")
    (True, True, False)
    """
    return is_missing(status) or plain(status) in _FINE


def settle_failures(
    table: RawTable,
    values: NDArray[np.float64],
    status_column: str | None,
    message_column: str | None,
) -> tuple[NDArray[np.float64], Factor, Factor | None, tuple[str, ...]]:
    """Values without those of failed rows, a status and a message per value, and notes.

    The rows of the table may stand several times in `values`, once for each measure.
    """
    times = len(values) // table.n_rows
    status = _labels(table, status_column, times)
    message = _labels(table, message_column, times)
    failed = ~np.array([is_fine(label) for label in status.labels])[status.codes]
    said_why = np.array([bool(label) for label in message.labels])[message.codes]

    empty = np.isnan(values)
    notes = []
    unused = int((failed & ~empty).sum())
    if unused:
        notes.append(
            f"{unused} row{'s' * (unused != 1)} with a value did not succeed according to column "
            f"{status_column!r}: the value is not used"
        )
        values = np.where(failed, np.nan, values)
    words = [OK, NO_VALUE, FAILED, *status.labels]
    codes = np.where(failed, 3 + status.codes, np.where(empty, np.where(said_why, 2, 1), 0))
    return values, in_order(words, codes.astype(np.intp)), message, tuple(notes)


def _labels(table: RawTable, column: str | None, times: int) -> Factor:
    if column is None:
        return Factor.constant("", times * table.n_rows)
    labels = table.labels(column)
    # Writers differ in what they put where there is nothing to say: NaN, None, an empty cell.
    clean = Factor.of("" if is_missing(label) else label for label in labels.labels)
    return Factor(clean.labels, frozen(np.tile(clean.codes[labels.codes], times)))
