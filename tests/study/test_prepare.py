from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity

from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.measures.response import unpacked_rows
from bakeoff.resampling.split import Sample
from bakeoff.results.status import progress
from bakeoff.store.reader import Reader
from bakeoff.store.writer import Store
from bakeoff.study.file import read_study
from bakeoff.study.prepare import (
    Block,
    CellGrid,
    check_learners_fit,
    prepare,
    responses_for,
    sample_of,
    scheme_key,
    truth_of,
)
from bakeoff.study.run import run_study
from bakeoff.study.study import Study
from bakeoff.tasks.task import as_task


def grid(learners: tuple[str, ...] = ("a", "b"), seed: int = 1) -> CellGrid:
    blocks = tuple(
        Block(task, f"task{task}", np.arange(3) + 10 * task, tuple(bytes([task, i]) for i in range(3)))
        for task in range(2)
    )
    return CellGrid(learners, blocks, seed)


def test_every_cell_has_a_key_of_its_own() -> None:
    keys = list(grid().keys())
    assert len(keys) == len(grid()) == 12
    assert len(set(keys)) == 12


def test_adding_a_learner_changes_no_key_and_no_seed() -> None:
    few, many = grid(("a", "b")), grid(("a", "new", "b"))
    assert set(few.keys()) <= set(many.keys())
    block = few.blocks[0]
    assert few.seed_of(1, block, block.split_keys[0]) == many.seed_of(2, block, block.split_keys[0])


def test_another_seed_gives_other_keys_and_seeds() -> None:
    assert not set(grid(seed=1).keys()) & set(grid(seed=2).keys())


def test_the_order_is_random_by_blocks_and_complete() -> None:
    pending = np.ones(12, dtype=bool)
    order = list(grid().order("study", pending))
    assert sorted(order) == list(range(12))
    assert order != sorted(order)
    assert all({order[i] // 2, order[i + 1] // 2} == {order[i] // 2} for i in range(0, 12, 2)), (
        "learners of a split stay together"
    )
    assert order == list(grid().order("study", pending)), "the same study, the same order"
    assert order != list(grid().order("another", pending))


def test_only_pending_cells_are_ordered() -> None:
    pending = np.zeros(12, dtype=bool)
    pending[[3, 7]] = True
    assert sorted(grid().order("study", pending)) == [3, 7]


def test_splits_are_named_by_scheme_seed_and_data() -> None:
    base = scheme_key({"scheme": "cv", "folds": 3}, 1, "data")
    assert base == scheme_key({"folds": 3, "scheme": "cv"}, 1, "data")
    assert (
        len(
            {
                base,
                scheme_key({"scheme": "cv", "folds": 4}, 1, "data"),
                scheme_key({"scheme": "cv", "folds": 3}, 2, "data"),
                scheme_key({"scheme": "cv", "folds": 3}, 1, "other"),
            }
        )
        == 4
    )


# ----------------------------------------------------------------------------------------------------------------------
# Preparing a run: what is registered, and what is not loaded again.


LEARNERS = {"a": "x.A", "b": "x.B", "c": "x.C"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "study.sqlite")


def test_a_cell_is_found_by_its_number(store: Store) -> None:
    made = Study(["iris", "wine"], LEARNERS, resampling={"scheme": "cv", "folds": 2})
    with store:
        prepared = prepare(made, store)
    assert len(prepared.grid) == 2 * 2 * 3
    found = [prepared.locate(cell) for cell in range(12)]
    assert [learner for learner, _, _ in found] == [0, 1, 2] * 4
    assert [block.task for _, block, _ in found] == [0] * 6 + [1] * 6
    assert [position for _, _, position in found] == [0, 0, 0, 1, 1, 1] * 2


def test_preparing_twice_changes_nothing_and_reads_no_data(store: Store) -> None:
    with store:
        first = prepare(Study("iris", LEARNERS), store)
        assert set(first.loaded) == {0}
        again = prepare(Study("iris", LEARNERS), store)
        assert again.loaded == {}
        assert (again.study_id, again.learner_ids, again.task_ids) == (
            first.study_id,
            first.learner_ids,
            first.task_ids,
        )
        assert list(again.grid.keys()) == list(first.grid.keys())
        assert again.dataset(0).n == 150, "read when it is needed"


def test_learners_added_later_get_the_same_splits(store: Store) -> None:
    with store:
        few = prepare(Study("iris", {"a": "x.A"}), store)
        many = prepare(Study("iris", LEARNERS), store)
        assert few.grid.split_ids().tolist() == many.grid.split_ids().tolist()
        assert set(few.grid.keys()) < set(many.grid.keys())
        first = int(many.grid.split_ids()[0])
        train, test = (unpacked_rows(sample) for sample in many.rows_of(store)([first])[first])
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(150))


