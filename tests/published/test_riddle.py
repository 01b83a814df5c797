"""Riddle: half-widths, the ceiling, records under noise and Demšar's example; and what a wrong protocol would show."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.published import riddle
from bakeoff.published.comparison import Agreement, Reproduction
from bakeoff.published.result import printed_rows
from bakeoff.published.riddle import ceiling, implied_sizes


def test_one_size_a_row_explains_all_half_widths() -> None:
    made = riddle.errors()
    assert len(made.cells) == 132
    assert set(made.agreements) == {Agreement.EXACT}


@pytest.mark.parametrize("row", printed_rows("riddle_errors"), ids=lambda row: row["dataset"])
def test_the_sizes_are_those_that_the_half_widths_imply(row: dict[str, str]) -> None:
    errors, half_widths = (
        [float(row[f"{method} {what}"]) for method in riddle.METHODS] for what in ("error", "half-width")
    )
    low, high = implied_sizes(errors, half_widths)
    n, known = riddle.size_of(row)
    assert low <= n <= high
    assert known == (row["dataset"] != "phoneme")


@pytest.mark.parametrize("what", ["standard deviations, as the heading says", "90 % intervals", "Wilson's intervals"])
def test_other_readings_of_the_table_are_noticed(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    from bakeoff.mathematics.proportions import proportion_interval

    def wrong(error: float, n: float) -> float:
        if what.startswith("standard"):
            return float(np.sqrt(error * (1 - error) / n))
        options = {"method": "wald", "confidence": 0.9} if what.startswith("90") else {"confidence": 0.95}
        lower, upper = proportion_interval(error * n, n, **options)  # type: ignore[arg-type]
        return (upper - lower) / 2

    monkeypatch.setattr(riddle, "half_width", wrong)
    made = riddle.errors()
    assert made.status is Reproduction.NOT_REPRODUCED
    agreeing = (Agreement.EXACT, Agreement.ROUNDING, Agreement.SIMULATION)
    assert sum(how in agreeing for how in made.agreements) < 0.75 * len(made.agreements)


def test_errors_are_not_counts_divided_by_n() -> None:
    rows = printed_rows("riddle_errors")
    smoothed, rates = riddle.multiples(rows, 10)
    assert rates == 112
    assert smoothed == rates - 3  # satimage has a test set of its own and was not cross-validated
    assert riddle.multiples(rows, 0)[0] < 20


def test_the_stars_are_noted() -> None:
    made = riddle.errors()
    assert sum(cell.note == "*" for cell in made.cells) == 67
    assert next(cell for cell in made.cells if (cell.row, cell.column[:4]) == ("splice", "C4.5")).note == "*"


def test_the_ceiling_is_the_better_of_the_two() -> None:
    made = riddle.one_rule_ceiling()
    assert made.errata == ("R10",)
    assert not made.differing
    values = {cell.row: cell.ours for cell in made.cells}
    assert values["mean of Max"] == pytest.approx(92.625)


def test_a_ceiling_that_takes_the_first_method_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = printed_rows("riddle_ceiling")
    rows[1] = {**rows[0], "method": "1R"}
    monkeypatch.setattr(riddle, "printed_rows", lambda name: rows)
    assert [cell.row for cell in riddle.one_rule_ceiling().differing] == ["IR", "LA"]


def test_every_record_counts_nine_domains() -> None:
    made = riddle.noise()
    assert len(made.cells) == 2 * 24
    assert made.status is Reproduction.REPRODUCED
    p = {cell.row: cell.ours for cell in made.cells if cell.column == "sign test, p"}
    assert p["20 %, Bagged C4.5 against C4.5: 7-0-2"] == pytest.approx(2 * 10 / 512)  # P(X ≥ 8), X ~ Bin(9, ½)
    assert p["0 %, Adaboost C4.5 against C4.5: 6-0-3"] == pytest.approx(2 * 9 / 256)  # 7 of 8, the odd tie dropped


def test_a_record_with_a_domain_missing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = printed_rows("riddle_noise")
    rows[0] = {**rows[0], "record": "5-0-3"}
    monkeypatch.setattr(riddle, "printed_rows", lambda name: rows)
    (cell,) = riddle.noise().differing
    assert (cell.row, cell.ours) == ("0 %, Random C4.5 against C4.5: 5-0-3", 8)


def test_demsars_example() -> None:
    made = riddle.demsar()
    assert made.errata == ("R7",)
    assert not made.differing
    values = {(cell.row, cell.column): cell.ours for cell in made.cells}
    assert values["Friedman χ², tie-corrected", "from the AUCs"] == pytest.approx(10.952, abs=5e-4)


def test_zero_differences_that_are_dropped_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of 14 differences are zero: Wilcoxon's own rule leaves 12, and R+ is 71.5."""
    from bakeoff.procedures import wilcoxon

    right = wilcoxon.compute
    monkeypatch.setattr(wilcoxon, "compute", lambda x, y: right(x, y, zeros="wilcox"))
    differing = {cell.row: cell.ours for cell in riddle.demsar().differing}
    assert differing == {"R+, C4.5+m against C4.5": 71.5, "R−": 6.5, "T": 6.5}


