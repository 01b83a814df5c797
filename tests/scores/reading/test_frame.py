from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.scores import read_scores
from bakeoff.scores.reading.frame import read_frame


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
    with pytest.raises(UsageError, match="A path or a pandas DataFrame was expected, but list was given"):
        read_scores([1, 2])  # type: ignore[arg-type]
