"""Response surfaces as a verdict tells them: where they are best, on an edge or inside, and the grid of a contour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.judging.designed import SettingTable
from bakeoff.judging.surfaces import SurfaceReport, report_surface

DESIGN = {
    "factors": {
        "C": {"levels": [], "low": 0.01, "high": 100.0, "scale": "log", "integer": False},
        "k": {"levels": [], "low": 1.0, "high": 9.0, "scale": "linear", "integer": True},
    }
}
SETTINGS = {f"C={c} k={k}": {"C": c, "k": k} for c in (0.01, 1.0, 100.0) for k in (1, 5, 9)}


def report(of: Any, larger: bool = True, blocks: int = 6) -> SurfaceReport:
    means = np.array([of(np.log10(each["C"]) / 2, (each["k"] - 5) / 4) for each in SETTINGS.values()])
    values = means + np.random.default_rng(1).normal(0, 0.001, (blocks, len(means)))
    return report_surface(DESIGN, SETTINGS, [SettingTable("", values, 0.0)], larger)


def test_a_maximum_inside() -> None:
    found = report(lambda c, k: 0.9 - (c - 0.5) ** 2 - (k - 0.25) ** 2)
    assert (found.kind, found.inside) == ("maximum", True)
    assert found.best["C"] == pytest.approx(10, rel=0.02)
    assert found.best["k"] == 6
    assert found.predicted == pytest.approx(0.9, abs=0.005)
    assert "It has a maximum inside the region, at C = " in found.sentence
    assert "no lack of fit is shown" in found.sentence


def test_for_a_loss_the_minimum_is_wanted() -> None:
    found = report(lambda c, k: 0.1 + (c - 0.5) ** 2 + (k - 0.25) ** 2, larger=False)
    assert "It has a minimum inside the region" in found.sentence


def test_a_saddle_is_best_on_the_edge() -> None:
    found = report(lambda c, k: 0.5 + c**2 - k**2)
    assert found.kind == "saddle"
    assert found.best["C"] in (0.01, 100.0)
    assert found.best["k"] == 5
    assert "a saddle inside the region; within the region it is best at" in found.sentence


def test_a_surface_that_is_more_than_quadratic_lacks_fit() -> None:
    found = report(lambda c, k: 0.5 + 0.2 * c**2 * k**2)
    assert found.lack_of_fit[3] < 0.001
    assert "more is going on than a quadratic surface shows" in found.sentence


def test_the_grid_of_a_contour_has_the_other_factors_at_their_best() -> None:
    found = report(lambda c, k: 0.9 - (c - 0.5) ** 2 - (k - 0.25) ** 2)
    grid = found.grid("C", "k", points=5)
    assert len(grid) == 25
    assert grid["C"].min() == 0.01
    assert grid["C"].max() == 100
    top = grid.loc[grid["predicted"].idxmax()]
    assert top["C"] == pytest.approx(10)
    assert top["k"] in (5, 7)  # the maximum lies between them
    assert found.to_dict()["kind"] == "maximum"


def test_a_direction_that_is_not_shown_to_bend_is_told_as_a_ridge() -> None:
    """k does nothing, so that its bend is chance; along C it is a maximum. Each block tells its own bend."""
    ridge = report(lambda c, k: 0.9 - (c - 0.25) ** 2)
    assert "It is not shown to bend along (k), in coded units: it may be a ridge there" in ridge.sentence
    assert [row[0] for row in ridge.bend_table()[1]] == ["k", "C"]
    assert ridge.bends[1][3] < 0.001 < 0.05 < ridge.bends[0][3]
    assert [bend[0] for bend in ridge.bends] == pytest.approx(ridge.surface.eigenvalues.tolist())
    assert "ridge" not in report(lambda c, k: 0.9 - (c - 0.5) ** 2 - (k - 0.25) ** 2).sentence
