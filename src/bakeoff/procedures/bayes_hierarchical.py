"""The Bayesian hierarchical test: folds within tasks, tasks within all problems, in one model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, differences, number_column
from bakeoff.mathematics.hierarchical_t import posterior
from bakeoff.procedures.bayes_tasks import (
    ONE_PAIR,
    PROBABILITIES,
    ROPE,
    SHARED,
    answer,
    checked_correlation,
    checked_rope,
    correlation_of,
    no_difference,
    rope_note,
)
from bakeoff.procedures.card import Compares, NullDesign, Published, Trial
from bakeoff.procedures.needs import folds_of_each_task, known_correlation
from bakeoff.procedures.procedure import Example, Result, procedure
from bakeoff.scores import Level

LEAST_FOLDS = 3


_FOUR_TASKS = (
    (-0.0091, -0.0093, 0.0088, 0.0004, 0.0278, -0.0293, 0.0022, -0.0131, 0.0156, -0.0342),
    (0.0291, 0.0448, -0.0032, 0.0667, 0.0439, 0.0673, 0.0660, 0.0111, 0.0162, 0.0330),
    (0.0375, 0.0413, -0.0166, -0.0128, -0.0199, -0.0120, 0.0009, 0.0048, 0.0861, -0.0091),
    (0.0131, 0.0250, 0.0026, 0.0119, 0.0179, 0.0300, -0.0031, 0.0394, 0.0121, 0.0204),
)  # fmt: skip


@procedure(
    Compares.PAIR,
    Level.TASKS,
    title="Bayesian hierarchical test of cross-validated learners",
    question="How probable is it that on a further problem one of two learners is most probably better, or "
    "practically the same?",
    needs=(folds_of_each_task(LEAST_FOLDS), known_correlation("fold")),
    assumes=(
        "The tasks are a sample of the problems that the conclusion is meant for, and independent of each other; "
        "their own differences follow a Student law.",
        "Within a task the folds' differences are about normal, with the correlation ρ = n_test / (n_train + n_test).",
        "Before the data: the mean over tasks is uniform within ± the largest difference seen, the spread between "
        "tasks uniform up to 1000 times that of the tasks' means, each task's spread uniform, and ν − 1 ~ "
        "Gamma(α, β) with α uniform in [1, 2] and β in [0.01, 0.1], as published.",
    ),
    conventions=(
        PROBABILITIES,
        "P(better) is the posterior probability that, on a further task, a difference right of the rope is the "
        "most probable of the three outcomes; likewise for the others.",
        "The posterior is computed on a grid, not simulated: the tasks' spreads integrate out, and the rest is a "
        "sum over some hundred thousand nodes; finer grids move a probability by less than 0.001.",
        "The estimate is the posterior mean of δ_0, the mean difference over tasks, with its central credible "
        "interval.",
        "ρ is taken from the mean test and training sizes; without sizes it is 1/K for K folds. Tasks may have "
        "different numbers of folds.",
        "A task on which all folds differ by the same amount is given the smallest spread of any other task; "
        "baycomp replaces its differences by random numbers within the rope.",
    ),
    cautions=(
        ONE_PAIR,
        "With few tasks the prior matters: with two, the spread between tasks is all but unknown, and no "
        "probability comes near one.",
    ),
    references=("corani2017", "benavoli2017 section 4.3"),
    published=Published(
        "baycomp 1.0.3 with PyStan 3.10, HierarchicalTest(x, y, rope=0.01, nsamples=25_000), 100,000 draws "
        "for four made-up tasks of ten folds (run by us)",
        "P(second better) = 0.11; P(rope) = 0.12; P(first better) = 0.77",
        Example("worse same better", _FOUR_TASKS, [[0.0] * 10] * 4, rope=0.01, rho=0.1),
    ),
    recommended_for="tasks with folds, and a question about probabilities",
    rank=85,
    options={**ROPE, "rho": "correlation between folds, if the data do not tell"},
    arguments_from=correlation_of,
    within_tasks=True,
    trials=(Trial(NullDesign.RUNS_ON_TASKS, 2, (("rho", 0.0),), holds=False),),
    no_power="its power hangs on two spreads, between tasks and between folds, and each of a thousand replications "
    "would take a quarter of a second; plan the tasks with bayes-signed-rank or wilcoxon",
    **SHARED,
)
def bayes_hierarchical(
    a: Sequence[ArrayLike],
    b: Sequence[ArrayLike],
    *,
    rope: float = 0.0,
    rho: float | None = None,
    confidence: float = 0.95,
) -> Result:
    """Compare two learners over many tasks, each scored in several folds: `a` and `b` hold a column of folds a task.

    Useful for cross-validation on many data sets. The folds' differences vary around each task's own δ_i with
    correlation `rho`, and the δ_i vary around δ_0 as a Student law with spread σ_0 and ν degrees of freedom. On a
    further task the difference is left of the rope, in it or right of it, with probabilities that follow from these;
    P(better) is the posterior probability that "right of it" is the most probable of the three. It differs from the
    signed-rank test in that a task whose score is uncertain weighs less.

    >>> a = [[0.82, 0.80, 0.85, 0.79], [0.73, 0.74, 0.71, 0.75], [0.91, 0.92, 0.90, 0.93]]
    >>> b = [[0.79, 0.78, 0.81, 0.77], [0.70, 0.72, 0.70, 0.71], [0.88, 0.90, 0.88, 0.89]]
    >>> result = bayes_hierarchical(a, b, rope=0.01, rho=0.25)
    >>> round(result.estimate, 3), round(result.better, 2)
    (0.023, 0.93)
    """
    rope, rho = checked_rope(rope), checked_correlation(rho)
    folds = _differences(a, b)
    size = max(float(np.abs(d).max()) for d in folds)
    details = {"tasks": len(folds), "rho": rho, "rope": rope}
    if size == 0:
        return answer((0.0, 0.0, 0.0), no_difference(rope), "the two learners are the same", details)
    if all(np.ptp(d) <= 1e-12 * size for d in folds):
        raise DegenerateError(
            "On every task the folds differ by one and the same amount, so nothing shows how uncertain a task's "
            "difference is. With one value a task use bayes-signed-rank."
        )
    # The sign is turned so that exchanging the learners turns the answer round to the last digit.
    sign = -1.0 if np.median([d.mean() for d in folds]) < 0 else 1.0
    law = posterior([sign * d / size for d in folds], rho)
    left, same, right = law.winners(rope / size)
    worse, better = (left, right) if sign > 0 else (right, left)
    ends = sorted(sign * size * law.quantile(p) for p in ((1 - confidence) / 2, (1 + confidence) / 2))
    chances = worse, same if rope > 0 else 0.0, better
    return answer((sign * size * law.mean(), ends[0], ends[1]), chances, rope_note(rope), details)


def _differences(a: Sequence[ArrayLike], b: Sequence[ArrayLike]) -> list[Array]:
    """a − b in the folds of each task."""
    if len(a) != len(b):
        raise UsageError(f"Both learners must have the same tasks; found {len(a)} and {len(b)}.")
    if len(a) < 2:
        raise UsageError(f"The hierarchical test needs at least two tasks; found {len(a)}.")
    columns = []
    for number, (first, second) in enumerate(zip(a, b, strict=True), start=1):
        x, y = number_column(first, f"task {number}"), number_column(second, f"task {number}")
        if len(x) != len(y):
            raise UsageError(f"Both learners must have the same folds; task {number} has {len(x)} and {len(y)}.")
        if len(x) < LEAST_FOLDS:
            raise DegenerateError(
                f"Each task needs at least {LEAST_FOLDS} folds, for its spread to be estimated; task {number} has "
                f"{len(x)}."
            )
        columns.append(differences(x, y))
    return columns
