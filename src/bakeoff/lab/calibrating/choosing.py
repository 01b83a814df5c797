"""Which experiments answer the question on a study: two copies of a learner, fresh samples, or exchanged outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.errors import MisfitError, UsageError, nearest
from bakeoff.lab.calibrating.exchanging import exchanged
from bakeoff.lab.calibrating.experiments import Experiments
from bakeoff.lab.calibrating.refitting import Plan, SameEveryTimeError, refitted
from bakeoff.learners.learner import Learner
from bakeoff.measures.response import Response
from bakeoff.stores.reader import Reader
from bakeoff.studies.scoring import scores_for
from bakeoff.studies.study import Study
from bakeoff.tasks.task import Task

COPIES, EXCHANGE, FRESH = "copies", "exchange", "fresh"
NULLS = (COPIES, EXCHANGE, FRESH)


@dataclass(frozen=True)
class Asked:
    """What is to be calibrated on a study.

    Without `null` it follows from the learners and the task: one learner is compared with a copy of itself, two
    learners are on fresh samples of a task that is drawn, and by exchanged outcomes on a data set.
    """

    learners: tuple[str, ...]
    task: str | None = None
    measure: str | None = None
    null: str | None = None
    replications: int = 200
    seed: int = 0
    delta: float | None = None
    alpha: float = 0.05


def experiments_for(
    study: Study,
    asked: Asked,
    *,
    results: Path,
    store: Path,
    workers: int = 1,
    progress: bool = False,
) -> Experiments:
    """Simulated experiments of a study's design. `results` holds the scores of the study, which outcomes are exchanged
    of; `store` keeps the fits that are made for the calibration."""
    learners = _learners(study, asked.learners)
    null = _null(study, asked, learners)
    if null == EXCHANGE:
        return _exchanged(study, asked, [learner.name for learner in learners], results)
    plan = Plan(study, tuple(learners), _task(study, asked.task), _measure(study, asked.measure), asked.seed)
    try:
        return refitted(
            plan,
            store,
            replications=asked.replications,
            delta=asked.delta,
            alpha=asked.alpha,
            workers=workers,
            progress=progress,
        )
    except SameEveryTimeError:
        others = [learner.name for learner in study.learners if learner.name != learners[0].name]
        if not others or not results.exists():
            raise
        made = _exchanged(study, asked, [learners[0].name, others[0]], results)
        note = (
            f"{learners[0].name} gives the same result whatever its seed, so that two copies of it never differ; its "
            f"stored outcomes are exchanged with those of {others[0]} instead."
        )
        return replace(made, notes=(note, *made.notes))


def _null(study: Study, asked: Asked, learners: Sequence[Learner]) -> str:
    if asked.null is not None and asked.null not in NULLS:
        raise UsageError(f"There is no null {asked.null!r}. {nearest(asked.null, NULLS)}")
    simulated = len(learners) == 2 and _is_drawn(study, asked)
    null = asked.null or (COPIES if len(learners) == 1 else FRESH if simulated else EXCHANGE)
    if null == COPIES and len(learners) != 1:
        raise UsageError("Two copies of one learner are compared; name one: --learner NAME.")
    if null != COPIES and len(learners) != 2:
        raise UsageError(f"--null {null} compares two learners; name two: --learner A --learner B.")
    if null == FRESH and not simulated:
        raise UsageError(
            "--null fresh draws fresh samples, and this task is a data set. Use a task with a generator, or with "
            "bootstrap = 'parametric'; or exchange outcomes: --null exchange."
        )
    return null


def _is_drawn(study: Study, asked: Asked) -> bool:
    return (asked.task is not None or len(study.tasks) == 1) and _task(study, asked.task).is_simulated


def _exchanged(study: Study, asked: Asked, names: Sequence[str], results: Path) -> Experiments:
    from bakeoff.scores import Level, layout

    if not results.exists():
        raise MisfitError(
            f"Outcomes of {' and '.join(names)} are exchanged, and none are stored yet ({results} is not there). Run "
            "the study first: bakeoff run."
        )
    measure = _measure(study, asked.measure).name
    with Reader(results) as reader:
        if study.key not in {record.key for record in reader.studies()}:
            raise MisfitError(
                f"{results} holds no scores of this study as it is now: the file was changed since. Run it, which "
                "keeps every cell that is the same: bakeoff run."
            )
        scores = scores_for(reader, study.key, measure)
    if asked.task is not None:
        scores = scores.only(tasks=[_task(study, asked.task).name])
    scores = scores.only(learners=list(names))
    made = exchanged(
        scores,
        names,
        replications=asked.replications,
        seed=asked.seed,
        delta=asked.delta,
        alpha=asked.alpha,
        measure=measure,
    )
    tasks = layout(made.scores).level is Level.TASKS
    return replace(made, notes=(*made.notes, "Whole tasks are exchanged.")) if tasks else made


def _learners(study: Study, names: Sequence[str]) -> list[Learner]:
    known = {learner.name: learner for learner in study.learners}
    if not names:
        raise UsageError(f"Name a learner, or two: --learner NAME. The study has: {', '.join(known)}.")
    for name in names:
        if name not in known:
            raise UsageError(f"There is no learner {name!r} in the study. {nearest(name, known)}")
    if len(names) > 2 or len(set(names)) < len(names):
        raise UsageError(
            f"One learner is compared with a copy of itself, or two with each other; found {', '.join(names)}."
        )
    return [known[name] for name in names]


def _task(study: Study, name: str | None) -> Task:
    known: dict[str, Task] = {task.name: task for task in study.tasks}
    if name is None:
        if len(known) > 1:
            raise UsageError(f"The study has {len(known)} tasks. Say on which one: --task NAME. {nearest('', known)}")
        return next(iter(known.values()))
    if name not in known:
        raise UsageError(f"There is no task {name!r} in the study. {nearest(name, known)}")
    return known[name]


def _measure(study: Study, name: str | None) -> Response:
    known: dict[str, Response] = {response.name: response for response in study.measures}
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise UsageError(f"The study has no measure {name!r}. {nearest(name, known)}")
    return known[name]
