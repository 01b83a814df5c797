"""Factorial designs, their fractions, Plackett–Burman, one factor at a time; and orders of treatments.

Reference: Alpaydın (2014), Introduction to Machine Learning, 19.2–19.3; Montgomery (2013), Design and Analysis of
Experiments, chapters 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, product
from math import prod
from operator import xor

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array

LARGEST = 1_000_000  # runs: a table that nobody means to run should not fill the memory


def full_factorial(levels: Sequence[int], coded: bool = False) -> Array:
    """Every combination of the factors' levels; the last factor changes fastest.

    `levels` says how many levels each factor has. They are numbered from 0, or coded from −1 to +1 in equal steps.

    >>> full_factorial([2, 3]).tolist()
    [[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]
    >>> full_factorial([2, 2], coded=True).tolist()
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    """
    counts = checked_levels(levels)
    if (runs := prod(counts)) > LARGEST:
        raise UsageError(f"A full factorial of these levels has {runs:,} runs; at most {LARGEST:,} are listed.")
    columns = [_coded(n) if coded else np.arange(float(n)) for n in counts]
    return np.array(list(product(*columns)), dtype=float)


def checked_levels(levels: Sequence[int]) -> list[int]:
    counts = list(levels)
    if not counts:
        raise UsageError("A design needs at least one factor; found none.")
    for n in counts:
        if n != int(n) or n < 1:
            raise UsageError(f"A factor has a whole number of levels, at least one; found {n!r}.")
    return [int(n) for n in counts]


def _coded(n: int) -> Array:
    return np.linspace(-1, 1, n) if n > 1 else np.zeros(1)


def full_factorial_runs(levels: Sequence[int]) -> int:
    """How many runs a full factorial takes: the product of the levels, L^F for F factors of L levels each.

    >>> full_factorial_runs([5, 5])
    25
    """
    return prod(checked_levels(levels))


def one_at_a_time(levels: Sequence[int], baseline: Sequence[int] | None = None) -> Array:
    """The baseline, and from there each factor through its other levels while the rest stay where they are.

    It cannot see interactions: if the best level of one factor depends on another, it finds neither. Levels are
    numbered from 0; the baseline is the lowest level of each unless given.

    >>> one_at_a_time([2, 3]).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0]]
    """
    counts = checked_levels(levels)
    start = [0] * len(counts) if baseline is None else list(baseline)
    if len(start) != len(counts) or any(not 0 <= at < n for at, n in zip(start, counts, strict=False)):
        raise UsageError(f"The baseline must name one level of each factor, below {counts}; found {start}.")
    runs = [list(start)]
    for factor, n in enumerate(counts):
        for level in range(n):
            if level != start[factor]:
                runs.append([*start[:factor], level, *start[factor + 1 :]])
    return np.array(runs, dtype=float)


# ----------------------------------------------------------------------------------------------------------------------
# Regular two-level fractions 2^(k−p): generators, defining relation, resolution and aliases.
#
# Each factor beyond the basic ones is a product of basic ones, so effects cannot be told from those they are confounded
# (aliased) with. The defining relation lists the products of factors that are constant over the runs; the length of its
# shortest word is the resolution: III confounds main effects with two-factor interactions, IV two-factor interactions
# with each other, V nothing below three factors with main effects or two-factor interactions.
#
# Reference: Box and Hunter (1961), doi:10.1080/00401706.1961.10489951; Montgomery (2013), chapter 8.


LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # without I, the identity
MOST_FACTORS = 20


@dataclass(frozen=True, slots=True)
class Fraction:
    """A two-level fraction. `defining` has the words of its relation, such as "ABD" and "-ACE"; none if it is full."""

    design: Array
    generators: tuple[str, ...]
    defining: tuple[str, ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors' letters, in the order of the columns."""
        return tuple(LETTERS[: self.design.shape[1]])

    @property
    def runs(self) -> int:
        return len(self.design)

    @property
    def resolution(self) -> int | None:
        """The length of the shortest defining word; nothing if the design is a full factorial."""
        return min((len(word.lstrip("-")) for word in self.defining), default=None)

    def aliases(self, up_to: int = 2) -> dict[str, tuple[str, ...]]:
        """For each effect of at most `up_to` factors, the other such effects that it cannot be told from.

        >>> fractional_factorial("a b ab").aliases()["A"]
        ('BC',)
        """
        letters = self.factors
        effects = ["".join(part) for size in range(1, up_to + 1) for part in combinations(letters, size)]
        table = {}
        for effect in effects:
            others = (_times(effect, word) for word in self.defining)
            kept = [other for other in others if 0 < len(other.lstrip("-")) <= up_to]
            table[effect] = tuple(sorted(kept, key=lambda word: (len(word.lstrip("-")), word.lstrip("-"))))
        return table


