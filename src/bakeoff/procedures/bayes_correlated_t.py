"""The Bayesian correlated t test: how probable is it that one of two learners is better on this problem?"""

from __future__ import annotations

from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError
from bakeoff.mathematics.laws import t_sf
from bakeoff.procedures.bayes_tasks import (
    ONE_PAIR,
    PROBABILITIES,
    ROPE,
    SHARED,
    answer,
    checked_correlation,
    checked_rope,
    correlation_of,
    no_difference,
    rope_note,
)
from bakeoff.procedures.card import Compares, Published
from bakeoff.procedures.needs import known_correlation, sharing_training_data
from bakeoff.procedures.paired_t import mean_difference
from bakeoff.procedures.procedure import Result, procedure
from bakeoff.scores import Level


def _published() -> list[float]:
    wide, none = (bayes_correlated_t(*_TWO_RUNS, rope=rope, rho=0.1) for rope in (0.005, 0.0))
    return [wide.better, wide.same, wide.worse, none.better]


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Bayesian correlated t test",
    question="How probable is it that one of two learners is better on this problem, or that they are practically "
    "the same?",
    needs=(sharing_training_data(), known_correlation("resample")),
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
    published=Published(
        "baycomp 1.0.3, CorrelatedTTest.probs(x, y, rope, runs=2) on two runs of ten made-up folds (run by us)",
        "P(first better), rope 0.005 = 0.2247587867; P(rope) = 0.7671163820; P(second better) = 0.0081248313; "
        "P(first better), rope 0 = 0.8185833054",
        _published,
    ),
    recommended_for="resamples of one task, and a question about probabilities",
    rank=80,
    options={**ROPE, "rho": "correlation between resamples, if the data do not tell"},
    arguments_from=correlation_of,
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
