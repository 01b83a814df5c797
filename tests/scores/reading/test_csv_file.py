from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import InputError
from bakeoff.scores.reading import csv_file
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.reading.raw import RawTable


def cells(table: RawTable, name: str) -> list[str]:
    return table.labels(name).values()


def lines(table: RawTable) -> list[int]:
    assert table.lines is not None
    return table.lines.tolist()


def message(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        read_csv(data, "scores.csv")
    return str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"  \r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file(data: bytes) -> None:
    assert message(data) == "scores.csv: The file is empty. A header line and at least one row were expected."


def test_a_header_only() -> None:
    text = message(b"model,dataset,acc\n\n")
    assert text.startswith("scores.csv, line 1: There is a header (model, dataset, acc) but no rows below it.")


def test_numbers_where_the_header_should_be() -> None:
    assert "line 1: The first line should name the columns, but it holds numbers only (0.5, 0.25)" in message(
        b"0.5,0.25\n1,2\n"
    )


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    assert read_csv(b"\xef\xbb\xbfmodel,acc\nsvm,1\n", "t").names == ("model", "acc")


@pytest.mark.parametrize(
    ("delimiter", "note"),
    [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")],
)
def test_other_delimiters_are_recognised_and_reported(delimiter: str, note: str) -> None:
    table = read_csv(f"model{delimiter}acc\nsvm{delimiter}0.5\n".encode(), "t")
    assert table.names == ("model", "acc")
    assert table.notes == (f"fields are separated by {note}",)


def test_a_comma_is_not_worth_a_note() -> None:
    assert read_csv(b"model,acc\nsvm,0.5\n", "t").notes == ()


def test_delimiters_inside_quotes_do_not_count() -> None:
    table = read_csv(b'"a;b;c;d",acc\nsvm,0.5\n', "t")
    assert table.names == ("a;b;c;d", "acc")


def test_decimal_commas_go_with_other_delimiters_only() -> None:
    table = read_csv(b"model;acc\nsvm;0,85\nknn;0.5\n", "t")
    assert table.numbers("acc").tolist() == [0.85, 0.5]
    assert "decimal commas are read as decimal points" in table.notes
    quoted = read_csv(b'model,acc\nsvm,"0,85"\n', "t")
    with pytest.raises(InputError, match="line 2, column 'acc': A number was expected, but '0,85' was found"):
        quoted.numbers("acc")


def test_names_are_kept_as_they_are() -> None:
    names = ["a, b", 'say "hi"', "🙂 emoji", "<b>bold</b> & co", "two\nlines", "tab\there", "'; DROP TABLE"]
    file = io.StringIO()
    csv.writer(file).writerows([["model", "acc"], *([name, "1"] for name in names)])
    assert cells(read_csv(file.getvalue().encode(), "t"), "model") == names


def test_line_numbers_count_blank_lines_and_lines_within_quotes() -> None:
    table = read_csv(b'\nmodel,acc\n\n"two\nlines",1\r\n,\nknn,2\n   \nsvm,3\n', "t")
    assert cells(table, "acc") == ["1", "2", "3"]
    assert lines(table) == [4, 7, 9]


def test_line_numbers_over_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_file, "_CHUNK", 3)
    data = "model,acc\n" + "".join(f'"m{i}\n",{i}\n' if i % 4 == 0 else f"m{i},{i}\n" for i in range(20))
    table = read_csv(data.encode(), "t")
    expected, line = [], 2
    for i in range(20):
        expected.append(line)
        line += 2 if i % 4 == 0 else 1
    assert lines(table) == expected
    assert table.numbers("acc").tolist() == list(range(20))


@pytest.mark.parametrize(("row", "found"), [("knn,0.9,3", 3), ("knn", 1)])
def test_ragged_rows_name_their_line(row: str, found: int) -> None:
    text = message(f"model,acc\nsvm,0.9\n\n{row}\n".encode())
    assert text.startswith(
        f"scores.csv, line 4: 2 fields were expected, as in the header, but {found} were found. Put quotes around"
    )


def test_a_quote_that_is_never_closed_names_the_line_where_it_opens() -> None:
    text = message(b'model,acc\nsvm,0.9\n"knn,0.8\nlda,0.7\nqda,0.6\n')
    assert text.startswith("scores.csv, line 3: The row that begins here cannot be read")
    assert "Quotes go around a whole field" in text


def test_text_after_a_closing_quote() -> None:
    assert "line 2: The row that begins here cannot be read" in message(b'model,acc\n"svm" x,0.9\n')


def test_latin_1_names_the_line() -> None:
    text = message("model,acc\nsvm,0.9\nNaïve,0.8\n".encode("latin-1"))
    assert text == "scores.csv, line 3: The text is not UTF-8. Save the file as UTF-8."


def test_blanks_after_the_delimiter_do_not_hide_quotes() -> None:
    table = read_csv(b'model, acc\n"svm, linear", 0.5\nknn, "0.6"\n', "t")
    assert table.names == ("model", "acc")
    assert cells(table, "model") == ["svm, linear", "knn"]
    assert table.numbers("acc").tolist() == [0.5, 0.6]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_line_ending(newline: str) -> None:
    table = read_csv(newline.join(["model,acc", "svm,1", "knn,2"]).encode(), "t")
    assert cells(table, "model") == ["svm", "knn"]
    assert lines(table) == [2, 3]


def test_a_field_beyond_the_limit_of_the_csv_module() -> None:
    assert "cannot be read (field larger than field limit" in message(b"model,acc\n" + b"x" * 200_000 + b",1\n")


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1))
def test_whatever_the_csv_module_writes_is_read_back(rows: list[tuple[str, str]]) -> None:
    # Blanks around text are dropped on reading, NUL means a binary file, and rows without any text are blank lines.
    rows = [(f"a{left}a".replace("\0", ""), f"b{right}b".replace("\0", "")) for left, right in rows]
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("left", "right"), *rows])
    table = read_csv(file.getvalue().encode(), "t")
    assert list(zip(cells(table, "left"), cells(table, "right"), strict=True)) == rows


def test_a_large_file_is_read_as_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"m{i % 3},item {i},{i % 7 / 7:.3f},{'' if i % 5 else 'NA'}\n" for i in range(500))
    odd = ["a,b,0.1,\n\n", 'a,"b",0.1,\n', "a, b,0.1,\n", "a,b\n", ",,,\n", "ä,b,0.1,\n", "a,b,0.1,"]
    texts = ["model,item,acc,note\n" + rows, *("model,item,acc,note\n" + rows + end for end in odd)]
    texts += [texts[0].replace("\n", "\r\n"), texts[0].replace(",", ";"), "\n" + texts[0], "\ufeff" + texts[0]]
    for text in texts:
        expected, found = [_outcome(text.encode(), large, monkeypatch) for large in (10**9, 0)]
        assert found == expected, text[-30:]


def _outcome(data: bytes, large: int, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr("bakeoff.scores.reading.csv_file.LARGE", large)
    try:
        table = read_csv(data, "t.csv")
    except InputError as error:
        return str(error)
    assert table.lines is not None
    columns = [(table.labels(name).labels, table.labels(name).codes.tolist()) for name in ("model", "item", "note")]
    return table.names, columns, table.numbers("acc").tolist(), table.lines.tolist(), table.notes
