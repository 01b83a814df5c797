from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from bakeoff.scores import Scores, read_scores
from bakeoff.scores.splitting import NOT_KNOWN, Runs, Splitting
from bakeoff.stores.export import export
from bakeoff.stores.reader import Reader
from bakeoff.studies.study import Study

LEARNERS = {"majority": DummyClassifier(), "nearest": KNeighborsClassifier(1)}


def run(resampling: object, store: Path | None = None) -> tuple[Scores, str]:
    study = Study("iris", LEARNERS, resampling=resampling, measures=["error"])
    return study.run(store=store), study.key


@pytest.mark.parametrize(
    ("resampling", "splitting"),
    [
        ({"scheme": "disjoint-halves", "parts": 3}, Splitting(Runs.INDEPENDENT)),
        ({"scheme": "hold-out", "repeats": 3}, Splitting(Runs.RANDOM_SPLITS)),
        ({"scheme": "bootstrap", "repeats": 3}, Splitting(optimistic="bootstrap")),
        ({"scheme": "632", "repeats": 3}, Splitting(optimistic="632")),
        ({"scheme": "out-of-bootstrap", "repeats": 3}, NOT_KNOWN),
        ({"scheme": "cross-validation", "folds": 3}, NOT_KNOWN),
    ],
    ids=lambda one: one["scheme"] if isinstance(one, dict) else "",
)
def test_a_study_knows_how_it_was_split(resampling: object, splitting: Splitting) -> None:
    assert run(resampling)[0].splitting == splitting


@pytest.mark.parametrize(
    ("scheme", "in_folder"), [("disjoint-halves", Runs.INDEPENDENT), ("632", None), ("bootstrap", None)]
)
def test_exported_scores_say_it_too(tmp_path: Path, scheme: str, in_folder: Runs | None) -> None:
    parameters = {"parts": 3} if scheme == "disjoint-halves" else {"repeats": 3}
    scores, key = run({"scheme": scheme, **parameters}, tmp_path / "study.sqlite")
    with Reader(tmp_path / "study.sqlite") as store:
        export(store, key, tmp_path / "scores.csv")
        export(store, key, tmp_path / "all", form="csv")
    assert read_scores(tmp_path / "scores.csv").splitting == scores.splitting
    # Apparent scores stand in rows of their own there, and are not read as results.
    optimistic = "bootstrap" if scheme == "bootstrap" else ""
    assert read_scores(tmp_path / "all" / "scores.csv").splitting == Splitting(in_folder, None, optimistic)
