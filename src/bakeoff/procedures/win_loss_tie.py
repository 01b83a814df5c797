"""Wins, losses and ties of two learners over tasks, all of them or only those that are significant on their task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.checks import Array, choice, differences, number_column, paired
from bakeoff.mathematics.laws import check_alpha, direction
from bakeoff.mathematics.ranks import TIES, median_interval, sign_test, without_odd_tie
from bakeoff.procedures.card import SmallestP, flips
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.procedures.needs import SAMPLE_OF_PROBLEMS
from bakeoff.procedures.paired_t import corrected_t
from bakeoff.procedures.procedure import Compares, Example, Level, NullDesign, Result, Trial, procedure

COUNT = ("all", "significant")


def record_tables(pairs: Mapping[tuple[str, str], Any], learners: Sequence[str]) -> dict[str, Any]:
    """The matrix of records: a cell holds wins, losses and ties of its row against its column.

    >>> result = record_tables({("a", "b"): {"wins": 5, "losses": 0, "ties": 4}}, ["a", "b"])
    >>> result["wins-losses-ties of the row against the column"]
    (['', 'a', 'b'], [['a', '', '5-0-4'], ['b', '0-5-4', '']])
    """
    cells = [[name, *("" for _ in learners)] for name in learners]
    place = {name: i for i, name in enumerate(learners)}
    for (row, column), record in pairs.items():
        if row in place and column in place and record:
            wins, losses, tied = (record[key] for key in ("wins", "losses", "ties"))
            cells[place[row]][place[column] + 1] = f"{wins}-{losses}-{tied}"
            cells[place[column]][place[row] + 1] = f"{losses}-{wins}-{tied}"
    return {"wins-losses-ties of the row against the column": (["", *learners], cells)}


@procedure(
    Compares.PAIR,
    Level.TASKS,
    order_only=True,
    title="Wins, losses and ties over tasks",
    question="On how many tasks does one learner beat another, and could that be chance?",
    null="on a task that is no tie, either learner is as likely to win",
    assumes=(SAMPLE_OF_PROBLEMS,),
    conventions=(
        "A record 5-0-4 is wins, losses and ties of the first learner; values that agree to twelve digits tie.",
        "p is the exact sign test of wins against losses; ties are split evenly, an odd one dropped (or all "
        "dropped with ties=dropped).",
        "count=significant counts a win only if the folds of its task show it (corrected t at task_alpha, "
        "two-sided); the other tasks are ties, and there is no interval.",
        "The estimate is the median difference over tasks, its interval that of the sign test.",
    ),
    cautions=(
        "Counting only significant wins throws information away: a learner that is slightly better on every "
        "task wins none of them (Demšar 2006, section 3.1.4). Prefer wilcoxon, or sign with all wins.",
        "At 5 % per task, one significant win in twenty tasks is what chance gives.",
    ),
    references=("demsar2006 section 3.1.4", "dietterich2000 (Riddle's tables)", "nadeau2003"),
    published="Demšar (2006), section 3.1.4: C4.5+m is better than C4.5 on 11 of 14 data sets, ties split",
    printed="wins_with_split_ties = 11; n = 14",
    example=Example("wins_with_split_ties n", *np.array(DEMSAR).T[[1, 0]].tolist()),
    recommended_for="two learners over many tasks, counted",
    rank=60,
    options={
        "count": ("which wins count", COUNT),
        "task_alpha": "error rate of the test on each task",
        "ratio": "test size over training size of the folds, if no columns tell it",
        "ties": ("what becomes of ties", tuple(TIES)),
    },
    estimate="median difference in {measure}",
    smallest_p=SmallestP(flips, "tasks", "one learner wins on all of them"),
    within_tasks=True,
    over_pairs=record_tables,
    trials=(Trial(NullDesign.TASKS),),
)
def win_loss_tie(
    a: Sequence[ArrayLike],
    b: Sequence[ArrayLike],
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    count: str = "all",
    task_alpha: float = 0.05,
    ratio: float | None = None,
    ties: str = "split",
    larger_is_better: bool = True,
) -> Result:
    """Count the tasks on which the first learner wins, loses and ties, and hold wins against losses by the sign test.

    Useful as a summary that everybody understands. Each item of `a` and `b` is a task: one value, or the values of its
    folds. With `count` "significant" a win counts only if the folds of its task show it, by the corrected t test at
    `task_alpha`; other tasks are ties. The null hypothesis is that wins and losses are equally likely. The estimate
    is the median difference over tasks.

    >>> result = win_loss_tie([0.9, 0.8, 0.7, 0.9, 0.6], [0.8, 0.7, 0.7, 0.6, 0.7])
    >>> result.details["record"], result.p
    ('3-1-1', 0.625)
    """
    choice(count, COUNT, "way to count wins")
    choice(ties, TIES, "treatment of ties")
    first, second = _tasks(a, "first"), _tasks(b, "second")
    if len(first) != len(second):
        raise UsageError(f"Both learners must have the same tasks; found {len(first)} and {len(second)}.")
    means = tuple(np.array([task.mean() for task in side]) for side in (first, second))
    d = differences(*means)
    signs = np.sign(d) * (1 if larger_is_better else -1)
    if count == "significant":
        signs = np.where(_significant(first, second, check_alpha(task_alpha), ratio), signs, 0.0)
    wins, losses = int(np.sum(signs > 0)), int(np.sum(signs < 0))
    tied = len(d) - wins - losses
    turned = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    test = sign_test(wins, losses, tied, alternative=alternative if larger_is_better else turned, ties=ties)
    kept = without_odd_tie(d, d) if ties == "split" and len(d) > 1 else d
    lower, upper, estimate = nan, nan, float(np.median(kept))
    if count == "all":
        lower, upper = median_interval(kept, confidence, alternative)
        side = direction(alternative, float(np.sum(np.sign(kept))))
        lower, upper = align_interval_with_p(lower, upper, test.p, confidence, estimate=side)
        estimate = min(max(estimate, lower), upper)
    record = f"{wins}-{losses}-{tied}"
    note = f"wins-losses-ties {record}" + (" (significant)" if count == "significant" else "")
    counts = {"wins": wins, "losses": losses, "ties": tied, "record": record}
    details = {**counts, "wins_with_split_ties": test.wins, "n": test.n}
    return Result(estimate, lower, upper, float(test.wins), "wins", p=test.p, note=note, details=details)


def _tasks(side: Sequence[ArrayLike], name: str) -> list[Array]:
    """Each task's values as a column."""
    if not hasattr(side, "__len__"):
        raise UsageError(f"{name!r} must hold an item a task; found a single number.")
    tasks = [number_column(np.atleast_1d(np.asarray(task)), name) for task in side]
    if not tasks:
        raise UsageError(f"{name!r} must hold at least one task; found none.")
    return tasks


def _significant(first: list[Array], second: list[Array], alpha: float, ratio: float | None) -> NDArray[np.bool_]:
    """Whether the folds of each task tell the two apart, by the corrected t test."""
    if max(map(len, first)) < 2:
        raise DegenerateError(
            "Significant wins are those that the folds of a task show; here each task has one value. Give the scores "
            "of the folds, or count all wins."
        )
    rows = []
    for x, y in zip(first, second, strict=True):
        paired(x, y)
        # Folds of one cross-validation train on K − 1 parts and test on one.
        share = ratio if ratio is not None and not isnan(ratio) else 1 / max(len(x) - 1, 1)
        try:
            rows.append(len(x) > 1 and corrected_t(x, y, ratio=share).p <= alpha)
        except DegenerateError:
            rows.append(True)  # the same difference in every fold, and not zero
    return np.array(rows)
