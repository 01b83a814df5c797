"""Warnings: a short stable code, a sentence, and what to do. Each is a fact about the data or the request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, isnan

import numpy as np

from bakeoff.evidence import Interval
from bakeoff.finding import Finding
from bakeoff.presentation import listing, number, p_value
from bakeoff.procedures.card import Card
from bakeoff.scores import Blocks, Layout, Level
from bakeoff.scores.problem import SIMULATION

# The share of a measure's range within which all learners must lie to call it a ceiling or a floor.
NEAR_THE_END = 0.02
# From so many independent draws on, small differences are found: half a standard deviation nine times in ten.
MANY_DRAWS = 50


@dataclass(frozen=True, slots=True)
class CodedWarning:
    """`code` is stable and can be searched for; `text` says what is the case; `action` says what to do."""

    code: str
    text: str
    action: str

    def __str__(self) -> str:
        return f"[{self.code}] {self.text} {self.action}"


def about_data(facts: Layout, blocks: Blocks | None) -> Iterator[CodedWarning]:
    """What can be said before any analysis."""
    if facts.level is Level.SINGLE and (facts.matched or isnan(facts.n_test)):
        yield CodedWarning(
            "single-run",
            "Each learner has a single value on a single task: nothing shows how much it would vary.",
            "Score the learners on several folds, seeds or tasks, or keep the predictions for each instance."
            + ("" if isnan(facts.n_test) else " If each was tested on instances of its own, say --unpaired."),
        )
    if facts.unequal_folds:
        yield CodedWarning(
            "unequal-folds",
            "The learners were not scored on the same splits.",
            "Run all learners on the same folds; --missing drop-block compares them on the splits they share.",
        )
    if "usually" in facts.measure.origin:
        yield CodedWarning(
            "direction-override",
            f"{facts.measure.name}: {facts.measure.better} is taken to be better, {facts.measure.origin}.",
            "Leave the flag out if that was not meant.",
        )
    if blocks is None:
        return
    if blocks.dropped:
        yield CodedWarning(
            "missing-cells",
            f"{len(blocks.dropped)} block(s) without a value for every learner were left out: "
            f"{listing(blocks.dropped, 4)}.",
            "A learner that fails on hard cases gains from this; --missing worst is the strict reading.",
        )
    if blocks.filled:
        yield CodedWarning(
            "missing-cells",
            f"{len(blocks.filled)} missing value(s) were replaced by the worst value in the table: "
            f"{listing(blocks.filled, 4)}.",
            "Say so where you publish; intervals of differences depend on it, ranks hardly do.",
        )
    yield from _ends_of_the_range(blocks)


def _ends_of_the_range(blocks: Blocks) -> Iterator[CodedWarning]:
    measure = blocks.measure
    span = measure.upper - measure.lower
    if not isfinite(span) or blocks.n_learners < 2:
        return
    if np.all(np.abs(blocks.means - measure.best) <= NEAR_THE_END * span):
        yield CodedWarning(
            "ceiling",
            f"All learners have a mean {measure.name} within {NEAR_THE_END:.0%} of the best possible "
            f"({number(measure.best)}): there is hardly room for a difference to show.",
            "Use harder tasks before concluding that the learners are alike.",
        )
    if np.all(np.abs(blocks.means - measure.worst) <= NEAR_THE_END * span):
        yield CodedWarning(
            "floor",
            f"All learners have a mean {measure.name} within {NEAR_THE_END:.0%} of the worst possible "
            f"({number(measure.worst)}): none of them has learned much here.",
            "Use easier tasks before concluding that the learners are alike.",
        )


def about_problem(facts: Layout, *, margin: float | None = None, apart: bool = True) -> Iterator[CodedWarning]:
    """What to keep in mind where blocks are draws that one can make as many of as one likes."""
    if facts.problem is None or facts.n_learners < 2:
        return
    if facts.n_blocks >= MANY_DRAWS and margin is None and apart:
        yield CodedWarning(
            "many-draws",
            f"With {facts.n_blocks} draws even a difference that matters to nobody can be significant, and more draws "
            "would make it so.",
            "Fix a margin of relevance (--margin), and look at the size of the difference.",
        )
    if facts.problem.fixed_test:
        yield CodedWarning(
            "fixed-test-sample",
            "All draws were tested on one test sample, which may favour a learner by chance; no number of draws "
            "averages that out.",
            "Test on fresh samples (test = 'fresh') or on a larger one."
            if facts.problem.kind == SIMULATION
            else "Use out-of-bootstrap of all rows (out-of-bootstrap-2n merges a given test sample), if you may.",
        )


def about_finding(found: Finding, card: Card, facts: Layout) -> Iterator[CodedWarning]:
    """What can be said about an analysis that was made."""
    family = len(found.pairs)
    if card.smallest_p is not None:
        least = card.smallest_p(facts) / (1 if found.alternative == "two-sided" else 2)
        stepped = least * max(family, 1) if found.adjust not in ("none", "bh", "by") else least
        if stepped > found.alpha:
            cause = f"With {facts.n_blocks} {facts.level.value} p cannot go below {p_value(least)}"
            if least <= found.alpha:
                cause += f", which is {p_value(min(1.0, stepped))} after adjustment for {family} comparisons"
            yield CodedWarning(
                "alpha-unreachable",
                f"{cause}; α = {number(found.alpha)} is out of reach whatever the data say.",
                f"Add {facts.level.value}, compare fewer learners, or fix another α before looking at the data.",
            )
    for reason in found.against_advice:
        repeated = found.procedure == "kfold-t" and facts.repeats > 1
        yield CodedWarning(
            "naive-repeated-cv" if repeated else "against-advice",
            f"{found.title} was used although {reason}.",
            "Say so where you publish, or follow `bakeoff advise`.",
        )
    if family > 1 and found.posterior:
        yield CodedWarning(
            "pointwise",
            f"{family} pairs were looked at, and each probability is about its own: that some claim among many is "
            "wrong is more probable than that a given one is.",
            "Claim single pairs, not all of them at once.",
        )
    elif family > 1 and any(row.interval is Interval.POINTWISE for row in found.pairs):
        yield CodedWarning(
            "pointwise",
            f"{family} comparisons were made without adjustment: each has its own error rate of "
            f"{number(found.alpha)}, the chance of some false claim is larger.",
            "Choose an adjustment (--adjust holm).",
        )
    refused = [row.contrast for row in found.pairs if row.note.startswith("refused")]
    if refused:
        yield CodedWarning(
            "degenerate",
            f"{len(refused)} comparison(s) could not be made: {listing(refused, 4)}.",
            "See the notes of those rows.",
        )
