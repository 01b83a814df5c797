"""The card of a procedure: everything that is said about it, said once.

From the card come the listing, `bakeoff explain`, the command's flags, the docs page, the advisor's yes and no,
the refusal with alternatives, and the contract tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from math import nan
from typing import Any

import numpy as np

from bakeoff.inference.evidence import Decided, Estimates
from bakeoff.scores import Blocks, Layout, Level
from bakeoff.scores.design import Runs
from bakeoff.text import to_json, to_json_value, wrapped


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

    An essential need cannot be gone without; the others guard against a wrong answer, and the user may insist. Where
    an option can supply what is missing, `supplied_by` names it.
    """

    asks: str
    unmet: Callable[[Layout], str | None]
    essential: bool = True
    supplied_by: str = ""


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

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    def __str__(self) -> str:
        choices = f" ({', '.join(self.choices)})" if self.choices else ""
        default = "" if self.default is None else f"; default {self.default}"
        return f"{self.flag}{choices}: {self.help.rstrip('.')}{default}"


@dataclass(frozen=True, slots=True)
class Published:
    """A published number and how to reproduce it. Values are written as printed: their digits are the tolerance."""

    where: str
    compute: Callable[[], Mapping[str, float]]
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fallback:
    """The procedure that answers in place of another where there are more than `most` learners; `why` says why."""

    procedure: str
    most: int
    why: str

    def __str__(self) -> str:
        return (
            f"With more than {self.most} learners {self.procedure} answers in its place, and the finding says so: "
            f"{self.why}."
        )


