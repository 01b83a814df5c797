"""The Bayesian signed-rank test: over problems, is one of two learners better, or are they practically the same?"""

from __future__ import annotations

from math import copysign, inf

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import check_confidence
from bakeoff.mathematics.walsh_posterior import in_order, largest_shares, pseudomedian_quantiles
from bakeoff.procedures.bayes_sign import PLACES, checked_prior, differences_of, prior_options
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Option,
    Published,
    Reference,
    Scope,
    comparing,
)
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.procedures.posterior import NULL, ONE_PAIR, PROBABILITIES, checked_rope, rope_note
from bakeoff.procedures.result import Procedure, Result
from bakeoff.procedures.sentences import SAMPLE_OF_PROBLEMS
from bakeoff.scores import Level

SAMPLES = 50_000


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
    d, rope = differences_of(a, b), checked_rope(rope)
    prior = checked_prior(prior, prior_place)
    check_confidence(confidence)
    if not (isinstance(samples, (int, np.integer)) and samples >= 100):
        raise UsageError(f"The number of samples is a whole number of at least 100; found {samples!r}.")
    if not d.any() and prior_place == "rope":
        same = float(rope > 0)
        none = (1 - same) / 2
        return Result(0.0, 0.0, 0.0, note="the two columns are the same", worse=none, same=same, better=none)
    size = float(np.abs(d).max())
    # Left of everything: whatever is added to it is still left of the rope.
    outside = 4 * (size + rope) or 1.0
    at = PLACES[prior_place] and copysign(outside, PLACES[prior_place])
    data = in_order(d, prior, at)
    shares = largest_shares(data, rope, samples, seed)
    outer, middle = pseudomedian_quantiles(data, ((1 - confidence) / 2, 0.5), seed)
    lower, upper, low, high = (copysign(inf, end) if abs(end) > size else end for end in (*outer, *middle))
    return Result(
        estimate=(low + high) / 2 if low != high else low,
        lower=lower,
        upper=upper,
        note=f"{rope_note(rope)}; probabilities ± {2 * shares.standard_error:.1g} ({shares.draws:,} draws)",
        details={"draws": shares.draws, "standard_error": shares.standard_error},
        worse=shares.left,
        same=shares.rope,
        better=shares.right,
    )


def _published() -> dict[str, float]:
    aucs = np.array(DEMSAR)
    wide, none = (bayes_signed_rank(aucs[:, 3], aucs[:, 2], rope=rope) for rope in (0.01, 0.0))
    return {"P(rope)": wide.same, "P(C4.5+m+cf better)": wide.better, "rope 0": none.better}


PROCEDURE = Procedure(
    card=Card(
        name="bayes-signed-rank",
        title="Bayesian signed-rank test",
        question="How probable is it that one of two learners is better over many problems, or practically the same?",
        null=NULL,
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.PROBLEMS,
        level=Level.TASKS,
        needs=comparing(Level.TASKS),
        assumes=(
            SAMPLE_OF_PROBLEMS,
            "Differences on different tasks can be compared in size.",
        ),
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
            Caution(
                "It takes each task's score as if it were known without error: with folds, bayes-hierarchical does not."
            ),
        ),
        references=(
            Reference(
                "Benavoli, Mangili, Corani, Zaffalon and Ruggeri (2014), A Bayesian Wilcoxon signed-rank test based on "
                "the Dirichlet process, ICML, 1026–1034."
            ),
            Reference(
                "Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing multiple "
                "classifiers through Bayesian analysis, JMLR 18(77), 1–36, section 4.2.2."
            ),
        ),
        published=Published(
            where="baycomp 1.0.3, SignedRankTest.probs(x, y, rope, nsamples=300_000) on Demšar's (2006) AUCs of "
            "C4.5+m+cf and C4.5+cf (run by us)",
            compute=_published,
            values={"P(rope)": "0.22", "P(C4.5+m+cf better)": "0.78", "rope 0": "0.99"},
        ),
        because="two learners over many tasks, and a question about probabilities",
        preference=80,
        options=(
            *prior_options(0.5),
            Option("samples", SAMPLES, "number of draws from the posterior", kind=int),
            Option("seed", 1, "seed of the draws", kind=int),
        ),
        sides=False,
        posterior=True,
    ),
    compute=bayes_signed_rank,
)
