"""From what a user writes to a response: a name, a table of a study file, or a scorer of scikit-learn.

Names are looked for among the responses that are computed here, then among the names of scikit-learn's scorers. The
first come from stored predictions and can be asked for after the run; the second need the fitted estimator.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from bakeoff.errors import BakeoffError, UsageError, nearest, suggestion
from bakeoff.importing import imported
from bakeoff.keys import canonical_json
from bakeoff.keys import canonical_value as as_json
from bakeoff.mathematics.checks import number_table
from bakeoff.measures import by_kind
from bakeoff.measures.measure import KNOWN, Measure, canonical_name, functional, known_measure, normalise_name
from bakeoff.measures.response import (
    KINDS,
    NO_WEIGHTS,
    Array,
    Needs,
    Prediction,
    Response,
    Truth,
    Undefined,
    shown,
)

Spec = str | Mapping[str, Any] | Callable[..., Any]

_NEEDS_KIND = {
    Needs.LABELS: ("classification",),
    Needs.SCORES: ("classification",),
    Needs.PROBABILITIES: ("classification",),
    Needs.NUMBERS: ("regression",),
    Needs.LOG_DENSITIES: ("density",),
    Needs.RESOURCES: KINDS,
}


_OF_LABELS_ALONE = ("hamming_loss",)
_OF_LABELS_TOO = (
    "error", "accuracy", "auc", "average_precision", "brier", "log_loss",
    *(f"{name}_{average}" for name in ("precision", "recall", "f1") for average in ("macro", "micro", "weighted")),
)  # fmt: skip


def _computed() -> dict[str, Response]:
    """Every response that is computed here, by the canonical name of its measure."""
    responses: dict[str, Response] = {}

    def add(name: str, needs: Needs, note: str = "", **how: Any) -> None:
        kinds = ("multi-label",) if name in _OF_LABELS_ALONE else _NEEDS_KIND[needs]
        kinds = (*kinds, "multi-label") if name in _OF_LABELS_TOO else kinds
        responses[name] = Response(
            KNOWN[name], needs, kinds, canonical_json({"name": name, "measure": name}), note, **how
        )

    def mean(name: str, needs: Needs, pointwise: Callable[[Truth, Prediction], Array], note: str = "") -> None:
        add(name, needs, note, pointwise=pointwise)

    mean("error", Needs.LABELS, by_kind.error, "of several labels: not all of them right")
    mean("accuracy", Needs.LABELS, by_kind.accuracy, "of several labels: all of them right (exact match)")
    mean("hamming_loss", Needs.LABELS, by_kind.hamming_loss, "share of the labels of a row that are wrong")
    _add_label_responses(add)
    _add_score_responses(add)
    mean("brier", Needs.PROBABILITIES, by_kind.brier, "half the sum over the classes")
    mean("log_loss", Needs.PROBABILITIES, by_kind.log_loss, "in nats; at most 36 a row")
    mean("squared_error", Needs.NUMBERS, by_kind.squared_error)
    mean("absolute_error", Needs.NUMBERS, by_kind.absolute_error)
    mean("mape", Needs.NUMBERS, by_kind.percentage_error, "as a share; undefined if a true value is 0")
    for name in ("rmse", "median_absolute_error", "max_error", "r2", "explained_variance", "pearson", "spearman"):
        add(name, Needs.NUMBERS, compute=getattr(by_kind, name))
    mean("log_likelihood", Needs.LOG_DENSITIES, by_kind.values, "mean log density of the test rows")
    mean("reward", Needs.LOG_DENSITIES, by_kind.values, "mean of what the learner's score_samples gives")
    for name, note in {
        "fit_time": "seconds", "predict_time": "seconds", "fit_cpu": "seconds of CPU time",
        "predict_cpu": "seconds of CPU time", "peak_memory": "bytes", "model_size": "bytes of the fitted model",
        "parameters": "free parameters of the fitted model",
    }.items():  # fmt: skip
        add(name, Needs.RESOURCES, note, resource=name)
    return responses


def _add_label_responses(add: Callable[..., None]) -> None:
    recall = "balanced_accuracy or recall_macro"
    for name, instead in {
        "recall": recall, "precision": "precision_macro, _micro or _weighted", "f1": "f1_macro, _micro or _weighted",
        "specificity": recall, "fp_rate": recall, "fn_rate": recall,
        "tp": "error", "fp": "error", "fn": "error", "tn": "error",
    }.items():  # fmt: skip
        how = partial(by_kind.two_class, name="tp_rate" if name == "recall" else name)
        admits = partial(by_kind.needs_two_classes, name=name, instead=instead)
        add(name, Needs.LABELS, "the second class is the positive one", compute=how, admits=admits)
    for name in ("precision", "recall", "f1"):
        for average, note in {
            "macro": "each class against the rest, or each label; they count alike",
            "micro": "all rows together; of classes the same as accuracy",
            "weighted": "each class against the rest, or each label, weighted by its rows",
        }.items():
            add(f"{name}_{average}", Needs.LABELS, note, compute=partial(by_kind.averaged, name=name, average=average))
    add(
        "balanced_accuracy",
        Needs.LABELS,
        "mean recall of the classes that occur",
        compute=partial(by_kind.averaged, name="recall", average="macro"),
    )
    add("mcc", Needs.LABELS, compute=by_kind.mcc)
    add("kappa", Needs.LABELS, compute=by_kind.kappa)


def _add_score_responses(add: Callable[..., None]) -> None:
    pairs = "K > 2: mean over pairs of classes"
    rest = "K > 2: mean of each class against the rest"
    add("auc", Needs.SCORES, f"ties count half; {pairs}; labels: their mean", compute=by_kind.auc)
    add("auc_ovo", Needs.SCORES, f"{pairs} (Hand and Till)", compute=by_kind.auc_ovo)
    add("auc_ovo_weighted", Needs.SCORES, f"{pairs}, by rows", compute=partial(by_kind.auc_ovo, weighted=True))
    add("auc_ovr", Needs.SCORES, rest, compute=by_kind.auc_ovr)
    add("auc_ovr_weighted", Needs.SCORES, f"{rest}, by rows", compute=partial(by_kind.auc_ovr, weighted=True))
    add("average_precision", Needs.SCORES, rest, compute=by_kind.average_precision)


COMPUTED: dict[str, Response] = _computed()


def response_of(
    measure: Measure,
    needs: str,
    pointwise: Callable[[Truth, Prediction], Array] | None,
    compute: Callable[[Truth, Prediction], float] | None,
    note: str,
) -> Response:
    """How a measure from outside the package is computed from stored predictions."""
    stored = [each for each in Needs if each not in (Needs.RESOURCES, Needs.ESTIMATOR)]
    if (pointwise is None) == (compute is None) or needs not in stored:
        raise UsageError(
            f"To compute {measure.name!r} from predictions give one function of (truth, prediction): pointwise, with a "
            "value for each test row, or compute, with one for all of them; and say what of a prediction it needs: "
            f"{', '.join(stored)}."
        )
    kinds, content = _NEEDS_KIND[Needs(needs)], canonical_json({"name": measure.name, "measure": measure.name})
    by_row = None if pointwise is None else partial(_rows_from_outside, name=measure.name, function=pointwise)
    at_once = None if compute is None else partial(_number_from_outside, name=measure.name, function=compute)
    how: dict[str, Any] = {"pointwise": by_row, "compute": at_once, "function": pointwise or compute}
    return Response(measure, Needs(needs), kinds, content, note, **how)


def _number_from_outside(truth: Truth, prediction: Prediction, name: str, function: Callable[..., Any]) -> float:
    """What a function of the user's makes of all rows. What it raises becomes a reason: the predictions are good."""
    try:
        return float(function(truth, prediction))
    except BakeoffError:
        raise
    except Exception as error:
        raise _not_to_be_had(name, error) from error


