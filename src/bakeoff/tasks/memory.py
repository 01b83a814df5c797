"""Data that are already in memory: (X, y), a scikit-learn Bunch, a DataFrame. What a loader returns is one of these.

An array of numbers stays an array, a DataFrame stays a DataFrame: the user's pipelines may go by its names and types.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, UsageError
from bakeoff.keys import canonical_json, digest
from bakeoff.scores.reading.raw import is_frame
from bakeoff.scores.table import frozen
from bakeoff.tasks.dataset import (
    Dataset,
    Kind,
    Roles,
    TargetColumn,
    check_columns,
    checked_weights,
    folds_of,
    form_of,
    given_test,
    in_time,
    present,
    read_target,
    read_targets,
)
from bakeoff.tasks.tables import NameColumn
from bakeoff.text import listing

if TYPE_CHECKING:
    import pandas as pd


# ----------------------------------------------------------------------------------------------------------------------
# One column of values that a Python user passed: a list, an array or a pandas Series.


def column_of(values: Any, source: str) -> tuple[TargetColumn, bool]:
    """The values as an array of numbers or truth values or as categories, and whether their type says "classes".

    >>> column_of([1, 0, 1], "y")
    (array([1, 0, 1]), False)
    >>> column_of(["b", None, "a"], "y")[0].codes.tolist()
    [1, -1, 0]
    """
    declared = str(getattr(values, "dtype", "")) in ("category", "bool", "boolean")
    array = np.asarray(_unmasked(values)) if not hasattr(values, "to_numpy") else values.to_numpy()
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise InputError(f"One value for each row was expected, but the shape is {array.shape}.", source=source)
    if array.dtype.kind in "bf":
        return array, declared
    if array.dtype.kind in "iu":
        return array.astype(np.int64), declared
    return _from_objects(array.tolist(), source), declared


def _unmasked(values: Any) -> Any:
    """A masked array as one in which what is masked is missing; what stands under a mask is nobody's value."""
    if not np.ma.is_masked(values):
        return values
    numeric = values.dtype.kind in "biuf"
    plain = np.ma.getdata(values).astype(np.float64 if numeric else object)
    plain[np.ma.getmaskarray(values)] = np.nan if numeric else None
    return plain


def _from_objects(values: list[Any], source: str) -> TargetColumn:
    missing = [_is_missing(value) for value in values]
    there = [value for value, gone in zip(values, missing, strict=True) if not gone]
    if all(isinstance(value, str) for value in there):
        labels = sorted(set(there))
        numbering = {label: code for code, label in enumerate(labels)}
        codes = [-1 if gone else numbering[value] for value, gone in zip(values, missing, strict=True)]
        return NameColumn(tuple(labels), np.array(codes, dtype=np.int64))
    if all(isinstance(value, (bool, np.bool_)) for value in there):
        if not any(missing):
            return np.array(there, dtype=np.bool_)
        return NameColumn(("False", "True"), np.array([-1 if _is_missing(v) else int(v) for v in values], np.int64))
    if all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in there):
        if not any(missing) and all(isinstance(value, numbers.Integral) for value in there):
            return np.array(there, dtype=np.int64)
        return np.array([np.nan if gone else float(v) for v, gone in zip(values, missing, strict=True)])
    kinds = sorted({type(value).__name__ for value in there})
    raise InputError(f"Numbers or texts were expected, but there are values of {', '.join(kinds)}.", source=source)


