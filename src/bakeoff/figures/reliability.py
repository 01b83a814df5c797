"""Calibration of probabilities: how often what was said to happen with some probability did happen, with counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from bakeoff.errors import MisfitError
from bakeoff.figures.curves import MOST_BANDS, on_one_task
from bakeoff.figures.figure import MARKERS, PALE, PanelChart, key, plain_axes, strokes
from bakeoff.figures.lettering import labels_of, literal
from bakeoff.measures.answers import Reliability, reliability
from bakeoff.records import Record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LEARNERS = 30


@dataclass(frozen=True, eq=False)
class ReliabilityDiagram(PanelChart, Record):
    """Observed shares against predicted probabilities by learner, above how many rows there are of each."""

    learners: tuple[str, ...]
    classes: tuple[Reliability, ...]
    positive: str
    title: str
    caption: str

    kinds: ClassVar[Mapping[str, str]] = {
        "calibration": "whether probabilities can be taken at their word: predicted against observed, with counts"
    }
    made_of: ClassVar[str] = "predictions"
    size: ClassVar[tuple[float, float]] = (4.6, 5.2)

    @classmethod
    def of(
        cls, source: Any, kind: str = "", *, task: str | None = None, positive: str | None = None,
        bins: int | None = None, **options: Any,
    ) -> ReliabilityDiagram:  # fmt: skip
        """Of the answers on one task, in `bins` classes of equal width."""
        answers = on_one_task(source, task)
        if len(answers) > MOST_LEARNERS:
            raise MisfitError(
                f"{len(answers)} learners cannot be told apart; at most {MOST_LEARNERS} are drawn.",
                alternatives=["--learner NAME (may be repeated)"],
            )
        diagrams = [each for one in answers for each in reliability(one, positive=positive, classes=bins or 10)]
        first = answers[0]
        named = first.classes[first.code_of(positive)]
        where = f" on {first.task}" if first.task else ""
        pooled = f" The rows of {len(first.samples)} test samples are put together." if len(first.samples) > 1 else ""
        banded = len(answers) <= MOST_BANDS
        caption = (
            f"Calibration of the probabilities of {named}{where}: above, the share of {named} among the rows whose "
            f"probability lies in each of {bins or 10} classes, against their mean probability; on the line "
            f"probabilities are what they say.{' Lines are pointwise 95 % intervals (Wilson).' if banded else ''} "
            f"Below, how many rows there are in each class.{pooled}"
        )
        names = tuple(one.learner for one in answers)
        return cls(names, tuple(diagrams), named, literal(f"Calibration{where}"), literal(caption))

    def to_frame(self) -> pd.DataFrame:
        """One row a class of a learner."""
        import pandas as pd

        names = ("learner", "low", "high", "rows", "predicted", "observed", "lower", "upper")
        return pd.DataFrame([[getattr(one, name) for name in names] for one in self.classes], columns=list(names))

    @property
    def panel_grid(self) -> tuple[list[float], list[float]]:
        return [3.2, 1.0], [1.0]

    def draw_panels(self, axes: Sequence[Sequence[Axes]]) -> None:
        above, below = axes[0][0], axes[1][0]
        above.plot([0, 1], [0, 1], color=PALE, linewidth=0.9, linestyle=":", zorder=0)
        labels = labels_of(self.learners)
        for i, (name, look) in enumerate(zip(self.learners, strokes(len(self.learners)), strict=True)):
            own = [one for one in self.classes if one.learner == name]
            x, y = [one.predicted for one in own], [one.observed for one in own]
            if len(self.learners) <= MOST_BANDS:
                ends = [one.lower for one in own], [one.upper for one in own]
                above.vlines(x, *ends, color=look["color"], linewidth=0.8, alpha=0.7)
            mark: dict[str, Any] = {"marker": MARKERS[i % len(MARKERS)], "markersize": 4, "linewidth": 1.2}
            above.plot(x, y, label=labels[i], **mark, **look)
            edges = sorted({edge for one in self.classes for edge in (one.low, one.high)})
            rows = {one.low: one.rows for one in own}
            below.stairs([rows.get(edge, 0) for edge in edges[:-1]], edges, **look, linewidth=1.1)
        for ax in (above, below):
            ax.set_xlim(-0.02, 1.02)
        above.set_ylim(-0.02, 1.02)
        plain_axes(above, "", f"share of {self.positive}")
        plain_axes(below, f"predicted probability of {self.positive}", "rows")
        below.set_ylim(bottom=0)
        if len(self.learners) > 1:
            key(above, below=below)
