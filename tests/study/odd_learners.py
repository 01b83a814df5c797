"""Learners that are legal and odd: what they predict depends on all that a careless runner would let vary.

They are copied beside a study file and imported from there by the workers, as a user's own learners are.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

LEAVES = Path(__file__).with_name("leaves")


def take_leave() -> None:
    """Where there is a folder of leaves, a fit takes one of them, and waits as long as none is left."""
    while LEAVES.exists():
        for leave in LEAVES.glob("*"):
            try:
                leave.unlink()
            except FileNotFoundError:  # another was quicker
                continue
            return
        time.sleep(0.01)


class Odd(ClassifierMixin, BaseEstimator):
    """Takes a while, and predicts by `chance`, which the others define; probabilities follow it as well."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> Odd:
        take_leave()
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def chance(self, n: int) -> Any:
        return np.linspace(0.1, 0.9, n)

    def predict_proba(self, X: Any) -> Any:
        first = self.chance(len(X)) / 2
        rest = (1 - first) / (len(self.classes_) - 1)
        return np.column_stack([first, *[rest] * (len(self.classes_) - 1)])

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.chance(len(X)) * 1000).astype(int) % len(self.classes_)]


class GlobalNumpy(Odd):
    """Asks numpy's global random state."""

    def chance(self, n: int) -> Any:
        return np.random.random(n)


class GlobalPython(Odd):
    """Asks Python's global random state."""

    def chance(self, n: int) -> Any:
        return np.array([random.random() for _ in range(n)])


class HashOrder(Odd):
    """Goes through a set of texts, whose order changes from process to process unless hashes are fixed."""

    def chance(self, n: int) -> Any:
        order = [int(word[1:]) for word in {f"w{number}" for number in range(64)}]
        return (np.resize(order, n) + 0.5) / 64


class Unseeded(Odd):
    """Takes its chances from where no seed reaches."""

    def chance(self, n: int) -> Any:
        return np.array([random.SystemRandom().random() for _ in range(n)])


class FailsOnce(Odd):
    """Fails in every cell until there is a file of that name."""

    def __init__(self, seconds: float = 0.0, cure: str = "") -> None:
        super().__init__(seconds)
        self.cure = cure

    def fit(self, X: Any, y: Any) -> Odd:
        if not Path(self.cure).exists():
            raise RuntimeError("not cured yet")
        return super().fit(X, y)


class FailsAtTimes(Odd):
    """Fails in some cells, always the same ones: by the seed of the cell."""

    def fit(self, X: Any, y: Any) -> Odd:
        if np.random.random() < 0.2:
            raise ArithmeticError("an unlucky start")
        return super().fit(X, y)
