"""Columns are decided: numbers or categories, and what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import InputError
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.tasks.table import Categories, Table, appended, typed


def table(text: str, *names: str) -> Table:
    raw = read_csv(text.encode(), "t.csv")
    return typed(raw, (("t.csv", raw.n_rows),), declared=False, names=names)


def categories(made: Table, name: str) -> Categories:
    column = made.column(name)
    assert isinstance(column, Categories)
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
    assert isinstance(table(f"x,y\n{word},1\n2,2\n").column("x"), Categories)


def test_digits_are_categories_if_the_user_says_so_and_keep_their_spelling() -> None:
    column = categories(table("x,y\n10,1\n02,1\n 9 ,1\n10,1\n", "x"), "x")
    assert column.labels == ("02", "9", "10")  # sorted as numbers
    assert column.codes.tolist() == [2, 0, 1, 2]


def test_a_stray_word_among_numbers_is_noted() -> None:
    rows = "\n".join(f"{i},{i}" for i in range(30))
    made = table(f"x,y\n{rows}\nbroken,7\n")
    assert any("'broken' among its numbers" in note for note in made.notes)


def test_free_text_is_noted_but_not_a_column_declared_categorical() -> None:
    rows = "\n".join(f"person {i},{i % 2}" for i in range(30))
    assert any("30 different texts in 30 rows" in note for note in table(f"x,y\n{rows}\n").notes)
    assert table(f"x,y\n{rows}\n", "x").notes == ()


def test_rows_keep_only_the_labels_that_are_used() -> None:
    column = Categories(("a", "b", "c"), np.array([2, -1, 0, 2]))
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
