"""Kruskal and Wallis's test on ranks of independent samples, with Tukey's comparisons of mean ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.inference.evidence import Estimates
from bakeoff.inference.joint_laws import RangeLaw, laws_of_means
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import chi2_sf
from bakeoff.mathematics.linear_models import number_samples, partition
from bakeoff.mathematics.rank_tables import dealing_tail, rank_samples
from bakeoff.procedures.card import Caution, Compares, Published, SmallestP, several_samples
from bakeoff.procedures.needs import (
    at_least_blocks,
    at_least_learners,
    at_least_runs,
    tasks_or_resamples,
    three_or_more,
)
from bakeoff.procedures.procedure import Example, ManyResult, Result, procedure
from bakeoff.scores import Level

METHODS = ("auto", "exact", "asymptotic")
# Ways to deal the ranks out to the samples that are counted by default, and at most.
FEW, MOST = 100_000, 50_000_000


@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Kruskal–Wallis test with Tukey's comparisons of mean ranks",
    question="Do several learners, each on tasks or resamples of its own, differ in rank, and which of them?",
    null="the values of all learners come from one distribution",
    common_needs=False,
    needs=(tasks_or_resamples(), at_least_learners(2), at_least_blocks(2), three_or_more(), at_least_runs(3)),
    assumes=(
        "Every value is independent of every other: learners share no tasks and no resamples.",
        "Values of different tasks are on one scale.",
        "For H to speak about location, the distributions have the same shape.",
    ),
    conventions=(
        "All values are ranked together, 1 is best, ties share their mean rank, and H is corrected for them.",
        "p is exact where the ranks can be dealt out to the samples in at most 100,000 ways (method=exact: 50 "
        "million), else by χ² with k − 1 degrees of freedom.",
        "Pairs are compared by an analysis of variance of the ranks, t with MS_within and N − k degrees of "
        "freedom; single-step adjustment is Tukey's by the Studentized range.",
    ),
    cautions=(
        "It ignores blocks: learners that were run on the same tasks or folds are not independent samples, and "
        "what the tasks differ by hides what the learners differ by. Use friedman.",
        "Alpaydın (19.13.2) prints σ_w² as the average variance of the ranks and L(K − 1) degrees of freedom; "
        "the variance of a mean rank is MS_w/N, and with N data sets there are L(N − 1). His "
        "critical-difference diagrams use these ranks; Demšar's use Friedman's.",
        Caution(
            "The folds of a cross-validation share training data.",
            "Measured at a true null (four nearest-mean classifiers on features of their own, n = 200, α = .05): 4.2 % "
            "false positives over one 10-fold cross-validation (2,000 repetitions), 92 % over 10 × 10 folds (200).",
        ),
        "Ranks of one learner depend on the others: the outcome for a pair may change with a third learner.",
    ),
    references=("kruskal1952", "conover1981", "alpaydin2014 section 19.13.2"),
    published=Published(
        "Hollander and Wolfe (1973), p. 116 (mucociliary efficiency), as R's ?kruskal.test prints it",
        "H = 0.77143; p = 0.68",
        Example("H p_asymptotic", [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]),
    ),
    recommended_for="several learners, each on tasks or resamples of its own, compared by ranks",
    rank=35,
    options={"method": ("where p comes from", METHODS)},
    single_step="Tukey",
    default_adjust="single-step",
    scale="mean rank",
    paired=False,
    further_adjust=("max-t",),
    smallest_p=SmallestP(
        several_samples,
        "values of each learner",
        "the samples do not overlap (exact law of the test of all)",
        for_pairs=False,
    ),
    ranks=True,
    synonyms=("Mann–Whitney U", "rank-sum test", "Wilcoxon rank-sum", "one-way ANOVA on ranks"),
)
def kruskal_wallis(samples: Sequence[ArrayLike] | ArrayLike, *, method: str = "auto") -> ManyResult:
    """Compare k independent samples by the ranks of all N values together; rank 1 is the smallest.

    Useful when values are not normal and learners share no blocks. The null hypothesis is that all values come from one
    distribution. H = 12 / (N (N+1)) Σ n_i (R̄_i − (N+1)/2)², over 1 − Σ (t³ − t) / (N³ − N) where ties share ranks. The
    law of H is χ² with k − 1 degrees of freedom, or exact: by counting all ways to deal the ranks out ("auto" does so
    for small tables). Pairs are compared by an analysis of variance of the ranks. NaN is left out.

    >>> many = kruskal_wallis([[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]])
    >>> round(many.details["H"], 5), round(many.details["p_asymptotic"], 4)
    (0.77143, 0.68)
    """
    choice(method, METHODS, "method")
    ranked = rank_samples(number_samples(samples))
    k, p = len(ranked.sizes), float(chi2_sf(ranked.h, len(ranked.sizes) - 1))
    count = method != "asymptotic" and ranked.ways <= (FEW if method == "auto" else MOST)
    exact = dealing_tail(np.concatenate(ranked.ranks), ranked.sizes) if count else None
    note = "" if method != "exact" else "too many ways to deal the ranks out: p is that of χ²"
    test = Result(
        statistic=ranked.h,
        statistic_name="Kruskal–Wallis H",
        df=(float(k - 1),),
        p=p if exact is None else exact,
        note=note if exact is None else f"exact; by χ² p = {p:.4g}",
    )
    within = partition(ranked.ranks)
    df, variances = float(within.df_within), np.diag(within.ms_within / ranked.sizes)
    laws = {"max-t": laws_of_means(k, df)["max-t"]}
    return ManyResult(
        tests=(test,),
        estimates=Estimates(ranked.means, variances, df, RangeLaw(k, df), laws=laws),
        details={
            "H": ranked.h,
            "H_raw": ranked.raw,
            "p_asymptotic": p,
            "p_raw": float(chi2_sf(ranked.raw, k - 1)),
            "p_exact": exact,
            "mean_ranks": ranked.means,
            "ms_within": within.ms_within,
        },
    )


def critical_difference(ms_within: float, k: int, n: int, alpha: float) -> float:
    """The smallest difference of mean ranks that Tukey's range calls one, q σ_w with σ_w = √(MS_w / N) and k(N−1) df.

    >>> round(critical_difference(26.8777777778, 3, 6, 0.05), 4)
    7.7748
    """
    return RangeLaw(k, k * (n - 1.0)).critical(alpha, 1) * float(np.sqrt(2 * ms_within / n))
