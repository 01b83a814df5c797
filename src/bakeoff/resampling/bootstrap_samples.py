"""Schemes that learn from bootstrap samples: as many units as there are, drawn with replacement.

All of them draw the same samples from the same seed. Where rows belong to groups, groups are drawn, each with all its
rows. Classes are not kept in proportion: a bootstrap sample is a sample from the empirical distribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bakeoff.resampling.randomness import Numbers, drawn, generator
from bakeoff.resampling.scheme import REAL_WORLD, Scheme, split, whole
from bakeoff.resampling.split import APPARENT, TEST, Sample, Split
from bakeoff.resampling.units import Units


def copies(units: Units, seed: int, repeat: int) -> Numbers:
    """How often each unit is in the bootstrap sample of a repeat."""
    return np.bincount(drawn(units.n, units.n, generator(seed, repeat)), minlength=units.n)


@dataclass(frozen=True)
class Bootstrap(Scheme):
    """Learned from a bootstrap sample, tested on the original sample.

    Optimistic: 63.2 % of the rows tested on were learned from. (Alpaydın 19.6.3 calls the estimate pessimistic, which
    is true of the rows left out only.) Use out-of-bootstrap to compare learners that can learn rows by heart.

    >>> [s.train.tolist() for s in Bootstrap(repeats=2).splits(Sample(5), seed=1).splits]
    [[0, 0, 1, 1, 4], [0, 1, 2, 3, 4]]
    """

    scheme: ClassVar[str] = "bootstrap"
    about: ClassVar[str] = "bootstrap samples, tested on the original sample: optimistic"
    overlaps: ClassVar[bool] = True
    problem: ClassVar[str] = REAL_WORLD

    repeats: int = 100

    def __post_init__(self) -> None:
        whole(self.repeats, "repeats", 1)

    def count(self, sample: Sample) -> int:
        return self.repeats

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        everything = np.arange(sample.n)
        for repeat in range(1, self.repeats + 1):
            yield split(repeat, 1, units.rows(copies(units, seed, repeat)), everything)

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, made)
        yield (
            "The original sample is tested on, most of which was learned from: scores are optimistic, and most for "
            "learners that learn rows by heart. Out-of-bootstrap is not."
        )


@dataclass(frozen=True)
class OutOfBootstrap(Scheme):
    """Learned from a bootstrap sample, tested on the rows that were never drawn: 36.8 % of them on average.

    A sample that leaves nothing out, which happens to very few rows or groups, is skipped and noted; drawing another
    one would favour samples that leave much out.

    >>> made = OutOfBootstrap(repeats=2).splits(Sample(5), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in made.splits]
    [([0, 0, 1, 1, 4], [2, 3])]
    >>> made.notes
    ('Of 2 bootstrap samples 1 left nothing out to test on and had to be skipped.',)
    """

    scheme: ClassVar[str] = "out-of-bootstrap"
    about: ClassVar[str] = "bootstrap samples, tested on the rows that were not drawn"
    problem: ClassVar[str] = REAL_WORLD

    repeats: int = 100

    def __post_init__(self) -> None:
        whole(self.repeats, "repeats", 1)

    def count(self, sample: Sample) -> int:
        return self.repeats

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        for repeat in range(1, self.repeats + 1):
            times = copies(units, seed, repeat)
            if (times == 0).any():
                yield split(repeat, 1, units.rows(times), units.rows(times == 0))

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, made)
        skipped = self.repeats - sum(one.role == TEST for one in made)
        if skipped:
            yield f"Of {self.repeats} bootstrap samples {skipped} left nothing out to test on and had to be skipped."


@dataclass(frozen=True)
class OutOfBootstrap2n(OutOfBootstrap):
    """Out-of-bootstrap of the learning sample and the test sample that came with it, merged into one.

    What Hothorn et al. (2005) recommend instead of setting a test sample aside: RW-OOB-2n in their section 5.
    """

    scheme: ClassVar[str] = "out-of-bootstrap-2n"
    about: ClassVar[str] = "out-of-bootstrap of the learning sample merged with the test sample that came with it"
    needs_given_test: ClassVar[bool] = True


@dataclass(frozen=True)
class Bootstrap632(OutOfBootstrap):
    """Out-of-bootstrap, and one split more that learns from all rows and is tested on all: the apparent score.

    Out-of-bootstrap errors are pessimistic, apparent ones optimistic; .368 of the one and .632 of the other make
    Efron's estimate. The apparent split has the role "apparent" and the repeat 0, so that it stays where it is when
    repeats are added. `bootstrap.combine_632` combines the scores.
    """

    scheme: ClassVar[str] = "632"
    about: ClassVar[str] = "out-of-bootstrap weighed against the apparent score, .632 to .368"
    combine: ClassVar[str] = "632"

    def count(self, sample: Sample) -> int:
        return self.repeats + 1

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        tested = list(super()._make(sample, units, seed))
        if tested:
            everything = np.arange(sample.n)
            yield split(0, 1, everything, everything, APPARENT)
            yield from tested


@dataclass(frozen=True)
class Bootstrap632Plus(Bootstrap632):
    """The same splits; the weight of the apparent error shrinks the more a learner overfits.

    Efron and Tibshirani (1997), doi:10.1080/01621459.1997.10474007. For losses only: it needs the loss that predictions
    without information would have.
    """

    scheme: ClassVar[str] = "632+"
    about: ClassVar[str] = "as 632, with more weight on out-of-bootstrap the more a learner overfits"
    combine: ClassVar[str] = "632+"
