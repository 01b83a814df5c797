"""Analyse: apply one procedure to a table of scores. The loops over pairs and learners are here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from bakeoff.adjustments import adjustment_named
from bakeoff.contrasts import Contrasts, contrasts
from bakeoff.errors import DegenerateError, UsageError, nearest
from bakeoff.evidence import (
    SINGLE_STEP,
    Compared,
    Interval,
    RangeLaw,
    compare_estimates,
    compare_pairs,
)
from bakeoff.finding import Finding, Row, versions
from bakeoff.judging.advice import advise, level_for, refusal, unmet_needs
from bakeoff.mathematics.laws import check_alpha
from bakeoff.measures.known import plain
from bakeoff.procedures.card import Answers, Card, Compares
from bakeoff.procedures.result import Many, Procedure, Result
from bakeoff.registry import procedure_named
from bakeoff.scores import Blocks, Layout, Level, Missing, Scores, blocks
from bakeoff.scores import layout as read_layout

ALTERNATIVES = ("two-sided", "better", "worse")


@dataclass(frozen=True)
class Request:
    """What is asked of the data, checked once: the answer to all that is common to procedures."""

    alpha: float
    contrast: str
    control: str | None
    adjust: str | None
    alternative: str
    missing: Missing
    anyway: bool


def analyse(
    scores: Scores,
    procedure: str,
    *,
    measure: str | Sequence[str] | None = None,
    contrast: str = "all-pairs",
    control: str | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    level: str | None = None,
    missing: str | Missing = Missing.ERROR,
    anyway: bool = False,
    **options: Any,
) -> Finding:
    """Apply a procedure by name, and return what it finds.

    `contrast` is "all-pairs" or "control" (with `control` the learner that the others are held against). `adjust` names
    the adjustment for the number of comparisons; without it the procedure's own is used, or Holm's. `alternative` is
    "two-sided", or "better" or "worse" of the first learner of each pair. A procedure that does not fit the data is
    refused with every reason, unless `anyway` is set and the reasons can be overridden. `options` are the procedure's
    own, as `bakeoff explain` lists them.
    """
    chosen = procedure_named(procedure)
    card = chosen.card
    if contrast == "all-pairs" and control is not None:
        contrast = "control"
    request = Request(
        check_alpha(alpha), contrast, control, adjust, _alternative(card, alternative), _missing(missing), anyway
    )
    settled = _options(card, options)
    table = _measured(scores, card, measure)
    lead = table.measure.labels[0]
    facts = read_layout(table, lead, level=_level(level), missing=request.missing)
    if level is None:
        reads = level_for(card, table.only(measure=lead), facts)
        facts = read_layout(table, lead, level=reads, missing=request.missing)
    against_advice = _admit(card, table, facts, request, options)
    sheets = [blocks(table.only(measure=name), level=facts.level, missing=request.missing) for name in table.measures]
    settled = {**chosen.facts(sheets[0], facts), **{k: v for k, v in settled.items() if v is not None}}
    return _find(chosen, request, facts, sheets, settled, against_advice)


def _alternative(card: Card, alternative: str) -> str:
    if alternative not in ALTERNATIVES:
        raise UsageError(f"There is no alternative {alternative!r}. {nearest(alternative, ALTERNATIVES)}")
    if alternative != "two-sided" and not card.sides:
        raise UsageError(f"{card.title} has no sides: its alternative is that the learners differ, in any direction.")
    return alternative


def _missing(policy: str | Missing) -> Missing:
    try:
        return Missing(policy)
    except ValueError:
        raise UsageError(
            f"There is no policy {policy!r} for missing values. {nearest(policy, [known.value for known in Missing])}"
        ) from None


def _level(level: str | None) -> Level | None:
    if level is None:
        return None
    try:
        return Level(level)
    except ValueError:
        raise UsageError(f"There is no level {level!r}. {nearest(level, [known.value for known in Level])}") from None


def _options(card: Card, given: Mapping[str, Any]) -> dict[str, Any]:
    """The procedure's own options, checked against its card."""
    known = {option.name: option for option in card.options}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"{card.name} has no option {name!r}. {nearest(name, known)}")
        choices = known[name].choices
        if choices and value not in choices:
            raise UsageError(f"{name}={value!r} is not possible for {card.name}. {nearest(str(value), choices)}")
    return {**{option.name: option.default for option in card.options}, **given}


