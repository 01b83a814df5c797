"""The two tests of 5×2 cross-validation: Alpaydın's combined F, and Dietterich's t."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, number_column, number_table, paired
from bakeoff.mathematics.laws import check_alternative, check_confidence, f_quantile, f_sf, p_from_t, t_quantile
from bakeoff.mathematics.linear_models import t_test
from bakeoff.procedures.needs import SAME_FOLDS, five_times_two
from bakeoff.procedures.procedure import Compares, Level, NullDesign, Result, Trial, numbers, procedure

F_DF, T_DF = (10.0, 5.0), 5.0
SAME = "the two columns are the same"


def ten_differences(
    a: ArrayLike, b: ArrayLike, repeat: ArrayLike | None, fold: ArrayLike | None, test: str
) -> tuple[Array, float]:
    """a − b as 5 replications × 2 folds, and the magnitude of the scores behind them.

    `repeat` and `fold` number the splits; without them they are in order, two a repeat. `test` is named in refusals.

    >>> ten_differences(range(10), [0] * 10, None, None, "t")[0].tolist()
    [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0], [8.0, 9.0]]
    """
    first, second = paired(number_column(a, "first"), number_column(b, "second"))
    if len(first) != 10:
        raise UsageError(f"The 5×2 cv {test} test needs ten paired scores; found {len(first)}.")
    repeats = np.repeat(np.arange(5), 2) if repeat is None else np.asarray(repeat)
    folds = np.tile(np.arange(2), 5) if fold is None else np.asarray(fold)
    order = np.lexsort((folds, repeats))
    if (np.unique(repeats, return_counts=True)[1] != 2).any():
        raise UsageError(
            f"The 5×2 cv {test} test needs five repeats of two folds; these splits are arranged otherwise."
        )
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    return (first - second)[order].reshape(5, 2), size


def squared_in(unit: float, s2: Array) -> Array:
    """Variances of differences that were divided by `unit`, in the differences' own unit; infinite if out of range.

    >>> squared_in(2.0, np.array([1.0, 3.0])).tolist()
    [4.0, 12.0]
    """
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(s2 * np.square(np.float64(unit)))


def _variances(differences: ArrayLike, size: float | None, test: str) -> tuple[Array, Array, float]:
    """The differences in units of the largest, the variances s_i² of the replications, and that unit.

    The unit is 0 where the differences are no more than rounding error.
    """
    p = number_table(differences, "differences")
    if p.shape != (5, 2):
        raise UsageError(f"The 5×2 cv {test} test needs 5 × 2 differences; found the shape {p.shape}.")
    unit = float(np.abs(p).max())
    noise = 100 * np.finfo(float).eps * (unit if size is None else size)
    if unit <= noise:
        return p, np.zeros(5), 0.0
    if np.abs(np.diff(p, axis=1)).max() <= noise:
        raise DegenerateError(
            f"In each replication both folds show the same difference, so the variance that {test} divides by is zero "
            f"and {test} does not exist. Report the differences themselves."
        )
    p = p / unit
    return p, np.sum((p - p.mean(axis=1, keepdims=True)) ** 2, axis=1), unit  # s_i² = (p_i1 − p̄_i)² + (p_i2 − p̄_i)²


SHARED: dict[str, Any] = {"needs": (five_times_two,), "fixed_folds": (5, 2), "trials": (Trial(NullDesign.HALVES),)}
_FOLDS = [[0.05, 0.04], [0.06, 0.05], [0.045, 0.055], [0.052, 0.048], [0.061, 0.047]]


# --- Alpaydın's combined F test for five replications of two-fold cross-validation ------------------------------------
def five_by_two_f(differences: ArrayLike, size: float | None = None, *, confidence: float = 0.95) -> Result:
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
    p, s2, unit = _variances(differences, size, "F")
    if unit == 0:
        return Result(0.0, nan, nan, 0.0, "F", F_DF, 1.0, SAME)
    f = float(np.sum(p**2) / (2 * np.sum(s2)))  # eq. 19.17
    mean = float(p.mean())
    lower, upper = _not_rejected(p, 2 * float(np.sum(s2)), confidence)
    note = "" if lower == lower else "no interval: the test rejects every shift of the differences"
    details = {"differences": p * unit, "s2": squared_in(unit, s2)}
    return Result(mean * unit, lower * unit, upper * unit, f, "F", F_DF, float(f_sf(f, *F_DF)), note, details)


def _not_rejected(p: Array, denominator: float, confidence: float) -> tuple[float, float]:
    """All θ with Σ (p − θ)² ≤ q · 2 Σ s²: the quadratic 10 (θ − p̄)² ≤ q · 2 Σ s² − Σ (p − p̄)². NaN if there is none."""
    mean = float(p.mean())
    room = f_quantile(confidence, *F_DF) * denominator - float(np.sum((p - mean) ** 2))
    if room < 0:
        return nan, nan
    half = sqrt(room / 10)
    return mean - half, mean + half


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    name="5x2-f",
    title="5×2 cross-validated F test",
    title_bracket="Alpaydın",
    question="Do two learners differ in mean performance, over five replications of two-fold cross-validation?",
    null="the two learners have the same expected performance for training sets of half the size",
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
        "Training sets are half of the data: the conclusion is about learners at that size.",
        "F also grows when the ten differences disagree between replications, so a rejection is not only about "
        "the mean; where no shift is acceptable the interval is empty.",
    ),
    references=("alpaydin1999", "dietterich1998"),
    published="Alpaydın (2014), section 19.11.4 (quantile), and mlxtend 0.25.0, combined_ftest_5x2cv on ten "
    "made-up differences (F and p, run by us)",
    printed="F(.05, 10, 5) = 4.74; F = 51.1484375; p = 0.0002104188",
    example=lambda: [f_quantile(0.95, *F_DF), *numbers(five_by_two_f(_FOLDS), "statistic p")],
    recommended_for="five repeats of two folds, the design that this test is made for",
    rank=5,
    **SHARED,
    options_of=five_by_two_f,
    synonyms=("5x2cv", "combined 5x2cv F-test"),
)
def compute_f(
    a: ArrayLike, b: ArrayLike, *, repeat: ArrayLike | None = None, fold: ArrayLike | None = None, **options: Any
) -> Result:
    """The same from two columns of ten scores; `repeat` and `fold` number their splits (else in order, 2 a repeat)."""
    differences, size = ten_differences(a, b, repeat, fold, "F")
    return five_by_two_f(differences, size, **options)


# --- Dietterich's 5×2 cv t test, with the nine other statistics that it might as well have been -----------------------
def five_by_two_t(
    differences: ArrayLike, size: float | None = None, *, confidence: float = 0.95, alternative: str = "two-sided"
) -> Result:
    """Compare two learners by 5 replications × 2 folds, t = p[1, 1] / √(Σ s² / 5) ~ t with 5 df (eq. 19.15).

    Useful to reproduce published results. The numerator is the difference of the first fold of the first replication;
    any other of the ten would be as good, and each gives another t. All ten are in the details, and the note shows the
    smallest and the largest. The combined F test (5x2-f) uses all ten at once. `size` is the magnitude of the scores
    behind the differences, which decides what is rounding error (without it, that of the differences).

    >>> result = five_by_two_t([[0.05, 0.04], [0.06, 0.05], [0.045, 0.055], [0.052, 0.048], [0.061, 0.047]])
    >>> round(result.statistic, 4), round(result.p, 6)
    (6.9877, 0.000924)
    >>> result.note
    'the ten possible t range from 5.59 to 8.525, p from < .001 to .0025'
    """
    check_confidence(confidence)
    check_alternative(alternative)
    p, s2, unit = _variances(differences, size, "t")
    if unit == 0:
        return Result(0.0, nan, nan, 0.0, "t", (T_DF,), 1.0, SAME)
    se, first, mean = sqrt(float(np.mean(s2))), float(p[0, 0]), float(p.mean()) * unit
    possible = p / se  # eq. 19.15 with each of the ten differences in the numerator
    ps = np.array([[p_from_t(float(one), T_DF, alternative) for one in row] for row in possible])
    lower, upper, t, p_value = t_test(first, se, T_DF, confidence, alternative)
    details = {"possible_t": possible, "possible_p": ps, "s2": squared_in(unit, s2), "mean_difference": mean}
    note = _range_of(possible, ps)
    return Result(first * unit, lower * unit, upper * unit, t, "t", (T_DF,), p_value, note, details)


def _range_of(possible: Array, ps: Array) -> str:
    """How much the arbitrary choice of the numerator matters."""
    low, high = (f"{p:.2g}".removeprefix("0") if p >= 0.001 else "< .001" for p in (ps.min(), ps.max()))
    return f"the ten possible t range from {possible.min():.4g} to {possible.max():.4g}, p from {low} to {high}"


def ten_tables(of_pair: Mapping[tuple[str, str], Mapping[str, Any]], _learners: Sequence[str]) -> dict[str, Any]:
    """All ten t of each pair and their p, so that the arbitrary choice of the first shows. Columns are repeat.fold."""
    splits = [f"{repeat}.{fold}" for repeat in range(1, 6) for fold in (1, 2)]
    rows = {" − ".join(pair): details for pair, details in of_pair.items() if "possible_t" in details}
    return {
        f"{name} with the difference of each repeat.fold in the numerator": (
            ["", *splits],
            [[pair, *map(float, np.ravel(details[f"possible_{name}"]))] for pair, details in rows.items()],
        )
        for name in ("t", "p")
        if rows
    }


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    name="5x2-t",
    title="5×2 cv t test",
    title_bracket="Dietterich",
    question="Do two learners differ in error, by five replications of two-fold cross-validation?",
    null="the two learners have the same expected error for training sets of half the size",
    assumes=(
        "The ten differences are about normal with one common variance, and the five estimates of that variance "
        "are independent.",
        "Within a split both learners saw the same training and test instances.",
    ),
    conventions=(
        "The numerator is the first fold of the first replication, as the splits are numbered; the estimate is "
        "that difference, with its interval. The mean of all ten is in the details.",
        "All ten possible t and p are shown, and the note tells their range.",
        "Learners with the same value in every split have t = 0, p = 1 and no interval.",
    ),
    cautions=(
        "It depends on which fold is called the first: the range in the note shows by how much. Use 5x2-f, "
        "which uses all ten.",
        "Half of the data train each model, so it speaks about smaller training sets than you have.",
        "It has little power: one difference stands for ten.",
    ),
    references=("dietterich1998", "alpaydin1999"),
    published="Alpaydın, section 19.11.3 (the quantile), and mlxtend 0.25.0, paired_ttest_5x2cv on ten made-up "
    "differences (t and p, run by us)",
    printed="t(.025, 5) = 2.57; t = 6.98771243; p = 0.000924188604",
    example=lambda: [t_quantile(0.975, 5), *numbers(five_by_two_t(_FOLDS), "statistic p")],
    recommended_for="five replications of two-fold cross-validation",
    rank=50,
    estimate="difference in {measure} on the first fold of the first repeat",
    over_pairs=ten_tables,
    **SHARED,
    options_of=five_by_two_t,
    synonyms=("5x2cv", "t-test", "Dietterich's 5x2cv"),
)
def compute_t(
    a: ArrayLike, b: ArrayLike, *, repeat: ArrayLike | None = None, fold: ArrayLike | None = None, **options: Any
) -> Result:
    """The same from two columns of ten scores; `repeat` and `fold` number their splits (else in order, 2 a repeat)."""
    differences, size = ten_differences(a, b, repeat, fold, "t")
    return five_by_two_t(differences, size, **options)
