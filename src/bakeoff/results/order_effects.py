"""Effects of order: whether scores go up or down with the position of their cells in the run.

Splits are run in random order, and within each its learners: so the values of splits in the order in which they were
run are a random permutation of themselves, unless something drifts: a machine that heats up, a cache that fills, a
learner that keeps something from one fit to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from bakeoff.mathematics.checks import midranks
from bakeoff.mathematics.laws import t_sf
from bakeoff.resampling.split import TEST
from bakeoff.results.grid import StudyGrid
from bakeoff.scores import Scores
from bakeoff.store.reader import Reader
from bakeoff.store.schema import attempt, cell, position
from bakeoff.text import CodedWarning, number, p_equals

ORDER = "order-effect"
LEVEL = 0.01  # of the warning: all its tests together
FEWEST = 12  # splits
MOST = 100_000  # cells that are looked at
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drift:
    """How a measure changes with the position: of all learners together, or of one against the others."""

    learner: str  # empty: all of them
    correlation: float
    splits: int
    p: float


def drifts(values: Array, positions: Array, learners: Sequence[str], level: float = LEVEL) -> list[Drift]:
    """The drifts in a matrix of splits × learners, each with the position of its cell.

    Spearman's correlation of the mean of a split with its mean position, at half the level; and of what each learner
    has beyond that mean with its own position, at the other half over the number of learners. Rows without all values
    are left out; values are to be centred within task and learner before.
    """
    whole = ~np.isnan(values).any(axis=1) & ~np.isnan(positions).any(axis=1)
    values, positions = values[whole], positions[whole]
    n, k = values.shape
    if n < FEWEST:
        return []
    found = []
    together = _spearman(values.mean(axis=1), positions.mean(axis=1))
    if together is not None and together[1] <= level / 2:
        found.append(Drift("", *_ordered(together, n)))
    for i in range(k if k > 1 else 0):
        alone = _spearman(values[:, i] - values.mean(axis=1), positions[:, i])
        if alone is not None and alone[1] <= level / (2 * k):
            found.append(Drift(learners[i], *_ordered(alone, n)))
    return found


def _ordered(found: tuple[float, float], n: int) -> tuple[float, int, float]:
    return found[0], n, found[1]


def _spearman(x: Array, y: Array) -> tuple[float, float] | None:
    """Spearman's correlation and its two-sided p by Student's t; None if one of the two does not vary."""
    if np.ptp(x) <= 1e-12 * np.abs(x).max(initial=0.0) or np.ptp(y) == 0:
        return None
    r = float(np.corrcoef(midranks(x), midranks(y))[0, 1])
    n = len(x)
    t = abs(r) * np.sqrt((n - 2) / max(1 - r * r, 1e-300))
    return r, min(1.0, 2 * float(t_sf(t, n - 2)))


def order_effects(store: Reader, grid: StudyGrid, scores: Scores) -> Iterator[CodedWarning]:
    """A warning for each measure of a study that drifts with the position of cells in the run."""
    cells = sum(int(task.in_study.sum()) for task in grid.tasks)
    several = any(fits > 1 for task in grid.tasks for fits in task.fits)
    if cells > MOST or several or scores.independent:
        return
    places = _positions(store, grid)
    if not places:
        return
    for name in scores.measure.labels:
        for drift in drifts(*_matrix(scores.only(measure=name), grid, places)):
            who = f"{name} of {drift.learner}, against that of the others," if drift.learner else f"{name}"
            way = "goes up" if drift.correlation > 0 else "goes down"
            yield CodedWarning(
                ORDER,
                f"{who} {way} with the position of its cells in the run: Spearman's correlation is "
                f"{number(drift.correlation, 2)} over {drift.splits} splits, {p_equals(drift.p)}.",
                "Times: run on an idle machine, with one worker. Scores: see that a learner keeps nothing from one fit "
                "to the next. Order is random, so that nobody is favoured on average; repeat with another seed.",
            )


def _positions(store: Reader, grid: StudyGrid) -> dict[tuple[int, int], int]:
    """When each cell (split, learner) was run: by the run, then by the position in it. Where an attempt failed and was
    repeated, the last one counts."""
    found: dict[tuple[int, int], int] = {}
    for task in grid.tasks:
        query = (
            select(cell.c.split, cell.c.learner, attempt.c.run, position.c.position)
            .join_from(position, cell, position.c.cell == cell.c.id)
            .join(attempt, (attempt.c.cell == position.c.cell) & (attempt.c.number == position.c.number))
            .where(task.condition)
            .order_by(position.c.number)
        )
        for row in store.rows(query):
            found[int(row.split), int(row.learner)] = int(row.run) * _RUN + int(row.position)
    return found


_RUN = 10_000_000  # more positions than any run has


def _matrix(scores: Scores, grid: StudyGrid, places: dict[tuple[int, int], int]) -> tuple[Array, Array, Sequence[str]]:
    """Splits × learners of one measure, centred within task and learner, and the positions of their cells."""
    rows: dict[tuple[str, str, str], int] = {}
    codes = zip(scores.task.values(), scores.repeat.values(), scores.fold.values(), strict=True)
    row = np.array([rows.setdefault(each, len(rows)) for each in codes], dtype=np.intp)
    values = np.full((len(rows), len(scores.learners)), np.nan)
    values[row, scores.learner.codes] = scores.value
    positions = np.full(values.shape, np.nan)
    column = {name: i for i, name in enumerate(scores.learners)}
    for task in grid.tasks:
        index = task.index
        for split, repeat, fold, role in zip(index.ids, index.repeat, index.fold, index.role, strict=True):
            here = rows.get((task.name, str(repeat), str(fold)))
            if here is None or role != TEST:
                continue
            for learner_id, name in zip(task.learner_ids, grid.names, strict=True):
                if name in column and (int(split), int(learner_id)) in places:
                    positions[here, column[name]] = places[int(split), int(learner_id)]
    tasks = np.array([name for name, _, _ in rows])
    for name in dict.fromkeys(tasks.tolist()):
        here = tasks == name
        some = values[here]
        known = ~np.isnan(some)
        counts = known.sum(axis=0)
        means = np.divide(np.where(known, some, 0.0).sum(axis=0), counts, out=np.zeros(some.shape[1]), where=counts > 0)
        values[here] = some - means
    return values, positions, scores.learners
