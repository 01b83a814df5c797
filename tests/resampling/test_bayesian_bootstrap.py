from __future__ import annotations

import numpy as np
import pytest

from bakeoff.resampling.bayesian_bootstrap import OutOfBayesianBootstrap, unequal_copies
from bakeoff.resampling.split import Sample
from bakeoff.resampling.units import Units


def test_a_sample_has_as_many_rows_as_the_data() -> None:
    units = Units.of(Sample(30))
    assert [unequal_copies(units, 1, repeat).sum() for repeat in range(1, 20)] == [30] * 19


def test_half_of_the_rows_are_left_out() -> None:
    n = 40
    left = [(unequal_copies(Units.of(Sample(n)), 2, repeat) == 0).mean() for repeat in range(1, 601)]
    # E (1 − w)ⁿ for w ~ Beta(1, n − 1); its standard deviation over samples is below .06.
    assert np.mean(left) == pytest.approx((n - 1) / (2 * n - 1), abs=4 * 0.06 / np.sqrt(600))


def test_copies_vary_as_the_law_says() -> None:
    """Var of a count: n · E w(1 − w) + n² Var w, with w ~ Beta(1, n − 1). Of the bootstrap it is 1 − 1/n."""
    n = 20
    copies = np.array([unequal_copies(Units.of(Sample(n)), 3, repeat) for repeat in range(1, 2001)])
    mean, square = 1 / n, 2 / (n * (n + 1))
    expected = n * (mean - square) + n**2 * (square - mean**2)
    assert copies.var() == pytest.approx(expected, rel=0.06)
    assert copies.mean(axis=0) == pytest.approx(np.ones(n), abs=4.5 * np.sqrt(expected / 2000))


def test_rows_tested_on_are_those_left_out() -> None:
    for s in OutOfBayesianBootstrap(repeats=5).splits(Sample(30), 1).splits:
        assert sorted({*s.train.tolist(), *s.test.tolist()}) == list(range(30))
        assert not np.isin(s.test, s.train).any()
    assert OutOfBayesianBootstrap.problem == "real world"
