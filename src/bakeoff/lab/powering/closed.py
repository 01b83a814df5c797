"""Closed formulas: for each test whose power is known, the way to compute it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.lab.power import power_anova, power_proportions, power_t, power_z
from bakeoff.lab.powering.correlated import power_correlated_t
from bakeoff.lab.powering.counted import power_binomial, power_mcnemar, power_normal_approximation, power_sign
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.method import Method
from bakeoff.lab.powering.noncentral import power_hotelling, power_two_way
from bakeoff.lab.powering.simulation import Chance
from bakeoff.lab.powering.spreads import power_variance_ratio
from bakeoff.lab.powering.welch import power_welch
from bakeoff.mathematics.laws import normal_sf
from bakeoff.presentation import number
from bakeoff.procedures.card import Card, Compares

FOLDS = 10  # of a cross-validation, or runs on a task, if nothing is said


def _method(
    card: Card, guess: Guess, how: str, blocks: str, power: Callable[[int, float], float], **more: Any
) -> Method:
    assumed: tuple[str, ...] = more.pop("assumptions", ())
    if guess.learners > 2 and card.compares is Compares.PAIR:
        assumed += (
            f"α is shared by the {guess.pairs} pairs of {guess.learners} learners: each is tested at "
            f"{number(guess.share)} (Bonferroni; Holm's and the like find a little more)",
        )
    # A t test of differences may be planned for blocks of any kind, whatever the procedure is meant for.
    title = "Paired t test" if card.name == "paired-t" else card.title
    return Method(card.name, title, how, blocks, lambda n, d: Chance(power(n, d)), assumptions=assumed, **more)


def _level(card: Card, guess: Guess) -> float:
    return guess.share if card.compares is Compares.PAIR else guess.alpha


_NORMAL = "differences are independent and normal"


def _t(kind: str, blocks: str, assumed: str) -> Callable[[Card, Guess], Method]:
    def make(card: Card, guess: Guess) -> Method:
        alpha = _level(card, guess)

        def power(n: int, d: float) -> float:
            return power_t(n, d, guess.sd, alpha=alpha, kind=kind, sides=guess.sides, strict=False)

        return _method(card, guess, "exact, by the noncentral t law", blocks, power, assumptions=(assumed,))

    return make


def _welch(card: Card, guess: Guess) -> Method:
    alpha = _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_welch(n, d, guess.sd, alpha=alpha, sides=guess.sides)

    assumed = ("values are independent and normal, with equal sds",)
    how = "exact, the mean of noncentral t laws over Welch's degrees of freedom"
    return _method(card, guess, how, "runs of each learner", power, assumptions=assumed)


def _z(card: Card, guess: Guess) -> Method:
    def power(n: int, d: float) -> float:
        return power_z(n, d, guess.sd, alpha=guess.alpha, sides=guess.sides, strict=False)

    assumed = ("values are independent and normal, and their sd is known",)
    return _method(card, guess, "exact, by the normal law", "runs", power, least=1, assumptions=assumed)


def _proportions(card: Card, guess: Guess) -> Method:
    error, alpha = error_rate(card, guess), _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_proportions(n, error, error - d, alpha=alpha, sides=guess.sides)

    assumed = (f"the worse error rate is {number(error)}", "each learner has a test set of its own")
    blocks = "instances in each test set"
    return _method(card, guess, "normal approximation", blocks, power, least=1, largest=error, assumptions=assumed)


def _one_rate(of: Callable[..., float]) -> Callable[[Card, Guess], Method]:
    def make(card: Card, guess: Guess) -> Method:
        error = error_rate(card, guess)

        def power(n: int, d: float) -> float:
            return of(n, error, max(error - d, 0.0), alpha=guess.alpha, sides=guess.sides)

        tooth = min(ceil(3 / min(error, 1 - error)), 300)
        assumed = (f"the rate is tested against {number(error)}, and is smaller by the difference",)
        return _method(
            card, guess, "exact, by the binomial law", "instances", power,
            least=1, largest=error, tooth=tooth, assumptions=assumed,
        )  # fmt: skip

    return make


def _mcnemar(card: Card, guess: Guess) -> Method:
    alpha, given = _level(card, guess), guess.discordant
    if given is None:
        error = error_rate(card, guess)

    def discordance(d: float) -> float:
        # Independent errors: learners of the same data disagree less than that, which helps.
        return given if given is not None else (error - d) * (1 - error) + error * (1 - error + d)

    def power(n: int, d: float) -> float:
        return power_mcnemar(n, d, discordance(d), alpha=alpha, sides=guess.sides)

    assumed = (
        f"the two disagree on {number(100 * given, 3)} % of the instances"
        if given is not None
        else f"the worse error rate is {number(error)} and errors are independent, though learners "
        "mostly err alike: guess the share of instances on which they disagree (discordant) for a smaller answer"
    )
    return _method(
        card, guess, "exact, summed over the number of discordant instances", "instances", power,
        least=1, largest=given if given is not None else error, tooth=4, assumptions=(assumed,),
    )  # fmt: skip


def _sign(card: Card, guess: Guess) -> Method:
    alpha = _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_sign(n, float(normal_sf(-d / guess.sd)), alpha=alpha, sides=guess.sides)

    assumed = ("differences are normal, so that the chance to win is Φ(difference/sd); there are no ties",)
    how = "exact, by the binomial law"
    return _method(card, guess, how, "tasks", power, least=1, tooth=6, assumptions=assumed)


def _anova(card: Card, guess: Guess) -> Method:
    def power(n: int, d: float) -> float:
        between = float(np.var(guess.better_by(d), ddof=1))
        return power_anova(n, guess.learners, between, guess.sd**2, alpha=guess.alpha)

    if guess.learners < 2:
        raise UsageError(f"An analysis of variance compares at least two learners; found {guess.learners}.")
    assumed = ("values are independent and normal, with the same sd for all learners",)
    blocks = "runs of each learner"
    return _method(card, guess, "exact, by the noncentral F law", blocks, power, assumptions=assumed)


def _folds(card: Card, guess: Guess) -> Method:
    """The corrected test over repeats of K folds, the naive one over K folds done once."""
    alpha, corrected = _level(card, guess), card.name == "corrected-t"
    folds = guess.folds or FOLDS

    def power(n: int, d: float) -> float:
        k = folds if corrected else n
        rho = guess.correlation if guess.correlation is not None else 1 / k
        ratio = 1 / (k - 1) if corrected else 0.0
        return power_correlated_t(n, d, guess.sd, correlation=rho, ratio=ratio, alpha=alpha, sides=guess.sides)

    rho = "1/K" if guess.correlation is None else number(guess.correlation)
    assumed: tuple[str, ...] = (f"differences of folds are normal and any two have the correlation {rho}",)
    if corrected:
        assumed += (f"each repeat is a {folds}-fold cross-validation, and sd is that of the folds",)
    how = "exact for folds that are equally correlated"
    step = folds if corrected else 1
    return _method(card, guess, how, "folds", power, least=step if corrected else 2, step=step, assumptions=assumed)


def _variance_ratio(card: Card, guess: Guess) -> Method:
    alpha = _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_variance_ratio(n, d, alpha=alpha, sides=guess.sides)

    assumed = (
        "errors are normal with mean zero, and each learner has a test set of its own",
        "the difference is that of the logarithms of the mean squared errors",
    )
    return _method(card, guess, "exact, by the F law", "instances in each test set", power, assumptions=assumed)


def _hotelling(card: Card, guess: Guess) -> Method:
    if guess.learners != 2:
        raise UsageError(f"{card.name} compares two learners; found {guess.learners}. Name two of them, or use manova.")

    def power(n: int, d: float) -> float:
        return power_hotelling(n, guess.measures, d / guess.sd, alpha=guess.alpha)

    how = "exact, by the noncentral F law"
    return _method(
        card, guess, how, "runs", power, least=guess.measures + 1, assumptions=(*distance_said(guess), _NORMAL)
    )


def distance_said(guess: Guess) -> tuple[str, ...]:
    """What a difference in several measures is."""
    return (
        f"there are {guess.measures} measures, and the difference is the distance of the learners over all of them: "
        "the root of the sum of squared differences in sds, if measures are not correlated",
    )


def _two_way(card: Card, guess: Guess) -> Method:
    runs = guess.folds or FOLDS
    if guess.learners < 2:
        raise UsageError(f"An analysis of variance compares at least two learners; found {guess.learners}.")

    def power(n: int, d: float) -> float:
        between = float(np.var(guess.better_by(d), ddof=1))
        return power_two_way(n, runs, guess.learners, between, guess.sd**2, alpha=guess.alpha)

    assumed = (
        f"each learner has {runs} runs of its own on each task, independent and normal with the same sd",
        "learners differ alike on all tasks",
    )
    return _method(card, guess, "exact, by the noncentral F law", "tasks", power, assumptions=assumed)


def error_rate(card: Card, guess: Guess) -> float:
    """The error rate of the guess, which tests of right and wrong answers cannot do without."""
    if guess.error is None:
        other = " (or, without it, the share of instances on which the two disagree: discordant)"
        raise UsageError(
            f"{card.name} needs a guess of the error rate: error, e.g. 0.1{other if card.name == 'mcnemar' else ''}."
        )
    return guess.error


CLOSED: Mapping[str, Callable[[Card, Guess], Method]] = {
    "paired-t": _t("paired", "pairs", _NORMAL),
    "mean-t": _t("one-sample", "runs", "values are independent and normal"),
    "unpaired-t": _welch,
    "mean-z": _z,
    "two-proportions": _proportions,
    "binomial": _one_rate(power_binomial),
    "normal-approximation": _one_rate(power_normal_approximation),
    "mcnemar": _mcnemar,
    "sign": _sign,
    "sign-one": _sign,
    "anova": _anova,
    "corrected-t": _folds,
    "kfold-t": _folds,
    "variance-ratio": _variance_ratio,
    "hotelling": _hotelling,
    "two-way-anova": _two_way,
}
