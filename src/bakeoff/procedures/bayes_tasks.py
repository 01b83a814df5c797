"""What the Bayesian procedures share, and those over tasks: the sign test and the signed-rank test."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import choice, differences
from bakeoff.mathematics.posteriors import (
    PLACES,
    largest_shares,
    largest_sign,
    median_of_process,
    pseudomedian_of_process,
    sign_counts,
    with_prior,
)
from bakeoff.procedures.card import Caution, Compares, Published
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.procedures.needs import SAMPLE_OF_PROBLEMS
from bakeoff.procedures.procedure import Options, Result, procedure
from bakeoff.scores import Blocks, Layout, Level
from bakeoff.text import number

# ----------------------------------------------------------------------------------------------------------------------
# What the Bayesian procedures share: the region of practical equivalence, and what is said about it.


Three = tuple[float, float, float]
ROPE: Options = {
    "rope": (
        "half width of the region of practical equivalence, in the measure's unit",
        (),
        "a margin of relevance sets it",
    )
}
_ANSWER = "the answer is how probable it is that the first is worse, practically the same, or better"
SHARED: dict[str, Any] = {
    "null": f"none is tested; {_ANSWER}",
    "instead_of_null": _ANSWER,
    "posterior": True,
}
PROBABILITIES = (
    "P(worse), P(same) and P(better) are probabilities of the difference given the data and the prior, not p-values; a "
    "claim needs one of them to be at least 1 − α. With rope = 0, the default, any difference counts, P(same) is 0 and "
    "the other two add up to one."
)
ONE_PAIR = Caution(
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


def correlation_of(_blocks: Blocks, layout: Layout) -> dict[str, Any]:
    """ρ = n_test / (n_train + n_test), the share of the data that a resample is tested on: 1/K for K folds."""
    ratio = layout.test_train_ratio
    return {"rho": ratio / (1 + ratio)}


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


# ----------------------------------------------------------------------------------------------------------------------
# The Bayesian sign test: on most problems, is one of two learners better, or are they practically the same?


PRIOR: Options = {
    **ROPE,
    "prior": "strength of the prior, in tasks",
    "prior_place": (
        "where the prior's pseudo-task lies: in the rope, or left of it (the first lower than the second) or right",
        tuple(PLACES),
    ),
}


def _published_bayes_sign() -> list[float]:
    aucs = np.array(DEMSAR)
    wide, none = (bayes_sign(aucs[:, 1], aucs[:, 0], rope=rope) for rope in (0.01, 0.0))
    return [wide.worse, wide.same, wide.better, none.better]


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
    published=Published(
        "baycomp 1.0.3, SignTest.probs(x, y, rope, nsamples=20_000_000) on Demšar's (2006) AUCs of C4.5 and "
        "C4.5+m (run by us)",
        "P(C4.5 better) = 0.000; P(rope) = 0.788; P(C4.5+m better) = 0.212; rope 0 = 0.9945",
        _published_bayes_sign,
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
    counts = sign_counts(d, rope)
    details = dict(zip(("left", "rope", "right"), counts.astype(int).tolist(), strict=True))
    counts[list(details).index(prior_place)] += prior
    ends = median_of_process(d, prior, prior_place, (1 - confidence) / 2)
    return answer(ends, largest_sign(counts, rope), rope_note(rope), {**details, "posterior": counts})


def checked_prior(prior: float, place: str) -> float:
    """The strength of a prior, a number of tasks, at one of three places."""
    choice(place, PLACES, "place of the prior")
    if not (isfinite(prior) and prior >= 0):
        raise UsageError(f"The strength of the prior is a number of tasks, not negative; found {prior!r}.")
    return float(prior)


# ----------------------------------------------------------------------------------------------------------------------
# The Bayesian signed-rank test: over problems, is one of two learners better, or are they practically the same?


SAMPLES = 50_000


def _published_bayes_signed_rank() -> list[float]:
    aucs = np.array(DEMSAR)
    wide, none = (bayes_signed_rank(aucs[:, 3], aucs[:, 2], rope=rope) for rope in (0.01, 0.0))
    return [wide.same, wide.better, none.better]


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
    published=Published(
        "baycomp 1.0.3, SignedRankTest.probs(x, y, rope, nsamples=300_000) on Demšar's (2006) AUCs of "
        "C4.5+m+cf and C4.5+cf (run by us)",
        "P(rope) = 0.22; P(C4.5+m+cf better) = 0.78; rope 0 = 0.99",
        _published_bayes_signed_rank,
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
    data = with_prior(d, prior, prior_place, rope)
    shares = largest_shares(data, rope, samples, seed)
    ends = pseudomedian_of_process(data, float(np.abs(d).max()), (1 - confidence) / 2, seed)
    note = f"{rope_note(rope)}; probabilities ± {2 * shares.standard_error:.1g} ({shares.draws:,} draws)"
    details = {"draws": shares.draws, "standard_error": shares.standard_error}
    return answer(ends, (shares.left, shares.rope, shares.right), note, details)
