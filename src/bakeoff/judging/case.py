"""A case: scores and what is asked of them. Whatever answers it reads the facts off the table once."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UsageError
from bakeoff.judging.request import Request, check_number_of_measures
from bakeoff.measures.measure import normalise_name
from bakeoff.procedures import procedure_named, procedures
from bakeoff.procedures.card import Answers, Card
from bakeoff.scores import Blocks, Layout, Level, Scores
from bakeoff.scores import blocks as make_blocks
from bakeoff.scores import layout as read_layout
from bakeoff.scores.layout import declare_runs, declare_scope
from bakeoff.scores.reading import as_scores

if TYPE_CHECKING:
    import pandas as pd

    from bakeoff.judging.advice import Advice


class Case:
    """Scores and a request. `origin` are the scores as they came, with what was said of their runs; `scores` those that
    can answer: the losses on test rows, where the table holds a single score for each learner."""

    def __init__(self, scores: Scores | pd.DataFrame, request: Request) -> None:
        table = as_scores(scores, request.measure)
        self.original_request = request = _primary(table, request)
        declared = declare_runs(table, request.runs, request.ratio)
        self.origin = declare_scope(declared, request.about)
        self.scores, self.request = _per_instance(self.origin, request)
        self.advice: Advice | None = None  # kept by `advice.advice_on`
        self._layouts: dict[Level | None, Layout] = {}
        self._blocks: dict[tuple[Level, bool], Blocks] = {}

    def asking(self, **changes: Any) -> Case:
        """The same scores, asked otherwise: by another procedure or adjustment. What was read is not read again."""
        other = copy(self)
        other.request = replace(self.request, **changes)
        return other

    @cached_property
    def table(self) -> Scores:
        """The rows of the measures asked about; all rows, if nothing was said."""
        measures = self.request.measures
        if not measures:
            return self.scores
        for name in measures[1:]:
            self.scores.only(measure=name)  # checks that it exists
        return self.scores.only(measure=measures[0]) if len(measures) == 1 else self.scores.only(measures=measures)

    @cached_property
    def lead(self) -> Scores:
        """The rows of the first measure."""
        return self.table.only(measure=self.table.measure.labels[0])

    def require_one_measure(self, card: Card | None = None) -> None:
        """Refuse several measures, unless a procedure takes them."""
        if card is not None and card.answers is Answers.MULTIVARIATE:
            return
        if card is not None:
            check_number_of_measures(card, self.request.measures)
        held = self.scores.measure.labels
        if not self.request.measures and len(held) > 1:
            raise UsageError(
                f"{self.scores.source} holds {len(held)} measures ({', '.join(held)}). "
                "Say which one the question is about: --measure NAME (in Python measure=NAME)."
            )

    def layout(self, level: Level | None = None) -> Layout:
        """The facts at a level; at the one asked for, or the natural one, if none is named."""
        level = level or self.request.level
        if level not in self._layouts:
            layout = read_layout(self.lead, level=level, missing=self.request.missing)
            layout = replace(layout, measures=self.table.measure.labels)
            self._layouts[level] = self._layouts[layout.level] = layout
        return self._layouts[level]

    def layout_for(self, card: Card) -> Layout:
        """The facts at the level that a procedure reads, if averaging finer rows gives it; else at the natural one.

        Instances that carry folds can be averaged to resamples. Nothing makes tasks out of one task.
        """
        natural = self.layout()
        splits = len(self.lead.repeat.labels) > 1 or len(self.lead.fold.labels) > 1
        averaged = natural.level is Level.INSTANCES and card.level is Level.RESAMPLES and splits
        return self.layout(Level.RESAMPLES) if averaged and self.request.level is None else natural

    def blocks(self, level: Level, *, incomplete: bool = False) -> Blocks:
        """The matrix of the first measure at a level."""
        key = level, incomplete
        if key not in self._blocks:
            self._blocks[key] = make_blocks(self.lead, level=level, missing=self.request.missing, incomplete=incomplete)
        return self._blocks[key]


AUC = "auc"


def _primary(scores: Scores, request: Request) -> Request:
    """The request, about the primary measure of the study that scores come from, if it names none.

    The first measure of a study is the one its question is about. Tables from elsewhere have no such order.
    """
    if request.measure is not None or scores.provenance is None or len(scores.measure.labels) < 2:
        return request
    if request.procedure is not None and procedure_named(request.procedure).card.answers is Answers.MULTIVARIATE:
        return request  # it is about all of them at once
    planned = [one.get("measure") for one in scores.provenance.planned[:1]]
    wanted = planned[0] if planned and planned[0] in scores.measure.labels else scores.measure.labels[0]
    return replace(request, measure=str(wanted))


def _per_instance(scores: Scores, request: Request) -> tuple[Scores, Request]:
    """The question as the test rows can answer it, if they lie beside scores of one test sample; else as it was asked.

    The AUC belongs to all test rows together. It is compared through the scores that the rows got (DeLong), which lie
    beside any loss.
    """
    rows = scores.by_instance
    if rows is None or request.level not in (None, Level.INSTANCES):
        return scores, request
    names = request.measures or scores.measure.labels
    if all(name in rows.measures for name in names):
        return rows.only(measures=names), request
    of_areas = next(each.card for each in procedures() if each.card.computed_measure == AUC)
    by_areas = request.procedure is None or normalise_name(request.procedure) == normalise_name(of_areas.name)
    if tuple(names) == (AUC,) and by_areas and rows.predictions is not None:
        loss = rows.measure.labels[0]
        return rows.only(measure=loss), replace(request, procedure=of_areas.name, measure=loss)
    return scores, request
