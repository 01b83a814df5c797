"""Preparation: what stands between the data and an estimator that takes complete numbers only.

The stated default, "auto": numeric inputs with missing values get the median of the learning sample; categorical
inputs become one indicator for each category of the learning sample, a missing value being a category of its own and
a category that was not learned being all zeros; data that are complete numbers are passed on as they are. "standard"
does the same and standardises the numbers. "auto-drop-first" and "standard-drop-first" leave out the indicator of the
first category, which follows from the others: for learners that invert a covariance, such as discriminant analysis. A
category that was not learned is then read as the first. "none" does nothing.

"auto" leaves alone what prepares itself: a scikit-learn Pipeline given as an object, or an object that has one inside
(a grid search over a Pipeline), a pipeline of a study file whose first step imputes or encodes, an estimator that takes
categories and missing values (`OneR`), and commands, which get empty cells. An estimator that takes missing numbers but
no categories (gradient boosting by histograms) has its categories encoded only. "standard" is an explicit wish, and is
done for all but commands.

All of it is fitted on the learning sample alone, inside each fold of nested tuning too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.learners.learner import PREPARE, DataInfo, Learner

# By top-level package and class name, so that nothing need be imported to plan a study.
_TAKES_MISSING_NUMBERS = {
    ("sklearn", "HistGradientBoostingClassifier"),
    ("sklearn", "HistGradientBoostingRegressor"),
    ("xgboost", "XGBClassifier"),
    ("xgboost", "XGBRegressor"),
    ("lightgbm", "LGBMClassifier"),
    ("lightgbm", "LGBMRegressor"),
    ("catboost", "CatBoostClassifier"),
    ("catboost", "CatBoostRegressor"),
}
_TAKES_EVERYTHING = {("bakeoff", "OneR")}
_STANDARD = ("standard", "standard-drop-first")
_DROPPING_FIRST = ("auto-drop-first", "standard-drop-first")
_ENCODERS = {"OneHotEncoder", "OrdinalEncoder", "TargetEncoder", "TableVectorizer", "TabularPipeline"}


@dataclass(frozen=True)
class Preparation:
    """What is done for one learner on one data set; `because` says why nothing is, where that is a choice."""

    impute: bool = False
    encode: bool = False
    scale: bool = False
    because: str = ""
    drop_first: bool = False  # the indicator of the first category of each input
    fill_empty: bool = False  # inputs without any value in the learning sample alone

    @property
    def nothing(self) -> bool:
        return not (self.impute or self.encode or self.scale or self.fill_empty)


_FORMS = {"array": "arrays", "sparse": "sparse matrices"}  # as sentences call them


def preparation_of(learner: Learner, info: DataInfo) -> Preparation:
    """What the word that a learner is prepared by comes to. A decision from descriptions alone: nothing is imported."""
    if learner.prepare not in PREPARE:
        raise UsageError(
            f"prepare is {learner.prepare!r}. {nearest(str(learner.prepare), PREPARE)}",
            whose=f"learner {learner.name!r}",
        )
    if learner.command:
        return Preparation(because="a command gets the data as they are; a missing value is an empty cell")
    if learner.prepare == "none":
        return Preparation(because="prepare is none")
    if info.form != "table":
        what = _FORMS.get(info.form, info.form)
        if learner.prepare in _STANDARD and info.form != "sparse":
            raise UsageError(
                f"prepare is {learner.prepare!r}, which is for columns of numbers, and {info.name!r} holds {what}. "
                "Leave prepare out, and begin the pipeline with what reads them, such as a vectoriser.",
                whose=f"learner {learner.name!r}",
            )
        if info.form != "sparse" or learner.prepare not in _STANDARD:
            return Preparation(because=f"{what} are taken as they are")
    impute, encode = bool(info.missing_numbers), bool(info.categorical)
    drop_first = encode and learner.prepare in _DROPPING_FIRST
    if learner.prepare in _STANDARD:
        return Preparation(impute, encode, scale=bool(info.numeric), drop_first=drop_first)
    own = _prepares_itself(learner)
    if own:
        return Preparation(because=own)
    if _identity(learner) in _TAKES_MISSING_NUMBERS and impute:
        why = "the learner takes missing numbers itself"
        return Preparation(encode=encode, because=why, drop_first=drop_first, fill_empty=True)
    return Preparation(impute, encode, drop_first=drop_first)


def preparation_sentence(learner: Learner, info: DataInfo | None, *, counts: bool = True) -> str:
    """What will be done to the data before the learner sees them, in words, and to how many inputs; `info` is None if
    they are not known yet.

    >>> from bakeoff.learners.learner import Step
    >>> tree = Learner("tree", steps=(Step("sklearn.tree.DecisionTreeClassifier"),))
    >>> preparation_sentence(tree, DataInfo("t", "classification", 9, ("age", "sex"), ("sex",), ("age",)))
    'missing numbers become the median (1 input), categories become indicators (1 input)'
    >>> preparation_sentence(tree, DataInfo("t", "classification", 9, ("age",)))
    'none needed: complete numbers'
    """
    if info is None:
        return f"{learner.prepare}: what it comes to is known once the data are loaded"
    preparation = preparation_of(learner, info)
    parts = []

    def of(inputs: Sequence[str]) -> str:
        return f" ({_inputs(len(inputs))})" if counts else ""

    if preparation.impute:
        parts.append(f"missing numbers become the median{of(info.missing_numbers)}")
    if preparation.encode:
        which = " of all but the first" if preparation.drop_first else ""
        parts.append(f"categories become indicators{which}{of(info.categorical)}")
    if preparation.scale:
        parts.append(f"numbers are standardised{of(info.numeric)}")
    if preparation.because:
        parts.append(preparation.because if parts else f"none: {preparation.because}")
    return ", ".join(parts) or "none needed: complete numbers"


def transformer(preparation: Preparation, info: DataInfo) -> Any:
    """The preparation as a scikit-learn transformer to stand before the estimator; None if there is nothing to do."""
    if preparation.nothing:
        return None
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder

    numbers = _for_numbers(preparation, sparse=info.form == "sparse")
    if not info.categorical:
        return numbers
    # Inputs in the form of an array have no names to be picked by.
    places = {name: name if info.frame else place for place, name in enumerate(info.features)}
    parts: list[tuple[str, Any, list[Any]]] = []
    if info.numeric:
        parts.append(("numbers", numbers or "passthrough", [places[name] for name in info.numeric]))
    drop = "first" if preparation.drop_first else None
    encoder = OneHotEncoder(drop=drop, handle_unknown="ignore", sparse_output=False)
    categories = encoder if preparation.encode else "passthrough"
    parts.append(("categories", categories, [places[name] for name in info.categorical]))
    return ColumnTransformer(parts, sparse_threshold=0.0)


def _for_numbers(preparation: Preparation, sparse: bool = False) -> Any:
    if preparation.fill_empty:
        from bakeoff.learners.wrappers import EmptyInputs

        return EmptyInputs()
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    # An input without any value in this learning sample stays, as zeros: learners must see the same inputs in each.
    imputer = SimpleImputer(strategy="median", keep_empty_features=True) if preparation.impute else None
    # A sparse matrix stays sparse: its zeros are not moved.
    scaler = StandardScaler(with_mean=not sparse) if preparation.scale else None
    if imputer and scaler:
        return make_pipeline(imputer, scaler)
    return imputer or scaler


def _prepares_itself(learner: Learner) -> str:
    """Why "auto" leaves this learner alone, or an empty text."""
    if learner.estimator is not None:
        inside = [learner.estimator]
        if hasattr(learner.estimator, "get_params"):
            inside += learner.estimator.get_params(deep=True).values()
        names = {kind.__name__ for part in inside for kind in type(part).__mro__}
        if names & {"Pipeline", "ColumnTransformer"}:
            return "a Pipeline given as an object is taken as it is"
    elif len(learner.steps) > 1 and _imputes_or_encodes(learner.steps[0].path):
        return f"the pipeline begins with {learner.steps[0].path.rpartition('.')[2]}"
    if _identity(learner) in _TAKES_EVERYTHING:
        return "the learner takes categories and missing values itself"
    return ""


def _imputes_or_encodes(path: str) -> bool:
    home, _, name = path.rpartition(".")
    return home.startswith(("sklearn.impute", "sklearn.compose")) or name in _ENCODERS


def _identity(learner: Learner) -> tuple[str, str]:
    """(top-level package, class name) of a learner that is a single estimator."""
    if learner.estimator is not None:
        kind = type(learner.estimator)
        return kind.__module__.partition(".")[0], kind.__name__
    if len(learner.steps) != 1:
        return "", ""
    path = learner.steps[0].path
    return path.partition(".")[0], path.rpartition(".")[2]


def _inputs(count: int) -> str:
    return "1 input" if count == 1 else f"{count} inputs"
