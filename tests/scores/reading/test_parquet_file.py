from __future__ import annotations

import datetime
import decimal
import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bakeoff.errors import InputError
from bakeoff.scores import read_scores
from bakeoff.scores.provenance import Provenance, told_to_file
from bakeoff.scores.reading.parquet_file import read_parquet
from bakeoff.scores.reading.raw import RawTable


def written(**columns: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def table(**columns: Any) -> RawTable:
    return read_parquet(written(**columns), "scores.parquet")


def test_text_numbers_and_truth_values() -> None:
    raw = table(model=["svm", None, "svm"], n=[1, 2, None], acc=[0.5, None, float("nan")], ok=[True, False, True])
    assert raw.labels("model").values() == ["svm", "", "svm"]
    assert raw.labels("n").values() == ["1", "2", ""]
    assert np.isnan(raw.numbers("acc")).tolist() == [False, True, True]
    assert raw.numbers("ok").tolist() == [1, 0, 1]


def test_dictionary_columns_in_several_chunks() -> None:
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "b", None]).dictionary_encode()]
    raw = table(model=pa.chunked_array(chunks))
    assert raw.labels("model").values() == ["b", "a", "c", "b", ""]
    assert raw.labels("model").labels == ("b", "a", "c", "")


def test_decimals_dates_and_columns_of_nulls() -> None:
    raw = table(
        acc=[decimal.Decimal("0.25")],
        day=[datetime.date(2024, 5, 1)],
        nothing=pa.nulls(1),
        flag=pa.nulls(1, pa.bool_()),
    )
    assert raw.numbers("acc").tolist() == [0.25]
    assert raw.labels("day").labels == ("2024-05-01",)
    assert raw.is_empty("nothing")
    assert raw.is_empty("flag")


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array([[1.0, 2.0]]), "list<"),
        (pa.array([{"a": 1}]), "struct<a: int64>"),
        (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), "map<string, int64"),
        (pa.array([b"\x00\xff"]), "binary"),
    ],
)
def test_nested_columns_name_column_and_type(column: pa.Array, kind: str) -> None:
    with pytest.raises(InputError) as caught:
        table(model=["svm"], folds=column)
    text = str(caught.value)
    assert text.startswith(f"scores.parquet, column 'folds': The column has the type {kind}")
    assert "one number or text per cell was expected. Unnest the column, or leave it out." in text


def test_a_table_without_rows() -> None:
    with pytest.raises(InputError, match=r"scores.parquet: The table has 1 columns and 0 rows"):
        table(model=pa.array([], pa.string()))


@pytest.mark.parametrize("data", [b"PAR1", b"PAR1 and nothing more PAR1", b"model,acc\nsvm,1\n"])
def test_a_broken_file(data: bytes) -> None:
    with pytest.raises(InputError, match="A Parquet file was expected, but it cannot be read as one"):
        read_parquet(data, "scores.parquet")


def test_a_damaged_file_is_refused_in_prose_wherever_the_damage_is() -> None:
    data = written(model=["svm", "knn"] * 50, acc=[0.5, 0.25] * 50)
    for cut in range(4, len(data), 37):
        with pytest.raises(InputError):
            read_parquet(data[:cut], "scores.parquet")


def test_it_is_known_by_its_first_bytes_or_its_name(write: Any) -> None:
    path = write(written(model=["svm"], acc=[0.5]), "scores.data")
    assert read_scores(path).learners == ("svm",)
    with pytest.raises(InputError, match="A Parquet file was expected"):
        read_scores(write(b"model,acc\nsvm,1\n", "scores.parquet"))


def test_text_in_a_number_counts_rows() -> None:
    with pytest.raises(InputError, match=r"column 'acc': \(row 2\) A number was expected, but 'high' was found"):
        table(acc=["0.5", "high"]).numbers("acc")


def test_the_index_that_pandas_stores_has_no_name(write: Any) -> None:
    import pandas as pd

    frame = pd.DataFrame({"svm": [0.5, 0.6], "knn": [0.4, 0.3]}, index=["iris", "wine"])
    path = write(b"", "scores.parquet")
    frame.to_parquet(path)
    scores = read_scores(path, rows="tasks", measure="acc")
    assert scores.tasks == ("iris", "wine")
    assert scores.learners == ("svm", "knn")


CAME = Provenance("wines", "0f3a", ({"measure": "error"},), (), ("iris",), ("svm",))
VALUES = np.array([0.5, np.nan])


def told(text: str | bytes, values: Any = VALUES) -> RawTable:
    made = pa.table({"learner": ["svm", "knn"], "value": values}).replace_schema_metadata({"bakeoff": text})
    file = io.BytesIO()
    pq.write_table(made, file)
    return read_parquet(file.getvalue(), "scores.parquet")


def test_the_study_that_the_scores_come_from() -> None:
    assert told(told_to_file(CAME, VALUES)).provenance == CAME
    assert table(model=["svm"], acc=[1.0]).provenance is None


@pytest.mark.parametrize("values", [[0.5, 0.6], [None, 0.5], ["0.5", ""]])
def test_values_that_are_not_what_they_were(values: list[Any]) -> None:
    found = told(told_to_file(CAME, VALUES), values).provenance
    assert found == CAME.changed("rows changed since they were exported")


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"provenance": 1}', '{"provenance": {}}', b"\xff\xfe"])
def test_what_others_wrote_under_the_same_name(text: str | bytes) -> None:
    assert told(text).provenance is None
