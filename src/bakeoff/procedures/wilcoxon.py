"""Wilcoxon's signed-rank test of two learners over tasks, with the Hodges–Lehmann estimate of their difference."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.checks import choice, differences, midranks, number_column, paired, rounded
from bakeoff.mathematics.laws import check_alternative, check_confidence, normal_quantile, p_from_t
from bakeoff.mathematics.ranks import lower_index, sum_law, tails, walsh_order_statistics
from bakeoff.procedures.card import Compares, Published, SmallestP, flips
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.procedures.needs import SAMPLE_OF_PROBLEMS
from bakeoff.procedures.procedure import Result, procedure
from bakeoff.procedures.sign import FIVE_TASKS
from bakeoff.scores import Level

Array = NDArray[np.float64]
ZEROS = {
    "split": "split between the sides, an odd one dropped",
    "wilcox": "dropped",
    "pratt": "ranked, then dropped",
    "zsplit": "split between the sides, an odd one as well",
}
METHODS = {
    "auto": "exact or normal, by the number of differences",
    "exact": "exact",
    "normal": "normal approximation, tie-corrected",
    "normal-untied": "plain normal formula",
}
FEW = 50
MANY = 1000


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """Signed ranks: the differences kept, the ranks that have a sign, their sums, the variance of W+ under the null.

    `untied` is the variance by the plain formula, n(n+1)(2n+1)/24, as if nothing were tied.
    """

    n_zero: int
    kept: Array
    signed: Array
    w_plus: float
    w_minus: float
    variance: float
    untied: float


def signed_rank(
    d: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    zeros: str = "split",
    method: str = "auto",
    correction: bool = False,
) -> Result:
    """Test whether differences are symmetric about zero, by the ranks of their sizes.

    Useful for two learners over tasks, where differences can be ordered but not averaged. It uses more than the sign
    test, which counts wins only. Sizes are ranked after rounding to twelve digits, and equal ones share mean ranks.

    zeros    "split": half of their ranks to each side, an odd one dropped before ranking (Demšar, Riddle);
             "wilcox": dropped; "pratt": ranked, then dropped; "zsplit": as scipy, split with the odd one kept
    method   "exact": the law of W+ given the sizes, every sign a fair coin; "normal": its normal approximation;
             "normal-untied": the plain formula z = (T − n(n+1)/4) / √(n(n+1)(2n+1)/24), T the smaller sum;
             "auto": exact if at most 50 differences are not zero, else normal

    A zero has no sign, so its ranks are the same on every throw of the coins: split zeros move W+ and its mean alike.
    (The variance of "zsplit" and of the plain formula counts them as if they had signs.)

    >>> result = signed_rank([2, -1, 2, 4, -3, 5, 7, -2, 6, 8])
    >>> result.details["w_plus"], result.details["w_minus"], round(result.p, 4), result.estimate
    (46.0, 9.0, 0.0645, 3.0)
    """
    check_confidence(confidence)
    check_alternative(alternative)
    choice(zeros, ZEROS, "treatment of zeros")
    ranked = _rank(rounded(number_column(d, "differences")), zeros)
    method = _settled(method, len(ranked.signed))
    z = _z(ranked, alternative, correction and method != "exact", untied=method == "normal-untied")
    p = _exact_p(ranked, alternative) if method == "exact" else p_from_t(z, inf, alternative)
    if len(ranked.signed) == 0:
        p = 1.0
    estimate, lower, upper = _estimate(ranked, confidence, alternative, method == "exact", correction)
    side = {"greater": inf, "less": -inf}.get(alternative, ranked.w_plus - ranked.w_minus)
    lower, upper = align_interval_with_p(lower, upper, p, confidence, estimate=side)
    smaller = min(ranked.w_plus, ranked.w_minus)
    return Result(
        estimate=min(max(estimate, lower), upper),
        lower=lower,
        upper=upper,
        statistic=smaller if alternative == "two-sided" else ranked.w_plus,
        statistic_name="T" if alternative == "two-sided" else "W+",
        p=p,
        note=_note(ranked, method, zeros),
        details={
            "w_plus": ranked.w_plus,
            "w_minus": ranked.w_minus,
            "T": smaller,
            "n": len(ranked.kept),
            "z": z,
            "method": method,
        },
    )


def _settled(method: str, n: int) -> str:
    """The method asked for, with "auto" settled by the number of differences that have a sign."""
    choice(method, METHODS, "method of the signed-rank test")
    if method == "auto":
        return "exact" if n <= FEW else "normal"
    if method == "exact" and n > MANY:
        raise UsageError(f"The exact law is meant for at most {MANY} differences; found {n}: use the method normal.")
    return method


def _rank(d: Array, zeros: str) -> _Ranked:
    """Ranks of the sizes, after the zeros were dealt with."""
    n_zero = int(np.sum(d == 0))
    if zeros == "wilcox":
        d = d[d != 0]
    elif zeros == "split" and n_zero % 2:
        d = np.delete(d, np.flatnonzero(d == 0)[0])
    ranks = midranks(np.abs(d)) if len(d) else np.empty(0)
    signed = ranks[d != 0]
    half = float(ranks[d == 0].sum()) / 2 if zeros in ("split", "zsplit") else 0.0
    in_variance = ranks if zeros == "zsplit" else signed
    whole = _plain_variance(len(d))
    return _Ranked(
        n_zero=n_zero,
        kept=d,
        signed=signed,
        w_plus=float(ranks[d > 0].sum()) + half,
        w_minus=float(ranks[d < 0].sum()) + half,
        variance=float(np.sum(in_variance**2)) / 4,
        untied=whole - _plain_variance(n_zero) if zeros == "pratt" else whole,
    )


def _plain_variance(n: int) -> float:
    return n * (n + 1) * (2 * n + 1) / 24


def _z(ranked: _Ranked, alternative: str, correction: bool, untied: bool) -> float:
    """z = (W+ − (W+ + W−)/2) / σ; the correction takes half a rank towards the alternative's null, as R does."""
    variance = ranked.untied if untied else ranked.variance
    if variance == 0 or len(ranked.signed) == 0:
        return 0.0
    distance = (ranked.w_plus - ranked.w_minus) / 2
    if correction:
        distance -= 0.5 * {"greater": 1.0, "less": -1.0}.get(alternative, float(np.sign(distance)))
    return distance / sqrt(variance)


