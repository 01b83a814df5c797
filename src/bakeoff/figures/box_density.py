"""Performance distributions: box plots beside kernel densities, a panel for each way the performance was measured.

Hothorn, Leisch, Zeileis and Hornik (2005), figures 3–5. A box shows quartiles and outliers, the density the
skewness that a box hides. `box_density` makes the table behind the figure; only drawing loads matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, pi, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.figures.figure import PALE, PanelChart, plain_axes, strokes
from bakeoff.figures.lettering import labels_of, literal
from bakeoff.figures.tables import values_of
from bakeoff.mathematics.checks import Array, choice, number_column
from bakeoff.text import listing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

REACH = 1.5  # of a whisker, in lengths of the box
POINTS = 200  # at which a density is drawn
TAIL = 3.0  # bandwidths that a density goes on beyond the outermost values


@dataclass(frozen=True, slots=True)
class Distribution:
    """One learner's performances: mean, box, whiskers, what lies beyond them, and the density at some points.

    The whiskers reach the outermost values within 1.5 lengths of the box. `density` are pairs (value, height), none if
    all values are the same; `values` are the raw points, none if there are too many to draw.
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
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """The learners under one heading."""

    heading: str
    distributions: tuple[Distribution, ...]


@dataclass(frozen=True)
class BoxDensity(PanelChart):
    """How performances are distributed: a row for each panel, boxes on the left and densities on the right."""

    panels: tuple[Panel, ...]
    axis: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {"box-density": "boxes and densities of the scores of each learner"}
    made_of: ClassVar[str] = "scores"

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, measure: str | None = None, bandwidth: str = "nrd0", **options: Any
    ) -> BoxDensity:
        """The scores of one measure: over the tasks, or over the resamples or instances of each task."""
        values = values_of(source, measure)
        title = f"{values.measure}, {source.source}"
        return box_density(values.panels, axis=values.axis, title=title, bandwidth=bandwidth)

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
    def panel_grid(self) -> tuple[list[float], list[float]]:
        return self._heights, [1.0, 1.0] if self._dense else [1.0]

    @property
    def _dense(self) -> bool:
        """Whether any learner has a density: single values have none."""
        return any(one.density for panel in self.panels for one in panel.distributions)

    @property
    def _heights(self) -> list[float]:
        return [max(LEAST_PANEL, HEAD + ROW * len(panel.distributions)) for panel in self.panels]

    def height_at(self, width: float) -> float:
        return sum(self._heights)

    def draw_panels(self, axes: Sequence[Sequence[Axes]]) -> None:
        for panel, (boxes, *beside) in zip(self.panels, axes, strict=True):
            _draw_boxes(boxes, panel.distributions)
            boxes.set_title(panel.heading, fontsize="medium", loc="left")
            for densities in beside:
                across = densities.figure.get_figure(root=True).get_size_inches()[0]
                together = len(panel.distributions) <= MOST_TOGETHER and across >= LEAST_TOGETHER
                (_draw_densities if together else _draw_density_rows)(densities, panel.distributions)
                densities.set_yticks([])
            for ax in (boxes, *beside):
                plain_axes(ax, self.axis)
            for densities in beside:
                densities.set_ylabel("density", fontsize="small")
            boxes.tick_params(axis="y", length=0)
            ends = [end for ax in (boxes, *beside) for end in ax.get_xlim()]
            for ax in (boxes, *beside):
                ax.set_xlim(min(ends), max(ends))


