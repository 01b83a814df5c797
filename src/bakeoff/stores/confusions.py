"""Confusion matrices of a study, counted from its stored predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, MisfitError, UsageError
from bakeoff.measures.confusion import ManyClass, cheapest_class, many_class_measures, risk
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.resampling.split import TEST
from bakeoff.stores.grid import StudyGrid, TaskCells, study_grid
from bakeoff.stores.naming import check_names
from bakeoff.stores.predictions import Predicted, task_predictions, truth
from bakeoff.stores.reader import Reader

CLASSIFICATION = "classification"
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often each class (row) was taken for each (column), over all `samples` test samples of a task together.

    `cheapest` counts the classes that would cost least by the stored probabilities, if a loss was given; None without.
    """

    task: str
    learner: str
    classes: tuple[str, ...]
    matrix: Counts
    samples: int
    cheapest: Counts | None = None

    @property
    def measures(self) -> ManyClass:
        """Accuracy, kappa, and each class against the rest."""
        return many_class_measures(self.matrix)

    def risk(self, loss: Sequence[Sequence[float]]) -> float:
        """The average loss; loss[i][j] is the cost of assigning class j where i is true."""
        return risk(self.matrix, loss)

    def to_dict(self) -> dict[str, Any]:
        found = self.measures
        each = {"recall": found.recall, "precision": found.precision, "f1": found.f1}
        return {
            "task": self.task,
            "learner": self.learner,
            "classes": list(self.classes),
            "matrix": self.matrix.tolist(),
            "test_samples": self.samples,
            "accuracy": found.accuracy,
            "kappa": found.kappa,
            **{name: values.tolist() for name, values in each.items()},
        }


def confusions(
    store: Reader,
    study_key: str,
    *,
    tasks: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    loss: NDArray[np.float64] | None = None,
) -> list[Confusion]:
    """A matrix for each task and learner of a study, task by task. Nothing is run."""
    grid = study_grid(store, study_key)
    check_names(grid, tasks, learners)
    made: list[Confusion] = []
    for task in grid.tasks:
        if tasks is None or task.name in tasks:
            made += _of_task(store, grid, task, learners, loss)
    if not made:
        raise InputError("No cell has been run to its end yet: there are no predictions.", source=store.path.name)
    return made


def _of_task(
    store: Reader, grid: StudyGrid, task: TaskCells, learners: Sequence[str] | None, loss: NDArray[np.float64] | None
) -> list[Confusion]:
    whole = truth(store, task.task_id)
    if whole.kind != CLASSIFICATION:
        raise MisfitError(
            f"A confusion matrix counts classes, and {task.name!r} is a {whole.kind} task.",
            alternatives=["--task NAME: a task with classes"],
        )
    k = len(whole.classes)
    if loss is not None and loss.shape != (k, k):
        raise UsageError(
            f"The loss is a number for each pair of the {k} classes of {task.name!r}, row by row: {k * k} of them; "
            f"found {loss.size}."
        )
    counts: dict[str, _Counting] = {}
    for predicted in task_predictions(store, grid, task):
        if predicted.split.role == TEST and (learners is None or predicted.learner in learners):
            counts.setdefault(predicted.learner, _Counting(k, loss)).add(whole, predicted)
    classes = tuple(map(str, whole.classes))
    there = [name for name in grid.learners if name in counts]
    return [
        Confusion(task.name, name, classes, counts[name].matrix, counts[name].samples, counts[name].cheapest)
        for name in there
    ]


class _Counting:
    def __init__(self, k: int, loss: NDArray[np.float64] | None) -> None:
        self.matrix: Counts = np.zeros((k, k), dtype=np.int64)
        self.cheapest: Counts | None = None if loss is None else np.zeros((k, k), dtype=np.int64)
        self.samples, self.loss = 0, loss

    def add(self, whole: Truth, predicted: Predicted) -> None:
        codes = whole.rows(predicted.rows).values
        self.samples += 1
        np.add.at(self.matrix, (codes, predicted.prediction.values), 1)
        if self.cheapest is None or self.loss is None:
            return
        probabilities = _probabilities(predicted.prediction)
        if probabilities is None:
            self.cheapest = None  # a learner without them in one sample has them in none
        else:
            np.add.at(self.cheapest, (codes, cheapest_class(probabilities, self.loss)), 1)


def _probabilities(prediction: Prediction) -> NDArray[np.float64] | None:
    """A column a class; None if the learner gave no probabilities."""
    if prediction.scores is None or not prediction.probabilistic:
        return None
    scores = prediction.scores
    return np.column_stack([1 - scores, scores]) if scores.ndim == 1 else scores
