"""Quadratic surfaces are recovered, whatever their units, and their stationary points named rightly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.designs.response_surface import axial_distance, box_behnken, central_composite, fit_surface
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


# ----------------------------------------------------------------------------------------------------------------------
# Central composite and Box–Behnken designs.


@pytest.mark.parametrize("factors", [2, 3, 4, 5])
def test_rotatable_designs_have_moments_that_do_not_depend_on_direction(factors: int) -> None:
    x = central_composite(factors, "rotatable")
    fourth, mixed = (x[:, 0] ** 4).sum(), (x[:, 0] ** 2 * x[:, 1] ** 2).sum()
    assert fourth == pytest.approx(3 * mixed)


@pytest.mark.parametrize(("factors", "centre"), [(2, (4, 4)), (3, (4, 2)), (4, (0, 3)), (3, (0, 0))])
def test_orthogonal_blocks(factors: int, centre: tuple[int, int]) -> None:
    """Squares add up in each block in proportion to its size: then blocks are orthogonal to the quadratic effects."""
    x = central_composite(factors, "orthogonal", centre=centre)
    cube = 2**factors + centre[0]
    assert (x[:cube] ** 2).sum() / cube == pytest.approx((x[cube:] ** 2).sum() / (len(x) - cube))


@pytest.mark.parametrize("face", ["inscribed", "faced"])
def test_inscribed_and_faced_designs_stay_within_the_range(face: str) -> None:
    x = central_composite(3, "rotatable", face, centre=(0, 1))
    assert np.abs(x).max() == 1
    assert len(x) == 8 + 6 + 1


@pytest.mark.parametrize(("factors", "runs"), [(3, 12), (4, 24), (5, 40), (6, 48), (7, 56)])
def test_box_behnken_as_published(factors: int, runs: int) -> None:
    x = box_behnken(factors, centre=3)
    assert len(x) == runs + 3
    assert len({tuple(row) for row in x[:-3].tolist()}) == runs
    assert (x.sum(axis=0) == 0).all()
    assert len(set((x != 0).sum(axis=0).tolist())) == 1  # every factor varies equally often
    assert np.abs(x).sum(axis=1).max() <= 3  # no corner


@pytest.mark.parametrize("design", [central_composite(3), box_behnken(4), box_behnken(6)])
def test_designs_determine_a_quadratic_surface(design: np.ndarray) -> None:
    surface = fit_surface(design, (design**2).sum(axis=1))
    np.testing.assert_allclose(surface.quadratic, np.eye(design.shape[1]), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: central_composite(0), "1 to 12 factors"),
        (lambda: central_composite(13), "1 to 12 factors"),
        (lambda: box_behnken(2), "3 to 12 factors"),
        (lambda: central_composite(2, "rotable"), "Did you mean 'rotatable'"),
        (lambda: central_composite(2, face="flat"), "There is no face 'flat'"),
        (lambda: central_composite(2, centre=(1, 2, 3)), "two numbers"),
        (lambda: central_composite(2, centre=(-1, 2)), "not negative"),
        (lambda: box_behnken(3, centre=-1), "not negative"),
        (lambda: axial_distance(2, "far"), "There is no distance"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_composite(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()
