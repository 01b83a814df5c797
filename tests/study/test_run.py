"""Whole runs of small studies, as a user of Python starts them."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sqlalchemy import select

import bakeoff
from bakeoff import FailedCellsWarning, Learner, as_task
from bakeoff.errors import MisfitError, UsageError
from bakeoff.learners.learner import Step, Tuning
from bakeoff.results.scores import scores_of
from bakeoff.results.status import FailureGroup
from bakeoff.running.engine import ChunkSizer
from bakeoff.running.work import Outcome
from bakeoff.scores import Level, Scores, layout
from bakeoff.store.reader import Reader
from bakeoff.store.schema import prediction
from bakeoff.study.file import read_study
from bakeoff.study.run import (
    Summary,
    about_failures,
    checked_workers,
    importing_from,
    run_study,
)
from bakeoff.study.stored import leaves_one_out, one_test_sample, scores_for, with_test_rows
from bakeoff.study.study import Study

EXAMPLES = Path(__file__).parents[2] / "examples"
FAST = {"majority": DummyClassifier(), "bayes": GaussianNB()}
RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
LABELS = np.where(X[:, 0] + RNG.normal(scale=0.3, size=60) > 0, "yes", "no")


def study(**given: Any) -> Study:
    return Study(**{"tasks": {"toy": (X, LABELS)}, "learners": FAST, "resampling": 3, **given})


def mean(scores: Scores, learner: str, measure: str) -> float:
    return float(scores.only(learners=[learner], measure=measure).value.mean())


def rows(scores: Scores) -> list[tuple[object, ...]]:
    """Everything but times, as a set of rows to be compared bit by bit."""
    frame = scores.to_frame()
    frame = frame[~frame["measure"].isin(["fit_time"])]
    return sorted(map(tuple, frame[["task", "learner", "measure", "repeat", "fold", "value"]].astype(str).to_numpy()))


def test_estimators_are_cloned_and_objects_of_the_user_stay_as_they_were() -> None:
    forest = RandomForestClassifier(n_estimators=3)
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=2)
    scores = study(learners={"forest": forest, "pipeline": pipeline, "search": search}).run()
    assert len(scores) == 9
    assert not np.isnan(scores.value).any(), scores.message.labels
    assert not hasattr(forest, "estimators_")
    assert forest.random_state is None
    assert not hasattr(pipeline[-1], "classes_")
    assert not hasattr(search, "best_params_")


def test_the_same_study_gives_the_same_scores_and_another_seed_others() -> None:
    one = study(learners={"forest": RandomForestClassifier(n_estimators=3)}, seed=1).run()
    assert rows(one) == rows(study(learners={"forest": RandomForestClassifier(n_estimators=3)}, seed=1).run(n_jobs=2))
    assert rows(one) != rows(study(learners={"forest": RandomForestClassifier(n_estimators=3)}, seed=2).run())


def test_a_random_state_that_is_given_is_respected() -> None:
    """Two seeds of the study, the same splits of the data: what differs is what the learner draws."""

    def drawn(random_state: int | None, seed: int) -> set[float]:
        coin = DummyClassifier(strategy="uniform", random_state=random_state)
        rest = as_task("toy", (X, LABELS), test_rows=30)
        made = Study({"toy": rest}, {"coin": coin}, resampling="given", seed=seed).run()
        return set(made.value.tolist())

    assert drawn(3, 1) == drawn(3, 2)
    assert len(drawn(None, 1) | drawn(None, 2) | drawn(None, 3)) > 1


def test_scorers_are_measures() -> None:
    f2 = make_scorer(fbeta_score, beta=2, pos_label="yes")
    scores = study(measures={"f2": f2, "mine": "roc_auc"}).run()
    assert scores.measure.labels == ("f2", "mine")
    assert mean(scores, "bayes", "f2") > 0.7
    assert mean(scores, "majority", "mine") == 0.5


def test_a_table_with_categories_and_missing_values() -> None:
    frame = pd.DataFrame({"x": X[:, 0], "colour": pd.Categorical(np.tile(["red", "green", "blue"], 20)), "y": LABELS})
    frame.loc[::7, "x"] = np.nan
    frame.loc[::11, "colour"] = None
    scores = Study({"mine": as_task("mine", frame, target="y")}, FAST, resampling=3).run()
    assert not np.isnan(scores.value).any(), scores.message.labels
    assert mean(scores, "bayes", "error") < mean(scores, "majority", "error")


def test_a_regression_and_its_measures() -> None:
    learners = {"mean": DummyRegressor(), "line": LinearRegression()}
    q95 = {"name": "q95", "loss": "absolute_error", "functional": "q0.95"}
    scores = Study({"toy": (X, X[:, 0] * 2 + 1)}, learners, resampling=3, measures=["squared_error", "r2", q95]).run()
    assert mean(scores, "line", "squared_error") == pytest.approx(0, abs=1e-20)
    assert mean(scores, "line", "r2") == pytest.approx(1)
    assert mean(scores, "mean", "q95") > 1


def test_a_density_and_its_log_likelihood() -> None:
    learners = {"one": GaussianMixture(1), "two": GaussianMixture(2)}
    twice = np.concatenate([X - 5, X + 5])
    task = as_task("two clouds", twice, kind="density")
    scores = Study({"two clouds": task}, learners, resampling=3, measures="log_likelihood").run()
    assert mean(scores, "two", "log_likelihood") > mean(scores, "one", "log_likelihood")


def test_a_measure_that_a_task_does_not_have_is_an_error_before_anything_is_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Task 'toy': 'r2' is a measure of regression"):
        study(measures="r2").run()


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ({"scheme": "632+", "repeats": 4}, 4),
        ({"scheme": "632", "repeats": 4}, 4),
        ({"scheme": "bootstrap-cv", "repeats": 3, "folds": 3}, 3),
        ({"scheme": "out-of-bootstrap", "repeats": 4}, 4),
        ({"scheme": "5x2"}, 10),
        ({"scheme": "disjoint-halves", "parts": 2}, 2),
        ({"scheme": "hold-out"}, 1),
    ],
    ids=lambda value: value["scheme"] if isinstance(value, dict) else "",
)
def test_every_kind_of_scheme_gives_a_score_a_repeat_or_fold(scheme: dict[str, Any], expected: int) -> None:
    scores = study(resampling=scheme).run()
    assert len(scores) == 2 * expected
    assert not np.isnan(scores.value).any(), scores.message.labels
    assert mean(scores, "bayes", "error") < mean(scores, "majority", "error")


def test_several_tasks_repeated_cross_validation_and_a_verdict(tmp_path: Path) -> None:
    tasks = {
        f"toy {i}": (RNG.normal(size=(40, 2)) + 1.5 * (np.arange(40) % 2)[:, None], np.arange(40) % 2) for i in range(8)
    }
    learners = {**FAST, "tree": DecisionTreeClassifier(max_depth=1)}
    made = Study(tasks, learners, resampling={"scheme": "cv", "folds": 2, "repeats": 2})
    scores = made.run(n_jobs=2)
    assert len(scores) == 8 * 3 * 4
    verdict = bakeoff.judge(scores)
    assert verdict.finding.n_blocks == 8
    (judged,) = (each for each in verdict.decisions if {each.first, each.second} == {"bayes", "majority"})
    assert (judged.first, judged.decision.value) == ("bayes", "better")


def test_groups_are_kept_together(tmp_path: Path) -> None:
    patients = np.repeat(np.arange(12), 5)
    store = tmp_path / "grouped.sqlite"
    Study({"toy": as_task("toy", (X, LABELS), groups=patients)}, FAST, resampling=3).run(store=store)
    with Reader(store) as stored:
        for number in (1, 2, 3):
            split = stored.split_rows(number)
            assert not set(patients[split.train]) & set(patients[split.test])


def test_tuning_happens_inside_each_learning_sample() -> None:
    tuned = Learner(
        "knn", steps=(Step("sklearn.neighbors.KNeighborsClassifier"),), tuning=Tuning({"n_neighbors": (1, 19)}, 2)
    )
    scores = study(learners=[tuned], measures=["error", "fit_time"]).run()
    assert mean(scores, "knn", "error") < 0.4, "one neighbour does well, nearly all of them know the majority only"


CALLS = []


def load_toy() -> tuple[Any, Any]:
    CALLS.append(1)
    return X, LABELS


def test_functions_that_make_data_are_called_by_run() -> None:
    made = Study([load_toy], FAST, resampling=3)
    made.plan()
    assert CALLS == []
    assert made.run().tasks == ("toy",)
    assert CALLS == [1], "once, and not once for each worker or cell"


def test_loaders_of_scikit_learn_and_of_a_file_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "my_own_data.py").write_text(
        "def load(n):\n    import numpy as np\n    return np.arange(2.0 * n).reshape(n, 2), ['a', 'b'] * (n // 2)\n"
    )
    path = tmp_path / "study.toml"
    path.write_text(
        '[[task]]\nloader = "sklearn.datasets.load_wine"\n'
        '[[task]]\nname = "mine"\nloader = "my_own_data.load"\nparameters = { n = 20 }\n'
        '[[learner]]\npath = "sklearn.dummy.DummyClassifier"\n[resampling]\nscheme = "cv"\nfolds = 2\n'
    )
    scores = bakeoff.read_study(path).run()
    assert scores.tasks == ("wine", "mine")
    assert len(scores) == 4
    assert str(tmp_path) not in sys.path
    sys.modules.pop("my_own_data")


def test_a_learner_in_another_language(tmp_path: Path) -> None:
    if shutil.which("perl") is None and "CI" not in os.environ:
        pytest.skip("there is no perl here")
    for name in ("command-study.toml", "nearest_mean.pl"):
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace("folds = 10", "folds = 2"), encoding="utf-8")
    scores = bakeoff.read_study(tmp_path / "command-study.toml").run(n_jobs=2)
    assert set(scores.learners) == {"nearest mean in Perl", "nearest neighbours"}
    assert not np.isnan(scores.value).any(), scores.message.labels
    assert mean(scores, "nearest mean in Perl", "auc") > 0.8


class Counting:
    """Remembers what a run told."""

    def __init__(self) -> None:
        self.left: dict[tuple[int, int], int] = {}
        self.outcomes: list[Outcome] = []

    def begin(self, left: dict[tuple[int, int], int], pace: ChunkSizer, workers: int) -> None:
        self.left = dict(left)

    def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
        self.outcomes.append(outcome)


def test_what_is_stored_is_not_run_again_and_a_learner_may_be_added(tmp_path: Path) -> None:
    store = tmp_path / "toy.sqlite"
    first = study().run(store=store)
    again = Counting()
    summary = run_study(study(), store, watcher=again)
    assert (summary.cells, summary.stored_before, summary.ok, summary.left) == (6, 6, 0, 0)
    assert again.outcomes == []
    more = study(learners={"tree": DecisionTreeClassifier(), **FAST})
    added = Counting()
    summary = run_study(more, store, watcher=added)
    assert (summary.cells, summary.stored_before, summary.ok) == (9, 6, 3)
    assert added.left == {(0, 0): 3}
    assert set(rows(first)) < set(rows(more.scores(store)))


def test_ctrl_c_keeps_what_is_finished_and_the_next_run_goes_on(tmp_path: Path) -> None:
    class Stopping(Counting):
        def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
            super().finished(kind, outcome)
            if len(self.outcomes) == 2:
                raise KeyboardInterrupt

    store = tmp_path / "toy.sqlite"
    summary = run_study(study(), store, watcher=Stopping())
    assert summary.interrupted
    assert (summary.ok, summary.left) == (2, 4)
    rest = run_study(study(), store)
    assert (rest.stored_before, rest.ok, rest.left, rest.interrupted) == (2, 4, 0, False)
    assert rows(study().scores(store)) == rows(study().run())


def test_where_the_scores_are_kept_is_said_as_it_is(tmp_path: Path) -> None:
    key = study().key[:16]
    kept = study().run(store=tmp_path / "toy.sqlite")
    assert (kept.source, kept.notes[0]) == ("toy.sqlite", f"Study study ({key}), stored in toy.sqlite.")
    passing = study().run()
    only_here = f"Study study ({key}), run without a store: its scores are kept in this table only."
    assert (passing.source, passing.notes[0]) == ("the study", only_here)
    assert study(name="mine").run().source == "study mine"
    with pytest.raises(UsageError, match=r"There is no learner 'x' in the study\."):
        passing.only(learners=["x"])
    assert not any("sqlite" in text for text in (bakeoff.align(passing).to_text(), bakeoff.judge(passing).to_text()))


def test_in_python_ctrl_c_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Summary(6, 0, 2, 0, 0, 4, 1.0, interrupted=True)
    monkeypatch.setattr("bakeoff.study.run.run_study", lambda *_, **__: stopped)
    with pytest.raises(KeyboardInterrupt):
        study().run()


def test_failures_are_rows_and_are_tried_again_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(
        "from pathlib import Path\nfrom sklearn.dummy import DummyClassifier\n"
        "class Moody(DummyClassifier):\n"
        "    def fit(self, X, y):\n"
        "        if not (Path(__file__).parent / 'cheered').exists():\n"
        "            raise ValueError('not today')\n"
        "        return super().fit(X, y)\n"
    )
    store = tmp_path / "toy.sqlite"
    made = study(learners={"moody": "moody.Moody", "bayes": GaussianNB()}, folder=str(tmp_path))
    summary = run_study(made, store)
    assert (summary.ok, summary.failed) == (3, 3)
    scores = made.scores(store)
    assert np.isnan(scores.only(learners=["moody"]).value).all()
    assert any("not today" in message for message in scores.message.labels)
    (tmp_path / "cheered").touch()
    assert run_study(made, store).failed_before == 3
    retried = run_study(made, store, retry_failed=True)
    assert (retried.ok, retried.failed, retried.failed_before) == (3, 0, 0)
    assert not np.isnan(made.scores(store).value).any()


def test_a_learner_whose_defaults_changed_is_not_mixed_with_what_it_was(tmp_path: Path) -> None:
    code = "from sklearn.dummy import DummyClassifier\ndef make(): return DummyClassifier(strategy='{}')\n"
    store = tmp_path / "toy.sqlite"
    (tmp_path / "changing.py").write_text(code.format("prior"))
    learners = {"x": "changing.make"}
    run_study(study(learners=learners, folder=str(tmp_path)), store)
    (tmp_path / "changing.py").write_text(code.format("stratified"))
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    with pytest.raises(
        UsageError, match=r"is not what it was when its first cells were stored: .*strategy.*use another store"
    ):
        run_study(study(learners=learners, folder=str(tmp_path), resampling=4), store)


@pytest.mark.parametrize("n_jobs", [0, -1000])
def test_a_number_of_workers_that_makes_no_sense(n_jobs: int) -> None:
    with pytest.raises(UsageError, match="The number of workers must be positive, or −1"):
        study().run(n_jobs=n_jobs)


def test_workers_as_scikit_learn_counts_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert [checked_workers(n) for n in (1, 3, -1, -2)] == [1, 3, 8, 7]


def test_the_folder_of_a_study_can_be_imported_from_for_a_while(tmp_path: Path) -> None:
    with importing_from(str(tmp_path)):
        assert sys.path[0] == str(tmp_path)
        with importing_from(str(tmp_path)):
            assert sys.path.count(str(tmp_path)) == 1
        assert sys.path[0] == str(tmp_path)
    assert str(tmp_path) not in sys.path


# ----------------------------------------------------------------------------------------------------------------------
# What Python is told of cells that failed.


X_FAILURES = np.random.default_rng(5).normal(size=(30, 2))
LABELS_FAILURES = np.where(X_FAILURES[:, 0] > 0, "yes", "no")
BROKEN = {"bad priors": GaussianNB(priors=[1.0]), "no strategy": DummyClassifier(strategy="guess")}


def study_failures(**learners: Any) -> Study:
    return Study({"toy": (X_FAILURES, LABELS_FAILURES)}, {"bayes": GaussianNB(), **learners}, resampling=3)


def group(count: int, learner: str = "svm", message: str = "no") -> FailureGroup:
    return FailureGroup(learner, "error", message, count, ("iris",), ())


def test_nothing_is_said_where_nothing_failed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study_failures().run()


def test_how_many_of_which_and_why() -> None:
    with pytest.warns(FailedCellsWarning) as caught:
        scores = study_failures(**BROKEN).run()
    (said,) = [str(each.message) for each in caught]
    assert said.startswith("6 of 9 cells failed, and their scores have no value: 3 × bad priors (error: ValueError: ")
    assert " and 3 × no strategy (error: " in said
    assert "The column message of the scores says why." in said
    assert caught[0].filename == __file__, "it points at the line that ran the study"
    assert np.isnan(scores.only(learners=["no strategy"]).value).all()
    assert not np.isnan(scores.only(learners=["bayes"]).value).any()


def test_with_a_store_they_can_be_looked_up_and_are_told_again(tmp_path: Path) -> None:
    made, store = study_failures(**BROKEN), tmp_path / "s.sqlite"
    with pytest.warns(FailedCellsWarning, match=r"study\.failures\(store\) shows all of them"):
        made.run(store=store)
    assert [(each.learner, each.count) for each in made.failures(store)] == [("bad priors", 3), ("no strategy", 3)]
    with pytest.warns(FailedCellsWarning, match=r"^6 of 9 cells failed.*retry_failed=True\) tries them again"):
        made.run(store=store)
    with pytest.warns(FailedCellsWarning, match=r"^6 of 9 cells failed"):
        made.run(store=store, retry_failed=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study_failures().run(store=store)  # of the same store, without the learners that fail
    assert study_failures().failures(store) == []


def test_all_of_them_failed() -> None:
    with pytest.warns(FailedCellsWarning, match=r"^All 3 cells failed, and their scores have no value: 3 × alone"):
        Study({"toy": (X_FAILURES, LABELS_FAILURES)}, {"alone": GaussianNB(priors=[1.0])}, resampling=3).run()


def test_many_groups_and_long_messages_are_cut_short() -> None:
    said = str(about_failures([group(9 - i, f"l{i}", "x" * 500) for i in range(6)], 39, 1234, kept=True))
    assert said.startswith("39 of 1,234 cells failed")
    assert "and 2 more" in said
    assert len(said) < 900


def test_one_cell() -> None:
    said = str(about_failures([group(1, message="Done.")], 1, 8, kept=True))
    assert said.startswith("1 of 8 cells failed, and its scores have no value: 1 × svm (error: Done). study")


# ----------------------------------------------------------------------------------------------------------------------
# Which scores an analysis is about: those of splits, or of test rows where there is one split only.


@pytest.fixture(scope="module")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    store = tmp_path_factory.mktemp("held-out") / "study.sqlite"
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB()}
    study = Study("wdbc", learners, resampling="hold-out", measures=["error", "auc"])
    study.run(store=store)
    return store, study.key


def test_a_single_test_sample_is_compared_row_by_row(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        assert one_test_sample(store, key)
        scores = scores_for(store, key, "error")
        assert len(scores.instance.labels) > 100
        assert set(scores.value.tolist()) == {0.0, 1.0}


def test_a_measure_of_all_rows_together_stays_one_score(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        assert len(scores_for(store, key, "auc")) == 2
        with pytest.raises(MisfitError, match="auc belongs to all test rows together"):
            scores_for(store, key, "auc", level="instances")


def test_who_asks_for_another_level_gets_it(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        assert len(scores_for(store, key, "error", level="resamples")) == 2


def test_folds_are_compared_fold_by_fold(finished_study: Path) -> None:
    key = read_study(finished_study).key
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        assert not one_test_sample(store, key)
        assert len(scores_for(store, key, "error")) == 6
        with pytest.raises(MisfitError, match="tasks with one test sample"):
            scores_for(store, key, "error", level="instances")


def test_scores_of_one_test_sample_bring_its_rows_along(held_out: tuple[Path, str]) -> None:
    path, key = held_out
    with Reader(path) as store:
        both = with_test_rows(store, key)
        assert len(both) == 4
        assert both.by_instance is not None
        assert both.by_instance.measure.labels == ("error",), "the AUC belongs to all rows together"
        auc = with_test_rows(store, key, ["auc"])
        assert auc.by_instance is not None
        assert auc.by_instance.predictions is not None, "what ROC curves are made of"
        fewer = both.only(learners=["bayes"], measure="error").by_instance
        assert fewer is not None
        assert fewer.learners == ("bayes",)
        assert float(np.mean(fewer.value)) == both.only(learners=["bayes"], measure="error").value[0]


def test_folds_and_numbers_without_losses_bring_nothing(finished_study: Path, tmp_path: Path) -> None:
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        assert with_test_rows(store, read_study(finished_study).key).by_instance is None
    learners = {"mean": DummyRegressor(), "median": DummyRegressor(strategy="median")}
    study = Study("mtcars", learners, resampling="hold-out", measures=["r2"])
    study.run(store=tmp_path / "cars.sqlite")
    with Reader(tmp_path / "cars.sqlite") as store:
        assert with_test_rows(store, study.key).by_instance is None


def test_leave_one_out_is_compared_row_by_row(tmp_path: Path) -> None:
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB()}
    data = {"mine": (np.arange(24).reshape(12, 2) % 7, np.arange(12) % 2)}
    study = Study(data, learners, resampling="leave-one-out", measures=["error"])
    study.run(store=tmp_path / "study.sqlite")
    with Reader(tmp_path / "study.sqlite") as store:
        assert leaves_one_out(store, study.key)
        for level in (None, "instances"):
            assert layout(scores_for(store, study.key, "error", level=level)).leave_one_out
        folds = scores_for(store, study.key, "error", level="resamples")
        assert layout(folds, level=Level.RESAMPLES).n_blocks == 12


def test_rows_of_a_unit_are_not_independent_when_left_out_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    rows = [f"{i % 5},{i % 3},p{i // 2},{'ab'[i % 2]}" for i in range(12)]
    path.write_text("x,z,patient,y\n" + "\n".join(rows) + "\n")
    (tmp_path / "study.toml").write_text("""
