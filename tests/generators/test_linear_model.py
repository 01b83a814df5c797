from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.generators.generator import dice
from bakeoff.generators.linear_model import LinearModel


def data(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = dice(1)
    X = rng.standard_normal((n, 2))
    return X, 1 + X @ [2.0, -3.0] + 0.5 * rng.standard_normal(n)


def test_new_responses_follow_the_fitted_model() -> None:
    X, y = data()
    model = LinearModel.fitted(X, y)
    drawn, new = model.draw(50_000, dice(2))
    again = LinearModel.fitted(drawn, new)
    assert again.coefficients == pytest.approx(model.coefficients, abs=4.5 * model.sigma / np.sqrt(5e4))
    assert again.sigma == pytest.approx(model.sigma, rel=4.5 / np.sqrt(1e5))
    assert {tuple(row) for row in drawn.tolist()} <= {tuple(row) for row in X.tolist()}


def test_inputs_that_depend_on_each_other_are_no_trouble() -> None:
    X, y = data()
    doubled = np.column_stack([X, X[:, 0], np.ones(len(X))])
    assert LinearModel.fitted(doubled, y).sigma == pytest.approx(LinearModel.fitted(X, y).sigma)


def test_too_few_rows_to_know_the_noise_are_refused() -> None:
    with pytest.raises(UsageError, match="needs more than 3 rows to estimate the noise; found 3"):
        LinearModel.fitted(np.eye(3)[:, :2], [1, 2, 3])
