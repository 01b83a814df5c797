from __future__ import annotations

import numpy as np
import pytest

from bakeoff.scores.reading.numbers import is_missing, is_number, parse_numbers


@pytest.mark.parametrize("text", ["", "  ", "NA", "na", "NaN", "nan", "N/A", "null", "None", "-", "?", "<NA>"])
def test_what_means_missing(text: str) -> None:
    assert is_missing(text)
    assert not is_number(text)
    values, wrong = parse_numbers([text])
    assert np.isnan(values[0])
    assert wrong == []


@pytest.mark.parametrize(("text", "number"), [("0.5", 0.5), ("1e-3", 1e-3), (" -2 ", -2.0), (".5", 0.5), ("+7", 7.0)])
def test_what_is_a_number(text: str, number: float) -> None:
    assert is_number(text)
    assert parse_numbers([text])[0].tolist() == [number]


@pytest.mark.parametrize("text", ["high", "0.5%", "1_000", "0,5", "1.2.3", "--", "0x10", "n.a"])
def test_what_is_neither(text: str) -> None:
    assert not is_number(text)
    assert not is_missing(text)
    assert parse_numbers(["1", text])[1] == [1]


def test_underscores_are_refused_even_if_all_the_rest_is_fine() -> None:
    # float("1_000") succeeds, so this would slip through where no other label stops the fast path.
    assert parse_numbers(["1.5", "1_000", "2"])[1] == [1]


@pytest.mark.parametrize(
    ("text", "number"), [("0,85", 0.85), ("-1,5e2", -150.0), (",5", 0.5), ("3", 3.0), ("0.7", 0.7)]
)
def test_decimal_commas(text: str, number: float) -> None:
    assert parse_numbers([text, "NA"], decimal_comma=True)[0][0] == number


def test_thousands_separators_are_not_guessed_at() -> None:
    assert parse_numbers(["1.234,5", "1,234,567"], decimal_comma=True)[1] == [0, 1]


def test_infinity_is_a_number_so_that_it_can_be_refused_by_name() -> None:
    assert parse_numbers(["inf", "-Infinity"])[0].tolist() == [np.inf, -np.inf]
