from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.generators.generator import dice
from bakeoff.generators.rotating_gaussians import RotatingGaussians


@pytest.mark.parametrize("gamma", [0, 30, 90])
def test_centres_and_spread_of_both_classes(gamma: float) -> None:
    X, y = RotatingGaussians(gamma=gamma).draw(100_000, dice(1))
    angle = np.deg2rad(gamma)
    assert (y == 2).mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(1e5))
    one, two = X[y == 1], X[y == 2]
    assert one.mean(axis=0) == pytest.approx([0, 0], abs=0.01)
    assert one.var(axis=0) == pytest.approx([0.2, 0.2], rel=0.03)
    assert two.mean(axis=0) == pytest.approx([np.cos(angle) / 2, (1 + np.sin(angle)) / 2], abs=0.01)
    # Between the two halves of class 2 lies the distance of their centres.
    between = np.array([np.cos(angle) ** 2, (1 - np.sin(angle)) ** 2]) / 4
    assert two.var(axis=0) == pytest.approx(0.2 + between, rel=0.03)


def test_a_line_divides_best_at_90_degrees() -> None:
    X, y = RotatingGaussians(gamma=90, variance=0.0625).draw(50_000, dice(2))
    error = ((X[:, 1] > 0.5) != (y == 2)).mean()
    assert error == pytest.approx(0.02275, abs=4 * 0.15 / np.sqrt(5e4))  # Φ(−.5/.25)


def test_a_variance_of_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="'variance' must be a number above 0; found 0"):
        RotatingGaussians(variance=0)
