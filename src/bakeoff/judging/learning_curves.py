"""Learning curves and noise: how learners do with more to learn from, where two of them separate, who bears noise.

Curves have simultaneous bands: over all sizes, the chance that one of them is wrong somewhere is α. Two learners are
separate at a size if the simultaneous band of their difference leaves zero out there. Tables of wins, losses and ties
are those of Dietterich (2000), a table for each level of noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.judging.case import Case
from bakeoff.judging.design_verdict import level_text
from bakeoff.mathematics.ranges import LargestT
from bakeoff.procedures.paired_t import corrected_t
from bakeoff.procedures.win_loss_tie import win_loss_tie
from bakeoff.records import Record
from bakeoff.scores import Level

if TYPE_CHECKING:
    import pandas as pd

    from bakeoff.judging.designed import SettingTable

Array = NDArray[np.float64]
SIZE = "training-size"
_NAMED = 3  # pairs that a sentence names, and curves that a table has side by side
NOISES = ("class-noise", "attribute-noise")


@dataclass(frozen=True, slots=True, eq=False)
class CurvePoint(Record):
    """The mean at a size, with its simultaneous band; NaN where there are no replicates."""

    size: float
    mean: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, eq=False)
class Separation(Record):
    """Two curves: the size from which on they are told apart, at it and at all larger ones; None if they never are.
    `differences` are first less second at each size, with simultaneous bands."""

    first: str
    second: str
    better: str
    size: float | None
    differences: tuple[CurvePoint, ...]


@dataclass(frozen=True, eq=False)
class LearningCurves(Record):
    """A curve for each learner, and for each pair where they separate; of one task, if the task is a factor."""

    measure: str
    alpha: float
    curves: Mapping[str, tuple[CurvePoint, ...]]
    separations: tuple[Separation, ...]
    task: str = ""

    @property
    def sentence(self) -> str:
        apart = [each for each in self.separations if each.size is not None]
        alike = [f"{each.first} and {each.second}" for each in self.separations if each.size is None]
        parts = [
            f"{each.first} and {each.second} separate from {show.number(each.size or nan)} on ({each.better} is better)"
            for each in apart[:_NAMED]
        ]
        if len(apart) > _NAMED:
            parts.append(f"{len(apart) - _NAMED} more pairs separate")
        if len(alike) <= _NAMED:
            parts += [f"{pair} are not told apart at the largest size" for pair in alike]
        else:
            parts.append(f"{len(alike)} pairs of curves are not told apart at the largest size")
        where = f" on {self.task}" if self.task else ""
        if not parts:
            return f"One learning curve{where}; there is no other to compare."
        return f"Learning curves{where}: {'; '.join(parts)}."

    @property
    def heading(self) -> str:
        level = show.percent(1 - self.alpha)
        return f"Mean {self.measure} by size, with {level} bands that are simultaneous over the sizes of a curve"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """A column for each curve; of many curves, a row for each."""
        sizes = [point.size for point in next(iter(self.curves.values()))]
        if len(self.curves) > _NAMED:
            header = [f"curve \\ {SIZE}", *map(show.number, sizes)]
            return header, [[name, *map(_banded, points)] for name, points in self.curves.items()]
        rows = [
            [show.number(size), *(_banded(points[number]) for points in self.curves.values())]
            for number, size in enumerate(sizes)
        ]
        return [SIZE, *self.curves], rows

    def to_text(self) -> str:
        return f"{self.heading}:\n{show.text_table(*self.table())}"

    def to_frame(self) -> pd.DataFrame:
        """One row a point: curve, size, mean, lower, upper."""
        import pandas as pd

        rows = [
            (name, point.size, point.mean, point.lower, point.upper)
            for name, points in self.curves.items()
            for point in points
        ]
        return pd.DataFrame(rows, columns=["curve", "size", "mean", "lower", "upper"])

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = show.to_json_value(self)
        return {"sentence": self.sentence, **fields}


def _banded(point: CurvePoint) -> str:
    band = "" if np.isnan(point.lower) else f" {show.interval(point.lower, point.upper)}"
    return f"{show.number(point.mean)}{band}"


def learning_curves(
    settings: Mapping[str, Mapping[str, Any]],
    tables: Sequence[SettingTable],
    alpha: float,
    larger_is_better: bool,
    measure: str,
    learner: str = "learner",
) -> tuple[LearningCurves, ...]:
    """The curves over training size, one for each combination of the other factors: of all blocks, or of each task
    where that is a factor, since blocks of different tasks are no pairs and scales may differ. Tasks share α for what
    is claimed of pairs. `learner` is the name of the one whose settings these are, where that is no factor."""
    pairs_alpha = alpha / len(tables)
    return tuple(_curves_of(settings, each, alpha, pairs_alpha, larger_is_better, measure, learner) for each in tables)


def _curves_of(
    settings: Mapping[str, Mapping[str, Any]],
    table: SettingTable,
    alpha: float,
    pairs_alpha: float,
    larger_is_better: bool,
    measure: str,
    learner: str,
) -> LearningCurves:
    if table.task:
        measure = f"{measure} on {table.task}"
    names = list(settings)
    sizes = sorted({float(setting[SIZE]) for setting in settings.values()})
    curves: dict[str, list[int]] = {}
    for name, setting in settings.items():
        curves.setdefault(_label(setting, SIZE, learner), []).append(names.index(name))
    complete = {
        label: [number for size in sizes for number in numbers if float(settings[names[number]][SIZE]) == size]
        for label, numbers in curves.items()
    }
    complete = {label: numbers for label, numbers in complete.items() if len(numbers) == len(sizes)}
    columns = {label: table.values[:, numbers] for label, numbers in complete.items()}
    drawn = {label: _points(sizes, values, table, alpha) for label, values in columns.items()}
    pairs = list(combinations(columns, 2))
    separations = [
        _separation(first, second, columns, sizes, table, pairs_alpha / len(pairs), larger_is_better)
        for first, second in pairs
    ]
    return LearningCurves(measure, alpha, drawn, tuple(separations), table.task)


def _label(setting: Mapping[str, Any], factor: str, learner: str) -> str:
    """What distinguishes a setting beside the factor: its learner, and the levels of all others."""
    others = [
        f"{key}={level_text(value)}" if key != "learner" else str(value)
        for key, value in setting.items()
        if key != factor
    ]
    return " ".join(others) or learner


def _points(sizes: Sequence[float], values: Array, table: SettingTable, alpha: float) -> tuple[CurvePoint, ...]:
    """Means with a band that holds at all sizes at once: the largest |t| of correlated means."""
    mean = values.mean(axis=0)
    half = _half_widths(values, table, alpha)
    return tuple(
        CurvePoint(size, float(m), float(m - h), float(m + h)) for size, m, h in zip(sizes, mean, half, strict=True)
    )


def _half_widths(values: Array, table: SettingTable, alpha: float) -> Array:
    n, k = values.shape
    if n < 2:
        return np.full(k, nan)
    covariance = np.atleast_2d(np.cov(values, rowvar=False))
    error = np.sqrt(np.diag(covariance) * table.factor)
    if not (error > 0).any():
        return np.zeros(k)
    return np.asarray(LargestT(np.eye(k), covariance, n - 1).critical(alpha) * error)


def _separation(
    first: str,
    second: str,
    columns: Mapping[str, Array],
    sizes: Sequence[float],
    table: SettingTable,
    alpha: float,
    larger_is_better: bool,
) -> Separation:
    """From the largest size down, as long as the band of the difference leaves zero out on the same side."""
    points = _points(sizes, columns[first] - columns[second], table, alpha)
    side = np.sign(points[-1].mean)
    size = None
    for point in reversed(points):
        apart = point.lower > 0 or point.upper < 0
        if not apart or np.sign(point.mean) != side:
            break
        size = point.size
    better = first if (side > 0) == larger_is_better else second
    return Separation(first, second, better if size is not None else "", size, points)


# ----------------------------------------------------------------------------------------------------------------------
# Noise: wins, losses and ties of each pair at each level, and how performance differs task by task.


@dataclass(frozen=True, slots=True, eq=False)
class TaskDifference(Record):
    """By how much the first of two learners scores higher on a task, with a pointwise interval over its resamples."""

    task: str
    difference: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class NoiseTables(Record):
    """For each level of noise the wins-losses-ties of each pair over tasks, by pair (row, column)."""

    factor: str
    learners: tuple[str, ...]
    counts: str
    n_tasks: int
    records: Mapping[str, Mapping[tuple[str, str], str]]
    differences: Mapping[tuple[str, str, str], tuple[TaskDifference, ...]]

    @property
    def sentence(self) -> str:
        tasks = show.counted(self.n_tasks, "tasks")
        return f"Wins, losses and ties over {tasks} at each level of {self.factor}; {self.counts}."

    def table(self, level: str) -> tuple[list[str], list[list[str]]]:
        """In the layout of Dietterich's table: columns in the order of the learners, rows from the last one up."""
        names = self.learners
        rows = []
        for row in reversed(names[1:]):
            cells = [self.records[level].get((row, column), "") for column in names[:-1]]
            rows.append([row, *cells])
        return [f"{self.factor} = {_percent(level)}", *names[:-1]], rows

    def to_text(self) -> str:
        return "\n\n".join(show.text_table(*self.table(level)) for level in self.records)

    def to_dict(self) -> dict[str, Any]:
        records = [
            {"level": float(level), "row": row, "column": column, "wins-losses-ties": record}
            for level, cells in self.records.items()
            for (row, column), record in cells.items()
        ]
        differences = [
            {"level": float(level), "first": first, "second": second, "tasks": show.to_json_value(list(rows))}
            for (level, first, second), rows in self.differences.items()
        ]
        whole = {"factor": self.factor, "learners": list(self.learners), "counts": self.counts}
        return {"sentence": self.sentence, **whole, "records": records, "differences": differences}


