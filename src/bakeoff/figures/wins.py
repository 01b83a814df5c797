"""The win/tie/loss chart: on how many tasks (folds, instances) each learner was better, equal or worse than others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.errors import MisfitError
from bakeoff.figures.figure import ACCENT, INK, NAMES, POINTS_PER_INCH, Chart, key, label_rows, plain_axes, small_size
from bakeoff.figures.lettering import labels_of, literal, width_of, write_literally
from bakeoff.figures.tables import number_of, shared_blocks
from bakeoff.scores import Blocks, Level

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LEARNERS = 60
LOOKS = {"wins": (ACCENT, "white"), "ties": ("0.93", INK), "losses": ("#eba677", INK)}


@dataclass(frozen=True, slots=True)
class WinRecord:
    """How often a learner won, tied and lost against the others."""

    learner: str
    label: str
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class WinChart(Chart):
    """A bar for each learner: wins, ties and losses against all others, or against one; most wins first."""

    rows: tuple[WinRecord, ...]
    against: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {"wins": "wins, ties and losses of each learner against the others"}
    made_of: ClassVar[str] = "scores"

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, measure: str | None = None, level: Level | str | None = None,
        control: str | None = None, **options: Any,
    ) -> WinChart:  # fmt: skip
        return win_chart(shared_blocks(source, measure, level), control)

    def to_frame(self) -> pd.DataFrame:
        """One row a learner."""
        import pandas as pd

        names = ("learner", "wins", "ties", "losses")
        return pd.DataFrame([[getattr(row, name) for name in names] for row in self.rows], columns=list(names))

    def height_at(self, width: float) -> float:
        return 0.85 + 0.22 * max(2, len(self.rows))

    def draw(self, ax: Axes) -> None:
        total = max(row.wins + row.ties + row.losses for row in self.rows)
        places, size = np.arange(len(self.rows)), small_size()
        start = np.zeros(len(self.rows))
        across = ax.figure.get_figure(root=True).get_size_inches()[0] * POINTS_PER_INCH
        names = max(width_of(row.label, size) for row in self.rows)
        room = (across - min(names, NAMES * across) - 4 * size) / total  # points of one block
        for name, (colour, ink) in LOOKS.items():
            counts = np.array([getattr(row, name) for row in self.rows])
            ax.barh(places, counts, left=start, height=0.72, color=colour, edgecolor="white", linewidth=0.6, label=name)
            for place, left, n in zip(places.tolist(), start.tolist(), counts.tolist(), strict=True):
                if n and width_of(str(n), size) + 3 < n * room:
                    ax.text(left + n / 2, place, str(n), ha="center", va="center", fontsize=size, color=ink,
                            in_layout=False)  # fmt: skip
            start += counts
        ax.set_xlim(0, total)
        plain_axes(ax, f"comparisons with {literal(self.against)}")
        label_rows(ax, [row.label for row in self.rows])
        key(ax, below=ax, loc="upper right", bbox_to_anchor=(1.0, 0.0))
        write_literally(ax)


def win_chart(table: Blocks, control: str | None = None) -> WinChart:
    """The table behind the figure."""
    names = table.learners
    if len(names) < 2 or len(names) > MOST_LEARNERS:
        raise MisfitError(
            f"Wins are counted between 2 to {MOST_LEARNERS} learners; found {len(names)}.",
            alternatives=["choose the learners that the question is about: --learner NAME, for each of them"],
        )
    if control is not None and control not in names:
        raise MisfitError(f"There is no learner {control!r} among {', '.join(names)}.")
    values = table.measure.sign * table.values
    rivals = range(len(names)) if control is None else [names.index(control)]
    rows = []
    for i, (name, label) in enumerate(zip(names, labels_of(names), strict=True)):
        if name != control:
            differences = [values[:, i] - values[:, j] for j in rivals if j != i]
            counts = (int(sum((how(d)).sum() for d in differences)) for how in (_above, _same, _below))
            rows.append(WinRecord(name, label, *counts))
    rows.sort(key=lambda row: row.losses - row.wins)
    against = "all others" if control is None else control
    caption = (
        f"How often each learner was better, equal or worse than {against} in {table.measure.name} on "
        f"{number_of(table)}. These are counts, not decisions: small differences count as large ones."
    )
    return WinChart(tuple(rows), against, "Wins, ties and losses", literal(caption))


def _above(d: Any) -> Any:
    return d > 0


def _same(d: Any) -> Any:
    return d == 0


def _below(d: Any) -> Any:
    return d < 0
