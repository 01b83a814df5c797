"""From the long table to a matrix: one row a block, one column a learner.

A block is what all learners share: an instance, a resample of one task, or a task. Comparing within blocks is
what makes a comparison paired, so every procedure starts from this matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import MisfitError, UsageError
from bakeoff.measures import Measure
from bakeoff.scores.table import NO_VALUE, OK, Labels, Scores, cell_numbers, first_rows, frozen
from bakeoff.text import listing, shortened


class Level(StrEnum):
    """What varies from block to block, from the finest to the coarsest."""

    INSTANCES = "instances"
    RESAMPLES = "resamples"
    TASKS = "tasks"
    SINGLE = "single run"


ITEMS, PROBLEMS = "items", "problems"  # what several tasks with their instances can be asked about


class Missing(StrEnum):
    """What to do about a learner without a value in a block where others have one."""

    ERROR = "error"
    DROP_BLOCK = "drop-block"
    WORST = "worst"


_KEYS_OF = {
    Level.INSTANCES: ("task", "repeat", "fold", "instance"),
    Level.RESAMPLES: ("task", "repeat", "fold"),
    Level.TASKS: ("task",),
    Level.SINGLE: (),
}


def block_keys(scores: Scores, level: Level) -> tuple[str, ...]:
    """The columns that tell the blocks of a level apart.

    An instance that was answered in several repeats (seeds, epochs, trials) is one instance: what was answered is
    averaged within it. So it is if it recurs in the folds of one repeat, unless its number was given anew in each fold.
    """
    keys = _KEYS_OF[level]
    if level is not Level.INSTANCES or len(scores.instance.labels) < 2:
        return keys
    if len(scores.repeat.labels) < 2 and len(scores.fold.labels) < 2:
        return keys
    return ("task", "fold", "instance") if _numbered_anew(scores) else ("task", "instance")


def _numbered_anew(scores: Scores) -> bool:
    """Whether the instances are numbered anew in each fold.

    Then they are 1 to n in each, with another n in some. Where all folds hold the same numbers they may as well be one
    test set that the fits of all folds answered (`recurring`), and where they hold other ones, these name instances.
    """
    if len(scores.fold.labels) < 2:
        return False
    per_fold, within = _instances_by_fold(scores)
    if within.sum() == per_fold.sum():  # in each repeat an instance is tested once
        return False
    return bool((within == per_fold.max()).all() and per_fold.min() < per_fold.max())


def recurring(scores: Scores) -> bool:
    """Whether each fold of a repeat holds the very same instances, by their numbers."""
    if len(scores.fold.labels) < 2 or len(scores.instance.labels) < 2:
        return False
    per_fold, within = _instances_by_fold(scores)
    return bool(within.sum() < per_fold.sum() and (within == per_fold.max()).all() and per_fold.min() == per_fold.max())


def _instances_by_fold(scores: Scores) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of instances in each fold, and of different ones in each repeat."""

    def members(keys: tuple[str, ...], within: tuple[str, ...]) -> NDArray[np.intp]:
        first, _ = first_rows(cell_numbers(scores, keys))
        return np.bincount(first_rows(cell_numbers(scores, within)[first])[1])

    return (
        members(("task", "repeat", "fold", "instance"), ("task", "repeat", "fold")),
        members(("task", "repeat", "instance"), ("task", "repeat")),
    )


Place = Mapping[str, str]


def place_in_words(place: Place, plain: Collection[str] = ()) -> str:
    """Where a block stands. Of those that are `plain` the name alone: a heading has the word for what they are.

    >>> place_in_words({"task": "sums", "instance": "q8"}), place_in_words({"task": "sums", "fold": "2"}, ["task"])
    ('task sums, instance q8', 'sums, fold 2')
    """
    parts = [name if kind in plain else f"{kind} {name}" for kind, name in place.items()]
    return ", ".join(parts) or "the only run"


def item_name(place: Place, task: str = "") -> str:
    """How an item of a task is called: by its id alone.

    >>> item_name({"task": "qa", "instance": "q7"}, "qa"), item_name({"task": "qa"})
    ('q7', 'task qa')
    """
    if len(place) > 1 and place.get("task") == task:
        place = {kind: name for kind, name in place.items() if kind != "task"}
    return place_in_words(place, ["instance"] if next(iter(place), "") == "instance" else ())


