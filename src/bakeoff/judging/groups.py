"""Groups of learners that the data do not tell apart, and the order of the groups where one exists.

"Not told apart" is not transitive: a may be tied with b and b with c while a beats c. Groups are therefore the maximal
sets in which no pair differs; they may overlap, and only disjoint groups can be put in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Beyond this many groups a listing helps nobody; relations that are so tangled are reported as such.
MOST_GROUPS = 200


def maximal_groups(tied: NDArray[np.bool_], order: Sequence[int]) -> tuple[tuple[int, ...], ...] | None:
    """All maximal sets of mutually tied learners, the best first; None if there are too many to be of use.

    >>> tied = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> maximal_groups(tied, [0, 1, 2])
    ((0, 1), (1, 2))
    """
    order = list(order)
    runs = _runs(tied[np.ix_(order, order)])
    if runs is not None:
        return tuple(tuple(order[start : stop + 1]) for start, stop in runs)
    rank = {learner: position for position, learner in enumerate(order)}
    neighbours = {i: {j for j in order if j != i and tied[i, j]} for i in order}
    found: list[tuple[int, ...]] = []
    if not _expand(set(), set(order), set(), neighbours, found):
        return None
    ordered = (tuple(sorted(group, key=rank.__getitem__)) for group in found)
    return tuple(sorted(ordered, key=lambda group: [rank[i] for i in group]))


def groups_within(positions: ArrayLike, distance: float) -> tuple[tuple[int, ...], ...]:
    """Maximal groups of learners whose positions (mean ranks) lie within a critical distance, the smallest first.

    >>> groups_within([3.143, 2.0, 2.893, 1.964], 1.118)
    ((3, 1, 2), (2, 0))
    """
    positions = np.asarray(positions, dtype=float)
    tied = np.abs(positions[:, None] - positions) <= distance
    groups = maximal_groups(tied, np.argsort(positions, kind="stable").tolist())
    assert groups is not None  # runs of an ordering are never tangled
    return groups


def _runs(tied: NDArray[np.bool_]) -> list[tuple[int, int]] | None:
    """Maximal groups as runs of neighbours, if whoever stands between two tied learners is tied with both."""
    k = len(tied)
    reach = [i + int(np.argmin(np.append(tied[i, i + 1 :], False))) for i in range(k)]
    if any(tied[i, reach[i] + 1 :].any() for i in range(k)) or any(a > b for a, b in pairwise(reach)):
        return None
    return [(i, stop) for i, stop in enumerate(reach) if i == 0 or stop > reach[i - 1]]


def _expand(
    group: set[int], open_: set[int], done: set[int], neighbours: dict[int, set[int]], found: list[tuple[int, ...]]
) -> bool:
    """Bron and Kerbosch (1973) with a pivot; False as soon as there are too many groups."""
    if not open_ and not done:
        found.append(tuple(group))
        return len(found) <= MOST_GROUPS
    pivot = max(open_ | done, key=lambda i: len(open_ & neighbours[i]))
    for i in list(open_ - neighbours[pivot]):
        if not _expand(group | {i}, open_ & neighbours[i], done & neighbours[i], neighbours, found):
            return False
        open_.remove(i)
        done.add(i)
    return True


def order_of(groups: Sequence[Sequence[int]], n_learners: int) -> tuple[tuple[int, ...], ...] | None:
    """The groups as an order, best first, if they are disjoint; None if they overlap."""
    return tuple(tuple(group) for group in groups) if sum(map(len, groups)) == n_learners else None
