"""Cells without a value: why they have none, and what can be done about it.

A learner that failed, a measure that does not exist on a test sample and a result that nobody has are different things.
What helps against one of them is wrong for another: a value that does not exist is no bad value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import MisfitError
from bakeoff.presentation import listing, shortened
from bakeoff.scores.table import NO_VALUE, OK

if TYPE_CHECKING:
    from bakeoff.scores.blocks import Grid

UNDEFINED = "undefined"  # the status of a row: the learner did its part, but the measure has no value there
_MOST_CELLS, _LONGEST = 10, 200


@dataclass(frozen=True)
class Reason:
    """Why some cells have no value. `status` and `message` are empty for cells that are merely not there."""

    status: str
    message: str
    cells: tuple[str, ...]

    @property
    def undefined(self) -> bool:
        return self.status == UNDEFINED

    @property
    def told(self) -> bool:
        return self.undefined or bool(self.message)

    def __str__(self) -> str:
        n = len(self.cells)
        how = ("is not defined" if n == 1 else "are not defined") if self.undefined else f"failed ({self.status})"
        where = f"{n} cells, such as {self.cells[0]}," if n > 1 else self.cells[0]
        return f"{where} {how}: {shortened(self.message, _LONGEST) or 'no reason is told'}"


def reasons(fine: Grid) -> tuple[Reason, ...]:
    """The reasons why cells have no value, the most frequent first."""
    scores = fine.scores
    rows = np.full(fine.values.shape, -1, dtype=np.intp)
    rows[fine.cell_of_row] = np.arange(len(scores))
    found: dict[tuple[str, str], list[str]] = {}
    for block, column in np.argwhere(np.isnan(fine.values)):
        row = rows[block, column]
        status = scores.status.labels[scores.status.codes[row]] if row >= 0 else NO_VALUE
        message = scores.message.labels[scores.message.codes[row]] if row >= 0 else ""
        kind = ("", "") if status in (OK, NO_VALUE) else (status, message)
        found.setdefault(kind, []).append(f"{scores.learners[column]} on {fine.label(int(block))}")
    made = [Reason(*kind, tuple(cells)) for kind, cells in found.items()]
    return tuple(sorted(made, key=lambda reason: -len(reason.cells)))


def undefined_because(found: tuple[Reason, ...]) -> str:
    """The reason why a measure does not exist in cells, if that is all that is wrong with any of them; else nothing."""
    return found[0].message if found and all(reason.undefined for reason in found) else ""


def refusal(fine: Grid, measure: str, *, ranks_will_do: bool, after: str = "") -> MisfitError:
    """What is missing and why, and all that would help. `ranks_will_do`: blocks are tasks of three learners or more.
    `after` is what was tried against it in vain."""
    found, holes = reasons(fine), np.isnan(fine.values)
    untold = [cell for reason in found if not reason.told for cell in reason.cells]
    shown = untold[:_MOST_CELLS] + ([f"and {len(untold) - _MOST_CELLS} more"] if len(untold) > _MOST_CELLS else [])
    return MisfitError(
        f"No cell of {fine.scores.source} has a value for {measure}:"
        if holes.all()
        else f"{int(holes.sum())} of {holes.size} cells of {fine.scores.source} have no value for {measure}{after}:",
        unmet=[*(str(reason) for reason in found if reason.told), *shown],
        alternatives=list(_remedies(found, holes, fine.scores.learners, ranks_will_do)),
    )


def _remedies(
    found: tuple[Reason, ...], holes: NDArray[np.bool_], learners: tuple[str, ...], ranks_will_do: bool
) -> Iterator[str]:
    undefined, failed = any(reason.undefined for reason in found), any(not reason.undefined for reason in found)
    if failed:
        yield "fill the cells in, if the results exist; in a study bakeoff run --retry failed tries them again"
    if undefined:
        yield "test samples on which the measure exists: fewer folds, a larger test share, or stratify = true"
        yield "another measure, which these test samples have: --measure NAME"
    if holes.all():
        return  # nothing is left to be compared by
    if not holes.any(axis=1).all():
        yield "--missing drop-block: leave those blocks out for every learner"
    if failed:
        yield "--missing worst: give a failed learner the worst value seen anywhere in the table"
    if len(learners) > 2:
        whole = [name for name, lacking in zip(learners, np.any(holes, axis=0).tolist(), strict=True) if not lacking]
        names = [name for name in learners if name not in whole]
        enough = f"; without {listing(names)} nothing is missing" if len(whole) > 1 else ""
        yield f"--without NAME (repeated): leave learners out{enough}"
    if ranks_will_do:
        yield "--with skillings-mack: ranks within each task among the learners that are there"
