"""Nearest-mean classifiers of two classes: fast learners of which hundreds can be fitted at once.

Learner j looks at features of its own, x[:, j]; it assigns the class whose mean over the training rows is nearest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.mathematics.checks import Array

Flags = NDArray[np.bool_]


def nearest_mean_errors(label: Flags, x: Array, truth: Flags, seen: Array) -> Array:
    """The error rate of each learner, fitted to one sample and tested on another; x is rows × learners × features.

    >>> x = np.array([[[0.0]], [[1.0]], [[4.0]]])
    >>> truth, seen = np.array([True, True]), np.array([[[2.0]], [[3.0]]])
    >>> nearest_mean_errors(np.array([False, False, True]), x, truth, seen).tolist()
    [0.5]
    """
    return np.asarray(nearest_mean_mistakes(label, x, truth, seen).mean(axis=0))


def nearest_mean_mistakes(label: Flags, x: Array, truth: Flags, seen: Array) -> Flags:
    """The same, row by row: whether each learner is wrong."""
    return np.asarray(_assigned(label, x, np.ones((1, len(label))), seen)[0] != truth[:, None])


def fold_errors(label: Flags, x: Array, fold: NDArray[np.intp], folds: int) -> Array:
    """Error rates in cross-validation, repeats × folds × learners; `fold` is repeats × rows, the fold of each row."""
    return errors_and_mistakes(label, x, fold, folds)[0]


def errors_and_mistakes(label: Flags, x: Array, fold: NDArray[np.intp], folds: int) -> tuple[Array, Flags]:
    """The same, and whether each learner is wrong on each row when it is tested on: repeats × rows × learners.

    >>> x = np.array([[[0.0]], [[1.0]], [[4.0]], [[2.0]]])
    >>> label, fold = np.array([False, False, True, True]), np.array([[0, 1, 0, 1]])
    >>> errors, mistakes = errors_and_mistakes(label, x, fold, 2)
    >>> errors.ravel().tolist(), mistakes.ravel().tolist()
    ([0.0, 0.5], [False, False, False, True])
    """
    n = len(label)
    inside = fold[:, None, :] == np.arange(folds)[:, None]  # repeats × folds × rows
    test = inside.reshape(-1, n)
    wrong = (_assigned(label, x, (~test).astype(float), x) != label[:, None]) & test[:, :, None]
    errors = wrong.sum(axis=1) / np.maximum(test.sum(axis=1), 1)[:, None]
    whole = wrong.reshape(len(fold), folds, n, x.shape[1])
    return np.asarray(errors.reshape(len(fold), folds, x.shape[1])), np.asarray(whole.any(axis=1))


def _assigned(label: Flags, x: Array, train: Array, seen: Array) -> Flags:
    """Whether the second class is assigned, fits × rows of `seen` × learners; each fit has its row of `train` (0 or 1).

    With class means a and b, a row is nearer to b if (b − a)·(row − (a + b)/2) > 0.
    """
    n, learners, features = x.shape
    flat = x.reshape(n, -1)
    a, b = (
        ((train * of_class) @ flat / np.maximum(train @ of_class, 1)[:, None]).reshape(-1, learners, features)
        for of_class in ((~label).astype(float), label.astype(float))
    )
    direction = b - a
    constant = (direction * (a + b)).sum(axis=2) / 2
    scores = np.stack([direction[:, j] @ seen[:, j].T for j in range(learners)], axis=2)
    return np.asarray(scores > constant[:, None, :])
