from __future__ import annotations

import numpy as np
import pytest

from bakeoff.resampling.draws import Draws


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
