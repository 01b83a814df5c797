"""Where data come from, and the keys of what is there."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.tasks import sources
from bakeoff.tasks.dataset import Kind, Roles
from bakeoff.tasks.sources import (
    BundledSet,
    BundledSource,
    FileSource,
    LoaderSource,
    MemorySource,
    bundled,
    bundled_sets,
    call,
    file_bytes,
    format_of,
    read_table,
)
from bakeoff.tasks.tables import NameColumn

TEXT = "a,b,y\n1,x,p\n2,z,q\n3,x,p\n"
ROLES = Roles(target="y")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TEXT)
    return tmp_path / "t.csv"


def test_the_key_of_a_file_is_of_its_bytes_and_of_how_it_is_read(path: Path) -> None:
    source = FileSource(str(path))
    key = source.key(ROLES)
    assert source.read("any name", ROLES).key == key
    path.rename(path.with_name("u.csv"))
    moved = FileSource(str(path.with_name("u.csv")))
    assert moved.key(ROLES) == key
    assert moved.key(Roles(target="y", drop=("a",))) != key
    path.write_text(TEXT + "4,x,q\n")
    assert source.key(ROLES) != key


def test_a_study_that_is_moved_is_described_alike(path: Path) -> None:
    assert FileSource(str(path)).describe() == FileSource("elsewhere/other.csv").describe() == {"file": "csv"}


def test_all_formats_give_the_same_data(path: Path, tmp_path: Path) -> None:
    pd.read_csv(path).to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.arff").write_text(
        "@relation t\n@attribute a real\n@attribute b {z,x}\n@attribute y {p,q}\n@data\n1,x,p\n2,z,q\n3,x,p\n"
    )
    made = [FileSource(str(tmp_path / f"t.{form}")).read("t", ROLES) for form in ("csv", "parquet", "arff")]
    for one in made:
        pd.testing.assert_frame_equal(one.X, made[0].X)
        np.testing.assert_array_equal(one.y, made[0].y)
        assert one.classes == ("p", "q")
    assert len({one.key for one in made}) == 3


def test_a_test_file_is_read_along(path: Path, tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text("y,b,a\nq,new,9\n,x,8\n")
    source = FileSource(str(path), str(tmp_path / "test.csv"))
    made = source.read("t", ROLES)
    assert made.test is not None
    assert made.test.tolist() == [3]
    assert made.key == source.key(ROLES) != FileSource(str(path)).key(ROLES)
    assert source.describe() == {"file": "csv", "test_file": True}
    with pytest.raises(UsageError, match="Give one of them"):
        source.read("t", Roles(target="y", test_rows=1))
    with pytest.raises(UsageError, match="format of the data"):
        FileSource("a.csv", "b.arff")


def test_a_copy_of_a_bundled_set_has_its_key(tmp_path: Path) -> None:
    (tmp_path / "copy.csv").write_bytes(bundled("heart").content())
    roles = bundled("heart").roles()
    assert FileSource(str(tmp_path / "copy.csv")).key(roles) == BundledSource("heart").key(Roles())


def test_a_loader_is_described_by_its_name_and_parameters() -> None:
    assert LoaderSource("a.b", {"n": 3}).describe() == {"loader": "a.b", "parameters": {"n": 3}}
    assert LoaderSource(pd.read_csv).describe()["loader"].endswith("read_csv")
    with pytest.raises(UsageError, match="lambda"):
        LoaderSource(lambda: None).describe()


def test_what_must_be_made_has_no_key_before() -> None:
    assert LoaderSource("no.such").key(Roles()) is None
    assert MemorySource(([[1.0]], [0])).key(Roles()) is None
    assert LoaderSource("no.such").runs_code
    assert not MemorySource(None).runs_code


# ----------------------------------------------------------------------------------------------------------------------
# The table of bundled data sets says what is in their files.


FOLDER = Path(__file__).parents[2] / "src" / "bakeoff" / "data" / "sets"
SETS = list(bundled_sets().values())


def test_every_file_has_an_entry_and_every_entry_a_file() -> None:
    assert {path.stem for path in FOLDER.glob("*")} == set(bundled_sets())
    assert list(bundled_sets()) == sorted(bundled_sets())
    assert {"boston_housing", "breast_cancer_wisconsin", "ionosphere", "pima_diabetes"} <= set(bundled_sets())


@pytest.mark.parametrize("card", SETS, ids=lambda card: card.name)
def test_the_numbers_of_an_entry_are_those_of_its_file(card: BundledSet) -> None:
    header, *rows = csv.reader(io.StringIO(card.content().decode()))
    target = header.index(card.target)
    aside = {card.target, card.group, *card.drop}
    inputs = [i for i, name in enumerate(header) if name not in aside]
    labelled = [row for row in rows if row[target] != ""]
    assert len(rows) == card.rows
    assert len(inputs) == card.inputs
    assert sum(row[i] == "" for row in labelled for i in inputs) == card.missing
    assert (len({row[target] for row in labelled}) if card.kind == "classification" else 0) == card.classes


@pytest.mark.parametrize("card", SETS, ids=lambda card: card.name)
def test_every_set_is_read_as_its_entry_says(card: BundledSet) -> None:
    data = BundledSource(card.name).read(card.name, Roles())
    assert (data.kind.value, len(data.features), len(data.classes), data.n_missing) == (
        card.kind,
        card.inputs,
        card.classes,
        card.missing,
    )
    assert set(card.categorical) <= set(data.categorical)
    if card.positive is not None:
        assert str(data.classes[-1]) == card.positive
    if card.classes == 2:
        assert card.positive is not None, "which class is the positive one?"


@pytest.mark.parametrize("card", SETS, ids=lambda card: card.name)
def test_every_set_has_its_attribution(card: BundledSet) -> None:
    assert all([card.creators, card.source, card.copy, card.title])
    assert card.licence.startswith(("CC BY 4.0", "CC0", "public"))
    assert (card.licence == "CC BY 4.0") <= ("archive.ics.uci.edu" in card.source)
    assert card.creators in card.attribution()


def test_they_are_small() -> None:
    sizes = [path.stat().st_size for path in FOLDER.glob("*")]
    assert max(sizes) < 400_000
    assert sum(sizes) < 2_500_000


def test_line_ends_that_a_checkout_changed_do_not_change_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bundled("iris").content()
    monkeypatch.setattr(Path, "read_bytes", lambda self: before.replace(b"\n", b"\r\n"))
    assert bundled("iris").content() == before


def test_the_speakers_of_the_vowels_are_on_one_side_of_the_given_split() -> None:
    data = BundledSource("vowel").read("vowel", Roles())
    assert data.groups is not None
    assert data.test is not None
    learning = np.setdiff1d(np.arange(data.n), data.test)
    assert (len(np.unique(data.groups[learning])), len(np.unique(data.groups[data.test]))) == (8, 7)
    assert not set(data.groups[learning]) & set(data.groups[data.test])


def test_the_rise_times_of_servo_are_those_of_the_original() -> None:
    y = BundledSource("servo").read("servo", Roles()).y
    assert y is not None
    assert y[:4].tolist() == [0.28125095, 0.5062525, 0.35625148, 5.500033]
    assert (y.min(), y.max()) == (0.13124992, 7.1001077)


def test_what_the_user_says_comes_first() -> None:
    roles = bundled("vowel").roles(Roles(group="V2", test_rows=0, drop=("V1",)))
    assert (roles.group, roles.drop, roles.target) == ("V2", ("V1",), "Class")
    other = bundled("breast_cancer_wisconsin").roles(Roles(target="Mitoses"))
    assert (other.target, other.kind, other.positive) == ("Mitoses", None, None)


def test_the_density_of_a_set_is_learned_without_its_labels() -> None:
    data = BundledSource("iris").read("iris", Roles(kind=Kind.DENSITY))
    assert data.kind is Kind.DENSITY
    assert data.features == ("Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width")


def test_an_unknown_name() -> None:
    with pytest.raises(UsageError, match=r"no data set 'ionosfere'.*Did you mean 'ionosphere'"):
        bundled("ionosfere")


# ----------------------------------------------------------------------------------------------------------------------
# Formats, sizes and headers of data files.


FRAME = pd.DataFrame({"n": [1, 2, 3], "t": ["x", None, "y"], "b": [True, False, True], "digits": ["1", "2", "1"]})


def test_parquet_tells_text_from_numbers_itself(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "t.pq")
    table = read_table((tmp_path / "t.pq").read_bytes(), "t.pq", format_of("t.pq"))
    np.testing.assert_array_equal(table.column("n"), [1, 2, 3])
    kinds = {name: isinstance(table.column(name), NameColumn) for name in table.names}
    assert kinds == {"n": False, "t": True, "b": True, "digits": True}
    text = table.column("t")
    assert isinstance(text, NameColumn)
    assert text.codes.tolist() == [0, -1, 1]


def test_parquet_is_known_by_its_bytes_whatever_the_name(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "t.csv")
    assert read_table((tmp_path / "t.csv").read_bytes(), "t.csv", "csv").names == ("n", "t", "b", "digits")


def test_csv_reads_digits_as_numbers_unless_told() -> None:
    data = b"digits;n\n1;0,5\n2;1,5\n"
    np.testing.assert_array_equal(read_table(data, "t.csv", "csv").column("n"), [0.5, 1.5])
    assert isinstance(read_table(data, "t.csv", "csv", categorical=["digits"]).column("digits"), NameColumn)


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
    monkeypatch.setattr(sources, "MOST_BYTES", 4)
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


# ----------------------------------------------------------------------------------------------------------------------
# Loaders: code that the user named.


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my_loaders.py").write_text(
        "value = 3\ndef good(n=2):\n    return [[0.0]] * n, [0, 1]\ndef bad():\n    raise ZeroDivisionError('oh')\n"
        "def nothing():\n    pass\n"
    )
    (tmp_path / "my_broken.py").write_text("raise RuntimeError('at import')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "my_loaders"


def test_it_is_called_with_its_parameters(module: str) -> None:
    assert call(f"{module}.good", {"n": 1}, "task 't'") == ([[0.0]], [0, 1])
    assert call(lambda: 5, {}, "task 't'") == 5


@pytest.mark.parametrize(
    ("path", "error", "complaint"),
    [
        ("{}.god", UsageError, r"has no 'god'\. Did you mean 'good'"),
        (
            "{}.value",
            UsageError,
            "a value of type int, which cannot be called. Expected is the import path of a function",
        ),
        ("{}.bad", InputError, "raised ZeroDivisionError: oh"),
        ("{}.nothing", InputError, "returned nothing"),
        ("my_broken.load", UsageError, "raised RuntimeError: at import"),
        ("no_such_module.load", UsageError, "there is no module 'no_such_module'"),
        ("load", UsageError, "is no import path. Expected is the import path of a function"),
        ("os.system('x')", UsageError, "is no import path. Expected is the import path of a function"),
        ("os.pathh", UsageError, "'os' has no 'pathh'"),
    ],
)
def test_what_goes_wrong_is_told(module: str, path: str, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint) as caught:
        call(path.format(module), {}, "task 't'")
    assert str(caught.value).startswith("task 't'")


def test_an_import_path_may_name_something_inside_a_package() -> None:
    assert call("os.path.abspath", {"path": "/a"}, "t") == "/a"
