"""The printed numbers: strings whose digits are kept."""

from __future__ import annotations

from importlib.resources import files

import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.published.cells import printed_number
from bakeoff.lab.published.printed import printed_rows, printed_values


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
