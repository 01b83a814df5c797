"""Exact power by the noncentral F law: Hotelling's T², and learners in a two-way layout."""

from __future__ import annotations

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import check_alpha, f_quantile, noncentral_f_sf


def power_hotelling(n: int, measures: int, distance: float, *, alpha: float = 0.05) -> float:
    """Power of the paired T² test over n blocks, where the learners lie `distance` apart.

    The distance is √(δ'Σ⁻¹δ), with δ the mean differences of the measures and Σ the covariance of the differences; for
    measures that are not correlated, the root of the sum of squared differences in sds. T²(n − p)/(p(n − 1)) has the
    noncentral F law with p and n − p degrees of freedom and noncentrality n·distance².

    >>> round(power_hotelling(20, 2, 0.8), 4), power_hotelling(2, 2, 5.0)
    (0.8449, 0.0)
    """
    check_alpha(alpha)
    if measures < 1 or distance < 0:
        raise UsageError(f"There is one measure at least, and no distance below 0; found {measures!r}, {distance!r}.")
    if n <= measures:
        return 0.0  # S has no inverse: nothing can be claimed
    df = float(measures), float(n - measures)
    return float(noncentral_f_sf(f_quantile(1 - alpha, *df), *df, n * distance**2))


def power_two_way(tasks: int, runs: int, learners: int, between: float, within: float, *, alpha: float = 0.05) -> float:
    """Power of the F test of the learners in a balanced two-way layout with interaction.

    `between` is the variance of the learners' means (divided by learners − 1), `within` that of the runs of a learner
    on a task. Each mean is over tasks × runs values; the error has tasks × learners × (runs − 1) degrees of freedom.

    >>> round(power_two_way(5, 4, 3, 0.0001, 0.0008), 4)
    0.4759
    """
    check_alpha(alpha)
    if min(tasks, runs, learners) < 2:
        raise UsageError(
            f"A two-way layout has two tasks, two runs and two learners at least; found {tasks}, {runs}, {learners}."
        )
    df = float(learners - 1), float(tasks * learners * (runs - 1))
    shift = (learners - 1) * tasks * runs * between / within
    return float(noncentral_f_sf(f_quantile(1 - alpha, *df), *df, shift))
