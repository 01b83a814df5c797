"""K disjoint parts, each halved: the only splits of one sample that share no row at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from bakeoff.errors import UsageError
from bakeoff.resampling.dealing import deal
from bakeoff.resampling.randomness import generator
from bakeoff.resampling.scheme import Scheme, small_classes, split, true_or_false, uneven_groups, whole
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units


@dataclass(frozen=True)
class DisjointHalves(Scheme):
    """The sample is divided into `parts`; one half of each is learned from, the other tested on.

    For large samples: the scores of the parts are independent, but each is learned from n/(2·parts) rows only. A part
    is a repeat of its own. Alpaydın, Introduction to Machine Learning, section 19.6.

    >>> made = DisjointHalves(parts=2).splits(Sample(8), seed=1)
    >>> [(s.repeat, s.train.tolist(), s.test.tolist()) for s in made.splits]
    [(1, [5, 7], [2, 6]), (2, [1, 3], [0, 4])]
    """

    scheme: ClassVar[str] = "disjoint-halves"
    about: ClassVar[str] = "K disjoint parts of the sample, one half of each learned from and the other tested on"

    parts: int = 10
    stratify: bool = True

    def __post_init__(self) -> None:
        whole(self.parts, "parts", 1)
        true_or_false(self.stratify, "stratify")

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
        half_of = deal(units, halves, generator(seed, 1))
        for part in range(self.parts):
            yield split(part + 1, 1, units.rows(half_of == 2 * part), units.rows(half_of == 2 * part + 1))

    def _notes(self, sample: Sample, units: Units, made: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, made)
        yield from uneven_groups(units, made)
        yield from small_classes(units, 2 * self.parts, "some halves go without")
