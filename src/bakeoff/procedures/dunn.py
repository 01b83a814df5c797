"""Dunn's simultaneous intervals for all pairwise differences of several classifiers' rates."""

from __future__ import annotations

from itertools import combinations
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.evidence import Estimates
from bakeoff.joint_laws import BonferroniLaw
from bakeoff.mathematics.checks import choice, number_column
from bakeoff.mathematics.right_or_wrong import answers
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Option,
    Published,
    Reference,
    Scope,
    at_least_learners,
    at_level,
    right_or_wrong,
    three_or_more,
)
from bakeoff.procedures.result import Many, Procedure
from bakeoff.procedures.sentences import NEW_INSTANCES
from bakeoff.scores import Level

FREEDOM = ("inf", "n-1")


def dunn(table: ArrayLike, *, df: str = "inf") -> Many:
    """Compare the rates of k classifiers on the same n instances, for all pairs at once.

    Useful when several classifiers were run on one test set and each answer is right or wrong. The null hypothesis is
    that the rates are equal. All differences have one pooled variance, that of Cochran's Q, so that even a pair with
    few discordant instances has a usable standard error; Dunn's quantile is Bonferroni's for k(k−1)/2 comparisons,
    from the normal law or (`df` "n-1") from Student's.

    >>> many = dunn([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 1, 0]])
    >>> many.estimates.values.tolist(), round(many.details["sigma_diff"], 4)
    ([0.8, 0.6, 0.2], 0.3651)
    """
    choice(df, FREEDOM, "count of degrees of freedom")
    found = answers(table)
    many = from_summary(found.rates, sqrt(found.variance), inf if df == "inf" else float(found.n - 1))
    return Many(estimates=many.estimates, details={**many.details, "instances": found.n})


def from_summary(rates: ArrayLike, sigma_diff: float, df: float = inf) -> Many:
    """The same from what is printed: the rates and the standard error of a difference.

    >>> from_summary([0.8, 0.7], 0.1).estimates.covariance.diagonal().round(6).tolist()
    [0.005, 0.005]
    """
    values = number_column(rates, "rates")
    # Independent estimates of variance σ²/2 each, so that every difference has the variance σ².
    covariance = np.eye(len(values)) * sigma_diff**2 / 2
    return Many(
        estimates=Estimates(values, covariance, df, BonferroniLaw(df)),
        details={"rates": values, "sigma_diff": sigma_diff},
    )


_TABLE_5 = {
    "lower (1,2)": "-0.045", "upper (1,2)": "0.071", "lower (1,3)": "0.033", "upper (1,3)": "0.149",
    "lower (1,4)": "-0.066", "upper (1,4)": "0.05", "lower (1,5)": "-0.048", "upper (1,5)": "0.068",
    "lower (2,3)": "0.02", "upper (2,3)": "0.136", "lower (2,4)": "-0.079", "upper (2,4)": "0.037",
    "lower (2,5)": "-0.061", "upper (2,5)": "0.055", "lower (3,4)": "-0.157", "upper (3,4)": "-0.041",
    "lower (3,5)": "-0.139", "upper (3,5)": "-0.023", "lower (4,5)": "-0.04", "upper (4,5)": "0.076",
}  # fmt: skip


def _published() -> dict[str, float]:
    """Table 5 was computed from the rounded rates and the rounded standard error that the text prints."""
    estimates = from_summary([0.781, 0.768, 0.69, 0.789, 0.771], 0.0205).estimates
    assert estimates is not None
    quantile = estimates.law.critical(0.05, 10)
    made = {"Z(10, .975)": quantile}
    for i, j in combinations(range(5), 2):
        difference = float(estimates.values[i] - estimates.values[j])
        made[f"lower ({i + 1},{j + 1})"] = difference - quantile * 0.0205
        made[f"upper ({i + 1},{j + 1})"] = difference + quantile * 0.0205
    return made


PROCEDURE = Procedure(
    card=Card(
        name="dunn",
        title="Dunn's simultaneous comparisons of rates",
        question="Which of several classifiers differ in error rate on new instances like these?",
        null="the classifiers have the same probability of being right",
        compares=Compares.MANY,
        answers=Answers.PAIRS,
        speaks_about=Scope.MODELS,
        level=Level.INSTANCES,
        needs=(at_level(Level.INSTANCES), at_least_learners(2), right_or_wrong(), three_or_more()),
        assumes=(
            NEW_INSTANCES,
            "The models were fitted without them.",
            "Under the null hypothesis all pairs have the same covariance, so that one variance serves all.",
        ),
        conventions=(
            "The estimate is the first rate minus the second; every difference has the pooled variance 2 (k Σ Yj. − "
            "Σ Yj.²) / (n² k (k−1)), that of Cochran's Q.",
            "Single-step adjusted p and intervals use Bonferroni's quantile for as many comparisons as are made, of "
            "the normal law; with df=n-1 of Student's t.",
            "Where all classifiers agree on every instance, all z are 0 and all p are 1.",
        ),
        cautions=(
            Caution(
                "The pooled variance is that of the null hypothesis: if some classifiers differ much and others "
                "hardly, intervals of the pairs that agree on most instances are too wide, of the others too short. "
                "mcnemar with holm uses each pair's own."
            ),
            Caution(
                "Feelders and Verkooijen name ν = n − 1 = 383 degrees of freedom and use ν = ∞ (2.81); with 383 the "
                "quantile is 2.823. Their Table 5 is computed from rates rounded to three decimals."
            ),
            Caution("It speaks about these fitted models; for learners, resample and use corrected-t."),
        ),
        references=(
            Reference(
                "Dunn (1961), Multiple comparisons among means, JASA 56, 52–64.", "10.1080/01621459.1961.10482090"
            ),
            Reference("Marascuilo and McSweeney (1977), Nonparametric and Distribution-Free Methods, p. 180."),
            Reference("Feelders and Verkooijen (1995), Which method learns most from the data?, section 3."),
        ),
        published=Published(
            where="Feelders and Verkooijen (1995), Table 5: five classifiers on 384 instances, from the printed rates",
            compute=_published,
            values={"Z(10, .975)": "2.81", **_TABLE_5},
        ),
        because="several classifiers on the same instances, each answer right or wrong, compared all at once",
        preference=3,
        options=(Option("df", "inf", "degrees of freedom of the quantile", choices=FREEDOM),),
        single_step="Dunn",
        default_adjust="single-step",
    ),
    compute=dunn,
)
