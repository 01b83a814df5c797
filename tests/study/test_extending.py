"""More repeats of a scheme are more cells, not other ones: what is stored is found again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError
from bakeoff.resampling import SCHEMES
from bakeoff.results.scores import scores_of
from bakeoff.results.status import progress
from bakeoff.store.reader import Reader
from bakeoff.store.writer import Store
from bakeoff.study.plan import stored_already
from bakeoff.study.prepare import prepare
from bakeoff.study.run import run_study
from bakeoff.study.study import Study
from bakeoff.tasks.task import as_task, simulated


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
    first = run_study(study(2, scheme), path)
    more = run_study(study(5, scheme), path)
    less = run_study(study(2, scheme), path)
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


REPEATED = [name for name, kind in SCHEMES.items() if "repeats" in kind.__dataclass_fields__]


def task_for(scheme: str, **given: Any) -> Any:
    if SCHEMES[scheme].needs_draws:
        return simulated("twonorm", **{"n": 20, "m": 12, **given})
    rows = np.random.default_rng(1).normal(size=(40, 2))
    given = {"test_rows": 10} if SCHEMES[scheme].needs_given_test else {}
    return as_task("mine", (rows, ["a", "b"] * 20), **given)


@pytest.mark.parametrize(
    ("scheme", "drawn"),
    [*((scheme, {}) for scheme in REPEATED), ("simulation", {"test": "fresh"})],
)
def test_cells_of_every_scheme_with_repeats_stay_what_they_are(
    tmp_path: Path, scheme: str, drawn: dict[str, str]
) -> None:
    task = task_for(scheme, **drawn)
    settings = [{"scheme": scheme, "repeats": repeats} for repeats in (3, 7, 5)]
    with Store.open(tmp_path / "store.sqlite") as store:
        few, many, some = (
            prepare(Study([task], {"a": "x.A", "b": "x.B"}, resampling=each), store).grid for each in settings
        )
        assert store.rows(store_tasks())[0].count == 1
    assert list(few.keys()) == list(many.keys())[: len(few)]
    assert list(some.keys()) == list(many.keys())[: len(some)]
    assert len(few) < len(some) < len(many)
    for number in range(len(few.blocks[0].split_keys)):
        key = few.blocks[0].split_keys[number]
        assert few.seed_of(0, few.blocks[0], key) == many.seed_of(0, many.blocks[0], key)


def store_tasks() -> Any:
    from sqlalchemy import func, select

    from bakeoff.store.schema import task

    return select(func.count().label("count")).select_from(task)


def simulation(repeats: int, task: Any = None, **settings: Any) -> Study:
    return Study(
        tasks=[task or task_for("simulation")],
        learners={"bayes": "sklearn.naive_bayes.GaussianNB", "dummy": "sklearn.dummy.DummyClassifier"},
        resampling={"scheme": "simulation", "repeats": repeats, **settings},
    )


@pytest.mark.parametrize(("test", "independent"), [("fixed", False), ("fresh", True)])
def test_more_draws_run_only_the_new_ones(tmp_path: Path, test: str, independent: bool) -> None:
    path, task = tmp_path / "store.sqlite", task_for("simulation", test=test)
    first = run_study(simulation(3, task, independent=independent), path)
    asked = simulation(5, task, independent=independent)
    with Reader(path) as store:
        assert asked.plan().tasks[0].n is not None
        assert stored_already(asked, store)[0] == 6
    more = run_study(asked, path)
    less = run_study(simulation(2, task, independent=independent), path)
    assert (first.ok, more.ok, more.stored_before, less.ok, less.stored_before) == (6, 4, 6, 0, 4)
    # From scratch, elsewhere, all comes out the same; and so does a measure that is asked for later.
    anew = asked.run(store=tmp_path / "another.sqlite")
    with Store.read(path) as store:
        assert _rows(scores_of(store, asked.key)) == _rows(anew)
        few, many = (scores_of(store, simulation(b, task, independent=independent).key, ["auc"]) for b in (3, 5))
    found = {row[:-1]: row[-1] for row in _rows(many)}
    assert all(found[row[:-1]] == row[-1] for row in _rows(few))


def shifted(n: int, rng: np.random.Generator, law: list[int] | None = None) -> Any:
    """`LATER` changes what is drawn from the third call on: a function that keeps something between calls."""
    y = rng.integers(0, 2, n)
    CALLS.append(n)
    if LATER and len(CALLS) > 2:
        y = 1 - y
    return rng.standard_normal((n, 2)) + LAW[0] * y[:, None], y


CALLS: list[int] = []
LATER: list[bool] = []
LAW = [1.0]


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in (("CALLS", []), ("LATER", []), ("LAW", [1.0])):
        monkeypatch.setattr(f"{__name__}.{name}", value)
    return lambda: simulated(shifted, n=10, m=8, test="fresh")


def test_functions_of_the_user_keep_their_draws_until_their_code_is_changed(tmp_path: Path, function: Any) -> None:
    path = tmp_path / "store.sqlite"
    assert run_study(simulation(2, function()), path).ok == 4
    more = run_study(simulation(4, function()), path)
    assert (more.ok, more.stored_before) == (4, 4)
    LAW[0] = 2.0
    changed = run_study(simulation(4, function()), path)
    assert (changed.ok, changed.stored_before) == (8, 0)


def test_a_function_that_keeps_something_between_calls_is_found_out(tmp_path: Path, function: Any) -> None:
    path = tmp_path / "store.sqlite"
    run_study(simulation(2, function()), path)
    CALLS.clear()
    LATER.append(True)
    with pytest.raises(InputError, match=r"task 'shifted'.*keep nothing from one call to the next"):
        run_study(simulation(3, function()), path)
