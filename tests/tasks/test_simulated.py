from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.generators.classic import Friedman1
from bakeoff.resampling.split import Draws
from bakeoff.tasks import simulated as module
from bakeoff.tasks.dataset import Kind, Roles
from bakeoff.tasks.memory import dataset_in_memory
from bakeoff.tasks.simulated import SimulatedSource, contents, origin, rows_hash
from bakeoff.tasks.task import Task, as_task, simulated, task_from


def drawn(description: dict[str, Any], samples: int | None = 4, seed: int = 1) -> Any:
    return task_from(description).bound(samples, seed).load()


FRIEDMAN = {"generator": "friedman1", "n": 10, "m": 6}


@pytest.mark.parametrize("test", ["fixed", "fresh"])
def test_rows_are_those_of_all_samples(test: str) -> None:
    data = drawn({**FRIEDMAN, "test": test})
    assert data.draws == Draws(4, 10, 6, fresh=test == "fresh")
    assert data.n == data.draws.rows
    assert data.kind is Kind.REGRESSION
    assert data.test is None
    assert len(np.unique(data.X[:, 0])) == data.n
    assert any("4 learning samples of 10" in note and "MB in memory" in note for note in data.notes)


def test_a_sample_is_the_same_however_many_others_there_are() -> None:
    few, many = drawn(FRIEDMAN, 2), drawn(FRIEDMAN, 5)
    for b in range(2):
        assert np.array_equal(few.X[few.draws.learning(b)], many.X[many.draws.learning(b)])
    assert np.array_equal(few.X[few.draws.test(0)], many.X[many.draws.test(0)])


def test_fresh_test_samples_leave_the_learning_samples_alone() -> None:
    fixed, fresh = drawn(FRIEDMAN), drawn({**FRIEDMAN, "test": "fresh", "m": 9})
    for b in range(4):
        assert np.array_equal(fixed.X[fixed.draws.learning(b)], fresh.X[fresh.draws.learning(b)])


@pytest.mark.parametrize("test", ["fixed", "fresh"])
def test_more_samples_are_more_rows_of_the_same_task(test: str) -> None:
    few, many = (drawn({**FRIEDMAN, "test": test}, samples) for samples in (2, 5))
    assert np.array_equal(few.X, many.X[: few.n])
    assert few.key != many.key
    assert few.task_key == many.task_key == few.origin
    assert few.draws.contents == many.draws.contents[:2]
    assert len(set(many.draws.contents)) == 5
    others = (drawn({**FRIEDMAN, "test": test}, 2, seed=2), drawn({**FRIEDMAN, "test": test, "m": 7}, 2))
    assert few.task_key not in {other.task_key for other in others}
    alone = drawn(FRIEDMAN, None)
    assert (alone.origin, alone.task_key) == ("", alone.key)


def test_the_seed_and_the_law_decide() -> None:
    first, again, other = drawn(FRIEDMAN), drawn(FRIEDMAN), drawn(FRIEDMAN, seed=2)
    assert np.array_equal(first.X, again.X)
    assert first.key == again.key
    assert not np.isin(first.X[:, 0], other.X[:, 0]).any()
    noisy = drawn({**FRIEDMAN, "parameters": {"noise": 2.0}})
    keys = {first.key, other.key, noisy.key, drawn(FRIEDMAN, 5).key, drawn({**FRIEDMAN, "test": "fresh"}).key}
    assert len(keys) == 5


def test_the_key_is_known_without_drawing() -> None:
    task = task_from(FRIEDMAN).bound(4, 1)
    assert task.data_key() == task.source.key(task.roles)
    assert not task.loaded
    assert task.load().key == task.data_key()


def test_one_learning_sample_where_no_study_asks_for_more() -> None:
    alone = task_from({"generator": "twonorm", "n": 30}).load()
    assert (alone.n, alone.draws, alone.test) == (30, None, None)
    given = task_from({"generator": "twonorm", "n": 30, "m": 8}).load()
    assert given.test.tolist() == list(range(30, 38))
    assert given.classes == (1, 2)


def test_the_test_sample_has_a_default_size_in_a_simulation() -> None:
    assert drawn({"generator": "twonorm", "n": 5}, samples=2).draws == Draws(2, 5, 1000)


