"""A study as files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from store_contract import Registered, failed, folds

from bakeoff.errors import InputError, UsageError
from bakeoff.resampling.split import Splits
from bakeoff.results import export as table_files
from bakeoff.results.export import export, known_format, table_file, write_scores
from bakeoff.results.scores import scores_of
from bakeoff.scores import blocks, read_scores
from bakeoff.store.writer import Store


def filled(store: Store) -> Registered:
    ours = Registered(store)
    ours.fill([0, 1])
    return ours


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_scores_come_back_by_reading_the_file(store: Store, tmp_path: Path, ending: str) -> None:
    ours = Registered(store, learners=3)
    ours.fill([0, 1])
    ours.write((2, 0, failed("it broke")))
    path = tmp_path / f"scores.{ending}"
    assert export(store, ours.key, path, measures=["error"]) == (path,)
    found, made = read_scores(path), scores_of(store, ours.key, ["error"])
    np.testing.assert_array_equal(found.value, made.value)
    for name in ("task", "learner", "measure", "repeat", "fold", "status", "message"):
        assert getattr(found, name).values() == getattr(made, name).values()
    np.testing.assert_array_equal(found.n_train, made.n_train)


def test_scores_of_rows_come_back_as_well(store: Store, tmp_path: Path) -> None:
    ours = Registered(store, splits=Splits(folds(2).splits[:1]))
    ours.fill([0, 2])
    made = scores_of(store, ours.key, ["error"], instances=True)
    write_scores(made, tmp_path / "rows.csv")
    found = read_scores(tmp_path / "rows.csv")
    assert found.instance.values() == made.instance.values()
    np.testing.assert_array_equal(blocks(found).values, blocks(made).values)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_everything(store: Store, tmp_path: Path, form: str) -> None:
    ours = filled(store)
    ours.write((0, 0, failed()))
    store.set_resolved(ours.learners[0], {"C": 1.0})
    written = export(store, ours.key, tmp_path / "out", form=form)
    names = [f"attempts.{form}", f"predictions.{form}", f"scores.{form}", f"splits.{form}", "study.json"]
    assert [path.name for path in written] == names
    read = pd.read_csv if form == "csv" else pd.read_parquet
    tables = {path.stem: read(path) for path in written if path.suffix != ".json"}
    assert {name: len(table) for name, table in tables.items()} == {
        "attempts": 6, "predictions": 24, "scores": 12, "splits": 36,
    }  # fmt: skip
    predictions = tables["predictions"]
    right = predictions[predictions.learner == "learner 0"]
    assert (right.truth == right.prediction).all()
    assert set(right.truth) == {"no", "yes"}
    assert set(predictions.row) == set(range(1, 13))
    assert tables["attempts"].fit_time.tolist() == [0.5] * 6
    assert set(tables["splits"].part) == {"train", "test"}
    about = json.loads((tmp_path / "out" / "study.json").read_text(encoding="utf-8"))
    assert about["description"] == {"question": "which?"}
    assert about["learners"]["learner 0"]["resolved"] == {"C": 1.0}
    assert about["tasks"]["ours"]["classes"] == ["no", "yes"]
    assert about["runs"][0]["environment"] == {"python": "3.11"}
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("out.")]


def test_a_folder_that_is_there(store: Store, tmp_path: Path) -> None:
    ours = filled(store)
    (tmp_path / "out").mkdir()
    export(store, ours.key, tmp_path / "out")
    with pytest.raises(UsageError, match=r"out is there already\. Name a folder that is not there yet or is empty"):
        export(store, ours.key, tmp_path / "out")
    with pytest.raises(UsageError, match="is there already"):
        export(store, ours.key, store.path)


def test_nothing_is_left_of_an_export_that_fails(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bakeoff.results import export as module

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    ours = filled(store)
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(module, "_write_splits", full)
    with pytest.raises(InputError, match=r"The files cannot be written \(No space left on device\)"):
        export(store, ours.key, tmp_path / "out")
    assert sorted(tmp_path.iterdir()) == before


def test_unknown_format_and_study(store: Store, tmp_path: Path) -> None:
    ours = filled(store)
    with pytest.raises(UsageError, match="no format 'xlsx'"):
        export(store, ours.key, tmp_path / "out", form="xlsx")
    with pytest.raises(UsageError, match="no study with the key"):
        export(store, "other", tmp_path / "out.csv")
    assert not (tmp_path / "out").exists()


# ----------------------------------------------------------------------------------------------------------------------
# Tables as files: whole or not at all, with all their digits.


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
