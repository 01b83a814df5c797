"""Before a run: the test that a design will get, its smallest p, its power; a pilot of a few random splits.

What a design will get follows from the design alone, never from values. So the plan is filled with random numbers in a
store that is thrown away, and read as the real scores will be.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import isnan, nan, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.designs.effects import TIMES
from bakeoff.errors import BakeoffError, MisfitError, UsageError
from bakeoff.keys import seed_of
from bakeoff.power_analysis.formulas import power_block_effect
from bakeoff.records import Record
from bakeoff.scores import Level, Missing
from bakeoff.scores.design import Runs

if TYPE_CHECKING:
    from bakeoff.power_analysis.answer import Power
    from bakeoff.scores import Scores
    from bakeoff.store.database import Place
    from bakeoff.store.reader import Reader
    from bakeoff.study.study import Study

MOST_CELLS = 20_000
MOST_BLOCKS = 100_000
MOST_TASKS = 6  # of a pilot
WANTED = 0.8  # the power that is aimed at
BY_PILOT = "By the standard deviations that the effects had in the pilot, which so few blocks tell roughly."
FIRST_SHARE = 0.25  # of the budget, at most, for the first experiment (Alpaydın, section 19.5)


@dataclass(frozen=True, eq=False)
class Outlook(Record):
    """The procedure that the planned design will get, and what it can find. `detectable` is in sds of differences; of a
    design of factors, of which `each` effect has its share of α, the largest of what it takes to see a factor, in sds
    of scores beside their block and setting."""

    procedure: str
    because: str
    blocks: str
    learners: int
    alpha: float
    smallest_p: float = nan
    detectable: float = nan
    level: Any = None
    design: Mapping[str, Any] = field(default_factory=dict)  # what `power` is told of it
    each: tuple[EffectAhead, ...] = ()

    @property
    def effects(self) -> int:
        return len(self.each)

    @property
    def level_of_each(self) -> float:
        """The level at which Holm's method tests the first effect: those that follow have more."""
        return self.alpha / max(1, self.effects)

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
        sentences = [_found_by(self, together) for together in (False, True)]
        parts = [f"{words} of {much}" for words, much in zip(_APART, sentences, strict=True) if much]
        if parts:
            lines.append(
                f"With a power of {show.number(WANTED)} it finds {'; '.join(parts)}, in standard deviations of what is "
                "left of scores beside block and setting; a pilot tells how much that is (bakeoff pilot)"
                + (f". α = {show.number(self.alpha)} is shared by all effects (Holm)." if self.effects > 1 else ".")
            )
        return lines

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"procedure": self.procedure, "because": self.because, "blocks": self.blocks}
        plain |= {"learners": self.learners, "alpha": self.alpha, "smallest_p": self.smallest_p}
        plain |= {"detectable": self.detectable, "effects": self.effects, "sentences": self.sentences}
        plain["each"] = {each.name: each.detectable(WANTED, self.level_of_each) for each in self.each}
        fields: dict[str, Any] = show.to_json_value(plain)
        return fields


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
            return _imagined_rows(study, scores, reader, rng) if _by_rows(study, scores) else scores


def _by_rows(study: Study, scores: Scores) -> bool:
    """Whether test rows will be compared: where there is one split, or each row is one, or they are a series."""
    analysis = study.analyses[0]
    if analysis.level is not None or len(analysis.measures) > 1 or len(scores.tasks) > 1 or scores.independent:
        return False
    response = next(each for each in study.measures if each.name == analysis.measures[0])
    one = len(scores) == len(scores.learners) or bool((scores.n_test == 1).all())
    return (one or scores.splitting.runs is Runs.WINDOWS) and response.pointwise is not None


def _imagined_rows(study: Study, scores: Scores, store: Reader, rng: np.random.Generator) -> Scores:
    """The same, with a loss for each test row, right or wrong where the measure counts that; rows in their units, and
    in the order of time where they are a series."""
    from bakeoff.results.grid import study_grid
    from bakeoff.results.instances import in_units, units_of
    from bakeoff.scores import Scores as Table

    ((name, measure),) = scores.measures.items()
    (task,) = study_grid(store, study.key).tasks
    rows = np.concatenate([test for _, test in store.rows_of_splits(task.index.ids.tolist()).values()])
    n, names = len(rows), scores.learners
    counts = measure.lower == 0 and measure.upper == 1
    values = rng.integers(0, 2, n * len(names)).astype(float) if counts else rng.random(n * len(names))
    losses = Table.of(
        values,
        learner=[each for each in names for _ in range(n)],
        measures={name: measure},
        task=[scores.tasks[0]] * (n * len(names)),
        instance=(rows + 1).tolist() * len(names),
        source=scores.source,
    )
    ordered = "row" if scores.splitting.runs is Runs.WINDOWS else ""
    return in_units(replace(losses, ordered=ordered), units_of(store, study.key))


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
    result = Outlook(name, because, blocks, layout.n_learners, analysis.alpha, least_p, nan, layout.level, design)
    try:
        # Two digits are shown, which half of the replications tell: a plan is waited for.
        return replace(result, detectable=power(name, power=WANTED, **{**design, "replications": 100}).difference)
    except (BakeoffError, TypeError):
        return result


