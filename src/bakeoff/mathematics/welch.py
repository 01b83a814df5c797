"""Means of independent samples whose variances differ: Welch's t for every contrast, and all of them at once.

Seeds of separate trainings are such samples. A pooled variance (anova, Tukey) makes up to 23 % false claims if learners
vary unequally; Welch's t with Holm's adjustment holds from three runs on. The parametric bootstrap of the smallest
Welch p keeps what contrasts have in common, and finds a few more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array
from bakeoff.mathematics.laws import check_alpha, check_alternative, f_sf
from bakeoff.mathematics.linear_models import MeanErrors, number_samples
from bakeoff.mathematics.step_down import (
    Intervals,
    StepDown,
    check_draws,
    check_weights,
    in_chunks,
    one_thread,
    upper_quantile,
)
from bakeoff.records import Record


@dataclass(frozen=True, slots=True, eq=False)
class SmallestWelch(Record):
    """Welch's t of each contrast, and step-down p-values from the law of the smallest Welch p.

    `level` is the p by itself that is small enough for a claim about the largest difference; intervals of confidence
    1 − level cover all at once. `law` are draws of the smallest p, in order. A contrast without any
    variance has p = NaN, or 1 if there is no difference.
    """

    means: MeanErrors
    p: Array
    p_adjusted: Array
    level: float
    draws: int
    law: Array

    def intervals(self, alternative: str = "two-sided") -> Intervals:
        """Simultaneous ones."""
        return self.means.intervals(1 - self.level, alternative)


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """Means, variances and sizes of samples; in drawn ones, a draw a column."""

    means: Array
    variances: Array
    sizes: Array
    unit: float

    @classmethod
    def of(cls, samples: Sequence[ArrayLike] | ArrayLike) -> _Moments:
        columns = number_samples(samples)
        n = np.array([len(column) for column in columns], dtype=float)
        if n.min() < 2:
            raise UsageError(f"A variance needs at least two values in each sample; found {n.min():g}.")
        unit = max(float(np.abs(column).max()) for column in columns) or 1.0
        scaled = [column / unit for column in columns]
        varies = np.array([np.ptp(x) > 0 for x in scaled])
        return cls(np.array([x.mean() for x in scaled]), np.array([x.var(ddof=1) for x in scaled]) * varies, n, unit)

    def errors(self, contrasts: Array) -> MeanErrors:
        df, size = self.sizes - 1, self.sizes
        v = self.variances / size
        squares = contrasts**2
        variance = squares @ v
        below = squares**2 @ (v**2 / df)
        with np.errstate(invalid="ignore", divide="ignore"):
            freedom = np.where(variance > 0, variance**2 / below, df.min())
        estimate = contrasts @ self.means
        noise = 1e-14 * (np.abs(contrasts) @ np.abs(self.means))
        estimate = np.where(np.abs(estimate) <= noise, 0.0, estimate)
        return MeanErrors(estimate * self.unit, np.sqrt(variance) * self.unit, freedom)


def welch_f(samples: Sequence[ArrayLike] | ArrayLike) -> tuple[float, tuple[float, float], float] | None:
    """Welch's F of the means of k independent samples with variances of their own, its degrees of freedom and p.

    With w_j = n_j/s_j², W = Σ w_j and λ = Σ (1 − w_j/W)²/(n_j − 1):

        F = Σ w_j (ȳ_j − ȳ_w)² / (k − 1) / (1 + 2 (k − 2) λ / (k² − 1)),        df = k − 1 and (k² − 1)/(3 λ).

    None if some sample does not vary. Welch (1951), Biometrika 38, 330–336.

    >>> f, df, p = welch_f([[1, 2, 4], [0, 1, 3, 4], [5, 6, 9]])
    >>> round(f, 4), round(df[1], 4), round(p, 4)
    (4.7726, 4.3553, 0.0799)
    """
    moments = _Moments.of(samples)
    k = len(moments.means)
    if not (moments.variances > 0).all():
        return None
    w = moments.sizes / moments.variances
    share = w / w.sum()
    centre = float(share @ moments.means)
    between = float(w @ (moments.means - centre) ** 2) / (k - 1)
    spread = float(np.sum((1 - share) ** 2 / (moments.sizes - 1)))
    f = between / (1 + 2 * (k - 2) * spread / (k * k - 1))
    df = (float(k - 1), (k * k - 1) / (3 * spread))
    return f, df, float(f_sf(f, *df))


@one_thread()
def smallest_welch(
    samples: Sequence[ArrayLike] | ArrayLike,
    contrasts: ArrayLike,
    *,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    draws: int = 9_999,
    seed: int = 0,
) -> SmallestWelch:
    """Test contrasts of means of independent samples, step-down, by the parametric bootstrap of the smallest Welch p.

    Under the null hypothesis that all means are equal, means are drawn from N(0, s_j²/n_j) and variances from
    s_j² χ²/(n_j − 1), of which each contrast has its Welch p. Values are taken to be about normal. (In the spirit of
    Krishnamoorthy, Lu and Mathew 2007, doi:10.1016/j.csda.2006.09.039, whose test is of all means together.)

    >>> runs = [[0.61, 0.63, 0.62, 0.64], [0.60, 0.55, 0.66, 0.58], [0.70, 0.71, 0.69, 0.72]]
    >>> found = smallest_welch(runs, [[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    >>> (found.p_adjusted < 0.05).tolist()
    [False, True, True]
    """
    check_alternative(alternative)
    draws = check_draws(draws, check_alpha(alpha))
    moments = _Moments.of(samples)
    weights = check_weights(contrasts, len(moments.means))
    means = moments.errors(weights)
    p = means.p(alternative)
    adjusted, level, law = p.copy(), alpha, np.zeros(0)
    inner = np.flatnonzero(means.standard_error > 0)
    if len(inner):
        counts = StepDown(-p[inner])  # the smaller p is, the more it says
        C = weights[inner][counts.order]
        rng = np.random.Generator(np.random.SFC64(seed))
        for size in in_chunks(draws, 4 * len(inner)):
            counts.add(-_drawn_p(moments, C, size, alternative, rng))
        adjusted[inner] = counts.shares(exact=False)[1]
        adjusted = np.maximum(adjusted, p)
        level = min(-upper_quantile(counts.largest, alpha, exact=False), alpha)
        law = np.sort(-counts.largest)
    return SmallestWelch(means, p, adjusted, level, draws, law)


def _drawn_p(moments: _Moments, contrasts: Array, size: int, alternative: str, rng: np.random.Generator) -> Array:
    """Welch's p of each contrast in so many draws under the null hypothesis, one a column."""
    v, df = (moments.variances / moments.sizes)[:, None], (moments.sizes - 1)[:, None]
    mean = np.sqrt(v) * rng.standard_normal((len(v), size))
    v = v * rng.chisquare(df, (len(v), size)) / df
    squares = contrasts**2
    variance = squares @ v
    freedom = variance**2 / (squares**2 @ (v**2 / df))
    t = (contrasts @ mean) / np.sqrt(variance)
    if alternative == "two-sided":
        return np.asarray(2 * special.stdtr(freedom, -np.abs(t)))
    return np.asarray(special.stdtr(freedom, -t if alternative == "greater" else t))
