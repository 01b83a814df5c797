"""A measure: its name, its direction, its range. Nobody else asks whether bigger is better."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

SAID = "as you said"  # how the origin of a direction begins that came with the table


@dataclass(frozen=True, slots=True)
class Measure:
    """A response that learners are compared on.

    `lower` and `upper` are the limits of its range (±inf if it has none), which is what ceiling and floor
    warnings look at. `origin` says where the direction came from, because a direction is never guessed.

    >>> accuracy = Measure("accuracy", larger_is_better=True, lower=0, upper=1)
    >>> accuracy.advantage(0.9, 0.8) > 0
    True
    >>> accuracy.better, accuracy.worst
    ('larger', 0)
    """

    name: str
    larger_is_better: bool
    lower: float = -inf
    upper: float = inf
    origin: str = "known measure"

    @property
    def said(self) -> bool:
        """Whether the direction is what a reader of the table said, known or not."""
        return self.origin.startswith(SAID)

    @property
    def sign(self) -> int:
        """+1 if larger is better, −1 if smaller is better."""
        return 1 if self.larger_is_better else -1

    @property
    def better(self) -> str:
        return "larger" if self.larger_is_better else "smaller"

    @property
    def best(self) -> float:
        return self.upper if self.larger_is_better else self.lower

    @property
    def worst(self) -> float:
        return self.lower if self.larger_is_better else self.upper

    def advantage(self, first: float, second: float) -> float:
        """By how much `first` is better than `second`; negative if it is worse."""
        return self.sign * (first - second)
