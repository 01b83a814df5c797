"""Several classifiers that are right or wrong on the same instances: Dunn's intervals and Cochran's Q."""

from __future__ import annotations

from itertools import combinations
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.inference.evidence import Estimates
from bakeoff.inference.joint_laws import BonferroniLaw
from bakeoff.mathematics.binary_tables import answers
from bakeoff.mathematics.checks import choice, number_column
from bakeoff.mathematics.laws import chi2_sf
from bakeoff.procedures.card import ONE_VARIANCE, Answers
from bakeoff.procedures.needs import FITTED_MODELS, NEW_INSTANCES, right_or_wrong, three_or_more
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, NullDesign, Result, Trial, procedure

FREEDOM = ("inf", "n-1")


def _published_dunn() -> list[float]:
    """Table 5 was computed from the rounded rates and the rounded standard error that the text prints."""
    rates, se = (0.781, 0.768, 0.69, 0.789, 0.771), 0.0205
    quantile = BonferroniLaw(inf).critical(0.05, 10)
    ends = (a - b + sign * quantile * se for a, b in combinations(rates, 2) for sign in (-1, 1))
    return [quantile, *ends]


@procedure(
    Compares.MANY,
    Level.INSTANCES,
    title="Dunn's simultaneous comparisons of rates",
    question="Which of several classifiers differ in error rate on new instances like these?",
    null="the classifiers have the same probability of being right",
    least_blocks=0,
    needs=(right_or_wrong, three_or_more),
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
        "The pooled variance is that of the null hypothesis: if some classifiers differ much and others hardly, "
        "intervals of the pairs that agree on most instances are too wide, of the others too short. item-flips uses "
        "each pair's own, for all pairs together. Measured with near-clones and two unlike classifiers (200 instances, "
        "α = .05): 6 % false claims for 5, 12 % for 10, 22 % for 20 classifiers; and a weak one among near-clones "
        "hides differences that item-flips finds (power 35 against 62 %, 10 classifiers).",
        "Feelders and Verkooijen name ν = n − 1 = 383 degrees of freedom and use ν = ∞ (2.81); with 383 the "
        "quantile is 2.823. Their Table 5 is computed from rates rounded to three decimals.",
        FITTED_MODELS,
    ),
    references=("dunn1961", "marascuilo1977 p. 180", "feelders1995 section 3"),
    published="Feelders and Verkooijen (1995), Table 5: five classifiers on 384 instances, from the printed rates",
    printed="Z(10, .975) = 2.81; lower (1,2) = -0.045; upper (1,2) = 0.071; lower (1,3) = 0.033; upper (1,3) = 0.149; "
    "lower (1,4) = -0.066; upper (1,4) = 0.05; lower (1,5) = -0.048; upper (1,5) = 0.068; lower (2,3) = 0.02; "
    "upper (2,3) = 0.136; lower (2,4) = -0.079; upper (2,4) = 0.037; lower (2,5) = -0.061; upper (2,5) = "
    "0.055; lower (3,4) = -0.157; upper (3,4) = -0.041; lower (3,5) = -0.139; upper (3,5) = -0.023; lower "
    "(4,5) = -0.04; upper (4,5) = 0.076",
    example=_published_dunn,
    recommended_for="several classifiers on the same instances, each answer right or wrong, compared all at once",
    rank=40,
    pooled=ONE_VARIANCE,
    further_trials=(Trial(NullDesign.CLONES, 10, holds=False),),
    options={"df": ("degrees of freedom of the quantile", FREEDOM)},
    single_step="Dunn",
    binary=True,
)
def dunn(table: ArrayLike, *, df: str = "inf") -> ManyResult:
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
    tallies = answers(table)
    many = from_summary(tallies.rates, sqrt(tallies.variance), inf if df == "inf" else float(tallies.n - 1))
    return ManyResult(estimates=many.estimates, details={**many.details, "instances": tallies.n})


def from_summary(rates: ArrayLike, sigma_diff: float, df: float = inf) -> ManyResult:
    """The same from what is printed: the rates and the standard error of a difference.

    >>> from_summary([0.8, 0.7], 0.1).estimates.covariance.diagonal().round(6).tolist()
    [0.005, 0.005]
    """
    values = number_column(rates, "rates")
    # Independent estimates of variance σ²/2 each, so that every difference has the variance σ².
    covariance = np.eye(len(values)) * sigma_diff**2 / 2
    return ManyResult(
        estimates=Estimates(values, covariance, df, BonferroniLaw(df)),
        details={"rates": values, "sigma_diff": sigma_diff},
    )


# --- Cochran's Q: do several classifiers have the same error rate on the same instances? ------------------------------
# Cochran (1950), Table 1: four media for diphtheria bacilli on 69 specimens, as patterns of growth and their counts.
_MEDIA = 4 * [(1, 1, 1, 1)] + 2 * [(1, 1, 0, 1)] + 3 * [(0, 1, 1, 1)] + [(0, 1, 0, 1)] + 59 * [(0, 0, 0, 0)]


@procedure(
    Compares.MANY,
    Level.INSTANCES,
    title="Cochran's Q test",
    question="Do several classifiers have different error rates on new instances like these?",
    null="all classifiers have the same probability of being right",
    answers=Answers.GLOBAL,
    least_blocks=0,
    needs=(right_or_wrong,),
    assumes=(
        NEW_INSTANCES,
        "The models were fitted without them.",
        "Under the null hypothesis all pairs have the same covariance; and there are enough instances on which "
        "they do not all agree (24 answers or more, k times their number).",
    ),
    conventions=(
        "Q is held against χ² with k − 1 degrees of freedom; there is no continuity correction.",
        "Where all classifiers agree on every instance, Q is 0 and p is 1.",
    ),
    cautions=(
        "It says that some differ, not which: item-flips compares all pairs, each with its own variance.",
        "It need not be significant before pairs are compared: item-flips controls the error rate by itself.",
    ),
    references=("cochran1950", "marascuilo1977 p. 180", "feelders1995 section 3"),
    published="Cochran (1950), Table 1: media for diphtheria bacilli",
    printed="Q = 8.05; p = 0.045",
    example=Example("statistic p", _MEDIA),
    recommended_for="several classifiers on the same instances, each answer right or wrong",
    rank=10,
    sides=False,
    binary=True,
    synonyms=("Cochran's Q",),
)
def cochran_q(table: ArrayLike) -> ManyResult:
    """Test whether k classifiers are right equally often on the same n instances, Q ~ χ² with k − 1 df.

    Q = 2 Σ (Ȳi − Ȳ)² / σ²_diff, which is k(k−1) Σ (Ci − C̄)² / (k Σ Rj − Σ Rj²) with column sums C and row sums R. The
    null hypothesis is that the rates are equal. For two classifiers Q is McNemar's χ² without continuity correction.
    Where all classifiers agree on every instance, Q is 0 and p is 1.

    >>> many = cochran_q([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 1, 0]])
    >>> round(many.tests[0].statistic, 4), round(many.tests[0].p, 4)
    (2.8, 0.2466)
    """
    tallies = answers(table)
    df = len(tallies.rates) - 1
    note = "" if tallies.variance > 0 else "all agree on every instance"
    test = Result(
        statistic=tallies.q, statistic_name="Cochran's Q", df=(float(df),), p=float(chi2_sf(tallies.q, df)), note=note
    )
    details = {"rates": tallies.rates, "sigma_diff_squared": tallies.variance, "sigma_diff": sqrt(tallies.variance)}
    return ManyResult(tests=(test,), details=details)