def fractional_factorial(generators: str | Sequence[str]) -> Fraction:
    """The fraction that generators describe, one word for each factor, in coded levels −1 and +1.

    A single letter is a basic factor; a product of them, with a minus sign if it is turned round, is a further factor.
    The basic factors make a full factorial, the last changing fastest.

    >>> half = fractional_factorial("a b ab")
    >>> half.design.tolist()
    [[-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]
    >>> quarter = fractional_factorial("a b c ab ac")
    >>> quarter.defining, quarter.resolution
    (('ABD', 'ACE', 'BCDE'), 3)
    """
    words = _words(generators)
    basic = [word for word in words if len(word) == 1]
    place = {letter: i for i, letter in enumerate(basic)}
    full = full_factorial([2] * len(basic), coded=True)
    columns = []
    for word in words:
        plain = word.lstrip("-")
        if unknown := [letter for letter in plain if letter not in place]:
            raise UsageError(
                f"The generator {word!r} uses {unknown[0]!r}, which is no factor of its own; basic are {basic}."
            )
        sign = -1 if word.startswith("-") else 1
        columns.append(sign * np.prod(full[:, [place[letter] for letter in plain]], axis=1))
    return Fraction(np.column_stack(columns), tuple(words), _defining(words))


def _words(generators: str | Sequence[str]) -> list[str]:
    parts = generators.split() if isinstance(generators, str) else list(generators)
    words = [part.lower().removeprefix("+") for part in parts]
    if not words:
        raise UsageError("A design needs at least one factor; the list of generators is empty.")
    if len(words) > MOST_FACTORS:
        raise UsageError(f"At most {MOST_FACTORS} factors are supported; found {len(words)}.")
    for word in words:
        product = word.removeprefix("-")
        if not product.isalpha() or len(set(product)) < len(product):
            raise UsageError(f"A generator is a product of different letters, such as 'ab' or '-abc'; found {word!r}.")
    basic = [word for word in words if len(word) == 1]
    if not basic or len(set(basic)) < len(basic):
        raise UsageError(f"Basic factors are single letters, each once and at least one; found {basic}.")
    seen: dict[frozenset[str], str] = {}
    for word in words:
        letters = frozenset(word.removeprefix("-"))
        if letters in seen:
            raise UsageError(
                f"The factors {seen[letters]!r} and {word!r} always change together, so that no run tells them apart. "
                "Give each factor a product of its own."
            )
        seen[letters] = word
    return words


def _defining(words: Sequence[str]) -> tuple[str, ...]:
    """All products of the generating words: a word is a set of columns (as bits) and a sign."""
    home = {word: i for i, word in enumerate(words) if len(word) == 1}
    generating = []
    for i, word in enumerate(words):
        if len(word) > 1:
            bits = reduce(xor, (1 << home[letter] for letter in word.lstrip("-")), 1 << i)
            generating.append((bits, word.startswith("-")))
    defining = []
    for size in range(1, len(generating) + 1):
        for chosen in combinations(generating, size):
            bits = reduce(xor, (part for part, _ in chosen))
            minus = sum(sign for _, sign in chosen) % 2 == 1
            defining.append("-" * minus + "".join(LETTERS[i] for i in range(len(words)) if bits >> i & 1))
    return tuple(sorted(defining, key=lambda word: (len(word.lstrip("-")), word.lstrip("-"))))


def _times(first: str, second: str) -> str:
    """The product of two signed words: letters in both cancel.

    >>> _times("A", "-ABD")
    '-BD'
    """
    minus = first.startswith("-") != second.startswith("-")
    return "-" * minus + "".join(sorted(set(first.lstrip("-")) ^ set(second.lstrip("-"))))


# The fractions of least aberration that Box, Hunter and Hunter tabulate, by factors and runs: the words of the factors
# beyond the basic ones (Montgomery 2013, table 8.14; NIST/SEMATECH e-Handbook, 5.3.3.4.7). The tests look at every
# other choice of generators: none has a higher resolution, or less aberration.
_GENERATORS = {
    (3, 4): "ab", (4, 8): "abc", (5, 8): "ab ac", (5, 16): "abcd", (6, 8): "ab ac bc", (6, 16): "abc bcd",
    (6, 32): "abcde", (7, 8): "ab ac bc abc", (7, 16): "abc bcd acd", (7, 32): "abcd abde", (7, 64): "abcdef",
    (8, 16): "bcd acd abc abd", (8, 32): "abc abd bcde", (8, 64): "abcd abef", (9, 16): "abc bcd acd abd abcd",
    (9, 32): "bcde acde abde abce", (9, 64): "abcd acef cdef", (10, 16): "abc bcd acd abd abcd ab",
    (10, 32): "abcd abce abde acde bcde", (10, 64): "bcdf acdf abde abce", (11, 16): "abc bcd acd abd abcd ab ac",
    (11, 32): "abc bcd cde acd ade bde", (11, 64): "cde abcd abf bdef adef",
}  # fmt: skip