@dataclass(frozen=True, eq=False)
class Blocks:
    """The matrix of one measure, and what is known about its rows.

    `task`, `repeat` and `fold` number the blocks' tasks, repeats and folds; `n_train` and `n_test` are the sizes behind
    a block (NaN if unknown). `dropped` and `filled` say in words what a policy for missing values did; `undefined`
    is why the measure does not exist where values are missing, if nothing else is wrong there. `cluster` numbers the
    clusters that the blocks lie in, if they lie in any.
    """

    measure: Measure
    level: Level
    learners: tuple[str, ...]
    values: NDArray[np.float64]
    task: NDArray[np.intp]
    repeat: NDArray[np.intp]
    fold: NDArray[np.intp]
    n_train: NDArray[np.float64]
    n_test: NDArray[np.float64]
    dropped: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    undefined: str = ""
    cluster: NDArray[np.intp] | None = None
    _place: Callable[[int], Place] = field(default=lambda block: {"block": str(block)}, repr=False)

    def place(self, block: int) -> Place:
        """Where one block stands: the names of its task, repeat, fold and instance, as far as it has them."""
        return self._place(block)

    @property
    def places(self) -> Iterator[Place]:
        """The places of all blocks, made when asked for: there can be a million of them."""
        return map(self._place, range(self.n_blocks))

    @property
    def labels(self) -> tuple[str, ...]:
        """The blocks in words."""
        return tuple(map(place_in_words, self.places))

    def label(self, block: int) -> str:
        """One block in words."""
        return place_in_words(self._place(block))

    @property
    def n_blocks(self) -> int:
        return len(self.values)

    @property
    def n_learners(self) -> int:
        return len(self.learners)

    @property
    def means(self) -> NDArray[np.float64]:
        if not np.isnan(self.values).any():
            return np.asarray(self.values.mean(axis=0))
        known = ~np.isnan(self.values)
        with np.errstate(invalid="ignore"):  # a learner without any value has no mean
            return np.asarray(np.where(known, self.values, 0.0).sum(axis=0) / known.sum(axis=0))

    @property
    def best_first(self) -> tuple[int, ...]:
        """The learners' columns from the best mean to the worst; equal means keep the order of the table."""
        return tuple(int(i) for i in np.argsort(-self.measure.sign * self.means, kind="stable"))


@dataclass(frozen=True, eq=False)
class FinestGrid:
    """The finest matrix of a table: blocks as they stand in the data, NaN where a learner has no value.

    `present` tells a cell that is in the table (with a value, empty or failed) from one that was never tried, and
    `cell_of_row` the block and the learner of each row.
    """

    scores: Scores
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    first_row: NDArray[np.intp]
    cell_of_row: tuple[NDArray[np.intp], NDArray[np.intp]]

    def place(self, block: int, keys: tuple[str, ...] = ("task", "repeat", "fold", "instance")) -> Place:
        row = self.first_row[block]
        columns: dict[str, Labels] = {name: getattr(self.scores, name) for name in keys}
        return {name: text for name, column in columns.items() if (text := column.labels[column.codes[row]])}

    def label(self, block: int) -> str:
        return place_in_words(self.place(block))

    @property
    def matched(self) -> bool:
        """Whether any two learners share a block; they never do if they are said to be independent samples."""
        if len(self.scores.learners) < 2:
            return True
        return not self.scores.independent and bool((self.present.sum(axis=1) > 1).any())

    @property
    def expected(self) -> NDArray[np.bool_]:
        """The cells in which a value is expected: all, or only their own of learners said to be independent samples."""
        return self.present if self.scores.independent else np.ones_like(self.present)

    def missing_cells(self) -> list[tuple[str, str]]:
        """(learner, block) for each value that is not there."""
        return [
            (self.scores.learners[column], self.label(int(block)))
            for block, column in np.argwhere(np.isnan(self.values))
        ]