def test_rows_that_are_let_go_are_still_given(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store:
        prepared = prepare(Study("iris", LEARNERS), store)
        monkeypatch.setattr("bakeoff.study.prepare._KEPT_ROWS", 1)
        rows, numbers = prepared.rows_of(store), [int(number) for number in prepared.grid.split_ids()[:3]]
        rows(numbers[:1])
        rows(numbers[1:2])
        assert set(rows(numbers)) == set(numbers)


def test_two_names_for_one_data_set_share_it(store: Store) -> None:
    with store:
        prepared = prepare(Study({"one": "iris", "two": "iris"}, LEARNERS), store)
        assert prepared.task_ids[0] == prepared.task_ids[1]


def test_notes_on_data_and_splits_arrive(store: Store) -> None:
    with store:
        prepared = prepare(Study("zoo", LEARNERS, resampling=10), store)
    assert any(note.startswith("zoo: ") and "some folds go without" in note for note in prepared.notes)


def test_the_truth_of_each_kind() -> None:
    labels = truth_of(as_task("t", ([[0.0], [1.0], [2.0]], ["b", "a", "b"])).load())
    assert (labels.kind, labels.values.tolist(), labels.classes) == ("classification", [1, 0, 1], ("a", "b"))
    numbers = truth_of(as_task("t", ([[0.0], [1.0]], [0.5, 1.5])).load())
    assert (numbers.kind, numbers.values.tolist()) == ("regression", [0.5, 1.5])
    density = truth_of(as_task("t", np.eye(3), kind="density").load())
    assert (density.kind, len(density.values)) == ("density", 3)


def test_measures_are_held_against_each_task() -> None:
    iris = as_task("iris", "iris").load()
    assert [made.name for made in responses_for(Study("iris", LEARNERS, measures=["error", "auc"]), iris)] == [
        "error",
        "auc",
    ]
    with pytest.raises(UsageError, match=r"Task 'iris': .*two classes|Task 'iris': .*'f1'"):
        responses_for(Study("iris", LEARNERS, measures="f1"), iris)


def test_what_a_scheme_may_know() -> None:
    data = as_task("t", (np.arange(8.0).reshape(4, 2), ["a", "b"] * 2), groups=[1, 1, 2, 2]).load()
    sample = sample_of(data)
    assert isinstance(sample, Sample)
    assert sample.n == 4
    assert sample.groups is not None


# ----------------------------------------------------------------------------------------------------------------------
# Suited


RNG = np.random.default_rng(5)
X = RNG.normal(size=(30, 2))
LABELS, NUMBERS = np.where(X[:, 0] > 0, "yes", "no"), X[:, 0] + 1
CLASSES, LINE = {"bayes": GaussianNB()}, {"line": LinearRegression()}
DENSITY = as_task("clouds", X, kind="density")


def refused(tmp_path: Path, tasks: Any, learners: Any, measure: str) -> str:
    store = tmp_path / "s.sqlite"
    with pytest.raises(UsageError) as error:
        Study(tasks, learners, resampling=3, measures=measure).run(store=store)
    assert not list(tmp_path.iterdir()), "neither a store nor what belongs to one is left"
    return str(error.value)


def test_a_regressor_for_classes(tmp_path: Path) -> None:
    assert refused(tmp_path, {"toy": (X, LABELS)}, {**CLASSES, **LINE}, "error") == (
        "learner 'line': LinearRegression is not made for classification, and 'toy' is a classification task. "
        "Nothing was run."
    )


def test_a_classifier_for_numbers(tmp_path: Path) -> None:
    said = refused(tmp_path, {"toy": (X, NUMBERS)}, {**CLASSES, **LINE}, "squared_error")
    assert said.startswith("learner 'bayes': GaussianNB is not made for regression, and 'toy' is a regression task.")


def test_no_density(tmp_path: Path) -> None:
    said = refused(tmp_path, {"clouds": DENSITY}, {"one": GaussianMixture(1), **LINE}, "log_likelihood")
    assert "learner 'line': a density is to be learned from 'clouds'" in said
    assert "'one'" not in said


def test_all_of_them_are_named_with_the_first_task_that_they_do_not_fit(tmp_path: Path) -> None:
    tasks = {"a": (X, NUMBERS), "b": (X, LABELS), "c": (X, LABELS)}
    said = refused(tmp_path, tasks, {**CLASSES, **LINE, "kernel": KernelDensity()}, "fit_time")
    assert "learner 'bayes': GaussianNB is not made for regression, and 'a' is" in said
    assert "learner 'line': LinearRegression is not made for classification, and 'b' is" in said
    assert "learner 'kernel': KernelDensity cannot predict, and 'a' is" in said


def test_a_store_that_was_there_keeps_what_it_has(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    good = Study({"toy": (X, LABELS)}, CLASSES, resampling=3)
    before = good.run(store=store)
    with pytest.raises(UsageError, match="'line'"):
        Study({"toy": (X, LABELS)}, {**CLASSES, **LINE}, resampling=3).run(store=store)
    assert good.scores(store).value.tolist() == before.value.tolist()
    with Reader(store) as stored:
        found = progress(stored, Study({"toy": (X, LABELS)}, {**CLASSES, **LINE}, resampling=3).key)
    assert (found.ok, found.failed, found.runs) == (3, 0, ()), "no cell was tried, and no run was begun"


def test_planning_imports_nothing_and_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        'resampling = { scheme = "cv", folds = 2 }\n[[task]]\ndata = "iris"\n'
        '[[learner]]\nname = "line"\npath = "sklearn.linear_model.LinearRegression"\n'
    )
    assert main(["plan", str(path)]) == 0
    assert main(["run", str(path), "--quiet"]) == 2
    told = capsys.readouterr().err
    assert "learner 'line': LinearRegression is not made for classification, and 'iris' is" in told
    assert "Traceback" not in told
    assert [file.name for file in tmp_path.iterdir()] == ["study.toml"]


SVC = "sklearn.svm.SVC"


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (
            Learner("it", (Step("no_such_module.X"),)),
            "there is no module 'no_such_module', which 'no_such_module.X' needs",
        ),
        (
            Learner("it", (Step("sklearn.svm.SCV"),)),
            "the module 'sklearn.svm' has no 'SCV'. Did you mean 'SVR' or 'SVC'?",
        ),
        (Learner("it", (Step(SVC, {"kernal": "rbf"}),)), "has no parameter 'kernal'. Did you mean 'kernel'?"),
        (
            Learner("it", (Step(SVC),), tuning=Tuning({"gama": (1, 2)}, 2)),
            "cannot tune 'gama': there is no such parameter",
        ),
    ],
)
def test_what_is_misspelt_is_refused_once(learner: Learner, said: str, tmp_path: Path) -> None:
    told = refused(tmp_path, {"toy": (X, LABELS)}, {**CLASSES, "it": learner}, "error")
    assert told.startswith("learner 'it': ")
    assert told.count("learner 'it'") == 1
    assert said in told
    assert told.endswith("Nothing was run.")


