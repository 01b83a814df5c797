"""Scores of an experiment in which the first learner is better: what power is simulated on.

Learners are named by number; smaller values are better. The generator of a replication draws what is shared before
what belongs to single blocks, and blocks one after another: more blocks, or another difference, leave the noise of
the first blocks as it was. Powers of neighbouring designs are therefore compared on the same random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.lab.null_designs import table
from bakeoff.lab.powering.guess import Guess
from bakeoff.scores import Level, Scores, unpaired

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Design:
    """What blocks are, and whether learners share them. `folds` is None where blocks are independent runs; `shape` is
    that of a table with more than a number for each learner in each block (see `special_tables`)."""

    level: Level
    paired: bool = True
    binary: bool = False
    folds: int | None = None
    shape: str = ""

    def correlation(self, guess: Guess) -> float:
        """As guessed, or for K folds 1/K: what the corrected test takes it to be."""
        if guess.correlation is not None:
            return guess.correlation
        return 1 / self.folds if self.folds is not None and self.level is Level.RESAMPLES else 0.0

    def keys(self, n: int) -> dict[str, list[str]]:
        """The labels of n blocks."""
        numbers = [str(i + 1) for i in range(n)]
        if self.level is Level.TASKS:
            return {"task": numbers}
        if self.level is Level.INSTANCES:
            return {"instance": numbers}
        if self.folds is None:
            return {"repeat": numbers}
        keys = {"fold": [str(i % self.folds + 1) for i in range(n)]}
        return keys if n == self.folds else keys | {"repeat": [str(i // self.folds + 1) for i in range(n)]}


def simulated_scores(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """A table of n blocks as the guess has it."""
    make = answers if design.binary else numbers
    values = make(design, guess, n, difference, rng)
    scores = table(values, design.keys(n), "error" if design.binary else "rmse")
    return scores if design.paired else unpaired(scores)


def numbers(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Array:
    """Normal values (or those of a pilot): differences have the sd of the guess, and its correlation between blocks.

    The noise of a learner is σ(√ρ g + √(1 − ρ) e), with g the same in all blocks; σ is sd/√2 where differences within
    blocks count, sd where learners have blocks of their own.
    """
    k, rho = guess.learners, design.correlation(guess)
    sigma = guess.sd / sqrt(2) if design.paired and k > 1 else guess.sd
    shared = rng.standard_normal(k)
    if guess.residuals is None:
        own = sigma * rng.standard_normal((n, k))
    else:
        own = guess.residuals[rng.integers(len(guess.residuals), size=n)]
    noise = sigma * sqrt(rho) * shared + sqrt(1 - rho) * own
    # Far from 0, since no error is negative.
    return 50 * (guess.sd + abs(difference)) + noise - guess.better_by(difference)


def answers(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Array:
    """Right (0) and wrong (1) answers: on a share of the instances all learners meet the same difficulty.

    Where they do, whoever has the larger error rate errs whenever the other does; elsewhere they err independently. The
    share is chosen so that the best and the worst disagree on as many instances as the guess says.
    """
    worst = guess.error if guess.error is not None else 0.5
    rates = worst - guess.better_by(difference)
    if rates.min() < -1e-12:
        raise UsageError(f"An error rate of {worst:g} cannot become smaller by {difference:g}.")
    same = _shared(guess, float(rates[0]), worst, difference) if design.paired else 0.0
    u = rng.random((n, guess.learners + 2))
    common = (u[:, :1] < same) & design.paired
    return np.asarray(np.where(common, u[:, 1:2], u[:, 2:]) < rates, dtype=float)


def _shared(guess: Guess, best: float, worst: float, difference: float) -> float:
    """The share s in: discordant = s·difference + (1 − s)(independent disagreement)."""
    alone = best * (1 - worst) + worst * (1 - best)
    if guess.discordant is None:
        return 0.0
    if not difference - 1e-12 <= guess.discordant <= alone + 1e-12:
        raise UsageError(
            f"With error rates of {best:g} and {worst:g}, between {difference:g} and {alone:.4g} (independent errors) "
            f"of the instances are discordant; found {guess.discordant:g}."
        )
    return 1.0 if alone == difference else (alone - guess.discordant) / (alone - difference)
