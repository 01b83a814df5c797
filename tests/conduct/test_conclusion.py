"""A test set that is kept apart: nothing reads it before the conclusion, and the conclusion reads it once."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study, conclude
from bakeoff.cli import main
from bakeoff.conduct.conclusion import final_interval
from bakeoff.errors import BakeoffError, MisfitError, UsageError
from bakeoff.keys import seed_of
from bakeoff.measures.response import Prediction, Truth
from bakeoff.measures.responses import response_from
from bakeoff.store.reader import Reader
from bakeoff.tasks.kept_apart import KeptApart, divided
from bakeoff.tasks.task import as_task

SOURCE = Path(__file__).parents[2] / "src" / "bakeoff"
LEARNERS = {"tree": "tree", "lda": "lda"}


def table(rng: np.random.Generator, n: int = 60) -> np.ndarray:
    X = rng.normal(size=(n, 3)).round(4)
    return np.column_stack([X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)])


def write(path: Path, rows: np.ndarray) -> Path:
    lines = [
        "a,b,c,class",
        *(",".join([*(f"{v:.4f}" for v in row[:3]), ["no", "yes"][int(row[3])]]) for row in rows),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def study_of(path: Path, **more: object) -> Study:
    task = as_task("mine", path, target="class")
    parts = {"resampling": {"scheme": "cross-validation", "folds": 3}, "measures": ["error", "log_loss"], **more}
    return Study(tasks=[task], learners=LEARNERS, **parts)


@pytest.fixture(scope="module")
def run_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("before")
    study = study_of(write(folder / "mine.csv", table(np.random.default_rng(1))), holdout=0.333)
    study.run(store=folder / "study.sqlite")
    return folder


# --- nothing reads it -------------------------------------------------------------------------------------------------


def test_poison_in_the_rows_kept_apart_changes_nothing_before_the_conclusion(tmp_path: Path) -> None:
    rows = table(np.random.default_rng(1))
    holdout = {"fraction": 1 / 3, "stratify": False}
    apart = KeptApart(**holdout).rows(len(rows), seed=1)
    clean = study_of(write(tmp_path / "clean.csv", rows), holdout=holdout)
    poisoned = rows.copy()
    poisoned[apart, :3], poisoned[apart, 3] = 9e5, 1 - poisoned[apart, 3]
    other = study_of(write(tmp_path / "poisoned.csv", poisoned), holdout=holdout)
    first, second = (each.run(store=tmp_path / f"{i}.sqlite") for i, each in enumerate((clean, other)))
    np.testing.assert_array_equal(first.value, second.value)
    assert clean.plan().to_dict()["tasks"] == other.plan().to_dict()["tasks"]
    # All that determines a result is the same: the poisoned study finds every cell of the clean one.
    again = study_of(tmp_path / "poisoned.csv", holdout=holdout).run(store=tmp_path / "0.sqlite")
    with Reader(tmp_path / "0.sqlite") as store:
        from sqlalchemy import func, select

        from bakeoff.store.schema import cell

        assert store.rows(select(func.count()).select_from(cell))[0][0] == 6
    np.testing.assert_array_equal(first.value, again.value)
    # And the poison is where it was put: the conclusion meets it.
    found = [conclude(each, tmp_path / f"{i}.sqlite", "lda") for i, each in enumerate((clean, other))]
    clean_loss, poisoned_loss = (one.tasks[0].scores[1].value for one in found)
    assert clean_loss < 1 < 10 < poisoned_loss


def test_only_the_conclusion_asks_for_the_rows() -> None:
    naming = [path for path in SOURCE.rglob("*.py") if "load_kept_apart" in path.read_text("utf-8")]
    asking = {
        path.relative_to(SOURCE).as_posix()
        for path in naming
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "load_kept_apart"
    }
    assert asking == {"conduct/conclusion.py"}


def test_groups_stay_together_and_times_are_the_last() -> None:
    groups = np.repeat(np.arange(12), 5)
    data = as_task("grouped", (np.arange(60.0)[:, None], np.tile(["a", "b"], 30)), groups=groups).load()
    rest, apart = divided(data, KeptApart(0.25), 3)
    assert not set(rest.groups) & set(apart.groups)
    assert rest.n + apart.n == 60
    assert 10 <= apart.n <= 20
    times = np.repeat(np.arange(10), 4)
    assert KeptApart(0.3).rows(40, seed=1, times=times).tolist() == list(range(28, 40))


def test_classes_are_there_in_proportion_and_categories_of_others_are_not() -> None:
    import pandas as pd

    colour = ["red"] * 40 + ["blue"] * 20
    frame = pd.DataFrame({"colour": colour, "x": np.arange(60.0), "class": np.tile(["a", "a", "b"], 20)})
    data = as_task("frame", frame, target="class").load()
    rest, apart = divided(data, KeptApart(0.333), 1)
    assert [int((part.codes == 1).sum()) for part in (rest, apart)] == [13, 7]
    rows = np.flatnonzero(np.array(colour) == "red")[:10]
    from bakeoff.tasks.kept_apart import _part

    part = _part(data, rows)
    assert list(part.X["colour"].dropna().unique()) == ["red"]
    if hasattr(part.X["colour"], "cat"):
        assert list(part.X["colour"].cat.categories) == ["red"]
    assert part.key != data.key


def test_the_rows_follow_from_seed_and_size_alone() -> None:
    apart = KeptApart(0.3)
    assert apart.rows(30, seed=1).tolist() == apart.rows(30, seed=1).tolist()
    assert apart.rows(30, seed=1).tolist() != apart.rows(30, seed=2).tolist()
    assert seed_of("kept apart", "1") != seed_of("kept apart", "2")


# --- the conclusion ---------------------------------------------------------------------------------------------------


def test_the_conclusion_scores_once_and_writes_model_and_recipe(
    run_before: Path, capsys: pytest.CaptureFixture
) -> None:
    store = run_before / "study.sqlite"
    study = study_of(run_before / "mine.csv", holdout=0.333)
    found = conclude(study, store, folder=run_before / "models")
    (one,) = found.tasks
    assert (one.learned, one.tested) == (40, 20)
    assert found.learner in LEARNERS
    assert not found.by_user
    assert one.scores[0].lower < one.scores[0].value < one.scores[0].upper
    recipe = json.loads(Path(one.recipe).read_text())
    assert recipe["learner"]["name"] == found.learner
    assert recipe["rows"]["key"] == study.tasks[0].load().key

    import skops.io

    model = skops.io.load(one.model, trusted=recipe["model"]["types"])
    apart = study.tasks[0].load_kept_apart()
    wrong = np.mean(model.predict(apart.X) != apart.y)
    assert wrong == one.scores[0].value
    with pytest.raises(MisfitError, match=r"test set of task 'mine' is spent: .* was scored on it on 20"):
        conclude(study, store, "lda")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict, "keeps no test set apart. Write .holdout."),
        (lambda: {"holdout": 0.2}, "was not run as it is now"),
        (lambda: {"holdout": 0.333, "seed": 2}, "was not run as it is now"),
    ],
)
def test_what_was_not_kept_apart_is_no_test_set(run_before: Path, change: Callable, message: str) -> None:
    with pytest.raises(BakeoffError, match=message):
        conclude(study_of(run_before / "mine.csv", **change()), run_before / "study.sqlite")


def test_rows_that_an_earlier_version_saw_are_refused_unless_told(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.csv", table(np.random.default_rng(2)))
    study_of(file).run(store=tmp_path / "study.sqlite")
    later = study_of(file, holdout=0.333)
    later.run(store=tmp_path / "study.sqlite")
    with pytest.raises(MisfitError, match="rows of today's test set were learned from"):
        conclude(later, tmp_path / "study.sqlite")
    assert conclude(later, tmp_path / "study.sqlite", "tree", anyway=True).by_user


def test_a_learner_that_fails_at_the_end_spends_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.csv", table(np.random.default_rng(3)))
    (tmp_path / "fragile.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\n"
        "class Fragile(DecisionTreeClassifier):\n"
        "    def fit(self, X, y):\n"
        "        if len(y) >= 40:\n"
        "            raise RuntimeError('too many rows')\n"
        "        return super().fit(X, y)\n"
    )
    toml = tmp_path / "study.toml"
    toml.write_text(
        f'holdout = 0.333\n[[task]]\nname = "mine"\nfile = "{file.name}"\ntarget = "class"\n'
        '[resampling]\nscheme = "cross-validation"\nfolds = 2\n'
        '[[learner]]\nname = "fragile"\npath = "fragile.Fragile"\n[[learner]]\npath = "tree"\n'
    )
    from bakeoff import read_study

    study = read_study(toml)
    study.run(store=tmp_path / "study.sqlite")
    with pytest.raises(
        MisfitError, match=r"fragile failed .* too many rows\. No score was made, and the test set is not"
    ):
        conclude(study, tmp_path / "study.sqlite", "fragile")
    assert conclude(study, tmp_path / "study.sqlite", "DecisionTreeClassifier").tasks[0].tested == 20


def test_the_command_and_its_refusals(run_before: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    toml = tmp_path / "study.toml"
    toml.write_text('[holdout]\nfraction = 1.5\n[[task]]\ndata = "iris"\n[[learner]]\npath = "tree"\n')
    assert main(["conclude", str(toml)]) == 2
    assert "key holdout: The fraction that is kept apart lies strictly between 0 and 1" in capsys.readouterr().err
    toml.write_text('[holdout]\nshare = 0.5\n[[task]]\ndata = "iris"\n[[learner]]\npath = "tree"\n')
    assert main(["conclude", str(toml)]) == 2
    assert "The holdout has no 'share'." in capsys.readouterr().err
    toml.write_text('[holdout]\nfraction = 0.5\n[[task]]\ndata = "iris"\n[[learner]]\npath = "tree"\n')
    assert main(["conclude", str(toml)]) == 2
    assert "Nothing is stored yet" in capsys.readouterr().err


def test_a_law_and_a_given_test_sample_need_no_test_set_apart() -> None:
    from bakeoff import simulated

    scheme = {"scheme": "simulation", "repeats": 2}
    with pytest.raises(UsageError, match="draws its samples from a law, and the study keeps a test set apart"):
        Study(tasks=[simulated("twonorm", n=20, m=20)], learners=LEARNERS, resampling=scheme, holdout=0.3)
    data = as_task("given", (np.arange(20.0)[:, None], np.tile(["a", "b"], 10)), test_rows=5)
    with pytest.raises(UsageError, match="comes with a test sample of its own"):
        Study(tasks=[data], learners=LEARNERS, holdout=0.3).tasks[0].load()


# --- intervals --------------------------------------------------------------------------------------------------------


def test_intervals_of_the_final_scores() -> None:
    rng = np.random.default_rng(0)
    truth = Truth("classification", np.repeat([0, 1], 50), ("a", "b"))
    guess = np.where(rng.random(100) < 0.8, truth.values, 1 - truth.values)
    prediction = Prediction(guess, np.clip(guess * 0.6 + 0.2 + rng.normal(0, 0.1, 100), 0.01, 0.99), True)
    wrong = int((guess != truth.values).sum())
    lower, upper, how = final_interval(response_from("error", "classification"), truth, prediction)
    z, p = 1.959963984540054, wrong / 100  # Wilson's formula, by hand
    centre, reach = p + z * z / 200, z * np.sqrt(p * (1 - p) / 100 + z * z / 40000)
    assert (lower, upper) == pytest.approx(((centre - reach) / (1 + z * z / 100), (centre + reach) / (1 + z * z / 100)))
    assert how == "Wilson"
    lower, upper, how = final_interval(response_from("auc", "classification"), truth, prediction)
    value = response_from("auc", "classification").of(truth, prediction)
    assert lower < value < upper
    assert how == "1999 resamples of rows"
    groups = np.repeat(np.arange(10), 10)
    grouped = final_interval(response_from("error", "classification"), truth, prediction, groups)
    assert grouped[2] == "over 10 groups of rows"
    assert final_interval(response_from("fit_time"), truth, prediction)[2] == ""


@pytest.mark.parametrize("name", ["squared_error", "absolute_error"])
def test_intervals_of_losses_are_students(name: str) -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=30)
    truth, prediction = Truth("regression", y), Prediction(y + rng.normal(size=30))
    response = response_from(name, "regression")
    lower, upper, how = final_interval(response, truth, prediction)
    losses = response.losses(truth, prediction)
    reach = 2.045229642132703 * losses.std(ddof=1) / np.sqrt(30)  # R: qt(0.975, 29)
    assert (lower, upper) == pytest.approx((losses.mean() - reach, losses.mean() + reach))
    assert how == "Student's t over rows"
