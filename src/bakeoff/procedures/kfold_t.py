"""The K-fold cross-validated paired t test: widely used, too liberal, here with its caution."""

from __future__ import annotations

from numpy.typing import ArrayLike

from bakeoff.mathematics.laws import t_quantile
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
from bakeoff.procedures.sentences import DIETTERICH, SAME_FOLDS
from bakeoff.scores import Layout, Level
from bakeoff.scores.layout import KFOLD
from bakeoff.scores.splitting import Runs


def kfold_t(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided") -> Result:
    """Compare two learners over the K folds of one cross-validation, t = √K m / S with K − 1 df (eq. 19.14).

    It treats the folds as independent, which their shared training data are not. Useful to reproduce published
    results; corrected-t differs by one term in the variance and keeps its error rate better.

    >>> a = [0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82]
    >>> b = [0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82]
    >>> result = kfold_t(a, b)
    >>> round(result.statistic, 3), round(result.p, 4)
    (3.737, 0.0046)
    """
    return mean_difference(a, b, confidence=confidence, alternative=alternative)


def _one_cross_validation(facts: Layout) -> str | None:
    independent = facts.are_runs and facts.splitting.runs in (Runs.INDEPENDENT, Runs.FIXED_SPLIT)
    if facts.resampling == KFOLD or independent:
        return None
    if facts.repeats > 1 and facts.folds > 1:
        return (
            f"the blocks come from {facts.resampling} ({facts.repeats} × {facts.folds}): a naive t over repeated "
            "cross-validation counts the same instances once a repeat and is badly wrong"
        )
    return f"it is made for the folds of one cross-validation, and the blocks here are: {facts.resampling}"


_TEN_FOLDS = (
    (0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82),
    (0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82),
)


def _published() -> dict[str, float]:
    result = kfold_t(*_TEN_FOLDS)
    return {
        "t(.025, 9)": t_quantile(0.975, 9),
        "t(.025, 29)": t_quantile(0.975, 29),
        "t": result.statistic,
        "p": result.p,
    }


PROCEDURE = Procedure(
    card=Card(
        name="kfold-t",
        title="K-fold cross-validated paired t test",
        question="Do two learners differ in mean performance, over the folds of one cross-validation?",
        null="the two learners have the same expected performance",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=(
            *comparing(Level.RESAMPLES),
            Need("a single K-fold cross-validation, or independent runs", _one_cross_validation, essential=False),
        ),
        assumes=(
            "The folds' differences are independent and about normal. They are not independent: any two training sets "
            "share most of their instances.",
            SAME_FOLDS,
        ),
        conventions=(
            "The estimate is the mean of first minus second; t has K − 1 degrees of freedom.",
            "Learners with the same value in every fold have t = 0, p = 1 and no interval.",
        ),
        cautions=(
            Caution(
                "It finds differences where there are none; use corrected-t.",
                "Measured at a true null (n = 200, α = .05): 4.8 % (nearest means, docs/calibration.md) to 8.7 % "
                "(other classifiers) false positives for 10 folds, 53.9 % to 57.7 % if it is applied to 10 × 10 folds, "
                "68.5 % over 30 random halves (the resampled t test).",
            ),
        ),
        references=(
            DIETTERICH,
            Reference("Alpaydın (2014), Introduction to Machine Learning, 3rd ed., section 19.11.2."),
        ),
        published=Published(
            where="Alpaydın, section 19.11.2 (quantiles), and mlxtend 0.25.0, paired_ttest_kfold_cv on ten made-up "
            "folds (t and p, run by us)",
            compute=_published,
            values={"t(.025, 9)": "2.26", "t(.025, 29)": "2.05", "t": "3.7370466", "p": "0.0046466"},
        ),
        because="two learners over the folds of one cross-validation",
        preference=46,
    ),
    compute=kfold_t,
)
