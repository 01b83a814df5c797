"""A learner: a name, and how to make a fresh estimator for one cell. A description; nothing here runs anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from bakeoff.keys import canonical_value, key_of
from bakeoff.learners.code import Code, code_of
from bakeoff.measures.response import Prediction

PREPARE = ("auto", "standard", "auto-drop-first", "standard-drop-first", "none")
PATH = "the path of a class, such as 'sklearn.svm.SVC', or of a function that returns an estimator"


@dataclass(frozen=True)
class Tuning:
    """A grid searched inside each learning sample, by cross-validation of it: nested, never on the test rows."""

    grid: Mapping[str, tuple[Any, ...]]
    folds: int = 5
    measure: str | None = None  # by default accuracy, or the mean squared error


@dataclass(frozen=True)
class Step:
    """One step of a pipeline: an import path and parameters."""

    path: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Learner:
    """Exactly one of `steps` (one or more; the last is the estimator), `estimator` (an object) and `command` is given.

    `prepare` says what stands before the estimator: "auto" imputes and encodes where the data have missing values or
    categories, "standard" also standardises the numbers, "none" passes the data on as they are. "-drop-first" after
    the first two leaves the indicator of the first category out.
    """

    name: str
    steps: tuple[Step, ...] = ()
    estimator: Any = None
    command: tuple[str, ...] = ()
    prepare: str = "auto"
    tuning: Tuning | None = None
    folder: str = ""  # where a command is run and its files are looked for; not part of the key

    def describe(self) -> dict[str, Any]:
        """All that determines a result, as JSON. The name is for display and is not part of it."""
        description: dict[str, Any] = {"prepare": self.prepare}
        if self.estimator is not None:
            description["object"] = canonical_value(self.estimator, f"learner {self.name!r}")
        elif self.command:
            description["command"] = list(self.command)
        else:
            description["steps"] = [
                {"path": step.path, "parameters": canonical_value(dict(step.parameters), f"learner {self.name!r}")}
                for step in self.steps
            ]
        if self.tuning is not None:
            description["tuning"] = {
                "grid": canonical_value({name: list(values) for name, values in self.tuning.grid.items()}, "tune"),
                "folds": self.tuning.folds,
                "measure": self.tuning.measure,
            }
        if own := self.code.describe():
            description["code"] = own
        return description

    @cached_property
    def code(self) -> Code:
        """The user's own code that it is made of, when it was first asked for."""
        return code_of(self)

    @cached_property
    def identity(self) -> str:
        """The hash of the description, which seeds are made from: the same whatever the versions of packages."""
        return key_of(self.describe())

    @cached_property
    def key(self) -> str:
        """The hash that results are found by. Code of one's own counts with the versions of the packages it imports;
        learners from installed packages do not, whose results outlive an upgrade."""
        description = self.describe()
        if "code" not in description:
            return self.identity
        return key_of({**description, "packages": dict(self.code.packages)})


# ----------------------------------------------------------------------------------------------------------------------
# What a learner may know of a data set before it sees the rows: enough to prepare it and to read its answers.


# As in tasks.dataset.Kind, whose members are these texts.
CLASSIFICATION, REGRESSION, DENSITY = "classification", "regression", "density"
TARGET = "target"