def _rows_from_outside(truth: Truth, prediction: Prediction, name: str, function: Callable[..., Any]) -> Array:
    try:
        values = np.asarray(function(truth, prediction), dtype=np.float64)
    except BakeoffError:
        raise
    except Exception as error:
        raise _not_to_be_had(name, error) from error
    if values.shape not in ((len(truth.values),), truth.values.shape):
        raise Undefined(
            f"The function of {name} must return a value for each of {len(truth.values)} test rows; it returned an "
            f"array of shape {values.shape}."
        )
    return values


def _not_to_be_had(name: str, error: Exception) -> Undefined:
    """What a function of the user's raised, if it can be said."""
    text = ""
    with suppress(Exception):
        text = str(error).strip()
    return Undefined(f"The function of {name} raised {type(error).__name__}{f': {text}' if text else ''}")


# Scorers of scikit-learn that are a response of ours with its sign turned, so that they need no estimator.
_TURNED = {
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier",
    "neg_mean_squared_error": "squared_error",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "absolute_error",
    "neg_mean_absolute_percentage_error": "mape",
    "neg_median_absolute_error": "median_absolute_error",
    "neg_max_error": "max_error",
}


def response_from(spec: Spec | Response, kind: str | None = None, classes: tuple[Any, ...] | None = None) -> Response:
    """The response that is meant, if it exists for tasks of this kind and these classes (where they are known).

    >>> response_from("sensitivity", "classification").note
    'the second class is the positive one'
    >>> response_from({"name": "q95", "loss": "absolute_error", "functional": "q0.95"}).measure.better
    'smaller'
    >>> response_from("auc", "regression")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: 'auc' is a measure of classification and multi-label, not of regression. Measures of ...
    """

    if isinstance(spec, Response):
        response = spec
    elif isinstance(spec, str):
        response = _named(spec)
    elif isinstance(spec, Mapping):
        response = response_from_table(spec)
    elif callable(spec):
        response = response_from_callable(spec)
    else:
        raise UsageError(f"A measure is a name, a table or a scorer of scikit-learn; found {spec!r}.")
    if kind is not None and kind not in KINDS:
        raise UsageError(f"There is no kind of task {kind!r}. {nearest(str(kind), KINDS)}")
    if kind is not None and (reason := response.misfit(kind, classes)) is not None:
        others = ", ".join(sorted(name for name, other in COMPUTED.items() if kind in other.kinds))
        raise UsageError(reason if kind in response.kinds else f"{reason} Measures of {kind} are: {others}.")
    return response