def _percent(level: str) -> str:
    return f"{100 * float(level):g}%"


def noise_tables(
    case: Case, settings: Mapping[str, Mapping[str, Any]], alpha: float, learner: str = "learner"
) -> NoiseTables:
    """The tables of a study with a factor of noise: each task decides by its own resamples, where it has several."""
    factor = next(name for name in NOISES if name in next(iter(settings.values())))
    labels = {name: _label(setting, factor, learner) for name, setting in settings.items()}
    learners = tuple(dict.fromkeys(labels.values()))
    levels = sorted({float(setting[factor]) for setting in settings.values()})
    tasks = _by_task(case)
    several = all(len(values) > 1 for values, _, _ in tasks.values())
    larger = case.lead.measures[case.lead.measure.labels[0]].larger_is_better
    records: dict[str, dict[tuple[str, str], str]] = {}
    differences: dict[tuple[str, str, str], tuple[TaskDifference, ...]] = {}
    for level in levels:
        at = {labels[name]: name for name, setting in settings.items() if float(setting[factor]) == level}
        text = f"{level:g}"
        records[text] = {}
        for column, row in combinations(learners, 2):
            sides = [[values[:, names.index(at[who])] for values, names, _ in tasks.values()] for who in (row, column)]
            ratios = [ratio for _, _, ratio in tasks.values()]
            result = win_loss_tie(
                *sides,
                count="significant" if several else "all",
                task_alpha=alpha,
                ratio=float(np.mean(ratios)) if several else None,
                larger_is_better=larger,
            )
            records[text][row, column] = result.details["record"]
            differences[text, row, column] = _task_differences(tasks, sides, ratios, 1 - alpha)
    counts = (
        f"a task counts where its resamples tell the two apart (corrected t, α = {show.number(alpha)} each), and is a "
        "tie otherwise, which is not to say that they are equal there"
        if several
        else "every difference counts"
    )
    return NoiseTables(factor, learners, counts, len(tasks), records, differences)


