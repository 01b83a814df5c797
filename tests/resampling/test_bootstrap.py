"""The .632 family: by hand, at its limits, and refusals. ipred's values are among the oracles."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.resampling.bootstrap import (
    LIMIT_LEFT_OUT,
    bootstrap_counts,
    chance_left_out,
    combine_632,
    estimate_632,
    no_information_rate,
)


def test_a_third_is_left_out() -> None:
    assert chance_left_out(10**6) == pytest.approx(LIMIT_LEFT_OUT, rel=1e-6)
    counts = bootstrap_counts(50, 2000, np.random.default_rng(1))
    assert (counts.sum(axis=1) == 50).all()
    assert (counts == 0).mean() == pytest.approx(chance_left_out(50), abs=0.005)


def test_the_three_averages_differ_where_observations_are_left_out_unequally() -> None:
    losses = [[1.0, 0.0, nan], [1.0, nan, nan], [nan, nan, 0.0]]
    by = {name: estimate_632(losses, 0.0, 0.9, name).e1 for name in ("observation", "replicate", "pooled")}
    assert by == pytest.approx({"observation": 1 / 3, "replicate": (0.5 + 1 + 0) / 3, "pooled": 0.5})


def test_observations_never_left_out_are_skipped() -> None:
    assert estimate_632([[nan, 1.0]], 0.0, 0.9).e1 == 1
    assert estimate_632([[nan, 1.0], [nan, nan]], 0.0, 0.9, "replicate").e1 == 1


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_estimate_lies_between_its_parts(err: float, e1: float, gamma: float) -> None:
    found = estimate_632([[e1]], err, gamma)
    assert 0 <= found.overfitting <= 1
    assert 0.632 - 1e-12 <= found.weight <= 1 + 1e-12
    low, high = min(err, e1, gamma), max(err, min(e1, gamma))
    assert low - 1e-12 <= found.e632plus <= high + 1e-12


def test_without_overfitting_both_estimates_agree() -> None:
    found = estimate_632([[0.2]], apparent=0.2, no_information=0.5)
    assert (found.overfitting, found.e632plus) == (0, pytest.approx(found.e632))


def test_complete_overfitting_gives_the_out_of_bootstrap_error() -> None:
    found = estimate_632([[0.5]], apparent=0.0, no_information=0.5)
    assert (found.overfitting, found.weight, found.e632plus) == (1, 1, 0.5)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_no_information_is_the_loss_over_all_pairs(rows: list[tuple[int, int]]) -> None:
    truth, given_ = np.array(rows).T
    assert no_information_rate(truth, given_) == pytest.approx((truth[:, None] != given_).mean())


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: chance_left_out(0), "at least one observation"),
        (lambda: chance_left_out(2.5), "whole number"),  # type: ignore[arg-type]
        (lambda: bootstrap_counts(0, 3, np.random.default_rng()), "at least one observation"),
        (lambda: estimate_632([[0.0]], -0.1, 0.5), "apparent error"),
        (lambda: estimate_632([[0.0]], 0.1, nan), "error without information"),
        (lambda: estimate_632([0.0], 0.1, 0.5), "replicates × observations"),
        (lambda: estimate_632([["x"]], 0.1, 0.5), "table of numbers"),
        (lambda: estimate_632([[np.inf]], 0.1, 0.5), "infinite"),
        (lambda: estimate_632([[0.0]], 0.1, 0.5, "median"), "There is no average 'median'"),
        (lambda: no_information_rate([1, 2], [1]), "equally long"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()


def test_nothing_left_out_is_no_estimate() -> None:
    with pytest.raises(DegenerateError, match="ever left out"):
        estimate_632([[nan, nan]], 0.1, 0.5)


RATES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(st.floats(0, 1), RATES, st.floats(0, 1))
def test_values_of_replicates_average_to_the_estimate(err: float, values: list[float], gamma: float) -> None:
    found = estimate_632([[value] for value in values], err, gamma, "replicate")
    assert combine_632(err, values).mean() == pytest.approx(found.e632, abs=1e-12)
    assert combine_632(err, values, gamma, plus=True).mean() == pytest.approx(found.e632plus, abs=1e-12)


@given(st.floats(0, 1), RATES, st.floats(0, 1))
def test_values_of_replicates_keep_their_order_and_sign(err: float, values: list[float], gamma: float) -> None:
    for combined in (combine_632(err, values), combine_632(err, values, gamma, plus=True)):
        assert (combined >= 0).all()
        assert (np.diff(combined[np.argsort(values)]) >= -1e-12).all()


def test_a_failed_replicate_stays_missing_and_counts_for_nothing() -> None:
    for options in ({}, {"no_information": 0.5, "plus": True}):
        with_gap, without = combine_632(0.1, [0.2, nan, 0.4], **options), combine_632(0.1, [0.2, 0.4], **options)
        assert np.isnan(with_gap).tolist() == [False, True, False]
        assert with_gap[[0, 2]].tolist() == without.tolist()


def test_any_measure_can_be_weighed_by_632_but_not_by_its_plus() -> None:
    assert combine_632(-1.0, [-2.0]).tolist() == pytest.approx([-1.632])
    with pytest.raises(UsageError, match=r"for losses, which are not negative; found -2\.0"):
        combine_632(0.0, [-2.0, nan], 1.0, plus=True)


def test_perfect_learners_are_perfect() -> None:
    assert combine_632(0.0, [0.0, 0.0], 0.5, plus=True).tolist() == [0, 0]
    assert combine_632(0.0, [0.0, 0.0], 0.0, plus=True).tolist() == [0, 0]


def test_what_cannot_be_combined_is_refused() -> None:
    with pytest.raises(UsageError, match="loss without information; none was given"):
        combine_632(0.0, [0.1], plus=True)
    with pytest.raises(UsageError, match="one column; found the shape"):
        combine_632(0.0, [[0.1]])
    with pytest.raises(UsageError, match="numbers, one a replicate"):
        combine_632(0.0, ["a"])
    with pytest.raises(DegenerateError, match="no out-of-bootstrap error"):
        combine_632(0.0, [nan], 0.5, plus=True)
