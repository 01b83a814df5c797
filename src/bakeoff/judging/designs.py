"""What a conclusion rests on where the design of the experiment is not known, or is not what a test takes it for."""

from __future__ import annotations

from collections.abc import Container, Iterator

from bakeoff.judging.warnings import CodedWarning
from bakeoff.procedures.card import Card, Scope
from bakeoff.resampling.optimism import INSTEAD, optimism
from bakeoff.scores import Layout
from bakeoff.scores.splitting import Runs

# The options by which a procedure makes up for training sets that overlap.
OVERLAP = ("ratio", "rho")
MEASURED = "measured over 30 random halves: 68.5 % false claims at α = 5 %, docs/calibration.md"
SEEDS_ONLY = "new runs (seeds) of these learners on this very split"
PROVIDED = (
    "new runs of these learners, provided that each run learned from a sample of its own, or that all runs used one "
    "fixed split and differ in their seed only"
)
ALL_BUT_ONE = "these learners, fitted to all rows of this sample but one, on new instances"


def makes_up_for_overlap(card: Card) -> bool:
    return any(option.name in OVERLAP for option in card.options)


def spoken_about(card: Card, facts: Layout) -> str:
    """What the conclusion of a procedure speaks about, given what is known of the design."""
    if card.speaks_about is Scope.MODELS and facts.leave_one_out:
        return ALL_BUT_ONE
    if card.speaks_about is not Scope.LEARNERS or not facts.are_runs:
        return card.speaks_about.value
    if facts.splitting.runs is Runs.FIXED_SPLIT:
        return SEEDS_ONLY
    unknown = facts.splitting.runs is None and not makes_up_for_overlap(card)
    return PROVIDED if unknown else card.speaks_about.value


def because_of(card: Card, facts: Layout) -> str:
    """Why a procedure is recommended; what is not known is not among the reasons."""
    if facts.are_runs and facts.splitting.runs is Runs.FIXED_SPLIT:
        return card.because.replace("independent learning samples", "runs that differ in their seed only")
    unknown = facts.runs_may_overlap and facts.splitting.runs is None and not makes_up_for_overlap(card)
    return f"{card.because}, if that is what these runs are" if unknown else card.because


def about_design(facts: Layout, card: Card | None, supplied: Container[str] = ()) -> Iterator[CodedWarning]:
    """What to know of the design where `card` is to answer. `supplied` are options that the user gave."""
    made_up = card is not None and makes_up_for_overlap(card)
    if facts.runs_may_overlap and not made_up and not any(name in supplied for name in OVERLAP):
        yield _about_runs(facts)
    if facts.splitting.optimistic:
        yield CodedWarning("resubstitution", optimism(facts.splitting.optimistic), INSTEAD)
    if facts.leave_one_out:
        yield CodedWarning(
            "leave-one-out",
            "Each instance was predicted by a fit to all the others. These fits are nearly the same, so that instances "
            "are compared, as if one model had been tested on all of them; how learners vary from one training set to "
            "another does not show.",
            "For a conclusion about learners use cross-validation with repeats, and corrected-t.",
        )


def _about_runs(facts: Layout) -> CodedWarning:
    if facts.splitting.runs is Runs.RANDOM_SPLITS:
        return CodedWarning(
            "overlapping-runs",
            f"The {facts.n_blocks} runs are random splits of one data set: their training sets overlap, and what takes "
            f"them for independent claims too much ({MEASURED}).",
            "Compare learners by corrected-t; an interval of one learner's mean is too narrow.",
        )
    return CodedWarning(
        "unknown-runs",
        f"What the {facts.n_blocks} runs are is not known. Runs on random splits of one data set overlap, and what "
        f"takes them for independent then claims too much ({MEASURED}).",
        "If they are random splits, say --ratio N_TEST/N_TRAIN (in Python ratio=), for corrected-t; if each learned "
        "from a sample of its own, --runs independent; if all used one split and differ in their seed only, --runs "
        "fixed-split (in Python runs=).",
    )
