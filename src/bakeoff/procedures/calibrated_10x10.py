"""Bouckaert's calibrated test for ten times ten-fold cross-validation: a hundred differences that count as eleven."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_column
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Need,
    Published,
    Reference,
    Scope,
    comparing,
)
from bakeoff.procedures.mean_difference import mean_difference
from bakeoff.procedures.result import Procedure, Result
from bakeoff.procedures.sentences import SAME_FOLDS
from bakeoff.scores import Layout, Level
from bakeoff.scores.layout import REPEATED_KFOLD

DF = 10.0


def calibrated_10x10(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided") -> Result:
    """Compare two learners over 10 × 10 folds, t = d̄ / (s / √11) with 10 degrees of freedom.

    Useful where ten-fold cross-validation was repeated ten times. Its hundred differences are far from independent;
    Bouckaert calibrated by simulation how many independent ones they are worth: as many as leave 10 degrees of freedom,
    that is, df + 1 = 11. The mean and s are those of all hundred. The null hypothesis is that both learners have the
    same expected performance. It hardly differs from corrected-t, which has √(1/100 + 1/9) s where this has s/√11.

    >>> import numpy as np
    >>> d = np.sin(np.arange(100)) + 0.5
    >>> result = calibrated_10x10(d, np.zeros(100))
    >>> round(result.statistic, 4), result.df, round(result.p, 4)
    (2.3509, (10.0,), 0.0406)
    """
    n = len(number_column(a, "first"))
    if n < 2:
        raise UsageError("A standard error needs at least two paired values; found 1.")
    # mean_difference has the variance (1/n + inflation) s²; here it is s² / (df + 1).
    return mean_difference(a, b, inflation=1 / (DF + 1) - 1 / n, df=DF, confidence=confidence, alternative=alternative)


def _ten_by_ten(facts: Layout) -> str | None:
    if facts.resampling == REPEATED_KFOLD and (facts.repeats, facts.folds) == (10, 10):
        return None
    found = f"{facts.repeats} × {facts.folds}" if facts.repeats > 1 and facts.folds > 1 else facts.resampling
    return f"its 10 degrees of freedom were calibrated for 10 × 10 folds, and the splits here are: {found}"


def _published() -> dict[str, float]:
    d = np.sin(np.arange(100)) + 0.5
    result = calibrated_10x10(d, np.zeros(100))
    return {"t": result.statistic, "df": result.df[0], "p": result.p}


PROCEDURE = Procedure(
    card=Card(
        name="calibrated-10x10",
        title="Calibrated t test for 10×10 cross-validation (Bouckaert)",
        question="Do two learners differ in mean performance, over ten times ten-fold cross-validation?",
        null="the two learners have the same expected performance for training sets of this size",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=(
            *comparing(Level.RESAMPLES),
            Need("ten repeats of ten folds", _ten_by_ten, essential=False),
        ),
        assumes=(
            "The hundred differences are about normal, and worth eleven independent ones: that was found by simulation "
            "with a few learners and generators, not derived.",
            SAME_FOLDS,
        ),
        conventions=(
            "The estimate is the mean of all differences, first minus second, with the standard error s/√11 and 10 "
            "degrees of freedom, s being the standard deviation of all differences.",
            "Learners with the same value in every fold have t = 0, p = 1 and no interval.",
        ),
        cautions=(
            Caution(
                "The calibration holds for designs like those it was made on; corrected-t works for any number of "
                "folds and repeats, and is nearly the same here.",
                "Measured at a true null (n = 200, nearest centroids on two exchangeable halves of the features, "
                "α = .05, 2,000 samples): 5.1 % false positives, corrected-t 4.6 %; with √100 instead of √11, 52 %. "
                "With nearest means of one feature each (docs/calibration.md) 4.0 %, 3.2 % and 53.9 %.",
            ),
        ),
        references=(
            Reference(
                "Bouckaert (2003), Choosing between two learning algorithms based on calibrated tests, ICML, 51–58."
            ),
            Reference(
                "Bouckaert and Frank (2004), Evaluating the replicability of significance tests for comparing "
                "learning algorithms, PAKDD, 3–12.",
                "10.1007/978-3-540-24775-3_3",
            ),
        ),
        published=Published(
            where="R 4.2.2, sqrt(11) * mean(d) / sd(d) and 2 * pt(-t, 10) for d = sin(0:99) + .5: the definition, "
            "because no document at hand prints a worked example",
            compute=_published,
            values={"t": "2.350901", "df": "10", "p": "0.040578"},
        ),
        because="ten repeats of ten folds, for which its degrees of freedom were calibrated",
        preference=20,
    ),
    compute=calibrated_10x10,
)