def _is_missing(value: Any) -> bool:
    # pandas' NA is neither true nor false when compared, so it goes by its name; a NaN is what differs from itself.
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def group_codes(values: Any, kept: NDArray[np.bool_], source: str) -> NDArray[np.int64]:
    """A number for each row that is kept: the same for rows that belong together."""
    column, _ = column_of(values, source)
    if len(column) != len(kept):
        raise InputError(f"There are {len(kept)} rows, but {len(column)} values here.", source=source)
    codes = column.codes if isinstance(column, NameColumn) else column
    gone = codes < 0 if isinstance(column, NameColumn) else np.isnan(codes.astype(np.float64))
    rows = np.flatnonzero(gone & kept)
    if len(rows):
        raise InputError(
            f"The value is missing in row {rows[0] + 1} ({len(rows)} in all), so it is not known what the row belongs "
            "to.",
            source=source,
        )
    return frozen(np.unique(codes[kept], return_inverse=True)[1].ravel().astype(np.int64))


# ----------------------------------------------------------------------------------------------------------------------


def dataset_in_memory(
    name: str, content: Any, roles: Roles, *, groups: Any = None, clusters: Any = None, weights: Any = None
) -> Dataset:
    """The data set in what a Python user has at hand. `groups` and `clusters` are arrays, a value for each row.

    >>> result = dataset_in_memory("toy", ([[1, 2], [3, 4], [5, 6]], ["no", "yes", "no"]), Roles())
    >>> result.classes, result.codes.tolist(), result.X.shape
    (('no', 'yes'), [0, 1, 0], (3, 2))
    """
    source = f"task {name!r}"
    X, y, names = _taken_apart(content, source)
    _check_order(X, {"y": y, "groups": groups, "clusters": clusters, "weights": weights}, source)
    X, features = _inputs(X, names, source, roles)
    if y is not None and roles.target is not None:
        raise UsageError(
            f"{source}: target names the column {listing([repr(name) for name in roles.target_names])}, but the target "
            "came with the data as y."
        )
    check_columns(features, roles, source, has_target=y is not None)
    if y is None and roles.target is not None:  # only a frame has a target inside
        y = X[list(roles.target) if isinstance(roles.target, tuple) else roles.target]
    n = int(X.shape[0])
    if not n:
        raise InputError("There are no rows. At least two were expected.", source=source)
    target, kept = None, np.ones(n, dtype=np.bool_)
    if roles.kind is not Kind.DENSITY and (columns := _several(y)):
        target, kept = read_targets(
            _target_columns(columns, n, source), roles, lambda text, row, name: _complaint(text, row, source, name)
        )
    elif roles.kind is not Kind.DENSITY:
        column, roles = _target_column(y, n, roles, source)
        kept = present(column)
        target = read_target(column, roles, lambda text, row: _complaint(text, row, source))
    return _dataset_of(name, X, features, target, kept, roles, groups, clusters, weights)


def _check_order(X: Any, columns: Mapping[str, Any], source: str) -> None:
    """Rows are taken as they stand. What pandas would match by its names, in another order, is surely not meant so."""
    for name, column in columns.items():
        if not (hasattr(X, "iloc") and hasattr(column, "iloc") and len(X) == len(column)):
            continue
        if X.index.is_unique and not X.index.equals(column.index) and set(X.index) == set(column.index):
            raise InputError(
                f"The rows of {name} have the same names (index) as those of the inputs, in another order; rows are "
                f"taken as they stand. Bring them into one order: {name}.loc[X.index].",
                source=source,
            )


