"""The test sample that came with the data: learned from the rest, or from bootstrap samples of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.resampling.randomness import Numbers, drawn, generator
from bakeoff.resampling.scheme import COMPETITION, Scheme, split, whole
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units


def learning_and_test(sample: Sample) -> tuple[Numbers, Numbers]:
    """The rows to learn from, and those of the given test sample; in order.

    >>> [rows.tolist() for rows in learning_and_test(Sample(5, given_test=np.array([4, 2])))]
    [[0, 1, 3], [2, 4]]
    """
    given = np.zeros(0) if sample.given_test is None else np.asarray(sample.given_test)
    test = np.unique(given).astype(np.int64)
    if not 0 < len(test) < sample.n or test[0] < 0 or test[-1] >= sample.n or len(test) != len(given):
        raise UsageError(
            f"A given test sample must name some of the {sample.n} rows, each once, and leave some to learn from; "
            f"found {len(given)} numbers of rows" + (f" from {test[0]} to {test[-1]}." if len(test) else ".")
        )
    return np.setdiff1d(np.arange(sample.n), test), test


@dataclass(frozen=True)
class GivenTest(Scheme):
    """One split: all other rows are learned from, the given test sample is tested on.

    A single split says how these fitted models do on new instances, not how the learners do on new learning samples.
    """

    scheme: ClassVar[str] = "given"
    about: ClassVar[str] = "the test sample that came with the data, once"
    needs_given_test: ClassVar[bool] = True

    def count(self, sample: Sample) -> int:
        return 1

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        yield split(1, 1, *learning_and_test(sample))

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, made)
        learning, test = learning_and_test(sample)
        shared = np.isin(units.of_row[test], units.of_row[learning]).sum()
        if shared:
            yield (
                f"{shared} of the {len(test)} rows of the given test sample belong to groups that are also learned "
                "from: their scores may be optimistic."
            )


@dataclass(frozen=True)
class Competition(GivenTest):
    """Bootstrap samples of the other rows are learned from; the given test sample is tested on each time.

    The competition problem of Hothorn, Leisch, Zeileis and Hornik (2005), doi:10.1198/106186005X59630. Their warning:
    a fixed test sample may favour a learner by chance, and no number of repeats averages that out.
    """

    scheme: ClassVar[str] = "competition"
    about: ClassVar[str] = "bootstrap samples of the learning sample, tested on the test sample that came with the data"
    problem: ClassVar[str] = COMPETITION

    repeats: int = 100

    def __post_init__(self) -> None:
        whole(self.repeats, "repeats", 1)

    def count(self, sample: Sample) -> int:
        return self.repeats

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        learning, test = learning_and_test(sample)
        able = np.unique(units.of_row[learning])
        among = np.isin(np.arange(sample.n), learning)
        for repeat in range(1, self.repeats + 1):
            chosen = able[drawn(len(able), len(able), generator(seed, repeat))]
            rows = units.rows(np.bincount(chosen, minlength=units.n))
            yield split(repeat, 1, rows[among[rows]], test)
