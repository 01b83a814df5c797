"""Drawing a share of the units: random, in proportion to the classes, groups kept whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.resampling.randomness import Numbers, shuffled
from bakeoff.resampling.units import Units


def draw(units: Units, n_rows: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Whether each unit is drawn: `n_rows` rows in all, or as near to that as whole groups come.

    Some units are drawn and some are left, if there are two or more and 0 < n_rows < n.

    >>> from bakeoff.resampling.randomness import generator
    >>> from bakeoff.resampling.split import Sample
    >>> strata = np.array([0] * 12 + [1] * 6)
    >>> taken = draw(Units.of(Sample(18, strata), stratify=True), 6, generator(1, 1))
    >>> np.bincount(strata[taken]).tolist()
    [4, 2]
    """
    return _draw_groups(units.classes, n_rows, rng) if units.grouped else _draw_rows(units.class_of_row, n_rows, rng)


def _draw_rows(class_of_row: Numbers, n_rows: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """So many of each class as its share, the rest by largest remainder, in whole numbers throughout."""
    sizes = np.bincount(class_of_row)
    quota, remainder = np.divmod(n_rows * sizes, len(class_of_row))
    missing = n_rows - int(quota.sum())
    # Chance decides between equal remainders, so that no class is favoured in every repeat.
    quota[np.lexsort((shuffled(len(sizes), rng), -remainder))[:missing]] += 1
    order = shuffled(len(class_of_row), rng)
    order = order[np.argsort(class_of_row[order], kind="stable")]
    place_in_class = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    taken = np.zeros(len(order), dtype=bool)
    taken[order] = place_in_class < np.repeat(quota, sizes)
    return taken


def _draw_groups(classes: Numbers, n_rows: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Groups in random order, each taken if that comes nearer to the share of every class and of all rows.

    Random order rather than the largest first: else the largest group would be on the same side in every repeat.
    """
    counts = np.column_stack([classes, classes.sum(axis=1)]).astype(float)
    totals = counts.sum(axis=0)
    weights = 1 / np.maximum(totals, 1)
    aim = totals * (n_rows / totals[-1])
    taken = np.zeros(len(counts), dtype=bool)
    filled = np.zeros(len(totals))
    for group in shuffled(len(counts), rng).tolist():
        more = filled + counts[group]
        # One group at least is left to learn from.
        if more[-1] < totals[-1] and weights @ (more - aim) ** 2 < weights @ (filled - aim) ** 2:
            filled, taken[group] = more, True
    if not taken.any():
        taken[int(np.argmin(counts[:, -1]))] = True
    return taken
