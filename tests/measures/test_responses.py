"""From what a user writes to a response."""

from __future__ import annotations

import subprocess
import sys

import pytest
from predicted import classified, regressed

from bakeoff.errors import UsageError
from bakeoff.measures import KNOWN
from bakeoff.measures.response import KINDS, Needs
from bakeoff.measures.responses import COMPUTED, response_from
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
        "import sys; from bakeoff.measures.responses import response_from; import bakeoff.measures.evaluating\n"
        "for spec in ('auc', 'jaccard', {'name': 'p', 'scorer': 'no.such.module'}): response_from(spec).describe()\n"
        "print({'sklearn', 'pandas', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "set()"
