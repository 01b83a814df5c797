"""Analyses of variance: one way, with a second factor, and over shared resamples."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.inference.evidence import Estimates
from bakeoff.inference.joint_laws import RangeLaw, laws_of_means
from bakeoff.mathematics import linear_models
from bakeoff.mathematics.checks import Array, choice
from bakeoff.mathematics.laws import f_sf
from bakeoff.procedures.card import ONE_VARIANCE, Answers, NullDesign, PowerFormula, Scope, Trial
from bakeoff.procedures.needs import not_repeated, runs_of_each_task, three_or_more, two_tasks
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, Result, numbers, procedure

# What the analyses of variance say alike: which comparisons follow.
COMPARISONS: dict[str, Any] = {
    "needs": (three_or_more, not_repeated),
    "single_step": "Tukey",
    "further_adjust": ("scheffe", "dunnett", "max-t"),
}


def estimates_of_means(means: Array, variances: Array, df: float) -> Estimates:
    """Independent means with their variances, compared by Tukey's range, Scheffé, Dunnett, or the largest t."""
    k = len(means)
    return Estimates(means, np.diag(variances), df, RangeLaw(k, df), laws=laws_of_means(k, df))


def anova_table(rows: list[list[Any]]) -> tuple[list[str], list[list[Any]]]:
    return ["source", "SS", "df", "MS", "F", "p"], rows


_PLANTS = [
    [4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14],
    [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69],
    [6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26],
]


def _published(many: Any) -> list[float]:
    means, variance = many.estimates.values, many.estimates.covariance[0, 0]
    p = many.estimates.law.tail((means[2] - means[1]) / np.sqrt(2 * variance), 3)
    return [*numbers(many, "ss_between ss_within statistic p"), p]


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
        "All learners share one variance. Where they vary unequally, unpaired-t with holm gives each pair its own. "
        "Measured with unequal standard deviations (α = .05): 8–11 % false claims for 3 and 5 learners, 19–23 % for "
        "10, with 3 to 10 runs; where standard deviations are equal it finds more (5 learners, 3 runs, one of them "
        "better: 74 against 17 %).",
        "Learners that share folds are not independent samples; Alpaydın's section 19.12 treats them as such. "
        "What the folds add then counts as error: on the same 10 × 5 table F is 2.94, and 4.72 with the folds "
        "as blocks (rm-anova).",
        "Fisher's least significant difference does not control the chance of any false claim when there are "
        "more than three learners. (Alpaydın calls it the least square difference.)",
        "The folds of one cross-validation share training data, so that even one learner's values are not independent. "
        "Measured at a true null (four nearest-mean classifiers on features of their own, n = 200, α = .05): 5.2 % "
        "false positives over one 10-fold cross-validation (2,000 repetitions), 92 % over 10 × 10 folds (200).",
    ),
    references=("fisher1925", "kramer1956", "scheffe1953", "dunnett1955", "hothorn2008", "alpaydin2014 section 19.12"),
    published="R's data set PlantGrowth: summary(aov(weight ~ group)) and TukeyHSD",
    printed="SS between = 3.766; SS within = 10.492; F = 4.846; p = 0.0159; Tukey p of trt2 − trt1 = 0.0120064",
    example=Example(_published, _PLANTS),
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
    parts = linear_models.partition(linear_models.number_samples(samples))
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


# --- Two-way analysis of variance: learner and task, or any two factors, with replicates in each cell -----------------
_BATTERIES = np.array(
    [
        [[130, 155, 74, 180], [34, 40, 80, 75], [20, 70, 82, 58]],
        [[150, 188, 159, 126], [136, 122, 106, 115], [25, 70, 58, 45]],
        [[138, 110, 168, 160], [174, 120, 150, 139], [96, 104, 82, 60]],
    ]
)


def _published_two_way(many: ManyResult) -> list[float]:
    effects = list(many.details["effects"].values())
    return [*(ss for ss, *_ in effects), *(f for _ss, _df, _ms, f, _p in effects[:-1])]


