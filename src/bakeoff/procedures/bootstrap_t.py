"""Bootstrap-t of losses: models on the same instances, all pairs by the same resamples, step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.inference.evidence import Joint, JointTests
from bakeoff.mathematics.bootstrap_t import BootstrapT
from bakeoff.mathematics.bootstrap_t import bootstrap_t as resampled_t
from bakeoff.mathematics.checks import Array, number_table
from bakeoff.mathematics.laws import t_sf
from bakeoff.procedures.card import Fallback
from bakeoff.procedures.joint_flips import FEWER_FLIPS, PAIRS_OF_THREE, STEPS
from bakeoff.procedures.needs import FITTED_MODELS, MOST_LOSSES, NEW_INSTANCES, enough_blocks
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, NullDesign, Trial, procedure

FRAGILE = (
    "the two differ in so few instances that resamples may have none of them: the interval has no ends, and nothing is "
    "claimed"
)
# Thirty losses of three models, which software at hand can resample too.
_LOSSES = [[round((i * 7 % 11) / 10, 1), round((i * 5 % 13) / 12 + 0.2, 4), round((i % 4) / 10, 1)] for i in range(30)]


@procedure(
    Compares.MANY,
    Level.INSTANCES,
    title="Bootstrap-t of losses, step-down",
    question="Which of several fitted models differ in mean loss on new instances like these?",
    null="each pair of models has the same mean loss",
    needs=(enough_blocks(20, "resamples of few instances say little about the tails of t"),),
    assumes=(
        NEW_INSTANCES,
        "The models were fitted without them.",
        "Instances are enough for t and its resampled copies to have about the same law. Differences may be skewed, "
        "and variances differ from pair to pair.",
    ),
    conventions=(
        "t of a pair is the mean of first minus second over its standard error; t* is the same of resampled instances, "
        "about the mean observed. |t| is held against |t*| (the symmetric bootstrap-t).",
        "Instances are resampled once for all pairs, `resamples` times with the seed given; p = (1 + number) / (1 + "
        "resamples). Beyond 2,500 instances random groups of them are resampled.",
        STEPS.replace("|z|", "|t|"),
        "Models with the same loss on every instance have t = 0 and p = 1; a difference that is the same on every "
        "instance and not zero is refused.",
        "The test of all at once is the largest |t|; pairs do not wait for it.",
    ),
    cautions=(
        "Nothing holds its level for very skewed losses of unlike shape below about 1,000 instances; the verdict warns "
        "where one instance carries much of a difference. Measured with lognormal losses of equal mean, σ from .3 to "
        "1.5 (α = .05): 6–13 % false claims at 50 instances, 2–11 % at 200, 4–7 % at 1,000, where t with holm has "
        "19–25, 11–15 and 6–8 %. Losses in [0, 1] of unlike shape: 3–6 % from 20 instances on.",
        FITTED_MODELS,
    ),
    references=("hall1992 section 3.6", "romano2005", "westfall1993"),
    published="R 4.2.2, t.test(paired = TRUE) on thirty made-up losses of three models: the statistics that are "
    "resampled",
    printed="t12 = -2.44245966; t13 = 5.75335262; t23 = 9.1202159",
    example=Example(lambda many: many.joint.test(PAIRS_OF_THREE, 0.05, "two-sided").statistic, _LOSSES),
    recommended_for="models with a loss for each of the same instances, each pair with its own variance",
    rank=12,
    options={"resamples": "how many resamples are drawn", "seed": "of the draws"},
    single_step="Westfall–Young",
    any_family=True,
    fallback=Fallback("hochberg-tamhane", MOST_LOSSES, "the joint law of so many pairs takes too long"),
    fewer=FEWER_FLIPS,
    further_trials=(Trial(NullDesign.UNLIKE_LOSSES),),
    synonyms=("bootstrap test",),
)
def bootstrap_t(table: ArrayLike, *, resamples: int = 9_999, seed: int = 1) -> ManyResult:
    """Compare the mean losses of models on the same n instances by the step-down bootstrap-t.

    Useful for losses (squared error, log loss, shares of epochs that were right), whose differences are skewed if the
    models are of unlike kind: t then claims too much, and so do flips of signs. It differs from hochberg-tamhane in
    that the law of the largest |t| is resampled instead of taken from normal theory.

    >>> many = bootstrap_t([[0.1, 0.4], [0.3, 0.9], [0.2, 0.2], [0.5, 0.9], [0.4, 0.7], [0.1, 0.6]], resamples=99)
    >>> many.joint.test(np.array([[1.0, -1.0]]), 0.05, "two-sided").statistic.round(3).tolist()
    [-4.134]
    """
    values = number_table(table, "table", rows=2, columns=2)

    def test(weights: Array, alpha: float, alternative: str) -> JointTests:
        result = resampled_t(values, weights, alternative=alternative, alpha=alpha, draws=resamples, seed=seed)
        notes = dict.fromkeys(np.flatnonzero(result.fragile).tolist(), FRAGILE)
        return JointTests.of(
            result.test,
            result.intervals(alternative),
            lambda c: _statistic_at(result, c),
            lambda t: np.asarray(t_sf(t, len(values) - 1)),
            notes,
        )

    return ManyResult(joint=Joint(test, "t", seed), details={"instances": len(values)})


def _statistic_at(test: BootstrapT, shift: float) -> Array:
    """t of each contrast, were its difference `shift`; zero without a standard error, or if it is fragile."""
    usable = (test.standard_error > 0) & ~test.fragile
    return np.where(usable, (test.estimate - shift) / np.where(usable, test.standard_error, 1.0), 0.0)
