"""Which hypotheses about all pairs of k learners can be true together.

If learners 1 and 2 are alike, and 2 and 3, then so are 1 and 3: the hypotheses that hold are those within the groups of
some partition of the learners. Shaffer's and Bergmann and Hommel's adjustments gain their power from that.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int8]

# Rows of partitions that are held at a time.
CHUNK = 2**16


def possible_counts(k: int) -> list[int]:
    """How many of the k(k−1)/2 hypotheses can be true together, in increasing order.

    Shaffer's recursion over the size j of one group: S(k) = ∪_j { j(j−1)/2 + x : x ∈ S(k−j) }, S(0) = {0}. A set of
    numbers is kept as the bits of one integer, so that adding to all of them is a shift.

    >>> possible_counts(4)
    [0, 1, 2, 3, 6]
    """
    sets = [1]
    for n in range(1, k + 1):
        reached = 0
        for j in range(1, n + 1):
            reached |= sets[n - j] << (j * (j - 1) // 2)
        sets.append(reached)
    bits = np.frombuffer(sets[k].to_bytes(sets[k].bit_length() // 8 + 1, "little"), dtype=np.uint8)
    found: list[int] = np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist()
    return found


def partitions(k: int) -> Iterator[Labels]:
    """All partitions of k learners, some at a time: a row a partition, with the group of each learner.

    A row is a restricted growth string: a learner joins one of the groups before it or begins the next one. There are
    Bell(k) of them: 4,140 for k = 8, 21,147 for k = 9, 4,213,597 for k = 12.

    >>> np.concatenate(list(partitions(3))).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    yield from _continued(np.zeros((1, 1), dtype=np.int8), k)


def _continued(begun: Labels, k: int) -> Iterator[Labels]:
    if begun.shape[1] == k:
        yield begun
        return
    groups = begun.max(axis=1).astype(np.intp) + 2  # the groups so far, and one more
    rows = np.repeat(np.arange(len(begun)), groups)
    first = np.repeat(np.cumsum(groups) - groups, groups)
    label = (np.arange(len(rows)) - first).astype(np.int8)
    longer = np.column_stack([begun[rows], label])
    for start in range(0, len(longer), CHUNK):
        yield from _continued(longer[start : start + CHUNK], k)
