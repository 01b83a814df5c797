"""The permutation test of matched pairs: two learners, labels exchanged within each block."""

from __future__ import annotations

from functools import lru_cache
from math import copysign, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.evidence import agreeing
from bakeoff.mathematics.checks import choice, count, number_column, paired
from bakeoff.mathematics.exactness import differences, whole_steps
from bakeoff.mathematics.flip_interval import lowest_shift
from bakeoff.mathematics.laws import check_alternative, check_confidence, normal_quantile, p_from_t
from bakeoff.mathematics.sign_flips import LARGEST_WORK, Tails, flip_tails, fractional_steps, random_sums
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Published,
    Reference,
    Scope,
    comparing,
    not_repeated,
)
from bakeoff.procedures.relabelling import (
    BOUNDED,
    INDEPENDENT_BLOCKS,
    METHOD,
    METHODS,
    NEVER_ZERO,
    RESAMPLES,
    SEED,
    SHIFT_ALGORITHM,
    checked_resamples,
    monte_carlo_p,
)
from bakeoff.procedures.result import Procedure, Result
from bakeoff.procedures.sentences import HOTHORN
from bakeoff.scores import Layout, Level

Array = NDArray[np.float64]
MANY = 1000  # blocks up to which "auto" is exact


def paired_permutation(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "auto",
    resamples: int = 100_000,
    seed: int = 1,
) -> Result:
    """Test whether two learners perform alike, by exchanging their labels within each of B blocks.

    Useful when blocks are independent samples and nothing is known about the law of the performances: it is exact for
    any law and any B. The null hypothesis is that within a block the labels mean nothing, so that each difference has
    its sign by a fair coin. The statistic is the sum of the differences, which orders relabellings as the paired t
    does. It differs from wilcoxon in that the sizes of differences count, not their ranks. Zero differences change
    nothing; if all are zero, p is 1.

    method   "exact": all 2^B relabellings, by the shift algorithm; "monte-carlo": `resamples` of them, the data
             counted as one more, so that p is never 0; "asymptotic": z = Σd / √Σd² against the normal law;
             "auto": exact up to 1,000 blocks, then Monte Carlo

    >>> a = [0.21, 0.25, 0.19, 0.30, 0.27, 0.22, 0.26, 0.24]
    >>> b = [0.20, 0.22, 0.20, 0.25, 0.21, 0.23, 0.21, 0.20]
    >>> result = paired_permutation(a, b)
    >>> result.p, round(result.statistic, 4), round(result.details["t"], 4)
    (0.0546875, 2.0605, 2.8135)
    """
    check_confidence(confidence)
    check_alternative(alternative)
    choice(method, METHODS, "method of the permutation test")
    first, second = paired(number_column(a, "first"), number_column(b, "second"))
    d = differences(first, second)
    unit = float(np.abs(d).max()) or 1.0
    z = float(np.sum(d / unit)) / (sqrt(float(np.sum((d / unit) ** 2))) or 1.0)
    if method == "auto":
        method = "exact" if len(d) <= MANY else "monte-carlo"
    details: dict[str, Any] = {"sum": float(d.sum()), "z": z, "t": _t(d), "n": len(d), "method": method}
    if method == "asymptotic":
        p, note = p_from_t(z, inf, alternative), "asymptotic"
    else:
        scores = _scores(d, max(float(np.abs(first).max()), float(np.abs(second).max())))
        if method == "exact":
            p, note = _exact(scores, alternative, details)
        else:
            p, note = _monte_carlo(scores, alternative, resamples, seed, details)
    p = 1.0 if not d.any() else p
    lower, upper = _interval(d, confidence, alternative, method == "asymptotic")
    side = {"greater": inf, "less": -inf}.get(alternative, z)
    lower, upper = agreeing(lower, upper, p, confidence, estimate=side)
    return Result(
        estimate=float(np.mean(d / unit)) * unit,
        lower=lower,
        upper=upper,
        statistic=z,
        statistic_name="z",
        p=p,
        note=note,
        details=details,
    )


def _t(d: Array) -> float:
    """t of eq. (2) of Hothorn et al., d̄ / √(s²/B); infinite if all differences are the same and not zero."""
    scaled, n = d / (float(np.abs(d).max()) or 1.0), len(d)
    mean = float(scaled.mean())
    if n < 2 or np.ptp(scaled) == 0:
        return 0.0 if mean == 0 else copysign(inf, mean)
    return mean / (float(scaled.std(ddof=1)) / sqrt(n))


def _scores(d: Array, scale: float) -> NDArray[np.int64]:
    """The differences as whole numbers: multiples of their last decimal, or of a fraction such as 1/30."""
    whole = whole_steps(d, scale)
    n = max(int(np.count_nonzero(whole)), 1)
    if n * float(np.abs(whole).sum()) / 4 > LARGEST_WORK:
        fractions = fractional_steps(d / (float(np.abs(d).max()) or 1.0), 4 * LARGEST_WORK / n)
        return whole if fractions is None else fractions
    return whole


@lru_cache(maxsize=64)
def _tails(content: bytes, w: int) -> Tails:
    """Kept, because the same pair is asked again for an interval at another level."""
    return flip_tails(np.frombuffer(content, dtype=np.int64), w)


def _exact(scores: NDArray[np.int64], alternative: str, details: dict[str, Any]) -> tuple[float, str]:
    tails = _tails(np.abs(scores).tobytes(), int(scores[scores > 0].sum()))
    details["n_permutations"] = 2.0 ** len(scores) if len(scores) < 1024 else inf
    # |Σ ±d| ≥ |Σ d| in both tails, which are alike.
    p = {"greater": tails.above, "less": tails.below}.get(alternative, min(1.0, 2 * min(tails.above, tails.below)))
    if tails.exact:
        return p, "exact"
    details["p_smaller_tail_between"] = (tails.lowest, tails.highest)
    width = (tails.highest - tails.lowest) / 2
    return p, f"exact for differences rounded to a grid, which moves a tail by at most {width:.1g}"


