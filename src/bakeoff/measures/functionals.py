"""From many losses to one number: mean, median, maximum, or a quantile.

The quantile of a sample is one of its values, the ⌈q·m⌉-th smallest of m, as in Hothorn et al. (2005), 5.3
(doi:10.1198/106186005X59630); this is type 1 of R's `quantile`. Interpolation names losses that never occurred.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, number_column

# q·m is computed in floating point: .55 · 20 is 11.000000000000002, whose ceiling would be 12.
_NOISE = 1e-9


def quantile_rank(m: int, q: float) -> int:
    """⌈q·m⌉, at least 1.

    >>> quantile_rank(20, 0.95), quantile_rank(23, 0.95), quantile_rank(20, 0.55)
    (19, 22, 11)
    """
    if not 0 <= q <= 1:
        raise UsageError(f"A quantile is taken at a share between 0 and 1; found {q!r}.")
    if m < 1:
        raise UsageError(f"A quantile needs at least one value; found {m!r}.")
    return min(m, max(1, ceil(q * m - _NOISE * max(1.0, q * m))))


def quantile(losses: ArrayLike, q: float) -> float:
    """The ⌈q·m⌉-th smallest loss.

    >>> quantile([0.3, 1.2, 2.2, 0.1], 0.5)
    0.3
    """
    values = number_column(losses, "losses")
    rank = quantile_rank(len(values), q)
    return float(np.partition(values, rank - 1)[rank - 1])


def functional(losses: ArrayLike, name: str) -> float:
    """The losses' mean, median, maximum, or quantile, by name: "q0.95" or "95 %" is the .95 quantile.

    The median is the usual one, the midpoint of the two middle values of an even number.

    >>> functional([1, 2, 3, 10], "mean"), functional([1, 2, 3, 10], "median"), functional([1, 2, 3, 10], "q0.75")
    (4.0, 2.5, 3.0)
    """
    values = number_column(losses, "losses")
    simple: dict[str, Callable[[Array], float]] = {
        "mean": np.mean,
        "median": np.median,
        "maximum": np.max,
        "max": np.max,
    }
    if name in simple:
        return float(simple[name](values))
    try:
        q = float(name.rstrip("% ")) / 100 if name.endswith("%") else float(name.removeprefix("q"))
    except ValueError:
        raise UsageError(
            f"There is no functional {name!r}. Known are: mean, median, maximum, and quantiles such as q0.95."
        ) from None
    return quantile(values, q)
