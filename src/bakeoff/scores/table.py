"""Scores: the one long table where the experiment half and the inference half meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.measures import Measure
from bakeoff.scores.design import COLUMN as DESIGN
from bakeoff.scores.design import NOT_KNOWN, Design, Problem, RunDesign, joint
from bakeoff.scores.provenance import Provenance
from bakeoff.text import CodedWarning, listing

if TYPE_CHECKING:
    import pandas as pd

    from bakeoff.measures.answers import LearnerAnswers


# ----------------------------------------------------------------------------------------------------------------------
# A column of labels, stored once each and referred to by number.


T = TypeVar("T", bound="NDArray[Any]")


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Labels in order of first appearance, and for each row the number of its label.

    >>> column = Labels.of(["svm", "knn", "svm"])
    >>> column.labels, column.codes.tolist()
    (('svm', 'knn'), [0, 1, 0])
    """

    labels: tuple[str, ...]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, values: Iterable[object]) -> Labels:
        words = list(map(str, values))
        numbers = {label: number for number, label in enumerate(dict.fromkeys(words))}
        return cls(tuple(numbers), frozen(np.fromiter(map(numbers.__getitem__, words), np.intp, len(words))))

    @classmethod
    def constant(cls, label: str, length: int) -> Labels:
        """The same label in every row."""
        return cls((label,) if length else (), frozen(np.zeros(length, dtype=np.intp)))

    def __len__(self) -> int:
        return len(self.codes)

    def where(self, rows: NDArray[np.bool_]) -> Labels:
        """These rows, with the labels that are still used."""
        codes = self.codes[rows]
        used = np.bincount(codes, minlength=len(self.labels)) > 0
        number = np.cumsum(used) - 1
        return Labels(tuple(self.labels[code] for code in np.flatnonzero(used)), frozen(number[codes]))

    def values(self) -> list[str]:
        return [self.labels[code] for code in self.codes]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (Labels, (self.labels, self.codes))


def frozen(array: T) -> T:
    """The same array, made read-only."""
    array.flags.writeable = False
    return array


def _restored(kind: type, values: Sequence[Any]) -> Any:
    """What was pickled, read-only as it was: arrays and mappings forget that on the way."""
    kept = (frozen(value) if isinstance(value, np.ndarray) else value for value in values)
    return kind(*(MappingProxyType(value) if isinstance(value, dict) else value for value in kept))


# ----------------------------------------------------------------------------------------------------------------------
# Numeric predictions, kept beside the losses made from them: ROC curves and later measures need them.


