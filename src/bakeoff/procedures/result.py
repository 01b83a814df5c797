"""What the mathematics of a procedure returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np

from bakeoff.evidence import Estimates
from bakeoff.procedures.card import Card
from bakeoff.scores import Blocks, Layout


@dataclass(frozen=True, slots=True)
class Result:
    """One answer. What a procedure does not give stays NaN; `details` holds what only this procedure has."""

    estimate: float = nan
    lower: float = nan
    upper: float = nan
    statistic: float = nan
    statistic_name: str = ""
    df: tuple[float, ...] = ()
    p: float = nan
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Many:
    """What a procedure for many learners returns: tests of all at once, and estimates that pairs are made from."""

    tests: tuple[Result, ...] = ()
    estimates: Estimates | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def no_facts(_blocks: Blocks, _layout: Layout) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Procedure:
    """A card, and a function on plain arrays.

    `compute` takes one column (`compares` one), two columns (pair) or the whole matrix (many). A procedure on ranks
    sets `ranks`: it is given values of which smaller is better, and its estimates are ranks. `facts` reads further
    keyword arguments off the blocks, such as the sizes of training and test sets.
    """

    card: Card
    compute: Callable[..., Any]
    facts: Callable[[Blocks, Layout], dict[str, Any]] = no_facts
    ranks: bool = False

    @property
    def name(self) -> str:
        return self.card.name


def is_constant(values: Any, scale: float) -> bool:
    """Whether values differ by no more than rounding error, relative to `scale` (as R's t.test decides)."""
    return bool(np.ptp(values) <= 100 * np.finfo(float).eps * scale)
