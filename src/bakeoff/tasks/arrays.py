"""Files of arrays (.npy, .npz, sparse matrices), read without pickle; and Parquet files that are read row by row."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.keys import canonical_json, digest
from bakeoff.scores.reading.raw import source_name
from bakeoff.tasks.dataset import Dataset, Roles
from bakeoff.tasks.sources import READING_VERSION, file_bytes

ENDINGS = (".npy", ".npz")
_INPUTS, _TARGETS = ("X", "x", "data", "inputs", "images"), ("y", "target", "labels", "label")
_SPARSE = {"format", "shape", "data"}


def is_array_file(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() in ENDINGS


@dataclass(frozen=True)
class ArraySource:
    """Inputs in a .npy or .npz file, of any rank or sparse; the target in it, or in a file of its own."""

    path: str
    target_path: str | None = None
    runs_code = False

    def describe(self) -> dict[str, Any]:
        more = {"target_file": True} if self.target_path is not None else {}
        return {"file": Path(self.path).suffix.lower().removeprefix("."), **more}

    def key(self, roles: Roles) -> str:
        target = b"" if self.target_path is None else file_bytes(self.target_path)
        description = canonical_json({**roles.describe(), **self.describe()})
        return digest("arrays", str(READING_VERSION), file_bytes(self.path), target, description).hex()

    def read(self, name: str, roles: Roles) -> Dataset:
        from dataclasses import replace

        from bakeoff.tasks.memory import dataset_in_memory

        arrays = _arrays(self.path)
        source = source_name(self.path)
        target = roles.target
        if isinstance(target, tuple):
            raise UsageError(
                f"Task {name!r}: an array of several columns is several targets; target names {len(target)} arrays. "
                "Put them into one array."
            )
        if self.target_path is not None:
            if target is not None:
                raise UsageError(f"Task {name!r}: target_file and target both name the target. Give one of them.")
            y = _only(_arrays(self.target_path), _TARGETS, source_name(self.target_path), "the target")
            X = _only(arrays, _INPUTS, source, "the inputs")
        else:
            place = target if target is not None else next((known for known in _TARGETS if known in arrays), None)
            if place is None or place not in arrays:
                raise InputError(
                    f"Which array is the target? Name one with target = '…', or a file of its own with target_file. "
                    f"{nearest(str(target or ''), arrays)}",
                    source=source,
                )
            y = arrays.pop(place)
            X = _only(arrays, _INPUTS, source, "the inputs")
        data = dataset_in_memory(name, (X, y), replace(roles, target=None))
        return replace(data, key=self.key(roles))


def _arrays(path: str) -> dict[str, Any]:
    """The arrays in a file by their names; the one of a .npy file has none."""
    source, content = source_name(path), file_bytes(path)
    try:
        loaded = np.load(io.BytesIO(content), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"": loaded}
        if set(loaded.files) >= _SPARSE:
            from scipy.sparse import load_npz

            return {"": load_npz(io.BytesIO(content))}
        return {name: loaded[name] for name in loaded.files}
    except (ValueError, OSError, EOFError, KeyError) as error:
        if "pickle" in str(error).lower():
            raise InputError(
                "An array of objects is stored here, which only pickle could read, and that may run code. Save numbers "
                "or texts: array.astype(float), or astype(str).",
                source=source,
            ) from None
        raise InputError(f"This is no file of numpy's: {error}.", source=source) from None


def _only(arrays: dict[str, Any], names: Sequence[str], source: str, what: str) -> Any:
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    known = [name for name in names if name in arrays]
    if not known:
        listed = ", ".join(arrays) or "none"
        raise InputError(f"Which array holds {what}? Call it {names[0]}; the arrays are {listed}.", source=source)
    return arrays[known[0]]


# ----------------------------------------------------------------------------------------------------------------------
# Parquet by row groups: inputs stay in the file, and a cell reads the groups that hold its rows.


@dataclass(eq=False)
class ParquetRows:
    """The inputs of a Parquet file, all numbers, as an array that is read where it is asked for.

    `rows` are the positions in the file of the rows that have a target.
    """

    path: str
    columns: tuple[str, ...]
    rows: NDArray[np.int64]
    groups: NDArray[np.int64] = field(repr=False)  # the first row of each group, and the end
    missing: tuple[str, ...] = ()  # the inputs that have missing values
    _file: Any = field(default=None, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, indices: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Some rows as an array of numbers, read group by group."""
        import pyarrow.parquet as pq

        if self._file is None:
            self._file = pq.ParquetFile(self.path, memory_map=True)
        wanted = self.rows[np.asarray(indices)]
        taken = np.empty((len(wanted), len(self.columns)))
        home = np.searchsorted(self.groups, wanted, side="right") - 1
        for group in np.unique(home).tolist():
            table = self._file.read_row_group(group, columns=list(self.columns))
            here = np.flatnonzero(home == group)
            inside = wanted[here] - self.groups[group]
            for place, name in enumerate(self.columns):
                values = table.column(name).to_numpy().astype(np.float64, copy=False)
                taken[here, place] = values[inside]
        return taken

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_file": None}


