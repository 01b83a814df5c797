"""Fitting one estimator and reading its answers: checked, in the order of the data set's classes, and timed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.importing import check_path
from bakeoff.learners.commands import CommandLearner, check_command
from bakeoff.learners.learner import (
    CLASSIFICATION,
    DENSITY,
    MULTI_LABEL,
    PATH,
    PREPARE,
    DataInfo,
    FitResult,
    InvalidPrediction,
    Learner,
    Timings,
)
from bakeoff.learners.seeds import SEED_NAMES
from bakeoff.learners.tuning import check_tuning, is_tuned
from bakeoff.measures.response import Prediction
from bakeoff.text import listing

# Probabilities of single precision do not add up to one exactly; those that are off by more are none.
_SUM_TOLERANCE = 1e-3
MOST_FITS = 1000


class CpuMeter:
    """CPU time of this process: when a fit begins, between fit and predict, and at the end."""

    def begin(self) -> float:
        return self.now()

    def now(self) -> float:
        return process_time()

    def end(self) -> float:
        return self.now()


class RawAnswers(NamedTuple):
    """What a fitted learner has said of the test rows: its timings, and a function that looks at it and makes the
    prediction of it. That can wait, and is done for many cells at once in a third of the time."""

    timings: Timings
    checked: Callable[[], Prediction]


def fit_and_predict(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    info: DataInfo,
    groups: NDArray[np.int64] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> FitResult:
    """Fit, then predict the test rows; see `answers_of`."""
    answers = answers_of(estimator, X_train, y_train, X_test, info, groups, weights, CpuMeter())
    return FitResult(answers.checked(), answers.timings, None if isinstance(estimator, CommandLearner) else estimator)


def answers_of(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    info: DataInfo,
    groups: NDArray[np.int64] | None,
    weights: NDArray[np.float64] | None,
    meter: CpuMeter,
) -> RawAnswers:
    """Fit, then ask for the test rows. `groups` are the rows that nested tuning keeps together (`resampling.inner`).

    Only fit and predict themselves are measured: not the probabilities, the checks or the copying of data.
    """
    if isinstance(estimator, CommandLearner):
        result = estimator.learn_and_predict(X_train, y_train, X_test)
        return RawAnswers(result.timings, lambda: result.prediction)
    n = int(X_test.shape[0]) if hasattr(X_test, "shape") else len(X_test)
    with_groups = groups is not None and (is_tuned(estimator) or watches(estimator))
    extra: dict[str, Any] = {"groups": groups} if with_groups else {}
    extra |= {} if weights is None else {weight_parameter(estimator): weights}
    target = () if info.kind == DENSITY else (y_train,)
    began_cpu, began = meter.begin(), perf_counter()
    estimator.fit(X_train, *target, **extra)
    middle, middle_cpu = perf_counter(), meter.now()
    answered = estimator.score_samples(X_test) if info.kind == DENSITY else estimator.predict(X_test)
    end, end_cpu = perf_counter(), meter.end()
    timings = Timings(middle - began, middle_cpu - began_cpu, end - middle, end_cpu - middle_cpu)
    if info.kind == CLASSIFICATION:
        return RawAnswers(timings, _prediction_of_classes(estimator, answered, X_test, y_train, info.classes, n))
    if info.targets:
        prediction = _prediction_of_several(estimator, answered, X_test, n, info)
        return RawAnswers(timings, lambda: prediction)
    numbers = _array(answered)
    return RawAnswers(timings, lambda: Prediction(numbers_of(numbers, n, log_densities=info.kind == DENSITY)))


def _prediction_of_classes(
    estimator: Any, answered: Any, X: Any, y_train: Any, classes: tuple[Any, ...], n: int
) -> Callable[[], Prediction]:
    """What makes a prediction of classes. Everything that the estimator itself tells is read now."""
    labels, probabilistic = _array(answered), hasattr(estimator, "predict_proba")
    if probabilistic:
        answer = estimator.predict_proba(X)
        raw = _array(answer)
        scores: Callable[..., NDArray[np.float64] | None] = _probabilities
    elif hasattr(estimator, "decision_function"):
        answer = estimator.decision_function(X)
        raw = _array(answer)
        scores = partial(_decisions, of_pairs=getattr(_last(estimator), "decision_function_shape", "ovr") == "ovo")
    else:
        return lambda: Prediction(codes_of(_column(labels, n), classes))
    columns = _codes_of_columns(estimator, y_train, classes, list(getattr(answer, "columns", ())))

    def checked() -> Prediction:
        codes = codes_of(_column(labels, n), classes)
        return Prediction(codes, scores(raw, columns, len(classes), n), probabilistic)

    return checked


def _prediction_of_several(estimator: Any, answered: Any, X: Any, n: int, info: DataInfo) -> Prediction:
    """Answers for several targets at once: a column each."""
    array = _array(answered.toarray() if hasattr(answered, "toarray") else answered)
    if array.shape != (n, len(info.targets)):
        raise InvalidPrediction(
            f"expected was an array of predictions of shape {(n, len(info.targets))}, a row for each test row and a "
            f"column for each target; the learner gave one of shape {array.shape}."
        )
    numbers = _finite(array, "predictions")
    if info.kind != MULTI_LABEL:
        return Prediction(numbers)
    if not np.isin(numbers, (0.0, 1.0)).all():
        odd = numbers[~np.isin(numbers, (0.0, 1.0))][0]
        raise InvalidPrediction(f"a label applies (1) or does not (0), and the learner predicted {odd:g}.")
    scores, probabilistic = _label_scores(estimator, X, numbers.shape)
    return Prediction(numbers.astype(np.int64), scores, probabilistic)


def _label_scores(estimator: Any, X: Any, shape: tuple[int, ...]) -> tuple[NDArray[np.float64] | None, bool]:
    """What the learner orders the rows by, for each label, and whether it is the probability that the label applies."""
    if hasattr(estimator, "predict_proba"):
        raw = estimator.predict_proba(X)
        if isinstance(raw, list):  # an array for each label, with a column for each of the values that were learned
            learned = getattr(estimator, "classes_", None) or [np.arange(2)] * len(raw)
            raw = np.column_stack([_second(np.asarray(p), list(known)) for p, known in zip(raw, learned, strict=True)])
        scores = _finite(_array(raw), "probabilities")
        if scores.shape != shape or scores.min() < 0 or scores.max() > 1:
            raise InvalidPrediction(
                f"predict_proba must give for each of {shape[1]} labels how probable it is; it gave an array of shape "
                f"{scores.shape} with numbers from {scores.min():g} to {scores.max():g}."
            )
        return scores, True
    if hasattr(estimator, "decision_function"):
        scores = _finite(_array(estimator.decision_function(X)), "values of the decision function")
        return (scores if scores.shape == shape else None), False
    return None, False


def _second(probabilities: NDArray[Any], learned: list[Any]) -> NDArray[Any]:
    """The probability that a label applies; where all rows of the learning sample agreed, there is one column only."""
    if 1 not in learned:
        return np.zeros(len(probabilities))
    return np.asarray(probabilities[:, learned.index(1)])


def watches(estimator: Any) -> bool:
    """Whether a part of the learning sample is set aside for the estimator: then its fit is told which rows belong
    together."""
    return type(estimator).__name__ == "WithValidation"


def weight_parameter(estimator: Any) -> str:
    """The name under which `fit` takes the weights of rows: of a pipeline its last step's, of a search that of what is
    searched."""
    prefix = ""
    inner: Any = getattr(estimator, "estimator", None) if is_tuned(estimator) else estimator
    while getattr(inner, "steps", None):
        prefix += f"{inner.steps[-1][0]}__"
        inner = inner.steps[-1][1]
    return f"{prefix}sample_weight"


def takes_weights(estimator: Any) -> bool:
    """Whether the estimator that predicts takes weights of rows."""
    from inspect import signature

    while getattr(estimator, "steps", None):
        estimator = estimator.steps[-1][1]
    try:
        parameters = signature(estimator.fit).parameters
    except (TypeError, ValueError, AttributeError):
        return True
    return "sample_weight" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def numbers_of(answered: NDArray[Any], n: int, *, log_densities: bool = False) -> NDArray[np.float64]:
    """Predictions that are to be one finite number a row."""
    what = "log densities" if log_densities else "predictions"
    numbers = _as_numbers(_column(answered, n), what)
    finite = np.isfinite(numbers)
    # A log density of minus infinity is an answer: the row is impossible.
    allowed = finite | (numbers == -np.inf) if log_densities else finite
    if not allowed.all():
        wrong = numbers[~allowed]
        raise InvalidPrediction(f"{len(wrong)} of {n} {what} are not finite; the first of them is {wrong[0]}.")
    return numbers


def codes_of(labels: NDArray[Any], classes: tuple[Any, ...]) -> NDArray[np.int64]:
    """The position of each label in the classes.

    >>> codes_of(np.array(["no", "yes", "no"]), ("yes", "no"))
    array([1, 0, 1])
    >>> codes_of(np.array(["maybe", "yes"]), ("yes", "no"))
    Traceback (most recent call last):
    bakeoff.learners.learner.InvalidPrediction: 1 of 2 predictions are no class of the data: 'maybe'. The classes are
    'yes' and 'no'.
    """
    in_order, codes = _in_order(classes)
    if in_order is not None and labels.dtype.kind == in_order.dtype.kind:
        places = in_order.searchsorted(labels)
        np.minimum(places, len(in_order) - 1, out=places)
        if (in_order[places] == labels).all():
            return codes[places]
    return _codes_one_by_one(labels, classes)


@lru_cache(maxsize=64)
def _in_order(classes: tuple[Any, ...]) -> tuple[NDArray[Any] | None, NDArray[np.int64]]:
    """The classes as a sorted array, None if they have no order, and the code of each."""
    array = np.asarray(classes)
    if array.dtype.kind not in "biufU" or any(isinstance(label, str) for label in classes) != (array.dtype.kind == "U"):
        return None, np.arange(len(classes))
    codes = np.argsort(array, kind="stable").astype(np.int64)
    return array[codes], codes


def _codes_one_by_one(labels: NDArray[Any], classes: tuple[Any, ...]) -> NDArray[np.int64]:
    """For labels of mixed or other types, and to say which are wrong. Numbers and texts are never the same label."""
    known = {label: code for code, label in enumerate(classes)}
    coded = [known.get(label, -1) if label.__hash__ else -1 for label in labels.tolist()]
    codes = np.asarray(coded, dtype=np.int64)
    if (codes < 0).any():
        unknown = list(dict.fromkeys(repr(label) for label in labels[codes < 0].tolist()))
        raise InvalidPrediction(
            f"{int((codes < 0).sum())} of {len(codes)} predictions are no class of the data: {listing(unknown, 3)}. "
            f"The classes are {listing([repr(label) for label in classes])}."
        )
    return codes


def _probabilities(raw: NDArray[Any], columns: NDArray[np.int64], count: int, n: int) -> NDArray[np.float64]:
    """What predict_proba gave, checked; `columns` are the codes of its columns."""
    numbers = _as_numbers(raw, "probabilities")
    if numbers.shape != (n, len(columns)) or (n and not _are_probabilities(numbers)):
        _finite(numbers, "probabilities")
        if numbers.shape == (n, len(columns)):
            raise InvalidPrediction("predict_proba gave rows that are negative or do not add up to one.")
        raise InvalidPrediction(
            f"predict_proba gave an array of shape {numbers.shape}; expected is {(n, len(columns))}, a row for each "
            "test row and a column for each class of the learning sample."
        )
    return placed(numbers, columns, count)


def _are_probabilities(rows: NDArray[np.float64]) -> bool:
    """Whether each row is of numbers that are not negative and add up to one. What is no number fails every test."""
    sums = np.add.reduce(rows, axis=1)
    least, most = np.minimum.reduce(sums), np.maximum.reduce(sums)
    return bool(least >= 1 - _SUM_TOLERANCE and most <= 1 + _SUM_TOLERANCE and np.minimum.reduce(rows, axis=None) >= 0)


def placed(columns: NDArray[np.float64], codes: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Columns in the order of the data set's classes, zeros for a class that was not learned; for two classes only the
    second.

    >>> placed(np.array([[0.2, 0.8]]), np.array([2, 0]), 3)
    array([[0.8, 0. , 0.2]])
    """
    if count == len(codes) == 2:
        return columns[:, 0 if codes[0] == 1 else 1].copy()
    if codes is _all_codes(count):
        return columns
    complete = np.zeros((len(columns), count))
    complete[:, codes] = columns
    return np.ascontiguousarray(complete[:, 1]) if count == 2 else complete


