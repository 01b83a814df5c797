"""From what a user writes to a response: a name, a table of a study file, or a scorer of scikit-learn.

Names are looked for among the responses that are computed here, then among the names of scikit-learn's scorers. The
first come from stored predictions and can be asked for after the run; the second need the fitted estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.keys import canonical_json
from bakeoff.measures import label_responses as labels
from bakeoff.measures import number_responses as numbers
from bakeoff.measures import score_responses as scores
from bakeoff.measures.known import KNOWN, canonical_name, known_measure, plain
from bakeoff.measures.measure import Measure
from bakeoff.measures.prediction import Prediction, Truth
from bakeoff.measures.response import KINDS, Array, Needs, Response

Spec = str | Mapping[str, Any] | Callable[..., Any]

_NEEDS_KIND = {
    Needs.LABELS: ("classification",),
    Needs.SCORES: ("classification",),
    Needs.PROBABILITIES: ("classification",),
    Needs.NUMBERS: ("regression",),
    Needs.LOG_DENSITIES: ("density",),
    Needs.RESOURCES: KINDS,
}


def _computed() -> dict[str, Response]:
    """Every response that is computed here, by the canonical name of its measure."""
    made: dict[str, Response] = {}

    def add(name: str, needs: Needs, note: str = "", **how: Any) -> None:
        made[name] = Response(
            KNOWN[name], needs, _NEEDS_KIND[needs], canonical_json({"name": name, "measure": name}), note, **how
        )

    def mean(name: str, needs: Needs, pointwise: Callable[[Truth, Prediction], Array], note: str = "") -> None:
        add(name, needs, note, pointwise=pointwise)

    mean("error", Needs.LABELS, labels.error)
    mean("accuracy", Needs.LABELS, labels.accuracy)
    _add_label_responses(add)
    _add_score_responses(add)
    mean("brier", Needs.PROBABILITIES, scores.brier, "half the sum over the classes")
    mean("log_loss", Needs.PROBABILITIES, scores.log_loss, "in nats; at most 36 a row")
    mean("squared_error", Needs.NUMBERS, numbers.squared_error)
    mean("absolute_error", Needs.NUMBERS, numbers.absolute_error)
    mean("mape", Needs.NUMBERS, numbers.percentage_error, "as a share; undefined if a true value is 0")
    for name in ("rmse", "median_absolute_error", "max_error", "r2", "explained_variance", "pearson", "spearman"):
        add(name, Needs.NUMBERS, compute=getattr(numbers, name))
    mean("log_likelihood", Needs.LOG_DENSITIES, numbers.values, "mean log density of the test rows")
    mean("reward", Needs.LOG_DENSITIES, numbers.values, "mean of what the learner's score_samples gives")
    for name, note in {
        "fit_time": "seconds", "predict_time": "seconds", "fit_cpu": "seconds of CPU time",
        "predict_cpu": "seconds of CPU time", "peak_memory": "bytes", "model_size": "bytes of the fitted model",
        "parameters": "free parameters of the fitted model",
    }.items():  # fmt: skip
        add(name, Needs.RESOURCES, note, resource=name)
    return made


def _add_label_responses(add: Callable[..., None]) -> None:
    recall = "balanced_accuracy or recall_macro"
    for name, instead in {
        "recall": recall, "precision": "precision_macro, _micro or _weighted", "f1": "f1_macro, _micro or _weighted",
        "specificity": recall, "fp_rate": recall, "fn_rate": recall,
        "tp": "error", "fp": "error", "fn": "error", "tn": "error",
    }.items():  # fmt: skip
        how = partial(labels.two_class, name="tp_rate" if name == "recall" else name)
        admits = partial(labels.needs_two_classes, name=name, instead=instead)
        add(name, Needs.LABELS, "the second class is the positive one", compute=how, admits=admits)
    for name in ("precision", "recall", "f1"):
        for average, note in {
            "macro": "each class against the rest; classes count alike",
            "micro": "all rows together; the same as accuracy",
            "weighted": "each class against the rest, weighted by its rows",
        }.items():
            add(f"{name}_{average}", Needs.LABELS, note, compute=partial(labels.averaged, name=name, average=average))
    add(
        "balanced_accuracy",
        Needs.LABELS,
        "mean recall of the classes that occur",
        compute=partial(labels.averaged, name="recall", average="macro"),
    )
    add("mcc", Needs.LABELS, compute=labels.mcc)
    add("kappa", Needs.LABELS, compute=labels.kappa)


def _add_score_responses(add: Callable[..., None]) -> None:
    pairs = "K > 2: mean over pairs of classes"
    rest = "K > 2: mean of each class against the rest"
    add("auc", Needs.SCORES, f"ties count half; {pairs}", compute=scores.auc)
    add("auc_ovo", Needs.SCORES, f"{pairs} (Hand and Till)", compute=scores.auc_ovo)
    add("auc_ovo_weighted", Needs.SCORES, f"{pairs}, by rows", compute=partial(scores.auc_ovo, weighted=True))
    add("auc_ovr", Needs.SCORES, rest, compute=scores.auc_ovr)
    add("auc_ovr_weighted", Needs.SCORES, f"{rest}, by rows", compute=partial(scores.auc_ovr, weighted=True))
    add("average_precision", Needs.SCORES, rest, compute=scores.average_precision)


COMPUTED: dict[str, Response] = _computed()

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
    bakeoff.errors.UsageError: 'auc' is a measure of classification, not of regression. Measures of regression are: ...
    """
    from bakeoff.measures.described import response_from_table
    from bakeoff.measures.scorers import response_from_callable

    if isinstance(spec, Response):
        made = spec
    elif isinstance(spec, str):
        made = _named(spec)
    elif isinstance(spec, Mapping):
        made = response_from_table(spec)
    elif callable(spec):
        made = response_from_callable(spec)
    else:
        raise UsageError(f"A measure is a name, a table or a scorer of scikit-learn; found {spec!r}.")
    if kind is not None and kind not in KINDS:
        raise UsageError(f"There is no kind of task {kind!r}. {nearest(str(kind), KINDS)}")
    if kind is not None and (reason := made.misfit(kind, classes)) is not None:
        others = ", ".join(sorted(name for name, other in COMPUTED.items() if kind in other.kinds))
        raise UsageError(reason if kind in made.kinds else f"{reason} Measures of {kind} are: {others}.")
    return made


