"""Studies of the three problems: simulation, competition, real world; run, stored, judged."""

from __future__ import annotations

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

from bakeoff import Study, advise, judge, simulated
from bakeoff.errors import InputError, UsageError
from bakeoff.judging import Verdict
from bakeoff.resampling.simulation import Simulation
from bakeoff.scores import Scores, blocks, layout
from bakeoff.stores.progress import progress
from bakeoff.stores.reader import Reader
from bakeoff.stores.scores import scores_of
from bakeoff.studies.conducting import conduct
from bakeoff.studies.file import read_study
from bakeoff.studies.simulated import bound, is_independent
from bakeoff.studies.stored import stored_already
from bakeoff.tasks.task import as_task

LINEAR = LinearRegression(fit_intercept=False)
QUADRATIC = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression(fit_intercept=False))
TASK = simulated("nested-models", n=25, m=40, parameters={"beta2": 0.05})


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
    text = advise(matched).to_text()
    assert "12 learning samples drawn from the generator nested-models" in text
    assert re.search(r"corrected-t: it makes up for training sets that overlap", text)


def test_an_independent_design(tmp_path: Path) -> None:
    asked = study(resampling={"scheme": "simulation", "repeats": 6, "independent": True})
    assert is_independent(asked.resampling)
    plan = asked.plan()
    assert (plan.cells, plan.fits) == (12, 12)
    summary = conduct(asked, tmp_path / "s.sqlite")
    assert (summary.cells, summary.ok, summary.left) == (12, 12, 0)
    assert conduct(asked, tmp_path / "s.sqlite").ok == 0
    with Reader(tmp_path / "s.sqlite") as store:
        scores = scores_of(store, asked.key)
        found = progress(store, asked.key)
        assert stored_already(asked, store)[0] == 12
    assert [(part.cells, part.ok, part.left) for part in found.parts] == [(6, 6, 0)] * 2
    assert scores.independent
    assert not any("not run yet" in note for note in scores.notes)
    values = by_hand(asked, [LINEAR, QUADRATIC])  # twelve samples: each learner has every second
    for column, name in enumerate(("linear", "quadratic")):
        own = scores.only(learners=[name])
        assert own.value == pytest.approx(values[column::2, column], rel=1e-9)
        assert list(own.repeat.values()) == list("123456")
    assert not layout(scores).matched
    assert layout(scores).complete
    assert judge(scores).finding.procedure == "independent-permutation"


def test_learners_in_another_order_share_the_store_and_keep_their_own_samples(tmp_path: Path) -> None:
    independent = {"scheme": "simulation", "repeats": 3, "independent": True}
    first = study(resampling=independent)
    other = study(resampling=independent, learners={"quadratic": QUADRATIC, "linear": LINEAR})
    for asked in (first, other, first):
        conduct(asked, tmp_path / "s.sqlite")
    values = by_hand(first, [LINEAR, QUADRATIC])
    with Reader(tmp_path / "s.sqlite") as store:
        for asked, place in ((first, 0), (other, 1)):
            scores = scores_of(store, asked.key)
            assert len(scores) == 6
            assert scores.only(learners=["linear"]).value == pytest.approx(values[place::2, 0], rel=1e-9)
            assert progress(store, asked.key).cells == 6


def test_data_sets_do_not_go_with_a_simulation() -> None:
    with pytest.raises(UsageError, match=r"'simulation' draws its learning samples, and task 'iris' is a data set"):
        study(tasks=["iris"])
    tasks = (as_task("iris", "iris"), TASK)
    assert bound(tasks, None, 1, 2)[0] is tasks[0]
    assert bound((TASK,), Simulation(7), 3, 2)[0].load().draws.count == 7


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
    found = verdict(scheme)
    assert found.finding.procedure == "paired-permutation"
    assert found.finding.conditional_on == conditional_on
    apart = any(judged.apart for judged in found.decisions)
    assert {warning.code for warning in found.warnings} == codes | ({"many-draws"} if apart else set())


def test_folds_are_no_draws() -> None:
    scores = study(resampling={"scheme": "cross-validation", "folds": 5}).run()
    assert scores.problem is None
    assert judge(scores).finding.procedure == "corrected-t"
    assert judge(scores).finding.conditional_on == ""


def test_cross_validation_of_bootstrap_samples_is_a_draw_a_repeat() -> None:
    scores = study(resampling={"scheme": "bootstrap-cv", "folds": 3, "repeats": 8}).run()
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
    summary = conduct(asked, tmp_path / "study.sqlite")
    assert (summary.ok, summary.failed) == (16, 0)
    again = read_study(tmp_path / "study.toml")
    assert conduct(again, tmp_path / "study.sqlite").stored_before == 16
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