class DataLike(Protocol):
    """The part of a `tasks.dataset.Dataset` that is looked at here: learners do not depend on where data come from."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def X(self) -> Any: ...  # noqa: N802  (the matrix keeps its capital letter)
    @property
    def classes(self) -> tuple[Any, ...]: ...
    @property
    def features(self) -> tuple[str, ...]: ...
    @property
    def categorical(self) -> tuple[str, ...]: ...
    @property
    def n_missing(self) -> int: ...
    @property
    def target(self) -> str: ...


@dataclass(frozen=True)
class DataInfo:
    """`missing` are the inputs with at least one missing value; `frame` says whether inputs come as a DataFrame."""

    name: str
    kind: str
    n: int
    features: tuple[str, ...]
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    classes: tuple[Any, ...] = ()
    frame: bool = False
    target: str = TARGET

    @property
    def numeric(self) -> tuple[str, ...]:
        """The inputs that are numbers, in order."""
        return tuple(name for name in self.features if name not in self.categorical)

    @property
    def missing_numbers(self) -> tuple[str, ...]:
        """The numeric inputs that have missing values."""
        return tuple(name for name in self.missing if name not in self.categorical)


def facts_of(data: DataLike) -> DataInfo:
    """The facts of a data set: made once for a task, not once for a cell."""
    frame = not isinstance(data.X, np.ndarray)
    missing: tuple[str, ...] = ()
    if data.n_missing:
        absent: Any = np.asarray(data.X.isna() if frame else np.isnan(data.X)).any(axis=0)
        missing = tuple(name for name, some in zip(data.features, absent, strict=True) if some)
    return DataInfo(
        name=data.name,
        kind=str(data.kind),
        n=len(data.X),
        features=data.features,
        categorical=data.categorical,
        missing=missing,
        classes=data.classes,
        frame=frame,
        # An input of the same name must not be taken for it.
        target=_free_name(data.target, data.features),
    )


def _free_name(wanted: str, taken: tuple[str, ...]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted


# ----------------------------------------------------------------------------------------------------------------------
# Whether an estimator can learn what a task asks for, as far as can be told before it is fitted.


def why_unsuitable(estimator: Any, kind: str, task: str) -> str | None:
    """Why an estimator cannot learn from a task of that kind, in a sentence; None if nothing is known against it.

    >>> from sklearn.linear_model import Ridge
    >>> why_unsuitable(Ridge(), "classification", "iris")
    "Ridge is not made for classification, and 'iris' is a classification task."
    >>> why_unsuitable(Ridge(), "regression", "boston")
    """
    from sklearn.base import is_classifier, is_regressor

    what = type(estimator).__name__
    if kind == DENSITY:
        if hasattr(estimator, "score_samples"):
            return None
        return (
            f"a density is to be learned from {task!r}, so that the log density of test rows must be given by "
            f"score_samples, which {what} does not have. sklearn.neighbors.KernelDensity and "
            "sklearn.mixture.GaussianMixture have it."
        )
    if not hasattr(estimator, "predict"):
        return f"{what} cannot predict, and {task!r} is a {kind} task."
    other: Callable[[Any], bool] = {CLASSIFICATION: is_regressor, REGRESSION: is_classifier}[kind]
    if not _is_surely(other, estimator):
        return None
    return f"{what} is not made for {kind}, and {task!r} is a {kind} task."


def _is_surely(kind: Callable[[Any], bool], estimator: Any) -> bool:
    """What scikit-learn says of the estimator. One that has no tags, as classes of users may, says nothing."""
    try:
        return bool(kind(estimator))
    except AttributeError:
        return False


# ----------------------------------------------------------------------------------------------------------------------
# What comes out of one fit: predictions and the time they took, or the reason why they are of no use.


class InvalidPrediction(Exception):  # noqa: N818  (it says what became of a cell, as its status does)
    """A learner ran to its end, and what it predicted cannot be used: wrong length, not finite, no known class."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds on the clock and of processor time. A command learns and predicts at once: all of it is `fit`."""

    fit_wall: float
    fit_cpu: float
    predict_wall: float | None = None
    predict_cpu: float | None = None

    def resources(self) -> dict[str, float]:
        """By the names of the measures; what was not measured is left out."""
        named = {
            "fit_time": self.fit_wall,
            "fit_cpu": self.fit_cpu,
            "predict_time": self.predict_wall,
            "predict_cpu": self.predict_cpu,
        }
        return {name: seconds for name, seconds in named.items() if seconds is not None}


@dataclass(frozen=True, slots=True)
class Fitted:
    """The prediction of the test rows, its timings, and the fitted estimator (None for a command)."""

    prediction: Prediction
    timings: Timings
    estimator: Any = None
