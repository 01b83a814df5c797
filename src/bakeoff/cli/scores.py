"""`bakeoff scores`: the scores of a study, as a table to look at or a file for other tools."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill

import numpy as np
from numpy.typing import NDArray

from bakeoff.cli.output import emit
from bakeoff.cli.studying import stored, study_of
from bakeoff.errors import UsageError
from bakeoff.presentation import count, listing, number, text_table, to_json, wrapped
from bakeoff.scores import Scores
from bakeoff.stores.export import write_scores
from bakeoff.stores.scores import scores_of
from bakeoff.stores.table_files import format_of
from bakeoff.stores.units import units_of
from bakeoff.stores.values import UNDEFINED

_NOT_IN_CSV = (
    "A CSV file cannot tell which analyses the study planned: what is made of it will not be marked as planned or "
    "exploratory. bakeoff judge does that, and bakeoff compare of a Parquet file."
)
_ROWS = "bakeoff judge compares units; what is made of this file counts rows, which are not independent."


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    target = None if arguments.output is None else Path(arguments.output)
    if target is not None and not arguments.json and format_of(target) is None:
        raise UsageError(f"Scores are written to .csv or .parquet, or as --json; found {target.name!r}.")
    with stored(study, path, arguments.study) as store:
        scores = scores_of(store, study.key, arguments.measure, instances=arguments.instances)
        in_units = list(units_of(store, study.key)) if arguments.instances else []
    if arguments.json:
        emit(arguments, to_json(scores.to_frame().to_dict("list")))
    elif target is None:
        print(as_text(scores))
    else:
        write_scores(scores, target)
    if target is not None:
        print(f"{count(len(scores))} rows are written to {target}")
        if not arguments.json and format_of(target) == "csv":
            print(wrapped(_NOT_IN_CSV))
        if in_units:
            print(wrapped(f"Several rows of {listing(in_units)} come from one unit (its cluster or group). {_ROWS}"))


def as_text(scores: Scores) -> str:
    """For each measure a table of means: a row a task, a column a learner."""
    parts = list(scores.notes)
    for name in scores.measure.labels:
        one = scores.only(measure=name)
        better = one.measures[name].better
        rows = []
        for task in one.tasks:
            cells = [_mean(one, task, learner) for learner in one.learners]
            rows.append([task, *(number(value) if not np.isnan(value) else "" for value in cells)])
        parts.append(f"Mean {name} ({better} is better)\n{text_table(['task', *one.learners], rows)}")
    lacking = np.isnan(scores.value)
    if lacking.any():
        said = f"{count(int(lacking.sum()))} of {count(len(scores))} scores have no value; means are over the others."
        parts.append("\n".join([said, *_reasons(scores, lacking)]))
    return "\n\n".join(parts)


def _reasons(scores: Scores, lacking: NDArray[np.bool_]) -> Iterator[str]:
    """Why scores have no value, a line for each measure that is not defined there and one for what failed."""
    undefined = np.array([status == UNDEFINED for status in scores.status.labels])[scores.status.codes] & lacking
    for code, name in enumerate(scores.measure.labels):
        here = np.flatnonzero(undefined & (scores.measure.codes == code))
        if not len(here):
            continue
        learners = np.unique(scores.learner.codes[here])
        whose = (
            "" if len(learners) == len(scores.learners) else f" of {listing([scores.learners[i] for i in learners])}"
        )
        why = scores.message.labels[scores.message.codes[here[0]]]
        yield _line(f"{name}{whose}: {count(len(here))} not defined. {why}")
    failed = lacking & ~undefined
    if failed.any():
        learners = np.unique(scores.learner.codes[failed])
        whose = listing([scores.learners[i] for i in learners])
        yield _line(f"{whose}: {count(int(failed.sum()))} belong to cells that failed; bakeoff failures shows why.")


def _line(text: str) -> str:
    return fill(" ".join(text.split()), 100, initial_indent="  ", subsequent_indent="    ")


def _mean(scores: Scores, task: str, learner: str) -> float:
    here = (scores.task.codes == scores.tasks.index(task)) & (scores.learner.codes == scores.learners.index(learner))
    values = scores.value[here]
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")
