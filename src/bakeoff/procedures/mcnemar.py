"""McNemar's test of two classifiers on the same instances, with Tango's interval for the difference of their rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.checks import binary_column, choice, count, paired
from bakeoff.mathematics.laws import (
    binomial_cdf,
    binomial_sf,
    check_alternative,
    check_confidence,
    chi2_sf,
    normal_quantile,
    normal_sf,
)
from bakeoff.procedures.card import Compares, PowerFormula, Published, SmallestP, flips
from bakeoff.procedures.needs import NEW_INSTANCES, right_or_wrong
from bakeoff.procedures.procedure import Result, numbers, procedure
from bakeoff.scores import Layout, Level

METHODS = ("auto", "chi2", "exact", "mid-p")
FEW = 25


@dataclass(frozen=True, slots=True)
class _Test:
    """A test of the discordant pairs: statistic, its name, degrees of freedom, p."""

    statistic: float
    name: str
    df: tuple[float, ...]
    p: float


def mcnemar_counts(
    e00: float,
    e01: float,
    e10: float,
    e11: float,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "auto",
    correction: bool = True,
    literal: bool = False,
) -> Result:
    """Compare two classifiers by the instances on which exactly one of them is right.

    e01 counts the instances where the first has the value 0 and the second the value 1, and so on. If 1 is "right",
    this is Alpaydın's table, e01 being those that only the first gets wrong. The null hypothesis is that e01 and e10
    have the same expectation: then e10 is binomial with n = e01 + e10 and p = ½. The estimate is the difference of
    the two rates of ones, (e10 − e01) / N.

    `method` is the χ² of eq. 19.13 ("chi2", continuity-corrected unless `correction` is false), the binomial law
    itself ("exact"), the exact one with only half of the probability of the outcome seen ("mid-p"), or "auto": exact
    if fewer than 25 pairs are discordant, χ² otherwise. Where e01 = e10, the corrected χ² is 0, as in R; eq. 19.13
    taken by the letter (`literal`) is (|0| − 1)²/(e01 + e10). With no discordant pair at all, p is 1.

    >>> result = mcnemar_counts(61, 23, 32, 268, method="chi2")
    >>> round(result.statistic, 4), round(result.p, 2)
    (1.1636, 0.28)
    >>> mcnemar_counts(10, 0, 0, 90).p
    1.0
    """
    check_confidence(confidence)
    check_alternative(alternative)
    choice(method, METHODS, "method of McNemar's test")
    cells = _cells(e00=e00, e01=e01, e10=e10, e11=e11)
    first, second, total = cells["e10"], cells["e01"], sum(cells.values())
    if method == "auto":
        method = "exact" if first + second < FEW else "chi2"
    if method == "chi2":
        test = _chi2(first, second, alternative, correction, literal)
    else:
        test = _exact(first, second, alternative, mid=method == "mid-p")
    continuous = method == "mid-p" or (method == "chi2" and not correction)
    lower, upper = tango_interval(
        first, second, total, confidence=confidence, alternative=alternative, correction=not continuous
    )
    estimate = (first - second) / total
    side = {"greater": inf, "less": -inf}.get(alternative, estimate)
    lower, upper = align_interval_with_p(lower, upper, test.p, confidence, estimate=side)
    return Result(
        estimate=estimate,
        lower=lower,
        upper=upper,
        statistic=test.statistic,
        statistic_name=test.name,
        df=test.df,
        p=test.p,
        note=_note(first + second, method, correction),
        details={**cells, "discordant": first + second, "method": method},
    )


def _cells(**counts: float) -> dict[str, int]:
    """The four counts, checked."""
    cells = {name: count(cell, name) for name, cell in counts.items()}
    if not any(cells.values()):
        raise UsageError("McNemar's test needs at least one instance; all four counts are 0.")
    return cells


def _chi2(first: int, second: int, alternative: str, correction: bool, literal: bool) -> _Test:
    """X² = (|e01 − e10| − 1)² / (e01 + e10), eq. 19.13; one-sided its signed root, z = (e10 − e01 ∓ 1) / √(e01 + e10).

    The correction moves |e01 − e10| towards 0 by one and no further, unless `literal`.
    """
    n, difference, shift = first + second, first - second, 1 if correction else 0
    if n == 0:
        return _Test(0.0, "McNemar X²", (1.0,), 1.0)
    if alternative == "two-sided":
        distance = abs(difference) - shift if literal else max(abs(difference) - shift, 0)
        statistic = distance**2 / n
        return _Test(statistic, "McNemar X²", (1.0,), float(chi2_sf(statistic, 1)))
    if alternative == "greater":
        z = (difference - shift) / sqrt(n)
        return _Test(z, "z", (), float(normal_sf(z)))
    z = (difference + shift) / sqrt(n)
    return _Test(z, "z", (), float(normal_sf(-z)))


def _exact(first: int, second: int, alternative: str, mid: bool) -> _Test:
    """P(X ≥ e10) and P(X ≤ e10) for X ~ Bin(e01 + e10, ½); two-sided twice the smaller one."""
    n = first + second
    if n == 0:
        return _Test(0.0, "X", (), 1.0)
    above, below = binomial_sf(first, n, 0.5), binomial_cdf(first, n, 0.5)
    if mid:  # half of P(X = e10) is left out of each tail
        above = (above + binomial_sf(first + 1, n, 0.5)) / 2
        below = (below + binomial_cdf(first - 1, n, 0.5)) / 2
    if alternative != "two-sided":
        return _Test(float(first), "X", (), above if alternative == "greater" else below)
    p = min(1.0, 2 * min(above, below))
    if mid and first == second:
        # Every outcome is as extreme as the one in the middle, of which half is left out: 1 − P(X = n/2) / 2.
        p = 1 - (binomial_sf(first, n, 0.5) - binomial_sf(first + 1, n, 0.5)) / 2
    return _Test(float(min(first, second)), "X", (), p)


def _note(discordant: int, method: str, correction: bool) -> str:
    """How p was found, in words."""
    if discordant == 0:
        return "the two agree on every instance"
    law = {
        "exact": "exact",
        "mid-p": "mid-p",
        "chi2": f"χ² {'with' if correction else 'without'} continuity correction",
    }
    return f"{law[method]}; {discordant} discordant instance{'s' * (discordant != 1)}"


def tango_interval(
    first: int,
    second: int,
    total: int,
    *,
    confidence: float,
    alternative: str = "two-sided",
    correction: bool = False,
) -> tuple[float, float]:
    """Tango's score interval for the difference of two paired rates: the δ that McNemar's X² would not reject.

    `first` counts the instances with a one for the first only, `second` those with a one for the second only. With
    `correction` the score is moved towards 0 by one instance, as in McNemar's corrected X². The example is that of
    Fagerland, Lydersen and Laake (2014), who print −0.517 to −0.026.

    >>> low, high = tango_interval(1, 7, 21, confidence=0.95)
    >>> round(low, 3), round(high, 3)
    (-0.517, -0.026)
    """
    z = normal_quantile((1 + confidence) / 2 if alternative == "two-sided" else confidence)
    shift = 1 if correction else 0

    def excess(delta: float, b: int, c: int) -> float:
        """(b − c − Nδ − shift) − z √(N (2q + δ(1 − δ))): falls in δ, and is 0 at the lower end."""
        # q, the probability of c's cell given δ, by maximum likelihood: 2N q² + B q − cδ(1 − δ) = 0
        linear = (2 * total - b + c) * delta - b - c
        root = sqrt(max(linear**2 + 8 * total * c * delta * (1 - delta), 0.0))
        q = max((root - linear) / (4 * total), 0.0, -delta)
        return b - c - total * delta - shift - z * sqrt(total * max(2 * q + delta * (1 - delta), 0.0))

    lower = _crossing(lambda delta: excess(delta, first, second)) if alternative != "less" else -1.0
    upper = -_crossing(lambda delta: excess(delta, second, first)) if alternative != "greater" else 1.0
    return lower, upper


def _crossing(falling: Callable[[float], float]) -> float:
    """Where a falling function on [−1, 1] crosses 0; the end of the range if it does not."""
    low, high = -1.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return low


def _published() -> list[float]:
    return numbers(mcnemar_counts(61, 23, 32, 268, method="chi2"), "statistic p")


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    name="mcnemar",
    title="McNemar's test",
    question="Do two classifiers have different error rates on new instances like these?",
    null="it is as likely that only the first is right as that only the second is",
    least_blocks=0,
    needs=(right_or_wrong(),),
    assumes=(NEW_INSTANCES, "Both models were fitted without them."),
    conventions=(
        f"With fewer than {FEW} discordant instances the test is exact (binomial), otherwise χ² with continuity "
        "correction.",
        "The correction takes one from |e01 − e10| but never goes below 0; with the option literal it does, as "
        "eq. 19.13 says by the letter.",
        "Without discordant instances the statistic is 0 and p is 1.",
        "A one-sided χ² test is made by its signed root, z.",
        "The interval for the difference of rates is Tango's score interval, with the continuity term where the "
        "test has one; where it and a discrete test disagree about 0, the end next to 0 is moved onto it.",
    ),
    cautions=(
        "It speaks about these two fitted models: how the learners vary with the training set is not in it. "
        "For learners, resample and use corrected-t or 5x2-f.",
        "Instances that both get right or both get wrong say nothing about the p, only about the interval.",
    ),
    references=("mcnemar1947", "dietterich1998", "tango1998", "fagerland2013"),
    published=Published(
        "Feelders and Verkooijen (1995), Table 4: linear discriminant analysis and a neural network",
        "X2 = 1.1636; p = 0.28",
        _published,
    ),
    recommended_for="two classifiers on the same instances, each answer right or wrong",
    rank=10,
    options={
        "method": ("which law p comes from", METHODS),
        "correction": "continuity correction of χ²",
        "literal": "eq. 19.13 by the letter where e01 = e10",
    },
    smallest_p=SmallestP(flips, "discordant instances", "all of them favour the same learner (exact law)"),
    binary=True,
    power=PowerFormula.DISCORDANT,
)
def compute(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "auto",
    correction: bool = True,
    literal: bool = False,
) -> Result:
    """The same from two columns of zeros and ones, a row an instance; the estimate is mean(a) − mean(b).

    >>> result = compute([1, 1, 1, 0, 1], [1, 0, 0, 0, 0])
    >>> result.estimate, result.p
    (0.6, 0.25)
    """
    first, second = paired(binary_column(a, "first"), binary_column(b, "second"))
    e00, e01, e10, e11 = np.bincount((2 * first + second).astype(np.intp), minlength=4).tolist()
    return mcnemar_counts(
        e00,
        e01,
        e10,
        e11,
        confidence=confidence,
        alternative=alternative,
        method=method,
        correction=correction,
        literal=literal,
    )


def _smallest_p(facts: Layout) -> float:
    """The p if every instance were discordant and spoke for the same learner."""
    return mcnemar_counts(0, facts.n_blocks, 0, 0).p
