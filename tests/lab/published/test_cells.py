"""When two numbers agree: to the digits printed, within the rounding of inputs, within Monte-Carlo error."""

from __future__ import annotations

from math import inf, isnan

import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.published.cells import Agreement, Cell, printed_number, simulated


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [("2.135", 2.135, 1e-3), ("5.9e-4", 5.9e-4, 1e-5), ("-.05", -0.05, 0.01), ("9", 9, 1), ("−0.1", -0.1, 0.1)],
)
def test_a_printed_number_and_its_last_digit(text: str, value: float, unit: float) -> None:
    assert printed_number(text) == pytest.approx((value, unit))


@pytest.mark.parametrize("text", ["", "5-0-4", "nan", "inf", "1.2.3", "about 3"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="printed number"):
        printed_number(text)


@pytest.mark.parametrize(("ours", "agrees"), [(0.0244, True), (0.0245, True), (0.0255, True), (0.0256, False)])
def test_half_of_the_last_digit_agrees_and_more_does_not(ours: float, agrees: bool) -> None:
    printed = "0.024" if ours == 0.0244 else "0.025"
    assert (Cell("r", "c", ours, printed).agreement(3) is Agreement.EXACT) == agrees


def test_zeros_that_were_left_off_do_not_loosen_the_comparison() -> None:
    assert Cell("r", "c", 0.0532, "0.05").agreement(3) is Agreement.EXACT
    assert Cell("r", "c", 0.0532, "0.05", unit=0.001).agreement(3) is Agreement.DIFFERS


def test_rounded_inputs_explain_so_much_and_no_more() -> None:
    assert Cell("r", "c", 0.1060, "0.10", unit=0.01, slack=0.0011).agreement(3) is Agreement.ROUNDING
    assert Cell("r", "c", 0.1062, "0.10", unit=0.01, slack=0.0011).agreement(3) is Agreement.DIFFERS


def test_the_monte_carlo_band_is_that_of_the_limit() -> None:
    cell = Cell("r", "c", 0.08, "0.050", standard_error=0.01)
    assert cell.z == pytest.approx(3)
    assert cell.agreement(3.01) is Agreement.SIMULATION
    assert cell.agreement(2.99) is Agreement.DIFFERS


def test_a_misprint_explains_a_difference_but_hides_no_agreement() -> None:
    assert Cell("r", "c", 1.0, "2.0", erratum="F1").agreement(3) is Agreement.MISPRINT
    assert Cell("r", "c", 2.0, "2.0", erratum="F1").agreement(3) is Agreement.EXACT
    assert Cell("r", "c", 1.0, "2.0").agreement(3) is Agreement.DIFFERS


def test_words_agree_if_they_are_the_same() -> None:
    assert Cell("r", "c", "5-0-4", "5-0-4").agreement(3) is Agreement.EXACT
    assert Cell("r", "c", "5-0-4", "5-1-3").agreement(3) is Agreement.DIFFERS
    assert isnan(Cell("r", "c", "5-0-4", "5-0-4").z)


def test_nothing_printed_is_nothing_to_agree_with() -> None:
    cell = Cell("r", "c", 1.0, standard_error=0.1)
    assert cell.agreement(3) is Agreement.UNPRINTED
    assert isnan(cell.z)
    assert isnan(cell.document)


def test_a_simulation_without_error_must_be_right() -> None:
    assert Cell("r", "c", 1.0, "1.00", standard_error=0.0).z == 0
    assert Cell("r", "c", 0.9, "1.00", standard_error=0.0).z == inf
    assert Cell("r", "c", 0.9, "1.00", standard_error=0.0).agreement(3) is Agreement.DIFFERS


def test_both_simulations_add_to_the_error() -> None:
    alone, both = (simulated("r", "c", 50, 1000, "0.050", theirs=n).standard_error for n in (0, 1000))
    assert both == pytest.approx((2 * 0.0505 * 0.9495 / 1000) ** 0.5, rel=0.01)
    assert alone == pytest.approx((0.05 * 0.95 / 1000) ** 0.5)


@pytest.mark.parametrize(("hits", "printed"), [(0, "0.000"), (1000, "1.000"), (0, None)])
def test_a_share_of_none_or_all_does_not_look_exact(hits: int, printed: str | None) -> None:
    for theirs in (0, 5000):
        error = simulated("r", "c", hits, 1000, printed, theirs=theirs).standard_error
        assert error is not None
        assert 0 < error < 0.002


@pytest.mark.parametrize(("hits", "replications"), [(-1, 10), (11, 10), (0, 0)])
def test_hits_are_some_of_the_replications(hits: int, replications: int) -> None:
    with pytest.raises(UsageError, match="hits"):
        simulated("r", "c", hits, replications, "0.5")
