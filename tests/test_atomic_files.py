from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.atomic_files import whole_file


def test_a_file_takes_its_place_when_it_is_written(tmp_path: Path) -> None:
    target = tmp_path / "verdict.json"
    target.write_text("old")
    with whole_file(target) as passing:
        passing.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_after_an_error_all_is_as_before(tmp_path: Path) -> None:
    target = tmp_path / "verdict.json"
    target.write_text("old")

    def write() -> None:
        with whole_file(target) as passing:
            passing.write_text("half of the ne")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        write()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_long_name_and_two_at_once(tmp_path: Path) -> None:
    first, second = tmp_path / ("a" * 250), tmp_path / ("b" * 250)
    with whole_file(first) as one, whole_file(second) as other:
        one.write_text("1")
        other.write_text("2")
    assert (first.read_text(), second.read_text()) == ("1", "2")


@pytest.mark.parametrize("folder", [".", "", "/", ".."])
def test_a_folder_is_no_file(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    with pytest.raises(OSError, match=r"directory|busy"), whole_file(Path(folder)) as passing:
        passing.write_text("new")
    assert list(tmp_path.iterdir()) == [inner]
    assert list(inner.iterdir()) == []
