"""Performance distributions: box plots beside kernel densities, a panel for each way the performance was measured.

Hothorn, Leisch, Zeileis and Hornik (2005), figures 3–5. A box shows quartiles and outliers, the density the
skewness that a box hides. `box_density` makes the table behind the figure; only `figure` and `save` load matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.figures.figure import Chart, labels_of, literal
from bakeoff.mathematics.checks import Array, number_column
from bakeoff.scores import long_form
from bakeoff.text import listing, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 8  # beyond which all tasks are drawn in one
REACH = 1.5  # of a whisker, in lengths of the box
POINTS = 200  # at which a density is drawn
TAIL = 3.0  # bandwidths that a density goes on beyond the outermost values


@dataclass(frozen=True, slots=True)
class Distribution:
    """One learner's performances: mean, box, whiskers, what lies beyond them, and the density at some points.

    The whiskers reach the outermost values within 1.5 lengths of the box. `density` are pairs (value, height), none if
    all values are the same.
    """

    learner: str
    label: str
    size: int
    mean: float
    lower: float
    quartiles: tuple[float, float, float]
    upper: float
    outliers: tuple[float, ...]
    density: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """The learners under one heading."""

    heading: str
    distributions: tuple[Distribution, ...]


@dataclass(frozen=True)
class BoxDensity(Chart):
    """How performances are distributed: a row for each panel, boxes on the left and densities on the right."""

    panels: tuple[Panel, ...]
    axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {"box-density": "boxes and densities of the scores of each learner"}
    made_of: ClassVar[str] = "scores"

    @classmethod
    def of(cls, source: Any, kind: str = "", *, measure: str | None = None, **options: Any) -> BoxDensity:
        """The scores of one measure: over the tasks, or over the resamples or instances of each task."""
        one = source if measure is None else source.only(measure=measure)
        if len(one.measure.labels) > 1:
            raise UsageError(f"{one.source} holds {len(one.measure.labels)} measures: say which one (measure=NAME).")
        values, learner, task = long_form(one)
        by_task = len(values) > len(one.learners) * len(one.tasks)
        headings = one.tasks if by_task and len(one.tasks) <= MOST_PANELS else ("",)
        samples = {
            heading: {
                name: values[(learner == name) & ((task == heading) if heading else True)] for name in one.learners
            }
            for heading in headings
        }
        return box_density(samples, axis=one.measure.labels[0], title=f"{one.measure.labels[0]}, {one.source}")

    def to_frame(self) -> pd.DataFrame:
        """One row a learner and panel."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "panel": panel.heading,
                    "learner": one.learner,
                    "n": one.size,
                    "mean": one.mean,
                    "lower": one.lower,
                    "q1": one.quartiles[0],
                    "median": one.quartiles[1],
                    "q3": one.quartiles[2],
                    "upper": one.upper,
                    "outliers": len(one.outliers),
                }
                for panel in self.panels
                for one in panel.distributions
            ]
        )

    @property
    def _heights(self) -> list[float]:
        return [max(LEAST_PANEL, HEAD + ROW * len(panel.distributions)) for panel in self.panels]

    def figure(self, *, caption: bool = True) -> Figure:
        """A figure as high as its panels need."""
        from matplotlib.figure import Figure

        canvas = Figure(figsize=(WIDTH, sum(self._heights) + 0.5), facecolor="white", layout="constrained")
        axes = canvas.subplots(len(self.panels), 2, squeeze=False, sharex=True, height_ratios=self._heights)
        self._draw_panels(axes)
        canvas.suptitle(self.title, fontsize=SIZE)
        if caption:
            canvas.supxlabel(wrapped(self.caption, 105), fontsize=6.5, x=0.02, ha="left", color="0.35")
        _without_mathematics(canvas)
        return canvas

    def draw(self, ax: Axes) -> None:
        """Draw the panels on an ax, which gives up its own axes for theirs."""
        ax.set_axis_off()
        heights = np.array(self._heights) / sum(self._heights)
        bottoms = 1 - np.cumsum(heights)
        axes = [
            [ax.inset_axes((left, bottom + 0.25 * height, 0.4, 0.6 * height)) for left in (0.1, 0.58)]
            for bottom, height in zip(bottoms.tolist(), heights.tolist(), strict=True)
        ]
        self._draw_panels(axes)
        _without_mathematics(ax)

    def _draw_panels(self, axes: Any) -> None:
        for panel, (boxes, densities) in zip(self.panels, axes, strict=True):
            _draw_boxes(boxes, panel.distributions)
            _draw_densities(densities, panel.distributions)
            boxes.set_title(panel.heading, fontsize=SIZE, loc="left")
            for ax in (boxes, densities):
                ax.set_xlabel(self.axis, fontsize=SMALL)
                ax.tick_params(labelsize=SMALL, labelbottom=True)
                ax.spines[["top", "right"]].set_visible(False)