@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Two-way analysis of variance with interaction",
    question="Do learners differ, do tasks differ, and do the differences between learners change with the task?",
    null="an effect (of the learner, of the task, or of their combination) is absent",
    answers=Answers.GLOBAL,
    speaks_about=Scope.LEARNERS,
    least_blocks=0,
    needs=(two_tasks, runs_of_each_task),
    assumes=(
        "Every value is independent of every other: learners share no resamples.",
        "The values are about normal around the mean of their cell, with one variance for all cells.",
        "The tasks are those that the conclusion is about, not a sample of others.",
    ),
    conventions=(
        "F of each effect against the error within cells; the whole table is shown, and the rows are the effects "
        "that the learner has a part in.",
        "With unequal cells ss_type 2 (default) tests a factor after the other one, 1 the learner before the task "
        "and the task after the learner, 3 each after the interaction too "
        "(by effect coding, about unweighted means). They agree in a balanced design, and with R's aov.",
        "A combination without any value is refused; missing values are left out.",
        "Learners with the same values everywhere have F = 0 and p = 1.",
    ),
    cautions=(
        "Learners that share folds are not independent samples: the folds then count as error, and the test of "
        "the learners is too weak. Compare within blocks (rm-anova on one task, friedman over tasks).",
        "With an interaction the effect of the learner is an average over these tasks and may mean little.",
        "Folds of one cross-validation share training data: the error within cells is too small.",
    ),
    references=("yates1934", "alpaydin2014 section 19.12"),
    published="Montgomery, Design and Analysis of Experiments, battery life: 3 materials × 3 temperatures × 4",
    printed="SS material = 10683.72; SS temperature = 39118.72; SS material × temperature = 9613.78; SS error = "
    "18230.75; F material = 7.91; F temperature = 28.97; F material × temperature = 3.56",
    example=Example(
        _published_two_way,
        _BATTERIES.ravel(),
        *np.indices((3, 3, 4))[:2].reshape(2, -1),
        names=("material", "temperature"),
    ),
    recommended_for="learners on several tasks, with independent resamples of each",
    rank=60,
    options={"ss_type": ("sums of squares where cells are unequal", linear_models.TYPES)},
    sides=False,
    paired=False,
    takes_long_table=True,
    power=PowerFormula.TWO_WAY,
    synonyms=("factorial ANOVA",),
)
def two_way_anova(
    y: ArrayLike,
    first: Sequence[Any] | NDArray[Any],
    second: Sequence[Any] | NDArray[Any],
    *,
    ss_type: str = "2",
    interaction: bool = True,
    names: tuple[str, str] = ("learner", "task"),
) -> ManyResult:
    """Explain values by two factors and their interaction, given a label of each factor for each value.

    Useful when the question is whether the learners' order is the same on all tasks: the interaction says so. The null
    hypotheses are that an effect is absent. In a design with as many values in each cell the sums of squares are
    unambiguous. Otherwise `ss_type` "2" tests a factor after the other one and before the interaction (more power if
    there is none), "3" after all else, in terms of unweighted means of the cells, and "1" in turn, as R's aov: the
    first factor by itself, the second after it. NaN is left out.

    >>> many = two_way_anova([1, 3, 5, 7, 2, 4, 9, 9], list("aaaabbbb"), list("uuvvuuvv"))
    >>> {name: round(f, 3) for name, (_ss, _df, _ms, f, _p) in many.details["effects"].items()}
    {'learner': 5.333, 'task': 33.333, 'learner × task': 1.333, 'error': nan}
    """
    effects = linear_models.two_factors(y, first, second, names, str(ss_type), interaction)
    df_error = effects["error"][1]
    tests = tuple(
        Result(statistic=f, statistic_name="F", df=(df, df_error), p=p, about=f"{name}: no effect")
        for name, (_ss, df, _ms, f, p) in effects.items()
        if name not in (names[1], "error")
    )
    title = f"analysis of variance (sums of squares of type {ss_type})"
    table = anova_table([[name, *row] for name, row in effects.items()])
    return ManyResult(tests=tests, details={"effects": effects, "tables": {title: table}})


# --- Analysis of variance of learners within blocks, corrected for lack of sphericity; and aligned intervals ----------
# Ten made-up folds of five learners.
FOLDS = [
    [0.1873, 0.2004, 0.2092, 0.2040, 0.2052], [0.2147, 0.1994, 0.2139, 0.2450, 0.2061],
    [0.2007, 0.1988, 0.2126, 0.2086, 0.1938], [0.1898, 0.2067, 0.2059, 0.2011, 0.1952],
    [0.2213, 0.2087, 0.2362, 0.2313, 0.2399], [0.1938, 0.2058, 0.1902, 0.2154, 0.2003],
    [0.2064, 0.2149, 0.2528, 0.2379, 0.2067], [0.2029, 0.2140, 0.1771, 0.2171, 0.2027],
    [0.2011, 0.1850, 0.2022, 0.2292, 0.1906], [0.1903, 0.2038, 0.1996, 0.2190, 0.2056],
]  # fmt: skip


