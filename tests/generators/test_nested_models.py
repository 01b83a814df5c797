from __future__ import annotations

import numpy as np
import pytest

from bakeoff.generators.generator import dice
from bakeoff.generators.nested_models import NestedModels


def test_without_noise_it_is_the_curve() -> None:
    X, y = NestedModels(beta1=2, beta2=0.1, noise=0).draw(100, dice(1))
    assert np.allclose(y, 2 * X[:, 0] + 0.1 * X[:, 0] ** 2)
    assert 0 <= X.min() < 0.3
    assert 4.7 < X.max() <= 5


def test_moments_are_those_of_the_uniform_law_and_the_noise() -> None:
    X, y = NestedModels().draw(100_000, dice(2))
    x = X[:, 0]
    assert x.mean() == pytest.approx(2.5, abs=4 * 1.443 / np.sqrt(1e5))
    # E x⁴ − (E x²)² = 500/9.
    assert (x**2).var() == pytest.approx(500 / 9, rel=0.02)
    assert np.std(y - 2 * x) == pytest.approx(1, abs=4 / np.sqrt(2e5))
