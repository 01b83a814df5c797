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
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.calibration.null_designs import (
    SAMPLE,
    SEPARATION,
    errors_and_mistakes,
    in_clusters,
    nearest_mean_errors,
    nearest_mean_mistakes,
    numbers,
    table,
)
from bakeoff.errors import DegenerateError, UsageError, nearest
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.measures import Measure
from bakeoff.scores import Scores
from bakeoff.text import percent

# ----------------------------------------------------------------------------------------------------------------------
# Experiments: many simulated ones of the same design, without a difference between two learners and with one.


Array = NDArray[np.float64]

# All experiments are held in memory, eight bytes a value.
MOST_VALUES = 2**26
# The default difference is one that a test would find with this power if it knew how much chance there is.
_POWER = 0.8
# Why every test over draws is liberal where an experiment has one test sample, which a table of sizes does not tell.
ONE_TEST_SAMPLE = (
    "All draws of an experiment are tested on one test sample. It may favour a learner by chance, and does so in every "
    "draw: the tests speak about that test sample, and the sizes here are about the learners. Fresh test samples, or "
    "a much larger one, make up for it; another test does not."
)


@dataclass(frozen=True, eq=False)
class RowByRow:
    """The same experiments row by row, where each row is tested on once: experiments × rows × 2 learners.

    `scores` is one of them as a table. The rows of a fold were predicted by the fit of that fold, so that procedures
    that read rows take answers of several fits for those of one: see `MANY_FITS`.
    """

    scores: Scores
    null: Array
    different: Array


MANY_FITS = (
    "it takes all answers for those of one fitted model on independent rows, and here each fold has a model of its own"
)


@dataclass(frozen=True, eq=False)
class Experiments:
    """`null` and `different` are experiments × blocks × 2 learners.

    The second learner is worse by `delta` in `different`, and by nothing in `null`. `scores` is one of the experiments
    as a table: its layout decides which procedures fit. `how` says in a sentence how they were made, `difference` where
    delta comes from, `breaks_dependence` that blocks were made independent which are not in earnest. `answers` are
    those on single rows, for procedures that read them.
    """

    scores: Scores
    null: Array
    different: Array
    delta: float
    how: str
    difference: str
    notes: tuple[str, ...] = ()
    breaks_dependence: bool = False
    answers: RowByRow | None = None

    @property
    def replications(self) -> int:
        return len(self.null)


def checked_replications(replications: Any) -> int:
    """At least twenty: a share among fewer says nothing about five per cent."""
    if isinstance(replications, bool) or not isinstance(replications, Integral) or replications < 20:
        raise UsageError(f"The number of replications is a whole number of at least 20; found {replications!r}.")
    return int(replications)


def checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise UsageError(f"The seed is a whole number that is not negative; found {seed!r}.")
    return int(seed)


def fits_memory(replications: int, blocks: int) -> bool:
    """Whether so many values are held in memory at once."""
    return 2 * replications * blocks <= MOST_VALUES


def check_memory(replications: int, blocks: int) -> None:
    """Refuse more values than fit into memory with some to spare."""
    if not fits_memory(replications, blocks):
        raise UsageError(
            f"{replications:,} replications of {blocks:,} blocks are more than the {MOST_VALUES:,} values that are "
            f"held in memory at once. At most {max(MOST_VALUES // (2 * blocks), 1):,} replications fit."
        )


def difference_of(null: Array, delta: float | None, alpha: float) -> tuple[float, str]:
    """The difference that power is measured at, and where it comes from.

    If the user gives none, it is (z₁₋α/₂ + z.₈) standard deviations of the mean difference between the learners over
    the experiments: a test that knew this standard deviation would find it with a probability of 80 %. Powers can then
    be compared at a glance, whatever the measure and however many blocks there are.
    """
    if delta is not None:
        if isinstance(delta, bool) or not isinstance(delta, Real) or not isfinite(delta) or delta <= 0:
            raise UsageError(f"delta, the difference to be found, must be a positive number; found {delta!r}.")
        return float(delta), "as asked for"
    spread = float((null[:, :, 0] - null[:, :, 1]).mean(axis=1).std(ddof=1))
    if not spread > 0:
        raise DegenerateError(
            "The two learners have the same mean in every simulated experiment: there is no chance here that a "
            "procedure could be calibrated against. Use learners that differ, or a finer measure."
        )
    difference = (normal_quantile(1 - alpha / 2) + normal_quantile(_POWER)) * spread
    return (
        difference,
        f"which a test that knew the spread of the mean difference would find with a power of {percent(_POWER)}",
    )


