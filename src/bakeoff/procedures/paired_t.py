"""Student's t for the mean of paired differences: of losses, runs and tasks, of folds, and of resamples that share
training data."""

from __future__ import annotations

from math import isfinite, isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.inference.evidence import Estimates
from bakeoff.inference.joint_laws import ModulusLaw
from bakeoff.mathematics.checks import Array, number_column, number_table, paired, squarable
from bakeoff.mathematics.laws import check_alternative, check_confidence, f_sf, t_quantile
from bakeoff.mathematics.linear_models import mean_and_sd, t_test
from bakeoff.mathematics.multivariate import paired_t2
from bakeoff.procedures import needs
from bakeoff.procedures.card import NullDesign, PowerFormula, Trial
from bakeoff.procedures.friedman import ranked_alike
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, Result, is_constant, numbers, procedure


def mean_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    inflation: float = 0.0,
    df: float | None = None,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    null: float = 0.0,
) -> Result:
    """t = (d̄ − null) / √((1/n + inflation) s²) with n − 1 degrees of freedom (or `df`), where d = a − b.

    `inflation` is 0 for independent differences and what is added to 1/n for differences that are correlated. Columns
    that are the same up to rounding error have t = 0, p = 1 and no interval: without a standard error nothing shows
    how equal they are. A difference that is the same in every block, and is not `null`, is refused.

    >>> round(mean_difference([3, 5, 4], [1, 2, 3]).statistic, 4)
    3.4641
    """
    check_confidence(confidence)
    check_alternative(alternative)
    first, second = paired(number_column(a, "first"), number_column(b, "second"))
    n = len(first)
    if n < 2:
        raise UsageError("A standard error needs at least two paired values; found 1.")
    d = first - second
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    df = float(n - 1) if df is None else df
    if is_constant(d, size):
        if not is_constant([*d, null], size):
            raise DegenerateError(
                f"The difference is {float(d.mean()):.6g} in every block, so its standard error is zero and t does not "
                f"exist. Report the difference itself; {n} blocks that agree to the last digit are rarely {n} "
                "independent blocks."
            )
        # What 0/0 is taken to be: no sign of a difference, and none of how small it is.
        note = "the two columns are the same" if null == 0 else "the difference is the null value in every block"
        return Result(null, nan, nan, 0.0, "t", (df,), 1.0, note, _details(n, 0.0, 0.0))
    mean, s = mean_and_sd(d)
    se = sqrt(1 / n + inflation) * s
    lower, upper, t, p = t_test(mean, se, df, confidence, alternative, null)
    return Result(mean, lower, upper, t, "t", (df,), p, details=_details(n, s, se))


def _details(n: int, s: float, se: float) -> dict[str, float]:
    return {"blocks": n, "sd_of_differences": s, "standard_error": se}


def means_alike(table: ArrayLike) -> tuple[Result, ...]:
    """Hotelling's T² of all learners at once, as F; none if there are too few blocks for it.

    Differences from the last learner are k − 1 columns, of which those that follow from others are left out.

    >>> [round(test.p, 4) for test in means_alike([[3, 1, 2], [5, 2, 2], [4, 3, 1], [6, 4, 3]])]
    [0.0577]
    """
    values = number_table(table, "table", columns=2)
    n, k = values.shape
    if n <= k - 1:
        return ()
    try:
        result = paired_t2(values[:, :-1], np.repeat(values[:, -1:], k - 1, axis=1), [""] * (k - 1), reduce="yes")
    except DegenerateError:  # differences that are the same in every block
        return ()
    f = result.value / result.factor
    p, symbol = float(f_sf(f, *result.df)), "Hotelling's T²"
    return (Result(statistic=f, statistic_name=f"{symbol}, as F", symbol=symbol, df=result.df, p=p),)


def estimates_of_pairs(table: ArrayLike) -> tuple[Estimates, Array]:
    """Means of learners over shared blocks with their covariance: each difference has its own variance, s²/n."""
    values = squarable(number_table(table, "table", rows=2, columns=2))
    df = float(len(values) - 1)
    covariance = np.atleast_2d(np.cov(values, rowvar=False)) / len(values)
    return Estimates(values.mean(axis=0), covariance, df, ModulusLaw(df)), values