def grid(scores: Scores) -> FinestGrid:
    """The finest matrix of a table of one measure."""
    if len(scores.measure.labels) != 1:
        raise UsageError(
            f"The table holds {len(scores.measure.labels)} measures ({', '.join(scores.measure.labels)}). "
            "Say which one the question is about: --measure NAME (in Python measure=NAME)."
        )
    # Alignment, advice and analysis look at the same matrix. Scores never change, so that it is kept beside them.
    kept: FinestGrid | None = vars(scores).get(_KEPT)
    if kept is not None:
        return kept
    # Blocks in the order in which they first stand in the table.
    first, block = first_rows(cell_numbers(scores, _KEYS_OF[Level.INSTANCES]))
    cell = (block, scores.learner.codes)
    values = np.full((len(first), len(scores.learners)), np.nan)
    values[cell] = scores.value
    present = np.zeros(values.shape, dtype=bool)
    # In columns that share nothing, an empty cell is the end of a shorter one.
    empty = [scores.independent and label == NO_VALUE for label in scores.status.labels]
    present[cell] = ~np.array(empty, dtype=bool)[scores.status.codes]
    finest = FinestGrid(scores, frozen(values), frozen(present), frozen(first), cell)
    vars(scores)[_KEPT] = finest
    return finest


_KEPT = "_finest_grid"


def grid_at(scores: Scores, level: Level, missing: Missing = Missing.ERROR) -> FinestGrid:
    """The finest matrix from which the blocks of a level can be made.

    Where learners share the tasks, or the instances, but not all runs within those, as with seeds of their own, each
    learner's own runs are averaged first: the blocks are shared all the same. What else shall be done about runs that
    only some have is the user's word (`missing`), and applies if any two learners share a run at all.
    """
    fine = grid(scores)
    if fine.present.all() or scores.independent or level not in (Level.TASKS, Level.INSTANCES):
        return fine
    if fine.matched and missing is not Missing.ERROR:
        return fine
    keys = block_keys(scores, level)
    block = cell_numbers(scores, keys)
    heads, member = first_rows(block[fine.first_row])
    tried = np.zeros((len(heads), len(scores.learners)), dtype=bool)
    np.logical_or.at(tried, member, fine.present)
    lacks_some = (tried[member] & ~fine.present).any()
    if not lacks_some or not (tried.sum(axis=1) > 1).any():
        return fine  # what is absent is whole blocks, or no two learners share one at this level either
    first, number = first_rows(block * len(scores.learners) + scores.learner.codes)
    return grid(_own_runs_averaged(scores, keys, first, number, fine.matched))


def _own_runs_averaged(
    scores: Scores, keys: tuple[str, ...], first: NDArray[np.intp], member: NDArray[np.intp], some_shared: bool
) -> Scores:
    """A row for each learner in each block, the mean of its rows there; without a value if one of them has none."""
    count = np.bincount(member)
    lacking = np.zeros(len(first), dtype=bool)
    np.logical_or.at(lacking, member, np.isnan(scores.value))
    some = np.zeros(len(scores), dtype=bool)
    some[first] = True
    whose = first.copy()  # a row that says why, where a value is missing
    holes = np.flatnonzero(np.isnan(scores.value))
    whose[member[holes]] = holes

    def mean(column: NDArray[np.float64]) -> NDArray[np.float64]:
        return frozen(np.bincount(member, weights=column) / count)

    def labels(name: str, rows: NDArray[np.intp]) -> Labels:
        column: Labels = getattr(scores, name)
        return Labels(column.labels, frozen(column.codes[rows]))

    names = ("task", "learner", "measure", "repeat", "fold", "instance")
    columns: dict[str, Any] = {
        name: labels(name, first) if name in (*keys, "learner", "measure") else Labels.constant("", len(first))
        for name in names
    }
    things = "tasks" if keys == ("task",) else "instances"
    why = "not all learners share all runs" if some_shared else "no two learners share a run"
    return replace(
        scores,
        **columns,
        value=frozen(np.where(lacking, np.nan, np.bincount(member, weights=np.nan_to_num(scores.value)) / count)),
        n_train=mean(scores.n_train),
        n_test=mean(scores.n_test),
        status=labels("status", whose),
        message=labels("message", whose),
        predictions=None,
        clusters=None
        if scores.clusters is None
        else replace(scores.clusters, labels=scores.clusters.labels.where(some)),
        notes=(*scores.notes, f"{why}: each one's own runs were averaged within the {things}"),
    )


