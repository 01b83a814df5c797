"""Power by simulation: any procedure, on tables as the guess has them, many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import exp, inf, isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.calibration.null_designs import in_clusters, table
from bakeoff.calibration.null_designs import numbers as labels
from bakeoff.calibration.table import monte_carlo_se
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.inference.finding import Finding, Row
from bakeoff.judging import analyse
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.measures import Measure
from bakeoff.power_analysis.guess import Guess
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import Answers, Compares, Shape
from bakeoff.procedures.procedure import Procedure, Result
from bakeoff.records import Record
from bakeoff.scores import Labels, Level, Predictions, Scores, blocks, layout, unpaired

# ----------------------------------------------------------------------------------------------------------------------
# Scores of an experiment in which the first learner is better: what power is simulated on.
#
# Learners are named by number; smaller values are better. The generator of a replication draws what is shared before
# what belongs to single blocks, and blocks one after another: more blocks, or another difference, leave the noise of
# the first blocks as it was. Powers of neighbouring designs are therefore compared on the same random numbers.


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TableDesign:
    """What blocks are, and whether learners share them. `folds` is None where blocks are independent runs; `shape` is
    that of a table with more than a number for each learner in each block (see `simulated_table`)."""

    level: Level
    paired: bool = True
    binary: bool = False
    folds: int | None = None
    shape: Shape = Shape.PLAIN
    strata: bool = False

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


def simulated_scores(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """A table of n blocks as the guess has it."""
    make = answers if design.binary else numbers
    values = make(design, guess, n, difference, rng)
    scores = table(values, design.keys(n), "error" if design.binary else "rmse")
    return scores if design.paired else unpaired(scores)


def numbers(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Array:
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


def answers(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Array:
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


# ----------------------------------------------------------------------------------------------------------------------
# Tables that hold more than a number for each learner in each block: what power of some tests is simulated on.
#
# As with the plain ones, more blocks or another difference leave the noise of the first blocks as it was.


Draw = Callable[[TableDesign, Guess, int, float, np.random.Generator], Scores]
# Scores of instances of two classes, holes, several runs on each task, several measures, squared errors.


def simulated_table(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
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


def scored(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Scores of instances of two classes by the binormal model, and the errors that they lead to at zero."""
    truth, values = binormal(guess, n, difference, rng)
    scores = table(((values > 0) != truth[:, None]).astype(float), {"instance": labels(n)})
    return replace(scores, predictions=Predictions(truth, values, scores.learners, np.array([""] * n)))


