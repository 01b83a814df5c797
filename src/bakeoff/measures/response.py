"""A response: a measure, and how its value comes about from what was stored of a cell.

Most are computed from truth and prediction, so that one that is thought of after the run needs no rerun. Resources
were measured while the learner was fitted, and a scorer of the user needs the fitted estimator itself: these two
exist only if they were asked for before the run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError
from bakeoff.measures.measure import Measure

# ----------------------------------------------------------------------------------------------------------------------
# Truth and prediction, as measures read them.


@dataclass(frozen=True, eq=False)
class Truth:
    """What was to be predicted: codes of classes (classification), numbers (regression), whether labels apply
    (multi-label), or nothing but a count. Several targets are the columns of `values`, and `classes` their names."""

    kind: str  # "classification", "regression", "density" or "multi-label", as in tasks.dataset.Kind
    values: NDArray[Any]  # int64 codes, float64 numbers, 0 and 1; zeros for a density
    classes: tuple[Any, ...] = ()
    weights: NDArray[np.float64] | None = None  # how much each row counts where a measure says `weighted`

    def rows(self, indices: NDArray[np.integer[Any]]) -> Truth:
        weights = None if self.weights is None else self.weights[indices]
        return Truth(self.kind, self.values[indices], self.classes, weights)


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a learner said of each test row.

    `values` are codes of classes, numbers, or log densities. `scores` are what the learner ordered the rows by: for two
    classes one number a row (of the second class), for more a column a class, of labels a column each; None if it gives
    none. They are probabilities if `probabilistic`, else a decision function.
    """

    values: NDArray[Any]
    scores: NDArray[np.float64] | None = None
    probabilistic: bool = False

    def packed(self) -> PackedPrediction:
        scores, columns = None, None
        if self.scores is not None:
            scores, columns = packed(self.scores), None if self.scores.ndim == 1 else self.scores.shape[1]
        return PackedPrediction(packed(self.values), scores, columns, self.probabilistic)


class PackedPrediction(NamedTuple):
    """The same as bytes: so it goes from a worker into a store, and nobody makes arrays of it on the way."""

    predicted: bytes
    scores: bytes | None
    columns: int | None  # of the scores, if there are several a row
    probabilistic: bool

    def without_scores(self) -> PackedPrediction:
        return PackedPrediction(self.predicted, None, None, False)


# ----------------------------------------------------------------------------------------------------------------------
# Arrays as bytes and back: one byte for the type, then the numbers, little-endian. No pickle. So they lie in a store,
# and so the rows of splits go to the workers.


