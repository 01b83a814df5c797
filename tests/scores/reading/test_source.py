"""Every way in which a path can fail to be a readable file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bakeoff.errors import InputError
from bakeoff.scores import read_scores


def message(path: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        read_scores(path)
    return str(caught.value)


def test_no_such_file(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.csv"
    assert message(path) == f"{path}: There is no such file. Check the spelling and the folder you are in."


def test_a_directory(tmp_path: Path) -> None:
    assert message(tmp_path).endswith(
        "A CSV or Parquet file was expected, but this is a directory. Name one file in it."
    )


def test_a_path_longer_than_any_system_allows() -> None:
    text = message("no/" * 30_000_000 + "scores.csv")
    assert "the path has 90000010 characters, more than this system allows" in text
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
        (b"\x1f\x8b\x08\x00rest", "a gzip archive. Unpack it first"),
        (b"PK\x03\x04rest", "a zip archive or a spreadsheet"),
        ("model,acc\nsvm,0.9\n".encode("utf-16"), "UTF-16 text. Save it as UTF-8"),
        ("model,acc\nsvm,0.9\n".encode("utf-16-be"), "a binary file: it has a NUL byte at byte 0"),
        (b"SQLite format 3\x00", "an SQLite database"),
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