@pytest.mark.parametrize("how", ["nonparametric", "bayesian", "parametric"])
def test_samples_from_the_law_of_a_data_set(how: str) -> None:
    data = drawn({"data": "iris", "bootstrap": how, "m": 20, "test": "fresh"})
    assert data.draws == Draws(4, 150, 20, fresh=True)
    assert data.classes == ("setosa", "versicolor", "virginica")
    assert data.features[0] == "Sepal.Length"
    original = {tuple(row) for row in task_from({"data": "iris"}).load().X.tolist()}
    assert ({tuple(row) for row in data.X.tolist()} <= original) == (how != "parametric")
    assert any("learned from" in note for note in data.notes) == (how != "parametric")


def test_names_stay_names_and_the_positive_class_stays() -> None:
    data, original = drawn({"data": "heart", "bootstrap": "bayesian", "n": 40}), task_from({"data": "heart"}).load()
    assert data.categorical == original.categorical
    assert list(data.X.dtypes) == list(original.X.dtypes)
    assert data.classes == original.classes


def test_files_are_part_of_the_key(tmp_path: Path) -> None:
    said = {"file": "mine.csv", "target": "y", "bootstrap": "nonparametric", "n": 20}
    keys = set()
    for last in (5.5, 6.5):
        rows = "".join(f"{x},{2 * x + 0.5}\n" for x in range(9))
        (tmp_path / "mine.csv").write_text(f"x,y\n{rows}9,{last}\n")
        task = task_from(said, tmp_path).bound(3, 1)
        keys.add(task.data_key())
        assert task.load().key == task.data_key()
    assert len(keys) == 2


def two_lines(n: int, rng: np.random.Generator, slope: float = 1.0) -> Any:
    x = rng.random((n, 1))
    return x, slope * x[:, 0] + 0.25


def with_holes(n: int, rng: np.random.Generator) -> Any:
    y = rng.random(n)
    y[0] = np.nan
    return rng.random((n, 1)), y


def test_functions_of_the_user() -> None:
    task = simulated(two_lines, n=6, m=3, parameters={"slope": 2.0}).bound(3, 1)
    assert task.runs_code
    assert task.known_data() is None
    assert task.source.key(task.roles) is None
    data = task.load()
    assert data.y == pytest.approx(2 * data.X[:, 0] + 0.25)
    assert data.key == task.data_key()
    assert task.name == "two_lines"
    with pytest.raises(InputError, match="have no value of the target"):
        simulated(with_holes, n=6, m=3).bound(3, 1).load()


def of_any_width(n: int, rng: np.random.Generator) -> Any:
    return rng.random((n, n)), rng.random(n)


def test_samples_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(InputError, match=r"task 'of_any_width'.*Samples do not fit together"):
        simulated(of_any_width, n=6, m=3).bound(2, 1).load()


def test_densities_are_learned_from_the_inputs_alone() -> None:
    data = drawn({**FRIEDMAN, "kind": "density"})
    assert data.kind is Kind.DENSITY
    assert (data.y, data.n) == (None, 46)


