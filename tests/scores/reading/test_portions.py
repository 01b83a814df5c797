"""Tables that are too large to be held: the same answer as of small ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.errors import InputError, MisfitError
from bakeoff.scores import reading
from bakeoff.scores.reading import portions, read_scores


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    tasks, learners, runs = np.meshgrid(np.arange(15), np.arange(3), np.arange(8), indexing="ij")
    value = 0.7 + 0.01 * tasks / 15 + 0.03 * learners + rng.normal(0, 0.02, tasks.shape)
    made = pd.DataFrame(
        {
            "model": np.array(["tree", "forest", "größer"])[learners.ravel()],
            "dataset": [f"data {number}" for number in tasks.ravel()],
            "seed": runs.ravel(),
            "accuracy": value.ravel(),
            "status": "ok",
        }
    )
    return made.sample(frac=1.0, random_state=3)


@pytest.fixture
def in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if these were large."""
    monkeypatch.setattr(reading, "_LARGE", 0)
    monkeypatch.setattr(portions, "MOST_ROWS", 10)
    monkeypatch.setattr(portions, "_PORTION", 50)


def written(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_answer_is_that_of_the_small_path(
    ending: str, frame: pd.DataFrame, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = written(frame, tmp_path / f"scores.{ending}")
    small = bakeoff.judge(read_scores(path, measure="accuracy"))
    request.getfixturevalue("in_portions")
    scores = read_scores(path, measure="accuracy")
    assert len(scores.value) == 45
    assert any("360 rows, read in portions" in note and "the mean of its 8 rows" in note for note in scores.notes)
    large = bakeoff.judge(scores)
    assert [(d.first, d.second, d.decision) for d in large.decisions] == [
        (d.first, d.second, d.decision) for d in small.decisions
    ]
    ours, theirs = large.finding.to_frame(), small.finding.to_frame()
    for column in ("estimate", "p", "p_adjusted"):
        np.testing.assert_allclose(ours[column], theirs[column], rtol=1e-9)


@pytest.mark.usefixtures("in_portions")
def test_what_the_user_says_counts(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame = frame.rename(columns={"model": "config.what"})
    frame.loc[frame["seed"] == 3, "status"] = "crashed"
    frame.loc[frame["seed"] == 3, "accuracy"] = np.nan
    path = written(frame, tmp_path / "scores.parquet")
    scores = read_scores(path, columns="learner=config.what", where="status=ok", measure="accuracy")
    assert set(scores.learner.labels) == {"tree", "forest", "größer"}
    assert any("the mean of its 7 rows" in note for note in scores.notes)


@pytest.mark.usefixtures("in_portions")
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda f: f.assign(accuracy=f["accuracy"].where(f["seed"] > 0)), InputError, "have no value"),
        (lambda f: f.assign(dataset="one"), MisfitError, "rows of one task"),
        (lambda f: f.drop(columns="dataset"), MisfitError, "no long table with learners and tasks"),
        (lambda f: f.rename(columns={"seed": "instance"}), MisfitError, "column 'instance' tells instances apart"),
        (lambda f: f.rename(columns={"accuracy": "unheard"}), InputError, "No column holds scores"),
        (lambda f: f.assign(model=f["model"].where(f["seed"] > 0, "")), InputError, "The learner is empty"),
    ],
)
def test_what_cannot_be_read_so(change: Any, error: Any, message: str, frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(error, match=message):
        read_scores(written(change(frame), tmp_path / "scores.parquet"))


def test_a_large_file_of_few_rows_is_read_as_any(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_LARGE", 0)
    for ending in ("parquet", "csv"):
        assert len(read_scores(written(frame, tmp_path / f"scores.{ending}"), measure="accuracy").value) == 360