# --- The paired t test on losses: two fitted models on the same test instances ----------------------------------------
_SLEEP = ((0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0), (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4))


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="Paired t test on losses per instance",
    question="Do two fitted models have different mean losses on new instances like these?",
    null="the mean difference of the two models' losses is zero",
    assumes=(
        needs.NO_SERIES,
        "Both models were fitted without them.",
        "The mean of the differences is about normal: exactly if the differences are, nearly if there are many.",
    ),
    conventions=(
        "The estimate is the mean of first minus second; t has n − 1 degrees of freedom.",
        "Models with the same loss on every instance have t = 0, p = 1 and no interval.",
        "A difference that is the same on every instance and not zero is refused: it has no standard error.",
    ),
    cautions=(
        "For answers that are right or wrong (0 or 1), mcnemar says it better.",
        "Heavy-tailed losses, such as squared errors with a few outliers, let single instances decide, and "
        "t is then slow to become normal: look at the largest differences.",
        needs.THESE_TWO,
    ),
    references=("student1908", "feelders1995 section 1 (the covariance of matched samples)"),
    published="Student's (1908) sleep data as printed by R: t.test(group 1, group 2, paired = TRUE)",
    printed="t = -4.0621; df = 9; p = 0.002833; mean difference = -1.58; lower = -2.4598858; upper = -0.7001142",
    example=Example("statistic df p estimate lower upper", *_SLEEP),
    recommended_for="models with a loss for each of few instances",
    rank=30,
    normal_below=20,
    power=PowerFormula.PAIRED_T,
    planned_as="t",
    all_at_once=means_alike,
    synonyms=("t-test", "paired t-test", "Student's t-test", "dependent t-test"),
)
def paired_t(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided", null: float = 0.0
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


# --- The same over few runs or tasks that learners share: each pair by its own t --------------------------------------
LEANS = (
    "Differences of each pair are about normal: with so few blocks nothing in the data could show that they are not.",
)
ITS_OWN = (
    "The estimate is the mean of first minus second; t has its own standard error s/√n and n − 1 degrees of freedom.",
    "All pairs are adjusted by Holm's method. Beside them stands the test of all learners at once; pairs do not wait "
    "for it.",
    "Learners with the same values everywhere have t = 0 and p = 1; a difference that is the same in every block and "
    "not zero is refused.",
)
_FIVE = ((0.81, 0.78, 0.74), (0.84, 0.83, 0.75), (0.79, 0.78, 0.77), (0.86, 0.82, 0.78), (0.83, 0.82, 0.76))


def _t_of_pairs(many: Any) -> list[float]:
    V, theta = many.estimates.covariance, many.estimates.values
    return [(theta[i] - theta[j]) / sqrt(V[i, i] + V[j, j] - 2 * V[i, j]) for i, j in ((0, 1), (0, 2), (1, 2))]


OF_FEW: dict[str, Any] = {
    "conventions": ITS_OWN,
    "normal_below": needs.FEWEST,
    "published": "R 4.2.2, t.test(paired = TRUE) of each pair in five made-up blocks of three learners",
    "printed": "t12 = 3.16227766; t13 = 5.46219886; t23 = 3.94446746",
    "example": Example(_t_of_pairs, _FIVE),
}


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Paired t tests over matched runs",
    question="Which learners differ in mean performance, over few learning samples that they share?",
    null="the two learners of each pair have the same expected performance",
    needs=(needs.not_repeated, needs.at_least_runs(3)),
    assumes=("Runs are independent: each a learning sample drawn by itself, which all learners share.", *LEANS),
    cautions=(
        "With few runs it finds little. Measured (α = .05): 9 % of the pairs that differ are found for 5 learners and "
        "3 runs, 32 % for 5 runs, 57 % for 10; false claims 4–7 %, whatever the standard deviations.",
        "Runs that differ in their seed only are no pairs: unpaired-t finds more there.",
        "Folds and random splits share training data: use corrected-t.",
    ),
    references=("student1908", "holm1979", "hothorn2005 section 5.3"),
    recommended_for="few {runs} that learners share, each pair with its own variance",
    rank=47,
    rank_for_draws=25,
    first_for=needs.few_runs,
    further_trials=(Trial(NullDesign.UNEQUAL_RUNS, 10),),
    **OF_FEW,
)
def run_t(table: ArrayLike) -> ManyResult:
    """Compare learners over few runs that they share, each pair by its paired t, adjusted by Holm's method.

    Useful for 3 to 7 runs, where flips of signs cannot claim anything or hardly can.

    >>> many = run_t([[3, 1, 2], [5, 2, 2], [4, 3, 1], [6, 4, 3]])
    >>> many.estimates.values.tolist(), many.tests[0].statistic_name
    ([4.5, 2.5, 2.0], "Hotelling's T², as F")
    """
    estimates, values = estimates_of_pairs(table)
    tests = means_alike(values) if values.shape[1] > 2 else ()
    return ManyResult(tests=tests, estimates=estimates, details={"runs": len(values)})


