"""Draws: where the samples of a simulated task lie among its rows.

All rows of a simulated task are drawn before anything is learned, so that splits are indices here as everywhere. A
sample lies where it lies however many follow: first a learning sample and a test sample, then the other learning
samples, each with a test sample behind it if it has one of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

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
