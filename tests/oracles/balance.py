"""What orders of treatments balance: a row is an order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Orders = NDArray[np.int64]


def followed_by(orders: Orders) -> Orders:
    """How often treatment i (row) stands immediately before treatment j (column)."""
    k = orders.shape[1]
    table = np.zeros((k, k), dtype=np.int64)
    np.add.at(table, (orders[:, :-1].ravel(), orders[:, 1:].ravel()), 1)
    return table


def is_latin(orders: Orders) -> bool:
    """Whether each treatment stands once in each row, and equally often in each position."""
    rows, k = orders.shape
    once = (np.sort(orders, axis=1) == np.arange(k)).all()
    return bool(once and all((np.bincount(column, minlength=k) == rows / k).all() for column in orders.T))
