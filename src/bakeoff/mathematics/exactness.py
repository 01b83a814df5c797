"""Differences and ranks that are not fooled by floating point.

0.3 − 0.2 and 0.2 − 0.1 are both 0.1 on paper and differ in the seventeenth digit in the machine, which breaks a tie
and moves a rank statistic. Values are therefore rounded to about twelve significant digits (relative to
the largest of them) before they are compared; measured scores never carry more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

SIGNIFICANT = 12


def rounded(values: ArrayLike, scale: ArrayLike | None = None) -> NDArray[np.float64]:
    """Values to twelve significant digits of the largest magnitude in their row (or of `scale`).

    >>> rounded([[0.1 + 0.2, 0.3], [1e6, 1e6 + 1e-9]]).tolist()
    [[0.3, 0.3], [1000000.0, 1000000.0]]
    """
    steps, up, down = _steps(values, scale)
    return np.asarray(steps / up * down)


def _steps(values: ArrayLike, scale: ArrayLike | None) -> tuple[NDArray[np.float64], Any, Any]:
    """Values in units of the last digit that is kept, and the powers of ten that lead back."""
    values = np.asarray(values, dtype=float)
    size = np.asarray(np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0) if scale is None else scale)
    size = np.where(size > 0, size, 1.0)
    # Decimal places, because numbers on paper are decimal: they then lie in the middle of a rounding cell, never at
    # its edge. Powers of ten are multiplied or divided by, whichever of them is a whole number.
    places = np.clip(SIGNIFICANT - 1 - np.floor(np.log10(size)), -300, 300)
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    return np.asarray(np.round(values * up / down)), up, down


def whole_steps(values: ArrayLike, scale: float | None = None) -> NDArray[np.int64]:
    """Values as whole numbers: how many units of the last digit kept each of them is, divided by what all share.

    >>> whole_steps([0.3, -0.1, 0.25]).tolist()
    [6, -2, 5]
    """
    whole = _steps(values, scale)[0].astype(np.int64)
    return np.asarray(whole // max(int(np.gcd.reduce(np.abs(whole), axis=None)), 1))


def differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """first − second, rounded to the precision of the data.

    >>> differences([0.3, 0.2], [0.2, 0.1]).tolist()
    [0.1, 0.1]
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    scale = max(np.max(np.abs(first), initial=0.0), np.max(np.abs(second), initial=0.0))
    return rounded(first - second, scale)


def midranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, along the last axis; equal values share the mean of their ranks.

    >>> midranks([2, 1, 2, 4]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    values = np.atleast_1d(np.asarray(values, dtype=float))
    table = values.reshape(-1, values.shape[-1])
    n = table.shape[1]
    order = np.argsort(table, axis=1, kind="stable")
    ordered = np.take_along_axis(table, order, axis=1)
    new = np.ones(table.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    # For each position: where its run of equal values starts, and where the next run starts.
    position = np.arange(n)
    start = np.maximum.accumulate(np.where(new, position, 0), axis=1)
    following = np.ones(table.shape, dtype=bool)
    following[:, :-1] = new[:, 1:]
    stop = np.minimum.accumulate(np.where(following, position, n)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, (start + stop) / 2 + 1, axis=1)
    return ranks.reshape(values.shape)
