"""Tables that hold more than a number for each learner in each block: what power of some tests is simulated on.

As with the plain ones, more blocks or another difference leave the noise of the first blocks as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.lab.null_designs import numbers as labels
from bakeoff.lab.null_designs import table
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.simulated_scores import Design, numbers, simulated_scores
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.measures import Measure
from bakeoff.scores import Factor, Predictions, Scores, unpaired

Array = NDArray[np.float64]
Draw = Callable[[Design, Guess, int, float, np.random.Generator], Scores]
# Scores of instances of two classes, holes, several runs on each task, several measures, squared errors.
SCORES, HOLES, RUNS, MEASURES, SQUARES = "scores", "holes", "runs", "measures", "squares"


def simulated_table(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """A table of n blocks as the guess has it, whatever its shape."""
    return _SHAPES.get(design.shape, simulated_scores)(design, guess, n, difference, rng)


def binormal(guess: Guess, n: int, difference: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """The classes of n instances, and the scores of learners: normal within each class, those of two correlated.

    The classes of learner j lie μ_j apart, with Φ(μ_j/√2) its area under the ROC curve. Classes alternate so that any
    number of instances has the share of positives of the guess.
    """
    k, rho = guess.learners, guess.correlation or 0.0
    areas = (guess.auc or 0.5) + guess.better_by(difference)
    apart = np.array([sqrt(2) * normal_quantile(min(area, 1 - 1e-9)) for area in areas.tolist()])
    upto = np.floor(np.arange(n + 1) * guess.positives + 1e-9)
    truth = np.diff(upto)
    noise = rng.standard_normal((n, k + 1))
    return truth, sqrt(rho) * noise[:, :1] + sqrt(1 - rho) * noise[:, 1:] + truth[:, None] * apart


def scored(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Scores of instances of two classes by the binormal model, and the errors that they lead to at zero."""
    truth, values = binormal(guess, n, difference, rng)
    made = table(((values > 0) != truth[:, None]).astype(float), {"instance": labels(n)})
    return replace(made, predictions=Predictions(truth, values, made.learners, np.array([""] * n)))


def with_holes(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Tasks on which learners are absent at random; two at least are there."""
    chances = rng.spawn(1)[0]
    values = numbers(design, guess, n, difference, rng)
    k, share = guess.learners, guess.absent or 0.0
    u = chances.random((n, 2 * k))
    absent = u[:, :k] < share * k / max(k - 2, 1)  # of those that may be absent
    absent[np.arange(n)[:, None], np.argsort(u[:, k:], axis=1)[:, :2]] = False
    return table(np.where(absent, np.nan, values), design.keys(n), "rmse")


def runs_on_tasks(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """So many independent runs of each learner on each of n tasks, which differ in difficulty."""
    runs = design.folds or 2
    difficulty = np.repeat(rng.spawn(1)[0].random(n) * 10 * guess.sd, runs)[:, None]
    values = numbers(replace(design, folds=None), guess, n * runs, difference, rng) + difficulty
    keys = {"task": [task for task in labels(n) for _ in range(runs)], "repeat": labels(runs) * n}
    return unpaired(table(values, keys, "rmse"))


def several_measures(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Measures that are not correlated; the distance of two learners is shared out equally among them."""
    k, p = guess.learners, guess.measures
    noise = guess.sd / sqrt(2) * rng.standard_normal((n, p, k))
    values = 50 * (guess.sd + abs(difference)) + noise - guess.better_by(difference) / sqrt(p)
    names = [f"measure {i + 1}" for i in range(p)]
    block, measure, learner = (index.ravel() for index in np.indices(values.shape))
    return Scores.of(
        values.ravel(),
        learner=Factor(tuple(f"learner {j + 1}" for j in range(k)), learner),
        measure=Factor(tuple(names), measure),
        repeat=Factor(tuple(labels(n)), block),
        measures={name: Measure(name, larger_is_better=False) for name in names},
        source="simulated scores",
    )


def squared_errors(design: Design, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Squares of normal errors, each learner on instances of its own; the difference is one of logarithms."""
    better = guess.better_by(difference)
    values = rng.standard_normal((n, guess.learners)) ** 2 * np.array([exp(-by) for by in better.tolist()])
    return unpaired(table(values, design.keys(n), "squared_error"))


_SHAPES: Mapping[str, Draw] = {
    SCORES: scored,
    HOLES: with_holes,
    RUNS: runs_on_tasks,
    MEASURES: several_measures,
    SQUARES: squared_errors,
}
