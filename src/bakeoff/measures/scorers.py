"""Scorers: functions of a fitted estimator and test data, as scikit-learn defines them. Larger is better.

Nothing is imported before a score is computed: a study that is only read or planned runs no code of its user.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.importing import imported
from bakeoff.keys import canonical_json
from bakeoff.keys import plain as as_json
from bakeoff.measures.known import known_measure
from bakeoff.measures.measure import Measure
from bakeoff.measures.response import Needs, Response, Undefined

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
    kinds = (SCORERS[scorer],) if isinstance(scorer, str) and scorer in SCORERS else ("classification", "regression")
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
