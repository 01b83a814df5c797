"""Adjusted p-values: by the closure principle, by their definitions, against scipy, and bad input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.inference import adjustments
from bakeoff.inference.adjustments import (
    ADJUSTMENTS,
    METHODS,
    adjust,
    adjustment_named,
    all_pairs_error,
    bonferroni_bound,
    independent_error,
    level_for,
    partitions,
    possible_counts,
    rejected,
)

P = st.lists(st.floats(0, 1), min_size=1, max_size=7)
NAMES = sorted(name for name, method in ADJUSTMENTS.items() if method.of_pairs is None)


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


R_WITH_NINE = {
    "bonferroni": [0.009, 0.18, 1, np.nan, 0.18, 0],
    "holm": [0.008, 0.14, 1, np.nan, 0.14, 0],
    "hochberg": [0.008, 0.12, 1, np.nan, 0.12, 0],
    "hommel": [0.008, 0.12, 1, np.nan, 0.12, 0],
    "bh": [0.0045, 0.045, 0.54, np.nan, 0.045, 0],
    "by": [0.01273035714, 0.12730357143, 1, np.nan, 0.12730357143, 0],
}


@pytest.mark.parametrize(("name", "expected"), R_WITH_NINE.items())
def test_a_family_larger_than_the_p_values_at_hand(name: str, expected: list[float]) -> None:
    """R: p.adjust(c(.001, .02, .3, NA, .02, 0), method, 9)."""
    found = adjust([0.001, 0.02, 0.3, np.nan, 0.02, 0], name, family=9)
    assert found == pytest.approx(expected, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_family_of_all_is_no_other(name: str) -> None:
    p = [0.01, 0.04, 0.3]
    assert adjust(p, name, family=3).tolist() == adjust(p, name).tolist()


@pytest.mark.parametrize("name", ["shaffer", "bergmann-hommel"])
def test_logical_relations_need_every_pair(name: str) -> None:
    assert adjust([0.01, 0.02, 0.03], name, family=3).tolist() == adjust([0.01, 0.02, 0.03], name).tolist()
    with pytest.raises(UsageError, match="the p-value of every pair"):
        adjust([0.01, 0.02, 0.03], name, family=6)


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


def pairs_of(k: int) -> list[tuple[int, int]]:
    return list(combinations(range(k), 2))


def can_be_alike(pairs: list[tuple[int, int]], k: int) -> bool:
    """Whether no pair is missing that follows from the others."""
    linked = np.eye(k, dtype=bool)
    for i, j in pairs:
        linked[i, j] = linked[j, i] = True
    return all(
        not (linked[i, j] and linked[j, m]) or linked[i, m] for i in range(k) for j in range(k) for m in range(k)
    )


def exhaustive(k: int) -> list[list[int]]:
    """All sets of pairs that can be alike at once, by trying every set."""
    pairs = pairs_of(k)
    sets = chain.from_iterable(combinations(range(len(pairs)), size) for size in range(1, len(pairs) + 1))
    return [list(some) for some in sets if can_be_alike([pairs[i] for i in some], k)]


FOUR = exhaustive(4)
SIX_P = st.lists(st.floats(0, 1), min_size=6, max_size=6)


@given(p=SIX_P)
def test_bergmann_hommel_is_bonferroni_closed_over_what_can_be_alike(p: list[float]) -> None:
    expected = np.zeros(6)
    for members in FOUR:
        expected[members] = np.maximum(expected[members], len(members) * np.array(p)[members].min())
    assert adjust(p, "bergmann-hommel") == pytest.approx(np.minimum(expected, 1.0), abs=1e-15)


@given(p=SIX_P)
def test_shaffer_counts_what_can_still_be_alike(p: list[float]) -> None:
    """Of six pairs 6, 3, 2, 1 can be alike; after one was found to differ, at most 3."""
    order = np.argsort(p, kind="stable")
    expected = np.empty(6)
    expected[order] = np.minimum(np.maximum.accumulate(np.array([6, 3, 3, 3, 2, 1]) * np.array(p)[order]), 1)
    assert adjust(p, "shaffer") == pytest.approx(expected, abs=1e-15)


@given(p=SIX_P)
def test_logical_relations_add_power(p: list[float]) -> None:
    for smaller, larger in pairwise([adjust(p, name) for name in ("none", "bergmann-hommel", "shaffer", "holm")]):
        assert np.all(smaller <= larger + 1e-12)


@pytest.mark.parametrize("name", ["shaffer", "bergmann-hommel"])
def test_which_pair_is_which_does_not_depend_on_the_order(name: str) -> None:
    rng = np.random.default_rng(1)
    p, order = rng.random(10) ** 4, rng.permutation(10)
    pairs = [tuple(reversed(pairs_of(5)[i])) for i in order]
    assert adjust(p[order], name, pairs) == pytest.approx(adjust(p, name, pairs_of(5))[order])
    assert adjust(p, name).tolist() == adjust(p, name, pairs_of(5)).tolist()


@pytest.mark.parametrize("name", ["shaffer", "bergmann-hommel"])
def test_a_missing_pair_counts_as_one(name: str) -> None:
    found = adjust([0.01, np.nan, 0.04], name)
    assert np.isnan(found[1])
    assert found[[0, 2]].tolist() == adjust([0.01, 1.0, 0.04], name)[[0, 2]].tolist()


@pytest.mark.parametrize("name", ["shaffer", "bergmann-hommel"])
@pytest.mark.parametrize("pairs", [[(0, 1), (0, 2)], [(0, 1), (0, 2), (0, 3)], [(0, 1), (0, 1), (1, 2)], ()])
def test_logical_adjustments_are_for_all_pairs(name: str, pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(UsageError, match="for all pairs of learners"):
        adjust([0.01] * max(len(pairs), 1), name, pairs)


def test_bergmann_hommel_has_a_limit_and_a_way_on() -> None:
    with pytest.raises(UsageError, match=r"at most 12 of them; found 13\. Use shaffer"):
        adjust([0.01] * 78, "bergmann-hommel")
    assert len(adjust([0.01] * 45, "bergmann_hommel")) == 45


@given(p=P)
def test_finner_by_its_formula(p: list[float]) -> None:
    m, ordered = len(p), np.sort(p)
    expected = [max(1 - (1 - ordered[j]) ** (m / (j + 1)) for j in range(i + 1)) for i in range(m)]
    assert np.sort(adjust(p, "finner")) == pytest.approx(expected, abs=1e-12)


def test_finner_controls_the_family_only_if_nothing_differs() -> None:
    """Ten independent tests: all hypotheses true, and five of them false and surely found."""
    rng = np.random.default_rng(1993)
    wrong = {0: 0, 5: 0}
    for false in wrong:
        p = rng.random((4000, 10))
        p[:, :false] = 0.0
        wrong[false] = int(sum((adjust(row, "finner")[false:] <= 0.05).any() for row in p))
    assert wrong[0] / 4000 == pytest.approx(0.05, abs=0.014)
    assert wrong[5] / 4000 == pytest.approx(1 - 0.95**3, abs=0.022)


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


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_sidak_is_holm_with_sidaks_levels(p: list[float]) -> None:
    """Between Šidák's and none, never above Holm's; equal to Šidák's at the smallest p."""
    ours, holm, sidak = (adjust(p, name) for name in ("holm-sidak", "holm", "sidak"))
    assert (ours <= holm + 1e-12).all()
    assert (ours <= sidak + 1e-12).all()
    assert ours.min() == pytest.approx(sidak.min())


