"""Files that earlier versions wrote stay readable, and keys stay what they were: stored cells are found again.

`kept/0.1.0` was written by version 0.1.0, before the package was rearranged: stores of three studies, what was exported
from them, and in `expected.json` and `keys.json` what that version made of them. A test that fails here means that
somebody's results would be run again, or read otherwise; the remedy is to mend the code, not the file.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.resampling import resampling_from
from bakeoff.resampling.split import Sample

KEPT = Path(__file__).parent / "kept" / "0.1.0"
STUDIES = ("folds", "draws", "bootstrap")
EXPECTED: dict[str, Any] = json.loads((KEPT / "expected.json").read_text(encoding="utf-8"))
KEYS: dict[str, Any] = json.loads((KEPT / "keys.json").read_text(encoding="utf-8"))

every_study = pytest.mark.parametrize("name", STUDIES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(KEPT, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def resampling_keys() -> dict[str, Any]:
    """For every scheme, the keys of its splits of one sample with classes, groups and a given test sample."""
    rng = np.random.default_rng(0)
    sample = Sample(40, strata=rng.integers(0, 3, 40), groups=np.arange(40) // 2, given_test=np.arange(32, 40))
    plain = Sample(37, given_test=np.arange(30, 37))
    keys = {}
    for name in KEYS["resampling"]:  # schemes that came later have nothing to keep
        made = resampling_from({"scheme": name})
        keys[name] = {
            "description": made.describe(),
            "grouped": [split.key.hex() for split in made.splits(sample, 7).splits][:30],
            "plain": [split.key.hex() for split in made.splits(plain, 7).splits][:30],
        }
    return keys


def generator_keys() -> dict[str, Any]:
    from bakeoff.generators import generator_from
    from bakeoff.generators.classic import GENERATORS

    keys = {}
    for name in GENERATORS:
        made = generator_from(name)
        X, y = made.draw(5, np.random.default_rng(3))
        data = bakeoff.simulated(name, n=20, m=30)
        keys[name] = {"description": made.describe(), "X": np.asarray(X).tolist(), "y": np.asarray(y).tolist()}
        keys[name]["data"] = data.data_key()
    return keys


def learner_keys() -> dict[str, str]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    from bakeoff.learners.bundling import Bundling
    from bakeoff.learners.one_r import OneR

    objects = {
        "tree": DecisionTreeClassifier(max_depth=3),
        "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
        "1R": OneR(),
        "bundling": Bundling(n_estimators=5),
    }
    study = bakeoff.Study(tasks=["iris"], learners=objects)
    return {learner.name: learner.key for learner in study.learners} | {"study": study.key}


def task_keys() -> dict[str, str]:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(12, 2)), np.array(["a", "b"] * 6)
    tasks = {name: bakeoff.as_task(name, name) for name in ("iris", "servo", "house_votes84", "boston_housing")}
    return {name: task.data_key() for name, task in tasks.items()} | {"arrays": bakeoff.as_task("m", (X, y)).data_key()}


@pytest.mark.parametrize("kind", ["resampling", "generator", "learner", "task"])
def test_keys_and_draws_are_what_they_were(kind: str) -> None:
    made = {"resampling": resampling_keys, "generator": generator_keys, "learner": learner_keys, "task": task_keys}
    found = json.loads(json.dumps(made[kind]()))
    assert {name: found[name] for name in KEYS[kind]} == KEYS[kind]


@every_study
def test_studies_have_the_hash_that_they_had(name: str, folder: Path) -> None:
    study = bakeoff.read_study(f"{name}.toml")
    assert study.key == EXPECTED[name]["study"]
    assert {learner.name: learner.key for learner in study.learners} == EXPECTED[name]["learners"]
    assert {task.name: task.data_key() for task in study.tasks} == EXPECTED[name]["tasks"]


@every_study
def test_nothing_that_is_stored_is_run_again(name: str, folder: Path) -> None:
    before = stored_cells(f"{name}.sqlite")
    code = main(["run", f"{name}.toml", "--quiet"])
    assert code == (4 if name == "folds" else 0), "in folds a learner fails always"
    assert stored_cells(f"{name}.sqlite") == before
    assert sorted(key for key, _ in before) == EXPECTED[name]["cells"]


def stored_cells(store: str) -> list[tuple[str, int]]:
    """The key of each cell and how often it was tried."""
    connection = sqlite3.connect(store)
    try:
        counted = "select cell.key, count(*) from cell join attempt on attempt.cell = cell.id group by cell.id"
        return [(bytes(key).hex(), n) for key, n in connection.execute(counted)]
    finally:
        connection.close()


@every_study
def test_stored_scores_are_read_as_they_were(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scores", f"{name}.toml"]) == 0
    assert capsys.readouterr().out == EXPECTED[name]["scores"]


@every_study
def test_stored_studies_are_judged_as_they_were(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = ["--without", "broken", "--task", "iris"] if name == "folds" else []
    kept = EXPECTED[name]["verdict"]["verdicts"][0]
    named = ["--with", kept["finding"]["procedure"]]
    assert main(["judge", f"{name}.toml", "--json", *named, *part]) == 0
    verdict = json.loads(capsys.readouterr().out)["verdicts"][0]
    assert numbers(verdict["finding"]["rows"]) == pytest.approx(numbers(kept["finding"]["rows"]), nan_ok=True)
    assert fields(kept) <= fields(verdict), "fields of the JSON keep their names"


@every_study
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_exported_files_are_read_as_they_were(name: str, ending: str, folder: Path) -> None:
    scores = bakeoff.read_scores(f"{name}.{ending}")
    measure = bakeoff.read_study(f"{name}.toml").measure_names[0]
    kept = EXPECTED[name]["from csv"]
    verdict = bakeoff.judge(
        scores,
        kept["procedure"],
        measure=measure,
        missing="worst",
        level="tasks" if name == "folds" else None,
        anyway=True,
    )
    assert verdict.finding.level.value == kept["level"]
    assert [row.p for row in verdict.finding.pairs] == pytest.approx(kept["p"])


def test_exported_tables_are_read(folder: Path) -> None:
    scores = bakeoff.read_scores("folds-tables/scores.csv")
    assert scores.learners == ("1R", "sLDA", "tuned tree", "broken")


def numbers(rows: list[dict[str, Any]]) -> list[float]:
    wanted = ("estimate", "lower", "upper", "statistic", "p", "p_adjusted")
    return [np.nan if row[name] is None else float(row[name]) for row in rows for name in wanted]


def fields(value: Any, place: str = "") -> set[str]:
    """The names of all fields of a JSON document, with their place. Names that are data (learners, options) are left
    out."""
    if isinstance(value, dict) and not place.endswith(("details", "means", "position", "versions", "options")):
        return {f"{place}.{name}" for name in value}.union(*(fields(v, f"{place}.{k}") for k, v in value.items()))
    if isinstance(value, list):
        return set().union(*(fields(item, f"{place}[]") for item in value)) if value else set()
    return set()


@pytest.mark.parametrize("schema", ["schema-2", "schema-3"])
def test_a_store_with_an_earlier_schema_is_read_as_it_was(
    schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Written by versions between 0.1.0 and the next: 2 gave values their checksums, 3 attempts their positions."""
    shutil.copytree(KEPT.parent / schema, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    before = stored_cells("small.sqlite")
    assert main(["scores", "small.toml"]) == 0
    assert capsys.readouterr().out == Path("small.txt").read_text("utf-8")
    assert main(["status", "small.toml", "--check"]) == 0
    assert main(["run", "small.toml", "--quiet"]) == 0
    assert stored_cells("small.sqlite") == before
    for command in (["status", "--check"], ["export", "-o", "tables"], ["scores", "--measure", "fit_time"]):
        assert main([command[0], "small.toml", *command[1:]]) == 0, "what has no checksum is not accused"


# `kept/verdicts` has verdicts as JSON, and as text and Markdown what the version that wrote them made of each.
VERDICTS = Path(__file__).parent / "kept" / "verdicts"


@pytest.mark.parametrize("path", sorted(VERDICTS.glob("*.json")), ids=lambda path: path.stem)
def test_verdicts_that_were_kept_read_as_they_were_written(path: Path) -> None:
    from bakeoff.reports.files import read_verdict
    from bakeoff.reports.manuscript import as_markdown

    verdict = read_verdict(path)
    text = f"{verdict.to_text()}\n\n{as_markdown(verdict.manuscript())}"
    assert text == path.with_suffix(".txt").read_text(encoding="utf-8")
