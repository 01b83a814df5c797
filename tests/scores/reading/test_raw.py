from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.scores import read_scores
from bakeoff.scores.reading.raw import (
    RawTable,
    factor_of_array,
    in_order,
    is_missing,
    is_number,
    parse_numbers,
    read_frame,
    shorten,
    tidy,
)
from bakeoff.scores.table import Labels


def table(lines: list[int] | None = None, **columns: list[str]) -> RawTable:
    return RawTable(
        "scores.csv",
        tuple(columns),
        tuple(Labels.of(cells) for cells in columns.values()),
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
    raw = RawTable("scores.csv", ("acc", "acc"), (Labels.of(["1"]), Labels.of(["2"])))
    with pytest.raises(InputError, match=r"scores.csv: The name 'acc' stands twice in the header"):
        tidy(raw)
    unnamed = RawTable("scores.csv", ("", ""), (Labels.of(["1"]), Labels.of(["2"])))
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


# ----------------------------------------------------------------------------------------------------------------------
# Frame


def test_columns_of_every_kind() -> None:
    raw = read_frame(
        pd.DataFrame(
            {
                "text": ["a", None],
                "category": pd.Categorical(["y", "x"], categories=["x", "y", "z"]),
                "nullable": pd.array([1, None], dtype="Int64"),
                "float": [0.5, np.nan],
                "flag": [True, False],
                "mixed": [1, "b"],
            }
        )
    )
    assert raw.labels("text").values() == ["a", ""]
    assert raw.labels("category").labels == ("y", "x")
    assert raw.labels("nullable").values() == ["1", ""]
    assert np.isnan(raw.numbers("float")).tolist() == [False, True]
    assert raw.numbers("flag").tolist() == [1, 0]
    assert raw.labels("mixed").values() == ["1", "b"]
    assert raw.lines is None


def test_row_numbers_are_no_column_but_other_indices_are() -> None:
    frame = pd.DataFrame({"svm": [0.5, 0.6, 0.7]})
    assert read_frame(frame).names == ("svm",)
    assert read_frame(frame[frame.svm > 0.55]).names == ("svm",), "rows that were filtered keep plain numbers"
    assert read_frame(frame.set_axis(["a", "b", "c"])).names == ("", "svm")
    indexed = frame.assign(dataset=["a", "a", "b"], fold=[1, 2, 1]).set_index(["dataset", "fold"])
    assert read_frame(indexed).names == ("dataset", "fold", "svm")
    assert read_frame(indexed).labels("fold").values() == ["1", "2", "1"]


def test_a_frame_reads_like_the_file_it_would_make(write: object, tmp_path: object) -> None:
    frame = pd.DataFrame({"model": ["svm", "knn"], "dataset": ["iris", "iris"], "acc": [0.5, 0.25]})
    frame.to_csv("scores.csv", index=False)
    from_frame, from_file = read_scores(frame), read_scores("scores.csv")
    assert from_frame.value.tolist() == from_file.value.tolist()
    assert from_frame.learners == from_file.learners
    assert from_frame.notes == from_file.notes


def test_what_cannot_be_read() -> None:
    with pytest.raises(InputError, match="the DataFrame: The table has 1 columns and 0 rows"):
        read_frame(pd.DataFrame({"acc": []}))
    with pytest.raises(InputError, match="The columns have several levels"):
        read_frame(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])))
    with pytest.raises(InputError, match="the DataFrame, column 'folds': The column holds nested values"):
        read_frame(pd.DataFrame({"folds": [[1, 2], [3]]}))
    with pytest.raises(InputError, match="The name 'a' stands twice in the header"):
        read_scores(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_anything_else_is_refused() -> None:
    with pytest.raises(UsageError, match="was expected, but list was given"):
        read_scores([1, 2])  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------------------------
# Numbers


@pytest.mark.parametrize("text", ["", "  ", "NA", "na", "NaN", "nan", "N/A", "null", "None", "-", "?", "<NA>"])
def test_what_means_missing(text: str) -> None:
    assert is_missing(text)
    assert not is_number(text)
    values, wrong = parse_numbers([text])
    assert np.isnan(values[0])
    assert wrong == []


@pytest.mark.parametrize(("text", "number"), [("0.5", 0.5), ("1e-3", 1e-3), (" -2 ", -2.0), (".5", 0.5), ("+7", 7.0)])
def test_what_is_a_number(text: str, number: float) -> None:
    assert is_number(text)
    assert parse_numbers([text])[0].tolist() == [number]


@pytest.mark.parametrize("text", ["high", "0.5%", "1_000", "0,5", "1.2.3", "--", "0x10", "n.a"])
def test_what_is_neither(text: str) -> None:
    assert not is_number(text)
    assert not is_missing(text)
    assert parse_numbers(["1", text])[1] == [1]


def test_underscores_are_refused_even_if_all_the_rest_is_fine() -> None:
    # float("1_000") succeeds, so this would slip through where no other label stops the fast path.
    assert parse_numbers(["1.5", "1_000", "2"])[1] == [1]


@pytest.mark.parametrize(
    ("text", "number"), [("0,85", 0.85), ("-1,5e2", -150.0), (",5", 0.5), ("3", 3.0), ("0.7", 0.7)]
)
def test_decimal_commas(text: str, number: float) -> None:
    assert parse_numbers([text, "NA"], decimal_comma=True)[0][0] == number


def test_thousands_separators_are_not_guessed_at() -> None:
    assert parse_numbers(["1.234,5", "1,234,567"], decimal_comma=True)[1] == [0, 1]


def test_infinity_is_a_number_so_that_it_can_be_refused_by_name() -> None:
    assert parse_numbers(["inf", "-Infinity"])[0].tolist() == [np.inf, -np.inf]


# ----------------------------------------------------------------------------------------------------------------------
# Every way in which a path can fail to be a readable file.


def message(path: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        read_scores(path)
    return str(caught.value)


def test_no_such_file(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.csv"
    assert message(path) == f"{path}: There is no such file. Check the spelling and the folder you are in."


def test_a_directory(tmp_path: Path) -> None:
    assert message(tmp_path).endswith("The folder holds no file that could hold scores.")


def test_a_path_longer_than_any_system_allows() -> None:
    text = message("no/" * 1_000_000 + "scores.csv")
    assert "the path has 3000010 characters, more than this system allows" in text
    assert len(text) < 400, "the message must not repeat the whole path"


def test_a_name_longer_than_any_system_allows() -> None:
    assert "more than this system allows" in message("x" * 5000 + ".csv")


def test_a_path_with_a_nul_character() -> None:
    assert "no path of a file: it contains a NUL character" in message("scores\0.csv")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Patched, because the superuser, who may run the tests, may read everything.
    monkeypatch.setattr("builtins.open", refuse)
    assert "scores.csv: This file may not be read by you" in message("scores.csv")


def test_a_file_that_fails_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("builtins.open", fail)
    assert message("scores.csv").startswith("scores.csv: This file cannot be read (Input/output error).")


@pytest.mark.parametrize(
    ("content", "looks_like"),
    [
        ("model,acc\nsvm,0.9\n".encode("utf-16"), "UTF-16 text. Save it as UTF-8"),
        ("model,acc\nsvm,0.9\n".encode("utf-16-be"), "a binary file: it has a NUL byte at byte 0"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a binary file: it has a NUL byte at byte 8"),
    ],
)
def test_a_file_that_is_not_text(tmp_path: Path, content: bytes, looks_like: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(content)
    text = message(path)
    assert text.startswith(f"{path}: A CSV or Parquet file was expected, but this ")
    assert looks_like in text


def test_a_pipe_will_do(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"model,acc\nsvm,0.9\n")
    os.close(writing)
    try:
        assert read_scores(f"/dev/fd/{reading}").learners == ("svm",)
    finally:
        os.close(reading)
