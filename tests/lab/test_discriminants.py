"""Discriminants predict as R's MASS::lda does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.lab.discriminants import fit_discriminants

R = np.genfromtxt(Path(__file__).parent / "data" / "rpart_lda.csv", delimiter=",", names=True)


def test_as_lda_alone_and_in_a_batch() -> None:
    x = np.stack([R["x1"], R["x2"]], axis=1).reshape(4, -1, 2)
    y, copies, lda = (R[name].reshape(4, -1) for name in ("y", "copies", "lda"))
    batch = fit_discriminants(x, y, copies)
    for i in range(4):
        alone = fit_discriminants(x[i], y[i], copies[i][None])
        assert (batch.predict(x[i])[i] == lda[i]).all()
        assert (alone.predict(x[i])[0] == lda[i]).all()


def test_a_shift_of_the_data_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(50, 3)), rng.integers(0, 2, 50)
    weights = np.ones((1, 50))
    near, far = fit_discriminants(x, y, weights), fit_discriminants(x + 1e6, y, weights)
    np.testing.assert_allclose(near.direction, far.direction, rtol=1e-6)


def test_refusals() -> None:
    x = np.arange(8.0).reshape(4, 2)
    with pytest.raises(DegenerateError, match="both classes"):
        fit_discriminants(x, np.ones(4), np.ones((1, 4)))
    with pytest.raises(DegenerateError, match="singular"):
        fit_discriminants(np.zeros((4, 2)), np.array([0, 0, 1, 1]), np.ones((1, 4)))
    with pytest.raises(UsageError, match="fits × n weights"):
        fit_discriminants(x, np.ones(3), np.ones((1, 4)))
