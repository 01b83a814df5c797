"""Dietterich's 5×2 cv t test, with the nine other statistics that it might as well have been."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import number_table
from bakeoff.mathematics.laws import check_alternative, check_confidence, p_from_t, symmetric_interval, t_quantile
from bakeoff.procedures.card import Answers, Card, Caution, Compares, Published, Reference, Scope
from bakeoff.procedures.five_by_two import NEEDS, split_facts, squared_in, ten_differences
from bakeoff.procedures.result import Procedure, Result
from bakeoff.procedures.sentences import DIETTERICH
from bakeoff.scores import Level

Array = NDArray[np.float64]
DF = 5.0


def five_by_two_t(
    differences: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    size: float | None = None,
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
    p = number_table(differences, "differences")
    if p.shape != (5, 2):
        raise UsageError(f"The 5×2 cv t test needs 5 × 2 differences; found the shape {p.shape}.")
    unit = float(np.abs(p).max())
    noise = 100 * np.finfo(float).eps * (unit if size is None else size)
    if unit <= noise:
        return Result(0.0, nan, nan, 0.0, "t", (DF,), 1.0, "the two columns are the same")
    if np.abs(np.diff(p, axis=1)).max() <= noise:
        raise DegenerateError(
            "In each replication both folds show the same difference, so the variance that t divides by is zero and t "
            "does not exist. Report the differences themselves."
        )
    p = p / unit
    s2 = np.sum((p - p.mean(axis=1, keepdims=True)) ** 2, axis=1)  # s_i² = (p_i1 − p̄_i)² + (p_i2 − p̄_i)²
    se = sqrt(float(np.mean(s2)))
    possible = p / se  # eq. 19.15 with each of the ten differences in the numerator
    t = float(possible[0, 0])
    lower, upper = symmetric_interval(float(p[0, 0]), se, DF, confidence, alternative)
    return Result(
        estimate=float(p[0, 0]) * unit,
        lower=lower * unit,
        upper=upper * unit,
        statistic=t,
        statistic_name="t",
        df=(DF,),
        p=p_from_t(t, DF, alternative),
        note=_note(possible, alternative),
        details={
            "possible_t": possible,
            "possible_p": np.array([[p_from_t(float(one), DF, alternative) for one in row] for row in possible]),
            "s2": squared_in(unit, s2),
            "mean_difference": float(p.mean()) * unit,
        },
    )


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


def _note(possible: Array, alternative: str) -> str:
    """How much the arbitrary choice of the numerator matters."""
    ps = [p_from_t(float(t), DF, alternative) for t in possible.ravel()]
    low, high = (f"{p:.2g}".removeprefix("0") if p >= 0.001 else "< .001" for p in (min(ps), max(ps)))
    return f"the ten possible t range from {possible.min():.4g} to {possible.max():.4g}, p from {low} to {high}"


def compute(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    repeat: ArrayLike | None = None,
    fold: ArrayLike | None = None,
) -> Result:
    """The same from two columns of ten scores; `repeat` and `fold` number their splits (else in order, 2 a repeat)."""
    differences, size = ten_differences(a, b, repeat, fold, "t")
    return five_by_two_t(differences, confidence=confidence, alternative=alternative, size=size)


def _published() -> dict[str, float]:
    result = five_by_two_t([[0.05, 0.04], [0.06, 0.05], [0.045, 0.055], [0.052, 0.048], [0.061, 0.047]])
    return {"t(.025, 5)": t_quantile(0.975, 5), "t": result.statistic, "p": result.p}


PROCEDURE = Procedure(
    card=Card(
        name="5x2-t",
        title="5×2 cv t test (Dietterich)",
        question="Do two learners differ in error, by five replications of two-fold cross-validation?",
        null="the two learners have the same expected error for training sets of half the size",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=NEEDS,
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
            Caution(
                "It depends on which fold is called the first: the range in the note shows by how much. Use 5x2-f, "
                "which uses all ten."
            ),
            Caution("Half of the data train each model, so it speaks about smaller training sets than you have."),
            Caution("It has little power: one difference stands for ten."),
        ),
        references=(
            DIETTERICH,
            Reference("Alpaydın (1999), Neural Computation 11, 1885–1892.", "10.1162/089976699300016007"),
        ),
        published=Published(
            where="Alpaydın, section 19.11.3 (the quantile), and mlxtend 0.25.0, paired_ttest_5x2cv on ten made-up "
            "differences (t and p, run by us)",
            compute=_published,
            values={"t(.025, 5)": "2.57", "t": "6.98771243", "p": "0.000924188604"},
        ),
        because="five replications of two-fold cross-validation",
        preference=50,
        estimate="difference in {measure} on the first fold of the first repeat",
    ),
    compute=compute,
    facts=split_facts,
    over_pairs=ten_tables,
)
