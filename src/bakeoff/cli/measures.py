"""`bakeoff measures`: the list of all measures that are computed from predictions or measured by a run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from bakeoff.cli.output import emit
from bakeoff.measures.known import other_names
from bakeoff.measures.response import KINDS, Response
from bakeoff.measures.responses import COMPUTED
from bakeoff.presentation import number, text_table, to_json

_MORE = """\
A study file may also describe a measure in a table: a loss_matrix, a functional (median, maximum, q0.95) of a loss,
or a scorer by its import path. Names of scikit-learn's scorers are measures too. Those that need resources or the
estimator must be named before the run; all others are computed from stored predictions at any time."""


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if arguments.json:
        emit(arguments, to_json([_record(response) for response in COMPUTED.values()]))
        return
    rows = [
        [r.name, r.measure.better, f"{number(r.measure.lower)} … {number(r.measure.upper)}", _kinds(r), r.needs, r.note]
        for r in COMPUTED.values()
    ]
    listing = text_table(["measure", "better", "range", "tasks", "needs", "note"], rows, left=6, most=70)
    emit(arguments, f"{listing}\n\n{_MORE}")


def _kinds(response: Response) -> str:
    if _two_classes_only(response):
        return "two classes"
    return "all" if response.kinds == KINDS else ", ".join(response.kinds)


def _two_classes_only(response: Response) -> bool:
    three = response.misfit("classification", ("a", "b", "c"))
    return three is not None and response.misfit("classification", ("a", "b")) is None


def _record(response: Response) -> dict[str, Any]:
    measure = response.measure
    return {
        "name": response.name,
        "other_names": other_names(response.name),
        "better": measure.better,
        "lower": measure.lower,
        "upper": measure.upper,
        "kinds": response.kinds,
        "two_classes_only": _two_classes_only(response),
        "needs": response.needs,
        "pointwise": response.pointwise is not None,
        "after_the_run": response.after_the_run,
        "note": response.note,
    }
