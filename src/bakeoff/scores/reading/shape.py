"""Long, wide or predictions: told by the headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.measures import Measure, known_measure
from bakeoff.measures.measure import normalise_name
from bakeoff.scores.blocks import over_clusters
from bakeoff.scores.reading.headers import (
    CLUSTER,
    KEYS,
    PREDICTION_ROLES,
    key_columns,
    recognise,
    role_of,
    weak_role_of,
)
from bakeoff.scores.reading.raw import RawTable, at_rows, is_missing, is_number, parse_numbers
from bakeoff.scores.table import NO_VALUE, OK, Labels, Scores, cell_numbers, describe, frozen, with_clusters
from bakeoff.text import CodedWarning, listing

# ----------------------------------------------------------------------------------------------------------------------
# Answers: a truth and predictions beside it, seen as labels or as numbers.


_BOOLEAN = {"true": "1", "false": "0"}
_MAY_BE_A_CLASS = frozenset({"none", "-", "?"})  # they mean "missing" among numbers only


def spelled_once(label: str) -> str:
    """A label in one spelling for equal numbers, and as it is otherwise.

    >>> spelled_once("1.0"), spelled_once("+1"), spelled_once("2.50"), spelled_once("cat")
    ('1', '1', '2.5', 'cat')
    """
    try:
        number = float(label)
    except ValueError:
        return label
    if not isfinite(number) or "_" in label:
        return label
    return str(int(number)) if number.is_integer() else repr(number)


@dataclass(frozen=True, eq=False)
class PredictionColumns:
    """The column of the truth and those of the learners. Labels compare as text, and numbers by what they are worth."""

    table: RawTable
    truth: str
    learners: tuple[str, ...]
    _numbers: dict[str, NDArray[np.float64] | None] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels of the truth; empty if it holds numbers that are not whole, which are no classes."""
        if not _whole(self.table, self.truth):
            return frozenset()
        return frozenset(map(self.canonical, self.table.labels(self.truth).labels))

    @cached_property
    def two_valued(self) -> bool:
        """Whether the truth is 0 or 1, or true or false."""
        if not _whole(self.table, self.truth):
            return False
        labels = {spelled_once(label).lower() for label in self.table.labels(self.truth).labels}
        return labels <= {"0", "1"} or labels <= set(_BOOLEAN)

    def canonical(self, label: str) -> str:
        label = spelled_once(label)
        return _BOOLEAN.get(label.lower(), label) if self.two_valued else label

    def are_labels(self, learner: str) -> bool:
        """Whether every prediction of a learner is one of the labels of the truth."""
        if not self.labels or not _whole(self.table, learner):
            return False
        labels = self.table.labels(learner).labels
        return all(self.canonical(label) in self.labels or is_missing(label) for label in labels)

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """A column as numbers; None if it holds text."""
        if name not in self._numbers:
            self._numbers[name] = self._parse(name)
        return self._numbers[name]

    def _parse(self, name: str) -> NDArray[np.float64] | None:
        column = self.table.column(name)
        if not isinstance(column, Labels):
            return column.astype(np.float64)
        values, wrong = parse_numbers(column.labels, decimal_comma=self.table.decimal_comma)
        for position in wrong:
            label = self.canonical(column.labels[position].strip())
            if label not in _BOOLEAN.values():
                return None
            values[position] = float(label)
        return np.asarray(values[column.codes])

    def codes(self, name: str, numbering: dict[str, int]) -> NDArray[np.float64]:
        """The numbers of a column's labels, NaN where a prediction is missing. New labels are added to `numbering`."""
        column = self.table.labels(name)
        truths = frozenset(map(self.canonical, self.table.labels(self.truth).labels))
        numbers = np.empty(len(column.labels))
        for position, label in enumerate(column.labels):
            label = self.canonical(label)
            lost = is_missing(label) and label not in truths
            numbers[position] = np.nan if lost else numbering.setdefault(label, len(numbering))
        return np.asarray(numbers[column.codes])


