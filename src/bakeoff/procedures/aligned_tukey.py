"""Simultaneous intervals for all pairs of learners after alignment, as Hothorn and others propose."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.evidence import Estimates
from bakeoff.joint_laws import RangeLaw, laws_of_means
from bakeoff.mathematics.checks import choice
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Option,
    Published,
    Reference,
    Scope,
    comparing,
    not_repeated,
    three_or_more,
)
from bakeoff.procedures.result import Many, Procedure
from bakeoff.procedures.rm_anova import FOLDS, take_apart
from bakeoff.procedures.sentences import HOTHORN
from bakeoff.scores import Level

DF = ("blocks", "independent", "inf")


def aligned_tukey(table: ArrayLike, *, df: str = "blocks") -> Many:
    """Compare all pairs of k learners over B blocks after each block's mean is taken off every value.

    Useful when simultaneous intervals for the differences are wanted rather than one test. The null hypothesis is that
    the learners have the same mean. `df` says how the variance of the aligned values is estimated: "blocks"
    has (k−1)(B−1) degrees of freedom, which is what alignment leaves; "independent" has k(B−1), as if nothing had been
    taken off, which Hothorn and others write; "inf" is the latter against the normal law, for many blocks.

    >>> many = aligned_tukey([[1, 2, 3], [2, 4, 5], [3, 4, 7], [5, 7, 8]])
    >>> many.estimates.values.tolist(), many.estimates.df
    ([2.75, 4.25, 5.75], 6.0)
    """
    choice(df, DF, "df")
    found = take_apart(table)
    n, k = found.residuals.shape
    count = found.df_error if df == "blocks" else k * (n - 1)
    freedom = inf if df == "inf" else float(count)
    variance = found.ss_error / count
    return Many(
        estimates=Estimates(
            found.means, np.eye(k) * variance / n, freedom, RangeLaw(k, freedom), laws=laws_of_means(k, freedom)
        ),
        details={"aligned": found.residuals + found.means - found.means.mean(), "variance": variance, "blocks": n},
    )


def _published() -> dict[str, float]:
    made = {}
    for name, df in (("", "blocks"), (" with K(B−1) df", "independent"), (" with infinite df", "inf")):
        estimates = aligned_tukey(FOLDS, df=df).estimates
        assert estimates is not None
        half = estimates.law.critical(0.05, 10) * np.sqrt(2 * estimates.covariance[0, 0])
        made[f"half-width{name}"] = float(half)
    return made


PROCEDURE = Procedure(
    card=Card(
        name="aligned-tukey",
        title="Tukey's simultaneous intervals on aligned performances",
        question="By how much do several learners differ over resamples that they share, for all pairs at once?",
        null="the learners have the same mean",
        compares=Compares.MANY,
        answers=Answers.PAIRS,
        speaks_about=Scope.LEARNERS,
        level=Level.RESAMPLES,
        needs=(
            *comparing(Level.RESAMPLES),
            three_or_more(),
            not_repeated(),
        ),
        assumes=(
            "The blocks are independent draws, as bootstrap samples of one learning sample are given that sample.",
            "Within a block all learners saw the same training and test instances.",
            "The aligned performances have one variance for all learners; their means are about normal.",
        ),
        conventions=(
            "Alignment takes the mean of each block off its values; what is left is compared by the largest |t| over "
            "all pairs, which is Tukey's Studentized range.",
            "The variance has (K − 1)(B − 1) degrees of freedom, because alignment uses up B − 1; df=independent has "
            "the K(B − 1) of independent samples, and df=inf the same against the normal law. With B = 250 it hardly "
            "matters, with B = 10 it does.",
            "Further adjustments: scheffe, dunnett (against a control), max-t (of whatever is compared).",
            "Learners with the same values everywhere have t = 0 and p = 1.",
        ),
        cautions=(
            Caution(
                "Hothorn and others (2005, section 4.2) use procedures for independent samples on aligned values, "
                "whose K(B − 1) degrees of freedom are too many: their intervals are too narrow by a factor of about "
                "√((K − 1)/K)."
            ),
            Caution(
                "Bootstrap samples of one learning sample tell about learning samples drawn from it: with enough of "
                "them any difference becomes significant, so look at the intervals and a margin of relevance."
            ),
            Caution(
                "The folds of a cross-validation share training data, which the error variance does not know of.",
                "Measured at a true null (four nearest-mean classifiers on features of their own, n = 200, α = .05): "
                "a false claim about any pair in 5.4 % of 10-fold cross-validations, in 11.9 % with df=independent "
                "(2,000 repetitions); in 92 % over 10 × 10 folds (200).",
            ),
        ),
        references=(
            HOTHORN,
            Reference("Hájek, Šidák and Sen (1999), Theory of Rank Tests, 2nd ed., Academic Press (alignment)."),
        ),
        published=Published(
            where="R 4.2.2 on ten made-up folds (run by us): TukeyHSD(aov(y ~ fold + learner), 'learner'), "
            "TukeyHSD(aov(aligned ~ learner)), and qtukey with infinite df",
            compute=_published,
            values={
                "half-width": "0.014780583",
                "half-width with K(B−1) df": "0.013084857",
                "half-width with infinite df": "0.0125613815",
            },
        ),
        because="several learners over many bootstrap samples, with simultaneous intervals for all pairs",
        preference=45,
        preference_for_draws=20,
        options=(Option("df", "blocks", "degrees of freedom of the variance of aligned values", DF),),
        single_step="Tukey",
        default_adjust="single-step",
        further_adjust=("scheffe", "dunnett", "max-t"),
    ),
    compute=aligned_tukey,
)
