"""The permutation test of two independent samples: two learners that share no blocks."""

from __future__ import annotations

from math import comb, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.evidence import agreeing
from bakeoff.mathematics.checks import choice, count, number_column
from bakeoff.mathematics.exactness import rounded, whole_steps
from bakeoff.mathematics.label_draws import can_be_exact, draw_shares, lowest_difference, random_draws
from bakeoff.mathematics.laws import check_alternative, check_confidence, normal_quantile, p_from_t
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Published,
    Reference,
    Scope,
    comparing,
)
from bakeoff.procedures.relabelling import (
    BOUNDED,
    METHOD,
    METHODS,
    RESAMPLES,
    SEED,
    SHIFT_ALGORITHM,
    checked_resamples,
    monte_carlo_p,
)
from bakeoff.procedures.result import Procedure, Result
from bakeoff.scores import Level

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
MANY = 1000  # values up to which "auto" draws relabellings where it cannot make them all
FEW_DRAWS = 2**16  # relabellings up to which the interval is exact


def permutation_independent(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "auto",
    resamples: int = 100_000,
    seed: int = 1,
) -> Result:
    """Test whether two independent samples have the same law, by exchanging their labels.

    Useful for two learners that were run on samples of their own, if nothing is known about the law of the
    performances. The null hypothesis is that all values come from one law, so that every choice of n of the N values
    as the first sample was equally likely. The statistic is the sum of the first sample. It differs from
    paired-permutation in that no value belongs to another.

    method   "exact": all relabellings; "monte-carlo": `resamples` of them, the data counted as one more;
             "asymptotic": z, the sum standardised by its permutation mean and variance, against the normal law;
             "auto": exact where that is affordable, else Monte Carlo up to 1,000 values, else asymptotic

    >>> result = permutation_independent([12, 15, 11, 18, 14, 16], [10, 9, 13, 8, 12])
    >>> round(result.p, 6), round(result.statistic, 4)
    (0.030303, 2.1331)
    """
    check_confidence(confidence)
    check_alternative(alternative)
    choice(method, METHODS, "method of the permutation test")
    x, y = number_column(a, "first"), number_column(b, "second")
    both = rounded(np.concatenate([x, y]))
    x, y = both[: len(x)], both[len(x) :]
    scores, m, w, sign = _as_whole(both, len(x))
    method = _settled(method, scores, m)
    z = _z(x, y)
    details: dict[str, Any] = {"z": z, "n": (len(x), len(y)), "method": method}
    p, note = p_from_t(z, inf, alternative), "asymptotic"
    # The tails are those of the smaller sample, which may be the second.
    asked = alternative if sign > 0 else {"greater": "less", "less": "greater"}.get(alternative, alternative)
    if method == "exact":
        shares = draw_shares(scores, m, w)
        p = {"greater": shares.above, "less": shares.below, "two-sided": shares.far}[asked]
        note = f"exact: {comb(len(both), m):,} relabellings" if len(both) <= 60 else "exact"
    elif method == "monte-carlo":
        p, note = _monte_carlo(scores, m, w, asked, resamples, seed, details)
    if np.ptp(both) == 0:
        p = 1.0
    lower, upper = _interval(x, y, confidence, alternative, method)
    side = {"greater": inf, "less": -inf}.get(alternative, z)
    lower, upper = agreeing(lower, upper, p, confidence, estimate=side)
    return Result(
        estimate=_difference(x, y),
        lower=lower,
        upper=upper,
        statistic=z,
        statistic_name="z",
        p=p,
        note=note,
        details=details,
    )


def _monte_carlo(
    scores: Whole, m: int, w: int, asked: str, resamples: int, seed: int, details: dict[str, Any]
) -> tuple[float, str]:
    drawn = random_draws(scores, m, w, checked_resamples(resamples), count(seed, "seed"))
    extreme = dict(zip(("greater", "less", "two-sided"), drawn, strict=True))[asked]
    return monte_carlo_p(extreme, resamples, details)


def _as_whole(both: Array, n: int) -> tuple[Whole, int, int, int]:
    """All values as whole numbers, the size and sum of the smaller sample, and +1 if that is the first one."""
    whole = whole_steps(both - both.min(), float(np.abs(both).max()))
    if 2 * n <= len(both):
        return whole, n, int(whole[:n].sum()), 1
    return whole, len(both) - n, int(whole[n:].sum()), -1


def _settled(method: str, scores: Whole, m: int) -> str:
    if method == "auto":
        return "exact" if can_be_exact(scores, m) else "monte-carlo" if len(scores) <= MANY else "asymptotic"
    if method == "exact" and not can_be_exact(scores, m):
        raise UsageError(
            f"The exact law of {len(scores)} values with so many digits is too much work. Round them, or use the "
            "method monte-carlo."
        )
    return method


