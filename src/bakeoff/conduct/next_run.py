"""After a verdict: what to run next, to decide what it leaves undecided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from bakeoff import text as show
from bakeoff.scores import Level
from bakeoff.scores.design import Runs

if TYPE_CHECKING:
    from bakeoff.designs.response_surface import Axis
    from bakeoff.judging.design_verdict import DesignVerdict
    from bakeoff.judging.verdict import Verdict
    from bakeoff.scores import Scores
    from bakeoff.study.study import Study

RESAMPLE = 'resampling = { scheme = "cross-validation", repeats = 10 }'
SECOND_LOOK = (
    "A verdict after that is a second look, which errs more often than α says: halve α, or, where blocks are "
    "independent draws or tasks, plan such looks with bakeoff run --until-decided."
)


@dataclass(frozen=True)
class NextRun:
    """What would decide something that is undecided: a sentence, the change of the study file, and the command; and
    whether it looks once more at what was judged already."""

    what: str
    change: str = ""
    command: str = ""
    second_look: bool = False

    @property
    def sentence(self) -> str:
        change = f" Write {self.change} into the study file" if self.change else ""
        command = f"{' and run' if change else ' Run'} {self.command}" if self.command else ""
        return f"{self.what}{change}{command}{'.' if change or command else ''}"


def next_runs(
    study: Study, verdict: Verdict | DesignVerdict, source: str, scores: Scores, left: int = 0
) -> list[NextRun]:
    """What to run next to decide what a verdict on a study leaves undecided: nothing, where nothing is. `left` is how
    many cells of it were not run yet."""
    command = f"bakeoff run {source}"
    if left:
        return [NextRun(f"{show.counted(left, 'cells')} of the study were not run yet.", "", command)]
    from bakeoff.judging.verdict import Verdict

    if isinstance(verdict, Verdict):
        pair = _for_pairs(study, verdict, command, scores)
        runs = [] if pair is None else [pair]
    else:
        runs = _for_design(study, verdict, command, scores)
    return [*runs, *([NextRun(SECOND_LOOK)] if any(each.second_look for each in runs) else [])]


def _for_pairs(study: Study, verdict: Verdict, command: str, scores: Scores) -> NextRun | None:
    from bakeoff.judging.wording import blocks_needed, nearest_to_decision

    open_ = [judged for judged in verdict.decisions if judged.decision.value == "undecided"]
    nearest = nearest_to_decision(open_)
    if nearest is None or verdict.finding.posterior:
        return None
    of = "" if len(open_) == 1 else f", the nearest of {len(open_)} undecided pairs,"
    apart = f"tell {nearest.first} and {nearest.second}{of} apart, if the difference is as seen"
    level, n = verdict.finding.level, verdict.finding.n_blocks
    if level is Level.RESAMPLES:
        shared = _shared(scores, verdict.finding.measure.name)
        return _more_repeats(study, n, blocks_needed(verdict, nearest, shared), shared, apart, command)
    enough = blocks_needed(verdict, nearest)
    if level is Level.TASKS:
        return _more_tasks(n, enough, apart, command)
    if level is not Level.INSTANCES:
        return NextRun("Each learner has one score.", RESAMPLE, command)
    what = f"{_more_test_rows(verdict, scores, enough)} would {apart}."
    if _in_windows(scores):  # other resampling would learn from what comes after the rows that it tests on
        return NextRun(f"{what} It takes a longer series." if enough else what)
    return NextRun(f"{what} Resampling uses all rows, and speaks about the learners.", RESAMPLE, command)


def _in_windows(scores: Scores) -> bool:
    """Whether the study was split in the order of time; `scores` may be those of its splits."""
    return bool(scores.ordered) or scores.splitting.runs is Runs.WINDOWS


def _more_test_rows(verdict: Verdict, scores: Scores, enough: int | None) -> str:
    """How many of what is drawn it would take: clusters, points of a series, or rows."""
    clusters = verdict.finding.n_clusters
    noun = "clusters of test rows" if clusters else "points in time" if _in_windows(scores) else "test rows"
    few = f"About {show.count(enough)} {noun}" if enough else f"No sensible number of {noun}"
    return f"{few} (there are {show.count(clusters or verdict.finding.n_blocks)})"


def _for_design(study: Study, verdict: DesignVerdict, command: str, scores: Scores) -> list[NextRun]:
    """Of a fraction the factorial of what matters; of a surface where to look further; of others, and of a surface that
    is looked at well enough, more repeats for the effect that is next to be shown."""
    shown = [each.name for each in verdict.effects if each.p_adjusted <= verdict.alpha]
    mains = [name for name in study.design.factors if name in shown]
    if study.design.kind in ("screening", "fractional", "one-at-a-time") and mains:
        what = (
            f"{show.listing(mains)} {'matter' if len(mains) > 1 else 'matters'}; what they do together, this design "
            "mixes up or does not see."
        )
        if len(mains) < len(study.design.factors):
            what += " Leave the other factors at their best levels."
        names = ", ".join(f'"{name}"' for name in mains)
        return [NextRun(what, f'[design] kind = "factorial" with the factors {names}', command)]
    further = list(_further_on_a_surface(study, verdict, command, scores)) if verdict.surface is not None else []
    more = None if further else _for_effects(study, verdict, command, scores)
    return further if more is None else [more]


def _for_effects(study: Study, verdict: DesignVerdict, command: str, scores: Scores) -> NextRun | None:
    """More repeats, or tasks, for the effect that is nearest to a decision."""
    from bakeoff.judging.wording import enough_blocks

    known = [each for each in verdict.effects if each.p_adjusted > verdict.alpha and 0 < each.p < 1]
    if not known or verdict.level not in (None, Level.TASKS, Level.RESAMPLES):  # None: resamples, tasks are a factor
        return None
    nearest, n = min(known, key=lambda each: each.p), verdict.n_blocks
    shared = 0.0 if verdict.level is Level.TASKS else _shared(scores, verdict.measure)
    enough = enough_blocks(n, nearest.p / 2, verdict.alpha / len(verdict.effects) / 2, shared)
    apart = f"show {nearest.label}, the effect nearest to a decision, if it is as seen"
    if verdict.level is Level.TASKS:
        return _more_tasks(n, enough, apart, command)
    return _more_repeats(study, n, enough, shared, apart, command)


def _further_on_a_surface(study: Study, verdict: DesignVerdict, command: str, scores: Scores) -> Iterator[NextRun]:
    """Where a surface is to be looked at further: a search that was not over, an edge on which it is best, structure
    that no quadratic surface shows."""
    from bakeoff.study.search import next_step, responses_of, steps_of

    surface, design = verdict.surface, study.design
    assert surface is not None
    if design.kind == "response-surface":
        step, _ = next_step(responses_of(study, scores))
        if step is not None:
            budget, settings = design.options.get("budget"), len(design.settings)
            taken = steps_of(study)
            need = settings + len(step.settings)
            if budget is not None and need > int(budget):
                what = f"The search ended with its budget of {budget} settings; its next step ({step.what}) takes "
                change = f"budget = {need}"
                yield NextRun(f"{what}{show.counted(len(step.settings), 'settings')} more.", change, command)
                return
            if len(design.steps) >= taken:
                what = f"The search ended after {show.counted(taken, 'steps')}; the next would be: {step.what}."
                yield NextRun(what, f"steps = {taken + 1}", command)
                return
    edges = {name: level for name, level in surface.best.items() if _at_edge(surface.axes[name], level)}
    if edges:
        places = show.listing([f"{name} = {level:.6g}" for name, level in edges.items()])
        what = (
            f"The surface is best on the edge of its region, at {places}: a region that goes beyond it, where that "
            "makes sense, may hold more."
        )
        yield NextRun(what, f"wider low and high of {show.listing(list(edges))}", command)
    if surface.lacks_fit and design.kind != "response-surface":
        ranges = "; ".join(f"{name} {low:.4g} to {high:.4g}" for name, (low, high) in surface.half_region().items())
        what = (
            f"A quadratic surface is not enough for the whole region; half of it, around its best point, is {ranges}."
        )
        yield NextRun(what, '[design] kind = "response-surface" with that region', command)


def _at_edge(axis: Axis, level: float) -> bool:
    return abs(axis.coded(level)) > 1 - 1e-6


def _shared(scores: Scores, measure: str) -> float:
    """The ratio of test to training size, where resamples have training data in common; 0 for independent draws. Of
    several tasks the largest."""
    from bakeoff.judging.case import Case
    from bakeoff.judging.factors import overlap_of
    from bakeoff.judging.request import Request

    request = Request.of(measure=measure, level=Level.RESAMPLES.value)
    parts = [replace(scores.only(tasks=[task]), by_instance=None) for task in scores.tasks]
    return max(overlap_of(Case(part, request).layout())[0] for part in parts)


def _more_tasks(n: int, enough: int | None, apart: str, command: str) -> NextRun:
    if enough is None:
        return NextRun(f"No sensible number of tasks like these would {apart}.")
    return NextRun(f"About {enough} tasks in all would {apart}.", f"more tasks ({enough - n} [[task]])", command, True)


def _more_repeats(study: Study, n: int, enough: int | None, shared: float, apart: str, command: str) -> NextRun:
    """Repeats of resampling: more draws from a generator are more data, more resamples of the same rows are not."""
    repeats = getattr(study.resampling, "repeats", None)
    if enough is None or not isinstance(repeats, int):
        why = (
            "resamples of the same rows have training data in common. It takes more rows, or other tasks"
            if shared
            else "it is too small"
        )
        return NextRun(f"No number of repeats would {apart}: {why}.")
    wanted = max(repeats + 1, ceil(repeats * enough / n))
    return NextRun(f"About {wanted} repeats (there are {repeats}) would {apart}.", f"repeats = {wanted}", command, True)
