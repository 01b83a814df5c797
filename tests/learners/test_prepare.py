"""Inputs without any value, before learners that take missing numbers."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bakeoff.errors import UsageError
from bakeoff.learners.learner import DataInfo, Learner, Step
from bakeoff.learners.make import make
from bakeoff.learners.prepare import Preparation, preparation_of, preparation_sentence, transformer
from bakeoff.learners.wrappers import EmptyInputs

X = np.array([[1.0, np.nan, np.nan], [np.nan, np.nan, 2.0]])


def test_only_empty_inputs_are_filled_and_the_data_stay() -> None:
    before = X.copy()
    made = EmptyInputs().fit(X).transform(X)
    np.testing.assert_array_equal(made, [[1.0, 0.0, np.nan], [np.nan, 0.0, 2.0]])
    np.testing.assert_array_equal(X, before)


def test_what_the_learning_sample_lacked_is_nothing_in_the_test_sample_too() -> None:
    made = EmptyInputs().fit(X).transform(np.array([[5.0, 7.0, np.nan]]))
    np.testing.assert_array_equal(made, [[5.0, 0.0, np.nan]])


def test_a_table_stays_a_table() -> None:
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    made = EmptyInputs().fit(table).transform(table)
    assert list(made.columns) == ["a", "b", "c"]
    assert made["b"].tolist() == [0.0, 0.0]
    assert table["b"].isna().all()


@pytest.mark.parametrize("categories", [(), ("c",)])
@pytest.mark.parametrize("frame", [True, False])
def test_boosting_learns_beside_an_empty_input(categories: tuple[str, ...], frame: bool) -> None:
    path = f"{HistGradientBoostingClassifier.__module__}.HistGradientBoostingClassifier"
    learner = Learner("boosting", steps=(Step(path, {"max_iter": 2, "min_samples_leaf": 1}),))
    facts = DataInfo("t", "classification", 40, ("a", "b", "c"), categories, ("a", "b"), frame=frame)
    values = np.column_stack([np.arange(40.0), np.full(40, np.nan), np.arange(40) % 2])
    values[3, 0] = np.nan
    data = pd.DataFrame(values, columns=list("abc")) if frame else values
    fitted = make(learner, facts, 1).fit(data, (np.arange(40) >= 20).astype(int))
    assert fitted.predict(data).shape == (40,)


# ----------------------------------------------------------------------------------------------------------------------
# Preparing


MIXED = DataInfo("t", "classification", 4, ("age", "sex", "size"), ("sex",), ("age", "sex"), ("a", "b"), frame=True)
NUMBERS = DataInfo("t", "classification", 4, ("a", "b"), classes=("x", "y"))
GAPS = DataInfo("t", "classification", 4, ("a", "b"), missing=("b",), classes=("x", "y"))
FRAME = pd.DataFrame({"age": [1.0, np.nan, 3.0, 8.0], "sex": ["f", "m", None, "f"], "size": [10.0, 20.0, 30.0, 40.0]})


def learner(path: str = "sklearn.svm.SVC", prepare: str = "auto") -> Learner:
    return Learner("x", steps=(Step(path),), prepare=prepare)


def prepared(asked: Learner, facts: DataInfo, train: object, test: object) -> np.ndarray:
    made = transformer(preparation_of(asked, facts), facts)
    return np.asarray(made.fit(train).transform(test))


def test_complete_numbers_need_nothing() -> None:
    assert preparation_of(learner(), NUMBERS) == Preparation()
    assert transformer(Preparation(), NUMBERS) is None
    assert preparation_sentence(learner(), NUMBERS) == "none needed: complete numbers"


def test_numbers_get_the_median_of_the_learning_sample() -> None:
    train = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0], [4.0, 100.0]])
    test = np.array([[np.nan, np.nan]])
    assert prepared(learner(), GAPS, train, test).tolist() == [[2.5, 7.0]]


def test_an_input_without_any_value_stays() -> None:
    train = np.array([[1.0, np.nan], [2.0, np.nan]])
    assert prepared(learner(), GAPS, train, np.array([[5.0, 3.0]])).shape == (1, 2)


def test_categories_become_indicators_and_missing_is_one_of_them() -> None:
    found = prepared(learner(), MIXED, FRAME, FRAME)
    # age with its median 3, size; then f, m, missing
    assert found.tolist() == [[1, 10, 1, 0, 0], [3, 20, 0, 1, 0], [3, 30, 0, 0, 1], [8, 40, 1, 0, 0]]


def test_a_category_that_was_not_learned_is_all_zeros() -> None:
    unseen = pd.DataFrame({"age": [2.0, 2.0], "sex": ["x", None], "size": [5.0, 5.0]})
    assert prepared(learner(), MIXED, FRAME.iloc[:2], unseen)[:, 2:].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("prepare", ["auto-drop-first", "standard-drop-first"])
def test_the_indicator_of_the_first_category_can_be_left_out(prepare: str) -> None:
    """All of them add up to one, so that with them no covariance can be inverted."""
    whole = prepared(learner(prepare=prepare.partition("-")[0]), MIXED, FRAME, FRAME)
    fewer = prepared(learner(prepare=prepare), MIXED, FRAME, FRAME)
    n_numbers = len(MIXED.numeric)
    assert fewer.shape[1] == whole.shape[1] - len(MIXED.categorical)
    assert fewer[:, :n_numbers].tolist() == whole[:, :n_numbers].tolist()
    indicators = np.column_stack([np.ones(len(fewer)), fewer[:, n_numbers:]])
    assert np.linalg.matrix_rank(indicators) == indicators.shape[1], "none follows from the others"
    assert "indicators of all but the first (1 input)" in preparation_sentence(learner(prepare=prepare), MIXED)


def test_who_prepares_itself_has_no_indicator_left_out() -> None:
    one_r = learner("bakeoff.learners.one_r.OneR", "auto-drop-first")
    assert preparation_of(one_r, MIXED).nothing
    histograms = learner("sklearn.ensemble.HistGradientBoostingClassifier", "auto-drop-first")
    assert preparation_of(histograms, MIXED).drop_first
    assert not preparation_of(learner(prepare="auto-drop-first"), NUMBERS).drop_first


def test_quadratic_discriminant_analysis_needs_it() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=60), "c": rng.choice(["p", "q", "r"], 60)})
    y, facts = (
        rng.integers(0, 2, 60),
        DataInfo("t", "classification", 60, ("x", "c"), ("c",), classes=("0", "1"), frame=True),
    )
    qda = "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"
    make(learner(qda, "auto-drop-first"), facts, 1).fit(frame, y)
    with pytest.raises(np.linalg.LinAlgError):
        make(learner(qda), facts, 1).fit(frame, y)


def test_standard_standardises_numbers_only() -> None:
    found = prepared(learner(prepare="standard"), MIXED, FRAME, FRAME)
    assert found[:, :2].mean(axis=0) == pytest.approx([0, 0])
    assert found[:, :2].std(axis=0) == pytest.approx([1, 1])
    assert set(found[:, 2:].ravel()) == {0.0, 1.0}
    assert isinstance(transformer(preparation_of(learner(prepare="standard"), NUMBERS), NUMBERS), StandardScaler)


def test_categories_alone() -> None:
    facts = DataInfo("t", "classification", 4, ("sex",), ("sex",), (), ("a", "b"), frame=True)
    assert prepared(learner(prepare="standard"), facts, FRAME[["sex"]], FRAME[["sex"]]).shape == (4, 3)


def test_categories_of_an_array_are_found_by_position() -> None:
    facts = DataInfo("t", "classification", 3, ("colour", "size"), ("colour",), (), ("a", "b"))
    X = np.array([[7.0, 0.5], [9.0, 1.5], [7.0, 2.5]])
    assert prepared(learner(), facts, X, X).tolist() == [[0.5, 1, 0], [1.5, 0, 1], [2.5, 1, 0]]


def test_none_is_none() -> None:
    assert preparation_of(learner(prepare="none"), MIXED).nothing
    assert preparation_sentence(learner(prepare="none"), MIXED) == "none: prepare is none"


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {}),
        ColumnTransformer([]),
    ],
    ids=["pipeline", "search over a pipeline", "column transformer"],
)
def test_a_pipeline_object_is_the_users(estimator: object) -> None:
    assert preparation_of(Learner("x", estimator=estimator), MIXED).nothing
    assert "as it is" in preparation_sentence(Learner("x", estimator=estimator), MIXED)
    assert preparation_of(Learner("x", estimator=estimator, prepare="standard"), MIXED).scale


def test_an_object_without_a_pipeline_is_prepared() -> None:
    assert preparation_of(Learner("x", estimator=LogisticRegression()), MIXED) == Preparation(True, True)


def test_a_pipeline_of_a_study_file_is_prepared_unless_it_begins_with_that() -> None:
    pca = Learner("x", steps=(Step("sklearn.decomposition.PCA"), Step("sklearn.svm.SVC")))
    imputing = Learner("x", steps=(Step("sklearn.impute.KNNImputer"), Step("sklearn.svm.SVC")))
    assert preparation_of(pca, MIXED) == Preparation(True, True)
    assert preparation_of(imputing, GAPS).nothing
    assert "begins with KNNImputer" in preparation_sentence(imputing, GAPS)


def test_who_takes_missing_numbers_has_them() -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    by_path = learner("sklearn.ensemble.HistGradientBoostingClassifier")
    for boosted in (by_path, Learner("x", estimator=HistGradientBoostingClassifier())):
        made = preparation_of(boosted, MIXED)
        assert made.encode
        assert not made.impute
        found = np.asarray(transformer(made, MIXED).fit_transform(FRAME))
        assert np.isnan(found[1, 0])
        assert "takes missing numbers itself" in preparation_sentence(boosted, MIXED)


def test_who_takes_everything_gets_everything() -> None:
    assert preparation_of(learner("bakeoff.learners.one_r.OneR"), MIXED).nothing


def test_a_command_gets_empty_cells() -> None:
    assert "empty cell" in preparation_sentence(Learner("x", command=("perl",)), MIXED)


def test_unknown_data_and_unknown_words() -> None:
    assert "once the data are loaded" in preparation_sentence(learner(), None)
    with pytest.raises(UsageError, match="Did you mean 'standard'"):
        preparation_of(learner(prepare="standart"), NUMBERS)


def test_the_sentence_imports_no_scikit_learn() -> None:
    code = (
        "import sys; from bakeoff.learners.prepare import *; from bakeoff.learners.learner import *;"
        "from bakeoff.learners.learner import DataInfo;"
        "info = DataInfo('t', 'density', 3, ('a',));"
        "print(preparation_sentence(Learner('x', steps=(Step('sklearn.svm.SVC'),)), info));"
        "assert not {'sklearn', 'pandas', 'scipy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