def _decisions(
    raw: NDArray[Any], columns: NDArray[np.int64], count: int, n: int, of_pairs: bool
) -> NDArray[np.float64] | None:
    """What decision_function gave, checked."""
    numbers = _finite(raw, "values of the decision function")
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim == 1 and len(columns) == 2 and len(numbers) == n:
        # One number a row speaks for the second class of the learning sample.
        return placed(np.column_stack([-numbers, numbers]), columns, count)
    if numbers.shape != (n, len(columns)) or of_pairs:
        return None  # one column for each pair of classes orders no class
    return placed(numbers, columns, count)


def _last(estimator: Any) -> Any:
    """The estimator that predicts, inside searches and pipelines."""
    while True:
        if getattr(estimator, "best_estimator_", None) is not None:
            estimator = estimator.best_estimator_
        elif getattr(estimator, "steps", None):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


def _codes_of_columns(
    estimator: Any, y_train: Any, classes: tuple[Any, ...], names: Sequence[Any] = ()
) -> NDArray[np.int64]:
    """The codes of the columns of an answer: by their names, where it is a table whose columns are called by the
    classes that were learned, else in the order in which the learner has these."""
    learned = getattr(estimator, "classes_", None)
    labels = np.asarray(np.unique(y_train) if learned is None else learned)
    if names and sorted(map(repr, names)) == sorted(map(repr, labels.tolist())):
        labels = np.array(names, dtype=labels.dtype)
    return _all_codes(len(classes)) if labels.tolist() == list(classes) else codes_of(labels, classes)


