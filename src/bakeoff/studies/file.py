"""Reading a study file. Everything is checked here, and nothing of it is run."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import Any

from bakeoff.errors import InputError, nearest
from bakeoff.importing import check_path
from bakeoff.learners.checking import check_learner
from bakeoff.learners.learner import PATH, PREPARE, Learner, Step, Tuning
from bakeoff.measures.response import Response
from bakeoff.measures.responses import response_from
from bakeoff.resampling.schemes import resampling_from
from bakeoff.running.limits import Limits, seconds, size
from bakeoff.studies.analysis import Analysis
from bakeoff.studies.fields import Fields
from bakeoff.studies.study import CHECKS, Study
from bakeoff.tasks.description import task_from
from bakeoff.tasks.task import Task


def read_study(path: str | Path) -> Study:
    """The study that a TOML file describes.

    Refuses what it does not know, with the file, the key and the nearest match.
    """
    file = Path(path)
    if file.is_dir():
        raise InputError("This is a folder; a study file in TOML was expected.", source=str(path))
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            "There is no such file. `bakeoff init` writes a study file to begin with.", source=str(path)
        ) from None
    except (OSError, ValueError) as error:  # no text in UTF-8, or no path
        raise InputError(f"The file cannot be read: {error}.", source=str(path)) from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"This is not TOML: {error}.", source=str(path)) from error
    return study_from(table, str(path), file.stem, file.parent)


def study_from(table: dict[str, Any], source: str, name: str, folder: Path) -> Study:
    """The study of a parsed file; paths in it are relative to `folder`."""
    top = Fields(table, source)
    alpha: float = top.take("alpha", float, 0.05)
    margin: float | None = top.take("margin", float, None)
    tasks = [_task(each, folder) for each in top.tables("task")]
    learners = [_learner(each, folder) for each in top.tables("learner")]
    for noun, found in (("task", tasks), ("learner", learners)):
        if not found:
            raise top.error(noun, f"There is no {noun}: write a table headed [[{noun}]] for each.")
    measures = _measures(top)
    analyses = [_analysis(each, measures, learners, alpha, margin) for each in top.tables("analysis")]
    made = {
        "tasks": tasks,
        "learners": learners,
        "resampling": _resampling(top),
        "measures": measures,
        "seed": top.take("seed", int, 1),
        "alpha": alpha,
        "margin": margin,
        "question": top.take("question", str, ""),
        "limits": _limits(top.table("limits")),
        "analyses": tuple(analyses),
        "name": top.take("name", str, name),
        "keep_scores": top.take("keep_scores", bool, True),
        "folder": str(folder),
    }
    top.done()
    for key, check in CHECKS.items():
        top.checked(key, partial(check, made[key]))
    study: Study = top.checked("", lambda: Study(**made))
    return study


def _task(fields: Fields, folder: Path) -> Task:
    task: Task = fields.checked("", lambda: task_from(fields.rest(), folder))
    return task


def _learner(fields: Fields, folder: Path) -> Learner:
    ways = [key for key in ("path", "pipeline", "command") if key in fields]
    if len(ways) != 1:
        raise fields.error(
            "",
            "A learner is given by exactly one of path (an import path), pipeline (a list of steps) and command (a "
            f"list of texts); found {' and '.join(ways) or 'none of them'}.",
        )
    steps: tuple[Step, ...] = ()
    command = fields.texts("command")
    if "path" in fields:
        steps = (_step(fields),)
    elif "pipeline" in fields:
        steps = tuple(_pipeline_step(each) for each in fields.tables("pipeline"))
        if not steps:
            raise fields.error("pipeline", "A pipeline needs at least one step.")
    default_name = (steps[-1].path.rpartition(".")[2] if steps else Path(command[0]).name) if steps or command else ""
    name: str = fields.take("name", str, default_name)
    prepare = fields.choice("prepare", PREPARE, "auto")
    tuning = _tuning(fields)
    fields.done()
    made = Learner(name, steps, None, command, prepare, tuning, str(folder))
    fields.checked("", lambda: check_learner(made))
    return made


def _pipeline_step(fields: Fields) -> Step:
    step = _step(fields)
    fields.done()
    return step


def _step(fields: Fields) -> Step:
    path: str = fields.take("path", str)
    fields.checked("path", lambda: check_path(path, "learner", PATH))
    return Step(path, fields.take("parameters", dict, {}))


def _tuning(fields: Fields) -> Tuning | None:
    grid = fields.take("tune", dict, {})
    how = fields.table("tuning")
    folds, measure = how.take("folds", int, 5), how.take("measure", str, None)
    how.done()
    if not grid:
        if "tuning" in fields:
            raise fields.error(
                "tuning", "There is nothing to tune: give the values to try, tune = { C = [0.1, 1, 10] }."
            )
        return None
    for parameter, values in grid.items():
        if not isinstance(values, list) or not values:
            raise fields.error(f"tune.{parameter}", f"A list of values to try was expected; found {values!r}.")
    if folds < 2:
        raise fields.error("tuning.folds", f"At least 2 folds were expected; found {folds}.")
    return Tuning({parameter: tuple(values) for parameter, values in grid.items()}, folds, measure)


def _resampling(top: Fields) -> Any:
    if "resampling" not in top:
        return None
    description = top.take("resampling", dict)
    return top.checked("resampling", lambda: resampling_from(description))


def _measures(top: Fields) -> list[Response]:
    given = top.raw("measures", ["error"])
    given = [given] if isinstance(given, (str, dict)) else given
    if not isinstance(given, list) or not all(isinstance(spec, (str, dict)) for spec in given):
        raise top.error("measures", f"A list of names and tables was expected; found {given!r}.")
    return [top.checked("measures", partial(response_from, spec)) for spec in given]


def _limits(fields: Fields) -> Limits:
    made: Limits = fields.checked(
        "",
        lambda: Limits(
            fields.checked("time_limit", lambda: seconds(fields.raw("time_limit"))),
            fields.checked("memory_limit", lambda: size(fields.raw("memory_limit"))),
            fields.take("threads", int, 1),
        ),
    )
    fields.done()
    return made


def _analysis(
    fields: Fields, measures: list[Response], learners: list[Learner], alpha: float, margin: float | None
) -> Analysis:
    names = [response.name for response in measures]
    asked = fields.texts("measure", names[:1])
    for name in asked:
        if name not in names:
            raise fields.error("measure", f"{name!r} is not a measure of this study. {nearest(name, names)}")
    if not asked or len(set(asked)) < len(asked):
        raise fields.error("measure", f"A measure, or a list of different ones, was expected; found {list(asked)!r}.")
    control: str | None = fields.take("control", str, None)
    if control is not None and control not in [each.name for each in learners]:
        raise fields.error(
            "control", f"There is no learner {control!r}. {nearest(control, [each.name for each in learners])}"
        )
    contrast = fields.texts("contrast", ["control" if control else "all-pairs"])
    made = Analysis(
        measure=asked[0] if len(asked) == 1 else asked,
        procedure=fields.take("with", str, None),
        contrast=contrast[0] if len(contrast) == 1 else contrast,
        control=control,
        adjust=fields.take("adjust", str, None),
        alternative=fields.choice("alternative", ("two-sided", "better", "worse"), "two-sided"),
        level=fields.choice("level", ("instances", "resamples", "tasks"), "tasks") if "level" in fields else None,
        missing=fields.choice("missing", ("error", "drop-block", "worst"), "error"),
        alpha=fields.take("alpha", float, alpha),
        # The margin of the study is a difference in its first measure, and says nothing about another.
        margin=fields.take("margin", float, margin if asked == (names[0],) else None),
        options=fields.take("options", dict, {}),
    )
    fields.done()
    for key in ("alpha", "margin"):
        fields.checked(key, partial(CHECKS[key], getattr(made, key)))
    return made
