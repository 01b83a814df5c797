"""[[task]] tables of a study file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bakeoff.errors import UsageError
from bakeoff.tasks.description import task_from
from bakeoff.tasks.sources import FileSource


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
    assert (task.name, task.runs_code, task.facts()) == ("things", True, None)


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
def test_mistakes(said: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        task_from(said)
