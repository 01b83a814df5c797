"""A split: the rows to learn from and the rows to test on, as indices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bakeoff.keys import digest

# ----------------------------------------------------------------------------------------------------------------------
# Draws: where the samples of a simulated task lie among its rows.
#
# All rows of a simulated task are drawn before anything is learned, so that splits are indices here as everywhere. A
# sample lies where it lies however many follow: first a learning sample and a test sample, then the other learning
# samples, each with a test sample behind it if it has one of its own.


Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Draws:
    """`count` learning samples of n rows; one test sample of m rows for all of them, or a fresh one for each.

    `contents` are hashes of the rows of each learning sample and its test sample, where they were drawn.

    >>> Draws(count=3, n=4, m=2).rows, Draws(count=3, n=4, m=2, fresh=True).rows
    (14, 18)
    """

    count: int
    n: int
    m: int
    fresh: bool = False
    contents: tuple[bytes, ...] = field(default=(), compare=False, repr=False)

    @property
    def rows(self) -> int:
        return self.count * self.n + self.m * (self.count if self.fresh else 1)

    def learning(self, sample: int) -> Numbers:
        """The rows of a learning sample, by its number from 0.

        >>> Draws(count=3, n=4, m=2).learning(1).tolist()
        [6, 7, 8, 9]
        """
        tests = sample if self.fresh else min(sample, 1)
        start = sample * self.n + tests * self.m
        return np.arange(start, start + self.n)

    def test(self, sample: int) -> Numbers:
        """The rows of the test sample that goes with it.

        >>> Draws(count=3, n=4, m=2).test(1).tolist(), Draws(count=3, n=4, m=2, fresh=True).test(1).tolist()
        ([4, 5], [10, 11])
        """
        start = self.n + (sample * (self.n + self.m) if self.fresh else 0)
        return np.arange(start, start + self.m)


# ----------------------------------------------------------------------------------------------------------------------


Rows = NDArray[np.int32]

TEST = "test"
APPARENT = "apparent"  # learned from and tested on all rows: the apparent error, which .632 and .632+ need


@dataclass(frozen=True, eq=False)
class Split:
    """`train` may hold a row several times (a bootstrap sample); `test` holds none that was learned from, unless the
    scheme says so (the bootstrap validated on the original sample, the apparent error)."""

    repeat: int
    fold: int
    train: Rows
    test: Rows
    role: str = TEST
    content: bytes = b""  # the hash of the rows themselves, where they were drawn for this split
    placed: bool = True  # whether it matters where the rows stand, beside what is in them

    @property
    def key(self) -> bytes:
        """The hash of the indices themselves, and of the rows if they were drawn: not of the scheme or its seed."""
        if not self.placed and self.content:
            return digest("draw", self.content)
        return digest(_little(self.train), _little(self.test), *([self.content] if self.content else []))


def _little(rows: Rows) -> bytes:
    return np.ascontiguousarray(rows, dtype="<i4").tobytes()


@dataclass(frozen=True, eq=False)
class Sample:
    """What a scheme may know of a learning sample: its size, classes, groups, times, and a test sample or folds that
    came with it; or of many samples that were drawn from a generator, where they lie (`draws`)."""

    n: int
    strata: NDArray[np.int64] | None = None
    groups: NDArray[np.int64] | None = None
    given_test: NDArray[np.int64] | None = None
    draws: Draws | None = None
    name: str = ""  # of the task, by which published splits go
    times: NDArray[np.int64] | None = None  # numbers in the order of time, the same for rows of one time
    folds: NDArray[np.int64] | None = None  # that came with the data; −1 for a row that is never tested on


@dataclass(frozen=True)
class Splits:
    """The splits of one sample, and what the reader should know of them (folds skipped, strata too small)."""

    splits: tuple[Split, ...]
    notes: tuple[str, ...] = ()


class Resampling(Protocol):
    """A description that turns a sample and a seed into splits."""

    @property
    def scheme(self) -> str:
        """Its name in a study file."""

    def describe(self) -> dict[str, Any]:
        """The scheme and all its parameters, as JSON: part of a study's hash."""

    def count(self, sample: Sample) -> int:
        """How many splits there will be at most, without making them."""

    def splits(self, sample: Sample, seed: int) -> Splits:
        """The splits: the same for the same sample and seed, independent of learner, order and machine."""
