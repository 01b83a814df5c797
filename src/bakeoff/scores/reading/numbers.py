"""When is a cell a number, when is it missing, and when is it neither?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Compared without case and without blanks around them.
MISSING = frozenset({"", "na", "nan", "n/a", "#n/a", "<na>", "null", "none", "-", "?"})


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value.

    >>> is_missing(" N/A "), is_missing("0")
    (True, False)
    """
    return text.strip().lower() in MISSING


def is_number(text: str, *, decimal_comma: bool = False) -> bool:
    """Whether a cell is a number. A missing cell is not one.

    >>> is_number("1e-3"), is_number("0,85"), is_number("0,85", decimal_comma=True), is_number("NaN")
    (True, False, True, False)
    """
    return not is_missing(text) and _number(text, decimal_comma) is not None


def parse_numbers(labels: Sequence[str], *, decimal_comma: bool = False) -> tuple[NDArray[np.float64], list[int]]:
    """The number behind each label (NaN if missing), and the positions of labels that are neither.

    >>> parse_numbers(["0.5", "NA", "high"])
    (array([0.5, nan, nan]), [2])
    """
    try:
        # A million cells are a million labels at worst: the plain case must not run Python code for each.
        values = np.fromiter(map(float, labels), dtype=np.float64, count=len(labels))
    except ValueError:
        values = np.full(len(labels), np.nan)
    else:
        if not any("_" in label for label in labels):
            return values, []
    wrong = []
    for position, label in enumerate(labels):
        number = _number(label, decimal_comma)
        if number is not None:
            values[position] = number
        elif not is_missing(label):
            wrong.append(position)
    return values, wrong


def _number(text: str, decimal_comma: bool) -> float | None:
    if decimal_comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    if "_" in text:  # Python reads 1_000 as a number; nobody else does, and run_1 must not come near it
        return None
    try:
        return float(text)
    except ValueError:
        return None