def _without_mathematics(drawing: Any) -> None:
    """A dollar in a name is a dollar."""
    from matplotlib.text import Text

    for text in drawing.findobj(Text):
        text.set_parse_math(False)


def box_density(samples: Mapping[str, Mapping[str, ArrayLike]], *, axis: str, title: str = "") -> BoxDensity:
    """The table behind the figure, from performances by panel and learner.

    >>> made = box_density({"OOB": {"tree": [0.1, 0.2, 0.2, 0.3], "forest": [0.1, 0.1, 0.1, 0.9]}}, axis="error")
    >>> made.panels[0].distributions[1].outliers
    (0.9,)
    """
    if not samples or not all(samples.values()):
        raise UsageError("There are no performances to draw: each panel needs at least one learner.")
    empty = [name for by_learner in samples.values() for name, values in by_learner.items() if not np.size(values)]
    if empty:
        raise UsageError(
            f"{listing(list(dict.fromkeys(empty)))} has no performance to draw: every run failed or has no value. "
            "Leave it out (--without NAME), or find out why (bakeoff failures)."
        )
    panels = []
    for heading, by_learner in samples.items():
        labels = labels_of(list(by_learner))
        panels_drawn = tuple(
            _distribution(name, label, number_column(values, f"performances of {name}"))
            for (name, values), label in zip(by_learner.items(), labels, strict=True)
        )
        panels.append(Panel(heading, panels_drawn))
    sizes = [f"{panel.heading or 'All'}: {panel.distributions[0].size} samples" for panel in panels]
    caption = (
        f"{'; '.join(sizes)}. Boxes are quartiles, the dot is the mean, whiskers reach at most {REACH:g} boxes; "
        "densities by a normal kernel."
    )
    return BoxDensity(tuple(panels), literal(axis), literal(title), caption)


def _distribution(name: str, label: str, values: Array) -> Distribution:
    if not values.size:
        raise UsageError(f"{name!r} has no performances to draw.")
    q1, median, q3 = (float(q) for q in np.quantile(values, (0.25, 0.5, 0.75)))
    reach = REACH * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    outside = np.sort(values[(values < q1 - reach) | (values > q3 + reach)])
    return Distribution(
        learner=name,
        label=label,
        size=len(values),
        mean=float(values.mean()),
        lower=float(inside.min()),
        quartiles=(q1, median, q3),
        upper=float(inside.max()),
        outliers=tuple(outside.tolist()),
        density=_density(values),
    )


def bandwidth(values: Array) -> float:
    """Silverman's rule of thumb, .9 min(sd, IQR/1.34) n^(−1/5); sd alone if half of the values are the same.

    >>> round(bandwidth(np.array([1.0, 2.0, 3.0, 4.0, 5.0])), 4)
    0.9736
    """
    if len(values) < 2:
        return 0.0
    sd = float(values.std(ddof=1))
    q1, q3 = np.quantile(values, (0.25, 0.75))
    spread = min(sd, float(q3 - q1) / 1.34) or sd
    return float(0.9 * spread * len(values) ** -0.2)


