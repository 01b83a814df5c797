"""A task: a name, where its data come from, and what their columns are to be. A description until it is loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.importing import check_path
from bakeoff.scores.reading.raw import is_frame
from bakeoff.tasks.arrays import ArraySource, is_array_file
from bakeoff.tasks.dataset import Dataset, Roles
from bakeoff.tasks.kept_apart import KeptApart, divided
from bakeoff.tasks.simulated import FIXED, SimulatedSource, simulated_source
from bakeoff.tasks.sources import (
    PATH,
    BundledSource,
    FileSource,
    LoaderSource,
    MemorySource,
    Source,
    bundled,
    bundled_sets,
)


@dataclass(frozen=True, eq=False)
class Task:
    """Where a learning sample comes from. Nothing is read before `load`, `data_key` or `facts` is asked for.

    >>> task = Task("radar", BundledSource("ionosphere"))
    >>> data = task.load()
    >>> data.n, data.kind.value, data.classes, data.key == task.data_key()
    (351, 'classification', ('bad', 'good'), True)
    """

    name: str
    source: Source
    roles: Roles = field(default_factory=Roles)
    _loaded: list[Dataset] = field(default_factory=list, repr=False)
    pool: bool = False  # whether a test sample that came with the data is thrown together with the other rows
    shares_rows: str = ""  # the name of the data, if other targets of the same rows are tasks as well
    apart: tuple[KeptApart, int] | None = None  # rows that `load` leaves out, with the seed by which they are chosen

    def __post_init__(self) -> None:
        if not isinstance(self.pool, bool):
            raise UsageError(f"pool is {self.pool!r}, but true or false was expected.")
        if not isinstance(self.name, str) or not self.name.strip():
            raise UsageError(f"The name of a task is {self.name!r}, but a text was expected.")

    @property
    def runs_code(self) -> bool:
        """Whether loading runs code that the user named; facts and plans then go without."""
        return self.source.runs_code

    @property
    def loaded(self) -> bool:
        """Whether the data are at hand, so that asking for them runs nothing."""
        return bool(self._loaded)

    def describe(self) -> dict[str, Any]:
        """What was said of the task, as JSON: part of a study's hash. Data in memory are named by their content."""
        description = {"name": self.name, **self.source.describe(), **self.roles.describe()}
        description |= {"pool": True} if self.pool else {}
        return {**description, "memory": self.data_key()} if isinstance(self.source, MemorySource) else description

    def bound(self, samples: int | None, seed: int, owners: tuple[str, ...] = ()) -> Task:
        """The task as a study draws it: so many learning samples, with its seed, all for everybody or each for one of
        its `owners`. Data that are there are left alone."""
        if not isinstance(self.source, SimulatedSource):
            return self
        return Task(self.name, self.source.bound(samples, seed, owners), self.roles, pool=self.pool)

    @property
    def is_simulated(self) -> bool:
        """Whether its samples are drawn from a law."""
        return isinstance(self.source, SimulatedSource)

    def data_key(self) -> str:
        """The hash of the data and of how they are read: of the bytes of a file, of the arrays of anything else."""
        if self._loaded:
            return self._loaded[0].key
        known = self.source.key(self.roles) if self.apart is None else ""  # the hash of a file is that of all its rows
        return known or self.load().key

    def load(self) -> Dataset:
        """The data, checked. They are read once: a loader that returns something else the next time is not asked."""
        if not self._loaded:
            data = self._read()
            self._loaded.append(data if self.apart is None else divided(data, *self.apart)[0])
        return self._loaded[0]

    def _read(self) -> Dataset:
        data = self.source.read(self.name, self.roles)
        return pooled(data) if self.pool else data

    def keeping_apart(self, apart: KeptApart, seed: int) -> Task:
        """The same task without some of its rows, as a study has it that keeps a test set apart."""
        if self.is_simulated:
            raise UsageError(
                f"Task {self.name!r} draws its samples from a law, and the study keeps a test set apart ([holdout]): "
                "that is for data that are there. Leave holdout out; new samples can be drawn at any time."
            )
        return replace(self, apart=(apart, seed), _loaded=[])

    def load_kept_apart(self) -> Dataset:
        """The rows that `load` leaves out: for the one who concludes the study, and nobody else."""
        if self.apart is None:
            raise UsageError(f"Task {self.name!r} keeps no rows apart.")
        return divided(self._read(), *self.apart)[1]

    def known_data(self) -> Dataset | None:
        """The data set if it can be had without running the user's code, else None."""
        if self.runs_code and not self._loaded:
            return None
        return self.load()

    def __getstate__(self) -> dict[str, Any]:
        """To another process goes the description; data that are read from a file or the package are read there."""
        return {**self.__dict__, "_loaded": []}