@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Paired t tests over tasks",
    question="Which learners differ in mean performance over few tasks?",
    null="the two learners of each pair have the same expected performance over such tasks",
    assumes=(needs.SAMPLE_OF_PROBLEMS, "Differences of different tasks are on one scale and can be averaged.", *LEANS),
    cautions=(
        "With few tasks it finds little, and with tasks of unlike scale less than signed ranks: task-flips, from 6 "
        "tasks on. Measured (α = .05): 38 % of the pairs that differ are found for 3 learners and 5 tasks, 13 % for 5 "
        "learners, 3 % for 10; false claims 5–7 %.",
    ),
    references=("student1908", "holm1979", "demsar2006", "benavoli2016"),
    recommended_for="few tasks, or very many learners, each pair with its own variance",
    rank=45,
    first_for=needs.few_tasks,
    further_trials=(Trial(NullDesign.UNEQUAL_TASKS, 10), Trial(NullDesign.POOL, 5)),
    **OF_FEW,
)
def task_t(table: ArrayLike) -> ManyResult:
    """Compare learners over few tasks, each pair by its paired t, adjusted by Holm's method.

    >>> many = task_t([[3, 1, 2], [5, 2, 2], [4, 3, 1], [6, 4, 3]])
    >>> many.estimates.df, [test.statistic_name for test in many.tests]
    (3.0, ['Friedman χ², tie-corrected', 'Iman–Davenport F'])
    """
    estimates, values = estimates_of_pairs(table)
    tests = ranked_alike(values) if values.shape[1] > 2 else ()
    return ManyResult(tests=tests, estimates=estimates, details={"tasks": len(values)})


# --- The K-fold cross-validated paired t test: widely used, too liberal, here with its caution ------------------------
TEN_FOLDS = (
    (0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82),
    (0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82),
)


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="K-fold cross-validated paired t test",
    question="Do two learners differ in mean performance, over the folds of one cross-validation?",
    null="the two learners have the same expected performance",
    needs=(needs.not_naive, needs.folds_or_independent),
    assumes=(
        "The folds' differences are independent and about normal. They are not independent: any two training sets "
        "share most of their instances.",
        needs.SAME_FOLDS,
    ),
    conventions=(
        "The estimate is the mean of first minus second; t has K − 1 degrees of freedom.",
        "Learners with the same value in every fold have t = 0, p = 1 and no interval.",
    ),
    cautions=(
        "It finds differences where there are none; use corrected-t. Measured at a true null (n = 200, α = .05): 4.8 % "
        "(nearest means, docs/calibration.md) to 8.7 % (other classifiers) false positives for 10 folds, 53.9 % to "
        "57.7 % if it is applied to 10 × 10 folds, 68.5 % over 30 random halves (the resampled t test).",
    ),
    references=("dietterich1998", "alpaydin2014 section 19.11.2"),
    published="Alpaydın, section 19.11.2 (quantiles), and mlxtend 0.25.0, paired_ttest_kfold_cv on ten made-up "
    "folds (t and p, run by us)",
    printed="t(.025, 9) = 2.26; t(.025, 29) = 2.05; t = 3.7370466; p = 0.0046466",
    example=Example(
        lambda result: [t_quantile(0.975, 9), t_quantile(0.975, 29), *numbers(result, "statistic p")], *TEN_FOLDS
    ),
    recommended_for="two learners over the folds of one cross-validation",
    rank=46,
    power=PowerFormula.NAIVE_FOLDS,
    trials=tuple(
        Trial(design, holds=False) for design in (NullDesign.FOLDS, NullDesign.REPEATED_FOLDS, NullDesign.RANDOM_HALVES)
    ),
    synonyms=("t-test", "k-fold cross-validated paired t-test"),
)
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


