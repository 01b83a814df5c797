"""Truth and prediction of small tasks, drawn at random, for the tests of responses."""

from __future__ import annotations

import numpy as np

from bakeoff.measures.response import Prediction, Truth


def classified(seed: int, n: int, k: int, ties: bool = False) -> tuple[Truth, Prediction]:
    """n rows of k classes that all occur, with probabilities that know something of the truth."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    weights = rng.random((n, k)) + 0.5 * np.eye(k)[codes]
    if ties:
        weights = np.ceil(4 * weights)
    p = weights / weights.sum(axis=1, keepdims=True)
    classes = tuple("abcdefghij"[:k])
    return (
        Truth("classification", codes, classes),
        Prediction(p.argmax(axis=1), p[:, 1] if k == 2 else p, probabilistic=True),
    )


def regressed(seed: int, n: int) -> tuple[Truth, Prediction]:
    rng = np.random.default_rng(seed)
    y = rng.normal(3, 2, n)
    return Truth("regression", y), Prediction(y + rng.normal(0.3, 1, n))


def labelled(seed: int, n: int, k: int = 3) -> tuple[Truth, Prediction]:
    """n rows with k labels, each of which applies to some and not to others."""
    rng = np.random.default_rng(seed)
    applies = rng.integers(0, 2, (n, k))
    applies[:2] = [[0] * k, [1] * k]
    p = (rng.random((n, k)) + 0.5 * applies) / 1.5
    return Truth("multi-label", applies, tuple("abcdefghij"[:k])), Prediction((p > 0.5).astype(int), p, True)


def two(truth: str, assigned: str, scores: list[float] | None = None) -> tuple[Truth, Prediction]:
    """Two classes written as digits: two("0011", "0101")."""
    codes, given = (np.array([int(digit) for digit in word]) for word in (truth, assigned))
    return (
        Truth("classification", codes, ("no", "yes")),
        Prediction(given, None if scores is None else np.array(scores), scores is not None),
    )
