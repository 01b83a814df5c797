"""McNemar's test of two classifiers on the same instances, with Tango's interval for the difference of their rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.binary_tables import FEW, METHODS, mcnemar_chi2, mcnemar_exact, tango_interval
from bakeoff.mathematics.checks import binary_column, choice, count
from bakeoff.mathematics.laws import check_alternative, check_confidence, direction
from bakeoff.procedures.card import PowerFormula, SmallestP, half_flips
from bakeoff.procedures.needs import NEW_INSTANCES, THESE_TWO, right_or_wrong
from bakeoff.procedures.procedure import Compares, Level, Result, numbers, procedure
from bakeoff.procedures.right_or_wrong import cochran_q


def mcnemar_counts(
    e00: float,
    e01: float,
    e10: float,
    e11: float,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "mid-p",
    correction: bool = True,
    literal: bool = False,
) -> Result:
    """Compare two classifiers by the instances on which exactly one of them is right.

    e01 counts the instances where the first has the value 0 and the second the value 1, and so on. If 1 is "right",
    this is Alpaydın's table, e01 being those that only the first gets wrong. The null hypothesis is that e01 and e10
    have the same expectation: then e10 is binomial with n = e01 + e10 and p = ½. The estimate is the difference of
    the two rates of ones, (e10 − e01) / N.

    `method` is the χ² of eq. 19.13 ("chi2", continuity-corrected unless `correction` is false), the binomial law
    itself ("exact"), the exact one with only half of the probability of the outcome seen ("mid-p", the default: its
    size is at most 4.98 % at α = 5 %, and it finds more than the exact one), or "auto": exact if fewer than 25 pairs
    are discordant, χ² otherwise. Where e01 = e10, the corrected χ² is 0, as in R; eq. 19.13
    taken by the letter (`literal`) is (|0| − 1)²/(e01 + e10). With no discordant pair at all, p is 1.

    >>> result = mcnemar_counts(61, 23, 32, 268, method="chi2")
    >>> round(result.statistic, 4), round(result.p, 2)
    (1.1636, 0.28)
    >>> mcnemar_counts(61, 23, 32, 268).note
    'mid-p; 55 discordant instances'
    >>> mcnemar_counts(10, 0, 0, 90).p
    1.0
    """
    check_confidence(confidence)
    check_alternative(alternative)
    choice(method, METHODS, "method of McNemar's test")
    given = {"e00": e00, "e01": e01, "e10": e10, "e11": e11}
    cells = {name: count(cell, name) for name, cell in given.items()}
    if not any(cells.values()):
        raise UsageError("McNemar's test needs at least one instance; all four counts are 0.")
    first, second, total = cells["e10"], cells["e01"], sum(cells.values())
    if method == "auto":
        method = "exact" if first + second < FEW else "chi2"
    if method == "chi2":
        test = mcnemar_chi2(first, second, alternative, correction, literal)
    else:
        test = mcnemar_exact(first, second, alternative, mid=method == "mid-p")
    continuous = method == "mid-p" or (method == "chi2" and not correction)
    lower, upper = tango_interval(
        first, second, total, confidence=confidence, alternative=alternative, correction=not continuous
    )
    estimate = (first - second) / total
    lower, upper = align_interval_with_p(lower, upper, test.p, confidence, estimate=direction(alternative, estimate))
    note = _note(first + second, method, correction, least_p(first + second, method, alternative) > 1 - confidence)
    details = {**cells, "discordant": first + second, "method": method}
    return Result(estimate, lower, upper, test.statistic, test.name, test.df, test.p, note, details)


def counts_table(pairs: Sequence[tuple[str, str, int, int, int, int]]) -> tuple[list[str], list[list[str]]]:
    """The four counts of each pair: both right, only the first, only the second, neither.

    >>> counts_table([("a", "b", 90, 3, 5, 2)])[1]
    [['a', 'b', '90', '3', '5', '2']]
    """
    header = ["first", "second", "both right", "only first", "only second", "both wrong"]
    return header, [[first, second, *map(str, cells)] for first, second, *cells in pairs]


def counts_of_pairs(pairs: Mapping[tuple[str, str], Any], _learners: Sequence[str]) -> dict[str, Any]:
    """The 2×2 tables behind the tests."""
    cells = ("both_right", "only_first", "only_second", "both_wrong")
    rows = [(*pair, *(counts[cell] for cell in cells)) for pair, counts in pairs.items() if counts]
    return {"right and wrong answers of the two": counts_table(rows)}


def least_p(discordant: int, method: str, alternative: str) -> float:
    """The smallest p that so many discordant instances can have; that of χ² is not looked at."""
    sides = 2 if alternative == "two-sided" else 1
    return {"exact": sides, "mid-p": sides / 2}.get(method, 0.0) * 0.5**discordant


def _note(discordant: int, method: str, correction: bool, out_of_reach: bool) -> str:
    """How p was found, in words."""
    if discordant == 0:
        return "the two agree on every instance"
    law = {
        "exact": "exact",
        "mid-p": "mid-p",
        "chi2": f"χ² {'with' if correction else 'without'} continuity correction",
    }
    few = ", too few for any claim" if out_of_reach else ""
    return f"{law[method]}; {discordant} discordant instance{'s' * (discordant != 1)}{few}"


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    name="mcnemar",
    title="McNemar's test",
    question="Do two classifiers have different error rates on new instances like these?",
    null="it is as likely that only the first is right as that only the second is",
    least_blocks=0,
    needs=(right_or_wrong,),
    assumes=(NEW_INSTANCES, "Both models were fitted without them."),
    conventions=(
        "p is the mid-p of the binomial law: half of the probability of the outcome seen is counted. The exact law, "
        f"and χ² with continuity correction as in eq. 19.13, are options; auto is exact with fewer than {FEW} "
        "discordant instances and χ² otherwise.",
        "The correction takes one from |e01 − e10| but never goes below 0; with the option literal it does, as "
        "eq. 19.13 says by the letter.",
        "Without discordant instances the statistic is 0 and p is 1.",
        "A one-sided χ² test is made by its signed root, z.",
        "The interval for the difference of rates is Tango's score interval, with the continuity term where the "
        "test has one; where it and a discrete test disagree about 0, the end next to 0 is moved onto it.",
    ),
    cautions=(
        "With fewer than five discordant instances no p is below 5 %, whatever the data say.",
        THESE_TWO,
        "Instances that both get right or both get wrong say nothing about the p, only about the interval.",
    ),
    references=("mcnemar1947", "dietterich1998", "tango1998", "fagerland2013"),
    published="Feelders and Verkooijen (1995), Table 4: linear discriminant analysis and a neural network",
    printed="X2 = 1.1636; p = 0.28",
    example=lambda: numbers(mcnemar_counts(61, 23, 32, 268, method="chi2"), "statistic p"),
    recommended_for="two classifiers on the same instances, each answer right or wrong",
    rank=10,
    options={
        "method": ("which law p comes from", METHODS),
        "correction": "continuity correction of χ²",
        "literal": "eq. 19.13 by the letter where e01 = e10",
    },
    smallest_p=SmallestP(half_flips, "discordant instances", "all of them favour the same learner (mid-p)"),
    all_at_once=lambda table: cochran_q(table).tests,
    binary=True,
    over_pairs=counts_of_pairs,
    power=PowerFormula.DISCORDANT,
    options_of=mcnemar_counts,
    synonyms=("chi-squared test of disagreements", "McNemar's test"),
)
def compute(a: ArrayLike, b: ArrayLike, *, larger_is_better: bool = True, **options: Any) -> Result:
    """The same from two columns of zeros and ones, a row an instance; the estimate is mean(a) − mean(b). A one is a
    right answer, or an error if `larger_is_better` is false.

    >>> result = compute([1, 1, 1, 0, 1], [1, 0, 0, 0, 0])
    >>> result.estimate, result.p
    (0.6, 0.125)
    """
    first, second = binary_column(a, "first"), binary_column(b, "second")
    cells = np.bincount((2 * first + second).astype(np.intp), minlength=4).tolist()
    result = mcnemar_counts(*cells, **options)
    e00, e01, e10, e11 = cells if larger_is_better else cells[::-1]
    right = {"both_right": e11, "only_first": e10, "only_second": e01, "both_wrong": e00}
    return replace(result, details={**result.details, **right})
