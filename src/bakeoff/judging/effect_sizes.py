"""Effect sizes of the contrasts of an analysis, on the measure itself, whatever the procedure compares."""

from __future__ import annotations

from bakeoff.contrasts import Contrasts
from bakeoff.effects import Effect, independent_effect, paired_effect
from bakeoff.procedures.card import Answers
from bakeoff.procedures.result import Procedure
from bakeoff.scores import Blocks, Samples

# Beyond this many pairs nobody reads a table of effect sizes, and half a million would take minutes.
MOST_EFFECTS = 1000


def effects_of(chosen: Procedure, sheet: Blocks | Samples, family: Contrasts) -> tuple[Effect, ...]:
    """An effect a contrast: paired where learners share their blocks, else of two samples.

    There is none where the values of the blocks are not what the procedure compares: several measures at once, or
    predictions that it computes a measure from.
    """
    if len(family) > MOST_EFFECTS or chosen.card.answers is not Answers.PAIRS or chosen.on_predictions:
        return ()
    larger = sheet.measure.larger_is_better
    names = [" − ".join(family.named(item, sheet.learners)) for item in range(len(family))]
    if isinstance(sheet, Blocks):
        columns = [family.sides(item, sheet.values) for item in range(len(family))]
        return tuple(paired_effect(name, *sides, larger) for name, sides in zip(names, columns, strict=True))
    if not family.pairs or min(map(len, sheet.values)) < 2:
        return ()
    pairs = zip(names, family.pairs, strict=True)
    return tuple(independent_effect(name, sheet.values[i], sheet.values[j], larger) for name, (i, j) in pairs)
