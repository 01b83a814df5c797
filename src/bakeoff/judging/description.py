"""Description: what the table of blocks and learners shows beside the decisions, without any claim.

Over tasks no mean of the measure is formed: an error of 1 % on one task and of 40 % on another have no common average
(Alpaydın, section 19.13). What is shown there are ranks, wins and medians. Of two classifiers with one error rate the
four counts of right and wrong answers tell whether they make the same errors; and of each learner it is told where it
is furthest behind the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np
from numpy.typing import NDArray

from bakeoff.mathematics.checks import midranks, rounded
from bakeoff.mathematics.ranks import count_winners
from bakeoff.procedures.mcnemar import counts_table
from bakeoff.records import Record
from bakeoff.scores import Blocks, Level
from bakeoff.scores.blocks import place_in_words
from bakeoff.text import decimals, fixed, percent

Table = tuple[list[str], list[list[str]], int]
# Beyond so many learners nobody reads a table of all pairs, or of places.
MOST_PAIRED, MOST_PLACED = 5, 30
SHOWN = 3  # places where a learner is furthest behind


@dataclass(frozen=True, slots=True, eq=False)
class TaskStanding(Record):
    """One learner over tasks: its mean rank and median score, on how many tasks it alone is the best, and on how many
    it shares that."""

    learner: str
    mean_rank: float
    median: float
    best_alone: int
    best_shared: int


@dataclass(frozen=True, slots=True, eq=False)
class LearnerSummary(Record):
    """One learner by itself: over `n` blocks the mean, the standard deviation and the median of its scores, and an
    interval of the mean, or over tasks of the median, with its `confidence`. It is pointwise, and no means of comparing
    learners; `interval` says what it is, and is empty where nothing is known that would give one."""

    learner: str
    n: int
    mean: float
    sd: float
    median: float
    lower: float
    upper: float
    interval: str
    confidence: float = nan

    @property
    def level(self) -> str:
        """The level of the interval: "95 %"; nothing where there is none."""
        return percent(self.confidence) if self.interval else ""


@dataclass(frozen=True, slots=True, eq=False)
class TaskResults(Record):
    """The scores task by task: rows are tasks, columns learners. Means over the runs of a cell, their standard
    deviation, and how many there are; NaN and 0 where there is none."""

    tasks: tuple[str, ...]
    learners: tuple[str, ...]
    means: tuple[tuple[float, ...], ...]
    sds: tuple[tuple[float, ...], ...]
    runs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Setbacks(Record):
    """Where one learner is behind the best of the others: in how many blocks, and in which by how much, most first.
    `names` are the same blocks without the word for what all of them are: a heading has that."""

    learner: str
    behind: int
    blocks: tuple[tuple[str, float], ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Answers2x2(Record):
    """Of two classifiers on the same instances: how many both, one alone, or neither got right."""

    first: str
    second: str
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int


@dataclass(frozen=True, eq=False)
class Description(Record):
    """What there is to look at. `tasks` is empty where blocks are no tasks, `answers` where they are not right or
    wrong."""

    level: Level
    n_blocks: int
    tasks: tuple[TaskStanding, ...] = ()
    setbacks: tuple[Setbacks, ...] = ()
    answers: tuple[Answers2x2, ...] = ()
    right_or_wrong: bool = False

    def record_of(self, learner: str) -> TaskStanding | None:
        return next((record for record in self.tasks if record.learner == learner), None)

    def tables(self) -> list[Table]:
        """What is shown beside the decisions: header, cells, and how many columns are text."""
        tables: list[Table] = []
        if self.answers:
            tables.append((*counts_table([(a.first, a.second, *_counts(a)) for a in self.answers]), 2))
        if any(each.blocks for each in self.setbacks):
            header = ["learner", *self._places_header]
            cells = [[each.learner, f"{each.behind} of {self.n_blocks}", self._places(each)] for each in self.setbacks]
            tables.append((header, cells, 3))
        return tables

    @property
    def _places_header(self) -> tuple[str, str]:
        if self.right_or_wrong:
            return f"alone in being wrong on ({self.level.value})", "such as"
        return f"behind the best on ({self.level.value})", "furthest behind on"

    def _places(self, setbacks: Setbacks) -> str:
        if self.right_or_wrong:
            return "; ".join(setbacks.names)
        places = decimals((by for each in self.setbacks for _, by in each.blocks), 3)
        named = zip(setbacks.names, setbacks.blocks, strict=True)
        return "; ".join(f"{name} ({fixed(by, places)})" for name, (_, by) in named)


def _counts(answers: Answers2x2) -> tuple[int, int, int, int]:
    return answers.both_right, answers.only_first, answers.only_second, answers.both_wrong


def describe_blocks(blocks: Blocks | None, ranking: Sequence[str]) -> Description | None:
    """What a table of tasks or instances shows, the learners in the order of the ranking; None of other tables."""
    if blocks is None or blocks.level not in (Level.TASKS, Level.INSTANCES) or blocks.n_learners < 2:
        return None
    order = [blocks.learners.index(name) for name in ranking]
    tasks = _task_records(blocks, order) if blocks.level is Level.TASKS else ()
    few = blocks.n_learners <= MOST_PLACED
    setbacks = tuple(_setbacks(blocks, order)) if few and not np.isnan(blocks.values).any() else ()
    binary = _right_or_wrong(blocks)
    answers = tuple(_answers(blocks, order)) if binary and blocks.n_learners <= MOST_PAIRED else ()
    return Description(blocks.level, blocks.n_blocks, tasks, setbacks, answers, binary)


def mean_ranks(values: NDArray[np.float64], *, larger_is_better: bool) -> NDArray[np.float64]:
    """The mean rank of each column within rows, from the best; where a value is missing, among those that are there.

    >>> mean_ranks(np.array([[0.1, 0.2, 0.3], [0.2, 0.2, np.nan]]), larger_is_better=False).tolist()
    [1.25, 1.75, 3.0]
    """
    there = ~np.isnan(values)
    turned = -values if larger_is_better else values
    ranks = midranks(np.where(there, rounded(np.where(there, turned, 0.0)), np.inf))
    with np.errstate(invalid="ignore"):  # a learner without any value has no rank
        return np.asarray(np.where(there, ranks, 0.0).sum(axis=0) / there.sum(axis=0))


def _task_records(blocks: Blocks, order: Sequence[int]) -> tuple[TaskStanding, ...]:
    larger = blocks.measure.larger_is_better
    ranks = mean_ranks(blocks.values, larger_is_better=larger)
    beyond = (np.nanmin(blocks.values) - 1) if larger else (np.nanmax(blocks.values) + 1)  # who is not there wins not
    won = count_winners(np.where(np.isnan(blocks.values), beyond, blocks.values), larger_is_better=larger)
    known = [column[~np.isnan(column)] for column in blocks.values.T]
    medians = [float(np.median(column)) if len(column) else np.nan for column in known]
    return tuple(
        TaskStanding(
            blocks.learners[i], float(ranks[i]), medians[i], int(won.alone[i]), int(won.among[i] - won.alone[i])
        )
        for i in order
    )


def _setbacks(blocks: Blocks, order: Sequence[int]) -> list[Setbacks]:
    """Of right and wrong answers all setbacks are of one size: those that the learner alone got wrong are named."""
    gains = blocks.measure.sign * blocks.values
    setbacks, alone = [], _right_or_wrong(blocks)
    # Of the others the best is the best of all, and for that one the second; or the worst, of right and wrong answers.
    first, second = np.partition(gains, (0, 1) if alone else (-1, -2), axis=1).T[[0, 1] if alone else [-1, -2]]
    behind = np.where(first == gains.T, second, first)
    for i, gap in zip(order, rounded(behind - gains.T)[list(order)], strict=True):
        # Of many instances those that may be among the first few are sorted, and not all.
        high = np.flatnonzero(gap >= np.partition(gap, -SHOWN)[-SHOWN]) if len(gap) > SHOWN else np.arange(len(gap))
        worst = [int(at) for at in high[np.argsort(-gap[high], kind="stable")][:SHOWN] if gap[at] > 0]
        places = [blocks.place(at) for at in worst]
        named = tuple(
            (place_in_words(place, ["task"]), float(gap[at])) for place, at in zip(places, worst, strict=True)
        )
        names = tuple(place_in_words(place, ["task", "instance"]) for place in places)
        setbacks.append(Setbacks(blocks.learners[i], int((gap > 0).sum()), named, names))
    return setbacks


def _right_or_wrong(blocks: Blocks) -> bool:
    return blocks.level is Level.INSTANCES and bool(np.isin(blocks.values, (0.0, 1.0)).all())


def _answers(blocks: Blocks, order: Sequence[int]) -> list[Answers2x2]:
    right = blocks.values == (1.0 if blocks.measure.larger_is_better else 0.0)
    answers = []
    for i, j in combinations(order, 2):
        a, b = right[:, i], right[:, j]
        cells = (int(cell.sum()) for cell in (a & b, a & ~b, ~a & b, ~a & ~b))
        answers.append(Answers2x2(blocks.learners[i], blocks.learners[j], *cells))
    return answers
