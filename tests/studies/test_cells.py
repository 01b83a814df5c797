from __future__ import annotations

import numpy as np

from bakeoff.studies.cells import Block, Grid, scheme_key


def grid(learners: tuple[str, ...] = ("a", "b"), seed: int = 1) -> Grid:
    blocks = tuple(
        Block(task, f"task{task}", np.arange(3) + 10 * task, tuple(bytes([task, i]) for i in range(3)))
        for task in range(2)
    )
    return Grid(learners, blocks, seed)


def test_every_cell_has_a_key_of_its_own() -> None:
    keys = grid().keys()
    assert len(keys) == len(grid()) == 12
    assert len(set(keys)) == 12


def test_adding_a_learner_changes_no_key_and_no_seed() -> None:
    few, many = grid(("a", "b")), grid(("a", "new", "b"))
    assert set(few.keys()) <= set(many.keys())
    block = few.blocks[0]
    assert few.seed_of(1, block, block.split_keys[0]) == many.seed_of(2, block, block.split_keys[0])


def test_another_seed_gives_other_keys_and_seeds() -> None:
    assert not set(grid(seed=1).keys()) & set(grid(seed=2).keys())


def test_the_order_is_random_by_blocks_and_complete() -> None:
    pending = np.ones(12, dtype=bool)
    order = list(grid().order("study", pending))
    assert sorted(order) == list(range(12))
    assert order != sorted(order)
    assert all({order[i] // 2, order[i + 1] // 2} == {order[i] // 2} for i in range(0, 12, 2)), (
        "learners of a split stay together"
    )
    assert order == list(grid().order("study", pending)), "the same study, the same order"
    assert order != list(grid().order("another", pending))


def test_only_pending_cells_are_ordered() -> None:
    pending = np.zeros(12, dtype=bool)
    pending[[3, 7]] = True
    assert sorted(grid().order("study", pending)) == [3, 7]


def test_splits_are_named_by_scheme_seed_and_data() -> None:
    base = scheme_key({"scheme": "cv", "folds": 3}, 1, "data")
    assert base == scheme_key({"folds": 3, "scheme": "cv"}, 1, "data")
    assert (
        len(
            {
                base,
                scheme_key({"scheme": "cv", "folds": 4}, 1, "data"),
                scheme_key({"scheme": "cv", "folds": 3}, 2, "data"),
                scheme_key({"scheme": "cv", "folds": 3}, 1, "other"),
            }
        )
        == 4
    )
