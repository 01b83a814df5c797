"""Moments are those of R mlbench 2.1.3 with a million rows: set.seed(1); d <- mlbench.friedman1(1e6); mean(d$y),
sd(d$y), quantile(d$y, c(.1, .9)), cor(d$x, d$y); and so for friedman2 and friedman3."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.generators.friedman import Friedman1, Friedman2, Friedman3
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