def file_hash(path: str) -> bytes:
    """The hash of a file that need not fit into memory."""
    hasher = sha256()
    with open(path, "rb") as file:
        while part := file.read(2**24):
            hasher.update(part)
    return hasher.digest()


def rows_of_parquet(name: str, path: str, roles: Roles, key: str) -> Dataset:
    """The data set of a Parquet file that is too large to be held: what is to be predicted is read, inputs are not.

    Inputs must be numbers. They are looked through once, a group at a time, for missing and infinite values.
    """
    from dataclasses import replace

    import pyarrow as pa
    import pyarrow.parquet as pq

    from bakeoff.tasks.dataset import check_columns
    from bakeoff.tasks.memory import dataset_in_memory

    source, file = source_name(path), pq.ParquetFile(path, memory_map=True)
    schema = file.schema_arrow
    check_columns(tuple(schema.names), roles, source)
    inputs = tuple(column for column in schema.names if column not in roles.aside)
    for column in inputs:
        kind = schema.field(column).type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
            raise InputError(
                f"The file is too large to be held in memory, and is read by row groups, for which inputs must be "
                f"numbers; this one is {kind}. Encode it as numbers, or drop it.",
                source=source,
                column=column,
            )
    wanted = [column for column in schema.names if column in roles.aside and column not in roles.drop]
    frame = file.read(columns=wanted).to_pandas()
    place = "row of the file"
    frame[place] = np.arange(file.metadata.num_rows, dtype=np.float64)
    known = replace(roles, drop=(), categorical=(), text=None)
    data = dataset_in_memory(name, frame, known)
    rows = np.asarray(data.X[place] if hasattr(data.X, "iloc") else data.X[:, 0]).astype(np.int64)
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]
    groups = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    missing = _missing_inputs(file, inputs, source)
    matrix = ParquetRows(str(Path(path).resolve()), inputs, rows, groups, tuple(missing))
    note = f"inputs stay in the file and are read by row groups ({len(sizes)} of them)"
    return replace(
        data, X=matrix, features=inputs, categorical=(), n_missing=sum(missing.values()), key=key,
        notes=(*data.notes, note),
    )  # fmt: skip


def _missing_inputs(file: Any, inputs: Sequence[str], source: str) -> dict[str, int]:
    """How many values of each input are missing, where some are."""
    missing: dict[str, int] = {}
    for group in range(file.metadata.num_row_groups):
        table = file.read_row_group(group, columns=list(inputs))
        for column in inputs:
            values = table.column(column).to_numpy().astype(np.float64, copy=False)
            if np.isinf(values).any():
                raise InputError("There is an infinite value. Use a number.", source=source, column=column)
            if absent := int(np.isnan(values).sum()):
                missing[column] = missing.get(column, 0) + absent
    return missing
