"""Data: what a procedure is given, made from the rows of a table as its card asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.contrasts import Contrasts
from bakeoff.errors import UsageError
from bakeoff.judging.per_cent import unit_of
from bakeoff.measures import Measure, known_measure
from bakeoff.procedures.card import Answers
from bakeoff.procedures.result import Procedure
from bakeoff.scores import Blocks, Layout, Level, Missing, Samples, Scores, blocks, long_form, samples
from bakeoff.scores.predictions import Predictions
from bakeoff.scores.within import within_tasks


@dataclass(frozen=True, eq=False)
class Data:
    """What a procedure is given: columns that share blocks, or samples of their own; and predictions for some."""

    sheet: Blocks | Samples
    measure: Measure
    columns: Callable[[Contrasts, int], tuple[Any, ...]]
    table: NDArray[np.float64] | list[NDArray[np.float64]]
    means: NDArray[np.float64]
    best_first: tuple[int, ...]
    n_blocks: int
    long: tuple[Any, ...] = ()
    sizes: tuple[float, ...] = ()  # of each learner's test set, for those who take single rates

    @property
    def unit(self) -> float:
        """What a share of 1 is in the unit of the values, for those who take single rates."""
        return unit_of(self.measure) if self.sizes else 1.0

    def alone(self, place: int) -> tuple[Any, ...]:
        """What a procedure for one learner is given: its values, and the size of its test set if that is asked for."""
        sizes = (self.sizes[self.best_first[place]],) if self.sizes else ()
        return self.column(place), *sizes

    def column(self, place: int) -> NDArray[np.float64]:
        """The values of the learner at that place, the best being first."""
        number = self.best_first[place]
        return self.table[number] if isinstance(self.table, list) else self.table[:, number]


def data_for(chosen: Procedure, table: Scores, facts: Layout, missing: Missing) -> Data:
    """The rows of the table as the card of a procedure asks for them."""
    names = tuple(table.measures)
    measure = known_measure(chosen.measure) if chosen.measure else None
    rates = chosen.with_sizes and facts.level is Level.SINGLE
    if not chosen.card.paired:
        drawn = samples(table.only(measure=names[0]), level=facts.level)
        return Data(
            drawn,
            measure or drawn.measure,
            lambda family, item: _two_samples(family, item, drawn, chosen.with_sizes),
            list(drawn.values),
            drawn.means,
            drawn.best_first,
            max(map(len, drawn.values)),
            long_form(table.only(measure=names[0])) if chosen.long else (),
            drawn.n_test if rates else (),
        )
    holes = chosen.card.incomplete
    sheets = [blocks(table.only(measure=name), level=facts.level, missing=missing, incomplete=holes) for name in names]
    sheet = sheets[0]
    values = sheet.values
    if chosen.card.answers is Answers.MULTIVARIATE:
        values = np.stack([s.values for s in sheets], axis=-1)
    if chosen.within_tasks:
        folds = within_tasks(table.only(measure=names[0]), missing=missing)
        return Data(
            sheet,
            sheet.measure,
            lambda family, item: tuple(map(folds.by_task, family.sides(item, folds.sheet.values))),
            values,
            sheet.means,
            sheet.best_first,
            sheet.n_blocks,
        )
    if chosen.on_predictions and table.predictions is not None:
        return _predicted(chosen, table.predictions, sheet, measure or sheet.measure)
    return Data(
        sheet,
        measure or sheet.measure,
        lambda family, item: family.sides(item, values),
        values,
        sheet.means,
        sheet.best_first,
        sheet.n_blocks,
        sizes=_sizes(table.only(measure=names[0])) if rates else (),
    )


def _sizes(table: Scores) -> tuple[float, ...]:
    """The size of each learner's test set, for single rates: a block has but one size for all."""
    return samples(table, level=Level.SINGLE).n_test


def _predicted(chosen: Procedure, kept: Predictions, sheet: Blocks, measure: Measure) -> Data:
    """Columns of predictions after the truth, and each learner's place by the measure that the procedure computes."""
    means = sheet.means
    if chosen.summary is not None:
        means = np.array([chosen.summary(kept.truth, column) for column in kept.values.T])
    order = np.argsort(-measure.sign * means, kind="stable")

    def columns(family: Contrasts, item: int) -> tuple[Any, ...]:
        if not family.pairs:
            raise UsageError(f"{chosen.card.title} compares learners; it has no use for averages of their predictions.")
        return kept.truth, *family.sides(item, kept.values)

    return Data(sheet, measure, columns, kept.values, means, tuple(map(int, order)), sheet.n_blocks)


def _two_samples(family: Contrasts, item: int, drawn: Samples, with_sizes: bool) -> tuple[Any, ...]:
    if not family.pairs:
        raise UsageError("Contrasts between groups need learners that share their blocks, or a procedure for many.")
    first, second = family.pairs[item]
    sizes = (drawn.n_test[first], drawn.n_test[second]) if with_sizes else ()
    return drawn.values[first], drawn.values[second], *sizes
