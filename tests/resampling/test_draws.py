from __future__ import annotations

import numpy as np
import pytest

from bakeoff.resampling.draws import Draws


@pytest.mark.parametrize("fresh", [False, True])
def test_samples_do_not_overlap_and_make_up_all_rows(fresh: bool) -> None:
    draws = Draws(count=4, n=5, m=3, fresh=fresh)
    tests = [draws.test(b) for b in range(4)]
    parts = [draws.learning(b) for b in range(4)] + (tests if fresh else tests[:1])
    assert np.concatenate(parts).tolist() == list(range(draws.rows))
    assert all(len(rows) == 3 for rows in tests)
    if not fresh:
        assert all(rows.tolist() == tests[0].tolist() for rows in tests)


def test_without_a_test_sample() -> None:
    assert Draws(count=1, n=5, m=0).rows == 5
    assert len(Draws(count=1, n=5, m=0).test(0)) == 0
