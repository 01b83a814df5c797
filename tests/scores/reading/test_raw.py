from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import InputError
from bakeoff.scores.factor import Factor
from bakeoff.scores.reading.raw import RawTable, factor_of_array, in_order, shorten, tidy


def table(lines: list[int] | None = None, **columns: list[str]) -> RawTable:
    return RawTable(
        "scores.csv",
        tuple(columns),
        tuple(Factor.of(cells) for cells in columns.values()),
        None if lines is None else np.array(lines),
    )


def test_blanks_around_labels_tell_nothing_apart() -> None:
    assert table(model=["svm", " svm", "svm ", "k nn"]).labels("model").values() == ["svm", "svm", "svm", "k nn"]


def test_text_in_a_number_names_line_column_and_how_many_more() -> None:
    with pytest.raises(InputError) as caught:
        table(lines=[2, 3, 7], acc=["0.5", "high", "low"]).numbers("acc")
    assert str(caught.value).startswith(
        "scores.csv, line 3, column 'acc': A number was expected, but 'high' was found (1 more cells"
    )
    assert "leave the cell empty" in str(caught.value)
    assert (caught.value.line, caught.value.column) == (3, "acc")


def test_without_lines_the_row_is_counted_from_one() -> None:
    with pytest.raises(InputError, match=r"scores.csv, column 'acc': \(row 2\) A number was expected"):
        table(acc=["0.5", "high"]).numbers("acc")


def test_a_cell_of_a_megabyte_does_not_fill_the_message() -> None:
    with pytest.raises(InputError) as caught:
        table(lines=[2], acc=["x" * 1_000_000]).numbers("acc")
    assert len(str(caught.value)) < 300


def test_arrays_are_numbers_and_labels() -> None:
    raw = RawTable("t", ("fold", "ok"), (np.array([2.0, 1.0, np.nan]), np.array([True, False, True])))
    assert raw.labels("fold").values() == ["2", "1", ""]
    assert raw.labels("ok").values() == ["True", "False", "True"]
    assert raw.numbers("ok").tolist() == [1, 0, 1]


def test_where_keeps_rows_and_lines_together() -> None:
    some = table(lines=[2, 3, 4], a=["x", "y", "z"]).where(np.array([False, True, True]))
    assert some.labels("a").values() == ["y", "z"]
    assert some.lines is not None
    assert some.lines.tolist() == [3, 4]


def test_holds_numbers_and_is_empty() -> None:
    raw = table(text=["a", ""], number=["?", "1"], nothing=["NA", " "])
    assert [raw.holds_numbers(name) for name in raw.names] == [False, True, False]
    assert [raw.is_empty(name) for name in raw.names] == [False, False, True]


def test_tidy_refuses_a_name_used_twice() -> None:
    raw = RawTable("scores.csv", ("acc", "acc"), (Factor.of(["1"]), Factor.of(["2"])))
    with pytest.raises(InputError, match=r"scores.csv: The name 'acc' stands twice in the header"):
        tidy(raw)
    unnamed = RawTable("scores.csv", ("", ""), (Factor.of(["1"]), Factor.of(["2"])))
    with pytest.raises(InputError, match="Columns without a name stand twice"):
        tidy(unnamed)


def test_in_order_numbers_by_first_appearance_and_drops_the_unused() -> None:
    made = in_order(["never", "b", "a", ""], np.array([2, -1, 1, 2]))
    assert made.labels == ("a", "", "b")
    assert made.values() == ["a", "", "b", "a"]


def test_factor_of_array_keeps_large_integers_exactly() -> None:
    big = 2**60 + 1
    assert factor_of_array(np.array([big, 3])).labels == (str(big), "3")
    assert factor_of_array(np.array([0.5, 1e-7])).labels == ("0.5", "1e-07")


def test_shorten_keeps_both_ends() -> None:
    assert shorten("short") == "short"
    cut = shorten("begin" + "x" * 500 + "end", 40)
    assert len(cut) == 40
    assert cut.startswith("begin")
    assert cut.endswith("end")
