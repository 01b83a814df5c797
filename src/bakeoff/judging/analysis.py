"""Analyse: apply one procedure to a table of scores. The loops over pairs and learners are here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.inference.contrasts import Contrasts, Said, contrasts
from bakeoff.inference.effects import Effect
from bakeoff.inference.evidence import (
    SAME_NOTE,
    SINGLE_STEP,
    Comparison,
    Interval,
    Joint,
    compare_decided,
    compare_each,
    compare_estimates,
    compare_jointly,
)
from bakeoff.inference.finding import MEAN_RANK, Finding, Row, clip_to_range, versions
from bakeoff.judging.advice import (
    about_design,
    advice_on,
    conditions_of_times,
    conditions_on,
    refusal,
    refuse_lone_values,
    scope_of,
    unmet_needs,
)
from bakeoff.judging.case import Case
from bakeoff.judging.description import mean_ranks
from bakeoff.judging.planned import plan_status_of
from bakeoff.judging.relevance import (
    NOTHING,
    Against,
    MarginTests,
    effects_of,
    not_used,
    relevance_of_alone,
    relevance_of_each,
    relevance_of_estimates,
    relevance_of_joint,
    relevance_of_pairs,
)
from bakeoff.judging.request import (
    Request,
    adjustment_of_each,
    apply_fallback,
    checked_alternative,
    checked_options,
    resolve_adjustment,
    rope_of,
)
from bakeoff.mathematics.clusters import gather
from bakeoff.measures import Measure, known_measure
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import Answers, Card, Compares
from bakeoff.procedures.procedure import ManyResult, Procedure, Result
from bakeoff.scores import Blocks, Layout, Level, Missing, Samples, Scores, long_form, samples
from bakeoff.scores import blocks as make_blocks
from bakeoff.scores.blocks import block_keys, grid, within_tasks
from bakeoff.scores.reading import as_scores, pop_reading
from bakeoff.scores.table import Predictions, cell_numbers

if TYPE_CHECKING:
    import pandas as pd


# ----------------------------------------------------------------------------------------------------------------------
# Rates in per cent, for procedures whose mathematics takes them as shares of 1.


def unit_of(measure: Measure) -> float:
    """What a share of 1 is in the unit of a measure of rates.

    >>> unit_of(Measure("error", False, 0, 100)), unit_of(Measure("error", False, 0, 1))
    (100.0, 1.0)
    """
    return 100.0 if (measure.lower, measure.upper) == (0, 100) else 1.0


def scale_options_to_percent(chosen: Procedure, unit: float) -> Procedure:
    """The procedure for rates in that unit: it answers in the unit in which it was asked, and the rate tested against
    is in that unit, too.

    >>> from bakeoff.procedures import procedure_named
    >>> scale_options_to_percent(procedure_named("wilson"), 100.0).compute([75.0], 1000).estimate
    75.0
    >>> scale_options_to_percent(procedure_named("binomial"), 100.0).compute([75.0], 1000, p0=75.0).p
    1.0
    """
    if unit == 1.0:
        return chosen
    columns = 1 if chosen.card.compares is Compares.ONE else 2

    def compute(*given: Any, **options: Any) -> Result:
        shares = [np.asarray(values, dtype=float) / unit for values in given[:columns]]
        level = options.get(chosen.card.against)
        if level is not None:
            if not 0 < level < unit:
                raise UsageError(
                    f"{chosen.card.against}, the rate tested against, is in the unit of the scores, which are per "
                    f"cent: it lies strictly between 0 and {unit:g}; found {level:g}."
                )
            options[chosen.card.against] = level / unit
        result: Result = chosen.compute(*shares, *given[columns:], **options)
        result = replace(result, estimate=unit * result.estimate, lower=unit * result.lower, upper=unit * result.upper)
        if level is None:
            return result
        parts = (f"tested against {level:g} per cent", result.remark)
        return replace(result, note="; ".join(part for part in parts if part))

    return replace(chosen, compute=compute)


# ----------------------------------------------------------------------------------------------------------------------
# Data: what a procedure is given, made from the rows of a table as its card asks.


@dataclass(frozen=True, eq=False)
class ProcedureData:
    """What a procedure is given: columns that share blocks, or samples of their own; and predictions for some."""

    blocks: Blocks | Samples
    measure: Measure
    columns: Callable[[Contrasts, int], tuple[Any, ...]]
    table: NDArray[np.float64] | list[NDArray[np.float64]]
    means: NDArray[np.float64]
    best_first: tuple[int, ...]
    n_blocks: int
    long: tuple[Any, ...] = ()
    sizes: tuple[float, ...] = ()  # of each learner's test set, for those who take single rates
    beside: tuple[Any, ...] = ()  # the clusters of the blocks, for those who are given them after the values

    @property
    def unit(self) -> float:
        """What a share of 1 is in the unit of the values, for those who take single rates."""
        return unit_of(self.measure) if self.sizes else 1.0

    def alone(self, place: int) -> tuple[Any, ...]:
        """What a procedure for one learner is given: its values, and the size of its test set if that is asked for."""
        sizes = (self.sizes[self.best_first[place]],) if self.sizes else ()
        return self.column(place), *sizes, *self.beside

    def column(self, place: int) -> NDArray[np.float64]:
        """The values of the learner at that place, the best being first."""
        number = self.best_first[place]
        return self.table[number] if isinstance(self.table, list) else self.table[:, number]


def data_for(chosen: Procedure, case: Case, layout: Layout) -> ProcedureData:
    """The rows of a case as the card of a procedure asks for them."""
    table, missing = case.table, case.request.missing
    measure = known_measure(chosen.card.computed_measure) if chosen.card.computed_measure else None
    rates = chosen.card.with_sizes and layout.level is Level.SINGLE
    if not chosen.card.paired:
        drawn = samples(case.lead, level=layout.level)
        if layout.level is not Level.SINGLE and case.original_request.procedure is None:
            refuse_lone_values(drawn)
        return ProcedureData(
            drawn,
            measure or drawn.measure,
            lambda family, item: _two_samples(family, item, drawn, chosen.card.with_sizes),
            list(drawn.values),
            drawn.means,
            drawn.best_first,
            max(map(len, drawn.values)),
            long_form(case.lead) if chosen.card.takes_long_table else (),
            drawn.n_test if rates else (),
        )
    holes = chosen.card.incomplete
    blocks = case.blocks(layout.level, incomplete=holes)
    values = blocks.values
    if chosen.card.answers is Answers.MULTIVARIATE:
        rest = [table.only(measure=name) for name in list(table.measures)[1:]]
        others = [make_blocks(one, level=layout.level, missing=missing, incomplete=holes).values for one in rest]
        values = np.stack([values, *others], axis=-1)
    if chosen.card.within_tasks:
        folds = within_tasks(case.lead, missing=missing)
        return ProcedureData(
            blocks,
            blocks.measure,
            lambda family, item: tuple(map(folds.by_task, family.sides(item, folds.blocks.values))),
            values,
            blocks.means,
            blocks.best_first,
            blocks.n_blocks,
        )
    if chosen.card.on_predictions and table.predictions is not None:
        return _predicted(chosen, table.predictions, blocks, measure or blocks.measure)
    beside = (blocks.cluster,) if chosen.card.clustered else ()
    data = ProcedureData(
        blocks,
        measure or blocks.measure,
        lambda family, item: (*family.sides(item, values), *beside),
        values,
        blocks.means,
        blocks.best_first,
        blocks.n_blocks,
        sizes=_sizes(case.lead) if rates else (),
        beside=beside,
    )
    return _answered_in_runs(case, data) if chosen.card.crossed else data


def _answered_in_runs(case: Case, data: ProcedureData) -> ProcedureData:
    """Every answer, and after the columns the instance, the run and, if there are clusters, the cluster of each."""
    fine = grid(case.lead)
    rows, clusters = fine.first_row, case.lead.clusters
    item = cell_numbers(case.lead, block_keys(case.lead, Level.INSTANCES))[rows]
    sample = None if clusters is None or clusters.fixed else clusters.labels.codes[rows]
    beside = item, case.lead.repeat.codes[rows], sample

    def columns(family: Contrasts, number: int) -> tuple[Any, ...]:
        first, second = family.sides(number, fine.values)
        both = ~np.isnan(first + second)  # an answer that one of the two lacks has nothing to be compared with
        return first[both], second[both], *(None if each is None else each[both] for each in beside)

    return replace(data, columns=columns)


def _counting_clusters(data: ProcedureData) -> ProcedureData:
    """The same data, the learners' means being those over clusters, each of which counts alike."""
    assert isinstance(data.blocks, Blocks)
    means = gather(data.blocks.values, data.beside[0]).means.mean(axis=0)
    order = np.argsort(-data.measure.sign * means, kind="stable")
    return replace(data, means=means, best_first=tuple(map(int, order)))


