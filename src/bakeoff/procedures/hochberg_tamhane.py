"""Hochberg and Tamhane's simultaneous comparisons of several models on the same test instances."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import Estimates
from bakeoff.inference.joint_laws import ModulusLaw
from bakeoff.mathematics.checks import Array, number_column, number_table, squarable
from bakeoff.procedures.needs import FITTED_MODELS, NO_SERIES, three_or_more, very_many_models
from bakeoff.procedures.procedure import Compares, Level, ManyResult, procedure


def _published() -> list[float]:
    estimates = from_summary(_MEANS, _S, 106).estimates
    assert estimates is not None
    right, printed = simultaneous_intervals(estimates, alpha=0.10), simultaneous_intervals(estimates, critical=2.135)
    ends = [(right, 0), (right, 4), (printed, 0)]
    return [right.critical, *(float(end[i]) for result, i in ends for end in (result.lower, result.upper))]


@procedure(
    Compares.MANY,
    Level.INSTANCES,
    title="Hochberg–Tamhane simultaneous comparisons of mean losses",
    question="Which of several fitted models differ in mean loss on new instances like these?",
    null="the models have the same mean loss",
    needs=(three_or_more,),
    assumes=(
        NO_SERIES,
        "The models were fitted without them.",
        "The mean losses are about jointly normal; their variances and covariances may be anything.",
    ),
    conventions=(
        "The estimate is the mean of first minus second, with the standard error of the paired t test of that "
        "pair and n − 1 degrees of freedom.",
        "Single-step adjusted p and intervals come from the Studentized maximum modulus |M| for as many "
        "comparisons as are made: k(k−1)/2 for all pairs, k − 1 against a control.",
        "Models with the same loss on every instance have t = 0 and p = 1.",
    ),
    cautions=(
        "Feelders and Verkooijen print |M| = 2.135 for 6 comparisons, 105 df and α = .10, which is the "
        "one-sided Studentized maximum; the right quantile is 2.4127, and their intervals are wider with it.",
        "The modulus treats the comparisons as independent: it is conservative, by a little. bootstrap-t steps down, "
        "and needs no normal losses.",
        "Heavy-tailed losses let single instances decide: look at the largest ones.",
        FITTED_MODELS,
    ),
    references=("hochberg1987 p. 215", "feelders1995 section 2"),
    published="Feelders and Verkooijen (1995), Table 3: with the right quantile, and with their 2.135 as printed",
    printed="|M|(6, 105, .10) = 2.4127; lower (1,2) = 2.92e-4; upper (1,2) = 5.49e-3; lower (2,4) = -1.10e-3; "
    "upper (2,4) = 2.08e-3; lower (1,2) with 2.135 = 5.9e-4; upper (1,2) with 2.135 = 5.2e-3",
    example=_published,
    recommended_for="several models with a loss for each of the same instances, compared all at once",
    rank=32,
    first_for=very_many_models,
    single_step="Hochberg–Tamhane",
)
def hochberg_tamhane(table: ArrayLike) -> ManyResult:
    """Compare the mean losses of k models on the same n instances, for all pairs at once.

    Useful when several models were run on one test set and their losses have different variances and any covariance
    (no sphericity is assumed). The null hypothesis is that the mean losses are equal. Each pair has the t of its own
    paired t test; what is joint is the quantile, the Studentized maximum modulus for k(k−1)/2 comparisons.

    >>> many = hochberg_tamhane([[3, 1, 2], [5, 2, 2], [4, 3, 1], [6, 4, 3]])
    >>> many.estimates.values.tolist(), many.estimates.df
    ([4.5, 2.5, 2.0], 3.0)
    """
    values = squarable(number_table(table, "table", rows=2, columns=2))
    # S_ii' = Σ (Y_ji − Ȳ_i)(Y_ji' − Ȳ_i') / (n − 1), eq. (5)
    return from_summary(values.mean(axis=0), np.cov(values, rowvar=False), len(values))


def from_summary(means: ArrayLike, covariance: ArrayLike, n: int) -> ManyResult:
    """The same from what is printed: the means, the matrix S of eq. (5), and the number of instances.

    >>> from_summary([1.0, 2.0], [[4.0, 1.0], [1.0, 4.0]], 8).estimates.covariance.tolist()
    [[0.5, 0.125], [0.125, 0.5]]
    """
    theta, S = number_column(means, "means"), number_table(covariance, "covariance")
    if S.shape != (len(theta), len(theta)):
        raise UsageError(f"k means go with a k × k covariance matrix; found the shapes {theta.shape} and {S.shape}.")
    if not np.allclose(S, S.T, rtol=1e-9, atol=0) or (np.diag(S) < 0).any():
        raise UsageError("A covariance matrix is symmetric and has no negative variances; this one is not.")
    if n < 2:
        raise UsageError(f"A covariance needs at least two instances; found n = {n}.")
    df = float(n - 1)
    return ManyResult(estimates=Estimates(theta, S / n, df, ModulusLaw(df)), details={"S": S, "instances": n})


@dataclass(frozen=True, slots=True, eq=False)
class SimultaneousIntervals:
    """Simultaneous intervals, one entry a pair."""

    pairs: tuple[tuple[int, int], ...]
    difference: Array
    se: Array
    lower: Array
    upper: Array
    critical: float


def simultaneous_intervals(
    estimates: Estimates, *, alpha: float = 0.05, critical: float | None = None
) -> SimultaneousIntervals:
    """Eq. (4): θi − θi' ∈ Ȳi − Ȳi' ± |M| √((S_ii + S_i'i' − 2 S_ii') / n) for all pairs; `critical` in place of |M|.

    >>> result = simultaneous_intervals(from_summary([1.0, 2.0], [[4.0, 1.0], [1.0, 4.0]], 8).estimates, critical=2)
    >>> result.lower.round(3).tolist(), result.upper.round(3).tolist()
    ([-2.732], [0.732])
    """
    pairs = tuple(combinations(range(len(estimates.values)), 2))
    first, second = np.array(pairs).T
    V = estimates.covariance
    quantile = estimates.law.critical(alpha, len(pairs)) if critical is None else critical
    difference = estimates.values[first] - estimates.values[second]
    se = np.sqrt(np.maximum(V[first, first] + V[second, second] - 2 * V[first, second], 0.0))
    half = quantile * se
    return SimultaneousIntervals(pairs, difference, se, difference - half, difference + half, quantile)


# Feelders and Verkooijen, section 2: four regression models on 106 test instances.
_MEANS = [6.38e-3, 3.49e-3, 2.94e-3, 3.00e-3]
_S = [
    [1.68e-4, 3.76e-5, 3.46e-5, 4.02e-5],
    [3.76e-5, 3.01e-5, 1.54e-5, 1.27e-5],
    [3.46e-5, 1.54e-5, 2.24e-5, 2.67e-5],
    [4.02e-5, 1.27e-5, 2.67e-5, 4.15e-5],
]
