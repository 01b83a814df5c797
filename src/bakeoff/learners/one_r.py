"""1R: the best rule that looks at one input only. A yardstick for learners that look at more."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d, validate_data

from bakeoff.errors import UsageError, nearest

# ----------------------------------------------------------------------------------------------------------------------
# The rules that 1R chooses from: an input cut into branches, and what each branch says of the class.


Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class IntervalBranches:
    """Branches of numbers: below the first cut, from there to below the next, …; then the missing ones."""

    cuts: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.cuts) + 2

    def find(self, column: NDArray[Any]) -> Codes:
        try:
            numbers = column.astype(np.float64)
        except (TypeError, ValueError):
            raise UsageError(
                "The rule was learned from numbers, and the input that it looks at now holds something else."
            ) from None
        branch = np.searchsorted(np.array(self.cuts), numbers, side="right")
        return np.where(np.isnan(numbers), len(self) - 1, branch)

    def tests(self, name: str) -> list[str]:
        above = [f"{name} < {cut:.6g}" for cut in self.cuts]
        return [*above, "otherwise" if above else "always", f"{name} missing"]


@dataclass(frozen=True)
class CategoryBranches:
    """Branches of categories, which are told apart as texts; then the missing ones, then those never seen."""

    values: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values) + 2

    def find(self, column: NDArray[Any]) -> Codes:
        texts, missing = as_texts(column)
        places = {value: place for place, value in enumerate(self.values)}
        branch = np.array([places.get(text, len(self) - 1) for text in texts], dtype=np.intp)
        return np.where(missing, len(self) - 2, branch)

    def tests(self, name: str) -> list[str]:
        return [*(f"{name} = {value}" for value in self.values), f"{name} missing", "otherwise"]


@dataclass(frozen=True)
class Rule:
    """Branches and, for each, how many cases of each class the learning sample has there."""

    branches: IntervalBranches | CategoryBranches
    counts: NDArray[np.int64]

    @property
    def errors(self) -> int:
        """Cases of the learning sample that are not of the most frequent class of their branch."""
        return int(self.counts.sum() - self.counts.max(axis=1).sum())

    def probabilities(self) -> Floats:
        """A row a branch; a branch without a case has the proportions of the whole learning sample."""
        totals = self.counts.sum(axis=1, keepdims=True)
        overall = self.counts.sum(axis=0) / self.counts.sum()
        return np.asarray(np.where(totals > 0, self.counts / np.maximum(totals, 1), overall))

    def classes(self) -> Codes:
        """The class of each branch."""
        overall = self.counts.sum(axis=0)
        return majorities(self.counts, overall)  # an empty branch: the most frequent class of all


def make_rule(column: NDArray[Any], categorical: bool, codes: Codes, n_classes: int, min_bucket_size: int) -> Rule:
    """The rule on one input. Numbers are a float array with NaN for missing; categories are any array."""
    branches: IntervalBranches | CategoryBranches
    if categorical:
        texts, missing = as_texts(column)
        branches = CategoryBranches(tuple(sorted({text for text, out in zip(texts, missing, strict=True) if not out})))
    else:
        known = ~np.isnan(column)
        overall = np.bincount(codes, minlength=n_classes)
        branches = IntervalBranches(intervals(column[known], codes[known], overall, min_bucket_size))
    counts = np.zeros((len(branches), n_classes), dtype=np.int64)
    np.add.at(counts, (branches.find(column), codes), 1)
    return Rule(branches, counts)


def intervals(
    values: Floats, codes: Codes, overall: NDArray[np.integer[Any]], min_bucket_size: int
) -> tuple[float, ...]:
    """Holte's way to cut numbers, from the lowest up.

    An interval is closed as soon as one class has `min_bucket_size` cases in it, except that it still takes the values
    that follow whose most frequent class is that of the interval. Equal values are never parted. Of the last interval
    nothing is asked. Then neighbours that predict the same class become one. A cut lies half-way between two values.

    Temperatures on which to play, or not (Witten and Frank's weather), with three cases an interval:

    >>> degrees = np.array([64, 65, 68, 69, 70, 71, 72, 72, 75, 75, 80, 81, 83, 85.0])
    >>> play = np.array([1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0])
    >>> intervals(degrees, play, np.array([9, 5]), 3)  # if "no" is preferred where both are equally frequent
    (77.5,)
    """
    if len(values) == 0:
        return ()
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.zeros((len(distinct), len(overall)), dtype=np.int64)
    np.add.at(counts, (place, codes), 1)
    cumulated = np.vstack([np.zeros((1, len(overall)), dtype=np.int64), counts.cumsum(axis=0)])
    leaders = majorities(counts, overall).tolist()

    cuts: list[float] = []
    last_class = -1
    start = 0
    while start < len(distinct):
        # The first value at which some class has enough cases, found at once for each class.
        enough = [
            int(np.searchsorted(cumulated[:, k], cumulated[start, k] + min_bucket_size)) for k in range(len(overall))
        ]
        end = min(*enough, len(distinct))
        class_here = int(majorities(cumulated[[end]] - cumulated[start], overall)[0])
        while end < len(distinct) and leaders[end] == class_here:
            end += 1
        if start and class_here != last_class:
            cuts.append(float(distinct[start - 1] + (distinct[start] - distinct[start - 1]) / 2))
        start, last_class = end, class_here
    return tuple(cuts)


def majorities(counts: NDArray[Any], overall: NDArray[Any]) -> Codes:
    """For each row the most frequent class; of equals the one that is more frequent overall, then the first.

    >>> majorities(np.array([[2, 3, 3], [5, 0, 0]]), np.array([10, 20, 30]))
    array([2, 0])
    """
    # A rank below one, so that it decides only between equal counts; lexsort's last key counts most.
    preference = np.empty(len(overall))
    preference[np.lexsort((-np.arange(len(overall)), overall))] = np.arange(len(overall)) / len(overall)
    return np.asarray((counts + preference).argmax(axis=1))


def as_texts(column: NDArray[Any]) -> tuple[list[str], NDArray[np.bool_]]:
    """Categories as texts, and which are missing. A whole number reads alike whether it is stored as 1 or as 1.0.

    >>> as_texts(np.array(["red", None, 1.0, 1], dtype=object))
    (['red', 'None', '1', '1'], array([False,  True, False, False]))
    """
    import pandas as pd

    def text(value: Any) -> str:
        return str(int(value)) if isinstance(value, float | np.floating) and float(value).is_integer() else str(value)

    cells = column.astype(object)
    return [text(value) for value in cells], np.asarray(pd.isna(cells))


# ----------------------------------------------------------------------------------------------------------------------


class OneR(ClassifierMixin, BaseEstimator):
    """One rule on one input: each of its categories, or intervals of numbers, has a class (Holte's 1R).

    Useful as a yardstick: a learner that does not beat it has found nothing more than what one input says, and in many
    of the data sets that are used to compare learners one input says nearly everything.

    A rule is made of every input: a category predicts its most frequent class; numbers are first cut into intervals
    (`bakeoff.learners.one_r.intervals` tells how). The rule with the fewest errors on the learning sample is
    kept, of equal ones the first. Missing values are a category of their own. For a value that the learning sample did
    not show, the proportions of all classes decide. Of classes that are equally frequent in a branch, the one that is
    more frequent overall is predicted, then the first in order; Holte draws lots.

    In a data frame, columns that do not hold numbers are categories; so are columns with texts in an array. It takes
    the data as they are, and a study leaves them so for it: imputing and encoding would take away what it uses. An
    input with as many categories as cases, such as an identifier, has no errors and is worthless: leave it out.

    Parameters
    ----------
    min_bucket_size : every interval but the last has at least so many cases of one class. Holte uses 6, and 3 for very
        small data sets.
    categorical_features : names or positions of columns that hold numbers and are categories all the same.

    Attributes
    ----------
    feature_ : position of the input that the rule looks at.
    rule_ : its branches, with the counts of the classes in each.
    errors_ : of the rule on each input, on the learning sample.

    References
    ----------
    Holte, R. C. (1993). Very simple classification rules perform well on most commonly used datasets. Machine Learning
    11, 63–90. doi:10.1023/A:1022631118932

    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> learner = OneR().fit(iris.data, iris.target_names[iris.target])
    >>> print(learner.describe())
    petal width (cm) < 0.8: setosa
    petal width (cm) < 1.75: versicolor
    otherwise: virginica
    >>> learner.rule_.errors
    6
    """

    feature_: int
    rule_: Rule

    def __init__(self, *, min_bucket_size: int = 6, categorical_features: Any = ()) -> None:
        self.min_bucket_size = min_bucket_size
        self.categorical_features = categorical_features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.classifier_tags.poor_score = True  # by its nature
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        size = self.min_bucket_size
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            raise UsageError(f"min_bucket_size is a whole number of at least 1; found {size!r}.")
        X = self._checked(X, reset=True)
        codes = self._checked_target(X, y)
        named = self._named_categorical()
        columns = [_column(X, j) for j in range(self.n_features_in_)]
        rules = [
            make_rule(column, j in named or column.dtype == object, codes, len(self.classes_), int(size))
            for j, column in enumerate(columns)
        ]
        self.errors_ = np.array([rule.errors for rule in rules])
        self.feature_ = int(self.errors_.argmin())
        self.rule_ = rules[self.feature_]
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The proportions of the classes in the branch that the case falls into."""
        branch = self._branch(X)
        return np.asarray(self.rule_.probabilities()[branch])

    def predict(self, X: Any) -> NDArray[Any]:
        branch = self._branch(X)
        return np.asarray(self.classes_[self.rule_.classes()[branch]])

    def describe(self) -> str:
        """The rule in words, a line for each branch that the learning sample has cases in."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        name = f"input {self.feature_ + 1}" if names is None else str(names[self.feature_])
        labels = self.classes_[self.rule_.classes()]
        lines = zip(self.rule_.branches.tests(name), labels, self.rule_.counts.sum(axis=1) > 0, strict=True)
        return "\n".join(f"{test}: {label}" for test, label, used in lines if used)

    def _branch(self, X: Any) -> NDArray[np.intp]:
        check_is_fitted(self)
        return self.rule_.branches.find(_column(self._checked(X, reset=False), self.feature_))

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """An array as scikit-learn checks it; a data frame is kept, for the types of its columns."""
        if not hasattr(X, "iloc"):
            return validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=reset)
        validate_data(self, X, skip_check_array=True, reset=reset)
        if 0 in X.shape:
            raise UsageError(f"1R needs at least one case and one input; found a table of shape {X.shape}.")
        return X

    def _checked_target(self, X: Any, y: Any) -> NDArray[np.intp]:
        if y is None:
            raise UsageError("OneR requires y to be passed, but the target y is None.")
        y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y")
        check_consistent_length(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return np.asarray(codes, dtype=np.intp)

    def _named_categorical(self) -> set[int]:
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        places = set()
        for wanted in self.categorical_features:
            if isinstance(wanted, str) and wanted in names:
                places.add(names.index(wanted))
            elif isinstance(wanted, int | np.integer) and 0 <= wanted < self.n_features_in_:
                places.add(int(wanted))
            else:
                known = nearest(str(wanted), names) if names else f"Positions are 0 to {self.n_features_in_ - 1}."
                raise UsageError(f"categorical_features names {wanted!r}, which is no column. {known}")
        return places


def _column(X: Any, place: int) -> NDArray[Any]:
    """A column as numbers (float, NaN for missing) if it holds numbers, or else as objects."""
    if hasattr(X, "iloc"):
        import pandas as pd

        series = X.iloc[:, place]
        if pd.api.types.is_numeric_dtype(series) and not pd.api.types.is_bool_dtype(series):
            return _finite(series.to_numpy(dtype=np.float64, na_value=np.nan))
        column = series.to_numpy(dtype=object)
    else:
        column = X[:, place]
        if column.dtype.kind in "iuf":
            return _finite(column.astype(np.float64))
        column = column.astype(object)
    numeric = [value is None or (isinstance(value, numbers.Real) and not isinstance(value, bool)) for value in column]
    return _finite(column.astype(np.float64)) if all(numeric) else column


def _finite(column: Floats) -> Floats:
    if np.isinf(column).any():
        raise UsageError(
            "1R takes numbers and missing values; found infinity or a value too large for dtype('float64')."
        )
    return column