def _measured(scores: Scores, card: Card, measure: str | Sequence[str] | None) -> Scores:
    """The rows of the measure asked for; of all measures, or of those named, for a multivariate procedure."""
    if card.answers is Answers.MULTIVARIATE:
        names = scores.measure.labels if measure is None else [measure] if isinstance(measure, str) else measure
        parts = [scores.only(measure=name) for name in names]  # checks that each exists
        return parts[0] if len(parts) == 1 else scores.only(measures=names)
    if measure is not None and not isinstance(measure, str):
        if len(measure) != 1:
            raise UsageError(f"{card.title} takes one measure at a time; found {len(measure)}: {', '.join(measure)}.")
        measure = measure[0]
    if measure is None and len(scores.measure.labels) > 1:
        raise UsageError(
            f"{scores.source} holds {len(scores.measure.labels)} measures ({', '.join(scores.measure.labels)}). "
            "Say which one the question is about: --measure NAME (in Python measure=NAME)."
        )
    return scores if measure is None else scores.only(measure=measure)


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


def _adjustment(card: Card, request: Request, family: Contrasts) -> tuple[str, str]:
    """The adjustment's name and title: what was asked for, or the procedure's own, or Holm's."""
    asked = request.adjust
    own = plain(card.single_step)
    if asked is not None and plain(asked) == "bonferroni_dunn":
        asked = "bonferroni"
    if asked is not None and own and plain(asked) in (own, plain(SINGLE_STEP)):
        return SINGLE_STEP, f"{card.single_step} adjustment"
    if asked is not None and plain(asked) == plain(SINGLE_STEP):
        raise UsageError(f"{card.title} has no single-step adjustment; choose holm, bonferroni or another one.")
    if asked is None:
        own_fits = own and request.alternative == "two-sided" and family.kind == "all-pairs"
        if card.default_adjust == SINGLE_STEP and own_fits:
            return SINGLE_STEP, f"{card.single_step} adjustment"
        asked = "holm" if len(family) > 1 else "none"
    found = adjustment_named(asked)
    return found.name, f"{found.title} adjustment" if found.name != "none" else found.title


def _find(
    chosen: Procedure,
    request: Request,
    facts: Layout,
    sheets: list[Blocks],
    options: Mapping[str, Any],
    against_advice: tuple[str, ...],
) -> Finding:
    card, sheet = chosen.card, sheets[0]
    adjust, adjust_title = "none", "no adjustment"
    details: dict[str, Any] = {}
    position, position_name = sheet.means, f"mean {sheet.measure.name}"
    if card.compares is Compares.ONE:
        rows = _each(chosen, request, sheet, options)
    else:
        family = contrasts(request.contrast, sheet.learners, sheet.best_first, request.control)
        adjust, adjust_title = _adjustment(card, request, family)
        if card.compares is Compares.PAIR:
            rows, details = _pairs(chosen, request, sheets, options, family, adjust)
        else:
            rows, details, estimates = _many(chosen, request, sheet, options, family, adjust)
            if chosen.ranks and estimates is not None:
                position, position_name = estimates, "mean rank"
    scale, larger = (
        (f"difference in {card.scale}", False)
        if chosen.ranks
        else (f"difference in {card.scale or sheet.measure.name}", sheet.measure.larger_is_better)
    )
    if card.compares is Compares.ONE:
        scale = card.scale or f"mean {sheet.measure.name}"
    return Finding(
        procedure=card.name,
        title=card.title,
        null=card.null,
        speaks_about=card.speaks_about.value,
        source=facts.source,
        measure=sheet.measure,
        level=sheet.level,
        learners=sheet.learners,
        n_blocks=sheet.n_blocks,
        contrast=request.contrast,
        adjust=adjust,
        adjust_title=adjust_title,
        alternative=request.alternative,
        alpha=request.alpha,
        scale=scale,
        on_measure=not chosen.ranks,
        larger_is_better=larger,
        rows=tuple(rows),
        position={name: float(value) for name, value in zip(sheet.learners, position, strict=True)},
        position_name=position_name,
        conventions=card.conventions,
        cautions=tuple(str(caution) for caution in card.cautions),
        against_advice=against_advice,
        options=dict(options),
        details=details,
        versions=versions(),
    )


def _side(request: Request, larger_is_better: bool) -> str:
    """The alternative in terms of the difference: "better" is "greater" where larger is better."""
    if request.alternative == "two-sided":
        return request.alternative
    return "greater" if (request.alternative == "better") == larger_is_better else "less"


