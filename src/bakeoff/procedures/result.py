"""What the mathematics of a procedure returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np

from bakeoff.evidence import Decided, Estimates
from bakeoff.procedures.card import Card
from bakeoff.scores import Blocks, Layout


@dataclass(frozen=True, slots=True)
class Result:
    """One answer. What a procedure does not give stays NaN; `details` holds what only this procedure has.

    `about` says what a test of all learners at once is about, where that is not whether they are alike.
    """

    estimate: float = nan
    lower: float = nan
    upper: float = nan
    statistic: float = nan
    statistic_name: str = ""
    df: tuple[float, ...] = ()
    p: float = nan
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    worse: float = nan
    same: float = nan
    better: float = nan
    about: str = ""
    p_adjusted: float = nan


@dataclass(frozen=True, slots=True)
class Many:
    """What a procedure for many learners returns: tests of all at once, and estimates that pairs are made from.

    A procedure that adjusts the pairs itself returns them `decided` instead of estimates.
    """

    tests: tuple[Result, ...] = ()
    estimates: Estimates | None = None
    decided: Decided | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def no_facts(_blocks: Blocks, _layout: Layout) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Procedure:
    """A card, and a function on plain arrays.

    `compute` takes one column (`compares` one), two columns (pair) or the whole matrix (many). A procedure on ranks
    sets `ranks`: it is given values of which smaller is better, and its estimates are ranks. `facts` reads further
    keyword arguments off the blocks, such as sizes of training and test sets. One that works `on_predictions` is given
    the truth (0 or 1) before the columns of predictions. `measure` names the measure that a procedure computes itself,
    and `summary` computes it for one column of predictions.
    Unpaired procedures (see the card) are given samples that may differ in length; many of them come as a list. With
    `with_sizes` values are followed by the sizes of their test sets (NaN if unknown), so that rates will do. A `long`
    one is given all values in one column, with the labels of their learners and tasks. One that looks `within_tasks` is
    given for each side a list with the column of folds of each task. `over_pairs` makes tables of the details of all
    pairs.
    """

    card: Card
    compute: Callable[..., Any]
    facts: Callable[[Blocks, Layout], dict[str, Any]] = no_facts
    ranks: bool = False
    on_predictions: bool = False
    measure: str = ""
    summary: Callable[[Any, Any], float] | None = None
    with_sizes: bool = False
    long: bool = False
    within_tasks: bool = False
    over_pairs: Callable[[Mapping[tuple[str, str], Any], Sequence[str]], dict[str, Any]] | None = None

    @property
    def name(self) -> str:
        return self.card.name


def is_constant(values: Any, scale: float) -> bool:
    """Whether values differ by no more than rounding error, relative to `scale` (as R's t.test decides)."""
    return bool(np.ptp(values) <= 100 * np.finfo(float).eps * scale)
