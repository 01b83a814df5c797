"""The table behind ROC curves and their kin, and that it is what is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.figures.threshold_curves import figure, threshold_curves

POINTS = {"svm": ([0.0, 0.0, 1.0], [0.0, 1.0, 1.0]), "$x$": ([0.0, 1.0], [0.0, 1.0])}
AXES = ("fp-rate", "tp-rate")


def test_the_points_are_drawn_in_their_order() -> None:
    made = threshold_curves("roc", POINTS, axes=AXES, title="sonar")
    assert made.to_frame()["y"].tolist() == [0.0, 1.0, 1.0, 0.0, 1.0]
    ax = figure(made).axes[0]
    assert ax.lines[0].get_xydata().tolist() == [[0, 0], [0, 1], [1, 1]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == AXES
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "no learning"


@pytest.mark.parametrize(("kind", "highest", "top"), [("roc", 1.0, 1.01), ("lift", 3.0, 3.24), ("cost", 0.2, 0.54)])
def test_the_axis_is_as_high_as_the_kind_needs(kind: str, highest: float, top: float) -> None:
    made = threshold_curves(kind, {"svm": ([0.0, 1.0], [highest, 0.1])}, axes=AXES, title="t")
    assert figure(made).axes[0].get_ylim() == pytest.approx((0, top))


def test_precision_has_no_line_of_no_learning() -> None:
    assert len(figure(threshold_curves("pr", POINTS, axes=AXES, title="t")).axes[0].lines) == 2


def test_nothing_to_draw_and_files_by_extension(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to draw"):
        threshold_curves("roc", {}, axes=AXES, title="t")
    threshold_curves("roc", POINTS, axes=AXES, title="sonar", caption="Of one test sample.").save(tmp_path / "r.svg")
    assert "Of one test sample." in (tmp_path / "r.svg").read_text()