# The letters are struct's. Whole numbers are packed into the first type that holds them.
_TYPES: dict[bytes, np.dtype[Any]] = {
    b"B": np.dtype("<u1"),
    b"b": np.dtype("<i1"),
    b"H": np.dtype("<u2"),
    b"h": np.dtype("<i2"),
    b"I": np.dtype("<u4"),
    b"i": np.dtype("<i4"),
    b"q": np.dtype("<i8"),
    b"d": np.dtype("<f8"),
}
_WHOLE = tuple(
    (letter, dtype, int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    for letter, dtype in _TYPES.items()
    if dtype.kind in "iu"
)


def packed(array: NDArray[Any]) -> bytes:
    """The numbers of an array; its shape is not kept.

    >>> packed(np.array([0, 1, 2]))
    b'B\\x00\\x01\\x02'
    >>> len(packed(np.array([0.1, 0.2])))
    17
    """
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        return b"d" + np.ascontiguousarray(array, dtype="<f8").tobytes()
    if kind not in "iub":
        raise TypeError(f"Numbers were expected to be stored; found an array of {array.dtype}.")
    # Not array.min(), which takes three times as long for a few numbers.
    ends = (np.minimum.reduce(array, axis=None), np.maximum.reduce(array, axis=None)) if array.size else (0, 0)
    least, most = int(ends[0]), int(ends[1])
    for letter, dtype, lowest, highest in _WHOLE:
        if lowest <= least and most <= highest:
            return letter + np.ascontiguousarray(array, dtype=dtype).tobytes()
    raise TypeError(f"Whole numbers of at most 64 bits were expected to be stored; found {most}.")


def unpacked(blob: bytes, columns: int | None = None) -> NDArray[Any]:
    """The array again: int64 or float64, in rows of so many columns if there are several.

    >>> unpacked(packed(np.array([3, -4], dtype=np.int8)))
    array([ 3, -4])
    """
    stored = _numbers(blob)
    numbers = stored.astype(np.float64 if stored.dtype.kind == "f" else np.int64)
    return numbers if columns is None else numbers.reshape(-1, columns)


def unpacked_rows(blob: bytes) -> NDArray[np.int32]:
    """Row numbers of a sample, as splits hold them."""
    return _numbers(blob).astype(np.int32)


def _numbers(blob: bytes) -> NDArray[Any]:
    dtype = _TYPES.get(blob[:1])
    if dtype is None or (len(blob) - 1) % dtype.itemsize:
        raise ValueError(f"These {len(blob)} bytes hold no array that bakeoff has packed.")
    return np.frombuffer(blob, dtype=dtype, offset=1)


# ----------------------------------------------------------------------------------------------------------------------


Array = NDArray[np.float64]
KINDS = ("classification", "regression", "density", "multi-label")
# Probabilities that were rounded on their way into a store may miss 0 and 1 by that much.
_ROUNDING = 1e-6


class Needs(StrEnum):
    """What a response is computed from."""

    LABELS = "labels"
    SCORES = "scores"
    PROBABILITIES = "probabilities"
    NUMBERS = "numbers"
    LOG_DENSITIES = "log densities"
    RESOURCES = "resources"
    ESTIMATOR = "estimator"


NO_WEIGHTS = "test rows are to count by their weights, and the task has none: name the column (weight = '…')."


class Undefined(DegenerateError):  # noqa: N818 - a state of a value rather than a mistake of anybody
    """The measure has no value here, for a reason that is told. Averages must not pretend that it had one."""


@dataclass(frozen=True)
class Response:
    """How a measure gets its value.

    `pointwise` gives one value a test row, whose mean is the response; None if the response is not such a mean.
    `compute` gives the response where it is not the mean of `pointwise`. `admits` returns a sentence if the response
    does not exist for tasks of these classes. `note` states the convention where there is more than one. `content` is
    the description that goes into the hash of a study.
    """

    measure: Measure
    needs: Needs
    kinds: tuple[str, ...]
    content: str
    note: str = ""
    pointwise: Callable[[Truth, Prediction], Array] | None = field(default=None, compare=False)
    compute: Callable[[Truth, Prediction], float] | None = field(default=None, compare=False)
    admits: Callable[[tuple[Any, ...]], str | None] | None = field(default=None, compare=False)
    resource: str = ""  # under which the worker reports it
    scorer: Any = field(default=None, compare=False)  # a callable, an import path, or the name of a scorer
    weighted: bool = False  # whether test rows count by their weights, which the task must have
    function: Any = field(default=None, compare=False)  # of a measure from outside the package, as it was registered
    code: Any = field(default=None, compare=False)  # of a scorer or function of the user's own: a Code of learners.code

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def why_not_632_plus(self) -> str | None:
        """Why .632+ cannot weigh it, or None. It weighs losses of rows, and what scores fall short of their best."""
        bounded = not self.measure.larger_is_better or isfinite(self.measure.upper)
        if self.needs is Needs.RESOURCES or (self.pointwise is not None and bounded):
            return None
        return (
            f".632+ is for losses that each test row has, such as error or squared_error, and {self.name} is none; "
            "the scheme '632' takes any measure."
        )

    @property
    def after_the_run(self) -> bool:
        """Whether stored predictions are enough."""
        return self.needs not in (Needs.RESOURCES, Needs.ESTIMATOR)

    def describe(self) -> dict[str, Any]:
        """All that determines the value, as JSON."""
        described: dict[str, Any] = json.loads(self.content)
        return described

    def misfit(self, kind: str, classes: tuple[Any, ...] | None = None, weighted: bool | None = None) -> str | None:
        """Why the response does not exist for a task of this kind (and, if they are known, these classes, and whether
        its rows are weighted), or None."""
        if kind not in self.kinds:
            return f"{self.name!r} is a measure of {' and '.join(self.kinds)}, not of {kind}."
        if self.weighted and weighted is False:
            return f"{self.name!r}: {NO_WEIGHTS}"
        if kind == "classification" and classes is not None and self.admits is not None:
            return self.admits(classes)
        return None

    def of(self, truth: Truth, prediction: Prediction) -> float:
        """The value, always a finite number; where there is none, Undefined with the reason."""
        self._check(truth, prediction)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if self.compute is None:
                value = float(np.add.reduce(self._of_rows(truth, prediction)) / len(truth.values))
            elif truth.values.ndim == 2 and truth.kind == "regression":
                value = float(np.mean([self.compute(*one) for one in _one_by_one(truth, prediction)]))
            else:
                value = float(self.compute(truth, prediction))
        if not isfinite(value):
            raise Undefined(f"{self.name} leaves the range of numbers for these predictions ({value}).")
        return value

    def losses(self, truth: Truth, prediction: Prediction) -> Array:
        """One value a test row, whose mean is the response: what comparisons over instances are made from."""
        if self.pointwise is None:
            raise Undefined(f"{self.name} is a property of all test rows together, and has no value for each of them.")
        self._check(truth, prediction)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            values = self._of_rows(truth, prediction)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise Undefined(f"{self.name} leaves the range of numbers at test row {row + 1} ({values[row]}).")
        return values

    def _of_rows(self, truth: Truth, prediction: Prediction) -> Array:
        """One value a row; of several targets the mean over them."""
        assert self.pointwise is not None  # every response has that or `compute`
        values = self.pointwise(truth, prediction)
        return values if values.ndim == 1 else np.asarray(values.mean(axis=1))

    def of_resources(self, resources: Mapping[str, float]) -> float:
        """The value that was measured while the learner ran."""
        value = resources.get(self.resource)
        if value is None or not isfinite(value):
            raise Undefined(f"{self.name} was not measured for this learner.")
        return float(value)

    def _check(self, truth: Truth, prediction: Prediction) -> None:
        """That there is something to compute from, and that it is numbers: a NaN must not be ranked like one."""
        if not self.after_the_run:
            raise Undefined(
                f"{self.name} comes from the {'run' if self.needs is Needs.RESOURCES else 'fitted estimator'} and not "
                "from stored predictions: name it in the study before it is run."
            )
        if len(truth.values) == 0:
            raise Undefined("There are no test rows.")
        if len(truth.values) != len(prediction.values):
            raise Undefined(f"There are {len(truth.values)} test rows, but {len(prediction.values)} predictions.")
        if truth.values.shape != prediction.values.shape:
            raise Undefined(f"Truth has the shape {truth.values.shape}, but predictions {prediction.values.shape}.")
        if (reason := self.misfit(truth.kind, truth.classes)) is not None:
            raise Undefined(reason)
        if self.needs in (Needs.SCORES, Needs.PROBABILITIES):
            self._check_scores(truth, prediction)
        elif self.needs is Needs.NUMBERS and not np.isfinite(prediction.values).all():
            raise Undefined("Not all predictions are finite numbers.")

    def _check_scores(self, truth: Truth, prediction: Prediction) -> None:
        wanted = "class probabilities" if self.needs is Needs.PROBABILITIES else "scores to order the test rows by"
        if prediction.scores is None:
            raise Undefined(
                f"There are labels only: the learner gives no more, or the study was not to keep it (keep_scores); "
                f"{self.name} needs {wanted}."
            )
        if self.needs is Needs.PROBABILITIES and not prediction.probabilistic:
            raise Undefined(f"The learner gives a decision function; {self.name} needs {wanted}.")
        n, k = len(truth.values), len(truth.classes)
        if prediction.scores.shape != ((n,) if k == 2 and truth.kind == "classification" else (n, k)):
            raise Undefined(f"The scores of {n} test rows and {k} classes have the shape {prediction.scores.shape}.")
        scores = prediction.scores
        lowest, highest = np.minimum.reduce(scores, axis=None), np.maximum.reduce(scores, axis=None)
        if np.isnan(lowest):
            raise Undefined("Not all scores are numbers.")
        if self.needs is Needs.PROBABILITIES and not (lowest >= -_ROUNDING and highest <= 1 + _ROUNDING):
            raise Undefined(f"Probabilities lie between 0 and 1; found {lowest:g} to {highest:g}.")


def _one_by_one(truth: Truth, prediction: Prediction) -> Iterator[tuple[Truth, Prediction]]:
    """Each of several targets by itself."""
    for column in range(truth.values.shape[1]):
        yield Truth(truth.kind, truth.values[:, column]), Prediction(prediction.values[:, column])


def shown(label: object) -> str:
    """A label as it stands in a sentence: numpy's own types like those of Python."""
    return repr(label.item() if isinstance(label, np.generic) else label)
