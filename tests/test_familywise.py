"""The familywise error, and what each adjustment rejects."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.adjustments import ADJUSTMENTS, adjust
from bakeoff.errors import UsageError
from bakeoff.familywise import (
    METHODS,
    all_pairs_error,
    bonferroni_bound,
    independent_error,
    level_for,
    rejected,
)


@given(alpha=st.floats(0.001, 0.5), tests=st.integers(1, 1000))
def test_bonferroni_bounds_independent_tests(alpha: float, tests: int) -> None:
    assert alpha - 1e-12 <= independent_error(alpha, tests) <= bonferroni_bound(alpha, tests) + 1e-12
    assert independent_error(level_for(alpha, tests, "sidak"), tests) == pytest.approx(alpha)
    assert level_for(alpha, tests) <= level_for(alpha, tests, "sidak") + 1e-15


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_dependent_pairs_err_less_than_independent_ones(k: int) -> None:
    pairs = k * (k - 1) // 2
    assert all_pairs_error(0.05, k) <= independent_error(0.05, pairs) + 1e-12
    assert all_pairs_error(0.05, 2) == pytest.approx(0.05)
    assert all_pairs_error(0.05, k, df=8) <= all_pairs_error(0.05, k) + 1e-12


def test_all_pairs_error_by_simulation() -> None:
    means = np.random.default_rng(1).standard_normal((40_000, 5))
    largest = np.ptp(means, axis=1) / np.sqrt(2)
    assert np.mean(largest > 1.959964) == pytest.approx(all_pairs_error(0.05, 5), abs=0.008)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from((0.01, 0.05, 0.2)))
def test_what_is_rejected_is_what_the_adjusted_p_says(p: list[float], alpha: float) -> None:
    found = rejected(p, alpha)
    for name in METHODS:
        assert found.rejects(name) == tuple((adjust(p, name) <= alpha).tolist())
    for weak, strong in (("bonferroni", "holm"), ("holm", "hochberg"), ("hochberg", "hommel"), ("hommel", "bh")):
        assert all(s or not w for w, s in zip(found.rejects(weak), found.rejects(strong), strict=True)), (weak, strong)


def test_shapes_of_the_answer() -> None:
    found = rejected([0.001, 0.2, 0.03])
    text = found.to_text()
    assert "Bonferroni rejects H1;" in text
    assert "Benjamini–Hochberg rejects H1 and H3" in text
    assert "0.143" in text  # 1 − .95³
    frame = found.to_frame()
    assert frame["holm_rejects"].tolist() == [True, False, False]
    assert found.to_dict()["rejected"]["holm"] == [True, False, False]
    assert "<table>" in found._repr_html_()
    assert str(found) == text
    with pytest.raises(FrozenInstanceError):
        found.alpha = 0.1  # type: ignore[misc]


def test_methods_of_your_choice() -> None:
    found = rejected([0.01, 0.02], methods=["Holm", "holm_sidak"])
    assert list(found.adjusted) == ["holm", "holm-sidak"]
    with pytest.raises(UsageError, match="was not asked for"):
        found.rejects("hommel")
    assert rejected([0.01, 0.02, 0.03], methods=["shaffer"]).adjusted["shaffer"] == pytest.approx((0.03, 0.03, 0.03))


def test_every_method_is_listed_but_those_that_need_pairs() -> None:
    assert set(ADJUSTMENTS) - set(METHODS) == {"none", "shaffer", "bergmann-hommel"}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: rejected([]), "At least one p-value"),
        (lambda: rejected([0.1, 1.2]), "p-values lie between 0 and 1; found 1.2"),
        (lambda: rejected([0.1, float("nan")]), "A p-value is missing"),
        (lambda: rejected(["a"]), "p-values must be numbers"),
        (lambda: rejected([0.1], alpha=0), "strictly between 0 and 1"),
        (lambda: rejected([0.1], methods=["holms"]), "no adjustment 'holms'"),
        (lambda: independent_error(0.05, 0), "At least one test"),
        (lambda: independent_error(1.0, 3), "strictly between 0 and 1"),
        (lambda: bonferroni_bound(0.05, 2.5), "whole number"),
        (lambda: all_pairs_error(0.05, 1), "at least two means"),
        (lambda: level_for(0.05, 3, "holm"), "bonferroni's or sidak's"),
    ],
)
def test_bad_arguments(call: object, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        call()  # type: ignore[operator]


def test_a_single_test_is_in_the_singular() -> None:
    assert "a test of a true hypothesis makes some false claim with probability 0.05." in rejected([0.1]).to_text()
    assert "2 independent tests of true hypotheses make some" in rejected([0.1, 0.2]).to_text()
