"""Analyse: apply one procedure to a table of scores. The loops over pairs and learners are here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.contrasts import Contrasts, Said, contrasts
from bakeoff.effects import Effect
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.evidence import SAME_NOTE, Compared, Interval, compare_decided, compare_each, compare_estimates
from bakeoff.finding import Finding, Row, versions
from bakeoff.judging.advice import advise, level_for, refusal, unmet_needs
from bakeoff.judging.bounding import within_range
from bakeoff.judging.data import Data, data_for
from bakeoff.judging.designs import about_design, spoken_about
from bakeoff.judging.effect_sizes import effects_of
from bakeoff.judging.fallback import answering_for
from bakeoff.judging.one_sample import of_test_rows
from bakeoff.judging.per_cent import in_unit
from bakeoff.judging.relevance import (
    NOTHING,
    Adjusted,
    Against,
    checked_margin,
    not_used,
    relevance_of_each,
    relevance_of_estimates,
    relevance_of_pairs,
)
from bakeoff.judging.request import (
    Request,
    adjustment_asked_for,
    adjustment_of_each,
    checked_alternative,
    checked_level,
    checked_missing,
    checked_options,
    rope_of,
    rows_asked_for,
)
from bakeoff.judging.standing import standing_of
from bakeoff.mathematics.laws import check_alpha
from bakeoff.measures import Measure
from bakeoff.procedures.card import Card, Compares
from bakeoff.procedures.result import Many, Procedure, Result
from bakeoff.registry import procedure_named
from bakeoff.scores import Blocks, Layout, Missing, Samples, Scores
from bakeoff.scores import layout as read_layout
from bakeoff.scores.accepting import as_scores
from bakeoff.scores.runs import declared

if TYPE_CHECKING:
    import pandas as pd


def analyse(
    scores: Scores | pd.DataFrame,
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
    table does not: "independent", "fixed-split" or "random-splits".
    """
    said = {"measure": measure, "contrast": contrast, "control": control, "adjust": adjust, "alpha": alpha}
    said |= {"alternative": alternative, "margin": margin, "level": level, "missing": missing, **options}
    overlap = options.get("ratio") if runs is not None else None
    scores = came = declared(as_scores(scores, measure), runs, overlap)
    scores, _, measure = of_test_rows(scores, procedure, measure, level)
    asked, margin = procedure_named(procedure).card, checked_margin(margin)
    if asked.posterior and margin is not None:
        options = rope_of(margin, options)
    checked_options(asked, options)
    table = rows_asked_for(scores, asked, measure)
    answer = answering_for(asked, len(table.learners), adjust, options)
    chosen, card = procedure_named(answer.card.name), answer.card
    if contrast == "all-pairs" and control is not None:
        contrast = "control"
    request = Request(
        check_alpha(alpha),
        contrast,
        control,
        answer.adjust,
        checked_alternative(card, alternative),
        checked_missing(missing),
        anyway,
        margin,
    )
    lead = table.measure.labels[0]
    facts = read_layout(table, lead, level=checked_level(level), missing=request.missing)
    if level is None:
        reads = level_for(card, table.only(measure=lead), facts)
        facts = read_layout(table, lead, level=reads, missing=request.missing)
    against_advice = _admit(asked, table, facts, request, options)
    data = data_for(chosen, table, facts, request.missing)
    given = {name: value for name, value in checked_options(card, answer.options).items() if value is not None}
    read = chosen.facts(data.sheet, facts) if isinstance(data.sheet, Blocks) else {}
    found = _find(chosen, request, facts, data, {**read, **given}, against_advice)
    standing = standing_of(came, {"procedure": asked.name, **said})
    return replace(found, instead_of=answer.instead_of, instead_because=answer.because, standing=standing)


