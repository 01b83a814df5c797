"""Alpaydın's combined F test for five replications of two-fold cross-validation."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import number_table
from bakeoff.mathematics.laws import check_confidence, f_quantile, f_sf
from bakeoff.procedures.card import Answers, Card, Caution, Compares, Published, Reference, Scope
from bakeoff.procedures.five_by_two import NEEDS, split_facts, squared_in, ten_differences
from bakeoff.procedures.result import Procedure, Result
from bakeoff.procedures.sentences import DIETTERICH, SAME_FOLDS
from bakeoff.scores import Level

Array = NDArray[np.float64]
DF = (10.0, 5.0)


def five_by_two_f(differences: ArrayLike, *, confidence: float = 0.95, size: float | None = None) -> Result:
    """Compare two learners by ten differences p[i, j] of 5 replications × 2 folds, f = Σ p² / (2 Σ s²) ~ F(10, 5).

    Useful when retraining is cheap enough for ten runs and the two halves of a replication are to share no training
    instance. The null hypothesis is that both learners have the same error. It differs from the 5×2 cv t test in
    using all ten differences in the numerator instead of the arbitrary first one. The interval holds every shift θ
    for which the test of p − θ does not reject. `size` is the magnitude of the scores behind the differences, which
    decides what is rounding error (without it, that of the differences).

    >>> result = five_by_two_f([[0.05, 0.04], [0.06, 0.05], [0.045, 0.055], [0.052, 0.048], [0.061, 0.047]])
    >>> round(result.statistic, 4), round(result.p, 6)
    (51.1484, 0.00021)
    """
    check_confidence(confidence)
    p = number_table(differences, "differences")
    if p.shape != (5, 2):
        raise UsageError(f"The 5×2 cv F test needs 5 × 2 differences; found the shape {p.shape}.")
    unit = float(np.abs(p).max())
    noise = 100 * np.finfo(float).eps * (unit if size is None else size)
    if unit <= noise:
        return Result(0.0, nan, nan, 0.0, "F", DF, 1.0, "the two columns are the same")
    if np.abs(np.diff(p, axis=1)).max() <= noise:
        raise DegenerateError(
            "In each replication both folds show the same difference, so the variance that F divides by is zero and F "
            "does not exist. Report the differences themselves."
        )
    p = p / unit
    s2 = np.sum((p - p.mean(axis=1, keepdims=True)) ** 2, axis=1)  # s_i² = (p_i1 − p̄_i)² + (p_i2 − p̄_i)²
    f = float(np.sum(p**2) / (2 * np.sum(s2)))  # eq. 19.17
    mean = float(p.mean())
    lower, upper = _not_rejected(p, 2 * float(np.sum(s2)), confidence)
    return Result(
        estimate=mean * unit,
        lower=lower * unit,
        upper=upper * unit,
        statistic=f,
        statistic_name="F",
        df=DF,
        p=float(f_sf(f, *DF)),
        note="" if lower == lower else "no interval: the test rejects every shift of the differences",
        details={"differences": p * unit, "s2": squared_in(unit, s2)},
    )


def _not_rejected(p: Array, denominator: float, confidence: float) -> tuple[float, float]:
    """All θ with Σ (p − θ)² ≤ q · 2 Σ s²: the quadratic 10 (θ − p̄)² ≤ q · 2 Σ s² − Σ (p − p̄)². NaN if there is none."""
    mean = float(p.mean())
    room = f_quantile(confidence, *DF) * denominator - float(np.sum((p - mean) ** 2))
    if room < 0:
        return nan, nan
    half = sqrt(room / 10)
    return mean - half, mean + half


def compute(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    repeat: ArrayLike | None = None,
    fold: ArrayLike | None = None,
) -> Result:
    """The same from two columns of ten scores; `repeat` and `fold` number their splits (else in order, 2 a repeat)."""
    differences, size = ten_differences(a, b, repeat, fold, "F")
    return five_by_two_f(differences, confidence=confidence, size=size)


_FOLDS = [[0.05, 0.04], [0.06, 0.05], [0.045, 0.055], [0.052, 0.048], [0.061, 0.047]]


def _published() -> dict[str, float]:
    result = five_by_two_f(_FOLDS)
    return {"F(.05, 10, 5)": f_quantile(0.95, *DF), "F": result.statistic, "p": result.p}


PROCEDURE = Procedure(
    card=Card(
        name="5x2-f",
        title="5×2 cross-validated F test (Alpaydın)",
        question="Do two learners differ in mean performance, over five replications of two-fold cross-validation?",
        null="the two learners have the same expected performance for training sets of half the size",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=NEEDS,
        assumes=(
            "The ten differences are about normal with one variance, and the two of a replication independent; within "
            "a replication they do share no training instance, between replications they do.",
            SAME_FOLDS,
        ),
        conventions=(
            "f = Σ p² / (2 Σ s²) is held against F with 10 and 5 degrees of freedom. F has no sides: the test is "
            "two-sided.",
            "The estimate is the mean of the ten differences, first minus second. The interval holds every shift of "
            "them that the test does not reject; it can be empty, and then there is none.",
            "Learners with the same value in every split have F = 0, p = 1 and no interval.",
        ),
        cautions=(
            Caution("Training sets are half of the data: the conclusion is about learners at that size."),
            Caution(
                "F also grows when the ten differences disagree between replications, so a rejection is not only about "
                "the mean; where no shift is acceptable the interval is empty."
            ),
        ),
        references=(
            Reference(
                "Alpaydın (1999), Combined 5×2 cv F test for comparing supervised classification learning algorithms, "
                "Neural Computation 11, 1885–1892.",
                "10.1162/089976699300016007",
            ),
            DIETTERICH,
        ),
        published=Published(
            where="Alpaydın (2014), section 19.11.4 (quantile), and mlxtend 0.25.0, combined_ftest_5x2cv on ten "
            "made-up differences (F and p, run by us)",
            compute=_published,
            values={"F(.05, 10, 5)": "4.74", "F": "51.1484375", "p": "0.0002104188"},
        ),
        because="five repeats of two folds, the design that this test is made for",
        preference=5,
        sides=False,
    ),
    compute=compute,
    facts=split_facts,
)
