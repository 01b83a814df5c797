"""Quadratic surfaces are recovered, whatever their units, and their stationary points named rightly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.designs.composite import central_composite
from bakeoff.designs.response_surface import fit_surface
from bakeoff.errors import DegenerateError, UsageError

CURVATURE = st.sampled_from([-3.0, -1.0, -0.2, 0.2, 1.0, 3.0])


@given(CURVATURE, CURVATURE, st.floats(-0.15, 0.15), st.floats(-0.9, 0.9), st.floats(-0.9, 0.9))
def test_a_quadratic_is_recovered(a: float, b: float, c: float, u: float, v: float) -> None:
    x = central_composite(2) * [100.0, 0.01] + [5.0, -2.0]  # in units as far apart as units are
    z, w = (x[:, 0] - 5) / 100 - u, (x[:, 1] + 2) / 0.01 - v
    found = fit_surface(x, 7 + a * z**2 + b * w**2 + 2 * c * z * w)
    np.testing.assert_allclose(found.stationary, [5 + 100 * u, -2 + 0.01 * v], atol=1e-5)
    assert found.value == pytest.approx(7)
    assert found.r_squared == pytest.approx(1)
    assert found.inside
    kinds = {(True, True): "minimum", (False, False): "maximum"}
    assert found.kind == kinds.get((a > 0, b > 0), "saddle")
    np.testing.assert_allclose(found.predict(x[:3]), (7 + a * z**2 + b * w**2 + 2 * c * z * w)[:3], atol=1e-8)


def test_a_point_outside_the_runs_is_said_to_be_outside() -> None:
    x = np.arange(5.0)
    found = fit_surface(x, -((x - 9) ** 2))
    assert (found.kind, found.inside) == ("maximum", False)
    assert found.stationary == pytest.approx([9])


@pytest.mark.parametrize("y", [lambda x: x[:, 0] ** 2, lambda x: np.ones(len(x))])
def test_a_surface_flat_in_a_direction_is_a_ridge(y) -> None:  # type: ignore[no-untyped-def]
    x = central_composite(2) * [1.0, 1e6]
    found = fit_surface(x, y(x))
    assert found.kind == "ridge"
    assert np.isfinite(found.stationary).all()
    assert found.r_squared == pytest.approx(1)


def test_too_few_levels_or_runs_are_refused() -> None:
    with pytest.raises(DegenerateError, match="three levels of each factor"):
        fit_surface([0, 1, 0, 1], [1, 2, 1, 2])
    with pytest.raises(DegenerateError, match="6 coefficients, which these 5 runs"):
        fit_surface(central_composite(2)[:5], np.arange(5.0))


def test_bad_input_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="response for each run"):
        fit_surface([1, 2, 3, 4], [1, 2, 3])
    with pytest.raises(UsageError, match="finite number"):
        fit_surface([1, 2, 3, float("nan")], [1, 2, 3, 4])
    with pytest.raises(UsageError, match="1 coordinates"):
        fit_surface([1, 2, 3, 4], [1, 2, 3, 5]).predict([[1, 2]])


GRID = np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)], dtype=float)


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (GRID[:, 0], "plane"),
        (5 + 2 * GRID[:, 0] - GRID[:, 1], "plane"),
        (1e9 + GRID[:, 0], "plane"),
        (GRID[:, 0] - GRID[:, 1] ** 2, "rising ridge"),
        (GRID[:, 0] + GRID[:, 1] + (GRID[:, 0] - GRID[:, 1]) ** 2, "rising ridge"),
    ],
)
def test_a_surface_that_goes_on_rising_has_no_stationary_point(y: np.ndarray, kind: str) -> None:
    found = fit_surface(GRID, y)
    assert found.kind == kind
    assert np.isnan(found.stationary).all()
    assert np.isnan(found.value)
    assert not found.inside
    assert found.predict(GRID) == pytest.approx(y)


@pytest.mark.parametrize("y", [-(GRID[:, 1] ** 2), 3 - (GRID[:, 0] + GRID[:, 1]) ** 2, np.ones(9)])
def test_a_level_ridge_has_many(y: np.ndarray) -> None:
    found = fit_surface(GRID, y)
    assert found.kind == "ridge"
    assert found.stationary == pytest.approx([0, 0], abs=1e-9)
    assert found.inside
