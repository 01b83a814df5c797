"""Judge: from scores to a verdict, by the procedure asked for or the one that fits the design."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError, MisfitError, UsageError
from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.inference.evidence import SINGLE_STEP
from bakeoff.inference.finding import Finding
from bakeoff.judging.advice import OVERLAP, about_design, advice_on, recommend
from bakeoff.judging.analysis import find
from bakeoff.judging.case import Case
from bakeoff.judging.description import LearnerSummary, TaskResults, describe_blocks
from bakeoff.judging.planned import plan_status_of
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import (
    Decision,
    Judged,
    RunReading,
    Verdict,
    decide,
    decide_against,
    maximal_groups,
    order_of,
)
from bakeoff.judging.warnings import about_data, about_effects, about_finding, about_fits, about_problem, about_values
from bakeoff.mathematics.laws import t_quantile
from bakeoff.mathematics.proportions import proportion_interval
from bakeoff.mathematics.ranks import median_interval
from bakeoff.procedures import procedure_named, procedures
from bakeoff.procedures.card import Answers, Card
from bakeoff.scores import Blocks, Layout, Level, Missing, Samples, Scores, samples
from bakeoff.scores.blocks import grid
from bakeoff.scores.design import Runs
from bakeoff.scores.layout import THIRD_TESTED
from bakeoff.scores.reading import as_scores, pop_reading
from bakeoff.text import CodedWarning, counted, listing, percent

if TYPE_CHECKING:
    import pandas as pd

    from bakeoff.judging.sources_of_variance import SourcesOfVariance


# ----------------------------------------------------------------------------------------------------------------------
# Scores that say less than they seem to: learners that score alike in every block, or that never gave a result.


def without_results(table: Scores, missing: Missing) -> tuple[str, ...]:
    """The learners that have no value at all, and were given the worst one instead."""
    if missing is not Missing.WORST:
        return ()
    values = grid(table).values
    return tuple(name for name, column in zip(table.learners, values.T, strict=True) if np.isnan(column).all())


def drop_claims_for_failed(failed: Collection[str], decisions: Sequence[Judged]) -> tuple[Judged, ...]:
    """The decisions, without those in favour of a learner that never gave a result: what was put in is no evidence."""
    if not failed:
        return tuple(decisions)

    def favours(judged: Judged) -> bool:
        first = (Decision.BETTER, Decision.EQUIVALENT, Decision.NON_INFERIOR)
        second = (Decision.WORSE, Decision.EQUIVALENT)
        return (judged.first in failed and judged.decision in first) or (
            judged.second in failed and judged.decision in second
        )

    return tuple(replace(judged, decision=Decision.UNDECIDED) if favours(judged) else judged for judged in decisions)


def alike(blocks: Blocks) -> list[tuple[str, ...]]:
    """The learners that have the same score in every block, up to rounding error, together."""
    if blocks.n_blocks < 2 or np.isnan(blocks.values).any():
        return []
    scale = float(np.abs(blocks.values).max()) or 1.0
    columns: dict[bytes, list[str]] = {}
    for name, column in zip(blocks.learners, np.round(blocks.values.T / scale, 13) + 0.0, strict=True):
        columns.setdefault(column.tobytes(), []).append(name)
    return [tuple(names) for names in columns.values() if len(names) > 1]


def about_scores(blocks: Blocks | None, failed: Collection[str]) -> Iterator[CodedWarning]:
    """What to know of learners that score alike, or not at all."""
    if failed:
        yield CodedWarning(
            "never-succeeded",
            f"{listing(list(failed), 6)} gave no result in any block; the worst value in the table stands in for all.",
            "Nothing is claimed in favour of such a learner. Find out why it fails, or leave it out (--learner NAME, "
            "repeated, names those to compare).",
        )
    groups = [] if blocks is None else [names for names in alike(blocks) if not set(names) <= set(failed)]
    if blocks is not None and groups:
        names_text = "; ".join(listing(list(names), 6) for names in groups[:4])
        more = f"; and {len(groups) - 4} more groups" if len(groups) > 4 else ""
        yield CodedWarning(
            "identical-scores",
            f"The scores are the same in all {counted(blocks.n_blocks, blocks.level.value)}: {names_text}{more}. A "
            "difference that never varies has no standard error, and is no evidence that learners are equal.",
            "Make sure that they are different learners, each with its own results.",
        )


# ----------------------------------------------------------------------------------------------------------------------
# Each learner by itself, and the results task by task: what tables of a paper show beside the verdict.


Array = NDArray[np.float64]
# Of more cells nobody prints a table of tasks and learners.
MOST_CELLS = 20_000


def summarise(
    values: Blocks | Samples, layout: Layout, ranking: Sequence[str], confidence: float
) -> tuple[LearnerSummary, ...]:
    """The scores of each learner, in the order of the ranking."""
    columns = values.values.T if isinstance(values, Blocks) else values.values
    of_name = dict(zip(values.learners, columns, strict=True))
    return tuple(_summary(name, of_name[name], layout, confidence) for name in ranking if name in of_name)


def _summary(name: str, column: Array, layout: Layout, confidence: float) -> LearnerSummary:
    known = column[~np.isnan(column)]
    n = len(known)
    if n == 0:
        return LearnerSummary(name, 0, nan, nan, nan, nan, nan, "")
    mean, median = float(known.mean()), float(np.median(known))
    unit = float(np.abs(known).max()) or 1.0  # squares stay in the range of numbers in this unit
    sd = unit * float((known / unit).std(ddof=1)) if n > 1 else nan
    lower, upper, interval = _own_interval(known, sd, layout, confidence)
    return LearnerSummary(name, n, mean, sd, median, lower, upper, interval, confidence if interval else nan)


def _own_interval(x: Array, sd: float, layout: Layout, confidence: float) -> tuple[float, float, str]:
    """An interval of one learner's mean or median, where the design lets one be given; and what it is, in words."""
    level = percent(confidence)
    if layout.level is Level.TASKS:
        ends = median_interval(x, confidence, "two-sided")
        ends = ends if isfinite(ends[0]) else (nan, nan)  # so few values have none
        return *ends, f"{level} interval of the median, from its order statistics"
    dependent = layout.clusters is not None or bool(layout.ordered) or layout.answers > 1
    if layout.level is Level.INSTANCES and not dependent and bool(np.isin(x, (0.0, 1.0)).all()):
        ends = proportion_interval(float(x.sum()), len(x), confidence=confidence)
        return *ends, f"{level} interval of a rate (Wilson)"
    single = layout.level is Level.SINGLE or len(x) < 2 or not sd > 0
    if single or dependent or layout.runs_may_overlap:
        return nan, nan, ""
    overlap = layout.test_train_ratio if layout.folds > 1 and layout.level is Level.RESAMPLES else 0.0
    overlap = 0.0 if layout.problem is not None else overlap
    if isnan(overlap):
        return nan, nan, ""
    half = t_quantile((1 + confidence) / 2, len(x) - 1) * sd * sqrt(1 / len(x) + overlap)
    widened = ", widened for training data in common" if overlap > 0 else ""
    ends = (max(float(x.mean()) - half, layout.measure.lower), min(float(x.mean()) + half, layout.measure.upper))
    return *ends, f"{level} t interval of the mean{widened}"


