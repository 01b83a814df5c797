"""Full factorials and one factor at a time."""

from __future__ import annotations

from functools import reduce
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.designs.factorial import (
    _GENERATORS,
    Fraction,
    fractional_factorial,
    full_factorial,
    full_factorial_runs,
    one_at_a_time,
    plackett_burman,
    standard_fraction,
)
from bakeoff.errors import UsageError

LEVELS = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(LEVELS)
def test_every_combination_once(levels: list[int]) -> None:
    design = full_factorial(levels)
    assert design.shape == (full_factorial_runs(levels), len(levels))
    assert len({tuple(row) for row in design.tolist()}) == len(design)
    assert (design.max(axis=0) == np.array(levels) - 1).all()


@given(LEVELS)
def test_coded_levels_are_balanced_around_zero(levels: list[int]) -> None:
    design = full_factorial(levels, coded=True)
    np.testing.assert_allclose(design.sum(axis=0), 0, atol=1e-9)
    assert np.abs(design).max() <= 1


@given(LEVELS)
def test_one_at_a_time_changes_one_factor(levels: list[int]) -> None:
    design = one_at_a_time(levels, baseline=[n - 1 for n in levels])
    assert len(design) == 1 + sum(n - 1 for n in levels)
    assert ((design != design[0]).sum(axis=1) <= 1).all()
    assert len({tuple(row) for row in design.tolist()}) == len(design)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: full_factorial([]), "at least one factor"),
        (lambda: full_factorial([2, 0]), "at least one; found 0"),
        (lambda: full_factorial([2.5]), "whole number"),  # type: ignore[list-item]
        (lambda: full_factorial([10] * 7), "10,000,000 runs"),
        (lambda: one_at_a_time([2, 2], [0]), "one level of each factor"),
        (lambda: one_at_a_time([2, 2], [0, 2]), "one level of each factor"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=sentence):
        call()


# ----------------------------------------------------------------------------------------------------------------------
# Fractions: published defining relations, and the property that makes aliases aliases.


def column(design: Fraction, effect: str) -> np.ndarray:
    sign = -1 if effect.startswith("-") else 1
    return sign * np.prod([design.design[:, design.factors.index(letter)] for letter in effect.lstrip("-")], axis=0)


@pytest.mark.parametrize(
    ("generators", "runs", "resolution", "words"),
    [
        ("a b", 4, None, ()),
        ("a b c abc", 8, 4, ("ABCD",)),
        ("a b c d abcd", 16, 5, ("ABCDE",)),
        ("a b c ab ac bc abc", 8, 3, None),  # Montgomery, table 8.14: seven factors in eight runs
        ("a b c d abc bcd", 16, 4, ("ABCE", "ADEF", "BCDF")),  # 2^(6-2) of table 8.14
        ("a b -ab", 4, 3, ("-ABC",)),
    ],
)
def test_published_designs(generators: str, runs: int, resolution: int | None, words: tuple[str, ...] | None) -> None:
    found = fractional_factorial(generators)
    assert (found.runs, found.resolution) == (runs, resolution)
    if words is not None:
        assert found.defining == words


@pytest.mark.parametrize("generators", ["a b c ab ac", "a b c -ab", "a b c d abc -bcd", "c a b abc"])
def test_defining_words_are_constant_and_aliases_equal(generators: str) -> None:
    found = fractional_factorial(generators)
    for word in found.defining:
        assert (column(found, word) == 1).all()
    for effect, others in found.aliases(3).items():
        for other in others:
            assert (column(found, effect) == column(found, other)).all()
    # and all that is not listed as aliased is orthogonal
    table = found.aliases(2)
    for one, two in combinations(table, 2):
        aliased = two in [other.lstrip("-") for other in table[one]]
        assert abs(column(found, one) @ column(found, two)) == (found.runs if aliased else 0)


def test_a_full_factorial_has_no_aliases() -> None:
    assert fractional_factorial("a b c").aliases() == dict.fromkeys(("A", "B", "C", "AB", "AC", "BC"), ())


