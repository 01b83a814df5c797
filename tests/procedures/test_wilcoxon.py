"""Wilcoxon's test: against scipy, enumeration of all signs, its own interval, and bad input."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import midranks
from bakeoff.mathematics.ranks import RANK_METHODS as METHODS
from bakeoff.mathematics.ranks import ZEROS
from bakeoff.procedures.wilcoxon import compute, signed_rank

ALTERNATIVES = ("two-sided", "greater", "less")
# Small whole numbers: many ties and zeros.
tied = st.lists(st.integers(-4, 4), min_size=1, max_size=9)
plenty = st.lists(st.integers(-6, 8), min_size=1, max_size=70)
untied = st.lists(st.integers(1, 10**6), min_size=1, max_size=30, unique=True).flatmap(
    lambda sizes: st.tuples(*[st.sampled_from([-s, s]) for s in sizes])
)


def enumerated(d: list[int], zeros: str, alternative: str) -> float:
    """p over all signs of the non-zero differences, W+ made by definition."""
    values = np.array(d, dtype=float)
    if zeros == "wilcox":
        values = values[values != 0]
    elif zeros == "split" and np.sum(values == 0) % 2:
        values = np.delete(values, int(np.argmax(values == 0)))
    if not len(values):
        return 1.0
    ranks = midranks(np.abs(values))
    signed = ranks[values != 0]
    observed = ranks[values > 0].sum()
    sums = np.array([np.dot(signs, signed) for signs in product((0, 1), repeat=len(signed))])
    if alternative == "greater":
        return float(np.mean(sums >= observed))
    if alternative == "less":
        return float(np.mean(sums <= observed))
    centre = signed.sum() / 2
    return float(np.mean(np.abs(sums - centre) >= abs(observed - centre)))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", ZEROS)
@settings(max_examples=60)
@given(d=tied)
def test_exact_is_the_enumeration_of_all_signs(zeros: str, alternative: str, d: list[int]) -> None:
    ours = signed_rank(d, zeros=zeros, method="exact", alternative=alternative).p
    assert ours == pytest.approx(enumerated(d, zeros, alternative), rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(d=untied)
def test_exact_without_ties_agrees_with_scipy(alternative: str, d: tuple[int, ...]) -> None:
    theirs = stats.wilcoxon(np.array(d, dtype=float), alternative=alternative, method="exact")
    ours = signed_rank(d, alternative=alternative, method="exact")
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert ours.statistic == theirs.statistic


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@given(d=plenty.filter(any), correction=st.booleans())
def test_normal_agrees_with_scipy(zeros: str, alternative: str, d: list[int], correction: bool) -> None:
    theirs = stats.wilcoxon(
        np.array(d, dtype=float),
        zero_method=zeros,
        alternative=alternative,
        correction=correction,
        method="asymptotic",
    )
    ours = signed_rank(d, zeros=zeros, alternative=alternative, correction=correction, method="normal")
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert abs(ours.details["z"]) == pytest.approx(abs(theirs.zstatistic), rel=1e-9, abs=1e-12)


@given(d=plenty)
def test_split_zeros_give_half_their_ranks_to_each_side(d: list[int]) -> None:
    result = signed_rank(d)
    kept = len(d) - d.count(0) % 2
    details = result.details
    assert details["n"] == kept
    assert details["w_plus"] + details["w_minus"] == kept * (kept + 1) / 2
    assert details["T"] == min(details["w_plus"], details["w_minus"]) == result.statistic


@given(d=plenty.filter(any))
def test_plain_formula_by_hand(d: list[int]) -> None:
    result = signed_rank(d, method="normal-untied")
    n, smaller = result.details["n"], result.details["T"]
    z = (smaller - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    assert -abs(result.details["z"]) == pytest.approx(z)
    assert result.p == pytest.approx(min(1.0, 2 * stats.norm.cdf(z)), rel=1e-9)


@given(d=plenty)
def test_pseudo_median_is_the_median_of_walsh_averages(d: list[int]) -> None:
    result = signed_rank(d, zeros="pratt")
    values = np.array(d, dtype=float)
    pairs = (values[:, None] + values[None, :]) / 2
    middle = float(np.median(pairs[np.triu_indices(len(values))]))
    assert result.estimate == pytest.approx(middle, abs=1e-300)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(d=plenty, zeros=st.sampled_from(list(ZEROS)), confidence=st.floats(0.5, 0.999), correction=st.booleans())
@example(d=[1] * 70 + [-1] * 30, zeros="split", confidence=0.95, correction=False)
@example(d=[0] * 60 + [1] * 10, zeros="split", confidence=0.95, correction=False)
def test_interval_leaves_zero_out_exactly_when_the_test_rejects(
    method: str, alternative: str, d: list[int], zeros: str, confidence: float, correction: bool
) -> None:
    result = signed_rank(
        d, method=method, alternative=alternative, zeros=zeros, confidence=confidence, correction=correction
    )
    rejected = result.p <= (1 - confidence) * (1 + 1e-12)
    assert (result.lower <= 0 <= result.upper) is not rejected
    assert result.lower <= result.estimate <= result.upper


@pytest.mark.parametrize("method", ["exact", "normal"])
@given(d=plenty, low=st.floats(0.5, 0.9), more=st.floats(0.001, 0.099))
def test_a_higher_level_widens_the_interval(method: str, d: list[int], low: float, more: float) -> None:
    inner, outer = (signed_rank(d, method=method, confidence=level) for level in (low, low + more))
    assert outer.lower <= inner.lower
    assert outer.upper >= inner.upper


@given(d=plenty, zeros=st.sampled_from(list(ZEROS)))
def test_turning_the_signs_turns_the_answer(d: list[int], zeros: str) -> None:
    there, back = signed_rank(d, zeros=zeros), signed_rank([-x for x in d], zeros=zeros)
    assert there.p == pytest.approx(back.p, rel=1e-12)
    assert there.estimate == pytest.approx(-back.estimate)
    assert (there.lower, there.upper) == pytest.approx((-back.upper, -back.lower))
    greater = signed_rank(d, zeros=zeros, alternative="greater")
    less = signed_rank([-x for x in d], zeros=zeros, alternative="less")
    assert greater.p == pytest.approx(less.p, rel=1e-12)


def test_r_agrees_about_the_interval() -> None:
    """wilcox.test(d, conf.int = TRUE) of R for these differences, by its definition: the 14th and 65th of 78."""
    d = [0.011, -0.004, 0.019, 0.027, 0.002, -0.008, 0.031, 0.015, 0.006, 0.013, -0.001, 0.022]
    result = signed_rank(d)
    walsh = np.sort([(a + b) / 2 for i, a in enumerate(d) for b in d[i:]])
    assert (result.lower, result.upper) == pytest.approx((walsh[13], walsh[64]))
    assert result.estimate == pytest.approx(np.median(walsh))


def test_differences_are_rounded_before_they_are_ranked() -> None:
    assert 0.3 - 0.2 != 0.2 - 0.1
    result = compute([0.3, 0.1, 0.9], [0.2, 0.2, 0.5])
    assert (result.details["w_plus"], result.details["w_minus"]) == (4.5, 1.5)


def test_equal_learners_are_no_winners() -> None:
    for zeros in ZEROS:
        for method in METHODS:
            for alternative in ALTERNATIVES:
                same = [0.1, 0.2, 0.3] * 4
                result = compute(same, same, zeros=zeros, method=method, alternative=alternative)
                assert (result.p, result.estimate) == (1.0, 0.0), (zeros, method, alternative)
                assert result.lower <= 0 <= result.upper


def test_one_difference_and_five() -> None:
    assert signed_rank([0.3]).p == 1.0
    five = signed_rank([1, 2, 3, 4, 5])
    assert five.p == 0.0625
    assert (five.lower, five.upper) == (-inf, inf)  # .05 is out of reach, so nothing is excluded
    assert signed_rank([1, 2, 3, 4, 5], confidence=0.9).lower == 1.0


def test_auto_is_exact_up_to_fifty_differences_with_a_sign() -> None:
    d = np.arange(1, 51) * np.where(np.arange(50) % 3, 1, -1)
    assert signed_rank(d).details["method"] == "exact"
    assert signed_rank([*d.tolist(), 0, 0]).details["method"] == "exact"
    assert signed_rank([*d.tolist(), 51]).details["method"] == "normal"


def test_many_differences_need_little_memory() -> None:
    """Beyond two thousand the Walsh averages are not made one by one."""
    d = np.random.default_rng(3).normal(0.02, 1, 2600)
    ours = signed_rank(d)
    walsh = np.sort(((d[:, None] + d[None, :]) / 2)[np.triu_indices(len(d))])
    assert ours.estimate == pytest.approx(float(np.median(walsh)), rel=1e-9)
    # P(W+ ≤ c − 1) ≤ .025 by the normal law
    n = len(d)
    c = int(n * (n + 1) / 4 - 1.959963984540054 * np.sqrt(n * (n + 1) * (2 * n + 1) / 24)) + 1
    assert (ours.lower, ours.upper) == pytest.approx((walsh[c - 1], walsh[-c]), rel=1e-9)


@pytest.mark.parametrize(
    ("d", "options", "says"),
    [
        ([], {}, "at least one value"),
        ([[1, 2]], {}, "one column"),
        ([1, float("nan")], {}, "found nan at position 2"),
        ([1, float("inf")], {}, "found inf at position 2"),
        ([1, 2], {"zeros": "splitt"}, "Did you mean 'split'"),
        ([1, 2], {"method": "exakt"}, "Did you mean 'exact'"),
        ([1, 2], {"confidence": 0.0}, "confidence level"),
        ([1, 2], {"alternative": "up"}, "alternative must be one of"),
        (list(range(1, 1500)), {"method": "exact"}, "at most 1000 differences; found 1499"),
    ],
)
def test_bad_arguments_are_refused_in_words(d: list[float], options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        signed_rank(d, **options)  # type: ignore[arg-type]


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(UsageError, match="equally long"):
        compute([1, 2, 3], [1, 2])
