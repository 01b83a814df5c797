"""Fractions: published defining relations, and the property that makes aliases aliases."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bakeoff.designs.fractional import Fraction, fractional_factorial
from bakeoff.errors import UsageError


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
