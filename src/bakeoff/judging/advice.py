"""Advice: which procedures fit a table of scores, which do not, and why. The design decides, never a pre-test."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff import text as presentation
from bakeoff.errors import MisfitError
from bakeoff.judging.case import AUC, Case
from bakeoff.judging.request import Request
from bakeoff.judging.warnings import about_data, about_problem
from bakeoff.judging.wording import scope
from bakeoff.procedures import answering, procedure_named, procedures
from bakeoff.procedures.card import Answers, Card, Compares, Scope
from bakeoff.records import Answer
from bakeoff.resampling import INSTEAD, optimism
from bakeoff.scores import Layout, Level, Missing, Samples, Scores
from bakeoff.scores.design import Runs
from bakeoff.scores.layout import GAPS, UNEVEN, UNLIKE_RUNS
from bakeoff.scores.reading import as_scores, pop_reading
from bakeoff.text import CodedWarning, counted, listing

if TYPE_CHECKING:
    import pandas as pd


# ----------------------------------------------------------------------------------------------------------------------
# What a conclusion rests on where the design of the experiment is not known, or is not what a test takes it for.


# The options by which a procedure makes up for training sets that overlap.
OVERLAP = ("ratio", "rho")
MEASURED = "measured over 30 random halves: 68.5 % false claims at α = 5 %, docs/calibration.md"
FEW_TASKS = 5
SEEDS_ONLY = "new runs (seeds) of these learners on this very split"
PROVIDED = (
    "new runs of these learners, provided that each run learned from a sample of its own, or that all runs used one "
    "fixed split and differ in their seed only"
)
OTHER_FOLDS = "these learners, fitted to the other folds of this sample, on new instances"
ALL_BUT_ONE = "these learners, fitted to all rows of this sample but one, on new instances"


def makes_up_for_overlap(card: Card) -> bool:
    return any(option.name in OVERLAP for option in card.options)


def scope_of(card: Card, layout: Layout) -> str:
    """What the conclusion of a procedure speaks about, given what is known of the design."""
    if card.speaks_about is Scope.MODELS and layout.leave_one_out:
        return ALL_BUT_ONE
    if card.speaks_about is Scope.MODELS and layout.beyond and (card.clustered or card.ordered):
        return f"these fitted models on {layout.beyond}"
    if card.speaks_about is Scope.MODELS and layout.level is Level.INSTANCES and layout.folds > 1:
        return OTHER_FOLDS
    if card.speaks_about is not Scope.LEARNERS or not layout.are_runs:
        return card.speaks_about.value
    if layout.splitting.runs is Runs.FIXED_SPLIT:
        return SEEDS_ONLY
    return PROVIDED if _takes_unknown_runs(card, layout) else card.speaks_about.value


def _takes_unknown_runs(card: Card, layout: Layout) -> bool:
    """Whether a procedure takes runs for independent of which nobody knows what they are."""
    return layout.are_runs and layout.splitting.runs is None and not makes_up_for_overlap(card)


def conditions_on(card: Card, layout: Layout) -> tuple[str, ...]:
    """What a verdict rests on and nobody knows: it is said first. Each completes "this holds only if …"."""
    unknown = layout.are_runs and layout.splitting.runs is None and layout.n_learners > 1
    runs = "the runs, of which it is not known what they are, are no random splits of one data set"
    if makes_up_for_overlap(card):
        unknown = unknown and layout.taken_for_splits
        runs = (
            "the runs, of which it is not known what they are, are random splits of one data set, a third of it tested "
            f"on, or less, as their name ({layout.splitting.called!r}) suggests"
        )
    # An interval of one learner's mean may take folds for independent.
    alone = card.compares is Compares.ONE and layout.level is Level.RESAMPLES
    overlap = alone and layout.folds > 1 and not makes_up_for_overlap(card)
    folds = "the folds vary as independent runs would: their training sets overlap, so that intervals are too narrow"
    return (
        *((runs,) if unknown else ()),
        *((folds,) if overlap else ()),
        *(_PROVISOS[doubt.code] for doubt in _doubts_for(card, layout) if doubt.code in _PROVISOS),
    )


def conditions_of_times(details: Mapping[str, Any]) -> tuple[str, ...]:
    """What an answer about successive times rests on, where their further lags speak for a slow part under noise."""
    slow = any(isinstance(each, Mapping) and each.get("slow") for each in details.values())
    return ("no slow drift lies under the noise, though what times far apart have in common speaks for one",) * slow


def _doubts_for(card: Card | None, layout: Layout) -> Iterator[CodedWarning]:
    """What the file leaves open, but for what the procedure takes into account."""
    settled = card is not None and card.crossed
    yield from (doubt for doubt in layout.doubts if not (settled and doubt.code == UNLIKE_RUNS))


_PROVISOS = {
    "unknown-clusters": "instances are independent, though a column may tell what several of them have in common",
    "samples-or-items": "samples are single test items, though their scores look like those of whole samples of data",
    UNLIKE_RUNS: "these very runs of each learner are meant: others would come out otherwise, by more than answers do",
    "clustered-tasks": "tasks are independent, though a column tells what several of them have in common",
    "shared-times": "series are independent, though they were observed at the same times",
    "names-of-data": "all files hold scores on the same data, though their names look like data sets and learners",
    "folds-by-word": "the rows are the folds of one cross-validation, in which every case was tested once",
}


def reason_for(card: Card, layout: Layout) -> str:
    """Why a procedure is recommended; what is not known is not among the reasons."""
    if layout.are_runs and layout.splitting.runs is Runs.FIXED_SPLIT:
        return card.recommended_over_seeds
    unknown = layout.runs_may_overlap and layout.splitting.runs is None and not makes_up_for_overlap(card)
    return f"{card.recommended_for}, if that is what these runs are" if unknown else card.recommended_for


def about_design(layout: Layout, card: Card | None, supplied: Container[str] = ()) -> Iterator[CodedWarning]:
    """What to know of the design where `card` is to answer. `supplied` are options that the user gave."""
    yield from _doubts_for(card, layout)
    if layout.level is Level.TASKS and layout.with_instances and not layout.about and len(layout.tasks) > 1:
        yield CodedWarning(
            "two-questions",
            f"The {len(layout.tasks)} tasks hold instances, and two questions can be asked: which learner is better on "
            "new problems, of which these tasks are a sample, or on new instances of these very tasks. The first is "
            "answered here.",
            "Say --about problems or --about items (in Python about=).",
        )
    if layout.level is Level.TASKS and len(layout.tasks) <= FEW_TASKS and layout.within_tasks and layout.n_learners > 1:
        yield CodedWarning(
            "few-tasks",
            f"{counted(len(layout.tasks), 'tasks')} tell little about new problems, however many runs each has.",
            f"Compare the learners within each task ({listing([f'--task {name}' for name in layout.tasks])}; in Python "
            "scores.only(tasks=[NAME])): the conclusion is then about these learners on that task.",
        )
    made_up = card is not None and makes_up_for_overlap(card)
    if (
        layout.runs_may_overlap
        and (not made_up or layout.taken_for_splits)
        and not any(name in supplied for name in OVERLAP)
    ):
        yield _about_runs(layout)
    if layout.level is Level.RESAMPLES and layout.resampling in (GAPS, UNEVEN) and layout.splitting.ratio is None:
        yield CodedWarning(
            "incomplete-folds",
            f"The resamples are {layout.resampling} ({layout.n_blocks} of them): no complete cross-validation, in "
            "which every case is tested once, so that how much their training sets overlap is not known.",
            f"Fill the folds in; or say how much they overlap, as --ratio 1/{max(layout.folds - 1, 1)} for "
            f"{layout.folds} folds (in Python ratio=).",
        )
    if layout.splitting.optimistic:
        yield CodedWarning("resubstitution", optimism(layout.splitting.optimistic), INSTEAD)
    if layout.splitting.runs is Runs.WINDOWS and layout.level is Level.RESAMPLES:
        yield CodedWarning(
            "time-windows",
            f"The {layout.n_blocks} blocks are windows of one series, each learned from what came before it: their "
            "scores go up and down together with time, and nothing that takes them for folds or draws knows how far.",
            "Compare the losses on test rows in their order (--level instances; a study does so by itself), or several "
            "series as tasks.",
        )
    if layout.leave_one_out:
        yield CodedWarning(
            "leave-one-out",
            "Each instance was predicted by a fit to all the others. These fits are nearly the same, so that instances "
            "are compared, as if one model had been tested on all of them; how learners vary from one training set to "
            "another does not show.",
            "For a conclusion about learners use cross-validation with repeats, and corrected-t.",
        )

    elif layout.level is Level.INSTANCES and layout.folds > 1 and layout.n_learners > 1:
        yield CodedWarning(
            "pooled-folds",
            f"The instances come from {layout.folds} folds, each predicted by a fit to the others: no one model "
            "answered them all, the fits share most of what they learned from, and how learners vary from one training "
            "set to another does not show.",
            "For a conclusion about learners compare the folds (--level resamples), better of several repeats, by "
            "corrected-t.",
        )


def _about_runs(layout: Layout) -> CodedWarning:
    if layout.splitting.runs is Runs.RANDOM_SPLITS:
        return CodedWarning(
            "overlapping-runs",
            f"The {layout.n_blocks} runs are random splits of one data set: their training sets overlap, and what "
            f"takes them for independent claims too much ({MEASURED}).",
            "Compare learners by corrected-t; an interval of one learner's mean is too narrow.",
        )
    taken = f" Called {layout.splitting.called!r}, they are taken for such splits, a third of the data tested."
    return CodedWarning(
        "unknown-runs",
        f"What the {layout.n_blocks} runs are is not known. Runs on random splits of one data set overlap, and what "
        f"takes them for independent then claims too much ({MEASURED}).{taken * layout.taken_for_splits}",
        "If they are random splits, say --ratio N_TEST/N_TRAIN (in Python ratio=), for corrected-t; if each learned "
        "from a sample of its own, --runs independent; if all used one split and differ in their seed only, --runs "
        "fixed-split (in Python runs=).",
    )


# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Candidate:
    """A procedure, and whether it fits. `unmet` is every reason against it.

    `answered_by` names the procedure that would answer in its place, if there are more learners than it takes.
    """

    procedure: str
    title: str
    fits: bool
    answers: Answers
    speaks_about: str
    unmet: tuple[str, ...]
    cautions: tuple[str, ...]
    answered_by: str = ""


@dataclass(frozen=True, eq=False)
class Advice(Answer):
    """The procedure that fits the design best, and why each of the others fits or does not.

    `together` are the measures that the question is about, if it is about several at once. `ranked` are the procedures
    that fit and answer the question, the recommended one first.
    """

    layout: Layout
    recommended: str
    because: str
    candidates: tuple[Candidate, ...]
    warnings: tuple[CodedWarning, ...]
    together: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()

    @property
    def fitting(self) -> tuple[Candidate, ...]:
        return tuple(c for c in self.candidates if c.fits)

    @property
    def summary(self) -> str:
        """The recommendation in two sentences."""
        if not self.recommended:
            return self.choice
        best = next(c for c in self.candidates if c.procedure == self.recommended)
        conditional_on = "" if self.layout.problem is None else self.layout.problem.conditional_on
        return f"{self.choice} Its conclusion speaks about {scope(best.speaks_about, conditional_on)}."

    @property
    def choice(self) -> str:
        """What is recommended, and for what."""
        if not self.recommended:
            return "No procedure fits these data as they are."
        best = next(c for c in self.candidates if c.procedure == self.recommended)
        return f"Recommended: {best.procedure} ({best.title}), for {self.because}."

    def to_text(self, everything: bool = False) -> str:
        """What fits, and with `everything` why each of the others does not."""
        lines = [f"{self.layout.source}: {self.layout.sentence}.", self.summary]
        if self.together:
            lines.insert(1, f"Asked about {len(self.together)} measures at once: {', '.join(self.together)}.")
        lines += [
            f"  Beware: {text}" for c in self.candidates if c.procedure == self.recommended for text in c.cautions
        ]
        others = [c for c in self.fitting if c.procedure != self.recommended]
        if others:
            lines.append("Also fitting:")
            lines += [
                f"  {c.procedure}: {c.title}; answers about {c.answers.value}"
                + (
                    f"; with {self.layout.n_learners} learners it falls back on {c.answered_by}"
                    if c.answered_by
                    else ""
                )
                for c in others
            ]
        unfit = [c for c in self.candidates if not c.fits]
        if everything:
            lines.append("Not fitting:")
            lines += [f"  {c.procedure}: {'; '.join(c.unmet)}" for c in unfit]
        elif unfit:
            lines.append(
                f"Not fitting: {len(unfit)} others; why, each of them: bakeoff advise --all (in Python "
                "to_text(everything=True))."
            )
        lines += [f"Warning {warning}" for warning in self.warnings]
        return "\n".join(presentation.wrapped(line, indent="    ") for line in lines)

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(
            {
                "procedure": [c.procedure for c in self.candidates],
                "recommended": [c.procedure == self.recommended for c in self.candidates],
                "fits": [c.fits for c in self.candidates],
                "answers": [c.answers.value for c in self.candidates],
                "speaks_about": [c.speaks_about for c in self.candidates],
                "why_not": ["; ".join(c.unmet) for c in self.candidates],
            }
        )

    def _repr_html_(self) -> str:
        rows = [
            [
                c.procedure + (" (recommended)" if c.procedure == self.recommended else ""),
                "yes" if c.fits else "no",
                c.speaks_about,
                "; ".join(c.unmet),
            ]
            for c in self.candidates
        ]
        return presentation.html_table(["procedure", "fits", "speaks about", "why not"], rows, self.layout.sentence)


def unmet_needs(
    card: Card, layout: Layout, *, essential_only: bool = False, supplied: Container[str] = ()
) -> tuple[str, ...]:
    """Every reason against a procedure on these data, except for what the options in `supplied` make good.

    Where its fallback would answer, the reasons against that count too.
    """
    fallback = answering(card, layout.n_learners)
    needs = [*card.needs, *(fallback.needs if fallback is not card else ())]
    needs = [need for need in needs if need.supplied_by not in supplied or not need.supplied_by]
    reasons = [need.unmet(layout) for need in needs if need.essential or not essential_only]
    one_value = card.compares is Compares.ONE and layout.level is Level.SINGLE  # which shares nothing with anybody
    if card.paired and not layout.matched and not one_value:
        reasons.append("it compares within blocks, and no two learners share a block here")
    if not card.paired and layout.matched and layout.n_learners > 1 and not layout.alike_in_number_only:
        shared = "it takes independent samples, and here the learners share their blocks (say --unpaired if not)"
        reasons.append(None if essential_only else shared)
    if layout.measure.by_task and layout.level is Level.TASKS and not card.order_only:
        reasons.append(
            "it compares how large differences are from task to task, and here the measure differs by task: only the "
            "order of learners within a task can be compared"
        )
    if layout.level is Level.RESAMPLES and layout.splitting.unknown_scheme:
        reasons.append(
            f"nobody says what the splits of the scheme {layout.splitting.unknown_scheme!r} share, and without it no "
            "standard error is right: let its class say it (shares) and register it (bakeoff.resampling.register), or "
            "say what the runs are (--runs, --ratio)"
        )
    return tuple(dict.fromkeys(reason for reason in reasons if reason is not None))


def _candidate(case: Case, card: Card) -> Candidate:
    layout = case.layout_for(card)
    unmet = (*unmet_needs(card, layout), *_holes(card, layout))
    measures = case.request.measures
    if len(measures) > 1 and card.answers is not Answers.MULTIVARIATE:
        unmet = (f"it takes one measure at a time, and {len(measures)} are asked about", *unmet)
    if (only := case.request.procedure) is not None and card.name != only:
        measure = case.original_request.measures[0] if case.original_request.measures else AUC
        unmet = (f"it compares {layout.measure.name}, and {measure} is asked about", *unmet)
    other = answering(card, layout.n_learners)
    return Candidate(
        procedure=card.name,
        title=card.title,
        fits=not unmet,
        answers=card.answers,
        speaks_about=scope_of(card, layout),
        unmet=unmet,
        cautions=card.cautions,
        answered_by="" if other is card else other.name,
    )


def _holes(card: Card, layout: Layout) -> tuple[str, ...]:
    """Why a table with holes is not for a procedure. What becomes of holes is for the user to say."""
    if layout.complete or card.incomplete or not card.paired or layout.missing is not Missing.ERROR:
        return ()
    return (
        f"it needs a value of every learner in every block, and {layout.n_missing} of {layout.n_cells} cells have "
        "none: say what becomes of them (--missing drop-block or worst)",
    )


def advise(
    scores: Scores | pd.DataFrame | Mapping[str, Any],
    *,
    measure: str | Sequence[str] | None = None,
    level: str | None = None,
    missing: str | Missing = Missing.ERROR,
    runs: str | None = None,
    about: str | None = None,
    ratio: float | None = None,
    **reading: Any,
) -> Advice:
    """Which procedures fit these scores, and which one to use.

    The answer follows from the design: what varies (instances, resamples, tasks), how many learners there are, what is
    known about the splits. It never depends on the values, so it can be asked before the experiment is run. Several
    measures are a question about all of them at once, which few procedures answer. Where the table numbers runs of one
    task and does not tell what they are, `runs` says it: "independent", "fixed-split", or "random-splits", with the
    `ratio` of test to training size. How a DataFrame or a dict of results is read is said as to `read_scores`.
    """
    table = as_scores(scores, measure, **pop_reading(reading))
    if reading:
        raise TypeError(f"advise() got an unexpected argument {next(iter(reading))!r}")
    return advice_on(
        Case(table, Request.of(measure=measure, level=level, missing=missing, runs=runs, ratio=ratio, about=about))
    )


def advice_on(case: Case) -> Advice:
    """The advice for a case, whatever procedure was named: made once."""
    if case.advice is None:
        # Where the AUC is asked about, only one procedure reads what it is computed from; else none is singled out.
        named = case.request.procedure if case.request.measure != case.original_request.measure else None
        case.advice = _advice(case.asking(procedure=named))
    return case.advice


def _advice(case: Case) -> Advice:
    cards, natural, measures = [each.card for each in procedures()], case.layout(), case.request.measures
    candidates = tuple(_candidate(case, card) for card in cards)
    aim = _aim(natural, measures)
    ranked = sorted(
        (card.rank_for(natural), card.name, reason_for(card, natural))
        for card, candidate in zip(cards, candidates, strict=True)
        if candidate.fits
        and candidate.answers is aim
        and not (card.pooled or card.exceeds_level)  # which answer whoever asks for them by name
        and not candidate.answered_by  # the one that would answer is here by its own name
        # Averaging instances to folds is for those who ask for it: the natural level comes first.
        and case.layout_for(card) is natural
    )
    recommended, because = (ranked[0][1], ranked[0][2]) if ranked else ("", "")
    best = procedure_named(recommended).card if recommended else None
    take_holes = [card.name for card, each in zip(cards, candidates, strict=True) if card.incomplete and each.fits]
    holes = _about_holes(natural, take_holes) if best is not None and not best.incomplete else ()
    warned = (*about_data(natural, None), *holes, *about_problem(natural), *about_design(natural, best))
    names = tuple(name for _, name, _ in ranked)
    return Advice(natural, recommended, because, candidates, warned, measures[1:] and measures, names)


def _about_holes(layout: Layout, take_holes: Sequence[str]) -> Iterator[CodedWarning]:
    """What is to be decided before a table with holes can be judged, and what takes it as it is."""
    if layout.complete or layout.missing is not Missing.ERROR or not layout.matched:
        return
    others = f", or use what takes tables with holes: --with {listing(list(take_holes))}" if take_holes else ""
    yield CodedWarning(
        "missing-cells",
        f"{layout.n_missing} of {layout.n_cells} cells have no value, and the procedure that is recommended needs all.",
        "Say --missing drop-block (leave those blocks out) or --missing worst (give the worst value in the table)"
        f"{others}.",
    )


def _nearly_fits(candidate: Candidate, layout: Layout) -> bool:
    """Whether a procedure lacks one thing only, which more blocks or a word of the user can make good."""
    card = procedure_named(candidate.procedure).card
    usual = not (card.pooled or card.posterior or card.exceeds_level or card.fixed_folds)
    return usual and len(candidate.unmet) == 1 and not unmet_needs(card, layout, essential_only=True, supplied=OVERLAP)


def _aim(layout: Layout, measures: Sequence[str]) -> Answers:
    """What kind of answer is asked for."""
    if layout.n_learners == 1:
        return Answers.EACH
    return Answers.PAIRS if len(measures) < 2 else Answers.MULTIVARIATE


def refusal(card: Card, layout: Layout, unmet: tuple[str, ...], advice: Advice, can_insist: bool) -> MisfitError:
    """What was asked, every reason against it, and what would fit instead."""
    alternatives = [
        f"{c.procedure}: {c.title}" + (" (recommended)" if c.procedure == advice.recommended else "")
        for c in advice.fitting
        if not c.answered_by
    ]
    if can_insist:
        alternatives.append(f"{card.name} all the same, with --anyway; the report will say so")
    if not advice.fitting:
        alternatives += [warning.action for warning in advice.warnings]
    return MisfitError(
        f"{card.title} does not fit {layout.source} ({layout.sentence}):",
        unmet=unmet,
        alternatives=alternatives or ["more blocks: instances, folds, seeds or tasks"],
    )


# ----------------------------------------------------------------------------------------------------------------------
# The procedure that a request without one means: the first that fits the design and can answer what is asked.


def recommend(case: Case) -> str:
    """The first of the procedures that fit the design which can also answer what is asked: about a margin, about other
    contrasts than all pairs, or about one side."""
    advice = advice_on(case)
    holes = not advice.layout.complete and advice.layout.matched and advice.layout.level is not Level.SINGLE
    # Runs that only some learners have leave no hole where runs are no pairs; those that failed do.
    unpaired = bool(advice.recommended) and not procedure_named(advice.recommended).card.paired
    if holes and not (unpaired and not np.isnan(case.lead.value).any()):
        case.blocks(advice.layout.level)  # which refuses and names the cells, unless it was said what becomes of them
    for name in advice.ranked:
        if case.request.decisions_will_do or procedure_named(name).card.intervals:
            return name
    if advice.recommended:
        return advice.recommended
    layout, aim = advice.layout, _aim(advice.layout, advice.together)
    refused = [c for c in advice.candidates if c.answers is aim and not c.fits]
    raise MisfitError(
        f"No procedure can judge {layout.source} ({layout.sentence}):",
        unmet=[
            *(f"{c.procedure}: {c.unmet[0]}" for c in refused if _nearly_fits(c, layout)),
            *map(str, advice.warnings),
        ]
        or [f"{c.procedure}: {'; '.join(c.unmet)}" for c in refused],
    )


def refuse_lone_values(drawn: Samples) -> None:
    """A learner with one value beside others with several has no spread, and none may be made up for it."""
    sizes = dict(zip(drawn.learners, drawn.values, strict=True))
    lone = {name: float(values[0]) for name, values in sizes.items() if len(values) == 1}
    if not lone or len(lone) == len(sizes):
        return
    name, value = next(iter(lone.items()))
    most = max(map(len, sizes.values()))
    raise MisfitError(
        f"{listing(list(lone), 6)} {'has' if len(lone) == 1 else 'have'} one value and the others have up to "
        f"{most}: how much a learner varies from run to run cannot be told from one. Run it as often as the others. "
        f"If {value:g} is a fixed number (a published one, say), hold the others against it: --without {quote(name)} "
        f"--against {value:g} (in Python scores.only(learners=…) and judge(…, against={value:g}))."
    )
