"""Table 2's machinery; its rates are among the oracles."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.hothorn.classification import draw, power


def test_the_design() -> None:
    found = draw(40000, 30, 0.2, np.random.default_rng(1))
    assert found.second.mean() == pytest.approx(0.5, abs=0.02)
    np.testing.assert_allclose(found.x[~found.second].mean(axis=0), [0, 0], atol=0.02)
    np.testing.assert_allclose(found.x[found.second].mean(axis=0), [np.cos(np.pi / 6) / 2, 0.75], atol=0.02)
    np.testing.assert_allclose(np.cov(found.x[~found.second].T), 0.2 * np.eye(2), atol=0.01)


def test_the_seed_decides() -> None:
    settings = {"replications": 3, "n": 60, "samples": 10}
    assert power(20, **settings) == power(20, **settings)  # type: ignore[arg-type]


def test_refusals() -> None:
    with pytest.raises(UsageError, match="variance"):
        power(20, 1, variance=0)
    with pytest.raises(UsageError, match="'n'"):
        power(20, 1, n=5)
