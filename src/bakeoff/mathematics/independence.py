"""Which measures are free of each other: multivariate tests need a covariance matrix that has an inverse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError

Array = NDArray[np.float64]

# A measure that lies in the span of others up to this share of itself is their combination.
DEPENDENT = 1e-10


def independent_columns(d: Array, noise: Array) -> list[int]:
    """The columns, from the first on, whose deviations from the mean are no combination of earlier ones.

    Modified Gram–Schmidt, twice, because once leaves rounding error that looks like a new direction.

    >>> d = np.array([[1.0, -1.0, 5.0, 2.0], [2.0, -2.0, 5.0, 0.0], [4.0, -4.0, 5.0, 1.0]])
    >>> independent_columns(d, np.zeros(4))
    [0, 3]
    """
    kept: list[int] = []
    basis: list[Array] = []
    for j, column in enumerate(d.T):
        if np.ptp(column) <= noise[j]:
            continue
        residual = (column - column.mean()) / np.abs(column).max()
        length = float(np.linalg.norm(residual))
        for direction in [*basis, *basis]:
            residual = residual - (residual @ direction) * direction
        left = float(np.linalg.norm(residual))
        if left > DEPENDENT * length:
            kept.append(j)
            basis.append(residual / left)
    return kept


def left_out(names: Sequence[str], kept: Sequence[int]) -> str:
    """A note of the measures that were not kept; nothing if all were.

    >>> left_out(["tp", "fp", "fn", "tn"], [0, 1])
    'left out as dependent: fn, tn'
    """
    dropped = [name for j, name in enumerate(names) if j not in kept]
    return f"left out as dependent: {', '.join(dropped)}" if dropped else ""


def dependence(p: int, kept: Sequence[int], names: Sequence[str], what: str) -> DegenerateError:
    """Why there is no inverse, and which measures have one."""
    dropped = [names[j] for j in range(p) if j not in kept]
    keep = ", ".join(names[j] for j in kept)
    return DegenerateError(
        f"The {what} in {p} measures vary in {len(kept)} directions only, so their covariance matrix has no inverse: "
        f"{', '.join(dropped)} differ by a constant or follow from the others. With fixed class sizes, for example, "
        "tp + fn and fp + tn are constant, and [tp, fp, fn, tn] has rank 2.",
        alternatives=[
            f"the same test on measures that are free of each other: {keep}",
            "reduce=yes (--reduce yes): the same, with those measures chosen for you",
        ]
        if kept
        else [],
    )
