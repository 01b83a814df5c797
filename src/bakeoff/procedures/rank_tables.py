"""Ranks over tasks in other ways than Friedman's: weighted (Quade), aligned, and of tables with holes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.inference.evidence import DecidedPairs, Estimates
from bakeoff.inference.joint_laws import RangeLaw, laws_of_means
from bakeoff.mathematics import rank_tables
from bakeoff.mathematics.checks import Array, choice
from bakeoff.mathematics.laws import chi2_sf
from bakeoff.mathematics.linear_models import number_samples, partition
from bakeoff.mathematics.ranks import sign_test
from bakeoff.procedures import needs
from bakeoff.procedures.card import MEAN_RANKS, SmallestP, flips, several_samples
from bakeoff.procedures.friedman import DEMSAR, estimates_of_ranks, f_of_ranks
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, Result, numbers, procedure


def chi2_test(name: str, chi2: float, k: int, note: str = "") -> Result:
    """χ² of k learners, with k − 1 degrees of freedom."""
    return Result(statistic=chi2, statistic_name=name, df=(float(k - 1),), p=float(chi2_sf(chi2, k - 1)), note=note)


# --- Quade's test: ranks within tasks, weighted by how far the learners of a task lie apart ---------------------------
# Conover (1999), p. 375, as in the help page of R's quade.test: five brands in seven stores.
_STORES = [
    [5, 4, 7, 10, 12], [1, 3, 1, 0, 2], [16, 12, 22, 22, 35], [5, 4, 3, 5, 4], [10, 9, 7, 13, 10],
    [19, 18, 28, 37, 58], [10, 7, 6, 8, 7],
]  # fmt: skip


@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Quade test with post-hoc comparisons of weighted ranks",
    question="Do the learners rank differently over tasks, if tasks with large differences count for more?",
    null="in every task all orders of the learners are equally likely",
    needs=(needs.three_or_more,),
    assumes=(
        needs.SAMPLE_OF_PROBLEMS,
        "Differences of one task can be ordered against those of another: the measure means the same in all tasks.",
    ),
    conventions=(
        "Ranks are taken within each task, 1 is best; a task's weight is the rank of its range. Ties share their "
        "mean rank.",
        "F = (N−1) B / (A − B) with k−1 and (N−1)(k−1) degrees of freedom, as R's quade.test.",
        "Pairs are compared by z of the weighted mean ranks, with the variance that they have over all orders "
        "within tasks: k(k+1)(2N+1)/(9N(N+1)) without ties. García et al. (2010) print (k−1)/2 times that, which "
        "is right for three learners only: at ten learners it never rejects.",
        "Single-step adjustment is Tukey's, by the Studentized range with infinite degrees of freedom.",
    ),
    cautions=(
        "Weights follow the ranges, so a few tasks with large differences decide. If tasks are on different "
        "scales (errors of easy and hard tasks, losses in other units), use friedman.",
        "With five learners or more it has less power than friedman, with three more (Conover 1999).",
    ),
    references=("quade1979", "conover1999 pp. 373–380", "garcia2010"),
    published="Conover (1999), p. 375, as printed by R's quade.test",
    printed="F = 3.8293; df1 = 4; df2 = 24; p = 0.01519",
    example=Example(lambda many: [many.tests[0].statistic, *many.tests[0].df, many.tests[0].p], _STORES),
    recommended_for="learners over many tasks whose differences can be ordered across tasks",
    rank=50,
    pooled=MEAN_RANKS,
    single_step="Tukey",
    default_adjust="holm",
    scale="weighted mean rank",
    ranks=True,
)
def quade(table: ArrayLike) -> ManyResult:
    """Compare k learners over N tasks by ranks within tasks, each task weighted by the rank of its range.

    Useful when scores of different tasks are comparable and a task in which the learners lie far apart should count
    for more; Friedman's test counts every task alike. The null hypothesis is that all orders are equally likely in
    every task. Ties share mean ranks, of values and of ranges.

    >>> many = quade([[5, 4, 7, 10, 12], [1, 3, 1, 0, 2], [16, 12, 22, 22, 35], [5, 4, 3, 5, 4],
    ...               [10, 9, 7, 13, 10], [19, 18, 28, 37, 58], [10, 7, 6, 8, 7]])
    >>> round(many.tests[0].statistic, 4), round(many.tests[0].p, 5)
    (3.8293, 0.01519)
    """
    ranked, (n, k) = rank_tables.quade_ranks(np.asarray(table)), np.shape(table)
    weights = {"A": ranked.total, "B": ranked.between, "task_weights": ranked.weights}
    return ManyResult(
        tests=(f_of_ranks("Quade F", ranked.between, ranked.total, n, k),),
        estimates=estimates_of_ranks(ranked.means, ranked.variance),
        details={"weighted_mean_ranks": ranked.means, **weights},
    )


# --- Friedman's test on aligned ranks (Hodges and Lehmann): all values ranked together, less their task's mean --------
@procedure(
    Compares.MANY,
    Level.TASKS,
    name="friedman-aligned-ranks",
    title="Friedman test on aligned ranks with post-hoc comparisons",
    question="Do the learners differ over tasks, if differences of one task are held against those of others?",
    null="in every task all orders of the learners' values are equally likely",
    needs=(needs.three_or_more,),
    assumes=(needs.SAMPLE_OF_PROBLEMS, "A task shifts all learners alike, and differences mean the same in all tasks."),
    conventions=(
        "From each value its task's mean is subtracted; all kN differences are ranked together, 1 is best, ties "
        "share their mean rank.",
        "χ² has k − 1 degrees of freedom and allows for ties.",
        "Pairs are compared by z of the mean aligned ranks, with the variance that they have over all orders within "
        "tasks, 2 Σ(R_ij − R̄_i.)² / (N²(k−1)), about k²N/6. García et al. (2010) print k(N+1)/6, k times too small.",
        "Single-step adjustment is Tukey's, by the Studentized range with infinite degrees of freedom.",
    ),
    cautions=(
        "Software with the printed variance k(N+1)/6 (scmamp 0.3) finds differences where there are none. Measured at "
        "a true null (one pair, α = .05, 3,000 repetitions): 36 % false positives for 3 learners, 42 % for 5, 56 % for "
        "10, each over 30 tasks; with the variance used here 4.7 % to 5.1 %.",
        "Tasks on different scales make the ranks of the widest ones the extreme ones: use friedman.",
    ),
    references=("hodges1962", "garcia2010"),
    published="R coin 1.4.2, symmetry_test(teststat = 'quadratic') on the aligned ranks of Demšar's AUCs",
    printed="chi2 = 11.647604494; p = 0.00869317349; first mean rank = 18.75",
    example=Example(lambda many: [*numbers(many, "statistic p"), many.details["mean_aligned_ranks"][0]], DEMSAR),
    recommended_for="few learners over tasks whose differences can be held against each other",
    rank=55,
    pooled=MEAN_RANKS,
    single_step="Tukey",
    default_adjust="holm",
    scale="mean aligned rank",
    ranks=True,
)
def aligned_ranks(table: ArrayLike) -> ManyResult:
    """Compare k learners over N tasks by the ranks of all kN differences from their task's mean.

    Useful when scores of different tasks are comparable: Friedman's ranks compare within a task only, which says
    little if there are few learners; aligned ranks compare across tasks as well. The null hypothesis is that within a
    task the learners can be exchanged. Ties share mean ranks, and the statistic is corrected for them.

    >>> many = aligned_ranks([[1.0, 1.5, 3.0], [2.0, 2.2, 2.4], [5.0, 7.0, 7.5], [1.0, 0.9, 1.8]])
    >>> many.details["mean_aligned_ranks"].tolist(), round(many.tests[0].statistic, 4)
    ([3.5, 5.75, 10.25], 5.4258)
    """
    ranked = rank_tables.align_and_rank(np.asarray(table))
    return ManyResult(
        tests=(chi2_test("aligned-ranks χ²", ranked.chi2, len(ranked.means)),),
        estimates=estimates_of_ranks(ranked.means, ranked.variance),
        details={"mean_aligned_ranks": ranked.means, "chi2": ranked.chi2},
    )


# --- Skillings and Mack's test: Friedman's for tables in which not every learner was scored on every task -------------
_ASSEMBLY = [
    [3.2, 4.1, 3.8, 4.2], [3.1, 3.9, 3.4, 4.0], [4.3, 3.5, 4.6, 4.8], [3.5, 3.6, 3.9, 4.0], [3.6, 4.2, 3.7, 3.9],
    [4.5, 4.7, 3.7, nan], [nan, 4.2, 3.4, nan], [4.3, 4.6, 4.4, 4.9], [3.5, nan, 3.7, 3.9],
]  # fmt: skip


@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Skillings–Mack test for incomplete tables",
    question="Do the learners rank differently over tasks, and which pairs differ, if not every learner was scored "
    "on every task?",
    null="in every task all orders of the learners that were scored on it are equally likely",
    needs=(needs.three_or_more,),
    assumes=(
        needs.SAMPLE_OF_PROBLEMS,
        "Whether a cell is missing has nothing to do with the value that it would have had: learners that fail on "
        "hard tasks break this.",
    ),
    conventions=(
        "Ranks are taken within each task among the learners present; a missing one counts as the middle rank. "
        "Ranks of a task with k_i learners are weighted by √(12/(k_i+1)).",
        "A learner's value for a task is missing if any of its folds is.",
        "χ² has k − 1 degrees of freedom and allows for ties; the raw χ² is shown where it differs. Without "
        "missing cells it is Friedman's.",
        "With --missing drop-block or worst there are no holes left, and it tells what friedman would.",
        "Pairs are compared by the exact sign test on the tasks that have both (ties split evenly, an odd one "
        "dropped), which is what this test is for two learners; the estimate is the difference of the mean ranks "
        "among the two, between −1 and 1. There is no interval. Holm's adjustment, unless another is asked for.",
        "The mean rank of a learner makes up for which others were there when it was ranked; without holes it is "
        "friedman's.",
    ),
    cautions=(
        "Pairs are not compared by their weighted rank sums, as Nemenyi's test does those of a complete table: with "
        "holes these depend on which other learners were there. Measured: two equal learners of four, one of them "
        "absent where the two better ones met, were told apart by rank sums in 12, 86 and 100 % of experiments with "
        "20, 60 and 200 tasks, by these sign tests in 1.0, 2.0 and 2.5 % (1,000 repetitions each).",
        "The sign test counts wins and nothing else. If differences of one task can be ordered against those "
        "of another, wilcoxon finds more: two learners at a time (--learner), with --missing drop-block.",
        "With few tasks the χ² approximation is rough, as it is for friedman.",
    ),
    references=("skillings1981", "benavoli2016 (pairs by tests of their own)"),
    published="Skillings and Mack (1981), times of four assembly methods, as printed by R's Skillings.Mack",
    printed="chi2 = 15.493; df = 3; p = 0.00144",
    example=Example("statistic df p", _ASSEMBLY),
    recommended_for="learners over tasks with missing cells",
    rank=60,
    sides=False,
    incomplete=True,
    intervals=False,
    scale="mean rank",
    estimate="difference in mean rank among the two, on the tasks that have both",
    smallest_p=SmallestP(flips, "tasks", "one of two learners wins on all of them, and both are there on all"),
    ranks=True,
    order_only=True,
)
def skillings_mack(table: ArrayLike) -> ManyResult:
    """Test whether k learners rank alike over N tasks of a table with holes (NaN).

    Useful when learners could not be run on every task, and the holes have nothing to do with how well they would have
    done. The null hypothesis is that all orders of the learners present are equally likely in every task. A task with
    one learner or none says nothing. Without holes it is Friedman's test. Ties share mean ranks, and the covariance is
    that of the tied ranks; what it is without that correction is in the details. Pairs are compared by the sign test,
    which this test is for two learners, on the tasks that have both.

    >>> many = skillings_mack([[3.2, 4.1, 3.8, 4.2], [3.1, 3.9, 3.4, 4.0], [4.3, 3.5, 4.6, 4.8],
    ...     [3.5, 3.6, 3.9, 4.0], [3.6, 4.2, 3.7, 3.9], [4.5, 4.7, 3.7, nan], [nan, 4.2, 3.4, nan],
    ...     [4.3, 4.6, 4.4, 4.9], [3.5, nan, 3.7, 3.9]])
    >>> round(many.tests[0].statistic, 3), round(many.tests[0].p, 5)
    (15.493, 0.00144)
    >>> float(many.decided.statistic[0, 3]), float(many.decided.p[0, 3])  # smaller on all 7 tasks that have both
    (7.0, 0.015625)
    """
    values = rank_tables.table_with_holes(table)
    ranked, k = rank_tables.skillings_mack_ranks(values), values.shape[1]
    note = "" if abs(ranked.raw - ranked.chi2) < 1e-9 else f"without tie correction χ² = {ranked.raw:.4g}"
    details = {
        "weighted_ranks": ranked.weighted,
        "mean_ranks": ranked.means,
        "chi2_raw": ranked.raw,
        "p_raw": float(chi2_sf(ranked.raw, k - 1)),
        "tasks_of_each": (~np.isnan(values)).sum(axis=0),
    }
    test = chi2_test("Skillings–Mack χ², tie-corrected", ranked.chi2, k, note)
    return ManyResult(tests=(test,), decided=_pairs(values, ranked.means), details=details)


def _pairs(values: Array, mean_ranks: Array) -> DecidedPairs:
    """Every pair by the exact sign test on the tasks that have both: wins, and the difference of ranks among the two.

    Comparing the weighted rank sums instead, as Nemenyi's test does the rank sums of a complete table, would be wrong:
    they depend on who else was there, so that a learner that missed the tasks of a good one looks better than its twin.
    """
    k = values.shape[1]
    better, shared = rank_tables.count_wins(values)
    tied = shared - better - better.T
    counted = lru_cache(maxsize=None)(sign_test)
    p, wins, notes = np.ones((k, k)), np.full((k, k), nan), {}
    for i, j in permutations(range(k), 2):
        if not shared[i, j]:
            p[i, j], notes[i, j] = nan, "refused: no task has both"
            continue
        text = counted(int(better[i, j]), int(better[j, i]), int(tied[i, j]))
        p[i, j], wins[i, j] = text.p, text.wins
        notes[i, j] = f"of {shared[i, j]} tasks with both" + (f", {tied[i, j]} tied" if tied[i, j] else "")
    with np.errstate(invalid="ignore"):
        difference = (better.T - better) / shared
    return DecidedPairs(difference, p, p, wins, "wins", notes, values=mean_ranks)


# --- Kruskal and Wallis's test on ranks of independent samples, with Tukey's comparisons of mean ranks ----------------
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
    needs=(
        needs.tasks_or_resamples,
        needs.at_least_learners(2),
        needs.at_least_blocks(2),
        needs.three_or_more,
        needs.at_least_runs(3),
    ),
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
        "The folds of a cross-validation share training data. Measured at a true null (four nearest-mean classifiers "
        "on features of their own, n = 200, α = .05): 4.2 % false positives over one 10-fold cross-validation (2,000 "
        "repetitions), 92 % over 10 × 10 folds (200).",
        "Ranks of one learner depend on the others: the outcome for a pair may change with a third learner.",
    ),
    references=("kruskal1952", "conover1981", "alpaydin2014 section 19.13.2"),
    published="Hollander and Wolfe (1973), p. 116 (mucociliary efficiency), as R's ?kruskal.test prints it",
    printed="H = 0.77143; p = 0.68",
    example=Example("H p_asymptotic", [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]),
    recommended_for="several learners, each on tasks or resamples of its own, compared by ranks",
    rank=35,
    options={"method": ("where p comes from", METHODS)},
    single_step="Tukey",
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
    ranked = rank_tables.rank_samples(number_samples(samples))
    k, p = len(ranked.sizes), float(chi2_sf(ranked.h, len(ranked.sizes) - 1))
    count = method != "asymptotic" and ranked.ways <= (FEW if method == "auto" else MOST)
    exact = rank_tables.dealing_tail(np.concatenate(ranked.ranks), ranked.sizes) if count else None
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
