"""Where the data of a task come from: a file, the package, a loader, memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from bakeoff.errors import UsageError
from bakeoff.keys import canonical_json, digest, plain
from bakeoff.scores.reading.source import source_name
from bakeoff.tasks.assembling import assemble
from bakeoff.tasks.bundled import BundledSet, bundled
from bakeoff.tasks.dataset import Dataset
from bakeoff.tasks.files import CSV, file_bytes, format_of, read_table
from bakeoff.tasks.roles import Roles

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

    def key(self, roles: Roles) -> str:
        test = b"" if self.test_path is None else file_bytes(self.test_path)
        return _file_key(file_bytes(self.path), test, format_of(self.path), roles)

    def read(self, name: str, roles: Roles) -> Dataset:
        if self.test_path is not None and roles.test_rows:
            raise UsageError("test_file and test_rows both name a test sample. Give one of them.")
        data, form, test = file_bytes(self.path), format_of(self.path), None
        if self.test_path is not None:
            test = (file_bytes(self.test_path), source_name(self.test_path))
        table = read_table(data, source_name(self.path), form, test=test, categorical=roles.categorical)
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
        table = read_table(data, f"{self.name}.csv", CSV, categorical=roles.categorical)
        return assemble(name, table, roles, key=_file_key(data, b"", CSV, roles), n_test=roles.test_rows)


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
        loader = self.function if isinstance(self.function, str) else plain(self.function, "the loader")["name"]
        return {"loader": loader, "parameters": plain(dict(self.parameters), "parameters")}

    def key(self, roles: Roles) -> None:
        return None

    def read(self, name: str, roles: Roles) -> Dataset:
        from bakeoff.tasks.loading import call
        from bakeoff.tasks.memory import dataset_in_memory

        return dataset_in_memory(name, call(self.function, self.parameters, f"task {name!r}"), roles)


@dataclass(frozen=True, eq=False)
class MemorySource:
    """Data at hand: (X, y), a Bunch, a DataFrame; `groups` and `clusters` as arrays."""

    content: Any
    groups: Any = None
    clusters: Any = None
    runs_code = False

    def describe(self) -> dict[str, Any]:
        return {"memory": True}

    def key(self, roles: Roles) -> None:
        return None

    def read(self, name: str, roles: Roles) -> Dataset:
        from bakeoff.tasks.memory import dataset_in_memory

        return dataset_in_memory(name, self.content, roles, groups=self.groups, clusters=self.clusters)
