"""What the Bayesian procedures share, and those over tasks: the sign test and the signed-rank test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics import posteriors
from bakeoff.mathematics.checks import Array, choice, differences, number_column
from bakeoff.mathematics.laws import t_sf
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.procedures.needs import SAMPLE_OF_PROBLEMS, folds_of_each_task, known_correlation, sharing_training_data
from bakeoff.procedures.paired_t import mean_difference
from bakeoff.procedures.procedure import Compares, Example, Level, NullDesign, Options, Result, Trial, procedure
from bakeoff.text import number

# --- What the Bayesian procedures share: the region of practical equivalence, and what is said about it ---------------
Three = tuple[float, float, float]
HALF_WIDTH = "half width of the region of practical equivalence, in the measure's unit"
ROPE: Options = {"rope": (HALF_WIDTH, (), "a margin of relevance sets it")}
_ANSWER = "the answer is how probable it is that the first is worse, practically the same, or better"
SHARED: dict[str, Any] = {"null": f"none is tested; {_ANSWER}", "instead_of_null": _ANSWER, "posterior": True}
PROBABILITIES = (
    "P(worse), P(same) and P(better) are probabilities of the difference given the data and the prior, not p-values; a "
    "claim needs one of them to be at least 1 − α. With rope = 0, the default, any difference counts, P(same) is 0 and "
    "the other two add up to one."
)
ONE_PAIR = (
    "Each probability is about one pair by itself: there is no adjustment for the number of comparisons, and among "
    "many pairs some claims with probability 0.95 will be wrong."
)


def checked_rope(rope: float) -> float:
    """A rope is a difference that is not negative.

    >>> checked_rope(-0.01)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: The rope is a difference that is not negative, in the measure's unit; found -0.01.
    """
    if not (isfinite(rope) and rope >= 0):
        raise UsageError(f"The rope is a difference that is not negative, in the measure's unit; found {rope!r}.")
    return float(rope)


def rope_note(rope: float) -> str:
    """
    >>> rope_note(0.01), rope_note(0)
    ('rope ±0.01', 'no rope: any difference counts')
    """
    return f"rope ±{number(rope)}" if rope > 0 else "no rope: any difference counts"


def no_difference(rope: float) -> Three:
    """The probabilities for learners that are the same: as far from better as from worse, and the same within a rope.

    >>> no_difference(0.0), no_difference(0.1)
    ((0.5, 0.0, 0.5), (0.0, 1.0, 0.0))
    """
    return (0.0, 1.0, 0.0) if rope > 0 else (0.5, 0.0, 0.5)


def answer(
    ends: Three, chances: Three, note: str, details: Mapping[str, Any] | None = None, df: tuple[float, ...] = ()
) -> Result:
    """An estimate with the ends of its credible interval, and how probable worse, same and better are."""
    worse, same, better = chances
    return Result(*ends, df=df, note=note, details=details or {}, worse=worse, same=same, better=better)


def checked_correlation(rho: float | None) -> float:
    """ρ, if it is known and possible."""
    if rho is None or rho != rho:
        raise UsageError(
            "The correlation between resamples is not known: give columns n_train and n_test, or --rho (in Python "
            "rho=), the share of the data that is tested on, e.g. 0.1 for ten folds."
        )
    if not 0 <= rho < 1:
        raise UsageError(f"The correlation rho between resamples lies in [0, 1); found {rho!r}.")
    return float(rho)


# --- The Bayesian sign test: on most problems, is one of two learners better, or are they practically the same? -------
PRIOR: Options = {
    **ROPE,
    "prior": "strength of the prior, in tasks",
    "prior_place": (
        "where the prior's pseudo-task lies: in the rope, or left of it (the first lower than the second) or right",
        tuple(posteriors.PLACES),
    ),
}


@procedure(
    Compares.PAIR,
    Level.TASKS,
    title="Bayesian sign test",
    question="How probable is it that one of two learners is better on more problems than not, or practically the "
    "same?",
    assumes=(
        SAMPLE_OF_PROBLEMS,
        "Nothing about the size of a difference matters but whether it is left of the rope, in it or right of it.",
    ),
    conventions=(
        PROBABILITIES,
        "P(better) is the probability that, of all problems, those on which the first is better by more than the "
        "rope are the largest of the three shares; likewise for the others. It is computed, not simulated.",
        "The prior is worth one task, in the rope, unless told otherwise. With rope = 0 ties and prior lie there "
        "and count for neither learner.",
        "The estimate is the median difference and the interval its central credible one, under a Dirichlet "
        "process with the same prior; where so few tasks give no end, the prior's pseudo-task is the end.",
        "Differences are rounded to the precision of the data first, and one that equals the rope lies in it; "
        "baycomp takes 0.768 − 0.763 to be more than 0.005.",
    ),
    cautions=(
        ONE_PAIR,
        "It ignores how large differences are, and how sure each task's score is: bayes-signed-rank uses the "
        "former, bayes-hierarchical both.",
    ),
    references=("benavoli2014", "benavoli2017 section 4.2.1"),
    published="baycomp 1.0.3, SignTest.probs(x, y, rope, nsamples=20_000_000) on Demšar's (2006) AUCs of C4.5 and "
    "C4.5+m (run by us)",
    printed="P(C4.5 better) = 0.000; P(rope) = 0.788; P(C4.5+m better) = 0.212; rope 0 = 0.9945",
    example=(
        Example("worse same better", *np.array(DEMSAR).T[[1, 0]], rope=0.01),
        Example("better", *np.array(DEMSAR).T[[1, 0]], rope=0.0),
    ),
    recommended_for="two learners over many tasks, and a question about probabilities",
    order_only=True,
    rank=90,
    options=PRIOR,
    **SHARED,
)
def bayes_sign(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rope: float = 0.0,
    prior: float = 1.0,
    prior_place: str = "rope",
    confidence: float = 0.95,
) -> Result:
    """The shares of problems on which a − b is left of the rope, in it, and right of it, and which is the largest.

    Useful for scores of two learners on many tasks when only the sign of a difference counts. The counts of tasks and a
    prior worth `prior` tasks, put into the rope (or left or right of it), make the posterior of the three shares:

        θ | data ~ Dirichlet(n_left + s_left, n_rope + s_rope, n_right + s_right)

    and P(better) is the probability that θ_right is the largest of them. It differs from the sign test in that ties and
    differences within the rope speak for "practically the same" instead of being split or dropped.

    >>> result = bayes_sign([0.9, 0.8, 0.7, 0.9, 0.8], [0.7, 0.7, 0.7, 0.8, 0.6], rope=0.01)
    >>> round(result.worse, 4), round(result.same, 4), round(result.better, 4)
    (0.0, 0.1875, 0.8125)
    """
    d, rope, prior = differences(a, b), checked_rope(rope), checked_prior(prior, prior_place)
    counts = posteriors.sign_counts(d, rope)
    details = dict(zip(("left", "rope", "right"), counts.astype(int).tolist(), strict=True))
    counts[list(details).index(prior_place)] += prior
    ends = posteriors.median_of_process(d, prior, prior_place, (1 - confidence) / 2)
    return answer(ends, posteriors.largest_sign(counts, rope), rope_note(rope), {**details, "posterior": counts})


def checked_prior(prior: float, place: str) -> float:
    """The strength of a prior, a number of tasks, at one of three places."""
    choice(place, posteriors.PLACES, "place of the prior")
    if not (isfinite(prior) and prior >= 0):
        raise UsageError(f"The strength of the prior is a number of tasks, not negative; found {prior!r}.")
    return float(prior)


# --- The Bayesian signed-rank test: over problems, is one of two learners better, or are they practically the same? ---
SAMPLES = 50_000


@procedure(
    Compares.PAIR,
    Level.TASKS,
    title="Bayesian signed-rank test",
    question="How probable is it that one of two learners is better over many problems, or practically the same?",
    assumes=(SAMPLE_OF_PROBLEMS, "Differences on different tasks can be compared in size."),
    conventions=(
        PROBABILITIES,
        "P(better) is the probability that the mean of two problems' differences is more often right of the rope "
        "than in it or left of it; likewise for the others. Pairs exactly at the edge count half on each side.",
        "The prior is worth half a task with difference 0, unless told otherwise.",
        "Probabilities are shares of draws, 50,000 by default (fewer for more than 1,000 tasks), from a seeded "
        "generator; the note gives two standard errors. Draws come in pairs that mirror each other, so that "
        "exchanging the learners exchanges the answer. It takes 50 MB for ten thousand tasks.",
        "The estimate is the posterior median of the pseudo-median, with its central credible interval, from up to "
        "2,000 draws.",
        "Differences are rounded to the precision of the data first. Equal shares divide a draw; baycomp gives it "
        "to the first learner, and finds two identical learners different with probability one.",
    ),
    cautions=(
        ONE_PAIR,
        "It takes each task's score as if it were known without error: with folds, bayes-hierarchical does not.",
    ),
    references=("benavoli2014", "benavoli2017 section 4.2.2"),
    published="baycomp 1.0.3, SignedRankTest.probs(x, y, rope, nsamples=300_000) on Demšar's (2006) AUCs of "
    "C4.5+m+cf and C4.5+cf (run by us)",
    printed="P(rope) = 0.22; P(C4.5+m+cf better) = 0.78; rope 0 = 0.99",
    example=(
        Example("same better", *np.array(DEMSAR).T[[3, 2]], rope=0.01),
        Example("better", *np.array(DEMSAR).T[[3, 2]], rope=0.0),
    ),
    recommended_for="two learners over many tasks, and a question about probabilities",
    rank=80,
    options={**PRIOR, "samples": "number of draws from the posterior", "seed": "seed of the draws"},
    fewer=(("samples", 2000),),
    **SHARED,
    synonyms=("ROPE", "Bayesian Wilcoxon"),
)
def bayes_signed_rank(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rope: float = 0.0,
    prior: float = 0.5,
    prior_place: str = "rope",
    samples: int = SAMPLES,
    seed: int = 1,
    confidence: float = 0.95,
) -> Result:
    """The chances that the mean of two tasks' differences is left of the rope, in it, and right of it, and which of
    them is the largest.

    Useful for scores of two learners on many tasks. The law of the differences z is unknown; with a Dirichlet process
    as its prior, worth `prior` tasks at z_0 = 0 (or left or right of everything), its posterior gives the differences
    seen random weights w ~ Dirichlet(s, 1, …, 1), and

        θ_right = Σ_ij w_i w_j [z_i + z_j > 2 rope],  θ_left = Σ_ij w_i w_j [z_i + z_j < −2 rope]

    P(better) is the share of `samples` draws in which θ_right is the largest of the three. It differs from the signed-
    rank test in that a small difference can be shown to be small, and from the Bayesian sign test in that large
    differences weigh more.

    >>> result = bayes_signed_rank([0.9, 0.8, 0.7, 0.9, 0.8, 0.6], [0.7, 0.7, 0.7, 0.8, 0.6, 0.7], rope=0.01)
    >>> round(result.worse, 2), round(result.same, 2), round(result.better, 2)
    (0.03, 0.02, 0.95)
    """
    d, rope, prior = differences(a, b), checked_rope(rope), checked_prior(prior, prior_place)
    if not (isinstance(samples, (int, np.integer)) and samples >= 100):
        raise UsageError(f"The number of samples is a whole number of at least 100; found {samples!r}.")
    if not d.any() and prior_place == "rope":
        return answer((0.0, 0.0, 0.0), no_difference(rope), "the two columns are the same")
    data = posteriors.with_prior(d, prior, prior_place, rope)
    shares = posteriors.largest_shares(data, rope, samples, seed)
    ends = posteriors.pseudomedian_of_process(data, float(np.abs(d).max()), (1 - confidence) / 2, seed)
    note = f"{rope_note(rope)}; probabilities ± {2 * shares.standard_error:.1g} ({shares.draws:,} draws)"
    details = {"draws": shares.draws, "standard_error": shares.standard_error}
    return answer(ends, (shares.left, shares.rope, shares.right), note, details)


# --- The Bayesian correlated t test: how probable is it that one of two learners is better on this problem? -----------
_TWO_RUNS = (
    (
        0.8475, 0.8085, 0.8432, 0.7802, 0.8077, 0.8216, 0.8489, 0.7834, 0.8468, 0.7929,
        0.7942, 0.8443, 0.8448, 0.8252, 0.8082, 0.8624, 0.8617, 0.7874, 0.8216, 0.8250,
    ),
    (
        0.8428, 0.8059, 0.8347, 0.7673, 0.7981, 0.8326, 0.8427, 0.7917, 0.8408, 0.7843,
        0.8037, 0.8509, 0.8432, 0.8301, 0.8022, 0.8577, 0.8514, 0.7858, 0.8098, 0.8251,
    ),
)  # fmt: skip


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Bayesian correlated t test",
    question="How probable is it that one of two learners is better on this problem, or that they are practically "
    "the same?",
    needs=(sharing_training_data, known_correlation("resample")),
    assumes=(
        "The differences are about normal, with one common correlation ρ between resamples.",
        "ρ = n_test / (n_train + n_test): a good guess, exact for no learner.",
        "Before the data, every mean difference is as probable as any other, and so is every order of magnitude of "
        "the variance.",
    ),
    conventions=(
        PROBABILITIES,
        "The posterior is Student's t with n − 1 degrees of freedom around the mean difference, with scale² "
        "(1/n + ρ/(1−ρ)) s². The interval is the central credible one.",
        "ρ is taken from the mean test and training sizes; without sizes it is 1/K for K folds.",
        "The same values in every resample give P(worse) = P(better) = 0.5 with rope = 0, else P(same) = 1. A "
        "difference that is the same in every resample and not zero is refused.",
    ),
    cautions=(
        ONE_PAIR,
        "With rope = 0 it says nothing new: P(worse) is the one-sided p of corrected-t. The rope is what makes "
        "it worth its while; fix it before looking at the scores.",
    ),
    references=("corani2015", "benavoli2017"),
    published="baycomp 1.0.3, CorrelatedTTest.probs(x, y, rope, runs=2) on two runs of ten made-up folds (run by us)",
    printed="P(first better), rope 0.005 = 0.2247587867; P(rope) = 0.7671163820; P(second better) = 0.0081248313; "
    "P(first better), rope 0 = 0.8185833054",
    example=(
        Example("better same worse", *_TWO_RUNS, rope=0.005, rho=0.1),
        Example("better", *_TWO_RUNS, rope=0.0, rho=0.1),
    ),
    recommended_for="resamples of one task, and a question about probabilities",
    rank=80,
    options={**ROPE, "rho": "correlation between resamples, if the data do not tell"},
    repeated_folds=True,
    **SHARED,
    synonyms=("ROPE", "Bayesian t-test"),
)
def bayes_correlated_t(
    a: ArrayLike, b: ArrayLike, *, rope: float = 0.0, rho: float | None = None, confidence: float = 0.95
) -> Result:
    """The posterior of the mean difference over n resamples of one data set, and how much of it is left of the rope,
    in it, and right of it.

    Useful for cross-validation, repeated or not. Resamples have correlation `rho`, the share of the data that each is
    tested on. With a flat prior on the mean and 1/σ² on the variance the posterior is Student's:

        μ | data ~ t with n − 1 df, location d̄, scale² = (1/n + ρ/(1−ρ)) s²

    which is the sampling law of the corrected resampled t test turned round: with rope = 0, P(left) is that test's
    one-sided p. What is new is the question: a probability of being practically the same can be claimed.

    >>> a = [0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82]
    >>> b = [0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82]
    >>> result = bayes_correlated_t(a, b, rope=0.01, rho=0.1)
    >>> round(result.worse, 4), round(result.same, 4), round(result.better, 4)
    (0.001, 0.2057, 0.7932)
    """
    rope, rho = checked_rope(rope), checked_correlation(rho)
    try:
        result = mean_difference(a, b, inflation=rho / (1 - rho), confidence=confidence)
    except DegenerateError:
        raise DegenerateError(
            "The difference is the same in every resample, so the posterior would be a single point and every "
            "probability 0 or 1. Report the difference itself."
        ) from None
    se, df = float(result.details["standard_error"]), result.df[0]
    chances = no_difference(rope)
    if se > 0:
        worse = float(t_sf((result.estimate + rope) / se, df))  # P(μ < −rope)
        better = float(t_sf((rope - result.estimate) / se, df))  # P(μ > rope)
        chances = worse, max(0.0, 1 - worse - better) if rope > 0 else 0.0, better
    ends, details = (result.estimate, result.lower, result.upper), {**result.details, "rho": rho, "rope": rope}
    return answer(ends, chances, result.note or rope_note(rope), details, result.df)


# --- The Bayesian hierarchical test: folds within tasks, tasks within all problems, in one model ----------------------
LEAST_FOLDS = 3
Folds = Sequence[ArrayLike]  # a column for each task
_FOUR_TASKS = (
    (-0.0091, -0.0093, 0.0088, 0.0004, 0.0278, -0.0293, 0.0022, -0.0131, 0.0156, -0.0342),
    (0.0291, 0.0448, -0.0032, 0.0667, 0.0439, 0.0673, 0.0660, 0.0111, 0.0162, 0.0330),
    (0.0375, 0.0413, -0.0166, -0.0128, -0.0199, -0.0120, 0.0009, 0.0048, 0.0861, -0.0091),
    (0.0131, 0.0250, 0.0026, 0.0119, 0.0179, 0.0300, -0.0031, 0.0394, 0.0121, 0.0204),
)  # fmt: skip


@procedure(
    Compares.PAIR,
    Level.TASKS,
    title="Bayesian hierarchical test of cross-validated learners",
    question="How probable is it that on a further problem one of two learners is most probably better, or "
    "practically the same?",
    needs=(folds_of_each_task(LEAST_FOLDS), known_correlation("fold")),
    assumes=(
        "The tasks are a sample of the problems that the conclusion is meant for, and independent of each other; "
        "their own differences follow a Student law.",
        "Within a task the folds' differences are about normal, with the correlation ρ = n_test / (n_train + n_test).",
        "Before the data: the mean over tasks is uniform within ± the largest difference seen, the spread between "
        "tasks uniform up to 1000 times that of the tasks' means, each task's spread uniform, and ν − 1 ~ "
        "Gamma(α, β) with α uniform in [1, 2] and β in [0.01, 0.1], as published.",
    ),
    conventions=(
        PROBABILITIES,
        "P(better) is the posterior probability that, on a further task, a difference right of the rope is the "
        "most probable of the three outcomes; likewise for the others.",
        "The posterior is computed on a grid, not simulated: the tasks' spreads integrate out, and the rest is a "
        "sum over some hundred thousand nodes; finer grids move a probability by less than 0.001.",
        "The estimate is the posterior mean of δ_0, the mean difference over tasks, with its central credible "
        "interval.",
        "ρ is taken from the mean test and training sizes; without sizes it is 1/K for K folds. Tasks may have "
        "different numbers of folds.",
        "A task on which all folds differ by the same amount is given the smallest spread of any other task; "
        "baycomp replaces its differences by random numbers within the rope.",
    ),
    cautions=(
        ONE_PAIR,
        "With few tasks the prior matters: with two, the spread between tasks is all but unknown, and no "
        "probability comes near one.",
    ),
    references=("corani2017", "benavoli2017 section 4.3"),
    published="baycomp 1.0.3 with PyStan 3.10, HierarchicalTest(x, y, rope=0.01, nsamples=25_000), 100,000 draws "
    "for four made-up tasks of ten folds (run by us)",
    printed="P(second better) = 0.11; P(rope) = 0.12; P(first better) = 0.77",
    example=Example("worse same better", _FOUR_TASKS, [[0.0] * 10] * 4, rope=0.01, rho=0.1),
    recommended_for="tasks with folds, and a question about probabilities",
    rank=85,
    options={**ROPE, "rho": "correlation between folds, if the data do not tell"},
    within_tasks=True,
    trials=(Trial(NullDesign.RUNS_ON_TASKS, options=(("rho", 0.0),), holds=False),),
    no_power="its power hangs on two spreads, between tasks and between folds, and each of a thousand replications "
    "would take a quarter of a second; plan the tasks with bayes-signed-rank or wilcoxon",
    **SHARED,
)
def bayes_hierarchical(
    a: Folds, b: Folds, *, rope: float = 0.0, rho: float | None = None, confidence: float = 0.95
) -> Result:
    """Compare two learners over many tasks, each scored in several folds: `a` and `b` hold a column of folds a task.

    Useful for cross-validation on many data sets. The folds' differences vary around each task's own δ_i with
    correlation `rho`, and the δ_i vary around δ_0 as a Student law with spread σ_0 and ν degrees of freedom. On a
    further task the difference is left of the rope, in it or right of it, with probabilities that follow from these;
    P(better) is the posterior probability that "right of it" is the most probable of the three. It differs from the
    signed-rank test in that a task whose score is uncertain weighs less.

    >>> a = [[0.82, 0.80, 0.85, 0.79], [0.73, 0.74, 0.71, 0.75], [0.91, 0.92, 0.90, 0.93]]
    >>> b = [[0.79, 0.78, 0.81, 0.77], [0.70, 0.72, 0.70, 0.71], [0.88, 0.90, 0.88, 0.89]]
    >>> result = bayes_hierarchical(a, b, rope=0.01, rho=0.25)
    >>> round(result.estimate, 3), round(result.better, 2)
    (0.023, 0.93)
    """
    rope, rho = checked_rope(rope), checked_correlation(rho)
    folds = _differences(a, b)
    size = max(float(np.abs(d).max()) for d in folds)
    details = {"tasks": len(folds), "rho": rho, "rope": rope}
    if size == 0:
        return answer((0.0, 0.0, 0.0), no_difference(rope), "the two learners are the same", details)
    if all(np.ptp(d) <= 1e-12 * size for d in folds):
        raise DegenerateError(
            "On every task the folds differ by one and the same amount, so nothing shows how uncertain a task's "
            "difference is. With one value a task use bayes-signed-rank."
        )
    # The sign is turned so that exchanging the learners turns the answer round to the last digit.
    sign = -1.0 if np.median([d.mean() for d in folds]) < 0 else 1.0
    law = posteriors.posterior([sign * d / size for d in folds], rho)
    left, same, right = law.winners(rope / size)
    worse, better = (left, right) if sign > 0 else (right, left)
    ends = sorted(sign * size * law.quantile(p) for p in ((1 - confidence) / 2, (1 + confidence) / 2))
    chances = worse, same if rope > 0 else 0.0, better
    return answer((sign * size * law.mean(), ends[0], ends[1]), chances, rope_note(rope), details)


def _differences(a: Folds, b: Folds) -> list[Array]:
    """a − b in the folds of each task."""
    if len(a) != len(b):
        raise UsageError(f"Both learners must have the same tasks; found {len(a)} and {len(b)}.")
    if len(a) < 2:
        raise UsageError(f"The hierarchical test needs at least two tasks; found {len(a)}.")
    columns = []
    for place, (first, second) in enumerate(zip(a, b, strict=True), start=1):
        x, y = number_column(first, f"task {place}"), number_column(second, f"task {place}")
        if len(x) != len(y):
            raise UsageError(f"Both learners must have the same folds; task {place} has {len(x)} and {len(y)}.")
        if len(x) < LEAST_FOLDS:
            raise DegenerateError(
                f"Each task needs at least {LEAST_FOLDS} folds, for its spread to be estimated; task {place} has "
                f"{len(x)}."
            )
        columns.append(differences(x, y))
    return columns
