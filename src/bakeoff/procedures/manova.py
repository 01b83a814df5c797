"""Multivariate analysis of variance: several learners compared on several measures at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.adjustments import adjust
from bakeoff.inference.evidence import DecidedPairs
from bakeoff.mathematics import multivariate
from bakeoff.mathematics.checks import choice, number_table
from bakeoff.mathematics.laws import f_quantile, f_sf
from bakeoff.mathematics.linear_models import f_ratio
from bakeoff.procedures import needs
from bakeoff.procedures.card import Answers, PowerFormula
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, Result, numbers, procedure

DESIGNS = ("blocks", "independent")
SYMBOLS = {"Wilks": "Λ", "Pillai": "V", "Hotelling–Lawley": "U", "Roy": "θ"}


def _published() -> dict[str, float]:
    y = [[9, 3], [6, 2], [9, 7], [0, 4], [2, 0], [3, 8], [1, 9], [2, 7]]
    analysis = multivariate.manova_groups(y, [1, 1, 1, 2, 2, 3, 3, 3])
    matrices = {"B": analysis.H, "W": analysis.E}
    values = {f"{name}{i + 1}{j + 1}": float(m[i, j]) for name, m in matrices.items() for i, j in np.ndindex(2, 2)}
    return {**values, "Λ*": analysis.tests[0].value, "√Λ*": analysis.tests[0].value ** 0.5}


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Multivariate analysis of variance",
    question="Do several learners differ in any of several measures, taken together, and in which?",
    null="the learners have the same mean of every measure",
    answers=Answers.MULTIVARIATE,
    needs=(needs.three_or_more, needs.several_measures, needs.blocks_for_measures, needs.not_repeated),
    assumes=(
        "The vectors of measures are independent from block to block and about multivariate normal.",
        "They have one covariance matrix for all learners, and within a block the learners are alike correlated.",
        "No measure follows from the others: E has an inverse.",
    ),
    conventions=(
        "H and E are the sums of squares and products between learners and around them; Wilks, Pillai, "
        "Hotelling–Lawley and Roy are functions of the eigenvalues of E⁻¹H, with the F approximations of R.",
        "By default what the blocks have in common is taken off first, and E has (k − 1)(n − 1) degrees of "
        "freedom. design=independent leaves it in E, with k(n − 1).",
        "Small Λ speaks against the null hypothesis; of V, U and θ large values do.",
        "Follow-ups: F of each measure, adjusted by Holm over the measures; T² of each pair with the pooled E, "
        "adjusted as asked for over the pairs (hotelling gives each pair a covariance of its own).",
        "The eigenvectors of E⁻¹H are the directions that separate the learners most, scaled to w'Ew = 1, the "
        "heaviest measure positive. The learners' means projected on them are in a table; details hold H, E, and "
        "the projection of all values, block by block.",
        "Measures that follow from others are refused, with a set that does not; reduce=yes carries on with it.",
    ),
    cautions=(
        "Alpaydın (19.14.2) treats folds that all learners share as independent samples; that is "
        "design=independent, which counts the differences between folds as error.",
        "He also prints 'reject if Λ' > Λ_α'; small values of Λ' reject.",
        "The folds of a cross-validation share training data, which the error matrix does not know of. Measured at a "
        "true null (four nearest-mean classifiers on features of their own, accuracy and share of positives, n = 200, "
        "α = .05): 0.9 % false positives of Wilks's Λ over one 10-fold cross-validation (2,000 repetitions), 94 % over "
        "10 × 10 folds (200).",
        "Roy's F is an upper bound, so that its p is too small unless there are two learners.",
        "With fixed class sizes [tp, fp, fn, tn] has rank 2: use two of the four.",
    ),
    references=("wilks1932", "pillai1955", "johnson2007 section 6.4", "alpaydin2014 section 19.14.2"),
    published="Johnson and Wichern (2007), examples 6.8 and 6.9: three samples of two measures",
    printed="B11 = 78; B12 = -12; B22 = 48; W11 = 10; W12 = 1; W22 = 24; Λ* = 0.0385",
    example=_published,
    recommended_for="several learners on several measures over the same resamples",
    rank=45,
    options={
        "design": ("whether the learners share their blocks", DESIGNS),
        "reduce": ("carry on without the measures that follow from others", multivariate.REDUCE),
    },
    sides=False,
)
def manova(
    table: ArrayLike,
    *,
    design: str = "blocks",
    reduce: str = "no",
    measures: Sequence[str] = (),
    learners: Sequence[str] = (),
) -> ManyResult:
    """Compare k learners over n blocks on p measures: is there any combination of measures in which they differ?

    Useful when one number hides the kind of error. The null hypothesis is that the learners have the same mean of every
    measure. `table` is blocks × learners × measures. `design` "blocks" takes off what the blocks have in common, which
    leaves (k−1)(n−1) degrees of freedom for the error; "independent" does not, as Alpaydın prints it. Follow-ups say
    which measures differ (F of each, adjusted by Holm) and which pairs (T² with the pooled error). `measures` and
    `learners` are names for messages and tables.

    >>> rng = np.random.default_rng(1)
    >>> many = manova(rng.normal(size=(8, 3, 2)) + [[0, 0], [1, 0], [2, 1]])
    >>> [test.statistic_name for test in many.tests][:2], many.tests[0].df
    (['Wilks Λ', 'Pillai V'], (4.0, 26.0))
    """
    choice(design, DESIGNS, "design")
    values = multivariate.number_cube(table)
    n, k, p = values.shape
    if design == "blocks":
        analysis = multivariate.manova_blocks(values, measures=measures, reduce=reduce)
    else:
        analysis = multivariate.manova_groups(
            values.reshape(-1, p), np.tile(np.arange(k), n), measures=measures, reduce=reduce
        )
    given = multivariate.measure_names(measures, p)
    names = [given[j] for j in analysis.kept]
    vectors = analysis.eigenvectors
    t2, pairs_p, pairs_df = multivariate.pairwise_t2(analysis)
    return ManyResult(
        tests=(*_all_measures(analysis, multivariate.left_out(given, analysis.kept)), *_one_by_one(analysis, names)),
        decided=DecidedPairs(np.full((k, k), np.nan), pairs_p, pairs_p, t2, "T²", df=pairs_df),
        details={
            "H": analysis.H,
            "E": analysis.E,
            "eigenvalues": analysis.eigenvalues,
            "eigenvectors": vectors,
            "projection": analysis.projection.reshape(n, k, -1),
            "measures": tuple(names),
            "tables": _tables(analysis, names, list(learners) or [f"learner {j + 1}" for j in range(k)]),
        },
    )


def _all_measures(analysis: multivariate.Manova, without: str) -> list[Result]:
    """The four statistics of all measures taken together; the first notes which measures are not in it."""
    names = [f"{test.name} {SYMBOLS[test.name]}" for test in analysis.tests]
    notes = [
        f"F = {test.f:.4g}" + (f"; {without}" if without and not i else "") for i, test in enumerate(analysis.tests)
    ]
    return [
        Result(statistic=test.value, statistic_name=name, df=test.df, p=test.p, note=note)
        for test, name, note in zip(analysis.tests, names, notes, strict=True)
    ]


def _one_by_one(analysis: multivariate.Manova, names: Sequence[str]) -> list[Result]:
    """The analysis of variance of each measure, p adjusted by Holm."""
    each = [f_ratio(analysis.H[j, j], analysis.df_h, analysis.E[j, j], analysis.df_e) for j in range(len(names))]
    adjusted = adjust([p for _, p in each], "holm").tolist()
    df = (analysis.df_h, analysis.df_e)
    return [
        Result(statistic=f, statistic_name="F", df=df, p=p, p_adjusted=q, about=f"all learners alike in {name}")
        for (f, p), q, name in zip(each, adjusted, names, strict=True)
    ]


def _tables(analysis: multivariate.Manova, names: Sequence[str], learners: Sequence[str]) -> dict[str, Any]:
    """The eigenvectors of E⁻¹H, and where they put the learners."""
    vectors, roots = analysis.eigenvectors, zip(analysis.eigenvalues.tolist(), analysis.shares.tolist(), strict=True)
    directions = [[f"{i + 1}", *root, *vectors[:, i].tolist()] for i, root in enumerate(roots)]
    places = (analysis.means @ vectors).tolist()
    along = [f"along {i + 1}" for i in range(vectors.shape[1])]
    return {
        "directions that separate the learners": (["eigenvector of E⁻¹H", "eigenvalue", "share", *names], directions),
        "the learners' mean projections on them": (
            ["learner", *along],
            [[learners[j], *place] for j, place in enumerate(places)],
        ),
    }


# --- Hotelling's paired T²: two learners compared on several measures at once -----------------------------------------
_X1 = [
    [0.121, 0.185], [0.116, 0.149], [0.152, 0.150], [0.139, 0.152], [0.150, 0.179], [0.111, 0.206],
    [0.128, 0.181], [0.138, 0.152], [0.095, 0.131], [0.105, 0.174], [0.099, 0.199], [0.113, 0.203],
]  # fmt: skip
_X2 = [
    [0.130, 0.146], [0.127, 0.117], [0.190, 0.126], [0.149, 0.114], [0.158, 0.166], [0.120, 0.200],
    [0.123, 0.137], [0.158, 0.148], [0.114, 0.105], [0.103, 0.161], [0.110, 0.183], [0.121, 0.145],
]  # fmt: skip


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Hotelling's paired T² test on several measures",
    question="Do two learners differ in any of several measures, taken together?",
    null="the mean differences of all measures are zero",
    answers=Answers.MULTIVARIATE,
    least_blocks=3,
    needs=(needs.several_measures, needs.more_blocks_than_measures, needs.not_repeated),
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
        "The folds of a cross-validation share training data, which T² ignores as the naive t does. Measured at a true "
        "null (two nearest-mean classifiers on accuracy and share of positives, n = 200, α = .05): 3.0 % false "
        "positives over one 10-fold cross-validation (3,000 repetitions), 62 % over 10 × 10 folds (600).",
        "Alpaydın's four-variate test on [tp, fp, fn, tn] cannot be computed with fixed class sizes: use two "
        "of the four.",
        "A rejection does not say which measure differs: see the table of measures one by one.",
    ),
    references=("hotelling1931", "alpaydin2014 section 19.14.1"),
    published="R 4.2.2, summary(manova(d ~ 1), intercept = TRUE, test = 'Hotelling-Lawley') on twelve made-up "
    "folds (run by us)",
    printed="T2 = 53.232333; F = 24.196515; p = 0.00014729736; w1 = -130.58638; w2 = 113.33094",
    example=Example(lambda result: [*numbers(result, "statistic F p"), *result.details["w"]], _X1, _X2),
    recommended_for="two learners on several measures over the same resamples",
    rank=50,
    options={
        "reduce": ("carry on without the measures that follow from others, instead of refusing", multivariate.REDUCE)
    },
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
    choice(reduce, multivariate.REDUCE, "reduce")
    first, second = number_table(x1, "first"), number_table(x2, "second")
    if first.shape != second.shape:
        raise UsageError(f"Both tables must have one shape, blocks × measures; found {first.shape} and {second.shape}.")
    given = multivariate.measure_names(measures, first.shape[1])
    test = multivariate.paired_t2(first, second, given, reduce)
    t2, names, f = test.value, [given[j] for j in test.kept], test.value / test.factor
    return Result(
        statistic=t2,
        statistic_name="T²",
        df=test.df,
        p=float(f_sf(f, *test.df)),
        note=multivariate.left_out(given, test.kept) if t2 > 0 else "the two tables are the same",
        details={
            "F": f,
            "D": float(np.sqrt(t2 / len(first))),
            "critical": test.factor * f_quantile(confidence, *test.df),
            "w": test.w,
            "means": test.means,
            "measures": tuple(names),
            "tables": {"measure by measure (paired t, p adjusted by Holm)": _each_measure(test, names)},
        },
    )


def _each_measure(test: multivariate.PairedT2, names: Sequence[str]) -> tuple[list[str], list[list[Any]]]:
    """The follow-up: which measures differ, and how much each weighs in the direction that separates the learners."""
    n, p = test.differences.shape
    t, each = test.t_of_each()
    header = ["measure", "difference", "standardised", "t", "df", "p", "adjusted p", "direction w"]
    columns = (test.means, t / np.sqrt(n), t, np.full(p, float(n - 1)), each, adjust(each, "holm"), test.w)
    return header, [[name, *row] for name, row in zip(names, np.column_stack(columns).tolist(), strict=True)]
