"""Skillings and Mack's test: Friedman's for tables in which not every learner was scored on every task."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.evidence import Decided
from bakeoff.mathematics.exactness import midranks, rounded
from bakeoff.mathematics.laws import chi2_sf
from bakeoff.mathematics.signs import sign_test
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Published,
    Reference,
    Scope,
    at_least_blocks,
    at_least_learners,
    at_level,
    three_or_more,
)
from bakeoff.procedures.result import Many, Procedure, Result
from bakeoff.procedures.sentences import SAMPLE_OF_PROBLEMS
from bakeoff.procedures.sign import smallest_p
from bakeoff.scores import Level

Array = NDArray[np.float64]


def skillings_mack(table: ArrayLike) -> Many:
    """Test whether k learners rank alike over N tasks of a table with holes (NaN).

    Useful when learners could not be run on every task, and the holes have nothing to do with how well they would have
    done. The null hypothesis is that all orders of the learners present are equally likely in every task. A task with
    one learner or none says nothing. Without holes it is Friedman's test. Ties share mean ranks, and the covariance is
    that of the tied ranks; what it is without that correction is in the details. Pairs are compared by the sign test,
    which this test is for two learners, on the tasks that have both.

    >>> many = skillings_mack([[3.2, 4.1, 3.8, 4.2], [3.1, 3.9, 3.4, 4.0], [4.3, 3.5, 4.6, 4.8],
    ...     [3.5, 3.6, 3.9, 4.0], [3.6, 4.2, 3.7, 3.9], [4.5, 4.7, 3.7, nan], [nan, 4.2, 3.4, nan],
    ...     [4.3, 4.6, 4.4, 4.9], [3.5, nan, 3.7, 3.9]])
    >>> round(many.tests[0].statistic, 3), round(many.tests[0].p, 5)
    (15.493, 0.00144)
    >>> float(many.decided.statistic[0, 3]), float(many.decided.p[0, 3])  # smaller on all 7 tasks that have both
    (7.0, 0.015625)
    """
    values = _checked(table)
    k = values.shape[1]
    weighted, covariance, plain = np.zeros(k), np.zeros((k, k)), np.zeros((k, k))
    present = ~np.isnan(values)
    patterns, pattern_of = np.unique(present, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        there = np.flatnonzero(pattern)
        size = len(there)
        if size < 2:
            continue
        ranks = midranks(rounded(values[pattern_of.ravel() == number][:, there]))
        deviation = ranks - (size + 1) / 2
        # A_j = Σ_i √(12/(k_i+1)) (R_ij − (k_i+1)/2): the weight makes −Cov(A_i, A_j) the number of shared tasks.
        weight = 12 / (size + 1)
        weighted[there] += np.sqrt(weight) * deviation.sum(axis=0)
        shared = weight * float(np.sum(deviation**2)) / (size * (size - 1))
        laplacian = size * np.eye(size) - np.ones((size, size))
        covariance[np.ix_(there, there)] += shared * laplacian
        plain[np.ix_(there, there)] += len(ranks) * laplacian
    _connected(plain)
    statistic, raw = _quadratic(weighted, covariance), _quadratic(weighted, plain)
    name = "Skillings–Mack χ², tie-corrected"
    note = "" if abs(raw - statistic) < 1e-9 else f"without tie correction χ² = {raw:.4g}"
    test = Result(
        statistic=statistic, statistic_name=name, df=(float(k - 1),), p=float(chi2_sf(statistic, k - 1)), note=note
    )
    mean_ranks = _mean_ranks(weighted, plain)
    details = {
        "weighted_ranks": weighted,
        "mean_ranks": mean_ranks,
        "chi2_raw": raw,
        "p_raw": float(chi2_sf(raw, k - 1)),
        "tasks_of_each": present.sum(axis=0),
    }
    return Many(tests=(test,), decided=_pairs(values, mean_ranks), details=details)


def _mean_ranks(weighted: Array, plain: Array) -> Array:
    """Mean ranks among all k learners, made up for the company that each had: Σ⁻A in the unit of ranks.

    Without holes Σ = N(kI − 11'), and these are the mean ranks. With holes a plain mean would favour learners that
    were absent where the good ones were present.
    """
    k = len(plain)
    effects = np.linalg.pinv(plain, rcond=1e-10, hermitian=True) @ weighted
    return np.asarray((k + 1) / 2 + k * sqrt((k + 1) / 12) * effects)


def _pairs(values: Array, mean_ranks: Array) -> Decided:
    """Every pair by the exact sign test on the tasks that have both: wins, and the difference of ranks among the two.

    Comparing the weighted rank sums instead, as Nemenyi's test does the rank sums of a complete table, would be wrong:
    they depend on who else was there, so that a learner that missed the tasks of a good one looks better than its twin.
    """
    k = values.shape[1]
    present = ~np.isnan(values)
    sheet = np.where(present, rounded(np.where(present, values, 0.0)), nan)
    better = np.zeros((k, k), dtype=np.int64)
    for row in sheet:
        better += row[:, None] < row[None, :]  # never so with a missing one
    shared = present.T.astype(np.int64) @ present.astype(np.int64)
    tied = shared - better - better.T

    counted = lru_cache(maxsize=None)(sign_test)
    p, wins, notes = np.ones((k, k)), np.full((k, k), nan), {}
    for i, j in permutations(range(k), 2):
        if not shared[i, j]:
            p[i, j], notes[i, j] = nan, "refused: no task has both"
            continue
        found = counted(int(better[i, j]), int(better[j, i]), int(tied[i, j]))
        p[i, j], wins[i, j] = found.p, found.wins
        notes[i, j] = f"of {shared[i, j]} tasks with both" + (f", {tied[i, j]} tied" if tied[i, j] else "")
    with np.errstate(invalid="ignore"):
        difference = (better.T - better) / shared
    return Decided(difference, p, p, wins, "wins", notes, values=mean_ranks)


def _checked(table: ArrayLike) -> Array:
    try:
        values = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("'table' must be a table of numbers; found something else among them.") from None
    if values.ndim != 2 or values.shape[1] < 2 or len(values) < 1:
        raise UsageError(f"'table' must have at least 1 row and 2 columns; found the shape {values.shape}.")
    if np.isinf(values).any():
        raise UsageError("Every value of 'table' must be a finite number or missing; found an infinite one.")
    return values


def _connected(plain: Array) -> None:
    """Refuse learners that no chain of shared tasks connects: they cannot be compared."""
    k = len(plain)
    reached = {0}
    while grown := {j for i in reached for j in range(k) if plain[i, j] < 0} - reached:
        reached |= grown
    if len(reached) < k:
        lost = ", ".join(str(j + 1) for j in range(k) if j not in reached)
        raise DegenerateError(
            f"Learners that share no task, directly or through others, cannot be compared: column {lost} of the table "
            "is not connected to column 1."
        )


def _quadratic(weighted: Array, covariance: Array) -> float:
    """A' Σ⁻ A; zero if all ranks are tied."""
    if not covariance.any():
        return 0.0
    return float(weighted @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ weighted)


_ASSEMBLY = [
    [3.2, 4.1, 3.8, 4.2], [3.1, 3.9, 3.4, 4.0], [4.3, 3.5, 4.6, 4.8], [3.5, 3.6, 3.9, 4.0], [3.6, 4.2, 3.7, 3.9],
    [4.5, 4.7, 3.7, nan], [nan, 4.2, 3.4, nan], [4.3, 4.6, 4.4, 4.9], [3.5, nan, 3.7, 3.9],
]  # fmt: skip


def _published() -> dict[str, float]:
    test = skillings_mack(_ASSEMBLY).tests[0]
    return {"chi2": test.statistic, "df": test.df[0], "p": test.p}


PROCEDURE = Procedure(
    card=Card(
        name="skillings-mack",
        title="Skillings–Mack test for incomplete tables",
        question="Do the learners rank differently over tasks, and which pairs differ, if not every learner was scored "
        "on every task?",
        null="in every task all orders of the learners that were scored on it are equally likely",
        compares=Compares.MANY,
        answers=Answers.PAIRS,
        speaks_about=Scope.PROBLEMS,
        level=Level.TASKS,
        needs=(at_level(Level.TASKS), at_least_learners(2), three_or_more(), at_least_blocks(2)),
        assumes=(
            SAMPLE_OF_PROBLEMS,
            "Whether a cell is missing has nothing to do with the value that it would have had: learners that fail on "
            "hard tasks break this.",
        ),
        conventions=(
            "Ranks are taken within each task among the learners present; a missing one counts as the middle rank. "
            "Ranks of a task with k_i learners are weighted by √(12/(k_i+1)).",
            "A learner's value for a task is missing if any of its folds is.",
            "χ² has k − 1 degrees of freedom and allows for ties; the raw χ² is shown where it differs. Without "
            "missing cells it is Friedman's.",
            "With --missing drop-block or worst there are no holes left, and it tells what friedman would.",
            "Pairs are compared by the exact sign test on the tasks that have both (ties split evenly, an odd one "
            "dropped), which is what this test is for two learners; the estimate is the difference of the mean ranks "
            "among the two, between −1 and 1. There is no interval. Holm's adjustment, unless another is asked for.",
            "The mean rank of a learner makes up for which others were there when it was ranked; without holes it is "
            "friedman's.",
        ),
        cautions=(
            Caution(
                "Pairs are not compared by their weighted rank sums, as Nemenyi's test does those of a complete table: "
                "with holes these depend on which other learners were there.",
                "Measured: two equal learners of four, one of them absent where the two better ones met, were told "
                "apart by rank sums in 12, 86 and 100 % of experiments with 20, 60 and 200 tasks, by these sign tests "
                "in 1.0, 2.0 and 2.5 % (1,000 repetitions each).",
            ),
            Caution(
                "The sign test counts wins and nothing else. If differences of one task can be ordered against those "
                "of another, wilcoxon finds more: two learners at a time (--learner), with --missing drop-block."
            ),
            Caution("With few tasks the χ² approximation is rough, as it is for friedman."),
        ),
        references=(
            Reference(
                "Skillings and Mack (1981), On the use of a Friedman-type statistic in balanced and unbalanced block "
                "designs, Technometrics 23, 171–177.",
                "10.1080/00401706.1981.10486261",
            ),
            Reference(
                "Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?, JMLR "
                "17, 1–10 (pairs by tests of their own)."
            ),
        ),
        published=Published(
            where="Skillings and Mack (1981), times of four assembly methods, as printed by R's Skillings.Mack",
            compute=_published,
            values={"chi2": "15.493", "df": "3", "p": "0.00144"},
        ),
        because="learners over tasks with missing cells",
        preference=60,
        sides=False,
        incomplete=True,
        intervals=False,
        scale="mean rank",
        estimate="difference in mean rank among the two, on the tasks that have both",
        smallest_p=smallest_p,
    ),
    compute=skillings_mack,
    ranks=True,
)
