"""How large a fitted model is: in bytes, and in numbers that were learned."""

from __future__ import annotations

from typing import Any

import numpy as np

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