def _exact_p(ranked: _Ranked, alternative: str) -> float:
    """Tails of the law of the signed ranks' sum. It is symmetric, so two-sided is twice the smaller tail."""
    constant = (ranked.w_plus + ranked.w_minus - float(ranked.signed.sum())) / 2
    above, below = tails(sum_law(ranked.signed), ranked.w_plus - constant)
    return {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]


def _estimate(
    ranked: _Ranked, confidence: float, alternative: str, exact: bool, correction: bool
) -> tuple[float, float, float]:
    """The median of the Walsh averages, and the two of them that cut off what the test would reject.

    A shift θ is rejected if fewer than c Walsh averages lie on one side of it, so the interval runs from the c-th
    smallest to the c-th largest. With c = 0 the level is out of reach, and the interval has no ends.
    """
    values = ranked.kept if len(ranked.kept) else np.zeros(1)
    n = len(values)
    total = n * (n + 1) // 2
    tail = (1 - confidence) / 2 if alternative == "two-sided" else 1 - confidence
    if exact and n <= MANY:
        c = lower_index(sum_law(np.arange(1.0, n + 1)), tail)
    else:  # rejected are the w with w + ½ [corrected] ≤ total/2 − z σ
        limit = total / 2 - normal_quantile(1 - tail) * sqrt(_plain_variance(n)) - (0.5 if correction else 0.0)
        c = min(max(floor(limit) + 1, 0), total)
    positions = [(total + 1) // 2, total // 2 + 1, c, total + 1 - c]
    middle, next_one, lower, upper = walsh_order_statistics(values, positions)
    lower = lower if alternative != "less" else -inf
    upper = upper if alternative != "greater" else inf
    return (middle + next_one) / 2, lower, upper


def _note(ranked: _Ranked, method: str, zeros: str) -> str:
    """How p was found and what became of the zeros, in words."""
    return METHODS[method] + (f"; zero differences ({ranked.n_zero}) {ZEROS[zeros]}" if ranked.n_zero else "")


def _published() -> list[float]:
    aucs = np.array(DEMSAR)
    result = compute(aucs[:, 1], aucs[:, 0])
    return [result.details["w_plus"], result.details["w_minus"], result.statistic]


@procedure(
    Compares.PAIR,
    Level.TASKS,
    name="wilcoxon",
    title="Wilcoxon signed-rank test",
    question="Is one of two learners better over many tasks?",
    null="the differences between the two learners are symmetric about zero",
    assumes=(
        SAMPLE_OF_PROBLEMS,
        "Differences of different tasks can be ordered by size; nothing is assumed about their distribution but "
        "symmetry under the null hypothesis.",
    ),
    conventions=(
        "Differences are rounded to the precision of the data before they are ranked; ties share mean ranks.",
        "Zero differences are split evenly between the sides; if their number is odd, one is dropped before "
        "ranking and n is reduced (Demšar, Riddle).",
        f"p is exact, given the sizes of the differences, if at most {FEW} of them are not zero; otherwise it is "
        "the normal approximation with tie-corrected variance and without continuity correction.",
        "A zero has no sign: its share of the ranks is the same under every assignment of signs.",
        "The estimate is the Hodges–Lehmann pseudo-median, the median of all (di + dj)/2; the interval inverts the "
        "test over these. Where it and the discrete test disagree about 0, the end next to 0 is moved onto it. "
        "Where the level is out of reach for so few tasks, the interval has no ends.",
    ),
    cautions=(
        FIVE_TASKS,
        "For several learners, pair after pair needs an adjustment; friedman compares them at once.",
        "Other software may give another T: it ranks 0.3 − 0.2 below 0.2 − 0.1, because the machine does not "
        "tie them, and it treats zeros in other ways.",
    ),
    references=("wilcoxon1945", "pratt1959", "hodges1963", "demsar2006"),
    published=Published(
        "Demšar (2006), section 3.1.3: C4.5 with and without tuned leaf size on 14 data sets",
        "R+ = 93; R- = 12; T = 12",
        _published,
    ),
    recommended_for="two learners over many tasks, whose differences can be ordered but not averaged",
    rank=20,
    options={
        "zeros": ("what becomes of zero differences", tuple(ZEROS)),
        "method": ("which law p comes from", tuple(METHODS)),
        "correction": "continuity correction of the normal approximation",
    },
    estimate="pseudo-median (Hodges and Lehmann's) of the differences in {measure}",
    smallest_p=SmallestP(flips, "tasks", "one learner wins on all of them (exact law)"),
)
def compute(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    zeros: str = "split",
    method: str = "auto",
    correction: bool = False,
) -> Result:
    """The same from two columns, a row a task; the estimate is the pseudo-median of a − b.

    Differences are rounded to the precision of the data first: 0.3 − 0.2 and 0.2 − 0.1 are a tie on paper, though not
    in the machine.

    >>> compute([0.3, 0.1, 0.9], [0.2, 0.2, 0.5]).details["w_minus"]
    1.5
    """
    first, second = paired(number_column(a, "first"), number_column(b, "second"))
    return signed_rank(
        differences(first, second),
        confidence=confidence,
        alternative=alternative,
        zeros=zeros,
        method=method,
        correction=correction,
    )
