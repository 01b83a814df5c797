"""A task as a study file describes it: a table with exactly one of `data`, `file`, `loader` and `generator`.

Nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.importing import check_path
from bakeoff.tasks.bundled import bundled
from bakeoff.tasks.loading import PATH
from bakeoff.tasks.roles import Roles
from bakeoff.tasks.simulated import FIXED, SimulatedSource, simulated_source
from bakeoff.tasks.sources import BundledSource, FileSource, LoaderSource, Source
from bakeoff.tasks.task import Task, roles_from

_SOURCES = ("data", "file", "loader", "generator")
_DRAWN = ("bootstrap", "n", "m", "test")
_KEYS = ("name", *_SOURCES, *_DRAWN, "test_file", "parameters", *Roles.__dataclass_fields__)
_OF_GENERATED = ("kind", "positive")  # the roles that make sense where there are no columns yet


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
        found = " and ".join(given) if given else "none of them"
        raise UsageError(f"A task needs exactly one of data, file, loader and generator, but {found} was found.")
    for key in ("name", "data", "file", "loader", "test_file"):
        if key in description and (not isinstance(description[key], str) or not description[key]):
            raise UsageError(f"{key} of a task is {description[key]!r}, but a text was expected.")
    for key, where in (("test_file", ("file",)), ("parameters", ("loader", "generator"))):
        if key in description and given[0] not in where:
            raise UsageError(f"{key} goes with {' or '.join(where)}, but this task has {given[0]}.")
    _check_drawn(given[0], description)
    name = description.get("name") or _name(given[0], description[given[0]])
    roles = roles_from({key: value for key, value in description.items() if key in Roles.__dataclass_fields__})
    if "test_file" in description and roles.test_rows:
        raise UsageError("test_file and test_rows both name a test sample. Give one of them.")
    source = _source(given[0], description, Path(folder), name)
    if "bootstrap" in description:
        n, m = description.get("n"), description.get("m")
        test = description.get("test", FIXED)
        source = SimulatedSource(None, n, m, test, base=source, bootstrap=description["bootstrap"])
    return Task(name, source, roles)


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
        said = value.get("path") if isinstance(value, Mapping) else value
        return str(said).rpartition(".")[2]
    if source == "data":
        return str(value)
    return Path(value).stem if source == "file" else value.rpartition(".")[2].removeprefix("load_")


def _source(kind: str, description: Mapping[str, Any], folder: Path, name: str) -> Source:
    if kind == "data":
        return BundledSource(bundled(description["data"]).name)
    if kind == "file":
        test = description.get("test_file")
        return FileSource(str(folder / description["file"]), None if test is None else str(folder / test))
    parameters = description.get("parameters", {})
    if not isinstance(parameters, Mapping):
        raise UsageError(f"parameters of task {name!r} are {parameters!r}, but a table was expected.")
    if kind == "generator":
        sizes = {key: description[key] for key in ("n", "m", "test") if key in description}
        return simulated_source(description["generator"], parameters=parameters, **sizes)
    check_path(description["loader"], f"task {name!r}", PATH)
    return LoaderSource(description["loader"], dict(parameters))