def test_a_half_rank_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the tie of two differences of .005 were broken, R+ would be 92.5 or 93.5: not 93, whatever rounding says."""
    from bakeoff.procedures import friedman

    aucs = [list(row) for row in friedman.DEMSAR]
    aucs[0][1] += 1e-6
    monkeypatch.setattr(friedman, "DEMSAR", aucs)
    assert {cell.row: cell.ours for cell in riddle.demsar().differing} == {
        "R+, C4.5+m against C4.5": 93.5, "R−": 11.5, "T": 11.5,
    }  # fmt: skip


def test_a_tie_corrected_statistic_in_place_of_the_raw_one_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from bakeoff.mathematics import rank_tables

    right = rank_tables.chi2_from_mean_ranks
    # 10.952 / 9.857: what the correction would make of the printed ranks
    monkeypatch.setattr(rank_tables, "chi2_from_mean_ranks", lambda ranks, n: right(ranks, n) * 10.952 / 9.857)
    made = riddle.demsar()
    assert [cell.row for cell in made.differing] == ["Friedman χ²", "Iman–Davenport F"]


# ----------------------------------------------------------------------------------------------------------------------
# The ceiling of a comparison; Holte's table is among the oracles.


def test_wins_ties_and_room() -> None:
    found = ceiling([[1, 2, 3, 4], [1, 3, 2, 5]])
    assert (found.wins, found.ties) == ((1, 2), 1)
    assert found.best.tolist() == [1, 3, 3, 5]
    assert found.room.tolist() == [0.5, 0.25]


def test_refusals() -> None:
    with pytest.raises(UsageError, match="two methods"):
        ceiling([[1, 2], [1, 2], [1, 2]])
    with pytest.raises(UsageError, match="at least 2 rows"):
        ceiling([[1, 2]])


# ----------------------------------------------------------------------------------------------------------------------
# Sample sizes that printed half-widths imply; Riddle's table is among the oracles.


@given(st.integers(20, 5000), st.lists(st.floats(0.05, 0.95), min_size=1, max_size=4))
def test_the_true_size_is_always_in_the_range(n: int, rates: list[float]) -> None:
    widths = [1.959963984540054 * sqrt(rate * (1 - rate) / n) for rate in rates]
    low, high = implied_sizes([round(rate, 4) for rate in rates], [round(width, 4) for width in widths])
    assert low - 1e-6 * n <= n <= high + 1e-6 * n


def test_refusals_half_widths() -> None:
    with pytest.raises(UsageError, match="rates between 0 and 1"):
        implied_sizes([1.2], [0.1])
    with pytest.raises(UsageError, match="exceed the rounding"):
        implied_sizes([0.2], [0.0])
    with pytest.raises(UsageError, match="equally long"):
        implied_sizes([0.2, 0.3], [0.1])
