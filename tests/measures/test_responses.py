"""From what a user writes to a response."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from predicted import classified, regressed, two
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

from bakeoff.errors import UsageError
from bakeoff.measures import KNOWN
from bakeoff.measures.by_kind import confusion_of
from bakeoff.measures.curves import risk
from bakeoff.measures.response import KINDS, Needs, Prediction, Truth, Undefined
from bakeoff.measures.responses import COMPUTED, SCORERS, ScorerInput, evaluate, load_scorer, response_from, score_with
from bakeoff.tasks.dataset import Kind

# Catalogue D1, D3, D5, D6 and D7.
PROMISED = """
error accuracy balanced_accuracy tp_rate recall sensitivity fp_rate fn_rate precision specificity f1 f1_macro f1_micro
f1_weighted mcc kappa auc average_precision brier log_loss squared_error rmse absolute_error r2 mape spearman
log_likelihood reward fit_time predict_time fit_cpu predict_cpu peak_memory model_size parameters
"""


@pytest.mark.parametrize("name", PROMISED.split())
def test_every_promised_name_is_a_response_under_that_name(name: str) -> None:
    response = response_from(name)
    assert response.name == name
    assert response.needs is not Needs.ESTIMATOR
    assert response.describe()["measure"] in COMPUTED


@pytest.mark.parametrize("name", COMPUTED)
def test_direction_and_range_are_those_of_the_known_measure(name: str) -> None:
    assert COMPUTED[name].measure == KNOWN[name]


def test_another_name_is_the_same_measure() -> None:
    truth, prediction = classified(0, 30, 2)
    other = response_from("ROC-AUC", "classification")
    assert other.name == "ROC-AUC"
    assert other.measure.larger_is_better
    assert other.describe() == {"name": "ROC-AUC", "measure": "auc"}
    assert other.of(truth, prediction) == response_from("auc").of(truth, prediction)


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("neg_log_loss", "log_loss"),
        ("neg_mean_squared_error", "squared_error"),
        ("neg_root_mean_squared_error", "rmse"),
        ("neg_max_error", "max_error"),
    ],
)
def test_losses_with_their_sign_turned_come_from_predictions_too(name: str, loss: str) -> None:
    turned, straight = response_from(name), response_from(loss)
    case = classified(1, 20, 3) if "classification" in turned.kinds else regressed(1, 20)
    assert turned.measure.larger_is_better
    assert turned.measure.upper == 0
    assert turned.of(*case) == pytest.approx(-straight.of(*case))


@pytest.mark.parametrize("kind", Kind)
def test_kinds_are_those_of_tasks(kind: Kind) -> None:
    assert kind in KINDS
    assert any(response.misfit(kind) is None for response in COMPUTED.values())
    assert response_from("fit_time", kind).of_resources({"fit_time": 2}) == 2


def test_a_response_passes_as_it_is() -> None:
    response = response_from("error")
    assert response_from(response, "classification") is response
    with pytest.raises(UsageError, match="not of regression"):
        response_from(response, "regression")


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("eror", None, r"^There is no measure 'eror'\. Did you mean 'error'\? Known are: absolute_error, .*scorers\.$"),
        ("qqq", None, r"^There is no measure 'qqq'\. Known are: absolute_error"),
        ("roc_auc_ovr_weigthed", None, r"Did you mean '\w*auc_ovr_weighted'\?"),
        (
            "bleu",
            None,
            r"'bleu' is known, so that scores of it can be compared, but it is not computed .* Computed are",
        ),
        ("pr_auc", None, r"not computed from predictions"),
        ("rmse", "classification", r"'rmse' is a measure of regression, not of classification\. Measures of class"),
        ("error", "density", r"Measures of density are: fit_cpu, fit_time, log_likelihood, .*reward\.$"),
        ("error", "clasification", r"no kind of task 'clasification'\. Did you mean 'classification'\?"),
        (3, None, r"a name, a table or a scorer of scikit-learn; found 3\."),
        (None, None, r"found None"),
    ],
)
def test_mistakes_are_told(spec: object, kind: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        response_from(spec, kind)  # type: ignore[arg-type]


def test_nothing_heavy_is_imported_for_a_description() -> None:
    code = (
        "import sys; from bakeoff.measures.responses import response_from; import bakeoff.measures.responses\n"
        "for spec in ('auc', 'jaccard', {'name': 'p', 'scorer': 'no.such.module'}): response_from(spec).describe()\n"
        "print({'sklearn', 'pandas', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "set()"


# ----------------------------------------------------------------------------------------------------------------------
# Measures that a study file describes in a table.


COSTS = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


@given(st.integers(0, 1000))
def test_the_risk_is_that_of_the_confusion_matrix(seed: int) -> None:
    truth, prediction = classified(seed, 20, 3)
    response = response_from({"name": "cost", "loss_matrix": COSTS}, "classification", truth.classes)
    assert response.of(truth, prediction) == pytest.approx(risk(confusion_of(truth, prediction)[1], COSTS))


def test_rows_are_true_classes_and_smaller_is_better() -> None:
    response = response_from({"name": "cost", "loss_matrix": [[0, 1], [5, 0]]})
    assert response.of(*two("01", "11")) == 0.5
    assert response.of(*two("01", "00")) == 2.5
    assert response.losses(*two("0110", "1010")).tolist() == [1, 5, 0, 0]
    assert (response.measure.better, response.measure.lower, response.measure.upper) == ("smaller", 0, 5)


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "a", "b")])
def test_classes_may_stand_in_another_order(order: tuple[str, ...]) -> None:
    truth, prediction = classified(3, 25, 3)
    place = [truth.classes.index(label) for label in order]
    turned = np.array(COSTS)[np.ix_(place, place)].tolist()
    given_order = response_from({"name": "cost", "loss_matrix": turned, "classes": list(order)})
    plain = response_from({"name": "cost", "loss_matrix": COSTS})
    assert given_order.of(truth, prediction) == pytest.approx(plain.of(truth, prediction))


def test_labels_of_a_file_are_the_labels_of_the_data_in_other_types() -> None:
    response = response_from({"name": "cost", "loss_matrix": [[0, 1], [5, 0]], "classes": [2, 1]})
    truth = Truth("classification", np.array([0, 1]), (np.int64(1), np.int64(2)))
    assert response.losses(truth, Prediction(np.array([1, 0]))).tolist() == [5, 1]


@pytest.mark.parametrize(
    ("classes", "labels", "message"),
    [
        (("a", "b", "c"), None, r"'cost' is for 2 classes; the task has 3: 'a', 'b', 'c'\."),
        (
            ("a", "b"),
            ["a", "x"],
            r"'cost' has a cost for the class 'x', which the task has not\. Its classes: 'a', 'b'",
        ),
    ],
)
def test_a_matrix_for_other_classes(classes: tuple[str, ...], labels: Any, message: str) -> None:
    table = {"name": "cost", "loss_matrix": [[0, 1], [5, 0]]} | ({"classes": labels} if labels else {})
    assert response_from(table, "classification").name == "cost"
    with pytest.raises(UsageError, match=message):
        response_from(table, "classification", classes)
    truth = Truth("classification", np.zeros(2, dtype=int), classes)
    with pytest.raises(Undefined, match=message):
        response_from(table).of(truth, Prediction(truth.values))


@pytest.mark.parametrize(
    ("by", "expected"),
    [("mean", 3.75), ("median", 2.5), ("maximum", 9.0), ("q0.95", 9.0), ("q0.5", 2.0), ("50 %", 2.0)],
)
def test_functionals_of_a_loss(by: str, expected: float) -> None:
    response = response_from({"name": "mine", "loss": "mae", "functional": by}, "regression")
    truth, prediction = Truth("regression", np.zeros(4)), Prediction(np.array([1.0, -2.0, 3.0, 9.0]))
    assert response.of(truth, prediction) == expected
    assert (response.pointwise is None) == (by != "mean")
    assert response.describe() == {"name": "mine", "loss": "absolute_error", "functional": by}
    assert response.measure.better == "smaller"


def test_the_quantile_is_the_ceiling_of_qm_th_loss() -> None:
    truth, prediction = regressed(1, 41)
    found = response_from({"name": "q95", "loss": "absolute_error", "functional": "q0.95"}).of(truth, prediction)
    assert found == np.sort(np.abs(truth.values - prediction.values))[39 - 1]  # ⌈0.95 · 41⌉ = 39


def test_a_functional_keeps_the_direction_and_the_needs_of_its_loss() -> None:
    worst = response_from({"name": "least", "loss": "log_likelihood", "functional": "q0"})
    assert worst.measure.larger_is_better
    assert worst.of(Truth("density", np.zeros(2)), Prediction(np.array([-1.0, -5.0]))) == -5
    with pytest.raises(Undefined, match="labels only"):
        response_from({"name": "m", "loss": "log_loss", "functional": "median"}).of(*two("01", "01"))


def test_a_name_alone_is_the_measure_of_that_name() -> None:
    assert response_from({"name": "error"}) == response_from("error")


@pytest.mark.parametrize(
    ("scorer", "like"), [("roc_auc_ovr", "auc_ovr"), ("neg_log_loss", "neg_log_loss"), ("f1", "f1")]
)
def test_a_scorer_that_is_a_measure_of_ours_needs_no_estimator(scorer: str, like: str) -> None:
    response = response_from({"name": "mine", "scorer": scorer})
    assert response.after_the_run
    assert response.measure.larger_is_better
    assert response.describe() == {"name": "mine", "measure": like}
    assert response == response_from({"name": "mine", "measure": like})
    case = classified(2, 20, 2)
    assert response.of(*case) == response_from(like).of(*case)


def test_an_error_is_an_error_under_any_name() -> None:
    assert response_from({"name": "wrong", "scorer": "error"}).measure.better == "smaller"
    with pytest.raises(UsageError, match="'mine' is defined for two classes"):
        response_from({"name": "mine", "scorer": "f1"}, "classification", ("a", "b", "c"))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"loss_matrix": COSTS}, "needs a name of its own"),
        ({"name": "", "loss_matrix": COSTS}, "needs a name of its own"),
        ({"name": 3, "loss_matrix": COSTS}, "needs a name of its own"),
        ({"name": "x", "loss_matrix": COSTS, "loss": "error"}, "has both loss_matrix and loss; say one"),
        ({"name": "x", "los": "error"}, r"cannot have 'los'\. Did you mean 'loss'\?"),
        ({"name": "x", "loss": "error", "classes": ["a"]}, r"cannot have 'classes'\. .*functional, loss, name"),
        ({"name": "error", "loss_matrix": COSTS}, "'error' is a measure of its own already"),
        ({"name": "error", "measure": "auc"}, "'error' is a measure of its own already. Choose another name for auc"),
        ({"name": "x", "measure": "acuracy"}, "computed here; found 'acuracy'. Did you mean 'accuracy'"),
        ({"name": "x", "measure": ["auc"]}, "computed here; found"),
        ({"name": "x", "measure": "jaccard"}, "computed here; found 'jaccard'"),
        ({"name": "MSE", "loss": "absolute_error"}, "'MSE' is a measure of its own already"),
        ({"name": "x", "loss_matrix": [[0, 1]]}, r"'x': 'loss_matrix' must have at least 2 rows"),
        ({"name": "x", "loss_matrix": [[0, 1, 2], [1, 0, 2]]}, r"a row and a column for each class.*\(2, 3\)"),
        ({"name": "x", "loss_matrix": [[0, 1], [1]]}, "must be a table of numbers"),
        ({"name": "x", "loss_matrix": [[0, "a"], [1, 0]]}, "must be a table of numbers"),
        ({"name": "x", "loss_matrix": [[0, float("nan")], [1, 0]]}, "finite number; found nan in row 1, column 2"),
        ({"name": "x", "loss_matrix": 5}, "at least 2 rows"),
        ({"name": "x", "loss_matrix": COSTS, "classes": ["a", "b"]}, "must be 3 different labels"),
        ({"name": "x", "loss_matrix": COSTS, "classes": ["a", "b", "b"]}, "must be 3 different labels"),
        ({"name": "x", "loss_matrix": COSTS, "classes": "abc"}, "a list of labels"),
        ({"name": "x", "loss": "auc"}, "a loss that has a value for each test row; found 'auc'"),
        ({"name": "x", "loss": "absolut_error"}, "Did you mean 'absolute_error'"),
        ({"name": "x", "loss": 4}, "found 4"),
        ({"name": "x", "loss": "error", "functional": "mode"}, "'x': There is no functional 'mode'"),
        ({"name": "x", "loss": "error", "functional": "q1.5"}, "'x': A quantile is taken at a share between 0 and 1"),
        (
            {"name": "x", "scorer": "error", "larger_is_better": True},
            "of which smaller is better; larger_is_better says",
        ),
        ({"name": "x", "loss": "error", "functional": 0.95}, "such as 'median' or 'q0.95'; found 0.95"),
    ],
)
def test_mistakes_in_a_table_are_told(table: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        response_from(table)


# ----------------------------------------------------------------------------------------------------------------------
# All responses of a cell at once.


ASKED = ("error", "auc", "precision", "fit_time", "model_size")


def half(estimator: Any, X: Any, y: Any) -> float:
    return 0.5 * estimator


def test_a_value_or_a_reason_for_each() -> None:
    truth, prediction = two("0011", "0000", [0.1, 0.2, 0.3, 0.4])
    found = evaluate([response_from(name) for name in ASKED], truth, prediction, {"fit_time": 0.25})
    assert found.values == {"error": 0.5, "auc": 1.0, "fit_time": 0.25}
    assert set(found.undefined) == {"precision", "model_size"}
    assert not set(found.values) & set(found.undefined)


def test_after_the_run_only_predictions_are_there() -> None:
    found = evaluate([response_from(name) for name in (*ASKED, "jaccard")], *two("0011", "0101"))
    assert found.values == {"error": 0.5, "precision": 0.5}
    assert "labels only" in found.undefined["auc"]
    assert "before it is run" in found.undefined["fit_time"]
    assert "fitted estimator" in found.undefined["jaccard"]


def test_scorers_read_what_was_fitted() -> None:
    asked = [response_from(half), response_from({"name": "gone", "scorer": "bakeoff.no_such_module.score"})]
    found = evaluate(asked, *two("01", "01"), {}, ScorerInput(3, [[1], [2]], ["a", "b"]))
    assert found.values == {"half": 1.5}
    assert "the module 'bakeoff' has no 'no_such_module'" in found.undefined["gone"]


def test_codes_that_are_none_are_a_reason() -> None:
    truth, _ = two("01", "01")
    found = evaluate([response_from("f1")], truth, Prediction(np.array([0, 7])))
    assert "found 0 to 7" in found.undefined["f1"]


@pytest.mark.parametrize("names", [(), ("error",)])
def test_nothing_is_computed_that_was_not_asked_for(names: tuple[str, ...]) -> None:
    found = evaluate([response_from(name) for name in names], *two("01", "00"), {"fit_time": 1})
    assert tuple(found.values) == names


# ----------------------------------------------------------------------------------------------------------------------
# Scorers of scikit-learn, of the user, and what is no scorer.


X = np.array([[0.0], [1.0], [2.0], [3.0], [1.5], [0.5]])
Y = np.array(["no", "no", "yes", "yes", "yes", "no"])


@pytest.fixture(scope="module")
def model() -> Any:
    return LogisticRegression().fit(X, Y)


def share_of_yes(estimator: Any, X: Any, y: Any) -> float:
    return float(np.mean(estimator.predict(X) == "yes"))


def raises(estimator: Any, X: Any, y: Any) -> float:
    raise ZeroDivisionError("nothing there")


def many(estimator: Any, X: Any, y: Any) -> Any:
    return {"a": 1}


def not_a_number(estimator: Any, X: Any, y: Any) -> float:
    return float("nan")


def error(estimator: Any, X: Any, y: Any) -> float:
    return 0.0


def metric(y_true: Any, y_pred: Any) -> float:
    return 0.0


def test_the_names_are_those_of_scikit_learn() -> None:
    assert set(SCORERS) <= set(metrics.get_scorer_names())


@pytest.mark.parametrize("name", SCORERS)
def test_every_name_is_a_measure_of_which_larger_is_better(name: str) -> None:
    response = response_from(name, SCORERS[name])
    assert response.name == name
    assert response.measure.larger_is_better


def test_a_scorer_by_name(model: Any) -> None:
    response = response_from("jaccard_macro", "classification")
    assert response.needs is Needs.ESTIMATOR
    assert score_with(response, model, X, Y) == metrics.get_scorer("jaccard_macro")(model, X, Y)
    with pytest.raises(UsageError, match="'jaccard_macro' is a measure of classification, not of regression"):
        response_from("jaccard_macro", "regression")


def test_a_scorer_as_an_object(model: Any) -> None:
    scorer = metrics.make_scorer(metrics.fbeta_score, beta=2, pos_label="yes")
    response = response_from(scorer, "classification")
    assert response.name == "fbeta_score"
    assert score_with(response, model, X, Y) == scorer(model, X, Y)
    assert response.describe()["scorer"] == {
        "function": {"name": "sklearn.metrics._classification.fbeta_score"},
        "arguments": {"beta": 2, "pos_label": "yes"},
        "sign": 1,
        "response": "predict",
    }
    other = response_from(metrics.make_scorer(metrics.fbeta_score, beta=3, pos_label="yes"))
    assert other != response
    copy = pickle.loads(pickle.dumps(response))
    assert score_with(copy, model, X, Y) == scorer(model, X, Y)


def test_a_loss_made_into_a_scorer_has_its_sign_in_the_name() -> None:
    response = response_from(metrics.make_scorer(metrics.hamming_loss, greater_is_better=False))
    assert response.name == "neg_hamming_loss"
    assert response.measure.larger_is_better


def test_a_function_of_the_user(model: Any) -> None:
    response = response_from({"name": "yes", "scorer": share_of_yes, "larger_is_better": False})
    assert response.measure.better == "smaller"
    assert score_with(response, model, X, Y) == pytest.approx(0.5)
    assert response_from(share_of_yes).name == "share_of_yes"


def test_an_import_path_is_imported_when_it_is_needed(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    response = response_from({"name": "profit", "scorer": "bakeoff_user_scores.profit"})
    with pytest.raises(UsageError, match=r"scorer: there is no module 'bakeoff_user_scores'"):
        score_with(response, model, X, Y)
    (tmp_path / "bakeoff_user_scores.py").write_text("def profit(estimator, X, y):\n    return len(y)\nlevel = 3\n")
    assert score_with(response, model, X, Y) == 6
    for attribute, message in (
        ("level", "which cannot be called. Expected is the import path of a function"),
        ("los", "has no 'los'"),
    ):
        with pytest.raises(UsageError, match=message):
            load_scorer(f"bakeoff_user_scores.{attribute}")


def test_a_scorer_of_scikit_learn_under_another_name(model: Any) -> None:
    response = response_from({"name": "mine", "scorer": "jaccard_weighted"})
    assert score_with(response, model, X, Y) == metrics.get_scorer("jaccard_weighted")(model, X, Y)
    late = response_from({"name": "mine", "scorer": "jacard"})  # another version may know it; a run will tell
    with pytest.raises(UsageError, match=r"no scorer 'jacard'\. Did you mean 'jaccard'"):
        score_with(late, model, X, Y)


@pytest.mark.parametrize(
    ("scorer", "reason"),
    [
        (raises, "The scorer raised ZeroDivisionError: nothing there"),
        (many, r"returned \{'a': 1\}, which is not a number"),
        (not_a_number, "returned nan"),
    ],
)
def test_what_a_scorer_may_do(scorer: Any, reason: str, model: Any) -> None:
    with pytest.raises(Undefined, match=reason):
        score_with(response_from(scorer), model, X, Y)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (metrics.hamming_loss, r"must take \(estimator, X, y\); .* sklearn.metrics.make_scorer"),
        (metric, "must take"),
        ({"name": "x", "scorer": metric}, "'x' must take"),
        (lambda estimator, X, y: 0.0, "lambda or a local function"),
        (error, "it is known that smaller is better, but this scorer says the opposite"),
        ({"name": "x", "scorer": "two words"}, "import path of a function .* found 'two words'"),
        ({"name": "x", "scorer": "a..b"}, "found 'a..b'"),
        ({"name": "x", "scorer": 3}, "an import path or a callable; found 3"),
        ({"name": "x", "scorer": "a.b", "larger_is_better": "yes"}, "is true or false; found 'yes'"),
    ],
)
def test_what_is_no_scorer(spec: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        response_from(spec)