def with_difference(null: Array, delta: float, measure: Measure, seed: int) -> Array:
    """The same experiments with a second learner that is worse by delta, or better if that is negative.

    Scores are shifted. Right and wrong answers cannot be: so many right ones are made wrong at random that their mean
    is worse by delta (or wrong ones right).

    >>> from bakeoff.measures import known_measure
    >>> with_difference(np.zeros((1, 1, 2)) + 0.5, 0.1, known_measure("error"), 1).tolist()
    [[[0.5, 0.6]]]
    """
    different = null.copy()
    second = different[:, :, 1]
    if not np.isin(null, (0.0, 1.0)).all():
        second += -measure.sign * delta
        return different
    before, after = (1.0, 0.0) if measure.larger_is_better == (delta >= 0) else (0.0, 1.0)
    room = float((second == before).mean())
    if abs(delta) >= room:
        what = "right" if delta >= 0 else "wrong"
        raise UsageError(
            f"delta = {delta:g} is more than there is to lose: the second learner is {what} in {room:.1%} of its "
            "answers. Give a smaller difference."
        )
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    second[(second == before) & (rng.random(second.shape) < abs(delta) / room)] = after
    return different


# ----------------------------------------------------------------------------------------------------------------------


FEATURES = 20
_LEAST_ROWS = 20
# How much the distance of the classes varies from cluster to cluster, in their standard deviations.
CLUSTER_EFFECT = 1.5
_WORST = 0.48
Flags = NDArray[np.bool_]
Draw = Callable[[], tuple[Flags, Array]]


@dataclass(frozen=True)
class NamedDesign:
    """A design as the user names it: "cv:10", "cv:10x10", "draws:30", "competition:50", "answers", "clusters:20"."""

    name: str
    kind: str
    repeats: int
    folds: int
    n: int

    @property
    def blocks(self) -> int:
        return self.n if self.kind in ("answers", "clusters") else self.repeats * self.folds

    @property
    def cluster(self) -> NDArray[np.intp]:
        """The cluster of each row tested on, where they lie in clusters."""
        return np.arange(self.n) * self.repeats // self.n

    @property
    def sentence(self) -> str:
        return {
            "cv": f"{f'{self.repeats} × ' * (self.repeats > 1)}{self.folds}-fold cross-validation of {self.n} rows",
            "draws": f"{self.repeats} independent draws of {self.n} rows to learn from and {self.n} to test on",
            "competition": f"{self.repeats} draws of {self.n} rows to learn from, and one test sample of {self.n}",
            "answers": f"{self.n} rows to learn from, and the answers on {self.n} others",
            "clusters": f"{self.n} rows to learn from, and the answers on {self.n} others in {self.repeats} clusters",
        }[self.kind]


def design_named(name: str, n: int = SAMPLE) -> NamedDesign:
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
        known["clusters"] = "clusters:20"
        raise UsageError(f"There is no design {name!r}. {nearest(kind, known)} Examples: {', '.join(known.values())}.")
    if isinstance(n, bool) or not isinstance(n, int) or n < _LEAST_ROWS:
        raise UsageError(f"n, the size of a sample, is a whole number of at least {_LEAST_ROWS}; found {n!r}.")
    repeats, folds = _sizes(str(name), kind, size)
    if kind == "clusters" and repeats > n // 2:
        raise UsageError(f"{repeats} clusters of {n} rows leave less than two rows each. Use fewer, or a larger n.")
    if folds > n // 2:
        raise UsageError(
            f"{folds} folds of {n} rows leave less than two rows to test on. Use fewer folds or a larger n."
        )
    return NamedDesign(str(name), kind, repeats, folds, n)


