"""Learners that do all that a learner must not do, as scikit-learn estimators."""

from __future__ import annotations

import builtins
import ctypes
import os
import signal
import sys
import time
import warnings
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


class Sloppy(Majority):
    """Answers in one place for all cells, warns, prints, and predicts no class now and then: what its seed says."""

    place = np.empty(50, dtype="U20")

    def misbehave(self, X: Any, y: Any) -> None:
        warnings.simplefilter("ignore")
        self.mark = int(np.random.randint(1_000_000))
        print(f"printed {self.mark}")

    def predict(self, X: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn(f"warned {self.mark}", stacklevel=1)
        self.place[:] = f"no class {self.mark}" if self.mark % 3 == 0 else self.classes_[self.mark % 3]
        return self.place


class GlobalSeed(Majority):
    """Predicts at random, by the global random states of numpy and Python."""

    def predict(self, X: Any) -> Any:
        import random

        draws = np.random.random(len(X)) + random.random()
        return self.classes_[(draws * 10).astype(int) % len(self.classes_)]


class ExitsQuietly(Majority):
    """As if all were well."""

    def misbehave(self, X: Any, y: Any) -> None:
        os._exit(0)


class KillsItself(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        os.kill(os.getpid(), 9)


class KillsItsGroup(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        os.killpg(0, 9)


class RaisesASignal(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        signal.raise_signal(9)


class StopsItself(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        os.kill(os.getpid(), 19)


class PrintsMuch(Majority):
    """More than anybody wants to keep, and then fails."""

    def misbehave(self, X: Any, y: Any) -> None:
        os.write(1, b"the very first line\n")
        for _ in range(40):
            os.write(1, b"chatter\n" * 100_000)
            while os.fstat(1).st_size > 20_000_000:  # until somebody throws it away
                time.sleep(0.01)
        os.write(1, b"the very last line\n")
        raise ValueError("after much printing")


class Paints(Majority):
    """Sends commands to the terminal of whoever reads what it says."""

    def misbehave(self, X: Any, y: Any) -> None:
        print("\x1b]0;new title\x07printed")
        raise ValueError("\x1b[2Jall is well\u202e")


class TellsItsSettings(Majority):
    """What it may use, and what it is told by its environment."""

    def misbehave(self, X: Any, y: Any) -> None:
        from threadpoolctl import threadpool_info

        threads = sorted({library["num_threads"] for library in threadpool_info()})
        modules = [name for name in ("sklearn.tree", "sklearn.svm") if name in sys.modules]
        handler, blocked = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())
        ctrl_c = "heeds" if handler is signal.default_int_handler and not blocked else "ignores"
        raise ValueError(f"{os.environ.get('FLAVOUR')}, {threads} threads, {ctrl_c} Ctrl-C, {modules}")


class LeavesADaemon(Majority):
    """Lets a process loose that has left its group and its parent, and tells which."""

    def __init__(self, note: str = "") -> None:
        self.note = note

    def misbehave(self, X: Any, y: Any) -> None:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                with open(self.note, "a", encoding="utf-8") as file:
                    file.write(f"{os.getpid()}\n")
                time.sleep(600)
            os._exit(0)
        while not (os.path.exists(self.note) and os.path.getsize(self.note)):
            time.sleep(0.01)


class Patches(Majority):
    """Changes what a library does, for itself and whoever shares its process."""

    def misbehave(self, X: Any, y: Any) -> None:
        import sklearn.naive_bayes
        import sklearn.tree

        for kind in (sklearn.naive_bayes.GaussianNB, sklearn.tree.DecisionTreeClassifier):
            kind.predict = lambda self, X: np.repeat(self.classes_[0], len(X))
            kind.predict_proba = lambda self, X: np.eye(len(self.classes_))[np.zeros(len(X), dtype=int)]


class LeaksAThread(Majority):
    """A thread that would change the data of others as long as there is a process for it."""

    def misbehave(self, X: Any, y: Any) -> None:
        import threading

        def spoil() -> None:
            import sklearn.naive_bayes

            while True:
                sklearn.naive_bayes.GaussianNB.predict = lambda self, X: np.repeat(self.classes_[0], len(X))
                time.sleep(0.001)

        threading.Thread(target=spoil, daemon=False).start()


class DiesBySeed(Majority):
    """One learner whose cells end differently: `random_state` is the seed of the cell."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def misbehave(self, X: Any, y: Any) -> None:
        {1: Segfaults, 2: Hangs, 3: Raises, 4: ExitsQuietly}.get(self.random_state or 0, Majority)().misbehave(X, y)


class Waits(Majority):
    """Tells its process in a folder, and waits there for leave to go on."""

    def __init__(self, folder: str = "") -> None:
        self.folder = folder

    def misbehave(self, X: Any, y: Any) -> None:
        open(os.path.join(self.folder, str(os.getpid())), "w").close()
        while not os.path.exists(os.path.join(self.folder, "go")):
            time.sleep(0.01)


class AltersPython(Majority):
    """Whatever is sent from here on has the wrong length."""

    def misbehave(self, X: Any, y: Any) -> None:
        builtins.len = lambda _: 1


class RaisesWithoutWords(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        class WordlessError(Exception):
            def __str__(self) -> str:
                raise ValueError("no words for it")

        sys.stdout = sys.stderr = None
        raise WordlessError


class RaisesWithoutAName(Majority):
    """Its error is of no module, and of a class that does not tell what it is called."""

    def misbehave(self, X: Any, y: Any) -> None:
        class Nameless(type):
            @property
            def __name__(cls) -> str:
                raise ValueError("no name for it")

        raise Nameless("NamelessError", (Exception,), {"__module__": None})("lost")


class WarnsWithoutWords(Majority):
    def misbehave(self, X: Any, y: Any) -> None:
        warnings.warn("", stacklevel=1)
