"""Before the run: the test that a design will get, its smallest p, its power; and a pilot of a few random splits.

What a design will get follows from the design alone, never from values. So the plan is filled with random numbers in a
store that is thrown away, and read as the real scores will be.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import isnan, nan
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
    from bakeoff.scores import Scores
    from bakeoff.store.database import Place
    from bakeoff.study.study import Study

MOST_CELLS = 20_000
WANTED = 0.8  # the power that is aimed at
FIRST_SHARE = 0.25  # of the budget, at most, for the first experiment (Alpaydın, section 19.5)


@dataclass(frozen=True, eq=False)
class Outlook(Record):
    """The procedure that the planned design will get, and what it can find. `detectable` is in sds of differences."""

    procedure: str
    because: str
    blocks: str
    learners: int
    alpha: float
    smallest_p: float = nan
    detectable: float = nan
    level: Any = None
    design: Mapping[str, Any] = field(default_factory=dict)  # what `power` is told of it

    @property
    def sentences(self) -> list[str]:
        lines = [f"The design will be judged by {self.procedure} ({self.because}), over {self.blocks}."]
        if not isnan(self.smallest_p):
            reach = "within" if self.smallest_p <= self.alpha else "out of"
            alpha = show.number(self.alpha)
            lines.append(f"Its smallest p for a pair is {show.p_value(self.smallest_p)}: α = {alpha} is {reach} reach.")
        if not isnan(self.detectable):
            lines.append(
                f"It finds a difference of {show.number(self.detectable, 3)} standard deviations of the differences "
                f"with a power of {show.number(WANTED)}; a pilot tells how much that is (bakeoff pilot)."
            )
        return lines


def imagined_scores(study: Study) -> Scores:
    """The scores of a study as they will be, with random numbers for values: nothing is run."""
    from bakeoff.running.work import Outcome, Status
    from bakeoff.store.reader import CellRecord, Reader
    from bakeoff.store.writer import Store
    from bakeoff.study.prepare import prepare
    from bakeoff.study.stored import scores_for

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
            keys, run_id = prepared.grid.keys(), store.start_run(prepared.study_id, {}, 1, 1)
            batch = []
            for cell in cells.tolist():
                learner, block, place = prepared.locate(cell)
                split = int(block.split_ids[place])
                record = CellRecord(keys[cell], prepared.learner_ids[learner], split, 0)
                values = {name: float(rng.random()) for name in study.measure_names}
                batch.append((record, Outcome(cell, Status.OK, scores=values)))
            store.write(run_id, batch)
            store.finish_run(run_id, "finished")
        analysis = study.analyses[0]
        with Reader(path) as reader:
            return scores_for(reader, study.key, analysis.measures, level=analysis.level or "resamples")


def outlook(study: Study) -> Outlook:
    """What the first planned analysis of a study will be, and what it can find, before anything is run."""
    from bakeoff.judging.advice import advise
    from bakeoff.power_analysis.power import power
    from bakeoff.procedures import procedure_named

    analysis = study.analyses[0]
    if len(study.learners) < 2 or not isinstance(analysis.measure, str):
        raise MisfitError("The outlook is about pairs of learners in one measure.")
    advice = advise(replace(imagined_scores(study), by_instance=None, doubts=()), measure=analysis.measure)
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
        return replace(made, detectable=power(name, power=WANTED, **design).difference)
    except (BakeoffError, TypeError):
        return made


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

    def to_text(self) -> str:
        state = "all learners work" if not self.failed else f"{show.listing(list(self.failed))} failed"
        parts = [show.wrapped(f"{self.cells} cells on {self.splits} random splits: {state}.")]
        rows = [
            [name, f"{seconds:.3g}", show.number(self.memory.get(name, nan) / 1e6, 3), self.failed.get(name, "")]
            for name, seconds in self.seconds.items()
        ]
        parts.append(show.text_table(["learner", "seconds a cell", "peak MB", "failed"], rows, left=1))
        quarter = self.whole * FIRST_SHARE
        parts.append(
            show.wrapped(
                f"The whole study will take about {show.number(self.whole, 2)} s on one core. Spend at most a quarter "
                f"of what you have on the first experiment: bakeoff run STUDY --budget {max(1, round(quarter))}s "
                "begins with whole random splits of all learners."
            )
        )
        parts.append(show.wrapped(self.power))
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        from dataclasses import asdict

        found: dict[str, Any] = show.to_json_value(asdict(self))
        return found


def pilot(study: Study, store: str | Place, *, splits: int = 5, workers: int = 1) -> PilotRun:
    """Run a few random splits of each of up to six tasks, all learners on each, in a store of its own."""
    from bakeoff.results.scores import scores_of
    from bakeoff.results.status import failures, progress
    from bakeoff.store.database import place_of
    from bakeoff.store.reader import Reader
    from bakeoff.study.run import run_study

    if splits < 2:
        raise UsageError(f"A pilot needs two splits at least, to see how scores vary; found {splits}.")
    path = place_of(store)
    summary = run_study(study, path, workers=workers, among=_few(study, splits))
    with Reader(path) as stored:
        state = progress(stored, study.key)
        failed = {group.learner: f"{group.status}: {group.message}"[:80] for group in failures(stored, study.key)}
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
    cells = summary.ok + summary.failed + summary.stored_before + summary.failed_before
    return PilotRun(splits, cells, failed, seconds, peaks, whole, _power(study, scores), str(path))


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


def _power(study: Study, scores: Scores) -> str:
    """The power of the whole design by the variance of the pilot, in sentences."""
    from bakeoff.power_analysis.power import power
    from bakeoff.scores import blocks

    try:
        planned = outlook(study)
        table = blocks(scores, level=planned.level, missing=Missing.DROP_BLOCK)
        gains = table.values * table.measure.sign
        first, second = np.argsort(-gains.mean(axis=0), kind="stable")[:2].tolist()
        d = gains[:, first] - gains[:, second]
        if len(d) < 3 or not d.std() > 0:
            raise MisfitError(f"{len(d)} blocks, or differences that do not vary, tell no standard deviation.")
        sd, margin = float(d.std(ddof=1)), study.analyses[0].margin
        goal: dict[str, Any] = {"power": WANTED} if margin is None else {"difference": margin}
        found = power(planned.procedure, sd=sd, **goal, **planned.design)
        names = table.learners[first], table.learners[second]
        return (
            f"{' '.join(planned.sentences[:2])} By this pilot the differences of {names[0]} and {names[1]} have a "
            f"standard deviation of {show.number(sd, 3)} over {show.counted(len(d), planned.level.value)}, which so "
            f"few tell roughly. {found.sentence}"
        )
    except (BakeoffError, TypeError) as error:
        return f"What the whole design will find cannot be told from this pilot: {error}"
