"""`bakeoff status`: how far a study is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import isnan
from typing import Any

from bakeoff.cli.output import emit
from bakeoff.cli.studying import stored, study_of
from bakeoff.presentation import count, plain, text_table, to_json
from bakeoff.stores.progress import Part, Progress, progress
from bakeoff.stores.remarks import TUNED, Remark, remarks
from bakeoff.studies.progress import clock

_MOST_REMARKS = 12


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    with stored(study, path, arguments.study) as store:
        found, said = progress(store, study.key), remarks(store, study.key)
    if arguments.json:
        emit(arguments, to_json({**_as_dict(found), "remarks": [plain(remark) for remark in said]}))
        return
    emit(arguments, "\n\n".join([_as_text(found), *_remarks(said)]))


def _as_text(found: Progress) -> str:
    learners = list(dict.fromkeys(part.learner for part in found.parts))
    tasks = list(dict.fromkeys(part.task for part in found.parts))
    by_learner = [_line(name, [part for part in found.parts if part.learner == name]) for name in learners]
    by_task = [_line(name, [part for part in found.parts if part.task == name]) for name in tasks]
    columns = ["cells", "done", "failed", "left", "seconds a cell"]
    last = found.runs[-1] if found.runs else None
    parts = [
        f"{count(found.ok)} of {count(found.cells)} cells are done, {count(found.failed)} failed, "
        f"{count(found.left)} are left{_time(found)}.",
        text_table(["learner", *columns], by_learner),
        text_table(["task", *columns], by_task),
    ]
    if last is not None:
        when = f"started {_moment(last.started)}" + (f", ended {_moment(last.finished)}" if last.finished else "")
        parts.append(f"{len(found.runs)} run{'s' * (len(found.runs) != 1)}; the last one: {last.state}, {when}.")
    return "\n\n".join(parts)


def _remarks(said: list[Remark]) -> list[str]:
    """What fits warned of, and what tuning chose, where they did."""
    parts = []
    for head, some in (("chosen by tuning", True), ("warnings of fits", False)):
        rows = [
            [remark.learner, remark.text.removeprefix(TUNED), count(remark.cells)]
            for remark in said
            if remark.of_tuning is some
        ]
        if rows:
            hidden = f"\n… and {len(rows) - _MOST_REMARKS} more (--json shows all)" if len(rows) > _MOST_REMARKS else ""
            parts.append(text_table(["learner", head, "cells"], rows[:_MOST_REMARKS], left=2, most=80) + hidden)
    return parts


def _moment(stamp: str) -> str:
    """A moment without its fractions.

    >>> _moment("2026-11-15T23:59:25.843+00:00")
    '2026-11-15 23:59:25 UTC'
    """
    return f"{stamp[:19].replace('T', ' ')} UTC"


def _time(found: Progress) -> str:
    seconds = found.seconds_left
    return f": about {clock(seconds)} of work on one core" if found.left and seconds is not None else ""


def _line(name: str, parts: list[Part]) -> list[str]:
    failed = sum(sum(part.failed.values()) for part in parts)
    timed = [part.seconds for part in parts if not isnan(part.seconds)]
    mean = f"{sum(timed) / len(timed):.3g}" if timed else ""
    numbers = (
        sum(part.cells for part in parts),
        sum(part.ok for part in parts),
        failed,
        sum(part.left for part in parts),
    )
    return [name, *(count(number) for number in numbers), mean]


def _as_dict(found: Progress) -> dict[str, Any]:
    return {
        "study": found.study.key,
        "cells": found.cells,
        "by_status": found.by_status,
        "seconds_left": found.seconds_left,
        "parts": [
            {
                "task": part.task,
                "learner": part.learner,
                "cells": part.cells,
                "ok": part.ok,
                "failed": dict(part.failed),
                "left": part.left,
                "seconds": None if isnan(part.seconds) else part.seconds,
            }
            for part in found.parts
        ],
        "runs": [
            {"started": run.started, "finished": run.finished, "state": run.state, "workers": run.workers}
            for run in found.runs
        ],
    }
