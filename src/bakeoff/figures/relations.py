"""The matrix of relations: each learner against each other, with the difference, wins, ties and losses, and p.

The row is read against the column. Above the diagonal stand differences and how often the row won, tied and lost, below
it the p-values; the shade of both is the decision. `relations` makes the table behind the figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError
from bakeoff.figures.figure import BASE, FAINT, INK, POINTS_PER_INCH, Chart, small_size
from bakeoff.figures.lettering import column, labels_of, lines_of, literal, width_of, write_literally
from bakeoff.figures.tables import refuse_means_of_groups
from bakeoff.judging.verdict import Decision
from bakeoff.records import Record
from bakeoff.scores import Level, Missing, blocks
from bakeoff.text import number, p_value

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bakeoff.judging.verdict import Judged, Verdict
    from bakeoff.scores import Scores

MOST_LEARNERS = 40
MANY = 10  # learners, from which on there may be no room for numbers
MOST_LINES = 3  # of a name above a column
# The row is …: what is written where there is no room for numbers, and the shade, which prints in grey.
SIGNS = {"better": "+", "worse": "_", "equivalent": "s", "non-inferior": "^", "undecided": "."}  # as markers
SHADES = {
    "better": "#7fb0dd", "worse": "#fbdcc4", "equivalent": "#c4c4c4", "non-inferior": "#cfe2f3", "undecided": "white",
}  # fmt: skip
_MIRRORED = {"better": "worse", "worse": "better"}


@dataclass(frozen=True, slots=True, eq=False)
class Relation(Record):
    """What is known of one learner (row) against another (column); wins, ties and losses are −1 where not counted."""

    row: str
    column: str
    decision: str
    advantage: float
    p: float
    wins: int = -1
    ties: int = -1
    losses: int = -1


@dataclass(frozen=True, eq=False)
class Relations(Chart, Record):
    """A square of learners, best first, and a relation for each ordered pair that was compared."""

    learners: tuple[str, ...]
    labels: tuple[str, ...]
    relations: tuple[Relation, ...]
    posterior: bool
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "relations": "each learner against each other: difference, wins, ties and losses, and p"
    }
    made_of: ClassVar[str] = "verdict"

    @classmethod
    def of(cls, source: Any, kind: str = "", scores: Scores | None = None, **options: Any) -> Relations:
        return relations(source, scores)

    def to_frame(self) -> pd.DataFrame:
        """One row an ordered pair."""
        import pandas as pd

        names = ("row", "column", "decision", "advantage", "p", "wins", "ties", "losses")
        return pd.DataFrame([[getattr(one, name) for name in names] for one in self.relations], columns=list(names))

    def height_at(self, width: float) -> float:
        k, small = len(self.learners), BASE * 0.833
        longest = max(width_of(label, small) for label in self.labels)
        cell = max(11.0, (width * POINTS_PER_INCH - longest - 3 * small - 8) / k)
        heads = _heads(self.labels, small, cell - 5)
        above = max(head.count("\n") + 1 for head in heads) * 1.3 * small + 12 if heads else longest + 14
        return (k * min(cell, 2.6 * small + 6) + above) / POINTS_PER_INCH

    def draw(self, ax: Axes) -> None:
        """Columns have the names of the rows, lying where there is room for it."""
        from matplotlib.colors import to_rgb

        k, size = len(self.learners), small_size()
        place = {name: i for i, name in enumerate(self.learners)}
        root = ax.figure.get_figure(root=True)
        left = max(width_of(label, size) for label in self.labels)
        cell = max(6.0, (root.get_size_inches()[0] * POINTS_PER_INCH - left - 3 * size) / k)
        cell = min(cell, max(6.0, ax.get_window_extent().width * POINTS_PER_INCH / root.dpi / k) * 1.25)
        shades = np.full((k, k, 3), to_rgb("white"))
        shades[np.arange(k), np.arange(k)] = to_rgb("0.93")
        for one in self.relations:
            shades[place[one.row], place[one.column]] = to_rgb(SHADES[one.decision])
        edges = np.arange(k + 1) - 0.5
        ax.pcolormesh(edges, edges, shades, edgecolors="white", linewidth=1.0)
        self._write_cells(ax, cell - 3, size)
        ax.set_xlim(-0.5, k - 0.5)
        ax.set_ylim(k - 0.5, -0.5)
        ax.set_yticks(range(k), self.labels)
        heads = _heads(self.labels, size, cell - 5)
        ax.set_xticks(range(k), heads or self.labels, rotation=0 if heads else 90)
        ax.tick_params(length=0, labelsize=size, labelbottom=False, labeltop=True)
        ax.spines[:].set_color(FAINT)
        write_literally(ax)

    def _write_cells(self, ax: Axes, room: float, size: float) -> None:
        """Numbers, or signs where there is no room for them."""
        place = {name: i for i, name in enumerate(self.learners)}
        texts = self.cells()
        widest = max(width_of(line, size) for text in texts.values() for line in text.split("\n"))
        fitting = next((part for part in (0.92, 0.8) if part * widest <= room), None)
        if fitting is not None:
            for (row, other), text in texts.items():
                ax.text(
                    place[other], place[row], text, ha="center", va="center", fontsize=size * fitting, color=INK,
                    linespacing=1.15, in_layout=False,
                )  # fmt: skip
            return
        for decision, sign in SIGNS.items():
            at = [(place[one.column], place[one.row]) for one in self.relations if one.decision == decision]
            if at:
                ax.plot(*zip(*at, strict=True), sign, color=INK, markersize=4, markeredgewidth=0.8)

    def cells(self) -> dict[tuple[str, str], str]:
        """What stands in each cell, where there is room for numbers."""
        place = {name: i for i, name in enumerate(self.learners)}
        known = [one for one in self.relations if not isnan(one.advantage)]
        numbers = column([one.advantage for one in known], 3)
        shown = {(one.row, one.column): text for one, text in zip(known, numbers, strict=True)}
        texts = {}
        for one in self.relations:
            lines = []
            if place[one.row] < place[one.column]:
                lines.append(shown.get((one.row, one.column), ""))
                if one.wins >= 0:
                    lines.append(f"{one.wins}–{one.ties}–{one.losses}")
            elif not isnan(one.p):
                lines.append(f"{one.p:.2f}" if self.posterior else p_value(one.p))
            texts[one.row, one.column] = "\n".join(line for line in lines if line)
        return texts


def _heads(labels: Sequence[str], size: float, room: float) -> list[str]:
    """The names of the columns in lines that fit them; nothing if they have to stand."""
    lines = [lines_of(label, size, room) for label in labels]
    fit = all(len(one) <= MOST_LINES and all(width_of(line, size) <= room for line in one) for one in lines)
    return ["\n".join(one) for one in lines] if fit else []


def relations(verdict: Verdict, scores: Scores | None = None) -> Relations:
    """The table behind the figure; with the scores also wins, ties and losses."""
    refuse_means_of_groups(verdict.finding)
    learners = verdict.ranking
    pairs = [one for one in verdict.decisions if one.second in learners]
    if not pairs or len(learners) < 2:
        raise MisfitError(
            f"A matrix of relations shows pairs, and {verdict.finding.title} compares none here.",
            alternatives=["judge at least two learners with a procedure for pairs"],
        )
    if len(learners) > MOST_LEARNERS:
        raise MisfitError(
            f"A matrix of {len(learners)} learners cannot be read; at most {MOST_LEARNERS} are drawn.",
            alternatives=["choose the learners that the question is about: --learner NAME, for each of them"],
        )
    counts = _counts(verdict, scores) if scores is not None else {}
    both = [relation for one in pairs for relation in _both(one, verdict, counts)]
    place = {name: i for i, name in enumerate(learners)}
    both.sort(key=lambda one: (place[one.row], place[one.column]))
    return Relations(
        learners=learners,
        labels=tuple(labels_of(learners)),
        relations=tuple(both),
        posterior=verdict.finding.posterior,
        title="Matrix of relations",
        caption=literal(" ".join(_caption(verdict, bool(counts)))),
    )


Counts = Mapping[tuple[str, str], tuple[int, int, int]]


def _counts(verdict: Verdict, scores: Scores) -> Counts:
    """Wins, ties and losses of the first of each pair, over the blocks of the verdict that both have a value in."""
    finding = verdict.finding
    if finding.level is Level.SINGLE or scores.independent or finding.n_each:
        return {}
    one = scores.only(measure=finding.measure.name) if finding.measure.name in scores.measure.labels else scores
    table = blocks(one, level=finding.level, missing=Missing.DROP_BLOCK)
    values = table.measure.sign * table.values
    at = {name: i for i, name in enumerate(table.learners)}
    counts = {}
    for judged in verdict.decisions:
        if judged.first in at and judged.second in at:
            difference = values[:, at[judged.first]] - values[:, at[judged.second]]
            counts[judged.first, judged.second] = (
                int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum())
            )  # fmt: skip
    return counts


def _both(judged: Judged, verdict: Verdict, counts: Counts) -> list[Relation]:
    """A pair, read from either side."""
    decision, row = judged.decision.value, judged.row
    p = row.p_adjusted
    if verdict.finding.posterior:
        p = max(row.better, row.worse, row.same)
    wins, ties, losses = counts.get((judged.first, judged.second), (-1, -1, -1))
    back = _MIRRORED.get(decision, decision)
    if judged.decision is Decision.NON_INFERIOR:  # says nothing of the second against the first
        back = "undecided"
    advantage = judged.advantage if not isnan(judged.advantage) else nan
    return [
        Relation(judged.first, judged.second, decision, advantage, p, wins, ties, losses),
        Relation(judged.second, judged.first, back, 0.0 - advantage, p, losses, ties, wins),
    ]


def _caption(verdict: Verdict, counted: bool) -> list[str]:
    finding = verdict.finding
    parts = [] if verdict.standing is None else [str(verdict.standing)]
    parts.append(f"{finding.title}, {finding.sides}, {finding.adjust_title}, α = {number(finding.alpha)}, "
                 f"N = {finding.n_blocks} ({finding.level.value}).")  # fmt: skip
    above = f"the {finding.scale} as an advantage of the row over the column"
    if counted:
        above += ", with its wins–ties–losses"
    below = "the largest posterior probability" if finding.posterior else "the adjusted p"
    parts.append(f"Learners from the best to the worst. Above the diagonal: {above}; below it: {below}.")
    seen = {one.decision.value for one in verdict.decisions}
    shades = ["blue: the row is better", "orange: it is worse"]
    if "equivalent" in seen:
        shades.append("grey: the two are equivalent within the margin")
    if "non-inferior" in seen:
        shades.append("pale blue: the row is not worse by the margin")
    if len(finding.learners) > MANY:
        parts.append("Where there is no room for numbers: + the row is better, − it is worse, · not decided.")
    parts.append(f"Shaded are decisions ({'; '.join(shades)}); white is not decided, which is not equality.")
    return parts
