"""The numbers of a box-and-whisker plot, after Tukey: hinges, not quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, number_column


@dataclass(frozen=True, slots=True)
class Box:
    """Ends of the whiskers, hinges, median, and the values beyond the whiskers in their order of appearance."""

    low: float
    lower_hinge: float
    median: float
    upper_hinge: float
    high: float
    outliers: Array


def box(values: ArrayLike, reach: float = 1.5) -> Box:
    """The box of a sample. A hinge is the median of a half, the middle value of an odd number belonging to both halves.

    Whiskers end at the most extreme values within `reach` times the distance of the hinges from them; the others are
    outliers. As R's `boxplot.stats`.

    >>> found = box([0.1, 0.3, 1.2, 2.2, 9.9])
    >>> found.low, found.lower_hinge, found.median, found.upper_hinge, found.high, found.outliers.tolist()
    (0.1, 0.3, 1.2, 2.2, 2.2, [9.9])
    """
    if not 0 <= reach <= inf:
        raise UsageError(f"The reach of a whisker is not negative; found {reach!r}.")
    x = number_column(values)
    ordered = np.sort(x)
    half = (len(x) + 1) // 2
    lower, upper = float(np.median(ordered[:half])), float(np.median(ordered[-half:]))
    limit = reach * (upper - lower) if reach < inf else inf
    inside = (x >= lower - limit) & (x <= upper + limit)
    kept = x[inside]
    return Box(float(kept.min()), lower, float(np.median(ordered)), upper, float(kept.max()), x[~inside])