@lru_cache(maxsize=64)
def _all_codes(count: int) -> NDArray[np.int64]:
    """Of so many classes, all of which were learned, in their order: the usual case."""
    return np.arange(count)


def _finite(array: NDArray[Any], what: str) -> NDArray[np.float64]:
    numbers = _as_numbers(array, what)
    if not np.isfinite(numbers).all():
        raise InvalidPrediction(f"{int((~np.isfinite(numbers)).sum())} of the {what} are not finite numbers.")
    return numbers


def _column(array: NDArray[Any], n: int) -> NDArray[Any]:
    """One answer a row."""
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (n,):
        shape_text = f"{len(array)} predictions" if array.ndim == 1 else f"an array of shape {array.shape}"
        raise InvalidPrediction(f"expected were {n} predictions, one for each test row; the learner gave {shape_text}.")
    return array


def _array(answered: Any) -> NDArray[Any]:
    """An answer as an array of its own: the learner may write the next cell's answers into the same place."""
    if isinstance(answered, np.ma.MaskedArray) and np.ma.is_masked(answered):
        gone = int(np.ma.getmaskarray(answered).sum())
        raise InvalidPrediction(f"{gone} of {answered.size} values are masked: the learner gave no answer there.")
    try:
        return np.array(answered, order="C")
    except ValueError:  # rows of unequal length
        raise InvalidPrediction("the predictions are no array: their rows differ in length.") from None