def results_by_task(scores: Scores, ranking: Sequence[str]) -> TaskResults | None:
    """The mean of each learner on each task; None of one task, or of more than anybody would print."""
    tasks, k = scores.tasks, len(scores.learners)
    if len(tasks) < 2 or len(tasks) * k > MOST_CELLS:
        return None
    known = ~np.isnan(scores.value)
    cell = (scores.task.codes * k + scores.learner.codes)[known]
    value, size = scores.value[known], len(tasks) * k
    runs = np.bincount(cell, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(cell, weights=value, minlength=size) / runs
        spread = np.bincount(cell, weights=(value - means[cell]) ** 2, minlength=size)
        sds = np.where(runs > 1, np.sqrt(spread / np.maximum(runs - 1, 1)), np.nan)
    order = [scores.learners.index(name) for name in ranking]
    shaped = (part.reshape(len(tasks), k)[:, order].tolist() for part in (means, sds, runs))
    return TaskResults(tasks, tuple(ranking), *(tuple(map(tuple, rows)) for rows in shaped))


# ----------------------------------------------------------------------------------------------------------------------


@overload
def judge(
    scores: Scores | pd.DataFrame | Mapping[str, Any],
    procedure: str | None = None,
    *,
    measure: str | None = None,
    **request: Any,
) -> Verdict: ...
@overload
def judge(
    scores: Scores | pd.DataFrame | Mapping[str, Any],
    procedure: str | None = None,
    *,
    measure: list[str] | tuple[str, ...],
    **request: Any,
) -> Finding: ...
def judge(
    scores: Scores | pd.DataFrame | Mapping[str, Any],
    procedure: str | None = None,
    *,
    measure: str | list[str] | tuple[str, ...] | None = None,
    margin: float | None = None,
    adjust: str | None = None,
    level: str | None = None,
    missing: str | Missing = Missing.ERROR,
    runs: str | None = None,
    **request: Any,
) -> Verdict | Finding:
    """What may be claimed about these learners, as a Verdict.

    Of scores of a study it is about the study's primary measure, if none is named. Several measures, a list of them,
    are a question about all at once, which a multivariate procedure answers: then the answer is its Finding.

    Without `procedure` the advisor's choice is used. `margin` is the difference in the measure that would matter in
    practice, fixed in advance: with it, learners can be found equivalent or non-inferior. `runs` says what runs of one
    task are, if the table does not: "independent", "fixed-split", or "random-splits" with their `ratio` of test to
    training size. `against` is a level that each learner alone is held against, in the unit of the measure ("is the
    error below 0.02?"), with p adjusted over the learners. All other arguments are those of `analyse`; how a DataFrame
    or {"tree": cross_validate(…)} is read is said as to `read_scores`: rows=, larger_is_better=, columns= and so on.
    """
    table = as_scores(scores, measure, **pop_reading(request))
    request_made = Request.of(
        procedure, measure=measure, margin=margin, adjust=adjust, level=level, missing=missing, runs=runs, **request
    )
    case = Case(table, request_made)
    return finding_on(case) if is_multivariate(request_made) else verdict_on(case)


def is_multivariate(request: Request) -> bool:
    """Whether it is about several measures at once, which is no question about pairs alone."""
    if request.procedure is None:
        return len(request.measures) > 1
    several = procedure_named(request.procedure).card.answers is Answers.MULTIVARIATE
    return several and len(request.measures) > 1


def finding_on(case: Case) -> Finding:
    """What a multivariate procedure finds, with its standing in the study."""
    chosen = case.request.procedure or recommend(case)
    status = plan_status_of(case, None if case.original_request.procedure else chosen)
    return replace(find(case.asking(procedure=chosen)), standing=status)


@contextmanager
def _making_many() -> Iterator[None]:
    """While this lasts, Python looks for no garbage; also a decorator.

    A thousand learners make a million records, none of which refers to itself. Going through all of them again and
    again, because there are so many, would take as long as making them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_making_many()
def verdict_on(case: Case) -> Verdict:
    """The verdict on a case."""
    case.require_one_measure()
    case = _against(case) if case.request.against is not None else case
    request, warned = case.request, list[CodedWarning]()
    chosen = request.procedure or recommend(case)
    status = plan_status_of(case, None if case.original_request.procedure else chosen)
    card = procedure_named(chosen).card
    if card.answers not in (Answers.PAIRS, Answers.EACH):
        raise UsageError(
            f"{card.title} answers about {card.answers.value}; a verdict needs answers about pairs of learners. "
            f"Use `bakeoff analyse --with {card.name}` for its own answer (in Python analyse(scores, {card.name!r}))."
        )
    adjust, margin = request.adjust, request.margin
    if margin is not None and not card.posterior:
        own_joint_law = card.default_adjust == SINGLE_STEP and (request.control is None or card.any_family)
        adjust = _single_level(adjust, warned) if adjust or own_joint_law else "bonferroni"
    finding = replace(find(case.asking(procedure=chosen, adjust=adjust)), standing=status)
    if margin is not None and not finding.on_measure:
        warned.append(
            CodedWarning(
                "margin-not-applicable",
                f"The margin is a difference in {finding.measure.name}, but {finding.title} compares {finding.scale}s.",
                "Equivalence cannot be judged from it; the margin was not used.",
            )
        )
        margin = None
    card = procedure_named(finding.procedure).card  # a fallback may have answered
    layout = case.layout(finding.level)
    blocks = case.blocks(finding.level, incomplete=card.incomplete) if card.paired else None
    failed = without_results(case.lead, request.missing)
    decisions = drop_claims_for_failed(failed, _decisions(finding, margin))
    groups, order, tangled = _groups(finding, decisions)
    apart = any(judged.apart for judged in decisions)
    alone = not isnan(finding.against)
    drawn = blocks or samples(case.lead, level=finding.level)
    warnings = (
        *(warning for warning in about_data(layout, blocks) if not (alone and warning.code == "single-run")),
        *about_finding(finding, card, layout),
        *about_values(finding, card, layout, drawn),
        *warned,
        *tangled,
        *about_effects(blocks, layout, all(judged.apart for judged in decisions)),
        *about_problem(layout, margin=margin, apart=apart),
        *about_fits(case.origin),
        *about_design(layout, card, request.options),
        *about_scores(blocks, failed),
    )
    means = {name: float(mean) for name, mean in zip(drawn.learners, drawn.means, strict=True)}
    # The procedure computes a measure of its own, such as the AUC, or weighs clusters alike.
    own_measure = finding.measure.name == drawn.measure.name and finding.options.get("weights") != "clusters"
    if not own_measure:
        means = dict(finding.position)
    described = describe_blocks(blocks, finding.ranking) if finding.level is not Level.RESAMPLES else None
    sources = _sources(case.lead, layout, finding.ranking) if card.paired and layout.level is Level.INSTANCES else None
    readings = _readings(case) if finding.conditions and chosen != case.original_request.procedure else ()
    summaries = summarise(drawn, layout, finding.ranking, 1 - finding.alpha) if own_measure else ()
    by_task = results_by_task(case.lead, finding.ranking) if own_measure else None
    return Verdict(
        finding, margin, decisions, groups, order, warnings, means, described, sources, summaries, by_task, readings
    )


_READINGS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("random splits of one data set, a third tested", "--ratio 0.5", {"ratio": THIRD_TESTED}),
    ("each on a learning sample of its own", "--runs independent", {"runs": Runs.INDEPENDENT.value}),
    ("all on one split, with other seeds", "--runs fixed-split", {"runs": Runs.FIXED_SPLIT.value}),
)
MOST_READ = 100  # learners


def _readings(case: Case) -> tuple[RunReading, ...]:
    """What would be claimed under each of the things that runs of one task may be, if it is not known what they are."""
    layout = case.layout()
    if not layout.are_runs or layout.splitting.runs is not None or layout.n_learners > MOST_READ:
        return ()
    readings = []
    for runs, say, choice in _READINGS:
        try:
            verdict = verdict_on(Case(case.origin, replace(case.original_request, **choice)))
        except BakeoffError:  # such as splits that the learners do not share
            continue
        claims = tuple(judged.better_first for judged in verdict.decisions if judged.apart)
        p = min((judged.row.p_adjusted for judged in verdict.decisions), default=nan)
        readings.append(RunReading(runs, say, verdict.finding.procedure, claims, len(verdict.decisions), p))
    return tuple(readings)


def _decisions(finding: Finding, margin: float | None) -> list[Judged]:
    """One for each pair; or, where learners were held against a level, one for each learner."""
    if isnan(finding.against):
        return [decide(row, finding.sign, finding.alpha, margin) for row in finding.pairs]
    alone = [row for row in finding.rows if row.first and not row.second]
    return [decide_against(row, finding.sign, finding.alpha, margin, finding.against) for row in alone]


def _against(case: Case) -> Case:
    """The case as a question about each learner and a level: by the procedure named, or the first that fits."""
    request = case.request
    if request.procedure is None:
        cards = (procedure_named(candidate.procedure).card for candidate in advice_on(case).fitting)
        fitting = sorted((card.rank, card.name) for card in cards if card.against and not _further_needs(card))
        if not fitting:
            layout = case.layout()
            raise MisfitError(
                f"No test of one learner against a fixed level fits {layout.source} ({layout.sentence}). It needs the "
                "answers to single instances, or a rate with n_test, or scores of several folds, runs or tasks."
            )
        request = replace(request, procedure=fitting[0][1])
    card = procedure_named(str(request.procedure)).card
    if not card.against:
        others = ", ".join(each.card.name for each in procedures() if each.card.against)
        raise UsageError(f"{card.title} holds no learner against a fixed level. Those that do: {others}.")
    level = request.options.get(card.against)
    if level not in (None, request.against):
        raise UsageError(f"The level is said twice, as {request.against:g} and as {level:g}: give one of them.")
    options = {**request.options, card.against: request.against}
    return case.asking(procedure=card.name, options=options, against=None)


def _further_needs(card: Card) -> bool:
    """Whether it must be told more than the level, as the standard deviation that z takes for known.

    How much resamples overlap is read off the table.
    """
    known = (card.against, *OVERLAP)
    return any(option.default is None and option.kind is float and option.name not in known for option in card.options)


def _sources(scores: Scores, layout: Layout, ranking: Sequence[str]) -> SourcesOfVariance | None:
    from bakeoff.judging.sources_of_variance import sources_of_variance  # which other levels have no use for

    return sources_of_variance(scores, layout, ranking)


def _single_level(adjust: str | None, extra: list[CodedWarning]) -> str | None:
    """Claims about a margin need intervals that cover at once, which stepwise adjustments do not have."""
    if adjust is None:
        return None
    method = ADJUSTMENTS.get(adjust.lower())
    if method is None or not method.stepwise:
        return adjust
    extra.append(
        CodedWarning(
            "stepwise-margin",
            f"{method.title}'s adjustment has no simultaneous intervals to hold against a margin.",
            "Bonferroni's was used instead.",
        )
    )
    return "bonferroni"


def _groups(
    finding: Finding, decisions: Sequence[Judged]
) -> tuple[tuple[tuple[str, ...], ...] | None, tuple[tuple[str, ...], ...] | None, list[CodedWarning]]:
    """Tie groups and order, if all pairs were compared."""
    k = len(finding.learners)
    if len(decisions) != k * (k - 1) // 2 or k < 2 or not finding.pairs:
        return None, None, []
    number = {name: i for i, name in enumerate(finding.learners)}
    tied = np.ones((k, k), dtype=bool)
    for judged in decisions:
        if judged.apart:
            i, j = number[judged.first], number[judged.second]
            tied[i, j] = tied[j, i] = False
    ranking = [number[name] for name in finding.ranking]
    groups = maximal_groups(tied, ranking)
    names = None if groups is None else tuple(tuple(finding.learners[i] for i in group) for group in groups)
    order = None if groups is None else order_of(groups, k)
    if order is not None:
        return names, tuple(tuple(finding.learners[i] for i in group) for group in order), []
    warning = CodedWarning(
        "non-transitive",
        "Ties overlap: some learner is tied with two others that differ, so the groups have no order.",
        "Claim the pairs that differ, not a ranking.",
    )
    return names, None, [warning]
