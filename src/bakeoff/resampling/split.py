"""A split: the rows to learn from and the rows to test on, as indices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bakeoff.keys import digest
from bakeoff.resampling.draws import Draws

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

    @property
    def key(self) -> bytes:
        """The hash of the indices themselves, and of the rows if they were drawn: not of the scheme or its seed."""
        return digest(_little(self.train), _little(self.test), *([self.content] if self.content else []))


def _little(rows: Rows) -> bytes:
    return np.ascontiguousarray(rows, dtype="<i4").tobytes()


@dataclass(frozen=True, eq=False)
class Sample:
    """What a scheme may know of a learning sample: its size, classes, groups, and a test sample that came with it; or
    of many samples that were drawn from a generator, where they lie (`draws`)."""

    n: int
    strata: NDArray[np.int64] | None = None
    groups: NDArray[np.int64] | None = None
    given_test: NDArray[np.int64] | None = None
    draws: Draws | None = None


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
