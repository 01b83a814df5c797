from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff.learners.exchange import read_answer, write_rows
from bakeoff.learners.facts import Facts
from bakeoff.learners.fitted import InvalidPrediction

TWO = Facts("t", "classification", 9, ("a",), classes=("no", "yes"))
THREE = Facts("t", "classification", 9, ("a",), classes=("c", "a", "b"))
REGRESSION = Facts("t", "regression", 9, ("a",))
DENSITY = Facts("t", "density", 9, ("a",))


def read(tmp_path: Path, text: str, facts: Facts, n: int) -> Any:
    (tmp_path / "output.csv").write_text(text, encoding="utf-8")
    return read_answer(str(tmp_path / "output.csv"), facts, n)


def refusal(tmp_path: Path, text: str, facts: Facts, n: int) -> str:
    with pytest.raises(InvalidPrediction) as caught:
        read(tmp_path, text, facts, n)
    return str(caught.value)


def test_numbers_are_written_to_the_last_digit(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    X = np.array([[0.1 + 0.2, np.nan], [1e-300, -5.0]])
    write_rows(str(path), ("a", 'b "x", y'), X, "class", np.array(["no", "yes"]))
    assert path.read_bytes() == b'a,"b ""x"", y",class\n0.30000000000000004,,no\n1e-300,-5.0,yes\n'


def test_frames_with_categories_and_gaps(tmp_path: Path) -> None:
    path = tmp_path / "test.csv"
    frame = pd.DataFrame(
        {
            "t": ["x,1", None],
            "c": pd.Categorical(["u", None]),
            "b": pd.array([True, None], dtype="boolean"),
            "i": [1, 2],
            "f": [0.5, np.nan],
        }
    )
    write_rows(str(path), tuple(frame.columns), frame)
    assert path.read_text() == 't,c,b,i,f\n"x,1",u,True,1,0.5\n,,,2,\n'


def test_labels_alone(tmp_path: Path) -> None:
    found = read(tmp_path, "prediction\nyes\nno\n", TWO, 2)
    assert found.values.tolist() == [1, 0]
    assert found.values.dtype == np.int64
    assert found.scores is None
    assert not found.probabilistic


def test_probabilities_by_name(tmp_path: Path) -> None:
    found = read(tmp_path, "yes,prediction,no,remark\n0.8,yes,0.2,x\n0.1,no,0.9,y\n", TWO, 2)
    assert found.scores.tolist() == [0.8, 0.1]
    assert found.probabilistic
    three = read(tmp_path, "prediction,a,b,c\na,0.5,0.2,0.3\n", THREE, 1)
    assert three.scores.tolist() == [[0.3, 0.5, 0.2]]
    assert three.values.tolist() == [1]


@pytest.mark.parametrize(
    ("classes", "text", "codes"),
    [
        ((0, 1), "prediction\n1\n0.0\n", [1, 0]),
        ((0.0, 1.0), "prediction\n1\n0\n", [1, 0]),
        ((False, True), "prediction\nTRUE\nfalse\n", [1, 0]),
        (("ü", "ß"), "\ufeffprediction\r\n ß\r\nü \r\n", [1, 0]),
        ((1.5, 2.5), "prediction\n2.5\n1.5\n", [1, 0]),
    ],
)
def test_labels_as_programs_write_them(tmp_path: Path, classes: tuple[Any, ...], text: str, codes: list[int]) -> None:
    facts = Facts("t", "classification", 9, ("a",), classes=classes)
    assert read(tmp_path, text, facts, 2).values.tolist() == codes


def test_numbers_and_densities(tmp_path: Path) -> None:
    assert read(tmp_path, '"prediction"\n1e3\n-2\n', REGRESSION, 2).values.tolist() == [1000, -2]
    assert read(tmp_path, "prediction\n-inf\n-2\n", DENSITY, 2).values.tolist() == [-np.inf, -2]


@pytest.mark.parametrize(
    ("text", "facts", "says"),
    [
        ("", TWO, "the output file is empty"),
        ("predicted\nyes\nno\n", TWO, "has no column 'prediction'. Its columns are 'predicted'"),
        ("prediction\nyes\n", TWO, "expected were 2 predictions, one for each test row; the output has 1 rows"),
        ("prediction\nyes\nno\nno\n", TWO, "the output has 3 rows"),
        (
            "prediction\nyes\nmaybe\n",
            TWO,
            "1 of 2 predictions are no class of the data: 'maybe'. The classes are no and",
        ),
        ("prediction,yes\nyes,1\nno,0\n", TWO, "none for the class no"),
        ("prediction,no,yes\nyes,.5\nno,.5,.5\n", TWO, "row 1 of the output has 2 cells; the header has 3"),
        ("prediction,no,yes\nyes,.5,x\nno,.5,.5\n", TWO, "column 'yes' of the output has 'x' in row 1"),
        ("prediction,no,yes\nyes,.5,.5\nno,-.5,1.5\n", TWO, "negative or do not add up to one"),
        ("prediction\n1\nabc\n", REGRESSION, "column 'prediction' of the output has 'abc' in row 2; a number is"),
        ("prediction\n1\nNA\n", REGRESSION, "'NA' in row 2"),
        ("prediction\n1\nnan\n", REGRESSION, "'nan' in row 2"),
        ("prediction\n1\n-inf\n", REGRESSION, "'-inf' in row 2"),
        ("prediction\n1\ninf\n", DENSITY, "'inf' in row 2"),
    ],
)
def test_answers_that_are_none(tmp_path: Path, text: str, facts: Facts, says: str) -> None:
    assert says in refusal(tmp_path, text, facts, 2)


def test_no_file_a_folder_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(InvalidPrediction, match="wrote no output file"):
        read_answer(str(tmp_path / "absent.csv"), TWO, 2)
    with pytest.raises(InvalidPrediction, match="no CSV file"):
        read_answer(str(tmp_path), TWO, 2)
    (tmp_path / "binary.csv").write_bytes(b"prediction\n\xff\xfe\n")
    with pytest.raises(InvalidPrediction, match="UTF-8"):
        read_answer(str(tmp_path / "binary.csv"), TWO, 1)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    y = np.array([0.1, 1 / 3, -2e-17])
    write_rows(str(tmp_path / "output.csv"), (), np.empty((3, 0)), "prediction", y)
    assert (read_answer(str(tmp_path / "output.csv"), REGRESSION, 3).values == y).all()
