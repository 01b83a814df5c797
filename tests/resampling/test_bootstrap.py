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
    Bootstrap,
    Bootstrap632,
    Bootstrap632Plus,
    OutOfBayesianBootstrap,
    OutOfBootstrap,
    OutOfBootstrap2n,
    chance_left_out,
    combine_632,
    estimate_632,
    unequal_copies,
    weigh_632,
)
from bakeoff.resampling.split import APPARENT, TEST, Sample
from bakeoff.resampling.units import Units


def test_a_third_is_left_out() -> None:
    assert chance_left_out(10**6) == pytest.approx(LIMIT_LEFT_OUT, rel=1e-6)
    splits = OutOfBootstrap(repeats=2000).splits(Sample(50), 1).splits
    assert all(len(one.train) == 50 for one in splits)
    assert np.mean([len(one.test) / 50 for one in splits]) == pytest.approx(chance_left_out(50), abs=0.005)


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


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: chance_left_out(0), "at least one observation"),
        (lambda: chance_left_out(2.5), "whole number"),  # type: ignore[arg-type]
        (lambda: estimate_632([[0.0]], -0.1, 0.5), "apparent error"),
        (lambda: estimate_632([[0.0]], 0.1, nan), "error without information"),
        (lambda: estimate_632([0.0], 0.1, 0.5), "replicates × observations"),
        (lambda: estimate_632([["x"]], 0.1, 0.5), "table of numbers"),
        (lambda: estimate_632([[np.inf]], 0.1, 0.5), "infinite"),
        (lambda: estimate_632([[0.0]], 0.1, 0.5, "median"), "There is no average 'median'"),
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


# ----------------------------------------------------------------------------------------------------------------------
# Bayesian bootstrap


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


# ----------------------------------------------------------------------------------------------------------------------
# Schemes on bootstrap samples.


def test_out_of_bootstrap_tests_on_exactly_what_was_not_drawn() -> None:
    made = OutOfBootstrap(repeats=500).splits(Sample(40), 1).splits
    assert all(sorted({*s.train.tolist(), *s.test.tolist()}) == list(range(40)) for s in made)
    assert np.mean([len(s.test) for s in made]) == pytest.approx(40 * chance_left_out(40), abs=0.4)


def test_all_draw_the_same_samples() -> None:
    sample = Sample(15, given_test=np.array([14]))
    schemes = (Bootstrap, OutOfBootstrap, OutOfBootstrap2n, Bootstrap632, Bootstrap632Plus)
    drawn = [[s.train.tolist() for s in kind(repeats=5).splits(sample, 4).splits if s.role == TEST] for kind in schemes]
    assert all(one == drawn[0] for one in drawn)


def test_the_bootstrap_says_that_it_is_optimistic() -> None:
    (note,) = Bootstrap(repeats=2).splits(Sample(9), 1).notes
    assert "optimistic" in note


def test_632_has_one_apparent_split_which_stays_first() -> None:
    for kind in (Bootstrap632, Bootstrap632Plus):
        first, *rest = kind(repeats=5).splits(Sample(9), 1).splits
        assert (first.repeat, first.role) == (0, APPARENT)
        assert first.train.tolist() == first.test.tolist() == list(range(9))
        assert [(s.repeat, s.role) for s in rest] == [(repeat, TEST) for repeat in range(1, 6)]
        assert kind(repeats=5).count(Sample(9)) == 6


def test_samples_that_leave_nothing_out_are_skipped_and_keep_their_number() -> None:
    made = OutOfBootstrap(repeats=40).splits(Sample(2), 1)
    # Two rows are both drawn half of the time.
    assert 8 < len(made.splits) < 32
    assert all(s.train[0] == s.train[1] != s.test[0] for s in made.splits)
    numbers = [s.repeat for s in made.splits]
    assert numbers != list(range(1, len(numbers) + 1))
    skipped = 40 - len(made.splits)
    assert made.notes == (f"Of 40 bootstrap samples {skipped} left nothing out to test on and had to be skipped.",)


def test_skipping_is_counted_among_test_splits_for_632() -> None:
    made = Bootstrap632(repeats=40).splits(Sample(2), 1)
    (note,) = made.notes
    assert note.startswith(f"Of 40 bootstrap samples {41 - len(made.splits)} left")


@pytest.mark.parametrize("kind", [OutOfBootstrap, Bootstrap632])
def test_if_all_are_skipped_it_is_an_error(kind: type[OutOfBootstrap]) -> None:
    seed = next(seed for seed in range(50) if set(Bootstrap(1).splits(Sample(2), seed).splits[0].train) == {0, 1})
    with pytest.raises(UsageError, match="leaves nothing to test on: 2 rows are too few"):
        kind(repeats=1).splits(Sample(2), seed)


def test_groups_are_drawn_and_not_rows() -> None:
    groups = np.repeat(np.arange(6), [5, 1, 2, 1, 1, 4])
    for s in OutOfBootstrap(repeats=30).splits(Sample(14, groups=groups), 1).splits:
        copies = np.bincount(s.train, minlength=14)
        per_group = [set(copies[groups == group].tolist()) for group in range(6)]
        assert all(len(times) == 1 for times in per_group)
        assert sum(times.pop() for times in per_group) == 6


def test_2n_needs_the_sample_to_merge() -> None:
    with pytest.raises(UsageError, match="'out-of-bootstrap-2n' needs a test sample"):
        OutOfBootstrap2n().splits(Sample(20), 1)
    made = OutOfBootstrap2n(repeats=20).splits(Sample(20, given_test=np.arange(10, 20)), 1)
    assert made.notes == ()
    assert any(s.train.max() >= 10 and s.test.min() < 10 for s in made.splits)


@pytest.mark.parametrize(
    ("errors", "overfitting", "weight", "e632", "e632plus"),
    [
        ((0.05, 0.20, 0.50), 1 / 3, 0.632 / (1 - 0.368 / 3), 0.1448, 0.1580554),
        ((0.10, 0.60, 0.50), 1.0, 1.0, 0.416, 0.5),  # Err1 beyond γ counts as γ
        ((0.30, 0.20, 0.50), 0.0, 0.632, 0.2368, 0.2368),  # nothing is overfitted
        ((0.50, 0.60, 0.50), 0.0, 0.632, 0.5632, 0.5),  # γ = err
    ],
)
def test_estimates_from_the_three_errors(
    errors: tuple[float, float, float], overfitting: float, weight: float, e632: float, e632plus: float
) -> None:
    found = weigh_632(*errors)
    assert (found.overfitting, found.weight) == pytest.approx((overfitting, weight))
    assert (found.e632, found.e632plus) == pytest.approx((e632, e632plus), abs=1e-6)
    assert found == estimate_632([[errors[1]]], errors[0], errors[2])
