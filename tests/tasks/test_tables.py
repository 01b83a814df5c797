"""ARFF as Weka and OpenML write it, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import InputError
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.table import Labels
from bakeoff.tasks import tables
from bakeoff.tasks.sources import bundled_sets, read_table
from bakeoff.tasks.tables import NameColumn, Table, appended, read_arff, read_large_csv, typed

WHOLE = r"""% a comment
@RELATION 'of some kind'

@attribute plain NUMERIC
@attribute 'two words' real
@Attribute "it\"s" integer
@attribute colour {red, 'dark blue', "it's", ?, '?'}
@attribute remark string
@attribute day date "yyyy-MM-dd"
@DATA
1, 2.5, 3, red, 'a, b', "2020-01-01"
% another comment

?,1e3,-4,'dark blue',?,?
5	,	6,7,"it's",'it\'s \\ done',2020-01-02
1,1,1,'?',x,y
"""


def test_types_quotes_escapes_comments_and_missing() -> None:
    table = read_arff(WHOLE.encode(), "w.arff")
    assert table.names == ("plain", "two words", 'it"s', "colour", "remark", "day")
    np.testing.assert_array_equal(table.columns[0], [1, np.nan, 5, 1])
    np.testing.assert_array_equal(table.columns[1], [2.5, 1000, 6, 1])
    texts = [column.values() for column in table.columns if isinstance(column, Labels)]
    assert texts[0] == ["red", "dark blue", "it's", "?"]  # a question mark in quotes is a value
    assert texts[1] == ["a, b", "", "it's \\ done", "x"]
    assert texts[2] == ["2020-01-01", "", "2020-01-02", "y"]
    assert table.lines is not None
    assert table.lines.tolist() == [11, 14, 15, 16]


def arff(data: str, attribute: str = "@attribute a real\n@attribute b {x,y}\n") -> bytes:
    return f"@relation r\n{attribute}@data\n{data}\n".encode()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (arff("1,z"), "line 5, column 'b': 'z' is none of the values declared"),
        (arff("one,x"), "line 5, column 'a': A number was expected, as declared above, but 'one'"),
        (arff("1"), "line 5: 2 fields were expected"),
        (arff("1,x,{5}"), "looks like a weight"),
        (arff("{0 1, 1 x}"), "line 5: This is a sparse row"),
        (arff("1,'x"), "A value cannot be read from"),
        (arff(""), "no rows below @data"),
        (arff("1", "@attribute a relational\n"), "line 2, column 'a': The type of an attribute"),
        (arff("1", "@attribute a {x,y\n"), "no closing brace"),
        (arff("1", "@attribute\n"), "'@attribute NAME TYPE' was expected"),
        (arff("1", ""), "no @attribute line above @data"),
        (arff("1", "nonsense\n"), "line 2: @relation, @attribute"),
        (b"@relation r\n", "no @data line"),
        (b"@relation r\n\xff", "line 2: The text is not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(content: bytes, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        read_arff(content, "w.arff")
    assert complaint in str(caught.value)
    assert str(caught.value).startswith("w.arff")


# ----------------------------------------------------------------------------------------------------------------------
# Both readers of CSV files read the same.


ODD = (
    'x,word,digits,quoted\n1.5,NA,01,"a,b"\n?,none,1,"say ""so"""\n1e5,naN,2,c\n nan,-, 3,é\n-0.1,null,02,\n,word ,,d\n'
)


