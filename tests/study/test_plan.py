"""The plan: the grid as a table, and nothing run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.store.reader import Reader
from bakeoff.study.file import read_study
from bakeoff.study.plan import GUESS, plan, stored_already
from bakeoff.study.study import Study
from bakeoff.text import to_json

LEARNERS = {"tree": "sklearn.tree.DecisionTreeClassifier", "one rule": "bakeoff.learners.one_r.OneR"}


def test_cells_and_fits_are_counted() -> None:
    tuned = Learner("svm", steps=(Step("sklearn.svm.SVC"),), tuning=Tuning({"C": (1, 2, 3), "gamma": (1, 2)}, 4))
    made = Study(
        ["iris", "wine"], [tuned, "sklearn.dummy.DummyClassifier"], resampling={"scheme": "cv", "folds": 5}
    ).plan()
    assert made.cells == 2 * 5 * 2
    assert made.fits == 2 * 5 * (3 * 2 * 4 + 1 + 1)
    assert made.complete
    assert [task.splits for task in made.tasks] == [5, 5]
    assert (made.tasks[0].n, made.tasks[0].inputs, made.tasks[0].classes, made.tasks[0].missing) == (150, 4, 3, 0)


def test_the_time_is_a_guess_that_says_so() -> None:
    made = Study("iris", LEARNERS).plan()
    assert f"if a fit takes {GUESS * 1000:g} ms: a guess until cells were run" in made.time
    assert made.seconds is None


def test_preparation_is_told_for_each_learner_and_task() -> None:
    made = Study(["iris", "house_votes84"], LEARNERS).plan()
    text = " ".join(made.to_text().split())
    assert (
        "preparation for tree: none needed: complete numbers (on iris); categories become indicators (on house_votes84)"
        in text
    )
    assert "preparation for one rule: none: the learner takes categories and missing values itself" in text
    assert made.learners[0].preparation["house_votes84"] == "categories become indicators (16 inputs)"


def test_learners_that_are_prepared_alike_are_told_together() -> None:
    made = Study(["iris", "wine"], {"a": "x.A", "b": "x.B"}).plan()
    assert "preparation for a and b: none needed: complete numbers\n" in made.to_text()


def test_no_line_of_a_large_plan_is_cut() -> None:
    tasks = ["iris", "wine", "glass", "sonar", "heart", "zoo", "house_votes84", "ionosphere"]
    learners = {f"learner {i}": f"sklearn_with_a_long_name.ensemble.Boosting{i}Classifier" for i in range(6)}
    text = Study(tasks, learners).plan().to_text()
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_data_that_code_makes_are_unknown_until_a_run(tmp_path: Path) -> None:
    made = Study({"made": as_unknown, "iris": "iris"}, LEARNERS).plan()
    assert not made.complete
    assert made.cells == 20
    assert "20 at least; some data are made by code, which only a run executes" in made.to_text()
    assert made.tasks[0].n is None


def as_unknown() -> object:
    raise AssertionError("a plan calls nothing")


def test_a_measure_that_is_not_for_the_task_is_refused() -> None:
    with pytest.raises(UsageError, match="Task 'iris': 'r2' is a measure of regression"):
        Study("iris", LEARNERS, measures="r2").plan()


@pytest.mark.parametrize("scheme", ["given", "competition", "out-of-bootstrap-2n"])
def test_a_test_sample_that_is_not_there_is_missed_before_the_run(scheme: str) -> None:
    study = Study(tasks=["iris"], learners={"tree": "sklearn.tree.DecisionTreeClassifier"}, resampling=scheme)
    with pytest.raises(UsageError, match=f"'{scheme}' needs a test sample .* 'out-of-bootstrap'"):
        plan(study)


def test_a_program_that_is_not_there_is_a_warning() -> None:
    made = Study("iris", {"x": ["no-such-program", "{train}", "{test}", "{output}"]}).plan()
    assert any("no-such-program" in warning for warning in made.warnings)
    assert "Warning  " in made.to_text()


HEAD = 'resampling = { scheme = "cross-validation", folds = 3 }\ntask = [{ data = "iris" }]\n'
WRONG = {
    "a parameter": (
        'path = "sklearn.ensemble.RandomForestClassifier"\nparameters = { n_estimatorz = 5 }',
        "sklearn.ensemble.RandomForestClassifier has no parameter 'n_estimatorz'. Did you mean 'n_estimators'?",
    ),
    "a parameter inside": (
        'path = "bagging"\n[learner.parameters]\n'
        'estimator = { path = "sklearn.svm.SVC", parameters = { kernl = "linear" } }',
        "sklearn.svm.SVC has no parameter 'kernl'. Did you mean 'kernel'?",
    ),
    "a parameter to be tuned": (
        'path = "tree"\ntune = { max_dept = [1, 2] }',
        "cannot tune 'max_dept': there is no such parameter. Did you mean 'max_depth'?",
    ),
    "a parameter of one's own": (
        'path = "own.Own"\nparameters = { dept = 1 }',
        "own.Own has no parameter 'dept'. Did you mean 'depth'?",
    ),
    "a warm start": (
        'path = "mlp"\nparameters = { warm_start = true }',
        "warm_start is True. A warm start goes on from",
    ),
    "a warm start inside": (
        'path = "sklearn.ensemble.VotingClassifier"\n[learner.parameters]\n'
        'estimators = [["a", { path = "sklearn.linear_model.Perceptron", parameters = { warm_start = true } }]]',
        "warm_start is True. A warm start goes on from",
    ),
    "a warm start by default": ('path = "own.Warm"', "warm_start is True. A warm start goes on from"),
    "a class": (
        'path = "sklearn.ensemble.RandomForrestClassifier"',
        "the module 'sklearn.ensemble' has no 'RandomForrestClassifier'. Did you mean 'RandomForestClassifier'?",
    ),
}
OWN = """
from pathlib import Path
from sklearn.base import BaseEstimator, ClassifierMixin
(Path(__file__).parent / "mark").touch()

