"""Stabilised linear discriminant analysis: a few scores that hold the inputs together, then a classical analysis."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bakeoff.errors import UsageError

Floats = NDArray[np.float64]

# An eigenvalue that is one up to rounding counts as one: uncorrelated inputs are then all kept, not some by chance.
_ROUNDING = 1e-9
# Of a score whose total sum of squares is one, the least within the classes: below it the classes are points, and
# dividing by their spread would divide by rounding error.
_LEAST_WITHIN = 1e-12


class StabilisedLDA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, BaseEstimator):
    """Linear discriminant analysis on q linear scores of the inputs, q being small (Läuter's sLDA, the PC_q rule).

    Useful when there are many inputs for few cases, or inputs that say nearly the same: the classical analysis inverts
    their covariance matrix, which is then unstable or impossible. Scores are built without looking at the classes:
    with the centred inputs X and W = XᵀX, the problem W D = diag(W) D Λ is solved and the scores are X D_q, those q
    columns of D whose eigenvalues (the ones of the correlation matrix) are at least one. The classical analysis of
    these scores follows, with the pooled covariance matrix and the class proportions as prior.

    Nothing changes when an input is shifted or measured in another unit. An input that is constant is passed over. If
    the classes differ only in a direction along which the inputs vary little together, the scores do not show it: then
    the classical analysis, or a larger `n_scores`, does better.

    The slda of R's ipred (0.9-13) is meant to do the same and does for standardised inputs. For others it subtracts
    wrong means and takes singular vectors for eigenvectors: its result depends on the units and the order of cases.

    Parameters
    ----------
    n_scores : how many scores, at most as many as the rank of the inputs; by default as many as there are eigenvalues
        not below one, and at least one.
    priors : probabilities of the classes, in the order of `classes_`; by default their proportions.

    Attributes
    ----------
    weights_ : of shape (inputs, scores): the scores are (X − `mean_`) @ `weights_`, scaled to a sum of squares of one.
    eigenvalues_ : of the correlation matrix of the inputs that vary, falling, as many as its rank.
    coef_, intercept_ : of the linear functions whose differences are the logarithms of the posterior odds.
    scalings_ : of shape (inputs, coordinates): `transform` gives (X − centre) @ `scalings_`, the discriminant
        coordinates, in which the classes vary with variance one.

    References
    ----------
    Läuter, J. (1992). Stabile multivariate Verfahren. Akademie Verlag, Berlin.
    Läuter, J., Glimm, E., Kropf, S. (1998). Multivariate tests based on left-spherically distributed linear scores.
    Annals of Statistics 26(5), 1972–1988. doi:10.1214/aos/1024691364

    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> learner = StabilisedLDA().fit(X, y)
    >>> learner.weights_.shape  # 13 inputs, 3 scores
    (13, 3)
    >>> float(round(1 - learner.score(X, y), 3))
    0.034
    """

    def __init__(self, *, n_scores: int | None = None, priors: ArrayLike | None = None) -> None:
        self.n_scores = n_scores
        self.priors = priors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of two inputs it mostly keeps one score: too little for three clouds
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise UsageError(f"Discriminant analysis needs at least two classes; found one class, {self.classes_[0]}.")
        self.priors_ = self._checked_priors(codes)
        scores = self._fit_scores(X)
        self._fit_discriminants(scores, codes)
        return self

    def _fit_scores(self, X: Floats) -> Floats:
        """The first columns of D, as `weights_`, and the scores. Returns the scores: orthonormal columns."""
        self.mean_ = X.mean(axis=0)
        centred = X - self.mean_
        centred[:, np.ptp(X, axis=0) == 0] = 0  # the mean of equal numbers may be off by a rounding error
        norms = np.sqrt((centred**2).sum(axis=0))  # diag(W)^½
        norms[norms == 0] = np.inf
        # With Z = X diag(W)^-½ the problem is that of ZᵀZ, the correlation matrix, and D = diag(W)^-½ V for Z = U S Vᵀ.
        # U are the scores, scaled; the analysis that follows does not depend on the scale.
        U, S, Vt = np.linalg.svd(centred / norms, full_matrices=False)
        rank = int((S.max(initial=0) * max(X.shape) * np.finfo(float).eps < S).sum())
        self.eigenvalues_ = S[:rank] ** 2
        q = min(self._wanted_scores(), rank)
        self.weights_ = Vt[:q].T / norms[:, None] / S[:q]
        return np.asarray(U[:, :q])

    def _wanted_scores(self) -> int:
        if self.n_scores is None:
            return max(1, int((self.eigenvalues_ >= 1 - _ROUNDING).sum()))
        if isinstance(self.n_scores, bool) or not isinstance(self.n_scores, int | np.integer) or self.n_scores < 1:
            raise UsageError(f"n_scores is a whole number of at least 1, or None; found {self.n_scores!r}.")
        return int(self.n_scores)

    def _checked_priors(self, codes: NDArray[np.intp]) -> Floats:
        if self.priors is None:
            return np.bincount(codes) / len(codes)
        priors = np.asarray(self.priors, dtype=float)
        if priors.shape != self.classes_.shape or not (priors > 0).all() or abs(priors.sum() - 1) > 1e-6:
            raise UsageError(
                f"priors are {len(self.classes_)} positive probabilities that add up to one, one for each class; "
                f"found {self.priors!r}."
            )
        return np.asarray(priors / priors.sum())

    def _fit_discriminants(self, scores: Floats, codes: NDArray[np.intp]) -> None:
        """Classical linear discriminant analysis of the scores, expressed in the inputs."""
        n, g = len(codes), len(self.classes_)
        means = np.array([scores[codes == k].mean(axis=0) for k in range(g)])
        residuals = scores - means[codes]
        spread, axes = np.linalg.eigh(residuals.T @ residuals)  # the spread lies between 0 and 1: the total is one
        variances = np.maximum(spread, _LEAST_WITHIN) / max(n - g, 1)
        whiten = axes / np.sqrt(variances)  # the pooled covariance matrix becomes the identity
        centre = self.priors_ @ means
        white_means = (means - centre) @ whiten

        # log prior_k − ½ |z − m_k|², without the part that all classes share
        to_white = self.weights_ @ whiten
        origin = self.mean_ @ to_white + centre @ whiten
        self.coef_ = white_means @ to_white.T
        self.intercept_ = np.log(self.priors_) - (white_means**2).sum(axis=1) / 2 - white_means @ origin

        # Directions in which the class means differ most, measured in units of the pooled covariance matrix.
        _, lengths, directions = np.linalg.svd(np.sqrt(self.priors_)[:, None] * white_means, full_matrices=False)
        directions = directions[: min(g - 1, len(lengths))]
        weights = to_white @ directions.T
        # The sign is free: the largest weight is made positive.
        largest = np.take_along_axis(weights, np.abs(weights).argmax(axis=0)[None, :], axis=0)[0]
        directions *= np.where(largest < 0, -1, 1)[:, None]
        self.scalings_ = to_white @ directions.T
        self._offset = directions @ origin
        self._n_features_out = self.scalings_.shape[1]

    def decision_function(self, X: Any) -> Floats:
        """Logarithms of the posterior up to a constant of the case; for two classes, the log odds of the second."""
        check_is_fitted(self)
        values = validate_data(self, X, dtype=np.float64, reset=False) @ self.coef_.T + self.intercept_
        return np.asarray(values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values)

    def predict_proba(self, X: Any) -> Floats:
        values = self.decision_function(X)
        if values.ndim == 1:
            values = np.column_stack([np.zeros_like(values), values])
        odds = np.exp(values - values.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        values = self.decision_function(X)
        return np.asarray(self.classes_[(values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)])

    def transform(self, X: Any) -> Floats:
        """The discriminant coordinates, at most one less than there are classes."""
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False) @ self.scalings_ - self._offset)
