"""Joint sign flips: many learners in the same blocks, each pair with its own variance, all pairs by the same flips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.inference.evidence import Joint, JointTests
from bakeoff.mathematics.binary_tables import tango_intervals, tango_statistics
from bakeoff.mathematics.checks import Array, number_table
from bakeoff.mathematics.joint_flips import (
    SignedRankContrasts,
    best_by_flips,
    flip_intervals,
    flip_statistics,
    joint_flips,
)
from bakeoff.mathematics.laws import normal_sf, t_sf
from bakeoff.mathematics.step_down import Intervals
from bakeoff.procedures import needs
from bakeoff.procedures.card import Fallback, SmallestP, flips
from bakeoff.procedures.friedman import ranked_alike
from bakeoff.procedures.permutations import INDEPENDENT_BLOCKS
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, NullDesign, Trial, procedure
from bakeoff.procedures.right_or_wrong import cochran_q

SYMMETRIC = (
    "Where two learners are equally good, their differences are symmetric about zero. Variances may differ from pair "
    "to pair, and the learners may depend on one another in any way."
)
DRAWS = (
    "Up to 14 blocks all signs are gone through; otherwise `resamples` of them are drawn with the seed given, and p = "
    "(1 + number) / (1 + resamples)."
)
STEPS = (
    "Adjusted p-values step down from the largest |z| (Westfall and Young; Romano and Wolf), each by the largest of "
    "those that are left. Intervals are simultaneous, by one quantile for all; where a later step claims what its "
    "interval does not, the end next to zero is moved onto it, and the interval is called stepwise."
)
UNLIKE = "Losses of unlike shape (skewed for one learner only) are not symmetric: bootstrap-t is made for them."
FEWER_FLIPS = (("resamples", 999),)  # for simulations
SHARED: dict[str, Any] = {
    "single_step": "Westfall–Young",
    "any_family": True,
    "options": {"resamples": "how many flips are drawn where not all are gone through", "seed": "of the draws"},
    "fewer": FEWER_FLIPS,
}
# Eight blocks and twelve answers, small enough to go through all flips.
_EIGHT = (
    (62, 60, 55), (71, 66, 69), (80, 78, 70), (55, 56, 50), (90, 84, 83), (77, 70, 72), (66, 63, 60), (58, 51, 57),
)  # fmt: skip
_TWELVE = ("110", "100", "111", "101", "000", "110", "100", "101", "010", "100", "110", "100")
PAIRS_OF_THREE = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])


def _published(many: Any) -> list[float]:
    tested = many.joint.test(PAIRS_OF_THREE, 0.05, "two-sided")
    return [*tested.statistic, *tested.p_adjusted]


def flipped_means(table: Array, resamples: int, seed: int) -> Joint:
    """Contrasts of means, by joint flips."""

    def test(weights: Array, alpha: float, alternative: str) -> JointTests:
        tested = joint_flips(table, weights, alternative=alternative, alpha=alpha, draws=resamples, seed=seed)
        intervals = flip_intervals(table, weights, critical=tested.reach, alternative=alternative)
        return JointTests.of(tested, intervals, lambda c: flip_statistics(table, weights, c), _tail_of(len(table)))

    return Joint(test, seed=seed, best=lambda sign: best_by_flips(sign * table, draws=resamples, seed=seed))


def _tail_of(n: int) -> Callable[[Array], Array]:
    """The one-sided p of one z = Σd/√Σd², about: Student's, of the t that it is a function of."""

    def tail(z: Array) -> Array:
        inside = np.clip(n - z**2, 1e-12, None)
        return np.asarray(t_sf(z * np.sqrt((n - 1) / inside), n - 1))

    return tail