class Own(ClassifierMixin, BaseEstimator):
    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, y):
        self.classes_ = sorted(set(y))
        return self

    def predict(self, X):
        return [self.classes_[0]] * len(X)

class Warm(Own):
    def __init__(self, warm_start=True):
        self.warm_start = warm_start
"""


@pytest.mark.parametrize(("learner", "says"), WRONG.values(), ids=WRONG)
def test_a_learner_that_can_never_be_made_is_refused_by_plan_and_dry_run_as_by_run(
    learner: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.toml"
    (tmp_path / "own.py").write_text(OWN)
    path.write_text(f'{HEAD}[[learner]]\nname = "x"\n{learner}\n')
    for command in (["plan"], ["run", "--dry-run"]):
        assert main([*command, str(path)]) == 2
        assert says in capsys.readouterr().err
    assert not (tmp_path / "mark").exists()  # nothing was imported to find out
    assert main(["run", str(path), "--quiet"]) == 2
    assert says in capsys.readouterr().err


def test_a_study_that_was_run_is_not_asked_whether_it_could_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A later version of a package may know a parameter no more: what is stored stays what it is."""
    path = tmp_path / "s.toml"
    (tmp_path / "own.py").write_text("from sklearn.tree import DecisionTreeClassifier as Own\n")
    learners = [f'[[learner]]\nname = "{n}"\npath = "own.Own"\nparameters = {{ max_depth = {n} }}\n' for n in (1, 2)]
    path.write_text(HEAD + "".join(learners))
    assert main(["run", str(path), "--quiet"]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bakeoff.study.plan.check_written", lambda learner: as_unknown())
        assert main(["plan", str(path)]) == 0
        assert main(["report", str(path), "-o", str(tmp_path / "r.html")]) == 0, capsys.readouterr().err


def test_a_package_that_is_not_there_is_a_warning() -> None:
    made = Study("iris", {"x": "no_such_package.module.Class"}).plan()
    assert "learner 'x': the module 'no_such_package' is not found on this machine." in made.warnings


def test_as_json_it_says_the_same(finished_study: Path) -> None:
    study = read_study(finished_study)
    made = plan(study, finished_study.with_suffix(".sqlite"))
    told = json.loads(to_json(made.to_dict()))
    assert (told["key"], told["cells"], told["stored"]) == (study.key, 6, 6)
    assert told["learners"][0]["preparation"] == {"iris": "none needed: complete numbers"}
    assert made.time == "nothing is left to run"
    assert str(made) == made.to_text()


def test_what_is_no_store_is_left_to_run_to_complain_about(finished_study: Path, tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_text("hello")
    assert plan(read_study(finished_study), tmp_path / "x.sqlite").stored == 0
    assert plan(read_study(finished_study), tmp_path / "nowhere.sqlite").stored == 0


@pytest.mark.parametrize(
    ("resampling", "said"),
    [
        (10, "Task 'six': 10 folds need at least 10 rows; found 6 rows."),
        ({"scheme": "bootstrap-cv", "folds": 8}, "Task 'six': 8 folds of a bootstrap sample need at least 8 rows"),
        ({"scheme": "disjoint-halves", "parts": 4}, "Task 'six': Two halves of 4 parts need at least 8 rows"),
        (
            {"scheme": "hold-out", "test_share": 0.01},
            "Task 'six': Both parts of a split need at least one of the 6 rows",
        ),
        ({"scheme": "hold-out-bootstrap", "test_share": 0.99}, "Task 'six': Both parts of a split"),
    ],
)
def test_too_few_rows_are_refused_by_the_plan_as_by_the_run(resampling: Any, said: str) -> None:
    rows = np.arange(12.0).reshape(6, 2), np.array(["a", "b"] * 3)
    study = Study({"six": rows}, LEARNERS, resampling=resampling)
    for go in (study.plan, study.run):
        with pytest.raises(UsageError) as caught:
            go()
        assert str(caught.value).startswith(said)


def test_a_scheme_of_ones_own_need_not_know_how_to_be_tried_out() -> None:
    class Own:
        scheme = "own"

        def describe(self) -> dict[str, Any]:
            return {"scheme": "own"}

        def count(self, sample: Any) -> int:
            return 3

        def splits(self, sample: Any, seed: int) -> Any:
            raise AssertionError("a plan makes none")

    assert Study("iris", LEARNERS, resampling=Own()).plan().cells == 6


def test_632_plus_is_refused_for_what_is_no_loss_of_rows() -> None:
    study = Study("mtcars", {"mean": "sklearn.dummy.DummyRegressor"}, resampling="632+", measures=["mae", "max_error"])
    for go in (study.plan, study.run):
        with pytest.raises(
            UsageError, match=r"'max_error': .632\+ is for losses that each test row has, .* '632' takes any"
        ):
            go()
    Study("mtcars", {"mean": "sklearn.dummy.DummyRegressor"}, resampling="632+", measures=["mae", "fit_time"]).plan()


def test_schemes_that_test_on_what_was_learned_are_warned_of() -> None:
    for scheme in ("bootstrap", "632"):
        (warning,) = Study("iris", LEARNERS, resampling={"scheme": scheme, "repeats": 2}).plan().warnings
        assert warning.startswith(f"[resubstitution] The scheme {scheme} ")
        assert "out-of-bootstrap" in warning
    assert Study("iris", LEARNERS, resampling={"scheme": "out-of-bootstrap", "repeats": 2}).plan().warnings == ()


# ----------------------------------------------------------------------------------------------------------------------
# What a store holds of a study, of this version or of another.


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", 6),
        ("from iris?", "from iris, really?", 6),
        ('["error", "fit_time"]', '["auc"]', 6),
        ('name = "bayes"', 'name = "Bayes"', 6),
        ("[resampling]", '[[learner]]\nname = "new"\npath = "a.B"\n[resampling]', 6),
        ("[resampling]", '[[task]]\ndata = "wine"\n[resampling]', 6),
        ("[resampling]", '[[task]]\nname = "made"\nloader = "no.such.function"\n[resampling]', 6),
        (
            '"sklearn.dummy.DummyClassifier"',
            '"sklearn.dummy.DummyClassifier"\nparameters = { strategy = "uniform" }',
            3,
        ),
        ("seed = 7", "seed = 8", 0),
        ("folds = 3", "folds = 4", 0),
        ('data = "iris"', 'data = "wine"', 0),
    ],
)
def test_cells_count_by_what_determines_them(
    finished_study: Path, tmp_path: Path, old: str, new: str, expected: int
) -> None:
    path = tmp_path / "changed.toml"
    text = finished_study.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else text)
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        assert stored_already(read_study(path), store)[0] == expected
