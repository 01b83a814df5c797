"""How exact the area under the ROC curve of one model is: DeLong's variance and interval.

Reference: DeLong, DeLong and Clarke-Pearson (1988), doi:10.2307/2531595.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError
from bakeoff.mathematics.auc import components
from bakeoff.mathematics.laws import check_confidence, normal_quantile


def auc_variance(truth: ArrayLike, score: ArrayLike) -> float:
    """var(V10)/m + var(V01)/n, over m positives and n negatives.

    >>> round(auc_variance([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.125
    """
    found = components(truth, score)
    variance = 0.0
    for part, name in ((found.positives, "positive"), (found.negatives, "negative")):
        if len(part) < 2:
            raise DegenerateError(f"A variance needs two instances of each class; there is one {name} instance.")
        variance += float(np.var(part, ddof=1)) / len(part)
    return variance


def auc_interval(truth: ArrayLike, score: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """DeLong's interval, AUC ± z · se, kept inside [0, 1].

    It speaks about this fitted model on new instances. At an AUC of exactly 0 or 1 it has no width, which says that the
    normal approximation fails there and not that the AUC is known.

    >>> low, high = auc_interval([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> round(low, 4), high
    (0.3094, 1.0)
    """
    half = normal_quantile((1 + check_confidence(confidence)) / 2) * auc_variance(truth, score) ** 0.5
    area = components(truth, score).auc
    return max(0.0, area - half), min(1.0, area + half)
