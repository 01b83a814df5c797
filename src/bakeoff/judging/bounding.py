"""Intervals within what a measure allows: no two error rates differ by more than one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import isfinite

from bakeoff.finding import Row
from bakeoff.measures import Measure

CUT = "interval cut off where the measure ends"


def within_range(rows: Iterable[Row], measure: Measure, learners: Iterable[str]) -> tuple[Row, ...]:
    """The rows of learners and of pairs, with intervals cut off at the ends of what is possible.

    What lies beyond is impossible, so that an interval covers no less without it. Ends that are infinite are those of
    one-sided intervals, and stay. Estimates that lie beyond themselves contradict the range, which is then not used.

    >>> error = Measure("error", larger_is_better=False, lower=0.0, upper=1.0)
    >>> row = Row("a − b", "a", "b", estimate=0.5, lower=-0.118, upper=1.118)
    >>> [(made.lower, made.upper) for made in within_range([row], error, ["a", "b"])]
    [(-0.118, 1.0)]
    """
    names = frozenset(learners)
    return tuple(_cut(row, *_range(row, measure, names)) for row in rows)


def _range(row: Row, measure: Measure, names: frozenset[str]) -> tuple[float, float]:
    span = measure.upper - measure.lower
    if row.first in names and row.second in names:
        return -span, span
    if row.first in names and not row.second:
        return measure.lower, measure.upper
    return float("-inf"), float("inf")


def _cut(row: Row, lowest: float, highest: float) -> Row:
    if not lowest <= row.estimate <= highest:
        return row
    lower = lowest if isfinite(row.lower) and row.lower < lowest else row.lower
    upper = highest if isfinite(row.upper) and row.upper > highest else row.upper
    if lower is row.lower and upper is row.upper:
        return row
    return replace(row, lower=lower, upper=upper, note="; ".join(part for part in (row.note, CUT) if part))
