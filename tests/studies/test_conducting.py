"""Whole runs of small studies, as a user of Python starts them."""

from __future__ import annotations

import os
import shutil
import sys
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

import bakeoff
from bakeoff import Learner, Study, as_task
from bakeoff.errors import UsageError
from bakeoff.learners.learner import Step, Tuning
from bakeoff.running.outcome import Outcome
from bakeoff.running.packing import Pace
from bakeoff.scores import Scores
from bakeoff.stores.reader import Reader
from bakeoff.studies.conducting import Summary, checked_workers, conduct, importing_from

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
    assert "bayes is better than majority" in verdict.paragraph


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

    def begin(self, left: dict[tuple[int, int], int], pace: Pace, workers: int) -> None:
        self.left = dict(left)

    def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
        self.outcomes.append(outcome)


def test_what_is_stored_is_not_run_again_and_a_learner_may_be_added(tmp_path: Path) -> None:
    store = tmp_path / "toy.sqlite"
    first = study().run(store=store)
    again = Counting()
    summary = conduct(study(), store, watcher=again)
    assert (summary.cells, summary.stored_before, summary.ok, summary.left) == (6, 6, 0, 0)
    assert again.outcomes == []
    more = study(learners={"tree": DecisionTreeClassifier(), **FAST})
    added = Counting()
    summary = conduct(more, store, watcher=added)
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
    summary = conduct(study(), store, watcher=Stopping())
    assert summary.interrupted
    assert (summary.ok, summary.left) == (2, 4)
    rest = conduct(study(), store)
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
    monkeypatch.setattr("bakeoff.studies.conducting.conduct", lambda *_, **__: stopped)
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
    summary = conduct(made, store)
    assert (summary.ok, summary.failed) == (3, 3)
    scores = made.scores(store)
    assert np.isnan(scores.only(learners=["moody"]).value).all()
    assert any("not today" in message for message in scores.message.labels)
    (tmp_path / "cheered").touch()
    assert conduct(made, store).failed_before == 3
    retried = conduct(made, store, retry_failed=True)
    assert (retried.ok, retried.failed, retried.failed_before) == (3, 0, 0)
    assert not np.isnan(made.scores(store).value).any()


def test_a_learner_whose_defaults_changed_is_not_mixed_with_what_it_was(tmp_path: Path) -> None:
    code = "from sklearn.dummy import DummyClassifier\ndef make(): return DummyClassifier(strategy='{}')\n"
    store = tmp_path / "toy.sqlite"
    (tmp_path / "changing.py").write_text(code.format("prior"))
    learners = {"x": "changing.make"}
    conduct(study(learners=learners, folder=str(tmp_path)), store)
    (tmp_path / "changing.py").write_text(code.format("stratified"))
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    with pytest.raises(
        UsageError, match=r"is not what it was when its first cells were stored: .*strategy.*use another store"
    ):
        conduct(study(learners=learners, folder=str(tmp_path), resampling=4), store)


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