@pytest.mark.parametrize(
    ("generators", "sentence"),
    [
        ("", "at least one factor"),
        ("ab ac", "single letters"),
        ("a a", "each once"),
        ("a b abc", "uses 'c', which is no factor"),
        ("a b aa", "different letters"),
        ("a b a1", "different letters"),
        ("a b --ab", "different letters"),
        (" ".join("abcdefghjklmnopqrstuv"), "At most 20"),
    ],
)
def test_bad_generators_are_refused_in_a_sentence(generators: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        fractional_factorial(generators)


@pytest.mark.parametrize(
    "generators", ["a b ab ab", "a b ab ba", "a b ab -ab", "a b -a", ["a", "b", "c", "abc", "cab"]]
)
def test_two_factors_that_always_change_together_are_refused(generators: str | list[str]) -> None:
    with pytest.raises(UsageError, match="always change together, so that no run tells them apart"):
        fractional_factorial(generators)


# ----------------------------------------------------------------------------------------------------------------------
# Plackett–Burman designs are balanced and orthogonal for every number of factors.


@pytest.mark.parametrize("factors", range(1, 48))
def test_columns_are_orthogonal_and_balanced(factors: int) -> None:
    design = plackett_burman(factors)
    runs = len(design)
    assert runs % 4 == 0
    assert runs > factors
    assert (design.T @ design == runs * np.eye(factors)).all()
    assert (design.sum(axis=0) == 0).all()
    assert set(np.unique(design)) == {-1.0, 1.0}


def test_eleven_factors_in_twelve_runs() -> None:
    """The first row of the published design of twelve runs."""
    assert plackett_burman(11)[0].tolist() == [1, 1, -1, 1, 1, 1, -1, -1, -1, 1, -1]


@pytest.mark.parametrize("factors", [0, 48, 2.5])
def test_other_numbers_are_refused(factors: float) -> None:
    with pytest.raises(UsageError, match="1 to 47 factors"):
        plackett_burman(factors)  # type: ignore[arg-type]


def least_aberration(factors: int, runs: int) -> list[int]:
    """The number of defining words of each length, from 3 on, of the best of all fractions: by looking at every choice
    of generators. Better has fewer words of the shortest length in which two differ (Fries and Hunter 1980)."""
    basic = runs.bit_length() - 1
    p = factors - basic
    products = [bits for bits in range(1, runs) if bits.bit_count() > 1]
    chosen = np.fromiter(chain.from_iterable(combinations(products, p)), dtype=np.uint8).reshape(-1, p).T.copy()
    letters = np.array([bits.bit_count() for bits in range(runs)], dtype=np.uint8)
    best = []
    for length in range(3, factors + 1):
        count = np.zeros(chosen.shape[1], dtype=np.uint8)
        for size in range(1, p + 1):
            for some in combinations(chosen, size):
                count += letters[reduce(np.bitwise_xor, some)] == length - size
        best.append(int(count.min()))
        chosen = chosen[:, count == best[-1]]
    return best


@pytest.mark.parametrize(("factors", "runs"), sorted(_GENERATORS))
def test_each_tabulated_fraction_is_the_best_of_all(factors: int, runs: int) -> None:
    """As the table of Box, Hunter and Hunter claims: resolution and aberration, against every choice of generators."""
    lengths = [len(word) for word in standard_fraction(factors, runs=runs).defining]
    best = least_aberration(factors, runs)
    assert [lengths.count(length) for length in range(3, factors + 1)] == best
    assert standard_fraction(factors, runs=runs).resolution == next(i for i, n in enumerate(best, 3) if n)


def test_a_worse_fraction_would_be_found_out() -> None:
    """2^(7−2) with ABC and ABDE has resolution IV too, and more words of four letters than it need have."""
    worse = fractional_factorial("a b c d e abc ade")
    assert worse.resolution == 4
    assert [sum(len(word) == length for word in worse.defining) for length in range(3, 8)] != least_aberration(7, 32)
