"""Where the data of a task come from: a file, the package, a loader, memory."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.importing import imported
from bakeoff.keys import canonical_json, canonical_value, digest
from bakeoff.resampling.predefined import ANY_TASK
from bakeoff.resampling.scheme import split
from bakeoff.resampling.split import APPARENT, TEST, Split
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.reading.parquet_file import MAGIC, read_parquet
from bakeoff.scores.reading.raw import RawTable, read_bytes, source_name, tidy
from bakeoff.tasks import tables
from bakeoff.tasks.dataset import Dataset, Kind, Roles, assemble
from bakeoff.tasks.tables import NameColumn, Table, appended, read_arff, typed

# ----------------------------------------------------------------------------------------------------------------------
# The data sets that come with bakeoff. All that is said about them stands in data/sets.toml.


@dataclass(frozen=True)
class BundledSet:
    """One data set: what it is, how its columns are read, where it comes from, and what to beware of.

    `rows` are those of the file, `inputs` the columns used, `missing` their empty cells in rows that have a target.
    """

    name: str
    title: str
    kind: str
    target: str
    rows: int
    inputs: int
    classes: int
    missing: int
    creators: str
    source: str
    licence: str
    copy: str
    reference: str = ""
    changes: str = ""
    note: str = ""
    positive: str | None = None
    group: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    test_rows: int = 0

    def content(self) -> bytes:
        """The bytes of the file, with line ends that no checkout has changed."""
        return (files("bakeoff") / "data" / "sets" / f"{self.name}.csv").read_bytes().replace(b"\r\n", b"\n")

    def roles(self, roles_given: Roles | None = None) -> Roles:
        """How the columns are read; what the user said of them comes first."""
        own = Roles(
            target=self.target,
            kind=Kind(self.kind),
            group=self.group,
            drop=self.drop,
            categorical=self.categorical,
            positive=self.positive,
            test_rows=self.test_rows,
        )
        if roles_given is None or roles_given == Roles():
            return own
        theirs = {
            f.name: getattr(roles_given, f.name) for f in fields(Roles) if getattr(roles_given, f.name) != f.default
        }
        if "target" in theirs and theirs["target"] != self.target:  # another question: what answers the old one is moot
            own = replace(own, kind=None, positive=None, target=theirs["target"])
        if theirs.get("kind") is Kind.DENSITY:
            # Nothing is to be predicted; the labels would give the answer away, so they are not inputs.
            own = replace(own, kind=None, positive=None, target=None)
            theirs["drop"] = (*theirs.get("drop", own.drop), self.target)
        return replace(own, **theirs)

    def attribution(self) -> str:
        """Who made the data, where they are found, under which licence, and what was changed."""
        changed = f"; {self.changes}" if self.changes else ""
        return f"{self.creators}. {self.source}. Licence: {self.licence}. Written as CSV from {self.copy}{changed}."

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON."""
        fields_read = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fields_read.items()}


@cache
def bundled_sets() -> dict[str, BundledSet]:
    """All of them, by name.

    >>> bundled_sets()["ionosphere"].rows
    351
    """
    table = tomllib.loads((files("bakeoff") / "data" / "sets.toml").read_text(encoding="utf-8"))
    return {name: BundledSet(name=name, **_frozen(entry)) for name, entry in table.items()}


