"""Contrasts: which comparisons are made. A small value, not a parameter repeated everywhere.

A contrast compares two learners, or the averages of two groups of learners, or any weighted sum with weights that add
up to zero. It can be said in words ("tree + forest vs lda + svm") or with weights ("tree=0.5, forest=0.5, lda=-1").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import MisfitError, UsageError, nearest

KINDS = ("all-pairs", "control")
Said = str | Mapping[str, float]


@dataclass(frozen=True)
class Contrasts:
    """A family of comparisons, each read as first − second.

    Families of plain pairs hold `pairs` of columns; others hold `weights`, a row a contrast, and `names` of both sides.
    """

    kind: str
    pairs: tuple[tuple[int, int], ...]
    n_learners: int
    weights: tuple[tuple[float, ...], ...] = ()
    names: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.pairs) or len(self.weights)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """One row a contrast; for a pair +1 at the first learner and −1 at the second."""
        if self.weights:
            return np.array(self.weights)
        rows = np.zeros((len(self.pairs), self.n_learners))
        index = np.array(self.pairs, dtype=np.intp).reshape(-1, 2)
        rows[np.arange(len(index)), index[:, 0]] = 1.0
        rows[np.arange(len(index)), index[:, 1]] = -1.0
        return rows

    def sides(self, item: int, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The two columns that a contrast compares, block by block: learners, or weighted sums of them."""
        if self.pairs:
            first, second = self.pairs[item]
            return values[:, first], values[:, second]
        weights = np.array(self.weights[item])
        return (
            np.tensordot(values, np.maximum(weights, 0), axes=(1, 0)),
            np.tensordot(values, np.maximum(-weights, 0), axes=(1, 0)),
        )

    def named(self, item: int, learners: Sequence[str]) -> tuple[str, str]:
        """The names of both sides of a contrast."""
        if not self.pairs:
            return self.names[item]
        first, second = self.pairs[item]
        return learners[first], learners[second]


def all_pairs(order: Sequence[int]) -> Contrasts:
    """Every pair once, the learner that comes first in `order` first.

    >>> all_pairs([2, 0, 1]).pairs
    ((2, 0), (2, 1), (0, 1))
    """
    return Contrasts("all-pairs", tuple(combinations(order, 2)), len(order))


def against(control: int, order: Sequence[int]) -> Contrasts:
    """Each other learner against the control.

    >>> against(0, [2, 0, 1]).pairs
    ((2, 0), (1, 0))
    """
    return Contrasts("control", tuple((i, control) for i in order if i != control), len(order))


def between_groups(groups: Sequence[Said], learners: Sequence[str]) -> Contrasts:
    """Contrasts in words or weights.

    >>> result = between_groups(["a + b vs c"], ["a", "b", "c", "d"])
    >>> result.weights, result.names
    (((0.5, 0.5, -1.0, 0.0),), (('mean of a and b', 'c'),))
    """
    rows, names = [], []
    for one in groups:
        if isinstance(one, str):
            one = _weights_written(one, learners) or one
        weights, name = _in_words(one, learners) if isinstance(one, str) else _in_weights(one, learners)
        rows.append(weights)
        names.append(name)
    return Contrasts("groups", (), len(learners), tuple(rows), tuple(names))


def _weights_written(text: str, learners: Sequence[str]) -> dict[str, float] | None:
    """The weights in "tree=0.5, forest=0.5, lda=-1", or None if that is not how it is said.

    >>> _weights_written("tree=0.5, forest=0.5, lda=-1", ["tree", "forest", "lda"])
    {'tree': 0.5, 'forest': 0.5, 'lda': -1.0}
    """
    parts = [part.rpartition("=") for part in text.split(",")]
    if not all(equals for _, equals, _ in parts) or any(side in learners for side in _sides(text)):
        return None
    weights: dict[str, float] = {}
    for name, _, weight in parts:
        if name.strip() in weights:
            raise UsageError(f"The contrast {text!r} gives {name.strip()!r} two weights.")
        try:
            weights[name.strip()] = float(weight)
        except ValueError:
            raise UsageError(
                f"The contrast {text!r} gives {name.strip()!r} the weight {weight!r}: no number."
            ) from None
    return weights


def _sides(text: str) -> list[str]:
    return re.split(r"\s+(?:vs\.?|against|versus)\s+", text.strip())


