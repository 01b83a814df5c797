"""A data set: a learning sample as it lies in memory, the same for every learner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError, InputError, UsageError, nearest, suggestion
from bakeoff.resampling.split import Draws
from bakeoff.scores.table import frozen
from bakeoff.tasks.tables import NameColumn, Table, TableColumn
from bakeoff.text import listing

if TYPE_CHECKING:
    import pandas as pd


class Kind(StrEnum):
    """What is to be learned."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
    DENSITY = "density"
    MULTI_LABEL = "multi-label"


SEVERAL_NUMBERS = "regression of several targets"  # as learners.learner knows it


@dataclass(frozen=True, eq=False)
class Dataset:
    """Inputs and, unless a density is to be learned, what is to be predicted from them.

    `X` is an array of numbers if all inputs are numbers, else a DataFrame with a column for each input; or a column of
    texts, an array of a higher rank such as images, a sparse matrix (`form` tells). `y` are the labels as the user
    knows them (classification), numbers (regression) or None (density). Of several `targets`, which are predicted
    together, it has a column each: numbers, or whether a label applies (multi-label). `classes` are the distinct labels
    in order, the last of two being the positive one, and `codes` the position of each row's label in them.
    `groups` and `clusters` number the rows that belong together. `test` holds the rows of a test sample that came with
    the data. `draws` tells where the samples lie if the rows were drawn, sample by sample. `key` is the hash of the
    content; `origin`, of drawn samples, that of what stays the same when more of them are drawn.
    """

    name: str
    kind: Kind
    X: Any
    y: NDArray[Any] | None
    classes: tuple[Any, ...]
    codes: NDArray[np.int64] | None
    features: tuple[str, ...]
    categorical: tuple[str, ...]
    n_missing: int
    key: str
    groups: NDArray[np.int64] | None = None
    clusters: NDArray[np.int64] | None = None
    test: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    draws: Draws | None = None
    target: str = "target"  # what the column of `y` is called in files that commands read
    origin: str = ""
    times: NDArray[np.int64] | None = None  # the rows are in the order of time; equal numbers are the same time
    folds: NDArray[np.int64] | None = None  # that came with the data; −1 for rows that are never tested on
    weights: NDArray[np.float64] | None = None  # how much each row counts when it is learned from
    targets: tuple[str, ...] = ()  # the names of several targets that are predicted together

    @property
    def task_key(self) -> str:
        """What results are stored under: more samples of the same origin are more rows of the same task."""
        return self.origin or self.key

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def form(self) -> str:
        """What the inputs are: a table, texts, arrays of a higher rank, or a sparse matrix."""
        return form_of(self.X)

    @property
    def problem(self) -> str:
        """What is to be learned, as far as it tells which learners can."""
        return SEVERAL_NUMBERS if self.targets and self.kind is Kind.REGRESSION else self.kind.value

    def rows(self, indices: NDArray[np.integer[Any]]) -> tuple[Any, Any]:
        """Inputs and labels of some rows, as copies: a learner that changes them changes nothing else."""
        X = self.X.iloc[indices].reset_index(drop=True) if hasattr(self.X, "iloc") else _rows_of(self.X, indices)
        return X, None if self.y is None else _rows_of(self.y, indices)


def _rows_of(array: Any, indices: NDArray[np.integer[Any]]) -> Any:
    """A copy of some rows. Of a plain array `take` makes the same, in a quarter of the time where there are few."""
    if type(array) is np.ndarray and array.flags.c_contiguous:
        return array.take(indices, axis=0)
    return array[indices]


# ----------------------------------------------------------------------------------------------------------------------
# Roles: what the columns of a table are to be, as the user said it.