def tests_single_rows(scores: Scores) -> bool:
    """Whether each fold of one cross-validation tests a single row (leave-one-out): its blocks are instances."""
    alone = len(scores.task.labels) == 1 and len(scores.repeat.labels) == 1 and len(scores.instance.labels) == 1
    return alone and len(scores.fold.labels) > 1 and bool((scores.n_test == 1).all())


def has_instances(scores: Scores) -> bool:
    """Whether there is a score of each instance."""
    return len(scores.instance.labels) > 1 or tests_single_rows(scores)


def natural_level(scores: Scores) -> Level:
    """The level that a table of one measure speaks at, unless the user says otherwise."""
    if len(scores.task.labels) > 1 and scores.about != ITEMS:
        return Level.TASKS
    if has_instances(scores):
        return Level.INSTANCES
    if len(scores.repeat.labels) > 1 or len(scores.fold.labels) > 1:
        return Level.RESAMPLES
    return Level.SINGLE


def blocks(
    scores: Scores, *, level: Level | None = None, missing: Missing = Missing.ERROR, incomplete: bool = False
) -> Blocks:
    """The matrix of a table of one measure, at `level`; finer rows are averaged within each block of that level.

    Missing values are settled first, at the level of the data: an error that names them (the default), the block
    dropped for all learners, or the worst value that any learner has anywhere in the table put in their place. With
    `incomplete` they stay in place of the error: a cell is NaN if any of the values behind it is missing.
    """
    level = natural_level(scores) if level is None else level
    fine = grid_at(scores, level, missing)
    scores = fine.scores
    measure = scores.measures[scores.measure.labels[0]]
    values, keep, dropped, filled = _settle_missing(fine, measure, missing, incomplete)
    rows = fine.first_row[keep]

    keys = block_keys(scores, level)
    member = cell_numbers(scores, keys)[rows] if keys else np.zeros(len(rows), dtype=np.int64)
    first, group = first_rows(member)
    count = np.bincount(group, minlength=len(first))
    head = rows[first]

    def mean(column: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(first) == len(column):  # one row a block
            return column
        return np.bincount(group, weights=column, minlength=len(first)) / count

    finest = np.flatnonzero(keep)[first]
    return Blocks(
        measure=measure,
        level=level,
        learners=scores.learners,
        values=frozen(np.column_stack([mean(column) for column in values.T])),
        task=frozen(scores.task.codes[head]),
        repeat=frozen(scores.repeat.codes[head]),
        fold=frozen(scores.fold.codes[head]),
        n_train=frozen(mean(scores.n_train[rows])),
        n_test=frozen(mean(scores.n_test[rows])),
        dropped=dropped,
        filled=filled,
        undefined=undefined_because(reasons(fine)) if dropped or filled else "",
        cluster=None if scores.clusters is None else frozen(scores.clusters.labels.codes[head]),
        _place=lambda block: fine.place(int(finest[block]), keys),
    )


def _settle_missing(
    fine: FinestGrid, measure: Measure, missing: Missing, incomplete: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_], tuple[str, ...], tuple[str, ...]]:
    holes = np.isnan(fine.values)
    everywhere = np.ones(len(fine.values), dtype=bool)
    if not holes.any() or (incomplete and missing is Missing.ERROR):
        return fine.values, everywhere, (), ()
    over_tasks = natural_level(fine.scores) is Level.TASKS and len(fine.scores.learners) > 2
    if missing is Missing.ERROR or holes.all():
        raise refusal(fine, measure.name, ranks_will_do=over_tasks)
    cells = [f"{learner} on {block}" for learner, block in fine.missing_cells()]
    if missing is Missing.WORST:
        seen = fine.values[~holes]
        worst = seen.min() if measure.larger_is_better else seen.max()
        return np.where(holes, worst, fine.values), everywhere, (), tuple(cells)
    keep = np.asarray(~holes.any(axis=1))
    if not keep.any():
        why = ", and no block has one for every learner, so that nothing is left when incomplete blocks are dropped"
        raise refusal(fine, measure.name, ranks_will_do=over_tasks, after=why)
    dropped = tuple(fine.label(int(block)) for block in np.flatnonzero(~keep))
    return fine.values[keep], keep, dropped, ()


# ----------------------------------------------------------------------------------------------------------------------
# Independent samples: each learner's own values, where learners do not share their blocks.