# --- Nadeau and Bengio's corrected resampled t test: resamples share training data, and the variance says so ----------
@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Corrected resampled t test",
    title_bracket="Nadeau and Bengio",
    question="Do two learners differ in mean performance, over training sets drawn from this problem?",
    null="the two learners have the same expected performance for training sets of this size",
    needs=(needs.sharing_training_data, needs.known_ratio),
    assumes=(
        "The differences are about normal, with one common correlation between resamples.",
        needs.CORRELATION,
        "Within a resample both learners saw the same training and test instances.",
    ),
    conventions=(
        "The estimate is the mean of first minus second; its variance is (1/J + n_test/n_train) s², with J − 1 "
        "degrees of freedom for J resamples.",
        "The ratio is that of the mean test and training sizes; without sizes it is 1/(K − 1) for K folds.",
        "Learners with the same value in every resample have t = 0, p = 1 and no interval.",
    ),
    cautions=(
        "The correction is approximate. Measured at a true null (n = 200, α = .05): 0.7 % (nearest means, "
        "docs/calibration.md) to 1.9 % (other classifiers) false positives for 10 folds, 3.2 % to 6.0 % for 10 × 10 "
        "folds, where the naive t has 4.8 % to 8.7 % and 53.9 % to 57.7 %.",
        "More repeats sharpen the estimate on this sample, not the knowledge of the problem: the standard "
        "error does not go below s √(n_test/n_train).",
    ),
    references=("nadeau2003", "bouckaert2004"),
    published="WEKA 3.6.14, PairedStatsCorrected(0.05, 0.5) on ten made-up folds (run by us)",
    printed="t = 1.52564288; df = 9; p = 0.16144019",
    example=Example("statistic df p", *TEN_FOLDS, ratio=0.5),
    recommended_for="resamples of one task, whose training sets overlap",
    rank=10,
    options={"ratio": "test size over training size, if the data do not tell"},
    repeated_folds=True,
    power=PowerFormula.FOLDS,
    trials=(Trial(NullDesign.FOLDS), Trial(NullDesign.REPEATED_FOLDS)),
    synonyms=("t-test", "corrected resampled t-test", "Nadeau–Bengio", "repeated cross-validation t-test"),
)
def corrected_t(
    a: ArrayLike, b: ArrayLike, *, ratio: float | None = None, confidence: float = 0.95, alternative: str = "two-sided"
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
    ratio = checked_ratio(ratio, "The corrected t test")
    return mean_difference(a, b, inflation=ratio, confidence=confidence, alternative=alternative)


def checked_ratio(ratio: float | None, test: str) -> float:
    """The ratio of test to training size, if it is known and possible."""
    if ratio is None or isnan(ratio):
        raise UsageError(
            f"{test} needs the ratio of test to training size: give columns n_train and n_test, or --ratio (in Python "
            "ratio=), e.g. 0.1111 for ten folds."
        )
    if not (isfinite(ratio) and ratio > 0):
        raise UsageError(f"The ratio of test to training size must be a positive number; found {ratio!r}.")
    return ratio


# --- Bouckaert's calibrated test for ten times ten folds: a hundred differences that count as eleven ------------------
DF = 10.0


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Calibrated t test for 10×10 cross-validation",
    title_bracket="Bouckaert",
    question="Do two learners differ in mean performance, over ten times ten-fold cross-validation?",
    null="the two learners have the same expected performance for training sets of this size",
    needs=(needs.ten_times_ten,),
    assumes=(
        "The hundred differences are about normal, and worth eleven independent ones: that was found by simulation "
        "with a few learners and generators, not derived.",
        needs.SAME_FOLDS,
    ),
    conventions=(
        "The estimate is the mean of all differences, first minus second, with the standard error s/√11 and 10 "
        "degrees of freedom, s being the standard deviation of all differences.",
        "Learners with the same value in every fold have t = 0, p = 1 and no interval.",
    ),
    cautions=(
        "The calibration holds for designs like those it was made on; corrected-t works for any number of folds and "
        "repeats, and is nearly the same here. Measured at a true null (n = 200, nearest centroids on two exchangeable "
        "halves of the features, α = .05, 2,000 samples): 5.1 % false positives, corrected-t 4.6 %; with √100 instead "
        "of √11, 52 %. With nearest means of one feature each (docs/calibration.md) 4.0 %, 3.2 % and 53.9 %.",
    ),
    references=("bouckaert2003", "bouckaert2004"),
    published="R 4.2.2, sqrt(11) * mean(d) / sd(d) and 2 * pt(-t, 10) for d = sin(0:99) + .5: the definition, "
    "because no document at hand prints a worked example",
    printed="t = 2.350901; df = 10; p = 0.040578",
    example=Example("statistic df p", np.sin(np.arange(100)) + 0.5, np.zeros(100)),
    recommended_for="ten repeats of ten folds, for which its degrees of freedom were calibrated",
    rank=20,
    fixed_folds=(10, 10),
    trials=(Trial(NullDesign.REPEATED_FOLDS),),
)
def calibrated_10x10(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided") -> Result:
    """Compare two learners over 10 × 10 folds, t = d̄ / (s / √11) with 10 degrees of freedom.

    Useful where ten-fold cross-validation was repeated ten times. Its hundred differences are far from independent;
    Bouckaert calibrated by simulation how many independent ones they are worth: as many as leave 10 degrees of freedom,
    that is, df + 1 = 11. The mean and s are those of all hundred. The null hypothesis is that both learners have the
    same expected performance. It hardly differs from corrected-t, which has √(1/100 + 1/9) s where this has s/√11.

    >>> import numpy as np
    >>> d = np.sin(np.arange(100)) + 0.5
    >>> result = calibrated_10x10(d, np.zeros(100))
    >>> round(result.statistic, 4), result.df, round(result.p, 4)
    (2.3509, (10.0,), 0.0406)
    """
    # mean_difference has the variance (1/n + inflation) s²; here it is s² / (df + 1).
    inflation = 1 / (DF + 1) - 1 / np.size(a)
    return mean_difference(a, b, inflation=inflation, df=DF, confidence=confidence, alternative=alternative)
