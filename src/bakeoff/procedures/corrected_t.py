"""Nadeau and Bengio's corrected resampled t test: resamples share training data, and the variance says so."""

from __future__ import annotations

from math import isfinite, isnan
from typing import Any

from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Need,
    Option,
    Published,
    Reference,
    Scope,
    comparing,
    sharing_training_data,
)
from bakeoff.procedures.mean_difference import mean_difference
from bakeoff.procedures.result import Procedure, Result
from bakeoff.scores import Blocks, Layout, Level


def corrected_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    ratio: float | None = None,
    confidence: float = 0.95,
    alternative: str = "two-sided",
) -> Result:
    """Compare two learners over J resamples of one data set, t = d̄ / √((1/J + n_test/n_train) s²), J − 1 df.

    Useful for cross-validation, repeated or not, and for random splits. The resamples' training sets overlap, so the
    differences are correlated and s²/J is too small; `ratio` = n_test/n_train stands for the correlation. With
    ratio = 0 this would be the naive paired t test.

    >>> a = [0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82]
    >>> b = [0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82]
    >>> result = corrected_t(a, b, ratio=1 / 9)
    >>> round(result.statistic, 3), round(result.p, 3)
    (2.572, 0.03)
    """
    if ratio is None or isnan(ratio):
        raise UsageError(
            "The corrected t test needs the ratio of test to training size: give columns n_train and n_test, or "
            "--ratio (in Python ratio=), e.g. 0.1111 for ten folds."
        )
    if not (isfinite(ratio) and ratio > 0):
        raise UsageError(f"The ratio of test to training size must be a positive number; found {ratio!r}.")
    return mean_difference(a, b, inflation=ratio, confidence=confidence, alternative=alternative)


def _facts(_blocks: Blocks, layout: Layout) -> dict[str, Any]:
    return {"ratio": layout.test_train_ratio}


def _ratio_known(facts: Layout) -> str | None:
    if not isnan(facts.test_train_ratio):
        return None
    return (
        "the ratio of test to training size is not known: give columns n_train and n_test, or --ratio 0.1111 "
        "(ten folds)"
    )


_TEN_FOLDS = (
    (0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82),
    (0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82),
)


def _published() -> dict[str, float]:
    result = corrected_t(*_TEN_FOLDS, ratio=0.5)
    return {"t": result.statistic, "df": result.df[0], "p": result.p}


PROCEDURE = Procedure(
    card=Card(
        name="corrected-t",
        title="Corrected resampled t test (Nadeau and Bengio)",
        question="Do two learners differ in mean performance, over training sets drawn from this problem?",
        null="the two learners have the same expected performance for training sets of this size",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=(
            *comparing(Level.RESAMPLES),
            sharing_training_data(),
            Need(
                "a known ratio of test to training size (n_train and n_test, or --ratio)",
                _ratio_known,
                supplied_by="ratio",
            ),
        ),
        assumes=(
            "The differences are about normal, with one common correlation between resamples.",
            "That correlation is n_test / (n_train + n_test): a good guess, exact for no learner.",
            "Within a resample both learners saw the same training and test instances.",
        ),
        conventions=(
            "The estimate is the mean of first minus second; its variance is (1/J + n_test/n_train) s², with J − 1 "
            "degrees of freedom for J resamples.",
            "The ratio is that of the mean test and training sizes; without sizes it is 1/(K − 1) for K folds.",
            "Learners with the same value in every resample have t = 0, p = 1 and no interval.",
        ),
        cautions=(
            Caution(
                "The correction is approximate.",
                "Measured at a true null (n = 200, α = .05): 0.7 % (nearest means, docs/calibration.md) to 1.9 % "
                "(other classifiers) false positives for 10 folds, 3.2 % to 6.0 % for 10 × 10 folds, where the naive t "
                "has 4.8 % to 8.7 % and 53.9 % to 57.7 %.",
            ),
            Caution(
                "More repeats sharpen the estimate on this sample, not the knowledge of the problem: the standard "
                "error does not go below s √(n_test/n_train)."
            ),
        ),
        references=(
            Reference(
                "Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52, 239–281.",
                "10.1023/A:1024068626366",
            ),
            Reference(
                "Bouckaert and Frank (2004), Evaluating the replicability of significance tests for comparing "
                "learning algorithms, PAKDD, 3–12.",
                "10.1007/978-3-540-24775-3_3",
            ),
        ),
        published=Published(
            where="WEKA 3.6.14, PairedStatsCorrected(0.05, 0.5) on ten made-up folds (run by us)",
            compute=_published,
            values={"t": "1.52564288", "df": "9", "p": "0.16144019"},
        ),
        because="resamples of one task, whose training sets overlap",
        preference=10,
        options=(Option("ratio", None, "test size over training size, if the data do not tell", kind=float),),
    ),
    compute=corrected_t,
    facts=_facts,
)