# --- Instances: right or wrong answers --------------------------------------------------------------------------------
@procedure(
    Compares.MANY,
    Level.INSTANCES,
    title="Joint sign flips of instances",
    question="Which of several models differ on new instances like these?",
    null="each pair of models is equally good: it is as likely that only the first is right as that only the second is",
    assumes=(needs.NEW_INSTANCES, "The models were fitted without them.", SYMMETRIC),
    conventions=(
        "z of a pair is Σd / √Σd² over the instances; for answers that are right or wrong this is McNemar's "
        "(b − c)/√(b + c). The sign of each instance is flipped once for all pairs.",
        DRAWS + " Beyond 2,000 different instances the normal law with the flips' covariance is drawn from.",
        STEPS,
        "For right and wrong answers intervals are Tango's, with the quantile of the largest |z|; else those of the "
        "flips.",
        "The test of all at once is Cochran's Q for right and wrong answers, else the largest |z|; pairs do not wait "
        "for it.",
    ),
    cautions=(needs.FITTED_MODELS, UNLIKE),
    references=("westfall1993", "romano2005", "mcnemar1947", "tango1998"),
    published="All 4,096 flips of twelve made-up answers of three models, gone through by other code",
    printed="z12 = 1.88982237; z13 = 2.64575131; z23 = 0.81649658; p12 = 0.14648438; p13 = 0.02929688; p23 = 0.6875",
    example=Example(_published, [[int(digit) for digit in row] for row in _TWELVE]),
    recommended_for="several models on the same instances, each pair with its own variance",
    rank=31,
    first_for=needs.answers_of_many,
    fallback=Fallback("hochberg-tamhane", needs.MOST_MODELS, "the joint law of so many pairs takes too long"),
    further_trials=(Trial(NullDesign.CLONES, 10),),
    smallest_p=SmallestP(flips, "instances", "one model wins on all of them", jointly=True),
    binary=True,
    **SHARED,
)
def item_flips(table: ArrayLike, *, resamples: int = 9_999, seed: int = 1) -> ManyResult:
    """Compare k models on the same n instances, each pair with its own variance, by flips that all pairs share.

    Useful when several models were run on one test set, above all if some of them are near-clones of one another: a
    pooled variance (dunn) then claims too much of the others and too little of the clones.

    >>> many = item_flips([[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    >>> many.tests[0].statistic_name, round(many.tests[0].p, 4)
    ("Cochran's Q", 0.1146)
    """
    values = number_table(table, "table", columns=2)
    if not np.isin(values, (0.0, 1.0)).all():
        return ManyResult(joint=flipped_means(values, resamples, seed), details={"instances": len(values)})
    return ManyResult(
        tests=cochran_q(values).tests,
        joint=_flipped_answers(values, resamples, seed),
        details={"instances": len(values), "rates": values.mean(axis=0)},
    )


def _flipped_answers(table: Array, resamples: int, seed: int) -> Joint:
    """Contrasts of right and wrong answers: pairs have Tango's intervals."""
    n = len(table)

    def test(weights: Array, alpha: float, alternative: str) -> JointTests:
        tested = joint_flips(table, weights, alternative=alternative, alpha=alpha, draws=resamples, seed=seed)
        pairs = np.all((np.abs(weights) == 1) | (weights == 0), axis=1) & (np.abs(weights).sum(axis=1) == 2)
        if not pairs.all():
            intervals = flip_intervals(table, weights, critical=tested.reach, alternative=alternative)
            return JointTests.of(tested, intervals, lambda c: flip_statistics(table, weights, c), _tail_of(n))
        first, second = table[:, np.argmax(weights, axis=1)], table[:, np.argmin(weights, axis=1)]
        only_first, only_second = (first > second).sum(axis=0), (second > first).sum(axis=0)
        low, high = tango_intervals(only_first, only_second, n, critical=tested.reach, alternative=alternative)
        intervals = Intervals((only_first - only_second) / n, low, high)
        return JointTests.of(tested, intervals, lambda c: tango_statistics(only_first, only_second, n, c), normal_sf)

    return Joint(test, seed=seed, best=lambda sign: best_by_flips(sign * table, draws=resamples, seed=seed))


# --- Matched runs -----------------------------------------------------------------------------------------------------
@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Joint sign flips of matched runs",
    question="Which of several learners differ, over learning samples that they share?",
    null="each pair of learners is equally good: their differences are symmetric about zero",
    needs=(needs.not_repeated, needs.three_or_more, needs.at_least_runs(3)),
    assumes=(INDEPENDENT_BLOCKS, SYMMETRIC),
    conventions=("z of a pair is Σd / √Σd² over the runs; signs are flipped once for all pairs.", DRAWS, STEPS),
    cautions=(
        "With B runs p cannot be below 2^(1−B), however many learners there are: six runs are the fewest, and below "
        "eight run-t finds more.",
        "Folds share training data, so they are not independent blocks: prefer corrected-t there.",
    ),
    references=("westfall1993", "romano2005", "hothorn2005 section 5.3"),
    published="All 256 flips of eight made-up runs of three learners, gone through by other code",
    printed="z12 = 2.33010269; z13 = 2.52941176; z23 = 0.88465174; p12 = 0.03125; p13 = 0.0078125; p23 = 0.4453125",
    example=Example(_published, _EIGHT),
    recommended_for="several learners over {runs} that they share, each pair with its own variance",
    rank=38,
    rank_for_draws=5,
    fallback=Fallback("run-t", needs.MOST_LEARNERS, "the joint law of so many pairs takes too long"),
    further_trials=(Trial(NullDesign.UNEQUAL_RUNS, 10),),
    smallest_p=SmallestP(flips, "runs", "one learner wins in all of them", jointly=True),
    **SHARED,
)
def run_flips(table: ArrayLike, *, resamples: int = 9_999, seed: int = 1) -> ManyResult:
    """Compare k learners over B independent runs that they share, each pair with its own variance.

    Useful where learners vary unequally: analysis of variance and Tukey's intervals pool all variances, and claim up to
    23 % where nothing differs, or hide a pair behind a learner that is noisy.

    >>> many = run_flips([[62, 60, 55], [71, 66, 69], [80, 78, 70], [55, 56, 50], [90, 84, 83], [77, 70, 72]])
    >>> many.joint.test(np.array([[1.0, 0.0, -1.0]]), 0.05, "two-sided").p.tolist()
    [0.03125]
    """
    values = number_table(table, "table", columns=2)
    return ManyResult(joint=flipped_means(values, resamples, seed), details={"runs": len(values)})