def with_holes(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Tasks on which learners are absent at random; two at least are there."""
    chances = rng.spawn(1)[0]
    values = numbers(design, guess, n, difference, rng)
    k, share = guess.learners, guess.absent or 0.0
    u = chances.random((n, 2 * k))
    absent = u[:, :k] < share * k / max(k - 2, 1)  # of those that may be absent
    absent[np.arange(n)[:, None], np.argsort(u[:, k:], axis=1)[:, :2]] = False
    return table(np.where(absent, np.nan, values), design.keys(n), "rmse")


def runs_on_tasks(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """So many independent runs of each learner on each of n tasks, which differ in difficulty."""
    runs = design.folds or 2
    difficulty = np.repeat(rng.spawn(1)[0].random(n) * 10 * guess.sd, runs)[:, None]
    values = numbers(replace(design, folds=None), guess, n * runs, difference, rng) + difficulty
    keys = {"task": [task for task in labels(n) for _ in range(runs)], "repeat": labels(runs) * n}
    return unpaired(table(values, keys, "rmse"))


def several_measures(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Measures that are not correlated; the distance of two learners is shared out equally among them."""
    k, p = guess.learners, guess.measures
    noise = guess.sd / sqrt(2) * rng.standard_normal((n, p, k))
    values = 50 * (guess.sd + abs(difference)) + noise - guess.better_by(difference) / sqrt(p)
    names = [f"measure {i + 1}" for i in range(p)]
    block, measure, learner = (index.ravel() for index in np.indices(values.shape))
    return Scores.of(
        values.ravel(),
        learner=Labels(tuple(f"learner {j + 1}" for j in range(k)), learner),
        measure=Labels(tuple(names), measure),
        repeat=Labels(tuple(labels(n)), block),
        measures={name: Measure(name, larger_is_better=False) for name in names},
        source="simulated scores",
    )


def squared_errors(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Squares of normal errors, each learner on instances of its own; the difference is one of logarithms."""
    better = guess.better_by(difference)
    values = rng.standard_normal((n, guess.learners)) ** 2 * np.array([exp(-by) for by in better.tolist()])
    return unpaired(table(values, design.keys(n), "squared_error"))


STRATA = 4


def clustered(design: TableDesign, guess: Guess, n: int, difference: float, rng: np.random.Generator) -> Scores:
    """Instances in n clusters of equal size, whose differences have the correlation of the guess within a cluster.

    Where clusters are a fixed list, n instances in four of them, which differ in nothing.
    """
    if design.strata:
        plain = table(numbers(design, guess, n, difference, rng), {"instance": labels(n)}, "rmse")
        return in_clusters(plain, np.arange(n) % STRATA, fixed=True)
    k, size = guess.learners, max(round(guess.cluster_size or 1), 1)
    rho, sigma = guess.correlation or 0.0, guess.sd / sqrt(2)
    together, alone = rng.spawn(2)
    cluster = np.repeat(np.arange(n), size)
    noise = sqrt(rho) * together.standard_normal((n, k))[cluster]
    noise = sigma * (noise + sqrt(1 - rho) * alone.standard_normal((n * size, k)))
    values = 50 * (guess.sd + abs(difference)) + noise - guess.better_by(difference)
    return in_clusters(table(values, {"instance": labels(n * size)}, "rmse"), cluster)


_SHAPES: Mapping[Shape, Draw] = {
    Shape.SCORES: scored,
    Shape.HOLES: with_holes,
    Shape.RUNS: runs_on_tasks,
    Shape.MEASURES: several_measures,
    Shape.SQUARES: squared_errors,
    Shape.CLUSTERS: clustered,
}


# ----------------------------------------------------------------------------------------------------------------------


BATCH = 100
# A power is told from the one wanted, and the rest of the replications saved, when it is so many errors away.
CLEAR = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Chance(Record):
    """A power; `error` is its Monte-Carlo standard error, NaN where nothing was simulated."""

    power: float
    error: float = nan


@dataclass(frozen=True, eq=False)
class PowerSimulation:
    """A procedure on a design, to be repeated. The same seed gives the same powers."""

    procedure: str
    design: TableDesign
    guess: Guess
    options: Mapping[str, Any] = field(default_factory=dict)
    replications: int = 1000
    seed: int = 0
    # By number of blocks: the largest difference that each replication missed, and the smallest that it found.
    _between: dict[int, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.replications, int) or self.replications < 10:
            raise UsageError(f"A simulation needs at least 10 replications; found {self.replications!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise UsageError(f"The seed is a whole number that is not negative; found {self.seed!r}.")

    def chance(self, n: int, difference: float) -> Chance:
        """The share of all replications in which the difference is found."""
        claims = self._trial(n, difference)
        share = sum(claims(r) for r in range(self.replications)) / self.replications
        # One more of either kind keeps a share of 0 or 1 from looking certain.
        near = (share * self.replications + 1) / (self.replications + 2)
        return Chance(share, float(monte_carlo_se(near, self.replications)))

    def reaches(self, n: int, difference: float, power: float) -> bool:
        """Whether the power is at least that much: of all replications, or of the first ones if they are clear.

        A replication that finds a difference finds a larger one in the same draws, and is not asked again: a search for
        the smallest difference would otherwise analyse thousands of tables.
        """
        trial = self._trial(n, difference)
        missed, reached = self._between.setdefault(n, np.array([[-inf], [inf]]) * np.ones(self.replications))

        def claims(r: int) -> bool:
            if missed[r] < difference < reached[r]:
                (reached if trial(r) else missed)[r] = difference
            return bool(difference >= reached[r])

        hits = done = 0
        while done < self.replications:
            upto = min(done + BATCH, self.replications)
            hits += sum(claims(r) for r in range(done, upto))
            done = upto
            if abs(hits / done - power) > CLEAR * float(monte_carlo_se((hits + 1) / (done + 2), done)):
                break
        return hits / done >= power

    def _trial(self, n: int, difference: float) -> Callable[[int], bool]:
        """Whether replication r finds the difference."""
        chosen = procedure_named(self.procedure)
        options = {**dict(chosen.card.fewer), **self.options}
        children = np.random.SeedSequence(self.seed).spawn(self.replications)

        def table(r: int) -> Any:
            return simulated_table(self.design, self.guess, n, difference, np.random.default_rng(children[r]))

        first = table(0)
        finding = self._analysed(first, options)  # refuses what cannot be analysed, once and in full
        if self.guess.find == "pair" and self.guess.learners == 2 and _by_columns(chosen, self.design):
            given = {**chosen.arguments_from(blocks(first), layout(first)), **options}
            if chosen.card.on_predictions:
                rng = np.random.default_rng
                return lambda r: self._areas_differ(chosen, *binormal(self.guess, n, difference, rng(children[r])))
            return lambda r: self._pair_differs(chosen, table(r), given)
        names = first.learners
        self._check_answers(finding)
        return lambda r: self._in_finding(table(r), names, options)

    def _analysed(self, scores: Any, options: Mapping[str, Any]) -> Finding | None:
        sided = "two-sided" if self.guess.sides == 2 else "better"
        try:
            return analyse(scores, self.procedure, alpha=self.guess.alpha, alternative=sided, anyway=True, **options)
        except DegenerateError:
            return None  # no statistic, no claim

    def _check_answers(self, finding: Finding | None) -> None:
        answers = procedure_named(self.procedure).card.answers
        wanted = self.guess.find
        if wanted != "global" and answers in (Answers.GLOBAL, Answers.MULTIVARIATE):
            raise UsageError(f"{self.procedure} answers about all learners at once; it can find only: global.")
        if wanted == "global" and finding is not None and not finding.tests and answers is not Answers.MULTIVARIATE:
            raise UsageError(f"{self.procedure} has no test of all learners at once; find pair, any or all.")

    def _pair_differs(self, chosen: Procedure, scores: Any, given: Mapping[str, Any]) -> bool:
        """The shortest way for two learners: straight to the mathematics, as the analysis would take it."""
        values = np.asarray(scores.value).reshape(-1, 2)
        sides = {"alternative": "two-sided" if self.guess.sides == 2 else "less"} if chosen.card.sides else {}
        alpha = self.guess.alpha
        try:
            result: Result = chosen.compute(values[:, 0], values[:, 1], confidence=1 - alpha, **sides, **given)
        except DegenerateError:
            return False
        if not isnan(result.worse):  # of values of which smaller is better
            return result.worse >= 1 - alpha
        less = float(values[:, 0].mean() - values[:, 1].mean()) if isnan(result.estimate) else result.estimate
        return result.p <= alpha and less < 0

    def _areas_differ(self, chosen: Procedure, truth: Any, values: Any) -> bool:
        """The same for areas under ROC curves, of which larger is better."""
        side, alpha = "two-sided" if self.guess.sides == 2 else "greater", self.guess.alpha
        try:
            result: Result = chosen.compute(truth, *values.T, confidence=1 - alpha, alternative=side)
        except DegenerateError:
            return False
        return result.p <= alpha and result.estimate > 0

    def _in_finding(self, scores: Any, names: tuple[str, ...], options: Mapping[str, Any]) -> bool:
        finding = self._analysed(scores, options)
        if finding is None:
            return False
        guess = self.guess
        if guess.find == "global":
            # Several measures of two learners are tested at once in the row of their pair.
            return (finding.tests or finding.rows)[0].p <= guess.alpha
        better = dict(zip(names, guess.better_by(1.0).tolist(), strict=True))
        true = [row for row in finding.pairs if better[row.first] != better[row.second]]
        if not true:
            raise MisfitError(f"{self.procedure} compared no pair of learners that differ.")
        if guess.find == "pair":
            true = [row for row in true if {row.first, row.second} == {names[0], names[-1]}]
        claimed = [_claims(row, finding, better[row.first] > better[row.second], guess.alpha) for row in true]
        return any(claimed) if guess.find == "any" else all(claimed)


def _by_columns(chosen: Procedure, design: TableDesign) -> bool:
    """Whether the mathematics takes two plain columns of the blocks."""
    card = chosen.card
    plain = card.shape in (Shape.PLAIN, Shape.SCORES) and not (card.with_sizes or card.ranks)
    return card.compares is Compares.PAIR and card.paired and design.paired and plain


def _claims(row: Row, finding: Finding, first_is_better: bool, alpha: float) -> bool:
    """Whether a row claims what is true: the difference, and its direction."""
    if not isnan(row.better):
        return (row.better if first_is_better else row.worse) >= 1 - alpha
    advantage = finding.sign * row.estimate
    if isnan(advantage):
        ahead = finding.position[row.first] - finding.position[row.second]
        advantage = -ahead if finding.smallest_first else ahead
    return row.p_adjusted <= alpha and (advantage > 0) == first_is_better and advantage != 0
