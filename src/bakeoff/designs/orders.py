"""Orders of treatments that balance order effects: Latin squares, Williams designs, and random order.

Reference: Williams (1949), doi:10.1071/CH9490149.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError

Order = NDArray[np.int64]


def latin_square(treatments: int) -> Order:
    """Each treatment once in each row and once in each position: a row an order, cyclic.

    Positions are balanced, carry-over is not: everybody has the same predecessor in nearly all rows.

    >>> latin_square(3).tolist()
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    k = _treatments(treatments)
    return np.add.outer(np.arange(k), np.arange(k)) % k


def williams(treatments: int) -> Order:
    """Latin squares in which each treatment also follows each other one equally often.

    One square for an even number of treatments (each follows each once), two for an odd number (twice).

    >>> williams(4).tolist()
    [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]
    >>> len(williams(3))
    6
    """
    k = _treatments(treatments)
    first = np.array([(i + 1) // 2 if i % 2 else (k - i // 2) % k for i in range(k)])  # 0, 1, k−1, 2, k−2, …
    square = (first + np.arange(k)[:, None]) % k
    return square if k % 2 == 0 else np.vstack([square, square[:, ::-1]])


def random_orders(treatments: int, rows: int, rng: np.random.Generator) -> Order:
    """A random order for each row, independently: balanced on average only.

    >>> np.sort(random_orders(3, 2, np.random.default_rng(0))).tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    k = _treatments(treatments)
    if rows < 1:
        raise UsageError(f"There must be at least one row; found {rows!r}.")
    return rng.permuted(np.tile(np.arange(k), (rows, 1)), axis=1)


def followed_by(orders: Order) -> Order:
    """How often treatment i (row) stands immediately before treatment j (column).

    >>> followed_by(williams(3)).tolist()
    [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    """
    k = orders.shape[1]
    table = np.zeros((k, k), dtype=np.int64)
    np.add.at(table, (orders[:, :-1].ravel(), orders[:, 1:].ravel()), 1)
    return table


def is_latin(orders: Order) -> bool:
    """Whether each treatment stands once in each row, and equally often in each position.

    >>> is_latin(latin_square(4)), is_latin(np.array([[0, 1], [0, 1]]))
    (True, False)
    """
    rows, k = orders.shape
    once = (np.sort(orders, axis=1) == np.arange(k)).all()
    return bool(once and all((np.bincount(column, minlength=k) == rows / k).all() for column in orders.T))


def _treatments(treatments: int) -> int:
    if treatments != int(treatments) or treatments < 2:
        raise UsageError(f"An order needs at least two treatments; found {treatments!r}.")
    return int(treatments)
