"""Two independent means: scipy for Welch and pooled, the definition for the slides' degrees of freedom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.two_samples import two_means

SAMPLE = st.lists(st.integers(-50, 50), min_size=2, max_size=20).map(lambda x: np.array(x, dtype=float))


@pytest.mark.filterwarnings("ignore:Precision loss")  # of scipy's
@given(a=SAMPLE, b=SAMPLE)
def test_scipy(a: np.ndarray, b: np.ndarray) -> None:
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return
    for kind, equal in (("welch", False), ("pooled", True)):
        found, theirs = two_means(a, b, kind), stats.ttest_ind(a, b, equal_var=equal)
        assert found.difference / found.standard_error == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
        assert found.df == pytest.approx(theirs.df, rel=1e-9)


def test_the_smaller_sample_counts() -> None:
    a, b = np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0, 4.0])
    welch, slides = two_means(a, b), two_means(a, b, "smaller")
    assert slides.df == 2
    assert (
        slides.standard_error == welch.standard_error == pytest.approx(np.sqrt(a.var(ddof=1) / 3 + b.var(ddof=1) / 4))
    )
    assert slides.df <= welch.df


def test_no_spread() -> None:
    assert two_means(np.ones(3), np.ones(4)).standard_error == 0


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_any_unit(unit: float) -> None:
    a, b = np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0, 4.0])
    assert two_means(a * unit, b * unit).standard_error / unit == pytest.approx(two_means(a, b).standard_error)


def test_refusals() -> None:
    with pytest.raises(UsageError, match="at least two values in each sample; found 1 and 3"):
        two_means(np.ones(1), np.arange(3.0))
    assert two_means(np.ones(1), np.arange(3.0), "pooled").df == 2  # one common variance needs but one of them
    with pytest.raises(UsageError, match="no count of degrees of freedom 'satterthwaite'"):
        two_means(np.ones(2), np.ones(2), "satterthwaite")
