"""What is drawn is what the table holds."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from matplotlib import rc_context

from bakeoff.figures.box_density import box_density
from bakeoff.figures.box_density_drawing import COLOURS, new_figure


def test_a_row_a_panel_with_boxes_and_densities() -> None:
    rng = np.random.default_rng(1)
    learners = {name: rng.normal(size=20) for name in ("a", "b", "c")}
    made = new_figure(box_density({"CV": learners, "OOB": learners}, axis="error", title="both"))
    boxes, densities, *_ = made.axes
    assert len(made.axes) == 4
    assert [text.get_text() for text in boxes.get_yticklabels()] == ["a", "b", "c"]
    assert boxes.yaxis_inverted()
    assert len(densities.lines) == 3
    assert [text.get_text() for text in densities.get_legend().get_texts()] == ["a", "b", "c"]
    assert made.get_suptitle() == "both"


def test_more_learners_than_colours_and_none_with_a_density() -> None:
    many = {f"l{i}": [0.1, 0.2, 0.3] for i in range(len(COLOURS) + 2)}
    assert len(new_figure(box_density({"OOB": many}, axis="error")).axes[1].lines) == len(many)
    flat = new_figure(box_density({"OOB": {"a": [1.0, 1.0]}}, axis="error"))
    assert flat.axes[1].get_legend() is None


def test_names_with_dollars_and_control_characters_are_drawn_as_they_are() -> None:
    made = new_figure(box_density({"O": {"$x_1$ \x07": [1.0, 2.0], "µ": [2.0, 3.0]}}, axis="error"))
    file = BytesIO()
    with rc_context({"svg.fonttype": "none"}):
        made.savefig(file, format="svg")
    assert b"$x_1$" in file.getvalue()