def _published_rm_anova(many: ManyResult) -> list[float]:
    (f, gg, hf), shape = many.tests, many.details["sphericity"]
    return [f.statistic, f.p, shape.w, shape.p_of_r, shape.greenhouse_geisser, gg.p, shape.huynh_feldt, hf.p]


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Repeated-measures analysis of variance over shared resamples",
    question="Do several learners differ in mean over resamples that they share, and which of them?",
    null="the learners have the same mean",
    assumes=(
        "The blocks are independent of each other.",
        "Within a block all learners saw the same training and test instances.",
        "What is left after blocks and learners is about normal.",
        "All differences between two learners have the same variance (sphericity), for F and for the pairs; the "
        "corrected p-values do without.",
    ),
    conventions=(
        "F = MS_learner / MS_error with k − 1 and (k − 1)(n − 1) degrees of freedom; the whole table is shown.",
        "Mauchly's test of sphericity is shown and chooses nothing; its p is Anderson's, from which R's, whose "
        "formula has k in place of k − 1, differs in the fourth digit (in the details as p_of_r). Greenhouse and "
        "Geisser's ε and Huynh and Feldt's (cut off at 1) multiply both degrees of freedom.",
        "Pairs and contrasts have t with MS_error; single-step adjustment is Tukey's by the Studentized range. "
        "Further adjustments: scheffe, dunnett (against a control), max-t (of whatever is compared).",
        "Learners with the same values everywhere have F = 0 and p = 1.",
    ),
    cautions=(
        "The folds of a cross-validation share training data, which the error variance does not know of. Measured at a "
        "true null (four nearest-mean classifiers on features of their own, n = 200, α = .05): 5.4 % false positives "
        "of F over one 10-fold cross-validation, 3.7 % with Greenhouse and Geisser's correction (2,000 repetitions); "
        "91 % over 10 × 10 folds (200).",
        "Without sphericity the pooled error is too small for some pairs and too large for others: run-flips (8 runs "
        "or more) and run-t give each pair its own. Measured with unequal standard deviations (α = .05): 7–12 % false "
        "claims for 3 and 5 learners, 20–23 % for 10, with 3 to 10 runs.",
    ),
    references=(
        "greenhouse1959",
        "huynh1976",
        "anderson2003 section 10.7",
        "mauchly1940",
        "alpaydin2014 section 19.12 (there without blocks)",
    ),
    published="R 4.2.2, summary(aov(y ~ learner + Error(fold/learner))), mauchly.test and anova.mlm on ten made-up "
    "folds (run by us)",
    printed="F = 4.71987933; p = 0.00363855; W = 0.25225949; p of W = 0.34510273; ε GG = 0.67446527; p GG = "
    "0.01179648; ε HF = 0.99087829; p HF = 0.00375897",
    example=Example(_published_rm_anova, FOLDS),
    recommended_for="several learners over the same resamples, with one variance for all differences",
    also_called={"tukey": {"adjust": "single-step"}, "tukey-hsd": {"adjust": "single-step"}},
    rank=50,
    pooled=ONE_VARIANCE,
    further_trials=(Trial(NullDesign.UNEQUAL_RUNS, 10, holds=False),),
    **COMPARISONS,
    synonyms=("repeated-measures ANOVA", "within-subjects ANOVA"),
)
def rm_anova(table: ArrayLike) -> ManyResult:
    """Compare k learners over n blocks that they share: F = MS_learner / MS_error, with (k−1) and (k−1)(n−1) df.

    Useful when all learners were run on the same resamples. The null hypothesis is that they have the same mean.
    F is exact if all differences between learners have the same variance (sphericity); p with the corrections of
    Greenhouse and Geisser and of Huynh and Feldt, which multiply both df by an ε, follow. On two learners F is the
    square of the paired t. Pairs have t with MS_error and are compared by Tukey's range, exact under sphericity.

    >>> many = rm_anova([[45, 50, 55], [42, 42, 45], [36, 41, 43], [39, 35, 40], [51, 55, 59], [44, 49, 56]])
    >>> round(many.tests[0].statistic, 2), many.tests[0].df, round(many.tests[0].p, 3)
    (12.53, (2.0, 10.0), 0.002)
    """
    parts = linear_models.take_apart(table)
    n, k = parts.residuals.shape
    df1, df2 = float(k - 1), float(parts.df_error)
    f, p = linear_models.f_ratio(parts.ss_learner, df1, parts.ss_error, df2)
    shape = linear_models.sphericity(parts.residuals if parts.ss_error > 0 else np.zeros_like(parts.residuals))
    note = "" if np.isnan(shape.p) else f"Mauchly: W = {shape.w:.3g}, p = {shape.p:.3g}"
    plain = Result(statistic=f, statistic_name="F", df=(df1, df2), p=p, note=note if k > 2 else "")
    gg = _corrected(plain, "Greenhouse–Geisser", shape.greenhouse_geisser)
    hf = _corrected(plain, "Huynh–Feldt", shape.huynh_feldt)
    ms_error = parts.ss_error / df2
    anova = [
        ["learners", parts.ss_learner, df1, parts.ss_learner / df1, f, p],
        ["blocks", parts.ss_block, n - 1.0, parts.ss_block / (n - 1), nan, nan],
        ["error", parts.ss_error, df2, ms_error, nan, nan],
    ]
    tables = {"analysis of variance": anova_table(anova)}
    if k > 2:
        mauchly = ["Mauchly's test", shape.w, shape.greenhouse_geisser, shape.huynh_feldt, shape.p]
        tables["sphericity"] = (["", "W", "ε GG", "ε HF", "p"], [mauchly])
    return ManyResult(
        tests=(plain, gg, hf) if k > 2 else (plain,),
        estimates=estimates_of_means(parts.means, np.full(k, ms_error / n), df2),
        details={
            "ss_learner": parts.ss_learner,
            "ss_block": parts.ss_block,
            "ss_error": parts.ss_error,
            "ms_error": ms_error,
            "sphericity": shape,
            "p_greenhouse_geisser": gg.p,
            "p_huynh_feldt": hf.p,
            "tables": tables,
        },
    )