# ----------------------------------------------------------------------------------------------------------------------
# The effects of a design.


_APART = ("a difference between two levels", "of factors together, one between two such differences")
_FEW = 4  # effects that a sentence names


@dataclass(frozen=True)
class EffectAhead:
    """An effect that a design will test: how many contrasts it has, how much of two levels that are apart by one they
    catch (`reach`), over how many blocks of each task, and by which ratio of overlapping training sets it is corrected.
    `across` is how it differs between tasks that are themselves a factor. `sd` is that of what is left of a score
    beside its block and setting, as this effect sees it: one, where no pilot tells it."""

    name: str
    df: int
    reach: float
    blocks: tuple[int, ...]
    ratios: tuple[float, ...]
    across: bool = False
    sd: float = 1.0
    factors: tuple[str, ...] = ()

    @property
    def together(self) -> bool:
        """Whether it is one of several factors."""
        return self.across or len(self.factors) > 1

    def power(self, difference: float, level: float, blocks: int | None = None) -> float:
        """How likely a difference is to be found, with as many blocks of each task as there are, or as are given."""
        n = np.array(self.blocks if blocks is None else [blocks] * len(self.blocks), dtype=float)
        tasks, varies = len(n), 1 / n + np.array(self.ratios)
        if self.sd <= 0:
            return 1.0 if difference else level
        if self.across:  # in one task the difference is larger by a half, in another smaller
            weights, apart = 1 / varies, np.array([0.5, -0.5] + [0.0] * (tasks - 2))
            per_unit = float(weights @ (apart - weights @ apart / weights.sum()) ** 2)
        else:
            per_unit = tasks**2 / float(varies.sum())
        shift = (difference / self.sd) ** 2 * self.reach * per_unit
        between = tasks - 1 if self.across else 1
        return power_block_effect(shift, self.df, int((n - 1).sum()), between=between, alpha=level)

    def detectable(self, power: float, level: float) -> float:
        """The least difference that is found with a power."""
        from scipy.optimize import brentq

        high = self.sd or 1.0
        while self.power(high, level) < power:
            high *= 2
            if high > 1e9 * (self.sd or 1.0):
                return nan
        return float(brentq(lambda d: self.power(d, level) - power, 0, high)) if self.sd > 0 else 0.0

    def blocks_for(self, difference: float, power: float, level: float) -> int | None:
        """How many blocks of each task find a difference with a power; None where no sensible number does."""
        low, high = 1, 2
        while self.power(difference, level, high) < power:
            low, high = high, 2 * high
            if high > MOST_BLOCKS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.power(difference, level, middle) >= power else (middle, high)
        return high


def _found_by(planned: Outlook, together: bool) -> str:
    """What is found of single factors, or of several `together`: a number, one for each effect, or their range."""
    powers = {
        each.name: show.number(value, 3)
        for each in planned.each
        if each.together is together and not isnan(value := each.detectable(WANTED, planned.level_of_each))
    }
    if len(set(powers.values())) <= 1:
        return next(iter(powers.values()), "")
    if len(powers) <= _FEW:
        return ", ".join(f"{value} ({name})" for name, value in powers.items())
    ends = sorted(powers.values(), key=float)
    return f"{ends[0]} to {ends[-1]}"


