"""The posterior triangle: for each pair the probabilities that the first is worse, practically the same, or better.

Benavoli, Corani, Demšar and Zaffalon (2017), JMLR 18, 1–36. The corners are certainty; of a single pair whose shares
have a Dirichlet law (the sign test) draws of it are shown as a cloud.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError
from bakeoff.figures.figure import ACCENT, FAINT, INK, PALE, POINTS_PER_INCH, Chart, small_size
from bakeoff.figures.lettering import labels_of, literal, width_of, write_literally
from bakeoff.records import Record
from bakeoff.text import number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bakeoff.judging.verdict import Verdict

DRAWS = 600
HEIGHT = sqrt(3) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Chances(Record):
    """The probabilities that the first of a pair is worse than the second, the same, or better; they add up to one."""

    first: str
    second: str
    label: str
    worse: float
    same: float
    better: float
    decision: str


@dataclass(frozen=True, eq=False)
class PosteriorTriangle(Chart, Record):
    """A point for each pair; `cloud` are draws of the shares of a single pair, if their law is known."""

    pairs: tuple[Chances, ...]
    cloud: tuple[tuple[float, float, float], ...]
    sure: float
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "posterior": "posterior probabilities of worse, same and better in a triangle (Bayesian procedures)"
    }
    made_of: ClassVar[str] = "verdict"
    size: ClassVar[tuple[float, float]] = (5.2, 4.6)

    @classmethod
    def of(cls, source: Any, kind: str = "", **options: Any) -> PosteriorTriangle:
        return posterior_triangle(source)

    def to_frame(self) -> pd.DataFrame:
        """One row a pair."""
        import pandas as pd

        names = ("first", "second", "worse", "same", "better", "decision")
        return pd.DataFrame([[getattr(one, name) for name in names] for one in self.pairs], columns=list(names))

    def draw(self, ax: Axes) -> None:
        """Worse on the left, better on the right, the same on top; where a claim is made the corner is shaded."""
        corners = [(0.0, 0.0), (0.5, HEIGHT), (1.0, 0.0)]
        for i in range(3):
            shares = np.eye(3)[i]
            near = [self.sure * shares + (1 - self.sure) * np.eye(3)[j] for j in range(3)]
            ax.fill(*zip(*(_place(*one) for one in near), strict=True), color=ACCENT, alpha=0.14, linewidth=0)
        middle = (0.5, HEIGHT / 3)
        for a, b in ((0, 1), (1, 2), (0, 2)):
            half = ((corners[a][0] + corners[b][0]) / 2, (corners[a][1] + corners[b][1]) / 2)
            ax.plot(*zip(middle, half, strict=True), color=PALE, linewidth=0.7, linestyle=(0, (1, 1.5)))
        ax.plot(*zip(*corners, corners[0], strict=True), color=INK, linewidth=1.0)
        if self.cloud:
            ax.plot(*zip(*(_place(*one) for one in self.cloud), strict=True), ".", color=PALE, markersize=2, zorder=1)
        for decided in (True, False):
            at = [_place(o.worse, o.same, o.better) for o in self.pairs if (o.decision != "undecided") is decided]
            if at:
                ax.plot(*zip(*at, strict=True), "o", color=ACCENT if decided else INK, markersize=5, zorder=4,
                        markerfacecolor=ACCENT if decided else "white")  # fmt: skip
        for (x, y), text, across, along in (
            ((0.0, -0.03), "first worse", "center", "top"), ((0.5, HEIGHT + 0.02), "same", "center", "bottom"),
            ((1.0, -0.03), "first better", "center", "top"),
        ):  # fmt: skip
            ax.text(x, y, text, ha=across, va=along, fontsize="medium")
        self._name(ax)
        ax.set_xlim(-0.12, 1.12)
        ax.set_ylim(-0.12, HEIGHT + 0.1)
        ax.set_aspect("equal")
        ax.set_axis_off()
        write_literally(ax)

    def _name(self, ax: Axes) -> None:
        """The names of pairs, as many as have room."""
        size = small_size()
        unit = 0.8 * ax.figure.get_figure(root=True).get_size_inches()[0] * POINTS_PER_INCH / 1.24
        places = [[unit * value for value in _place(one.worse, one.same, one.better)] for one in self.pairs]
        # Neither over a point, nor over the base of the triangle and what is written below it.
        taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in places] + [(-0.1 * unit, -99.0, 1.1 * unit, 1.0)]
        for one, (x, y) in zip(self.pairs, places, strict=True):
            wide = width_of(one.label, size)
            for left, middle in ((x + 6, y), (x - 6 - wide, y), (x - wide / 2, y + 5 + 0.7 * size)):
                box = (left, middle - 0.7 * size, left + wide, middle + 0.7 * size)
                free = not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken)
                if free and -0.12 * unit <= left and left + wide <= 1.12 * unit:
                    taken.append(box)
                    place = left / unit, middle / unit
                    ax.text(*place, one.label, fontsize=size, va="center", color=FAINT, in_layout=False)
                    break


def _place(worse: float, same: float, better: float) -> tuple[float, float]:
    """Where shares lie in the triangle."""
    return better + 0.5 * same, HEIGHT * same


def posterior_triangle(verdict: Verdict) -> PosteriorTriangle:
    """The table behind the figure, from a verdict of a Bayesian procedure."""
    judged = [one for one in verdict.decisions if not isnan(one.row.better)]
    if not judged:
        raise MisfitError(
            f"{verdict.finding.title} gives no posterior probabilities of worse, same and better.",
            alternatives=["a Bayesian procedure, with --margin Δ (`bakeoff procedures` lists them)"],
        )
    names = list(dict.fromkeys(name for one in judged for name in (one.first, one.second)))
    label = dict(zip(names, labels_of(names), strict=True))
    pairs = tuple(
        Chances(
            one.first, one.second, f"{label[one.first]} – {label[one.second]}", one.row.worse, one.row.same,
            one.row.better, one.decision.value,
        )
        for one in judged
    )  # fmt: skip
    finding, cloud = verdict.finding, _cloud(verdict)
    rope = float(finding.options.get("rope") or 0.0)
    caption = (
        f"{finding.title}: for each pair the posterior probabilities that the first is worse than the second, the same "
        f"within {number(rope)}, or better; the nearer to a corner the more probable. In a shaded corner it has "
        f"{number(1 - finding.alpha)} or more, and is claimed (filled)."
    )
    if cloud:
        caption += " Grey points are draws of the shares of tasks from the posterior."
    return PosteriorTriangle(pairs, cloud, 1 - finding.alpha, "Posterior triangle", literal(caption))


def _cloud(verdict: Verdict) -> tuple[tuple[float, float, float], ...]:
    """Draws of the shares (worse, same, better) of a single pair, where the procedure tells their Dirichlet law."""
    details: Sequence[Any] = [verdict.finding.details, *verdict.finding.details.values()]
    laws = [part["posterior"] for part in details if isinstance(part, Mapping) and "posterior" in part]
    if len(verdict.decisions) != 1 or not laws:
        return ()
    counts = np.maximum(np.asarray(laws[0], dtype=float), 1e-9)
    if counts.shape != (3,):
        return ()
    drawn = np.random.default_rng(0).dirichlet(counts, DRAWS)
    sign = 1 if verdict.finding.larger_is_better else -1
    return tuple((float(a), float(b), float(c)) for a, b, c in drawn[:, ::sign])