def _corrected(plain: Result, name: str, epsilon: float) -> Result:
    """F with both degrees of freedom multiplied by ε; what is 0 or ∞ keeps its p."""
    f, df = plain.statistic, (epsilon * plain.df[0], epsilon * plain.df[1])
    p = float(f_sf(f, *df)) if 0 < f < inf else plain.p
    return Result(statistic=f, statistic_name=f"F, {name}", symbol="F", df=df, p=p, note=f"ε = {epsilon:.4g}")


# --- Simultaneous intervals for all pairs of learners after alignment, as Hothorn and others propose ------------------
DF = ("blocks", "independent", "inf")


def _half_width(many: Any) -> list[float]:
    return [many.estimates.law.critical(0.05, 10) * np.sqrt(2 * many.estimates.covariance[0, 0])]


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Tukey's simultaneous intervals on aligned performances",
    question="By how much do several learners differ over resamples that they share, for all pairs at once?",
    null="the learners have the same mean",
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
        "Hothorn and others (2005, section 4.2) use procedures for independent samples on aligned values, whose K(B − "
        "1) degrees of freedom are too many: their intervals are too narrow by a factor of about √((K − 1)/K).",
        "Bootstrap samples of one learning sample tell about learning samples drawn from it: with enough of "
        "them any difference becomes significant, so look at the intervals and a margin of relevance.",
        "One variance serves all pairs: run-flips and run-t give each pair its own. Measured with unequal standard "
        "deviations (α = .05): as rm-anova, up to 23 % false claims.",
        "The folds of a cross-validation share training data, which the error variance does not know of. Measured at a "
        "true null (four nearest-mean classifiers on features of their own, n = 200, α = .05): a false claim about any "
        "pair in 5.4 % of 10-fold cross-validations, in 11.9 % with df=independent (2,000 repetitions); in 92 % over "
        "10 × 10 folds (200).",
    ),
    references=("hothorn2005", "hajek1999 (alignment)"),
    published="R 4.2.2 on ten made-up folds (run by us): TukeyHSD(aov(y ~ fold + learner), 'learner'), "
    "TukeyHSD(aov(aligned ~ learner)), and qtukey with infinite df",
    printed="half-width = 0.014780583; half-width with K(B−1) df = 0.013084857; half-width with infinite df = "
    "0.0125613815",
    example=tuple(Example(_half_width, FOLDS, df=df) for df in DF),
    recommended_for="several learners over many bootstrap samples, with simultaneous intervals for all pairs",
    rank=55,
    pooled=ONE_VARIANCE,
    further_trials=(Trial(NullDesign.UNEQUAL_RUNS, 10, holds=False),),
    options={"df": ("degrees of freedom of the variance of aligned values", DF)},
    rank_for_draws=20,
    **COMPARISONS,
)
def aligned_tukey(table: ArrayLike, *, df: str = "blocks") -> ManyResult:
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
    parts = linear_models.take_apart(table)
    n, k = parts.residuals.shape
    count = parts.df_error if df == "blocks" else k * (n - 1)
    freedom = inf if df == "inf" else float(count)
    variance = parts.ss_error / count
    return ManyResult(
        estimates=estimates_of_means(parts.means, np.full(k, variance / n), freedom),
        details={"aligned": parts.residuals + parts.means - parts.means.mean(), "variance": variance, "blocks": n},
    )
