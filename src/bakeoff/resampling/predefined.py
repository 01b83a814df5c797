"""Splits that somebody else made: folds in a column, published splits, pairs of rows, a splitter of scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.keys import canonical_value, digest
from bakeoff.resampling.scheme import Scheme, Sharing, split
from bakeoff.resampling.split import TEST, Sample, Split, Splits
from bakeoff.resampling.units import Units, generator
from bakeoff.text import listing

ANY_TASK = ""
_MOST_PAIRS = 2000


@dataclass(frozen=True)
class Predefined(Scheme):
    """The folds of a column of the task (`fold = "…"`), each tested on by what was learned from all other rows; or
    splits that were given: a file of them, or pairs of rows to learn from and to test on.

    A row whose fold is empty is learned from always and tested on never. `content` is the hash of splits that were
    given; where a file names tasks, each has its own.

    >>> made = Predefined().splits(Sample(5, folds=np.array([0, 1, 0, 1, -1])), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in made.splits]
    [([1, 3, 4], [0, 2]), ([0, 2, 4], [1, 3])]
    """

    scheme: ClassVar[str] = "predefined"
    about: ClassVar[str] = "folds in a column of the task, or splits in a file, such as export writes or OpenML's"
    synonyms: ClassVar[tuple[str, ...]] = ("predefined-folds", "published", "published-splits", "custom")
    shares: ClassVar[Sharing] = Sharing.FOLDS
    by_chance: ClassVar[bool] = False
    reads_file: ClassVar[bool] = True
    of_user: ClassVar[bool] = True

    content: str = ""
    splits_by_task: Mapping[str, tuple[Split, ...]] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.splits_by_task is None and self.content:
            raise UsageError("Splits are given by a file (file = 'splits.csv') or in Python, not by their hash.")
        if self.splits_by_task is not None:
            object.__setattr__(self, "content", _content(self.splits_by_task))

    @classmethod
    def of_pairs(cls, pairs: Iterable[Any]) -> Predefined:
        """Splits from pairs of arrays: row numbers, from 0, to learn from and to test on."""
        rows = [_pair(number, pair) for number, pair in enumerate(pairs, 1)]
        if not rows:
            raise UsageError("A list of pairs (rows to learn from, rows to test on) was expected; found none.")
        return cls(splits_by_task={ANY_TASK: numbered(rows)})

    def describe(self) -> dict[str, Any]:
        return {"scheme": self.scheme, "content": self.content}

    def count(self, sample: Sample) -> int:
        if self.splits_by_task is None:
            return 0 if sample.folds is None else len(np.unique(sample.folds[sample.folds >= 0]))
        return len(self._of_task(sample))

    def check(self, sample: Sample) -> None:
        super().check(sample)
        if self.splits_by_task is None and sample.folds is None:
            raise UsageError(
                f"The scheme {self.scheme!r} needs folds, and found none: name their column with the task (fold = '…'),"
                " or a file of splits with the scheme (file = 'splits.csv')."
            )

    def sharing(self, splits: Splits) -> Sharing:
        return sharing_of(splits.splits)

    def _of_task(self, sample: Sample) -> tuple[Split, ...]:
        assert self.splits_by_task is not None
        if ANY_TASK in self.splits_by_task:
            return self.splits_by_task[ANY_TASK]
        if sample.name not in self.splits_by_task:
            raise UsageError(
                f"The splits are of {listing([repr(name) for name in self.splits_by_task])}, and none of them is of "
                f"{sample.name!r}. Name the task as the file does, or leave the column of tasks out of it."
            )
        return self.splits_by_task[sample.name]

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        if self.splits_by_task is None:
            assert sample.folds is not None
            for number, fold in enumerate(np.unique(sample.folds[sample.folds >= 0]).tolist(), 1):
                inside = sample.folds == fold
                yield split(1, number, np.flatnonzero(~inside), np.flatnonzero(inside))
            return
        for one in self._of_task(sample):
            check_rows(one, sample.n)
            yield one

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
        yield from torn_groups(units, splits)


@dataclass(frozen=True)
class OfSplitter(Scheme):
    """The splits of a splitter that follows scikit-learn's conventions, such as `GroupKFold(5)`; for Python.

    It is asked once for each task and the splits are stored, so that all learners see the same. A `random_state` that
    is None follows from the seed of the study. It is told classes and groups, but no inputs.
    """

    scheme: ClassVar[str] = "splitter"
    about: ClassVar[str] = "in Python: the splits of any splitter of scikit-learn's, or of one that behaves like it"
    shares: ClassVar[Sharing] = Sharing.RANDOM_ROWS
    of_user: ClassVar[bool] = True
    in_study_files: ClassVar[bool] = False

    splitter: Any = None

    def __post_init__(self) -> None:
        if not all(hasattr(self.splitter, name) for name in ("split", "get_n_splits")):
            raise UsageError(
                f"A splitter such as GroupKFold(5) was expected, with split and get_n_splits; found {self.splitter!r}."
            )

    def describe(self) -> dict[str, Any]:
        return {"scheme": self.scheme, "splitter": canonical_value(self.splitter, "resampling")}

    def count(self, sample: Sample) -> int:
        return int(self.splitter.get_n_splits(*_splitter_arguments(sample)))

    def sharing(self, splits: Splits) -> Sharing:
        return sharing_of(splits.splits)

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        splitter = copy(self.splitter)
        if getattr(splitter, "random_state", 0) is None and getattr(splitter, "shuffle", True):
            splitter.random_state = int(generator(seed, 1).bit_generator.random_raw() % 2**32)
        try:
            pairs = list(splitter.split(*_splitter_arguments(sample)))
        except Exception as error:  # the splitter is the user's: whatever it raises is told in a sentence
            raise UsageError(f"{type(splitter).__name__} found no splits: {error}") from error
        for one in numbered([_pair(number, pair) for number, pair in enumerate(pairs, 1)]):
            check_rows(one, sample.n)
            yield one

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
        yield from torn_groups(units, splits)


def _splitter_arguments(sample: Sample) -> tuple[Any, Any, Any]:
    """What a splitter is told: inputs without content, classes, groups."""
    classes = np.zeros(sample.n, dtype=np.int64) if sample.strata is None else sample.strata
    return np.zeros((sample.n, 1)), classes, sample.groups


def torn_groups(units: Units, splits: Sequence[Split]) -> Iterator[str]:
    """A note if rows are tested on whose group is also learned from."""
    shared = [int(np.isin(units.of_row[one.test], units.of_row[one.train]).sum()) for one in splits]
    if units.grouped and any(shared):
        yield (
            f"In {np.count_nonzero(shared)} of {len(splits)} splits rows are tested on that belong to groups that are "
            "also learned from: their scores may be optimistic."
        )


# ----------------------------------------------------------------------------------------------------------------------
# Checking and numbering splits that were given.


def _pair(number: int, pair: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        raise UsageError(
            f"Split {number} should be a pair: rows to learn from, rows to test on; found {pair!r}."
        ) from None
    for part in (train, test):
        if part.ndim != 1 or part.dtype.kind not in "iub" or not len(part):
            raise UsageError(
                f"Split {number} should hold row numbers, from 0, in both of its parts; found {part.dtype} of the "
                f"shape {part.shape}."
            )
    rows = [np.flatnonzero(part) if part.dtype.kind == "b" else part.astype(np.int64) for part in (train, test)]
    return np.sort(rows[0]), np.sort(rows[1])


def check_rows(one: Split, n: int) -> None:
    """Refuse a split of rows that are not there, or that are on both sides."""
    where = f"Repeat {one.repeat}, fold {one.fold} of the splits"
    for verb, rows in (("learns from", one.train), ("tests on", one.test)):
        if not len(rows):
            raise UsageError(f"{where} {verb} no row. Both parts need at least one.")
        if rows[0] < 0 or rows[-1] >= n:
            wrong = rows[0] if rows[0] < 0 else rows[-1]
            raise UsageError(
                f"{where} {verb} row {wrong + 1}, and the data have the rows 1 to {n} (those without a target are not "
                "counted). The splits are of other data."
            )
    if len(np.unique(one.test)) < len(one.test):
        raise UsageError(f"{where} tests on a row twice. Name each once.")
    both = np.intersect1d(one.train, one.test)
    if len(both) and one.role == TEST:
        raise UsageError(f"{where} learns from row {both[0] + 1} and tests on it ({len(both)} such rows). Choose one.")


def numbered(rows: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> tuple[Split, ...]:
    """Splits with the numbers of their repeats and folds: folds are those that together test each row once."""
    repeats: list[list[int]] = []
    tested: set[int] = set()
    for number, (_, test) in enumerate(rows):
        new = set(test.tolist())
        if not repeats or tested & new:
            repeats.append([])
            tested = set()
        repeats[-1].append(number)
        tested |= new
    covered = [set(np.concatenate([rows[i][1] for i in repeat]).tolist()) for repeat in repeats]
    are_folds = all(part == covered[0] for part in covered) and all(len(repeat) > 1 for repeat in repeats)
    if not are_folds:
        repeats = [[number] for number in range(len(rows))]
    return tuple(
        split(repeat, fold, *rows[number])
        for repeat, numbers in enumerate(repeats, 1)
        for fold, number in enumerate(numbers, 1)
    )


def sharing_of(splits: Sequence[Split]) -> Sharing:
    """What splits share, read off their rows.

    >>> def pair(*parts):
    ...     return tuple(np.array(part) for part in parts)
    >>> sharing_of(numbered([pair([0, 1], [2, 3]), pair([2, 3], [0, 1])]))
    <Sharing.FOLDS: 'folds'>
    >>> sharing_of(numbered([pair([0, 1], [2]), pair([0, 1, 2], [3])]))
    <Sharing.TIME: 'time'>
    """
    tested = [one for one in splits if one.role == TEST]
    if len({one.key for one in tested}) < 2:
        return Sharing.ONE_SPLIT
    starts = [int(one.test[0]) for one in tested]
    forward = all(one.train[-1] < one.test[0] for one in tested)
    if forward and starts == sorted(starts) and _apart([one.test for one in tested]):
        return Sharing.TIME
    if _apart([np.concatenate([one.train, one.test]) for one in tested]):
        return Sharing.NOTHING
    repeats: dict[int, list[Split]] = {}
    for one in tested:
        repeats.setdefault(one.repeat, []).append(one)
    folds = all(len(parts) > 1 and _apart([part.test for part in parts]) for parts in repeats.values())
    return Sharing.FOLDS if folds else Sharing.RANDOM_ROWS


def _apart(parts: Sequence[NDArray[Any]]) -> bool:
    """Whether no row is in two of them."""
    if len(parts) * (len(parts) - 1) / 2 > _MOST_PAIRS:
        together = np.concatenate([np.unique(part) for part in parts])
        return len(np.unique(together)) == len(together)
    return not any(np.isin(a, b).any() for a, b in combinations(parts, 2))


def _content(given: Mapping[str, tuple[Split, ...]]) -> str:
    parts = [
        digest(name, str(one.repeat), str(one.fold), one.role, one.key)
        for name, splits in sorted(given.items())
        for one in splits
    ]
    return digest("given splits", *parts).hex()
