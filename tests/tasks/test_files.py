"""Formats, sizes and headers of data files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import InputError
from bakeoff.tasks import files
from bakeoff.tasks.files import file_bytes, format_of, read_table
from bakeoff.tasks.table import Categories

FRAME = pd.DataFrame({"n": [1, 2, 3], "t": ["x", None, "y"], "b": [True, False, True], "digits": ["1", "2", "1"]})


def test_parquet_tells_text_from_numbers_itself(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "t.pq")
    table = read_table((tmp_path / "t.pq").read_bytes(), "t.pq", format_of("t.pq"))
    np.testing.assert_array_equal(table.column("n"), [1, 2, 3])
    kinds = {name: isinstance(table.column(name), Categories) for name in table.names}
    assert kinds == {"n": False, "t": True, "b": True, "digits": True}
    text = table.column("t")
    assert isinstance(text, Categories)
    assert text.codes.tolist() == [0, -1, 1]


def test_parquet_is_known_by_its_bytes_whatever_the_name(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "t.csv")
    assert read_table((tmp_path / "t.csv").read_bytes(), "t.csv", "csv").names == ("n", "t", "b", "digits")


def test_csv_reads_digits_as_numbers_unless_told() -> None:
    data = b"digits;n\n1;0,5\n2;1,5\n"
    np.testing.assert_array_equal(read_table(data, "t.csv", "csv").column("n"), [0.5, 1.5])
    assert isinstance(read_table(data, "t.csv", "csv", categorical=["digits"]).column("digits"), Categories)


@pytest.mark.parametrize(
    ("data", "form", "complaint"),
    [
        (b"", "csv", "The file is empty"),
        (b"", "arff", "The file is empty"),
        (b"a,b,a\n1,2,3\n", "csv", "'a' stands twice"),
        (b",a,b\n0,1,2\n", "csv", r"Column 1 has no name.*index=False"),
        (b"a,b\n", "csv", "no rows below it"),
        (b"a,b\n1\n", "csv", "line 2: 2 fields were expected"),
        (b"1,2\n3,4\n", "csv", "Add a header"),
        (b"nothing", "parquet", "A Parquet file was expected"),
    ],
)
def test_broken_tables(data: bytes, form: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_table(data, "t", form)


def test_a_test_sample_is_appended() -> None:
    table = read_table(b"a,b\n1,2\n", "t.csv", "csv", test=(b"b,a\n4,3\n", "u.csv"))
    np.testing.assert_array_equal(table.column("a"), [1, 3])
    assert table.parts == (("t.csv", 1), ("u.csv", 1))


def test_huge_files_and_pipes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "big.csv").write_bytes(b"a,b\n1,2\n")
    monkeypatch.setattr(files, "MOST_BYTES", 4)
    with pytest.raises(InputError, match="held in memory"):
        file_bytes(tmp_path / "big.csv")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="device or pipe"):
        file_bytes(tmp_path / "pipe")


@pytest.mark.parametrize(("path", "complaint"), [("nowhere.csv", "no such file"), (".", "directory"), ("a\0b", "NUL")])
def test_unreadable_paths(path: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=complaint):
        file_bytes(path)