def test_a_task_that_is_a_generator_goes_by_any_name() -> None:
    made = as_task("mine", simulated(Friedman1(noise=0.0), n=8))
    assert made.name == "mine"
    assert made.load().n == 8
    assert as_task("source", SimulatedSource(Friedman1(), n=8)).load().n == 8
    assert Task("plain", SimulatedSource(Friedman1(), n=8), Roles()).describe()["simulated"]["n"] == 8


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ({"generator": "friedman1"}, "needs n"),
        ({"generator": "friedman9", "n": 5}, "no generator 'friedman9'"),
        ({"generator": "friedman1", "n": 1}, "'n' must be a whole number of at least 2; found 1"),
        ({"generator": "friedman1", "n": 5, "m": 0}, "'m' must be a whole number of at least 1; found 0"),
        ({"generator": "friedman1", "n": "5"}, "'n' must be a whole number"),
        ({"generator": "friedman1", "n": 5, "test": "frehs"}, "test cannot be 'frehs'. Did you mean 'fresh'"),
        ({"generator": "friedman1", "n": 5, "target": "y"}, "a generator draws its own"),
        ({"generator": "friedman1", "n": 5, "test_rows": 3}, "a generator draws its own"),
        ({"generator": "friedman1", "n": 5, "bootstrap": "parametric"}, "bootstrap draws samples from data"),
        ({"data": "iris", "n": 5}, "n goes with generator or bootstrap"),
        ({"data": "iris", "test": "fresh"}, "test goes with generator or bootstrap"),
        ({"data": "iris", "bootstrap": "normal"}, "no bootstrap 'normal'"),
        ({"data": "iris", "generator": "twonorm"}, "exactly one of data, file, loader and generator"),
        ({"data": "iris", "parameters": {}}, "parameters goes with loader or generator"),
    ],
)
def test_refusals(description: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        task_from(description)


def test_neither_or_both() -> None:
    with pytest.raises(UsageError, match="from a generator or by a bootstrap"):
        SimulatedSource(n=5)


def test_data_that_a_bootstrap_of_rows_would_break(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("x,who,y\n" + "".join(f"{i},{i % 3},{i / 3}\n" for i in range(9)))
    said = {"file": "g.csv", "target": "y", "group": "who", "bootstrap": "nonparametric"}
    with pytest.raises(UsageError, match=r"these data have groups.*out-of-bootstrap"):
        task_from(said, tmp_path).bound(2, 1).load()


def test_more_than_memory_holds_is_refused_before_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"would draw 1,000,001,000 rows of 10 inputs, 74.5 GB"):
        drawn({"generator": "friedman1", "n": 10**9}, samples=1)
    monkeypatch.setattr(module, "MOST_VALUES", 1000)
    monkeypatch.setattr(module, "_MANY_ROWS", 100)
    with pytest.raises(UsageError, match=r"would draw 1,040 rows of 10 inputs, .* Use fewer repeats"):
        drawn({"generator": "friedman1", "n": 10})


# ----------------------------------------------------------------------------------------------------------------------
# Origins


X = np.arange(24.0).reshape(12, 2)
Y = np.array(["a", "b"] * 6)


def data(x: Any = X, y: Any = Y) -> Any:
    return dataset_in_memory("toy", (x, y), Roles())


def with_value(row: int, value: float) -> np.ndarray:
    changed = X.copy()
    changed[row, 0] = value
    return changed


def test_a_sample_is_known_by_its_rows_and_those_of_its_test_sample() -> None:
    draws = Draws(count=3, n=2, m=2, fresh=True)  # learning samples 0–1, 4–5, 8–9; the others test them
    first = contents(data(), draws)
    assert len(set(first)) == 3
    for row, sample in ((4, 1), (6, 1), (10, 2)):
        changed = contents(data(with_value(row, -1.0)), draws)
        assert [old == new for old, new in zip(first, changed, strict=True)] == [b != sample for b in range(3)]
    assert contents(data(y=np.where(np.arange(12) == 5, "a", Y)), draws)[1] != first[1]


def test_a_test_sample_for_all_is_part_of_each() -> None:
    draws = Draws(count=5, n=2, m=2)
    first, changed = (contents(data(x), draws) for x in (X, with_value(2, -1.0)))
    assert all(old != new for old, new in zip(first, changed, strict=True))


def test_the_same_values_elsewhere_have_the_same_hash() -> None:
    twice = np.concatenate([X[:3], X[:3]])
    made = data(twice, np.concatenate([Y[:3], Y[:3]]))
    assert rows_hash(made, np.arange(3)) == rows_hash(made, np.arange(3, 6))
    frame = data(pd.DataFrame(twice, columns=["u", "v"]), np.concatenate([Y[:3], Y[:3]]))
    assert rows_hash(frame, np.arange(3)) == rows_hash(frame, np.arange(3, 6)) != rows_hash(made, np.arange(3))


@pytest.mark.parametrize(
    "other",
    [
        data(y=np.where(np.arange(12) == 11, "c", Y)),
        data(with_value(11, np.nan)),
        data(pd.DataFrame(X, columns=["u", "v"])),
        replace(data(), features=("u", "v")),
        data(y=np.arange(12.0) + 0.5),
    ],
    ids=["another class", "missing values", "a frame", "other names", "numbers"],
)
def test_what_a_learner_is_told_of_all_rows_is_part_of_the_origin(other: Any) -> None:
    law = {"generator": "mine", "n": 4}
    assert origin(data(), law, b"first") == origin(data(), law, b"first")
    assert origin(other, law, b"first") != origin(data(), law, b"first")
    assert len({origin(data(), {"n": n}, first) for n in (4, 5) for first in (b"1", b"2")}) == 4


def late_class(n: int, rng: np.random.Generator) -> Any:
    """A class that is so rare that few samples have none of it."""
    x = rng.random((n, 1))
    return x, np.where(x[:, 0] > 0.97, "rare", np.where(x[:, 0] > 0.5, "high", "low"))


def test_samples_that_bring_another_class_make_another_task() -> None:
    made = [simulated(late_class, n=5, m=2).bound(samples, 1).load() for samples in (2, 3, 40)]
    assert [len(each.classes) for each in made] == [2, 2, 3]
    assert made[0].task_key == made[1].task_key != made[2].task_key