def _of_effects(study: Study) -> Outlook:
    """What the effects of a design will be held against, and what they can show."""
    from bakeoff.judging.case import Case
    from bakeoff.judging.designed import TASK, patterns_apart_by_one, setting_tables, visible_effects
    from bakeoff.judging.request import Request

    analysis, design = study.analyses[0], study.design
    case = Case(imagined_scores(study), Request.of(measure=analysis.measures[0]))
    described, settings, level = design.describe(), design.settings, case.layout().level
    tables, how, _ = setting_tables(case, list(settings), design.has_task)
    n = tuple(len(table.values) for table in tables)
    if level is Level.SINGLE or min(n) < 2:
        raise MisfitError("Each setting has one score: effects can be held against each other only (Lenth).")
    blocks = show.counted(n[0], level.value)
    if len(tables) > 1:
        blocks = f"{show.counted(sum(n), Level.RESAMPLES.value)} of {len(tables)} tasks"
    visible = visible_effects(described, settings)
    patterns, each = patterns_apart_by_one(described, settings, visible), []
    for effect, pattern in zip(visible, patterns, strict=True):
        ratios = tuple(table.ratio for table in tables)
        one = EffectAhead(effect.name, effect.df, effect.reach(pattern), n, ratios, factors=effect.factors)
        each += [one, *([replace(one, name=f"{one.name}{TIMES}{TASK}", across=True)] if len(tables) > 1 else [])]
    law = "F" if not design.is_surface else "a quadratic surface and F"
    result = Outlook(law, how, blocks, len(study.learners), analysis.alpha, level=level, each=tuple(each))
    seen = [one.detectable(WANTED, result.level_of_each) for one in each if not one.together]
    return replace(result, detectable=max(seen, default=nan))


def with_pilot(planned: Outlook, study: Study, scores: Scores) -> Outlook:
    """The outlook of a design by the scores of its pilot: each effect with the standard deviation that it showed."""
    from bakeoff.judging.case import Case
    from bakeoff.judging.designed import setting_tables, visible_effects
    from bakeoff.judging.request import Request

    request = Request.of(measure=study.analyses[0].measures[0], missing=Missing.DROP_BLOCK.value)
    case = Case(replace(scores, by_instance=None), request)
    settings = study.design.settings
    tables, _, _ = setting_tables(case, list(settings), study.design.has_task)
    n = [len(table.values) for table in tables]
    if sum(n) - len(n) < 2:
        raise MisfitError(f"{show.counted(sum(n), 'blocks')} of a pilot tell no standard deviation: run more --splits.")
    spread = {}
    for effect in visible_effects(study.design.describe(), settings):
        centred = [z - z.mean(axis=0) for z in (table.values @ effect.weights for table in tables)]
        squares = sum(float((z**2).sum()) for z in centred)
        spread[effect.factors] = sqrt(squares / effect.df / (sum(n) - len(n)))
    each = tuple(replace(one, sd=spread[one.factors]) for one in planned.each)
    return replace(planned, each=each, detectable=nan)


@dataclass(frozen=True)
class EffectPower:
    """A difference that an effect shows with a power over some blocks of each task; None where no number is enough."""

    effect: str
    sd: float
    difference: float
    power: float
    blocks: int | None


@dataclass(frozen=True, eq=False)
class EffectPowers(Record):
    """What each effect of a planned design is likely to show: the least difference that is found with a `power`, or
    the power of a `difference` that was asked for; with both, how many blocks of each task that takes."""

    rows: tuple[EffectPower, ...]
    difference: str  # as it was asked for, else empty
    power: float | None
    by: str

    @property
    def answer(self) -> str:
        """What was asked for."""
        return "difference" if not self.difference else "power" if self.power is None else "blocks"

    def to_text(self) -> str:
        cells = [[row.effect, show.number(row.sd, 3), self._shown(row)] for row in self.rows]
        return f"{show.wrapped(self.sentence)}\n\n{show.text_table(['effect', 'sd', self.answer], cells, most=60)}"

    @property
    def in_words(self) -> str:
        """The same without a table."""
        return f"{self.sentence} {show.listing([f'{row.effect}: {self._shown(row)}' for row in self.rows], 12)}."

    def _shown(self, row: EffectPower) -> str:
        value = getattr(row, self.answer)
        return "none is enough" if value is None else show.number(value, 3)

    @property
    def sentence(self) -> str:
        power = "" if self.power is None else f"with a power of {show.number(self.power)}"
        question = {
            "difference": f"The least difference that is found {power}",
            "power": f"How likely a difference of {self.difference} is to be found",
            "blocks": f"How many blocks of each task find a difference of {self.difference} {power}",
        }[self.answer]
        return (
            f"{question}: between two levels of a factor, or the ends of its range, whatever is between them lying in "
            f"the middle; of several factors, between two such differences. {self.by}"
        ).strip()

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = show.to_json_value({"effects": self.rows, "sentence": self.sentence})
        return fields