def _dataset_of(
    name: str,
    X: Any,
    features: tuple[str, ...],
    target: Any,
    kept: NDArray[np.bool_],
    roles: Roles,
    groups: Any,
    clusters: Any,
    weights: Any,
) -> Dataset:
    source = f"task {name!r}"
    together: dict[str, NDArray[np.int64] | None] = {}
    for role, given, column in (("group", groups, roles.group), ("cluster", clusters, roles.cluster)):
        if given is not None and column is not None:
            raise UsageError(f"{source}: {role} names a column, but {role}s were passed as an array, too. Give one.")
        values = X[column] if column is not None else given
        together[role] = None if values is None else group_codes(values, kept, f"{source}, {role}")
    left = tuple(feature for feature in features if feature not in roles.aside)
    categorical: tuple[str, ...] = ()
    inputs: Any
    if form_of(X) != "table":
        inputs, missing = X[np.flatnonzero(kept)], 0
    elif roles.text is not None:
        texts = X[roles.text].iloc[np.flatnonzero(kept)]
        inputs, missing, left = (
            np.array(["" if _is_missing(t) else str(t) for t in texts], dtype=object),
            0,
            (roles.text,),
        )
    elif isinstance(X, np.ndarray):
        inputs = frozen(X[kept])
        missing = int(np.isnan(inputs).sum())
    else:
        inputs = X.loc[:, list(left)].iloc[np.flatnonzero(kept)].reset_index(drop=True)
        categorical = tuple(c for c in left if not _is_number(inputs[c]))
        missing = int(inputs.isna().to_numpy().sum())
    dataset = Dataset(
        name=name,
        kind=Kind.DENSITY if target is None else target.kind,
        X=inputs,
        y=None if target is None else frozen(np.array(target.y)),
        classes=() if target is None else target.classes,
        codes=None if target is None or target.codes is None else frozen(target.codes),
        features=left,
        categorical=categorical,
        n_missing=missing,
        key="",
        groups=together["group"],
        clusters=together["cluster"],
        test=given_test(kept, roles.test_rows, source),
        notes=() if target is None else target.notes,
        target=roles.target if isinstance(roles.target, str) else "target",
        targets=() if target is None else target.names,
        folds=None if roles.fold is None else _folds(X[roles.fold], kept, source, roles.fold),
        weights=_weights(X, weights, roles, kept, source),
    )
    if roles.time is not None:
        dataset = in_time(dataset, _times(X[roles.time], kept, source, roles.time), source)
    return replace(dataset, key=content_key(dataset))


def _weights(X: Any, given: Any, roles: Roles, kept: NDArray[np.bool_], source: str) -> NDArray[np.float64] | None:
    if given is not None and roles.weight is not None:
        raise UsageError(f"{source}: weight names a column, but weights were passed as an array, too. Give one.")
    values = X[roles.weight] if roles.weight is not None else given
    if values is None:
        return None
    column, _ = column_of(values, f"{source}, weight")
    if isinstance(column, NameColumn):
        raise InputError(f"Weights are numbers, but {column.labels[0]!r} was found.", source=source)
    if len(column) != len(kept):
        raise InputError(f"There are {len(kept)} rows, but {len(column)} weights.", source=source)
    return checked_weights(column, kept, lambda text, row: _complaint(text, row, source))


def _folds(values: Any, kept: NDArray[np.bool_], source: str, name: str) -> NDArray[np.int64]:
    column, _ = column_of(values, f"{source}, fold")
    codes = column.codes if isinstance(column, NameColumn) else column
    missing = codes < 0 if isinstance(column, NameColumn) else np.isnan(codes.astype(np.float64))
    return folds_of(codes[kept], missing[kept], source, name)


def _times(values: Any, kept: NDArray[np.bool_], source: str, name: str) -> NDArray[Any]:
    """A number for each row that grows with time: of numbers, dates, or texts that are dates."""
    import pandas as pd

    series = pd.Series(np.asarray(values))
    numeric = pd.api.types.is_numeric_dtype(series.dtype)
    moments = series.astype(float) if numeric else pd.to_datetime(series, errors="coerce", format="ISO8601", utc=True)
    gone = np.flatnonzero(moments.isna().to_numpy() & kept)
    if len(gone):
        raise _complaint(
            "The time is missing here, or neither a number nor a date such as 2026-11-17.", int(gone[0]), source, name
        )
    return np.asarray(moments.to_numpy() if numeric else moments.astype("int64").to_numpy())[kept]


