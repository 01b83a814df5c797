"""Where data come from, and the keys of what is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import UsageError
from bakeoff.tasks.bundled import bundled
from bakeoff.tasks.roles import Roles
from bakeoff.tasks.sources import BundledSource, FileSource, LoaderSource, MemorySource

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