def standard_fraction(factors: int, *, runs: int | None = None, resolution: int | None = None) -> Fraction:
    """The tabulated fraction for so many factors: in so many runs, or the smallest of at least that resolution; the
    full factorial where no fraction has it.

    >>> standard_fraction(7, runs=8).resolution, standard_fraction(5, resolution=5).runs
    (3, 16)
    """
    options = {n: words for (k, n), words in sorted(_GENERATORS.items()) if k == factors}
    full = " ".join(LETTERS[:factors].lower())
    if runs is not None:
        if runs == 2**factors:
            return fractional_factorial(full)
        if runs not in options:
            sizes = ", ".join(map(str, [*options, 2**factors]))
            raise UsageError(
                f"A two-level fraction of {factors} factors has {sizes} runs; found {runs}. For another size give the "
                "generators."
            )
        return _fraction_of(runs, options[runs])
    for n, words in options.items():
        fraction = _fraction_of(n, words)
        if resolution is None or (fraction.resolution or 0) >= resolution:
            return fraction
    if factors > 11:
        raise UsageError(
            f"Fractions are tabulated for up to 11 factors; found {factors}. Give generators, or screen the factors "
            "first (Plackett–Burman)."
        )
    return fractional_factorial(full)


def _fraction_of(runs: int, words: str) -> Fraction:
    basic = " ".join(LETTERS[: runs.bit_length() - 1].lower())
    return fractional_factorial(f"{basic} {words}")


# ----------------------------------------------------------------------------------------------------------------------
# Plackett–Burman screening: up to N − 1 two-level factors in N runs, N a multiple of four.
#
# Main effects are estimated independently of each other, but each is partially confounded with two-factor interactions
# of the others: a design to find the few factors that matter, not to estimate their effects.
#
# Reference: Plackett and Burman (1946), doi:10.1093/biomet/33.4.305.


# First rows of the cyclic designs of the paper; the other sizes come from Hadamard matrices by doubling.
_FIRST_ROWS = {
    12: "++-+++---+-",
    20: "++--++++-+-+----++-",
    24: "+++++-+-++--++--+-+----",
    36: "-+-+++---+++++-+++--+----+-+-++--+-",
}
MOST_RUNS = 48


def plackett_burman(factors: int) -> Array:
    """The smallest design for so many factors, in coded levels; columns are orthogonal and balanced.

    >>> design = plackett_burman(5)
    >>> design.shape, bool((design.T @ design == 8 * np.eye(5)).all())
    ((8, 5), True)
    """
    if factors != int(factors) or not 1 <= factors < MOST_RUNS:
        raise UsageError(f"Plackett–Burman designs are there for 1 to {MOST_RUNS - 1} factors; found {factors!r}.")
    runs = next(n for n in range(4, MOST_RUNS + 1, 4) if n > factors and n != 28 and n != 44)
    return _columns(runs)[:, : int(factors)]


def _columns(runs: int) -> Array:
    if runs in _FIRST_ROWS:
        first = np.array([1.0 if sign == "+" else -1.0 for sign in _FIRST_ROWS[runs]])
        cyclic = np.array([np.roll(first, shift) for shift in range(runs - 1)])
        return np.vstack([cyclic, -np.ones(runs - 1)])
    if runs == 1:
        return np.ones((1, 0))
    half = np.column_stack([np.ones(runs // 2), _columns(runs // 2)])  # Sylvester's doubling of a Hadamard matrix
    return np.block([[half, half], [half, -half]])[:, 1:]


# ----------------------------------------------------------------------------------------------------------------------
# Orders of treatments that balance order effects. Reference: Williams (1949), doi:10.1071/CH9490149.


def williams(treatments: int) -> NDArray[np.int64]:
    """Latin squares in which each treatment also follows each other one equally often.

    One square for an even number of treatments (each follows each once), two for an odd number (twice).

    >>> williams(4).tolist()
    [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]
    >>> len(williams(3))
    6
    """
    k = _treatments(treatments)
    first = np.array([(i + 1) // 2 if i % 2 else (k - i // 2) % k for i in range(k)])  # 0, 1, k−1, 2, k−2, …
    square = (first + np.arange(k)[:, None]) % k
    return square if k % 2 == 0 else np.vstack([square, square[:, ::-1]])


def _treatments(treatments: int) -> int:
    if treatments != int(treatments) or treatments < 2:
        raise UsageError(f"An order needs at least two treatments; found {treatments!r}.")
    return int(treatments)
