"""Learners that do all that a learner must not do, as scikit-learn estimators."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Majority(ClassifierMixin, BaseEstimator):
    """The well-behaved one that the others are made from: predicts the most frequent class."""

    def fit(self, X: Any, y: Any) -> Majority:
        self.misbehave(X, y)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        return self

    def misbehave(self, X: Any, y: Any) -> None:
        pass

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.most_)


class Raises(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        raise ValueError("no convergence after 7 iterations")


class RaisesInPredict(Majority):
    def predict(self, X: Any) -> Any:
        raise RuntimeError("lost the weights")


class Exits(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        sys.exit(3)


class ExitsHard(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        os._exit(5)


class Segfaults(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        ctypes.string_at(0)


class Hangs(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        while True:
            time.sleep(0.01)


class HangsDeafly(Majority):
    """Does not listen to SIGTERM."""

    def misbehave(self, X: Any, y: Any) -> None:
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)


class Forks(Majority):
    """The child returns from fit as if it were the worker."""

    def misbehave(self, X: Any, y: Any) -> None:
        os.fork()


class LeavesAChild(Majority):
    """Starts a process that would outlive the run, and tells which."""

    def __init__(self, note: str = "") -> None:
        self.note = note

    def misbehave(self, X: Any, y: Any) -> None:
        child = os.fork()
        if child == 0:
            time.sleep(600)
            os._exit(0)
        with open(self.note, "a", encoding="utf-8") as file:
            file.write(f"{child}\n")


class EatsMemory(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        eaten = [np.empty(20_000_000) for _ in range(1000)]
        del eaten


class Prints(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        print("epoch 1, loss 0.5")
        os.write(1, b"straight to the file descriptor\n")
        sys.stderr.write("and to standard error\n")


class PrintsAndRaises(Prints):
    def misbehave(self, X: Any, y: Any) -> None:
        super().misbehave(X, y)
        raise ValueError("after the printing")


class TooFew(Majority):
    def predict(self, X: Any) -> Any:
        return super().predict(X)[:-1]


class Unknown(Majority):
    def predict(self, X: Any) -> Any:
        return np.full(len(X), "no such class")


class Nonsense(Majority):
    def predict(self, X: Any) -> Any:
        return object()


class NanProbabilities(Majority):
    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), len(self.classes_)), np.nan)


class Mutates(Majority):
    """Spoils what it was given, for itself and whoever comes next."""

    def misbehave(self, X: Any, y: Any) -> None:
        if hasattr(X, "iloc"):
            X.iloc[:, :] = 0
        else:
            X[:] = 0
        y[:] = y[0]

    def fit(self, X: Any, y: Any) -> Mutates:
        super().fit(X.copy(), y.copy())
        self.misbehave(X, y)
        return self


class GlobalSeed(Majority):
    """Predicts at random, by the global random states of numpy and Python."""

    def predict(self, X: Any) -> Any:
        import random

        draws = np.random.random(len(X)) + random.random()
        return self.classes_[(draws * 10).astype(int) % len(self.classes_)]
