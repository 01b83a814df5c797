"""Tables as files: whole or not at all, with all their digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.stores import table_files
from bakeoff.stores.table_files import known_format, table_file

TYPES = {"name": "text", "n": "int", "value": "float", "scores": "floats"}
ROWS = {
    "name": ["a,b", 'say "x"\nso', "größer"],
    "n": [1, None, 3],
    "value": [0.1, float("nan"), 1e-300],
    "scores": [[0.1, 0.9], None, [np.pi]],
}


def test_csv(tmp_path: Path) -> None:
    with table_file(tmp_path / "t.csv", TYPES) as file:
        file.add(ROWS)
    import csv

    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as written:
        rows = list(csv.reader(written))
    assert rows == [
        ["name", "n", "value", "scores"],
        ["a,b", "1", "0.1", "0.1 0.9"],
        ['say "x"\nso', "", "", ""],
        ["größer", "3", "1e-300", repr(np.pi)],
    ]


def test_parquet(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    with table_file(tmp_path / "t.parquet", TYPES) as file:
        file.add(ROWS)
    found = pq.read_table(tmp_path / "t.parquet").to_pydict()
    assert found == {**ROWS, "value": [0.1, None, 1e-300]}


def test_parquet_keeps_what_is_told_beside_the_columns(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for ending, told in (("parquet", {b"bakeoff": "größer".encode()}), ("csv", None)):
        path = tmp_path / f"t.{ending}"
        with table_file(path, {"n": "int"}, {"bakeoff": "größer"}) as file:
            file.add({"n": [1]})
        assert ending == "csv" or pq.read_schema(path).metadata == told
    assert (tmp_path / "t.csv").read_text() == "n\n1\n"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_portions(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    monkeypatch.setattr(table_files, "_ROWS_AT_ONCE", 10)
    path = tmp_path / f"t.{ending}"
    with table_file(path, {"n": "int"}) as file:
        for start in range(0, 35, 7):
            file.add({"n": list(range(start, start + 7))})
    found = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    assert found["n"].tolist() == list(range(35))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_no_rows(tmp_path: Path, ending: str) -> None:
    import pandas as pd

    path = tmp_path / f"t.{ending}"
    with table_file(path, TYPES):
        pass
    found = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    assert list(found.columns) == list(TYPES)
    assert len(found) == 0


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_was_there_stays_if_something_goes_wrong(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    path.write_text("before")

    def write() -> None:
        with table_file(path, {"n": "int"}) as file:
            file.add({"n": [1]})
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        write()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_nowhere(tmp_path: Path, ending: str) -> None:
    def write() -> None:
        with table_file(tmp_path / "nowhere" / f"t.{ending}", TYPES) as file:
            file.add(ROWS)

    with pytest.raises(InputError, match="The file cannot be written"):
        write()


def test_unknown_formats() -> None:
    assert known_format("csv") == "csv"
    with pytest.raises(UsageError, match=r"no format 'parket' to export to\. Did you mean 'parquet'"):
        known_format("parket")
