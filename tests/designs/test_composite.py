"""Central composite and Box–Behnken designs."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.designs.composite import axial_distance, box_behnken, central_composite
from bakeoff.designs.response_surface import fit_surface
from bakeoff.errors import UsageError


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
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()
