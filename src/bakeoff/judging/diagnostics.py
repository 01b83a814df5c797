"""Diagnostics: what the data show about the assumptions of a procedure. They annotate, and never choose it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite, nan, sqrt

import numpy as np

from bakeoff.inference.finding import Finding
from bakeoff.mathematics.checks import Array
from bakeoff.records import Record
from bakeoff.scores import Blocks, Level, Missing, Scores, blocks, samples

# Robust standard deviations from the median beyond which a block is named: normal values lie there once in 10,000.
FAR = 4.0
_MAD = 1.4826  # of a normal law, its standard deviation is so many times the median absolute deviation


@dataclass(frozen=True, slots=True, eq=False)
class Spread(Record):
    """How values lie: those of one learner, or the differences of two over the blocks that they share.

    `kurtosis` is that beyond a normal law. `far` is the block that lies furthest from the median, `distance` how many
    robust standard deviations away, and `carried` its share of the sum of squares. `zeros` is the share of blocks
    without a difference, `neighbours` the correlation of each block with the next one, where blocks have an order.
    """

    first: str
    second: str
    n: int
    skewness: float
    kurtosis: float
    far: str
    distance: float
    carried: float
    zeros: float
    neighbours: float

    @property
    def name(self) -> str:
        return f"{self.first} − {self.second}" if self.second else self.first


@dataclass(frozen=True, slots=True)
class AtTheEnd:
    """The share of a learner's values that are the best, and the worst, that the measure allows."""

    learner: str
    best: float
    worst: float


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """The spread of each pair, or of each learner where none share blocks, and who is at an end of the range."""

    of: str
    level: Level
    spreads: tuple[Spread, ...]
    ends: tuple[AtTheEnd, ...]

    @property
    def outlying(self) -> tuple[Spread, ...]:
        """Those with a block far from the others, the furthest first."""
        return tuple(sorted((s for s in self.spreads if s.distance > FAR), key=lambda s: -s.distance))


def usual_range(n: int) -> tuple[float, float]:
    """Within which skewness and kurtosis of n normal values lie, from minus to plus, in about 95 % of all samples.

    >>> [round(end, 2) for end in usual_range(33)]
    [0.78, 1.36]
    """
    if n < 4:
        return nan, nan
    skewness = sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    kurtosis = sqrt(24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5)))
    return 2 * skewness, 2 * kurtosis


def spread(values: Array, name: object = str, *, first: str = "", second: str = "", ordered: bool = False) -> Spread:
    """How values lie; what a spread of zero does not define is NaN.

    >>> found = spread(np.array([1.0, 2.0, 3.0, 4.0, 30.0]), lambda block: f"block {block + 1}")
    >>> found.far, round(found.skewness, 3), found.distance > FAR
    ('block 5', 1.469, True)
    """
    n = len(values)
    centred = values - values.mean() if n else values
    squares = float(centred @ centred)
    middle = np.median(values) if n else nan
    distances = np.abs(values - middle)
    scale = _MAD * float(np.median(distances)) if n else nan
    furthest = int(np.argmax(distances)) if n else -1
    known = squares > 0 and n > 2
    variance = squares / n if n else nan
    return Spread(
        first,
        second,
        n,
        float((centred**3).mean() / variance**1.5) if known else nan,
        float((centred**4).mean() / variance**2 - 3) if known else nan,
        name(furthest) if n and callable(name) else "",
        float(distances[furthest] / scale) if known and scale > 0 else nan,
        float(centred[furthest] ** 2 / squares) if known else nan,
        float((values == 0).mean()) if n else nan,
        float(centred[:-1] @ centred[1:] / squares) if known and ordered else nan,
    )


def diagnose(scores: Scores, finding: Finding) -> Diagnostics | None:
    """What the scores behind a finding show; None if nothing varies in them, or they are of several measures."""
    if finding.level is Level.SINGLE or finding.measure.name not in scores.measure.labels:
        return None
    one = scores.only(measure=finding.measure.name)
    if one.independent:
        own = samples(one, level=finding.level)
        values = dict(zip(own.learners, own.values, strict=True))
        spreads = tuple(spread(values[name], first=name) for name in finding.ranking if name in values)
        return Diagnostics("values", finding.level, spreads, tuple(_ends(finding, values)))
    table = blocks(one, level=finding.level, missing=Missing.DROP_BLOCK)
    if not table.n_blocks:
        return None
    names = [name for name in finding.ranking if name in table.learners]
    columns = {name: table.values[:, table.learners.index(name)] for name in names}
    return Diagnostics(
        "differences", finding.level, tuple(_differences(table, names, columns)), tuple(_ends(finding, columns))
    )


def _differences(table: Blocks, names: Sequence[str], columns: dict[str, Array]) -> Iterator[Spread]:
    ordered = table.level is Level.INSTANCES
    for first, second in combinations(names, 2):
        yield spread(columns[first] - columns[second], table.label, first=first, second=second, ordered=ordered)


def _ends(finding: Finding, values: dict[str, Array]) -> Iterator[AtTheEnd]:
    best, worst = finding.measure.best, finding.measure.worst
    if finding.level is Level.INSTANCES or not (isfinite(best) or isfinite(worst)):
        return  # right and wrong answers are nothing but ends
    for name, column in values.items():
        yield AtTheEnd(name, float((column == best).mean()), float((column == worst).mean()))
