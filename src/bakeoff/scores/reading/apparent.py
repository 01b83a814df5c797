"""Scores on rows that were learned from, as `bakeoff export` writes them beside the others: they are no test."""

from __future__ import annotations

import numpy as np

from bakeoff.measures.known import plain
from bakeoff.resampling.split import APPARENT, TEST
from bakeoff.scores.reading.raw import RawTable

COLUMN = "role"


def without_apparent(table: RawTable) -> tuple[RawTable, tuple[str, ...]]:
    """The table without the rows whose role is "apparent", and notes; another column of that name is left alone.

    >>> from bakeoff.scores.factor import Factor
    >>> learner, role = Factor.of(["svm", "svm"]), Factor.of(["apparent", "test"])
    >>> made, notes = without_apparent(RawTable("t", ("learner", "role"), (learner, role)))
    >>> made.names, made.n_rows, notes
    (('learner',), 1, ('1 row of fits to all rows (role apparent) left out: it was tested on what it had learned',))
    """
    name = next((name for name in table.names if plain(name) == COLUMN), None)
    if name is None:
        return table, ()
    roles = table.labels(name)
    if not set(roles.labels) <= {TEST, APPARENT}:
        return table, ()
    apparent = np.array([label == APPARENT for label in roles.labels])[roles.codes]
    count = int(apparent.sum())
    if not count:
        return table.without(name), ()
    if count == table.n_rows:
        raise table.error(
            f"All rows have the role {APPARENT!r}: they were tested on what had been learned, which tells nothing.",
            column=name,
        )
    left_out = f"{count} row{'s' * (count != 1)} of fits to all rows (role {APPARENT}) left out"
    why = f"{'it was' if count == 1 else 'they were'} tested on what {'it' if count == 1 else 'they'} had learned"
    return table.without(name).where(~apparent), (f"{left_out}: {why}",)
