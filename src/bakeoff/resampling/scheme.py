"""What all schemes share: their description, the checks of their parameters, and the notes on what they made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from enum import StrEnum
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.resampling.split import TEST, Rows, Sample, Split, Splits
from bakeoff.resampling.units import Units

# Problems of Hothorn et al. (2005), section 3.2.
SIMULATION, COMPETITION, REAL_WORLD = "simulation", "competition", "real world"


class Sharing(StrEnum):
    """What the splits of a scheme have in common: how far their scores go up and down together."""

    NOTHING = "nothing"  # independent draws, or parts of the data that do not overlap
    FOLDS = "folds"  # training rows, as the folds of a cross-validation do
    RANDOM_ROWS = "random rows"  # training and test rows, as random splits of one data set do
    TIME = "time"  # training rows, in the order of time
    ONE_SPLIT = "one split"  # there is one split, or all are the same


class Combination(StrEnum):
    """What becomes of the scores of splits; the value is what is said of it."""

    NONE = ""
    FOLDS = "Each score is the mean over the folds of a repeat."
    WEIGHED = "Each score is .368 of the apparent one and .632 of the one on rows that were left out."
    WEIGHED_PLUS = "Each score is a .632+ combination of the apparent one and the one on rows that were left out."


_LEAST = {"folds": 2, "repeats": 1, "parts": 1}  # of parameters, in the schemes that have them


class Scheme(ABC):
    """A resampling scheme. Each is a frozen dataclass whose fields are its parameters in a study file."""

    scheme: ClassVar[str]
    """Its name in a study file."""
    synonyms: ClassVar[tuple[str, ...]] = ()
    """Other names that people use, in small letters and with hyphens."""
    about: ClassVar[str]
    """What it does, in a sentence."""
    shares: ClassVar[Sharing | None] = None
    """What its splits share. Every scheme must say it: scores of one that does not are not judged."""
    combine: ClassVar[Combination] = Combination.NONE
    """What becomes of the scores of its splits: each stands for itself, they are averaged over the folds of a repeat,
    or weighed against the apparent score (`bootstrap.combine_632`)."""
    optimistic: ClassVar[str] = ""
    """How much of a score comes from rows that were learned from: "", "part" or "most"."""
    overlaps: ClassVar[bool] = False
    """Whether rows are tested on that were learned from."""
    partition: ClassVar[bool] = False
    """Whether each row is tested on exactly once in each repeat."""
    with_copies: ClassVar[bool] = False
    """Whether a learning sample may hold a row several times."""
    by_chance: ClassVar[bool] = True
    """Whether another seed makes other splits."""
    needs_given_test: ClassVar[bool] = False
    """Whether it is for data that come with a test sample; the others resample all rows alike."""
    needs_draws: ClassVar[bool] = False
    """Whether it is for tasks that draw their samples from a generator."""
    needs_groups: ClassVar[bool] = False
    """Whether it is for data with groups."""
    reads_file: ClassVar[bool] = False
    """Whether a study file may name a file of splits with it."""
    in_study_files: ClassVar[bool] = True
    """Whether a study file can name it; some are for objects that only Python has."""
    of_user: ClassVar[bool] = False
    """Whether its splits were chosen elsewhere: what they share is then read off them."""
    problem: ClassVar[str] = ""
    """Which of the three problems of Hothorn et al. (2005) its repeats solve, if they are independent draws from a data
    generating process: simulation, competition, real world. Empty where they are not, as in cross-validation."""

    def __post_init__(self) -> None:
        """Refuse what makes no splits, of the parameters that many schemes have."""
        for name, least in _LEAST.items():
            if hasattr(self, name):
                check_int(getattr(self, name), name, least)
        if hasattr(self, "stratify"):
            check_bool(self.stratify, "stratify")

    def describe(self) -> dict[str, Any]:
        """The scheme and all its parameters."""
        # Every subclass is a dataclass; the base, which has no parameters, need not be.
        return {"scheme": self.scheme} | {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def sharing(self, splits: Splits) -> Sharing | None:
        """What these splits of it share."""
        return self.shares

    @property
    def n_repeats(self) -> int:
        """How often the whole of it is done anew."""
        return int(getattr(self, "repeats", 1))

    def count(self, sample: Sample) -> int:
        """How many splits there will be at most."""
        return int(getattr(self, "folds", 1)) * self.n_repeats

    def check(self, sample: Sample) -> None:
        """Refuse data that lack what the scheme needs; a plan asks too, before anything is run."""
        if self.needs_given_test and sample.given_test is None:
            raise UsageError(
                f"The scheme {self.scheme!r} needs a test sample that came with the data, and these data have none. "
                "Give test_file or test_rows with the task, or use a scheme that needs none, such as "
                "'hold-out' or 'out-of-bootstrap'."
            )

        if self.needs_groups and sample.groups is None:
            raise UsageError(
                f"The scheme {self.scheme!r} needs groups, and found none: name their column with the task "
                "(group = '…'), or use a scheme that needs none."
            )

    def try_out(self, sample: Sample) -> None:
        """Refuse data that are too few, at the price of one split: what a plan can find out before anything is run."""
        units = self._checked_units(sample)
        if not self.needs_draws:
            next(iter(self._make(sample, units, 0)), None)

    def splits(self, sample: Sample, seed: int) -> Splits:
        """The splits, and what the reader should know of them."""
        units = self._checked_units(sample)
        splits = tuple(self._make(sample, units, seed))
        if not splits:
            raise UsageError(
                f"The scheme {self.scheme!r} leaves nothing to test on: {units.word(units.n)} are too few for it. "
                "Use leave-one-out, or more repeats."
            )
        return Splits(splits, tuple(self._notes(sample, units, splits)))

    def _checked_units(self, sample: Sample) -> Units:
        self.check(sample)
        units = self._units(sample)
        if units.n < 2:
            raise UsageError(f"Resampling needs at least {units.word(2)}; found {units.word(units.n)}.")
        return units

    def _units(self, sample: Sample) -> Units:
        return Units.of(sample, stratify=bool(getattr(self, "stratify", False)))

    @abstractmethod
    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        """The splits, without those that would test on nothing."""

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        if sample.given_test is not None and not self.needs_given_test:
            yield (
                f"The {len(sample.given_test)} rows of the test sample that came with the data are resampled together "
                "with the others; the scheme 'given' keeps them apart."
            )


def split(
    repeat: int, fold: int, train: NDArray[np.integer[Any]], test: NDArray[np.integer[Any]], role: str = TEST
) -> Split:
    """A split whose rows cannot be changed: all learners share them."""
    return Split(repeat, fold, _fixed(train), _fixed(test), role)


def _fixed(rows: NDArray[np.integer[Any]]) -> Rows:
    fixed = np.array(rows, dtype=np.int32)  # a copy: they may be a part of an array of others
    fixed.flags.writeable = False
    return fixed


def small_classes(units: Units, least: int, consequence: str) -> Iterator[str]:
    """A note if classes are too small to be everywhere."""
    small = units.spread[units.spread < least]
    if units.n_classes > 1 and len(small):
        yield (
            f"{len(small)} of {units.n_classes} classes {'is' if len(small) == 1 else 'are'} found in fewer than "
            f"{least} {'groups' if units.grouped else 'rows'}, the smallest in {int(small.min())}: {consequence}."
        )


def uneven_groups(units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
    """A note if whole groups make test samples that differ by more than a tenth."""
    sizes = [len(one.test) for one in splits]
    if units.grouped and max(sizes) - min(sizes) > max(1, min(sizes) / 10):
        yield f"Groups stay together, so that test samples have between {min(sizes)} and {max(sizes)} rows."


def check_int(value: Any, name: str, least: int) -> None:
    """Refuse what is not a whole number of at least so much.

    >>> check_int(1, "folds", 2)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: 'folds' must be a whole number of at least 2; found 1.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise UsageError(f"{name!r} must be a whole number of at least {least}; found {value!r}.")


def check_bool(value: Any, name: str) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise UsageError(f"{name!r} must be true or false; found {value!r}.")
