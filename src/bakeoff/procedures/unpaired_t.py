"""The unpaired t test: samples that share nothing, of resamples or of losses, each pair with its own variances."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.errors import DegenerateError
from bakeoff.inference.evidence import Joint, JointTests
from bakeoff.mathematics.checks import Array, number_column
from bakeoff.mathematics.laws import p_from_t, symmetric_interval
from bakeoff.mathematics.linear_models import DF, two_means
from bakeoff.mathematics.step_down import TIE
from bakeoff.mathematics.welch import smallest_welch, welch_f
from bakeoff.procedures.card import NullDesign, PowerFormula, Trial
from bakeoff.procedures.joint_flips import FEWER_FLIPS, STEPS
from bakeoff.procedures.needs import OWN_TEST_SETS, at_least_runs, three_or_more
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, Result, is_constant, procedure

_A = (0.125, 0.15, 0.11, 0.14, 0.16, 0.135, 0.12, 0.145, 0.155, 0.13)
_B = (0.118, 0.139, 0.121, 0.128, 0.149, 0.131, 0.117)
SHARED: dict[str, Any] = {
    "paired": False,
    "conventions": (
        "The estimate is the first mean minus the second; variances may differ, degrees of freedom are Welch's. The "
        "option df=pooled takes one common variance, df=smaller counts min(n1, n2) − 1, as the slides do.",
        "Samples in which all values are the same have t = 0, p = 1 and no interval; two different constants are "
        "refused.",
    ),
    "references": ("welch1947", "feelders1995 section 1, eq. (1)"),
    "published": "R 4.2.2, t.test(a, b) and t.test(a, b, var.equal = TRUE) on made-up samples of ten and seven",
    "printed": "t = 1.18568872; df = 14.91857598; p = 0.254287638; lower = -0.00638801383; upper = 0.0223880138; "
    "p, pooled = 0.279794010",
    "example": (Example("statistic df p lower upper", _A, _B), Example("p", _A, _B, df="pooled")),
    "options": {"df": ("how degrees of freedom are counted", tuple(DF))},
}


def own_means_alike(samples: Sequence[ArrayLike]) -> tuple[Result, ...]:
    """Welch's F of all learners at once, each with its own variance; none where one does not vary."""
    result = welch_f(samples)
    if result is None:
        return ()
    f, df, p = result
    return (Result(statistic=f, statistic_name="Welch's F", df=df, p=p),)


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Unpaired t test over resamples",
    title_bracket="Welch",
    question="Do two learners differ in mean performance, if each was run on splits of its own?",
    null="the two learners have the same expected performance",
    assumes=(
        "All values are independent, within a learner and between learners: other training sets, other test sets.",
        "The means are about normal.",
    ),
    cautions=(
        "On shared splits it throws the pairing away and finds less: the covariance is not subtracted. Use "
        "corrected-t.",
        "Values of folds that overlap in their training data are not independent, and t is too large.",
        "min(n1, n2) − 1 degrees of freedom are conservative: p is .281 where Welch's is .254.",
        "Few runs find large differences only, and skewed values of unequal spread make it claim too much. Measured (α "
        "= .05): of two learners a difference of 3 standard deviations is found in 68 % with 3 runs each, in 98 % with "
        "5; of five learners with 3 runs, one that is 3.3 standard deviations better in 17 % of its pairs. False "
        "claims 3–6 % whatever the standard deviations; skewed and of unequal spread 5–16 %.",
    ),
    recommended_for="{runs}, no two learners on the same, each pair with its own variances",
    needs=(at_least_runs(3),),
    rank=28,
    rank_for_draws=25,
    normal_below=6,
    power=PowerFormula.WELCH,
    further_trials=(Trial(NullDesign.UNEQUAL_OWN_RUNS, 10),),
    all_at_once=own_means_alike,
    **SHARED,
    synonyms=("t-test", "Welch's t-test", "two-sample t-test", "independent t-test"),
)
def unpaired_t(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided", df: str = "welch"
) -> Result:
    """Compare the means of two independent samples, t = (ā − b̄) / √(s1²/n1 + s2²/n2).

    Useful where the two learners were not run on the same splits, so that there is nothing to pair: seeds of separate
    trainings are no pairs, though they bear the same numbers. The null
    hypothesis is that the means are equal. `df` is "welch" (the standard; variances may differ), "pooled" (n1 + n2 − 2,
    one common variance) or "smaller" (min(n1, n2) − 1, as the slides say: conservative). Samples without any spread
    have no standard error: equal ones have t = 0, p = 1 and no interval, different ones are refused.

    >>> a = [0.125, 0.15, 0.11, 0.14, 0.16, 0.135, 0.12, 0.145, 0.155, 0.13]
    >>> b = [0.118, 0.139, 0.121, 0.128, 0.149, 0.131, 0.117]
    >>> [round(unpaired_t(a, b, df=df).p, 3) for df in ("welch", "pooled", "smaller")]
    [0.254, 0.28, 0.281]
    """
    first, second = number_column(a), number_column(b)
    test = two_means(first, second, df)
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    if is_constant(first, size) and is_constant(second, size):
        if not is_constant([first[0], second[0]], size):
            raise DegenerateError(
                f"Each sample has one value only ({first[0]:.6g} and {second[0]:.6g}), so the standard error is zero "
                "and t does not exist. Report the values themselves."
            )
        return Result(0.0, nan, nan, 0.0, "t", (test.df,), 1.0, "all values are the same")
    t = test.difference / test.standard_error
    lower, upper = symmetric_interval(test.difference, test.standard_error, test.df, confidence, alternative)
    details = {"n": (len(first), len(second)), "standard_error": test.standard_error}
    p = p_from_t(t, test.df, alternative)
    return Result(test.difference, lower, upper, t, "t", (test.df,), p, details=details)


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="Unpaired t test on losses of independent test sets",
    title_bracket="Welch",
    question="Do two fitted models, each tested on instances of its own, have different mean losses?",
    null="the two models have the same mean loss",
    assumes=(
        OWN_TEST_SETS,
        "The models were fitted without them.",
        "The means are about normal: exactly if the losses are, nearly if there are many.",
    ),
    cautions=(
        "On the same instances it throws the pairing away and finds less: use paired-t.",
        "For answers that are right or wrong (0 or 1), two-proportions says it better.",
        "Heavy-tailed losses let single instances decide: look at the largest ones.",
    ),
    recommended_for="two models with losses on test sets of their own",
    rank=30,
    all_at_once=own_means_alike,
    options_of=unpaired_t,
    **SHARED,
)
def unpaired_losses(a: ArrayLike, b: ArrayLike, **options: Any) -> Result:
    """The same for losses of two fitted models, each on instances of its own.

    >>> round(unpaired_losses([0.1, 0.4, 0.2], [0.3, 0.6, 0.5, 0.4]).p, 3)
    0.119
    """
    return unpaired_t(a, b, **options)