# --- Tasks: signed ranks ----------------------------------------------------------------------------------------------
@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Joint signed ranks",
    question="Which of several learners differ over many tasks?",
    null="each pair of learners is equally good: the differences over tasks are symmetric about zero",
    needs=(needs.three_or_more,),
    assumes=(
        needs.SAMPLE_OF_PROBLEMS,
        "Differences of different tasks can be ordered by size; where two learners are equally good, they are "
        "symmetric about zero. What other learners are in the table does not matter.",
    ),
    conventions=(
        "z of a pair is Σs / √Σs², where s are the signed ranks of its differences, scaled to Σ² = 1, plus 0.02 times "
        "the differences scaled likewise, which breaks ties. Differences are rounded to the precision of the data "
        "before they are ranked; zeros count nothing but take ranks.",
        "Signs are flipped once for all pairs. " + DRAWS,
        STEPS,
        "The estimate is the shift at which z is 0, a Hodges–Lehmann estimate, and the interval holds the shifts that "
        "z does not put beyond the quantile.",
        "Beside the pairs stands Friedman's test of all learners at once, with Iman and Davenport's F; pairs do not "
        "wait for it.",
    ),
    cautions=(
        "With N tasks p cannot be below 2^(1−N): six tasks are the fewest, however many learners there are.",
        "Few tasks find little: with 8 tasks and 10 learners about 10 % of the pairs that differ. Compare with a "
        "control, or fewer learners.",
    ),
    references=("westfall1993", "romano2005", "benavoli2016", "wilcoxon1945", "friedman1937", "iman1980"),
    published="All 256 flips of eight made-up tasks of three learners, gone through by other code: the p of the signed "
    "ranks",
    printed="p12 = 0.03125; p13 = 0.0078125; p23 = 0.4453125",
    example=Example(lambda many: _published(many)[3:], _EIGHT),
    recommended_for="many learners over many tasks, whose scores cannot be averaged across tasks, each pair on its own",
    rank=5,
    estimate="pseudo-median (Hodges and Lehmann's) of the differences in {measure}",
    fallback=Fallback("task-t", needs.MOST_LEARNERS, "the joint law of so many pairs takes too long"),
    further_trials=(Trial(NullDesign.UNEQUAL_TASKS, 10), Trial(NullDesign.POOL, 5)),
    smallest_p=SmallestP(flips, "tasks", "one learner wins on all of them", jointly=True),
    **SHARED,
)
def task_flips(table: ArrayLike, *, resamples: int = 9_999, seed: int = 1) -> ManyResult:
    """Compare k learners over N tasks by signed ranks, each pair on its own, all pairs by the same flips.

    Useful where Friedman's test with Nemenyi's comparisons is usual. Mean ranks depend on which other learners are in
    the table, so that two learners of equal merit are told apart if the others rank between them (Benavoli, Corani and
    Mangili 2016): with 60 tasks and 5 learners in up to 78 % of the tables. Signed ranks look at the pair alone.

    >>> many = task_flips([[62, 60, 55], [71, 66, 69], [80, 78, 70], [55, 56, 50], [90, 84, 83], [77, 70, 72]])
    >>> [test.statistic_name for test in many.tests]
    ['Friedman χ², tie-corrected', 'Iman–Davenport F']
    """
    values = number_table(table, "table", columns=2)
    joint = Joint(
        _signed_ranks(values, resamples, seed),
        seed=seed,
        best=lambda sign: best_by_flips(sign * values, ranks=True, draws=resamples, seed=seed),
    )
    return ManyResult(tests=ranked_alike(values), joint=joint, details={"tasks": len(values)})


def _signed_ranks(table: Array, resamples: int, seed: int) -> Callable[[Array, float, str], JointTests]:
    def test(weights: Array, alpha: float, alternative: str) -> JointTests:
        ranked = SignedRankContrasts(table, weights)
        tested = ranked.test(alternative, alpha, resamples, seed)
        intervals = ranked.intervals(tested.reach, alternative)
        return JointTests.of(tested, intervals, ranked.statistics, _tail_of(len(table)))

    return test
