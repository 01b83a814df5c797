"""A part of a learning sample, one with noise, or in another order: what learning curves, tables of noise and
counter-balanced presentations are made of.

All learners of a split get the same part and the same noise: both follow from the rows of the split, not from the
learner. A smaller part lies within every larger one, rows that are wrong at a low level of noise are wrong at every
higher one, and a row that is in a smaller part has the noise that it has in a larger one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.keys import seed_of
from bakeoff.learners.learner import CLASSIFICATION, DataInfo, LearningSample

Rows = NDArray[Any]


def part_of(train: Rows, sample: LearningSample, classes: Rows | None, groups: Rows | None) -> NDArray[np.intp]:
    """Which of the training rows (as places among them) are learned from, in the order of the split.

    Classes keep their proportions as well as whole rows can; groups are taken whole.

    >>> part_of(np.arange(6), LearningSample(size=0.5), np.array([0, 0, 0, 0, 1, 1]), None).shape
    (3,)
    """
    n = len(train)
    wanted = sample.size if sample.size > 1 else max(1, round(sample.size * n))
    if wanted > n:
        raise UsageError(
            f"A training size of {wanted:g} rows was asked for, and the learning sample has {n}. Ask for fewer, or for "
            "a share of them (up to 1)."
        )
    chance = _uniform(train, "size")
    if groups is not None:
        order = np.argsort(_uniform(np.unique(groups[train]), "groups"), kind="stable")
        place = np.argsort(order, kind="stable")[np.unique(groups[train], return_inverse=True)[1].ravel()]
        by_group = np.argsort(place, kind="stable")
        last = place[by_group[int(wanted) - 1]]
        return np.flatnonzero(place <= last)
    if classes is not None:
        chance = _spread_by_class(chance, classes[train])
    return np.sort(np.argsort(chance, kind="stable")[: int(wanted)])


def _spread_by_class(chance: NDArray[np.float64], classes: Rows) -> NDArray[np.float64]:
    """Where each row stands among those of its class, from 0 to 1: sorted by it, every beginning has all classes."""
    place = np.empty(len(chance))
    for label in np.unique(classes):
        own = np.flatnonzero(classes == label)
        place[own[np.argsort(chance[own], kind="stable")]] = (np.arange(len(own)) + 0.5) / len(own)
    return place + chance * 1e-9


def with_noise(
    X: Any, y: Any, train: Rows, chosen: NDArray[np.intp], sample: LearningSample, info: DataInfo
) -> tuple[Any, Any]:
    """Inputs and target of the chosen training rows, with the noise that the sample asks for."""
    if sample.class_noise:
        y = _wrong_classes(y, train, chosen, sample.class_noise, info)
    if sample.attribute_noise:
        X = _other_values(X, train, chosen, sample.attribute_noise, info)
    return X, y


def presented(rows: Rows, order: tuple[int, ...]) -> NDArray[np.intp]:
    """The places of the rows in the order in which they are presented. Sorted as in the data they are divided into
    parts of equal size, one for each number of the order.

    >>> presented(np.array([7, 5, 1, 3]), (1, 0)).tolist()
    [1, 0, 2, 3]
    """
    parts = np.array_split(np.argsort(rows, kind="stable"), len(order))
    return np.concatenate([parts[number] for number in order])


def _wrong_classes(y: Any, train: Rows, chosen: NDArray[np.intp], rate: float, info: DataInfo) -> Any:
    if info.kind != CLASSIFICATION:
        raise UsageError(f"Class noise gives rows a wrong class, and {info.name!r} is a {info.kind} task.")
    chance, which = _uniform(train, "class-noise")[chosen], _uniform(train, "wrong-class")[chosen]
    # A longer label than those that are there must not be cut off.
    kind = np.asarray(y).dtype
    spoiled = np.array(y, dtype=np.array(info.classes).dtype if kind.kind == "U" else kind)
    for row in np.argsort(chance, kind="stable")[: round(rate * len(chosen))]:
        others = [label for label in info.classes if label != spoiled[row]]
        spoiled[row] = others[int(which[row] * len(others))]
    return spoiled


def _other_values(X: Any, train: Rows, chosen: NDArray[np.intp], rate: float, info: DataInfo) -> Any:
    if info.form != "table":
        raise UsageError(
            f"Attribute noise replaces values of a table, and the inputs of {info.name!r} are {info.form}."
        )
    spoiled = X.copy()
    for place in range(X.shape[1]):
        chance = _uniform(train, f"attribute-noise {place}")[chosen]
        rows = np.argsort(chance, kind="stable")[: round(rate * len(chosen))]
        donors = (_uniform(train, f"donor {place}")[chosen][rows] * len(chosen)).astype(np.intp)
        if hasattr(X, "iloc"):
            spoiled.iloc[rows, place] = X.iloc[donors, place].to_numpy()
        else:
            spoiled[rows, place] = X[donors, place]
    return spoiled


def _uniform(rows: Rows, purpose: str) -> NDArray[np.float64]:
    """A number between 0 and 1 for each row, from the rows themselves and what it is for."""
    seed = seed_of("learning sample", purpose, np.ascontiguousarray(rows, dtype="<i8").tobytes())
    return np.random.Generator(np.random.PCG64(seed)).random(len(rows))
