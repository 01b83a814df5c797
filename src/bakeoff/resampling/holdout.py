"""Hold-out: a part of the rows is set aside to test on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.resampling.scheme import (
    COMPETITION,
    Scheme,
    Sharing,
    small_classes,
    split,
    uneven_groups,
)
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Numbers, Units, assign_folds, bootstrap_draw, draw, generator

Rows = NDArray[np.int64]


def first_rows(n: int, n_train: int) -> tuple[Rows, Rows]:
    """The first `n_train` rows to learn from, the rest to test on: for data that come with such a split, or in time.

    >>> [part.tolist() for part in first_rows(5, 3)]
    [[0, 1, 2], [3, 4]]
    """
    check_parts(n, n_train)
    return np.arange(n_train), np.arange(n_train, n)


def check_parts(n: int, n_train: int) -> None:
    """Refuse a split one part of which is empty."""
    if not 0 < n_train < n:
        raise UsageError(
            f"Both parts of a split need at least one of the {n} rows; found {n_train} to learn from and "
            f"{n - n_train} to test on."
        )


def check_share(share: float) -> None:
    """Refuse a share of all or nothing."""
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < share < 1:
        raise UsageError(f"The share to test on lies strictly between 0 and 1; found {share!r}.")


@dataclass(frozen=True)
class HoldOut(Scheme):
    """A random part is tested on, the rest learned from; anew in each of the `repeats`.

    In proportion to the classes, if there are any; groups stay together, and the part is then as near to the share as
    whole groups come.

    >>> [s.test.tolist() for s in HoldOut(repeats=2).splits(Sample(9), seed=1).splits]
    [[2, 4, 5], [4, 5, 8]]
    """

    scheme: ClassVar[str] = "hold-out"
    about: ClassVar[str] = "a random share is tested on, the rest learned from"
    synonyms: ClassVar[tuple[str, ...]] = ("holdout", "split", "train-test-split", "subsampling")
    shares: ClassVar[Sharing] = Sharing.RANDOM_ROWS

    test_share: float = 1 / 3
    repeats: int = 1
    stratify: bool = True

    def __post_init__(self) -> None:
        check_share(self.test_share)
        super().__post_init__()

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        n_test = round(sample.n * self.test_share)
        check_parts(sample.n, sample.n - n_test)
        for repeat in range(1, self.repeats + 1):
            inside = draw(units, n_test, generator(seed, repeat))
            yield split(repeat, 1, units.rows(~inside), units.rows(inside))

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
        yield from uneven_groups(units, splits)
        least = ceil(1 / min(self.test_share, 1 - self.test_share))
        yield from small_classes(units, least, "one of the parts may go without")


# ----------------------------------------------------------------------------------------------------------------------
# The test sample that came with the data: learned from the rest, or from bootstrap samples of the rest.


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
    synonyms: ClassVar[tuple[str, ...]] = ("given-test",)
    shares: ClassVar[Sharing] = Sharing.ONE_SPLIT
    by_chance: ClassVar[bool] = False
    needs_given_test: ClassVar[bool] = True

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        yield split(1, 1, *learning_and_test(sample))

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
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
    synonyms: ClassVar[tuple[str, ...]] = ()
    by_chance: ClassVar[bool] = True
    shares: ClassVar[Sharing] = Sharing.NOTHING
    with_copies: ClassVar[bool] = True
    problem: ClassVar[str] = COMPETITION

    repeats: int = 100

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        learning, test = learning_and_test(sample)
        able = np.unique(units.of_row[learning])
        among = np.isin(np.arange(sample.n), learning)
        for repeat in range(1, self.repeats + 1):
            chosen = able[bootstrap_draw(len(able), len(able), generator(seed, repeat))]
            rows = units.rows(np.bincount(chosen, minlength=units.n))
            yield split(repeat, 1, rows[among[rows]], test)


# ----------------------------------------------------------------------------------------------------------------------
# K disjoint parts, each halved: the only splits of one sample that share no row at all.


@dataclass(frozen=True)
class DisjointHalves(Scheme):
    """The sample is divided into `parts`; one half of each is learned from, the other tested on.

    For large samples: the scores of the parts are independent, but each is learned from n/(2·parts) rows only. A part
    is a repeat of its own. Alpaydın, Introduction to Machine Learning, section 19.6.

    >>> result = DisjointHalves(parts=2).splits(Sample(8), seed=1)
    >>> [(s.repeat, s.train.tolist(), s.test.tolist()) for s in result.splits]
    [(1, [5, 7], [2, 6]), (2, [1, 3], [0, 4])]
    """

    scheme: ClassVar[str] = "disjoint-halves"
    about: ClassVar[str] = "K disjoint parts of the sample, one half of each learned from and the other tested on"
    synonyms: ClassVar[tuple[str, ...]] = ("halves",)
    shares: ClassVar[Sharing] = Sharing.NOTHING

    parts: int = 10
    stratify: bool = True

    def count(self, sample: Sample) -> int:
        return self.parts

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        halves = 2 * self.parts
        if units.n < halves:
            raise UsageError(
                f"Two halves of {self.parts} parts need at least {units.word(halves)}; found {units.word(units.n)}. "
                "Use fewer parts, or cross-validation."
            )
        # Halves of random parts are random parts twice as many, two by two.
        half_of = assign_folds(units, halves, generator(seed, 1))
        for part in range(self.parts):
            yield split(part + 1, 1, units.rows(half_of == 2 * part), units.rows(half_of == 2 * part + 1))

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
        yield from uneven_groups(units, splits)
        yield from small_classes(units, 2 * self.parts, "some halves go without")


# ----------------------------------------------------------------------------------------------------------------------
# A split made once, then bootstrap samples of its learning part: for data sets that are large enough.


@dataclass(frozen=True)
class HoldOutBootstrap(Competition):
    """A random share of the rows is set aside to test on, once; bootstrap samples of the rest are learned from.

    The split of Hothorn, Leisch, Zeileis and Hornik (2005), section 3.2, for one learning sample that is large: it goes
    on as a competition. They advise against it where out-of-bootstrap rows can be tested on: the share that was
    set aside may favour a learner by chance.

    >>> result = HoldOutBootstrap(repeats=2).splits(Sample(6), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in result.splits]
    [([0, 2, 4, 5], [1, 3]), ([2, 4, 5, 5], [1, 3])]
    """

    scheme: ClassVar[str] = "hold-out-bootstrap"
    about: ClassVar[str] = "a random share is set aside once, and bootstrap samples of the rest are learned from"
    shares: ClassVar[Sharing] = Sharing.NOTHING
    with_copies: ClassVar[bool] = True
    needs_given_test: ClassVar[bool] = False

    test_share: float = 1 / 3
    stratify: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.test_share)

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        n_test = round(sample.n * self.test_share)
        check_parts(sample.n, sample.n - n_test)
        # The repeats are numbered from 1: the split has chances of its own.
        aside = units.rows(draw(units, n_test, generator(seed, 0)))
        yield from super()._make(replace(sample, given_test=aside.astype(np.int64)), units, seed)

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from Scheme._notes(self, sample, units, splits)
        yield from uneven_groups(units, splits)
