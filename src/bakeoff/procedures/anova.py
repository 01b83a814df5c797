"""One-way analysis of variance of independent samples, with comparisons of pairs and groups of learners."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.inference.evidence import Estimates
from bakeoff.inference.joint_laws import RangeLaw, laws_of_means
from bakeoff.mathematics.checks import Array
from bakeoff.mathematics.linear_models import number_samples, partition
from bakeoff.procedures.card import ONE_VARIANCE, Caution, Compares, NullDesign, PowerFormula, Published, Trial
from bakeoff.procedures.needs import not_repeated, three_or_more
from bakeoff.procedures.procedure import ManyResult, Result, numbers, procedure
from bakeoff.scores import Level

# What the analyses of variance say alike: which comparisons follow.
COMPARISONS: dict[str, Any] = {
    "needs": (three_or_more(), not_repeated()),
    "single_step": "Tukey",
    "default_adjust": "single-step",
    "further_adjust": ("scheffe", "dunnett", "max-t"),
}


def estimates_of_means(means: Array, variances: Array, df: float) -> Estimates:
    """Independent means with their variances, compared by Tukey's range, Scheffé, Dunnett, or the largest t."""
    k = len(means)
    return Estimates(means, np.diag(variances), df, RangeLaw(k, df), laws=laws_of_means(k, df))


def anova_table(rows: list[list[Any]]) -> tuple[list[str], list[list[Any]]]:
    return ["source", "SS", "df", "MS", "F", "p"], rows


def _published() -> list[float]:
    many = anova(_PLANTS)
    estimates = many.estimates
    assert estimates is not None
    t = (estimates.values[2] - estimates.values[1]) / np.sqrt(2 * estimates.covariance[0, 0])
    sums = numbers(many, "ss_between ss_within")
    return [*sums, many.tests[0].statistic, many.tests[0].p, float(estimates.law.tail(t, 3))]


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="One-way analysis of variance",
    question="Do several learners, each on resamples of its own, differ in mean, and which of them?",
    null="the learners have the same mean",
    assumes=(
        "Every value is independent of every other: learners share no resamples.",
        "The values of each learner are about normal, with the same variance for all learners.",
    ),
    conventions=(
        "F = MS_between / MS_within with k − 1 and N − k degrees of freedom; the whole table is shown.",
        "Pairs and contrasts have t with MS_within and N − k degrees of freedom. Without adjustment that is "
        "Fisher's least significant difference (lsd); single-step adjustment is Tukey's, and Tukey and Kramer's "
        "for samples of different sizes.",
        "Further adjustments: scheffe (all contrasts, also those that the data suggested), dunnett (against a "
        "control) and max-t (the exact joint law of whatever is compared; where there is no simpler way by a "
        "lattice from a fixed seed, with errors of about 1e-4).",
        "Nothing varies within the samples: F = ∞ and p = 0; nothing varies at all: F = 0 and p = 1. Missing "
        "values are left out.",
    ),
    cautions=(
        Caution(
            "All learners share one variance. Where they vary unequally, unpaired-t with holm gives each pair its own.",
            "Measured with unequal standard deviations (α = .05): 8–11 % false claims for 3 and 5 learners, 19–23 % "
            "for 10, with 3 to 10 runs; where standard deviations are equal it finds more (5 learners, 3 runs, one "
            "of them better: 74 against 17 %).",
        ),
        "Learners that share folds are not independent samples; Alpaydın's section 19.12 treats them as such. "
        "What the folds add then counts as error: on the same 10 × 5 table F is 2.94, and 4.72 with the folds "
        "as blocks (rm-anova).",
        "Fisher's least significant difference does not control the chance of any false claim when there are "
        "more than three learners. (Alpaydın calls it the least square difference.)",
        Caution(
            "The folds of one cross-validation share training data, so that even one learner's values are not "
            "independent.",
            "Measured at a true null (four nearest-mean classifiers on features of their own, n = 200, α = .05): 5.2 % "
            "false positives over one 10-fold cross-validation (2,000 repetitions), 92 % over 10 × 10 folds (200).",
        ),
    ),
    references=("fisher1925", "kramer1956", "scheffe1953", "dunnett1955", "hothorn2008", "alpaydin2014 section 19.12"),
    published=Published(
        "R's data set PlantGrowth: summary(aov(weight ~ group)) and TukeyHSD",
        "SS between = 3.766; SS within = 10.492; F = 4.846; p = 0.0159; Tukey p of trt2 − trt1 = 0.0120064",
        _published,
    ),
    recommended_for="several learners, each on independent resamples of its own",
    rank=50,
    pooled=ONE_VARIANCE,
    further_trials=(Trial(NullDesign.UNEQUAL_OWN_RUNS, 10, holds=False),),
    paired=False,
    power=PowerFormula.ONE_WAY,
    **COMPARISONS,
    synonyms=("one-way ANOVA", "F-test", "analysis of variance"),
)
def anova(samples: Sequence[ArrayLike] | ArrayLike) -> ManyResult:
    """Compare the means of k independent samples, one a learner; they may differ in size, and NaN is left out.

    Useful when each learner was run on resamples of its own. The null hypothesis is that all means are equal;
    F = MS_between / MS_within has the law F(k−1, N−k). Pairs and contrasts have t with the pooled variance MS_within.
    On two samples F is the square of the pooled t. If nothing varies within the samples F is ∞ and p is 0, and if
    nothing varies at all F is 0 and p is 1. With blocks that the learners share use rm-anova, which takes them off.

    >>> many = anova([[6, 8, 4, 5, 3, 4], [8, 12, 9, 11, 6, 8], [13, 9, 11, 8, 7, 12]])
    >>> round(many.tests[0].statistic, 2), many.tests[0].df, round(many.tests[0].p, 4)
    (9.26, (2.0, 15.0), 0.0024)
    """
    parts = partition(number_samples(samples))
    k, df = len(parts.sizes), float(parts.df_within)
    f, p = parts.f_test()
    ms_between, ms_within = parts.ss_between / parts.df_between, parts.ms_within
    total = parts.ss_between + parts.ss_within
    note = "nothing varies within the samples" if f == np.inf else ""
    rows = [
        ["between learners", parts.ss_between, float(k - 1), ms_between, f, p],
        ["within learners", parts.ss_within, df, ms_within, nan, nan],
        ["total", total, df + k - 1, nan, nan, nan],
    ]
    return ManyResult(
        tests=(Result(statistic=f, statistic_name="F", df=(float(k - 1), df), p=p, note=note),),
        estimates=estimates_of_means(parts.means, ms_within / parts.sizes, df),
        details={
            "ss_between": parts.ss_between,
            "ss_within": parts.ss_within,
            "ss_total": total,
            "ms_between": ms_between,
            "ms_within": ms_within,
            "means": parts.means,
            "sizes": parts.sizes,
            "tables": {"analysis of variance": anova_table(rows)},
        },
    )


_PLANTS = [
    [4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14],
    [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69],
    [6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26],
]
