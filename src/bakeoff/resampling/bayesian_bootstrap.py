"""The Bayesian bootstrap: chances of the rows are drawn first, then rows by those chances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bakeoff.resampling.bootstrap_samples import OutOfBootstrap
from bakeoff.resampling.randomness import Numbers, generator, uniform
from bakeoff.resampling.scheme import split
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units


def unequal_copies(units: Units, seed: int, repeat: int) -> Numbers:
    """How often each unit is drawn, among as many draws as there are units, by chances that are drawn themselves."""
    rng = generator(seed, repeat)
    # Standard exponentials over their sum are uniform among all chances that add up to one: Dirichlet(1, …, 1).
    weight = -np.log(uniform(units.n, rng))
    upto = np.cumsum(weight)
    chosen = np.searchsorted(upto, uniform(units.n, rng) * upto[-1])
    return np.bincount(np.minimum(chosen, units.n - 1), minlength=units.n)


@dataclass(frozen=True)
class OutOfBayesianBootstrap(OutOfBootstrap):
    """Learned from a sample of the Bayesian bootstrap, tested on the rows that were not drawn: half of them.

    The chances of the rows are a draw from the posterior of the law they came from, under a prior that favours
    nothing: Rubin (1981), doi:10.1214/aos/1176345338. Learning samples vary more than those of the bootstrap, and hold
    fewer different rows: the chance to be left out is about 1/2 instead of 1/e.

    >>> made = OutOfBayesianBootstrap(repeats=2).splits(Sample(5), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in made.splits]
    [([0, 0, 2, 3, 4], [1]), ([0, 0, 1, 3, 3], [2, 4])]
    """

    scheme: ClassVar[str] = "bayesian-bootstrap"
    about: ClassVar[str] = "samples of the Bayesian bootstrap, tested on the rows that were not drawn"

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        for repeat in range(1, self.repeats + 1):
            times = unequal_copies(units, seed, repeat)
            if (times == 0).any():
                yield split(repeat, 1, units.rows(times), units.rows(times == 0))