def _monte_carlo(
    scores: NDArray[np.int64], alternative: str, resamples: int, seed: int, details: dict[str, Any]
) -> tuple[float, str]:
    positive = int(scores[scores > 0].sum())
    drawn = random_sums(np.abs(scores), positive, checked_resamples(resamples), count(seed, "seed"))
    extreme = dict(zip(("greater", "less", "two-sided"), drawn, strict=True))[alternative]
    return monte_carlo_p(extreme, resamples, details)


def _interval(d: Array, confidence: float, alternative: str, asymptotic: bool) -> tuple[float, float]:
    """The shifts that the test does not reject."""
    tail = (1 - confidence) / 2 if alternative == "two-sided" else 1 - confidence
    if asymptotic:
        # z(θ)² = z² is solved by (d̄ − θ)² = z² Σ(d − d̄)² / (B (B − z²)).
        n, z2 = len(d), normal_quantile(1 - tail) ** 2
        unit = float(np.abs(d).max()) or 1.0
        scaled = d / unit
        squared = float(np.sum((scaled - scaled.mean()) ** 2))
        half = sqrt(z2 * squared / (n * (n - z2))) * unit if n > z2 else inf
        middle = float(scaled.mean()) * unit
        low, high = middle - half, middle + half
    else:
        low = lowest_shift(d, tail) if alternative != "less" else -inf
        high = -lowest_shift(-d, tail) if alternative != "greater" else inf
    return low if alternative != "less" else -inf, high if alternative != "greater" else inf


def _smallest_p(facts: Layout) -> float:
    """All differences on one side: one relabelling in 2^B, and its mirror image."""
    return 2.0 ** (1 - facts.n_blocks)


_A = [0.21, 0.25, 0.19, 0.30, 0.27, 0.22, 0.26, 0.24]
_B = [0.20, 0.22, 0.20, 0.25, 0.21, 0.23, 0.21, 0.20]


def _published() -> dict[str, float]:
    return {
        "exact p": paired_permutation(_A, _B, method="exact").p,
        "exact p, greater": paired_permutation(_A, _B, method="exact", alternative="greater").p,
        "z": paired_permutation(_A, _B, method="asymptotic").statistic,
        "asymptotic p, greater": paired_permutation(_A, _B, method="asymptotic", alternative="greater").p,
    }


PROCEDURE = Procedure(
    card=Card(
        name="paired-permutation",
        title="Permutation test of matched pairs",
        question="Do two learners differ in mean performance, over learning samples of this problem?",
        null="within a block the two learners can be exchanged: each difference has its sign by a fair coin",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=(*comparing(Level.RESAMPLES), not_repeated()),
        assumes=(
            INDEPENDENT_BLOCKS,
            "Under the null hypothesis the differences are symmetric about zero. Nothing else is assumed about them.",
        ),
        conventions=(
            "The estimate is the mean of first minus second; z = Σd / √Σd², and t of eq. (2) of Hothorn et al., which "
            "orders relabellings alike, is in the details.",
            "Two-sided p is the share of relabellings with |Σ ±d| ≥ |Σ d|, ties included; a one-sided p is one tail. "
            "Monte Carlo counts the data as one relabelling more, p = (1 + number) / (1 + resamples).",
            BOUNDED,
            "The exact law is that of whole numbers: differences are taken as multiples of their last decimal (twelve "
            "digits are kept), or of a common fraction. If that is too much work (B · Σ of the multiples over 1.6e9) "
            "and there are more than 32 blocks, they are rounded to a grid of 2^18 steps, and the note bounds what "
            "that does to p.",
            "The interval holds the shifts that the test does not reject: by the means of all subsets up to 14 blocks, "
            "then by the saddlepoint approximation; it is made to agree with p at zero.",
            "Learners with the same value in every block have z = 0 and p = 1.",
        ),
        cautions=(
            Caution(
                "Folds share training data, so they are not independent blocks: prefer corrected-t there.",
                "Measured at a true null (two nearest-mean classifiers, n = 200, α = .05, 2,000 repetitions): 5.0 % "
                "false positives over one 10-fold cross-validation, where kfold-t has 6.5 % on the same data.",
            ),
            Caution("With B blocks p cannot be below 2^(1−B): five blocks never reach 5 %."),
            Caution("With many blocks very small differences become significant: look at the interval as well."),
        ),
        references=(
            HOTHORN,
            SHIFT_ALGORITHM,
            Reference(
                "Robinson (1982), Saddlepoint approximations for permutation tests and confidence intervals, J. R. "
                "Statist. Soc. B 44, 91–101.",
                "10.1111/j.2517-6161.1982.tb01191.x",
            ),
            NEVER_ZERO,
        ),
        published=Published(
            where="R exactRankTests 0.8.35, perm.test(paired = TRUE, exact = TRUE), and coin 1.4.2, oneway_test with "
            "blocks, on eight made-up pairs",
            compute=_published,
            values={
                "exact p": "0.0546875",
                "exact p, greater": "0.02734375",
                "z": "2.060488785",
                "asymptotic p, greater": "0.01967591843",
            },
        ),
        because="two learners over independent learning samples, without assumptions about the law of the differences",
        preference=45,
        preference_for_draws=30,
        options=(METHOD, RESAMPLES, SEED),
        smallest_p=_smallest_p,
    ),
    compute=paired_permutation,
)
