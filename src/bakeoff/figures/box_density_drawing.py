"""Drawing performance distributions: a row for each panel, boxes on the left and densities on the right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from bakeoff.figures.box_density import BoxDensity, Distribution
from bakeoff.presentation import wrapped

WIDTH = 6.5  # inches: that of a page
ROW, HEAD = 0.3, 1.1  # inches for a learner, and for heading and axis of a panel
LEAST_PANEL = 1.9
SIZE, SMALL = 9.0, 7.5
# Told apart by colour, and in black and white by the stroke.
COLOURS = ("#0050a0", "#c04000", "#2a7f2a", "#7a3b9a", "#555555")
STROKES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))


def new_figure(info: BoxDensity) -> Figure:
    """A figure as high as its panels need."""
    heights = [max(LEAST_PANEL, HEAD + ROW * len(panel.distributions)) for panel in info.panels]
    made = Figure(figsize=(WIDTH, sum(heights) + 0.5), facecolor="white", layout="constrained")
    axes = made.subplots(len(info.panels), 2, squeeze=False, sharex=True, height_ratios=heights)
    for panel, (boxes, densities) in zip(info.panels, axes, strict=True):
        _draw_boxes(boxes, panel.distributions)
        _draw_densities(densities, panel.distributions)
        boxes.set_title(panel.heading, fontsize=SIZE, loc="left")
        for ax in (boxes, densities):
            ax.set_xlabel(info.axis, fontsize=SMALL)
            ax.tick_params(labelsize=SMALL, labelbottom=True)
            ax.spines[["top", "right"]].set_visible(False)
    made.suptitle(info.title, fontsize=SIZE)
    made.supxlabel(wrapped(info.caption, 105), fontsize=6.5, x=0.02, ha="left", color="0.35")
    for text in made.findobj(Text):
        text.set_parse_math(False)  # a dollar in a name is a dollar
    return made


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
    made = ax.bxp(
        drawn,
        orientation="horizontal",
        showmeans=True,
        widths=0.55,
        flierprops={**small, "markerfacecolor": "none", "markeredgecolor": "0.35"},
        meanprops={**small, "markerfacecolor": "black", "markeredgecolor": "black"},
    )
    for line, colour in zip(made["medians"], cycle(COLOURS), strict=False):
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