def test_a_program_is_not_asked(tmp_path: Path) -> None:
    if shutil.which("false") is None:
        pytest.skip("there is no `false` here")
    summary = run_study(Study({"toy": (X, LABELS)}, {"program": ["false", "{train}"]}, resampling=2), tmp_path / "s")
    assert summary.failed == 2


class NoEngine:
    """Whoever asks it anything fails the test."""


def test_who_has_nothing_left_to_run_or_cannot_be_made_is_not_asked(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        prepared = prepare(Study({"toy": (X, LABELS)}, {**CLASSES, **LINE}, resampling=2), store)
        check_learners_fit(prepared, NoEngine(), [{}, {}], {})
        check_learners_fit(prepared, NoEngine(), [{}, None], {(1, 0): 2})
        with pytest.raises(AttributeError):
            check_learners_fit(prepared, NoEngine(), [{}, {}], {(1, 0): 2})


# ----------------------------------------------------------------------------------------------------------------------
# Unchanged


CLASS = """
from sklearn.dummy import DummyClassifier

class Mine(DummyClassifier):
    def __init__(self, strategy="prior", k={k}):
        super().__init__(strategy=strategy)
        self.k = k
"""
STUDY = """
resampling = {{ scheme = "cross-validation", folds = {folds} }}
[[task]]
data = "iris"
[[learner]]
name = "mine"
path = "an_own_module.Mine"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "an_own_module.py").write_text(CLASS.format(k=5))
    (tmp_path / "study.toml").write_text(STUDY.format(folds=2))
    run_study(read_study(tmp_path / "study.toml"), tmp_path / "study.sqlite")
    return tmp_path


def again(folder: Path) -> tuple[str, ...]:
    return run_study(read_study(folder / "study.toml"), folder / "study.sqlite").notes


def test_nothing_changed_nothing_said(folder: Path) -> None:
    assert not any("changed" in note for note in again(folder))


def test_a_default_of_the_users_own_class_that_changed_makes_another_learner(folder: Path) -> None:
    (folder / "an_own_module.py").write_text(CLASS.format(k=1))
    summary = run_study(read_study(folder / "study.toml"), folder / "study.sqlite")
    assert (summary.ok, summary.stored_before) == (2, 0)


def test_a_default_of_an_installed_package_that_changed_is_refused(folder: Path) -> None:
    with Store.open(folder / "study.sqlite") as store:
        then = store.resolved(1)
        assert then is not None
        then["learner"]["parameters"]["k"] = 7
        store.set_resolved(1, then)
    (folder / "study.toml").write_text(STUDY.format(folds=3))
    with pytest.raises(UsageError, match=r"'mine' is not what it was .*: learner\.parameters\.k was 7 and is 5\."):
        again(folder)
