"""`bakeoff curves`: ROC, precision–recall, lift and cost curves of a study, from its stored predictions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bakeoff.cli.output import emit
from bakeoff.cli.studying import stored, study_of
from bakeoff.errors import UsageError
from bakeoff.figures.files import KINDS as FIGURES
from bakeoff.presentation import counted, number, text_table, to_json, wrapped
from bakeoff.stores.curves import KINDS, StudyCurve, study_curves

_SHOWN = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    drawn = arguments.output is not None and not arguments.json and _is_figure(arguments.output)
    with stored(study, path, arguments.study) as store:
        found = study_curves(
            store,
            study.key,
            arguments.kind,
            tasks=arguments.task,
            learners=arguments.learner,
            positive=arguments.positive,
        )
    if drawn:
        _draw(found, arguments.output)
        print(f"Figure:  {arguments.output}")
        return
    if arguments.json:
        emit(arguments, to_json({"study": study.key, "curves": [curve.to_dict() for curve in found]}))
        return
    tasks = dict.fromkeys(curve.task for curve in found)
    emit(arguments, "\n\n".join(as_text([curve for curve in found if curve.task == task]) for task in tasks))


def _is_figure(name: str) -> bool:
    return Path(name).suffix.lower().removeprefix(".") in FIGURES


def _draw(found: Sequence[StudyCurve], path: str) -> None:
    from bakeoff.figures.threshold_curves import threshold_curves

    tasks = list(dict.fromkeys(curve.task for curve in found))
    if len(tasks) > 1:
        raise UsageError(f"A figure shows one task, and there are {len(tasks)}: say --task NAME.")
    points = {curve.learner: (curve.x.tolist(), curve.y.tolist()) for curve in found}
    title = f"{KINDS[found[0].kind].title}, {tasks[0]}: {found[0].positive} against the rest"
    threshold_curves(found[0].kind, points, axes=found[0].names, title=title, caption=_how(found)).save(path)


def as_text(found: Sequence[StudyCurve]) -> str:
    """The curves of one task at some places."""
    first = found[0]
    head = f"{KINDS[first.kind].title} on {first.task}, {first.positive!r} against the rest. {_how(found)}"
    rows = [[number(x), *(_height(curve, x) for curve in found)] for x in _SHOWN]
    table = text_table([first.names[0], *(f"{first.names[1]}, {curve.learner}" for curve in found)], rows)
    return f"{wrapped(head)}\n\n{table}"


def _how(found: Sequence[StudyCurve]) -> str:
    """What each curve is of."""
    first = found[0]
    if first.samples == 1:
        return "Of one test sample."
    several = counted(first.samples - first.skipped, "test samples")
    said = f"The mean of the curves of {several}, at equal {first.names[0]}."
    if first.skipped:
        said += f" {counted(first.skipped, 'others')} had no rows of one of the classes."
    return said


def _height(curve: StudyCurve, x: float) -> str:
    """The highest point there, or what a straight line between the neighbours gives, as in the figure."""
    there = np.abs(curve.x - x) < 1e-12
    if there.any():
        return number(float(curve.y[there].max()))
    order = slice(None) if curve.x[0] <= curve.x[-1] else slice(None, None, -1)
    places, heights = curve.x[order], curve.y[order]
    after = int(np.searchsorted(places, x))
    if after in (0, len(places)):
        return ""
    share = (x - places[after - 1]) / (places[after] - places[after - 1])
    return number(float(heights[after - 1] + share * (heights[after] - heights[after - 1])))