def _named(name: str) -> Response:

    if (computed := computed_response(name)) is not None:
        return computed
    if name in SCORERS:
        return response_from_scorer_name(name)
    if canonical_name(name) is not None:
        raise UsageError(
            f"The measure {name!r} is known, so that scores of it can be compared, but it is not computed from "
            f"predictions here. Computed are: {', '.join(sorted(COMPUTED))}."
        )
    close = suggestion(normalise_name(name), [*COMPUTED, *SCORERS])
    raise UsageError(
        " ".join(
            part
            for part in (
                f"There is no measure {name!r}.",
                close,
                f"Known are: {', '.join(sorted(COMPUTED))}; and the names of scikit-learn's scorers.",
            )
            if part
        )
    )


def computed_response(name: str) -> Response | None:
    """The response that is computed here and has this name, here or elsewhere; it keeps the name the user wrote."""
    if normalise_name(name) in _TURNED:
        return _turned(name, COMPUTED[_TURNED[normalise_name(name)]])
    response = COMPUTED.get(canonical_name(name) or "")
    measure = known_measure(name)
    if response is None or measure is None or name == response.name:
        return response
    return renamed(response, measure)


def renamed(response: Response, measure: Measure) -> Response:
    """The same as a measure of another name."""
    admits = response.admits
    if isinstance(admits, partial) and "name" in admits.keywords:
        admits = partial(admits.func, **{**admits.keywords, "name": measure.name})
    content = canonical_json({**response.describe(), "name": measure.name})
    return replace(response, measure=measure, content=content, admits=admits)