def _admit(card: Card, scores: Scores, facts: Layout, request: Request, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Refuse what does not fit; return the reasons that the user chose to override."""
    unmet = unmet_needs(card, facts, supplied=options)
    if not unmet:
        return ()
    essential = unmet_needs(card, facts, essential_only=True, supplied=options)
    if request.anyway and not essential:
        return unmet
    advice = advise(scores, measure=facts.measure.name, missing=request.missing)
    raise refusal(card, facts, unmet, advice, can_insist=not essential)


def _find(
    chosen: Procedure,
    request: Request,
    facts: Layout,
    data: Data,
    options: Mapping[str, Any],
    against_advice: tuple[str, ...],
) -> Finding:
    card, learners, chosen = chosen.card, data.sheet.learners, in_unit(chosen, data.unit)
    effects: tuple[Effect, ...] = ()
    if card.compares is Compares.ONE:
        adjust, adjust_title = adjustment_of_each(card, request)
        made = _each(chosen, request, data, options, adjust)
    else:
        family = contrasts(request.contrast, learners, request.reading(data.best_first), request.control)
        adjust, adjust_title = adjustment_asked_for(card, request, family)
        make = _pairs if card.compares is Compares.PAIR else _many
        made = make(chosen, request, data, options, family, adjust)
        effects = effects_of(chosen, data.sheet, made.family or family, facts, 1 - request.alpha, options.get("ratio"))
    position, position_name = data.means, data.measure.name if chosen.summary else f"mean {data.measure.name}"
    if made.position is not None:
        position, position_name = made.position, card.scale or position_name
    relevance = made.relevance if made.relevance.rule else _no_relevance(card, request, data.measure)
    scale = card.scale or (data.measure.name if card.compares is not Compares.ONE else f"mean {data.measure.name}")
    return Finding(
        procedure=card.name,
        title=card.title,
        null=card.null,
        speaks_about=spoken_about(card, facts),
        source=facts.source,
        measure=data.measure,
        level=facts.level,
        learners=learners,
        n_blocks=data.n_blocks,
        n_each=tuple(map(len, data.sheet.values)) if isinstance(data.sheet, Samples) else (),
        contrast=request.contrast_name,
        adjust=adjust,
        adjust_title=adjust_title,
        alternative=request.alternative,
        alpha=request.alpha,
        scale=scale if card.compares is Compares.ONE else f"difference in {scale}",
        on_measure=not chosen.ranks and not card.scale,
        larger_is_better=not chosen.ranks and data.measure.larger_is_better,
        rows=_shown_rows(chosen, made.rows, data),
        position={name: float(value) for name, value in zip(learners, position, strict=True)},
        position_name=position_name,
        conventions=card.conventions,
        cautions=(*map(str, card.cautions), *(f"{w.text} {w.action}" for w in about_design(facts, card, options))),
        effects=effects,
        posterior=card.posterior,
        margin=request.margin,
        relevance=relevance.rows,
        relevance_rule=relevance.rule,
        against_advice=against_advice,
        options=dict(options),
        details=made.details,
        versions=versions(),
        estimate=card.estimate.format(measure=data.measure.name),
        conditional_on="" if facts.problem is None else facts.problem.conditional_on,
    )


def _shown_rows(chosen: Procedure, rows: Sequence[Row], data: Data) -> tuple[Row, ...]:
    """The rows, with intervals of the measure itself kept within its range, unless the scores are beyond that."""
    inside = (data.means >= data.measure.lower) & (data.means <= data.measure.upper)
    if chosen.ranks or chosen.card.scale or not inside.all():
        return tuple(rows)
    return within_range(rows, data.measure, data.sheet.learners)


def _no_relevance(card: Card, request: Request, measure: Measure) -> Adjusted:
    """Why a margin that was given was not used; a Bayesian procedure has used it."""
    if request.margin is None or card.posterior:
        return NOTHING
    flags = (option.flag for option in card.options if option.name in ("p0", "constant"))
    return not_used(request.margin, measure.name, card.scale, next(flags, ""))


@dataclass(frozen=True, eq=False)
class _Made:
    """What a loop over learners or contrasts made. `position` is where the procedure itself puts each learner, and
    `family` the contrasts, if their order followed from that."""

    rows: list[Row]
    details: dict[str, Any]
    position: NDArray[np.float64] | None = None
    relevance: Adjusted = NOTHING
    family: Contrasts | None = None


def _side(request: Request, larger_is_better: bool) -> str:
    """The alternative in terms of the difference: "better" is "greater" where larger is better."""
    if request.alternative == "two-sided":
        return request.alternative
    return "greater" if (request.alternative == "better") == larger_is_better else "less"


def _row(first: str, second: str, found: Compared, about: str = "") -> Row:
    contrast = f"{first} − {second}" if second else first or about or "all learners alike"
    return Row(contrast, first, second, **found._asdict())


def _without_width(result: Result) -> bool:
    """Whether no difference is all that was seen: an interval [0, 0] would claim what nobody knows."""
    return result.estimate == 0 and {0.0} <= {result.lower, result.upper} <= {0.0, -inf, inf}


def _compared(result: Result, confidence: float, sign: int = 1) -> Compared:
    bounded = not (np.isnan(result.lower) or np.isnan(result.upper))
    # A posterior says left and right of the difference; what is better depends on the measure.
    worse, better = (result.worse, result.better) if sign > 0 else (result.better, result.worse)
    return Compared(
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
        note=result.note,
        worse=worse,
        same=result.same,
        better=better,
    )


def _each(chosen: Procedure, request: Request, data: Data, options: Mapping[str, Any], adjust: str) -> _Made:
    side = _side(request, data.measure.larger_is_better)
    sides = {"alternative": side} if chosen.card.sides else {}
    details: dict[str, Any] = {}
    names = [data.sheet.learners[column] for column in data.best_first]

    def compute(item: int, confidence: float) -> Compared:
        try:
            result: Result = chosen.compute(*data.alone(item), confidence=confidence, **sides, **options)
        except DegenerateError as refused:
            if len(names) == 1:
                raise
            result = Result(note=f"refused: {refused.args[0]}")
        details.setdefault(names[item], dict(result.details))
        return _compared(result, confidence)

    compared = [compute(item, 1 - request.alpha) for item in range(len(names))]
    if all(row.note.startswith("refused") for row in compared):
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
        asked = Against(request.margin, data.measure.sign, adjust, request.tail)
        relevance = relevance_of_each(compared, two_sided, names, asked, float(reference) * data.unit)
    rows = [_row(name, "", found) for name, found in zip(names, compared, strict=True)]
    return _Made(rows, details, None, relevance)


def _pairs(
    chosen: Procedure, request: Request, data: Data, options: Mapping[str, Any], family: Contrasts, adjust: str
) -> _Made:
    sides = {"alternative": _side(request, data.measure.larger_is_better)} if chosen.card.sides else {}
    names = [family.named(item, data.sheet.learners) for item in range(len(family))]
    details: dict[str, Any] = {}

    def compute(item: int, confidence: float) -> Compared:
        try:
            result: Result = chosen.compute(*data.columns(family, item), confidence=confidence, **sides, **options)
        except DegenerateError as refused:
            if len(family) == 1:
                raise
            return _compared(Result(note=f"refused: {refused.args[0]}"), confidence)
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
        details["tables"] = chosen.over_pairs(of_pair, data.sheet.learners)

    def two_sided(item: int, confidence: float) -> tuple[float, float]:
        both = {"alternative": "two-sided"} if chosen.card.sides else {}
        result: Result = chosen.compute(*data.columns(family, item), confidence=confidence, **both, **options)
        return result.lower, result.upper

    relevance = NOTHING
    if request.margin is not None and not chosen.card.posterior and not chosen.card.scale:
        asked = Against(request.margin, data.measure.sign, adjust, request.tail)
        relevance = relevance_of_pairs(compared, two_sided, [" − ".join(name) for name in names], asked)
    return _Made([_row(*name, found) for name, found in zip(names, compared, strict=True)], details, None, relevance)


def _many(
    chosen: Procedure, request: Request, data: Data, options: Mapping[str, Any], family: Contrasts, adjust: str
) -> _Made:
    flip = chosen.ranks and data.measure.larger_is_better  # ranks count from the best
    table = ([-v for v in data.table] if isinstance(data.table, list) else -data.table) if flip else data.table
    many: Many = chosen.compute(*([table] if not chosen.long else data.long), **options)
    rows = [_row("", "", _compared(test, nan), test.about) for test in many.tests]
    details, learners = dict(many.details), data.sheet.learners
    if many.decided is not None:
        family = _from_best(chosen, request, data, family, many.decided.values)
        compared = compare_decided(many.decided, family, adjust)
        rows += [_row(*family.named(i, learners), found) for i, found in enumerate(compared)]
        return _Made(rows, details, many.decided.values, family=family)
    estimates = many.estimates
    if estimates is None:
        return _Made(rows, details)
    law = estimates.law_of(adjust)
    if law is not None and law.pairs_only and family.kind != "all-pairs":
        own = [name for name in chosen.card.further_adjust if name != "dunnett" or family.kind == "control"]
        plain = ["bonferroni (Bonferroni–Dunn)" if family.kind == "control" else "bonferroni", "holm", "hochberg"]
        other = ", ".join([*own, *plain])
        raise UsageError(f"{chosen.card.single_step}'s adjustment is for all pairs; use one of {other}.")
    family = _from_best(chosen, request, data, family, estimates.values)
    side = _side(request, False if chosen.ranks else data.measure.larger_is_better)
    compared = compare_estimates(estimates, family, adjust, request.alpha, side)
    names = [family.named(item, learners) for item in range(len(family))]
    rows += [_row(*name, found) for name, found in zip(names, compared, strict=True)]
    relevance = NOTHING
    if request.margin is not None and not chosen.ranks and not chosen.card.scale:
        asked = Against(request.margin, data.measure.sign, adjust, request.tail)
        relevance = relevance_of_estimates(estimates, family, [" − ".join(name) for name in names], asked)
    return _Made(rows, details, estimates.values if chosen.ranks else None, relevance, family)


def _from_best(
    chosen: Procedure, request: Request, data: Data, family: Contrasts, ranks: NDArray[np.float64] | None
) -> Contrasts:
    """The pairs of a family, read from the better learner to the worse by what the procedure compares."""
    if not family.pairs or ranks is None or not chosen.ranks:
        return family
    order = np.argsort(ranks, kind="stable").tolist()
    return contrasts(request.contrast, data.sheet.learners, request.reading(order), request.control)