measures = ["error"]
resampling = { scheme = "leave-one-out" }
task = [ { file = "visits.csv", target = "y", cluster = "patient" } ]
[[learner]]
path = "sklearn.dummy.DummyClassifier"
[[learner]]
path = "sklearn.naive_bayes.GaussianNB"
""")
    study = read_study(tmp_path / "study.toml")
    study.run(store=tmp_path / "study.sqlite")
    with Reader(tmp_path / "study.sqlite") as store:
        scores = scores_for(store, study.key, "error")
        beside = with_test_rows(store, study.key).by_instance
    assert len(scores.instance.labels) == 12
    assert scores.clusters is not None
    assert len(scores.clusters.labels.labels) == 6, "of which those of a patient are one cluster"
    assert layout(scores).level is Level.INSTANCES
    assert beside is not None
    assert beside.value.tolist() == scores.value.tolist()


def test_a_hold_out_of_single_rows_is_no_leave_one_out(tmp_path: Path) -> None:
    data = {"mine": (np.arange(24).reshape(12, 2) % 7, np.arange(12) % 2)}
    resampling = {"scheme": "hold-out", "test_share": 0.08, "repeats": 3, "stratify": False}
    study = Study(data, {"majority": DummyClassifier()}, resampling=resampling, measures=["error"])
    study.run(store=tmp_path / "study.sqlite")
    with Reader(tmp_path / "study.sqlite") as store:
        assert not leaves_one_out(store, study.key)


def test_probabilities_are_kept_only_if_they_are_to_be(tmp_path: Path) -> None:
    measures = ["error", "auc"]
    kept, spared = study(measures=measures), study(measures=measures, keep_scores=False)
    scores = {name: each.run(store=tmp_path / f"{name}.sqlite") for name, each in (("kept", kept), ("spared", spared))}
    assert rows(scores["kept"]) == rows(scores["spared"]), "they were there while the cells were run"
    sizes = {}
    for name in scores:
        with Reader(tmp_path / f"{name}.sqlite") as stored:
            found = stored.rows(select(prediction.c.scores))
            sizes[name] = sum(each.scores is not None for each in found), len(found)
            later = scores_of(stored, kept.key, ["log_loss"])
        assert np.isnan(later.value).all() == (name == "spared")
        assert ("keep_scores" in str(later.message.labels)) == (name == "spared")
    assert sizes == {"kept": (6, 6), "spared": (0, 6)}
