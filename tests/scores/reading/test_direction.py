from __future__ import annotations

from math import inf

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.scores.factor import Factor
from bakeoff.scores.reading.direction import directed, with_range


def test_known_names_carry_their_direction() -> None:
    measures = directed(["accuracy", "RMSE"], None)
    assert measures["accuracy"].larger_is_better
    assert not measures["RMSE"].larger_is_better
    assert measures["RMSE"].origin == "known measure"


def test_an_unknown_direction_is_left_open_and_never_guessed() -> None:
    assert directed(["frobscore"], None) == {}


@pytest.mark.parametrize("larger", [True, False])
def test_what_the_user_says_about_an_unknown_measure(larger: bool) -> None:
    measure = directed(["frobscore"], larger)["frobscore"]
    assert measure.larger_is_better is larger
    assert measure.origin == "as you said"


def test_the_user_overrules_the_name_and_it_shows() -> None:
    measure = directed(["accuracy"], False)["accuracy"]
    assert not measure.larger_is_better
    assert measure.origin == "as you said; usually larger is better"
    assert (measure.lower, measure.upper) == (0, 1)
    assert directed(["rmse"], True)["rmse"].origin == "as you said; usually smaller is better"
    assert directed(["rmse"], False)["rmse"].origin == "as you said"


def test_among_several_measures_the_word_is_about_the_unknown_ones() -> None:
    measures = directed(["accuracy", "frobscore"], False)
    assert measures["accuracy"].larger_is_better
    assert not measures["frobscore"].larger_is_better


def test_a_direction_for_several_known_measures_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Which measure is it .* \(accuracy, fit_time\)"):
        directed(["accuracy", "fit_time"], True)


def test_ranges() -> None:
    column = Factor.of(["accuracy", "kappa", "rmse", "frob"])
    measures = directed(["accuracy", "kappa", "rmse", "frob"], True)
    fitted, notes = with_range(measures, column, np.array([85.5, 7.0, 12.0, 99.0]))
    assert fitted["accuracy"].upper == 100
    assert (fitted["kappa"].lower, fitted["kappa"].upper) == (-inf, inf)
    assert fitted["rmse"] == measures["rmse"]
    assert notes == [
        "accuracy goes up to 85.5: read as per cent, from 0 to 100",
        "kappa goes from 7 to 7, outside its usual range: no range is assumed",
    ]


def test_values_within_the_range_change_nothing() -> None:
    measures = directed(["accuracy"], None)
    assert with_range(measures, Factor.of(["accuracy"] * 3), np.array([0.0, 1.0, np.nan])) == (measures, [])


def test_rounding_does_not_make_a_per_cent_of_a_share() -> None:
    accuracy = directed(["accuracy"], None)
    for values in ([1.0000001, 0.9], [np.float32(1) + np.finfo(np.float32).eps, 0.9], [-1e-9, 0.9]):
        fitted, notes = with_range(accuracy, Factor.of(["accuracy"] * 2), np.array(values, dtype=float))
        assert (fitted["accuracy"].upper, notes) == (1, [])


def test_values_a_little_above_one_are_told_and_not_guessed() -> None:
    accuracy = directed(["accuracy"], None)
    for high in (1.01, 1.5):
        fitted, notes = with_range(accuracy, Factor.of(["accuracy"] * 2), np.array([high, 0.9]))
        assert fitted["accuracy"].upper == inf
        assert notes == [
            f"accuracy goes up to {high:g}, which is neither a share from 0 to 1 nor likely a per cent: no range is "
            "assumed; look at the values above 1"
        ]
    assert with_range(accuracy, Factor.of(["accuracy"] * 2), np.array([1.6, 0.9]))[0]["accuracy"].upper == 100