def _density(values: Array) -> tuple[tuple[float, float], ...]:
    width = bandwidth(values)
    # Values that differ by rounding only have no density to speak of.
    if width <= 1e-12 * float(np.abs(values).max()):
        return ()
    grid = np.linspace(values.min() - TAIL * width, values.max() + TAIL * width, POINTS)
    kernel = np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2) / np.sqrt(2 * np.pi)
    heights = kernel.mean(axis=1) / width
    return tuple(zip(grid.tolist(), heights.tolist(), strict=True))


# ----------------------------------------------------------------------------------------------------------------------
# Drawing performance distributions: a row for each panel, boxes on the left and densities on the right.


WIDTH = 6.5  # inches: that of a page
ROW, HEAD = 0.3, 1.1  # inches for a learner, and for heading and axis of a panel
LEAST_PANEL = 1.9
SIZE, SMALL = 9.0, 7.5
# Told apart by colour, and in black and white by the stroke.
COLOURS = ("#0050a0", "#c04000", "#2a7f2a", "#7a3b9a", "#555555")
STROKES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))


def _draw_boxes(ax: Axes, distributions: Sequence[Distribution]) -> None:
    drawn = [
        {
            "label": one.label,
            "mean": one.mean,
            "whislo": one.lower,
            "q1": one.quartiles[0],
            "med": one.quartiles[1],
            "q3": one.quartiles[2],
            "whishi": one.upper,
            "fliers": one.outliers,
        }
        for one in distributions
    ]
    small = {"marker": "o", "markersize": 2.5}
    artists = ax.bxp(
        drawn,
        orientation="horizontal",
        showmeans=True,
        widths=0.55,
        flierprops={**small, "markerfacecolor": "none", "markeredgecolor": "0.35"},
        meanprops={**small, "markerfacecolor": "black", "markeredgecolor": "black"},
    )
    for line, colour in zip(artists["medians"], cycle(COLOURS), strict=False):
        line.set(color=colour, linewidth=2)
    ax.invert_yaxis()  # the first learner on top


def _draw_densities(ax: Axes, distributions: Sequence[Distribution]) -> None:
    for one, colour, stroke in zip(distributions, cycle(COLOURS), cycle(STROKES), strict=False):
        if one.density:
            x, height = zip(*one.density, strict=True)
            ax.plot(x, height, color=colour, linestyle=stroke, linewidth=1.3, label=one.label)
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    ax.set_ylabel("density", fontsize=SMALL)
    if any(one.density for one in distributions):
        ax.legend(fontsize=SMALL, frameon=False)


# ----------------------------------------------------------------------------------------------------------------------
# The numbers of a box-and-whisker plot, after Tukey: hinges, not quantiles.


@dataclass(frozen=True, slots=True)
class Box:
    """Ends of the whiskers, hinges, median, and the values beyond the whiskers in their order of appearance."""

    low: float
    lower_hinge: float
    median: float
    upper_hinge: float
    high: float
    outliers: Array


def box(values: ArrayLike, reach: float = 1.5) -> Box:
    """The box of a sample. A hinge is the median of a half, the middle value of an odd number belonging to both halves.

    Whiskers end at the most extreme values within `reach` times the distance of the hinges from them; the others are
    outliers. As R's `boxplot.stats`.

    >>> found = box([0.1, 0.3, 1.2, 2.2, 9.9])
    >>> found.low, found.lower_hinge, found.median, found.upper_hinge, found.high, found.outliers.tolist()
    (0.1, 0.3, 1.2, 2.2, 2.2, [9.9])
    """
    if not 0 <= reach <= inf:
        raise UsageError(f"The reach of a whisker is not negative; found {reach!r}.")
    x = number_column(values)
    ordered = np.sort(x)
    half = (len(x) + 1) // 2
    lower, upper = float(np.median(ordered[:half])), float(np.median(ordered[-half:]))
    limit = reach * (upper - lower) if reach < inf else inf
    inside = (x >= lower - limit) & (x <= upper + limit)
    kept = x[inside]
    return Box(float(kept.min()), lower, float(np.median(ordered)), upper, float(kept.max()), x[~inside])