def effect_powers(
    planned: Outlook,
    *,
    difference: float | str | None = None,
    power: float | None = None,
    sd: float | None = None,
    n: int | None = None,
    by: str = "",
) -> EffectPowers:
    """The power of each effect of a planned design. `sd` is for all effects alike, `n` blocks of each task; a
    difference is in the unit of the measure, or "0.5sd"."""
    from bakeoff.power_analysis.power import read_difference

    level = planned.level_of_each
    if difference is None and power is None:
        power = WANTED
    apart, in_sds = (None, False) if difference is None else read_difference(difference)
    if apart is not None and not in_sds and sd is None and all(each.sd == 1 for each in planned.each):
        raise UsageError(
            f"Whether a difference of {show.number(apart)} is large depends on how much scores vary: run a pilot "
            f"(bakeoff pilot), say their sd beside block and setting (--sd 0.05), or --difference {apart:g}sd."
        )
    if sd is not None and not sd > 0:
        raise UsageError(f"sd, how much scores vary beside block and setting, is a positive number; found {sd:g}.")
    if power is not None and not level < power < 1:
        raise UsageError(f"A power lies between α, {show.number(level)} for each effect, and 1; found {power:g}.")
    if n is not None and n < 2:
        raise UsageError(f"Effects are held against their variation over two blocks or more; found {n}.")
    if n is not None and apart is not None and power is not None:
        raise UsageError("Of --n, --difference and --power two may be given: the third is what is found out.")
    rows = []
    for each in planned.each:
        one = each if sd is None else replace(each, sd=sd)
        one = one if n is None else replace(one, blocks=(n,) * len(one.blocks))
        wanted = nan if apart is None else apart * (one.sd if in_sds else 1.0)
        if apart is None:
            assert power is not None
            rows.append(EffectPower(one.name, one.sd, one.detectable(power, level), power, min(one.blocks)))
        elif power is None:
            rows.append(EffectPower(one.name, one.sd, wanted, one.power(wanted, level), min(one.blocks)))
        else:
            rows.append(EffectPower(one.name, one.sd, wanted, power, one.blocks_for(wanted, power, level)))
    words = "" if apart is None else f"{show.number(apart)}{' sd' if in_sds else ''}"
    return EffectPowers(tuple(rows), words, power, by)


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
    tasks: int = 1

    def to_text(self) -> str:
        state = "all learners work" if not self.failed else f"{show.listing(list(self.failed))} failed"
        over = f", {show.count(self.left)} were left when the budget was spent" if self.left else ""
        of = f" of each of {self.tasks} tasks" if self.tasks > 1 else ""
        parts = [show.wrapped(f"{self.cells} cells on {self.splits} random splits{of}{over}: {state}.")]
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

        fields: dict[str, Any] = show.to_json_value(asdict(self))
        return fields


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
        known = [part for part in state.parts if not isnan(part.seconds)]
        seconds = {
            name: float(np.mean([part.seconds for part in known if part.learner == name] or [nan]))
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
    return PilotRun(
        splits,
        cells,
        failed,
        seconds,
        peaks,
        whole,
        power,
        str(path),
        spent,
        summary.left,
        min(len(study.tasks), MOST_TASKS),
    )


def _few(study: Study, splits: int) -> Callable[[Any, Any], NDArray[np.bool_]]:
    def among(prepared: Any, store: Any) -> NDArray[np.bool_]:
        rng = np.random.Generator(np.random.PCG64(seed_of("pilot", study.key)))
        blocks = prepared.grid.blocks
        tasks = set(rng.permutation(len(blocks))[:MOST_TASKS].tolist())
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
    if gains.shape[1] < 2:
        raise MisfitError("It has scores of one learner alone, and so no differences.")
    first, second = np.argsort(-gains.mean(axis=0), kind="stable")[:2].tolist()
    d = gains[:, first] - gains[:, second]
    if len(d) < 3 or not d.std() > 0:
        raise MisfitError(f"{len(d)} blocks, or differences that do not vary, tell no standard deviation.")
    over = show.counted(len(d), level.value)
    return PilotSpread(table.learners[first], table.learners[second], float(d.std(ddof=1)), over)


def _power(study: Study, scores: Scores) -> str:
    """The power of the whole design by the variance of the pilot, in sentences."""
    try:
        planned, margin = outlook(study), study.analyses[0].margin
        goal: dict[str, Any] = {"power": WANTED} if margin is None else {"difference": margin}
        if planned.effects:
            found_of_each = effect_powers(with_pilot(planned, study, scores), by=BY_PILOT, **goal)
            return f"{planned.sentences[0]} {found_of_each.in_words}"
        spread = spread_of(planned, scores)
        answer = power_ahead(planned, sd=spread.sd, **goal)
        return f"{' '.join(planned.sentences[:2])} {spread.sentence} {answer.sentence}"
    except (BakeoffError, TypeError) as error:
        return f"What the whole design will find cannot be told from this pilot: {error}"


def power_ahead(planned: Outlook, test: str | None = None, **request: Any) -> Power:
    """The power of a design that was not run: of the test that it will get, or of one that is named."""
    from bakeoff.power_analysis.power import power

    return power(test or planned.procedure, **{**planned.design, **request})
