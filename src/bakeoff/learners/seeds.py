"""Seeds: the generators that learners draw their chances from, whatever they are called and wherever they live."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

import numpy as np

RANDOM_STATE = "random_state"
# The names that libraries give to a parameter that takes a seed.
SEED_NAMES = (RANDOM_STATE, "seed", "random_seed")
_MOST = 2**31  # what a signed number of 32 bits holds, which is all that some libraries take


def seed_everything(seed: int) -> None:
    """For learners that use global random states, whatever ran in this process before: Python's, numpy's, and those of
    torch, TensorFlow and Keras where a learner has loaded them. They are never imported here; one that a learner
    imports while it learns is seeded when it has been. JAX has no global state: its keys are made from parameters."""
    random.seed(seed)
    np.random.seed(seed)
    _Watch.seed = seed
    if not (sys.meta_path and type(sys.meta_path[0]) is _Watch):
        sys.meta_path[:] = [_Watch(), *(finder for finder in sys.meta_path if not isinstance(finder, _Watch))]
    for name, apply in _LIBRARIES.items():
        if (module := sys.modules.get(name)) is not None:
            apply(module, seed)


def _torch(module: Any, seed: int) -> None:
    if hasattr(module, "manual_seed"):  # of all devices
        module.manual_seed(seed)


def _tensorflow(module: Any, seed: int) -> None:
    if hasattr(getattr(module, "random", None), "set_seed"):
        module.random.set_seed(seed)


def _keras(module: Any, seed: int) -> None:
    if hasattr(getattr(module, "utils", None), "set_random_seed"):
        module.utils.set_random_seed(seed)


_LIBRARIES: Mapping[str, Callable[[Any, int], None]] = {"torch": _torch, "tensorflow": _tensorflow, "keras": _keras}


class _Watch(MetaPathFinder):
    """Seeds a library that is imported in the middle of a cell, as soon as it is there."""

    seed = 0

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> Any:
        if name not in _LIBRARIES:
            return None
        for finder in sys.meta_path:
            spec = None if isinstance(finder, _Watch) else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                run = spec.loader.exec_module

                def exec_module(module: ModuleType, run: Any = run) -> None:
                    run(module)
                    _LIBRARIES[name](module, _Watch.seed)

                spec.loader.exec_module = exec_module  # type: ignore[method-assign]
                return spec
        return None


def unseeded(parameters: Mapping[str, Any]) -> list[str]:
    """The parameters, at any depth, that take a seed and were given none.

    >>> unseeded({"random_state": None, "net__seed": None, "seed": 3, "depth": None})
    ['random_state', 'net__seed']
    """
    return [name for name, value in parameters.items() if value is None and name.rpartition("__")[2] in SEED_NAMES]


def small(seed: int) -> int:
    """A seed that a signed number of 32 bits holds."""
    return seed % _MOST
