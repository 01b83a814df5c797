"""Bundling: bagged trees that may also split on what other learners say, learned from the cases out of the bag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from bakeoff.errors import UsageError, nearest
from bakeoff.learners.slda import StabilisedLDA

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

AGGREGATIONS = ("majority", "average", "weighted")
AUXILIARIES = ("slda", "nearest_neighbours", "logistic_regression")
_NEIGHBOURS = 5


class Bundling(ClassifierMixin, BaseEstimator):
    """Bagged classification trees with the predictions of auxiliary learners as additional inputs (Hothorn, Lausen).

    For each tree a bootstrap sample is drawn. The auxiliary learners are fitted to the cases that are not in it (the
    out-of-bag part, about 37 %), so that what they say about the cases of the bootstrap sample is not flattered by
    having seen them; a tree is then grown on the bootstrap sample, from the inputs and from what the auxiliaries say.
    With linear discriminant analysis as the only auxiliary this is double-bagging.

    Useful when it is not known whether the classes part along the axes, as trees cut, or along a line, or by distance:
    the trees pick for each bootstrap sample what helps. An out-of-bag estimate of the error does not exist, because the
    out-of-bag part has been learned from: estimate the error from outside.

    Parameters
    ----------
    auxiliary : a list of names and scikit-learn estimators. The names: "slda" (stabilised linear discriminant analysis:
        its discriminant coordinates), "nearest_neighbours" (class probabilities of the five nearest, in standardised
        inputs), "logistic_regression" (class probabilities, in standardised inputs, with scikit-learn's default
        penalty, because without one it does not exist for classes that a plane parts). Of an estimator is taken what
        `transform` gives, or `predict_proba`, or `decision_function`, or else `predict`. Empty: bagging.
    n_estimators : the number of trees. More are never worse, only slower: 50 are enough for the error to settle on most
        data sets; R's ipred makes 25, Hothorn, Leisch, Zeileis and Hornik (2005) average over 250.
    aggregation : "majority" lets the trees vote, "average" averages the class proportions in the leaves, "weighted"
        adds up the cases in the leaves. Probabilities follow: shares of votes, averages, shares of cases. For trees of
        full size the three hardly differ.
    max_depth, min_samples_leaf : of the trees, which are of full size by default.
    n_jobs : trees grown at a time, in threads. The result does not depend on it.
    random_state : seed of the bootstrap samples, of trees, and of auxiliaries that have a `random_state` of None.

    If the out-of-bag part has cases of one class only, or no more cases than classes (which happens only in the
    smallest samples), the tree is grown from the inputs alone.

    References
    ----------
    Hothorn, T., Lausen, B. (2003). Double-bagging: combining classifiers by bootstrap aggregation. Pattern Recognition
    36(6), 1303–1309. doi:10.1016/S0031-3203(02)00169-3
    Hothorn, T., Lausen, B. (2005). Bundling classifiers by bagging trees. Computational Statistics & Data Analysis 49,
    1068–1078. doi:10.1016/j.csda.2004.06.019

    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> learner = Bundling(n_estimators=10, random_state=1).fit(X[::2], y[::2])
    >>> bool(learner.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        auxiliary: Sequence[Any] = AUXILIARIES,
        n_estimators: int = 50,
        aggregation: str = "majority",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.auxiliary = auxiliary
        self.n_estimators = n_estimators
        self.aggregation = aggregation
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        auxiliaries = self._checked_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise UsageError(f"Bundling needs at least two classes; found one class, {self.classes_[0]}.")
        # All that is random is drawn here, so that the order in which the trees are grown does not matter.
        random = check_random_state(self.random_state)
        samples = bootstrap_samples(len(X), self.n_estimators, random)
        seeds = random.randint(np.iinfo(np.int32).max, size=self.n_estimators)
        tree = DecisionTreeClassifier(max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf)
        self.bundles_ = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(grow)(X, codes, rows, auxiliaries, tree, int(seed))
            for rows, seed in zip(samples, seeds, strict=True)
        )
        return self

    def predict_proba(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        parts = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_opinion)(bundle, X, len(self.classes_), self.aggregation) for bundle in self.bundles_
        )
        total = np.sum(parts, axis=0)
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def _checked_parameters(self) -> list[Any]:
        """The auxiliary learners, as estimators."""
        if isinstance(self.n_estimators, bool) or not isinstance(self.n_estimators, int | np.integer):
            raise UsageError(f"n_estimators is a whole number of at least 1; found {self.n_estimators!r}.")
        if self.n_estimators < 1:
            raise UsageError(f"n_estimators is a whole number of at least 1; found {self.n_estimators}.")
        if self.aggregation not in AGGREGATIONS:
            raise UsageError(
                f"aggregation {self.aggregation!r} is unknown. {nearest(str(self.aggregation), AGGREGATIONS)}"
            )
        if isinstance(self.auxiliary, str) or not isinstance(self.auxiliary, Sequence):
            raise UsageError(f"auxiliary is a list of names and estimators; found {self.auxiliary!r}.")
        return [_named(one) if isinstance(one, str) else _checked_estimator(one) for one in self.auxiliary]


