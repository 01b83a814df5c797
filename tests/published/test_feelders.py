"""Feelders and Verkooijen: their tables come out, their misprints are found, and a wrong protocol is noticed."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff.published import feelders
from bakeoff.published.comparison import Agreement, PublishedComparison, Reproduction
from bakeoff.published.result import printed_values


def marked(comparison: PublishedComparison, how: Agreement) -> list[tuple[str, str, str]]:
    pairs = zip(comparison.cells, comparison.agreements, strict=True)
    return [(cell.row, cell.column, cell.erratum) for cell, found in pairs if found is how]


def broken(monkeypatch: pytest.MonkeyPatch, *path: Any, value: Any) -> None:
    """The printed numbers with one of them changed."""
    said = printed_values("feelders")
    place = said
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    monkeypatch.setattr(feelders, "printed_values", lambda name: said)


def test_table3_has_two_misprints_besides_the_quantile() -> None:
    made = feelders.table3()
    found = marked(made, Agreement.MISPRINT)
    assert [cell for cell in found if cell[2] != "F2"] == [
        ("θ1 − θ4", "lower, |M| = 2.135", "F3"),
        ("θ3 − θ4", "upper, |M| = 2.135", "F1"),
    ]
    # With the right quantile not one bound is as printed, but the quantile itself and every decision can be told.
    assert len([cell for cell in found if cell[2] == "F2"]) == 1 + 12
    assert not made.differing


def test_table3_with_the_right_quantile() -> None:
    """The bounds of the erratum, three digits."""
    right = {(cell.row, cell.column): cell.ours for cell in feelders.table3().cells}
    assert right["|M|, 6 pairs, 105 df, α = .10", "quantile"] == pytest.approx(2.4127, abs=5e-5)
    for pair, lower, upper in (
        ("θ1 − θ2", 2.92e-4, 5.49e-3), ("θ1 − θ3", 8.60e-4, 6.02e-3), ("θ1 − θ4", 7.17e-4, 6.04e-3),
        ("θ2 − θ3", -5.42e-4, 1.64e-3), ("θ2 − θ4", -1.10e-3, 2.08e-3), ("θ3 − θ4", -8.19e-4, 6.99e-4),
    ):  # fmt: skip
        assert right[pair, "lower, right |M|"] == pytest.approx(lower, rel=5e-3)
        assert right[pair, "upper, right |M|"] == pytest.approx(upper, rel=5e-3)


def test_table3_notices_independent_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the covariances, as in an unpaired comparison, the intervals are not those of the document."""
    S = printed_values("feelders")["section2"]["covariance"]
    alone = [[entry if i == j else "0.00e-05" for j, entry in enumerate(row)] for i, row in enumerate(S)]
    broken(monkeypatch, "section2", "covariance", value=alone)
    made = feelders.table3()
    assert made.status is Reproduction.NOT_REPRODUCED
    assert len([cell for cell in made.differing if "2.135" in cell.column]) >= 6


def test_table3_notices_a_wrong_quantile_where_the_printed_one_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, "section2", "quantile", value="2.413")
    made = feelders.table3()
    assert made.status is Reproduction.NOT_REPRODUCED
    # and then the quantile is no misprint any more
    assert ("|M|, 6 pairs, 105 df, α = .10", "quantile", "F2") in marked(made, Agreement.EXACT)


def test_table4_agrees() -> None:
    made = feelders.table4()
    assert made.status is Reproduction.REPRODUCED
    assert set(made.agreements) == {Agreement.EXACT}
    assert dict(zip([cell.row for cell in made.cells], [cell.ours for cell in made.cells], strict=True))[
        "X², continuity-corrected"
    ] == pytest.approx(64 / 55)


def test_table4_notices_a_test_without_continuity_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    from bakeoff.procedures import mcnemar

    right = mcnemar.mcnemar_counts
    monkeypatch.setattr(
        mcnemar, "mcnemar_counts", lambda *counts, **options: right(*counts, **{**options, "correction": False})
    )
    made = feelders.table4()
    assert [cell.row for cell in made.differing] == ["X², continuity-corrected", "p"]


def test_table5_comes_from_rounded_rates() -> None:
    made = feelders.table5()
    assert {column for _, column, _ in marked(made, Agreement.MISPRINT)} == {"quantile", "width", "lower, counts"}
    rounded = [cell for cell in made.cells if "printed rates" in cell.column]
    assert len(rounded) == 20
    assert {cell.agreement(0) for cell in rounded} == {Agreement.EXACT}
    exact = [cell for cell in made.cells if cell.column.endswith(", counts") and isinstance(cell.ours, float)]
    assert max(abs(cell.ours - cell.document) for cell in exact) < 1e-3  # as F8 says


def test_table5_notices_intervals_that_are_not_simultaneous(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 1.96 in place of Dunn's quantile."""
    broken(monkeypatch, "section3", "table5", "intervals", value={"1,2": ["-0.045", "0.071"]})
    made = feelders.table5()
    assert {cell.row for cell in made.differing} >= {"Z, 10 pairs, ν = ∞", "θ1 − θ2"}


def test_familywise_errors() -> None:
    made = feelders.familywise()
    assert made.errata == ("F4",)
    values = [cell.ours for cell in made.cells]
    assert values[0] == pytest.approx(1 - 0.95**20)
    assert values[2] == pytest.approx(0.286, abs=5e-4)
    assert values[3] == "smaller"


def test_familywise_would_notice_tests_counted_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    import bakeoff.inference.adjustments as source

    monkeypatch.setattr(source, "independent_error", lambda alpha, tests: alpha)
    assert feelders.familywise().status is Reproduction.NOT_REPRODUCED