@dataclass(frozen=True)
class Roles:
    """Which column is what. All other columns are inputs.

    `kind` None leaves it to the target (`tasks.kinds`). `drop` are columns to ignore, `categorical` columns whose
    numbers are names. `positive` is the class that recall and AUC speak of. The last `test_rows` rows are a test
    sample that came with the data. By `time` rows are put in order, for schemes that split in time; `fold` tells which
    rows are tested on together by the scheme for folds that are given. A `weight` says how much a row counts when it is
    learned from. Several targets are predicted together. If a `text` is named, it is the only input, for learners that
    begin with a vectoriser.

    >>> Roles(target="class", kind="classification", drop=["id"]).describe()
    {'target': 'class', 'kind': 'classification', 'drop': ['id']}
    """

    target: str | tuple[str, ...] | None = None
    kind: Kind | None = None
    group: str | None = None
    cluster: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    positive: Any = None
    test_rows: int = 0
    time: str | None = None
    fold: str | None = None
    weight: str | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.target, (list, tuple)):
            object.__setattr__(self, "target", _several(self.target))
        for name in ("target", "group", "cluster", "time", "fold", "weight", "text"):
            value = getattr(self, name)
            if name == "target" and isinstance(value, tuple):
                continue
            if value is not None and (not isinstance(value, str) or not value):
                raise UsageError(f"{name} is {value!r}, but the name of a column was expected.")
        for name in ("drop", "categorical"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        object.__setattr__(self, "kind", _kind(self.kind))
        if isinstance(self.test_rows, bool) or not isinstance(self.test_rows, int) or self.test_rows < 0:
            raise UsageError(f"test_rows is {self.test_rows!r}, but a number of rows was expected, 0 or more.")
        if self.positive is not None and not isinstance(self.positive, (str, int, float)):
            raise UsageError(f"positive is {self.positive!r}, but the name of a class was expected.")
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        if self.kind is Kind.DENSITY:
            if self.target is not None:
                raise UsageError(
                    f"A density has no target, but target is {self.target!r}. Leave target out "
                    "(drop = [...] keeps a column out of the inputs), or choose another kind."
                )
            if self.positive is not None:
                raise UsageError("A density has no classes, but positive names one. Leave positive out.")
        if self.kind is Kind.REGRESSION and self.positive is not None:
            raise UsageError("A regression has no classes, but positive names one. Leave positive or kind out.")
        if isinstance(self.target, tuple) and self.positive is not None:
            raise UsageError("positive names a class of one target, and there are several. Leave positive out.")
        if self.kind is Kind.MULTI_LABEL and isinstance(self.target, str):
            raise UsageError(
                f"Labels of several kinds are columns of their own, and target is {self.target!r} alone. Name them all "
                "(target = ['a', 'b']), or choose kind = 'classification'."
            )
        taken: dict[str, str] = {}
        # Group and cluster may be one column: patients may be both what is kept together and what is averaged over.
        single = [(role, [getattr(self, role)]) for role in ("group", "time", "fold", "weight", "text")]
        for role, columns in (("target", self.target_names), *single, ("drop", self.drop)):
            for column in columns:
                if column is not None and column in taken:
                    raise UsageError(f"Column {column!r} is both {taken[column]} and {role}. Give it one role.")
                if column is not None:
                    taken[column] = role
        if self.cluster is not None and taken.get(self.cluster, "group") != "group":
            raise UsageError(f"Column {self.cluster!r} is both {taken[self.cluster]} and cluster. Give it one role.")

    def describe(self) -> dict[str, Any]:
        """What was said, as JSON; what was left open is left out."""
        description = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value not in (None, (), 0) or (field.name == "positive" and value is not None):
                description[field.name] = list(value) if isinstance(value, tuple) else value
        return {key: value.value if isinstance(value, Kind) else value for key, value in description.items()}

    @property
    def aside(self) -> frozenset[str]:
        """The columns that are not inputs."""
        one = (self.group, self.cluster, self.time, self.fold, self.weight)
        return frozenset(c for c in (*self.target_names, *one, *self.drop) if c is not None)

    @property
    def target_names(self) -> tuple[str, ...]:
        """The columns that are to be predicted, however many."""
        return (self.target,) if isinstance(self.target, str) else self.target or ()


def _several(targets: Sequence[Any]) -> tuple[str, ...]:
    if len(targets) < 2 or len(set(map(str, targets))) < len(targets) or not all(isinstance(t, str) for t in targets):
        raise UsageError(
            f"target is {list(targets)!r}, but the name of a column, or of two or more of them, was expected."
        )
    return tuple(targets)


def _names(role: str, value: Iterable[str] | str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{role} is {value!r}, but a list of names of columns was expected.")
    return tuple(dict.fromkeys(names))


def _kind(value: Kind | str | None) -> Kind | None:
    if value is None:
        return None
    try:
        return Kind(value)
    except ValueError:
        raise UsageError(f"kind cannot be {value!r}. {nearest(str(value), [kind.value for kind in Kind])}") from None


# ----------------------------------------------------------------------------------------------------------------------
# Classification or regression? Read off the target, by a rule that is stated with the data.


MOST_CLASSES = 20
FEWEST_ROWS_A_CLASS = 5


def kind_of(target: NDArray[Any] | NameColumn) -> tuple[Kind, str]:
    """The kind of a target without missing values, and the sentence that says why.

    Text, categories and truth values are classes. Numbers are classes if all are whole and there are either two of
    them, or at most 20 with five rows each on average; otherwise they are numbers.

    >>> kind_of(np.array([0.0, 1.0, 1.0]))[0].value, kind_of(np.array([0.5, 1.0, 1.0]))[0].value
    ('classification', 'regression')
    """
    if isinstance(target, NameColumn) or target.dtype.kind not in "fiu":
        return Kind.CLASSIFICATION, "classification, because the target holds names"
    distinct = np.unique(target)
    if not np.array_equal(distinct, np.floor(distinct)):
        return Kind.REGRESSION, "regression, because the target holds numbers that are not whole"
    count, enough = len(distinct), len(target) >= FEWEST_ROWS_A_CLASS * len(distinct)
    reason = f"the target holds {count} different whole numbers in {len(target)} rows"
    if count <= 2 or (count <= MOST_CLASSES and enough):
        return Kind.CLASSIFICATION, f"classification, because {reason}; kind = 'regression' overrules this"
    return Kind.REGRESSION, f"regression, because {reason}; kind = 'classification' overrules this"


# ----------------------------------------------------------------------------------------------------------------------
# The target of a task: which rows have one, of which kind it is, its labels and classes.


# Numbers, truth values and text that a Python user passed stay what they are; files give numbers or categories.
TargetColumn = NDArray[Any] | NameColumn

# Makes an error about one row of the source (or about none) from a message.
Complaint = Callable[[str, int | None], BakeoffError]


@dataclass(frozen=True, eq=False)
class Target:
    """Labels of the rows that have one, and what is known of them."""

    kind: Kind
    y: NDArray[Any]
    classes: tuple[Any, ...]
    codes: NDArray[np.int64] | None
    notes: tuple[str, ...]
    names: tuple[str, ...] = ()  # of several targets, whose columns y has then


def present(column: TargetColumn) -> NDArray[np.bool_]:
    """The rows whose target is not missing."""
    if isinstance(column, NameColumn):
        return column.codes >= 0
    if column.dtype.kind == "f":
        return ~np.isnan(column)
    return np.ones(len(column), dtype=np.bool_)


def read_target(column: TargetColumn, roles: Roles, complain: Complaint) -> Target:
    """The target of all rows that have one, as `roles` say or as the column itself tells.

    `complain` knows the rows of the source; rows without a target are counted in the notes.
    """
    kept = present(column)
    rows = np.flatnonzero(kept)
    if not len(rows):
        raise complain("No row has a value of the target. At least two different ones are needed.", None)
    notes = []
    if len(rows) < len(kept):
        gone = len(kept) - len(rows)
        notes.append(f"{gone} {'row' if gone == 1 else 'rows'} without a value of the target left out")
    values = column.where(kept) if isinstance(column, NameColumn) else column[kept]
    if not isinstance(values, NameColumn) and values.dtype.kind == "f" and np.isinf(values).any():
        raise complain(
            "The target is infinite here. Write a number, or leave it empty.", int(rows[np.isinf(values)][0])
        )
    kind = roles.kind
    if kind is None:
        kind, reason = kind_of(values)
        notes.append(f"read as {reason}")
    if kind is Kind.REGRESSION:
        y = _numbers(values, rows, complain)
        if np.ptp(y) == 0:
            raise complain(f"The target is {y[0]:g} in every row, so there is nothing to learn.", None)
        return Target(kind, y, (), None, tuple(notes))
    labels = _labels(values)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise complain(f"The target has one class only ({classes[0]}). At least two are needed.", None)
    order = _order(classes, roles.positive, complain)
    place = np.argsort(order)
    y, codes = labels, place[codes.ravel()].astype(np.int64)
    return Target(kind, y, tuple(classes[order].tolist()), codes, tuple(notes))


def read_targets(
    columns: Mapping[str, TargetColumn], roles: Roles, complain: Callable[[str, int | None, str], BakeoffError]
) -> tuple[Target, NDArray[np.bool_]]:
    """Several targets that are predicted together, of all rows that have a value of each; and which rows these are.

    They are numbers, or labels that apply or do not: of two values the second, as sorted, means that it does.
    """
    kept = np.logical_and.reduce([present(column) for column in columns.values()])
    if not kept.any():
        raise complain("No row has a value of every target.", None, next(iter(columns)))
    each_as = {Kind.MULTI_LABEL: Kind.CLASSIFICATION}.get(roles.kind or Kind.DENSITY, roles.kind)
    one = replace(roles, target=next(iter(columns)), kind=each_as)
    targets = {}
    rows = np.flatnonzero(kept)
    for name, column in columns.items():

        def about(text: str, row: int | None, name: str = name) -> BakeoffError:
            return complain(text, None if row is None else int(rows[row]), name)

        targets[name] = read_target(column.where(kept) if isinstance(column, NameColumn) else column[kept], one, about)
    kinds = {target.kind for target in targets.values()}
    many = next((name for name, target in targets.items() if len(target.classes) > 2), None)
    if len(kinds) > 1 or many is not None:
        what = (
            f"{many!r} has {len(targets[many].classes)} classes"
            if many is not None
            else "some of these are numbers, others are classes"
        )
        raise complain(
            "Several targets are predicted together if all are numbers, or all are labels that apply or do not; "
            f"{what}. Say separate = true for a task of each, or kind = 'regression'.",
            None,
            many or next(iter(columns)),
        )
    gone = len(kept) - len(rows)
    notes = [f"{gone} {'row' if gone == 1 else 'rows'} without a value of every target left out"] if gone else []
    if kinds == {Kind.REGRESSION}:
        y = np.column_stack([target.y for target in targets.values()])
        notes.append(f"{len(targets)} targets, predicted together; losses are means over them")
        return Target(Kind.REGRESSION, y, (), None, tuple(notes), tuple(columns)), kept
    y = np.column_stack([np.asarray(target.codes) for target in targets.values()])
    notes.append(f"{len(targets)} labels, predicted together; {y.sum(axis=1).mean():.2g} apply to a row on average")
    return Target(Kind.MULTI_LABEL, y, (), None, tuple(notes), tuple(columns)), kept


def _numbers(values: TargetColumn, rows: NDArray[np.intp], complain: Complaint) -> NDArray[np.float64]:
    if isinstance(values, NameColumn):
        text = values.labels[values.codes[0]]
    elif values.dtype.kind in "fiub":
        return values.astype(np.float64)
    else:
        text = str(values[0])
    raise complain(
        f"A regression needs a target of numbers, but {text!r} was found. Choose kind = 'classification', or "
        "another target.",
        int(rows[0]),
    )


def _labels(values: TargetColumn) -> NDArray[Any]:
    """Labels as the user knows them: names as text, whole numbers as integers."""
    if isinstance(values, NameColumn):
        return np.array(values.labels)[values.codes]
    if values.dtype.kind != "f":
        return values
    if np.array_equal(values, np.floor(values)) and np.abs(values).max() < 2**53:
        return values.astype(np.int64)
    # scikit-learn takes numbers that are not whole for measurements and refuses to classify them.
    return np.array([repr(value) for value in values.tolist()])


def _order(classes: NDArray[Any], positive: Any, complain: Complaint) -> NDArray[np.intp]:
    """The order of the classes: sorted, the positive one last."""
    order = np.arange(len(classes))
    if positive is None:
        return order
    names = [str(label) for label in classes.tolist()]
    wanted = str(int(positive)) if isinstance(positive, float) and positive.is_integer() else str(positive)
    if len(classes) != 2:
        raise complain(
            f"A positive class ({wanted}) was named, but there are {len(classes)} classes. Leave positive out.", None
        )
    if wanted not in names:
        raise complain(f"positive is {wanted!r}, but there is no such class. {nearest(wanted, names)}", None)
    return order if names[1] == wanted else order[::-1]


# ----------------------------------------------------------------------------------------------------------------------
# From a table and the roles of its columns to a data set, checked.


def assemble(name: str, table: Table, roles: Roles, *, key: str, n_test: int = 0) -> Dataset:
    """The data set in a table. The last `n_test` rows are a test sample that came with it."""
    check_columns(table.names, roles, table.source)
    kept, target = np.ones(table.n_rows, dtype=np.bool_), None
    if isinstance(roles.target, tuple):
        columns = {name: table.column(name) for name in roles.target}
        target, kept = read_targets(columns, roles, lambda text, row, name: table.error(text, row=row, column=name))
    elif roles.target is not None:
        column = table.column(roles.target)
        kept = column.codes >= 0 if isinstance(column, NameColumn) else ~np.isnan(column)
        target = read_target(column, roles, lambda text, row: table.error(text, row=row, column=roles.target_names[0]))
    features = tuple(feature for feature in table.names if feature not in roles.aside)
    if roles.text is not None:
        features = (roles.text,)
    inputs = {feature: _input(table, feature, kept) for feature in features}
    categorical = tuple(feature for feature, column in inputs.items() if isinstance(column, NameColumn))
    missing = sum(
        int((column.codes < 0).sum() if isinstance(column, NameColumn) else np.isnan(column).sum())
        for column in inputs.values()
    )
    dataset = Dataset(
        name=name,
        kind=Kind.DENSITY if target is None else target.kind,
        X=_matrix(inputs) if roles.text is None else _texts(inputs[roles.text]),
        y=None if target is None else frozen(target.y),
        classes=() if target is None else target.classes,
        codes=None if target is None or target.codes is None else frozen(target.codes),
        features=features,
        categorical=categorical if roles.text is None else (),
        n_missing=missing if roles.text is None else 0,
        key=key,
        weights=None if roles.weight is None else _weight_column(table, roles.weight, kept),
        groups=_numbered(table, roles.group, kept),
        clusters=_numbered(table, roles.cluster, kept),
        test=given_test(kept, n_test, table.source),
        notes=(*_about_inputs(table, roles), *(() if target is None else target.notes), *_constant(inputs)),
        target=roles.target if isinstance(roles.target, str) else "target",
        targets=() if target is None else target.names,
        folds=_fold_numbers(table, roles.fold, kept),
    )
    return dataset if roles.time is None else in_time(dataset, _times(table, roles.time, kept), table.source)


def check_columns(names: tuple[str, ...], roles: Roles, source: str, *, has_target: bool = False) -> None:
    """Every column that has a role is there, there is a target unless none is needed, and an input is left."""
    if roles.target is None and roles.kind is not Kind.DENSITY and not has_target:
        raise InputError(
            f"Which column is the target? Name it: target = '…'. The columns are {listing(names)}. "
            "Where there is nothing to predict, say kind = 'density'.",
            source=source,
        )
    for role in ("target", "group", "cluster", "time", "fold", "weight", "text", "drop", "categorical"):
        value = getattr(roles, role)
        for column in (value,) if isinstance(value, str) else value or ():
            if column not in names:
                known = nearest(column, names) if len(names) <= 60 else suggestion(column, names)
                raise InputError(f"{role} names the column {column!r}, which is not there. {known}", source=source)
    if not set(names) - roles.aside:
        raise InputError("No column is left as an input: all of them have another role.", source=source)


def given_test(kept: NDArray[np.bool_], n_test: int, source: str) -> NDArray[np.int64] | None:
    """Which of the rows that are kept are the given test sample: those of the last `n_test`."""
    if not n_test:
        return None
    if n_test >= len(kept):
        raise InputError(
            f"The last {n_test} rows are to be a test sample, but there are {len(kept)} rows. Some must be left to "
            "learn from.",
            source=source,
        )
    learning = int(kept[: len(kept) - n_test].sum())
    test = np.arange(learning, int(kept.sum()), dtype=np.int64)
    if not learning or not len(test):
        raise InputError("The learning sample or the test sample has no row with a value of the target.", source=source)
    return frozen(test)


def _input(table: Table, name: str, kept: NDArray[np.bool_]) -> TableColumn:
    column = table.column(name)
    if isinstance(column, NameColumn):
        return column.where(kept)
    infinite = np.flatnonzero(np.isinf(column))
    if len(infinite):
        raise table.error(
            f"The value is infinite ({len(infinite)} in this column). Write a number, or leave the cell empty.",
            row=int(infinite[0]),
            column=name,
        )
    return column[kept]


def _matrix(inputs: dict[str, TableColumn]) -> NDArray[np.float64] | pd.DataFrame:
    """An array if all inputs are numbers, else a frame with a column of pandas' categories for each column of names."""
    numbers = [column for column in inputs.values() if not isinstance(column, NameColumn)]
    if len(numbers) == len(inputs):
        return frozen(np.column_stack(numbers))
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(column.codes, categories=pd.Index(column.labels))
            if isinstance(column, NameColumn)
            else column
            for name, column in inputs.items()
        }
    )