def _turned(name: str, loss: Response) -> Response:
    measure = known_measure(name)
    assert measure is not None  # the table of known measures knows the losses by these names
    if loss.name == "brier":  # scikit-learn does not halve the sum over more than two classes
        loss = replace(loss, pointwise=by_kind.brier_not_halved)
        measure = replace(measure, lower=-2.0)
    return replace(
        loss,
        measure=measure,
        content=canonical_json({"name": name, "measure": normalise_name(name)}),
        note=f"{loss.name} with its sign turned, as scikit-learn's scorers have it",
        pointwise=None if loss.pointwise is None else partial(_negative_losses, loss=loss),
        compute=None if loss.compute is None else partial(_negative, loss=loss),
    )


def _negative(truth: Truth, prediction: Prediction, loss: Response) -> float:
    return -loss.of(truth, prediction)


def _negative_losses(truth: Truth, prediction: Prediction, loss: Response) -> Array:
    return -loss.losses(truth, prediction)


# ----------------------------------------------------------------------------------------------------------------------
# Scorers: functions of a fitted estimator and test data, as scikit-learn defines them. Larger is better.
#
# Nothing is imported before a score is computed: a study that is only read or planned runs no code of its user.


_OF_CLASSES = """
accuracy average_precision balanced_accuracy d2_brier_score d2_log_loss_score f1 f1_macro f1_micro f1_weighted jaccard
jaccard_macro jaccard_micro jaccard_weighted matthews_corrcoef neg_brier_score neg_log_loss
neg_negative_likelihood_ratio positive_likelihood_ratio precision precision_macro precision_micro precision_weighted
recall recall_macro recall_micro recall_weighted roc_auc roc_auc_ovo roc_auc_ovo_weighted roc_auc_ovr
roc_auc_ovr_weighted top_k_accuracy
"""
_OF_NUMBERS = """
d2_absolute_error_score explained_variance neg_max_error neg_mean_absolute_error neg_mean_absolute_percentage_error
neg_mean_gamma_deviance neg_mean_poisson_deviance neg_mean_squared_error neg_mean_squared_log_error
neg_median_absolute_error neg_root_mean_squared_error neg_root_mean_squared_log_error r2
"""
PATH = "the import path of a function of (estimator, X, y)"
# Names of scikit-learn's scorers, and the kind of task that each is for. Written out, because asking scikit-learn
# takes more than a second.
SCORERS: dict[str, str] = {
    **dict.fromkeys(_OF_CLASSES.split(), "classification"),
    **dict.fromkeys(_OF_NUMBERS.split(), "regression"),
}


def response_from_scorer_name(name: str) -> Response:
    """A scorer by the name that scikit-learn gives it."""
    known = known_measure(name)
    origin = "scikit-learn scorer: larger is better"
    measure = Measure(name, True, known.lower, known.upper, origin) if known else Measure(name, True, origin=origin)
    content = canonical_json({"name": name, "scorer": name, "larger_is_better": True})
    note = "scikit-learn's scorer of that name"
    return Response(measure, Needs.ESTIMATOR, (SCORERS[name],), content, note, scorer=name)


def response_from_callable(scorer: Callable[..., Any]) -> Response:
    """A scorer as an object, under the name of its function."""
    function = getattr(scorer, "_score_func", scorer)
    name = getattr(function, "__name__", type(scorer).__name__)
    return response_from_scorer(f"neg_{name}" if getattr(scorer, "_sign", 1) < 0 else name, scorer, True)


