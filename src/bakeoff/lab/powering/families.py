"""For each test a way to compute its power: a closed formula where there is an exact one, otherwise simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.judging.advice import unmet_needs
from bakeoff.lab.powering.closed import CLOSED, FOLDS, distance_said, error_rate
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.method import LARGEST_SIMULATED, Method
from bakeoff.lab.powering.scales import BINARY
from bakeoff.lab.powering.simulated_scores import Design
from bakeoff.lab.powering.simulation import Simulation
from bakeoff.lab.powering.special_tables import HOLES, MEASURES, RUNS, SCORES, SQUARES, simulated_table
from bakeoff.presentation import count, number
from bakeoff.procedures.card import Answers, Card, Compares
from bakeoff.registry import MODULES, explain
from bakeoff.scores import Level, layout

ALIASES: Mapping[str, str] = {"t": "paired-t", "z": "mean-z", "proportions": "two-proportions"}
FIXED: Mapping[str, tuple[int, int]] = {"5x2-f": (10, 2), "5x2-t": (10, 2), "calibrated-10x10": (100, 10)}
# What tables look like that are not one number for each learner in each block.
SHAPES: Mapping[str, str] = {
    "delong": SCORES,
    "skillings-mack": HOLES,
    "two-way-anova": RUNS,
    "hotelling": MEASURES,
    "manova": MEASURES,
    "variance-ratio": SQUARES,
}
_UNIT = {Level.INSTANCES: "instances", Level.RESAMPLES: "runs", Level.TASKS: "tasks"}
_NOT: Mapping[str, str] = {
    "wilson": "it is an interval; the test of one error rate is binomial",
    "bayes-hierarchical": "its power hangs on two spreads, between tasks and between folds, and each of a thousand "
    "replications would take a quarter of a second; plan the tasks with bayes-signed-rank or wilcoxon",
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
    whole = card.answers in (Answers.GLOBAL, Answers.MULTIVARIATE) or card.name == "anova"
    return "global" if whole else "pair"


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
    make = CLOSED.get(card.name)
    if guess.residuals is None and make is not None and not simulate and not own and _one_formula(card, guess):
        return make(card, guess)
    if card.compares is Compares.ONE:
        raise UsageError(
            f"The power of {card.name} is computed by a formula and not simulated: leave out --simulate, --noise and "
            "options of the procedure."
        )
    return _simulated(card, guess, own, replications, seed)


def _one_formula(card: Card, guess: Guess) -> bool:
    return guess.find == usual_find(card)


# --- simulation -----------------------------------------------------------------------------------------------------


def _simulated(card: Card, guess: Guess, options: Mapping[str, Any], replications: int, seed: int) -> Method:
    guess = _complete(card, guess)
    fixed, folds = FIXED.get(card.name, (None, guess.folds))
    if folds is None and card.name in ("corrected-t", "bayes-correlated-t", "two-way-anova"):
        folds = FOLDS
    if card.name in ("5x2-f", "5x2-t") and guess.correlation is None:
        guess = replace(guess, correlation=0.0)  # what these tests assume
    if guess.folds is not None and not has_folds(card):
        raise UsageError(f"{card.name} has no folds to choose: leave the number of folds out.")
    step = folds if folds is not None and card.level is Level.RESAMPLES else 1
    design = Design(card.level, card.paired, card.name in BINARY, folds, SHAPES.get(card.name, ""))
    simulation = Simulation(card.name, design, guess, options, replications, seed)
    unit = "folds" if folds and step > 1 else _UNIT[card.level]
    return Method(
        card.name,
        card.title,
        f"simulated, {count(replications)} replications, seed {seed}",
        unit if card.paired or design.shape == RUNS else f"{unit} of each learner",
        simulation.chance,
        least=fixed or _least(card, design, guess, step),
        most=fixed or LARGEST_SIMULATED * (10 if design.level is Level.INSTANCES else 1),
        step=fixed or step,
        largest=_largest(design, guess),
        reaches=simulation.reaches,
        assumptions=_assumed(design, guess),
    )


def has_folds(card: Card) -> bool:
    """Whether there is a number of folds to choose: of each cross-validation, or of runs on each task."""
    return card.name not in FIXED and (card.level is Level.RESAMPLES or SHAPES.get(card.name) == RUNS)


def _complete(card: Card, guess: Guess) -> Guess:
    """The guess, if all is said that the test cannot do without."""
    if guess.learners < 2:
        raise UsageError(f"{card.name} compares learners: at least two; found {guess.learners}.")
    shape = SHAPES.get(card.name)
    if shape == SCORES and guess.auc is None:
        raise UsageError(f"{card.name} needs a guess of the smaller area under the ROC curve: auc, e.g. 0.8.")
    if shape == HOLES:
        room = (guess.learners - 2) / guess.learners
        if guess.absent is None:
            raise UsageError(
                f"{card.name} needs a guess of the share of scores that will be missing: absent, e.g. 0.1. If none "
                "will be, plan with friedman."
            )
        if guess.absent > room:
            raise UsageError(
                f"Two of {guess.learners} learners at least are there on each task, so that a share of "
                f"{number(room)} at most can be missing; found {number(guess.absent)}."
            )
    return replace(guess, error=error_rate(card, guess)) if card.name in BINARY else guess


def _largest(design: Design, guess: Guess) -> float:
    """The largest difference that there can be."""
    if design.shape == SCORES and guess.auc is not None:
        return 1 - guess.auc
    return guess.error if design.binary and guess.error is not None else np.inf


def _least(card: Card, design: Design, guess: Guess, step: int) -> int:
    """The fewest blocks on which the procedure works at all."""
    for n in range(step, 100, step):
        if n < 2:
            continue
        scores = simulated_table(design, guess, n, 0.0, np.random.default_rng(0))
        reasons = unmet_needs(card, layout(scores, scores.measure.labels[0], level=card.level), essential_only=True)
        if not reasons:
            return n
    raise UsageError(f"{card.name} cannot be simulated on this design: {'; '.join(reasons)}.")


def _assumed(design: Design, guess: Guess) -> tuple[str, ...]:
    if design.binary:
        rate = f"the worse error rate is {number(guess.error or 0.0)}"
        if guess.discordant is not None and design.paired:
            rate += f", and the best and the worst disagree on {number(100 * guess.discordant, 3)} % of the instances"
        return (rate,)
    if design.shape in (SCORES, SQUARES):
        return _of_shape(design, guess)
    law = "normal" if guess.residuals is None else "as in the pilot, drawn again with replacement"
    what = "differences" if design.paired else "values"
    rho = design.correlation(guess)
    folds = f", any two folds with the correlation {number(rho, 3)}" if design.folds and design.shape != RUNS else ""
    said = (f"{what} are {law}{folds}", *_of_shape(design, guess))
    if guess.learners > 2:
        how = "the first is better than all others" if guess.pattern == "one" else "learners lie at equal distances"
        return (*said, how)
    return said


def _of_shape(design: Design, guess: Guess) -> tuple[str, ...]:
    """What more is taken for granted of tables that are not plain."""
    if design.shape == SCORES:
        rho = guess.correlation or 0.0
        alone = "" if guess.correlation is not None else ", though learners mostly order instances alike: guess the "
        return (
            f"the smaller area under the ROC curve is {number(guess.auc or 0.5)}, and {number(100 * guess.positives)} "
            "% of the instances are positive",
            f"within a class scores are normal, those of two learners with the correlation {number(rho)}"
            + (f"{alone}correlation for a smaller answer" if alone else ""),
        )
    if design.shape == HOLES:
        return (f"{number(100 * (guess.absent or 0.0))} % of the scores are missing at random",)
    if design.shape == RUNS:
        return (
            f"each learner has {design.folds} runs of its own on each task",
            "learners differ alike on all tasks",
        )
    if design.shape == MEASURES:
        return distance_said(guess)
    if design.shape == SQUARES:
        return ("errors are normal with mean zero", "the difference is that of logarithms of mean squared errors")
    return ()
