"""What figures of scores are drawn of: the values of each learner by one measure, and the blocks that two share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bakeoff.errors import MisfitError, UsageError, nearest
from bakeoff.mathematics.checks import Array
from bakeoff.scores import Blocks, Level, Missing, blocks, long_form
from bakeoff.text import counted, listing

if TYPE_CHECKING:
    import pandas as pd

    from bakeoff.inference.finding import Finding
    from bakeoff.scores import Scores

MOST_PANELS = 8  # beyond which all tasks are drawn in one


@dataclass(frozen=True, slots=True)
class LearnerValues:
    """The values of each learner by panel; `what` says what one of them is, as "tasks"."""

    measure: str
    better: str
    what: str
    panels: Mapping[str, Mapping[str, Array]]

    @property
    def axis(self) -> str:
        return f"{self.measure} ({self.better} is better)"


def one_measure(scores: Scores, measure: str | None) -> Scores:
    """The rows of a measure; of the only one, if none is named."""
    one = scores if measure is None else scores.only(measure=measure)
    if len(one.measure.labels) > 1:
        raise UsageError(f"{one.source} holds {len(one.measure.labels)} measures: say which one (measure=NAME).")
    return one


def refuse_means_of_groups(finding: Finding) -> None:
    """Refuse a verdict that compares means of several learners: figures of learners have no place for them."""
    strange = {name for pair in finding.pairs for name in (pair.first, pair.second)} - set(finding.learners)
    if strange:
        raise MisfitError(
            f"This figure shows learners, and the verdict compares other things: {listing(sorted(strange))}.",
            alternatives=["the figure of intervals, which shows any comparison"],
        )


def values_of(scores: Scores, measure: str | None = None) -> LearnerValues:
    """Values over the tasks; over the resamples of each task, where there are several; or over the instances of the
    only test sample. Beyond a few tasks all are in one panel."""
    one = one_measure(scores, measure)
    name = one.measure.labels[0]
    values, learner, task = long_form(one)
    by_task = len(values) > len(one.learners) * len(one.tasks)
    what = "resamples" if by_task else "tasks"
    if len(values) <= len(one.learners) and len(one.instance.labels) > 1:
        what, known = "instances", ~np.isnan(one.value)
        values, learner = one.value[known], np.array(one.learners)[one.learner.codes[known]]
        task = np.array(one.tasks)[one.task.codes[known]]
    headings = one.tasks if by_task and len(one.tasks) <= MOST_PANELS else ("",)
    panels = {
        heading: {name: values[(learner == name) & ((task == heading) if heading else True)] for name in one.learners}
        for heading in headings
    }
    return LearnerValues(name, one.measures[name].better, what, panels)


def shared_blocks(scores: Scores, measure: str | None = None, level: Level | str | None = None) -> Blocks:
    """The matrix of blocks and learners, without the blocks where somebody lacks a value."""
    one = one_measure(scores, measure)
    if one.independent:
        raise MisfitError(
            "The learners share no blocks: they are independent samples, so that there are no pairs of values.",
            alternatives=["a figure of each learner by itself, such as box-density"],
        )
    return blocks(one, level=None if level is None else Level(level), missing=Missing.DROP_BLOCK)


def number_of(table: Blocks) -> str:
    """How many blocks there are, in words."""
    return "a single run" if table.level is Level.SINGLE else counted(table.n_blocks, table.level.value)


# ----------------------------------------------------------------------------------------------------------------------
# Plain tables: any frame, whose columns are named or told by their names.


def column_of(frame: pd.DataFrame, named: str | None, usual: Sequence[str], what: str) -> str:
    """The column that was named, or the first with a usual name; `what` is what it holds, for the refusal."""
    columns = [str(name) for name in frame.columns]
    if named is not None:
        if named not in columns:
            raise UsageError(f"There is no column {named!r} for {what}. {nearest(named, columns)}")
        return named
    lower = {name.lower().replace(" ", "_"): name for name in reversed(columns)}
    column = next((lower[name] for name in usual if name in lower), None)
    if column is None:
        raise MisfitError(
            f"It needs a column with {what} (as {', '.join(usual[:3])}), and there is none among {listing(columns)}.",
            alternatives=["name the columns: --x, --y, --value, --group (in Python x=, y=, value=, group=)"],
        )
    return column


def numbers_in(frame: pd.DataFrame, column: str) -> Array:
    """A column as numbers."""
    import pandas as pd

    values = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=float)
    odd = np.flatnonzero(np.isnan(values) & frame[column].notna().to_numpy())
    if len(odd):
        raise UsageError(f"Column {column!r} holds {frame[column].iloc[odd[0]]!r} where a number was expected.")
    return values


LEARNERS = ("learner", "model", "algorithm", "method", "classifier", "name")
VALUES = ("value", "score", "error", "accuracy", "auc", "loss", "y", "mean", "rmse", "mse", "f1", "time", "response")
