"""The Bayesian sign test: on most problems, is one of two learners better, or are they practically the same?"""

from __future__ import annotations

from math import inf, isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import choice, number_column, paired
from bakeoff.mathematics.dirichlet import largest, median_quantiles
from bakeoff.mathematics.exactness import differences
from bakeoff.mathematics.laws import check_confidence
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
from bakeoff.procedures.posterior import NULL, ONE_PAIR, PROBABILITIES, ROPE, checked_rope, rope_note
from bakeoff.procedures.result import Procedure, Result
from bakeoff.procedures.sentences import SAMPLE_OF_PROBLEMS
from bakeoff.scores import Level

Array = NDArray[np.float64]
# Where the prior's pseudo-task lies: its difference.
PLACES = {"rope": 0.0, "left": -inf, "right": inf}


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
    d, rope = differences_of(a, b), checked_rope(rope)
    prior, place = checked_prior(prior, prior_place), PLACES[prior_place]
    check_confidence(confidence)
    edge = 1e-12 * rope  # a difference that is the rope on paper lies in it
    left, right = float(np.sum(d < -rope - edge)), float(np.sum(d > rope + edge))
    counts = np.array([left, len(d) - left - right, right])
    counts[["left", "rope", "right"].index(prior_place)] += prior
    worse, same, better = largest(counts).tolist()
    if rope == 0:  # two shares are compared; ties count for neither
        total = worse + better
        worse, same, better = (worse / total, 0.0, better / total) if total > 0 else (0.5, 0.0, 0.5)

    values = np.append(d, place) if prior > 0 else d
    weights = np.append(np.ones(len(d)), prior) if prior > 0 else np.ones(len(d))
    order = np.argsort(values, kind="stable")
    lower, upper = median_quantiles(values[order], weights[order], (1 - confidence) / 2)
    middle = median_quantiles(values[order], weights[order], 0.5)
    return Result(
        estimate=(middle[0] + middle[1]) / 2 if middle[0] != middle[1] else middle[0],
        lower=lower,
        upper=upper,
        note=rope_note(rope),
        details={
            "left": int(left),
            "rope": int(len(d) - left - right),
            "right": int(right),
            "posterior": counts,
        },
        worse=worse,
        same=same,
        better=better,
    )


def differences_of(a: ArrayLike, b: ArrayLike) -> Array:
    """a − b of two columns, rounded to the precision of the data."""
    return differences(*paired(number_column(a, "first"), number_column(b, "second")))


def checked_prior(prior: float, place: str) -> float:
    """The strength of a prior, a number of tasks, at one of three places."""
    choice(place, PLACES, "place of the prior")
    if not (isfinite(prior) and prior >= 0):
        raise UsageError(f"The strength of the prior is a number of tasks, not negative; found {prior!r}.")
    return float(prior)


def prior_options(strength: float) -> tuple[Option, ...]:
    return (
        ROPE,
        Option("prior", strength, "strength of the prior, in tasks", kind=float),
        Option(
            "prior_place",
            "rope",
            "where the prior's pseudo-task lies: in the rope, or left of it (the first lower than the second) or right",
            choices=tuple(PLACES),
        ),
    )


def _published() -> dict[str, float]:
    aucs = np.array(DEMSAR)
    wide, none = (bayes_sign(aucs[:, 1], aucs[:, 0], rope=rope) for rope in (0.01, 0.0))
    return {"P(C4.5 better)": wide.worse, "P(rope)": wide.same, "P(C4.5+m better)": wide.better, "rope 0": none.better}


PROCEDURE = Procedure(
    card=Card(
        name="bayes-sign",
        title="Bayesian sign test",
        question="How probable is it that one of two learners is better on more problems than not, or practically the "
        "same?",
        null=NULL,
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.PROBLEMS,
        level=Level.TASKS,
        needs=comparing(Level.TASKS),
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
            Caution(
                "It ignores how large differences are, and how sure each task's score is: bayes-signed-rank uses the "
                "former, bayes-hierarchical both."
            ),
        ),
        references=(
            Reference(
                "Benavoli, Mangili, Corani, Zaffalon and Ruggeri (2014), A Bayesian Wilcoxon signed-rank test based on "
                "the Dirichlet process, ICML, 1026–1034."
            ),
            Reference(
                "Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing multiple "
                "classifiers through Bayesian analysis, JMLR 18(77), 1–36, section 4.2.1."
            ),
        ),
        published=Published(
            where="baycomp 1.0.3, SignTest.probs(x, y, rope, nsamples=20_000_000) on Demšar's (2006) AUCs of C4.5 and "
            "C4.5+m (run by us)",
            compute=_published,
            values={"P(C4.5 better)": "0.000", "P(rope)": "0.788", "P(C4.5+m better)": "0.212", "rope 0": "0.9945"},
        ),
        because="two learners over many tasks, and a question about probabilities",
        preference=90,
        options=prior_options(1.0),
        sides=False,
        posterior=True,
    ),
    compute=bayes_sign,
)