def _as_numbers(array: NDArray[Any], what: str) -> NDArray[np.float64]:
    """Numbers as they are, and objects that are numbers; not texts, dates or complex numbers that could be cast."""
    try:
        if array.dtype.kind in "biufO":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass
    first = repr(array.flat[0].item() if array.dtype.kind != "O" else array.flat[0]) if array.size else "absent"
    raise InvalidPrediction(f"the {what} are not numbers: the first is {first}.")


# ----------------------------------------------------------------------------------------------------------------------
# How large a fitted model is: in bytes, and in numbers that were learned.


# Arrays that hold what was learned, by the names scikit-learn gives them; each group is looked for in turn.
_LEARNED = (
    ("coefs_", "intercepts_"),  # neural networks: a list, an array a layer
    ("dual_coef_", "support_vectors_", "intercept_"),  # kernel machines; before coef_, which a linear one has too
    ("coef_", "intercept_"),
    ("theta_", "var_", "class_prior_"),  # naive Bayes with normal densities
    ("feature_log_prob_", "class_log_prior_"),
    ("weights_", "means_", "covariances_"),  # mixtures
    ("centroids_",),
)


def model_size(estimator: Any) -> int | None:
    """Bytes of the fitted model when it is written down; None if it cannot be, or if there is none, as after a command.
    Of a search it is the model that was chosen."""
    if estimator is None:
        return None
    # Written only to be counted, never kept and never read.
    import pickle

    counted = _Counter()
    try:
        pickle.Pickler(counted, protocol=5).dump(_chosen(estimator))
    except Exception:  # noqa: BLE001  (whatever an estimator of the user's raises when it is written)
        return None
    return counted.size


