"""The paired t test on losses: two fitted models on the same test instances."""

from __future__ import annotations

from numpy.typing import ArrayLike

from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Published,
    Reference,
    Scope,
    comparing,
)
from bakeoff.procedures.mean_difference import mean_difference
from bakeoff.procedures.result import Procedure, Result
from bakeoff.scores import Level


def paired_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    null: float = 0.0,
) -> Result:
    """Compare the mean losses of two models on the same instances, t = d̄ / √(s²/n) with n − 1 degrees of freedom.

    Useful when each instance has a loss (squared error, log loss) for both models. The null hypothesis is that the
    mean difference is `null`; a margin Δ is tested by null = ±Δ and a one-sided alternative. It differs from the
    unpaired t test in the covariance: instances that are hard for both models do not blur the comparison.

    >>> result = paired_t([0.4, 0.1, 0.9, 0.6], [0.3, 0.2, 0.5, 0.2])
    >>> round(result.estimate, 3), round(result.statistic, 4), round(result.p, 4)
    (0.2, 1.633, 0.201)
    """
    return mean_difference(a, b, confidence=confidence, alternative=alternative, null=null)


_SLEEP = (
    (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0),
    (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4),
)


def _published() -> dict[str, float]:
    result = paired_t(*_SLEEP)
    return {
        "t": result.statistic,
        "df": result.df[0],
        "p": result.p,
        "mean difference": result.estimate,
        "lower": result.lower,
        "upper": result.upper,
    }


PROCEDURE = Procedure(
    card=Card(
        name="paired-t",
        title="Paired t test on losses per instance",
        question="Do two fitted models have different mean losses on new instances like these?",
        null="the mean difference of the two models' losses is zero",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.MODELS,
        level=Level.INSTANCES,
        needs=comparing(Level.INSTANCES),
        assumes=(
            "The instances are independent draws from the population that the models are meant for; they are no time "
            "series and no clusters.",
            "Both models were fitted without them.",
            "The mean of the differences is about normal: exactly if the differences are, nearly if there are many.",
        ),
        conventions=(
            "The estimate is the mean of first minus second; t has n − 1 degrees of freedom.",
            "Models with the same loss on every instance have t = 0, p = 1 and no interval.",
            "A difference that is the same on every instance and not zero is refused: it has no standard error.",
        ),
        cautions=(
            Caution("For answers that are right or wrong (0 or 1), mcnemar says it better."),
            Caution(
                "Heavy-tailed losses, such as squared errors with a few outliers, let single instances decide, and "
                "t is then slow to become normal: look at the largest differences."
            ),
            Caution(
                "It speaks about these two fitted models: how the learners vary with the training set is not in it. "
                "For learners, resample and use corrected-t or 5x2-f."
            ),
        ),
        references=(
            Reference("Student (1908), The probable error of a mean, Biometrika 6, 1–25.", "10.1093/biomet/6.1.1"),
            Reference("Feelders and Verkooijen (1995), section 1 (the covariance of matched samples)."),
        ),
        published=Published(
            where="Student's (1908) sleep data as printed by R: t.test(group 1, group 2, paired = TRUE)",
            compute=_published,
            values={
                "t": "-4.0621",
                "df": "9",
                "p": "0.002833",
                "mean difference": "-1.58",
                "lower": "-2.4598858",
                "upper": "-0.7001142",
            },
        ),
        because="two models with a loss for each of the same instances",
        preference=30,
    ),
    compute=paired_t,
)