def response_from_scorer(name: str, scorer: Any, larger_is_better: Any) -> Response:
    """A scorer as an object, by its import path, or by scikit-learn's name for it, under a name of the user's."""
    if not isinstance(larger_is_better, bool):
        raise UsageError(f"larger_is_better of the measure {name!r} is true or false; found {larger_is_better!r}.")
    if isinstance(scorer, str):
        if not all(part.isidentifier() for part in scorer.split(".")):
            raise UsageError(
                f"The scorer of the measure {name!r} is the import path of a function of (estimator, X, y), such as "
                f"'my_module.profit', or the name of one of scikit-learn's scorers; found {scorer!r}."
            )
    elif callable(scorer):
        _check_signature(name, scorer)
    else:
        raise UsageError(f"The scorer of the measure {name!r} is an import path or a callable; found {scorer!r}.")
    known = known_measure(name)
    if known is not None and known.larger_is_better != larger_is_better:
        raise UsageError(
            f"Of the measure {name!r} it is known that {known.better} is better, but this scorer says the opposite. "
            "Give it another name, or say larger_is_better."
        )
    several = ("classification", "regression", "multi-label")
    kinds = (SCORERS[scorer],) if isinstance(scorer, str) and scorer in SCORERS else several
    if not isinstance(scorer, str) or "." in scorer:
        kinds = (*kinds, "density")
    return Response(
        Measure(name, larger_is_better, origin="scorer: the user says so" if not larger_is_better else "scorer"),
        Needs.ESTIMATOR,
        kinds,
        canonical_json({"name": name, "scorer": _identity(name, scorer), "larger_is_better": larger_is_better}),
        "computed from the fitted estimator by a function of the user",
        scorer=scorer,
    )


def score_with(response: Response, estimator: Any, X: Any, y: Any) -> float:
    """The score of a fitted estimator. Whatever the scorer raises becomes a reason: the predictions are still good."""
    scorer = load_scorer(response.scorer)
    try:
        value = scorer(estimator, X, y)
    except Exception as error:
        raise Undefined(f"The scorer raised {type(error).__name__}: {error}") from error
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise Undefined(f"The scorer returned {value!r}, which is not a number.") from None
    except Exception as error:
        raise Undefined(f"The scorer returned no number: {type(error).__name__}.") from error
    if number - number != 0:
        raise Undefined(f"The scorer returned {number}.")
    return number


def load_scorer(source: Any) -> Callable[..., Any]:
    """The scorer itself. This imports code: only a run may do so."""
    if not isinstance(source, str):
        return _callable(source, source)
    if "." not in source:
        return _scorer_of_scikit_learn(source)
    loaded: Callable[..., Any] = imported(source, "scorer", PATH)
    _check_signature(source, loaded)
    return loaded


def _callable(value: Any, source: Any) -> Callable[..., Any]:
    if not callable(value):
        raise UsageError(f"The scorer {source!r} is {value!r}; expected is a function of (estimator, X, y).")
    scorer: Callable[..., Any] = value
    return scorer


def _scorer_of_scikit_learn(name: str) -> Callable[..., Any]:
    metrics = import_module("sklearn.metrics")
    if name not in metrics.get_scorer_names():
        raise UsageError(f"scikit-learn has no scorer {name!r}. {nearest(name, metrics.get_scorer_names())}")
    scorer: Callable[..., Any] = metrics.get_scorer(name)
    return scorer


def _check_signature(name: str, scorer: Callable[..., Any]) -> None:
    """A metric of (y_true, y_pred), given where a scorer is meant, is the likely mistake."""
    try:
        signature = inspect.signature(scorer)
    except (TypeError, ValueError):
        return  # compiled functions need not have one
    first = next(iter(signature.parameters), "")
    try:
        signature.bind("estimator", "X", "y")
    except TypeError:
        first = "y_true"
    if first in ("y_true", "y", "truth"):
        raise UsageError(
            f"The scorer {name!r} must take (estimator, X, y); it takes {signature}. A metric of truth and prediction "
            "becomes a scorer by sklearn.metrics.make_scorer."
        )


