"""For each test a way to compute its power: a closed formula where there is an exact one, otherwise simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.judging.advice import unmet_needs
from bakeoff.lab.power import power_anova, power_proportions, power_t, power_z
from bakeoff.lab.powering.correlated import power_correlated_t
from bakeoff.lab.powering.counted import power_binomial, power_mcnemar, power_sign
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.method import LARGEST_SIMULATED, Method
from bakeoff.lab.powering.simulated_scores import Design, simulated_scores
from bakeoff.lab.powering.simulation import Chance, Simulation
from bakeoff.lab.powering.welch import power_welch
from bakeoff.mathematics.laws import normal_sf
from bakeoff.presentation import count, number
from bakeoff.procedures.card import Answers, Card, Compares
from bakeoff.registry import MODULES, explain
from bakeoff.scores import Level, layout

ALIASES: Mapping[str, str] = {"t": "paired-t", "z": "mean-z", "proportions": "two-proportions"}
BINARY = frozenset({"mcnemar", "dunn", "cochran-q", "two-proportions", "binomial"})
FIXED: Mapping[str, tuple[int, int]] = {"5x2-f": (10, 2), "5x2-t": (10, 2), "calibrated-10x10": (100, 10)}
FOLDS = 10
_NOT: Mapping[str, str] = {
    "wilson": "it is an interval; the test of one error rate is binomial",
    "normal-approximation": "it approximates the test named binomial, whose power is exact",
    "delong": "it needs a guess of how predictions vary, not of a difference",
    "variance-ratio": "it compares spreads, not means",
    "hotelling": "it compares several measures at once",
    "manova": "it compares several measures at once",
    "skillings-mack": "it needs a guess of what will be missing; use friedman",
    "two-way-anova": "it needs a guess for several runs on each of several tasks",
    "bayes-hierarchical": "it needs a guess for several folds on each of several tasks",
}


def card_of(name: str) -> Card:
    """The card of a test by its name or a short name."""
    asked = str(name).strip().lower().replace("_", "-")
    asked = ALIASES.get(asked, asked)
    if asked not in MODULES:
        raise UsageError(f"There is no test {name!r}. {nearest(asked, [*ALIASES, *MODULES])}")
    if asked in _NOT:
        raise UsageError(f"`bakeoff power` does not know {asked}: {_NOT[asked]}.")
    return explain(asked)


def usual_find(card: Card) -> str:
    """What there is to find, if nothing is said: a pair, where the test speaks about pairs."""
    return "global" if card.answers is Answers.GLOBAL or card.name == "anova" else "pair"


def method_for(
    card: Card,
    guess: Guess,
    options: Mapping[str, Any] | None = None,
    *,
    simulate: bool = False,
    replications: int = 1000,
    seed: int = 0,
) -> Method:
    """The way to compute the power of a test. Options of the procedure, other than defaults, are simulated."""
    own = dict(options or {})
    make = _CLOSED.get(card.name)
    if guess.residuals is None and make is not None and not simulate and not own and _one_formula(card, guess):
        return make(card, guess)
    if card.compares is Compares.ONE:
        raise UsageError(
            f"The power of {card.name} is computed by a formula and not simulated: leave out --simulate, --noise and "
            "options of the procedure."
        )
    return _simulated(card, guess, own, replications, seed)


def _one_formula(card: Card, guess: Guess) -> bool:
    return guess.find == ("global" if card.name == "anova" else "pair")


# --- closed formulas ------------------------------------------------------------------------------------------------


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
_UNIT = {Level.INSTANCES: "instances", Level.RESAMPLES: "runs", Level.TASKS: "tasks"}


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
    error, alpha = _error(card, guess), _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_proportions(n, error, error - d, alpha=alpha, sides=guess.sides)

    assumed = (f"the worse error rate is {number(error)}", "each learner has a test set of its own")
    blocks = "instances in each test set"
    return _method(card, guess, "normal approximation", blocks, power, least=1, largest=error, assumptions=assumed)


def _binomial(card: Card, guess: Guess) -> Method:
    error = _error(card, guess)

    def power(n: int, d: float) -> float:
        return power_binomial(n, error, max(error - d, 0.0), alpha=guess.alpha, sides=guess.sides)

    tooth = min(ceil(3 / min(error, 1 - error)), 300)
    assumed = (f"the rate is tested against {number(error)}, and is smaller by the difference",)
    return _method(
        card, guess, "exact, by the binomial law", "instances", power,
        least=1, largest=error, tooth=tooth, assumptions=assumed,
    )  # fmt: skip


def _mcnemar(card: Card, guess: Guess) -> Method:
    alpha, given = _level(card, guess), guess.discordant
    if given is None:
        error = _error(card, guess)

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


def _error(card: Card, guess: Guess) -> float:
    if guess.error is None:
        other = " (or, without it, the share of instances on which the two disagree: discordant)"
        raise UsageError(
            f"{card.name} needs a guess of the error rate: error, e.g. 0.1{other if card.name == 'mcnemar' else ''}."
        )
    return guess.error


_CLOSED: Mapping[str, Callable[[Card, Guess], Method]] = {
    "paired-t": _t("paired", "pairs", _NORMAL),
    "mean-t": _t("one-sample", "runs", "values are independent and normal"),
    "unpaired-t": _welch,
    "mean-z": _z,
    "two-proportions": _proportions,
    "binomial": _binomial,
    "mcnemar": _mcnemar,
    "sign": _sign,
    "sign-one": _sign,
    "anova": _anova,
    "corrected-t": _folds,
    "kfold-t": _folds,
}


# --- simulation -----------------------------------------------------------------------------------------------------


def _simulated(card: Card, guess: Guess, options: Mapping[str, Any], replications: int, seed: int) -> Method:
    if guess.learners < 2:
        raise UsageError(f"{card.name} compares learners: at least two; found {guess.learners}.")
    if card.name in BINARY:
        guess = replace(guess, error=_error(card, guess))
    fixed, folds = FIXED.get(card.name, (None, guess.folds))
    if folds is None and card.name in ("corrected-t", "bayes-correlated-t"):
        folds = FOLDS
    if card.name in ("5x2-f", "5x2-t") and guess.correlation is None:
        guess = replace(guess, correlation=0.0)  # what these tests assume
    if guess.folds is not None and (card.level is not Level.RESAMPLES or fixed):
        raise UsageError(f"{card.name} has no folds to choose: leave the number of folds out.")
    step = folds if folds is not None and card.level is Level.RESAMPLES else 1
    design = Design(card.level, card.paired, card.name in BINARY, folds)
    simulation = Simulation(card.name, design, guess, options, replications, seed)
    unit = "folds" if folds else _UNIT[card.level]
    return Method(
        card.name,
        card.title,
        f"simulated, {count(replications)} replications, seed {seed}",
        unit if card.paired else f"{unit} of each learner",
        simulation.chance,
        least=fixed or _least(card, design, guess, step),
        most=fixed or LARGEST_SIMULATED * (10 if design.binary else 1),
        step=fixed or step,
        largest=guess.error if design.binary and guess.error is not None else np.inf,
        reaches=simulation.reaches,
        assumptions=_assumed(design, guess),
    )


def _least(card: Card, design: Design, guess: Guess, step: int) -> int:
    """The fewest blocks on which the procedure works at all."""
    for n in range(step, 100, step):
        if n < 2:
            continue
        scores = simulated_scores(design, guess, n, 0.0, np.random.default_rng(0))
        if not unmet_needs(card, layout(scores, level=card.level), essential_only=True):
            return n
    facts = layout(scores, level=card.level)
    reasons = unmet_needs(card, facts, essential_only=True)
    raise UsageError(f"{card.name} cannot be simulated on this design: {'; '.join(reasons)}.")


def _assumed(design: Design, guess: Guess) -> tuple[str, ...]:
    if design.binary:
        said = f"the worse error rate is {number(guess.error or 0.0)}"
        if guess.discordant is not None and design.paired:
            said += f", and the best and the worst disagree on {number(100 * guess.discordant, 3)} % of the instances"
        return (said,)
    law = "normal" if guess.residuals is None else "as in the pilot, drawn again with replacement"
    what = "differences" if design.paired else "values"
    rho = design.correlation(guess)
    folds = f", any two folds with the correlation {number(rho, 3)}" if design.folds else ""
    said = f"{what} are {law}{folds}"
    if guess.learners > 2:
        how = "the first is better than all others" if guess.pattern == "one" else "learners lie at equal distances"
        return (said, how)
    return (said,)