def _named(name: str) -> Response:
    from bakeoff.measures.scorers import SCORERS, response_from_scorer_name

    if (computed := computed_response(name)) is not None:
        return computed
    if name in SCORERS:
        return response_from_scorer_name(name)
    if canonical_name(name) is not None:
        raise UsageError(
            f"The measure {name!r} is known, so that scores of it can be compared, but it is not computed from "
            f"predictions here. Computed are: {', '.join(sorted(COMPUTED))}."
        )
    close = nearest(plain(name), [*COMPUTED, *SCORERS]).split("Known are:")[0].strip()
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
    if plain(name) in _TURNED:
        return _turned(name, COMPUTED[_TURNED[plain(name)]])
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
        loss = replace(loss, pointwise=scores.brier_not_halved)
        measure = replace(measure, lower=-2.0)
    return replace(
        loss,
        measure=measure,
        content=canonical_json({"name": name, "measure": plain(name)}),
        note=f"{loss.name} with its sign turned, as scikit-learn's scorers have it",
        pointwise=None if loss.pointwise is None else partial(_negative_losses, loss=loss),
        compute=None if loss.compute is None else partial(_negative, loss=loss),
    )


def _negative(truth: Truth, prediction: Prediction, loss: Response) -> float:
    return -loss.of(truth, prediction)


def _negative_losses(truth: Truth, prediction: Prediction, loss: Response) -> Array:
    return -loss.losses(truth, prediction)
