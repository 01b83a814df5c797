"""Moments are those of R mlbench 2.1.3 with a million rows: set.seed(1); d <- mlbench.friedman1(1e6); mean(d$y),
sd(d$y), quantile(d$y, c(.1, .9)), cor(d$x, d$y); and so for friedman2 and friedman3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.generators.classic import (
    Friedman1,
    Friedman2,
    Friedman3,
    GaussianClasses,
    LinearModel,
    NestedModels,
    RingNorm,
    RotatingGaussians,
    ThreeNorm,
    TwoNorm,
    Waveform,
    waves,
)
from bakeoff.generators.generator import Generator, dice

N = 200_000
MLBENCH = [
    (Friedman1(), 14.4113, 4.98468, (7.80695, 20.99889), (0.3887, 0.3884, -0.0015, 0.5795, 0.2895, 0, 0, 0, 0, 0)),
    (Friedman2(), 480.069, 398.921, (45.0048, 1074.809), (0.0165, 0.5806, 0.6658, 0.0001)),
    (Friedman3(), 1.323816, 0.332311, (0.878715, 1.608520), (-0.33615, 0.34422, 0.55317, 0.00187)),
]


@pytest.mark.parametrize(("made", "mean", "sd", "quantiles", "correlations"), MLBENCH, ids=lambda x: type(x).__name__)
def test_moments_are_those_of_mlbench(
    made: Generator, mean: float, sd: float, quantiles: tuple[float, float], correlations: tuple[float, ...]
) -> None:
    X, y = made.draw(N, dice(1))
    error = sd * np.sqrt(1 / N + 1e-6)  # of both means
    assert y.mean() == pytest.approx(mean, abs=4.5 * error)
    assert y.std() == pytest.approx(sd, rel=0.012)  # kurtosis is below 4: 4.5 standard errors are less
    assert np.quantile(y, [0.1, 0.9]) == pytest.approx(quantiles, abs=4.5 * 3 * error)
    found = [np.corrcoef(column, y)[0, 1] for column in X.T]
    assert found == pytest.approx(correlations, abs=4.5 / np.sqrt(N) + 0.005)


def test_without_noise_they_are_the_formulas() -> None:
    X, y = Friedman1(noise=0).draw(5, dice(2))
    x1, x2, x3, x4, x5 = X[0, :5]
    assert y[0] == pytest.approx(10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 5 * x5)
    X, y = Friedman2(noise=0).draw(5, dice(2))
    r, w, inductance, c = X[0]
    assert y[0] == pytest.approx(np.sqrt(r**2 + (w * inductance - 1 / (w * c)) ** 2))
    X, y = Friedman3(noise=0).draw(5, dice(2))
    r, w, inductance, c = X[0]
    assert y[0] == pytest.approx(np.arctan((w * inductance - 1 / (w * c)) / r))


def test_ranges_of_the_circuit() -> None:
    X, _ = Friedman2().draw(50_000, dice(3))
    assert (X.min(axis=0) >= [0, 40 * np.pi, 0, 1]).all()
    assert (X.max(axis=0) <= [100, 560 * np.pi, 1, 11]).all()
    assert X.max(axis=0) == pytest.approx([100, 560 * np.pi, 1, 11], rel=0.001)


# ----------------------------------------------------------------------------------------------------------------------
# Gaussian classes


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


# ----------------------------------------------------------------------------------------------------------------------
# Linear model


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


# ----------------------------------------------------------------------------------------------------------------------
# Nested models


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


# ----------------------------------------------------------------------------------------------------------------------
# Norms


D = 20
A = 2 / np.sqrt(D)


def log_density(x: Any, centre: Any, sd: float = 1.0) -> Any:
    return -((x - centre) ** 2).sum(axis=1) / (2 * sd**2) - D * np.log(sd)


def second_of_two(x: Any) -> Any:
    return log_density(x, -A) > log_density(x, A)


def second_of_three(x: Any) -> Any:
    either = np.logaddexp(log_density(x, A), log_density(x, -A)) - np.log(2)
    return log_density(x, A * (1 - 2 * (np.arange(D) % 2))) > either


def second_of_ring(x: Any) -> Any:
    return log_density(x, A / 2) > log_density(x, 0, 2.0)


@pytest.mark.parametrize(
    ("made", "rule", "least"),
    [(TwoNorm(), second_of_two, 0.02275), (ThreeNorm(), second_of_three, 0.105), (RingNorm(), second_of_ring, 0.0149)],
    ids=["twonorm", "threenorm", "ringnorm"],
)
def test_the_best_rule_errs_as_often_as_is_known(made: Generator, rule: Any, least: float) -> None:
    X, y = made.draw(N, dice(1))
    error = (rule(X) != (y == 2)).mean()
    # 4 standard errors, and half a unit in the last digit of what is printed.
    assert error == pytest.approx(least, abs=4 * np.sqrt(least / N) + 0.0005)


@pytest.mark.parametrize(
    ("made", "label", "means", "sd", "correlation", "square"),
    [
        (TwoNorm(), 1, (0.4472, 0.4472, 0.4472), 0.9996, -0.002, 99.81),
        (TwoNorm(), 2, (-0.4472, -0.4472, -0.4472), 0.9998, 0.004, 100.0),
        (ThreeNorm(), 1, (0, 0, 0), 1.0979, 0.1638, 99.95),
        (ThreeNorm(), 2, (0.4467, -0.4486, 0.4486), 1.0002, -0.001, 20.06),
        (RingNorm(), 1, (0, 0, 0), 2.0019, 0.001, 80.10),
        (RingNorm(), 2, (0.2228, 0.2231, 0.2246), 1.0017, -0.001, 39.94),
    ],
)
def test_moments_are_those_of_mlbench_norms(
    made: Generator, label: int, means: Any, sd: float, correlation: float, square: float
) -> None:
    X, y = made.draw(N, dice(2))
    x = X[y == label]
    assert len(x) / N == pytest.approx(0.5, abs=0.005)
    assert x.mean(axis=0)[:3] == pytest.approx(means, abs=4.5 * sd * np.sqrt(1.4 / len(x)))
    assert x[:, 0].std() == pytest.approx(sd, rel=0.015)
    assert np.corrcoef(x[:, 0], x[:, 1])[0, 1] == pytest.approx(correlation, abs=0.02)
    assert (x.sum(axis=1) ** 2).mean() == pytest.approx(square, rel=0.02)


def test_other_dimensions() -> None:
    assert TwoNorm(d=3).draw(5, dice(1))[0].shape == (5, 3)
    assert ThreeNorm(d=3).draw(5, dice(1))[0].shape == (5, 3)


# ----------------------------------------------------------------------------------------------------------------------
# Rotating gaussians


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


# ----------------------------------------------------------------------------------------------------------------------
# Waveform


MLBENCH_WAVEFORM = {1: (3.002, 2.002, 3.003, 1.001), 2: (4.002, 4.001, 0.999, 1.528), 3: (0.997, 3.994, 4.000, 1.522)}


def test_class_1_of_mlbench_is_one_of_ours() -> None:
    """mlbench numbers the waves otherwise: its class 1 mixes the outer two, which is class 3 here."""
    X, y = Waveform().draw(150_000, dice(1))
    ours = {k: (*X[y == k][:, [6, 10, 14]].mean(axis=0), X[y == k][:, 10].std()) for k in (1, 2, 3)}
    for label, theirs in {3: 1, 2: 2, 1: 3}.items():
        assert ours[label] == pytest.approx(MLBENCH_WAVEFORM[theirs], abs=0.035), (label, theirs)


def test_the_best_rule_errs_in_about_14_percent() -> None:
    X, y = Waveform().draw(4_000, dice(2))
    u = (np.arange(60) + 0.5) / 60
    shapes, density = waves(), []
    for first, second in ((0, 1), (0, 2), (1, 2)):
        centre = u[:, None] * shapes[first] + (1 - u)[:, None] * shapes[second]
        distance = (X**2).sum(axis=1)[:, None] - 2 * X @ centre.T + (centre**2).sum(axis=1)
        density.append(np.exp(-distance / 2 + 8).mean(axis=1))
    error = (1 + np.argmax(density, axis=0) != y).mean()
    assert error == pytest.approx(0.14, abs=4 * np.sqrt(0.14 * 0.86 / 4000))
