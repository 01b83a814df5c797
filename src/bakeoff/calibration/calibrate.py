"""Asking which procedures may be trusted: on a study, on scores that are there, or on a design by name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bakeoff.calibration.apply import Calibration, calibrated
from bakeoff.calibration.designs import Experiments, design_named, simulated
from bakeoff.calibration.null_designs import SAMPLE
from bakeoff.calibration.refit import RefitPlan, SameEveryTimeError, exchanged, refitted
from bakeoff.errors import MisfitError, UsageError, nearest
from bakeoff.learners.learner import Learner
from bakeoff.mathematics.laws import check_alpha
from bakeoff.measures.response import Response
from bakeoff.procedures import procedure_named
from bakeoff.scores import Scores
from bakeoff.store.reader import Reader
from bakeoff.study.stored import scores_for
from bakeoff.study.study import Study
from bakeoff.tasks.task import Task

# Experiments that are simulated if nothing is said: few where learners are fitted, many where arithmetic is enough.
OF_A_STUDY, OF_A_DESIGN = 200, 1000
STUDY_FILE = ".toml"


def calibrate(
    what: Study | Scores | str | os.PathLike[str],
    learners: str | Sequence[str] = (),
    *,
    procedures: str | Sequence[str] | None = None,
    task: str | None = None,
    measure: str | None = None,
    null: str | None = None,
    n: int | None = None,
    replications: int | None = None,
    delta: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    n_jobs: int = 1,
    store: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Calibration:
    """Which procedures may be trusted on a design of your own: their size, coverage and power, by simulation.

    what: a `Study` or the path of a study file; `Scores`, of which outcomes of two learners are exchanged at random; or
    a built-in design: "cv:10", "cv:10x10", "draws:30", "competition:50", "answers", "clusters:20", on samples of `n`
    rows.
    learners: of a study, one, which is compared with a copy of itself, or two; of scores, two, if there are more.
    procedures: by name; all that can read the design if nothing is said.
    null: how experiments without a difference are made: "copies", "exchange", "fresh". It follows from the learners and
    the task if nothing is said.
    delta: the difference that power is measured at, in the units of the `measure`.
    replications: simulated experiments, at least 20; 200 of a study unless said otherwise, else 1,000.
    store: the file that keeps the results of the study. Fits are kept beside it, so that they are not made again, and
    outcomes that are exchanged are read from it. A study file has its own, beside it; without any, nothing is kept.

    The same `seed` gives the same answer, whatever the number of jobs.

    >>> result = calibrate("cv:5", n=60, procedures=["corrected-t", "kfold-t"], replications=40)
    >>> result.recommended, result["kfold-t"].size > result["corrected-t"].size
    ('corrected-t', True)
    """
    from bakeoff.study.run import checked_workers

    check_alpha(alpha)
    names = _names(procedures)
    jobs = checked_workers(n_jobs)
    common: dict[str, Any] = {"seed": seed, "delta": delta, "alpha": alpha}
    of_study = {"learners": _listed(learners), "task": task, "measure": measure, "null": null, "store": store}
    if isinstance(what, Scores):
        _refuse("scores, which are there already", task=task, store=store, n=n, null=null if null != "exchange" else "")
        pair = _listed(learners) or None
        experiments = exchanged(what, pair, measure=measure, replications=_many(replications, OF_A_DESIGN), **common)
    elif isinstance(what, Study) or Path(what).suffix.lower() == STUDY_FILE:
        _refuse("a study, which says itself how large its samples are", n=n)
        request = {**of_study, "replications": _many(replications, OF_A_STUDY), **common}
        experiments = _of_study(what, request, jobs, progress)
    else:
        _refuse("a design by name, whose learners are built in", **of_study)
        design = design_named(str(what), SAMPLE if n is None else n)
        experiments = simulated(design, replications=_many(replications, OF_A_DESIGN), **common)
    return calibrated(experiments, names, alpha=alpha, jobs=jobs)


def _of_study(what: Study | str | os.PathLike[str], settings: dict[str, Any], jobs: int, progress: bool) -> Experiments:
    from bakeoff.study.file import read_study

    store = settings.pop("store")
    study = what if isinstance(what, Study) else read_study(os.fspath(what))
    if store is None and not isinstance(what, Study):
        store = Path(what).with_suffix(".sqlite")
    request = CalibrationRequest(**settings)
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as passing:
        results = Path(passing) / "study.sqlite" if store is None else Path(store)
        kept = results.with_suffix(".calibration.sqlite")
        return experiments_for(study, request, results=results, store=kept, workers=jobs, progress=progress)


def _names(names: str | Sequence[str] | None) -> list[str] | None:
    """A misspelt name costs nothing yet."""
    return None if names is None else [procedure_named(name).name for name in _listed(names)]


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _many(number: int | None, usual: int) -> int:
    return usual if number is None else number


def _refuse(what: str, **options: Any) -> None:
    for name, value in options.items():
        if value is not None and value not in ((), ""):
            raise UsageError(f"{name} = {value!r} does not go with {what}. Leave it out.")


# ----------------------------------------------------------------------------------------------------------------------
# Which experiments answer the question on a study: two copies of a learner, fresh samples, or exchanged outcomes.


COPIES, EXCHANGE, FRESH = "copies", "exchange", "fresh"
NULLS = (COPIES, EXCHANGE, FRESH)


@dataclass(frozen=True)
class CalibrationRequest:
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
    request: CalibrationRequest,
    *,
    results: Path,
    store: Path,
    workers: int = 1,
    progress: bool = False,
) -> Experiments:
    """Simulated experiments of a study's design. `results` holds the scores of the study, which outcomes are exchanged
    of; `store` keeps the fits that are made for the calibration."""
    learners = _learners(study, request.learners)
    null = _null(study, request, learners)
    if null == EXCHANGE:
        return _exchanged(study, request, [learner.name for learner in learners], results)
    plan = RefitPlan(study, tuple(learners), _task(study, request.task), _measure(study, request.measure), request.seed)
    try:
        return refitted(
            plan,
            store,
            replications=request.replications,
            delta=request.delta,
            alpha=request.alpha,
            workers=workers,
            progress=progress,
        )
    except SameEveryTimeError:
        others = [learner.name for learner in study.learners if learner.name != learners[0].name]
        if not others or not results.exists():
            raise
        experiments = _exchanged(study, request, [learners[0].name, others[0]], results)
        note = (
            f"{learners[0].name} gives the same result whatever its seed, so that two copies of it never differ; its "
            f"stored outcomes are exchanged with those of {others[0]} instead."
        )
        return replace(experiments, notes=(note, *experiments.notes))


def _null(study: Study, request: CalibrationRequest, learners: Sequence[Learner]) -> str:
    if request.null is not None and request.null not in NULLS:
        raise UsageError(f"There is no null {request.null!r}. {nearest(request.null, NULLS)}")
    simulated = len(learners) == 2 and _is_drawn(study, request)
    null = request.null or (COPIES if len(learners) == 1 else FRESH if simulated else EXCHANGE)
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


def _is_drawn(study: Study, request: CalibrationRequest) -> bool:
    return (request.task is not None or len(study.tasks) == 1) and _task(study, request.task).is_simulated


def _exchanged(study: Study, request: CalibrationRequest, names: Sequence[str], results: Path) -> Experiments:
    from bakeoff.scores import Level, layout

    if not results.exists():
        raise MisfitError(
            f"Outcomes of {' and '.join(names)} are exchanged, and none are stored yet ({results} is not there). Run "
            "the study first: bakeoff run."
        )
    measure = _measure(study, request.measure).name
    with Reader(results) as reader:
        if study.key not in {record.key for record in reader.studies()}:
            raise MisfitError(
                f"{results} holds no scores of this study as it is now: the file was changed since. Run it, which "
                "keeps every cell that is the same: bakeoff run."
            )
        scores = scores_for(reader, study.key, measure)
    if request.task is not None:
        scores = scores.only(tasks=[_task(study, request.task).name])
    scores = scores.only(learners=list(names))
    experiments = exchanged(
        scores,
        names,
        replications=request.replications,
        seed=request.seed,
        delta=request.delta,
        alpha=request.alpha,
        measure=measure,
    )
    tasks = layout(experiments.scores).level is Level.TASKS
    return replace(experiments, notes=(*experiments.notes, "Whole tasks are exchanged.")) if tasks else experiments


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
