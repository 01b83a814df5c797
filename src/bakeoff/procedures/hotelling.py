"""Hotelling's paired T²: two learners compared on several measures at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.adjustments import adjust
from bakeoff.mathematics.checks import choice, number_table
from bakeoff.mathematics.laws import f_quantile, f_sf
from bakeoff.mathematics.multivariate import REDUCE, PairedT2, left_out, measure_names, paired_t2
from bakeoff.procedures.card import Answers, Caution, Compares, PowerFormula, Published
from bakeoff.procedures.needs import more_blocks_than_measures, not_repeated, several_measures
from bakeoff.procedures.procedure import Result, procedure
from bakeoff.scores import Blocks, Layout, Level


def _facts(_blocks: Blocks, layout: Layout) -> dict[str, Any]:
    return {"measures": layout.measures}


def _published() -> list[float]:
    result = hotelling(_X1, _X2)
    return [result.statistic, float(result.details["F"]), result.p, *result.details["w"].tolist()]


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Hotelling's paired T² test on several measures",
    question="Do two learners differ in any of several measures, taken together?",
    null="the mean differences of all measures are zero",
    answers=Answers.MULTIVARIATE,
    least_blocks=3,
    needs=(several_measures(), more_blocks_than_measures(), not_repeated()),
    assumes=(
        "The vectors of differences are independent from block to block and about multivariate normal.",
        "No measure follows from the others: the covariance matrix has an inverse.",
        "Within a block both learners saw the same training and test instances.",
    ),
    conventions=(
        "T² = n m'S⁻¹m of the paired differences; T² (n − p)/(p (n − 1)) is held against F with p and n − p "
        "degrees of freedom. T² has no sides and no single estimate.",
        "w = S⁻¹m, in the table and the details, is the combination of measures that separates the learners most.",
        "The measures one by one follow in a table: difference, difference in standard deviations of itself, "
        "paired t with n − 1 degrees of freedom, p adjusted by Holm. D = √(T²/n) in the details, the length of "
        "the standardised vector of differences, is the effect size of them all.",
        "Learners with the same values everywhere have T² = 0 and p = 1.",
        "Measures that depend on each other linearly are refused, with a set of them that does not; with "
        "reduce=yes the test carries on with that set, the first of each dependent group being kept.",
    ),
    cautions=(
        Caution(
            "The folds of a cross-validation share training data, which T² ignores as the naive t does.",
            "Measured at a true null (two nearest-mean classifiers on accuracy and share of positives, n = 200, "
            "α = .05): 3.0 % false positives over one 10-fold cross-validation (3,000 repetitions), 62 % over "
            "10 × 10 folds (600).",
        ),
        "Alpaydın's four-variate test on [tp, fp, fn, tn] cannot be computed with fixed class sizes: use two "
        "of the four.",
        "A rejection does not say which measure differs: see the table of measures one by one.",
    ),
    references=("hotelling1931", "alpaydin2014 section 19.14.1"),
    published=Published(
        "R 4.2.2, summary(manova(d ~ 1), intercept = TRUE, test = 'Hotelling-Lawley') on twelve made-up "
        "folds (run by us)",
        "T2 = 53.232333; F = 24.196515; p = 0.00014729736; w1 = -130.58638; w2 = 113.33094",
        _published,
    ),
    recommended_for="two learners on several measures over the same resamples",
    rank=50,
    options={"reduce": ("carry on without the measures that follow from others, instead of refusing", REDUCE)},
    arguments_from=_facts,
    power=PowerFormula.HOTELLING,
    synonyms=("multivariate t-test",),
)
def hotelling(
    x1: ArrayLike, x2: ArrayLike, *, confidence: float = 0.95, measures: Sequence[str] = (), reduce: str = "no"
) -> Result:
    """Compare two learners on p measures over n blocks, T² = n m' S⁻¹ m, where m and S are of the differences.

    Useful when one number hides the kind of error: [tp-rate, fp-rate], [precision, recall]. The null hypothesis is that
    all p mean differences are zero. T² (n−p) / (p (n−1)) has the law F(p, n−p); with p = 1, T² is the square of
    the paired t. The direction that separates the learners most is w = S⁻¹ m. `measures` are names for messages. With
    `reduce` "yes" measures that follow from others are left out, where they are refused otherwise.

    >>> x1 = [[0.90, 0.20], [0.85, 0.18], [0.88, 0.25], [0.91, 0.22], [0.87, 0.19]]
    >>> x2 = [[0.88, 0.22], [0.84, 0.24], [0.88, 0.26], [0.87, 0.27], [0.86, 0.22]]
    >>> result = hotelling(x1, x2)
    >>> round(result.statistic, 3), result.df, round(result.p, 3)
    (14.01, (2.0, 3.0), 0.105)
    """
    choice(reduce, REDUCE, "reduce")
    first, second = number_table(x1, "first"), number_table(x2, "second")
    if first.shape != second.shape:
        raise UsageError(f"Both tables must have one shape, blocks × measures; found {first.shape} and {second.shape}.")
    given = measure_names(measures, first.shape[1])
    test = paired_t2(first, second, given, reduce)
    t2, names, f = test.value, [given[j] for j in test.kept], test.value / test.factor
    return Result(
        statistic=t2,
        statistic_name="T²",
        df=test.df,
        p=float(f_sf(f, *test.df)),
        note=left_out(given, test.kept) if t2 > 0 else "the two tables are the same",
        details={
            "F": f,
            "D": float(np.sqrt(t2 / len(first))),
            "critical": test.factor * f_quantile(confidence, *test.df),
            "w": test.w,
            "means": test.means,
            "measures": tuple(names),
            "tables": {"measure by measure (paired t, p adjusted by Holm)": _one_by_one(test, names)},
        },
    )


def _one_by_one(test: PairedT2, names: Sequence[str]) -> tuple[list[str], list[list[Any]]]:
    """The follow-up: which measures differ, and how much each weighs in the direction that separates the learners."""
    n, p = test.differences.shape
    t, each = test.t_of_each()
    header = ["measure", "difference", "standardised", "t", "df", "p", "adjusted p", "direction w"]
    columns = (test.means, t / np.sqrt(n), t, np.full(p, float(n - 1)), each, adjust(each, "holm"), test.w)
    return header, [[name, *row] for name, row in zip(names, np.column_stack(columns).tolist(), strict=True)]


_X1 = [
    [0.121, 0.185], [0.116, 0.149], [0.152, 0.150], [0.139, 0.152], [0.150, 0.179], [0.111, 0.206],
    [0.128, 0.181], [0.138, 0.152], [0.095, 0.131], [0.105, 0.174], [0.099, 0.199], [0.113, 0.203],
]  # fmt: skip
_X2 = [
    [0.130, 0.146], [0.127, 0.117], [0.190, 0.126], [0.149, 0.114], [0.158, 0.166], [0.120, 0.200],
    [0.123, 0.137], [0.158, 0.148], [0.114, 0.105], [0.103, 0.161], [0.110, 0.183], [0.121, 0.145],
]  # fmt: skip
