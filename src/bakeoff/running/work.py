"""Work: cells as they are sent to a worker, several at a time where they are short."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Work:
    """One cell: numbers of its learner, task and split, and its seed."""

    cell: int
    learner: int
    task: int
    split: int
    seed: int

    @property
    def kind(self) -> tuple[int, int]:
        """Cells of one kind take about the same time."""
        return self.learner, self.task


@dataclass(frozen=True, slots=True)
class Chunk:
    """Cells for one worker, and the rows to learn from and to test on of the splits that they need."""

    work: tuple[Work, ...]
    splits: Mapping[int, tuple[Rows, Rows]]

    def one_by_one(self) -> list[Chunk]:
        """The same cells, each by itself: after a chunk failed as a whole."""
        return [Chunk((work,), {work.split: self.splits[work.split]}) for work in self.work]
