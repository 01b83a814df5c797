"""What every generator promises. A new one is tested here by being registered."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.generators.generator import CLASSIFICATION, REGRESSION, dice, fingerprint, number, whole
from bakeoff.generators.known import GENERATORS, generator_from
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
    whole(np.int64(3), "d", 2)
    for bad in (1, 2.0, True, "3"):
        with pytest.raises(UsageError, match="'d' must be a whole number of at least 2; found"):
            whole(bad, "d", 2)


def test_the_fingerprint_is_of_bytes_and_stable() -> None:
    first, again = list(fingerprint()), list(fingerprint())
    assert first == again
    assert len(first) == 5
    assert all(isinstance(part, bytes) and part for part in first)
