"""Units: what a scheme moves as a whole. Rows, or groups of rows where the sample has groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.resampling.split import Rows, Sample

# ----------------------------------------------------------------------------------------------------------------------
# Chance for splits: from a seed and the number of a repeat, and from nothing else.
#
# numpy promises that the bits of PCG64 and of SeedSequence stay the same for ever, but not what `Generator.permutation`
# makes of them. Splits are to be the same after an upgrade too, so both functions here start from the bits.


Numbers = NDArray[np.int64]


def generator(seed: int, repeat: int) -> np.random.Generator:
    """The chance of one repeat. Each has its own, so that adding repeats leaves the earlier ones as they are."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise UsageError(f"A seed must be a whole number that is not negative; found {seed!r}.")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([int(seed), repeat])))


def shuffled(n: int, rng: np.random.Generator) -> Numbers:
    """The numbers 0 to n − 1 in random order.

    >>> shuffled(5, generator(1, 1)).tolist()
    [3, 0, 2, 1, 4]
    """
    return np.argsort(_bits(n, rng), kind="stable")


def bootstrap_draw(n: int, times: int, rng: np.random.Generator) -> Numbers:
    """So many draws with replacement from the numbers 0 to n − 1.

    >>> bootstrap_draw(5, 5, generator(1, 1)).tolist()
    [0, 1, 0, 4, 1]
    """
    # The remainder favours small numbers by less than n/2⁶⁴, which no experiment can see.
    return (_bits(times, rng) % np.uint64(n)).astype(np.int64)