@dataclass(frozen=True, slots=True)
class Card:
    """All that is said about a procedure.

    `because` completes "recommended because of …"; a lower `preference` is recommended first. `paired` procedures
    compare within blocks, the others take independent samples. `posterior` ones give probabilities instead of a
    p-value. The procedure's own joint law makes the adjustment that `single_step` names, further ones are in
    `further_adjust`. `incomplete` ones take a table with holes. `estimate` says what is estimated where that is not a
    mean or a difference of means; {measure} in it stands for the measure's name. `preference_for_draws` is the place
    among those made for blocks that are independent draws, given a generator or a learning sample (`Layout.problem`);
    None for procedures that are made for something else. `intervals` tells whether its pairs have intervals. Where
    a procedure ends at a number of learners, its `fallback` takes over.
    """

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
    paired: bool = True
    posterior: bool = False
    further_adjust: tuple[str, ...] = ()
    incomplete: bool = False
    estimate: str = ""
    preference_for_draws: int | None = None
    intervals: bool = True
    fallback: Fallback | None = None

    def place(self, facts: Layout) -> tuple[int, int]:
        """Where it stands among the procedures that fit: the smallest is recommended."""
        if facts.problem is None:
            return 0, self.preference
        if self.preference_for_draws is None:
            return 2, self.preference
        for_so_many = (self.compares is Compares.MANY) == (facts.n_learners > 2)
        return (0 if for_so_many else 1), self.preference_for_draws

    def sections(self) -> list[tuple[str, list[str]]]:
        """Everything that comes in lists, under the titles that a page gives them."""
        values = ", ".join(f"{name} = {value}" for name, value in self.published.values.items())
        return [
            ("It needs", [need.asks + ("" if need.essential else " (unless --anyway)") for need in self.needs]),
            ("It assumes", list(self.assumes)),
            ("Beyond its reach", [] if self.fallback is None else [str(self.fallback)]),
            ("Conventions", list(self.conventions)),
            ("Beware", [str(caution) for caution in self.cautions]),
            ("Options", [str(option) for option in self.options]),
            ("Reproduces", [f"{self.published.where}: {values}"]),
            ("References", [str(reference) for reference in self.references]),
        ]

    def facts(self) -> list[str]:
        return [
            f"Null hypothesis: {self.null}.",
            f"Compares {self.compares.value}; blocks are {self.level.value}; answers about {self.answers.value}.",
            f"Its conclusion speaks about {self.speaks_about.value}.",
        ]

    def to_text(self) -> str:
        """The card as a page of text."""
        parts = [f"{self.name}: {self.title}", wrapped(self.question, 96)]
        parts.append("\n".join(wrapped(fact, 96, "  ") for fact in self.facts()))
        parts += [
            f"{title}:\n" + "\n".join(wrapped(f"  - {line}", 96, "    ") for line in lines)
            for title, lines in self.sections()
            if lines
        ]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """The card as JSON knows it."""
        made: dict[str, Any] = to_json_value({name: getattr(self, name) for name in _SAID})
        made["needs"] = [need.asks for need in self.needs]
        made["cautions"] = [str(caution) for caution in self.cautions]
        made["options"] = {option.name: to_json_value(option) for option in self.options}
        made["published"] = {"where": self.published.where, "values": dict(self.published.values)}
        made["fallback"] = to_json_value(self.fallback)
        return made

    def to_json(self) -> str:
        return to_json(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        lists = "".join(
            f"<h4>{escape(title)}</h4><ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"
            for title, lines in self.sections()
            if lines
        )
        facts = "<br>".join(escape(fact) for fact in self.facts())
        return f"<h3>{escape(self.title)}</h3><p>{escape(self.question)}</p><p>{facts}</p>{lists}"


_SAID = (
    "name", "title", "question", "null", "compares", "answers", "speaks_about", "level", "assumes", "conventions",
    "references", "because", "single_step", "scale",
)  # fmt: skip


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


def comparing(level: Level) -> tuple[Need, ...]:
    """What most comparisons need: blocks of that kind, two of them at least, and two learners."""
    return at_level(level), at_least_learners(2), at_least_blocks(2)


def three_or_more() -> Need:
    """Procedures for many learners work for two, but a procedure for pairs then says it better."""

    def unmet(facts: Layout) -> str | None:
        if facts.n_learners != 2:
            return None
        return "it is made for three learners or more, and there are 2: a procedure for pairs is sharper"

    return Need("three learners or more", unmet, essential=False)


def not_repeated() -> Need:
    """Blocks that may be taken as independent are not those of repeated cross-validation, nor random splits."""

    def unmet(facts: Layout) -> str | None:
        # The mean of a single learner has no other procedure; its interval comes with a warning.
        if facts.are_runs and facts.splitting.runs is Runs.RANDOM_SPLITS and facts.n_learners > 1:
            return (
                "it takes blocks as independent, and here they are random splits of one data set, whose training sets "
                "overlap"
            )
        if facts.repeats < 2 or facts.folds < 2:
            return None
        return (
            f"it takes blocks as independent, and here they come from {facts.resampling} "
            f"({facts.repeats} × {facts.folds}), which tests on the same instances once a repeat"
        )

    return Need("blocks that are not repeated cross-validation or random splits", unmet, essential=False)


def sharing_training_data() -> Need:
    """Resamples that share training data, for procedures that make up for it."""

    def unmet(facts: Layout) -> str | None:
        if facts.are_runs and facts.splitting.runs is Runs.INDEPENDENT:
            return "it makes up for training sets that overlap, and each run here learned from a sample of its own"
        if facts.are_runs and facts.splitting.runs is Runs.FIXED_SPLIT:
            return "it makes up for training sets that differ and overlap, and all runs here learned from the same rows"
        if facts.problem is None:
            return None
        return (
            "it makes up for training sets that overlap, and these blocks are independent draws, given what they were "
            "drawn from"
        )

    return Need("resamples that are not independent draws", unmet, essential=False)


def right_or_wrong() -> Need:
    """Each value is 0 or 1: an instance is right or wrong."""

    def unmet(facts: Layout) -> str | None:
        if facts.binary:
            return None
        return f"it counts right and wrong answers, and the values of {facts.measure.name} are not 0 or 1 per instance"

    return Need("a value of 0 or 1 for each instance (right or wrong)", unmet)


# ----------------------------------------------------------------------------------------------------------------------
# What the mathematics of a procedure returns.


@dataclass(frozen=True, slots=True)
class Result:
    """One answer. What a procedure does not give stays NaN; `details` holds what only this procedure has.

    `about` says what a test of all learners at once is about, where that is not whether they are alike.
    """

    estimate: float = nan
    lower: float = nan
    upper: float = nan
    statistic: float = nan
    statistic_name: str = ""
    df: tuple[float, ...] = ()
    p: float = nan
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    worse: float = nan
    same: float = nan
    better: float = nan
    about: str = ""
    p_adjusted: float = nan


@dataclass(frozen=True, slots=True)
class ManyResult:
    """What a procedure for many learners returns: tests of all at once, and estimates that pairs are made from.

    A procedure that adjusts the pairs itself returns them `decided` instead of estimates.
    """

    tests: tuple[Result, ...] = ()
    estimates: Estimates | None = None
    decided: Decided | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def no_facts(_blocks: Blocks, _layout: Layout) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Procedure:
    """A card, and a function on plain arrays.

    `compute` takes one column (`compares` one), two columns (pair) or the whole matrix (many). A procedure on ranks
    sets `ranks`: it is given values of which smaller is better, and its estimates are ranks. `facts` reads further
    keyword arguments off the blocks, such as sizes of training and test sets. One that works `on_predictions` is given
    the truth (0 or 1) before the columns of predictions. `measure` names the measure that a procedure computes itself,
    and `summary` computes it for one column of predictions.
    Unpaired procedures (see the card) are given samples that may differ in length; many of them come as a list. With
    `with_sizes` values are followed by the sizes of their test sets (NaN if unknown), so that rates will do. A `long`
    one is given all values in one column, with the labels of their learners and tasks. One that looks `within_tasks` is
    given for each side a list with the column of folds of each task. `over_pairs` makes tables of the details of all
    pairs.
    """

    card: Card
    compute: Callable[..., Any]
    facts: Callable[[Blocks, Layout], dict[str, Any]] = no_facts
    ranks: bool = False
    on_predictions: bool = False
    measure: str = ""
    summary: Callable[[Any, Any], float] | None = None
    with_sizes: bool = False
    long: bool = False
    within_tasks: bool = False
    over_pairs: Callable[[Mapping[tuple[str, str], Any], Sequence[str]], dict[str, Any]] | None = None

    @property
    def name(self) -> str:
        return self.card.name


def is_constant(values: Any, scale: float) -> bool:
    """Whether values differ by no more than rounding error, relative to `scale` (as R's t.test decides)."""
    return bool(np.ptp(values) <= 100 * np.finfo(float).eps * scale)


# ----------------------------------------------------------------------------------------------------------------------
# Sentences and references that many cards share, each written once.


SAMPLE_OF_PROBLEMS = (
    "The tasks are a sample of the problems that the conclusion is meant for, and independent of each other."
)
NEW_INSTANCES = "The instances are independent draws from the population that the models are meant for."
SAME_FOLDS = "Within a fold both learners saw the same training and test instances."
DIETTERICH = Reference("Dietterich (1998), Neural Computation 10, 1895–1923.", "10.1162/089976698300017197")
HOTHORN = Reference(
    "Hothorn, Leisch, Zeileis and Hornik (2005), The design and analysis of benchmark experiments, J. Comput. Graph. "
    "Statist. 14, 675–699.",
    "10.1198/106186005X59630",
)