@dataclass(frozen=True, eq=False)
class Samples:
    """The values of one measure, learner by learner; values that are missing are left out. `n_test` may be NaN."""

    measure: Measure
    learners: tuple[str, ...]
    values: tuple[NDArray[np.float64], ...]
    n_test: tuple[float, ...]

    @property
    def means(self) -> NDArray[np.float64]:
        return np.array([column.mean() if len(column) else np.nan for column in self.values])

    @property
    def best_first(self) -> tuple[int, ...]:
        return tuple(int(i) for i in np.argsort(-self.measure.sign * self.means, kind="stable"))


def samples(scores: Scores, *, level: Level) -> Samples:
    """Each learner's values at a level; finer rows are averaged within the blocks of that level."""
    measure = scores.measures[scores.measure.labels[0]]
    fine = grid(scores)
    keys = block_keys(scores, level)
    block = cell_numbers(scores, keys)[fine.first_row] if keys else np.zeros(len(fine.values), dtype=np.int64)
    columns, sizes = [], []
    for j in range(len(scores.learners)):
        have = ~np.isnan(fine.values[:, j])
        _, member = np.unique(block[have], return_inverse=True)
        sums = np.bincount(member, weights=fine.values[have, j])
        columns.append(frozen(sums / np.bincount(member)))
        known = scores.n_test[(scores.learner.codes == j) & ~np.isnan(scores.n_test)]
        sizes.append(float(known.sum()) if len(known) else float("nan"))
    return Samples(measure, scores.learners, tuple(columns), tuple(sizes))


def unpaired(scores: Scores) -> Scores:
    """The same scores, read as if no two learners shared a block: for designs in which they did not.

    >>> from bakeoff.measures import known_measure
    >>> made = Scores.of([0.9, 0.8], learner=["a", "b"], fold=["1", "1"], measures={"auc": known_measure("auc")})
    >>> unpaired(made).independent
    True
    """
    if scores.independent:
        return scores
    scores, provenance = over_clusters(scores), scores.provenance
    return replace(
        scores,
        independent=True,
        notes=(*scores.notes, "learners are independent samples, as you said"),
        provenance=None if provenance is None else provenance.changed("learners taken for independent samples"),
        by_instance=None,  # test rows that learners have in common
    )


def over_clusters(scores: Scores) -> Scores:
    """The scores of learners that share no instance with a sample of clusters in place of the instances in them.

    Rows of one user resemble one another, whichever learner they are of: a test of two samples that counts each row
    would claim too much.
    """
    clusters = scores.clusters
    if clusters is None or clusters.fixed or len(scores.learners) < 2 or len(scores.instance.labels) < 2:
        return scores
    answers = zip(scores.repeat.values(), scores.instance.values(), strict=True)
    note = (
        f"learners share no instance: those of one {clusters.column!r} are averaged, and these are the instances below"
    )
    return replace(
        scores,
        instance=clusters.labels,
        repeat=Labels.of(" / ".join(filter(None, answer)) for answer in answers),
        clusters=None,
        notes=(*scores.notes, note),
    )


# ----------------------------------------------------------------------------------------------------------------------
# Folds within tasks: the values that the average of a task is made of.


