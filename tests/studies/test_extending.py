"""More repeats of a scheme are more cells, not other ones: what is stored is found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.stores.progress import progress
from bakeoff.stores.scores import scores_of
from bakeoff.stores.store import Store
from bakeoff.studies.conducting import conduct
from bakeoff.studies.study import Study


def study(repeats: int, scheme: str = "cross-validation") -> Study:
    settings = {"folds": 3} if scheme == "cross-validation" else {}
    return Study(
        tasks=["iris", "wine"],
        learners={"bayes": "sklearn.naive_bayes.GaussianNB", "dummy": "sklearn.dummy.DummyClassifier"},
        resampling={"scheme": scheme, "repeats": repeats, **settings},
    )


@pytest.mark.parametrize(("scheme", "splits"), [("cross-validation", 3), ("out-of-bootstrap", 1)])
def test_raising_the_repeats_runs_only_the_new_ones(tmp_path: Path, scheme: str, splits: int) -> None:
    path = tmp_path / "store.sqlite"
    first = conduct(study(2, scheme), path)
    more = conduct(study(5, scheme), path)
    less = conduct(study(2, scheme), path)
    each = splits * 2 * 2  # splits of a repeat × tasks × learners
    assert (first.ok, first.stored_before) == (2 * each, 0)
    assert (more.ok, more.stored_before) == (3 * each, 2 * each)
    assert (less.ok, less.stored_before) == (0, 2 * each)
    with Store.read(path) as store:
        few, many = (scores_of(store, study(repeats, scheme).key) for repeats in (2, 5))
        assert (progress(store, study(2, scheme).key).left, progress(store, study(5, scheme).key).left) == (0, 0)
    found = {(t, k, r, f): v for t, k, r, f, v in _rows(many)}
    assert all(found[t, k, r, f] == v for t, k, r, f, v in _rows(few))
    assert len(found) == 5 * each


def _rows(scores: object) -> list[tuple[str, str, str, str, float]]:
    frame = scores.to_frame()  # type: ignore[attr-defined]
    fold = frame["fold"] if "fold" in frame else [""] * len(frame)
    return list(zip(frame["task"], frame["learner"], frame["repeat"], fold, frame["value"], strict=True))