def _texts(column: TableColumn) -> NDArray[Any]:
    """A column of texts; a missing one is empty."""
    if isinstance(column, NameColumn):
        return frozen(np.array([*column.labels, ""], dtype=object)[column.codes])
    return frozen(np.array([f"{value:g}" for value in column.tolist()], dtype=object))


def _weight_column(table: Table, name: str, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    column = table.column(name)
    if isinstance(column, NameColumn):
        raise table.error(f"Weights are numbers, but {column.labels[0]!r} was found.", row=0, column=name)
    return checked_weights(column, kept, lambda text, row: table.error(text, row=row, column=name))


def checked_weights(values: NDArray[Any], kept: NDArray[np.bool_], complain: Complaint) -> NDArray[np.float64]:
    """Weights of the rows that are kept: finite, not negative, not all zero."""
    weights = np.asarray(values, dtype=np.float64)
    wrong = np.flatnonzero(kept & ~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        row = int(wrong[0])
        what = "missing" if np.isnan(weights[row]) else f"{weights[row]:g}"
        raise complain(f"The weight is {what} here. A weight is a number that is not negative.", row)
    if not weights[kept].any():
        raise complain("All weights are zero, so that nothing would be learned from.", None)
    return frozen(weights[kept].copy())


def form_of(X: Any) -> str:
    """
    >>> form_of(np.zeros((3, 2))), form_of(np.zeros((3, 8, 8))), form_of(np.array(["a", "b"], dtype=object))
    ('table', 'array', 'texts')
    """
    if hasattr(X, "tocsr"):
        return "sparse"
    if isinstance(X, np.ndarray) and X.ndim != 2:
        return "texts" if X.ndim == 1 else "array"
    return "table"


def _numbered(table: Table, name: str | None, kept: NDArray[np.bool_]) -> NDArray[np.int64] | None:
    """The rows that belong together, by a number from 0 in the order of the labels."""
    if name is None:
        return None
    column = table.column(name)
    gone = column.codes < 0 if isinstance(column, NameColumn) else np.isnan(column)
    rows = np.flatnonzero(gone & kept)
    if len(rows):
        raise table.error(
            f"The value is missing ({len(rows)} in this column), so it is not known what the row belongs to. Fill it "
            "in, or remove the row.",
            row=int(rows[0]),
            column=name,
        )
    values = column.codes if isinstance(column, NameColumn) else column
    return frozen(np.unique(values[kept], return_inverse=True)[1].ravel().astype(np.int64))


def _about_inputs(table: Table, roles: Roles) -> tuple[str, ...]:
    """The notes on a table, without those on columns that are no inputs."""
    return (*table.notes, *(doubt for name, doubt in table.doubts if name not in roles.aside))


def _fold_numbers(table: Table, name: str | None, kept: NDArray[np.bool_]) -> NDArray[np.int64] | None:
    """The fold of each row by a number from 0 in the order of their names; −1 where there is none."""
    if name is None:
        return None
    column = table.column(name)
    missing = (column.codes < 0 if isinstance(column, NameColumn) else np.isnan(column))[kept]
    values = (column.codes if isinstance(column, NameColumn) else column)[kept]
    return folds_of(values, missing, table.source, name)


def folds_of(values: NDArray[Any], missing: NDArray[np.bool_], source: str, column: str) -> NDArray[np.int64]:
    """Numbers of folds from 0; rows of none, by a missing value or −1 as scikit-learn writes it, have −1."""
    none = missing | (values == -1)
    folds = np.full(len(values), -1, dtype=np.int64)
    if none.all():
        raise InputError("No row has a fold: there is nothing to test on.", source=source, column=column)
    folds[~none] = np.unique(values[~none], return_inverse=True)[1].ravel()
    if folds.max() == 0 and not none.any():
        raise InputError(
            "All rows are of one fold, so that nothing is left to learn from. Leave the cells of rows empty that are "
            "only learned from, or name two folds or more.",
            source=source,
            column=column,
        )
    return frozen(folds)


def _times(table: Table, name: str, kept: NDArray[np.bool_]) -> NDArray[Any]:
    """A number for each row that grows with time."""
    column = table.column(name)
    gone = np.flatnonzero((column.codes < 0 if isinstance(column, NameColumn) else np.isnan(column)) & kept)
    if len(gone):
        raise table.error(
            f"The time is missing ({len(gone)} in this column), so that the row has no place in the order. Fill it in, "
            "or remove the row.",
            row=int(gone[0]),
            column=name,
        )
    if not isinstance(column, NameColumn):
        return column[kept]
    moments = np.array([_moment(label) for label in column.labels])
    if np.isnan(moments).any():
        label = column.labels[int(np.flatnonzero(np.isnan(moments))[0])]
        raise table.error(
            f"Times are numbers, or dates as 2026-11-17 or 2026-11-17T03:50:00, and {label!r} is neither. Write them "
            "so, or number the times.",
            row=int(np.flatnonzero(column.codes == column.labels.index(label))[0]),
            column=name,
        )
    return moments[column.codes][kept]


def _moment(label: str) -> float:
    """A date as seconds; NaN for what is none."""
    try:
        moment = datetime.fromisoformat(label)
    except ValueError:
        return float("nan")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def in_time(data: Dataset, times: NDArray[Any], source: str) -> Dataset:
    """The same rows in the order of time, those of one time in the order in which they stood."""
    if data.test is not None:
        raise InputError(
            "A test sample was named, and rows are put in the order of time. Give one of them: the scheme for windows "
            "in time chooses what is tested on.",
            source=source,
        )
    order = np.argsort(times, kind="stable")
    ranks = np.unique(times, return_inverse=True)[1].ravel().astype(np.int64)[order]
    same = bool((np.diff(order) > 0).all())
    X, y = data.rows(order)

    def moved(numbers: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if numbers is None else frozen(numbers[order])

    return replace(
        data,
        X=frozen(X) if isinstance(X, np.ndarray) else X,
        y=None if y is None else frozen(y),
        codes=moved(data.codes),
        groups=moved(data.groups),
        clusters=moved(data.clusters),
        folds=moved(data.folds),
        weights=moved(data.weights),
        times=frozen(ranks),
        notes=data.notes if same else (*data.notes, "rows are put in the order of time"),
    )


def _constant(inputs: dict[str, TableColumn]) -> tuple[str, ...]:
    """A note on columns that say nothing; they are kept, because a learner may be judged by how it copes."""
    empty, constant = [], []
    for name, column in inputs.items():
        values = column.codes[column.codes >= 0] if isinstance(column, NameColumn) else column[~np.isnan(column)]
        if not len(values):
            empty.append(name)
        elif len(values) == len(column) and (values == values[0]).all():
            constant.append(name)
    notes = []
    if empty:
        notes.append(f"{listing(empty)} without any value (kept)")
    if constant:
        notes.append(f"{listing(constant)} with the same value in all rows (kept)")
    return tuple(notes)
