"""What every generator promises. A new one is tested here by being registered."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.generators import generator_from
from bakeoff.generators.classic import GENERATORS
from bakeoff.generators.generator import CLASSIFICATION, REGRESSION, UserFunction, check_int, dice, fingerprint, number
from bakeoff.keys import canonical_json

every = pytest.mark.parametrize("generator", [kind() for kind in GENERATORS.values()], ids=lambda made: made.name)


@every
@pytest.mark.parametrize("n", [1, 2, 50])
def test_samples_have_the_size_asked_for(generator: Any, n: int) -> None:
    X, y = generator.draw(n, dice(1))
    assert X.shape[0] == len(y) == n
    assert X.ndim == 2
    assert np.isfinite(X).all()
    assert X.dtype == np.float64
    if generator.kind == REGRESSION:
        assert y.dtype == np.float64
        assert np.isfinite(y).all()
    else:
        assert generator.kind == CLASSIFICATION
        assert set(y.tolist()) <= {1, 2, 3}


@every
def test_the_dice_decide_and_nothing_else(generator: Any) -> None:
    first, again, other = (generator.draw(20, dice(*seed)) for seed in ((1, 2), (1, 2), (1, 3)))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


@every
def test_rows_are_independent_and_alike(generator: Any) -> None:
    X, _ = generator.draw(20_000, dice(3))
    early, late = X[:10_000].mean(axis=0), X[10_000:].mean(axis=0)
    standard_error = X.std(axis=0) * np.sqrt(2 / 10_000)
    assert (np.abs(early - late) < 4.5 * standard_error).all()
    lagged = [np.corrcoef(column[:-1], column[1:])[0, 1] for column in X.T]
    assert np.abs(lagged).max() < 4.5 / np.sqrt(20_000)


@every
def test_the_description_is_json_and_comes_back(generator: Any) -> None:
    described = json.loads(canonical_json(generator.describe()))
    name = described.pop("generator")
    assert generator_from(name, described) == generator
    assert set(described) == {field.name for field in fields(generator)}
    assert generator.about
    assert type(generator).__doc__


@every
def test_generators_are_frozen_and_check_their_parameters(generator: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        generator.anything = 1
    for field in fields(generator):
        for bad in ("1", None, True, float("nan"), float("inf")):
            with pytest.raises(UsageError, match=f"'{field.name}' must be a .*number.*; found"):
                type(generator)(**{field.name: bad})


@pytest.mark.parametrize("value", [0, -1])
def test_a_scale_that_must_be_positive(value: float) -> None:
    with pytest.raises(UsageError, match="'noise' must be a number above 0; found"):
        number(value, "noise", least=0, above=True)
    number(0, "noise", least=0)


def test_whole_numbers() -> None:
    check_int(np.int64(3), "d", 2)
    for bad in (1, 2.0, True, "3"):
        with pytest.raises(UsageError, match="'d' must be a whole number of at least 2; found"):
            check_int(bad, "d", 2)


def test_the_fingerprint_is_of_bytes_and_stable() -> None:
    first, again = list(fingerprint()), list(fingerprint())
    assert first == again
    assert len(first) == 5
    assert all(isinstance(part, bytes) and part for part in first)


# ----------------------------------------------------------------------------------------------------------------------
# User function


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