def content_key(dataset: Dataset) -> str:
    """The hash of everything that a learner or a measure can see of a data set, but its name."""
    nothing = np.zeros(0)
    arrays = (dataset.y, dataset.codes, dataset.groups, dataset.clusters, dataset.test)
    more = [(name, getattr(dataset, name)) for name in ("times", "folds", "weights")]
    inputs = inputs_hash(dataset.X)
    described = [
        dataset.kind.value,
        list(dataset.features),
        list(dataset.categorical),
        [str(c) for c in dataset.classes],
    ]
    return digest(
        "data",
        canonical_json(described),
        inputs,
        *(array_hash(nothing if a is None else a) for a in arrays),
        # What data did not have in version 0.1 is part of the hash where it is there.
        *(part for name, a in more if a is not None for part in (name, array_hash(a))),
        *(("targets", text_hash(dataset.targets)) if dataset.targets else ()),
    ).hex()


def _taken_apart(content: Any, source: str) -> tuple[Any, Any, list[str] | None]:
    """Inputs, target or None, and names of the inputs or None."""
    if isinstance(content, Mapping):  # a scikit-learn Bunch is one
        if "data" not in content:
            raise InputError(
                "A Bunch or mapping with 'data' and 'target' was expected, but it has "
                f"{listing(sorted(map(str, content)))}.",
                source=source,
            )
        names = content.get("feature_names")
        return content["data"], content.get("target"), None if names is None else [str(n) for n in names]
    if isinstance(content, tuple):
        if len(content) != 2:
            raise InputError(f"A pair (X, y) was expected, but a tuple of {len(content)} was found.", source=source)
        return content[0], content[1], None
    return content, None, None


def _inputs(X: Any, names: list[str] | None, source: str, roles: Roles) -> tuple[Any, tuple[str, ...]]:
    """Inputs as an array of numbers or as a frame whose columns are numbers or names, and the names of the columns."""
    if hasattr(X, "tocsr"):
        return _sparse(X, names, source, roles)
    if _are_texts(X):
        _refuse_columns(roles, source, "texts")
        return np.array([str(text) for text in X], dtype=object), ("text",)
    if is_frame(X):
        frame = _frame(X, source, roles)
        return frame, tuple(frame.columns)
    try:
        array = np.asarray(_unmasked(X))
    except ValueError as error:
        raise InputError(f"The inputs are no table: {error}.", source=source) from None
    if array.ndim > 2 and array.dtype.kind in "biuf":
        _refuse_columns(roles, source, "arrays")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InputError(
                "There are values that are missing or infinite in the arrays. Fill them in.", source=source
            )
        return np.array(array), ("array",)
    if array.ndim != 2 or not array.shape[1]:
        raise InputError(
            f"Inputs were expected as a table with a row for each case and a column for each input, but their shape is "
            f"{array.shape}" + (" (X.reshape(-1, 1) makes one column)." if array.ndim == 1 else "."),
            source=source,
        )
    if names is None or len(names) != array.shape[1]:
        names = [f"x{i}" for i in range(1, array.shape[1] + 1)]
    if array.dtype.kind not in "biuf" or roles.aside or roles.categorical:
        import pandas as pd

        frame = _frame(pd.DataFrame(array, columns=names).infer_objects(), source, roles)
        return frame, tuple(frame.columns)
    inputs = np.array(array, dtype=np.float64)
    infinite = np.argwhere(np.isinf(inputs))
    if len(infinite):
        row, column = infinite[0].tolist()
        raise _complaint("The value is infinite. Use a number, or NaN where it is missing.", row, source, names[column])
    return inputs, tuple(names)


def _are_texts(X: Any) -> bool:
    """Whether inputs are a list or column of texts."""
    if isinstance(X, (list, tuple)):
        return bool(X) and all(isinstance(text, str) for text in X)
    if getattr(X, "ndim", 0) != 1 or not len(X):
        return False
    return all(isinstance(text, str) for text in np.asarray(X, dtype=object).tolist())


