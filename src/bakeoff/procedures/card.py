"""The card of a procedure: everything that is said about it, said once.

From the card come the listing, `bakeoff explain`, the command's flags, the docs page, the advisor's yes and no,
the refusal with alternatives, and the contract tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bakeoff.scores import Layout, Level


class Scope(StrEnum):
    """What a conclusion speaks about."""

    MODELS = "these fitted models on new instances"
    LEARNERS = "these learners on new training sets of this problem"
    PROBLEMS = "these learners on new problems"


class Compares(StrEnum):
    """How many learners the mathematics takes at a time."""

    ONE = "one"
    PAIR = "pair"
    MANY = "many"


class Answers(StrEnum):
    """What kind of rows come out."""

    EACH = "each learner"
    PAIRS = "pairs of learners"
    GLOBAL = "all learners at once"
    MULTIVARIATE = "pairs of learners on several measures at once"


@dataclass(frozen=True, slots=True)
class Need:
    """A condition on the layout. `unmet` returns why it is not met, or None.

    An essential need cannot be gone without; the others guard against a wrong answer, and the user may insist.
    """

    asks: str
    unmet: Callable[[Layout], str | None]
    essential: bool = True


@dataclass(frozen=True, slots=True)
class Caution:
    """What to beware of. `measured` quotes a simulated error rate where one is off."""

    text: str
    measured: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.measured}".strip()


@dataclass(frozen=True, slots=True)
class Reference:
    """A source, with its DOI where it has one."""

    text: str
    doi: str = ""

    def __str__(self) -> str:
        return f"{self.text} doi:{self.doi}" if self.doi else self.text


@dataclass(frozen=True, slots=True)
class Option:
    """A choice the user may make, beyond those common to all procedures."""

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    kind: type = str


@dataclass(frozen=True, slots=True)
class Published:
    """A published number and how to reproduce it. Values are written as printed: their digits are the tolerance."""

    where: str
    compute: Callable[[], Mapping[str, float]]
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Card:
    """All that is said about a procedure."""

    name: str
    title: str
    question: str
    null: str
    compares: Compares
    answers: Answers
    speaks_about: Scope
    level: Level
    needs: tuple[Need, ...]
    assumes: tuple[str, ...]
    conventions: tuple[str, ...]
    cautions: tuple[Caution, ...]
    references: tuple[Reference, ...]
    published: Published
    because: str
    preference: int
    options: tuple[Option, ...] = ()
    single_step: str = ""
    default_adjust: str = "holm"
    sides: bool = True
    scale: str = ""
    smallest_p: Callable[[Layout], float] | None = None


# --- needs that several procedures share ------------------------------------------------------------------------


def _plural(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def _are(n: int) -> str:
    return f"is {n}" if n == 1 else f"are {n}"


def at_level(level: Level) -> Need:
    """Blocks of that kind, at least one."""

    def unmet(facts: Layout) -> str | None:
        if facts.level is level:
            return None
        return f"it reads {level.value} as blocks, and here the blocks are: {facts.level.value}"

    return Need(f"blocks that are {level.value}", unmet)


def at_least_blocks(n: int) -> Need:
    def unmet(facts: Layout) -> str | None:
        if facts.n_blocks >= n:
            return None
        return f"it needs at least {_plural(n, 'block')}, and there {_are(facts.n_blocks)}"

    return Need(f"at least {_plural(n, 'block')}", unmet)


def at_least_learners(n: int) -> Need:
    def unmet(facts: Layout) -> str | None:
        if facts.n_learners >= n:
            return None
        return f"it needs at least {_plural(n, 'learner')}, and there {_are(facts.n_learners)}"

    return Need(f"at least {_plural(n, 'learner')}", unmet)


def right_or_wrong() -> Need:
    """Each value is 0 or 1: an instance is right or wrong."""

    def unmet(facts: Layout) -> str | None:
        if facts.binary:
            return None
        return f"it counts right and wrong answers, and the values of {facts.measure.name} are not 0 or 1 per instance"

    return Need("a value of 0 or 1 for each instance (right or wrong)", unmet)
