"""Adjusted p-values: by the closure principle, by their definitions, against scipy, and bad input."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.adjustments import ADJUSTMENTS, adjust, adjustment_named
from bakeoff.errors import UsageError

P = st.lists(st.floats(0, 1), min_size=1, max_size=7)
NAMES = sorted(ADJUSTMENTS)


def closed(p: list[float], test: Callable[[np.ndarray], float]) -> np.ndarray:
    """The closure principle: a hypothesis falls if every intersection it is part of falls."""
    m = len(p)
    adjusted = np.zeros(m)
    for size in range(1, m + 1):
        for subset in combinations(range(m), size):
            members = list(subset)
            adjusted[members] = np.maximum(adjusted[members], test(np.array(p)[members]))
    return np.minimum(adjusted, 1.0)


def simes(p: np.ndarray) -> float:
    return float(np.min(len(p) * np.sort(p) / np.arange(1, len(p) + 1)))


@given(p=P)
def test_holm_is_bonferroni_closed(p: list[float]) -> None:
    assert adjust(p, "holm") == pytest.approx(closed(p, lambda q: len(q) * q.min()), abs=1e-12)


@given(p=P)
def test_hommel_is_simes_closed(p: list[float]) -> None:
    assert adjust(p, "hommel") == pytest.approx(closed(p, simes), abs=1e-12)


@given(p=P)
def test_hochberg_steps_up(p: list[float]) -> None:
    ordered, m = np.sort(p), len(p)
    expected = [min((m - j) * ordered[j] for j in range(i, m)) for i in range(m)]
    assert np.sort(adjust(p, "hochberg")) == pytest.approx(np.minimum(expected, 1.0), abs=1e-12)


@given(p=P)
def test_false_discovery_rate_agrees_with_scipy(p: list[float]) -> None:
    for name in ("bh", "by"):
        assert adjust(p, name) == pytest.approx(stats.false_discovery_control(p, method=name), abs=1e-12)


@given(p=P)
def test_single_step_formulas(p: list[float]) -> None:
    m = len(p)
    assert adjust(p, "none").tolist() == p
    assert adjust(p, "bonferroni") == pytest.approx(np.minimum(m * np.array(p), 1))
    assert adjust(p, "sidak") == pytest.approx(1 - (1 - np.array(p)) ** m, abs=1e-12)


def test_r_p_adjust() -> None:
    """R: p.adjust(c(.01, .02, .03, .04, .05), method)."""
    p = [0.01, 0.02, 0.03, 0.04, 0.05]
    assert adjust(p, "holm") == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert adjust(p, "hochberg") == pytest.approx([0.05] * 5)
    assert adjust(p, "hommel") == pytest.approx([0.05] * 5)
    assert adjust(p, "bh") == pytest.approx([0.05] * 5)


@given(p=P)
def test_more_powerful_methods_have_smaller_p(p: list[float]) -> None:
    chain = [adjust(p, name) for name in ("none", "hommel", "hochberg", "holm", "bonferroni")]
    for smaller, larger in pairwise(chain):
        assert np.all(smaller <= larger + 1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(p=P, order=st.randoms())
def test_order_is_kept_and_does_not_matter(name: str, p: list[float], order) -> None:  # type: ignore[no-untyped-def]
    shuffle = list(range(len(p)))
    order.shuffle(shuffle)
    adjusted = adjust(p, name)
    assert adjust(np.array(p)[shuffle], name) == pytest.approx(adjusted[shuffle], abs=1e-12)
    ranks = np.argsort(p, kind="stable")
    assert np.all(np.diff(adjusted[ranks]) >= -1e-12)
    assert np.all((adjusted >= np.array(p) - 1e-12) & (adjusted <= 1))


@pytest.mark.parametrize("name", NAMES)
def test_missing_p_stay_missing_and_are_not_counted(name: str) -> None:
    found = adjust([0.01, np.nan, 0.04], name)
    assert np.isnan(found[1])
    assert found[[0, 2]].tolist() == adjust([0.01, 0.04], name).tolist()
    assert np.isnan(adjust([np.nan, np.nan], name)).all()


def test_small_p_survive_sidak() -> None:
    assert adjust([1e-18, 0.5], "sidak")[0] == pytest.approx(2e-18, rel=1e-9)


@pytest.mark.parametrize("wrong", [-0.1, 1.1])
def test_impossible_p_are_refused(wrong: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        adjust([0.5, wrong], "holm")


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'bonferroni'"):
        adjust([0.5], "bonferoni")
    assert adjustment_named("Holm").title == "Holm"
    assert all(method.title and method.controls for method in ADJUSTMENTS.values())