# --- Several learners: the smallest Welch p of all pairs, by parametric bootstrap -------------------------------------
def _first_pair(many: Any) -> list[float]:
    tested = many.joint.test(np.array([[1.0, -1.0, 0.0]]), 0.05, "two-sided")
    return [tested.statistic[0], tested.df[0], tested.p[0]]


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Parametric bootstrap of the smallest Welch p",
    question="Which of several learners, each on runs of its own, differ in mean?",
    null="the two learners of each pair have the same expected performance",
    needs=(three_or_more, at_least_runs(3)),
    assumes=(
        "All values are independent, within a learner and between learners.",
        "The values of each learner are about normal, with a variance of its own.",
    ),
    conventions=(
        "Each pair has Welch's t. Under the null hypothesis means are drawn from N(0, s²/n) and variances from s² "
        "χ²/(n − 1), `resamples` times with the seed given, and each pair has its Welch p there: the smallest of them "
        "gives adjusted p-values, step by step.",
        STEPS.replace("the largest |z|", "the smallest p").replace("the largest of", "the smallest of"),
        "The test of all at once is Welch's F; pairs do not wait for it.",
    ),
    cautions=(
        "It finds a little more than unpaired-t with holm, and leans on normal values a little more. Measured with "
        "standard deviations of all kinds (α = .05): 4–7 % false claims from 3 runs on; of 5 learners with 5 runs 54 % "
        "of the pairs that differ are found, with holm 48 %.",
    ),
    references=("krishnamoorthy2007", "welch1947", "welch1951", "romano2005"),
    published="R 4.2.2, t.test(a, b) on made-up samples of ten and seven: the statistics that are drawn",
    printed="t = 1.18568872; df = 14.91857598; p = 0.254287638",
    example=Example(_first_pair, [_A, _B, tuple(x + 0.03 for x in _B)]),
    recommended_for="several learners over runs that they do not share, all pairs together",
    rank=33,
    paired=False,
    options={"resamples": "how many are drawn", "seed": "of the draws"},
    single_step="Westfall–Young",
    any_family=True,
    fewer=FEWER_FLIPS,
    further_trials=(Trial(NullDesign.UNEQUAL_OWN_RUNS, 10),),
    normal_below=6,
)
def welch_bootstrap(samples: Sequence[ArrayLike], *, resamples: int = 9_999, seed: int = 1) -> ManyResult:
    """Compare the means of k independent samples with variances of their own, by the law of the smallest Welch p.

    Useful for seeds of several learners, where a pooled variance is wrong and Holm's method gives something away.

    >>> many = welch_bootstrap([[1, 2, 4, 3], [0, 1, 3, 4], [15, 16, 19, 15]], resamples=999)
    >>> tested = many.joint.test(np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]]), 0.05, "two-sided")
    >>> (tested.p_adjusted < 0.05).tolist()
    [False, True, True]
    """

    def test(weights: Array, alpha: float, alternative: str) -> JointTests:
        result = smallest_welch(samples, weights, alternative=alternative, alpha=alpha, draws=resamples, seed=seed)
        means = result.means
        usable = means.standard_error > 0

        def statistic_at(shift: float) -> Array:
            return np.where(usable, (means.estimate - shift) / np.where(usable, means.standard_error, 1.0), 0.0)

        def tail(t: Array) -> tuple[Array, Array]:
            alone = np.asarray(special.stdtr(means.df, -t))
            smaller = np.searchsorted(result.law, 2 * alone * (1 + TIE), side="right")
            jointly = np.where(t > 0, (1 + smaller) / (1 + len(result.law)) / 2, 0.5)
            return alone, np.maximum(alone, jointly)

        return JointTests(
            means.t, result.p, result.p_adjusted, result.intervals(alternative), statistic_at, tail, result.draws,
            df=means.df,
        )  # fmt: skip

    return ManyResult(tests=own_means_alike(samples), joint=Joint(test, "t", seed), details={})