def _identity(name: str, scorer: Any) -> Any:
    """What a scorer is found by again. Those of make_scorer are their function with its arguments."""
    if isinstance(scorer, str):
        return scorer
    if hasattr(scorer, "_score_func"):
        return {
            "function": as_json(scorer._score_func, f"measure {name!r}"),
            "arguments": as_json(getattr(scorer, "_kwargs", {}), f"measure {name!r}"),
            "sign": int(getattr(scorer, "_sign", 1)),
            "response": as_json(getattr(scorer, "_response_method", None), f"measure {name!r}"),
        }
    return as_json(scorer, f"measure {name!r}")


# ----------------------------------------------------------------------------------------------------------------------
# Responses that a study file describes in a table: a loss matrix, a functional of a loss, a scorer by import path.


# What tells the kind of table, and what may stand beside it and the name.
_KEYS: dict[str, tuple[str, ...]] = {
    "loss_matrix": ("classes",),
    "loss": ("functional",),
    "scorer": ("larger_is_better",),
    "measure": ("weighted",),
}


def response_from_table(table: Mapping[str, Any]) -> Response:
    """The response that a table of a study file means.

    >>> result = response_from_table({"name": "cost", "loss_matrix": [[0, 1], [5, 0]], "classes": ["well", "ill"]})
    >>> truth = Truth("classification", np.array([0, 1, 1, 1]), ("ill", "well"))
    >>> result.of(truth, Prediction(np.array([1, 1, 0, 1])))  # one ill taken for well costs 5, one well for ill 1
    1.5
    """
    name = table.get("name")
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"A measure that is described in a table needs a name of its own; found {dict(table)!r}.")
    given = [key for key in _KEYS if key in table]
    if len(given) > 1:
        raise UsageError(f"The measure {name!r} has both {given[0]} and {given[1]}; say one of them.")
    allowed = ["name", *(_KEYS[given[0]] if given else ()), *(given or _KEYS)]
    for key in table:
        if key not in allowed:
            raise UsageError(f"The measure {name!r} cannot have {key!r}. {nearest(str(key), allowed)}")
    if not given:
        return response_from(name)
    if "measure" in table:
        weighted = table.get("weighted", False)
        if not isinstance(weighted, bool):
            raise UsageError(f"weighted of the measure {name!r} is true or false; found {weighted!r}.")
        return _weighted(name, table["measure"]) if weighted else _entry_named(name, table["measure"])
    if computed_response(name) is not None:
        raise UsageError(f"{name!r} is a measure of its own already. Choose another name for the one with {given[0]}.")
    if "loss_matrix" in table:
        return _risk(name, table["loss_matrix"], table.get("classes"))
    if "loss" in table:
        return _functional(name, table["loss"], table.get("functional", "mean"))
    return _scored(name, table["scorer"], table.get("larger_is_better"))


def _scored(name: str, scorer: Any, larger_is_better: Any) -> Response:
    """A scorer under a name of the user's; where its name is that of a response of ours, no estimator is needed."""
    computed = computed_response(scorer) if isinstance(scorer, str) else None
    if scorer == name and name in SCORERS and larger_is_better in (None, True):
        return response_from_scorer_name(name)
    if computed is None or not isinstance(scorer, str):
        return response_from_scorer(name, scorer, True if larger_is_better is None else larger_is_better)
    if larger_is_better not in (None, computed.measure.larger_is_better):
        raise UsageError(
            f"The measure {name!r} is {scorer}, of which {computed.measure.better} is better; larger_is_better says "
            "the opposite. Leave it out."
        )
    return _entry_named(name, scorer)


