from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.generators.gaussian_classes import GaussianClasses
from bakeoff.generators.generator import dice


def test_new_rows_have_the_shares_means_and_covariances_of_the_data() -> None:
    rng = dice(1)
    y = np.array(["a"] * 30 + ["b"] * 70)
    X = rng.standard_normal((100, 2)) @ [[1.0, 0.8], [0.0, 0.3]] + np.where(y == "a", 0, 5)[:, None]
    drawn, labels = GaussianClasses.fitted(X, y).draw(50_000, dice(2))
    assert (labels == "a").mean() == pytest.approx(0.3, abs=4.5 * 0.46 / np.sqrt(5e4))
    for label in "ab":
        old, new = X[y == label], drawn[labels == label]
        assert new.mean(axis=0) == pytest.approx(old.mean(axis=0), abs=0.05)
        assert np.cov(new, rowvar=False) == pytest.approx(np.cov(old, rowvar=False), rel=0.06, abs=0.02)


def test_a_constant_input_stays_constant() -> None:
    X = np.column_stack([np.arange(6.0), np.full(6, 3.0)])
    drawn, _ = GaussianClasses.fitted(X, [0, 0, 0, 1, 1, 1]).draw(20, dice(1))
    assert drawn[:, 1] == pytest.approx(np.full(20, 3.0))


def test_a_class_of_one_row_is_refused() -> None:
    with pytest.raises(UsageError, match="at least two rows of each class; class rare has one"):
        GaussianClasses.fitted(np.eye(3), ["often", "often", "rare"])