def _in_words(text: str, learners: Sequence[str]) -> tuple[tuple[float, ...], tuple[str, str]]:
    sides = _sides(text)
    if len(sides) != 2:
        raise UsageError(
            f"The contrast {text!r} was not understood. Two sides were expected, as in "
            "'tree + forest vs lda', each side a learner or several joined by '+'; or weights, as in "
            "'tree=0.5, forest=0.5, lda=-1'; or all-pairs, or control."
        )
    groups = [_members(side, learners, text) for side in sides]
    if shared := set(groups[0]) & set(groups[1]):
        raise UsageError(f"The contrast {text!r} has {sorted(shared)[0]!r} on both sides.")
    weights = [0.0] * len(learners)
    for sign, group in zip((1.0, -1.0), groups, strict=True):
        for name in group:
            weights[list(learners).index(name)] += sign / len(group)
    first, second = (group[0] if len(group) == 1 else f"mean of {_joined(group)}" for group in groups)
    return tuple(weights), (first, second)


def _joined(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]])


def _members(side: str, learners: Sequence[str], text: str) -> list[str]:
    """The learners of one side. A name that holds a separator itself is taken whole."""
    if side in learners:
        return [side]
    names = [name.strip() for name in re.split(r"\s*\+\s*|\s*,\s*|\s+and\s+", side) if name.strip()]
    if not names:
        raise UsageError(f"A side of the contrast {text!r} names no learner. {nearest(side, learners)}")
    for name in names:
        if name not in learners:
            raise UsageError(f"There is no learner {name!r} for the contrast {text!r}. {nearest(name, learners)}")
    return list(dict.fromkeys(names))


def _in_weights(weights: Mapping[str, float], learners: Sequence[str]) -> tuple[tuple[float, ...], tuple[str, str]]:
    for name, weight in weights.items():
        if name not in learners:
            raise UsageError(f"There is no learner {name!r} to be given a weight. {nearest(name, learners)}")
        if not isinstance(weight, Real) or not np.isfinite(weight):
            raise UsageError(f"The weight of {name!r} is {weight!r}; a finite number was expected.")
    total = sum(weights.values())
    size = sum(abs(weight) for weight in weights.values())
    if size == 0 or abs(total) > 1e-9 * size:
        raise UsageError(
            f"The weights of a contrast add up to zero; found {total:g} for {dict(weights)!r}. "
            "Divide the weights of each side by their sum."
        )
    sides = (
        " + ".join(
            name if abs(weight) == 1 else f"{abs(weight):g} {name}"
            for name, weight in weights.items()
            if sign * weight > 0
        )
        for sign in (1, -1)
    )
    first, second = sides
    return tuple(float(weights.get(name, 0.0)) for name in learners), (first, second)


def contrasts(
    kind: Said | Sequence[Said], learners: Sequence[str], order: Sequence[int], control: str | None
) -> Contrasts:
    """The contrasts asked for between these learners: "all-pairs", "control", or groups in words or weights."""
    if len(learners) < 2:
        raise MisfitError(
            f"A comparison needs at least two learners; found {len(learners)} ({', '.join(learners)}).",
            alternatives=["wilson: an interval for the error rate of one learner, if there are predictions"],
        )
    if not isinstance(kind, str) or kind not in KINDS:
        groups = [kind] if isinstance(kind, (str, Mapping)) else list(kind) if isinstance(kind, Sequence) else [None]
        if not groups or not all(isinstance(one, (str, Mapping)) for one in groups):
            raise UsageError(
                f"Contrasts are said in words ('tree + forest vs lda') or weights ({{'tree': 1, 'lda': -1}}), one or "
                f"several; found {kind!r}."
            )
        if groups == [kind] and isinstance(kind, str) and not re.search(r"[ =]", kind.strip()):
            raise UsageError(f"There is no set of contrasts {kind!r}. {nearest(kind, KINDS)}")
        return between_groups(groups, learners)
    if kind == "all-pairs":
        if control is not None:
            raise UsageError(f"A control ({control!r}) goes with contrast='control', not with all-pairs.")
        return all_pairs(order)
    if control is None:
        raise UsageError("Contrasts against a control need its name: --control LEARNER.")
    if control not in learners:
        raise UsageError(f"There is no learner {control!r} to be the control. {nearest(control, learners)}")
    return against(list(learners).index(control), order)
