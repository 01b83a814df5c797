from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.generators.generator import dice
from bakeoff.generators.user_function import UserFunction


def straight(n: int, rng: np.random.Generator, slope: float = 1.0) -> Any:
    x = rng.random((n, 1))
    return x, slope * x[:, 0]


def test_a_function_is_called_with_n_the_dice_and_parameters() -> None:
    made = UserFunction(straight, {"slope": 3.0})
    X, y = made.draw(4, dice(1))
    assert np.allclose(y, 3 * X[:, 0])
    assert made.describe() == {"generator": f"{__name__}.straight", "parameters": {"slope": 3.0}}


def test_a_path_is_imported_when_it_is_drawn_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_generators_17.py").write_text(
        "import pathlib\npathlib.Path(__file__).with_name('imported').touch()\n"
        "def draw(n, rng):\n    x = rng.random((n, 2))\n    return x, x.sum(axis=1)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    made = UserFunction("my_generators_17.draw")
    assert made.describe()["generator"] == "my_generators_17.draw"
    assert not (tmp_path / "imported").exists()
    assert made.draw(3, dice(1))[0].shape == (3, 2)
    assert (tmp_path / "imported").exists()
    with pytest.raises(UsageError, match=r"'my_generators_17' has no 'drow'\. Did you mean 'draw'"):
        UserFunction("my_generators_17.drow").draw(3, dice(1))


@pytest.mark.parametrize("path", ["draw", "", "my module.draw", "a..b", "a.1"])
def test_what_cannot_be_a_path_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="import path of a function"):
        UserFunction(path)


def test_a_module_that_is_not_there_or_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"generator: there is no module 'no_such_module_17'"):
        UserFunction("no_such_module_17.draw").draw(3, dice(1))
    (tmp_path / "broken_17.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match="importing 'broken_17' raised ZeroDivisionError"):
        UserFunction("broken_17.draw").draw(3, dice(1))


def test_whatever_it_raises_is_told_in_a_sentence() -> None:
    with pytest.raises(InputError, match=r"straight: It raised TypeError: .*slop"):
        UserFunction(straight, {"slop": 1}).draw(3, dice(1))


def nothing(n: int, rng: Any) -> Any:
    return None


def too_few(n: int, rng: Any) -> Any:
    return np.zeros((n, 1)), np.zeros(n - 1)


def three(n: int, rng: Any) -> Any:
    return 1, 2, 3


def a_number(n: int, rng: Any) -> Any:
    return np.zeros((n, 1)), 3.5


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (a_number, "a pair with float, which has no rows"),
        (nothing, "NoneType"),
        (too_few, "a pair of 5 and 4 rows"),
        (three, "a tuple of 3"),
    ],
)
def test_what_is_no_sample_is_refused(function: Any, found: str) -> None:
    with pytest.raises(InputError, match=f"A pair .* of 5 rows each was expected, but {found} was found"):
        UserFunction(function).draw(5, dice(1))


def test_a_lambda_has_no_name_to_be_found_by() -> None:
    with pytest.raises(UsageError, match="lambda or a local function"):
        UserFunction(lambda n, rng: None).describe()
