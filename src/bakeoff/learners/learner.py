"""A learner: a name, and how to make a fresh estimator for one cell. A description; nothing here runs anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.keys import canonical_value, key_of, seed_of
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
    """One step of a pipeline: an import path and parameters. Its name is how factors call it, and in no key."""

    path: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    name: str = ""


# What a parameter may be a multiple of: { multiple = 2, of = "features" }, found anew in each learning sample.
NEAREST, ROWS, FEATURES = "nearest-neighbour distance", "rows", "features"
STATISTICS = (NEAREST, ROWS, FEATURES)


def is_relative(value: Any) -> bool:
    """Whether a parameter is given as a multiple of a statistic of the learning sample.

    >>> is_relative({"multiple": 0.5, "of": "rows", "integer": True}), is_relative({"yes": 1, "no": 2})
    (True, False)
    """
    keys = set(value) if isinstance(value, Mapping) else set()
    return {"multiple", "of"} <= keys <= {"multiple", "of", "integer", "low", "high"}


@dataclass(frozen=True)
class LearningSample:
    """What is made of each learning sample before it is learned from; test rows stay as they are.

    `size` is a share of the rows (up to 1) or a number of them; `class_noise` the share of rows that get a wrong class;
    `attribute_noise` the share of the values of each input that are replaced by others of that input; `order` the
    parts of the rows, as many as it names, in the order in which they are presented.
    """

    size: float = 1.0
    class_noise: float = 0.0
    attribute_noise: float = 0.0
    order: tuple[int, ...] = ()

    def describe(self) -> dict[str, Any]:
        """What differs from the sample as it is: nothing, for the whole sample without noise."""
        usual = LearningSample()
        parts = {name: getattr(self, name) for name in ("size", "class_noise", "attribute_noise")}
        changed = {name: float(value) for name, value in parts.items() if value != getattr(usual, name)}
        return changed | ({"order": list(self.order)} if self.order else {})


@dataclass(frozen=True)
class Learner:
    """Exactly one of `steps` (one or more; the last is the estimator), `estimator` (an object) and `command` is given.

    `prepare` says what stands before the estimator: "auto" imputes and encodes where the data have missing values or
    categories, "standard" also standardises the numbers, "none" passes the data on as they are. "-drop-first" after
    the first two leaves the indicator of the first category out. A learner that is random by itself may have several
    `fits` to each learning sample, which are averaged there; `number` tells one of them from the others.
    `validation` is the share of each learning sample that is set aside for an estimator that stops early by it, and
    `sample` what is made of the learning sample before: a part of it, or with noise.
    """

    name: str
    steps: tuple[Step, ...] = ()
    estimator: Any = None
    command: tuple[str, ...] = ()
    prepare: str = "auto"
    tuning: Tuning | None = None
    folder: str = ""  # where a command is run and its files are looked for; not part of the key
    fits: int = 1
    number: int = 1
    validation: float | None = None
    sample: LearningSample = LearningSample()

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
        description |= {"fits": self.fits} if self.fits > 1 else {}
        description |= {"validation": self.validation} if self.validation is not None else {}
        description |= {"sample": sample} if (sample := self.sample.describe()) else {}
        return description | ({"fit": self.number} if self.number > 1 else {})

    @property
    def single_fits(self) -> tuple[Learner, ...]:
        """A learner for each of the fits: the first is this one with a single fit, so that its results are the same."""
        if self.fits == 1:
            return (self,)
        return tuple(replace(self, fits=1, number=number) for number in range(1, self.fits + 1))

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
CLASSIFICATION, REGRESSION, DENSITY, MULTI_LABEL = "classification", "regression", "density", "multi-label"
SEVERAL_NUMBERS = "regression of several targets"
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
    """`missing` are the inputs with at least one missing value; `frame` says whether inputs come as a DataFrame, `form`
    whether they are a table at all, or texts, arrays or a sparse matrix; `weighted` whether rows have weights."""

    name: str
    kind: str
    n: int
    features: tuple[str, ...]
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    classes: tuple[Any, ...] = ()
    frame: bool = False
    target: str = TARGET
    form: str = "table"
    weighted: bool = False
    targets: tuple[str, ...] = ()  # of several that are predicted together

    @property
    def problem(self) -> str:
        """What is to be learned, as far as it tells which learners can."""
        return SEVERAL_NUMBERS if self.targets and self.kind == REGRESSION else self.kind

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
    frame = hasattr(data.X, "iloc")
    missing: tuple[str, ...] = ()
    known = getattr(data.X, "missing", None)  # of inputs that stay in their file
    if known is not None:
        missing = known
    elif data.n_missing:
        absent: Any = np.asarray(data.X.isna() if frame else np.isnan(data.X)).any(axis=0)
        missing = tuple(name for name, some in zip(data.features, absent, strict=True) if some)
    return DataInfo(
        name=data.name,
        kind=str(data.kind),
        n=int(data.X.shape[0]),
        form=str(getattr(data, "form", "table")),
        weighted=getattr(data, "weights", None) is not None,
        targets=tuple(getattr(data, "targets", ())),
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
    """Why an estimator cannot learn from a task of that kind, in a sentence; None if nothing is known against it. The
    kind may be that of several targets as well.

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
    other: Callable[[Any], bool] = is_classifier if kind in (REGRESSION, SEVERAL_NUMBERS) else is_regressor
    if _is_surely(other, estimator):
        return f"{what} is not made for {kind}, and {task!r} is a {kind} task."
    if kind not in (MULTI_LABEL, SEVERAL_NUMBERS) or _predicts_several(estimator):
        return None
    wrapper = "MultiOutputClassifier" if kind == MULTI_LABEL else "MultiOutputRegressor"
    return (
        f"{what} predicts one target, and {task!r} has several that are predicted together. Put it into "
        f"sklearn.multioutput.{wrapper}, choose another learner, or say separate = true for a task of each target."
    )