def refuse_missing_truth(table: RawTable, name: str) -> None:
    """Nothing can be said about a prediction whose truth is not known."""
    column = table.column(name)
    if isinstance(column, Labels):
        numeric = any(is_number(label, decimal_comma=table.decimal_comma) for label in column.labels)
        lost = [
            code
            for code, label in enumerate(column.labels)
            if is_missing(label) and (numeric or label.strip().lower() not in _MAY_BE_A_CLASS)
        ]
        rows = np.flatnonzero(np.isin(column.codes, lost))
    else:
        rows = np.flatnonzero(np.isnan(column.astype(np.float64)))
    if len(rows):
        more = f" ({len(rows) - 1} more rows like it)" if len(rows) > 1 else ""
        raise table.error(
            f"The truth is missing in this row{more}, so no prediction can be scored. Fill it in or leave the row out.",
            row=int(rows[0]),
            column=name,
        )


def _whole(table: RawTable, name: str) -> bool:
    """Whether no number in a column has a fraction."""
    column = table.column(name)
    if not isinstance(column, Labels):
        if column.dtype.kind != "f":
            return True
        values = column.astype(np.float64)
        values = values[~np.isnan(values)]
        return bool((values == np.floor(values)).all())
    return all(not is_number(label, decimal_comma=table.decimal_comma) or _is_whole(label) for label in column.labels)


def _is_whole(label: str) -> bool:
    try:
        return float(label).is_integer()
    except ValueError:  # a decimal comma
        return False


# ----------------------------------------------------------------------------------------------------------------------
# From a matrix with a column per learner to Scores; wide tables and predictions both end here.


