"""A published result as a record."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from bakeoff.errors import UsageError
from bakeoff.published.comparison import Cell, PublishedComparison, printed_number
from bakeoff.published.result import Document, PublishedResult, printed_rows, printed_values


def nothing(full: bool, seed: int, jobs: int) -> PublishedComparison:
    raise NotImplementedError


RESULT = PublishedResult("x-table1", "A title", Document.F, "Table 1", "Nothing.", nothing, replications=10)


def test_json_holds_all_but_the_function() -> None:
    told = json.loads(json.dumps(RESULT.to_dict()))
    assert "regenerate" not in told
    assert told["document"] == "Feelders & Verkooijen"
    assert told["status"] == "reproduced"
    assert told["replications"] == 10


def test_a_comparison_bears_the_name_and_place_of_its_result() -> None:
    made = RESULT.compared((Cell("r", "c", 1.0, "1.0"),), replications=10, seed=3)
    assert (made.name, made.title, made.seed, made.replications) == ("x-table1", "A title", 3, 10)
    assert made.place == "Feelders & Verkooijen: Table 1"


# ----------------------------------------------------------------------------------------------------------------------
# The printed numbers: strings whose digits are kept.


def test_zeros_at_the_end_are_kept() -> None:
    assert printed_values("feelders")["section2"]["means"][-1] == "3.00e-3"
    assert {row["dataset"]: row["AdaBoosted C4.5 half-width"] for row in printed_rows("riddle_errors")}["segment"] == (
        "0.0050"
    )


def test_the_shipped_scores_are_the_same_table() -> None:
    import csv

    text = (files("bakeoff") / "data" / "dietterich2000.csv").read_text(encoding="utf-8")
    for scores, printed in zip(csv.DictReader(text.splitlines()), printed_rows("riddle_errors"), strict=True):
        assert scores.pop("dataset") == printed["dataset"]
        assert {name: float(value) for name, value in scores.items()} == {
            name: printed_number(printed[f"{name} error"])[0] for name in scores
        }


@pytest.mark.parametrize("read", [printed_rows, printed_values])
def test_a_table_that_is_not_there(read: object) -> None:
    with pytest.raises(UsageError, match="There is no table 'nothing"):
        read("nothing")  # type: ignore[operator]
