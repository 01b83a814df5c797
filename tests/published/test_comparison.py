"""The faces of a comparison, its outcome, and how far a simulated cell may be off."""

from __future__ import annotations

import json
import re
from dataclasses import FrozenInstanceError, replace
from math import inf, isnan

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.published.comparison import (
    Agreement,
    Cell,
    PublishedComparison,
    Reproduction,
    errata,
    erratum,
    printed_number,
    shown,
    simulated,
)

CELLS = (
    Cell("upper <b>", "θ3 − θ4", 6.12e-4, "6.2e-3", erratum="F1"),
    Cell("lower", "θ3 − θ4", -7.32e-4, "-7.2e-4", slack=1e-5),
    Cell("decision", "θ3 − θ4", "not significant", "not significant"),
    Cell("size", "oob", 0.061, "0.054", standard_error=0.005, note="a note"),
    Cell("size", "alone", 0.06),
)
COMPARISON = PublishedComparison(
    "name", "A title", "Somewhere: Table 3", CELLS, replications=1000, seed=7, notes=("Beware.",)
)

AGREEING = (Agreement.EXACT, Agreement.ROUNDING, Agreement.SIMULATION)


def share_agreeing(comparison: PublishedComparison) -> float:
    """The share of printed cells that agree."""
    printed = [how for how in comparison.agreements if how is not Agreement.UNPRINTED]
    return sum(how in AGREEING for how in printed) / len(printed) if printed else 1.0


def test_the_outcome_is_that_of_the_worst_cell() -> None:
    assert COMPARISON.status is Reproduction.MISPRINTS
    assert COMPARISON.errata == ("F1",)
    assert replace(COMPARISON, cells=CELLS[1:]).status is Reproduction.REPRODUCED
    assert replace(COMPARISON, cells=CELLS[4:]).status is Reproduction.UNPRINTED
    broken = replace(COMPARISON, cells=(*CELLS, Cell("x", "y", 1.0, "2.0")))
    assert broken.status is Reproduction.NOT_REPRODUCED
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
    one, many = (PublishedComparison("n", "t", "p", (simulated("r", "c", 50, 1000, "0.05"),) * n) for n in (1, 54))
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
        PublishedComparison(
            "n", "t", "p",
            tuple(simulated("r", "c", int(h), 1000, f"{p:.4f}", theirs=5000) for h, p in zip(*row, strict=True)),
        )
        for row in rows
    ]  # fmt: skip
    assert sum(table.status is Reproduction.NOT_REPRODUCED for table in tables) <= 10
    # One cell of the broken protocol, .21 where .05 is printed, is enough.
    broken = replace(tables[0], cells=(*tables[0].cells, simulated("r", "cv", 210, 1000, "0.054", theirs=5000)))
    assert broken.status is Reproduction.NOT_REPRODUCED


# ----------------------------------------------------------------------------------------------------------------------
# When two numbers agree: to the digits printed, within the rounding of inputs, within Monte-Carlo error.


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


# ----------------------------------------------------------------------------------------------------------------------
# The misprints: each a sentence, each known to the results that show it.


@pytest.mark.parametrize("key", errata())
def test_each_is_a_sentence_under_the_letter_of_a_document(key: str) -> None:
    assert re.fullmatch(r"[FASRH]\d+", key)
    assert erratum(key).endswith(".")
    assert len(erratum(key).split()) > 5


def test_an_unknown_one_is_a_sentence_too() -> None:
    with pytest.raises(UsageError, match="There is no erratum 'Z9'"):
        erratum("Z9")


def test_they_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        errata()["F1"] = "nothing"  # type: ignore[index]


def test_few_runs_check_nothing_and_say_so() -> None:
    cells = tuple(simulated(f"row {i}", "size", 1, 20, "0.05", theirs=1000) for i in range(6))
    sure = tuple(simulated(f"sure {i}", "size", 250, 5000, "0.05", theirs=1000) for i in range(2))
    made = replace(COMPARISON, cells=(*cells, *sure))
    assert "Checked 2 of 8: for the others too few runs were made to tell; --full makes more." in made.summary
    assert made.status is Reproduction.REPRODUCED
    assert made.to_text().count("too few runs to tell") >= 6
    nothing = replace(COMPARISON, cells=cells)
    assert nothing.status is Reproduction.TOO_FEW
    assert "Checked 0 of 6" in nothing.summary
    off = simulated("off", "size", 20, 20, "0.05", theirs=1000)
    assert off.agreement(3) is Agreement.DIFFERS, "few runs can show that something is wrong"
