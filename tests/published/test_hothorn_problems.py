"""Table 2's machinery; its rates are among the oracles."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.published import hothorn_problems
from bakeoff.published.hothorn_problems import (
    break_even,
    check_sizes,
    draw,
    fold_counts,
    mse_variance,
    power,
    rejects,
    simulate,
    validation_counts,
)


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


# ----------------------------------------------------------------------------------------------------------------------
# What both experiments share.


def test_validation_cases_are_never_trained_on() -> None:
    folds = fold_counts(20, 50, np.random.default_rng(1))
    counts = folds.sum(axis=1)
    assert (counts.sum(axis=1) == 20).all()
    validation = validation_counts(folds, counts)
    training = counts[:, None, :] - folds
    assert not (validation * training).any()
    assert (validation.sum() + (folds * (training > 0)).sum()) == folds.sum()


def test_no_difference_is_no_rejection() -> None:
    assert not rejects(np.zeros(1), np.zeros(1), 0.05).any()
    assert rejects(np.array([1.7, 1.6]), np.ones(2), 0.05).tolist() == [True, False]


def test_refusals_problems() -> None:
    for sizes in ((5, 10, 1), (100, 1, 1), (100, 10, 0), (100.5, 10, 1)):
        with pytest.raises(UsageError, match="whole number of at least"):
            check_sizes(*sizes)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="α"):
        rejects(np.zeros(1), np.zeros(1), 2)


# ----------------------------------------------------------------------------------------------------------------------
# Table 1's machinery against plain least squares; its rates are among the oracles.


@pytest.mark.parametrize("intercept", [False, True])
def test_differences_are_those_of_least_squares(intercept: bool) -> None:
    rng = np.random.default_rng(3)
    x, noise, weights = rng.uniform(0, 5, 40), rng.standard_normal(40), rng.integers(0, 3, 40).astype(float)
    u = np.stack([np.ones(40), x, x * x, noise])
    rows, columns = np.triu_indices(4)
    products = (u[rows] * u[columns]).T
    out = weights == 0
    learning, evaluation = (weights @ products)[None], products[out].mean(axis=0)[None]
    d = hothorn_problems._difference(learning, evaluation, intercept)[0]
    for beta2 in (0.0, 0.1, -0.7):
        y = 2 * x + beta2 * x * x + noise
        errors = []
        for terms in ([x], [x, x * x]):
            design = np.column_stack([*([np.ones(40)] if intercept else []), *terms])
            root = np.sqrt(weights)[:, None]
            beta = np.linalg.lstsq(design * root, y * root[:, 0], rcond=None)[0]
            errors.append(np.mean((y - design @ beta)[out] ** 2))
        assert d @ [1, beta2, beta2**2] == pytest.approx(errors[0] - errors[1], abs=1e-10)


def test_the_variance_formula_by_simulation() -> None:
    rng = np.random.default_rng(1)
    x, noise = rng.uniform(0, 5, 400_000), rng.standard_normal(400_000)
    losses = ((2 - 1.5) * x + noise) ** 2
    assert mse_variance(1.5, 1)[0] == pytest.approx(losses.var(), rel=0.03)


def test_the_seed_decides_and_power_rises() -> None:
    one, two = simulate(10, n=40, samples=20, seed=1), simulate(10, n=40, samples=20, seed=1)
    assert (one.sums == two.sums).all()
    assert (one.sums != simulate(10, n=40, samples=20, seed=2).sums).any()
    assert one.power(0.5)["oob2n"] == 1 >= one.power(0.0)["oob2n"]


def test_a_run_can_be_shared_out() -> None:
    whole, start = simulate(5, n=40, samples=20), simulate(2, n=40, samples=20)
    rest = simulate(3, n=40, samples=20, first=2)
    assert (np.concatenate([start.sums, rest.sums]) == whole.sums).all()
    assert (np.concatenate([start.squares, rest.squares]) == whole.squares).all()


def test_moments_of_fresh_samples_are_sums_of_products() -> None:
    found = hothorn_problems._fresh_moments(np.random.default_rng(4), 3, 30)
    rng = np.random.default_rng(4)
    x, noise = rng.uniform(0, 5, (3, 30)), rng.standard_normal((3, 30))
    u = np.stack([np.ones_like(x), x, x * x, noise], axis=1)
    rows, columns = np.triu_indices(4)
    assert found == pytest.approx((u @ u.transpose(0, 2, 1))[:, rows, columns])


def test_refusals_regression() -> None:
    with pytest.raises(UsageError, match="'samples'"):
        simulate(10, samples=1)
    with pytest.raises(UsageError, match="at least one observation"):
        mse_variance(1.5, 0)


# --- where the larger model begins to pay -----------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [False, True])
def test_at_the_break_even_both_models_predict_alike(intercept: bool) -> None:
    """By simulation: learned from n observations, both miss the truth by the same amount on average."""
    n, rng = 150, np.random.default_rng(5)
    beta2 = break_even(n, intercept)
    grid = np.linspace(0, 5, 501)
    lines = [[np.ones_like(grid)] * intercept + [grid**power for power in range(1, size + 1)] for size in (1, 2)]
    excess = np.zeros((2000, 2))
    for row in excess:
        x = rng.uniform(0, 5, n)
        y = beta2 * x**2 + rng.standard_normal(n)
        for i, line in enumerate(lines):
            design = np.column_stack([np.ones(n)] * intercept + [x**power for power in range(1, i + 2)])
            fit = np.linalg.lstsq(design, y, rcond=None)[0]
            row[i] = np.mean((np.column_stack(line) @ fit - beta2 * grid**2) ** 2)
    difference = excess[:, 0] - excess[:, 1]
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(excess)) + 0.05 / n
    with pytest.raises(UsageError):
        break_even(0)
