"""Curves over thresholds (ROC and its kin) and confusion matrices of a study, from its stored predictions.

Scores of different fits are on different scales, so that test samples are not thrown together: each has a curve of its
own, and the curves are averaged at equal x (vertically; Fawcett 2006, doi:10.1016/j.patrec.2005.10.010). One test
sample has its curve as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, InputError, MisfitError, UsageError, nearest
from bakeoff.measures import curves
from bakeoff.measures.curves import ManyClass, cheapest_class, many_class_measures, risk
from bakeoff.measures.response import Prediction, Truth
from bakeoff.resampling.split import TEST
from bakeoff.results.grid import Predicted, StudyGrid, TaskCells, check_names, study_grid, task_predictions, truth
from bakeoff.results.values import averaged_over_fits, task_values
from bakeoff.store.reader import Reader

Array = NDArray[np.float64]
GRID = np.linspace(0, 1, 101)
_ROUNDING = 1e-12


@dataclass(frozen=True)
class CurveKind:
    """A kind of curve. Between two points it goes straight, or stays as high as at the next threshold (`stepped`)."""

    title: str
    of: Callable[[Any, Any], curves.Curve]
    stepped: bool = False


KINDS = {
    "roc": CurveKind("ROC curve", curves.roc_curve),
    "pr": CurveKind("Precision–recall curve", curves.precision_recall_curve, stepped=True),
    "sensitivity-specificity": CurveKind("Sensitivity–specificity curve", curves.sensitivity_specificity_curve),
    "lift": CurveKind("Lift curve", curves.lift_curve, stepped=True),
    "cost": CurveKind("Cost curve", curves.cost_curve),
}


@dataclass(frozen=True, eq=False)
class StudyCurve:
    """The curve of a learner on a task; `skipped` of its test samples had no rows of one of the two classes."""

    task: str
    learner: str
    kind: str
    positive: str
    names: tuple[str, str]
    x: Array
    y: Array
    samples: int
    skipped: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "learner": self.learner,
            "kind": self.kind,
            "positive": self.positive,
            "x_is": self.names[0],
            "y_is": self.names[1],
            "x": self.x.tolist(),
            "y": self.y.tolist(),
            "test_samples": self.samples,
            "skipped": self.skipped,
        }


def study_curves(
    store: Reader,
    study_key: str,
    kind: str = "roc",
    *,
    tasks: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    positive: str | None = None,
) -> list[StudyCurve]:
    """A curve for each task and learner. `positive` names the class that is held against all others; of two classes it
    is the second if it is not named."""
    if kind not in KINDS:
        raise UsageError(f"There is no curve {kind!r}. {nearest(kind, KINDS)}")
    grid = study_grid(store, study_key)
    check_names(grid, tasks, learners)
    curves_of_study: list[StudyCurve] = []
    for task in grid.tasks:
        if tasks is None or task.name in tasks:
            curves_of_study += _curves_of_task(store, grid, task, kind, learners, positive)
    if not curves_of_study:
        raise InputError("No cell has been run to its end yet: there are no predictions.", source=store.path.name)
    return curves_of_study


def _curves_of_task(
    store: Reader, grid: StudyGrid, task: TaskCells, kind: str, learners: Sequence[str] | None, positive: str | None
) -> list[StudyCurve]:
    whole = truth(store, task.task_id)
    code = _positive(whole, task.name, positive)
    by_learner: dict[str, list[curves.Curve | None]] = {}
    for predicted in task_predictions(store, grid, task):
        if predicted.split.role == TEST and (learners is None or predicted.learner in learners):
            by_learner.setdefault(predicted.learner, []).append(_of_sample(whole, predicted, code, KINDS[kind]))
    curves_of_task = []
    for name in (name for name in grid.names if name in by_learner):
        there = [curve for curve in by_learner[name] if curve is not None]
        if not there:
            raise MisfitError(
                f"No test sample of {task.name!r} has rows both of {str(whole.classes[code])!r} and of others.",
                alternatives=["larger test samples: fewer folds, or stratify = true"],
            )
        x, y = (there[0].x, there[0].y) if len(there) == 1 else _averaged(there, KINDS[kind].stepped)
        counts = len(by_learner[name]), len(by_learner[name]) - len(there)
        curves_of_task.append(
            StudyCurve(task.name, name, kind, str(whole.classes[code]), there[0].names, x, y, *counts)
        )
    return curves_of_task


def _positive(whole: Truth, task: str, named: str | None) -> int:
    """The code of the class that is held against the others."""
    classes = list(map(str, whole.classes))
    if whole.kind != "classification":
        raise MisfitError(f"A curve over thresholds tells two classes apart, and {task!r} is a {whole.kind} task.")
    if named is not None:
        if named not in classes:
            raise UsageError(f"{task!r} has no class {named!r}. {nearest(named, classes)}")
        return classes.index(named)
    if len(classes) != 2:
        raise MisfitError(
            f"A curve over thresholds tells two classes apart, and {task!r} has {len(classes)}: {', '.join(classes)}.",
            alternatives=["--positive NAME: one class against all others"],
        )
    return 1


def _of_sample(whole: Truth, predicted: Predicted, code: int, kind: CurveKind) -> curves.Curve | None:
    """The curve of one test sample; None if it does not exist."""
    scores = predicted.prediction.scores
    if scores is None:
        raise MisfitError(
            f"{predicted.learner} gave no scores on {predicted.task}, only classes, so that there are no thresholds.",
            alternatives=["--learner NAME (repeated): learners that give probabilities or a decision function"],
        )
    of_class = scores[:, code] if scores.ndim == 2 else scores if code == 1 else -scores
    try:
        return kind.of((whole.rows(predicted.rows).values == code).astype(float), of_class)
    except DegenerateError:
        return None


def _averaged(each: Sequence[curves.Curve], stepped: bool) -> tuple[Array, Array]:
    """The mean of the curves at equal x."""
    return GRID, np.mean([_at(GRID, curve, stepped) for curve in each], axis=0)


def _at(x: Array, curve: curves.Curve, stepped: bool) -> Array:
    """A curve at other places. Where it goes straight up or down, its highest point is what a threshold can reach."""
    places = np.unique(curve.x)
    highest = np.array([curve.y[curve.x == place].max() for place in places])
    nearest_above = np.minimum(np.searchsorted(places, x - _ROUNDING), len(places) - 1)
    if stepped:
        return np.asarray(highest[nearest_above])
    between = np.interp(x, curve.x, curve.y)
    return np.where(np.abs(places[nearest_above] - x) <= _ROUNDING, highest[nearest_above], between)


# ----------------------------------------------------------------------------------------------------------------------
# Confusion matrices of a study, counted from its stored predictions.


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
        measures = self.measures
        each = {"recall": measures.recall, "precision": measures.precision, "f1": measures.f1}
        return {
            "task": self.task,
            "learner": self.learner,
            "classes": list(self.classes),
            "matrix": self.matrix.tolist(),
            "test_samples": self.samples,
            "accuracy": measures.accuracy,
            "kappa": measures.kappa,
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
    matrices: list[Confusion] = []
    for task in grid.tasks:
        if tasks is None or task.name in tasks:
            matrices += _confusion_of_task(store, grid, task, learners, loss)
    if not matrices:
        failed = learners_without_predictions(store, study_key, tasks=tasks, learners=learners)
        what = "; ".join(one.sentence for one in failed) or "No cell has been run to its end yet"
        raise InputError(f"{what}: there are no predictions.", source=store.path.name)
    return matrices


@dataclass(frozen=True)
class AlwaysFailed:
    """A learner of whose cells on a task each failed, so that there is nothing to count."""

    task: str
    learner: str
    cells: int

    @property
    def sentence(self) -> str:
        return f"{self.learner} on {self.task}: all {self.cells} cells failed"


def learners_without_predictions(
    store: Reader, study_key: str, *, tasks: Sequence[str] | None = None, learners: Sequence[str] | None = None
) -> list[AlwaysFailed]:
    """The learners that were tried on a task and failed in every cell of it."""
    grid = study_grid(store, study_key)
    failed: list[AlwaysFailed] = []
    for task in grid.tasks:
        if tasks is not None and task.name not in tasks:
            continue
        values = averaged_over_fits(grid.learners, task_values(store, grid, task, []))
        for column, name in enumerate(grid.names):
            tried = int(values.tried[:, column].sum())
            wrong = sum(1 for _, where in values.failed if where == column)
            if tried and wrong == tried and (learners is None or name in learners):
                failed.append(AlwaysFailed(task.name, name, tried))
    return failed


def _confusion_of_task(
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
    there = [name for name in grid.names if name in counts]
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
