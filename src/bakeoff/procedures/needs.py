"""Needs that several procedures share, and sentences that several cards say."""

from __future__ import annotations

from bakeoff.procedures.card import Need
from bakeoff.scores import Layout, Level
from bakeoff.scores.design import Runs

SAMPLE_OF_PROBLEMS = (
    "The tasks are a sample of the problems that the conclusion is meant for, and independent of each other."
)
NEW_INSTANCES = "The instances are independent draws from the population that the models are meant for."
SAME_FOLDS = "Within a fold both learners saw the same training and test instances."


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