def _sparse(X: Any, names: list[str] | None, source: str, roles: Roles) -> tuple[Any, tuple[str, ...]]:
    """A sparse matrix in rows, its numbers checked."""
    _refuse_columns(roles, source, "a sparse matrix")
    matrix = X.tocsr().astype(np.float64)
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise InputError(
            "There are values that are missing or infinite in the sparse matrix. Fill them in.", source=source
        )
    width = matrix.shape[1]
    return matrix, tuple(names) if names is not None and len(names) == width else tuple(
        f"x{i + 1}" for i in range(width)
    )


def _refuse_columns(roles: Roles, source: str, what: str) -> None:
    named = [
        role for role in ("group", "cluster", "time", "fold", "weight", "text") if getattr(roles, role) is not None
    ]
    named += [role for role in ("drop", "categorical") if getattr(roles, role)]
    if named:
        raise InputError(f"{named[0]} names a column, and the inputs are {what}, which have none.", source=source)


def _frame(frame: pd.DataFrame, source: str, roles: Roles) -> pd.DataFrame:
    """A copy with texts for names, every column checked, and categories where the user said so."""
    if frame.columns.nlevels > 1:
        raise InputError("The columns have several levels. Flatten them to one name each.", source=source)
    copied = frame.copy()
    copied.columns = [str(name) for name in frame.columns]
    for name in copied.columns:
        if list(copied.columns).count(name) > 1:
            raise InputError(f"The name {name!r} stands twice. Give each column a name of its own.", source=source)
    for name in roles.categorical:
        if name in copied.columns:
            copied[name] = copied[name].astype("category")
    for name in copied.columns:
        if name not in roles.aside:
            _check_input(copied[name], name, source)
    return copied


def _check_input(series: pd.Series[Any], name: str, source: str) -> None:
    import pandas as pd

    if _is_number(series):
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise _complaint(
                "The value is infinite. Use a number, or NaN where it is missing.", int(infinite[0]), source, name
            )
        return
    if isinstance(series.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(series.dtype):
        return
    if pd.api.types.is_string_dtype(series.dtype) or series.dtype == object:
        odd = [v for v, gone in zip(series, series.isna(), strict=True) if not gone and not isinstance(v, (str, bool))]
        if not odd:
            return
        type_text = f"{odd[0]!r} among texts" if len(odd) < len(series) else f"{odd[0]!r}"
    else:
        type_text = f"the type {series.dtype}"
    raise InputError(
        f"A column of numbers, texts, truth values or categories was expected, but {type_text} was found. Convert the "
        "column, or drop it.",
        source=source,
        column=name,
    )


def _is_number(series: pd.Series[Any]) -> bool:
    import pandas as pd

    kind = series.dtype
    return (
        pd.api.types.is_numeric_dtype(kind)
        and not pd.api.types.is_bool_dtype(kind)
        and getattr(kind, "kind", "f") != "c"
    )


def _several(y: Any) -> dict[str, Any]:
    """The columns of a target that has several, by their names or numbers; nothing if it is one."""
    if hasattr(y, "tocsr"):
        y = y.toarray()
    if isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple, np.ndarray)):
        y = np.asarray(y)
    if getattr(y, "ndim", 0) != 2 or y.shape[1] < 2:
        return {}
    names = [str(label) for label in getattr(y, "columns", range(1, y.shape[1] + 1))]
    return {name: y.iloc[:, i] if hasattr(y, "iloc") else y[:, i] for i, name in enumerate(names)}


def _target_columns(columns: Mapping[str, Any], n: int, source: str) -> dict[str, TargetColumn]:
    read: dict[str, TargetColumn] = {}
    for name, values in columns.items():
        read[name], _ = column_of(values, f"{source}, target {name!r}")
        if len(read[name]) != n:
            raise InputError(
                f"There are {n} rows of inputs, but {len(read[name])} values of the targets.", source=source
            )
    return read


