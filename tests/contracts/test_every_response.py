"""What holds for every response that is computed from predictions."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from predicted import classified, labelled, regressed

from bakeoff.keys import canonical_json
from bakeoff.measures.response import KINDS, Needs, Prediction, Response, Truth, Undefined
from bakeoff.measures.responses import COMPUTED, response_from

Example = tuple[Truth, Prediction]
DESCRIBED = [
    {"name": "cost", "loss_matrix": [[0, 1], [5, 0]]},
    {"name": "other order", "loss_matrix": [[0, 1], [5, 0]], "classes": ["b", "a"]},
    {"name": "mine", "measure": "recall"},
    "Sensitivity",
    {"name": "q95", "loss": "absolute_error", "functional": "q0.95"},
    {"name": "worst", "loss": "log_loss", "functional": "maximum"},
    "neg_log_loss",
    "neg_brier_score",
    "neg_root_mean_squared_error",
]
RESPONSES = [
    *(response for response in COMPUTED.values() if response.after_the_run),
    *(response_from(spec) for spec in DESCRIBED),
]


def some(responses: list[Response]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("response", responses, ids=lambda response: response.name)


every_response = some(RESPONSES)
MEASURED = [response for response in COMPUTED.values() if not response.after_the_run]
COUNTS = {"tp", "fp", "fn", "tn"}


def example(response: Response, seed: int, n: int = 12, k: int = 3, ties: bool = False) -> Example:
    if "regression" in response.kinds:
        return regressed(seed, n)
    if "density" in response.kinds:
        return Truth("density", np.zeros(n)), Prediction(np.random.default_rng(seed).normal(size=n))
    if response.kinds == ("multi-label",):
        return labelled(seed, n)
    return classified(seed, n, k if response.misfit("classification", tuple(range(k))) is None else 2, ties)


def outcome(response: Response, case: Example) -> float | str:
    try:
        return response.of(*case)
    except Undefined as reason:
        return str(reason)


def perfect(truth: Truth) -> Prediction:
    if truth.kind != "classification":
        return Prediction(truth.values)
    sure = np.eye(len(truth.classes))[truth.values]
    return Prediction(truth.values, sure[:, 1] if len(truth.classes) == 2 else sure, True)


@every_response
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(3, 30), k=st.integers(2, 3), ties=st.booleans())
def test_values_stay_in_the_range_and_do_not_depend_on_the_order_of_rows(
    response: Response, seed: int, n: int, k: int, ties: bool
) -> None:
    truth, prediction = example(response, seed, n, k, ties)
    value = outcome(response, (truth, prediction))
    rows = np.random.default_rng(seed).permutation(n)
    scores = None if prediction.scores is None else prediction.scores[rows]
    again = outcome(response, (truth.rows(rows), replace(prediction, values=prediction.values[rows], scores=scores)))
    if isinstance(value, str):
        assert value == again
    else:
        assert again == pytest.approx(value, rel=1e-12, abs=1e-12)
        assert response.measure.lower <= value <= response.measure.upper


@every_response
def test_nothing_is_better_than_perfection(response: Response) -> None:
    truth, prediction = example(response, 5)
    best = response.of(truth, perfect(truth)) if "density" not in response.kinds else inf
    if abs(response.measure.best) != inf and response.name not in COUNTS:
        assert best == pytest.approx(response.measure.best, abs=1e-12)
    assert response.measure.advantage(best, response.of(truth, prediction)) >= 0


@some([response for response in RESPONSES if response.pointwise is None])
def test_what_takes_all_rows_together_has_no_losses_of_rows(response: Response) -> None:
    with pytest.raises(Undefined, match="all test rows together"):
        response.losses(*example(response, 7))


@some([response for response in RESPONSES if response.pointwise is not None])
def test_losses_of_rows_average_to_the_response(response: Response) -> None:
    case = example(response, 7)
    losses = response.losses(*case)
    assert losses.shape == (12,)
    assert losses.dtype == float
    assert losses.mean() == pytest.approx(response.of(*case))


@every_response
def test_what_goes_to_a_worker_and_into_a_hash(response: Response) -> None:
    case = example(response, 11)
    copy = pickle.loads(pickle.dumps(response))
    assert copy == response
    assert copy.of(*case) == response.of(*case)
    described = response.describe()
    assert described["name"] == response.name
    assert canonical_json(described) == response.content
    assert response_from(described) == response, "a store keeps the description and makes the response again"


@pytest.mark.parametrize("response", [*MEASURED, response_from("jaccard"), response_from("inference time")])
def test_what_a_run_measures_is_described_as_well(response: Response) -> None:
    assert response_from(response.describe()) == response


@every_response
def test_predictions_are_not_changed(response: Response) -> None:
    truth, prediction = example(response, 13)
    for array in (truth.values, prediction.values, prediction.scores):
        if array is not None:
            array.setflags(write=False)
    response.of(truth, prediction)


@every_response
def test_one_row_has_a_value_or_a_reason(response: Response) -> None:
    truth, prediction = example(response, 17)
    row = np.array([0])
    scores = None if prediction.scores is None else prediction.scores[row]
    value = outcome(response, (truth.rows(row), replace(prediction, values=prediction.values[row], scores=scores)))
    if isinstance(value, str):
        assert value.endswith(".")
    else:
        assert response.measure.lower <= value <= response.measure.upper


@every_response
def test_no_rows_and_another_number_of_predictions_are_told(response: Response) -> None:
    truth, prediction = example(response, 19)
    with pytest.raises(Undefined, match="no test rows"):
        response.of(truth.rows(np.array([], dtype=int)), prediction)
    with pytest.raises(Undefined, match="12 test rows, but 11 predictions"):
        response.of(truth, replace(prediction, values=prediction.values[1:]))


@every_response
def test_other_kinds_of_tasks_are_told(response: Response) -> None:
    for kind in set(KINDS) - set(response.kinds):
        assert f"not of {kind}" in (response.misfit(kind) or "")
        with pytest.raises(Undefined, match=f"not of {kind}"):
            response.of(Truth(kind, np.zeros(2)), Prediction(np.zeros(2)))


def with_nan(prediction: Prediction) -> Prediction:
    if prediction.scores is None:
        values = prediction.values.copy()
        values[3] = np.nan
        return replace(prediction, values=values)
    scores = prediction.scores.copy()
    scores[3] = np.nan
    return replace(prediction, scores=scores)


@some([r for r in RESPONSES if r.needs is not Needs.LABELS])
@pytest.mark.parametrize("spoil", [with_nan, lambda p: replace(p, values=p.values[:0])])
def test_not_a_number_never_becomes_one(response: Response, spoil: Callable[[Prediction], Prediction]) -> None:
    truth, prediction = example(response, 23)
    with pytest.raises(Undefined):
        response.of(truth, spoil(prediction))
    if response.pointwise is not None:
        with pytest.raises(Undefined):
            response.losses(truth, spoil(prediction))


@some([r for r in RESPONSES if r.needs in (Needs.SCORES, Needs.PROBABILITIES)])
def test_scores_that_are_missing_or_of_another_sort_are_told(response: Response) -> None:
    truth, prediction = classified(3, 20, 3)
    with pytest.raises(Undefined, match="labels only"):
        response.of(truth, replace(prediction, scores=None))
    assert prediction.scores is not None
    with pytest.raises(Undefined, match="have the shape"):
        response.of(truth, replace(prediction, scores=prediction.scores[:, 1:]))
    log_odds = replace(prediction, scores=20 * prediction.scores - 10, probabilistic=False)
    if response.needs is Needs.SCORES:  # the order is all that counts
        assert response.of(truth, log_odds) == pytest.approx(response.of(truth, prediction))
    else:
        with pytest.raises(Undefined, match="decision function"):
            response.of(truth, log_odds)
        with pytest.raises(Undefined, match="between 0 and 1"):
            response.of(truth, replace(log_odds, probabilistic=True))
