"""A split is known by its indices."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.resampling.split import APPARENT, Draws, Split


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


def test_the_key_is_that_of_the_indices_alone() -> None:
    one = Split(1, 1, rows(0, 1), rows(2))
    assert one.key == Split(3, 2, rows(0, 1), rows(2), APPARENT).key
    assert one.key == Split(1, 1, np.array([0, 1], dtype=">i4"), np.array([2], dtype=np.int64)).key  # type: ignore[arg-type]
    others = [
        Split(1, 1, *parts).key for parts in ((rows(0), rows(1, 2)), (rows(0, 1, 1), rows(2)), (rows(2), rows(0, 1)))
    ]
    assert len({one.key, *others}) == 4


def test_rows_that_were_drawn_are_part_of_the_key() -> None:
    keys = {Split(1, 1, rows(0, 1), rows(2), content=content).key for content in (b"", b"one", b"other")}
    assert len(keys) == 3


def test_the_key_stays_what_it_is() -> None:
    # Stored results are found by it: another value here would mean that every one of them is lost.
    assert Split(1, 1, rows(0, 1), rows(2)).key.hex() == "d2d79987e3c5c645d0cbd0e7ef3d7a0d"


# ----------------------------------------------------------------------------------------------------------------------
# Draws


@pytest.mark.parametrize("fresh", [False, True])
def test_samples_do_not_overlap_and_make_up_all_rows(fresh: bool) -> None:
    draws = Draws(count=4, n=5, m=3, fresh=fresh)
    tests = [draws.test(b) for b in range(4)]
    parts = [draws.learning(b) for b in range(4)] + (tests if fresh else tests[:1])
    assert sorted(np.concatenate(parts).tolist()) == list(range(draws.rows))
    assert all(len(rows) == 3 for rows in tests)
    if not fresh:
        assert all(rows.tolist() == tests[0].tolist() for rows in tests)


def test_without_a_test_sample() -> None:
    assert Draws(count=1, n=5, m=0).rows == 5
    assert len(Draws(count=1, n=5, m=0).test(0)) == 0


@pytest.mark.parametrize("fresh", [False, True])
def test_samples_lie_where_they_lie_however_many_follow(fresh: bool) -> None:
    few, many = Draws(3, n=5, m=2, fresh=fresh), Draws(8, n=5, m=2, fresh=fresh)
    for b in range(3):
        assert few.learning(b).tolist() == many.learning(b).tolist()
        assert few.test(b).tolist() == many.test(b).tolist()
    # The first learning sample and its test sample lie as those of a task that is drawn once.
    assert (few.learning(0).tolist(), few.test(0).tolist()) == ([0, 1, 2, 3, 4], [5, 6])


def test_contents_are_no_part_of_where_samples_lie() -> None:
    assert Draws(1, 5, 2, contents=(b"a",)) == Draws(1, 5, 2)
