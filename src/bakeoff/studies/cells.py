"""Cells: learner × split, each with a key and a seed made from its content, in a randomised order of whole blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.keys import KEY_VERSION, digest, seed_of


@dataclass(frozen=True, eq=False)
class Block:
    """One task's splits as the store knows them: numbers of the rows and their content keys."""

    task: int
    task_key: str
    split_ids: NDArray[np.int64]
    split_keys: Sequence[bytes]


@dataclass(frozen=True, eq=False)
class Grid:
    """All cells of a study. Cell number = number of its split × number of learners + number of its learner."""

    learner_keys: tuple[str, ...]
    blocks: tuple[Block, ...]
    seed: int
    independent: bool = False  # each learner has samples of its own: see `meant`

    def __len__(self) -> int:
        return len(self.learner_keys) * sum(len(block.split_ids) for block in self.blocks)

    def split_ids(self) -> NDArray[np.int64]:
        return np.concatenate([block.split_ids for block in self.blocks])

    def keys(self) -> list[bytes]:
        """The key of every cell, in the order of their numbers: what determines its result, and nothing else."""
        seed = str(self.seed)
        return [
            digest("cell", learner, block.task_key, split, seed)
            for block in self.blocks
            for split in block.split_keys
            for learner in self.learner_keys
        ]

    def meant(self) -> NDArray[np.bool_]:
        """Whether each cell is to be run. In an independent design the samples of a task go round among the learners,
        and a cell whose sample belongs to another learner is not part of the study."""
        n = len(self.learner_keys)
        if not self.independent:
            return np.ones(len(self), dtype=bool)
        owner = np.concatenate([np.arange(len(block.split_ids)) % n for block in self.blocks])
        return np.asarray(owner[:, None] == np.arange(n)).ravel()

    def seed_of(self, learner: int, block: Block, split_key: bytes) -> int:
        """The seed of a cell: from its coordinates, never from the order of running."""
        return seed_of(str(self.seed), self.learner_keys[learner], block.task_key, split_key)

    def order(self, study_key: str, pending: NDArray[np.bool_]) -> Iterator[int]:
        """Pending cells: splits of all tasks in random order, and within each its learners in random order.

        A run that is stopped so holds mostly complete blocks, in which all learners can be compared; and no learner
        is always first, when a machine is cold, or last, when it is hot.
        """
        rng = np.random.Generator(np.random.PCG64(seed_of("order", study_key)))
        n_learners = len(self.learner_keys)
        n_splits = len(self) // n_learners
        for split in rng.permutation(n_splits):
            for learner in rng.permutation(n_learners):
                cell = int(split) * n_learners + int(learner)
                if pending[cell]:
                    yield cell


def scheme_key(scheme: dict[str, object], seed: int, task_key: str) -> str:
    """The name of one instantiation of a scheme: the same splits whenever and for whomever they are asked for."""
    from bakeoff.keys import canonical_json

    return digest("splits", str(KEY_VERSION), canonical_json(scheme), str(seed), task_key).hex()
