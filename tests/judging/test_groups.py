from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.groups import MOST_GROUPS, groups_within, maximal_groups, order_of


def ties(k: int, apart: set[tuple[int, int]]) -> np.ndarray:
    tied = np.ones((k, k), dtype=bool)
    for i, j in apart:
        tied[i, j] = tied[j, i] = False
    return tied


def test_everything_tied_is_one_group() -> None:
    assert maximal_groups(ties(4, set()), [3, 1, 0, 2]) == ((3, 1, 0, 2),)


def test_nothing_tied_is_an_order() -> None:
    groups = maximal_groups(ties(3, {(0, 1), (0, 2), (1, 2)}), [2, 0, 1])
    assert groups == ((2,), (0,), (1,))
    assert order_of(groups, 3) == groups


def test_overlapping_groups_have_no_order() -> None:
    groups = maximal_groups(ties(4, {(0, 3), (1, 3)}), [0, 1, 2, 3])
    assert groups == ((0, 1, 2), (2, 3))
    assert order_of(groups, 4) is None


def test_a_learner_between_two_tied_ones_can_be_apart() -> None:
    # 0 and 2 are tied although 1, which stands between them, differs from both: no run of neighbours shows that.
    groups = maximal_groups(ties(3, {(0, 1), (1, 2)}), [0, 1, 2])
    assert groups == ((0, 2), (1,))


def test_too_tangled_relations_are_given_up() -> None:
    # Fifteen pairs that differ, all else tied: 2^15 maximal groups.
    apart = {(2 * i, 2 * i + 1) for i in range(15)}
    assert maximal_groups(ties(30, apart), range(30)) is None
    assert MOST_GROUPS > 2**5
    few = maximal_groups(ties(10, {(2 * i, 2 * i + 1) for i in range(5)}), range(10))
    assert few is not None
    assert len(few) == 2**5


@given(st.integers(2, 7).flatmap(lambda k: st.tuples(st.just(k), st.sets(st.tuples(*[st.integers(0, k - 1)] * 2)))))
def test_groups_are_exactly_the_maximal_tied_sets(case: tuple[int, set[tuple[int, int]]]) -> None:
    k, apart = case
    tied = ties(k, {(i, j) for i, j in apart if i != j})
    found = maximal_groups(tied, range(k))
    assert found is not None
    subsets = [set(c) for size in range(1, k + 1) for c in combinations(range(k), size)]
    mutual = [s for s in subsets if all(tied[i, j] for i, j in combinations(s, 2))]
    maximal = [s for s in mutual if not any(s < other for other in mutual)]
    assert sorted(map(sorted, maximal)) == sorted(map(sorted, found))


def test_groups_by_a_critical_distance_include_its_end() -> None:
    assert groups_within([1.0, 2.0, 3.0], 1.0) == ((0, 1), (1, 2))
    assert groups_within([1.0, 2.0, 3.0], 0.5) == ((0,), (1,), (2,))