def _entry_named(name: str, measure: Any) -> Response:
    """A measure of ours under a name of the user's."""
    like = computed_response(measure) if isinstance(measure, str) else None
    if like is None:
        raise UsageError(
            f"The measure {name!r} must be one that is computed here; found {measure!r}. "
            f"{nearest(str(measure), COMPUTED)}"
        )
    same, taken = like.describe()["measure"], computed_response(name)
    if taken is None:
        return renamed(like, replace(like.measure, name=name, origin=f"{name!r} is {same}"))
    if taken.describe()["measure"] != same:
        raise UsageError(f"{name!r} is a measure of its own already. Choose another name for {measure}.")
    return taken


def _weighted(name: str, measure: Any) -> Response:
    """A mean over test rows in which each counts as much as its weight says."""
    like = _entry_named(name, measure)
    if computed_response(name) is not None:
        raise UsageError(f"{name!r} is a measure of its own, which counts rows alike. Choose another name.")
    if like.pointwise is None:
        pointwise = sorted(known for known, response in COMPUTED.items() if response.pointwise is not None)
        raise UsageError(
            f"The measure {name!r} is to weigh test rows, and {measure} has no value for each of them. Those that have "
            f"one: {', '.join(pointwise)}."
        )
    origin = f"{name!r} is {like.describe()['measure']} with weighted rows"
    return replace(
        like,
        measure=replace(like.measure, origin=origin),
        content=canonical_json({**like.describe(), "weighted": True}),
        note="test rows count as much as their weights say",
        pointwise=partial(_by_weight, like=like),
        weighted=True,
    )


def _by_weight(truth: Truth, prediction: Prediction, like: Response) -> Array:
    """Losses whose plain mean is the weighted one: each is multiplied by its weight, as a share of the mean weight."""
    if truth.weights is None:
        raise Undefined(NO_WEIGHTS)
    total = float(truth.weights.sum())
    if total <= 0:
        raise Undefined("All test rows have the weight 0.")
    return np.asarray(like.losses(truth, prediction) * truth.weights * (len(truth.weights) / total))


def _risk(name: str, matrix: Any, classes: Any) -> Response:
    """The mean cost: matrix[i][j] is what it costs to assign class j where i is true."""
    try:
        costs = number_table(matrix, "loss_matrix", rows=2, columns=2)
    except UsageError as error:
        raise UsageError(f"The measure {name!r}: {error}") from None
    if costs.shape[0] != costs.shape[1]:
        raise UsageError(
            f"The loss_matrix of {name!r} must have a row and a column for each class; found the shape {costs.shape}."
        )
    labels: tuple[Any, ...] | None = None
    if classes is not None:
        if isinstance(classes, str) or not isinstance(classes, Sequence):
            raise UsageError(f"The classes of {name!r} are a list of labels, in the order of the matrix: {classes!r}.")
        labels = tuple(classes)
        if len(labels) != len(costs) or len(set(map(str, labels))) != len(labels):
            raise UsageError(
                f"The classes of {name!r} must be {len(costs)} different labels, one for each row of its loss_matrix; "
                f"found {list(labels)!r}."
            )
    content = {"name": name, "loss_matrix": costs.tolist(), "classes": None if labels is None else as_json(labels)}
    return Response(
        Measure(name, False, float(costs.min()), float(costs.max()), "mean cost by a loss matrix"),
        Needs.LABELS,
        ("classification",),
        canonical_json(content),
        "mean cost by a loss matrix: rows are true classes, columns assigned ones",
        pointwise=partial(_costs, costs=costs, labels=labels),
        admits=partial(_costs_misfit, name=name, size=len(costs), labels=labels),
    )


def _costs(truth: Truth, prediction: Prediction, costs: Array, labels: tuple[Any, ...] | None) -> Array:
    if labels is None:
        return np.asarray(costs[truth.values, prediction.values])
    place = {str(label): i for i, label in enumerate(labels)}
    order = np.array([place[str(label)] for label in truth.classes])
    return np.asarray(costs[order[truth.values], order[prediction.values]])


