"""Loaders: code that the user named."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.tasks.loading import call


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my_loaders.py").write_text(
        "value = 3\ndef good(n=2):\n    return [[0.0]] * n, [0, 1]\ndef bad():\n    raise ZeroDivisionError('oh')\n"
        "def nothing():\n    pass\n"
    )
    (tmp_path / "my_broken.py").write_text("raise RuntimeError('at import')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "my_loaders"


def test_it_is_called_with_its_parameters(module: str) -> None:
    assert call(f"{module}.good", {"n": 1}, "task 't'") == ([[0.0]], [0, 1])
    assert call(lambda: 5, {}, "task 't'") == 5


@pytest.mark.parametrize(
    ("path", "error", "complaint"),
    [
        ("{}.god", UsageError, r"has no 'god'\. Did you mean 'good'"),
        (
            "{}.value",
            UsageError,
            "a value of type int, which cannot be called. Expected is the import path of a function",
        ),
        ("{}.bad", InputError, "raised ZeroDivisionError: oh"),
        ("{}.nothing", InputError, "returned nothing"),
        ("my_broken.load", UsageError, "raised RuntimeError: at import"),
        ("no_such_module.load", UsageError, "there is no module 'no_such_module'"),
        ("load", UsageError, "is no import path. Expected is the import path of a function"),
        ("os.system('x')", UsageError, "is no import path. Expected is the import path of a function"),
        ("os.pathh", UsageError, "'os' has no 'pathh'"),
    ],
)
def test_what_goes_wrong_is_told(module: str, path: str, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint) as caught:
        call(path.format(module), {}, "task 't'")
    assert str(caught.value).startswith("task 't'")


def test_an_import_path_may_name_something_inside_a_package() -> None:
    assert call("os.path.abspath", {"path": "/a"}, "t") == "/a"