def free_parameters(estimator: Any) -> int | None:
    """How many numbers were learned: coefficients, nodes of trees, support vectors; None if that cannot be told.

    A node of a tree counts once. Of a pipeline it is the last step that counts.

    >>> from sklearn.linear_model import LinearRegression
    >>> free_parameters(LinearRegression().fit([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [1.0, 2.0, 3.0]))
    3
    """
    model = _chosen(estimator)
    steps = getattr(model, "steps", None)
    while steps:
        model = _chosen(steps[-1][1])
        steps = getattr(model, "steps", None)
    nodes = _nodes(model)
    if nodes is not None:
        return nodes
    for names in _LEARNED:
        if getattr(model, names[0], None) is not None:
            return sum(_count(getattr(model, name, None)) for name in names)
    return None


class _Counter:
    """A file that keeps nothing but its length."""

    def __init__(self) -> None:
        self.size = 0

    def write(self, data: Any) -> int:
        length = memoryview(data).nbytes
        self.size += length
        return length


def _chosen(estimator: Any) -> Any:
    best = getattr(estimator, "best_estimator_", None)
    return estimator if best is None else best


def _nodes(model: Any) -> int | None:
    """The nodes of a tree, or of all trees of an ensemble."""
    nodes = getattr(getattr(model, "tree_", None), "node_count", None)
    if nodes is not None:
        return int(nodes)
    predictors = getattr(model, "_predictors", None)  # gradient boosting by histograms: a list of trees an iteration
    if isinstance(predictors, list):
        return sum(len(one.nodes) for iteration in predictors for one in iteration)
    members = getattr(model, "estimators_", None)
    if members is None:
        return None
    counts = [free_parameters(member) for member in np.asarray(members, dtype=object).ravel()]
    return None if not counts or None in counts else sum(count for count in counts if count is not None)


def _count(learned: Any) -> int:
    if learned is None:
        return 0
    if isinstance(learned, (list, tuple)):
        return sum(_count(part) for part in learned)
    if hasattr(learned, "nnz"):  # sparse
        return int(learned.nnz)
    return int(np.size(learned))


# ----------------------------------------------------------------------------------------------------------------------
# Checking learners when a study is read: all that can be wrong with a description, nothing being imported or run.