def _predicts_several(estimator: Any) -> bool:
    """Whether an estimator may predict several targets at once. What users wrote need not say so, and is tried."""
    from sklearn.utils import get_tags

    while True:
        inner = estimator.steps[-1][1] if getattr(estimator, "steps", None) else None
        if inner is None and type(estimator).__module__.startswith("sklearn.model_selection"):
            inner = getattr(estimator, "estimator", None)  # a search
        if inner is None:
            break
        estimator = inner
    if not type(estimator).__module__.startswith(("sklearn.", "bakeoff.")) or type(estimator).__name__ in _UNTOLD:
        return True
    tags = get_tags(estimator)
    labels = tags.classifier_tags is not None and tags.classifier_tags.multi_label
    return bool(tags.target_tags.multi_output or labels)


_UNTOLD = ("MLPRegressor", "TransformedTargetRegressor")  # they do, and their tags do not say so


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
        used = {"fit_time": self.fit_wall, "fit_cpu": self.fit_cpu}
        if self.predict_wall is not None and self.predict_cpu is not None:
            used["predict_time"], used["predict_cpu"] = self.predict_wall, self.predict_cpu
        return used


@dataclass(frozen=True, slots=True)
class FitResult:
    """The prediction of the test rows, its timings, and the fitted estimator (None for a command)."""

    prediction: Prediction
    timings: Timings
    estimator: Any = None


# ----------------------------------------------------------------------------------------------------------------------
# Learners by short names: those of the founding documents, and those that everybody compares with.


@dataclass(frozen=True)
class ShortName:
    """What a study file may write as `path`, and what it stands for: keys hold the path, not the name."""

    name: str
    path: str
    kinds: str
    about: str


