"""Cross-validation of bootstrap samples, with what was learned from removed from the validation fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bakeoff.errors import UsageError
from bakeoff.resampling.dealing import deal
from bakeoff.resampling.randomness import drawn, generator
from bakeoff.resampling.scheme import REAL_WORLD, Scheme, split, true_or_false, whole
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units


@dataclass(frozen=True)
class BootstrapCrossValidation(Scheme):
    """Each bootstrap sample (a repeat) is divided into folds; a repeat's score is the average over its folds.

    The folds divide the n positions of the bootstrap sample. A row that was drawn several times may stand in several
    folds: it is removed from the fold to validate on if a copy of it is learned from. Copies within the fold stay, and
    count as often as they were drawn. A fold of which nothing remains is skipped and noted.

    RW-CV of Hothorn, Leisch, Zeileis and Hornik (2005), doi:10.1198/106186005X59630. Without the removal their test of
    equal learners rejects in 21 % of cases instead of 5 %.

    >>> made = BootstrapCrossValidation(folds=2, repeats=1).splits(Sample(6), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in made.splits]
    [([1, 1, 2], [3, 5]), ([2, 3, 5], [1, 1])]
    """

    scheme: ClassVar[str] = "bootstrap-cv"
    about: ClassVar[str] = "cross-validation of bootstrap samples, rows that are also learned from not tested on"
    combine: ClassVar[str] = "folds"
    problem: ClassVar[str] = REAL_WORLD

    folds: int = 5
    repeats: int = 100
    stratify: bool = False

    def __post_init__(self) -> None:
        whole(self.folds, "folds", 2)
        whole(self.repeats, "repeats", 1)
        true_or_false(self.stratify, "stratify")

    def count(self, sample: Sample) -> int:
        return self.folds * self.repeats

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        if units.n < self.folds:
            raise UsageError(
                f"{self.folds} folds of a bootstrap sample need at least {units.word(self.folds)}; found "
                f"{units.word(units.n)}. Use fewer folds, or out-of-bootstrap."
            )
        for repeat in range(1, self.repeats + 1):
            rng = generator(seed, repeat)
            chosen = drawn(units.n, units.n, rng)
            fold_of = deal(units, self.folds, rng, chosen)
            for fold in range(self.folds):
                inside = fold_of == fold
                learned = np.bincount(chosen[~inside], minlength=units.n)
                tested = np.bincount(chosen[inside], minlength=units.n) * (learned == 0)
                if tested.any():
                    yield split(repeat, fold + 1, units.rows(learned), units.rows(tested))

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, made)
        skipped = self.count(sample) - len(made)
        if skipped:
            yield (
                f"Of {self.count(sample)} folds {skipped} had nothing left to validate on, once the rows that were "
                "also learned from had been removed, and had to be skipped."
            )
