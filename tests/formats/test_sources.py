"""Where scores come from: files, folders, globs, name=path, standard input, archives; and what is refused."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from bakeoff import InputError, UsageError, read_scores
from bakeoff.formats import sources

CSV = "dataset,model,accuracy\niris,svm,0.9\niris,knn,0.8\nwine,svm,0.7\nwine,knn,0.9\n"
JSONL = '{"model": "svm", "dataset": "iris", "accuracy": 0.9}\n{"model": "knn", "dataset": "iris", "accuracy": 0.8}\n'


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_packed_files(tmp_path: Path) -> None:
    plain = read_scores(written(tmp_path, "plain.csv", CSV))
    packed = written(tmp_path, "scores.csv.gz", gzip.compress(CSV.encode()))
    zstd = written(tmp_path, "scores.jsonl.zst", pa.compress(JSONL.encode(), codec="zstd", asbytes=True))
    assert read_scores(packed).value.tolist() == plain.value.tolist()
    assert read_scores(zstd).value.tolist() == [0.9, 0.8]


def test_a_zip_holds_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("runs/a.csv", "fold,accuracy\n1,0.9\n2,0.8\n")
        archive.writestr("runs/b.csv", "fold,accuracy\n1,0.7\n2,0.6\n")
        archive.writestr("notes.rst", "nothing")
    scores = read_scores(tmp_path / "all.zip")
    assert scores.learners == ("a", "b")


def test_one_file_a_learner_named_by_the_file_or_by_the_user(tmp_path: Path) -> None:
    first = written(tmp_path, "new/scores.csv", "fold,accuracy\n1,0.9\n2,0.8\n")
    second = written(tmp_path, "old/scores.csv", "fold,accuracy\n1,0.7\n2,0.6\n")
    assert read_scores(first, second).learners == ("new/scores", "old/scores")
    assert read_scores(f"x={first}", f"y={second}").learners == ("x", "y")
    runs = read_scores(f"x={first}", f"x={second}")
    assert runs.learners == ("x",)
    assert any("2 files of this name are read as 2 runs" in note for note in runs.notes)


def test_wide_tables_are_put_under_each_other(tmp_path: Path) -> None:
    first = written(tmp_path, "a.csv", "dataset,svm,knn\niris,0.9,0.8\n")
    second = written(tmp_path, "b.csv", "dataset,svm,knn\nwine,0.7,0.6\n")
    scores = read_scores(first, second, measure="accuracy")
    assert (scores.learners, scores.tasks) == (("svm", "knn"), ("iris", "wine"))


def test_globs_and_folders(tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path, f"runs/{name}.jsonl", '{"fold": 1, "accuracy": 0.5}\n{"fold": 2, "accuracy": 0.6}\n')
    written(tmp_path, "runs/.hidden.jsonl", "broken")
    assert read_scores(tmp_path / "runs").learners == ("a", "b")
    assert read_scores(str(tmp_path / "runs" / "*.jsonl")).learners == ("a", "b")
    with pytest.raises(InputError, match="No file has a name of that form"):
        read_scores(str(tmp_path / "runs" / "*.eval"))


def test_a_folder_with_an_equals_sign_in_its_name(tmp_path: Path) -> None:
    path = written(tmp_path, "toy:model=a/scores.csv", CSV)
    assert len(read_scores(path.parent)) == 4


def test_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bakeoff", "compare", "-", "--rows", "instances", "--measure", "accuracy"],
        input="a,b\n1,0\n1,1\n0,1\n1,0\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "standard input: 8 rows" in done.stdout


def test_nothing_at_all() -> None:
    with pytest.raises(UsageError, match="Name what is to be read"):
        read_scores()


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGE", 1 << 20)
    bomb = written(tmp_path, "scores.csv.gz", gzip.compress(b"0" * (8 << 20), 9))
    with pytest.raises(InputError, match="more than 1,000 times its size"):
        read_scores(bomb)


def test_a_zip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGE", 1 << 20)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("scores.csv", b"0" * (8 << 20))
    with pytest.raises(InputError, match="more than 1,000 times its size"):
        read_scores(tmp_path / "bomb.zip")


def test_a_zstd_member_that_lies_about_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The unpacked size is counted, not believed."""
    monkeypatch.setattr(sources, "MOST_BYTES", 1 << 20)
    data = io.BytesIO()
    packed = pa.compress(b"[" + b" " * (4 << 20) + b"]", codec="zstd", asbytes=True)
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("header.json", packed)
        archive.writestr("_journal/start.json", b"{}")
    content = data.getvalue()
    # Stored members are called zstd members: method 93, in the local header and in the directory.
    for magic, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = content.index(magic) + offset
        content = content[:place] + struct.pack("<H", 93) + content[place + 2 :]
    with pytest.raises(InputError, match="more than the 0 GB"):
        read_scores(written(tmp_path, "log.eval", content))


