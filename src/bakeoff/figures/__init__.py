"""Figures by name: every class of this folder with `kinds` can be asked for, in Python and on the command line.

    verdict.plot()                          the figure that fits a verdict
    scores.plot.box_density(ax=ax)          a figure of scores, on an ax of yours
    bakeoff plot critical-difference scores.csv -o ranks.pdf

All return the chart: `to_frame()` is the table behind it, `save(path)` makes a file of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UsageError, nearest
from bakeoff.figures.figure import Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bakeoff.scores import Scores

_FOREIGN: dict[str, type[Chart]] = {}


def register(chart: type[Chart]) -> type[Chart]:
    """Add a figure from outside the package, under all its kinds."""
    if taken := set(chart.kinds) & set(charts()):
        raise UsageError(f"There is a figure {taken.pop()!r} already; give yours a name of its own.")
    _FOREIGN.update(dict.fromkeys(chart.kinds, chart))
    return chart


def charts() -> dict[str, type[Chart]]:
    """The figures by kind."""
    return {**_own(), **_FOREIGN}


@cache
def _own() -> dict[str, type[Chart]]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    classes = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    return {kind: chart for chart in classes if issubclass(chart, Chart) for kind in chart.kinds}


def chart_named(kind: str) -> type[Chart]:
    """The figure of that kind.

    >>> chart_named("roc").made_of
    'predictions'
    """
    known = charts()
    chart = known.get(kind.strip().lower().replace("_", "-"))
    if chart is None:
        raise UsageError(f"There is no figure {kind!r}. {nearest(kind, known)}")
    return chart


def plot(source: Any, kind: str, ax: Axes | None = None, **options: Any) -> Chart:
    """The chart of that kind, drawn on an ax if one is given."""
    chart = chart_named(kind).of(source, kind, **options)
    if ax is not None:
        chart.draw(ax)
    return chart


class Plots:
    """The figures of a table of scores, each a method: `scores.plot.box_density(measure="error", ax=ax)`.

    A figure of a verdict is drawn of the verdict on these scores; what is asked for is what `judge` takes. One of
    predictions is drawn of those that the table brought along.
    """

    def __init__(self, scores: Scores) -> None:
        self._scores = scores

    def __getattr__(self, name: str) -> Callable[..., Chart]:
        kind = name.replace("_", "-")
        if kind not in charts() or charts()[kind].made_of not in _OF_SCORES:
            raise AttributeError(f"There is no figure {name!r} of scores. {nearest(kind, dir(self))}")

        def make(ax: Axes | None = None, **options: Any) -> Chart:
            scores, made_of = self._scores, charts()[kind].made_of
            if made_of == "scores":
                return plot(scores, kind, ax, **options)
            if made_of == "table":
                return plot(scores.to_frame(), kind, ax, **options)
            if made_of == "predictions":
                return plot([] if scores.predictions is None else scores.predictions.answers(), kind, ax, **options)
            from bakeoff.judging import judge

            return plot(judge(scores, **options), kind, ax, scores=scores)

        return make

    def __dir__(self) -> list[str]:
        of_scores = [kind for kind, chart in charts().items() if chart.made_of in _OF_SCORES]
        return sorted(kind.replace("-", "_") for kind in of_scores)


_OF_SCORES = ("scores", "verdict", "predictions", "table")
