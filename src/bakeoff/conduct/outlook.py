"""Before a run: the test that a design will get, its smallest p, its power; a pilot of a few random splits; and after a
verdict, what to run next to decide what is undecided.

What a design will get follows from the design alone, never from values. So the plan is filled with random numbers in a
store that is thrown away, and read as the real scores will be.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.errors import BakeoffError, MisfitError, UsageError
from bakeoff.keys import seed_of
from bakeoff.records import Record
from bakeoff.scores import Level, Missing

if TYPE_CHECKING:
    from bakeoff.judging.design_verdict import DesignVerdict
    from bakeoff.judging.verdict import Verdict
    from bakeoff.power_analysis.answer import Power
    from bakeoff.scores import Scores
    from bakeoff.store.database import Place
    from bakeoff.study.study import Study

MOST_CELLS = 20_000
WANTED = 0.8  # the power that is aimed at
TASK = "task"
FIRST_SHARE = 0.25  # of the budget, at most, for the first experiment (Alpaydın, section 19.5)


@dataclass(frozen=True, eq=False)
class Outlook(Record):
    """The procedure that the planned design will get, and what it can find. `detectable` is in sds of differences; of a
    design of factors, in sds of an effect from block to block, with α shared by its `effects`."""

    procedure: str
    because: str
    blocks: str
    learners: int
    alpha: float
    smallest_p: float = nan
    detectable: float = nan
    level: Any = None
    design: Mapping[str, Any] = field(default_factory=dict)  # what `power` is told of it
    effects: int = 0

    @property
    def sentences(self) -> list[str]:
        if self.effects:
            return self._about_effects()
        lines = [f"The design will be judged by {self.procedure} ({self.because}), over {self.blocks}."]
        if not isnan(self.smallest_p):
            reach = "within" if self.smallest_p <= self.alpha else "out of"
            alpha = show.number(self.alpha)
            lines.append(f"Its smallest p for a pair is {show.p_value(self.smallest_p)}: α = {alpha} is {reach} reach.")
        if not isnan(self.detectable):
            lines.append(
                f"It finds a difference of about {show.number(self.detectable, 2)} standard deviations of the "
                f"differences with a power of {show.number(WANTED)}; a pilot tells how much that is (bakeoff pilot)."
            )
        return lines

    def _about_effects(self) -> list[str]:
        each = f"Each of the {self.effects} effects" if self.effects > 1 else "The effect"
        lines = [f"{each} will be held against its own variation over {self.blocks} by {self.procedure}{self.because}."]
        if not isnan(self.detectable):
            lines.append(
                f"An effect between two levels of {show.number(self.detectable, 3)} standard deviations, from block to "
                f"block, is found with a power of {show.number(WANTED)}"
                + (f", α = {show.number(self.alpha)} being shared by all effects (Holm)." if self.effects > 1 else ".")
            )
        return lines

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"procedure": self.procedure, "because": self.because, "blocks": self.blocks}
        plain |= {"learners": self.learners, "alpha": self.alpha, "smallest_p": self.smallest_p}
        plain |= {"detectable": self.detectable, "effects": self.effects, "sentences": self.sentences}
        found: dict[str, Any] = show.to_json_value(plain)
        return found


def imagined_scores(study: Study) -> Scores:
    """The scores of a study as they will be, with random numbers for values: nothing is run."""
    from bakeoff.results.scores import scores_of
    from bakeoff.running.work import Outcome, Status
    from bakeoff.store.reader import CellRecord, Reader
    from bakeoff.store.writer import Store
    from bakeoff.study.prepare import prepare

    if any(task.runs_code and not task.loaded for task in study.tasks):
        raise MisfitError("Some data are made by code, which only a run executes: what the design will get is open.")
    rng = np.random.Generator(np.random.PCG64(0))
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as folder:
        path = Path(folder) / "imagined.sqlite"
        with Store.open(path) as store:
            prepared = prepare(study, store)
            cells = np.flatnonzero(prepared.grid.in_study())
            if len(cells) > MOST_CELLS:
                raise MisfitError(f"The design has {show.count(len(cells))} cells: too many to imagine.")
            run_id = store.start_run(prepared.study_id, {}, 1, 1)
            batch = []
            for cell in cells.tolist():
                learner, block, place = prepared.locate(cell)
                split = int(block.split_ids[place])
                record = CellRecord(prepared.key_of(cell), prepared.learner_ids[learner], split, 0)
                values = {name: float(rng.random()) for name in study.measure_names}
                batch.append((record, Outcome(cell, Status.OK, scores=values)))
            store.write(run_id, batch)
            store.finish_run(run_id, "finished")
        analysis = study.analyses[0]
        with Reader(path) as reader:
            scores = scores_of(reader, study.key, analysis.measures)
    scores = replace(scores, source=f"study {study.name}, not run yet", doubts=())
    return _imagined_rows(scores, rng) if _by_rows(study, scores) else scores


def _by_rows(study: Study, scores: Scores) -> bool:
    """Whether the rows of a test sample will be compared: where there is one split, or each row is one."""
    analysis = study.analyses[0]
    if analysis.level is not None or len(analysis.measures) > 1 or len(scores.tasks) > 1 or scores.independent:
        return False
    response = next(each for each in study.measures if each.name == analysis.measures[0])
    one = len(scores) == len(scores.learners) or bool((scores.n_test == 1).all())
    return one and response.pointwise is not None


def _imagined_rows(scores: Scores, rng: np.random.Generator) -> Scores:
    """The same, with a loss for each test row: right or wrong, where the measure counts that."""
    from bakeoff.scores import Scores as Table

    names = scores.learners
    n = int(scores.n_test[:: len(names)].sum())
    ((name, measure),) = scores.measures.items()
    counts = measure.lower == 0 and measure.upper == 1
    values = rng.integers(0, 2, n * len(names)).astype(float) if counts else rng.random(n * len(names))
    return Table.of(
        values,
        learner=[each for each in names for _ in range(n)],
        measures={name: measure},
        task=[scores.tasks[0]] * (n * len(names)),
        instance=list(range(n)) * len(names),
        source=scores.source,
    )


def outlook(study: Study) -> Outlook:
    """What the first planned analysis of a study will be, and what it can find, before anything is run."""
    from bakeoff.judging.advice import advise
    from bakeoff.power_analysis.power import power
    from bakeoff.procedures import procedure_named

    analysis = study.analyses[0]
    if study.design is not None:
        return _of_effects(study)
    if len(study.learners) < 2 or not isinstance(analysis.measure, str):
        raise MisfitError("The outlook is about pairs of learners in one measure.")
    advice = advise(imagined_scores(study), measure=analysis.measure)
    name = analysis.procedure or advice.recommended
    if not name:
        raise MisfitError(
            "No procedure fits this design: each learner would have a single score, from which nothing follows."
        )
    card, layout = procedure_named(name).card, advice.layout
    least = card.least_p(layout)
    blocks = show.counted(layout.n_blocks, layout.level.value)
    because = "planned" if analysis.procedure else advice.because
    design: dict[str, Any] = {
        "n": card.counted(layout), "learners": layout.n_learners, "alpha": analysis.alpha, "replications": 200
    }  # fmt: skip
    if layout.level is Level.RESAMPLES and layout.folds > 1:
        design["folds"] = layout.folds
    least_p = nan if least is None else least
    made = Outlook(name, because, blocks, layout.n_learners, analysis.alpha, least_p, nan, layout.level, design)
    try:
        # Two digits are shown, which half of the replications tell: a plan is waited for.
        return replace(made, detectable=power(name, power=WANTED, **{**design, "replications": 100}).difference)
    except (BakeoffError, TypeError):
        return made


def _of_effects(study: Study) -> Outlook:
    """What the effects of a design will be held against: as an effect between two levels, a t over blocks."""
    from scipy.optimize import brentq

    from bakeoff.judging.case import Case
    from bakeoff.judging.factors import overlap_of
    from bakeoff.judging.request import Request
    from bakeoff.mathematics.laws import noncentral_t_sf, t_quantile

    analysis, design = study.analyses[0], study.design
    layout = Case(imagined_scores(study), Request.of(measure=analysis.measures[0])).layout()
    n, (ratio, how, _) = layout.n_blocks, overlap_of(layout)
    blocks, law = show.counted(n, layout.level.value), "F" if not design.is_surface else "a quadratic surface and F"
    if layout.level is Level.SINGLE or n < 2:
        raise MisfitError("Each setting has one score: effects can be held against each other only (Lenth).")
    effects = len(design.visible.effects) if not design.is_surface else 1
    effects *= 2 if TASK in design.factors and len(study.tasks) > 1 else 1
    made = Outlook(law, how, blocks, len(study.learners), analysis.alpha, level=layout.level, effects=max(1, effects))
    if design.is_surface or TASK in design.factors:
        return made
    critical = t_quantile(1 - analysis.alpha / effects / 2, n - 1)
    least = float(brentq(lambda d: noncentral_t_sf(critical, n - 1, d / (1 / n + ratio) ** 0.5) - WANTED, 0, 1e3))
    return replace(made, detectable=least)


# ----------------------------------------------------------------------------------------------------------------------
# The pilot.


@dataclass(frozen=True, eq=False)
class PilotRun(Record):
    """A few random splits: whether all learners work, what the whole will take, and what it will find."""

    splits: int
    cells: int
    failed: dict[str, str]
    seconds: dict[str, float]  # a cell, by learner
    memory: dict[str, float]  # bytes at most, by learner
    whole: float  # seconds of the whole study on one core
    power: str
    store: str
    spent: float = nan  # seconds of work
    left: int = 0  # cells that the budget did not reach

    def to_text(self) -> str:
        state = "all learners work" if not self.failed else f"{show.listing(list(self.failed))} failed"
        over = f", {show.count(self.left)} were left when the budget was spent" if self.left else ""
        parts = [show.wrapped(f"{self.cells} cells on {self.splits} random splits{over}: {state}.")]
        rows = [
            [name, "" if isnan(seconds) else f"{seconds:.3g}", _megabytes(self.memory.get(name, nan))]
            for name, seconds in self.seconds.items()
        ]
        parts.append(show.text_table(["learner", "seconds a cell", "peak MB"], rows, left=1))
        parts += [show.wrapped(f"{name} failed: {reason}", indent="  ") for name, reason in self.failed.items()]
        parts += [show.wrapped(self.about_time), show.wrapped(self.power)]
        return "\n\n".join(parts)

    @property
    def about_time(self) -> str:
        """What the whole study will take, and how much of that a first experiment may."""
        quarter = max(1, round(self.whole * FIRST_SHARE))
        text = f"The whole study will take about {show.number(self.whole, 2)} s on one core. "
        if self.spent > self.whole * FIRST_SHARE:
            text += (
                f"This pilot took {show.number(self.spent, 2)} s, more than a quarter of that: run the study, or take "
                "fewer --splits or a smaller --budget next time. "
            )
        return text + (
            f"Spend at most a quarter of what you have on the first experiment: bakeoff run STUDY --budget {quarter}s "
            "begins with whole random splits of all learners."
        )

    def to_dict(self) -> dict[str, Any]:
        from dataclasses import asdict

        found: dict[str, Any] = show.to_json_value(asdict(self))
        return found


def _megabytes(size: float) -> str:
    return "" if isnan(size) else show.number(size / 1e6, 3)


def pilot(
    study: Study, store: str | Place, *, splits: int = 5, workers: int = 1, budget: float | None = None
) -> PilotRun:
    """Run a few random splits of each of up to six tasks, all learners on each, in a store of its own; as many of them
    as a `budget` of seconds allows."""
    from bakeoff.results.scores import scores_of
    from bakeoff.results.status import failures, progress
    from bakeoff.store.database import place_of
    from bakeoff.store.reader import Reader
    from bakeoff.study.run import run_study

    if splits < 2:
        raise UsageError(f"A pilot needs two splits at least, to see how scores vary; found {splits}.")
    path = place_of(store)
    summary = run_study(study, path, workers=workers, budget=budget, among=_few(study, splits))
    with Reader(path) as stored:
        state = progress(stored, study.key)
        failed = {group.learner: f"{group.status}: {group.message}" for group in failures(stored, study.key)}
        seconds = {
            name: float(np.nanmean([part.seconds for part in state.parts if part.learner == name] or [nan]))
            for name in (learner.name for learner in study.learners)
        }
        scores = scores_of(stored, study.key, [study.measure_names[0]])
        memory = scores_of(stored, study.key, ["peak_memory"])
    peaks = {
        name: float(np.nanmax(memory.value[memory.learner.codes == i], initial=0.0))
        for i, name in enumerate(memory.learners)
    }
    whole = float(
        sum(part.cells * (seconds[part.learner] if not isnan(seconds[part.learner]) else 0.0) for part in state.parts)
    )
    done = [part.ok + sum(part.failed.values()) for part in state.parts]
    spent = float(sum(n * part.seconds for n, part in zip(done, state.parts, strict=True) if not isnan(part.seconds)))
    cells = summary.ok + summary.failed + summary.stored_before + summary.failed_before
    power = _power(study, scores)
    return PilotRun(splits, cells, failed, seconds, peaks, whole, power, str(path), spent, summary.left)


def _few(study: Study, splits: int) -> Callable[[Any, Any], NDArray[np.bool_]]:
    def among(prepared: Any, store: Any) -> NDArray[np.bool_]:
        rng = np.random.Generator(np.random.PCG64(seed_of("pilot", study.key)))
        blocks = prepared.grid.blocks
        tasks = set(rng.permutation(len(blocks))[:6].tolist())
        rows = []
        for number, block in enumerate(blocks):
            wanted = rng.permutation(len(block.split_ids))[:splits] if number in tasks else np.zeros(0, dtype=np.int64)
            rows.append(np.isin(np.arange(len(block.split_ids)), wanted))
        return np.repeat(np.concatenate(rows), len(prepared.grid.learner_keys))

    return among


@dataclass(frozen=True)
class PilotSpread:
    """How the differences of the two best learners of a pilot vary from block to block."""

    first: str
    second: str
    sd: float
    blocks: str

    @property
    def sentence(self) -> str:
        return (
            f"By the pilot the differences of {self.first} and {self.second} have a standard deviation of "
            f"{show.number(self.sd, 3)} over {self.blocks}, which so few tell roughly."
        )


def spread_of(planned: Outlook, scores: Scores) -> PilotSpread:
    """The spread of the differences in the scores of a pilot, at the level that the design will be judged at."""
    from bakeoff.scores import blocks

    level = Level.RESAMPLES if planned.level is Level.INSTANCES else planned.level
    table = blocks(replace(scores, by_instance=None), level=level, missing=Missing.DROP_BLOCK)
    gains = table.values * table.measure.sign
    first, second = np.argsort(-gains.mean(axis=0), kind="stable")[:2].tolist()
    d = gains[:, first] - gains[:, second]
    if len(d) < 3 or not d.std() > 0:
        raise MisfitError(f"{len(d)} blocks, or differences that do not vary, tell no standard deviation.")
    over = show.counted(len(d), level.value)
    return PilotSpread(table.learners[first], table.learners[second], float(d.std(ddof=1)), over)


def _power(study: Study, scores: Scores) -> str:
    """The power of the whole design by the variance of the pilot, in sentences."""
    try:
        planned = outlook(study)
        if planned.effects:
            return " ".join(planned.sentences)
        spread, margin = spread_of(planned, scores), study.analyses[0].margin
        goal: dict[str, Any] = {"power": WANTED} if margin is None else {"difference": margin}
        found = power_ahead(planned, sd=spread.sd, **goal)
        return f"{' '.join(planned.sentences[:2])} {spread.sentence} {found.sentence}"
    except (BakeoffError, TypeError) as error:
        return f"What the whole design will find cannot be told from this pilot: {error}"


def power_ahead(planned: Outlook, test: str | None = None, **request: Any) -> Power:
    """The power of a design that was not run: of the test that it will get, or of one that is named."""
    from bakeoff.power_analysis.power import power

    return power(test or planned.procedure, **{**planned.design, **request})


# ----------------------------------------------------------------------------------------------------------------------
# What to run next.


RESAMPLE = 'resampling = { scheme = "cross-validation", repeats = 10 }'
SECOND_LOOK = (
    "A verdict after that is a second look, which errs more often than α says: halve α, or, where blocks are "
    "independent draws or tasks, plan such looks with bakeoff run --until-decided."
)


@dataclass(frozen=True)
class NextRun:
    """What would decide something that is undecided: a sentence, the change of the study file, and the command."""

    what: str
    change: str = ""
    command: str = ""

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
        made = _for_pairs(study, verdict, command, scores)
    else:
        made = _for_effects(study, verdict, command, scores)
    if made is None:
        return []
    return [made, NextRun(SECOND_LOOK)] if made.change.startswith(("repeats", "more")) else [made]


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
        if enough is None:
            return NextRun(f"No sensible number of tasks like these would {apart}.")
        return NextRun(f"About {enough} tasks in all would {apart}.", f"more tasks ({enough - n} [[task]])", command)
    rows = f"about {show.count(enough)} test rows" if enough else "no sensible number of test rows"
    what = (
        f"{rows[0].upper()}{rows[1:]} (there are {show.count(n)}) would {apart}. Resampling uses all rows, and speaks "
        "about the learners."
    )
    return NextRun(what if level is Level.INSTANCES else "Each learner has one score.", RESAMPLE, command)


def _for_effects(study: Study, verdict: DesignVerdict, command: str, scores: Scores) -> NextRun | None:
    """Of a fraction the factorial of what matters; of others more repeats, for the effect that is next to be shown."""
    from bakeoff.judging.wording import enough_blocks

    shown = [each.name for each in verdict.effects if each.p_adjusted <= verdict.alpha]
    mains = [name for name in study.design.factors if name in shown]
    if study.design.kind in ("screening", "fractional", "one-at-a-time") and mains:
        what = (
            f"{show.listing(mains)} {'matter' if len(mains) > 1 else 'matters'}; what they do together, this design "
            "mixes up or does not see. Leave the other factors at their best levels."
        )
        names = ", ".join(f'"{name}"' for name in mains)
        return NextRun(what, f'[design] kind = "factorial" with the factors {names}', command)
    known = [each for each in verdict.effects if each.p_adjusted > verdict.alpha and 0 < each.p < 1]
    if not known or verdict.level is None:
        return None
    nearest, shared = min(known, key=lambda each: each.p), _shared(scores, verdict.measure)
    n = verdict.n_blocks
    enough = enough_blocks(n, nearest.p / 2, verdict.alpha / len(verdict.effects) / 2, shared)
    apart = f"show {nearest.label}, the effect nearest to a decision, if it is as seen"
    if verdict.level is Level.TASKS:
        if enough is None:
            return NextRun(f"No sensible number of tasks like these would {apart}.")
        return NextRun(f"About {enough} tasks in all would {apart}.", f"more tasks ({enough - n} [[task]])", command)
    return _more_repeats(study, n, enough, shared, apart, command) if verdict.level is Level.RESAMPLES else None


def _shared(scores: Scores, measure: str) -> float:
    """The ratio of test to training size, where resamples have training data in common; 0 for independent draws."""
    from bakeoff.judging.case import Case
    from bakeoff.judging.factors import overlap_of
    from bakeoff.judging.request import Request

    return overlap_of(Case(replace(scores, by_instance=None), Request.of(measure=measure)).layout())[0]


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
    return NextRun(f"About {wanted} repeats (there are {repeats}) would {apart}.", f"repeats = {wanted}", command)