def pooled(data: Dataset) -> Dataset:
    """The same rows, those of the test sample that came with them being rows like any other."""
    if data.test is None:
        raise UsageError(
            f"pool throws the test sample of task {data.name!r} together with its other rows, and it has none. Leave "
            "pool out, or name the test sample (test_file, test_rows)."
        )
    note = f"the {len(data.test)} rows of the test sample are pooled with the others, as you said (pool)"
    return replace(data, test=None, notes=(*data.notes, note))


def separate_tasks(name: str, X: Any, y: Any) -> list[Task]:
    """A task for each column of y, on the same inputs, instead of one task in which they are predicted together.

    >>> [task.name for task in separate_tasks("two", np.eye(3), np.eye(3)[:, :2])]
    ['two: 1', 'two: 2']
    """
    labels = [str(label) for label in getattr(y, "columns", range(1, y.shape[1] + 1))]
    columns = [y.iloc[:, i] if hasattr(y, "iloc") else np.asarray(y)[:, i] for i in range(y.shape[1])]
    tasks = [as_task(f"{name}: {label}", (X, column)) for label, column in zip(labels, columns, strict=True)]
    return [replace(task, shares_rows=name) for task in tasks]


def as_task(
    name: str,
    what: Any,
    *,
    test_file: str | os.PathLike[str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    groups: Any = None,
    clusters: Any = None,
    weights: Any = None,
    target_file: str | os.PathLike[str] | None = None,
    pool: bool = False,
    **roles: Any,
) -> Task:
    """A task from whatever is at hand.

    what: the name of a bundled data set, the path of a CSV, Parquet or ARFF file, a pair (X, y), a scikit-learn Bunch,
    a DataFrame with `target=`, a function that returns one of these, or a Task.
    roles: target, kind, group, cluster, drop, categorical, positive, test_rows, as for `Roles`. `groups` and `clusters`
    are arrays for data in memory; `parameters` go to a function. A test sample (test_file, test_rows) is never learned
    from, unless `pool` throws it together with the other rows.

    >>> as_task("toy", ([[0.0], [1.0], [2.0]], ["a", "b", "a"])).load().classes
    ('a', 'b')
    """
    if isinstance(what, Task):
        if (
            roles
            or test_file is not None
            or parameters
            or groups is not None
            or clusters is not None
            or pool
            or weights is not None
        ):
            raise UsageError(f"Task {name!r} is a Task already: say what its columns are where it is made.")
        return Task(name, what.source, what.roles, what._loaded if name == what.name else [], what.pool)
    task = Task(
        name,
        _source(name, what, test_file, parameters, groups, clusters, weights, target_file),
        roles_from(roles),
        pool=pool,
    )
    if isinstance(task.source, FileSource) and task.source.test_path is not None and task.roles.test_rows:
        raise UsageError("test_file and test_rows both name a test sample. Give one of them.")
    return task


def simulated(
    generator: Any,
    n: int,
    m: int | None = None,
    *,
    test: str = FIXED,
    name: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    **roles: Any,
) -> Task:
    """A task whose samples are drawn: n rows to learn from, m to test on, from a generator.

    generator: a name ("friedman1"), the import path of a function (n, rng) → (X, y), such a function, or a Generator.
    test: "fixed" tests on one sample throughout, "fresh" on another one each time. A study with the scheme "simulation"
    says how many learning samples there are.

    >>> simulated("twonorm", n=50, m=200).load().n
    250
    """
    source = simulated_source(generator, parameters=parameters, n=n, m=m, test=test)
    assert source.generator is not None
    return Task(name or source.generator.name.rpartition(".")[2], source, roles_from(roles))


def roles_from(given: Mapping[str, Any]) -> Roles:
    """Roles by their names; an unknown one is an error that names the nearest."""
    known = Roles.__dataclass_fields__
    for key in given:
        if key not in known:
            raise UsageError(f"A task has no {key!r}. {nearest(key, known)}")
    return Roles(**given)


def _source(
    name: str, what: Any, test_file: Any, parameters: Any, groups: Any, clusters: Any, weights: Any, target_file: Any
) -> Source:
    in_memory = {"groups": groups, "clusters": clusters, "weights": weights}
    if not isinstance(what, (str, os.PathLike)):
        _refuse(name, "no file", target_file=target_file)
    if isinstance(what, (str, os.PathLike)):
        _refuse(name, "a file or bundled data", parameters=parameters, **in_memory)
        if is_array_file(what):
            _refuse(name, "a file of arrays", test_file=test_file)
            return ArraySource(os.fspath(what), None if target_file is None else os.fspath(target_file))
        _refuse(name, "no file of arrays", target_file=target_file)
        path = os.fspath(what)
        if path in bundled_sets() and not isinstance(what, os.PathLike):
            _refuse(name, "bundled data", test_file=test_file)
            return BundledSource(path)
        if isinstance(what, str) and not Path(path).suffix and not Path(path).exists():
            raise UsageError(
                f"Task {name!r}: {path!r} is neither a file nor one of the bundled data sets. "
                f"{nearest(path, bundled_sets())}"
            )
        return FileSource(path, None if test_file is None else os.fspath(test_file))
    if isinstance(what, (FileSource, ArraySource, BundledSource, LoaderSource, MemorySource, SimulatedSource)):
        return what
    if callable(what) and not is_frame(what):
        _refuse(name, "a function", test_file=test_file, **in_memory)
        return LoaderSource(what, dict(parameters or {}))
    _refuse(name, "data in memory", test_file=test_file, parameters=parameters)
    if is_frame(what) or isinstance(what, (tuple, Mapping)) or hasattr(what, "shape"):
        return MemorySource(what, groups, clusters, weights)
    raise UsageError(
        f"Task {name!r}: a pair (X, y), a Bunch, a DataFrame, a path, the name of a bundled data set or a function was "
        f"expected, but {type(what).__name__} was found."
    )


def _refuse(name: str, what: str, **options: Any) -> None:
    for option, value in options.items():
        if value is not None and not (isinstance(value, Mapping) and not value):
            raise UsageError(f"Task {name!r} is {what}, which takes no {option}.")


# ----------------------------------------------------------------------------------------------------------------------
# A task as a study file describes it: a table with exactly one of `data`, `file`, `loader` and `generator`.
#
# Nothing is run.


_SOURCES = ("data", "file", "loader", "generator")
_DRAWN = ("bootstrap", "n", "m", "test")
_KEYS = ("name", *_SOURCES, *_DRAWN, "test_file", "target_file", "pool", "parameters", *Roles.__dataclass_fields__)
_OF_GENERATED = ("kind", "positive")  # the roles that make sense where there are no columns yet


def tasks_from(description: Mapping[str, Any], folder: str | Path = ".") -> list[Task]:
    """The task that a study file describes; if it says `separate`, one for each of several targets: the others are no
    inputs of it.

    >>> [task.name for task in tasks_from({"data": "iris", "target": ["Species", "Sepal.Length"], "separate": True})]
    ['iris: Species', 'iris: Sepal.Length']
    """
    targets, apart = description.get("target"), description.get("separate", False)
    rest = {key: value for key, value in description.items() if key != "separate"}
    if not isinstance(apart, bool):
        raise UsageError(f"separate is {apart!r}, but true or false was expected.")
    if not apart:
        return [task_from(rest, folder)]
    if not isinstance(targets, (list, tuple)):
        raise UsageError(f"separate makes a task of each of several targets, and target is {targets!r}. Leave it out.")
    whole = task_from(rest, folder)
    tasks = []
    for target in targets:
        others = [other for other in targets if other != target]
        drop = list(dict.fromkeys([*whole.roles.drop, *others]))
        one = task_from({**rest, "name": f"{whole.name}: {target}", "target": target, "drop": drop}, folder)
        tasks.append(replace(one, shares_rows=whole.name))
    return tasks


def task_from(description: Mapping[str, Any], folder: str | Path = ".") -> Task:
    """The task that a study file describes; paths are relative to `folder`, which is that of the study file.

    >>> task_from({"data": "iris"}).name
    'iris'
    >>> task_from({"name": "wine", "loader": "sklearn.datasets.load_wine"}).runs_code
    True
    """
    for key in description:
        if key not in _KEYS:
            raise UsageError(f"A task has no {key!r}. {nearest(key, _KEYS)}")
    given = [key for key in _SOURCES if key in description]
    if len(given) != 1:
        given_text = " and ".join(given) if given else "none of them"
        raise UsageError(f"A task needs exactly one of data, file, loader and generator, but {given_text} was found.")
    for key in ("name", "data", "file", "loader", "test_file", "target_file"):
        if key in description and (not isinstance(description[key], str) or not description[key]):
            raise UsageError(f"{key} of a task is {description[key]!r}, but a text was expected.")
    for key, where in (
        ("test_file", ("file",)), ("target_file", ("file",)), ("parameters", ("loader", "generator"))
    ):  # fmt: skip
        if key in description and given[0] not in where:
            raise UsageError(f"{key} goes with {' or '.join(where)}, but this task has {given[0]}.")
    _check_drawn(given[0], description)
    name = description.get("name") or _name(given[0], description[given[0]])
    roles = roles_from({key: value for key, value in description.items() if key in Roles.__dataclass_fields__})
    if "test_file" in description and roles.test_rows:
        raise UsageError("test_file and test_rows both name a test sample. Give one of them.")
    source = _described_source(given[0], description, Path(folder), name)
    if "bootstrap" in description:
        n, m = description.get("n"), description.get("m")
        test = description.get("test", FIXED)
        source = SimulatedSource(None, n, m, test, base=source, bootstrap=description["bootstrap"])
    return Task(name, source, roles, pool=description.get("pool", False))


def _check_drawn(source: str, description: Mapping[str, Any]) -> None:
    """Sizes of samples belong to samples that are drawn, and drawn samples have no columns to speak of."""
    if source != "generator" and "bootstrap" not in description:
        for key in _DRAWN:
            if key in description:
                raise UsageError(
                    f"{key} goes with generator or bootstrap, which draw samples, but this task has {source} alone."
                )
        return
    if "bootstrap" in description and (source == "generator" or "test_file" in description):
        beside = "generator" if source == "generator" else "test_file"
        raise UsageError(f"bootstrap draws samples from data, and {beside} stands beside it. Give one of them.")
    for key in Roles.__dataclass_fields__:
        if source == "generator" and key in description and key not in _OF_GENERATED:
            raise UsageError(f"{key} is about data that are there, and a generator draws its own. Leave it out.")


def _name(source: str, value: Any) -> str:
    """The name of a task that was given none: of the data set, of the file, of the function without load_."""
    if source == "generator":
        path = value.get("path") if isinstance(value, Mapping) else value
        return str(path).rpartition(".")[2]
    if source == "data":
        return str(value)
    return Path(value).stem if source == "file" else value.rpartition(".")[2].removeprefix("load_")


def _described_source(kind: str, description: Mapping[str, Any], folder: Path, name: str) -> Source:
    if kind == "data":
        return BundledSource(bundled(description["data"]).name)
    if kind == "file":
        test = description.get("test_file")
        if is_array_file(description["file"]):
            if test is not None:
                raise UsageError(
                    f"Task {name!r} is a file of arrays, which takes no test_file; test_rows names the last."
                )
            target = description.get("target_file")
            return ArraySource(str(folder / description["file"]), None if target is None else str(folder / target))
        if "target_file" in description:
            raise UsageError(f"target_file goes with arrays (.npy, .npz), and task {name!r} is {description['file']}.")
        return FileSource(str(folder / description["file"]), None if test is None else str(folder / test))
    parameters = description.get("parameters", {})
    if not isinstance(parameters, Mapping):
        raise UsageError(f"parameters of task {name!r} are {parameters!r}, but a table was expected.")
    if kind == "generator":
        sizes = {key: description[key] for key in ("n", "m", "test") if key in description}
        return simulated_source(description["generator"], parameters=parameters, **sizes)
    check_path(description["loader"], f"task {name!r}", PATH)
    return LoaderSource(description["loader"], dict(parameters))
