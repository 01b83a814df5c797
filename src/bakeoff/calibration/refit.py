"""Experiments by fitting: the user's learners, task and resampling, carried out again and again as one large study.

A data set is resampled anew for each experiment; of a task that is drawn, each experiment has fresh samples. The study
is kept in a store like any other, so that what is finished is kept when a run is stopped, and more replications can be
added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.calibration.designs import (
    ONE_TEST_SAMPLE,
    Array,
    Experiments,
    RowByRow,
    check_memory,
    checked_replications,
    checked_seed,
    difference_of,
    fits_memory,
    with_difference,
)
from bakeoff.errors import BakeoffError, DegenerateError, MisfitError, UsageError
from bakeoff.keys import seed_of
from bakeoff.learners.learner import Learner
from bakeoff.measures import Measure
from bakeoff.measures.response import Response
from bakeoff.resampling.cross_validation import CrossValidation, FiveByTwo
from bakeoff.results.grid import StoredPrediction, resolve_measures, study_grid, task_predictions, truth
from bakeoff.scores import Labels, Layout, Level, Scores, blocks
from bakeoff.scores import layout as read_layout
from bakeoff.scores.blocks import grid
from bakeoff.store.reader import Reader
from bakeoff.study.progress import Bars
from bakeoff.study.run import run_study
from bakeoff.study.study import Study, is_independent
from bakeoff.tasks.simulated import SimulatedSource
from bakeoff.tasks.task import Task
from bakeoff.text import count

# ----------------------------------------------------------------------------------------------------------------------
# The same thing once more, with chances of its own: a learner, or a task that is drawn.


@dataclass(frozen=True)
class Copy(Learner):
    """A learner under another key, from which the seeds of its fits are made; in all else it is what it was."""

    copy: int = 2

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "copy": self.copy}


def copy_of(learner: Learner) -> Copy:
    """
    >>> first = Learner("forest", command=("fit",))
    >>> second = copy_of(first)
    >>> second.name, second.command == first.command, second.key == first.key
    ('forest, copy 2', True, False)
    """
    same = {field.name: getattr(learner, field.name) for field in fields(Learner)}
    return Copy(**{**same, "name": f"{learner.name}, copy 2"})


@dataclass(frozen=True, eq=False)
class NumberedSource(SimulatedSource):
    """A law of which a study draws several times over: each number has samples of its own."""

    number: int = 0

    def bound(self, samples: int | None, seed: int, owners: tuple[str, ...] = ()) -> SimulatedSource:
        return super().bound(samples, seed_of("replication", str(seed), str(self.number)), owners)


def drawn_again(task: Task, times: int) -> list[Task]:
    """A simulated task so many times, each time with other samples."""
    source = task.source
    assert isinstance(source, SimulatedSource)
    settings = {field.name: getattr(source, field.name) for field in fields(SimulatedSource)}
    return [
        replace(task, name=f"{task.name} {r + 1}", source=NumberedSource(**settings, number=r), _loaded=[])
        for r in range(times)
    ]


# ----------------------------------------------------------------------------------------------------------------------
# The label-exchange null: in each block, who of two learners got which score is decided by a coin.
#
# If the learners are equally good, and their outcomes in a block may be exchanged, that is an experiment as likely as
# the one that was made. Nothing is run again. What is lost is the dependence between blocks: folds that share training
# rows lean to the same side, and exchanged ones do not.


def exchanged(
    scores: Scores,
    pair: Sequence[str] | None = None,
    *,
    replications: int = 1000,
    seed: int = 0,
    delta: float | None = None,
    alpha: float = 0.05,
    measure: str | None = None,
) -> Experiments:
    """Experiments made from one, with the outcomes of two learners exchanged at random within blocks."""
    replications, seed = checked_replications(replications), checked_seed(seed)
    table = scores.only(measure=measure or scores.measure.labels[0], learners=_two(scores, pair))
    layout = read_layout(table)
    matrix = blocks(table, level=layout.level)
    if matrix.n_blocks < 2:
        raise MisfitError(
            f"{scores.source} has one block in which {' and '.join(table.learners)} are compared, and exchanging their "
            "outcomes in it makes two experiments at most. Use folds, repeats, instances or several tasks."
        )
    if (matrix.values[:, 0] == matrix.values[:, 1]).all():
        raise DegenerateError(
            f"{' and '.join(table.learners)} have the same {layout.measure.name} in all {matrix.n_blocks} blocks: "
            "there is nothing to exchange. Use learners that differ."
        )
    check_memory(replications, matrix.n_blocks)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    # Instances of a cluster belong together: they are exchanged together, or what they share would be lost.
    together = matrix.cluster if layout.clusters is not None and not layout.clusters.fixed else None
    units = matrix.n_blocks if together is None else int(together.max()) + 1
    swap = rng.integers(0, 2, (replications, units), dtype=np.uint8).astype(bool)
    swap = swap if together is None else swap[:, together]
    null = np.where(swap[:, :, None], matrix.values[:, ::-1], matrix.values)
    delta, origin = difference_of(null, delta, alpha)
    broken = _share_training_data(layout)
    return Experiments(
        scores=table,
        null=null,
        different=with_difference(null, delta, layout.measure, seed),
        delta=delta,
        how=f"The outcomes of {' and '.join(table.learners)}, exchanged at random within each of "
        + (f"{matrix.n_blocks} {layout.level.value}." if together is None else f"{units} whole clusters."),
        difference=origin,
        notes=_NOTES if broken else (),
        breaks_dependence=broken,
    )


_NOTES = (
    "Exchanging makes the resamples independent, and those of one data set are not: they share training rows. A test "
    "that takes them as independent looks better here than it is, and one that makes up for it looks timid. Two copies "
    "of a learner (--null copies) or a generator keep the dependence.",
)


def _two(scores: Scores, pair: Sequence[str] | None) -> list[str]:
    """The learners whose outcomes are exchanged."""
    names = list(scores.learners if pair is None else pair)
    if len(names) != 2:
        raise UsageError(
            f"Outcomes are exchanged between two learners; found {len(names)}. Name two: --learner A --learner B."
        )
    if names[0] == names[1]:
        raise UsageError(f"Outcomes are exchanged between two learners; {names[0]!r} is named twice.")
    return names


def _share_training_data(layout: Layout) -> bool:
    """Whether blocks are resamples of one data set, and not independent draws given what they were drawn from."""
    return layout.level is Level.RESAMPLES and layout.problem is None


# ----------------------------------------------------------------------------------------------------------------------
# Experiments row by row: what two learners said of each row, where a cross-validation tests on each row once.


def each_row_tested_once(scheme: Any) -> bool:
    """Whether a scheme tests on each row once; several repeats do so several times.

    >>> from bakeoff.resampling import resampling_from
    >>> [each_row_tested_once(resampling_from(each)) for each in ({"scheme": "cv"}, {"scheme": "5x2"})]
    [True, False]
    """
    return bool(getattr(scheme, "partition", False)) and scheme.n_repeats == 1


def answers_in(
    store: Path, study_key: str, measure: str, number: Callable[[int, StoredPrediction], int]
) -> list[Array]:
    """The score of each row by each of two learners, an array rows × 2 for each complete experiment of a study.

    `number` tells the experiment from the number of the task and the prediction. There are none if the measure is no
    mean over rows, or if it needs more of a prediction than was kept.
    """
    answers: dict[int, Array] = {}
    with Reader(store) as reader:
        grid = study_grid(reader, study_key)
        response = resolve_measures(grid, [measure])[0].response
        if response is None or response.pointwise is None:
            return []
        for task in grid.tasks:
            whole = truth(reader, task.task_id)
            for predicted in task_predictions(reader, grid, task):
                table = answers.setdefault(number(task.number, predicted), np.full((len(whole.values), 2), np.nan))
                try:
                    table[predicted.rows, predicted.column] = response.losses(
                        whole.rows(predicted.rows), predicted.prediction
                    )
                except BakeoffError:
                    return []
    return [table for _, table in sorted(answers.items(), key=lambda each: each[0]) if np.isfinite(table).all()]


def as_answers(
    tables: Sequence[Array], learners: tuple[str, ...], measure: Measure, moved: tuple[float, float], seed: int
) -> RowByRow | None:
    """The experiments as they are, with the second learner made worse by so much in those without and with a
    difference; None if there are too few of them, too many values, or no room for the difference."""
    usual = np.bincount([len(table) for table in tables]).argmax() if tables else 0
    alike = [table for table in tables if len(table) == usual]
    if len(alike) < 2 or not fits_memory(len(alike), int(usual)):
        return None
    values = np.array(alike)
    try:
        null, different = (with_difference(values, by, measure, seed) if by else values for by in moved)
    except UsageError:
        return None  # more than there is to lose, row by row
    return RowByRow(_table(null[0], learners, measure), null, different)


def _table(values: Array, learners: tuple[str, ...], measure: Measure) -> Scores:
    n = len(values)
    row, column = np.divmod(np.arange(2 * n), 2)
    labels = tuple(str(i + 1) for i in range(n))
    return Scores.of(
        values.ravel(),
        learner=Labels(learners, column),
        instance=Labels(labels, row),
        measures={measure.name: measure},
        source="rows of an experiment",
    )


# ----------------------------------------------------------------------------------------------------------------------


_LEAST = 20
_FEW = 5
BATCH = 25  # experiments of a data set that are run together


class SameEveryTimeError(MisfitError):
    """Two copies of a learner never differ: there is no chance in it."""


@dataclass(frozen=True, eq=False)
class RefitPlan:
    """Which part of a study is carried out again: one learner twice, or two learners, on one task by one measure."""

    study: Study
    learners: tuple[Learner, ...]
    task: Task
    measure: Response
    seed: int = 0

    @property
    def copies(self) -> bool:
        return len(self.learners) == 1

    @property
    def own_repeats(self) -> int:
        return 5 if isinstance(self.study.resampling, FiveByTwo) else int(getattr(self.study.resampling, "repeats", 1))

    def studies(self, replications: int) -> list[Study]:
        """All experiments: of a task that is drawn, as one study; of a data set, as studies of `BATCH` experiments.

        A batch is the same however many there are, so that more can be added to those that are stored.
        """
        if self.task.is_simulated:
            return [self._study(replications, 0)]
        return [self._study(BATCH, number) for number in range(ceil(replications / BATCH))]

    def _study(self, replications: int, number: int) -> Study:
        study, (first, *second) = self.study, self.learners
        check_scheme(study.resampling, self.task)
        drawn = self.task.is_simulated
        return Study(
            tasks=drawn_again(self.task, replications) if drawn else [self.task],
            learners=[first, *(second or [copy_of(first)])],
            resampling=study.resampling if drawn else _repeated(study.resampling, replications),
            measures=[self.measure],
            seed=seed_of("calibration", str(study.seed), str(self.seed), str(number)),
            alpha=study.alpha,
            limits=study.limits,
            name=f"{study.name}, calibration" + f" {number + 1}" * (not drawn),
            folder=study.folder,
            keep_scores=False,
        )


def check_scheme(scheme: Any, task: Task) -> None:
    """Refuse what cannot be carried out again with another outcome."""
    if is_independent(scheme):
        raise UsageError(
            "In an independent design the learners share no samples, and calibrating compares them within shared "
            "blocks. Leave independent = true out."
        )
    if not task.is_simulated and not isinstance(scheme, FiveByTwo) and not hasattr(scheme, "repeats"):
        raise UsageError(
            f"The scheme {scheme.describe()['scheme']!r} splits a data set in one way only, so that no second "
            "experiment can be made with it. Exchange the outcomes of two learners instead (--null exchange), or use a "
            "scheme with repeats."
        )


def _repeated(scheme: Any, times: int) -> Any:
    """The scheme with so many times its repeats; those of one experiment follow each other."""
    if isinstance(scheme, FiveByTwo):
        return CrossValidation(folds=2, repeats=5 * times, stratify=scheme.stratify)
    return replace(scheme, repeats=scheme.repeats * times)


def refitted(
    plan: RefitPlan,
    store: Path,
    *,
    replications: int = 200,
    delta: float | None = None,
    alpha: float = 0.05,
    workers: int = 1,
    progress: bool = False,
) -> Experiments:
    """Carry the experiments out, as far as they are not stored yet, and read them.

    Two copies of a learner are equally good. Two learners are not: the difference of their means over all experiments,
    which are many, is taken away from the second one.
    """
    replications, _ = checked_replications(replications), checked_seed(plan.seed)
    if plan.copies:
        # A few experiments tell whether there is any chance in the learner, and are needed anyway.
        few = min(replications, _FEW if plan.task.is_simulated else BATCH)
        values, _, _ = _carried_out(plan, store, few, workers, progress)
        if (values[:, :, 0] == values[:, :, 1]).all():
            raise SameEveryTimeError(
                f"{plan.learners[0].name} gives the same {plan.measure.name} whatever its seed: two copies of it never "
                "differ, and there is nothing to calibrate against. Name a second learner (--learner A --learner B)."
            )
    values, table, notes = _carried_out(plan, store, replications, workers, progress)
    if plan.copies:
        chosen, origin = difference_of(values, delta, alpha)
        different = with_difference(values, chosen, table.measures[plan.measure.name], plan.seed)
        experiments, moved = Experiments(table, values, different, chosen, _how(plan), origin, notes), (0.0, chosen)
    else:
        experiments, moved = _centred(plan, values, table, notes, delta, alpha)
    return replace(experiments, answers=_answers(plan, store, replications, experiments, moved))


def _answers(
    plan: RefitPlan, store: Path, replications: int, experiments: Experiments, moved: tuple[float, float]
) -> RowByRow | None:
    """The same experiments row by row, if each row is tested on once. `moved` is by how much the second learner was
    made worse in the experiments without and with a difference."""
    if not each_row_tested_once(plan.study.resampling):
        return None
    drawn, own = plan.task.is_simulated, plan.own_repeats
    tables: list[Array] = []
    for study in plan.studies(replications):
        tables += answers_in(
            store,
            study.key,
            plan.measure.name,
            lambda task, predicted: task if drawn else (predicted.split.repeat - 1) // own,
        )
    if experiments.scores.learners[0] != plan.learners[0].name:
        tables = [table[:, ::-1] for table in tables]
    measure = experiments.scores.measures[plan.measure.name]
    return as_answers(tables[:replications], experiments.scores.learners, measure, moved, plan.seed)


def _centred(
    plan: RefitPlan, values: Array, table: Scores, notes: tuple[str, ...], delta: float | None, alpha: float
) -> tuple[Experiments, tuple[float, float]]:
    """The experiments, and by how much the second learner was made worse in those without and with a difference."""
    measure, problem = table.measures[plan.measure.name], read_layout(table).problem
    if problem is not None and problem.fixed_test:
        notes += (ONE_TEST_SAMPLE,)
    worse = -measure.sign * (values[:, :, 1] - values[:, :, 0]).mean(axis=1)
    if worse.mean() < 0:
        values, worse = values[:, :, ::-1], -worse
        table = table.only(learners=table.learners[::-1])
    mean, error = float(worse.mean()), float(worse.std(ddof=1) / np.sqrt(len(worse)))
    null = values.copy()
    null[:, :, 1] += measure.sign * mean
    own = f"their own difference is {mean:.3g} ± {error:.2g}"
    if delta is None and mean > 2 * error:
        kept = Experiments(table, null, values.copy(), mean, _how(plan), "their own difference", notes)
        return kept, (-mean, 0.0)
    chosen, origin = difference_of(null, delta, alpha)
    different = with_difference(null, chosen, measure, plan.seed)
    experiments = Experiments(table, null, different, chosen, _how(plan), f"{origin}; {own}", notes)
    return experiments, (-mean, chosen - mean)


def _how(plan: RefitPlan) -> str:
    what = f"fresh samples of {plan.task.name}" if plan.task.is_simulated else f"{plan.task.name}, resampled anew"
    if plan.copies:
        return f"Two copies of {plan.learners[0].name} that differ in their seeds only, on {what} each time."
    names = " and ".join(learner.name for learner in plan.learners)
    return f"{names} on {what} each time, with their mean difference over all experiments taken away."


def _carried_out(
    plan: RefitPlan, store: Path, replications: int, workers: int, progress: bool
) -> tuple[Array, Scores, tuple[str, ...]]:
    """Experiments × blocks × 2, the first one as a table, and what had to be left out."""
    parts, tables, done = [], [], 0
    for study in plan.studies(replications):
        with Bars(study, quiet=not progress) as bars:
            summary = run_study(study, store, workers=workers, watcher=bars)
        if summary.interrupted:
            raise KeyboardInterrupt
        if not summary.ok + summary.stored_before:
            raise MisfitError(
                f"All {count(summary.cells)} fits failed. Run the study itself with bakeoff run, and bakeoff failures "
                "shows why."
            )
        scores = study.scores(store)
        values, table = whole_experiments(scores, _replication_of(scores, plan))
        parts.append(values)
        tables.append(table)
        done += replications if plan.task.is_simulated else BATCH
    usual = np.bincount([values.shape[1] for values in parts]).argmax()
    whole = np.concatenate([values for values in parts if values.shape[1] == usual])
    needed = min(replications, _LEAST)
    if len(whole) < needed:
        raise MisfitError(
            f"{len(whole)} of {done} experiments are complete, and at least {needed} are needed. See why fits failed: "
            "run the study with bakeoff run, and look at bakeoff failures."
        )
    check_memory(*whole.shape[:2])
    left_out = done - len(whole)
    note = f"{left_out} of {done} experiments are left out: they lack scores, or have fewer blocks than the others."
    table = next(table for table, values in zip(tables, parts, strict=True) if values.shape[1] == usual)
    return whole[:replications], table, (note,) if left_out else ()


def _replication_of(scores: Scores, plan: RefitPlan) -> NDArray[np.intp]:
    """The number of the experiment that each row belongs to."""
    if plan.task.is_simulated:
        return scores.task.codes
    number = np.array([(int(label or 1) - 1) // plan.own_repeats for label in scores.repeat.labels], dtype=np.intp)
    return np.asarray(number[scores.repeat.codes])


def whole_experiments(scores: Scores, replication: NDArray[np.intp]) -> tuple[Array, Scores]:
    """Experiments × blocks × 2, without those that lack a score or a block; and the first of them as a table.

    `replication` says which experiment a row belongs to.
    """
    matrix = blocks(scores, level=Level.RESAMPLES, incomplete=True)
    of_block = replication[grid(scores).first_row]
    order = np.argsort(of_block, kind="stable")
    names, first, sizes = np.unique(of_block[order], return_index=True, return_counts=True)
    usual = int(np.bincount(sizes).argmax())
    if usual < 2:
        raise MisfitError(
            "Each experiment has one block, a single split of one task, from which nothing follows about a difference. "
            "Use folds or repeats; or exchange outcomes on single test rows (--null exchange)."
        )
    kept = [
        (name, matrix.values[order[start : start + usual]])
        for name, start, size in zip(names.tolist(), first.tolist(), sizes.tolist(), strict=True)
        if size == usual
    ]
    kept = [(name, values) for name, values in kept if not np.isnan(values).any()]
    if not kept:
        raise MisfitError("No experiment is complete: in each of them a fit failed. Look at bakeoff failures.")
    return np.array([values for _, values in kept]), _rows(scores, replication == kept[0][0])


def _rows(scores: Scores, rows: NDArray[np.bool_]) -> Scores:
    """Some rows of a table."""
    columns: dict[str, Any] = {}
    for field in fields(scores):
        column = getattr(scores, field.name)
        if isinstance(column, Labels):
            columns[field.name] = column.where(rows)
        elif isinstance(column, np.ndarray):
            columns[field.name] = column[rows]
    return replace(scores, **columns)