# ----------------------------------------------------------------------------------------------------------------------
# Partitions of learners, and how many pairs can be alike at once.


BELL = [1, 2, 5, 15, 52, 203, 877, 4140, 21147]


def all_of(k: int) -> np.ndarray:
    return np.concatenate(list(partitions(k)))


@pytest.mark.parametrize("k", range(1, 10))
def test_there_are_as_many_partitions_as_bell_counted(k: int) -> None:
    found = all_of(k)
    assert len(found) == len(np.unique(found, axis=0)) == BELL[k - 1]
    # Restricted growth: each learner is in a group before it, or in the next new one.
    grown = np.maximum.accumulate(found, axis=1)
    assert np.all(found[:, 0] == 0)
    assert np.all(found[:, 1:] <= grown[:, :-1] + 1)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.unique(all_of(6), axis=0)
    monkeypatch.setattr(adjustments, "CHUNK", 7)
    assert max(map(len, partitions(6))) <= 7
    assert np.array_equal(np.unique(all_of(6), axis=0), whole)


@pytest.mark.parametrize("k", range(1, 9))
def test_possible_counts_are_those_of_the_partitions(k: int) -> None:
    counts = {sum(int(row[i] == row[j]) for i, j in combinations(range(k), 2)) for row in all_of(k)}
    assert possible_counts(k) == sorted(counts)


def test_shaffers_own_table() -> None:
    """Shaffer (1986): for five means the possible numbers of true hypotheses are 0 to 4, 6 and 10."""
    assert possible_counts(5) == [0, 1, 2, 3, 4, 6, 10]
    assert possible_counts(1) == [0]
    assert possible_counts(60)[-2:] == [59 * 58 // 2, 60 * 59 // 2]


# ----------------------------------------------------------------------------------------------------------------------
# The familywise error, and what each adjustment rejects.


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
