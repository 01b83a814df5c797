"""One number for many tasks and runs: pass@k, the interquartile mean, and the probability of improvement.

Tasks are a fixed list, runs a sample: intervals come from resampling runs within each task (strata), as rliable does.
They are too short for few runs: "95 %" intervals of the interquartile mean of ten tasks cover in 86, 91 and 94 % with
three, five and ten runs a task, those of the probability of improvement in 92, 96 and 96 % (400 simulations).
`judging.aggregates` widens them for that.

    Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374
    Agarwal, Schwarzer, Castro, Courville and Bellemare (2021), Deep reinforcement learning at the edge of the
    statistical precipice, NeurIPS 34, arXiv:2108.13264
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.bootstrap_t import resample_counts
from bakeoff.mathematics.checks import Array, number_column, number_table, paired
from bakeoff.mathematics.checks import count as whole_number
from bakeoff.mathematics.laws import check_alternative, check_confidence, end_tail, one_sided
from bakeoff.mathematics.step_down import in_chunks, one_thread
from bakeoff.records import Record

Tasks = Sequence[ArrayLike]
RESAMPLES = 9_999


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate(Record):
    """One number with the interval of its resamples, and how many of them there were."""

    estimate: float
    lower: float
    upper: float
    resamples: int


# ----------------------------------------------------------------------------------------------------------------------
# pass@k.


def pass_at_k(right: ArrayLike, tried: ArrayLike, k: int) -> Array:
    """The probability that one of k answers to an item is right, estimated without bias from c right ones of n tried.

    1 − C(n − c, k)/C(n, k), item by item; the mean over items is pass@k. (1 − (1 − c/n)^k is too small.) For
    comparisons the items are blocks: what this returns goes where answers of one try would go.

    >>> pass_at_k([0, 1, 3, 5], 5, 2).round(4).tolist()
    [0.0, 0.4, 0.9, 1.0]
    """
    c = number_column(right, "right")
    n = (
        np.broadcast_to(np.asarray(tried, dtype=float), c.shape)
        if np.ndim(tried) == 0
        else number_column(tried, "tried")
    )
    paired(c, n)
    strange = np.flatnonzero((c < 0) | (c > n) | (c != np.floor(c)) | (n != np.floor(n)))
    if len(strange):
        at = strange[0]
        raise UsageError(f"Right answers are some of those tried; found {c[at]:g} of {n[at]:g} at position {at + 1}.")
    if not 1 <= whole_number(k, "k") <= n.min():
        raise UsageError(
            f"pass@k needs 1 ≤ k ≤ the number of answers to each item, at least {n.min():g}; found k = {k}."
        )
    wrong = np.ones(len(c))
    for j in range(int(k)):  # C(n − c, k)/C(n, k) = Π (n − c − j)/(n − j)
        wrong *= np.maximum(n - c - j, 0) / (n - j)
    return np.asarray(1 - wrong)


# ----------------------------------------------------------------------------------------------------------------------
# The interquartile mean.


def interquartile_mean(values: ArrayLike) -> float:
    """The mean of the middle half: of n sorted values the lowest and the highest ⌊n/4⌋ are left out.

    >>> interquartile_mean([1, 2, 3, 4, 100])
    3.0
    """
    return float(_middle_means(number_column(values)[None])[0])


def _middle_means(rows: Array) -> Array:
    n = rows.shape[1]
    cut = n // 4
    if cut == 0:
        return np.asarray(rows.mean(axis=1))
    return np.asarray(np.partition(rows, (cut, n - cut - 1), axis=1)[:, cut : n - cut].mean(axis=1))


def interquartile_means(
    first: Tasks,
    second: Tasks | None = None,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Aggregate:
    """The interquartile mean of all runs on all tasks; with `second`, the difference of two learners, first − second.

    A learner is a sequence of tasks, each with the scores of its runs, which are resampled within their task; scores of
    tasks are taken to be on one scale.

    >>> result = interquartile_means([[0.6, 0.7, 0.65], [0.2, 0.3, 0.4], [1.1, 1.5, 1.3]], resamples=999)
    >>> round(result.estimate, 3), 0.5 < result.lower < 0.69 < result.upper < 0.9
    (0.69, True)
    """
    sides = [_tasks(first, "first"), *([] if second is None else [_tasks(second, "second")])]
    rng = np.random.Generator(np.random.SFC64(seed))
    draws = [_resampled_middles(tasks, whole_number(resamples, "resamples"), rng) for tasks in sides]
    means = [interquartile_mean(np.concatenate(tasks)) for tasks in sides]
    estimate, values = (means[0], draws[0]) if second is None else (means[0] - means[1], draws[0] - draws[1])
    return _aggregate(estimate, values, confidence, alternative)


def _resampled_middles(tasks: list[Array], resamples: int, rng: np.random.Generator) -> Array:
    values = np.concatenate(tasks)
    sizes = np.repeat([len(task) for task in tasks], [len(task) for task in tasks])
    starts = np.repeat(np.cumsum([0, *(len(task) for task in tasks[:-1])]), [len(task) for task in tasks])
    means = []
    for size in in_chunks(resamples, len(values)):
        which = starts + (rng.random((size, len(values))) * sizes).astype(np.intp)
        means.append(_middle_means(values[which]))
    return np.concatenate(means)


# ----------------------------------------------------------------------------------------------------------------------
# Summaries without intervals. Rows are runs, columns are tasks, and scores are normalised, so that 1 is the level to
# reach (often a human's).


@dataclass(frozen=True, slots=True, eq=False)
class Aggregates(Record):
    """Four summaries of a table of runs × tasks."""

    mean: float
    median: float
    iqm: float
    optimality_gap: float


def aggregates(scores: ArrayLike, gamma: float = 1.0) -> Aggregates:
    """Mean and median over tasks of the tasks' means, interquartile mean over all runs, and the optimality gap.

    The interquartile mean drops the ⌊¼·n⌋ smallest and largest of the n = runs × tasks scores. It is robust against
    outlying runs like the median, and uses half of the data where the median uses one or two tasks. The optimality gap
    is γ − mean(min(score, γ)): by how much the runs miss γ, with nothing gained above it.

    >>> result = aggregates([[0.1, 0.5, 0.9], [0.2, 0.6, 1.1]])
    >>> round(result.mean, 3), round(result.median, 3), round(result.iqm, 3), round(result.optimality_gap, 3)
    (0.567, 0.55, 0.55, 0.45)
    """
    table = number_table(scores, "scores")
    if not np.isfinite(gamma):
        raise UsageError(f"γ, the level to reach, must be a finite number; found {gamma!r}.")
    tasks = table.mean(axis=0)
    return Aggregates(
        mean=float(tasks.mean()),
        median=float(np.median(tasks)),
        iqm=interquartile_mean(table.ravel()),
        optimality_gap=float(gamma - np.minimum(table, gamma).mean()),
    )


# ----------------------------------------------------------------------------------------------------------------------
# The probability of improvement.


def probability_of_improvement(first: Tasks, second: Tasks) -> float:
    """How probably a run of the first is above one of the second, on a task drawn from the list; ties count half.

    Of each task it is Mann and Whitney's U over the number of pairs of runs, and of all tasks the mean.

    >>> probability_of_improvement([[0.6, 0.7], [0.2, 0.3]], [[0.5, 0.6], [0.4, 0.5]])
    0.4375
    """
    return float(np.mean([won.mean() for won in _wins(first, second)]))


@one_thread()
def improvement(
    first: Tasks,
    second: Tasks,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Aggregate:
    """The same with an interval: runs of both learners are resampled, each within its task.

    A resample needs counts of runs only: with the matrix W of wins on a task, it is w'Wv over the number of pairs.

    >>> result = improvement([[0.6, 0.7, 0.8], [0.2, 0.3, 0.4]], [[0.5, 0.6, 0.7], [0.4, 0.5, 0.1]], resamples=999)
    >>> round(result.estimate, 4), result.lower < result.estimate < result.upper
    (0.5833, True)
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    wins = list(_wins(first, second))
    chances = []
    for size in in_chunks(whole_number(resamples, "resamples"), 4 * max(max(won.shape) for won in wins)):
        total = np.zeros(size)
        for won in wins:
            one, other = (resample_counts(n, size, rng) for n in won.shape)
            total += np.einsum("ib,ib->b", one, won @ other) / won.size
        chances.append(total / len(wins))
    estimate = probability_of_improvement(first, second)
    return _aggregate(estimate, np.concatenate(chances), confidence, alternative, 0.0, 1.0)


