"""The permutation test of matched pairs: two learners, labels exchanged within each block."""

from __future__ import annotations

from functools import lru_cache
from math import comb, copysign, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.checks import choice, count, differences, number_column, paired, rounded, whole_steps
from bakeoff.mathematics.label_draws import can_be_exact, draw_shares, lowest_difference, random_draws
from bakeoff.mathematics.laws import check_alternative, check_confidence, normal_quantile, p_from_t
from bakeoff.mathematics.sign_flips import LARGEST_WORK, Tails, flip_tails, fractional_steps, lowest_shift, random_sums
from bakeoff.procedures.card import FEWER, Caution, Compares, Published, SmallestP, flips, two_samples
from bakeoff.procedures.needs import not_repeated
from bakeoff.procedures.procedure import Options, Result, procedure
from bakeoff.scores import Layout, Level

# ----------------------------------------------------------------------------------------------------------------------
# What the permutation tests share: where p comes from, how many relabellings are drawn, what is said about both.


METHODS = ("auto", "exact", "monte-carlo", "asymptotic")
OPTIONS: Options = {
    "method": ("where p comes from", METHODS),
    "resamples": "how many relabellings Monte Carlo draws",
    "seed": "seed of the random relabellings",
}
INDEPENDENT_BLOCKS = (
    "Blocks are independent: each a learning sample drawn by itself (simulation, bootstrap), not folds that share "
    "training data."
)
BOUNDED = (
    "Relabellings are drawn a part at a time: memory is below 100 MB beside the scores for 10,000 blocks of 20 "
    "learners, however many relabellings there are."
)


def checked_resamples(resamples: int) -> int:
    """How many relabellings are drawn: one at least.

    >>> checked_resamples(0)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: A Monte-Carlo p needs at least one resample; found 0.
    """
    if count(resamples, "resamples") < 1:
        raise UsageError("A Monte-Carlo p needs at least one resample; found 0.")
    return resamples


def monte_carlo_p(extreme: int, resamples: int, details: dict[str, Any]) -> tuple[float, str]:
    """p with the data as one relabelling more, and how it came about; its standard error is put into the details.

    >>> details = {}
    >>> monte_carlo_p(4, 99, details)
    (0.05, 'Monte Carlo, 99 relabellings; standard error of p 0.022')
    >>> round(details["p_standard_error"], 4)
    0.0218
    """
    p = (1 + extreme) / (1 + resamples)
    details["p_standard_error"] = error = sqrt(p * (1 - p) / (1 + resamples))
    return p, f"Monte Carlo, {resamples:,} relabellings; standard error of p {error:.2g}"


# ----------------------------------------------------------------------------------------------------------------------


Array = NDArray[np.float64]
MANY_FLIPS = 1000  # blocks up to which "auto" is exact


def _published_paired() -> list[float]:
    return [
        paired_permutation(_A, _B, method="exact").p,
        paired_permutation(_A, _B, method="exact", alternative="greater").p,
        paired_permutation(_A, _B, method="asymptotic").statistic,
        paired_permutation(_A, _B, method="asymptotic", alternative="greater").p,
    ]


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Permutation test of matched pairs",
    question="Do two learners differ in mean performance, over learning samples of this problem?",
    null="within a block the two learners can be exchanged: each difference has its sign by a fair coin",
    needs=(not_repeated(),),
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
        "With B blocks p cannot be below 2^(1−B): five blocks never reach 5 %.",
        "With many blocks very small differences become significant: look at the interval as well.",
    ),
    references=("hothorn2005", "streitberg1986", "robinson1982", "phipson2010"),
    published=Published(
        "R exactRankTests 0.8.35, perm.test(paired = TRUE, exact = TRUE), and coin 1.4.2, oneway_test with "
        "blocks, on eight made-up pairs",
        "exact p = 0.0546875; exact p, greater = 0.02734375; z = 2.060488785; asymptotic p, greater = 0.01967591843",
        _published_paired,
    ),
    recommended_for="two learners over independent learning samples, without assumptions about the law of the "
    "differences",
    rank=45,
    options=OPTIONS,
    rank_for_draws=30,
    smallest_p=SmallestP(flips, "blocks", "one learner wins in all of them"),
)
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
        method = "exact" if len(d) <= MANY_FLIPS else "monte-carlo"
    details: dict[str, Any] = {"sum": float(d.sum()), "z": z, "t": _t(d), "n": len(d), "method": method}
    if method == "asymptotic":
        p, note = p_from_t(z, inf, alternative), "asymptotic"
    else:
        scores = _scores(d, max(float(np.abs(first).max()), float(np.abs(second).max())))
        if method == "exact":
            p, note = _exact(scores, alternative, details)
        else:
            p, note = _flip_p(scores, alternative, resamples, seed, details)
    p = 1.0 if not d.any() else p
    lower, upper = _paired_interval(d, confidence, alternative, method == "asymptotic")
    side = {"greater": inf, "less": -inf}.get(alternative, z)
    lower, upper = align_interval_with_p(lower, upper, p, confidence, estimate=side)
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


