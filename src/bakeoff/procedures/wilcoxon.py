"""Wilcoxon's signed-rank test of two learners over tasks, with the Hodges–Lehmann estimate of their difference."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.checks import choice, differences, number_column, rounded
from bakeoff.mathematics.laws import check_alternative, check_confidence, direction, p_from_t
from bakeoff.mathematics.ranks import FEW_RANKS, RANK_METHODS, ZEROS, SignedRanks, rank_method
from bakeoff.procedures.card import SmallestP, flips
from bakeoff.procedures.friedman import DEMSAR, ranked_alike
from bakeoff.procedures.needs import SAMPLE_OF_PROBLEMS
from bakeoff.procedures.procedure import Compares, Example, Level, Result, procedure
from bakeoff.procedures.sign import FIVE_TASKS


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
    ranked = SignedRanks.of(rounded(number_column(d, "differences")), zeros)
    method = rank_method(method, len(ranked.signed))
    exact = method == "exact"
    z = ranked.z(alternative, correction and not exact, untied=method == "normal-untied")
    p = ranked.exact_p(alternative) if exact else p_from_t(z, inf, alternative)
    if len(ranked.signed) == 0:
        p = 1.0
    estimate, lower, upper = ranked.pseudo_median(confidence, alternative, exact, correction)
    side = direction(alternative, ranked.w_plus - ranked.w_minus)
    lower, upper = align_interval_with_p(lower, upper, p, confidence, estimate=side)
    smaller = min(ranked.w_plus, ranked.w_minus)
    statistic, name = (smaller, "T") if alternative == "two-sided" else (ranked.w_plus, "W+")
    sums = {"w_plus": ranked.w_plus, "w_minus": ranked.w_minus, "T": smaller}
    details = {**sums, "n": len(ranked.kept), "z": z, "method": method}
    note = RANK_METHODS[method] + (f"; zero differences ({ranked.n_zero}) {ZEROS[zeros]}" if ranked.n_zero else "")
    return Result(min(max(estimate, lower), upper), lower, upper, statistic, name, p=p, note=note, details=details)


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
        f"p is exact, given the sizes of the differences, if at most {FEW_RANKS} of them are not zero; otherwise it is "
        "the normal approximation with tie-corrected variance and without continuity correction.",
        "A zero has no sign: its share of the ranks is the same under every assignment of signs.",
        "The estimate is the Hodges–Lehmann pseudo-median, the median of all (di + dj)/2; the interval inverts the "
        "test over these. Where it and the discrete test disagree about 0, the end next to 0 is moved onto it. "
        "Where the level is out of reach for so few tasks, the interval has no ends.",
    ),
    cautions=(
        FIVE_TASKS,
        "For several learners, pair after pair needs an adjustment; task-flips compares them together.",
        "Other software may give another T: it ranks 0.3 − 0.2 below 0.2 − 0.1, because the machine does not "
        "tie them, and it treats zeros in other ways.",
    ),
    references=("wilcoxon1945", "pratt1959", "hodges1963", "demsar2006"),
    published="Demšar (2006), section 3.1.3: C4.5 with and without tuned leaf size on 14 data sets",
    printed="R+ = 93; R- = 12; T = 12",
    example=Example("w_plus w_minus statistic", *np.array(DEMSAR).T[[1, 0]]),
    recommended_for="two learners over many tasks, whose differences can be ordered but not averaged",
    rank=20,
    options={
        "zeros": ("what becomes of zero differences", tuple(ZEROS)),
        "method": ("which law p comes from", tuple(RANK_METHODS)),
        "correction": "continuity correction of the normal approximation",
    },
    estimate="pseudo-median (Hodges and Lehmann's) of the differences in {measure}",
    smallest_p=SmallestP(flips, "tasks", "one learner wins on all of them (exact law)"),
    all_at_once=ranked_alike,
    options_of=signed_rank,
    synonyms=("signed-rank test", "Wilcoxon signed rank"),
)
def compute(a: ArrayLike, b: ArrayLike, **options: Any) -> Result:
    """The same from two columns, a row a task; the estimate is the pseudo-median of a − b.

    Differences are rounded to the precision of the data first: 0.3 − 0.2 and 0.2 − 0.1 are a tie on paper, though not
    in the machine.

    >>> compute([0.3, 0.1, 0.9], [0.2, 0.2, 0.5]).details["w_minus"]
    1.5
    """
    return signed_rank(differences(a, b), **options)
