"""The scatter of a pair: the values of two learners on each task (fold, instance) against each other.

On the diagonal both have the same value; a point lies on the side of whoever is better there. `scatter` makes
the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.figure import ACCENT, FAINT, INK, PALE, POINTS_PER_INCH, Chart, plain_axes, small_size
from bakeoff.figures.lettering import labels_of, literal, shortened_in_the_middle, width_of, write_literally
from bakeoff.figures.tables import number_of, shared_blocks
from bakeoff.scores import Blocks, Level
from bakeoff.scores.blocks import place_in_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_NAMED = 12  # points that are named: those furthest from the diagonal


@dataclass(frozen=True, slots=True)
class PairPoint:
    """What two learners have in one block; `outcome` is that of the first: win, tie or loss."""

    block: str
    first: float
    second: float
    outcome: str


@dataclass(frozen=True)
class Scatter(Chart):
    """Points of one pair; `named` are the blocks to be named where there is room."""

    first: str
    second: str
    points: tuple[PairPoint, ...]
    named: tuple[str, ...]
    measure: str
    larger_is_better: bool
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {"scatter": "two learners against each other, a point for each task"}
    made_of: ClassVar[str] = "scores"
    square: ClassVar[bool] = True
    size: ClassVar[tuple[float, float]] = (4.2, 4.2)

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, measure: str | None = None, level: Level | str | None = None,
        pair: tuple[str, str] | None = None, **options: Any,
    ) -> Scatter:  # fmt: skip
        """The two learners named; else the only two, or the two best of several."""
        return scatter(shared_blocks(source, measure, level), pair)

    def to_frame(self) -> pd.DataFrame:
        """One row a block."""
        import pandas as pd

        rows = [(point.block, point.first, point.second, point.outcome) for point in self.points]
        return pd.DataFrame(rows, columns=["block", self.first, self.second, "outcome"])

    def counts(self) -> tuple[int, int, int]:
        """Wins, ties and losses of the first."""
        outcomes = [point.outcome for point in self.points]
        return outcomes.count("win"), outcomes.count("tie"), outcomes.count("loss")

    def draw(self, ax: Axes) -> None:
        """The first learner upwards, so that a point above the diagonal is larger for it."""
        x, y = (np.array([getattr(point, side) for point in self.points]) for side in ("second", "first"))
        low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
        room = 0.06 * (high - low) or 0.05 * abs(low) or 0.5
        ends = (low - room, high + room)
        ax.plot(ends, ends, color=PALE, linewidth=0.9, zorder=1)
        small = 3.0 if len(self.points) > 100 else 4.5
        for outcome, face, mark in (("win", ACCENT, "o"), ("tie", "white", "s"), ("loss", "white", "o")):
            chosen = np.array([point.outcome == outcome for point in self.points])
            if chosen.any():
                style: dict[str, Any] = {
                    "markersize": small,
                    "markeredgecolor": ACCENT if outcome == "win" else INK,
                    "zorder": 3,
                }
                ax.plot(x[chosen], y[chosen], mark, markerfacecolor=face, markeredgewidth=0.9, **style)
        ax.set_xlim(*ends)
        ax.set_ylim(*ends)
        first, second = labels_of([self.first, self.second])
        plain_axes(ax, f"{self.measure}, {second}", f"{self.measure}, {first}")
        wins, ties, losses = self.counts()
        corners = [(0.03, 0.97, "left", "top"), (0.97, 0.03, "right", "bottom")]
        labels = [f"better on {wins}: {first}", f"better on {losses}: {second}"]
        if ties:
            labels = [f"{labels[0]}\ntied: {ties}", labels[1]]
        for (a, b, across, along), text in zip(corners, labels if self.larger_is_better else labels[::-1], strict=True):
            ax.text(a, b, text, transform=ax.transAxes, ha=across, va=along, fontsize="small", color=FAINT,
                    in_layout=False)  # fmt: skip
        self._name_points(ax, ends, labels if self.larger_is_better else labels[::-1])
        write_literally(ax)

    def _name_points(self, ax: Axes, ends: tuple[float, float], corners: Sequence[str]) -> None:
        """Names beside points, furthest from the diagonal first, as long as they cover neither points nor names."""
        size = 0.85 * small_size()
        root = ax.figure.get_figure(root=True)
        side = 0.8 * root.get_size_inches()[0] * POINTS_PER_INCH  # of the square, about
        unit = side / (ends[1] - ends[0])
        dots = np.array([((p.second - ends[0]) * unit, (p.first - ends[0]) * unit) for p in self.points])
        above, below = (0.1 * side + max(width_of(line, small_size()) for line in text.split("\n")) for text in corners)
        taken = [(0.0, 0.9 * side - 3.2 * size, above, side), (side - below, 0.0, side, 0.1 * side + 3 * size)]
        taken += [(x - 2.5, y - 2.5, x + 2.5, y + 2.5) for x, y in dots.tolist()]
        at = {point.block: place for point, place in zip(self.points, dots.tolist(), strict=True)}
        for name in self.named:
            text, (x, y) = shortened_in_the_middle(literal(name), 18), at[name]
            wide = width_of(text, size) + 2
            for left, across in ((x + 5, "left"), (x - 5 - wide, "right")):
                box = (left, y - 0.6 * size, left + wide, y + 0.6 * size)
                if box[0] >= 0 and box[2] <= side and not any(_overlap(box, other) for other in taken):
                    taken.append(box)
                    where = (x / unit + ends[0], y / unit + ends[0])
                    ax.annotate(text, where, (5 if across == "left" else -5, 0), textcoords="offset points", ha=across,
                                va="center", fontsize=size, color=FAINT, in_layout=False)  # fmt: skip
                    break


Box = tuple[float, float, float, float]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def scatter(table: Blocks, pair: tuple[str, str] | None = None) -> Scatter:
    """The table behind the figure; without a pair of the two learners with the best means."""
    if table.n_learners < 2 or table.n_blocks < 2:
        counts = f"{table.n_learners} and {table.n_blocks}"
        raise MisfitError(
            f"A scatter needs two learners, and several blocks that both have a value in; found {counts}.",
            alternatives=["scores of two learners on several tasks, folds or instances"],
        )
    if pair is None:
        pair = tuple(table.learners[i] for i in table.best_first[:2])  # type: ignore[assignment]
    assert pair is not None
    if len(set(pair)) != 2 or not set(pair) <= set(table.learners):
        raise UsageError(
            f"A scatter shows two of the learners {', '.join(table.learners)}; found {' and '.join(pair)}."
        )
    first, second = (table.values[:, table.learners.index(name)] for name in pair)
    if set(np.unique(np.concatenate([first, second])).tolist()) <= {0.0, 1.0}:
        raise MisfitError(
            f"{table.measure.name} is 0 or 1 in each block, so that all points would lie on four places.",
            alternatives=["the table of right and wrong answers, which `bakeoff compare` shows"],
        )
    signs = np.sign(table.measure.sign * (first - second))
    labels = [place_in_words(place, ["task"] if table.level is Level.TASKS else ()) for place in table.places]
    outcome = {1.0: "win", 0.0: "tie", -1.0: "loss"}
    points = tuple(
        PairPoint(label, float(a), float(b), outcome[float(sign)])
        for label, a, b, sign in zip(labels, first, second, signs, strict=True)
    )
    furthest = sorted(points, key=lambda point: -abs(point.first - point.second))
    named = tuple(point.block for point in furthest if point.outcome != "tie")[:MOST_NAMED]
    caption = (
        f"{table.measure.name} of {pair[0]} (upwards) against {pair[1]} on {number_of(table)}, "
        f"{table.measure.better} is better. Filled: {pair[0]} is better; open: {pair[1]}; on the line both have the "
        "same value."
    )
    return Scatter(
        *pair, points, named if table.level is Level.TASKS else (), literal(table.measure.name),
        table.measure.larger_is_better, literal(f"{pair[0]} against {pair[1]}"), literal(caption),
    )  # fmt: skip
