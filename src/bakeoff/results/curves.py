"""What the learners of a stored study answered: curves over thresholds and confusion matrices of it, task by task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, MisfitError
from bakeoff.measures.answers import (
    KINDS,
    AnsweredRows,
    Confusion,
    LearnerAnswers,
    LearnerCurve,
    confusion,
    kind_named,
    learner_curve,
)
from bakeoff.resampling.split import TEST
from bakeoff.results.grid import StudyGrid, TaskCells, check_names, study_grid, task_predictions, truth
from bakeoff.results.values import averaged_over_fits, task_values
from bakeoff.store.reader import Reader

__all__ = ["KINDS", "FailedLearner", "confusions", "learners_without_predictions", "study_answers", "study_curves"]

CLASSIFICATION = "classification"


def study_answers(
    store: Reader,
    study_key: str,
    *,
    tasks: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    what: str = "A curve over thresholds tells two classes apart",
) -> Iterator[LearnerAnswers]:
    """What each learner answered on each task; `what` is what tasks without classes are refused for."""
    grid = study_grid(store, study_key)
    check_names(grid, tasks, learners)
    for task in grid.tasks:
        if tasks is None or task.name in tasks:
            yield from _answers_on(store, grid, task, learners, what)


def _answers_on(
    store: Reader, grid: StudyGrid, task: TaskCells, learners: Sequence[str] | None, what: str
) -> Iterator[LearnerAnswers]:
    whole = truth(store, task.task_id)
    if whole.kind != CLASSIFICATION:
        raise MisfitError(
            f"{what}, and {task.name!r} is a {whole.kind} task.",
            alternatives=["--task NAME: a task with classes"],
        )
    by_learner: dict[str, list[AnsweredRows]] = {}
    for predicted in task_predictions(store, grid, task):
        if predicted.split.role == TEST and (learners is None or predicted.learner in learners):
            answer, codes = predicted.prediction, whole.rows(predicted.rows).values
            rows = AnsweredRows(codes, answer.values, answer.scores, bool(answer.probabilistic))
            by_learner.setdefault(predicted.learner, []).append(rows)
    classes = tuple(map(str, whole.classes))
    for name in grid.names:
        if name in by_learner:
            yield LearnerAnswers(task.name, name, classes, tuple(by_learner[name]))


def study_curves(
    store: Reader,
    study_key: str,
    kind: str = "roc",
    *,
    tasks: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    **how: Any,
) -> list[LearnerCurve]:
    """A curve for each task and learner. `positive` names the class that is held against all others; of two classes it
    is the second if it is not named. All that `learner_curve` takes can be said."""
    kind_named(kind)
    of = study_answers(store, study_key, tasks=tasks, learners=learners)
    curves = [learner_curve(answers, kind, **how) for answers in of]
    if not curves:
        raise InputError("No cell has been run to its end yet: there are no predictions.", source=store.path.name)
    return curves


def confusions(
    store: Reader,
    study_key: str,
    *,
    tasks: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    loss: NDArray[np.float64] | None = None,
) -> list[Confusion]:
    """A matrix for each task and learner of a study, task by task. Nothing is run."""
    of = study_answers(store, study_key, tasks=tasks, learners=learners, what="A confusion matrix counts classes")
    matrices = [confusion(answers, loss) for answers in of]
    if not matrices:
        failed = learners_without_predictions(store, study_key, tasks=tasks, learners=learners)
        what = "; ".join(one.sentence for one in failed) or "No cell has been run to its end yet"
        raise InputError(f"{what}: there are no predictions.", source=store.path.name)
    return matrices


@dataclass(frozen=True)
class FailedLearner:
    """A learner of whose cells on a task each failed, so that there is nothing to count."""

    task: str
    learner: str
    cells: int

    @property
    def sentence(self) -> str:
        return f"{self.learner} on {self.task}: all {self.cells} cells failed"


def learners_without_predictions(
    store: Reader, study_key: str, *, tasks: Sequence[str] | None = None, learners: Sequence[str] | None = None
) -> list[FailedLearner]:
    """The learners that were tried on a task and failed in every cell of it."""
    grid = study_grid(store, study_key)
    failed: list[FailedLearner] = []
    for task in grid.tasks:
        if tasks is not None and task.name not in tasks:
            continue
        values = averaged_over_fits(grid.learners, task_values(store, grid, task, []))
        for column, name in enumerate(grid.names):
            tried = int(values.tried[:, column].sum())
            wrong = sum(1 for _, where in values.failed if where == column)
            if tried and wrong == tried and (learners is None or name in learners):
                failed.append(FailedLearner(task.name, name, tried))
    return failed
