"""Study: what it takes, what it refuses, and what its hash depends on."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from bakeoff import advise, judge, read_scores, simulated
from bakeoff.errors import BakeoffError, InputError, UsageError
from bakeoff.judging import Verdict
from bakeoff.learners.learner import Learner, Step
from bakeoff.resampling import SCHEMES, resampling_from
from bakeoff.resampling.simulation import Simulation
from bakeoff.results.scores import scores_of
from bakeoff.results.status import progress
from bakeoff.running.work import Limits
from bakeoff.scores import Scores, blocks, layout
from bakeoff.store.reader import Reader
from bakeoff.study.file import read_study
from bakeoff.study.plan import stored_already
from bakeoff.study.prepare import ranks_of
from bakeoff.study.run import run_study
from bakeoff.study.study import Analysis, Study, as_learner, bound, is_independent
from bakeoff.tasks.task import as_task

TREE = "sklearn.tree.DecisionTreeClassifier"


class Estimator:
    """As much of an estimator as a description needs."""

    def __init__(self, depth: int = 1) -> None:
        self.depth = depth

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"depth": self.depth}

    def fit(self, X: Any, y: Any) -> Estimator:
        raise AssertionError("a study that is only made fits nothing")


def load_pairs() -> tuple[list[list[float]], list[str]]:
    raise AssertionError("a study that is only made loads nothing")


def names(things: Any) -> list[str]:
    return [thing.name for thing in things]


def test_tasks_in_every_form(tmp_path: Path) -> None:
    pair = (np.arange(6.0).reshape(3, 2), ["a", "b", "a"])
    assert names(Study("iris", TREE).tasks) == ["iris"]
    assert names(Study(["iris", tmp_path / "mine.csv", load_pairs], TREE).tasks) == ["iris", "mine", "pairs"]
    assert names(Study({"toy": pair, "flowers": "iris"}, TREE).tasks) == ["toy", "flowers"]
    assert names(Study(as_task("toy", pair), TREE).tasks) == ["toy"]
    assert names(Study((as_task(f"toy {i}", pair) for i in range(2)), TREE).tasks) == ["toy 0", "toy 1"]


def test_learners_in_every_form() -> None:
    learner = Learner("mine", steps=(Step(TREE),))
    assert names(Study("iris", TREE).learners) == ["DecisionTreeClassifier"]
    assert names(Study("iris", Estimator()).learners) == ["Estimator"]
    assert names(Study("iris", [learner, Estimator()]).learners) == ["mine", "Estimator"]
    given = Study(
        "iris", {"a": TREE, "b": Estimator(), "c": ["perl", "x.pl", "{train}", "{test}", "{output}"]}
    ).learners
    assert names(given) == ["a", "b", "c"]
    assert given[2].command[0] == "perl"


def test_a_learner_in_a_mapping_goes_by_the_name_that_the_mapping_gives() -> None:
    assert as_learner("yours", Learner("mine", steps=(Step(TREE),))).name == "yours"


def test_measures_in_every_form() -> None:
    assert Study("iris", TREE, measures="auc").measure_names == ("auc",)
    assert Study("iris", TREE, measures=["auc", {"name": "cost", "loss_matrix": [[0, 1], [5, 0]]}]).measure_names == (
        "auc",
        "cost",
    )
    assert Study("iris", TREE, measures={"name": "cost", "loss_matrix": [[0, 1], [5, 0]]}).measure_names == ("cost",)
    assert Study("iris", TREE, measures={"mine": {"loss": "log_loss", "functional": "median"}}).measure_names == (
        "mine",
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tasks": []}, "at least one task"),
        ({"tasks": 3}, "Tasks are a list of names"),
        ({"tasks": [(np.eye(2), [0, 1])]}, "Give it a name"),
        ({"tasks": ["iris", "iris"]}, "There are 2 tasks named 'iris'"),
        ({"tasks": "irris"}, "Did you mean 'iris'"),
        ({"tasks": {" ": "iris"}}, "name"),
        ({"learners": {}}, "at least one learner"),
        ({"learners": 3}, "Learners are estimators by name"),
        ({"learners": {"x": Estimator}}, r"pass an object: Estimator\(\)"),
        ({"learners": {"x": 3.5}}, "must be a scikit-learn estimator"),
        ({"learners": {"x": []}}, "must be a scikit-learn estimator"),
        ({"learners": [TREE, TREE]}, "2 learners named 'DecisionTreeClassifier'"),
        ({"learners": {" ": TREE}}, "empty name"),
        ({"resampling": {"scheme": "cvv"}}, "no resampling scheme 'cvv'"),
        ({"resampling": "cvv"}, "no resampling scheme 'cvv'"),
        ({"resampling": 5.5}, "The resampling is the name of a scheme"),
        ({"resampling": 1}, "folds"),
        ({"measures": []}, "at least one measure"),
        ({"measures": ["auc", "auc"]}, "named twice"),
        ({"measures": "aucc"}, "Did you mean 'auc'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": True}, "seed must be a whole number"),
        ({"seed": 1.0}, "seed must be a whole number"),
        ({"alpha": 0}, "strictly between 0 and 1"),
        ({"alpha": "x"}, "strictly between 0 and 1"),
        ({"margin": 0}, "positive difference"),
        ({"margin": "x"}, "positive difference"),
        ({"margin": float("inf")}, "positive difference"),
        ({"analyses": (Analysis("auc"),)}, "'auc', which is not among the measures"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Study(**{"tasks": "iris", "learners": TREE, **given})


def test_a_scheme_may_be_given_by_its_name() -> None:
    assert Study("iris", TREE, resampling="5x2").resampling.describe()["scheme"] == "5x2"
    assert Study("iris", TREE, resampling=7).resampling.describe()["folds"] == 7
    assert Study("iris", TREE, resampling=resampling_from({"scheme": "loo"})).resampling.describe()["scheme"] == (
        "leave-one-out"
    )


BASE = """\
question = "Which?"
seed = 1
measures = ["error"]
[[task]]
data = "iris"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
parameters = { max_depth = 3, min_samples_leaf = 2 }
[resampling]
scheme = "cross-validation"
folds = 5
[[analysis]]
measure = "error"
"""


def key(folder: Path, text: str, name: str = "study.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_study(path).key


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed = 1", "seed   =  1  # a comment"),
        ("{ max_depth = 3, min_samples_leaf = 2 }", "{ min_samples_leaf = 2, max_depth = 3 }"),
        ('"cross-validation"', '"cv"'),
        ("folds = 5", "folds = 5\nrepeats = 1"),
        ("[[analysis]]", '[limits]\ntime_limit = "3 s"\nthreads = 2\n[[analysis]]'),
        ("seed = 1", "seed = 1\nalpha = 0.05"),
    ],
)
def test_the_hash_does_not_depend_on(tmp_path: Path, old: str, new: str) -> None:
    assert old in BASE
    assert key(tmp_path, BASE) == key(tmp_path, BASE.replace(old, new), "another-name.toml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Which?"', '"Which, really?"'),
        ("seed = 1", "seed = 2"),
        ("seed = 1", "seed = 1\nalpha = 0.1"),
        ("seed = 1", "seed = 1\nmargin = 0.1"),
        ("max_depth = 3", "max_depth = 4"),
        ('name = "tree"', 'name = "Baum"'),
        ('data = "iris"', 'data = "wine"'),
        ('data = "iris"', 'data = "iris"\nname = "flowers"'),
        ('data = "iris"', 'data = "iris"\ndrop = ["Petal.Width"]'),
        ('["error"]', '["error", "auc"]'),
        ("folds = 5", "folds = 6"),
        ('[[analysis]]\nmeasure = "error"', '[[analysis]]\nmeasure = "error"\nadjust = "holm"'),
    ],
)
def test_the_hash_depends_on(tmp_path: Path, old: str, new: str) -> None:
    assert old in BASE
    assert key(tmp_path, BASE) != key(tmp_path, BASE.replace(old, new))


def test_files_may_move(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    moved = BASE.replace('data = "iris"', 'name = "mine"\nfile = "mine.csv"\ntarget = "class"')
    assert key(tmp_path, moved) == key(tmp_path / "there", moved.replace("mine.csv", "../elsewhere.csv"))


def test_the_same_study_in_python_and_in_a_file(tmp_path: Path) -> None:
    made = Study(
        "iris",
        {"tree": Learner("tree", steps=(Step(TREE, {"max_depth": 3, "min_samples_leaf": 2}),))},
        resampling={"scheme": "cv", "folds": 5},
        question="Which?",
        limits=Limits(time_limit=3.0),
    )
    assert made.key == key(tmp_path, BASE)


def test_an_object_is_known_by_its_parameters() -> None:
    assert Study("iris", Estimator(1)).key == Study("iris", Estimator(1)).key
    assert Study("iris", Estimator(1)).key != Study("iris", Estimator(2)).key


def test_a_study_cannot_be_changed() -> None:
    study = Study("iris", TREE)
    with pytest.raises(AttributeError):
        study.seed = 2  # type: ignore[misc]


def test_scores_of_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BakeoffError, match="There is no store here"):
        Study("iris", TREE).scores(tmp_path / "nowhere.sqlite")


def test_scores_of_a_study_that_the_store_does_not_know(finished_study: Path) -> None:
    with pytest.raises(BakeoffError, match=r"small\.sqlite"):
        Study("iris", TREE).scores(finished_study.with_suffix(".sqlite"))


def test_measures_thought_of_later_need_no_rerun(finished_study: Path) -> None:
    scores = read_study(finished_study).scores(finished_study.with_suffix(".sqlite"), ["auc", "error"])
    assert scores.measure.labels == ("auc", "error")
    assert len(scores) == 12
    assert scores.only(measure="auc", learners=["bayes"]).value.min() > 0.9


# ----------------------------------------------------------------------------------------------------------------------
# Analysis


def test_the_request_is_what_judge_takes() -> None:
    asked = Analysis("error", contrast=("a vs b", "c vs d"), adjust="holm", options={"zeros": "wilcox"}).request()
    assert asked["contrast"] == ["a vs b", "c vs d"]
    assert asked["zeros"] == "wilcox"
    assert "procedure" not in asked


def test_the_description_is_json_and_comes_back_the_same() -> None:
    described = Analysis("error", contrast=("a vs b",), margin=0.01).describe()
    assert json.loads(json.dumps(described)) == described


def test_the_sentence_says_what_is_asked() -> None:
    said = Analysis("auc", procedure="friedman", control="svm", contrast="control", adjust="holm", margin=0.02).sentence
    assert said == "auc, by friedman, against svm, holm adjustment, α = 0.05, margin 0.02"


# ----------------------------------------------------------------------------------------------------------------------
# Studies of the three problems: simulation, competition, real world; run, stored, judged.


LINEAR = LinearRegression(fit_intercept=False)
QUADRATIC = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression(fit_intercept=False))
TASK = simulated("nested-models", n=25, m=40, parameters={"beta2": 0.05})
ALONE = simulated("nested-models", n=65, parameters={"beta2": 0.05})


def study(**given: Any) -> Study:
    usual = {
        "tasks": [TASK],
        "learners": {"linear": LINEAR, "quadratic": QUADRATIC},
        "resampling": {"scheme": "simulation", "repeats": 12},
        "measures": ["squared_error"],
        "seed": 5,
    }
    return Study(**{**usual, **given})


def by_hand(asked: Study, learners: list[Any]) -> np.ndarray:
    """The scores, from the rows of the task and nothing else of bakeoff."""
    data = asked.tasks[0].load()
    scores = []
    for b in range(data.draws.count):
        (X, y), (new, truth) = data.rows(data.draws.learning(b)), data.rows(data.draws.test(b))
        scores.append([((clone(made).fit(X, y).predict(new) - truth) ** 2).mean() for made in learners])
    return np.array(scores)


@pytest.fixture(scope="module")
def matched() -> Scores:
    return study().run()


def test_scores_are_those_of_the_drawn_samples(matched: Scores) -> None:
    assert blocks(matched).values == pytest.approx(by_hand(study(), [LINEAR, QUADRATIC]), rel=1e-9)
    assert set(matched.n_train) == {25}
    assert set(matched.n_test) == {40}
    assert not matched.independent


def test_the_same_study_gives_the_same_scores(matched: Scores) -> None:
    assert np.array_equal(study().run(n_jobs=2).value, matched.value)
    assert not np.isin(study(seed=6).run().value, matched.value).any()


def test_more_repeats_keep_the_earlier_samples(matched: Scores) -> None:
    more = by_hand(study(resampling={"scheme": "simulation", "repeats": 15}), [LINEAR, QUADRATIC])
    assert more[:12] == pytest.approx(blocks(matched).values, rel=1e-9)


def test_fresh_test_samples(matched: Scores) -> None:
    fresh = study(tasks=[simulated("nested-models", 25, 40, test="fresh", parameters={"beta2": 0.05})])
    scores = fresh.run()
    assert blocks(scores).values == pytest.approx(by_hand(fresh, [LINEAR, QUADRATIC]), rel=1e-9)
    # The first test sample is that of the fixed design; the others are not.
    same = np.isclose(blocks(scores).values, blocks(matched).values).all(axis=1)
    assert same.tolist() == [True, *[False] * 11]
    # One test sample for all makes the scores of a learner alike: fresh ones add the variance of a mean over 40 rows.
    assert blocks(scores).values.var(axis=0)[0] > 3 * blocks(matched).values.var(axis=0)[0]
    problem = scores.problem
    assert problem is not None
    assert problem.conditional_on == "the generator nested-models"
    assert not problem.fixed_test


def test_what_the_verdict_is_conditional_on(matched: Scores) -> None:
    verdict = judge(matched)
    assert verdict.finding.procedure == "paired-permutation"
    assert "conditional on the generator nested-models and this fixed test sample of 40 rows." in verdict.paragraph
    assert "Over 12 draws," in verdict.paragraph
    assert {warning.code for warning in verdict.warnings} == {"fixed-test-sample"}
    assert verdict.to_dict()["finding"]["conditional_on"].startswith("the generator nested-models")
    text = advise(matched).to_text(everything=True)
    assert "12 learning samples drawn from the generator nested-models" in text
    assert re.search(r"corrected-t: it makes up for training sets that overlap", text)


def test_an_independent_design(tmp_path: Path) -> None:
    asked = study(resampling={"scheme": "simulation", "repeats": 6, "independent": True})
    assert is_independent(asked.resampling)
    plan = asked.plan()
    assert (plan.cells, plan.fits) == (12, 12)
    summary = run_study(asked, tmp_path / "s.sqlite")
    assert (summary.cells, summary.ok, summary.left) == (12, 12, 0)
    assert run_study(asked, tmp_path / "s.sqlite").ok == 0
    with Reader(tmp_path / "s.sqlite") as store:
        scores = scores_of(store, asked.key)
        found = progress(store, asked.key)
        assert stored_already(asked, store)[0] == 12
    assert [(part.cells, part.ok, part.left) for part in found.parts] == [(6, 6, 0)] * 2
    assert scores.independent
    assert not any("not run yet" in note for note in scores.notes)
    values = by_hand(asked, [LINEAR, QUADRATIC])  # twelve samples: each learner has every second, in the order of keys
    for column, name in enumerate(("linear", "quadratic")):
        own = scores.only(learners=[name])
        assert own.value == pytest.approx(values[ranks_of(asked)[column] :: 2, column], rel=1e-9)
        assert list(own.repeat.values()) == list("123456")
    assert not layout(scores).matched
    assert layout(scores).complete
    assert judge(scores).finding.n_each == (6, 6)


INDEPENDENT = {"scheme": "simulation", "repeats": 3, "independent": True}


@pytest.mark.parametrize("test", ["fixed", "fresh"])
def test_learners_that_are_added_or_moved_change_nobodys_samples(tmp_path: Path, test: str) -> None:
    from sklearn.tree import ExtraTreeRegressor

    tasks = [simulated("nested-models", n=25, m=40, test=test)]
    chance = ExtraTreeRegressor()  # its seed must stay, too
    first = study(resampling=INDEPENDENT, tasks=tasks, learners={"linear": LINEAR, "chance": chance})
    moved = study(resampling=INDEPENDENT, tasks=tasks, learners={"chance": chance, "line": LINEAR})
    added = study(
        resampling=INDEPENDENT,
        tasks=tasks,
        learners={"q": QUADRATIC, "linear": LINEAR, "k": QUADRATIC, "chance": chance},
    )
    assert run_study(first, tmp_path / "s.sqlite").ok == 6
    assert run_study(moved, tmp_path / "s.sqlite").ok == 0, "the order of learners makes no other cell"
    assert run_study(added, tmp_path / "s.sqlite").ok == 12
    values = {}
    with Reader(tmp_path / "s.sqlite") as store:
        for asked in (first, moved, added):
            scores = scores_of(store, asked.key)
            assert len(scores) == progress(store, asked.key).cells == 3 * len(asked.learners)
            for name in scores.learners:
                values[asked.key, name] = scores.only(learners=[name]).value.tolist()
    assert values[first.key, "linear"] == values[moved.key, "line"] == values[added.key, "linear"]
    assert values[first.key, "chance"] == values[moved.key, "chance"] == values[added.key, "chance"]
    assert values[added.key, "q"] != values[added.key, "k"], "two of a kind have samples of their own"
    assert not set(values[first.key, "linear"]) & set(values[added.key, "q"])


def test_tasks_of_different_problems_are_described_each_by_its_own() -> None:
    fixed, fresh = simulated("twonorm", 20, 30, name="one"), simulated("twonorm", 20, 30, test="fresh", name="other")
    learners = {"coin": "sklearn.dummy.DummyClassifier", "bayes": "sklearn.naive_bayes.GaussianNB"}
    scores = Study([fixed, fresh], learners, {"scheme": "simulation", "repeats": 8}).run()
    assert scores.problem is not None
    assert scores.problem.conditional_on.startswith("the law that each task was drawn from")
    of_one, of_other = (judge(scores.only(tasks=[name])) for name in ("one", "other"))
    assert of_one.finding.conditional_on == "the generator twonorm and this fixed test sample of 30 rows"
    assert of_other.finding.conditional_on == "the generator twonorm"
    assert "fixed-test-sample" not in {warning.code for warning in of_other.warnings}
    again = read_scores(scores.to_frame())
    assert [again.only(tasks=[name]).problem for name in ("one", "other")] == [
        scores.only(tasks=[name]).problem for name in ("one", "other")
    ]


def test_data_sets_do_not_go_with_a_simulation() -> None:
    with pytest.raises(UsageError, match=r"'simulation' draws its learning samples, and task 'iris' is a data set"):
        study(tasks=["iris"])
    tasks = (as_task("iris", "iris"), TASK)
    assert bound(tasks, None, 1, ())[0] is tasks[0]
    assert bound((TASK,), Simulation(7), 3, ())[0].load().draws.count == 7


def test_a_generator_under_another_scheme_is_one_learning_sample() -> None:
    asked = study(resampling={"scheme": "out-of-bootstrap", "repeats": 5}, tasks=[simulated("nested-models", n=30)])
    assert asked.tasks[0].load().n == 30
    given = study(resampling={"scheme": "competition", "repeats": 5})
    assert given.tasks[0].load().test.tolist() == list(range(25, 65))


def verdict(scheme: str, **given: Any) -> Verdict:
    return judge(study(resampling={"scheme": scheme, "repeats": 60}, **given).run())


@pytest.mark.parametrize(
    ("scheme", "conditional_on", "codes"),
    [
        ("out-of-bootstrap", "the empirical distribution of this learning sample", set()),
        ("bayesian-bootstrap", "the empirical distribution of this learning sample", set()),
        ("out-of-bootstrap-2n", "the empirical distribution of this learning sample", set()),
        (
            "competition",
            "the empirical distribution of this learning sample and this fixed test sample",
            {"fixed-test-sample"},
        ),
    ],
)
def test_competition_and_real_world(scheme: str, conditional_on: str, codes: set[str]) -> None:
    # A test sample that is named is never resampled: where the scheme has no place for it, none is drawn.
    tasks = [TASK] if SCHEMES[scheme].needs_given_test else [ALONE]
    found = verdict(scheme, tasks=tasks)
    assert found.finding.procedure == "paired-permutation"
    assert found.finding.conditional_on == conditional_on
    apart = any(judged.apart for judged in found.decisions)
    assert {warning.code for warning in found.warnings} == codes | ({"many-draws"} if apart else set())


def test_folds_are_no_draws() -> None:
    scores = study(tasks=[ALONE], resampling={"scheme": "cross-validation", "folds": 5}).run()
    assert scores.problem is None
    assert judge(scores).finding.procedure == "corrected-t"
    assert judge(scores).finding.conditional_on == ""


def test_cross_validation_of_bootstrap_samples_is_a_draw_a_repeat() -> None:
    scores = study(tasks=[ALONE], resampling={"scheme": "bootstrap-cv", "folds": 3, "repeats": 8}).run()
    assert layout(scores).n_blocks == 8
    assert judge(scores).finding.conditional_on == "the empirical distribution of this learning sample"


STUDY = """
measures = ["error"]
seed = 3
[resampling]
scheme = "simulation"
repeats = 4
[[task]]
name = "mine"
generator = "{module}.draw"
parameters = {{ shift = 1.5 }}
n = 20
m = 15
[[task]]
data = "iris"
bootstrap = "parametric"
n = 40
m = 15
test = "fresh"
[[learner]]
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
path = "sklearn.dummy.DummyClassifier"
"""


def test_a_study_file_with_a_generator_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "shifted_law_17.py").write_text(
        "import numpy as np\n"
        "def draw(n, rng, shift):\n"
        "    y = rng.integers(0, 2, n)\n"
        "    return rng.standard_normal((n, 2)) + shift * y[:, None], np.where(y, 'yes', 'no')\n"
    )
    (tmp_path / "study.toml").write_text(STUDY.format(module="shifted_law_17"))
    asked = read_study(tmp_path / "study.toml")
    plan = asked.plan()
    assert [task.splits for task in plan.tasks] == [None, 4]
    assert "shifted_law_17" not in __import__("sys").modules
    summary = run_study(asked, tmp_path / "study.sqlite")
    assert (summary.ok, summary.failed) == (16, 0)
    again = read_study(tmp_path / "study.toml")
    assert run_study(again, tmp_path / "study.sqlite").stored_before == 16
    with Reader(tmp_path / "study.sqlite") as store:
        scores = scores_of(store, asked.key)
    assert scores.tasks == ("mine", "iris")
    bayes, majority = (scores.only(learners=[name]).value.mean() for name in ("GaussianNB", "DummyClassifier"))
    assert bayes < 0.25 < majority


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("n = 40", "n = 40\nnn = 4", r"task\[2\].*A task has no 'nn'"),
        ("repeats = 4", "repeats = 4\nfolds = 2", "'simulation' has no parameter 'folds'"),
        ('"parametric"', '"parametrc"', r"task\[2\].*Did you mean 'parametric'"),
        ('scheme = "simulation"', 'scheme = "simulated"', "Did you mean 'simulation'"),
        ('generator = "{module}.draw"', "generator = 3", r"task\[1\].*by its name or the import path"),
    ],
)
def test_mistakes_in_the_file(old: str, new: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace(old, new).format(module="law"))
    with pytest.raises(InputError, match=said):
        read_study(tmp_path / "study.toml")


def test_the_number_of_samples_is_no_part_of_the_task(matched: Scores) -> None:
    few, many = (study(resampling={"scheme": "simulation", "repeats": b}) for b in (3, 9))
    assert few.tasks[0].describe() == many.tasks[0].describe()
    assert few.key != many.key
    assert few.tasks[0].data_key() != many.tasks[0].data_key()
    assert replace(matched, problem=None).problem is None