def _difference(x: Array, y: Array) -> float:
    unit = max(float(np.abs(x).max()), float(np.abs(y).max())) or 1.0
    difference = float(np.mean(x / unit) - np.mean(y / unit))
    return 0.0 if abs(difference) < 1e-13 else difference * unit


def _z(x: Array, y: Array) -> float:
    """(Σx − n μ) / √(n m σ² / (N − 1)), with μ and σ² those of all N values; 0 if they are all the same."""
    both = np.concatenate([x, y])
    unit = float(np.ptp(both))
    if unit == 0:
        return 0.0
    centred = (both - both.mean()) / unit
    n, total = len(x), len(both)
    variance = n * (total - n) / (total * (total - 1)) * float(centred @ centred)
    return float(centred[:n].sum()) / sqrt(variance)


def _interval(x: Array, y: Array, confidence: float, alternative: str, method: str) -> tuple[float, float]:
    """The shifts of the first sample against the second that the test does not reject."""
    tail = (1 - confidence) / 2 if alternative == "two-sided" else 1 - confidence
    n, total = len(x), len(x) + len(y)
    if method != "asymptotic" and total <= 40 and comb(total, n) <= FEW_DRAWS:
        low, high = lowest_difference(x, y, tail), -lowest_difference(y, x, tail)
    else:
        # z(θ)² = z² is solved by (D − θ)² = z² W / (c (N − 1 − z²)), W the sum of squares within, c = n m / N.
        z2 = normal_quantile(1 - tail) ** 2
        unit = max(float(np.abs(x).max()), float(np.abs(y).max())) or 1.0
        within = sum(float(np.sum((v / unit - np.mean(v / unit)) ** 2)) for v in (x, y))
        free = total - 1 - z2
        half = sqrt(z2 * within / (n * len(y) / total * free)) * unit if free > 0 else inf
        middle = _difference(x, y)
        low, high = middle - half, middle + half
    return low if alternative != "less" else -inf, high if alternative != "greater" else inf


_X, _Y = [12, 15, 11, 18, 14, 16], [10, 9, 13, 8, 12]


def _published() -> dict[str, float]:
    two = permutation_independent(_X, _Y, method="exact")
    return {
        "z": two.statistic,
        "exact p": two.p,
        "exact p, greater": permutation_independent(_X, _Y, method="exact", alternative="greater").p,
    }


PROCEDURE = Procedure(
    card=Card(
        name="independent-permutation",
        title="Permutation test of two independent samples",
        question="Do two learners differ in performance, if each was run on samples of its own?",
        null="all values come from one law, so that any of them could have been the first learner's",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=comparing(Level.RESAMPLES),
        assumes=(
            "All values are independent, within a learner and between learners: other learning samples, other test "
            "sets.",
            "Under the null hypothesis both learners have the same law, spread included.",
        ),
        conventions=(
            "The estimate is the first mean minus the second; z standardises the sum of the first sample by its mean "
            "and variance over all relabellings.",
            "Two-sided p is the share of relabellings whose sum is at least as far from its mean, ties included, as in "
            "R's coin (scipy doubles the smaller tail instead).",
            "Values are taken as whole multiples of their last decimal, twelve digits being kept.",
            "The interval holds the shifts that the test does not reject, each end by the one-sided test at half the "
            "level: exactly up to 65,536 relabellings, then asymptotically; it is made to agree with p at zero.",
            "Samples in which all values are the same have z = 0 and p = 1.",
            BOUNDED,
        ),
        cautions=(
            Caution("On shared splits it throws the pairing away: use paired-permutation or corrected-t."),
            Caution(
                "If one learner varies more than the other and the samples differ in size, it can reject although the "
                "means are the same: unpaired-t does not mind."
            ),
        ),
        references=(
            Reference(
                "Pitman (1937), Significance tests which may be applied to samples from any populations, J. R. "
                "Statist. Soc. Suppl. 4, 119–130.",
                "10.2307/2984124",
            ),
            SHIFT_ALGORITHM,
            Reference(
                "Hothorn, Leisch, Zeileis and Hornik (2005), J. Comput. Graph. Statist. 14, section 4.1.",
                "10.1198/106186005X59630",
            ),
        ),
        published=Published(
            where="R coin 1.4.2, oneway_test(distribution = 'exact') on eleven made-up values",
            compute=_published,
            values={"z": "2.133149502", "exact p": "0.0303030303", "exact p, greater": "0.0173160173"},
        ),
        because="two learners over samples that they do not share, without assumptions about the law",
        preference=40,
        preference_for_draws=30,
        options=(METHOD, RESAMPLES, SEED),
        paired=False,
    ),
    compute=permutation_independent,
)