def task_differences(case: Case, first: str, second: str, confidence: float) -> tuple[TaskDifference, ...]:
    """By how much one learner scores higher than another on each task, sorted, with intervals over its resamples."""
    tasks = _by_task(case)
    sides = [[values[:, names.index(who)] for values, names, _ in tasks.values()] for who in (first, second)]
    return _task_differences(tasks, sides, [ratio for _, _, ratio in tasks.values()], confidence)


def _by_task(case: Case) -> dict[str, tuple[Array, tuple[str, ...], float]]:
    """Resamples × learners of each task, and its ratio of test to training size."""
    tasks = {}
    for task in case.lead.tasks:
        rows = replace(case.origin.only(tasks=[task]), by_instance=None)
        several = len(rows.fold.labels) > 1 or len(rows.repeat.labels) > 1
        one = Case(rows, replace(case.request, level=Level.RESAMPLES if several else None))
        layout = one.layout()
        blocks = one.blocks(layout.level)
        ratio = layout.test_train_ratio if layout.problem is None else 0.0
        tasks[task] = (blocks.values, blocks.learners, 0.0 if np.isnan(ratio) else ratio)
    return tasks


def _task_differences(
    tasks: Mapping[str, Any], sides: Sequence[Sequence[Array]], ratios: Sequence[float], confidence: float
) -> tuple[TaskDifference, ...]:
    """A difference for each task, sorted: what a graph of differences in performance draws."""
    rows = []
    for task, first, second, ratio in zip(tasks, *sides, ratios, strict=True):
        difference, lower, upper = float(np.mean(first - second)), nan, nan
        if len(first) > 1 and np.ptp(first - second) > 0:
            result = corrected_t(first, second, ratio=ratio, confidence=confidence)
            lower, upper = result.lower, result.upper
        rows.append(TaskDifference(task, difference, lower, upper))
    return tuple(sorted(rows, key=lambda row: row.difference))
