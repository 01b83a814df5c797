"""Layout: the facts about a table of scores that decide which procedures fit it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import MisfitError, UsageError, nearest
from bakeoff.measures import Measure
from bakeoff.records import Record
from bakeoff.scores.blocks import (
    ITEMS,
    PROBLEMS,
    FinestGrid,
    Level,
    Missing,
    block_keys,
    grid,
    grid_at,
    has_instances,
    natural_level,
    recurring,
    tests_single_rows,
)
from bakeoff.scores.blocks import blocks as make_blocks
from bakeoff.scores.design import NOT_KNOWN, Problem, RunDesign, Runs
from bakeoff.scores.reading import as_scores
from bakeoff.scores.table import Clusters, Labels, Scores, cell_numbers, first_rows, tasks_in_groups
from bakeoff.text import CodedWarning, counted, counted_each, number

if TYPE_CHECKING:
    import pandas as pd


THIRD_TESTED = 0.5  # test size over training size of splits that nothing is known about


@dataclass(frozen=True, slots=True)
class ClusterSizes:
    """The clusters that blocks lie in: what they are called, whether they are a fixed list, and how many blocks each
    holds."""

    column: str
    fixed: bool
    sizes: tuple[int, ...]

    @property
    def n(self) -> int:
        return len(self.sizes)

    @property
    def effective(self) -> float:
        """The number of clusters of equal size that would tell as much: N² / Σ m²."""
        return sum(self.sizes) ** 2 / sum(size * size for size in self.sizes)

    @property
    def unequal(self) -> bool:
        return len(set(self.sizes)) > 1

    @property
    def largest_share(self) -> float:
        """The part of all blocks that is in the largest cluster."""
        return max(self.sizes) / sum(self.sizes)

    @property
    def beyond(self) -> str:
        """What a conclusion speaks about, beyond the instances that were seen."""
        if self.fixed:
            what = "tasks" if self.column == TASK else f"strata ({self.column})"
            return f"new instances of these very {self.n} {what}"
        return f"new instances of new clusters ({self.column}), of which these {self.n} are a sample"

    def sentence(self, weights: str = "") -> str:
        """How instances lie in clusters, whether these are a sample, and what counts alike in a mean, in words."""
        tasks = self.column == TASK
        kind = "strata" if self.fixed else "clusters"
        facts = [f"{'' if tasks else self.column + ': '}{'a fixed list' if self.fixed else 'a sample of such'}"]
        if self.unequal and not self.fixed:
            facts.append(f"as much as {number(self.effective, 3)} of equal size")
        if self.unequal and weights:
            each = "instance" if weights == "items" else "task" if tasks else "stratum" if self.fixed else "cluster"
            facts.append(f"every {each} counts alike")
        return f"{f'of {self.n} tasks' if tasks else f'in {self.n} {kind}'} ({'; '.join(facts)})"


@dataclass(frozen=True, eq=False)
class Layout(Record):
    """Facts read off Scores, for one measure. Nothing here is a choice; the advisor chooses."""

    source: str
    measure: Measure
    measures: tuple[str, ...]
    level: Level
    learners: tuple[str, ...]
    tasks: tuple[str, ...]
    n_blocks: int
    repeats: int
    folds: int
    resampling: str
    n_train: float
    n_test: float
    n_instances: int
    binary: bool
    n_missing: int
    n_cells: int
    unequal_folds: bool
    matched: bool = True
    with_predictions: bool = False
    missing: Missing = Missing.ERROR  # what is done about cells without a value
    problem: Problem | None = None  # whose draws the blocks are, if they are resamples that are independent draws
    n_each: tuple[int, ...] = ()  # how many blocks each learner has, where they share none
    splitting: RunDesign = NOT_KNOWN
    leave_one_out: bool = False  # whether each instance was predicted by a fit to all the others
    clusters: ClusterSizes | None = None  # what the blocks have in common
    ordered: str = ""  # the column of times of which the blocks are successive points
    answers: int = 1  # how many answers to one instance were averaged, at most
    uneven_answers: bool = False  # whether some instances have fewer
    with_instances: bool = False  # whether there is a score of each instance
    about: str = ""  # what several tasks with their instances are asked about, if it was said
    doubts: tuple[CodedWarning, ...] = ()  # what the file leaves open
    own_runs: int = 1  # how many runs of one learner, which not all share, were averaged within a block, at most
    own_folds: bool = False  # whether those are folds

    @property
    def complete(self) -> bool:
        return self.n_missing == 0

    @property
    def n_learners(self) -> int:
        return len(self.learners)

    @property
    def test_train_ratio(self) -> float:
        """n_test / n_train: as it was said, else from the sizes, else 1/(K−1) for K-fold designs, else NaN."""
        if self.splitting.ratio is not None:
            return self.splitting.ratio
        if not np.isnan(self.n_train) and not np.isnan(self.n_test):
            return self.n_test / self.n_train
        if self.resampling in (KFOLD, REPEATED_KFOLD, FIVE_BY_TWO):
            return 1.0 / (self.folds - 1)
        return THIRD_TESTED if self.taken_for_splits else float("nan")

    @property
    def ratio_source(self) -> str:
        """Where the ratio of test to training size comes from, in words."""
        if self.splitting.ratio is not None:
            return "as it was said"
        if not np.isnan(self.n_train) and not np.isnan(self.n_test):
            return "from the sizes given"
        if self.taken_for_splits:
            return "that of splits of which a third is tested on, which is assumed"
        return f"1/(K − 1) of {self.folds}-fold cross-validation" if self.folds > 1 else ""

    @property
    def averaged(self) -> str:
        """What each block is the mean of, in words; empty if it holds one value of each learner."""
        if self.level is Level.INSTANCES and self.answers > 1:
            return f"each the mean of {'up to ' * self.uneven_answers}{self.answers} answers"
        if self.own_runs > 1 and self.level in (Level.INSTANCES, Level.TASKS):
            of_one = "folds" if self.own_folds else "runs"
            things = "answers" if self.level is Level.INSTANCES else of_one
            whose = "not all of which all learners have" if self.unequal_folds else "which no two learners share"
            return f"each the mean of up to {self.own_runs} {things}, {whose}"
        if self.level is not Level.TASKS:
            return ""
        runs = self.folds * self.repeats
        things = "folds" if self.folds > 1 else "runs"
        return f"each the mean of {'up to ' * (self.resampling == UNEVEN)}{runs} {things}" if runs > 1 else ""

    @property
    def beyond(self) -> str:
        """What instances in clusters or in order of time stand for; empty if they are independent draws."""
        if self.level is not Level.INSTANCES:
            return ""
        if self.ordered:
            return "further times of this series"
        return self.clusters.beyond if self.clusters is not None else ""

    @property
    def within_tasks(self) -> bool:
        """Whether each task can be analysed by itself: it has several runs or folds, or instances."""
        return self.folds * self.repeats * self.own_runs > 1 or self.with_instances

    @property
    def are_runs(self) -> bool:
        """Whether the blocks are repeated runs of one task, which are no draws from a problem that is known."""
        return self.level is Level.RESAMPLES and self.problem is None and self.resampling == REPEATS

    @property
    def alike_in_number_only(self) -> bool:
        """Whether runs of different learners bear the same numbers, and nothing says that they share anything else."""
        alike = self.matched and self.are_runs and self.splitting.runs in (None, Runs.FIXED_SPLIT)
        return alike and not self.taken_for_splits

    @property
    def taken_for_splits(self) -> bool:
        """Whether runs of which nothing is known but that a column calls them splits are taken for random ones."""
        return self.are_runs and self.matched and self.splitting.runs is None and bool(self.splitting.called)

    @property
    def runs_may_overlap(self) -> bool:
        """Whether the blocks are runs that learned from the same rows, or may have done so for all that is known."""
        return self.are_runs and self.splitting.runs in (None, Runs.RANDOM_SPLITS)

    @property
    def sentence(self) -> str:
        """The layout in words."""
        n, k = self.n_blocks, self.n_learners

        def blocks(things: str) -> str:
            return counted_each(self.n_each, things) if self.n_each else counted(n, things)

        of = f"of {len(self.tasks)} tasks" if len(self.tasks) > 1 else "of one task"
        what = {
            Level.INSTANCES: f"{blocks('instances')} {of}",
            Level.RESAMPLES: f"{blocks('resamples')} of one task ({self.resampling})"
            if self.problem is None
            else f"{n} {self.problem.blocks}",
            Level.TASKS: blocks("tasks")
            + (f", each averaged over {self.resampling}" if self.folds * self.repeats > 1 else ""),
            Level.SINGLE: "a single run on one task",
        }[self.level]
        if self.clusters is not None and self.clusters.column != TASK:
            what += f" {self.clusters.sentence()}"
        if self.ordered:
            what += f", successive in time ({self.ordered})"
        if not self.matched:
            what += ", no two learners on the same"
        return f"{k} learner{'s' * (k != 1)} on {what}, {self.measure.name} ({self.measure.better} is better)"


NO_RESAMPLING = "one value per task"
KFOLD = "K-fold cross-validation"
REPEATED_KFOLD = "repeated K-fold cross-validation"
FIVE_BY_TWO = "5×2 cross-validation"
TASK = "task"  # the column of clusters where tasks are the strata
REPEATS = "repeated runs"
UNEVEN = "resamples that differ from repeat to repeat"
GAPS = "folds of which some are missing"


def layout(
    scores: Scores | pd.DataFrame,
    measure: str | None = None,
    *,
    level: Level | None = None,
    missing: Missing = Missing.ERROR,
) -> Layout:
    """Read the facts off a table. `measure` is needed if the table holds several."""
    scores = as_scores(scores, measure)
    names = scores.measure.labels
    one = scores.only(measure=measure) if measure is not None else scores
    level = natural_level(one) if level is None else _attainable(one, level)
    fine = grid_at(one, level, missing)
    given, one = one, fine.scores
    # What no two learners share has no blocks to drop or to fill.
    settled = missing is not Missing.ERROR and fine.matched
    usable = make_blocks(one, level=level, missing=missing) if settled else None
    n_blocks = usable.n_blocks if usable else _count(fine, level)
    repeats, folds, resampling = _resampling(one)
    keys, binary = block_keys(one, level), False
    members = np.bincount(first_rows(cell_numbers(one, keys)[fine.first_row])[1]) if keys else np.ones(1)
    answers = int(members.max()) if level is Level.INSTANCES else 1
    if has_instances(one):
        finite = fine.values if answers == 1 else make_blocks(one, level=level, incomplete=True).values
        binary = bool(np.isin(finite[~np.isnan(finite)], (0.0, 1.0)).all())
    return Layout(
        source=scores.source,
        measure=one.measures[one.measure.labels[0]],
        measures=names,
        level=level,
        learners=one.learners,
        tasks=one.tasks,
        n_blocks=n_blocks,
        repeats=repeats,
        folds=folds,
        resampling=resampling,
        n_train=_mean(one.n_train),
        n_test=_mean(one.n_test),
        n_instances=n_blocks if level is Level.INSTANCES else 0,
        binary=binary,
        n_missing=int((np.isnan(fine.values) & fine.expected).sum()),
        n_cells=int(fine.expected.sum()),
        unequal_folds=not one.independent and (_unequal_folds(one, fine) or (one is not given and grid(given).matched)),
        matched=fine.matched,
        with_predictions=one.predictions is not None and one.predictions.binary and answers == 1,
        missing=missing,
        problem=one.problem if level is Level.RESAMPLES else None,
        n_each=() if fine.matched else _count_each(fine, level),
        splitting=one.splitting,
        leave_one_out=level is Level.INSTANCES and tests_single_rows(one),
        clusters=_cluster_sizes(one, keys, fine),
        ordered=one.ordered if level is Level.INSTANCES else "",
        answers=answers,
        uneven_answers=answers > 1 and bool(members.min() < answers),
        with_instances=has_instances(one),
        about=one.about,
        doubts=_doubts(given, one, level),
        own_runs=1 if one is given else _most_rows(given, (*block_keys(given, level), "learner")),
        own_folds=one is not given and len(given.fold.labels) > 1,
    )


def _doubts(given: Scores, one: Scores, level: Level) -> tuple[CodedWarning, ...]:
    """What may not be as it was read: of the scores that were given, and of those that are compared."""
    of_given = (*_about_recurring(given, level), *_about_unlike_runs(given, level))
    return (*_doubts_at(one, level), *of_given, *_about_shared_times(one, level))


def _most_rows(scores: Scores, keys: tuple[str, ...]) -> int:
    """How many rows there are for one combination of labels, at most."""
    return int(np.bincount(first_rows(cell_numbers(scores, keys))[1]).max())


def _about_recurring(scores: Scores, level: Level) -> tuple[CodedWarning, ...]:
    if level is not Level.INSTANCES or not recurring(scores):
        return ()
    return (
        CodedWarning(
            "recurring-instances",
            "Every fold holds the same instances, by their numbers: they are taken for one test set that the fits of "
            "all folds answered, and averaged over the folds.",
            "If the instances are numbered anew in each fold, write fold and number into one column 'instance'.",
        ),
    )


def _about_shared_times(scores: Scores, level: Level) -> tuple[CodedWarning, ...]:
    """Several series at the same times: what happens at a time may hit all of them at once."""
    if level is not Level.TASKS or not scores.ordered or not has_instances(scores):
        return ()
    pairs = len(np.unique(cell_numbers(scores, ("task", "instance"))))
    if pairs == len(scores.instance.labels):  # each time in one series only
        return ()
    return (
        CodedWarning(
            "shared-times",
            f"The {len(scores.tasks)} series were observed at the same times ({scores.ordered}). What happens at one "
            "may hit all of them, which makes them no independent draws, and more is claimed than they bear.",
            "Say --about items for a conclusion about new times of these very series, which knows autocorrelation (in "
            "Python about='items').",
        ),
    )


UNLIKE_RUNS = "unlike-runs"
_RUNS_DIFFER = 0.05  # so often runs that are alike are told apart, and a verdict says more than is needed


def _about_unlike_runs(scores: Scores, level: Level) -> tuple[CodedWarning, ...]:
    """Runs of a learner that differ on the whole, as trainings with other seeds do and repeated answers do not.

    With y_ir the value of item i in run r of a learner, y_ir = item_i + run_r + e_ir, F is the mean square of its runs
    over that of e. Learners vary unlike, so that each has its own F; Simes' rule puts them together. Of judges and
    prompts, which learners share, the mean of all learners is taken off each answer first: a judge who is strict with
    all of them, or a prompt that is hard for all, leaves their differences as they are.
    """
    if level is not Level.INSTANCES or len(scores.repeat.labels) < 2:
        return ()
    from scipy.special import fdtrc

    some = np.isfinite(scores.value)
    largest = float(np.abs(scores.value[some]).max(initial=0)) or 1.0  # squares of very large values overflow
    value, learner = scores.value[some] / largest, scores.learner.codes[some]
    item = np.unique(cell_numbers(scores, ("task", "instance", "learner"))[some], return_inverse=True)[1]
    whose, run = np.unique(
        learner * np.intp(len(scores.repeat.labels)) + scores.repeat.codes[some], return_inverse=True
    )
    n_item, n_run = np.bincount(item), np.bincount(run)
    if scores.splitting.shared and len(scores.learners) > 1:
        answer = np.unique(cell_numbers(scores, ("task", "repeat", "fold", "instance"))[some], return_inverse=True)[1]
        value = value - (np.bincount(answer, weights=value) / np.bincount(answer))[answer]
    rest = value - (np.bincount(item, weights=value) / n_item)[item]
    by_run = np.bincount(run, weights=rest) / n_run
    whose, k = whose // len(scores.repeat.labels), len(scores.learners)
    df_run = np.bincount(whose, minlength=k) - 1
    answered = np.bincount(learner[np.unique(item, return_index=True)[1]], minlength=k)
    df_rest = np.bincount(learner, minlength=k) - answered - df_run
    among_runs = np.bincount(whose, weights=n_run * by_run**2, minlength=k)
    beside = np.bincount(learner, weights=(rest - by_run[run]) ** 2, minlength=k)
    seen = (df_run > 0) & (df_rest > 0) & (beside > 0)
    if not seen.any():
        return ()
    f = among_runs[seen] / df_run[seen] / (beside[seen] / df_rest[seen])
    p = np.sort(fdtrc(df_run[seen], df_rest[seen], f))
    if (p * len(p) / np.arange(1, len(p) + 1)).min() >= _RUNS_DIFFER:
        return ()
    return (
        CodedWarning(
            UNLIKE_RUNS,
            "Runs of one learner differ on the whole by more than repeated answers to the same instances would "
            f"(F up to {number(float(f.max()), 3)}), as trainings with other seeds do, or other prompts and judges. An "
            "average over these runs does not show how others would come out.",
            "Say --with mixed-model for a conclusion about new runs too; or score more runs, and compare their means.",
        ),
    )


def _doubts_at(one: Scores, level: Level) -> tuple[CodedWarning, ...]:
    """What the file leaves open about blocks of this level: that clusters were taken is said where they are used."""
    if level is Level.INSTANCES:
        return one.doubts
    doubts = tuple(doubt for doubt in one.doubts if doubt.code != "clusters-taken")
    if level is not Level.TASKS or one.clusters is None or one.clusters.fixed:
        return doubts
    column, labels = one.clusters.column, one.clusters.labels
    count, n_tasks = len(labels.labels), len(one.task.labels)
    pairs = len(np.unique(one.task.codes * np.intp(count) + labels.codes))
    if pairs > n_tasks or count >= n_tasks:  # clusters within tasks, or across them, divide no tasks
        return doubts
    return (*doubts, tasks_in_groups(column, n_tasks, count))


def _cluster_sizes(one: Scores, keys: tuple[str, ...], fine: FinestGrid) -> ClusterSizes | None:
    """The clusters of the blocks, if they lie in any and each in one."""
    if one.clusters is None or "instance" not in keys:
        return None
    first, _ = first_rows(cell_numbers(one, keys)[fine.first_row])
    sizes = np.bincount(one.clusters.labels.codes[fine.first_row[first]])
    return ClusterSizes(one.clusters.column, one.clusters.fixed, tuple(map(int, sizes)))


def _attainable(one: Scores, level: Level) -> Level:
    """A level that averaging can give; nothing makes instances out of folds, or tasks out of one task."""
    splits = len(one.repeat.labels) > 1 or len(one.fold.labels) > 1
    of_items = level is Level.INSTANCES and one.about == ITEMS
    if level in (Level.INSTANCES, Level.RESAMPLES) and len(one.task.labels) > 1 and not of_items:
        raise MisfitError(
            f"{one.source} has {len(one.task.labels)} tasks, and {level.value} of several tasks are not {level.value} "
            "of one: what differs from task to task would be taken for chance.",
            alternatives=[
                f"--task NAME: one task and its {level.value} (in Python scores.only(tasks=[NAME]))",
                "--about items: new instances of these very tasks (in Python about='items')",
                "no level: each task is a block, its scores averaged",
            ],
        )
    there = {
        Level.INSTANCES: has_instances(one),
        Level.RESAMPLES: splits,
        Level.TASKS: len(one.task.labels) > 1,
        Level.SINGLE: True,
    }
    if not there[level]:
        raise MisfitError(
            f"{one.source} cannot be read at the level of {level.value}: its rows are "
            f"{natural_level(one).value}, and values can be averaged to a coarser level but not split into a finer one."
        )
    return level


def _mean(sizes: NDArray[np.float64]) -> float:
    known = sizes[~np.isnan(sizes)]
    return float(known.mean()) if len(known) else float("nan")


def _count(fine: FinestGrid, level: Level) -> int:
    """The number of blocks at a level."""
    if level is Level.SINGLE:
        return 1
    return len(first_rows(cell_numbers(fine.scores, block_keys(fine.scores, level))[fine.first_row])[0])


def _count_each(fine: FinestGrid, level: Level) -> tuple[int, ...]:
    """The number of blocks at a level in which each learner has a value."""
    if level is Level.SINGLE:
        return (1,) * len(fine.scores.learners)
    there = ~np.isnan(fine.values.T)
    keys = block_keys(fine.scores, level)
    block = cell_numbers(fine.scores, keys)[fine.first_row]
    return tuple(len(np.unique(block[has])) for has in there)


def _resampling(one: Scores) -> tuple[int, int, str]:
    """Repeats of a task, folds of a repeat, and the name of the scheme, as far as the labels of the splits tell."""
    # Labels may begin anew in each repeat and task (1..K) or run on through all of them: count one by one.
    split, _ = first_rows(cell_numbers(one, ("task", "repeat", "fold")))
    first, repeat = first_rows(cell_numbers(one, ("task", "repeat"))[split])
    per_repeat, per_task = np.bincount(repeat), np.unique(one.task.codes[split][first], return_counts=True)[1]
    repeats, folds = int(per_task.max()), int(per_repeat.max())
    if per_task.min() < repeats or per_repeat.min() < folds:
        return repeats, folds, UNEVEN
    if folds == 1:
        return repeats, 1, NO_RESAMPLING if repeats == 1 else REPEATS
    if _folds_are_missing(one):
        return repeats, folds, GAPS
    if _tests_too_much(one, folds):
        return repeats * folds, 1, REPEATS
    if (repeats, folds) == (5, 2):
        return repeats, folds, FIVE_BY_TWO
    return repeats, folds, KFOLD if repeats == 1 else REPEATED_KFOLD


def _folds_are_missing(one: Scores) -> bool:
    """Whether numbers of folds leave gaps: folds 1, 2, 4 and 5 are not those of a cross-validation that is complete."""
    labels = one.fold.labels
    if not all(label.isdecimal() for label in labels):
        return False
    numbers = sorted(int(label) for label in labels)
    return numbers[0] > 1 or numbers[-1] - numbers[0] + 1 > len(numbers)


# Of K folds each tests a Kth of all rows. Strata and groups make folds unequal, but not by so much.
_TOO_LARGE = 1.5


def _tests_too_much(one: Scores, folds: int) -> bool:
    """Whether the sizes tell that what is called folds are random splits: together they test rows more than once."""
    n_train, n_test = _mean(one.n_train), _mean(one.n_test)
    return bool(n_test * folds > _TOO_LARGE * (n_train + n_test))  # false if either is not known


def _unequal_folds(one: Scores, fine: FinestGrid) -> bool:
    """Whether learners were run on different splits of a task: comparing them is then not paired.

    A split that failed was run, and a task that a learner never saw is a missing task, not an unequal fold.
    """
    if len(one.repeat.labels) <= 1 and len(one.fold.labels) <= 1:
        return False
    task = one.task.codes[fine.first_row]
    tried = np.zeros((len(one.task.labels), len(one.learners)), dtype=bool)
    np.logical_or.at(tried, task, fine.present)
    return bool((tried[task] & ~fine.present).any())


# ----------------------------------------------------------------------------------------------------------------------
# Runs of one task of which only their numbers are known: what the user says they are.


def declare_scope(scores: Scores, about: str | None) -> Scores:
    """The same scores, with what several tasks with their instances are asked about.

    About "items" the tasks are a fixed list, and new instances of these very tasks are drawn; about "problems" the
    tasks are a sample of such problems.
    """
    if about is None:
        return scores
    if about not in (ITEMS, PROBLEMS):
        raise UsageError(
            f"A question is about items or problems, not {about!r}. {nearest(str(about), [ITEMS, PROBLEMS])}"
        )
    if len(scores.tasks) < 2 or not has_instances(scores):
        raise UsageError(
            "--about (in Python about=) chooses between new instances of these tasks and new tasks, and "
            f"{scores.source} does not hold several tasks with their instances: leave it out."
        )
    if about == ITEMS and scores.ordered:
        return _over_times(scores)
    if about == PROBLEMS or scores.clusters is not None:
        return replace(scores, about=about)
    note = f"the {len(scores.tasks)} tasks are a fixed list, as you said (--about items)"
    return replace(scores, about=about, clusters=Clusters(TASK, scores.task, fixed=True), notes=(*scores.notes, note))


def _over_times(scores: Scores) -> Scores:
    """The same scores with one row of time, at each of which the series are averaged as answers to an item are."""
    series = Labels.of(
        " / ".join(filter(None, pair)) for pair in zip(scores.task.values(), scores.repeat.values(), strict=True)
    )
    note = f"the {len(scores.tasks)} series are a fixed list, as you said (--about items), averaged at each time"
    one = Labels.constant(scores.ordered, len(scores))
    return replace(scores, task=one, repeat=series, notes=(*scores.notes, note))


_TAKEN = {
    Runs.INDEPENDENT: "each run learned from a sample of its own",
    Runs.FIXED_SPLIT: "all runs used one split and differ in their seed only",
    Runs.RANDOM_SPLITS: "runs are random splits of one data set",
    Runs.WINDOWS: "runs are successive windows of one series",
}


def declare_runs(scores: Scores, runs: str | None, ratio: float | None = None) -> Scores:
    """The same scores, with what the user says of their runs; `ratio` is the test size over the training size.

    A ratio alone says that runs are random splits: nothing else has use for it.

    >>> from bakeoff.measures import known_measure
    >>> made = Scores.of([0.9, 0.8], learner=["a", "a"], repeat=["1", "2"], measures={"auc": known_measure("auc")})
    >>> declare_runs(made, "fixed-split").splitting.runs
    <Runs.FIXED_SPLIT: 'fixed-split'>
    """
    if runs is None and ratio is None:
        return scores
    kind = Runs.RANDOM_SPLITS if runs is None else _kind(runs)
    if ratio is not None and not (isinstance(ratio, Real) and isfinite(ratio) and ratio > 0):
        raise UsageError(f"The ratio of test to training size is a positive number; found {ratio!r}.")
    _check(scores, kind, None if ratio is None else float(ratio))
    taken = _TAKEN[kind] + (f", test size over training size {number(ratio)}" if ratio is not None else "")
    provenance = scores.provenance
    return replace(
        scores,
        splitting=replace(
            scores.splitting, runs=kind, ratio=None if ratio is None else float(ratio), unknown_scheme="", called=""
        ),
        notes=(*scores.notes, f"{taken}, as you said"),
        provenance=None if provenance is None else provenance.changed(f"{taken}, as somebody said"),
    )


def _kind(runs: str) -> Runs:
    try:
        return Runs(runs)
    except ValueError:
        raise UsageError(f"Runs cannot be {runs!r}. {nearest(str(runs), [kind.value for kind in Runs])}") from None


def _check(scores: Scores, kind: Runs, ratio: float | None) -> None:
    """Refuse what contradicts the table, or says too little."""
    if len(scores.repeat.labels) < 2 and len(scores.fold.labels) < 2:
        raise UsageError(
            f"--runs (in Python runs=) says what repeated runs of a task are, and {scores.source} has no two runs of "
            "one: leave it out, or name the column that numbers them run, seed or repeat."
        )
    if kind in (Runs.INDEPENDENT, Runs.FIXED_SPLIT) and len(scores.fold.labels) > 1:
        raise UsageError(
            f"{scores.source} holds folds, and the training sets of folds overlap: they are not {kind.value}. If its "
            "column of folds numbers something else, name it run, seed or repeat."
        )
    if kind is not Runs.RANDOM_SPLITS and ratio is not None:
        raise UsageError(
            f"A ratio of test to training size makes up for splits that overlap, and runs that are {kind.value} do "
            "not: leave one of the two out."
        )
    known = not (np.isnan(scores.n_train).any() or np.isnan(scores.n_test).any()) or len(scores.fold.labels) > 1
    if kind is Runs.RANDOM_SPLITS and ratio is None and not known:
        raise UsageError(
            "How much random splits overlap follows from their sizes, and those are not known. Say the test size over "
            "the training size: --ratio 1 for halves, --ratio 0.5 for thirds that are tested on (in Python ratio=), or "
            "give columns n_train and n_test."
        )
