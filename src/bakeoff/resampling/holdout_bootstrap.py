"""A split made once, then bootstrap samples of its learning part: for data sets that are large enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bakeoff.resampling.drawing import draw
from bakeoff.resampling.given_test import Competition
from bakeoff.resampling.holdout import check_parts, check_share
from bakeoff.resampling.randomness import generator
from bakeoff.resampling.scheme import Scheme, true_or_false, uneven_groups
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units


@dataclass(frozen=True)
class HoldOutBootstrap(Competition):
    """A random share of the rows is set aside to test on, once; bootstrap samples of the rest are learned from.

    The split of Hothorn, Leisch, Zeileis and Hornik (2005), section 3.2, for one learning sample that is large: it goes
    on as a competition. They advise against it where out-of-bootstrap rows can be tested on: the share that was
    set aside may favour a learner by chance.

    >>> made = HoldOutBootstrap(repeats=2).splits(Sample(6), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in made.splits]
    [([0, 2, 4, 5], [1, 3]), ([2, 4, 5, 5], [1, 3])]
    """

    scheme: ClassVar[str] = "hold-out-bootstrap"
    about: ClassVar[str] = "a random share is set aside once, and bootstrap samples of the rest are learned from"
    needs_given_test: ClassVar[bool] = False

    test_share: float = 1 / 3
    stratify: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.test_share)
        true_or_false(self.stratify, "stratify")

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        n_test = round(sample.n * self.test_share)
        check_parts(sample.n, sample.n - n_test)
        # The repeats are numbered from 1: the split has chances of its own.
        aside = units.rows(draw(units, n_test, generator(seed, 0)))
        yield from super()._make(replace(sample, given_test=aside.astype(np.int64)), units, seed)

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        yield from Scheme._notes(self, sample, units, made)
        yield from uneven_groups(units, made)
