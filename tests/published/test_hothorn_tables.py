"""Tables 1 and 2 at reduced size within Monte-Carlo error, and broken protocols that are noticed.

The band is that of the comparison itself: with m simulated cells |z| may be as large as happens by chance in one table
of a hundred.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bakeoff.published import hothorn_problems, hothorn_tables
from bakeoff.published.comparison import Agreement, PublishedComparison, Reproduction
from bakeoff.published.hothorn_tables import compare_table1, compare_table2, map_parts, misfit
from bakeoff.published.result import printed_values

REPLICATIONS = 100


@pytest.fixture(scope="module")
def right() -> PublishedComparison:
    return compare_table1(REPLICATIONS, seed=1)


def off(made: PublishedComparison, row: str, column: str) -> float:
    """How many standard errors a cell is from the printed one."""
    return next(cell.z for cell in made.cells if (cell.row, cell.column) == (row, column))


def test_table1_comes_out(right: PublishedComparison) -> None:
    assert len(right.cells) == 54
    assert right.status is Reproduction.REPRODUCED, right.to_text()
    assert not right.full
    # About one standard error a cell on average; those next to certainty have less.
    assert misfit(list(right.cells)) < 54


def test_table1_does_not_depend_on_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = compare_table1(30, seed=1)
    monkeypatch.setattr(hothorn_tables, "_AT_A_TIME", 13)
    assert compare_table1(30, seed=1, jobs=2).cells == whole.cells


def test_validating_on_what_was_learned_is_noticed(right: PublishedComparison, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the removal the size of CV at β2 = 0 is about .21 instead of .05."""
    monkeypatch.setattr(hothorn_problems, "validation_counts", lambda folds, counts: folds)
    made = compare_table1(REPLICATIONS, seed=1)
    size = next(cell.ours for cell in made.cells if (cell.row, cell.column) == ("β2 = 0.00", "CV"))
    assert size == pytest.approx(0.21, abs=4 * (0.21 * 0.79 / REPLICATIONS) ** 0.5)
    assert off(made, "β2 = 0.00", "CV") > made.limit > abs(off(right, "β2 = 0.00", "CV"))
    assert made.status is Reproduction.NOT_REPRODUCED
    assert {cell.column for cell in made.differing} == {"CV"}


def test_an_intercept_is_noticed(right: PublishedComparison, monkeypatch: pytest.MonkeyPatch) -> None:
    simulate = hothorn_problems.simulate

    def with_intercept(*sizes: Any, **options: Any) -> Any:
        return simulate(*sizes, **options, intercept=True)

    monkeypatch.setattr(hothorn_problems, "simulate", with_intercept)
    made = compare_table1(REPLICATIONS, seed=1)
    assert off(made, "β2 = 0.04", "simulation, m = 2000") < -made.limit
    assert made.status is Reproduction.NOT_REPRODUCED
    assert misfit(list(made.cells)) > 20 * misfit(list(right.cells))


def test_a_new_test_sample_for_each_learning_sample_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rates at β2 = .02 and .04 become about 0 and 1: nothing is conditional on a test sample any more."""
    difference = hothorn_problems._difference
    made_of_them = hothorn_problems._regression_differences
    streams: list[Any] = []

    def remembering(rng: Any, *rest: Any) -> Any:
        streams.append(rng)
        return made_of_them(rng, *rest)

    def fresh(learning: Any, evaluation: Any, intercept: bool) -> Any:
        if evaluation.ndim == 1:  # one test sample for all
            evaluation = hothorn_problems._fresh_moments(streams[-1], len(learning), 150) / 150
        return difference(learning, evaluation, intercept)

    monkeypatch.setattr(hothorn_problems, "_regression_differences", remembering)
    monkeypatch.setattr(hothorn_problems, "_difference", fresh)
    made = compare_table1(60, seed=1)
    assert off(made, "β2 = 0.02", "simulation, m = n") < -made.limit
    assert off(made, "β2 = 0.04", "simulation, m = n") > made.limit
    assert made.status is Reproduction.NOT_REPRODUCED


def test_table1_has_the_curves_of_the_figures(right: PublishedComparison) -> None:
    table = right.figure.to_frame()  # type: ignore[union-attr]
    assert len(table) == 54
    cell = right.cells[3]
    found = table[(table["curve"] == cell.column) & (table["x"] == 0.0)]
    assert found["y"].item() == cell.ours
    told = json.loads(right.to_json())
    assert [curve["name"] for curve in told["figure"]["curves"]][:2] == ["simulation, m = 2000", "simulation, m = n"]


def test_table2_is_not_reproduced_as_stated_and_says_which_reading_is_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed_values("hothorn")
    said["table2"] = {gamma: said["table2"][gamma] for gamma in ("0", "20")}
    monkeypatch.setattr(hothorn_tables, "printed_values", lambda name: said)
    made = compare_table2(4, seed=1, variants=("as stated", "sd 0.25"))
    assert made.status is Reproduction.NOT_REPRODUCED
    differing = {(cell.row, cell.column) for cell in made.differing}
    assert ("γ = 20°", "simulation, m = 2000, as stated") in differing
    assert not any("sd 0.25" in column for _, column in differing)
    assert "not reproduced by the design as stated" in made.notes[0]
    assert "Nearest comes 'sd 0.25'" in made.notes[1]
    assert "after the fact" in made.notes[1]


def test_the_variance_formula_is_a_misprint_in_two_of_three_terms() -> None:
    made = hothorn_tables.variance()
    assert made.errata == ("H1",)
    found = [how for cell, how in zip(made.cells, made.agreements, strict=True) if cell.printed]
    assert found == [Agreement.MISPRINT, Agreement.MISPRINT, Agreement.EXACT]
    # The words are those of the function that computes it: at c = 1 and m = 1 the coefficients add up.
    assert hothorn_problems.mse_variance(1.0, 1)[0] == pytest.approx(500 / 9 + 100 / 3 + 2)


def test_full_size_is_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    monkeypatch.setattr(hothorn_tables, "compare_table1", lambda replications, *_: sizes.append(replications))
    hothorn_tables.table1(full=True)
    hothorn_tables.table1()
    assert sizes == [5000, hothorn_tables.TABLE1.replications]


# ----------------------------------------------------------------------------------------------------------------------
# Sharing out: the same answers in the same order, in one process or in two.


PARTS = [(base, 3) for base in range(7)]


def test_the_number_of_jobs_changes_nothing() -> None:
    assert map_parts(pow, PARTS, jobs=1) == map_parts(pow, PARTS, jobs=2) == [base**3 for base in range(7)]


def test_a_single_part_and_none() -> None:
    assert map_parts(pow, PARTS[:1], jobs=2) == [0]
    assert map_parts(pow, [], jobs=2) == []


def test_what_is_kept_is_not_computed_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a kill in the middle of a line; and it is told how far it is."""
    monkeypatch.setattr(hothorn_tables, "_AT_A_TIME", 10)
    store = tmp_path / "table1.kept"
    whole = hothorn_tables.compare_table1(30)
    first = hothorn_tables.compare_table1(20, store=store, progress=True)
    assert capsys.readouterr().err == "1 of 2 parts\n2 of 2 parts\n"
    with store.open("a", encoding="utf-8") as file:
        file.write("[[10, 20, 0], [[[1.0")
    again = hothorn_tables.compare_table1(20, store=store, progress=True)
    assert capsys.readouterr().err == ""
    assert again.cells == first.cells
    store.write_text("\n".join(store.read_text("utf-8").splitlines()[:2]) + "\n", encoding="utf-8")
    assert hothorn_tables.compare_table1(30, store=store).cells == whole.cells