def _row(contrast: str, first: str, second: str, found: Compared) -> Row:
    return Row(
        contrast=contrast,
        first=first,
        second=second,
        estimate=found.estimate,
        lower=found.lower,
        upper=found.upper,
        confidence=found.confidence,
        interval=found.interval,
        statistic=found.statistic,
        statistic_name=found.statistic_name,
        df=found.df,
        p=found.p,
        p_adjusted=found.p_adjusted,
        note=found.note,
    )


def _compared(result: Result, confidence: float) -> Compared:
    bounded = not (np.isnan(result.lower) or np.isnan(result.upper))
    return Compared(
        estimate=result.estimate,
        lower=result.lower,
        upper=result.upper,
        confidence=confidence,
        interval=Interval.POINTWISE if bounded else Interval.NONE,
        statistic=result.statistic,
        df=result.df,
        p=result.p,
        p_adjusted=result.p,
        statistic_name=result.statistic_name,
        note=result.note,
    )


def _each(chosen: Procedure, request: Request, sheet: Blocks, options: Mapping[str, Any]) -> list[Row]:
    side = _side(request, sheet.measure.larger_is_better)
    rows = []
    for column in sheet.best_first:
        values = sheet.values[:, column]
        result = chosen.compute(values, confidence=1 - request.alpha, alternative=side, **options)
        rows.append(_row(sheet.learners[column], sheet.learners[column], "", _compared(result, 1 - request.alpha)))
    return rows


def _pairs(
    chosen: Procedure,
    request: Request,
    sheets: list[Blocks],
    options: Mapping[str, Any],
    family: Contrasts,
    adjust: str,
) -> tuple[list[Row], dict[str, Any]]:
    sheet = sheets[0]
    values = np.stack([s.values for s in sheets], axis=-1)
    if chosen.card.answers is not Answers.MULTIVARIATE:
        values = values[:, :, 0]
    side = _side(request, sheet.measure.larger_is_better)
    sides = {"alternative": side} if chosen.card.sides else {}
    details: dict[str, Any] = {}

    def name(first: int, second: int) -> str:
        return f"{sheet.learners[first]} − {sheet.learners[second]}"

    def compute(first: int, second: int, confidence: float) -> Compared:
        try:
            result: Result = chosen.compute(
                values[:, first], values[:, second], confidence=confidence, **sides, **options
            )
        except DegenerateError as refused:
            if len(family) == 1:
                raise
            return Compared(
                nan, nan, nan, confidence, Interval.NONE, nan, (), nan, nan, note=f"refused: {refused.args[0]}"
            )
        details.setdefault(name(first, second), dict(result.details))
        return _compared(result, confidence)

    compared = compare_pairs(family.pairs, compute, adjust, request.alpha)
    rows = [
        _row(name(first, second), sheet.learners[first], sheet.learners[second], found)
        for (first, second), found in zip(family.pairs, compared, strict=True)
    ]
    return rows, details


def _many(
    chosen: Procedure,
    request: Request,
    sheet: Blocks,
    options: Mapping[str, Any],
    family: Contrasts,
    adjust: str,
) -> tuple[list[Row], dict[str, Any], Any]:
    oriented = -sheet.measure.sign * sheet.values if chosen.ranks else sheet.values
    many: Many = chosen.compute(oriented, **options)
    rows = [_row("all learners alike", "", "", _compared(test, nan)) for test in many.tests]
    estimates = many.estimates
    if estimates is None:
        return rows, dict(many.details), None
    if adjust == SINGLE_STEP and family.kind == "control" and isinstance(estimates.law, RangeLaw):
        raise UsageError(
            f"{chosen.card.single_step}'s adjustment is for all pairs; against a control use bonferroni "
            "(Bonferroni–Dunn), holm or hochberg."
        )
    order = np.argsort(estimates.values, kind="stable") if chosen.ranks else sheet.best_first
    family = contrasts(request.contrast, sheet.learners, [int(i) for i in order], request.control)
    side = _side(request, False if chosen.ranks else sheet.measure.larger_is_better)
    compared = compare_estimates(estimates, family, adjust, request.alpha, side)
    rows += [
        _row(
            f"{sheet.learners[first]} − {sheet.learners[second]}", sheet.learners[first], sheet.learners[second], found
        )
        for (first, second), found in zip(family.pairs, compared, strict=True)
    ]
    return rows, dict(many.details), estimates.values
