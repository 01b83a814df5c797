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
from sqlalchemy import Connection, func, select

from bakeoff.mathematics.checks import midranks
from bakeoff.mathematics.laws import t_sf
from bakeoff.resampling.split import TEST
from bakeoff.results.grid import StudyGrid, TaskCells, fetched
from bakeoff.scores import Scores
from bakeoff.scores.table import Labels
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
    result = []
    together = _spearman(values.mean(axis=1), positions.mean(axis=1))
    if together is not None and together[1] <= level / 2:
        result.append(Drift("", *_ordered(together, n)))
    for i in range(k if k > 1 else 0):
        alone = _spearman(values[:, i] - values.mean(axis=1), positions[:, i])
        if alone is not None and alone[1] <= level / (2 * k):
            result.append(Drift(learners[i], *_ordered(alone, n)))
    return result


def _ordered(slope: tuple[float, float], n: int) -> tuple[float, int, float]:
    return slope[0], n, slope[1]


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
    cells = sum(len(task.index) * len(task.learner_ids) for task in grid.tasks)
    several = any(fits > 1 for task in grid.tasks for fits in task.fits)
    if cells > MOST or several or scores.independent:
        return
    places = _positions(store, grid)
    if all(np.isnan(ran).all() for ran in places):
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


def _positions(store: Reader, grid: StudyGrid) -> list[Array]:
    """When each cell of each task was run, as places × learners: by the run, then by the position in it; NaN if nobody
    knows. Where an attempt failed and was repeated, the last one counts."""
    positions = []
    with store.snapshot() as connection:
        first, last = connection.execute(select(func.min(attempt.c.run), func.max(attempt.c.run))).one()
        for task in grid.tasks:
            places = _in_one_run(connection, task) if first == last else None
            positions.append(_in_runs(connection, task) if places is None else places)
    return positions


def _in_one_run(connection: Connection, task: TaskCells) -> Array | None:
    """Where all was run at once and nothing twice, which is usual: in the order of the cells, and nothing but the
    positions; None where it was not."""
    stored = task.stored(connection)
    query = select(position.c.position).select_from(cell.outerjoin(position, position.c.cell == cell.c.id))
    query = query.where(task.condition).order_by(cell.c.split, cell.c.learner)
    at = fetched(connection, query, np.float64)
    return task.to_grid(stored, at, np.nan) if len(at) == len(stored) else None


_RUN = 10_000_000  # more positions than any run has


def _in_runs(connection: Connection, task: TaskCells) -> Array:
    query = (
        select(cell.c.split, cell.c.learner, attempt.c.run, position.c.position)
        .join_from(position, cell, position.c.cell == cell.c.id)
        .join(attempt, (attempt.c.cell == position.c.cell) & (attempt.c.number == position.c.number))
        .where(task.condition)
        .order_by(position.c.number)
    )
    split, learner, run, at = fetched(connection, query, np.int64).reshape(-1, 4).T
    places = np.full(len(task.splits) * len(task.learners), np.nan)
    places[task.position(split, learner)] = run * _RUN + at
    return np.asarray(places[task.layout])


def _matrix(scores: Scores, grid: StudyGrid, places: Sequence[Array]) -> tuple[Array, Array, Sequence[str]]:
    """Splits × learners of one measure, centred within task and learner, and the positions of their cells."""
    columns = (scores.task, scores.repeat, scores.fold)
    sizes = [len(column.labels) for column in columns]
    rows, row = np.unique(np.ravel_multi_index([column.codes for column in columns], sizes), return_inverse=True)
    values = np.full((len(rows), len(scores.learners)), np.nan)
    values[row, scores.learner.codes] = scores.value
    positions = np.full(values.shape, np.nan)
    for task, ran in zip(grid.tasks, places, strict=True):
        if task.name not in scores.task.labels:
            continue
        index = task.index
        repeat, fold = _codes(scores.repeat, index.repeat), _codes(scores.fold, index.fold)
        wanted = (np.array(index.role) == TEST) & (repeat >= 0) & (fold >= 0)
        its = np.full(len(repeat), scores.task.labels.index(task.name))
        number = np.ravel_multi_index([its[wanted], repeat[wanted], fold[wanted]], sizes)
        at = np.searchsorted(rows, number)
        there = at < len(rows)
        there[there] = rows[at[there]] == number[there]
        for i, name in enumerate(grid.names):
            if name in scores.learners:
                positions[at[there], scores.learners.index(name)] = ran[wanted][there, i]
    tasks = rows // (sizes[1] * sizes[2])
    for one in np.unique(tasks):
        here = tasks == one
        some = values[here]
        known = ~np.isnan(some)
        counts = known.sum(axis=0)
        means = np.divide(np.where(known, some, 0.0).sum(axis=0), counts, out=np.zeros(some.shape[1]), where=counts > 0)
        values[here] = some - means
    return values, positions, scores.learners


def _codes(column: Labels, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
    """Which label of a column each of these numbers is; −1 for none."""
    known = {label: code for code, label in enumerate(column.labels)}
    distinct, where = np.unique(numbers, return_inverse=True)
    return np.array([known.get(str(each), -1) for each in distinct.tolist()], dtype=np.intp)[where]