@dataclass(frozen=True, eq=False)
class FoldsByTask:
    """A matrix with a row a fold, and for each task the rows that are its folds."""

    blocks: Blocks
    rows: tuple[NDArray[np.intp], ...]

    def by_task(self, column: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """A column of the matrix (or a weighted sum of some), cut up into tasks."""
        return [column[rows] for rows in self.rows]


def within_tasks(scores: Scores, *, missing: Missing = Missing.ERROR) -> FoldsByTask:
    """The folds of each task; instances are averaged within their fold, and missing values settled as in `blocks`.

    >>> from bakeoff.measures import known_measure
    >>> made = Scores.of(
    ...     [0.9, 0.8, 0.7, 0.6], learner=["a"] * 4, task=["x", "x", "y", "y"], fold=["1", "2", "1", "2"],
    ...     measures={"auc": known_measure("auc")},
    ... )
    >>> found = within_tasks(made)
    >>> [column.tolist() for column in found.by_task(found.blocks.values[:, 0])]
    [[0.9, 0.8], [0.7, 0.6]]
    """
    matrix = blocks(scores, level=Level.RESAMPLES, missing=missing)
    return FoldsByTask(matrix, tuple(np.flatnonzero(matrix.task == task) for task in np.unique(matrix.task)))


# ----------------------------------------------------------------------------------------------------------------------
# Cells without a value: why they have none, and what can be done about it.
#
# A learner that failed, a measure that does not exist on a test sample and a result that nobody has are different
# things. What helps against one of them is wrong for another: a value that does not exist is no bad value.


MOST_NAMED = 3  # learners that are named one by one to be left out
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
    def explains(self) -> bool:
        return self.undefined or bool(self.message)

    def __str__(self) -> str:
        n = len(self.cells)
        how = ("is not defined" if n == 1 else "are not defined") if self.undefined else f"failed ({self.status})"
        where = f"{n} cells, such as {self.cells[0]}," if n > 1 else self.cells[0]
        return f"{where} {how}: {shortened(self.message, _LONGEST) or 'no reason is told'}"


def reasons(fine: FinestGrid) -> tuple[Reason, ...]:
    """The reasons why cells have no value, the most frequent first."""
    scores = fine.scores
    rows = np.full(fine.values.shape, -1, dtype=np.intp)
    rows[fine.cell_of_row] = np.arange(len(scores))
    cells_by_reason: dict[tuple[str, str], list[str]] = {}
    for block, column in np.argwhere(np.isnan(fine.values)):
        row = rows[block, column]
        status = scores.status.labels[scores.status.codes[row]] if row >= 0 else NO_VALUE
        message = scores.message.labels[scores.message.codes[row]] if row >= 0 else ""
        kind = ("", "") if status in (OK, NO_VALUE) else (status, message)
        cells_by_reason.setdefault(kind, []).append(f"{scores.learners[column]} on {fine.label(int(block))}")
    all_reasons = [Reason(*kind, tuple(cells)) for kind, cells in cells_by_reason.items()]
    return tuple(sorted(all_reasons, key=lambda reason: -len(reason.cells)))


def undefined_because(because: tuple[Reason, ...]) -> str:
    """The reason why a measure does not exist in cells, if that is all that is wrong with any of them; else nothing."""
    return because[0].message if because and all(reason.undefined for reason in because) else ""


def refusal(fine: FinestGrid, measure: str, *, ranks_will_do: bool, after: str = "") -> MisfitError:
    """What is missing and why, and all that would help. `ranks_will_do`: blocks are tasks of three learners or more.
    `after` is what was tried against it in vain."""
    because, holes = reasons(fine), np.isnan(fine.values)
    untold = [cell for reason in because if not reason.explains for cell in reason.cells]
    shown = untold[:_MOST_CELLS] + ([f"and {len(untold) - _MOST_CELLS} more"] if len(untold) > _MOST_CELLS else [])
    return MisfitError(
        f"No cell of {fine.scores.source} has a value for {measure}:"
        if holes.all()
        else f"{int(holes.sum())} of {holes.size} cells of {fine.scores.source} have no value for {measure}{after}:",
        unmet=[*(str(reason) for reason in because if reason.explains), *shown],
        alternatives=list(_remedies(because, holes, fine.scores.learners, ranks_will_do)),
    )


def _remedies(
    because: tuple[Reason, ...], holes: NDArray[np.bool_], learners: tuple[str, ...], ranks_will_do: bool
) -> Iterator[str]:
    undefined, failed = any(reason.undefined for reason in because), any(not reason.undefined for reason in because)
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
    if failed and not (holes.sum(axis=1) == 0).all() and len(learners) == 2:
        yield "--unpaired: each learner's own values as an independent sample, if they were not made side by side"
    if len(learners) > 2:
        whole = [name for name, lacking in zip(learners, np.any(holes, axis=0).tolist(), strict=True) if not lacking]
        names = [name for name in learners if name not in whole]
        if len(whole) > 1 and len(names) <= MOST_NAMED:
            flags = " ".join(f"--without {quote(name)}" for name in names)
            yield f"{flags}: leave {'it' if len(names) == 1 else 'them'} out, and nothing is missing"
        else:
            enough = f"; without {listing(names)} nothing is missing" if len(whole) > 1 else ""
            yield f"--without NAME (repeated): leave learners out{enough}"
    if ranks_will_do:
        yield "--with skillings-mack: ranks within each task among the learners that are there"