def _frozen(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def bundled(name: str) -> BundledSet:
    """One of them; an unknown name is an error that names the nearest one."""
    known = bundled_sets()
    if name not in known:
        own = f' A file of your own is named by file = "{name}".' if Path(name).suffix else ""
        raise UsageError(f"There is no data set {name!r} in bakeoff.{own} {nearest(name, known)}")
    return known[name]


# ----------------------------------------------------------------------------------------------------------------------
# From data files to a table: CSV, Parquet and ARFF.


# Data sets are held in memory by every worker.
MOST_BYTES = 2**30
CSV, PARQUET, ARFF = "csv", "parquet", "arff"
_ENDINGS = {".parquet": PARQUET, ".pq": PARQUET, ".arff": ARFF}


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the name of a file tells; CSV if it tells none.

    >>> format_of("mine.ARFF"), format_of("mine.txt")
    ('arff', 'csv')
    """
    return _ENDINGS.get(Path(path).suffix.lower(), CSV)


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a data file of a reasonable size."""
    source = source_name(path)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return read_bytes(path)  # which says what is wrong
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise InputError(
            "A file was expected that can be read more than once, but this is a device or pipe.", source=source
        )
    if status.st_size > MOST_BYTES:
        raise InputError(
            f"The file has {status.st_size / 2**30:.1f} GB, but data sets are held in memory, and at most "
            f"{MOST_BYTES / 2**30:.0f} GB are read. Write it as Parquet, which is read by row groups, or take a sample "
            "of the rows.",
            source=source,
        )
    return read_bytes(path)


def read_table(
    data: bytes, source: str, form: str, *, test: tuple[bytes, str] | None = None, categorical: Collection[str] = ()
) -> Table:
    """The table in the bytes of a file, the rows of a test sample below it, every column decided.

    >>> read_table(b"a,b,class\\n1,x,yes\\n2,,no\\n", "t.csv", "csv").column("b").labels
    ('x',)
    """
    form = PARQUET if data.startswith(MAGIC) else form
    raw = _raw(data, source, form, texts=categorical if test is None else None)
    parts = [(source, raw.n_rows)]
    if test is not None:
        other = _raw(*test, form)
        parts.append((test[1], other.n_rows))
        raw = appended(raw, other)
    return typed(raw, tuple(parts), declared=form != CSV, names=categorical)


def _raw(data: bytes, source: str, form: str, texts: Collection[str] | None = None) -> RawTable:
    """What the file says. `texts` None keeps all cells of a CSV file as they are written."""
    if not data:
        raise InputError("The file is empty. A header and at least one row were expected.", source=source)
    reader = {PARQUET: read_parquet, ARFF: read_arff, CSV: read_csv}[form]
    large = form == CSV and texts is not None and len(data) >= tables.LARGE
    raw_table = tables.read_large_csv(data, source, texts or ()) if large else None
    raw = tidy(reader(data, source) if raw_table is None else raw_table)
    if "" in raw.names:
        position = raw.names.index("") + 1
        raise raw.error(
            f"Column {position} has no name. Name it in the header; if it only numbers the rows, leave it out "
            "(pandas: to_csv(..., index=False))."
        )
    return raw


# ----------------------------------------------------------------------------------------------------------------------


# Raised when files are read in another way, so that results on the old reading are not taken for results on the new.
READING_VERSION = 1


class Source(Protocol):
    """What a task needs of the place that its data come from."""

    @property
    def runs_code(self) -> bool:
        """Whether reading runs code that the user named."""

    def describe(self) -> dict[str, Any]:
        """What was said of it, as JSON."""

    def key(self, roles: Roles) -> str | None:
        """The hash of the content, if it can be had without making the data set."""

    def read(self, name: str, roles: Roles) -> Dataset:
        """The data set."""


@dataclass(frozen=True)
class FileSource:
    """A file, and perhaps a second one with a test sample that came with it."""

    path: str
    test_path: str | None = None
    runs_code = False

    def __post_init__(self) -> None:
        if self.test_path is not None and format_of(self.test_path) != format_of(self.path):
            raise UsageError(
                f"The test sample should be in the format of the data ({format_of(self.path)}), but test_file is "
                f"{source_name(self.test_path)}."
            )

    def describe(self) -> dict[str, Any]:
        """Without the path: a study that is moved or whose files are renamed asks the same question. Its tasks go by
        name, and what is in the files is on every result as the key of the data."""
        return {"file": format_of(self.path), **({"test_file": True} if self.test_path is not None else {})}

    @property
    def by_row_groups(self) -> bool:
        """Whether the file is too large to be held in memory, and of a format that can be read in parts."""
        if format_of(self.path) != PARQUET or self.test_path is not None:
            return False
        try:
            return os.path.getsize(self.path) > MOST_BYTES
        except (OSError, ValueError):
            return False  # reading says what is wrong with it

    def key(self, roles: Roles) -> str:
        if self.by_row_groups:
            from bakeoff.tasks.arrays import file_hash

            description = canonical_json(roles.describe())
            return digest("row groups", str(READING_VERSION), file_hash(self.path), description).hex()
        test = b"" if self.test_path is None else file_bytes(self.test_path)
        return _file_key(file_bytes(self.path), test, format_of(self.path), roles)

    def read(self, name: str, roles: Roles) -> Dataset:
        if self.test_path is not None and roles.test_rows:
            raise UsageError("test_file and test_rows both name a test sample. Give one of them.")
        if self.by_row_groups:
            from bakeoff.tasks.arrays import rows_of_parquet

            return rows_of_parquet(name, self.path, roles, self.key(roles))
        data, form, test = file_bytes(self.path), format_of(self.path), None
        if self.test_path is not None:
            test = (file_bytes(self.test_path), source_name(self.test_path))
        table = read_table(data, source_name(self.path), form, test=test, categorical=_as_names(roles))
        n_test = table.parts[1][1] if test is not None else roles.test_rows
        key = _file_key(data, b"" if test is None else test[0], form, roles)
        return assemble(name, table, roles, key=key, n_test=n_test)


@dataclass(frozen=True)
class BundledSource:
    """A data set that comes with bakeoff. It is read as its table says, but for what the user says of the columns."""

    name: str
    runs_code = False

    @property
    def card(self) -> BundledSet:
        return bundled(self.name)

    def describe(self) -> dict[str, Any]:
        return {"data": self.name}

    def key(self, roles: Roles) -> str:
        return _file_key(self.card.content(), b"", CSV, self.card.roles(roles))

    def read(self, name: str, roles: Roles) -> Dataset:
        data, roles = self.card.content(), self.card.roles(roles)
        table = read_table(data, f"{self.name}.csv", CSV, categorical=_as_names(roles))
        return assemble(name, table, roles, key=_file_key(data, b"", CSV, roles), n_test=roles.test_rows)


def _as_names(roles: Roles) -> tuple[str, ...]:
    """Columns whose cells are texts, even if they are numbers."""
    return roles.categorical if roles.text is None else (*roles.categorical, roles.text)


def _file_key(data: bytes, test: bytes, form: str, roles: Roles) -> str:
    """The hash of the bytes and of how they are read: found without parsing anything."""
    return digest("file", str(READING_VERSION), form, data, test, canonical_json(roles.describe())).hex()


@dataclass(frozen=True)
class LoaderSource:
    """A function that returns (X, y), a Bunch or a DataFrame: by its import path, or itself. Called by `read` only."""

    function: str | Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    runs_code = True

    def describe(self) -> dict[str, Any]:
        loader = (
            self.function if isinstance(self.function, str) else canonical_value(self.function, "the loader")["name"]
        )
        return {"loader": loader, "parameters": canonical_value(dict(self.parameters), "parameters")}

    def key(self, roles: Roles) -> None:
        return None

    def read(self, name: str, roles: Roles) -> Dataset:
        from bakeoff.tasks.memory import dataset_in_memory

        return dataset_in_memory(name, call(self.function, self.parameters, f"task {name!r}"), roles)


@dataclass(frozen=True, eq=False)
class MemorySource:
    """Data at hand: (X, y), a Bunch, a DataFrame; `groups` and `clusters` as arrays."""

    content: Any
    groups: Any = None
    clusters: Any = None
    weights: Any = None
    runs_code = False

    def describe(self) -> dict[str, Any]:
        return {"memory": True}

    def key(self, roles: Roles) -> None:
        return None

    def read(self, name: str, roles: Roles) -> Dataset:
        from bakeoff.tasks.memory import dataset_in_memory

        beside = {"groups": self.groups, "clusters": self.clusters, "weights": self.weights}
        return dataset_in_memory(name, self.content, roles, **beside)


# ----------------------------------------------------------------------------------------------------------------------
# Calling a loader: code that the user named. Nothing here is run by reading or planning a study.


PATH = "the import path of a function, such as 'sklearn.datasets.load_wine'"


def call(function: str | Callable[..., Any], parameters: Mapping[str, Any], source: str) -> Any:
    """What a loader returns; whatever it raises is an InputError that tells it."""
    loader = imported(function, source, PATH) if isinstance(function, str) else function
    name = function if isinstance(function, str) else getattr(function, "__qualname__", repr(function))
    try:
        returned = loader(**parameters)
    except Exception as error:  # the loader is the user's: whatever it raises is told in a sentence
        raise InputError(f"The loader {name} raised {type(error).__name__}: {error}", source=source) from error
    if returned is None:
        raise InputError(f"The loader {name} returned nothing. It should return (X, y) or a DataFrame.", source=source)
    return returned


# ----------------------------------------------------------------------------------------------------------------------
# Files of splits: what `bakeoff export` writes, a fold for each row, or the task splits of OpenML.


TRAIN = "train"
# The names that OpenML gives to the columns of its splits, whose rows, repeats and folds are numbered from 0.
_OPENML = {"type": "part", "rowid": "row", "repeat": "repeat", "fold": "fold"}


def read_splits(path: Path) -> dict[str, tuple[Split, ...]]:
    """The splits in a file, by the name of their task; by an empty name if the file names none.

    The columns are those of `splits.csv` as export writes it: `part` (train or test) and `row`, from 1, beside them
    `task`, `repeat`, `fold` and `role` where there are several; or `row` and `fold` alone: the fold in which each row
    is tested on. An ARFF file is one of OpenML's: type, rowid, repeat and fold, from 0.
    """
    source, form = source_name(path), format_of(path)
    names = ("task", "part", "type", "role")
    table = read_table(file_bytes(path), source, form, categorical=names)
    known = [name.strip().lower() for name in table.names]
    openml = form == ARFF or {"type", "rowid"} <= set(known)
    columns = {_OPENML.get(name, name) if openml else name: table.columns[i] for i, name in enumerate(known)}
    if "row" not in columns or not {"part", "fold"} & set(columns):
        raise InputError(
            "Splits have a column row (or rowid, as OpenML's) with part (train or test), or with fold; the columns "
            f"here are {', '.join(table.names)}. {nearest('row', table.names)}",
            source=source,
        )
    first = 0 if openml else 1
    numbers = {
        name: _whole(table, columns[name], name, first if name == "row" or openml else None)
        for name in ("row", "repeat", "fold")
        if name in columns
    }
    n = table.n_rows
    repeat, fold = (numbers.get(name, np.ones(n, dtype=np.int64)) for name in ("repeat", "fold"))
    if openml:
        repeat, fold = repeat + 1 if "repeat" in numbers else repeat, fold + 1 if "fold" in numbers else fold
    rows = numbers["row"] - first
    tasks = _labels(table, columns.get("task"), ANY_TASK, "task")
    if "part" not in columns:
        return {
            name: _folds(rows[tasks == name], repeat[tasks == name], fold[tasks == name]) for name in np.unique(tasks)
        }
    parts = np.array([part.lower() for part in _labels(table, columns["part"], "", "part").tolist()])
    roles = _labels(table, columns.get("role"), TEST, "role")
    _check_words(table, parts, (TRAIN, TEST), "part")
    _check_words(table, roles, (TEST, APPARENT), "role")
    return {
        str(name): _splits(rows, parts, repeat, fold, roles, np.flatnonzero(tasks == name)) for name in np.unique(tasks)
    }


def _splits(rows: Any, parts: Any, repeat: Any, fold: Any, roles: Any, here: NDArray[np.intp]) -> tuple[Split, ...]:
    """The splits of one task, in the order of their repeats and folds."""
    groups: dict[tuple[int, int, str], dict[str, list[int]]] = {}
    for i in here.tolist():
        place = groups.setdefault((int(repeat[i]), int(fold[i]), str(roles[i])), {TRAIN: [], TEST: []})
        place[str(parts[i])].append(int(rows[i]))
    splits = []
    for (number, which, role), both in sorted(groups.items()):
        train, test = (np.sort(np.array(both[part], dtype=np.int64)) for part in (TRAIN, TEST))
        splits.append(split(number, which, train, test, role))
    return tuple(splits)


def _folds(rows: Any, repeat: Any, fold: Any) -> tuple[Split, ...]:
    """Each fold is tested on by what is learned from all other rows of its repeat."""
    splits = []
    for number in np.unique(repeat).tolist():
        here = repeat == number
        for which in np.unique(fold[here]).tolist():
            inside = here & (fold == which)
            splits.append(split(number, which, np.sort(rows[here & ~inside]), np.sort(rows[inside])))
    return tuple(splits)


def _whole(table: Table, column: Any, name: str, least: int | None) -> NDArray[np.int64]:
    if isinstance(column, NameColumn):
        labels = column.labels
        try:
            values = np.array([int(label) for label in labels], dtype=np.float64)[column.codes]
        except ValueError:
            text = next(label for label in labels if not label.lstrip("-").isdigit())
            row = int(np.flatnonzero(column.codes == labels.index(text))[0])
            raise table.error(f"A whole number was expected, but {text!r} was found.", row=row, column=name) from None
    else:
        values = column
    wrong = np.flatnonzero(np.isnan(values) | (values != np.floor(values)) | (values < (0 if least is None else least)))
    if len(wrong):
        row = int(wrong[0])
        least_text = "" if least is None else f" of at least {least}"
        raise table.error(
            f"A whole number{least_text} was expected, but {values[row]:g} was found.", row=row, column=name
        )
    return values.astype(np.int64)


def _labels(table: Table, column: Any, default: str, name: str) -> NDArray[Any]:
    if column is None:
        return np.full(table.n_rows, default, dtype=object)
    if not isinstance(column, NameColumn):
        raise table.error("Words were expected here, but numbers were found.", row=0, column=name)
    gone = np.flatnonzero(column.codes < 0)
    if len(gone):
        raise table.error(f"The {name} is missing here.", row=int(gone[0]), column=name)
    return np.array(column.labels, dtype=object)[column.codes]


def _check_words(table: Table, words: NDArray[Any], allowed: tuple[str, ...], name: str) -> None:
    wrong = np.flatnonzero(~np.isin(words.astype(str), allowed))
    if len(wrong):
        word = str(words[wrong[0]])
        raise table.error(f"{word!r} is not possible. {nearest(word, allowed)}", row=int(wrong[0]), column=name)
