"""Learners by short names: those of the founding documents, and those that everybody compares with."""

from __future__ import annotations

from dataclasses import dataclass


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