_TABLE = (
    ("1R", "bakeoff.learners.one_r.OneR", "classification", "a rule about one attribute (Holte 1993)"),
    ("sLDA", "bakeoff.learners.slda.StabilisedLDA", "classification", "stabilised linear discriminant analysis"),
    ("bundling", "bakeoff.learners.bundling.Bundling", "classification", "bagged trees that see other classifiers"),
    ("majority", "sklearn.dummy.DummyClassifier", "classification", "the most frequent class, whatever the inputs"),
    ("mean", "sklearn.dummy.DummyRegressor", "regression", "the mean of the target, whatever the inputs"),
    ("lda", "sklearn.discriminant_analysis.LinearDiscriminantAnalysis", "classification", "linear discriminants"),
    ("qda", "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis", "classification", "quadratic discriminants"),
    ("logistic", "sklearn.linear_model.LogisticRegression", "classification", "logistic regression"),
    ("linear", "sklearn.linear_model.LinearRegression", "regression", "least squares"),
    ("ridge", "sklearn.linear_model.Ridge", "regression", "least squares with a quadratic penalty"),
    ("lasso", "sklearn.linear_model.Lasso", "regression", "least squares with an absolute penalty"),
    ("naive-bayes", "sklearn.naive_bayes.GaussianNB", "classification", "naive Bayes with normal densities"),
    ("knn", "sklearn.neighbors.KNeighborsClassifier", "classification", "nearest neighbours"),
    ("knn-regression", "sklearn.neighbors.KNeighborsRegressor", "regression", "nearest neighbours"),
    ("tree", "sklearn.tree.DecisionTreeClassifier", "classification", "a classification tree"),
    ("tree-regression", "sklearn.tree.DecisionTreeRegressor", "regression", "a regression tree"),
    ("bagging", "sklearn.ensemble.BaggingClassifier", "classification", "bagged trees"),
    ("forest", "sklearn.ensemble.RandomForestClassifier", "classification", "a random forest"),
    ("forest-regression", "sklearn.ensemble.RandomForestRegressor", "regression", "a random forest"),
    ("boosting", "sklearn.ensemble.HistGradientBoostingClassifier", "classification", "gradient boosting"),
    ("boosting-regression", "sklearn.ensemble.HistGradientBoostingRegressor", "regression", "gradient boosting"),
    ("svm", "sklearn.svm.SVC", "classification", "a support vector machine"),
    ("svm-regression", "sklearn.svm.SVR", "regression", "support vector regression"),
    ("mlp", "sklearn.neural_network.MLPClassifier", "classification", "a network of neurons"),
    ("kernel-density", "sklearn.neighbors.KernelDensity", "density", "a kernel estimate of the density"),
    ("mixture", "sklearn.mixture.GaussianMixture", "density", "a mixture of normal densities"),
)
SHORT_NAMES = {entry[0].lower(): ShortName(*entry) for entry in _TABLE}


def full_path(path: str) -> str:
    """The import path that a short name stands for; any other text is left as it is.

    >>> full_path("sLDA"), full_path("sklearn.svm.SVC")
    ('bakeoff.learners.slda.StabilisedLDA', 'sklearn.svm.SVC')
    """
    known = SHORT_NAMES.get(path.lower()) if isinstance(path, str) else None
    return path if known is None else known.path


# ----------------------------------------------------------------------------------------------------------------------
# A part of a learning sample, one with noise, or in another order: what learning curves, tables of noise and
# counter-balanced presentations are made of.
#
# All learners of a split get the same part and the same noise: both follow from the rows of the split, not from the
# learner. A smaller part lies within every larger one, rows that are wrong at a low level of noise are wrong at every
# higher one, and a row that is in a smaller part has the noise that it has in a larger one.


Rows = NDArray[Any]


def part_of(train: Rows, sample: LearningSample, classes: Rows | None, groups: Rows | None) -> NDArray[np.intp]:
    """Which of the training rows (as places among them) are learned from, in the order of the split.

    Classes keep their proportions as well as whole rows can; groups are taken whole.

    >>> part_of(np.arange(6), LearningSample(size=0.5), np.array([0, 0, 0, 0, 1, 1]), None).shape
    (3,)
    """
    n = len(train)
    wanted = sample.size if sample.size > 1 else max(1, round(sample.size * n))
    if wanted > n:
        raise UsageError(
            f"A training size of {wanted:g} rows was asked for, and the learning sample has {n}. Ask for fewer, or for "
            "a share of them (up to 1)."
        )
    chance = _uniform(train, "size")
    if groups is not None:
        order = np.argsort(_uniform(np.unique(groups[train]), "groups"), kind="stable")
        place = np.argsort(order, kind="stable")[np.unique(groups[train], return_inverse=True)[1].ravel()]
        by_group = np.argsort(place, kind="stable")
        last = place[by_group[int(wanted) - 1]]
        return np.flatnonzero(place <= last)
    if classes is not None:
        chance = _spread_by_class(chance, classes[train])
    return np.sort(np.argsort(chance, kind="stable")[: int(wanted)])