def uniform(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """So many numbers strictly between 0 and 1.

    >>> uniform(2, generator(1, 1)).round(3).tolist()
    [0.332, 0.612]
    """
    return np.asarray(((_bits(n, rng) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)


def _bits(n: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    return np.asarray(rng.bit_generator.random_raw(n), dtype=np.uint64)


# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Units:
    """`of_row` is the unit of each row, from 0 to n − 1, and `class_of_row` its class, from 0 to n_classes − 1; there
    is a single class if none are to be kept in proportion."""

    n: int
    n_rows: int
    n_classes: int
    grouped: bool
    of_row: Numbers
    class_of_row: Numbers
    noun: str = ""  # what they are called, if neither rows nor groups

    @classmethod
    def of(cls, sample: Sample, stratify: bool = False) -> Units:
        """The units of a sample.

        >>> result = Units.of(Sample(5, groups=np.array([7, 7, 3, 3, 3])))
        >>> result.n, result.classes.tolist(), result.rows([2, 0]).tolist()
        (2, [[3], [2]], [2, 2, 3, 3, 4, 4])
        """
        _check(sample)
        grouped, stratified = sample.groups is not None, stratify and sample.strata is not None
        of_row = _numbered(sample.groups) if grouped else np.arange(sample.n)
        class_of_row = _numbered(sample.strata) if stratified else np.zeros(sample.n, dtype=np.int64)
        n, n_classes = (int(numbers.max(initial=-1)) + 1 for numbers in (of_row, class_of_row))
        return cls(n, sample.n, n_classes, grouped, of_row, class_of_row)

    @cached_property
    def classes(self) -> Numbers:
        """The rows of each unit by class: a row a unit, a column a class. For groups; large if units are rows."""
        cell = self.of_row * self.n_classes + self.class_of_row
        return np.bincount(cell, minlength=self.n * self.n_classes).reshape(self.n, self.n_classes)

    @property
    def spread(self) -> Numbers:
        """The number of units that each class is found in."""
        if self.grouped:
            return np.asarray((self.classes > 0).sum(axis=0))
        return np.bincount(self.class_of_row, minlength=self.n_classes)

    def rows(self, copies: NDArray[np.bool_] | Numbers | list[int]) -> Rows:
        """The rows of the units, each as often as its unit is to be there; in order."""
        wanted = np.asarray(copies)
        if wanted.dtype == bool and not self.grouped:  # the usual case: each row is a unit, and is there once or not
            return wanted.nonzero()[0].astype(np.int32)
        times = wanted.astype(np.int64)[self.of_row]
        return np.repeat(np.arange(self.n_rows, dtype=np.int32), times)

    def word(self, number: int) -> str:
        """A number of units, in words."""
        return f"{number} {self.noun or ('group' if self.grouped else 'row')}{'s' * (number != 1)}"


def _numbered(labels: NDArray[np.int64] | None) -> Numbers:
    """Labels as numbers from 0, in the order of the labels."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64).reshape(-1)


def _check(sample: Sample) -> None:
    for name, labels in (("strata", sample.strata), ("groups", sample.groups)):
        if labels is not None and np.shape(labels) != (sample.n,):
            raise UsageError(
                f"The {name} of a sample must be one for each of its {sample.n} rows; found {np.shape(labels)}."
            )


# ----------------------------------------------------------------------------------------------------------------------
# Dealing units out into parts of equal size: random, in proportion to the classes, groups kept whole.


def assign_folds(units: Units, parts: int, rng: np.random.Generator, chosen: Numbers | None = None) -> Numbers:
    """The part, from 0, of each unit; or of each of the units `chosen`, which may name a unit several times.

    Rows are dealt like cards: parts differ by at most one row, the first ones being the larger, and by at most one row
    of any class. Groups are laid where they fit best, which is as near to that as whole groups allow, or close to it.

    >>> from bakeoff.resampling.units import generator
    >>> from bakeoff.resampling.split import Sample
    >>> part = assign_folds(Units.of(Sample(10)), 4, generator(1, 1))
    >>> np.bincount(part).tolist()
    [3, 3, 2, 2]
    """
    known = units.classes if units.grouped else units.class_of_row
    return (_deal_groups if units.grouped else _deal_rows)(known if chosen is None else known[chosen], parts, rng)


def _deal_rows(class_of_row: Numbers, parts: int, rng: np.random.Generator) -> Numbers:
    """One class after the other, each in random order, going round the parts without a stop in between."""
    order = shuffled(len(class_of_row), rng)
    order = order[np.argsort(class_of_row[order], kind="stable")]
    part = np.empty(len(order), dtype=np.int64)
    part[order] = np.arange(len(order)) % parts
    return part


def _deal_groups(classes: Numbers, parts: int, rng: np.random.Generator) -> Numbers:
    """The largest groups first, each to the part that adds least to Σ_parts (Σ_c n_pc²/n_c + n_p²/n).

    n_pc are the rows of class c in part p. The sum is least when every part has its share of every class and of all
    rows. An empty part adds least of all, so no part stays empty if there are as many groups as parts.
    """
    # The column of sizes stands beside the classes, as one more thing to be kept in proportion.
    counts = np.column_stack([classes, classes.sum(axis=1)]).astype(float)
    weights = 1 / np.maximum(counts.sum(axis=0), 1)
    order = shuffled(len(counts), rng)
    # Among groups of a size, those of one kind follow each other: dealt in turn they come out in proportion.
    order = order[np.lexsort((np.argmax(classes[order], axis=1), -counts[order, -1]))]
    filled = np.zeros((parts, counts.shape[1]))
    part = np.empty(len(counts), dtype=np.int64)
    for group in order.tolist():
        # (n_pc + g_c)² − n_pc² = g_c² + 2 n_pc g_c, of which the first term is the same for all parts.
        best = int(np.argmin(filled @ (weights * counts[group])))
        part[group] = best
        filled[best] += counts[group]
    return part


# ----------------------------------------------------------------------------------------------------------------------
# Drawing a share of the units: random, in proportion to the classes, groups kept whole.


def draw(units: Units, n_rows: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Whether each unit is drawn: `n_rows` rows in all, or as near to that as whole groups come.

    Some units are drawn and some are left, if there are two or more and 0 < n_rows < n.

    >>> from bakeoff.resampling.units import generator
    >>> from bakeoff.resampling.split import Sample
    >>> strata = np.array([0] * 12 + [1] * 6)
    >>> taken = draw(Units.of(Sample(18, strata), stratify=True), 6, generator(1, 1))
    >>> np.bincount(strata[taken]).tolist()
    [4, 2]
    """
    return _draw_groups(units.classes, n_rows, rng) if units.grouped else _draw_rows(units.class_of_row, n_rows, rng)


def _draw_rows(class_of_row: Numbers, n_rows: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """So many of each class as its share, the rest by largest remainder, in whole numbers throughout."""
    sizes = np.bincount(class_of_row)
    quota, remainder = np.divmod(n_rows * sizes, len(class_of_row))
    missing = n_rows - int(quota.sum())
    # Chance decides between equal remainders, so that no class is favoured in every repeat.
    quota[np.lexsort((shuffled(len(sizes), rng), -remainder))[:missing]] += 1
    order = shuffled(len(class_of_row), rng)
    order = order[np.argsort(class_of_row[order], kind="stable")]
    place_in_class = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    taken = np.zeros(len(order), dtype=bool)
    taken[order] = place_in_class < np.repeat(quota, sizes)
    return taken


def _draw_groups(classes: Numbers, n_rows: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Groups in random order, each taken if that comes nearer to the share of every class and of all rows.

    Random order rather than the largest first: else the largest group would be on the same side in every repeat.
    """
    counts = np.column_stack([classes, classes.sum(axis=1)]).astype(float)
    totals = counts.sum(axis=0)
    weights = 1 / np.maximum(totals, 1)
    aim = totals * (n_rows / totals[-1])
    taken = np.zeros(len(counts), dtype=bool)
    filled = np.zeros(len(totals))
    for group in shuffled(len(counts), rng).tolist():
        more = filled + counts[group]
        # One group at least is left to learn from.
        if more[-1] < totals[-1] and weights @ (more - aim) ** 2 < weights @ (filled - aim) ** 2:
            filled, taken[group] = more, True
    if not taken.any():
        taken[int(np.argmin(counts[:, -1]))] = True
    return taken
