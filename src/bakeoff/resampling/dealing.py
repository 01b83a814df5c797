"""Dealing units out into parts of equal size: random, in proportion to the classes, groups kept whole."""

from __future__ import annotations

import numpy as np

from bakeoff.resampling.randomness import Numbers, shuffled
from bakeoff.resampling.units import Units


def deal(units: Units, parts: int, rng: np.random.Generator, chosen: Numbers | None = None) -> Numbers:
    """The part, from 0, of each unit; or of each of the units `chosen`, which may name a unit several times.

    Rows are dealt like cards: parts differ by at most one row, the first ones being the larger, and by at most one row
    of any class. Groups are laid where they fit best, which is as near to that as whole groups allow, or close to it.

    >>> from bakeoff.resampling.randomness import generator
    >>> from bakeoff.resampling.split import Sample
    >>> part = deal(Units.of(Sample(10)), 4, generator(1, 1))
    >>> np.bincount(part).tolist()
    [3, 3, 2, 2]
    """
    known = units.classes if units.grouped else units.class_of_row
    return (_deal_groups if units.grouped else _deal_rows)(known if chosen is None else known[chosen], parts, rng)


def _deal_rows(class_of_row: Numbers, parts: int, rng: np.random.Generator) -> Numbers:
    """One class after the other, each in random order, going round the parts without a stop in between."""
    order = shuffled(len(class_of_row), rng)
    order = order[np.argsort(class_of_row[order], kind="stable")]
    part = np.empty(len(order), dtype=np.int64)
    part[order] = np.arange(len(order)) % parts
    return part


def _deal_groups(classes: Numbers, parts: int, rng: np.random.Generator) -> Numbers:
    """The largest groups first, each to the part that adds least to Σ_parts (Σ_c n_pc²/n_c + n_p²/n).

    n_pc are the rows of class c in part p. The sum is least when every part has its share of every class and of all
    rows. An empty part adds least of all, so no part stays empty if there are as many groups as parts.
    """
    # The column of sizes stands beside the classes, as one more thing to be kept in proportion.
    counts = np.column_stack([classes, classes.sum(axis=1)]).astype(float)
    weights = 1 / np.maximum(counts.sum(axis=0), 1)
    order = shuffled(len(counts), rng)
    # Among groups of a size, those of one kind follow each other: dealt in turn they come out in proportion.
    order = order[np.lexsort((np.argmax(classes[order], axis=1), -counts[order, -1]))]
    filled = np.zeros((parts, counts.shape[1]))
    part = np.empty(len(counts), dtype=np.int64)
    for group in order.tolist():
        # (n_pc + g_c)² − n_pc² = g_c² + 2 n_pc g_c, of which the first term is the same for all parts.
        best = int(np.argmin(filled @ (weights * counts[group])))
        part[group] = best
        filled[best] += counts[group]
    return part
