"""Quade's test: ranks within tasks, weighted by how far the learners of a task lie apart."""

from __future__ import annotations

from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.evidence import Estimates
from bakeoff.joint_laws import RangeLaw
from bakeoff.mathematics.checks import number_table
from bakeoff.mathematics.exactness import midranks, rounded
from bakeoff.mathematics.laws import f_sf
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
from bakeoff.scores import Level

Array = NDArray[np.float64]


def quade(table: ArrayLike) -> Many:
    """Compare k learners over N tasks by ranks within tasks, each task weighted by the rank of its range.

    Useful when scores of different tasks are comparable and a task in which the learners lie far apart should count
    for more; Friedman's test counts every task alike. The null hypothesis is that all orders are equally likely in
    every task. Ties share mean ranks, of values and of ranges.

    >>> many = quade([[5, 4, 7, 10, 12], [1, 3, 1, 0, 2], [16, 12, 22, 22, 35], [5, 4, 3, 5, 4],
    ...               [10, 9, 7, 13, 10], [19, 18, 28, 37, 58], [10, 7, 6, 8, 7]])
    >>> round(many.tests[0].statistic, 4), round(many.tests[0].p, 5)
    (3.8293, 0.01519)
    """
    values = rounded(number_table(table, "table", columns=2))
    n, k = values.shape
    ranks = midranks(values)
    weight = midranks(rounded(np.ptp(values, axis=1)))  # Q_i, the rank of the task's range
    scores = weight[:, None] * (ranks - (k + 1) / 2)  # S_ij
    total = float(np.sum(scores**2))  # A
    between = float(np.sum(scores.sum(axis=0) ** 2)) / n  # B
    # T_j = Σ_i Q_i R_ij / (N (N+1) / 2). Over all orders Var(T_i − T_j) = 2 A / (k−1) / (N (N+1) / 2)².
    sum_of_weights = n * (n + 1) / 2
    weighted = (k + 1) / 2 + scores.sum(axis=0) / sum_of_weights
    variance = total / (k - 1) / sum_of_weights**2
    return Many(
        tests=(_f(total, between, n, k),),
        estimates=Estimates(weighted, np.eye(k) * variance, inf, RangeLaw(k)),
        details={"weighted_mean_ranks": weighted, "A": total, "B": between, "task_weights": weight},
    )


def _f(total: float, between: float, n: int, k: int) -> Result:
    """F = (N−1) B / (A − B) with k−1 and (N−1)(k−1) degrees of freedom."""
    name, df = "Quade F", (float(k - 1), float((n - 1) * (k - 1)))
    if n < 2:
        return Result(statistic=nan, statistic_name=name, df=df, p=nan, note="needs two tasks: 0/0")
    if total == 0:
        return Result(statistic=0.0, statistic_name=name, df=df, p=1.0)
    room = total - between
    if room <= 1e-12 * total:
        return Result(statistic=inf, statistic_name=name, df=df, p=0.0, note="every task ranks the learners alike")
    f = (n - 1) * between / room
    return Result(statistic=f, statistic_name=name, df=df, p=float(f_sf(f, *df)))


# Conover (1999), p. 375, as in the help page of R's quade.test: five brands in seven stores.
_STORES = [
    [5, 4, 7, 10, 12], [1, 3, 1, 0, 2], [16, 12, 22, 22, 35], [5, 4, 3, 5, 4], [10, 9, 7, 13, 10],
    [19, 18, 28, 37, 58], [10, 7, 6, 8, 7],
]  # fmt: skip


def _published() -> dict[str, float]:
    test = quade(_STORES).tests[0]
    return {"F": test.statistic, "df1": test.df[0], "df2": test.df[1], "p": test.p}


PROCEDURE = Procedure(
    card=Card(
        name="quade",
        title="Quade test with post-hoc comparisons of weighted ranks",
        question="Do the learners rank differently over tasks, if tasks with large differences count for more?",
        null="in every task all orders of the learners are equally likely",
        compares=Compares.MANY,
        answers=Answers.PAIRS,
        speaks_about=Scope.PROBLEMS,
        level=Level.TASKS,
        needs=(at_level(Level.TASKS), at_least_learners(2), three_or_more(), at_least_blocks(2)),
        assumes=(
            SAMPLE_OF_PROBLEMS,
            "Differences of one task can be ordered against those of another: the measure means the same in all tasks.",
        ),
        conventions=(
            "Ranks are taken within each task, 1 is best; a task's weight is the rank of its range. Ties share their "
            "mean rank.",
            "F = (N−1) B / (A − B) with k−1 and (N−1)(k−1) degrees of freedom, as R's quade.test.",
            "Pairs are compared by z of the weighted mean ranks, with the variance that they have over all orders "
            "within tasks: k(k+1)(2N+1)/(9N(N+1)) without ties. García et al. (2010) print (k−1)/2 times that, which "
            "is right for three learners only: at ten learners it never rejects.",
            "Single-step adjustment is Tukey's, by the Studentized range with infinite degrees of freedom.",
        ),
        cautions=(
            Caution(
                "Weights follow the ranges, so a few tasks with large differences decide. If tasks are on different "
                "scales (errors of easy and hard tasks, losses in other units), use friedman."
            ),
            Caution("With five learners or more it has less power than friedman, with three more (Conover 1999)."),
        ),
        references=(
            Reference(
                "Quade (1979), Using weighted rankings in the analysis of complete blocks with additive block effects, "
                "JASA 74, 680–683.",
                "10.1080/01621459.1979.10481670",
            ),
            Reference("Conover (1999), Practical Nonparametric Statistics, 3rd ed., Wiley, 373–380."),
            Reference(
                "García, Fernández, Luengo and Herrera (2010), Information Sciences 180, 2044–2064.",
                "10.1016/j.ins.2009.12.010",
            ),
        ),
        published=Published(
            where="Conover (1999), p. 375, as printed by R's quade.test",
            compute=_published,
            values={"F": "3.8293", "df1": "4", "df2": "24", "p": "0.01519"},
        ),
        because="learners over many tasks whose differences can be ordered across tasks",
        preference=50,
        single_step="Tukey",
        scale="weighted mean rank",
    ),
    compute=quade,
    ranks=True,
)