@dataclass(frozen=True)
class Bundle:
    """A tree, and the auxiliaries whose words are inputs of it after those of the data."""

    tree: Any
    auxiliaries: tuple[Any, ...]


def bootstrap_samples(n: int, number: int, random: np.random.RandomState) -> list[Rows]:
    """Rows drawn with replacement, as many as there are."""
    return [random.randint(n, size=n) for _ in range(number)]


def grow(X: Floats, codes: Rows, rows: Rows, auxiliaries: Sequence[Any], tree: Any, seed: int) -> Bundle:
    """Auxiliaries from the cases that are not in the bootstrap sample, then a tree from those that are."""
    random = np.random.RandomState(seed)
    out = np.setdiff1d(np.arange(len(X)), rows)
    classes_out = len(np.unique(codes[out]))
    fitted: list[Any] = []
    if classes_out > 1 and len(out) > classes_out:
        for auxiliary in auxiliaries:
            fitted.append(_seeded(_fitting(auxiliary, len(out)), random).fit(X[out], codes[out]))
    augmented = _augmented(X[rows], fitted, n_classes=int(codes.max()) + 1)
    grown = _seeded(clone(tree), random).fit(augmented, codes[rows])
    return Bundle(grown, tuple(fitted))


def _opinion(bundle: Bundle, X: Floats, n_classes: int, aggregation: str) -> Floats:
    """What one tree adds to the total, a column a class: a vote, proportions, or numbers of cases."""
    augmented = _augmented(X, bundle.auxiliaries, n_classes)
    shares = _all_classes(bundle.tree.predict_proba(augmented), bundle.tree.classes_, n_classes)
    if aggregation == "majority":
        votes: Floats = np.zeros_like(shares)
        votes[np.arange(len(X)), shares.argmax(axis=1)] = 1
        return votes
    if aggregation == "weighted":
        return np.asarray(shares * bundle.tree.tree_.n_node_samples[bundle.tree.apply(augmented)][:, None])
    return shares


def _augmented(X: Floats, auxiliaries: Sequence[Any], n_classes: int) -> Floats:
    return np.hstack([X, *(_words(auxiliary, X, n_classes) for auxiliary in auxiliaries)])


def _words(auxiliary: Any, X: Floats, n_classes: int) -> Floats:
    """What an auxiliary says of the cases, as columns of numbers."""
    if hasattr(auxiliary, "transform"):
        outputs = auxiliary.transform(X)
    elif hasattr(auxiliary, "predict_proba"):
        # The out-of-bag part may lack a class; the first column follows from the others.
        outputs = _all_classes(auxiliary.predict_proba(X), auxiliary.classes_, n_classes)[:, 1:]
    elif hasattr(auxiliary, "decision_function"):
        outputs = auxiliary.decision_function(X)
    else:
        outputs = auxiliary.predict(X)
    return np.asarray(outputs, dtype=np.float64).reshape(len(X), -1)


def _all_classes(shares: Floats, present: NDArray[Any], n_classes: int) -> Floats:
    complete = np.zeros((len(shares), n_classes))
    complete[:, present] = shares
    return complete


def _fitting(auxiliary: Any, n: int) -> Any:
    """A copy to be fitted to n cases. Nearest neighbours cannot be more than there are."""
    copy = clone(auxiliary)
    neighbours = {name: value for name, value in copy.get_params().items() if name.split("__")[-1] == "n_neighbors"}
    few = {name: n for name, value in neighbours.items() if isinstance(value, int) and value > n}
    return copy.set_params(**few)


def _seeded(estimator: Any, random: np.random.RandomState) -> Any:
    """With a seed wherever a `random_state` was left open."""
    parameters = estimator.get_params()
    open_ones = sorted(name for name in parameters if name.split("__")[-1] == "random_state")
    seeds = {name: int(random.randint(np.iinfo(np.int32).max)) for name in open_ones if parameters[name] is None}
    return estimator.set_params(**seeds)


def _named(name: str) -> Any:
    if name == "slda":
        return StabilisedLDA()
    if name == "nearest_neighbours":
        return make_pipeline(StandardScaler(), KNeighborsClassifier(_NEIGHBOURS))
    if name == "logistic_regression":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    raise UsageError(f"There is no auxiliary learner {name!r}. {nearest(name, AUXILIARIES)}")


def _checked_estimator(estimator: Any) -> Any:
    if not all(hasattr(estimator, name) for name in ("fit", "get_params")):
        raise UsageError(f"An auxiliary is a name or a scikit-learn estimator; found {estimator!r}.")
    return estimator