def _sizes(table: Scores) -> tuple[float, ...]:
    """The size of each learner's test set, for single rates: a block has but one size for all."""
    return samples(table, level=Level.SINGLE).n_test


def _predicted(chosen: Procedure, kept: Predictions, blocks: Blocks, measure: Measure) -> ProcedureData:
    """Columns of predictions after the truth, and each learner's place by the measure that the procedure computes."""
    means = blocks.means
    if chosen.summary is not None:
        means = np.array([chosen.summary(kept.truth, column) for column in kept.values.T])
    order = np.argsort(-measure.sign * means, kind="stable")

    def columns(family: Contrasts, item: int) -> tuple[Any, ...]:
        if not family.pairs:
            raise UsageError(f"{chosen.card.title} compares learners; it has no use for averages of their predictions.")
        return kept.truth, *family.sides(item, kept.values)

    return ProcedureData(blocks, measure, columns, kept.values, means, tuple(map(int, order)), blocks.n_blocks)


def _two_samples(family: Contrasts, item: int, drawn: Samples, with_sizes: bool) -> tuple[Any, ...]:
    if not family.pairs:
        raise UsageError("Contrasts between groups need learners that share their blocks, or a procedure for many.")
    first, second = family.pairs[item]
    sizes = (drawn.n_test[first], drawn.n_test[second]) if with_sizes else ()
    return drawn.values[first], drawn.values[second], *sizes