def _wins(first: Tasks, second: Tasks) -> Iterator[Array]:
    """For each task, which run of the first is above (1), equal to (½) or below (0) which run of the second."""
    a, b = _tasks(first, "first"), _tasks(second, "second")
    if len(a) != len(b):
        raise UsageError(f"Both learners need runs on the same tasks; found {len(a)} and {len(b)} tasks.")
    for x, y in zip(a, b, strict=True):
        yield (1 + np.sign(x[:, None] - y)) / 2


def _tasks(tasks: Tasks, name: str) -> list[Array]:
    columns = [number_column(task, f"{name}, task {number}") for number, task in enumerate(tasks, 1)]
    if not columns:
        raise UsageError(f"{name!r} must have at least one task; found none.")
    return columns


def _aggregate(
    estimate: float, drawn: Array, confidence: float, alternative: str, least: float = -np.inf, most: float = np.inf
) -> Aggregate:
    """The estimate with percentiles of its resamples."""
    tail = end_tail(check_confidence(confidence), check_alternative(alternative))
    if len(drawn) * tail < 1:
        raise UsageError(f"{len(drawn)} resamples are too few for an interval of confidence {confidence:g}.")
    lower, upper = (float(np.quantile(drawn, share)) for share in (tail, 1 - tail))
    return Aggregate(estimate, *one_sided(lower, upper, alternative, least, most), len(drawn))