def _target_column(y: Any, n: int, roles: Roles, source: str) -> tuple[TargetColumn, Roles]:
    if y is None:
        raise InputError(
            "There is no target. Pass (X, y), or a DataFrame with target='…', or say kind='density'.", source=source
        )
    column, declared = column_of(y, f"{source}, target")
    if len(column) != n:
        raise InputError(f"There are {n} rows of inputs, but {len(column)} values of the target.", source=source)
    if declared and roles.kind is None:
        roles = replace(roles, kind=Kind.CLASSIFICATION)
    return column, roles


def _complaint(text: str, row: int | None, source: str, column: str | None = None) -> InputError:
    return InputError(text if row is None else f"(row {row + 1}) {text}", source=source, column=column)


# ----------------------------------------------------------------------------------------------------------------------
# Content hashes of arrays and frames: the same on every machine, whatever its byte order or the versions of packages.
#
# Type and shape are part of the hash, numbers enter in little-endian order, text in UTF-8, and every NaN is the same
# NaN.


def array_hash(array: NDArray[Any]) -> bytes:
    """The hash of an array of numbers, truth values or text.

    >>> array_hash(np.array([1, 2], dtype=">i4")) == array_hash(np.array([1, 2], dtype="<i4"))
    True
    >>> array_hash(np.array([1, 2])) == array_hash(np.array([[1, 2]]))
    False
    """
    array = np.asarray(array)
    shape = repr(tuple(int(n) for n in array.shape))
    if array.dtype.kind in "biuf":
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        values = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        if array.dtype.kind == "f":
            nowhere = np.isnan(values)
            if nowhere.any():  # a NaN has many bit patterns
                values = values.copy()
                values[nowhere] = np.nan
        return digest("array", kind, shape, values.tobytes())
    if array.dtype.kind in "UT":
        return text_hash(array.ravel().tolist(), shape)
    if array.dtype.kind == "O" and all(value is None or isinstance(value, str) for value in array.ravel()):
        return text_hash(array.ravel().tolist(), shape)
    raise UsageError(f"An array of {array.dtype} cannot be hashed. Numbers, truth values or text were expected.")


def inputs_hash(X: Any) -> bytes:
    """The hash of inputs, whatever they are."""
    if hasattr(X, "tocsr"):
        return digest("sparse", str(X.shape), *(array_hash(part) for part in (X.indptr, X.indices, X.data)))
    return array_hash(X) if isinstance(X, np.ndarray) else frame_hash(X)


def text_hash(values: Sequence[str | None], shape: str = "") -> bytes:
    """The hash of texts; None is none of them."""
    numbering: dict[str | None, int] = {}
    codes = np.array([numbering.setdefault(value, len(numbering)) for value in values], dtype="<i8")
    labels = ["-" if value is None else f"+{value}" for value in numbering]
    return digest("text", shape, codes.tobytes(), *labels)


def frame_hash(frame: pd.DataFrame) -> bytes:
    """The hash of a DataFrame: names, types and values of its columns. Its index is not part of it."""
    parts: list[bytes | str] = []
    for position, name in enumerate(frame.columns):
        parts += [str(name), _series_hash(frame.iloc[:, position])]
    return digest("frame", *parts)


def _series_hash(series: pd.Series[Any]) -> bytes:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        names = [f"{type(label).__name__} {label}" for label in series.cat.categories]
        return digest("categories", array_hash(series.cat.codes.to_numpy(np.int64)), text_hash(names))
    missing = series.isna().to_numpy()
    if pd.api.types.is_numeric_dtype(series.dtype) and isinstance(series.dtype, np.dtype):
        return array_hash(series.to_numpy())
    if pd.api.types.is_numeric_dtype(series.dtype):  # pandas' own integers and truth values, with their own missing
        values = series.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
        return digest("nullable", str(series.dtype).lower(), array_hash(values))
    texts = [None if gone else f"{type(v).__name__} {v}" for v, gone in zip(series, missing, strict=True)]
    return text_hash(texts)