@dataclass(frozen=True, eq=False)
class Predictions:
    """The truth of each instance, and a column of numbers (scores, probabilities) per learner.

    Where they are labels, the numbers are those of the `classes`, in alphabetical order. Where they are scores of one
    of two classes, `names` are those of 0 and 1, if they have any.
    """

    truth: NDArray[np.float64]
    values: NDArray[np.float64]
    learners: tuple[str, ...]
    task: NDArray[np.str_]
    classes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def only(self, tasks: Sequence[str] | None, learners: Sequence[str] | None) -> Predictions:
        """The instances of some tasks and the columns of some learners, in the order given."""
        rows = np.ones(len(self.truth), dtype=bool) if tasks is None else np.isin(self.task, list(tasks))
        names = self.learners if learners is None else tuple(learners)
        columns = [self.learners.index(name) for name in names]
        return Predictions(
            frozen(self.truth[rows]),
            frozen(self.values[rows][:, columns]),
            names,
            frozen(self.task[rows]),
            self.classes,
            self.names,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (Predictions, (self.truth, self.values, self.learners, self.task, self.classes, self.names))

    def answers(self) -> list[LearnerAnswers]:
        """What each learner answered on each task, as curves over thresholds and confusion matrices take it.

        Numbers beside a truth of 0 and 1 are scores of class 1; between 0 and 1 they are probabilities, and assign that
        class from ½ on. Empty if they are neither labels nor that.
        """
        from bakeoff.measures.answers import AnsweredRows, LearnerAnswers

        known = np.unique(self.truth)
        labelled = bool(self.classes) or bool(np.isin(self.values, known).all() and (known % 1 == 0).all())
        if not labelled and not self.binary:
            return []
        classes = self.classes or self.names or tuple(f"{value:g}" for value in known)
        codes = self.truth.astype(int) if self.classes else np.searchsorted(known, self.truth)
        answers = []
        for task in dict.fromkeys(self.task.tolist()):
            here = self.task == task
            for name, column in zip(self.learners, self.values[here].T, strict=True):
                if labelled:
                    assigned = column.astype(int) if self.classes else np.searchsorted(known, column)
                    rows = AnsweredRows(codes[here], assigned, None)
                else:
                    chances = bool(((column >= 0) & (column <= 1)).all())
                    rows = AnsweredRows(codes[here], (column >= 0.5).astype(int) if chances else None, column, chances)
                answers.append(LearnerAnswers(task, name, classes, (rows,)))
        return answers

    @property
    def binary(self) -> bool:
        """Whether the truth is one of two classes, 0 and 1, and there are numbers beside it."""
        return not self.classes and bool(np.isin(self.truth, (0.0, 1.0)).all()) and len(np.unique(self.truth)) == 2


# ----------------------------------------------------------------------------------------------------------------------


Sized = TypeVar("Sized", Labels, NDArray[np.float64])

KEYS = ("task", "learner", "measure", "repeat", "fold", "instance")
OK = "ok"
_LARGEST = 1e300  # a hundred million of them can be added
NO_VALUE = "missing"  # a cell that is empty in the file: it neither has a value nor is said to have failed


class FitVariance(NamedTuple):
    """How the variance of the score of a single fit divides, where a learner has several to each learning sample:
    `between` learning samples, and `within` one of them, between fits. NaN where it cannot be told."""

    learner: str
    fits: int
    measure: str
    between: float
    within: float

    @property
    def share(self) -> float:
        """The part of the variance that fits to one learning sample make."""
        total = self.between + self.within
        return self.within / total if total > 0 else 0.0 if total == 0 else float("nan")

    @property
    def sentence(self) -> str:
        head = f"{self.learner} has {self.fits} fits to each learning sample, whose mean is its score there"
        if np.isnan(self.share):
            return f"{head}."
        if not self.within:
            return f"{head}; they are all the same: nothing in it is random."
        return (
            f"{head}; of the variance of a single fit's {self.measure}, {self.share:.0%} lies between fits to one "
            f"sample, {1 - self.share:.0%} between samples."
        )


@dataclass(frozen=True, eq=False)
class Clusters:
    """What several instances have in common, such as the passage that questions are about; a label a row of Scores.

    `column` is what the file calls it. Clusters that are `fixed` are a list that the conclusion is about (strata);
    otherwise they are a sample of such clusters, and only as many clusters as there are were drawn at random.
    """

    column: str
    labels: Labels
    fixed: bool = False


@dataclass(frozen=True, eq=False)
class Scores:
    """One row a score: who (learner), on what (task, repeat, fold, instance), by which measure, how much.

    A key that does not apply holds the empty label. Learners with the same keys share a block, unless the table is said
    to hold `independent` samples. A failure is a row without a value (NaN) and with a status other than "ok". `problem`
    tells what the learning samples were drawn from, if they are independent draws, and `provenance` which study the
    scores come from, if it is known, and what that had planned. `by_instance` holds the losses on test rows, where
    each learner has but one score of them all, and `splitting` what is known of the splits beside that. `clusters` are
    what instances have in common, and `ordered` names the column of times of which the instances are successive points;
    `about` is what the user asks several tasks with their instances about, "items" or "problems", and `doubts` are
    warnings about what the file leaves open. Rows are validated on creation and never changed.
    """

    task: Labels
    learner: Labels
    measure: Labels
    repeat: Labels
    fold: Labels
    instance: Labels
    value: NDArray[np.float64]
    n_train: NDArray[np.float64]
    n_test: NDArray[np.float64]
    status: Labels
    message: Labels
    measures: Mapping[str, Measure] = field(default_factory=dict)
    source: str = "scores"
    notes: tuple[str, ...] = ()
    predictions: Predictions | None = None
    independent: bool = False
    problem: Problem | None = None
    problems: tuple[tuple[str, Problem | None], ...] = ()  # of each task, where they differ
    provenance: Provenance | None = None
    by_instance: Scores | None = None
    splitting: RunDesign = NOT_KNOWN
    fits: tuple[FitVariance, ...] = ()  # of learners that were fitted several times to each learning sample
    clusters: Clusters | None = None
    ordered: str = ""
    about: str = ""
    doubts: tuple[CodedWarning, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)  # the design of a study: see `study.design.StudyDesign`

    @classmethod
    def of(
        cls,
        value: ArrayLike,
        *,
        learner: Sequence[object] | Labels,
        measures: Mapping[str, Measure],
        task: Sequence[object] | Labels | None = None,
        measure: Sequence[object] | Labels | None = None,
        repeat: Sequence[object] | Labels | None = None,
        fold: Sequence[object] | Labels | None = None,
        instance: Sequence[object] | Labels | None = None,
        n_train: ArrayLike | None = None,
        n_test: ArrayLike | None = None,
        status: Sequence[object] | Labels | None = None,
        message: Sequence[object] | Labels | None = None,
        source: str = "scores",
        notes: Sequence[str] = (),
        lines: Sequence[int] | NDArray[np.intp] | None = None,
    ) -> Scores:
        """Make and validate a table. `lines` are line numbers in `source`, used in messages only.

        >>> from bakeoff.measures import known_measure
        >>> Scores.of([0.9, 0.8], learner=["svm", "knn"], measures={"accuracy": known_measure("accuracy")})
        <Scores: 2 rows, 2 learners, 1 task, accuracy>
        """
        values = frozen(np.array(value, dtype=np.float64))
        n = len(values)
        if measure is None:
            if len(measures) != 1:
                raise UsageError(f"Without a measure column there must be one measure; found {len(measures)}.")
            measure = Labels.constant(next(iter(measures)), n)

        def factor(name: str, column: Sequence[object] | Labels | None, default: str = "") -> Labels:
            if column is None:
                return Labels.constant(default, n)
            return _of_length(n, name, column if isinstance(column, Labels) else Labels.of(column))

        def sizes(name: str, column: ArrayLike | None) -> NDArray[np.float64]:
            column_values = np.full(n, np.nan) if column is None else np.array(column, dtype=np.float64)
            return frozen(_of_length(n, name, column_values))

        scores = cls(
            task=factor("task", task),
            learner=factor("learner", learner),
            measure=factor("measure", measure),
            repeat=factor("repeat", repeat),
            fold=factor("fold", fold),
            instance=factor("instance", instance),
            value=values,
            n_train=sizes("n_train", n_train),
            n_test=sizes("n_test", n_test),
            status=factor("status", status, OK),
            message=factor("message", message),
            measures=MappingProxyType(dict(measures)),
            source=source,
            notes=tuple(notes),
        )
        _validate(scores, lines)
        return scores

    def __len__(self) -> int:
        return len(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        held = (getattr(self, each.name) for each in fields(self))
        return _restored, (Scores, tuple(dict(one) if isinstance(one, Mapping) else one for one in held))

    def __repr__(self) -> str:
        def count(n: int, noun: str) -> str:
            return f"{n} {noun}{'s' * (n != 1)}"

        without = int(np.isnan(self.value).sum())
        lacking = f"; {without} without a value" if without else ""
        return (
            f"<Scores: {count(len(self), 'row')}, {count(len(self.learners), 'learner')}, "
            f"{count(len(self.tasks), 'task')}, {', '.join(self.measure.labels)}{lacking}>"
        )

    @property
    def plot(self) -> Any:
        """The figures of these scores: `scores.plot.box_density()`, `scores.plot.critical_difference(ax=ax)`."""
        from importlib import import_module

        return import_module("bakeoff.figures").Plots(self)  # which lies above: nothing here depends on it

    @property
    def learners(self) -> tuple[str, ...]:
        return self.learner.labels

    @property
    def tasks(self) -> tuple[str, ...]:
        return self.task.labels

    def only(
        self,
        *,
        measure: str | None = None,
        measures: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        learners: Sequence[str] | None = None,
    ) -> Scores:
        """The rows of one measure or some, of some tasks, of some learners (kept in the order given)."""
        if tasks is learners is measures is None and self.measure.labels == (measure,):
            return self
        rows = np.ones(len(self), dtype=bool)
        for name, wanted in (
            ("measure", measures if measure is None else [measure]),
            ("task", tasks),
            ("learner", learners),
        ):
            if wanted is None:
                continue
            column: Labels = getattr(self, name)
            for label in wanted:
                if label not in column.labels:
                    named = [each for each in column.labels if each]
                    known = nearest(label, named) if named else f"It names no {name}s."
                    raise UsageError(f"There is no {name} {label!r} in {self.source}. {known}")
            chosen = [column.labels.index(label) for label in wanted]
            rows &= np.isin(column.codes, chosen)
        part = self.where(rows)
        changed: dict[str, Any] = {}
        if learners is not None:
            changed["learner"] = _reordered(part.learner, learners)
        if measures is not None:
            changed["measure"] = _reordered(part.measure, measures)
        if tasks is not None and self.problems:
            changed["problem"] = joint([its for task, its in self.problems if task in part.tasks])
        labels = changed.get("measure", part.measure)
        return replace(
            part,
            **changed,
            predictions=None if self.predictions is None else self.predictions.only(tasks, learners),
            measures=MappingProxyType({name: self.measures[name] for name in labels.labels}),
            by_instance=None if self.by_instance is None else self._rows_beside(labels, tasks, learners),
        )

    def where(self, rows: NDArray[np.bool_]) -> Scores:
        """Some of the rows; what lies beside them (predictions, losses of test rows) stays as it is."""
        columns = {
            name: getattr(self, name).where(rows)
            for name in ("task", "learner", "measure", "repeat", "fold", "instance", "status", "message")
        }
        return replace(
            self,
            **columns,
            value=frozen(self.value[rows]),
            n_train=frozen(self.n_train[rows]),
            n_test=frozen(self.n_test[rows]),
            clusters=None if self.clusters is None else _clusters_of_rows(self.clusters, rows),
        )

    def without(self, learners: Sequence[str]) -> Scores:
        """The rows of all other learners."""
        for name in learners:
            if name not in self.learners:
                raise UsageError(f"There is no learner {name!r} in {self.source}. {nearest(name, self.learners)}")
        left = [name for name in self.learners if name not in learners]
        if not left:
            raise UsageError(f"No learner is left in {self.source} without {', '.join(learners)}. Leave out fewer.")
        return self.only(learners=left)

    def _rows_beside(self, measure: Labels, tasks: Sequence[str] | None, learners: Sequence[str] | None) -> Scores:
        """The losses on test rows, of the same part. Where a measure has none, the others stay with their scores."""
        assert self.by_instance is not None
        there = [name for name in measure.labels if name in self.by_instance.measures]
        return self.by_instance.only(measures=there or None, tasks=tasks, learners=learners)

    def to_frame(self) -> pd.DataFrame:
        """The long table as pandas shows it; keys that never apply are left out."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for name in KEYS:
            column: Labels = getattr(self, name)
            if name in ("learner", "measure") or column.labels != ("",):
                columns[name] = pd.Categorical(column.values(), categories=list(column.labels))
        columns["value"] = self.value
        for name in ("n_train", "n_test"):
            sizes: NDArray[np.float64] = getattr(self, name)
            if not np.isnan(sizes).all():
                columns[name] = sizes
        columns["status"] = self.status.values()
        if self.message.labels not in ((), ("",)):
            columns["message"] = self.message.values()
        if self.clusters is not None:
            name = "strata" if self.clusters.fixed else "cluster"
            columns[name] = pd.Categorical(self.clusters.labels.values(), categories=list(self.clusters.labels.labels))
        if designs := self.designs:
            columns[DESIGN] = pd.Categorical(designs)
        columns |= {name: column for name, column in self.factor_columns.items() if name not in columns}
        return pd.DataFrame(columns)

    @property
    def factor_columns(self) -> dict[str, list[Any]]:
        """The level of each factor of the study's design, row by row; nothing if it has none."""
        by_learner = self.settings.get("settings", {})
        names = list(dict.fromkeys(name for levels in by_learner.values() for name in levels))
        rows = self.learner.values()
        return {name: [by_learner.get(learner, {}).get(name) for learner in rows] for name in names}

    @property
    def designs(self) -> list[str]:
        """The design of each row as a cell of a table holds it: that of its task. Empty if nothing is known of any."""
        own = dict(self.problems)
        cells = [Design(own.get(task, self.problem), self.independent, self.splitting).to_cell() for task in self.tasks]
        return [cells[code] for code in self.task.codes] if any(cells) else []

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(max_rows=12, border=0))


def with_clusters(scores: Scores, column: str, labels: Labels, *, fixed: bool, taken: bool = False) -> Scores:
    """The same scores, in clusters, a label a row; `fixed` if they are strata, `taken` if nobody said so.

    Every instance lies in one cluster. One cluster divides nothing, and clusters of one instance each are none.
    """
    if "" in labels.labels:
        row = int((labels.codes == labels.labels.index("")).argmax())
        raise InputError(
            f"The {column} of {describe(scores, row)} is empty. Every row must name its {column}, or leave the column "
            "out (--ignore).",
            source=scores.source,
        )
    item = np.unique(cell_numbers(scores, ("task", "fold", "instance")), return_inverse=True)[1]
    n_items = int(item.max()) + 1
    cluster = np.zeros(n_items, dtype=np.intp)
    cluster[item] = labels.codes
    odd = np.flatnonzero(cluster[item] != labels.codes)
    if len(odd):
        row = int(odd[0])
        own, other = labels.labels[labels.codes[row]], labels.labels[cluster[item[row]]]
        raise InputError(
            f"{describe(scores, row)} lies in {column} {own!r} here and in {other!r} elsewhere. An instance lies in "
            f"one {column}: number the instances anew, or leave the column out (--ignore {column}).",
            source=scores.source,
        )
    count = len(labels.labels)
    if count == 1 and not taken:
        raise InputError(
            f"All instances lie in one {column} ({labels.labels[0]!r}): nothing can be said about another one. Leave "
            f"the column out (--ignore {column}); the conclusion is then about new instances of this {column}.",
            source=scores.source,
        )
    if count in (1, n_items):
        why = "all instances lie in one" if count == 1 else "each instance lies in one of its own"
        return replace(scores, notes=(*scores.notes, f"column {column!r} divides nothing: {why}"))
    if not fixed and not taken and len(scores.instance.labels) == 1 and count < len(scores.task.labels):
        return _grouped(scores, column, labels)
    kind = "strata, a fixed list" if fixed else "clusters, a sample of such"
    note = f"column {column!r} read as {kind}: {count}"
    doubts = scores.doubts
    if taken:
        doubt = CodedWarning(
            "clusters-taken",
            f"Instances that share their {column} are taken to be alike: it is {count} of them that were drawn.",
            f"Say --cluster {column} if so; --strata {column} if they are a fixed list that the conclusion is about; "
            f"--ignore {column} if they have nothing to do with the answers (in Python cluster=, strata=, ignore=).",
        )
        doubts = (*doubts, doubt)
    return replace(scores, clusters=Clusters(column, labels, fixed), notes=(*scores.notes, note), doubts=doubts)


def tasks_in_groups(column: str, n_tasks: int, count: int) -> CodedWarning:
    """The warning where tasks lie in groups and are compared one by one."""
    return CodedWarning(
        "clustered-tasks",
        f"The {n_tasks} tasks lie in {count} groups ({column}). What tasks of one group have in common makes them no "
        "independent draws, and more is claimed than they bear.",
        f"Say --cluster {column} to compare over these groups, each the mean of its tasks; --strata {column} if they "
        f"are a fixed list; --ignore {column} if they have nothing to do with the scores (in Python cluster=, strata=, "
        "ignore=).",
    )


def tasks_named_alike(stems: Sequence[str], n_tasks: int) -> CodedWarning:
    """The warning where the names of all tasks tell that they lie in groups."""
    return CodedWarning(
        "clustered-tasks",
        f"The names of the {n_tasks} tasks are those of {len(stems)} groups with a number ({listing(stems, most=4)}). "
        "What tasks of one group have in common makes them no independent draws, and more is claimed than they bear.",
        "Add a column that names the groups, and say --cluster COLUMN to compare over them, or --ignore COLUMN if they "
        "have nothing to do with the scores (in Python cluster=, ignore=).",
    )


def _grouped(scores: Scores, column: str, labels: Labels) -> Scores:
    """The same scores, where tasks lie in a sample of groups: these stand for tasks, and the tasks for their runs."""
    runs = zip(scores.task.values(), scores.repeat.values(), strict=True)
    repeat = Labels.of(" / ".join(filter(None, run)) for run in runs)
    note = f"tasks of one {column!r} are averaged, as you said: the {len(labels.labels)} of these stand as tasks below"
    return replace(scores, task=labels, repeat=repeat, notes=(*scores.notes, note))


def _clusters_of_rows(clusters: Clusters, rows: NDArray[np.bool_]) -> Clusters | None:
    """The clusters of some rows; none if only one of them is left, which divides nothing."""
    labels = clusters.labels.where(rows)
    return replace(clusters, labels=labels) if len(labels.labels) > 1 else None


def _of_length(n: int, name: str, column: Sized) -> Sized:
    if len(column) != n:
        raise UsageError(f"Column {name!r} has {len(column)} rows, but there are {n} values.")
    return column


def _reordered(column: Labels, wanted: Sequence[str]) -> Labels:
    order = [label for label in wanted if label in column.labels]
    number = np.array([order.index(label) for label in column.labels], dtype=np.intp)
    return Labels(tuple(order), frozen(number[column.codes]))


def _validate(scores: Scores, lines: Sequence[int] | NDArray[np.intp] | None) -> None:
    """Refuse what no analysis could make sense of: no rows, infinities, unknown direction, doubled cells."""

    def line(row: int) -> int | None:
        return None if lines is None else int(lines[row])

    if len(scores) == 0:
        raise InputError("There are no scores: a table with at least one row was expected.", source=scores.source)
    for name in scores.measure.labels:
        if name not in scores.measures:
            raise UsageError(
                f"The direction of measure {name!r} is not known. Say whether larger or smaller values are better "
                "(--larger-is-better or --smaller-is-better; in Python larger_is_better=True or False)."
            )
    infinite = np.flatnonzero(np.isinf(scores.value))
    if len(infinite):
        row = int(infinite[0])
        raise InputError(
            f"The value for {describe(scores, row)} is infinite. Write a finite number, or leave it empty if the "
            f"learner failed there{_and_more(len(infinite))}.",
            source=scores.source,
            line=line(row),
        )
    huge = np.flatnonzero(np.abs(scores.value) > _LARGEST)
    if len(huge):
        row = int(huge[0])
        raise InputError(
            f"The value for {describe(scores, row)} is {scores.value[row]:g}: sums of such values leave the range of "
            f"numbers. Write the values in a larger unit, or leave it empty if the learner failed there"
            f"{_and_more(len(huge))}.",
            source=scores.source,
            line=line(row),
        )
    key = cell_numbers(scores)
    if len(first_rows(key)[0]) < len(key):
        order = np.argsort(key, kind="stable")
        in_order = key[order]
        twice = order[1:][in_order[1:] == in_order[:-1]]
        row = int(twice.min())
        first = int(np.flatnonzero(key == key[row])[0])
        also = f", first on line {line(first)}" if lines is not None else ""
        raise InputError(
            f"There is a second value for {describe(scores, row)}{also}; one value per cell was expected"
            f"{_and_more(len(twice))}. Average them (--average), or add a repeat, fold or instance column "
            "that tells them apart; a second factor beside the learner is named by `bakeoff compare --factor COLUMN`.",
            source=scores.source,
            line=line(row),
        )


def _and_more(count: int) -> str:
    return f" ({count - 1} more like it)" if count > 1 else ""


def cell_numbers(scores: Scores, keys: Sequence[str] = KEYS) -> NDArray[np.int64]:
    """One number a row that is the same for rows with the same labels under `keys`."""
    number, size = np.zeros(len(scores), dtype=np.int64), 1
    for name in keys:
        column: Labels = getattr(scores, name)
        if len(column.labels) <= 1:
            continue
        if size > 2**62 // len(column.labels):
            # Numbered anew, so that the product of many label counts cannot overflow.
            number = np.unique(number, return_inverse=True)[1].astype(np.int64)
            size = int(number.max()) + 1
        number, size = number * len(column.labels) + column.codes, size * len(column.labels)
    return number


def first_rows(numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The row in which each different number first stands, in the order of the rows, and the place of each row's number
    among them.

    >>> first_rows(np.array([7, 3, 7, 5]))
    (array([0, 1, 3]), array([0, 1, 0, 2]))
    """
    n = len(numbers)
    if n and numbers.min() >= 0 and numbers.max() <= _DENSE * n:  # as numbers of cells are: no need to sort them
        seen = np.full(int(numbers.max()) + 1, -1, dtype=np.intp)
        seen[numbers[::-1]] = np.arange(n - 1, -1, -1)
        is_first = np.zeros(n, dtype=bool)
        is_first[seen[seen >= 0]] = True
        first = np.flatnonzero(is_first)
        seen[numbers[first]] = np.arange(len(first))
        return first, seen[numbers]
    _, first, member = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[member]


_DENSE = 4


def describe(scores: Scores, row: int) -> str:
    """The cell of a row in words: learner 'svm', task 'iris', fold '3'."""
    parts = []
    for name in ("learner", "task", "repeat", "fold", "instance", "measure"):
        column: Labels = getattr(scores, name)
        label = column.labels[column.codes[row]]
        if label and not (name == "measure" and len(column.labels) == 1):
            parts.append(f"{name} {label!r}")
    return ", ".join(parts)


# ----------------------------------------------------------------------------------------------------------------------
# The long form: all values of one measure in one column, with the labels of their learners and tasks.


TextColumn = NDArray[np.str_]


def long_form(scores: Scores) -> tuple[NDArray[np.float64], TextColumn, TextColumn]:
    """A value for each learner on each resample of each task; instances are averaged, missing values left out.

    >>> from bakeoff.measures import known_measure
    >>> made = Scores.of([0.9, 0.8, 0.7], learner=["a", "b", "a"], task=["t", "t", "u"], fold=["1", "1", "1"],
    ...                  measures={"auc": known_measure("auc")})
    >>> [part.tolist() for part in long_form(made)]
    [[0.9, 0.7, 0.8], ['a', 'a', 'b'], ['t', 'u', 't']]
    """
    have = ~np.isnan(scores.value)
    split = np.unique(cell_numbers(scores, ("task", "repeat", "fold")), return_inverse=True)[1]
    cell = scores.learner.codes[have] * (int(split.max(initial=0)) + 1) + split[have]
    _, first, member = np.unique(cell, return_index=True, return_inverse=True)
    values = np.bincount(member, weights=scores.value[have]) / np.bincount(member)
    learner, task = (np.array(factor.labels)[factor.codes[have][first]] for factor in (scores.learner, scores.task))
    return values, learner, task