def box_density(
    samples: Mapping[str, Mapping[str, ArrayLike]], *, axis: str, title: str = "", bandwidth: str = "nrd0"
) -> BoxDensity:
    """The table behind the figure, from performances by panel and learner. `bandwidth` is the rule of the densities.

    >>> result = box_density({"OOB": {"tree": [0.1, 0.2, 0.2, 0.3], "forest": [0.1, 0.1, 0.1, 0.9]}}, axis="error")
    >>> result.panels[0].distributions[1].outliers
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
            _distribution(name, label, number_column(values, f"performances of {name}"), bandwidth)
            for (name, values), label in zip(by_learner.items(), labels, strict=True)
        )
        panels.append(Panel(heading, panels_drawn))
    sizes = [f"{panel.heading or 'All'}: {panel.distributions[0].size} samples" for panel in panels]
    caption = (
        f"{'; '.join(sizes)}. Boxes are quartiles, the dot is the mean, whiskers reach at most {REACH:g} boxes; "
        "grey points are the values, densities are by a normal kernel."
    )
    return BoxDensity(tuple(panels), literal(axis), literal(title), caption)


def _distribution(name: str, label: str, values: Array, rule: str) -> Distribution:
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
        density=_density(values, rule),
        values=tuple(values.tolist()) if len(values) <= MOST_VALUES else (),
    )


def bandwidth(values: Array, rule: str = "nrd0") -> float:
    """How wide the kernels of a density are, by a rule that is called as in R.

    nrd0   Silverman's rule of thumb, .9 min(sd, IQR/1.34) n^(−1/5); sd alone if half of the values are the same
    nrd    Scott's variation of it, with 1.06
    sj     Sheather and Jones's (1991): the width that the roughness of the data asks for; it follows several modes,
           which the other two smooth away

    >>> values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> [round(bandwidth(values, rule), 4) for rule in ("nrd0", "nrd", "sj")]
    [0.9736, 1.1467, 1.4393]
    """
    return RULES[choice(rule, RULES, "rule of the bandwidth")](values) if len(values) > 1 else 0.0


def _spread(values: Array, quartile: float) -> float:
    """The standard deviation, or the distance between the quartiles in its unit, whichever is smaller."""
    q1, q3 = np.quantile(values, (0.25, 0.75))
    return min(float(values.std(ddof=1)), float(q3 - q1) / quartile)


def _silverman(values: Array) -> float:
    return float(0.9 * (_spread(values, 1.34) or values.std(ddof=1)) * len(values) ** -0.2)


def _scott(values: Array) -> float:
    return float(1.06 * _spread(values, 1.34) * len(values) ** -0.2)


BINS = 1000  # of the distances between values, as in R


def sheather_jones(values: Array, precision: float = 1e-10) -> float:
    """The h that solves h = (2 √π n S(α(h)))^(−1/5), S being the roughness of the density at a pilot width α(h).

    Sheather and Jones (1991), equation (12), from distances in BINS classes, as in R's bw.SJ. R looks for it in
    [.1, 1] times an upper bound and is content with `precision` .1 of the lower end.

    >>> round(sheather_jones(np.array([1.0, 1.1, 1.3, 5.0, 5.2, 5.3, 9.0])), 4)
    0.6981
    """
    from scipy.optimize import brentq

    n, spread = len(values), _spread(values, 1.349)
    roughness = _roughness(values)
    if spread > 0:
        curvature = -roughness(1.23 * spread * n ** (-1 / 9), (-15.0, 45.0, -15.0, 1.0))
    if spread == 0 or not curvature > 0:
        raise DegenerateError(
            "Sheather and Jones's bandwidth does not exist: too many of the values are the same, or too few lie near "
            "each other. Use the rule nrd0."
        )
    fourth = (3.0, -6.0, 1.0)
    pilot = 1.357 * (roughness(1.24 * spread * n ** (-1 / 7), fourth) / curvature) ** (1 / 7)

    def excess(h: float) -> float:
        return float((1 / (2 * sqrt(pi) * n * roughness(pilot * h ** (5 / 7), fourth))) ** 0.2 - h)

    upper = 1.144 * spread * n**-0.2
    lower = 0.1 * upper
    for attempt in range(100):
        if excess(lower) * excess(upper) <= 0:
            break
        lower, upper = (lower / 1.2, upper) if attempt % 2 else (lower, upper * 1.2)
    return float(brentq(excess, lower, upper, xtol=precision * lower, rtol=4 * float(np.finfo(float).eps)))


def _roughness(values: Array) -> Callable[[float, tuple[float, ...]], float]:
    """The mean of a derivative of the normal density over all pairs, by the width and the polynomial in δ²."""
    n = len(values)
    width = 1.01 * float(np.ptp(values)) / BINS
    place = np.trunc(values / width).astype(np.int64) if width > 0 else np.zeros(n, dtype=np.int64)
    filled = np.bincount(place - place.min())
    pairs = np.correlate(filled, filled, "full")[len(filled) - 1 :].astype(float)
    pairs[0] = (pairs[0] - n) / 2
    distance = np.arange(len(pairs)) * width

    def mean(h: float, polynomial: tuple[float, ...]) -> float:
        square = (distance / h) ** 2
        near = square < 1000
        terms = np.exp(-square[near] / 2) * np.polynomial.polynomial.polyval(square[near], polynomial)
        total = 2 * float(terms @ pairs[near]) + n * polynomial[0]
        return total / (n * (n - 1) * h ** (2 * len(polynomial) - 1) * sqrt(2 * pi))

    return mean


RULES: Mapping[str, Callable[[Array], float]] = {"nrd0": _silverman, "nrd": _scott, "sj": sheather_jones}


def _density(values: Array, rule: str) -> tuple[tuple[float, float], ...]:
    if np.ptp(values) <= 1e-12 * float(np.abs(values).max()):
        return ()
    width = bandwidth(values, rule)
    # Values that differ by rounding only have no density to speak of.
    if width <= 1e-12 * float(np.abs(values).max()):
        return ()
    grid = np.linspace(values.min() - TAIL * width, values.max() + TAIL * width, POINTS)
    kernel = np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2) / np.sqrt(2 * np.pi)
    heights = kernel.mean(axis=1) / width
    return tuple(zip(grid.tolist(), heights.tolist(), strict=True))


# ----------------------------------------------------------------------------------------------------------------------
# Drawing performance distributions: a row for each panel, boxes on the left and densities on the right.


ROW, HEAD = 0.26, 0.7  # inches for a learner, and for heading and axis of a panel
LEAST_PANEL = 1.7
MOST_TOGETHER = 4  # densities over one another; more have a row each, as their legend would take their room
LEAST_TOGETHER = 4.5  # inches of a figure in which there is room for their legend
MOST_VALUES = 400  # of a learner that are drawn one by one


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
    for place, one in enumerate(distributions, start=1):
        if one.values:  # spread over the height of the box, the same way each time
            height = place + 0.44 * (np.arange(len(one.values)) * 0.618034 % 1 - 0.5)
            ax.plot(one.values, height, ".", color=PALE, markersize=2.2, zorder=1)
    small = {"marker": "o", "markersize": 2.5}
    artists = ax.bxp(
        drawn,
        orientation="horizontal",
        showmeans=True,
        widths=0.55,
        flierprops={**small, "markerfacecolor": "none", "markeredgecolor": "0.35"},
        meanprops={**small, "markerfacecolor": "black", "markeredgecolor": "black"},
    )
    for line, look in zip(artists["medians"], strokes(len(distributions)), strict=True):
        line.set(color=look["color"], linewidth=2)
    ax.set_ylim(len(distributions) + 0.5, 0.5)  # the first learner on top


def _draw_densities(ax: Axes, distributions: Sequence[Distribution]) -> None:
    for one, look in zip(distributions, strokes(len(distributions)), strict=True):
        if one.density:
            x, height = zip(*one.density, strict=True)
            ax.plot(x, height, linewidth=1.3, label=one.label, **look)
    drawn = sum(bool(one.density) for one in distributions)
    highest = max((height for one in distributions for _, height in one.density), default=1.0)
    high = max(LEAST_PANEL, HEAD + ROW * len(distributions)) - 0.5  # inches of the ax, of which the legend takes some
    ax.set_ylim(0, 1.05 * highest / max(0.3, 1 - (0.15 * drawn + 0.06) / high))
    if drawn:
        ax.legend(fontsize="small", frameon=False, handlelength=2.6, loc="upper right", borderaxespad=0.1)


def _draw_density_rows(ax: Axes, distributions: Sequence[Distribution]) -> None:
    """A density beside each box, all on one scale."""
    highest = max((height for one in distributions for _, height in one.density), default=1.0)
    for place, (one, look) in enumerate(zip(distributions, strokes(len(distributions)), strict=True), start=1):
        if one.density:
            x, height = (np.array(part) for part in zip(*one.density, strict=True))
            base = place + 0.4
            ax.plot(x, base - 0.85 * height / highest, linewidth=1.0, color=look["color"])
            ax.fill_between(x, base, base - 0.85 * height / highest, color=look["color"], alpha=0.2, linewidth=0)
    ax.set_ylim(len(distributions) + 0.5, 0.5)


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

    >>> result = box([0.1, 0.3, 1.2, 2.2, 9.9])
    >>> result.low, result.lower_hinge, result.median, result.upper_hinge, result.high, result.outliers.tolist()
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
