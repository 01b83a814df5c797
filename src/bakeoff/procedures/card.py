"""The card of a procedure: everything that is said about it, said once.

From the card come the listing, `bakeoff explain`, the command's flags, the docs page, the advisor's yes and no, the
refusal with alternatives, how the procedure is planned, calibrated and drawn, and the contract tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from html import escape
from math import comb, exp, factorial, lgamma
from typing import Any

from bakeoff.procedures.references import Reference, cite
from bakeoff.records import Answer
from bakeoff.scores import Layout, Level
from bakeoff.text import to_json_value, wrapped


class Scope(StrEnum):
    """What a conclusion speaks about."""

    MODELS = "these fitted models on new instances"
    RUNS = "new runs of these learners on new instances"
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


class Shape(StrEnum):
    """What the table looks like that a procedure reads."""

    PLAIN = "one number for each learner in each block"
    SCORES = "the truth and a score for each learner on each instance"
    HOLES = "one number for each learner in each block, some of them missing"
    RUNS = "several runs of each learner on each task"
    FOLDS = "the folds of each task"
    MEASURES = "several measures"
    SQUARES = "squared errors"
    CROSSED = "the answers of each learner to each instance in each of several runs"
    CLUSTERS = "one number for each learner on each instance, and the cluster of each instance"


@dataclass(frozen=True, slots=True)
class Need:
    """A condition on the layout. `unmet` returns why it is not met, or None.

    An essential need cannot be gone without; the others guard against a wrong answer, and the user may insist: `code`
    is that of the warning which then goes with the verdict. Where an option can supply what is missing, `supplied_by`
    names it.
    """

    asks: str
    unmet: Callable[[Layout], str | None]
    essential: bool = True
    supplied_by: str = ""
    code: str = "against-advice"


@dataclass(frozen=True, slots=True)
class Option:
    """A choice the user may make, beyond those common to all procedures: what it means in a few words, and a remark on
    how it is given, which whoever reads a result need not know."""

    name: str
    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    kind: type = str
    remark: str = ""

    @property
    def help(self) -> str:
        return "; ".join(part for part in (self.meaning, self.remark) if part)

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    def __str__(self) -> str:
        choices = f" ({', '.join(self.choices)})" if self.choices else ""
        default = "" if self.default is None else f"; default {self.default}"
        return f"{self.flag}{choices}: {self.help.rstrip('.')}{default}"


@dataclass(frozen=True, slots=True)
class Published:
    """Published numbers and how to reproduce them: "t = 2.26; p = 0.05", as printed: their digits are the tolerance.

    `compute` returns the numbers in the same order, or under the same names; an `Example` stands for the procedure's
    own answer.
    """

    where: str
    printed: str
    compute: Any

    @property
    def values(self) -> dict[str, str]:
        """The numbers as printed, by name.

        >>> Published("R", "t, h = 1 = 0.33; p = 0.74", list).values
        {'t, h = 1': '0.33', 'p': '0.74'}
        """
        entries = (entry.rpartition(" = ") for entry in self.printed.split("; "))
        return {name: value for name, _, value in entries}

    def reproduced(self) -> dict[str, float]:
        numbers = self.compute()
        if isinstance(numbers, Mapping):
            return dict(numbers)
        return dict(zip(self.values, numbers, strict=True))


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


class NullDesign(StrEnum):
    """Experiments in which no learner is better than another: `bakeoff.calibration.null_designs` makes them."""

    ONE_RATE = "200 answers, rate .3"
    ONE_MEAN = "10 runs, mean .3"
    ONE_MEAN_OF_FOLDS = "10 folds, correlation .1, mean .3"
    ONE_MEDIAN = "15 tasks, median .3"
    ANSWERS = "200 right or wrong answers"
    LOSSES = "200 losses"
    CLASS_SCORES = "200 scores, two classes"
    TWO_ANSWERS = "two test sets of 200"
    TWO_LOSSES = "two test sets of 200 losses"
    DRAWS = "10 independent draws of the data"
    FOLDS = "10-fold cross-validation"
    REPEATED_FOLDS = "10×10-fold cross-validation"
    HALVES = "5×2-fold cross-validation"
    RANDOM_HALVES = "30 random halves"
    FIXED_TEST = "50 draws, one fixed test set"
    OWN_RUNS = "independent runs"
    MEASURES = "20 runs, two measures"
    TASKS = "15 tasks"
    OWN_TASKS = "independent tasks"
    TASKS_WITH_HOLES = "15 tasks, a fifth of the scores missing"
    RUNS_ON_TASKS = "10 runs on each of 5 tasks"
    CROSSED = "40 instances × 6 runs"
    CLUSTERS = "losses in 20 clusters of unequal size"
    FEW_CLUSTERS = "losses in 5 clusters of unequal size"
    MANY_CLUSTERS = "losses in 100 clusters"
    STRATA = "answers in 8 strata"
    SERIES = "200 successive losses, autocorrelation .5"
    ONE_CLUSTERED = "20 clusters, mean .3"
    ONE_STRATIFIED = "8 strata, mean .3"
    ONE_SERIES = "200 successive values, mean .3"
    CLONES = "200 answers, near-clones and two unlike models"
    UNLIKE_LOSSES = "200 losses in [0, 1], of unlike shape"
    UNEQUAL_RUNS = "10 shared runs, unequal variances"
    UNEQUAL_OWN_RUNS = "5 runs of each, unequal variances"
    UNEQUAL_TASKS = "15 tasks, two learners vary more"
    POOL = "20 tasks, two learners alike, the others better"


# What procedures pool that are offered by name only (`Card.pooled`): completes "Friedman's test …".
ONE_VARIANCE = "assumes one variance for all pairs of learners"
MEAN_RANKS = "speaks about mean ranks within this pool of learners"
ONE_LAW = "assumes that all learners vary alike"
# What one learner has on average in a null design: what is tested against there.
NULL_VALUE = 0.3
# Relabellings inside each of a thousand replications: fewer than for a single analysis; a multiple of 1/α less one.
FEWER = (("resamples", 1999),)


@dataclass(frozen=True, slots=True)
class Trial:
    """A null design on which a procedure is calibrated. `holds` tells whether it claims its level there. Learners and
    options that it does not give are those that procedures of its kind are tried with."""

    design: NullDesign
    learners: int = 0
    options: tuple[tuple[str, Any], ...] = ()
    holds: bool = True


class PowerFormula(StrEnum):
    """The closed formula of a power, of which `bakeoff.power_analysis.methods` knows the mathematics."""

    PAIRED_T = "t of differences"
    ONE_T = "t of one mean"
    CLUSTERS = "t of cluster means"
    WELCH = "t of two means"
    Z = "z of one mean"
    PROPORTIONS = "z of two rates"
    ONE_RATE = "binomial law of one rate"
    ONE_RATE_NORMAL = "normal approximation of one rate"
    DISCORDANT = "binomial law of discordant instances"
    SIGNS = "binomial law of wins"
    ONE_WAY = "F of one factor"
    TWO_WAY = "F of two factors"
    FOLDS = "t of correlated folds, corrected"
    NAIVE_FOLDS = "t of correlated folds, not corrected"
    VARIANCES = "F of two variances"
    HOTELLING = "T² of several measures"


def flips(n: int, _learners: int) -> float:
    """Two learners may be swapped in each of n blocks: the most extreme outcomes are 2 of 2ⁿ."""
    return min(1.0, 2.0 ** (1 - n))


def half_flips(n: int, _learners: int) -> float:
    """The same, with half of the probability of the outcome seen (mid-p)."""
    return min(1.0, 2.0**-n)


def orders(n: int, learners: int) -> float:
    """All blocks order the learners alike: k! of the (k!)ⁿ relabellings."""
    return exp((1 - n) * lgamma(learners + 1))


def two_samples(n: int, _learners: int) -> float:
    return min(1.0, 2 / comb(2 * n, n))


def several_samples(n: int, learners: int) -> float:
    """One of the (kn)!/(n!)ᵏ ways to deal values, or one of its k! renamings."""
    ways = lgamma(learners * n + 1) - learners * lgamma(n + 1)
    return min(1.0, factorial(learners) * exp(-ways))


@dataclass(frozen=True, slots=True)
class SmallestP:
    """The smallest p of a test that counts relabellings: `law` of (blocks, learners), two-sided where it has sides.

    `counted` are the blocks in words, `when` tells which data have it. Where a p of a pair goes as low as any other
    (`for_pairs` is false), the law is that of the exact test of all learners. Where pairs are tested `jointly`, the
    adjusted p goes as low as that of one pair.
    """

    law: Callable[[int, int], float]
    counted: str
    when: str
    for_pairs: bool = True
    jointly: bool = False


@dataclass(frozen=True)
class Card(Answer):
    """All that is said about a procedure; what can be derived from the rest is a property."""

    # What it is.
    name: str
    title: str
    question: str
    null: str
    compares: Compares  # how many learners at a time
    answers: Answers  # what kind of rows come out
    speaks_about: Scope
    level: Level  # what a block is
    needs: tuple[Need, ...]
    assumes: tuple[str, ...]
    conventions: tuple[str, ...]
    cautions: tuple[str, ...]  # each with a simulated error rate where one is off
    sources: tuple[str | Reference, ...]
    published: Published
    recommended_for: str  # completes "recommended for …"
    rank: int  # a lower one is recommended first
    recommended_over_seeds: str = ""  # the same where runs differ in their seed only
    plain_title: str = ""  # the title without what it has in brackets
    title_bracket: str = ""  # and that: whose it is, or which kind
    instead_of_null: str = ""  # what it tells, where it tests no hypothesis
    options: tuple[Option, ...] = ()
    paired: bool = True  # whether learners share blocks
    posterior: bool = False  # whether it gives probabilities instead of p
    clustered: bool = False  # whether it is given the clusters of instances, after their values
    strata: bool = False  # whether those clusters are a fixed list
    ordered: bool = False  # whether instances are successive in time
    crossed: bool = False  # whether it is given every answer, and after them its instance, run and cluster
    ranks: bool = False  # whether it compares ranks
    order_only: bool = False  # whether nothing but the order of learners within a block counts
    binary: bool = False  # whether it reads right and wrong answers
    incomplete: bool = False  # whether it takes tables with holes
    on_predictions: bool = False  # what it is given, as the next three: see `Procedure`
    within_tasks: bool = False
    takes_long_table: bool = False
    with_sizes: bool = False
    measure: str = ""  # the one that it is made for, if not any
    computed_measure: str = ""  # the one that it computes itself
    fixed_folds: tuple[int, int] | None = None  # the (repeats, folds) that it is made for
    repeated_folds: bool = False  # whether it is made for repeats of folds
    # Other names, each with what it asks of a request: a contrast, an adjustment.
    also_called: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    synonyms: tuple[str, ...] = ()  # names that people use for it, and for others too: what it is found by

    # What it answers.
    scale: str = ""  # what is compared, where that is no mean
    estimate: str = ""  # what is estimated, where that is no (difference of) means; {measure} stands for its name
    single_step: str = ""  # the adjustment by its own joint law
    default_adjust: str = "holm"
    further_adjust: tuple[str, ...] = ()
    any_family: bool = False  # whether that law takes any contrasts and sides, not all pairs only
    against: str = ""  # the option that holds the value tested against, for one learner
    sides: bool = True  # whether a side can be asked for
    intervals: bool = True  # whether its pairs have intervals
    smallest_p: SmallestP | None = None  # what it cannot reach
    fallback: Fallback | None = None  # what answers beyond its reach
    # What all pairs are taken to have in common, where that is no fact: it answers whoever asks for it by name, with a
    # warning, and is never recommended.
    pooled: str = ""
    normal_below: int = 0  # with fewer blocks than that, its answer leans on normal differences

    # When it is used before others: where it comes first of all, such as samples too small for the usual one; and its
    # rank among those made for blocks that are independent draws, given a generator or a learning sample
    # (`Layout.problem`). None: made for something else.
    first_for: Callable[[Layout], bool] | None = None
    rank_for_draws: int | None = None

    # How it is planned and tried.
    power: PowerFormula | None = None
    no_power: str = ""  # why its power is not computed
    planned_as: str = ""  # its short name there
    difference_scale: str = ""  # how a difference is said that needs no sd to tell whether it is large
    fewer: tuple[tuple[str, Any], ...] = ()  # options that make it faster, for simulations
    trials: tuple[Trial, ...] = ()  # the null designs on which it is calibrated, the one that it is meant for first

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        return tuple(source if isinstance(source, Reference) else cite(source) for source in self.sources)

    @property
    def shape(self) -> Shape:
        """What the table looks like that it reads."""
        shapes = {
            Shape.SCORES: self.on_predictions,
            Shape.MEASURES: self.answers is Answers.MULTIVARIATE,
            Shape.RUNS: self.takes_long_table,
            Shape.FOLDS: self.within_tasks,
            Shape.HOLES: self.incomplete,
            Shape.CROSSED: self.crossed,
            Shape.CLUSTERS: self.clustered,
            Shape.SQUARES: self.measure == "squared_error",
        }
        return next((shape for shape, reads in shapes.items() if reads), Shape.PLAIN)

    @property
    def exceeds_level(self) -> bool:
        """Whether it claims too much even on the design that it is meant for."""
        return not self.posterior and bool(self.trials) and not self.trials[0].holds

    def rank_for(self, layout: Layout) -> tuple[int, int]:
        """Where it stands among the procedures that fit: the smallest is recommended."""
        if self.first_for is not None and self.first_for(layout):
            return -1, self.rank
        if layout.problem is None:
            return 0, self.rank
        if self.rank_for_draws is None:
            return 2, self.rank
        for_so_many = (self.compares is Compares.MANY) == (layout.n_learners > 2)
        return (0 if for_so_many else 1), self.rank_for_draws

    def least_p(self, layout: Layout) -> float | None:
        """The smallest p that a pair can have on these blocks; None if there is no end to it."""
        if self.smallest_p is None or not self.smallest_p.for_pairs:
            return None
        return self.smallest_p.law(self.counted(layout), layout.n_learners)

    def counted(self, layout: Layout) -> int:
        """How many blocks, or clusters of them, its p depends on."""
        return layout.clusters.n if self.clustered and layout.clusters is not None else layout.n_blocks

    def sections(self) -> list[tuple[str, list[str]]]:
        """Everything that comes in lists, under the titles that a page gives them."""
        return [
            ("It needs", [need.asks + ("" if need.essential else " (unless --anyway)") for need in self.needs]),
            ("It assumes", list(self.assumes)),
            ("Beyond its reach", [] if self.fallback is None else [str(self.fallback)]),
            ("Conventions", list(self.conventions)),
            ("Beware", list(self.cautions)),
            ("Options", [str(option) for option in self.options]),
            ("Reproduces", [f"{self.published.where}: {self.published.printed}"]),
            ("References", [str(reference) for reference in self.references]),
        ]

    def summary(self) -> list[str]:
        return [
            f"Null hypothesis: {self.null}.",
            f"Compares {self.compares.value}; blocks are {self.level.value}; answers about {self.answers.value}.",
            f"Its conclusion speaks about {self.speaks_about.value}.",
        ]

    def to_text(self) -> str:
        """The card as a page of text."""
        parts = [f"{self.name}: {self.title}", wrapped(self.question, 96)]
        parts.append("\n".join(wrapped(line, 96, "  ") for line in self.summary()))
        parts += [
            f"{title}:\n" + "\n".join(wrapped(f"  - {line}", 96, "    ") for line in lines)
            for title, lines in self.sections()
            if lines
        ]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """The card as JSON knows it."""
        document: dict[str, Any] = to_json_value({name: getattr(self, name) for name in _IN_JSON})
        document["because"] = self.recommended_for
        document["needs"] = [need.asks for need in self.needs]
        document["cautions"] = list(self.cautions)
        document["options"] = {option.name: to_json_value(option) | {"help": option.help} for option in self.options}
        document["published"] = {"where": self.published.where, "values": dict(self.published.values)}
        document["fallback"] = to_json_value(self.fallback)
        return document

    def _repr_html_(self) -> str:
        lists = "".join(
            f"<h4>{escape(title)}</h4><ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"
            for title, lines in self.sections()
            if lines
        )
        summary = "<br>".join(escape(line) for line in self.summary())
        return f"<h3>{escape(self.title)}</h3><p>{escape(self.question)}</p><p>{summary}</p>{lists}"


_IN_JSON = (
    "name", "title", "question", "null", "compares", "answers", "speaks_about", "level", "assumes", "conventions",
    "references", "single_step", "scale",
)  # fmt: skip
