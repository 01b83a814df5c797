from __future__ import annotations

import numpy as np
import pytest

from bakeoff.mathematics.hypothesis_error import eigen, root_of, root_of_residuals, statistics


def matrices(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    residuals, means = rng.normal(size=(20, 3)), rng.normal(size=(2, 3))
    return means.T @ means, residuals.T @ residuals, residuals


@pytest.mark.parametrize("seed", range(4))
def test_eigenvalues_are_those_of_the_quotient(seed: int) -> None:
    H, E, residuals = matrices(seed)
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(E, H)).real)[::-1]
    made = root_of(E)
    assert made is not None
    for root in (made, root_of_residuals(residuals)):
        values, vectors = eigen(H, *root)
        assert values == pytest.approx(expected, abs=1e-10)
        assert vectors.T @ E @ vectors == pytest.approx(np.eye(3), abs=1e-8)


def test_dependent_measures_have_no_root() -> None:
    assert root_of(np.ones((2, 2))) is None
    assert root_of(np.zeros((2, 2))) is None


def test_the_four_statistics_from_the_roots() -> None:
    roots = np.array([0.8, 0.1])
    wilks, pillai, trace, roy = (found.value for found in statistics(roots, 2, 2.0, 20.0))
    assert wilks == pytest.approx(1 / (1.8 * 1.1))
    assert pillai == pytest.approx(0.8 / 1.8 + 0.1 / 1.1)
    assert trace == pytest.approx(0.9)
    assert roy == pytest.approx(0.8)
