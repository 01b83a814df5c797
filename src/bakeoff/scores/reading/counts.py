"""Counts of right or wrong answers beside the size of the test set: they are read as the rates that they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bakeoff.measures.known import canonical_name, plain
from bakeoff.scores.reading.headers import role_of
from bakeoff.scores.reading.raw import RawTable

_COUNTS = {
    "accuracy": "correct n_correct num_correct correct_count right n_right hits n_hits",
    "error": (
        "errors n_errors num_errors error_count wrong n_wrong num_wrong incorrect n_incorrect mistakes n_mistakes "
        "misclassified n_misclassified misclassifications"
    ),
}
_RATE_OF = {count: rate for rate, counts in _COUNTS.items() for count in counts.split()}


def counts_as_rates(table: RawTable) -> tuple[RawTable, tuple[str, ...]]:
    """The table with a rate in place of each column of counts, and notes; without n_test it is left as it is.

    >>> from bakeoff.scores.factor import Factor
    >>> cells = {"model": ["svm"], "correct": ["750"], "n_test": ["1000"]}
    >>> made, notes = counts_as_rates(RawTable("t", tuple(cells), tuple(map(Factor.of, cells.values()))))
    >>> made.names, made.numbers("accuracy").tolist(), notes
    (('model', 'accuracy', 'n_test'), [0.75], ("column 'correct' counts some of 'n_test': read as accuracy",))
    """
    size = next((name for name in table.names if role_of(name) == "n_test"), None)
    counted = [name for name in table.names if plain(name) in _RATE_OF and _may_count(table, name)]
    if size is None or not counted:
        return table, ()
    notes = []
    there = {canonical_name(name) for name in table.names if name not in counted}
    for name in counted:
        rate = _RATE_OF[plain(name)]
        if rate in there:  # it says the same, and under the name of a measure
            continue
        there.add(rate)
        table = _as_rate(table, name, rate, size)
        notes.append(f"column {name!r} counts some of {size!r}: read as {rate}")
    return table, tuple(notes)


def _may_count(table: RawTable, name: str) -> bool:
    """Whether a column may hold counts. What also names a rate ("correct") does if whole, and above 1 somewhere."""
    if not table.holds_numbers(name):
        return False
    if canonical_name(name) is None:
        return True
    values = table.numbers(name)
    values = values[~np.isnan(values)]
    return bool((values == np.floor(values)).all() and (values > 1).any())


def _as_rate(table: RawTable, name: str, rate: str, size: str) -> RawTable:
    counts, sizes = table.numbers(name), table.numbers(size)
    wrong = np.flatnonzero((counts < 0) | (counts > sizes) | (counts != np.floor(counts)) & ~np.isnan(counts))
    if len(wrong):
        row = int(wrong[0])
        raise table.error(
            f"A count of the {sizes[row]:g} instances in {size!r} was expected, but {counts[row]:g} was found. If "
            f"these are rates, call the column {rate!r}.",
            row=row,
            column=name,
        )
    with np.errstate(divide="ignore", invalid="ignore"):  # sizes of 0 are refused where sizes are read
        column = counts / sizes
    names = tuple(rate if other == name else other for other in table.names)
    return replace(table.with_column(name, column), names=names)