def _costs_misfit(classes: tuple[Any, ...], name: str, size: int, labels: tuple[Any, ...] | None) -> str | None:
    known = ", ".join(shown(label) for label in classes)
    if len(classes) != size:
        return f"The loss_matrix of {name!r} is for {size} classes; the task has {len(classes)}: {known}."
    strange = [label for label in labels or () if str(label) not in set(map(str, classes))]
    if strange:
        return f"{name!r} has a cost for the class {shown(strange[0])}, which the task has not. Its classes: {known}."
    return None


def _functional(name: str, loss: Any, by: Any) -> Response:
    """Another functional of a pointwise loss than its mean."""
    pointwise = sorted(known for known, response in COMPUTED.items() if response.pointwise is not None)
    base = COMPUTED.get(canonical_name(loss) or "") if isinstance(loss, str) else None
    if base is None or base.pointwise is None:
        raise UsageError(
            f"The measure {name!r} needs a loss that has a value for each test row; found {loss!r}. "
            f"{nearest(str(loss), pointwise)}"
        )
    if not isinstance(by, str):
        raise UsageError(f"The functional of {name!r} is a name such as 'median' or 'q0.95'; found {by!r}.")
    try:
        functional([0.0], by)
    except UsageError as error:
        raise UsageError(f"The measure {name!r}: {error}") from None
    like = base.measure
    how: dict[str, Any] = (
        {"pointwise": base.pointwise} if by == "mean" else {"compute": partial(_functional_of, base=base, by=by)}
    )
    return Response(
        Measure(name, like.larger_is_better, like.lower, like.upper, f"{by} of {base.name}"),
        base.needs,
        base.kinds,
        canonical_json({"name": name, "loss": base.name, "functional": by}),
        f"{by} of {base.name} over the test rows",
        **how,
    )


def _functional_of(truth: Truth, prediction: Prediction, base: Response, by: str) -> float:
    return functional(base.losses(truth, prediction), by)


# ----------------------------------------------------------------------------------------------------------------------
# All responses of one cell: what was asked for, as numbers, and where there is none, why.


class ScorerInput(NamedTuple):
    """What a scorer reads: only the worker has it, while the cell runs."""

    estimator: Any
    X: Any
    y: Any


class Evaluation(NamedTuple):
    """Values by the name of the measure, and for measures without a value the reason."""

    values: dict[str, float]
    undefined: dict[str, str]


def evaluate(
    responses: Iterable[Response],
    truth: Truth,
    prediction: Prediction,
    resources: Mapping[str, float] | None = None,
    fitted: ScorerInput | None = None,
) -> Evaluation:
    """Each response has a value or a reason, never both.

    >>> import numpy as np
    >>> from bakeoff.measures.responses import response_from
    >>> truth = Truth("classification", np.array([1, 1, 1]), ("no", "yes"))
    >>> responses = [response_from(name) for name in ("error", "auc")]
    >>> result = evaluate(responses, truth, Prediction(np.array([1, 1, 0]), np.array([0.9, 0.8, 0.3]), True))
    >>> round(result.values["error"], 3), result.undefined["auc"]
    (0.333, "All test rows (3) are of the class 'yes'; an ROC curve needs rows of both classes.")
    """
    values: dict[str, float] = {}
    undefined: dict[str, str] = {}
    for response in responses:
        try:
            if response.needs is Needs.RESOURCES and resources is not None:
                values[response.name] = response.of_resources(resources)
            elif response.needs is Needs.ESTIMATOR and fitted is not None:
                values[response.name] = score_with(response, *fitted)
            else:
                values[response.name] = response.of(truth, prediction)
        except BakeoffError as reason:  # mostly Undefined; a scorer that cannot be imported is one more reason
            undefined[response.name] = str(reason)
    return Evaluation(values, undefined)
