from __future__ import annotations

import numpy as np

from bakeoff.running.work import Chunk, Work


def test_one_by_one_keeps_each_cell_with_its_own_split() -> None:
    split = {number: (np.array([number]), np.array([number])) for number in (4, 5)}
    made = Chunk((Work(0, 0, 0, 4, 1), Work(1, 1, 0, 5, 2)), split).one_by_one()
    assert [(chunk.work[0].cell, list(chunk.splits)) for chunk in made] == [(0, [4]), (1, [5])]


def test_cells_of_one_learner_on_one_task_are_of_one_kind() -> None:
    assert Work(0, 2, 3, 4, 1).kind == Work(9, 2, 3, 7, 8).kind == (2, 3)