def scores_of_matrix(
    table: RawTable,
    values: NDArray[np.float64],
    learners: Sequence[str],
    keys: Mapping[str, Labels],
    *,
    measure: Labels,
    measures: Mapping[str, Measure],
    n_train: NDArray[np.float64] | None = None,
    n_test: NDArray[np.float64] | None = None,
    notes: Sequence[str] = (),
) -> Scores:
    """Scores in the order of the rows. Labels are never spelled out cell by cell: there may be millions."""
    n, k = values.shape
    value = values.reshape(-1)

    def each(column: Labels | None) -> Labels | None:
        return None if column is None else Labels(column.labels, frozen(np.repeat(column.codes, k)))

    def sizes(column: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        return None if column is None else np.repeat(column, k)

    scores = Scores.of(
        value,
        learner=Labels(tuple(learners), frozen(np.tile(np.arange(k), n))),
        task=each(keys.get("task")),
        repeat=each(keys.get("repeat")),
        fold=each(keys.get("fold")),
        instance=each(keys.get("instance")),
        measure=each(measure),
        measures=measures,
        n_train=sizes(n_train),
        n_test=sizes(n_test),
        status=status_of(value),
        source=table.source,
        notes=notes,
        lines=None if table.lines is None else np.repeat(table.lines, k),
    )
    return settled(replace(scores, splitting=table.splitting), table, each(keys.get(CLUSTER)))


def settled(scores: Scores, table: RawTable, cluster: Labels | None) -> Scores:
    """The scores with what was settled about their table before its headers were read; `cluster` has a label a row."""
    scores = replace(scores, ordered=table.ordered, doubts=(*table.doubts, *mixed_scales(scores)))
    if cluster is None:
        return scores
    clustered = with_clusters(scores, table.roles[CLUSTER], cluster, fixed=table.strata, taken=table.cluster_is_taken)
    item = cell_numbers(clustered, ("task", "instance"))
    shared = len(np.unique(item)) < len(np.unique(cell_numbers(clustered, ("task", "instance", "learner"))))
    return clustered if shared else over_clusters(clustered)


def mixed_scales(scores: Scores) -> Iterator[CodedWarning]:
    """Values that look like per cent among shares, or shares among per cent, with the cells that hold them."""
    for code, name in enumerate(scores.measure.labels):
        rows = np.flatnonzero((scores.measure.codes == code) & np.isfinite(scores.value))
        odd, unit = _off_scale(scores, rows, scores.measures[name])
        if not len(odd):
            continue
        cells = [f"{scores.value[row]:g} ({describe(scores, int(row))})" for row in odd[:_MOST_CELLS]]
        more = f" and {len(odd) - _MOST_CELLS} more" * (len(odd) > _MOST_CELLS)
        yield CodedWarning(
            "mixed-scales",
            f"Some values of {name} look like {unit} among others that are not: {'; '.join(cells)}{more}.",
            "Write all of them in one unit.",
        )


def _off_scale(scores: Scores, rows: NDArray[np.intp], measure: Measure) -> tuple[NDArray[np.intp], str]:
    """The rows whose values are in another unit than most, and which unit that is."""
    values = scores.value[rows]
    usual = known_measure(measure.name)
    is_share = usual is not None and (usual.lower, usual.upper) == (0, 1)
    share, beyond = (values > 0) & (values <= 1), values > _NO_SHARE
    if not is_share:
        # A measure without a known range may have long tails, and a gap as wide as that from shares to per cent.
        apart = usual is None and values.min(initial=0) >= 0 and values.max(initial=0) <= 100
        wide_gap = apart and not ((values > 1) & (values < _LEAST_PER_CENT)).any()
        few = beyond.any() and share.sum() > 3 * beyond.sum()
        return (rows[beyond] if wide_gap and few else rows[:0]), "per cent"
    if not beyond.any() or not share.any():
        return rows[:0], ""
    if share.sum() > beyond.sum():
        return rows[beyond], "per cent"
    # A small error in per cent is below 1, too; but not all errors of a learner are, nor accuracies among 80 and 90.
    odd = share & (np.median(values[beyond]) > _LEAST_PER_CENT) & measure.larger_is_better
    for learner in np.unique(scores.learner.codes[rows]):
        own = scores.learner.codes[rows] == learner
        if (share | (values == 0))[own].all() and beyond[~own].all():
            odd |= own & share
    return rows[odd], "shares"


_NO_SHARE, _LEAST_PER_CENT, _MOST_CELLS = 1.5, 20, 5


def status_of(value: NDArray[np.float64]) -> Labels:
    """ "ok" where there is a value, "missing" where there is none.

    >>> status_of(np.array([1.0, np.nan])).values()
    ['ok', 'missing']
    """
    missing = np.isnan(value)
    if not missing.any():
        return Labels.constant(OK, len(value))
    if missing.all():
        return Labels.constant(NO_VALUE, len(value))
    first_is_missing = bool(missing[0])
    labels = (NO_VALUE, OK) if first_is_missing else (OK, NO_VALUE)
    return Labels(labels, frozen((missing != first_is_missing).astype(np.intp)))


def numbered(length: int) -> Labels:
    """Rows numbered from 1.

    >>> numbered(3).labels
    ('1', '2', '3')
    """
    return Labels(tuple(map(str, range(1, length + 1))), frozen(np.arange(length, dtype=np.intp)))


def unnamed_instances(table: RawTable, role: str) -> UsageError:
    """The refusal of repeats whose rows cannot be told to be of the same instances: each would count several times."""
    return UsageError(
        f"Which rows of {table.source} are about the same instance? A column numbers the {role}s, so that an instance "
        "may stand in several of them, and none names the instances. Add a column 'instance' that names them, or keep "
        f"one {role} only."
    )


def combinations(columns: Sequence[Labels], length: int) -> int:
    """How many different combinations of labels the rows have.

    >>> combinations([Labels.of(["iris", "iris"]), Labels.of(["1", "2"])], 2)
    2
    """
    return int(_groups(columns, length).max()) + 1


def _groups(columns: Sequence[Labels], length: int) -> NDArray[np.intp]:
    """One number a row, from 0, the same for rows with the same labels."""
    group = np.zeros(length, dtype=np.intp)
    for column in columns:
        # Numbered anew at each step, so that the product of many label counts cannot overflow.
        group = np.unique(group * len(column.labels) + column.codes, return_inverse=True)[1]
    return group


def numbered_within(groups: Sequence[Labels], length: int) -> Labels:
    """Rows numbered from 1 within each group of rows that share their labels.

    >>> numbered_within([Labels.of(["iris", "iris", "wine", "wine"])], 4).values()
    ['1', '2', '1', '2']
    """
    group = _groups(groups, length)
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    position = np.empty(length, dtype=np.intp)
    position[order] = np.arange(length) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # Numbers appear in their order: n + 1 can only follow n within a group.
    return Labels(tuple(map(str, range(1, int(sizes.max()) + 1))), frozen(position))


# ----------------------------------------------------------------------------------------------------------------------


LONG, WIDE, PREDICTIONS = "long", "wide", "predictions"
SHAPES = (LONG, WIDE, PREDICTIONS)
UNNAMED = "score"  # the measure of a table that does not name one
ROWS = ("tasks", "folds", "runs", "instances")
IN_WORDS = {
    LONG: "a long table, a row per score",
    WIDE: "a wide table, a column per learner",
    PREDICTIONS: "predictions, a column per learner beside the truth",
}


def refuse_rows(source: str, shape: str, rows: str) -> None:
    """What the rows are is a question about wide tables only: elsewhere the answer would be lost without a word."""
    if shape == WIDE or (shape == PREDICTIONS and rows == "instances"):
        return
    raise UsageError(
        f"--rows {rows} says what the rows of a wide table are, but {source} was read as {IN_WORDS[shape]}. "
        "Leave --rows out, or say --shape wide."
    )


def shape_of(table: RawTable, rows: str | None = None) -> str:
    """The shape of a table: a learner column makes it long, a truth column predictions, and else it is wide.

    >>> from bakeoff.scores.table import Labels
    >>> shape_of(RawTable("t", ("model", "acc"), (Labels.of(["svm"]), Labels.of(["1"]))))
    'long'
    >>> shape_of(RawTable("t", ("dataset", "svm"), (Labels.of(["iris"]), Labels.of(["1"]))))
    'wide'
    """
    if "learner" in table.roles or any(role_of(name) == "learner" for name in table.names):
        return LONG
    if rows in ("tasks", "folds", "runs"):
        return WIDE
    if any(role_of(name) == "truth" for name in table.names):
        _refuse_unclear_truth(table)
        return PREDICTIONS
    weak = any(weak_role_of(name) == "truth" for name in table.names)
    return PREDICTIONS if weak and not _a_row_per_task_or_split(table) else WIDE


def _refuse_unclear_truth(table: RawTable) -> None:
    """A row of numbers per task with a column "y" in it: scores of a learner called y, or one prediction a task?"""
    roles = recognise(table, PREDICTION_ROLES)
    keys = key_columns(table, roles)
    if set(keys) != {"task"} or table.n_rows < 2 or combinations([keys["task"]], table.n_rows) < table.n_rows:
        return
    truth = roles.column["truth"]
    answers = PredictionColumns(
        table, truth, tuple(name for name in roles.others(table) if name and weak_role_of(name) is None)
    )
    if any(answers.numbers(name) is None for name in (truth, *answers.learners)):
        return
    if all(map(answers.are_labels, answers.learners)):
        return
    raise UsageError(
        f"Is column {truth!r} of {table.source} a learner, or the truth? Every row is another {roles.column['task']}, "
        "as in a table of scores. Say --shape wide if it is a learner, or --shape predictions if it is the truth and "
        "the others are predictions of it (in Python shape='wide' or shape='predictions')."
    )


def _a_row_per_task_or_split(table: RawTable) -> bool:
    """Whether task, repeat and fold number the rows: then "reference" is a learner and not the truth."""
    roles = recognise(table, KEYS)
    if roles.get("instance"):
        return False
    keys = key_columns(table, roles)
    if not keys:
        return False
    return combinations(list(keys.values()), table.n_rows) == table.n_rows


# ----------------------------------------------------------------------------------------------------------------------
# Tables whose columns are what a row should be: splits of a search, learners and measures, folds or seeds.


Columns = dict[str, Labels | NDArray[np.generic]]


def melted(table: RawTable) -> RawTable:
    """The table with a row for each learner and run, where several of them stand in one row."""
    return _melted_runs(_melted_splits(_melted_pairs(table)))


# "score" and "confidence" are no probabilities of a class.
_PROBABILITY = re.compile(
    r"(y_?|pred_|predicted_)?(prob|probs|proba|probability|probabilities)(_1|_positive)?|y_?score|p_?1"
)


def names_probabilities(name: str) -> bool:
    """Whether a header names a column of probabilities of the positive class.

    >>> names_probabilities("y_prob"), names_probabilities("Predicted probability"), names_probabilities("score")
    (True, True, False)
    """
    return _PROBABILITY.fullmatch(normalise_name(name)) is not None


def prediction_columns(table: RawTable) -> tuple[dict[str | None, str], str | None]:
    """The columns by their roles, and that of the predictions, or else of probabilities, if the table has a row for
    each of them with its learner and the truth, and no scores."""
    role = {role_of(name): name for name in table.names}
    role.update(table.roles)
    column = role.get("prediction") or next(filter(names_probabilities, table.names), None)
    scored = any(known_measure(name) and name != column and table.holds_numbers(name) for name in table.names)
    if not {"learner", "truth"} <= set(role) or {"value", "measure"} & set(role) or scored:
        return role, None
    return role, column


def spread_predictions(table: RawTable, keep: Callable[[str], bool]) -> RawTable:
    """A row a prediction, with its learner and the truth beside it, as a row an instance with a column a learner.

    Then whatever can be asked of predictions can be asked of these. The table stays as it is where learners were not
    asked the same, where their names would be taken for something else, and where more is told of a row than its
    instance. Columns that are no key go, but for those to `keep`.
    """
    role, column = prediction_columns(table)
    likely = list(filter(names_probabilities, table.names))
    if column is None or {"status", "split"} & set(role):
        return table
    learners, k = table.labels(role["learner"]), len(table.labels(role["learner"]).labels)
    if k < 2 or any(map(_is_no_column, learners.labels)) or set(learners.labels) & set(table.names):
        return table
    parts, length = (column, *likely, role["learner"], role["truth"]), table.n_rows
    keys = [name for name in table.names if name not in parts and (_is_key(name) or name in table.roles.values())]
    kept = [role["truth"], *(name for name in table.names if keep(name) and name not in (*keys, *parts))]
    places, notes = [table.labels(name) for name in keys], [f"{column!r} is what each {role['learner']!r} predicted"]
    number = Labels.constant("", length)
    also = [table.labels(name) for name in kept[1:]]
    if combinations([learners, *places], length) < length == combinations([learners, *places, *also], length):
        places += also  # a time of each
    elif combinations([learners, *places], length) < length and not any(map(_is_instance, keys)):
        number = numbered_within([learners, *places], length)
        notes.append("each learner has the same truth in the same order: its rows are the same instances")
    row = _groups([*places, number], length)
    n = int(row.max()) + 1
    alike = all(combinations([*places, number, table.labels(name)], length) == n for name in kept)
    complete = length == n * k == len(np.unique(row * k + learners.codes))
    if not alike or not complete or len(table.labels(role["truth"]).labels) < 2:
        return table
    # In the order in which the first learner has them, which may be that of time.
    first = np.flatnonzero(learners.codes == 0)
    cell = np.empty((k, n), dtype=np.intp)
    cell[learners.codes, row] = np.arange(length)
    shared = {name: at_rows(table.column(name), first) for name in (*keys, *kept)}
    if len(number.labels) > 1:
        shared["instance"] = at_rows(number, first)
    own = {name: at_rows(table.column(column), cell[j, row[first]]) for j, name in enumerate(learners.labels)}
    if role.get("prediction") and likely:
        notes.append(f"set aside: {likely[0]!r}; say --ignore {column} to judge it instead")
    return replace(
        table,
        names=(*shared, *own),
        columns=(*shared.values(), *own.values()),
        lines=None if table.lines is None else table.lines[first],
        notes=(*table.notes, *notes),
        roles={name: header for name, header in table.roles.items() if header in shared},
    )


def _is_key(name: str) -> bool:
    return role_of(name) in KEYS or _is_instance(name)


def _is_instance(name: str) -> bool:
    return role_of(name) == "instance" or weak_role_of(name) == "row"


def _is_no_column(learner: str) -> bool:
    """Whether a learner's name at the head of a column would be taken for something else."""
    return bool(role_of(learner) or weak_role_of(learner) or _RUN_COLUMN.fullmatch(learner)) or not learner


_SPLIT_COLUMN = re.compile(r"split(\d+)_(test|train)_(\w+)")
_RUN_COLUMN = re.compile(r"(.*?)[\W_]*(cv[\W_]?fold|fold|seed|split|repeat|rep|run|trial)[\W_]*(\d+)", re.IGNORECASE)
_SPREADS = r"std|sd|stdev|std_dev|stderr|se|sem|var|variance|min|max|rank"
_OVER_RUNS = re.compile(rf"(mean|avg|average|median|{_SPREADS})(_.*)?|.*_(mean|avg|average|{_SPREADS})")


def _melted_splits(table: RawTable) -> RawTable:
    """scikit-learn's cv_results_: a row a candidate, and a column a split. Each becomes a row a split.

    Means, deviations and ranks over the splits are left out: they count what the splits hold once more.
    """
    matches = {name: match for name in table.names if (match := _SPLIT_COLUMN.fullmatch(name))}
    tests = [name for name, match in matches.items() if match[2] == "test"]
    splits = sorted({int(matches[name][1]) for name in tests})
    measures = list(dict.fromkeys(matches[name][3] for name in tests))
    means = [name for name in table.names if name.startswith("mean_test_")]
    if not matches and means and any(name == "params" or name.startswith("param_") for name in table.names):
        raise table.error(
            f"This is a search of scikit-learn without its splits: {listing([repr(name) for name in means], most=4)} "
            "alone does not tell how much scores vary. Keep the columns split0_test_… of cv_results_."
        )
    if len(splits) < 2 or any(f"split{i}_test_{name}" not in matches for i in splits for name in measures):
        return table
    whose = _candidate_labels(table)
    n, k = table.n_rows, len(splits)
    columns: dict[str, Labels | NDArray[np.generic]] = {
        "candidate": Labels(whose.labels, frozen(np.tile(whose.codes, k))),
        "split": Labels(tuple(map(str, splits)), frozen(np.repeat(np.arange(k), n))),
    }
    for name in measures:
        columns[name] = np.concatenate([table.numbers(f"split{i}_test_{name}") for i in splits])
    return replace(
        table,
        names=tuple(columns),
        columns=tuple(columns.values()),
        lines=None if table.lines is None else np.tile(table.lines, k),
        roles={**table.roles, "learner": "candidate", **({"value": "score"} if measures == ["score"] else {})},
        of_scorers=True,
        notes=(
            *table.notes,
            f"columns split{splits[0]}_test_… to split{splits[-1]}_test_… read as {k} splits of each candidate; means, "
            "deviations and ranks over them are left out",
        ),
        doubts=table.doubts
        if any(role_of(name) == "learner" for name in table.names)
        else (
            *table.doubts,
            CodedWarning(
                "candidates",
                "The learners are candidates of one search: the best of many on these splits looks better than it is.",
                "Compare the one that is chosen with others on data that the search has not seen.",
            ),
        ),
    )


_TUPLE = re.compile(r"""\(\s*(['"])(.*?)\1\s*,\s*(['"])(.*?)\3\s*\)""")
_OF_A_SUMMARY = frozenset({"mean", "avg", "average", *_SPREADS.split("|"), "count", "size"})


def _melted_pairs(table: RawTable) -> RawTable:
    """A column for each learner and measure, as caret's svm~Accuracy or pandas' ('f1', 'svm'). Each becomes a row."""
    table = _with_flat_headers(table)
    pairs = _learners_and_measures(table)
    measures = list(dict.fromkeys(measure for _, measure in pairs.values()))
    learners = list(dict.fromkeys(learner for learner, _ in pairs.values()))
    if len(learners) < 2 or len(pairs) < len(learners) * len(measures):
        return table
    name_of = {pair: name for name, pair in pairs.items()}
    n, k = table.n_rows, len(learners)
    columns: dict[str, Labels | NDArray[np.generic]] = {
        "learner": Labels(tuple(learners), frozen(np.repeat(np.arange(k), n)))
    }
    for name in table.names:
        if name not in pairs:
            labels = table.labels(name)
            columns[name] = Labels(labels.labels, frozen(np.tile(labels.codes, k)))
    for measure in measures:
        columns[measure] = np.concatenate([table.numbers(name_of[learner, measure]) for learner in learners])
    return replace(
        table,
        names=tuple(columns),
        columns=tuple(columns.values()),
        lines=None if table.lines is None else np.tile(table.lines, k),
        notes=(*table.notes, f"columns such as {next(iter(pairs))} read as learner and measure"),
    )


def _with_flat_headers(table: RawTable) -> RawTable:
    """pandas writes two levels of headers as ('accuracy', 'svm'): here svm~accuracy, svm and svm_std."""
    headers = {name: (match[2], match[4]) for name in table.names if (match := _TUPLE.fullmatch(name.strip()))}
    firsts, seconds = ({pair[side] for pair in headers.values() if all(pair)} for side in (0, 1))
    if not headers or not firsts:
        return table
    names = {name: "".join(pair) for name, pair in headers.items() if not all(pair)}
    for name, (first, second) in headers.items():
        if not (first and second):
            continue
        if all(map(_is_measure, firsts)) or {normalise_name(each) for each in firsts} <= _OF_A_SUMMARY:
            first, second = second, first  # now the learner, and what is told of it
        elif not all(map(_is_measure, seconds)) and not {normalise_name(each) for each in seconds} <= _OF_A_SUMMARY:
            return table
        mean = normalise_name(second) in ("mean", "avg", "average")
        names[name] = f"{first}~{second}" if _is_measure(second) else first if mean else f"{first}_{second}"
    flat = tuple(names.get(name, name) for name in table.names)
    return replace(table, names=flat) if len(set(flat)) == len(flat) else table


def _is_measure(text: str) -> bool:
    return known_measure(text) is not None


def _learners_and_measures(table: RawTable) -> dict[str, tuple[str, str]]:
    """The learner and the measure that each of some headers names.

    A tilde tells them apart. Without one, every column of numbers must name one of several measures, all of them at its
    end, or all at its beginning.
    """
    marked = {name: tuple(name.rsplit("~", 1)) for name in table.names if 0 < name.find("~") < len(name) - 1}
    if marked or any(role_of(name) in ("learner", "measure", "truth") for name in table.names):
        return {name: (pair[0], pair[1]) for name, pair in marked.items()}
    named = [name for name in table.names if name and role_of(name) is None and weak_role_of(name) is None]
    named = [name for name in named if table.holds_numbers(name)]
    for at_end in (True, False):
        pairs = {name: _cut(name, at_end=at_end) for name in named}
        pairs_found = {name: pair for name, pair in pairs.items() if pair is not None}
        if pairs_found and len(pairs_found) == len(named) and len({measure for _, measure in pairs_found.values()}) > 1:
            return pairs_found
    return {}


def _cut(name: str, *, at_end: bool) -> tuple[str, str] | None:
    """A header as learner and measure; None if it names no measure there.

    >>> _cut("svm_balanced_accuracy", at_end=True), _cut("f1 of svm", at_end=False), _cut("svm", at_end=True)
    (('svm', 'balanced_accuracy'), ('of svm', 'f1'), None)
    """
    gaps = list(re.finditer(r"[\W_]+", name.strip()))
    for gap in gaps if at_end else reversed(gaps):  # the longest name of a measure
        before, after = name.strip()[: gap.start()], name.strip()[gap.end() :]
        learner, measure = (before, after) if at_end else (after, before)
        if learner and measure and _is_measure(measure):
            return learner, measure
    return None


def _candidate_labels(table: RawTable) -> Labels:
    named = [name for name in table.names if role_of(name) == "learner" or normalise_name(name) == "params"]
    if named:
        return table.labels(named[0])
    given = [name for name in table.names if name.startswith("param_")]
    rows = zip(*(table.labels(name).values() for name in given), strict=True) if given else ()
    texts = [", ".join(row) for row in rows] or [str(i + 1) for i in range(table.n_rows)]
    return Labels.of(texts)


def _melted_runs(table: RawTable) -> RawTable:
    """Columns fold_1, fold_2, … beside the learner, or bert_seed0, bert_seed1, … beside the item: each becomes a row.

    Means and deviations over them are left out: they count what the runs hold once more.
    """
    matches = {name: match for name in table.names if (match := _RUN_COLUMN.fullmatch(name.strip()))}
    matches = {name: match for name, match in matches.items() if table.holds_numbers(name)}
    words = {normalise_name(match[2]) for match in matches.values()}
    whose = list(dict.fromkeys(match[1].strip(" _-.") for match in matches.values()))
    runs = list(dict.fromkeys(match[3] for match in matches.values()))
    by_row = any(role_of(name) == "learner" for name in table.names) or "learner" in table.roles
    complete = len(matches) == len(whose) * len(runs) and len(runs) > 1 and len(words) == 1
    if not complete or by_row != (whose == [""]) or any(role_of(name) == "truth" for name in table.names):
        return table
    rest = [name for name in table.names if name not in matches]
    left = [name for name in rest if by_row and _OVER_RUNS.fullmatch(normalise_name(name))]
    if not by_row and not all(role_of(name) or not table.holds_numbers(name) for name in rest):
        return table  # other columns of numbers are learners without runs
    n, word = table.n_rows, next(iter(words))
    columns: Columns = {}
    for name in rest:
        if name not in left:
            labels = table.labels(name)
            columns[name] = Labels(labels.labels, frozen(np.tile(labels.codes, len(matches))))
    if not by_row:
        who = [whose.index(match[1].strip(" _-.")) for match in matches.values()]
        columns["learner"] = Labels(tuple(whose), frozen(np.repeat(np.array(who, dtype=np.intp), n)))
    which = [runs.index(match[3]) for match in matches.values()]
    columns[word] = Labels(tuple(runs), frozen(np.repeat(np.array(which, dtype=np.intp), n)))
    columns["score"] = np.concatenate([table.numbers(name) for name in matches])
    note = f"columns such as {next(iter(matches))} read as {'' if by_row else 'learner and '}{word}, a row each"
    aside = f"; left out, as they sum these up: {listing([repr(name) for name in left])}" if left else ""
    return replace(
        table,
        names=tuple(columns),
        columns=tuple(columns.values()),
        lines=None if table.lines is None else np.tile(table.lines, len(matches)),
        notes=(*table.notes, note + aside),
    )
