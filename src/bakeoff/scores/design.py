"""The design of an experiment as a text, so that a table of scores can say in a column what its labels do not tell.

    real world: the empirical distribution of this learning sample
    simulation: the generator twonorm and this fixed test sample of 200 rows; independent samples
    runs on samples of their own

First comes the problem that is solved, then what its conclusions are conditional on. Further parts say that each
learner had samples of its own, though they are numbered alike, and how runs were split (see `splitting`). Without a
text, repeats and folds are what they seem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from bakeoff.resampling.scheme import COMPETITION, OPTIMISTIC, REAL_WORLD, SIMULATION

# ----------------------------------------------------------------------------------------------------------------------
# The problem that an experiment solves: from which data generating process its learning samples were drawn.
#
# Hothorn, Leisch, Zeileis and Hornik (2005), section 3.2, doi:10.1198/106186005X59630. Given the process, the scores of
# its samples are independent draws, which ordinary tests may compare; and what they conclude is conditional on it.


LEARNING_SAMPLE = "the empirical distribution of this learning sample"
FIXED_TEST = "this fixed test sample"
BOOTSTRAP_SAMPLES = "bootstrap samples of one task"
SEVERAL_LAWS, SEVERAL_TASKS = "the law that each task was drawn from", "samples of several tasks"


@dataclass(frozen=True, slots=True)
class Problem:
    """`kind` is simulation, competition or real world; `blocks` says what was drawn, in the plural.

    `conditional_on` completes "the conclusion is conditional on …". `fixed_test` tells that all samples were tested on
    one test sample that is not the learning sample's own.
    """

    kind: str
    blocks: str
    conditional_on: str
    fixed_test: bool = False


def problem_given(kind: str, conditional_on: str) -> Problem:
    """The problem of a kind: what its conclusions are conditional on says the rest.

    >>> problem_given(SIMULATION, "the generator twonorm and this fixed test sample of 200 rows").blocks
    'learning samples drawn from the generator twonorm'
    """
    law, _, test = conditional_on.partition(f" and {FIXED_TEST}")
    fixed = law != conditional_on and (not test or test.startswith(" of "))
    if kind != SIMULATION:
        return Problem(kind, BOOTSTRAP_SAMPLES, conditional_on, fixed)
    blocks = SEVERAL_TASKS if law == SEVERAL_LAWS else f"learning samples drawn from {law}"
    return Problem(kind, blocks, conditional_on, fixed)


def joint(problems: Sequence[Problem | None]) -> Problem | None:
    """The problem of several tasks together; None if one of them has none, or another kind of it."""
    first = problems[0] if problems else None
    if first is None or any(one is None or one.kind != first.kind for one in problems):
        return None
    if all(one == first for one in problems):
        return first
    law = SEVERAL_LAWS if first.kind == SIMULATION else LEARNING_SAMPLE
    fixed = any(one is not None and one.fixed_test for one in problems)
    return Problem(first.kind, SEVERAL_TASKS, f"{law} and {FIXED_TEST}" if fixed else law, fixed)


# ----------------------------------------------------------------------------------------------------------------------
# How the runs of a task were split into rows to learn from and rows to test on, where labels and sizes do not tell.
#
# Runs on random splits of one data set learn from rows that they share, so that their scores go up and down together; a
# test that takes them for independent claims far too much. A table that merely numbers its runs does not say what they
# are. A study does, and so can the user.


class Runs(StrEnum):
    """What the repeated runs of one task are."""

    INDEPENDENT = "independent"  # each learned from a sample of its own
    FIXED_SPLIT = "fixed-split"  # all on one split, with other seeds
    RANDOM_SPLITS = "random-splits"  # on splits of one data set, which overlap


_SAID = {
    Runs.INDEPENDENT: "runs on samples of their own",
    Runs.FIXED_SPLIT: "runs on one split",
    Runs.RANDOM_SPLITS: "runs on random splits",
}
_RATIO = re.compile(r"runs on random splits, ratio (\S{1,30})")
_OPTIMISTIC = re.compile(r"tested on rows learned from \((\S{1,30})\)")


@dataclass(frozen=True, slots=True)
class RunDesign:
    """What `runs` are, if it is known; their `ratio` of test to training size, if it was said; and the scheme by which
    scores are `optimistic`, because rows were tested on that had been learned from."""

    runs: Runs | None = None
    ratio: float | None = None
    optimistic: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """In words that `splitting_from` reads.

        >>> RunDesign(Runs.RANDOM_SPLITS, 0.5, "632").parts
        ('runs on random splits, ratio 0.5', 'tested on rows learned from (632)')
        """
        runs = "" if self.runs is None else _SAID[self.runs]
        if self.runs is Runs.RANDOM_SPLITS and self.ratio is not None:
            runs += f", ratio {self.ratio!r}"
        seen = f"tested on rows learned from ({self.optimistic})" if self.optimistic else ""
        return tuple(part for part in (runs, seen) if part)


NOT_KNOWN = RunDesign()


def splitting_from(parts: tuple[str, ...]) -> RunDesign | None:
    """What parts of a text say of the splits; None if one of them says something else.

    >>> splitting_from(("runs on one split",)).runs
    <Runs.FIXED_SPLIT: 'fixed-split'>
    >>> splitting_from(("runs on three splits",))
    """
    runs, ratio, optimistic = None, None, ""
    by_text = {text: kind for kind, text in _SAID.items()}
    for part in parts:
        if part in by_text and runs is None:
            runs = by_text[part]
        elif (found := _RATIO.fullmatch(part)) and runs is None and (ratio := _positive(found[1])) is not None:
            runs = Runs.RANDOM_SPLITS
        elif (found := _OPTIMISTIC.fullmatch(part)) and found[1] in OPTIMISTIC and not optimistic:
            optimistic = found[1]
        else:
            return None
    return RunDesign(runs, ratio, optimistic)


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and value > 0 else None


# ----------------------------------------------------------------------------------------------------------------------


COLUMN = "design"
INDEPENDENT = "independent samples"
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Design:
    """What blocks were drawn from, if they are draws, whether learners share them, and how runs were split: see
    `Scores`."""

    problem: Problem | None = None
    independent: bool = False
    splitting: RunDesign = NOT_KNOWN

    def __str__(self) -> str:
        """
        >>> str(Design(problem_given(REAL_WORLD, "this sample"), independent=True))
        'real world: this sample; independent samples'
        """
        drawn = "" if self.problem is None else f"{self.problem.kind}: {self.problem.conditional_on}"
        own = INDEPENDENT if self.independent else ""
        return "; ".join(part for part in (drawn, own, *self.splitting.parts) if part)


def design_from(text: str) -> Design | None:
    """The design that a text says; None if it says something else, as a column of that name may.

    >>> design_from("simulation: the generator twonorm").problem.blocks
    'learning samples drawn from the generator twonorm'
    >>> design_from("2^(5-1) fractional factorial")
    """
    if not text.isprintable() or len(text) > _LONGEST:
        return None
    drawn, parts = text.split("; "), list[str]()
    while drawn and (drawn[-1] == INDEPENDENT or splitting_from((drawn[-1],)) is not None):
        parts.insert(0, drawn.pop())
    splitting = splitting_from(tuple(part for part in parts if part != INDEPENDENT))
    if splitting is None or parts.count(INDEPENDENT) > 1:
        return None
    problem = None
    if drawn:
        kind, colon, conditional_on = "; ".join(drawn).partition(": ")
        if not colon or kind not in (SIMULATION, COMPETITION, REAL_WORLD) or not conditional_on.strip():
            return None
        problem = problem_given(kind, conditional_on)
    return Design(problem, INDEPENDENT in parts, splitting)