def test_a_folder_of_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_FILES", 3)
    for i in range(5):
        written(tmp_path, f"{i}.csv", CSV)
    with pytest.raises(InputError, match="holds more than 3 files"):
        read_scores(tmp_path)


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="Take out what is no score"):
        read_scores(written(tmp_path, "scores.csv", CSV))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x1f\x8b\x08\x00rest", "cannot be unpacked"),
        (b"\x28\xb5\x2f\xfdrest", "cannot be unpacked"),
        (b"PK\x03\x04rest", "cannot be opened"),
        (b"SQLite format 3\x00", "cannot be read"),
        (b'{"a": ', "cannot be read as JSON"),
        (b'{"a": 1}\n{"a": \n', "cannot be read as JSON"),
        (b'{"model": "a", "acc": 1}\n7\n', "A JSON object was expected on each line"),
        (b"[1, 2, 3]", "The records hold no single values"),
        (b'{"x": "\xff"}', "not UTF-8"),
        (b'{"x": ' + b"9" * 5000 + b"}", "cannot be read as JSON"),
    ],
)
def test_broken_files_get_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_scores(written(tmp_path, "scores", content))


def test_a_line_that_is_broken_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "scores.jsonl", JSONL + '{"model": \n')
    with pytest.raises(InputError, match=r"scores\.jsonl, line 3"):
        read_scores(path)


def test_an_unknown_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as database:
        database.execute("create table t (a)")
    database.close()
    with pytest.raises(InputError, match="No format knows this file"):
        read_scores(tmp_path / "x.db")
    assert sorted(os.listdir(tmp_path)) == ["x.db"], "reading leaves nothing behind"


def test_a_workbook_with_entities_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", '<!DOCTYPE x [<!ENTITY a "aaaa">]><workbook>&a;</workbook>')
        archive.writestr("xl/_rels/workbook.xml.rels", "<Relationships/>")
    with pytest.raises(InputError, match="defines entities"):
        read_scores(tmp_path / "x.xlsx")


def test_a_workbook(tmp_path: Path) -> None:
    rows = [("dataset", "svm", "knn"), ("iris", 0.9, 0.8), ("wine", 0.7, 0.95)]
    cells = "".join(
        f'<row r="{i}">'
        + "".join(
            f'<c r="{"ABC"[j]}{i}" t="inlineStr"><is><t>{cell}</t></is></c>'
            if isinstance(cell, str)
            else f'<c r="{"ABC"[j]}{i}"><v>{cell}</v></c>'
            for j, cell in enumerate(row)
        )
        + "</row>"
        for i, row in enumerate(rows, start=1)
    )
    namespace = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relation = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook {namespace} {relation}><sheets><sheet name="Empty" r:id="r2"/><sheet name="S" r:id="r1"/>'
            "</sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/>'
            '<Relationship Id="r2" Target="worksheets/sheet2.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {namespace}><sheetData>{cells}</sheetData></worksheet>"
        )
        archive.writestr("xl/worksheets/sheet2.xml", f"<worksheet {namespace}><sheetData/></worksheet>")
    scores = read_scores(tmp_path / "x.xlsx", measure="accuracy")
    assert scores.value.tolist() == [0.9, 0.8, 0.7, 0.95]
    assert any("sheet 'S' read; not 'Empty'" in note for note in scores.notes)