def same(one: Table, two: Table) -> None:
    assert (one.names, one.notes, one.doubts, one.parts) == (two.names, two.notes, two.doubts, two.parts)
    np.testing.assert_array_equal(one.lines, two.lines)
    for name, a, b in zip(one.names, one.columns, two.columns, strict=True):
        if isinstance(a, NameColumn) and isinstance(b, NameColumn):
            assert a.labels == b.labels, name
            np.testing.assert_array_equal(a.codes, b.codes)
        else:
            assert isinstance(a, np.ndarray), name
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("text", [ODD, ODD[:-1], "\ufeff" + ODD], ids=["plain", "no last line end", "byte order mark"])
@pytest.mark.parametrize("texts", [(), ("digits",), ("x", "word")])
def test_odd_cells(text: str, texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    data = text.encode()
    assert read_large_csv(data, "t.csv", texts) is not None
    small = read_table(data, "t.csv", "csv", categorical=texts)
    monkeypatch.setattr(tables, "LARGE", 0)
    same(read_table(data, "t.csv", "csv", categorical=texts), small)


@pytest.mark.parametrize("name", ["soybean", "labor", "segment", "credit_g_nominal", "ozone"])
def test_real_data(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    card = bundled_sets()[name]
    small = read_table(card.content(), name, "csv", categorical=card.categorical)
    monkeypatch.setattr(tables, "LARGE", 0)
    assert read_large_csv(card.content(), name, ()) is not None
    same(read_table(card.content(), name, "csv", categorical=card.categorical), small)


def test_numbers_are_the_same_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1).normal(size=(500, 2)) * 10.0 ** np.random.default_rng(2).integers(
        -300, 300, (500, 2)
    )
    data = ("a,b\n" + "\n".join(f"{x!r},{y:.25g}" for x, y in random.tolist()) + "\n").encode()
    small = read_table(data, "t.csv", "csv")
    monkeypatch.setattr(tables, "LARGE", 0)
    same(read_table(data, "t.csv", "csv"), small)


@pytest.mark.parametrize(
    "text",
    [
        "a;b\n1;2\n",
        "a,b\r\n1,2\r\n",
        "a,b\n1,2\n\n3,4\n",
        'a,b\n1,"x\ny"\n',
        "a,b\n1,2\n,\n",
        "a,b\n1,2\n3\n",
        'a,b\n1, "x"\n',
        "\na,b\n1,2\n",
        "a,a\n1,2\n",
        "a\n1\n",
        "a,b\n",
        "",
    ],
)
def test_what_is_not_plain_is_left_to_the_other_reader(text: str) -> None:
    assert read_large_csv(text.encode(), "t.csv", ()) is None


def test_mistakes_are_told_by_the_other_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LARGE", 0)
    with pytest.raises(InputError, match="line 3: 2 fields were expected"):
        read_table(b"a,b\n1,2\n3\n", "t.csv", "csv")
    with pytest.raises(InputError, match="line 3: The text is not UTF-8"):
        read_table(b"a,b\n1,2\n\xff,4\n", "t.csv", "csv")


# ----------------------------------------------------------------------------------------------------------------------
# Columns are decided: numbers or categories, and what is missing.


def table(text: str, *names: str) -> Table:
    raw = read_csv(text.encode(), "t.csv")
    return typed(raw, (("t.csv", raw.n_rows),), declared=False, names=names)


def categories(made: Table, name: str) -> NameColumn:
    column = made.column(name)
    assert isinstance(column, NameColumn)
    return column


@pytest.mark.parametrize("nothing", ["", "?", "NA", "na", "NaN"])
def test_words_for_missing(nothing: str) -> None:
    made = table(f"number,text,z\n1,a,0\n{nothing},{nothing},0\n2.5,b,0\n")
    np.testing.assert_array_equal(made.column("number"), [1, np.nan, 2.5])
    assert categories(made, "text").codes.tolist() == [0, -1, 1]


@pytest.mark.parametrize("word", ["none", "-", "null", "n/a"])
def test_words_that_are_categories(word: str) -> None:
    made = table(f"x,y\n{word},1\nsome,2\n{word},3\n")
    assert set(categories(made, "x").labels) == {word, "some"}
    assert isinstance(table(f"x,y\n{word},1\n2,2\n").column("x"), NameColumn)


def test_digits_are_categories_if_the_user_says_so_and_keep_their_spelling() -> None:
    column = categories(table("x,y\n10,1\n02,1\n 9 ,1\n10,1\n", "x"), "x")
    assert column.labels == ("02", "9", "10")  # sorted as numbers
    assert column.codes.tolist() == [2, 0, 1, 2]


def test_a_stray_word_among_numbers_is_noted() -> None:
    rows = "\n".join(f"{i},{i}" for i in range(30))
    made = table(f"x,y\n{rows}\nbroken,7\n")
    ((column, doubt),) = made.doubts
    assert column == "x"
    assert "'broken' among its numbers" in doubt


def test_free_text_is_noted_but_not_a_column_declared_categorical() -> None:
    rows = "\n".join(f"person {i},{i % 2}" for i in range(30))
    ((column, doubt),) = table(f"x,y\n{rows}\n").doubts
    assert column == "x"
    assert "30 different texts in 30 rows" in doubt
    assert table(f"x,y\n{rows}\n", "x").doubts == ()


def test_rows_keep_only_the_labels_that_are_used() -> None:
    column = NameColumn(("a", "b", "c"), np.array([2, -1, 0, 2]))
    kept = column.where(np.array([True, True, False, True]))
    assert kept.labels == ("c",)
    assert kept.codes.tolist() == [0, -1, 0]


def test_an_appended_table_goes_by_names_and_remembers_where_its_rows_stand() -> None:
    first, second = read_csv(b"a,b\n1,x\n2,y\n", "one.csv"), read_csv(b"b,a\nz,3\nx,4\n", "two.csv")
    made = typed(appended(first, second), (("one.csv", 2), ("two.csv", 2)), declared=False, names=())
    np.testing.assert_array_equal(made.column("a"), [1, 2, 3, 4])
    assert categories(made, "b").labels == ("x", "y", "z")
    assert str(made.error("wrong", row=3, column="a")) == "two.csv, line 3, column 'a': wrong"
    assert str(made.error("wrong", row=1)) == "one.csv, line 3: wrong"
    assert str(made.error("wrong")) == "one.csv: wrong"


def test_a_column_of_numbers_and_words_in_two_files_is_decided_once() -> None:
    first, second = read_csv(b"a,b\n1,1\n", "one.csv"), read_csv(b"a,b\nx,1\n", "two.csv")
    made = typed(appended(first, second), (("one.csv", 1), ("two.csv", 1)), declared=False, names=())
    assert categories(made, "a").labels == ("1", "x")


@pytest.mark.parametrize(("other", "complaint"), [(b"a\n1\n", "it lacks 'b'"), (b"a,b,c\n1,2,3\n", "it has 'c'")])
def test_other_columns_are_refused(other: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        appended(read_csv(b"a,b\n1,1\n", "one.csv"), read_csv(other, "two.csv"))


def test_rows_are_counted_where_there_are_no_lines() -> None:
    made = Table((("a.parquet", 2), ("b.parquet", 1)), ("x",), (np.zeros(3),))
    assert str(made.error("wrong", row=2)) == "b.parquet: (row 1) wrong"
