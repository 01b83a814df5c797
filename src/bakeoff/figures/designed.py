"""Figures of designed studies: which table of a verdict each kind is drawn of; and differences by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError, UsageError, nearest
from bakeoff.figures.factors import half_normal, interaction, response_contour
from bakeoff.figures.figure import COLOURS, MARKERS, PALE, Chart, key, label_rows, plain_axes
from bakeoff.figures.learning_curve import judged_curves
from bakeoff.figures.lettering import labels_of, literal, write_literally
from bakeoff.figures.tables import shared_blocks
from bakeoff.judging.case import Case
from bakeoff.judging.design_verdict import DesignVerdict, level_text
from bakeoff.judging.designed import judge_design
from bakeoff.judging.learning_curves import TaskDifference, task_differences
from bakeoff.judging.request import Request
from bakeoff.records import Record
from bakeoff.text import listing, number, p_equals, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def design_chart(verdict: DesignVerdict, kind: str, **options: Any) -> Chart:
    """The figure of a designed study: interaction, contour, half-normal, learning-curve, difference or
    task-differences. `x` and `group` (or `y`) name factors, `pair` two learners."""
    wanted = kind.strip().lower().replace("_", "-")
    if wanted not in _MAKERS:
        raise UsageError(f"There is no figure {kind!r} of a design. {nearest(wanted, _MAKERS)}")
    chart: Chart = _MAKERS[wanted](verdict, options)
    return chart


def _interaction(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
    """Means over two factors: those named, or those whose interaction has the largest share; of a surface, what is
    fitted."""
    import pandas as pd

    names = list(dict.fromkeys(name for setting, _ in verdict.cells for name in setting))
    pairs = [effect for effect in verdict.effects if len(effect.factors) == 2]
    strongest = list(max(pairs, key=lambda effect: effect.share).factors) if pairs else names[:2]
    x, group = _factor(options.get("x"), names), _factor(options.get("group") or options.get("y"), names)
    if x is None and group is None and len(strongest) == 2:
        x = max(reversed(strongest), key=lambda name: _breadth(verdict, name))
    x = x or next(name for name in [*strongest[::-1], *names] if name != group)
    group = group or next((name for name in [*strongest, *names] if name != x), None)
    surface = verdict.surface
    mean = f"{'mean' if surface is None else 'fitted'} {verdict.measure}"
    if surface is not None and group is not None:
        frame = surface.lines(x, group).rename(columns={"predicted": mean})
        over = f"Fitted {verdict.measure} at {len(set(frame[group]))} levels of {group}, other factors at their best."
    else:
        frame = pd.DataFrame(
            [
                {x: setting[x], (group or "setting"): setting.get(group or "", "all"), mean: value}
                for setting, value in verdict.cells
            ]
        )
        over = f"Mean {verdict.measure} over {verdict.blocks}."
    keys = [name for name in (x, group) if name is not None and frame[name].dtype.kind in "fiu"]
    frame = frame.sort_values(keys, kind="stable") if keys else frame
    lines = group or "setting"
    chart = interaction(frame.assign(**{lines: frame[lines].map(level_text)}), factor=x, value=mean, group=lines)
    tested = next((e for e in verdict.effects if group and set(e.factors) == {x, group}), None)
    caption = "Parallel lines: the effect of one factor does not depend on the other."
    if tested is not None and not np.isnan(tested.p_adjusted):
        caption += f" Interaction {tested.label}: adjusted {p_equals(tested.p_adjusted)}."
    return replace(chart, caption=literal(f"{over} {caption}"))


def _breadth(verdict: DesignVerdict, factor: str) -> tuple[bool, int]:
    """What stands along the axis of an interaction plot: numbers before names, many levels before few."""
    levels = {setting[factor] for setting, _ in verdict.cells}
    return all(isinstance(level, (int, float)) for level in levels), len(levels)


def _factor(name: str | None, known: Sequence[str]) -> str | None:
    if name is not None and name not in known:
        raise UsageError(f"There is no factor {name!r}. {nearest(name, known)}")
    return name


def _contour(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
    surface = verdict.surface
    if surface is None:
        raise MisfitError(
            f"A contour is that of a fitted surface, and this study has the design {verdict.kind!r}.",
            alternatives=["interaction: means over two factors", '[design] kind = "response-surface"'],
        )
    names = list(surface.axes)
    if len(names) < 2:
        raise MisfitError("A contour is over two factors, and the surface has one.")
    x = _factor(options.get("x"), names) or names[0]
    y = _factor(options.get("y") or options.get("group"), names) or next(name for name in names if name != x)
    chart = response_contour(surface.grid(x, y), x=x, y=y, value="predicted")
    others = [f"{name} = {surface.best[name]:.4g}" for name in names if name not in (x, y)]
    caption = (
        f"Fitted {verdict.measure} over {x} and {y}{f', at {listing(others)}' if others else ''}. Dots are settings "
        f"that were run, the diamond is where the surface is best: {surface.best[x]:.4g}, {surface.best[y]:.4g}. "
        f"{surface.sentence}"
    )
    runs = tuple((float(setting[x]), float(setting[y])) for setting in verdict.settings.values())
    best = (float(surface.best[x]), float(surface.best[y]))
    return replace(chart, runs=runs, best=best, measure=literal(verdict.measure), caption=literal(caption))


def _half_normal(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
    if not verdict.sizes:
        raise MisfitError(
            "A half-normal plot is of effects that are differences between two halves of the settings: each factor "
            "has two levels.",
            alternatives=["interaction: means over two factors"],
        )
    return half_normal(verdict.sizes, 1 - verdict.alpha)


def _curves(kind: str) -> Any:
    def make(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
        if not verdict.curves:
            raise MisfitError(
                "Learning curves are over training sizes, and this study has no factor training-size.",
                alternatives=["interaction: means over two factors", '[design] kind = "learning-curve"'],
            )
        tasks = [each.task for each in verdict.curves]
        wanted = options.get("task") or tasks[0]
        if wanted not in tasks:
            raise UsageError(f"There are no curves on {wanted!r}. {nearest(wanted, tasks)}")
        chart = judged_curves(verdict.curves[tasks.index(wanted)], kind, options.get("pair"))
        if len(tasks) == 1:
            return chart
        others = listing([task for task in tasks if task != wanted], 5)
        return replace(chart, caption=literal(f"{chart.caption} There are such curves on {others} too."))

    return make


def _by_task(verdict: DesignVerdict, options: Mapping[str, Any]) -> Chart:
    if verdict.noise is None:
        raise MisfitError(
            "Of a design, differences by task are drawn for each level of noise, and this one has no such factor.",
            alternatives=["interaction: means over two factors", '[design] kind = "noise"'],
        )
    noise = verdict.noise
    first, second = _pair(options.get("pair"), noise.learners)
    rows: dict[str, tuple[TaskDifference, ...]] = {}
    for (level, one, other), differences in noise.differences.items():
        if {one, other} == {first, second}:
            rows[f"{noise.factor} {100 * float(level):g}%"] = (
                differences if one == first else tuple(map(_turned, differences))
            )
    return _graph(rows, verdict.measure, verdict.larger_is_better, (first, second), 1 - verdict.alpha)


def _turned(row: TaskDifference) -> TaskDifference:
    return TaskDifference(row.task, -row.difference, -row.upper, -row.lower)


def _pair(given: tuple[str, str] | None, known: Sequence[str]) -> tuple[str, str]:
    if given is None and len(known) == 2:
        return known[0], known[1]
    if given is None:
        raise UsageError(f"A difference is that of two learners, and there are {len(known)}: --learner A --learner B.")
    for name in given:
        if name not in known:
            raise UsageError(f"There is no learner {name!r}. {nearest(name, known)}")
    return given


_MAKERS = {
    "interaction": _interaction,
    "contour": _contour,
    "half-normal": _half_normal,
    "learning-curve": _curves("learning-curve"),
    "difference": _curves("difference"),
    "task-differences": _by_task,
}


# ----------------------------------------------------------------------------------------------------------------------
# The graph of differences in performance: a row for each task, sorted, with an interval over its resamples.


MOST_NAMED, MOST_TASKS = 80, 1000
UNNAMED_ROW = 0.03  # inches of a task without a name, of which there are many


@dataclass(frozen=True, eq=False)
class DifferenceGraph(Chart, Record):
    """Differences of two learners by task, with pointwise intervals; a series for each level of noise, or one."""

    series: Mapping[str, tuple[TaskDifference, ...]]
    axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "task-differences": "difference in performance of two learners on each task, sorted, with intervals"
    }
    made_of: ClassVar[str] = "scores"

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, measure: str | None = None, pair: tuple[str, str] | None = None,
        **options: Any,
    ) -> Chart:  # fmt: skip
        """Of scores of folds on several tasks; of a study with noise, at each level. Without a pair of the two learners
        with the best means."""
        if source.settings:
            return design_chart(judge_design(source, measure=measure), "task-differences", pair=pair)
        table = shared_blocks(source, measure)
        best = [table.learners[i] for i in table.best_first[:2]]
        first, second = _pair(pair, source.learners if pair else best)
        case = Case(source, Request.of(measure=measure))
        named = case.lead.measures[case.lead.measure.labels[0]]
        rows = {"": task_differences(case, first, second, 0.95)}
        return _graph(rows, named.name, named.larger_is_better, (first, second), 0.95)

    def to_frame(self) -> pd.DataFrame:
        """One row a task and series."""
        import pandas as pd

        rows = [
            (name, row.task, row.difference, row.lower, row.upper) for name, own in self.series.items() for row in own
        ]
        return pd.DataFrame(rows, columns=["series", "task", "difference", "lower", "upper"])

    @property
    def tasks(self) -> list[str]:
        """From the smallest difference of the first series to the largest."""
        return [row.task for row in next(iter(self.series.values()))]

    def height_at(self, width: float) -> float:
        if len(self.tasks) > MOST_NAMED:
            return 0.9 + min(8.0, UNNAMED_ROW * len(self.tasks))
        return 0.9 + (0.1 + 0.07 * len(self.series)) * max(2, len(self.tasks))

    def draw(self, ax: Axes) -> None:
        place = {task: number for number, task in enumerate(self.tasks)}
        n, named = len(self.series), len(place) <= MOST_NAMED
        ax.axvline(0, color=PALE, linewidth=0.9, zorder=0)
        for i, (name, rows) in enumerate(self.series.items()):
            colour, shift = COLOURS[i % len(COLOURS)], (i - (n - 1) / 2) * 0.7 / n
            y = np.array([place[row.task] + shift for row in rows])
            ax.hlines(y, [row.lower for row in rows], [row.upper for row in rows], color=colour, linewidth=1.1)
            mark: dict[str, Any] = {
                "marker": MARKERS[i % len(MARKERS)],
                "markersize": 4 if named else 2.5,
                "linestyle": "none",
                "color": colour,
            }
            ax.plot([row.difference for row in rows], y, label=literal(name) if n > 1 else None, **mark)
        plain_axes(ax, self.axis)
        label_rows(ax, labels_of(self.tasks) if named else [""] * len(place))
        if not named:
            ax.set_yticks([])
            ax.set_ylabel(f"{len(place)} tasks, sorted", fontsize="medium")
        key(ax)
        write_literally(ax)


def _graph(
    series: Mapping[str, tuple[TaskDifference, ...]],
    measure: str,
    larger_is_better: bool,
    pair: tuple[str, str],
    confidence: float,
) -> DifferenceGraph:
    tasks = len(next(iter(series.values())))
    if tasks > MOST_TASKS:
        raise MisfitError(f"{tasks} tasks cannot be read; at most {MOST_TASKS} are drawn: choose some (--task NAME).")
    first, second = pair
    ahead = first if larger_is_better else second
    shown = next(iter(series.values()))
    apart = sum(row.lower > 0 or row.upper < 0 for row in shown)
    lines = (
        f" Lines are {percent(confidence)} intervals over resamples of a task (corrected t), each for itself: "
        f"{number(apart)} leave zero out{' in the first series' if len(series) > 1 else ''}."
    )
    caption = (
        f"{measure} of {first} less that of {second} on each of {tasks} tasks, sorted; to the right of zero {ahead} is "
        f"better.{lines if not all(np.isnan(row.lower) for row in shown) else ''}"
    )
    better = "larger" if larger_is_better else "smaller"
    axis = literal(f"{measure} ({better} is better), {first} – {second}")
    return DifferenceGraph(dict(series), axis, "Differences in performance", literal(caption))
