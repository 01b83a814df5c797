"""Warnings: a short stable code, a sentence, and what to do. Each is a fact about the data or the request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, isnan

import numpy as np

from bakeoff.inference.evidence import Interval
from bakeoff.inference.finding import Finding
from bakeoff.procedures.card import Card
from bakeoff.procedures.needs import is_share
from bakeoff.resampling.scheme import SIMULATION
from bakeoff.scores import Blocks, Layout, Level, Missing, Scores
from bakeoff.text import CodedWarning, counted, listing, number, p_value

# The share of a measure's range within which all learners must lie to call it a ceiling or a floor.
NEAR_THE_END = 0.02
# From so many independent draws on, small differences are found: half a standard deviation nine times in ten.
MANY_DRAWS = 50
# Below so many blocks a posterior is mostly its prior.
FEW_BLOCKS = 5


def about_data(layout: Layout, blocks: Blocks | None) -> Iterator[CodedWarning]:
    """What can be said before any analysis."""
    yield from _single_runs(layout)
    if layout.unequal_folds:
        yield CodedWarning(
            "unequal-folds",
            "The learners were not scored on the same splits."
            + (" Each one's own were averaged." if layout.own_runs > 1 else ""),
            "Run all learners on the same folds"
            + {
                Missing.ERROR: "; --missing drop-block compares them on the splits they share.",
                Missing.DROP_BLOCK: "; here they are compared on the splits that they share.",
                Missing.WORST: ": who was not run on a split has the worst value there, without having failed.",
            }[layout.missing],
        )
    if layout.measure.turned:
        yield CodedWarning(
            "direction-override",
            f"{layout.measure.name}: {layout.measure.better} is taken to be better, {layout.measure.origin}.",
            "Leave the flag out if that was not meant.",
        )
    if blocks is None:
        return
    if blocks.dropped:
        yield CodedWarning(
            "missing-cells",
            f"{counted(len(blocks.dropped), 'blocks')} without a value for every learner {_were(blocks.dropped)} "
            "left out: "
            f"{listing(blocks.dropped, 4)}.{_not_defined(blocks)}",
            "The others tell less; fewer folds, larger or stratified test samples would keep them all."
            if blocks.undefined
            else "A learner that fails on hard cases gains from this; --missing worst is the strict reading.",
        )
    if blocks.filled:
        yield CodedWarning(
            "missing-cells",
            f"{counted(len(blocks.filled), 'missing values')} {_were(blocks.filled)} replaced by the worst value in "
            "the table: "
            f"{listing(blocks.filled, 4)}.{_not_defined(blocks)}",
            "A value that does not exist is no failure; --missing drop-block leaves those blocks out."
            if blocks.undefined
            else "Say so where you publish; intervals of differences depend on it, ranks hardly do.",
        )
    if empty := int(np.isnan(blocks.values).sum()):
        yield CodedWarning(
            "missing-cells",
            f"{empty} of {blocks.values.size} cells have no value; pairs were compared on the blocks that have both.",
            "That is fair only if what is missing has nothing to do with how well the learner would have done; "
            "--missing worst is the strict reading.",
        )
    yield from _ends_of_the_range(blocks)


def _not_defined(blocks: Blocks) -> str:
    return f" {blocks.measure.name} is not defined there: {blocks.undefined}" if blocks.undefined else ""


def _single_runs(layout: Layout) -> Iterator[CodedWarning]:
    # A rate of n instances tells by itself how well it is known; two of them on the same instances do not.
    known = not isnan(layout.n_test) and is_share(layout) and (layout.n_learners == 1 or not layout.matched)
    if layout.level is Level.SINGLE and not known:
        yield CodedWarning(
            "single-run",
            "Each learner has a single value on a single task: nothing shows how much it would vary.",
            "Score the learners on several folds, seeds or tasks, or keep the predictions for each instance."
            + (
                ""
                if isnan(layout.n_test) or not is_share(layout)
                else " If each was tested on instances of its own, say --unpaired."
            ),
        )


def _were(things: Sequence[str]) -> str:
    return "was" if len(things) == 1 else "were"


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


def about_problem(layout: Layout, *, margin: float | None = None, apart: bool = True) -> Iterator[CodedWarning]:
    """What to keep in mind where blocks are draws that one can make as many of as one likes."""
    if layout.problem is None or layout.n_learners < 2:
        return
    if layout.n_blocks >= MANY_DRAWS and margin is None and apart:
        yield CodedWarning(
            "many-draws",
            f"With {layout.n_blocks} draws even a difference that matters to nobody can be significant, and more draws "
            "would make it so.",
            "Fix a margin of relevance (--margin), and look at the size of the difference.",
        )
    if layout.problem.fixed_test:
        yield CodedWarning(
            "fixed-test-sample",
            "All draws were tested on one test sample, which may favour a learner by chance; no number of draws "
            "averages that out.",
            "Test on fresh samples (test = 'fresh') or on a larger one."
            if layout.problem.kind == SIMULATION
            else "Use out-of-bootstrap of all rows (out-of-bootstrap-2n merges a given test sample), if you may.",
        )


def about_finding(finding: Finding, card: Card, layout: Layout) -> Iterator[CodedWarning]:
    """What can be said about an analysis that was made."""
    family = len(finding.pairs)
    if finding.instead_of:
        yield CodedWarning(
            "fallback",
            finding.instead_because,
            f"Say so where you publish, or ask for {finding.procedure} by its name.",
        )
    if (bound := card.least_p(layout)) is not None:
        least = bound / (1 if finding.alternative == "two-sided" else 2)
        stepped = least * max(family, 1) if finding.adjust not in ("none", "bh", "by") else least
        if stepped > finding.alpha:
            cause = f"With {counted(layout.n_blocks, layout.level.value)} p cannot go below {p_value(least)}"
            if least <= finding.alpha:
                cause += f", which is {p_value(min(1.0, stepped))} after adjustment for {family} comparisons"
            yield CodedWarning(
                "alpha-unreachable",
                f"{cause}; α = {number(finding.alpha)} is out of reach whatever the data say.",
                f"Add {layout.level.value}, compare fewer learners, or fix another α before looking at the data.",
            )
    codes = {need.unmet(layout): need.code for need in card.needs}
    for reason in finding.against_advice:
        yield CodedWarning(
            codes.get(reason, "against-advice"),
            f"{finding.title} was used although {reason}.",
            "Say so where you publish, or follow `bakeoff advise`.",
        )
    if finding.posterior and layout.n_blocks < FEW_BLOCKS:
        yield CodedWarning(
            "few-blocks",
            f"There are only {counted(layout.n_blocks, layout.level.value)}: what was assumed beforehand says as much "
            "about these probabilities as the data do.",
            f"Add {layout.level.value}, and claim nothing from probabilities alone.",
        )
    if family > 1 and finding.posterior:
        yield CodedWarning(
            "pointwise",
            f"{family} pairs were looked at, and each probability is about its own: that some claim among many is "
            "wrong is more probable than that a given one is.",
            "Claim single pairs, not all of them at once.",
        )
    elif family > 1 and any(row.interval is Interval.POINTWISE for row in finding.pairs):
        yield CodedWarning(
            "pointwise",
            f"{family} comparisons were made without adjustment: each has its own error rate of "
            f"{number(finding.alpha)}, the chance of some false claim is larger.",
            "Choose an adjustment (--adjust holm).",
        )
    refused = [row.contrast for row in finding.pairs if row.refused]
    if refused:
        yield CodedWarning(
            "degenerate",
            f"{counted(len(refused), 'comparisons')} could not be made: {listing(refused, 4)}.",
            "See the notes of those rows.",
        )


def about_fits(scores: Scores) -> Iterator[CodedWarning]:
    """What is known of the chance in the learners themselves."""
    for one in scores.fits:
        yield CodedWarning(
            "averaged-fits", one.sentence, "More learning samples tell more about the learner than more fits to one."
        )


def about_units(scores: Scores) -> Iterator[CodedWarning]:
    """What the instances of a verdict are, where several rows may come from one unit."""
    if scores.units and len(scores.instance.labels) > 1:
        yield CodedWarning(
            "averaged-units",
            " ".join(units.sentence for units in scores.units),
            "What is called an instance here is a unit; the score of a unit is the mean over its test rows.",
        )