def check_learner(learner: Learner) -> tuple[str, ...]:
    """Raise a UsageError for what can never run; return warnings about what may not run here."""
    whose = f"learner {learner.name!r}"
    given = [
        name
        for name, value in (
            ("path or pipeline", learner.steps),
            ("estimator", learner.estimator is not None),
            ("command", learner.command),
        )
        if value
    ]
    if len(given) != 1:
        given_text = " and ".join(given) if given else "nothing"
        raise UsageError(
            f"expected is one of path, pipeline, estimator and command; found is {given_text}.", whose=whose
        )
    if learner.prepare not in PREPARE:
        raise UsageError(f"prepare is {learner.prepare!r}. {nearest(str(learner.prepare), PREPARE)}", whose=whose)
    for step in learner.steps:
        check_path(step.path, whose, PATH)
        _check_nested(step.parameters, whose)
    if learner.tuning is not None:
        check_tuning(learner.tuning, whose)
    _check_fits(learner, whose)
    _check_validation(learner, whose)
    if not learner.command:
        return ()
    if learner.prepare not in ("auto", "none"):
        raise UsageError("a command prepares its data itself. Leave prepare out.", whose=whose)
    if learner.tuning is not None:
        raise UsageError(
            "a command cannot be tuned from outside. Leave tune out, or tune inside the program.", whose=whose
        )
    return check_command(learner.command, learner.folder, whose)


def check_unpatched(estimator: Any, whose: str) -> None:
    """Workers import classes anew: what a script or a notebook has put into them is not there."""
    here = getattr(sys.modules.get("__main__"), "__dict__", None)
    parts = [estimator]
    if hasattr(estimator, "get_params") and not isinstance(estimator, type):
        with suppress(Exception):  # an estimator that does not know its parameters is told of where it is made
            parts += estimator.get_params(deep=True).values()
    for kind in {kind for part in parts for kind in type(part).__mro__ if kind.__module__ != "__main__"}:
        for name, member in vars(kind).items():
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if here is not None and getattr(function, "__globals__", None) is here:
                raise UsageError(
                    f"{kind.__name__}.{name} was replaced by a function of this script, and the workers import "
                    f"{kind.__name__} as {kind.__module__} has it. Make a class of your own that inherits from it.",
                    whose=whose,
                )


def _check_validation(learner: Learner, whose: str) -> None:
    share = learner.validation
    if share is None:
        return
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < 1:
        raise UsageError(f"validation is {share!r}. Expected is the share to set aside, between 0 and 1.", whose=whose)
    if learner.command or learner.tuning is not None:
        what = "a command gets its learning sample whole" if learner.command else "tuning validates by folds of its own"
        raise UsageError(
            f"validation sets a part of the learning sample aside, and {what}. Leave one out.", whose=whose
        )


def _check_fits(learner: Learner, whose: str) -> None:
    """Several fits are of use where chance tells them apart."""
    if isinstance(learner.fits, bool) or not isinstance(learner.fits, int) or not 1 <= learner.fits <= MOST_FITS:
        raise UsageError(f"fits is {learner.fits!r}. Expected is a whole number from 1 to {MOST_FITS}.", whose=whose)
    if learner.fits == 1:
        return
    given = [dict(step.parameters) for step in learner.steps]
    if learner.estimator is not None and hasattr(learner.estimator, "get_params"):
        given.append(learner.estimator.get_params(deep=True))
    for parameters in given:
        for name, value in parameters.items():
            if name.rpartition("__")[2] in SEED_NAMES and isinstance(value, int):
                raise UsageError(
                    f"{name} is {value}, so that its {learner.fits} fits to a learning sample would all be "
                    "the same. Leave the seed out, or leave fits out.",
                    whose=whose,
                )
    if learner.command and not any("{seed}" in part for part in learner.command):
        raise UsageError(
            "a command that has several fits must take its seed: name {seed} among its words.", whose=whose
        )


def _check_nested(value: Any, whose: str) -> None:
    """The paths of estimators among the parameters: { path = "…", parameters = { … } }."""
    if isinstance(value, Mapping):
        if "path" in value and set(value) <= {"path", "parameters"}:
            check_path(value["path"], whose, PATH)
        for item in value.values():
            _check_nested(item, whose)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check_nested(item, whose)
