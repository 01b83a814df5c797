"""Designs by name, for those who have no study yet: real cross-validation of fast learners, many samples at once.

Two classes of equal size, and for each of two learners twenty features of its own, all of them a little informative:
the classes lie one standard deviation apart. A learner assigns the class whose mean is nearest. The learners are
equally good by symmetry; and as twenty means are learned from two hundred rows, how good they get depends on the
sample, which is what makes folds that share training rows depend on each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.errors import UsageError, nearest
from bakeoff.lab.calibrating.experiments import (
    ONE_TEST_SAMPLE,
    Array,
    Experiments,
    RowByRow,
    check_memory,
    checked_replications,
    checked_seed,
    difference_of,
    fits_memory,
)
from bakeoff.lab.nearest_mean import errors_and_mistakes, nearest_mean_errors, nearest_mean_mistakes
from bakeoff.lab.null_designs import SAMPLE, SEPARATION, numbers, table
from bakeoff.scores import Scores

FEATURES = 20
_LEAST_ROWS = 20
_WORST = 0.48
Flags = NDArray[np.bool_]
Draw = Callable[[], tuple[Flags, Array]]


@dataclass(frozen=True)
class Design:
    """A design as the user names it: "cv:10", "cv:10x10", "draws:30", "competition:50", "answers"."""

    name: str
    kind: str
    repeats: int
    folds: int
    n: int

    @property
    def blocks(self) -> int:
        return self.n if self.kind == "answers" else self.repeats * self.folds

    @property
    def sentence(self) -> str:
        return {
            "cv": f"{f'{self.repeats} × ' * (self.repeats > 1)}{self.folds}-fold cross-validation of {self.n} rows",
            "draws": f"{self.repeats} independent draws of {self.n} rows to learn from and {self.n} to test on",
            "competition": f"{self.repeats} draws of {self.n} rows to learn from, and one test sample of {self.n}",
            "answers": f"{self.n} rows to learn from, and the answers on {self.n} others",
        }[self.kind]


def design_named(name: str, n: int = SAMPLE) -> Design:
    """The design that is meant.

    >>> design_named("cv:10x10").sentence
    '10 × 10-fold cross-validation of 200 rows'
    >>> design_named("cross:10")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: There is no design 'cross:10'. ...
    """
    kind, _, size = str(name).strip().lower().replace("×", "x").partition(":")
    if kind not in _CARRY_OUT:
        known = {"cv": "cv:10, cv:10x10", "draws": "draws:30", "competition": "competition:50", "answers": "answers"}
        raise UsageError(f"There is no design {name!r}. {nearest(kind, known)} Examples: {', '.join(known.values())}.")
    if isinstance(n, bool) or not isinstance(n, int) or n < _LEAST_ROWS:
        raise UsageError(f"n, the size of a sample, is a whole number of at least {_LEAST_ROWS}; found {n!r}.")
    repeats, folds = _sizes(str(name), kind, size)
    if folds > n // 2:
        raise UsageError(
            f"{folds} folds of {n} rows leave less than two rows to test on. Use fewer folds or a larger n."
        )
    return Design(str(name), kind, repeats, folds, n)


def _sizes(name: str, kind: str, size: str) -> tuple[int, int]:
    if kind == "answers":
        if size:
            raise UsageError(f"The design 'answers' has a size n and no other; found {name!r}.")
        return 1, 1
    if kind == "cv":
        found = re.fullmatch(r"(?:(\d{1,4})x)?(\d{1,6})", size or "10")
        repeats, folds = (int(found[1] or 1), int(found[2])) if found else (0, 0)
        if repeats < 1 or folds < 2:
            raise UsageError(f"Cross-validation is cv:FOLDS or cv:REPEATSxFOLDS, as in cv:10x10; found {name!r}.")
        return repeats, folds
    if not re.fullmatch(r"\d{0,6}", size) or (size and int(size) < 2):
        raise UsageError(f"{kind}:N takes a number of draws of at least 2; found {name!r}.")
    return int(size or {"draws": 30, "competition": 50}[kind]), 1


def simulated(
    design: Design, *, replications: int = 1000, seed: int = 0, delta: float | None = None, alpha: float = 0.05
) -> Experiments:
    """Carry a design out on so many samples, with learners that are equally good and with learners that are not.

    The second learner is made worse by moving the classes closer together in its features, so that its error rate for
    large samples rises by delta.
    """
    replications, seed = checked_replications(replications), checked_seed(seed)
    check_memory(replications, design.blocks)
    null, right = _carried_out(design, replications, [seed, 0], SEPARATION)
    aim, origin = difference_of(null, delta, alpha)
    rate = float(special.ndtr(-SEPARATION / 2))
    if delta is None and rate + aim > _WORST:
        aim, origin = _WORST - rate, "which leaves the second learner little better than guessing"
    if rate + aim >= 0.5:
        raise UsageError(
            f"delta = {aim:.3g} would make the second learner worse than guessing: its error rate is {rate:.3f} "
            "without it. Give a smaller difference."
        )
    different, also = _carried_out(design, replications, [seed, 1], -2 * float(special.ndtri(rate + aim)))
    found = float((different[:, :, 1] - different[:, :, 0]).mean())
    return Experiments(
        scores=_table(design, null[0]),
        null=null,
        different=different,
        delta=found,
        how=f"Two nearest-mean classifiers, equally good by symmetry, each with {FEATURES} features of its own: "
        f"{design.sentence}.",
        difference=f"the mean over the experiments, of a learner with less informative features; δ = {aim:.4g} was "
        f"aimed at, {origin}",
        notes=(ONE_TEST_SAMPLE,) if design.kind == "competition" else (),
        answers=RowByRow(_answers_table(right[0]), right, also) if len(right) else None,
    )


def _carried_out(design: Design, replications: int, seed: list[int], separation: float) -> tuple[Array, Array]:
    """Errors, experiments × blocks × 2, and mistakes, experiments × rows × 2, if each row is tested on once.

    Each experiment has chances of its own, whatever the number of others.
    """
    carry_out = _CARRY_OUT[design.kind]
    errors, mistakes = np.empty((replications, design.blocks, 2)), []
    once = design.kind == "cv" and design.repeats == 1 and fits_memory(replications, design.n)
    for number in range(replications):
        rng = np.random.default_rng(np.random.SeedSequence([*seed, number]))
        errors[number], wrong = carry_out(design, partial(_sample, rng, design.n, separation), rng)
        if once:
            mistakes.append(wrong[0])
    return errors, np.array(mistakes, dtype=float)


def _sample(rng: np.random.Generator, n: int, separation: float) -> tuple[Flags, Array]:
    """Labels, and rows × 2 learners × features; the classes lie `separation` apart in those of the second learner."""
    label = rng.permutation(np.arange(n) < n // 2)
    x = rng.standard_normal((n, 2, FEATURES))
    x[label] += np.array([[SEPARATION], [separation]]) / np.sqrt(FEATURES)
    return label, x


def _cross_validation(design: Design, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    label, x = draw()
    fold = rng.permuted(np.tile(np.arange(design.n) % design.folds, (design.repeats, 1)), axis=1)
    errors, mistakes = errors_and_mistakes(label, x, fold, design.folds)
    return errors.reshape(-1, 2), mistakes


def _draws(design: Design, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    return np.array([nearest_mean_errors(*draw(), *draw()) for _ in range(design.repeats)]), _NOTHING


def _competition(design: Design, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    test = draw()
    return np.array([nearest_mean_errors(*draw(), *test) for _ in range(design.repeats)]), _NOTHING


def _answers(design: Design, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    return nearest_mean_mistakes(*draw(), *draw()).astype(float), _NOTHING


_NOTHING: Flags = np.zeros(0, dtype=bool)
_CARRY_OUT: dict[str, Callable[[Design, Draw, np.random.Generator], tuple[Array, Flags]]] = {
    "cv": _cross_validation,
    "draws": _draws,
    "competition": _competition,
    "answers": _answers,
}


def _table(design: Design, errors: Array) -> Scores:
    """One experiment as a table, with labels and sizes as they would be read from a file."""
    if design.kind == "answers":
        return _answers_table(errors)
    if design.kind != "cv":
        return table(errors, {"repeat": numbers(design.repeats)})
    keys = {"fold": numbers(design.folds) * design.repeats}
    if design.repeats > 1:
        keys["repeat"] = [r for r in numbers(design.repeats) for _ in range(design.folds)]
    return table(errors, keys)


def _answers_table(mistakes: Array) -> Scores:
    return table(mistakes, {"instance": numbers(len(mistakes))})
