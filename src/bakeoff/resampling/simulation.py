"""Simulation: learning samples drawn from a generator, one a repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from bakeoff.errors import UsageError
from bakeoff.keys import key_of
from bakeoff.resampling.scheme import SIMULATION, Scheme, Sharing, check_bool, split
from bakeoff.resampling.split import Sample, Split, Splits
from bakeoff.resampling.units import Units


@dataclass(frozen=True)
class Simulation(Scheme):
    """Each repeat learns from a sample of its own, drawn from the generator of the task.

    The simulation problem of Hothorn, Leisch, Zeileis and Hornik (2005), doi:10.1198/106186005X59630. All learners
    learn from the same samples (a matched design), unless `independent`: then each has `repeats` samples of its own,
    and the samples go round among the learners. Whose a sample is, and what is in it, follows from the content of the
    study (`tasks/simulated.py`), so that a learner that is added or moved changes nobody's samples.

    >>> from bakeoff.resampling.split import Draws
    >>> result = Simulation(repeats=2).splits(Sample(7, draws=Draws(count=2, n=2, m=3)), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in result.splits]
    [([0, 1], [2, 3, 4]), ([5, 6], [2, 3, 4])]
    """

    scheme: ClassVar[str] = "simulation"
    about: ClassVar[str] = "learning samples drawn from a generator, tested on samples drawn from it"
    shares: ClassVar[Sharing] = Sharing.NOTHING
    problem: ClassVar[str] = SIMULATION
    needs_draws: ClassVar[bool] = True

    repeats: int = 100
    independent: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bool(self.independent, "independent")

    def samples(self, learners: int) -> int:
        """How many learning samples are to be drawn for so many learners.

        >>> Simulation(repeats=10).samples(3), Simulation(repeats=10, independent=True).samples(3)
        (10, 30)
        """
        return self.repeats * (learners if self.independent else 1)

    def count(self, sample: Sample) -> int:
        return self.repeats if sample.draws is None else sample.draws.count

    def splits(self, sample: Sample, seed: int) -> Splits:
        """The samples as they were drawn: chance had its say there, and the seed has none here."""
        draws = sample.draws
        if draws is None:
            raise UsageError(
                "The scheme 'simulation' needs a task that draws its samples (generator = 'friedman1', or bootstrap = "
                "'parametric' with data). To resample a data set, use 'out-of-bootstrap'."
            )
        if draws.rows != sample.n:
            raise UsageError(f"{draws.rows} rows were to be drawn; found {sample.n}.")
        contents = draws.contents or (b"",) * draws.count
        return Splits(
            tuple(
                replace(split(b + 1, 1, draws.learning(b), draws.test(b)), content=content, placed=not self.independent)
                for b, content in enumerate(contents)
            )
        )

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        yield from self.splits(sample, seed).splits


# ----------------------------------------------------------------------------------------------------------------------
# Whose samples are whose in an independent design.


def owners_of(learners: Iterable[Mapping[str, Any]]) -> list[str]:
    """The keys by which learners own samples: of what is said of each, so that names and order do not matter."""
    return [key_of({name: part for name, part in each.items() if name != "name"}) for each in learners]


def ranked(keys: Sequence[str]) -> list[int]:
    """The place of each key among all of them in order; equal ones in the order in which they stand.

    >>> ranked(["c", "a", "b", "a"])
    [3, 0, 2, 1]
    """
    order = sorted(range(len(keys)), key=lambda number: (keys[number], number))
    return [order.index(number) for number in range(len(keys))]
