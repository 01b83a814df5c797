"""Tables of scores of every shape, for tests that run over every procedure."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from bakeoff.measures import Measure, known_measure
from bakeoff.procedures.card import Answers, Card, Compares, Shape
from bakeoff.scores import Level, Scores, unpaired
from bakeoff.scores.table import Clusters, Labels, Predictions, frozen

NAMES = ("ada", "bob", "cyd", "dee", "eve", "fay")


def measure(name: str) -> Measure:
    found = known_measure(name)
    assert found is not None
    return found


def table(values: np.ndarray, *, kind: str, name: str = "accuracy", learners: tuple[str, ...] = NAMES) -> Scores:
    """A block × learner matrix as Scores.

    `kind`: tasks, instances, kfold, repeats:R (R repeats of n/R folds), folds:F (n/F tasks with F folds each).
    """
    return Scores.of(
        values.ravel(), measures={name: measure(name)}, source="the zoo", **_keys(kind, values.shape, learners)
    )


@cache
def _keys(kind: str, shape: tuple[int, int], learners: tuple[str, ...]) -> dict[str, Labels]:
    """What stands beside the values: to number forty thousand labels takes longer than many a test of them."""
    n, k = shape
    row, column = (part.ravel() for part in np.indices((n, k)))
    keys: dict[str, list[str]] = {"learner": [learners[j] for j in column]}
    if kind == "tasks × folds":
        keys["task"], keys["fold"] = [f"t{i // 3}" for i in row], [f"f{i % 3}" for i in row]
    elif kind == "instances × runs":
        keys["instance"], keys["repeat"] = [f"i{i // 5}" for i in row], [f"r{i % 5}" for i in row]
    elif kind in ("tasks", "instances"):
        keys[kind[:-1]] = [f"{kind[0]}{i}" for i in row]
    elif kind == "kfold":
        keys["fold"] = [f"f{i}" for i in row]
    elif kind.startswith("folds:"):
        folds = int(kind.split(":")[1])
        keys["task"] = [f"t{i // folds}" for i in row]
        keys["fold"] = [f"f{i % folds}" for i in row]
    else:
        folds = n // int(kind.split(":")[1])
        keys["repeat"] = [f"r{i // folds}" for i in row]
        keys["fold"] = [f"f{i % folds}" for i in row]
    return {name: Labels.of(values) for name, values in keys.items()}


def layers(*sheets: Scores) -> Scores:
    """Several measures of the same blocks in one table."""
    keys = ("learner", "task", "repeat", "fold", "instance")
    columns = {name: _stacked([getattr(sheet, name) for sheet in sheets]) for name in keys}
    columns["measure"] = Labels.of([label for sheet in sheets for label in sheet.measure.values()])
    return Scores.of(
        np.concatenate([sheet.value for sheet in sheets]),
        measures={name: found for sheet in sheets for name, found in sheet.measures.items()},
        source="the zoo",
        **columns,  # type: ignore[arg-type]
    )


def _stacked(parts: list[Labels]) -> Labels:
    assert len({part.labels for part in parts}) == 1, "of the same blocks"
    return Labels(parts[0].labels, frozen(np.concatenate([part.codes for part in parts])))


def values_for(card: Card, k: int, rng: np.random.Generator, *, spread: float = 0.03) -> np.ndarray:
    """A matrix that fits a procedure: noise that learners share within a block, and a small advantage each."""
    n = N[card.level]
    if card.fixed_folds is not None:
        n = card.fixed_folds[0] * card.fixed_folds[1]
    if card.shape is Shape.FOLDS:
        n = 6 * FOLDS
    if card.binary:
        hard = rng.random((n, 1))
        return (0.55 * hard + 0.45 * rng.random((n, k)) < 0.6 + 0.03 * np.arange(k)).astype(float)
    common = 0.7 + 0.1 * rng.standard_normal((n, 1))
    return np.round(common + 0.01 * np.arange(k) + spread * rng.standard_normal((n, k)), 6)


def unitless(card: Card) -> bool:
    """Whether the estimate does not move with the unit of the values."""
    return card.binary or bool(card.difference_scale)


N = {Level.INSTANCES: 120, Level.RESAMPLES: 10, Level.TASKS: 15}
KIND = {Level.INSTANCES: "instances", Level.RESAMPLES: "kfold", Level.TASKS: "tasks"}
FOLDS = 5  # of each task


def kind_for(card: Card) -> str:
    if card.fixed_folds is not None:
        return f"repeats:{card.fixed_folds[0]}"
    return {Shape.RUNS: "tasks × folds", Shape.CROSSED: "instances × runs", Shape.FOLDS: f"folds:{FOLDS}"}.get(
        card.shape, KIND[card.level]
    )


def kind_of_table(card: Card) -> tuple[object, ...]:
    """What tables of `scores_for` differ in: procedures with the same get the same, but for the values."""
    several = card.answers is Answers.MULTIVARIATE
    return (
        kind_for(card),
        N[card.level],
        card.measure,
        card.binary,
        card.clustered and ("strata" if card.strata else "clusters"),
        card.ordered,
        card.on_predictions,
        card.paired or several,
        several,
    )


def learners_for(card: Card) -> int:
    return {Compares.ONE: 1, Compares.PAIR: 2, Compares.MANY: 4}[card.compares]


def scores_for(card: Card, values: np.ndarray, learners: tuple[str, ...] = NAMES) -> Scores:
    """Scores that a procedure fits, from a matrix that `values_for` made."""
    first = table(values, kind=kind_for(card), name=card.measure or "accuracy", learners=learners)
    if card.clustered:
        first = in_clusters(first, len(values), fixed=card.strata)
    if card.ordered:
        first = replace(first, ordered="time")
    if card.on_predictions:
        first = replace(first, predictions=predictions(values, learners))
    if card.answers is not Answers.MULTIVARIATE:
        return first if card.paired else unpaired(first)
    other = np.round(values[:, ::-1] * 0.5 + np.sin(np.arange(values.size)).reshape(values.shape) * 0.05, 6)
    return layers(first, table(other, kind=kind_for(card), name="auc", learners=learners))


def in_clusters(scores: Scores, n: int, *, fixed: bool) -> Scores:
    """Instances in clusters of unequal size: three of the first, two of the next ones, and so on by turns."""
    cluster = np.repeat(np.arange(n), np.resize([3, 2, 2, 2], n))[:n]
    codes = cluster[scores.instance.codes]
    labels = Labels(tuple(f"c{i}" for i in range(int(codes.max()) + 1)), codes)
    return replace(scores, clusters=Clusters("cluster", labels, fixed))


def predictions(values: np.ndarray, learners: tuple[str, ...]) -> Predictions:
    """The values as scores of instances that are positive by turns, a little higher for positive ones."""
    n, k = values.shape
    truth = np.arange(n) % 2.0
    return Predictions(truth, values + 0.1 * truth[:, None], learners[:k], np.full(n, ""))


def options_for(card: Card) -> dict[str, object]:
    """The options that a procedure cannot be tried without: those of its calibration, and a value to test against.

    What holds for every number of draws is tried with few.
    """
    supplied = {need.supplied_by for need in card.needs}
    options = {name: value for name, value in card.trials[0].options if name not in supplied}
    if "resamples" in options:
        options["resamples"] = 499
    if card.against:
        options[card.against] = 0.5 if card.binary else 0.7
    return options
