"""ARFF as Weka and OpenML write it, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import InputError
from bakeoff.scores.factor import Factor
from bakeoff.tasks.arff_file import read_arff

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
    texts = [column.values() for column in table.columns if isinstance(column, Factor)]
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
