"""The faces of a comparison, its outcome, and how far a simulated cell may be off."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from bakeoff.lab.published.cells import Agreement, Cell, simulated
from bakeoff.lab.published.comparison import Comparison, Status, share_agreeing, shown

CELLS = (
    Cell("upper <b>", "θ3 − θ4", 6.12e-4, "6.2e-3", erratum="F1"),
    Cell("lower", "θ3 − θ4", -7.32e-4, "-7.2e-4", slack=1e-5),
    Cell("decision", "θ3 − θ4", "not significant", "not significant"),
    Cell("size", "oob", 0.061, "0.054", standard_error=0.005, note="a note"),
    Cell("size", "alone", 0.06),
)
COMPARISON = Comparison("name", "A title", "Somewhere: Table 3", CELLS, replications=1000, seed=7, notes=("Beware.",))


def test_the_outcome_is_that_of_the_worst_cell() -> None:
    assert COMPARISON.status is Status.MISPRINTS
    assert COMPARISON.errata == ("F1",)
    assert replace(COMPARISON, cells=CELLS[1:]).status is Status.REPRODUCED
    assert replace(COMPARISON, cells=CELLS[4:]).status is Status.UNPRINTED
    broken = replace(COMPARISON, cells=(*CELLS, Cell("x", "y", 1.0, "2.0")))
    assert broken.status is Status.NOT_REPRODUCED
    assert [cell.row for cell in broken.differing] == ["x"]
    assert share_agreeing(broken) == 3 / 5
    assert share_agreeing(replace(COMPARISON, cells=CELLS[4:])) == 1


def test_the_text_has_every_cell_the_summary_the_misprint_and_the_notes() -> None:
    text = COMPARISON.to_text()
    assert str(COMPARISON) == text
    for part in (
        "name: A title",
        "Somewhere: Table 3",
        "1,000 replications (reduced; --full for the document's own size), seed 7.",
        "6.12e-4",
        "ERRATUM F1",
        "agrees (rounded inputs)",
        "agrees (simulation)",
        "1.40",
        "Of 4 numbers beside a printed one, 1 agrees to the digits printed",
        "F1: Table 3, θ3 − θ4",
        "Beware.",
    ):
        assert part in text
    assert "full size" in replace(COMPARISON, full=True).to_text()
    assert "Nothing is simulated." in replace(COMPARISON, replications=0, cells=CELLS[:3]).to_text()
    assert "prints nothing" in replace(COMPARISON, cells=CELLS[4:]).summary


def test_what_differs_is_marked() -> None:
    text = replace(COMPARISON, cells=(Cell("x", "", 1.0, "2.0"), Cell("y", "", "won", "lost"))).to_text()
    assert text.count("DIFFERS") == 2
    assert "2 differ." in text


def test_json_holds_everything() -> None:
    told = json.loads(COMPARISON.to_json())
    assert [cell["agreement"] for cell in told["cells"]] == [how.value for how in COMPARISON.agreements]
    assert told["cells"][0]["ours"] == 6.12e-4
    assert told["cells"][0]["printed"] == "6.2e-3"
    assert told["cells"][3]["z"] == pytest.approx(1.4)
    assert told["cells"][4]["z"] is None
    assert told["status"] == "reproduced, but for misprints"
    assert set(told["errata"]) == {"F1"}
    assert told == COMPARISON.to_dict()


def test_html_is_escaped() -> None:
    html = COMPARISON._repr_html_()
    assert "<b>" not in html
    assert "upper &lt;b&gt;" in html
    assert "Beware." in html


def test_the_frame_has_full_precision() -> None:
    frame = COMPARISON.to_frame()
    assert frame.loc[0, "ours"] == 6.12e-4
    assert frame["agreement"].tolist()[-1] == Agreement.UNPRINTED.value


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        COMPARISON.seed = 3  # type: ignore[misc]


def test_ours_is_shown_as_the_document_shows_its_own() -> None:
    assert shown(Cell("r", "c", 1.1636363, "1.1636")) == "1.16364"
    assert shown(Cell("r", "c", 0.0509, "0.05", unit=0.001)) == "0.0509"
    assert shown(Cell("r", "c", -7.32e-4, "-7.2e-4")) == "-7.32e-4"
    assert shown(Cell("r", "c", 0.0, "1e-4")) == "0"
    assert shown(Cell("r", "c", 384.0, "384")) == "384"
    assert shown(Cell("r", "c", "5-0-4", "5-0-4")) == "5-0-4"


def test_the_limit_grows_with_the_number_of_simulated_cells() -> None:
    one, many = (Comparison("n", "t", "p", (simulated("r", "c", 50, 1000, "0.05"),) * n) for n in (1, 54))
    assert one.limit == pytest.approx(2.576, abs=1e-3)
    assert many.limit == pytest.approx(3.74, abs=0.01)


def test_a_table_that_is_right_is_seldom_marked_and_one_that_is_wrong_nearly_always() -> None:
    """At the limit, some of 54 true cells are marked in at most one table of a hundred: 300 tables, at most 10 marked.

    With a chance of .01 each, more than 10 of 300 have probability .0003 (Poisson with mean 3).
    """
    rng = np.random.default_rng(5)
    hits, printed = rng.binomial(1000, 0.05, size=(300, 54)), rng.binomial(5000, 0.05, size=(300, 54)) / 5000
    rows = zip(hits, printed, strict=True)
    tables = [
        Comparison(
            "n", "t", "p",
            tuple(simulated("r", "c", int(h), 1000, f"{p:.4f}", theirs=5000) for h, p in zip(*row, strict=True)),
        )
        for row in rows
    ]  # fmt: skip
    assert sum(table.status is Status.NOT_REPRODUCED for table in tables) <= 10
    # One cell of the broken protocol, .21 where .05 is printed, is enough.
    broken = replace(tables[0], cells=(*tables[0].cells, simulated("r", "cv", 210, 1000, "0.054", theirs=5000)))
    assert broken.status is Status.NOT_REPRODUCED
