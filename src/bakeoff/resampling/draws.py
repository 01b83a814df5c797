"""Draws: where the samples of a simulated task lie among its rows.

All rows of a simulated task are drawn before anything is learned, so that splits are indices here as everywhere: the
learning samples one after the other, then the test sample, or as many test samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Draws:
    """`count` learning samples of n rows; one test sample of m rows for all of them, or a fresh one for each.

    >>> Draws(count=3, n=4, m=2).rows, Draws(count=3, n=4, m=2, fresh=True).rows
    (14, 18)
    """

    count: int
    n: int
    m: int
    fresh: bool = False

    @property
    def rows(self) -> int:
        return self.count * self.n + self.m * (self.count if self.fresh else 1)

    def learning(self, sample: int) -> Numbers:
        """The rows of a learning sample, by its number from 0.

        >>> Draws(count=3, n=4, m=2).learning(1).tolist()
        [4, 5, 6, 7]
        """
        return np.arange(sample * self.n, (sample + 1) * self.n)

    def test(self, sample: int) -> Numbers:
        """The rows of the test sample that goes with it.

        >>> Draws(count=3, n=4, m=2).test(1).tolist(), Draws(count=3, n=4, m=2, fresh=True).test(1).tolist()
        ([12, 13], [14, 15])
        """
        start = self.count * self.n + (sample * self.m if self.fresh else 0)
        return np.arange(start, start + self.m)
