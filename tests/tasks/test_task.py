"""Tasks from whatever is at hand, read once and only when asked."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from bakeoff.errors import InputError, UsageError
from bakeoff.keys import canonical_json
from bakeoff.tasks.sources import BundledSource, FileSource, LoaderSource
from bakeoff.tasks.task import Task, as_task, task_from

X, Y = np.arange(8.0).reshape(4, 2), np.array(["a", "b", "a", "b"])
CALLS: list[int] = []


def changing() -> Any:
    CALLS.append(1)
    return X + len(CALLS), Y


@pytest.mark.parametrize(
    ("what", "options", "n"),
    [
        ((X, Y), {}, 4),
        (pd.DataFrame({"x": [1, 2], "y": [0, 1]}), {"target": "y"}, 2),
        (load_iris(), {}, 150),
        (load_iris, {"parameters": {"as_frame": True}}, 150),
        ("iris", {}, 150),
        (X, {"kind": "density"}, 4),
        (Task("other", BundledSource("wine")), {}, 178),
    ],
    ids=["pair", "frame", "bunch", "function", "bundled", "array", "task"],
)
def test_anything_becomes_a_task(what: Any, options: dict[str, Any], n: int) -> None:
    task = as_task("t", what, **options)
    data = task.load()
    assert (task.name, data.name, data.n) == ("t", "t", n)
    assert data.key == task.data_key()
    assert canonical_json(task.describe())


def test_a_path_becomes_a_task(tmp_path: Path) -> None:
    (tmp_path / "iris.csv").write_text("x,y\n1,p\n2,q\n")
    for path in (tmp_path / "iris.csv", str(tmp_path / "iris.csv")):
        assert as_task("t", path, target="y").load().n == 2


def test_scikit_learns_loader_by_its_path() -> None:
    task = Task("wine", LoaderSource("sklearn.datasets.load_wine"))
    assert task.known_data() is None  # which would run it
    data = task.load()
    assert (data.n, data.classes, data.features[0]) == (178, (0, 1, 2), "alcohol")
    assert task.known_data() is data


def test_a_loader_is_asked_once() -> None:
    task = as_task("t", changing)
    assert task.data_key() == task.load().key == task.data_key()
    assert len(CALLS) == 1


def test_to_another_process_goes_the_description() -> None:
    task = as_task("t", "iris")
    task.load()
    again = pickle.loads(pickle.dumps(task))
    assert again._loaded == []
    assert again.data_key() == task.data_key()
    assert again.load().key == task.data_key()


def test_descriptions_tell_data_in_memory_apart() -> None:
    assert as_task("t", (X, Y)).describe() != as_task("t", (X + 1, Y)).describe()
    assert as_task("t", (X, Y)).describe()["memory"] == as_task("u", (X, Y)).data_key()
    assert as_task("t", "iris", drop="Petal.Width").describe() == {"name": "t", "data": "iris", "drop": ["Petal.Width"]}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        as_task("t", tmp_path / "u.csv", target="y").known_data()


@pytest.mark.parametrize(
    ("name", "what", "options", "complaint"),
    [
        ("", "iris", {}, "name of a task"),
        ("t", "irsi", {}, "Did you mean 'iris'"),
        ("t", 3, {}, "but int was found"),
        ("t", "iris", {"targt": "x"}, "Did you mean 'target'"),
        ("t", "iris", {"groups": [1]}, "takes no groups"),
        ("t", "iris", {"test_file": "a.csv"}, "takes no test_file"),
        ("t", (X, Y), {"parameters": {"a": 1}}, "takes no parameters"),
        ("t", changing, {"groups": [1]}, "takes no groups"),
        ("t", "a.csv", {"test_file": "b.csv", "test_rows": 3}, "Give one of them"),
        ("t", Task("u", BundledSource("iris")), {"target": "x"}, "is a Task already"),
    ],
)
def test_mistakes(name: str, what: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        as_task(name, what, **options)


def test_reading_numbers_imports_neither_pandas_nor_scikit_learn() -> None:
    code = (
        "import sys; from bakeoff.tasks.task import as_task; t = as_task('t', 'ionosphere'); t.data_key(); t.load()\n"
        "as_task('t', 'soybean').data_key(); assert not {'pandas', 'sklearn', 'scipy', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ----------------------------------------------------------------------------------------------------------------------
# [[task]] tables of a study file.


def test_a_file_is_looked_for_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("x,class\n1,no\n2,yes\n3,no\n")
    (tmp_path / "more.csv").write_text("x,class\n9,yes\n")
    said = {"file": "mine.csv", "target": "class", "positive": "no", "test_file": "more.csv"}
    task = task_from(said, tmp_path)
    assert task.name == "mine"
    data = task.load()
    assert data.classes == ("yes", "no")
    assert data.test is not None
    assert data.test.tolist() == [3]


def test_an_absolute_path_stays(tmp_path: Path) -> None:
    task = task_from({"file": str(tmp_path / "a.arff"), "target": "y"}, "elsewhere")
    assert task.source == FileSource(str(tmp_path / "a.arff"))


def test_a_loader_is_not_imported() -> None:
    task = task_from({"loader": "no_such_module.load_things", "parameters": {"n": 3}})
    assert (task.name, task.runs_code, task.known_data()) == ("things", True, None)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({}, "exactly one of data, file, loader and generator, but none of them"),
        ({"data": "iris", "file": "a.csv"}, "data and file was found"),
        ({"dat": "iris"}, "A task has no 'dat'. Did you mean 'data'"),
        ({"data": "irsi"}, "Did you mean 'iris'"),
        ({"data": 3}, "a text was expected"),
        ({"name": "", "data": "iris"}, "name of a task is ''"),
        ({"data": "iris", "test_file": "a.csv"}, "test_file goes with file"),
        ({"file": "a.csv", "parameters": {}}, "parameters goes with loader"),
        ({"file": "a.csv", "test_file": "b.csv", "test_rows": 2}, "Give one of them"),
        ({"loader": "load"}, "import path of a function"),
        ({"loader": "a.b", "parameters": [1]}, "a table was expected"),
        ({"data": "iris", "kind": "cluster"}, "kind cannot be 'cluster'"),
    ],
)
def test_mistakes_description(said: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        task_from(said)