# ----------------------------------------------------------------------------------------------------------------------


def analyse(
    scores: Scores | pd.DataFrame | Mapping[str, Any],
    procedure: str,
    *,
    measure: str | Sequence[str] | None = None,
    contrast: Said | Sequence[Said] = "all-pairs",
    control: str | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    margin: float | None = None,
    level: str | None = None,
    missing: str | Missing = Missing.ERROR,
    anyway: bool = False,
    runs: str | None = None,
    about: str | None = None,
    **options: Any,
) -> Finding:
    """Apply a procedure by name, and return what it finds.

    `contrast` is "all-pairs", or "control" (with `control` the learner that the others are held against), or groups in
    words ("tree + forest vs lda") or weights ({"tree": 1, "lda": -1}), one or several. `adjust` names the adjustment
    for the number of comparisons; without it the procedure's own is used, or Holm's. `alternative` is "two-sided", or
    "better" or "worse" of the first side of each contrast; pairs are then read in the order in which the table names
    its learners, since a side chosen by the data would double the error rate. `margin` is the difference in the measure
    that would matter in practice: each contrast is held against it too, and a Bayesian procedure takes it for its rope.
    A procedure that does not fit the data is refused with every reason, unless `anyway` is set and the reasons can be
    overridden. `options` are the procedure's own, as `bakeoff explain` lists them. Where there are more learners than
    the procedure takes, its fallback answers, and the finding says so. `runs` says what runs of one task are, if the
    table does not: "independent", "fixed-split" or "random-splits". How a DataFrame or a dict of results is read is
    said as to `read_scores`: rows=, larger_is_better= and so on.
    """
    table = as_scores(scores, measure, **pop_reading(options))
    request = Request.of(
        procedure,
        measure=measure,
        contrast=contrast,
        control=control,
        adjust=adjust,
        alpha=alpha,
        alternative=alternative,
        margin=margin,
        level=level,
        missing=missing,
        anyway=anyway,
        runs=runs,
        about=about,
        options=options,
    )
    case = Case(table, request)
    finding = find(case)
    return replace(finding, standing=plan_status_of(case))


