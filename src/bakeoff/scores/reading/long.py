"""Long tables: a row per score, or a row per run with a column for each measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.measures import Measure, known_measure
from bakeoff.measures.measure import canonical_name, normalise_name
from bakeoff.scores.design import COLUMN, NOT_KNOWN, Design, Problem, design_from, joint
from bakeoff.scores.reading.choices import drop_apparent_rows
from bakeoff.scores.reading.headers import (
    CLUSTER,
    KEYS,
    LONG_ROLES,
    POINTS_OF_A_CURVE,
    SIZES,
    HeaderRoles,
    directed,
    key_columns,
    matching_measures,
    points_of_a_curve,
    recognise,
    role_of,
    rows_of_measure,
    size_columns,
    with_range,
)
from bakeoff.scores.reading.raw import RawTable, in_order, is_missing
from bakeoff.scores.reading.shape import IN_WORDS, LONG, UNNAMED, combinations, settled
from bakeoff.scores.table import NO_VALUE, OK, Labels, Scores, frozen
from bakeoff.text import listing

# ----------------------------------------------------------------------------------------------------------------------
# Counts of right or wrong answers beside the size of the test set: they are read as the rates that they stand for.


_COUNTS = {
    "accuracy": "correct n_correct num_correct correct_count right n_right hits n_hits",
    "error": (
        "errors n_errors num_errors error_count wrong n_wrong num_wrong incorrect n_incorrect mistakes n_mistakes "
        "misclassified n_misclassified misclassifications"
    ),
}
_RATE_OF = {count: rate for rate, counts in _COUNTS.items() for count in counts.split()}


def counts_as_rates(table: RawTable) -> tuple[RawTable, tuple[str, ...]]:
    """The table with a rate in place of each column of counts, and notes; without n_test it is left as it is.

    >>> from bakeoff.scores.table import Labels
    >>> cells = {"model": ["svm"], "correct": ["750"], "n_test": ["1000"]}
    >>> made, notes = counts_as_rates(RawTable("t", tuple(cells), tuple(map(Labels.of, cells.values()))))
    >>> made.names, made.numbers("accuracy").tolist(), notes
    (('model', 'accuracy', 'n_test'), [0.75], ("column 'correct' counts some of 'n_test': read as accuracy",))
    """
    size = next((name for name in table.names if role_of(name) == "n_test"), None)
    counted = [name for name in table.names if normalise_name(name) in _RATE_OF and _may_count(table, name)]
    if size is None or not counted:
        return table, ()
    notes = []
    there = {canonical_name(name) for name in table.names if name not in counted}
    for name in counted:
        rate = _RATE_OF[normalise_name(name)]
        if rate in there:  # it says the same, and under the name of a measure
            continue
        there.add(rate)
        table = _as_rate(table, name, rate, size)
        notes.append(f"column {name!r} counts some of {size!r}: read as {rate}")
    return table, tuple(notes)


def _may_count(table: RawTable, name: str) -> bool:
    """Whether a column may hold counts. What also names a rate ("correct") does if whole, and above 1 somewhere."""
    if not table.holds_numbers(name):
        return False
    if canonical_name(name) is None:
        return True
    values = table.numbers(name)
    values = values[~np.isnan(values)]
    return bool((values == np.floor(values)).all() and (values > 1).any())


def _as_rate(table: RawTable, name: str, rate: str, size: str) -> RawTable:
    counts, sizes = table.numbers(name), table.numbers(size)
    wrong = np.flatnonzero((counts < 0) | (counts > sizes) | (counts != np.floor(counts)) & ~np.isnan(counts))
    if len(wrong):
        row = int(wrong[0])
        raise table.error(
            f"A count of the {sizes[row]:g} instances in {size!r} was expected, but {counts[row]:g} was found. If "
            f"these are rates, call the column {rate!r}.",
            row=row,
            column=name,
        )
    with np.errstate(divide="ignore", invalid="ignore"):  # sizes of 0 are refused where sizes are read
        column = counts / sizes
    names = tuple(rate if other == name else other for other in table.names)
    return replace(table.with_column(name, column), names=names)


# ----------------------------------------------------------------------------------------------------------------------
# The column that says what the rows of a table were drawn from, as bakeoff writes it beside scores of a study.


def pop_design_column(table: RawTable) -> tuple[RawTable, Design, tuple[str, ...]]:
    """The table without its column of designs, the design, and notes.

    A column of that name which says something else, or nothing in some rows, is left where it is: what it means is not
    known, and the rows are read as their labels say.

    >>> from bakeoff.scores.table import Labels
    >>> design = Labels.of(["real world: this learning sample"])
    >>> pop_design_column(RawTable("t", ("learner", "design"), (Labels.of(["svm"]), design)))[2]
    ("learning samples are draws, conditional on this learning sample (column 'design')",)
    """
    name = next((name for name in table.names if normalise_name(name) == COLUMN), None)
    if name is None:
        return table, Design(), ()
    designs_read = [design_from(label) for label in table.labels(name).labels]
    designs = [design for design in designs_read if design is not None]
    kinds = {(design.independent, design.splitting) for design in designs}
    if len(designs) < len(designs_read) or len(kinds) != 1:
        return table, Design(), ()
    design = Design(joint([each.problem for each in designs]), *kinds.pop())
    notes = []
    if design.problem is not None:
        on = design.problem.conditional_on
        notes.append(f"learning samples are draws, conditional on {on} (column {name!r})")
    if design.independent:
        notes.append(f"learners are independent samples (column {name!r})")
    notes += [f"{part} (column {name!r})" for part in design.splitting.words]
    return table.without(name), design, tuple(notes)


def problems_of_tasks(table: RawTable, task: str | None) -> tuple[tuple[str, Problem | None], ...]:
    """The problem of each task by the column of designs, where they differ. `task` is the column of tasks."""
    name = next((name for name in table.names if normalise_name(name) == COLUMN), None)
    if name is None or task is None:
        return ()
    tasks, cells = table.labels(task), table.labels(name)
    designs = [design_from(label) or Design() for label in cells.labels]
    problems = {tasks.labels[t]: designs[c].problem for t, c in zip(tasks.codes, cells.codes, strict=True)}
    return tuple(problems.items()) if len(set(problems.values())) > 1 else ()


# ----------------------------------------------------------------------------------------------------------------------
# Rows that failed, as a status column, an error message or an empty cell says so.
#
# A status other than "ok", "success", "finished" and the like is a failure, and its value does not count even if
# there is one: a run that timed out leaves numbers that nobody should compare. It is kept as a row without a value.


FAILED = "failed"
_FINE = {"ok", "okay", "success", "successful", "succeeded", "finished", "done", "complete", "completed", "passed"}
_FINE |= {"true", "yes", "1"}


def is_fine(status: str) -> bool:
    """Whether a status says that all went well; an empty one says nothing against it.

    >>> is_fine("Success"), is_fine(""), is_fine("timeout")
    (True, True, False)
    """
    return is_missing(status) or normalise_name(status) in _FINE


def failed_rows(
    table: RawTable,
    values: NDArray[np.float64],
    status_column: str | None,
    message_column: str | None,
) -> tuple[NDArray[np.float64], Labels, Labels | None, tuple[str, ...]]:
    """Values without those of failed rows, a status and a message per value, and notes.

    The rows of the table may stand several times in `values`, once for each measure.
    """
    if status_column is None and message_column is None and not np.isnan(values).any():
        return values, Labels.constant(OK, len(values)), None, ()
    times = len(values) // table.n_rows
    status = _labels(table, status_column, times)
    message = _labels(table, message_column, times)
    failed = ~np.array([is_fine(label) for label in status.labels])[status.codes]
    said_why = np.array([bool(label) for label in message.labels])[message.codes]

    empty = np.isnan(values)
    notes = []
    unused = int((failed & ~empty).sum())
    if unused:
        notes.append(
            f"{unused} row{'s' * (unused != 1)} with a value did not succeed according to column "
            f"{status_column!r}: the value is not used"
        )
        values = np.where(failed, np.nan, values)
    words = [OK, NO_VALUE, FAILED, *status.labels]
    codes = np.where(failed, 3 + status.codes, np.where(empty, np.where(said_why, 2, 1), 0))
    return values, in_order(words, codes.astype(np.intp)), message, tuple(notes)


def _labels(table: RawTable, column: str | None, times: int) -> Labels:
    if column is None:
        return Labels.constant("", times * table.n_rows)
    labels = table.labels(column)
    # Writers differ in what they put where there is nothing to say: NaN, None, an empty cell.
    clean = Labels.of("" if is_missing(label) else label for label in labels.labels)
    return Labels(clean.labels, frozen(np.tile(clean.codes[labels.codes], times)))


# ----------------------------------------------------------------------------------------------------------------------


def read_long(table: RawTable, *, measures: Sequence[str] = (), larger_is_better: bool | None = None) -> Scores:
    """The scores in a long table; of several measures those named, or all.

    >>> table = RawTable("t.csv", ("model", "acc"), (Labels.of(["svm", "knn"]), Labels.of(["0.9", "0.8"])))
    >>> read_long(table)
    <Scores: 2 rows, 2 learners, 1 task, acc>
    """
    whole = table
    table, design, design_notes = pop_design_column(table)
    table, role_notes = drop_apparent_rows(table)
    table, count_notes = counts_as_rates(table)
    roles = recognise(table, LONG_ROLES)
    if roles.get("learner") is None:
        raise table.error(
            "A long table needs a column that names the learners, but there is no column 'learner', 'model', "
            f"'classifier' or the like (the columns are {_quoted(table.names)})."
        )
    table = rows_of_measure(table, roles, measures)
    columns = _value_columns(table, roles, measures)
    times = len(columns.names)
    used = ("learner", *KEYS, CLUSTER, "measure")
    keys = {role: _tiled(column, times) for role, column in key_columns(table, roles, used).items()}
    by_row = keys.pop("measure", None)
    if by_row is None:
        by_row = Labels(columns.measures, frozen(np.repeat(np.arange(times), table.n_rows)))
    values = np.concatenate([table.numbers(name) for name in columns.names])
    values, status, message, failure_notes = failed_rows(table, values, roles.get("status"), columns.message)
    measures_known = directed(by_row.labels, larger_is_better, table.directions)
    if table.of_scorers:
        measures_known = {name: Measure(name, True, origin=_SCORERS) for name in by_row.labels} | measures_known
    if table.scales_differ:
        measures_known = {name: replace(measure, by_task=True) for name, measure in measures_known.items()}
    described, range_notes = with_range(measures_known, by_row, values)
    sizes = {role: np.tile(column, times) for role, column in size_columns(table, roles).items()}
    about_columns = (*table.notes, f"read as {IN_WORDS[LONG]}", *roles.notes, *columns.notes, *role_notes, *count_notes)
    try:
        scores = Scores.of(
            values,
            learner=keys["learner"],
            task=keys.get("task"),
            repeat=keys.get("repeat"),
            fold=keys.get("fold"),
            instance=keys.get("instance"),
            measure=by_row,
            measures=described,
            n_train=sizes.get("n_train"),
            n_test=sizes.get("n_test"),
            status=status,
            message=message,
            source=table.source,
            notes=(*about_columns, *design_notes, *failure_notes, *range_notes),
            lines=None if table.lines is None else np.tile(table.lines, times),
        )
    except InputError:
        # What tells cells apart may be taken for something else, as a cluster or the size of a sample.
        taken = [name for role in (CLUSTER, *SIZES) if (name := roles.get(role)) is not None]
        own = [column for role, column in keys.items() if role != CLUSTER]
        own += [by_row] if roles.get("measure") else []
        _refuse_told_apart(table, own, [*taken, *columns.left], roles.get(CLUSTER))
        raise
    splitting = table.splitting if design.splitting == NOT_KNOWN else design.splitting
    independent = design.independent or table.unpaired
    scores = replace(scores, problem=design.problem, independent=independent, splitting=splitting)
    if design.problem is not None:
        scores = replace(scores, problems=problems_of_tasks(whole, roles.get("task")))
    return settled(replace(scores, provenance=table.provenance), table, keys.get(CLUSTER))


_SCORERS = "as of all scorers of scikit-learn"


def _tiled(column: Labels, times: int) -> Labels:
    return column if times == 1 else Labels(column.labels, frozen(np.tile(column.codes, times)))


@dataclass(frozen=True)
class ValueColumns:
    """The columns that hold values, the measure that each is about, and the column with error messages."""

    names: tuple[str, ...]
    measures: tuple[str, ...]
    message: str | None
    left: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"ignored: {listing([repr(name) for name in self.left])}",) if self.left else ()


def _value_columns(table: RawTable, roles: HeaderRoles, measures: Sequence[str]) -> ValueColumns:
    others = tuple(name for name in roles.others(table) if name)
    named = [name for name in others if known_measure(name)]
    # A column "error" without a number in it is a message, a "time" a date: not what their names would measure.
    numeric = [name for name in named if table.holds_numbers(name)]
    # Where every run failed there is no number at all: that is a result, and not the absence of one.
    numeric = numeric or [name for name in named if table.is_empty(name)]
    message = roles.get("message")
    if message is None:
        message = next((name for name in named if name not in numeric and normalise_name(name) == "error"), None)
    if roles.get("measure"):
        chosen = {"": _needed(table, roles)}
    elif measures:
        # Of several, each must have a column of its own; one alone may also name the column of values.
        own = {name: next(iter(matching_measures(name, others)), None) for name in measures}
        chosen = {name: column or _needed(table, roles, name, len(measures) == 1) for name, column in own.items()}
        _refuse_twice(chosen)
    else:
        value = roles.get("value")
        chosen = {UNNAMED: value} if value else {}
        chosen |= {name: name for name in numeric}
        if not chosen:
            _needed(table, roles)
    left = [name for name in others if name not in chosen.values() and name != message]
    return ValueColumns(
        names=tuple(chosen.values()),
        measures=tuple(chosen),
        message=message,
        left=tuple(left),
    )


def _refuse_told_apart(table: RawTable, keys: Sequence[Labels], left: Sequence[str], cluster: str | None) -> None:
    """Cells with several values that columns without a role would tell apart: they are named, and what they may be."""
    n = table.n_rows
    own = [Labels(column.labels, column.codes[:n]) for column in keys]
    if combinations(own, n) == n:
        return
    telling = [[name] for name in left if combinations([*own, table.labels(name)], n) == n]
    if left and not telling and combinations([*own, *map(table.labels, left)], n) == n:
        telling = [list(left)]
    if not telling:
        return
    names = telling[0]
    if normalise_name(names[0]) in POINTS_OF_A_CURVE:
        raise points_of_a_curve(table, names[0])
    if role_of(names[0]) == "n_train":
        raise table.error(
            "The column holds sizes of training sets, which make a learning curve of one learner: keep the rows of one "
            f"size (--where {names[0]}=…), or say --factor {names[0]} for what the size does.",
            column=names[0],
        )
    within = [name for name in names if name != cluster]
    if cluster in names and len(within) == 1:
        raise table.error(
            f"A learner has several values in a {cluster!r}, which column {within[0]!r} tells apart. If these are what "
            f"was observed of it, say --columns instance={within[0]} (in Python columns=)."
        )
    those = f"column {names[0]!r} tells" if len(names) == 1 else f"columns {_quoted(names)} tell"
    raise table.error(
        f"A learner has several values, which {those} apart, and what that is is not known. Say --columns "
        f"repeat={names[0]} if it numbers runs, or fold=, instance= or task= if it names these (in Python columns=); "
        f"keep the rows of one value of it (--where {names[0]}=…); if it is a setting, write it into the name of the "
        f"learner, or say --factor {names[0]}."
    )


def _refuse_twice(chosen: Mapping[str, str]) -> None:
    for name, column in chosen.items():
        for other in chosen:
            if other != name and chosen[other] == column:
                raise UsageError(f"{name!r} and {other!r} are the same measure: name it once.")


def _needed(table: RawTable, roles: HeaderRoles, measure: str | None = None, alone: bool = True) -> str:
    """The value column, or an error that says what would do as one."""
    value = roles.get("value")
    if value is not None and alone:
        return value
    others = [name for name in roles.others(table) if name]
    if measure is not None:
        raise UsageError(
            f"There is no measure {measure!r} in {table.source}: neither a column 'value' or 'score' that it could "
            f"name, nor a column of that name. {nearest(measure, others)} If these are data sets, turn the table round "
            "(--transpose)."
        )
    if roles.get("measure"):
        raise table.error(
            f"The column {roles.get('measure')!r} names measures, but there is no column 'value' or 'score' "
            f"with their values (the columns are {_quoted(table.names)})."
        )
    raise table.error(
        f"The column {roles.get('learner')!r} names learners, but nothing holds their scores: a column 'value' or "
        "'score', or columns named after measures ('accuracy', 'auc', 'fit_time'), were expected, and the rest is "
        f"{_quoted(others) or 'nothing'}. Name the column that counts (--measure NAME; in Python measure=NAME), "
        "or turn the table round (--transpose) if its columns are data sets."
    )


def _quoted(names: Sequence[str]) -> str:
    return listing([repr(name) for name in names], most=12)
