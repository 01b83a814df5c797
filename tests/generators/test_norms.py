"""Least errors are those of the best rule, by the densities themselves. Moments are those of R mlbench 2.1.3:
set.seed(1); d <- mlbench.twonorm(5e5); x <- d$x[d$classes == 1, ]; colMeans(x)[1:3], sd(x[, 1]), cor(x[, 1], x[, 2]),
mean(rowSums(x)^2); and so for threenorm and ringnorm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.generators.generator import Generator, dice
from bakeoff.generators.norms import RingNorm, ThreeNorm, TwoNorm

N = 200_000
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
def test_moments_are_those_of_mlbench(
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
