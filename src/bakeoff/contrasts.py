"""Contrasts: which comparisons are made. A small value, not a parameter repeated everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import MisfitError, UsageError, nearest

KINDS = ("all-pairs", "control")


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Pairs of columns (first, second), each read as first − second."""

    kind: str
    pairs: tuple[tuple[int, int], ...]
    n_learners: int

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """One row a contrast: +1 at the first learner, −1 at the second."""
        rows = np.zeros((len(self.pairs), self.n_learners))
        index = np.array(self.pairs, dtype=np.intp).reshape(-1, 2)
        rows[np.arange(len(index)), index[:, 0]] = 1.0
        rows[np.arange(len(index)), index[:, 1]] = -1.0
        return rows


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


def contrasts(kind: str, learners: Sequence[str], order: Sequence[int], control: str | None) -> Contrasts:
    """The contrasts of that kind between these learners."""
    if kind not in KINDS:
        raise UsageError(f"There is no set of contrasts {kind!r}. {nearest(kind, KINDS)}")
    if len(learners) < 2:
        raise MisfitError(
            f"A comparison needs at least two learners; found {len(learners)} ({', '.join(learners)}).",
            alternatives=["wilson: an interval for the error rate of one learner, if there are predictions"],
        )
    if kind == "all-pairs":
        if control is not None:
            raise UsageError(f"A control ({control!r}) goes with contrast='control', not with all-pairs.")
        return all_pairs(order)
    if control is None:
        raise UsageError("Contrasts against a control need its name: --control LEARNER.")
    if control not in learners:
        raise UsageError(f"There is no learner {control!r} to be the control. {nearest(control, learners)}")
    return against(list(learners).index(control), order)
