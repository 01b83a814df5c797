"""Regular two-level fractions 2^(k−p): generators, defining relation, resolution and aliases.

Each factor beyond the basic ones is a product of basic ones, so effects cannot be told from those they are confounded
(aliased) with. The defining relation lists the products of factors that are constant over the runs; the length of its
shortest word is the resolution: III confounds main effects with two-factor interactions, IV two-factor interactions
with each other, V nothing below three factors with main effects or two-factor interactions.

Reference: Box and Hunter (1961), doi:10.1080/00401706.1961.10489951; Montgomery (2013), chapter 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import xor

import numpy as np

from bakeoff.designs.factorial import full_factorial
from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array

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
    found = []
    for size in range(1, len(generating) + 1):
        for chosen in combinations(generating, size):
            bits = reduce(xor, (part for part, _ in chosen))
            minus = sum(sign for _, sign in chosen) % 2 == 1
            found.append("-" * minus + "".join(LETTERS[i] for i in range(len(words)) if bits >> i & 1))
    return tuple(sorted(found, key=lambda word: (len(word.lstrip("-")), word.lstrip("-"))))


def _times(first: str, second: str) -> str:
    """The product of two signed words: letters in both cancel.

    >>> _times("A", "-ABD")
    '-BD'
    """
    minus = first.startswith("-") != second.startswith("-")
    return "-" * minus + "".join(sorted(set(first.lstrip("-")) ^ set(second.lstrip("-"))))
