"""What a printed "error ± half-width" says about the sample behind it.

If h = z √(e(1 − e)/n) is a normal interval, then n = z² e(1 − e)/h². Printed digits are rounded, so they give a range
of sizes; where the ranges of all methods of a row share a size, one test sample explains the row, and the ± are
half-widths of intervals and not standard deviations (as which Riddle's slide heads the table of Dietterich 2000,
doi:10.1023/A:1007607513941).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import number_column, paired
from bakeoff.mathematics.laws import check_confidence, normal_quantile


def implied_sizes(
    errors: ArrayLike, half_widths: ArrayLike, *, decimals: int = 4, confidence: float = 0.95
) -> tuple[float, float]:
    """The smallest and largest sample size that explain all printed pairs; none does if the first is larger.

    >>> low, high = implied_sizes([0.3257, 0.2018], [0.0637, 0.0545])
    >>> round(low, 1), round(high, 1)
    (207.9, 208.3)
    >>> low, high = implied_sizes([0.3257, 0.2018], [0.0637, 0.0245])
    >>> low > high
    True
    """
    e, h = paired(number_column(errors, "errors"), number_column(half_widths, "half-widths"))
    z = normal_quantile((1 + check_confidence(confidence)) / 2)
    unit = 0.5 * 10.0**-decimals
    if (e < 0).any() or (e > 1).any():
        raise UsageError("Errors are rates between 0 and 1.")
    if (h <= unit).any():
        raise UsageError(f"A half-width must exceed the rounding of {decimals} decimals for a size to follow from it.")
    variance = np.array([_variance(rate, unit) for rate in e.tolist()])
    low, high = z**2 * variance[:, 0] / (h + unit) ** 2, z**2 * variance[:, 1] / (h - unit) ** 2
    return float(low.max()), float(high.min())


def _variance(rate: float, unit: float) -> tuple[float, float]:
    """The smallest and largest e(1 − e) within rounding; the largest is ¼ if ½ is possible."""
    ends = np.clip([rate - unit, rate + unit], 0, 1)
    values = ends * (1 - ends)
    return float(values.min()), 0.25 if ends[0] <= 0.5 <= ends[1] else float(values.max())