def _sizes(name: str, kind: str, size: str) -> tuple[int, int]:
    if kind == "answers":
        if size:
            raise UsageError(f"The design 'answers' has a size n and no other; found {name!r}.")
        return 1, 1
    if kind == "cv":
        match = re.fullmatch(r"(?:(\d{1,4})x)?(\d{1,6})", size or "10")
        repeats, folds = (int(match[1] or 1), int(match[2])) if match else (0, 0)
        if repeats < 1 or folds < 2:
            raise UsageError(f"Cross-validation is cv:FOLDS or cv:REPEATSxFOLDS, as in cv:10x10; found {name!r}.")
        return repeats, folds
    if not re.fullmatch(r"\d{0,6}", size) or (size and int(size) < 2):
        what = "clusters" if kind == "clusters" else "draws"
        raise UsageError(f"{kind}:N takes a number of {what} of at least 2; found {name!r}.")
    return int(size or {"draws": 30, "competition": 50, "clusters": 20}[kind]), 1


def simulated(
    design: NamedDesign, *, replications: int = 1000, seed: int = 0, delta: float | None = None, alpha: float = 0.05
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
    difference = float((different[:, :, 1] - different[:, :, 0]).mean())
    return Experiments(
        scores=_table(design, null[0]),
        null=null,
        different=different,
        delta=difference,
        how=f"Two nearest-mean classifiers, equally good by symmetry, each with {FEATURES} features of its own: "
        f"{design.sentence}.",
        difference=f"the mean over the experiments, of a learner with less informative features; δ = {aim:.4g} was "
        f"aimed at, {origin}",
        notes=(ONE_TEST_SAMPLE,) if design.kind == "competition" else (),
        answers=RowByRow(_answers_table(right[0]), right, also) if len(right) else None,
    )


def _carried_out(design: NamedDesign, replications: int, seed: list[int], separation: float) -> tuple[Array, Array]:
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


def _cross_validation(design: NamedDesign, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    label, x = draw()
    fold = rng.permuted(np.tile(np.arange(design.n) % design.folds, (design.repeats, 1)), axis=1)
    errors, mistakes = errors_and_mistakes(label, x, fold, design.folds)
    return errors.reshape(-1, 2), mistakes


def _draws(design: NamedDesign, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    return np.array([nearest_mean_errors(*draw(), *draw()) for _ in range(design.repeats)]), _NOTHING


def _competition(design: NamedDesign, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    test = draw()
    return np.array([nearest_mean_errors(*draw(), *test) for _ in range(design.repeats)]), _NOTHING


def _answers(design: NamedDesign, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    return nearest_mean_mistakes(*draw(), *draw()).astype(float), _NOTHING


def _clusters(design: NamedDesign, draw: Draw, rng: np.random.Generator) -> tuple[Array, Flags]:
    """Answers on rows in clusters: in some of them the classes lie farther apart for one learner, in some for both."""
    learned, (truth, seen) = draw(), draw()
    apart = CLUSTER_EFFECT * rng.standard_normal((design.repeats, 2))[design.cluster]
    seen = seen + (np.where(truth, 0.5, -0.5)[:, None] * apart)[:, :, None] / np.sqrt(FEATURES)
    return nearest_mean_mistakes(*learned, truth, seen).astype(float), _NOTHING


_NOTHING: Flags = np.zeros(0, dtype=bool)
_CARRY_OUT: dict[str, Callable[[NamedDesign, Draw, np.random.Generator], tuple[Array, Flags]]] = {
    "cv": _cross_validation,
    "draws": _draws,
    "competition": _competition,
    "answers": _answers,
    "clusters": _clusters,
}


def _table(design: NamedDesign, errors: Array) -> Scores:
    """One experiment as a table, with labels and sizes as they would be read from a file."""
    if design.kind == "answers":
        return _answers_table(errors)
    if design.kind == "clusters":
        return in_clusters(_answers_table(errors), design.cluster)
    if design.kind != "cv":
        return table(errors, {"repeat": numbers(design.repeats)})
    keys = {"fold": numbers(design.folds) * design.repeats}
    if design.repeats > 1:
        keys["repeat"] = [r for r in numbers(design.repeats) for _ in range(design.folds)]
    return table(errors, keys)


def _answers_table(mistakes: Array) -> Scores:
    return table(mistakes, {"instance": numbers(len(mistakes))})