def _flip_p(
    scores: NDArray[np.int64], alternative: str, resamples: int, seed: int, details: dict[str, Any]
) -> tuple[float, str]:
    positive = int(scores[scores > 0].sum())
    drawn = random_sums(np.abs(scores), positive, checked_resamples(resamples), count(seed, "seed"))
    extreme = dict(zip(("greater", "less", "two-sided"), drawn, strict=True))[alternative]
    return monte_carlo_p(extreme, resamples, details)


def _paired_interval(d: Array, confidence: float, alternative: str, asymptotic: bool) -> tuple[float, float]:
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

# ----------------------------------------------------------------------------------------------------------------------
# The permutation test of two independent samples: two learners that share no blocks.


Whole = NDArray[np.int64]
MANY_RELABELLINGS = 1000  # values up to which "auto" draws relabellings where it cannot make them all
FEW_DRAWS = 2**16  # relabellings up to which the interval is exact


def _published_independent() -> list[float]:
    two = permutation_independent(_X, _Y, method="exact")
    return [two.statistic, two.p, permutation_independent(_X, _Y, method="exact", alternative="greater").p]


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    name="independent-permutation",
    title="Permutation test of two independent samples",
    question="Do two learners differ in performance, if each was run on samples of its own?",
    null="all values come from one law, so that any of them could have been the first learner's",
    assumes=(
        "All values are independent, within a learner and between learners: other learning samples, other test sets.",
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
        "On shared splits it throws the pairing away: use paired-permutation or corrected-t.",
        "If one learner varies more than the other and the samples differ in size, it can reject although the "
        "means are the same: unpaired-t does not mind.",
    ),
    references=("pitman1937", "streitberg1986", "hothorn2005 section 4.1"),
    published=Published(
        "R coin 1.4.2, oneway_test(distribution = 'exact') on eleven made-up values",
        "z = 2.133149502; exact p = 0.0303030303; exact p, greater = 0.0173160173",
        _published_independent,
    ),
    recommended_for="two learners over samples that they do not share, without assumptions about the law",
    rank=40,
    options=OPTIONS,
    rank_for_draws=30,
    paired=False,
    smallest_p=SmallestP(two_samples, "runs of each learner", "the samples do not overlap", for_pairs=False),
    fewer=FEWER,
)
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
        p, note = _relabel_p(scores, m, w, asked, resamples, seed, details)
    if np.ptp(both) == 0:
        p = 1.0
    lower, upper = _independent_interval(x, y, confidence, alternative, method)
    side = {"greater": inf, "less": -inf}.get(alternative, z)
    lower, upper = align_interval_with_p(lower, upper, p, confidence, estimate=side)
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


def _relabel_p(
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
        return (
            "exact" if can_be_exact(scores, m) else "monte-carlo" if len(scores) <= MANY_RELABELLINGS else "asymptotic"
        )
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


def _independent_interval(x: Array, y: Array, confidence: float, alternative: str, method: str) -> tuple[float, float]:
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