def _spread_by_class(chance: NDArray[np.float64], classes: Rows) -> NDArray[np.float64]:
    """Where each row stands among those of its class, from 0 to 1: sorted by it, every beginning has all classes."""
    place = np.empty(len(chance))
    for label in np.unique(classes):
        own = np.flatnonzero(classes == label)
        place[own[np.argsort(chance[own], kind="stable")]] = (np.arange(len(own)) + 0.5) / len(own)
    return place + chance * 1e-9


def with_noise(
    X: Any, y: Any, train: Rows, chosen: NDArray[np.intp], sample: LearningSample, info: DataInfo
) -> tuple[Any, Any]:
    """Inputs and target of the chosen training rows, with the noise that the sample asks for."""
    if sample.class_noise:
        y = _wrong_classes(y, train, chosen, sample.class_noise, info)
    if sample.attribute_noise:
        X = _other_values(X, train, chosen, sample.attribute_noise, info)
    return X, y


def presented(rows: Rows, order: tuple[int, ...]) -> NDArray[np.intp]:
    """The places of the rows in the order in which they are presented. Sorted as in the data they are divided into
    parts of equal size, one for each number of the order.

    >>> presented(np.array([7, 5, 1, 3]), (1, 0)).tolist()
    [1, 0, 2, 3]
    """
    parts = np.array_split(np.argsort(rows, kind="stable"), len(order))
    return np.concatenate([parts[number] for number in order])


def _wrong_classes(y: Any, train: Rows, chosen: NDArray[np.intp], rate: float, info: DataInfo) -> Any:
    if info.kind != CLASSIFICATION:
        raise UsageError(f"Class noise gives rows a wrong class, and {info.name!r} is a {info.kind} task.")
    chance, which = _uniform(train, "class-noise")[chosen], _uniform(train, "wrong-class")[chosen]
    # A longer label than those that are there must not be cut off.
    kind = np.asarray(y).dtype
    spoiled = np.array(y, dtype=np.array(info.classes).dtype if kind.kind == "U" else kind)
    for row in np.argsort(chance, kind="stable")[: round(rate * len(chosen))]:
        others = [label for label in info.classes if label != spoiled[row]]
        spoiled[row] = others[int(which[row] * len(others))]
    return spoiled


def _other_values(X: Any, train: Rows, chosen: NDArray[np.intp], rate: float, info: DataInfo) -> Any:
    if info.form != "table":
        raise UsageError(
            f"Attribute noise replaces values of a table, and the inputs of {info.name!r} are {info.form}."
        )
    spoiled = X.copy()
    for place in range(X.shape[1]):
        chance = _uniform(train, f"attribute-noise {place}")[chosen]
        rows = np.argsort(chance, kind="stable")[: round(rate * len(chosen))]
        donors = (_uniform(train, f"donor {place}")[chosen][rows] * len(chosen)).astype(np.intp)
        if hasattr(X, "iloc"):
            spoiled.iloc[rows, place] = X.iloc[donors, place].to_numpy()
        else:
            spoiled[rows, place] = X[donors, place]
    return spoiled


def _uniform(rows: Rows, purpose: str) -> NDArray[np.float64]:
    """A number between 0 and 1 for each row, from the rows themselves and what it is for."""
    seed = seed_of("learning sample", purpose, np.ascontiguousarray(rows, dtype="<i8").tobytes())
    return np.random.Generator(np.random.PCG64(seed)).random(len(rows))