def find(case: Case) -> Finding:
    """What the procedure of a case finds in its scores."""
    request, requested = case.request, procedure_named(str(case.request.procedure)).card
    options = request.options
    if requested.posterior and request.margin is not None:
        options = rope_of(request.margin, options)
    checked_options(requested, options)
    case.require_one_measure(requested)
    answer = apply_fallback(requested, len(case.table.learners), request.adjust, options)
    chosen, card = procedure_named(answer.card.name), answer.card
    checked_alternative(card, request.alternative)
    request = replace(request, adjust=answer.adjust)
    layout = case.layout_for(card)
    against_advice = _admit(requested, case, layout, options)
    data = data_for(chosen, case, layout)
    given = {name: value for name, value in checked_options(card, answer.options).items() if value is not None}
    if given.get("weights") == "clusters":
        data = _counting_clusters(data)
    read = chosen.arguments_from(data.blocks, layout) if isinstance(data.blocks, Blocks) else {}
    finding = _find(chosen, request, layout, data, {**read, **given}, against_advice)
    return replace(finding, instead_of=answer.instead_of, instead_because=answer.because)


def _admit(card: Card, case: Case, layout: Layout, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Refuse what does not fit; return the reasons that the user chose to override."""
    unmet = unmet_needs(card, layout, supplied=options)
    if not unmet:
        return ()
    essential = unmet_needs(card, layout, essential_only=True, supplied=options)
    if case.request.anyway and not essential:
        return unmet
    advice = advice_on(Case(case.lead, Request(missing=case.request.missing)))
    raise refusal(card, layout, unmet, advice, can_insist=not essential)


def _find(
    chosen: Procedure,
    request: Request,
    layout: Layout,
    data: ProcedureData,
    options: Mapping[str, Any],
    against_advice: tuple[str, ...],
) -> Finding:
    card, learners, chosen = chosen.card, data.blocks.learners, scale_options_to_percent(chosen, data.unit)
    outcome, effects, adjust, adjust_title = _computed(chosen, request, layout, data, options)
    position, position_name, by_rank = _position(chosen, outcome, data, layout.level)
    relevance = outcome.relevance if outcome.relevance.rule else _no_relevance(card, request, data.measure)
    warnings = (f"{each.text} {each.action}" for each in about_design(layout, card, options))
    scale = card.scale or (data.measure.name if card.compares is not Compares.ONE else f"mean {data.measure.name}")
    return Finding(
        procedure=card.name,
        title=card.title,
        null=card.null,
        speaks_about=scope_of(card, layout),
        source=layout.source,
        measure=data.measure,
        level=layout.level,
        learners=learners,
        n_blocks=data.n_blocks,
        n_each=tuple(map(len, data.blocks.values)) if isinstance(data.blocks, Samples) else (),
        contrast=request.contrast_name,
        adjust=adjust,
        adjust_title=adjust_title,
        alternative=request.alternative,
        alpha=request.alpha,
        scale=scale if card.compares is Compares.ONE else f"difference in {scale}",
        quantity=scale,
        on_measure=not card.ranks and not card.scale,
        larger_is_better=not card.ranks and data.measure.larger_is_better,
        rows=_shown_rows(chosen, outcome.rows, data),
        position=dict(zip(learners, map(float, position), strict=True)),
        position_name=position_name,
        placed_by_rank=by_rank,
        conventions=card.conventions,
        cautions=(*card.cautions, *warnings),
        effects=effects,
        posterior=card.posterior,
        margin=request.margin,
        relevance=relevance.rows,
        relevance_rule=relevance.rule,
        against_advice=against_advice,
        options=dict(options),
        details=outcome.details,
        versions=versions(),
        estimate=card.estimate.format(measure=data.measure.name),
        conditional_on="" if layout.problem is None else layout.problem.conditional_on,
        fixed_test=layout.problem is not None and layout.problem.fixed_test,
        averaged=layout.averaged,
        against=float(options.get(card.against, nan)) if card.against else nan,
        ratio_source=_ratio_source(layout, options),
        n_clusters=card.counted(layout) if card.clustered and layout.clusters and not layout.clusters.fixed else 0,
        grouped="" if layout.clusters is None else layout.clusters.sentence(options.get("weights", "items")),
        conditions=(*conditions_on(card, layout), *(conditions_of_times(outcome.details))),
    )


def _computed(
    chosen: Procedure, request: Request, layout: Layout, data: ProcedureData, options: Mapping[str, Any]
) -> tuple[_Outcome, tuple[Effect, ...], str, str]:
    """What the loop over learners or contrasts made, effect sizes, and the adjustment with its title."""
    card, learners = chosen.card, data.blocks.learners
    if card.compares is Compares.ONE:
        adjust, adjust_title = adjustment_of_each(card, request, len(learners))
        return _each(chosen, request, data, options, adjust), (), adjust, adjust_title
    family = contrasts(request.contrast, learners, request.reading(data.best_first), request.control)
    adjust, adjust_title = resolve_adjustment(card, request, family)
    compare = _pairs if card.compares is Compares.PAIR else _many
    outcome = compare(chosen, request, data, options, family, adjust)
    family, ratio = outcome.family or family, options.get("ratio")
    effects = effects_of(chosen, data.blocks, family, layout, 1 - request.alpha, ratio, options.get("weights", "items"))
    return outcome, effects, adjust, adjust_title


def _ratio_source(layout: Layout, options: Mapping[str, Any]) -> str:
    return layout.ratio_source if options.get("ratio") == layout.test_train_ratio else "as it was said"


def _position(
    chosen: Procedure, outcome: _Outcome, data: ProcedureData, level: Level
) -> tuple[NDArray[np.float64], str, bool]:
    """Where the learners stand, on what scale, and whether that is ranks: the procedure's own positions, or their
    means; over tasks, which have no common mean, their mean ranks or medians."""
    name = data.measure.name
    if outcome.position is not None:
        return outcome.position, chosen.card.scale or f"mean {name}", chosen.card.ranks
    if level is Level.TASKS and isinstance(data.blocks, Blocks) and data.blocks.n_learners > 1:
        return mean_ranks(data.blocks.values, larger_is_better=data.measure.larger_is_better), MEAN_RANK, True
    if level is Level.TASKS:
        columns = data.blocks.values if isinstance(data.blocks, Samples) else data.blocks.values.T
        return np.array([np.nanmedian(column) for column in columns]), f"median {name}", False
    return data.means, name if chosen.summary else f"mean {name}", False


def _shown_rows(chosen: Procedure, rows: Sequence[Row], data: ProcedureData) -> tuple[Row, ...]:
    """The rows, with intervals of the measure itself kept within its range, unless the scores are beyond that."""
    inside = (data.means >= data.measure.lower) & (data.means <= data.measure.upper)
    if chosen.card.ranks or chosen.card.scale or not inside.all():
        return tuple(rows)
    return clip_to_range(rows, data.measure, data.blocks.learners)


def _no_relevance(card: Card, request: Request, measure: Measure) -> MarginTests:
    """Why a margin that was given was not used; a Bayesian procedure has used it."""
    if request.margin is None or card.posterior:
        return NOTHING
    flags = (option.flag for option in card.options if option.name in ("p0", "constant"))
    return not_used(request.margin, measure.name, card.scale, next(flags, ""))


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What a loop over learners or contrasts made. `position` is where the procedure itself puts each learner, and
    `family` the contrasts, if their order followed from that."""

    rows: list[Row]
    details: dict[str, Any]
    position: NDArray[np.float64] | None = None
    relevance: MarginTests = NOTHING
    family: Contrasts | None = None


def _side(request: Request, larger_is_better: bool) -> str:
    """The alternative in terms of the difference: "better" is "greater" where larger is better."""
    if request.alternative == "two-sided":
        return request.alternative
    return "greater" if (request.alternative == "better") == larger_is_better else "less"


def _row(first: str, second: str, comparison: Comparison, about: str = "") -> Row:
    contrast = f"{first} − {second}" if second else first or about or "all learners alike"
    return Row(contrast, first, second, *comparison)  # their order is the same: there may be half a million of them


def _without_width(result: Result) -> bool:
    """Whether no difference is all that was seen: an interval [0, 0] would claim what nobody knows."""
    return result.estimate == 0 and {0.0} <= {result.lower, result.upper} <= {0.0, -inf, inf}


def _compared(result: Result, confidence: float, sign: int = 1) -> Comparison:
    bounded = not (np.isnan(result.lower) or np.isnan(result.upper))
    # A posterior says left and right of the difference; what is better depends on the measure.
    worse, better = (result.worse, result.better) if sign > 0 else (result.better, result.worse)
    return Comparison(
        estimate=result.estimate,
        lower=result.lower,
        upper=result.upper,
        confidence=confidence,
        interval=Interval.POINTWISE if bounded else Interval.NONE,
        statistic=result.statistic,
        df=result.df,
        p=result.p,
        p_adjusted=result.p if np.isnan(result.p_adjusted) else result.p_adjusted,
        statistic_name=result.statistic_name,
        symbol=result.symbol,
        note=result.note,
        worse=worse,
        same=result.same,
        better=better,
        refused=result.refused,
    )


def _each(
    chosen: Procedure, request: Request, data: ProcedureData, options: Mapping[str, Any], adjust: str
) -> _Outcome:
    side = _side(request, data.measure.larger_is_better)
    sides = {"alternative": side} if chosen.card.sides else {}
    details: dict[str, Any] = {}
    names = [data.blocks.learners[column] for column in data.best_first]

    def compute(item: int, confidence: float) -> Comparison:
        try:
            result: Result = chosen.compute(*data.alone(item), confidence=confidence, **sides, **options)
        except DegenerateError as refused:
            if len(names) == 1:
                raise
            result = Result(note=f"refused: {refused.args[0]}", refused=True)
        details.setdefault(names[item], dict(result.details))
        return _compared(result, confidence)

    compared = [compute(item, 1 - request.alpha) for item in range(len(names))]
    if all(row.refused for row in compared):
        raise MisfitError(f"None of the {len(names)} learners could be looked at. {compared[0].note}")
    if adjust != "none":
        if all(np.isnan(row.p) for row in compared):
            raise UsageError(f"{chosen.card.title} tested nothing here, so there is nothing to adjust; leave it out.")
        compared = compare_each(len(names), compute, adjust, request.alpha, [])

    def two_sided(item: int, confidence: float) -> tuple[float, float]:
        both = {"alternative": "two-sided"} if chosen.card.sides else {}
        result: Result = chosen.compute(*data.alone(item), confidence=confidence, **both, **options)
        return result.lower, result.upper

    relevance, reference = NOTHING, options.get("p0", options.get("constant"))
    if request.margin is not None and reference is not None:
        against = Against(request.margin, data.measure.sign, adjust, request.tail)
        relevance = relevance_of_each(compared, two_sided, names, against, float(reference))
    rows = [_row(name, "", one) for name, one in zip(names, compared, strict=True)]
    return _Outcome(rows, details, None, relevance)


def _pairs(
    chosen: Procedure, request: Request, data: ProcedureData, options: Mapping[str, Any], family: Contrasts, adjust: str
) -> _Outcome:
    sides = {"alternative": _side(request, data.measure.larger_is_better)} if chosen.card.sides else {}
    names = [family.named(item, data.blocks.learners) for item in range(len(family))]
    details: dict[str, Any] = {}

    def compute(item: int, confidence: float) -> Comparison:
        try:
            result: Result = chosen.compute(*data.columns(family, item), confidence=confidence, **sides, **options)
        except DegenerateError as refused:
            if len(family) == 1:
                raise
            return _compared(Result(note=f"refused: {refused.args[0]}", refused=True), confidence)
        details.setdefault(" − ".join(names[item]), dict(result.details))
        if not chosen.card.posterior and _without_width(result):  # a posterior has that of its prior
            result = replace(result, lower=nan, upper=nan, note=result.note or SAME_NOTE)
        return _compared(result, confidence, data.measure.sign)

    if chosen.card.posterior:
        compared = [compute(item, 1 - request.alpha) for item in range(len(family))]
    else:
        compared = compare_each(len(family), compute, adjust, request.alpha, family.pairs)

    if chosen.over_pairs is not None:
        of_pair = {name: details.get(" − ".join(name), {}) for name in names}
        details["tables"] = chosen.over_pairs(of_pair, data.blocks.learners)

    def two_sided(item: int, confidence: float) -> tuple[float, float]:
        both = {"alternative": "two-sided"} if chosen.card.sides else {}
        result: Result = chosen.compute(*data.columns(family, item), confidence=confidence, **both, **options)
        return result.lower, result.upper

    relevance = NOTHING
    if request.margin is not None and not chosen.card.posterior and not chosen.card.scale:
        against = Against(request.margin, data.measure.sign, adjust, request.tail)
        relevance = relevance_of_pairs(compared, two_sided, [" − ".join(name) for name in names], against)
    rows = [*_all_at_once(chosen, data, family), *(_row(*name, row) for name, row in zip(names, compared, strict=True))]
    return _Outcome(rows, details, None, relevance)


def _all_at_once(chosen: Procedure, data: ProcedureData, family: Contrasts) -> list[Row]:
    """The tests of all learners that stand beside all pairs, where a procedure takes two of them at a time."""
    if chosen.all_at_once is None or family.kind != "all-pairs" or len(data.blocks.learners) < 3:
        return []
    return [_row("", "", _compared(test, nan), test.about) for test in chosen.all_at_once(data.table)]


def _many(
    chosen: Procedure, request: Request, data: ProcedureData, options: Mapping[str, Any], family: Contrasts, adjust: str
) -> _Outcome:
    flip = chosen.card.ranks and data.measure.larger_is_better  # ranks count from the best
    table = ([-v for v in data.table] if isinstance(data.table, list) else -data.table) if flip else data.table
    many: ManyResult = chosen.compute(
        *([table, *data.beside] if not chosen.card.takes_long_table else data.long), **options
    )
    rows = [_row("", "", _compared(test, nan), test.about) for test in many.tests]
    details, learners = dict(many.details), data.blocks.learners
    if many.decided is not None:
        family = _from_best(chosen, request, data, family, many.decided.values)
        compared = compare_decided(many.decided, family, adjust)
        rows += [_row(*family.named(i, learners), one) for i, one in enumerate(compared)]
        return _Outcome(rows, details, many.decided.values, family=family)
    if many.joint is not None:
        return _jointly(chosen, request, data, family, adjust, many.joint, rows, details)
    estimates = many.estimates
    if estimates is None:
        return _Outcome(rows, details)
    law = estimates.law_of(adjust)
    if law is not None and law.pairs_only and family.kind != "all-pairs":
        own = [name for name in chosen.card.further_adjust if name != "dunnett" or family.kind == "control"]
        plain = ["bonferroni (Bonferroni–Dunn)" if family.kind == "control" else "bonferroni", "holm", "hochberg"]
        other = ", ".join([*own, *plain])
        raise UsageError(f"{chosen.card.single_step}'s adjustment is for all pairs; use one of {other}.")
    family = _from_best(chosen, request, data, family, estimates.values)
    side = _side(request, False if chosen.card.ranks else data.measure.larger_is_better)
    compared = compare_estimates(estimates, family, adjust, request.alpha, side)
    names = [family.named(item, learners) for item in range(len(family))]
    rows += [_row(*name, one) for name, one in zip(names, compared, strict=True)]
    relevance = NOTHING
    if request.margin is not None and not chosen.card.ranks and not chosen.card.scale:
        against = Against(request.margin, data.measure.sign, adjust, request.tail)
        relevance = relevance_of_estimates(estimates, family, [" − ".join(name) for name in names], against)
    return _Outcome(rows, details, estimates.values if chosen.card.ranks else None, relevance, family)


def _jointly(
    chosen: Procedure,
    request: Request,
    data: ProcedureData,
    family: Contrasts,
    adjust: str,
    joint: Joint,
    rows: list[Row],
    details: dict[str, Any],
) -> _Outcome:
    """Contrasts that are tested by draws which they share."""
    side, learners = _side(request, data.measure.larger_is_better), data.blocks.learners
    tested = joint.test(family.matrix, request.alpha, side)
    stepwise = request.margin is None or side != "two-sided"
    compared = compare_jointly(joint, tested, family, adjust, request.alpha, side, stepwise=stepwise)
    if all(row.refused for row in compared):
        raise DegenerateError(f"None of the {len(compared)} comparisons could be made. {compared[0].note}")
    if not rows and family.kind == "all-pairs" and len(learners) > 2:
        largest = float(np.nanmax(np.abs(tested.statistic)))
        name, p = f"largest |{joint.statistic_name}|", float(np.nanmin(tested.p_adjusted))
        rows = [_row("", "", _compared(Result(statistic=largest, statistic_name=name, p=p), nan))]
    names = [family.named(item, learners) for item in range(len(family))]
    rows += [_row(*name, one) for name, one in zip(names, compared, strict=True)]
    relevance = NOTHING
    if request.margin is not None and not chosen.card.scale:
        against = Against(request.margin, data.measure.sign, adjust, request.tail)
        labels = [" − ".join(name) for name in names]
        if adjust == SINGLE_STEP:
            both = tested if side == "two-sided" else joint.test(family.matrix, request.alpha, "two-sided")
            relevance = relevance_of_joint(both, labels, against)
        else:
            each = [joint.test(row[None], request.alpha, "two-sided") for row in family.matrix]
            relevance = relevance_of_alone(each, labels, against)
    details |= {"draws": tested.draws, "exact": tested.exact, "seed": joint.seed}
    return _Outcome(rows, details, None, relevance)


def _from_best(
    chosen: Procedure, request: Request, data: ProcedureData, family: Contrasts, ranks: NDArray[np.float64] | None
) -> Contrasts:
    """The pairs of a family, read from the better learner to the worse by what the procedure compares."""
    if not family.pairs or ranks is None or not chosen.card.ranks:
        return family
    order = np.argsort(ranks, kind="stable").tolist()
    return contrasts(request.contrast, data.blocks.learners, request.reading(order), request.control)
