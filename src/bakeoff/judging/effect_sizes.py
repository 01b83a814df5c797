"""Effect sizes of the contrasts of an analysis, on the measure itself, whatever the procedure compares."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from bakeoff.contrasts import Contrasts
from bakeoff.effects import Effect, independent_effect, paired_effect
from bakeoff.procedures.card import Answers
from bakeoff.procedures.result import Procedure
from bakeoff.scores import Blocks, Layout, Level, Samples

Array = NDArray[np.float64]

# Beyond this many pairs nobody reads a table of effect sizes, and half a million would take minutes.
MOST_EFFECTS = 1000


def effects_of(
    chosen: Procedure,
    sheet: Blocks | Samples,
    family: Contrasts,
    facts: Layout,
    confidence: float,
    ratio: float | None = None,
) -> tuple[Effect, ...]:
    """An effect a contrast: paired where learners share their blocks, else of two samples.

    `ratio` is that of test to training size if the procedure was given one: its interval and ours make up for the same
    overlap.

    There is none where the values of the blocks are not what the procedure compares: several measures at once, or
    predictions that it computes a measure from.
    """
    if len(family) > MOST_EFFECTS or chosen.card.answers is Answers.MULTIVARIATE or chosen.on_predictions:
        return ()
    larger = sheet.measure.larger_is_better
    names = [" − ".join(family.named(item, sheet.learners)) for item in range(len(family))]
    if isinstance(sheet, Blocks):
        # Draws are independent given what they were drawn from, and tasks do not overlap: nothing to correct for there.
        overlapping = sheet.level is Level.RESAMPLES and facts.problem is None
        overlap = (facts.test_train_ratio if ratio is None else ratio) if overlapping else 0.0
        inflation = 0.0 if isnan(overlap) else overlap
        return tuple(
            paired_effect(name, *sides, larger, confidence=confidence, inflation=inflation)
            if len(sides[0])
            else Effect(name, nan, nan, nan, nan)
            for name, sides in ((name, _both(family, item, sheet)) for item, name in enumerate(names))
        )
    if not family.pairs or min(map(len, sheet.values)) < 2:
        return ()
    return tuple(
        independent_effect(name, sheet.values[i], sheet.values[j], larger, confidence=confidence)
        for name, (i, j) in zip(names, family.pairs, strict=True)
    )


def _both(family: Contrasts, item: int, sheet: Blocks) -> tuple[Array, Array]:
    """The two sides of a contrast in the blocks that have both: some procedures work on incomplete tables."""
    first, second = family.sides(item, sheet.values)
    there = ~(np.isnan(first) | np.isnan(second))
    return first[there], second[there]
