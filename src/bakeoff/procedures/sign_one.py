"""The sign test of one learner against a constant, over many tasks."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_column
from bakeoff.mathematics.laws import check_alternative, check_confidence
from bakeoff.mathematics.signs import median_interval
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Option,
    Published,
    Reference,
    Scope,
    at_least_blocks,
    at_level,
)
from bakeoff.procedures.result import Procedure, Result
from bakeoff.procedures.sentences import SAMPLE_OF_PROBLEMS
from bakeoff.procedures.sign import OPTIONS, sign_of, smallest_p
from bakeoff.scores import Level


def sign_one(
    x: ArrayLike,
    *,
    constant: float | None = None,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    ties: str = "split",
    method: str = "exact",
    correction: bool = False,
) -> Result:
    """The median of one learner's values over tasks, and the sign test of whether it is `constant`.

    Useful to ask whether a learner's error is below two percent on most tasks, whatever it is on the others. "less" is
    that most values lie below the constant. Without a constant there is an interval for the median and no test.

    >>> errors = [0.012, 0.018, 0.025, 0.011, 0.019, 0.031, 0.015, 0.017, 0.009, 0.016]
    >>> result = sign_one(errors, constant=0.02, alternative="less")
    >>> round(result.p, 4), result.details["below"]
    (0.0547, 8)
    """
    check_confidence(confidence)
    check_alternative(alternative)
    values = number_column(x)
    if constant is None:
        lower, upper = median_interval(values, confidence, alternative)
        estimate = float(np.median(values))
        return Result(estimate=estimate, lower=lower, upper=upper, details={"tasks": len(values)})
    if not isfinite(constant):
        raise UsageError(f"The constant tested against must be a finite number; found {constant!r}.")
    return sign_of(
        values,
        constant=float(constant),
        confidence=confidence,
        alternative=alternative,
        ties=ties,
        method=method,
        correction=correction,
    )


_ERRORS = (0.012, 0.018, 0.025, 0.011, 0.019, 0.031, 0.015, 0.017, 0.009, 0.016)


def _published() -> dict[str, float]:
    result = sign_one(_ERRORS, constant=0.02, alternative="less")
    return {"values below .02": result.details["below"], "p": result.p, "median": result.estimate}


PROCEDURE = Procedure(
    card=Card(
        name="sign-one",
        title="Sign test of one learner against a constant",
        question="On most problems like these, is this learner's value above (or below) a value fixed in advance?",
        null="the median over problems is the constant (without a constant none is tested: an interval is given)",
        compares=Compares.ONE,
        answers=Answers.EACH,
        speaks_about=Scope.PROBLEMS,
        level=Level.TASKS,
        needs=(at_level(Level.TASKS), at_least_blocks(2)),
        assumes=(
            SAMPLE_OF_PROBLEMS,
            "The constant was chosen without these data.",
        ),
        conventions=(
            "A value equal to the constant is a tie. Ties are split evenly; if their number is odd, one is dropped and "
            "N is reduced. With the option ties=dropped all ties are dropped, the classical way.",
            "p is exact: P(X ≥ e), P(X ≤ e), or twice the smaller, for X ~ Bin(N, ½), X the number of values above.",
            "The estimate is the median, its interval runs between two order statistics; where it and the test "
            "disagree about the constant, the end next to it is moved onto it.",
        ),
        cautions=(
            Caution("It is about the median: on a few problems the learner may do as badly as it likes."),
            Caution("Another learner is not a constant: to compare two over the same tasks use wilcoxon or sign."),
        ),
        references=(
            Reference("Alpaydın (2014), Introduction to Machine Learning, 3rd ed., section 19.13.1."),
            Reference("Dixon and Mood (1946), The statistical sign test, JASA 41, 557–566."),
        ),
        published=Published(
            where="R's BSDA 1.2.2, SIGN.test(x, md = .02, alternative = 'less') on ten made-up error rates; no "
            "document prints a p",
            compute=_published,
            values={"values below .02": "8", "p": "0.0546875", "median": "0.0165"},
        ),
        because="one learner's scores over many tasks, whose median needs an interval",
        preference=10,
        options=(
            Option("constant", None, "the median tested against, fixed in advance; without it no test", kind=float),
            *OPTIONS,
        ),
        default_adjust="none",
        smallest_p=smallest_p,
        estimate="median {measure}",
    ),
    compute=sign_one,
)
