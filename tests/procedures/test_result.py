"""What the mathematics of a procedure returns: nothing that was not computed."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from math import isnan
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.procedures.result import Many, Procedure, Result, is_constant, no_facts
from bakeoff.registry import procedures
from bakeoff.scores import Blocks, Layout


def test_what_a_procedure_does_not_give_stays_nan() -> None:
    result = Result()
    numbers = (result.estimate, result.lower, result.upper, result.statistic, result.p)
    assert all(isnan(number) for number in numbers)
    assert (result.statistic_name, result.df, result.note) == ("", (), "")
    assert (Many().tests, Many().estimates) == ((), None)


@pytest.mark.parametrize("kind", [Result, Many])
def test_details_are_not_shared(kind: type[Result]) -> None:
    one, other = kind(), kind()
    cast(dict[str, Any], one.details)["mine"] = 1
    assert dict(other.details) == {}


@pytest.mark.parametrize(("made", "name"), [(Result(), "p"), (Many(), "tests")])
def test_results_are_frozen(made: object, name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, 0.01)


def test_a_procedure_reads_no_facts_unless_told() -> None:
    card = procedures()[0].card
    plain = Procedure(card=card, compute=lambda x: Result())
    assert plain.facts is no_facts
    assert no_facts(cast(Blocks, None), cast(Layout, None)) == {}
    assert plain.ranks is False
    assert plain.name == card.name


def test_rounding_error_is_constant() -> None:
    noisy = np.array([0.1 + 0.2, 0.3, 0.7 - 0.4])
    assert np.ptp(noisy) > 0
    assert is_constant(noisy, 0.3)
    assert not is_constant([0.3, 0.3 + 1e-12], 0.3)


def test_constant_is_relative_to_the_scale() -> None:
    values = [1.0, 1.0 + 1e-9]
    assert not is_constant(values, 1.0)
    assert is_constant(values, 1e6)
    assert not is_constant([1e-20, 2e-20], 1e-20)
    assert is_constant([1e-20, 2e-20], 1.0)


def test_constant_at_the_edges() -> None:
    assert is_constant([5.0], 0.0)
    assert is_constant([0.0, 0.0, 0.0], 0.0)
    assert not is_constant([0.0, 5e-324], 0.0)
    assert is_constant([0, 100 * np.finfo(float).eps], 1.0)
    assert not is_constant([0, 101 * np.finfo(float).eps], 1.0)
    assert type(is_constant(np.array([1.0, 2.0]), 1.0)) is bool


@given(
    values=st.lists(st.integers(-1000, 1000), min_size=1, max_size=10), factor=st.sampled_from([1e-9, 1e-3, 0.1, 1e6])
)
def test_units_do_not_matter(values: list[int], factor: float) -> None:
    scale = max(abs(value) for value in values)
    assert is_constant(np.array(values) * factor, scale * factor) == (len(set(values)) == 1)
