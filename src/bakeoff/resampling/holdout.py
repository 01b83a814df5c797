"""Hold-out: a part of the rows is set aside to test on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.resampling.drawing import draw
from bakeoff.resampling.randomness import generator
from bakeoff.resampling.scheme import Scheme, small_classes, split, true_or_false, uneven_groups, whole
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units

Rows = NDArray[np.int64]


def first_rows(n: int, n_train: int) -> tuple[Rows, Rows]:
    """The first `n_train` rows to learn from, the rest to test on: for data that come with such a split, or in time.

    >>> [part.tolist() for part in first_rows(5, 3)]
    [[0, 1, 2], [3, 4]]
    """
    check_parts(n, n_train)
    return np.arange(n_train), np.arange(n_train, n)


def random_split(n: int, rng: np.random.Generator, test_share: float = 1 / 3) -> tuple[Rows, Rows]:
    """A random split, each part in the order of the rows; a third is set aside unless told otherwise.

    >>> train, test = random_split(9, np.random.default_rng(1))
    >>> len(train), len(test), sorted([*train.tolist(), *test.tolist()]) == list(range(9))
    (6, 3, True)
    """
    check_share(test_share)
    n_train = n - round(n * test_share)
    check_parts(n, n_train)
    order = rng.permutation(n)
    return np.sort(order[:n_train]), np.sort(order[n_train:])


def check_parts(n: int, n_train: int) -> None:
    """Refuse a split one part of which is empty."""
    if not 0 < n_train < n:
        raise UsageError(
            f"Both parts of a split need at least one of the {n} rows; found {n_train} to learn from and "
            f"{n - n_train} to test on."
        )


def check_share(share: float) -> None:
    """Refuse a share of all or nothing."""
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < share < 1:
        raise UsageError(f"The share to test on lies strictly between 0 and 1; found {share!r}.")


@dataclass(frozen=True)
class HoldOut(Scheme):
    """A random part is tested on, the rest learned from; anew in each of the `repeats`.

    In proportion to the classes, if there are any; groups stay together, and the part is then as near to the share as
    whole groups come.

    >>> [s.test.tolist() for s in HoldOut(repeats=2).splits(Sample(9), seed=1).splits]
    [[2, 4, 5], [4, 5, 8]]
    """

    scheme: ClassVar[str] = "hold-out"
    about: ClassVar[str] = "a random share is tested on, the rest learned from"

    test_share: float = 1 / 3
    repeats: int = 1
    stratify: bool = True

    def __post_init__(self) -> None:
        check_share(self.test_share)
        whole(self.repeats, "repeats", 1)
        true_or_false(self.stratify, "stratify")

    def count(self, sample: Sample) -> int:
        return self.repeats

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        n_test = round(sample.n * self.test_share)
        check_parts(sample.n, sample.n - n_test)
        for repeat in range(1, self.repeats + 1):
            inside = draw(units, n_test, generator(seed, repeat))
            yield split(repeat, 1, units.rows(~inside), units.rows(inside))

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, made)
        yield from uneven_groups(units, made)
        least = ceil(1 / min(self.test_share, 1 - self.test_share))
        yield from small_classes(units, least, "one of the parts may go without")
