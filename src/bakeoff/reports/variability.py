"""What varies in an experiment, and what of it the conclusion covers.

A conclusion holds for what was drawn again from block to block, and for nothing else: whoever varied the seed only has
shown something about seeds.
"""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.inference.finding import Finding
from bakeoff.judging.advice import PROVIDED, SEEDS_ONLY
from bakeoff.procedures.card import Scope
from bakeoff.scores import Level

YES, PARTLY, NO, UNKNOWN = "covered", "in part", "not covered", "not known"


@dataclass(frozen=True, slots=True)
class VariabilitySource:
    """Something that would come out otherwise in another experiment; whether the conclusion covers it, and why."""

    name: str
    covered: str
    why: str


_INSTANCES, _TRAINING, _SEEDS = "test instances", "training samples", "seeds of the learner"
_TUNING, _PROBLEMS, _MACHINE = "tuning of the learner", "problems (data sets)", "hardware and software"


def variability(finding: Finding, tuned: bool | None = None) -> tuple[VariabilitySource, ...]:
    """The sources of variability, and which of them a finding covers. `tuned` tells whether learners were tuned inside
    each training sample; None if that is not known."""
    covered = {_INSTANCES: _NOT_DRAWN, _TRAINING: _NOT_DRAWN, _SEEDS: _NOT_DRAWN, _PROBLEMS: _NOT_DRAWN}
    covered |= _by_level(finding)
    anew = covered[_TRAINING][0] in (YES, PARTLY)
    if tuned is None:
        covered[_TUNING] = UNKNOWN, "whether learners were tuned inside each training sample is not told by scores"
    elif tuned:
        covered[_TUNING] = (
            (YES if anew else NO),
            "learners were tuned inside each training sample" + ("" if anew else ", of which there was one"),
        )
    else:
        covered[_TUNING] = NO, "settings were fixed beforehand"
    covered[_MACHINE] = NO, "all runs are taken to have the same"
    return tuple(VariabilitySource(name, *covered[name]) for name in _ORDER)


_ORDER = (_INSTANCES, _TRAINING, _SEEDS, _TUNING, _PROBLEMS, _MACHINE)
_NOT_DRAWN = (NO, "it is the same in all blocks, or does not show")


def _by_level(finding: Finding) -> dict[str, tuple[str, str]]:
    if finding.level is Level.TASKS:
        within = (
            f"within a task they are averaged ({finding.averaged})" if finding.averaged else "each task has one score"
        )
        part = (PARTLY, f"{within}, so that they show in the differences between tasks only")
        drawn = (YES, f"{finding.n_blocks} tasks, taken for a sample of such problems")
        return {_PROBLEMS: drawn, _INSTANCES: part, _TRAINING: part, _SEEDS: part}
    if finding.level is Level.INSTANCES:
        return _of_instances(finding)
    if finding.level is Level.SINGLE:
        own = (YES, "those that each rate was counted on")
        return {_INSTANCES: own} if finding.speaks_about == Scope.MODELS.value else {}
    return _of_resamples(finding)


def _of_instances(finding: Finding) -> dict[str, tuple[str, str]]:
    sample = f"{finding.n_blocks} instances" + (f" {finding.grouped}" if finding.grouped else "")
    sources = {_INSTANCES: (YES, sample)}
    one_fit = (NO, "the models are taken as they were fitted")
    sources |= {_TRAINING: one_fit, _SEEDS: one_fit}
    if finding.speaks_about == Scope.RUNS.value:
        sources[_SEEDS] = YES, "each learner was run several times on the same instances"
    elif finding.averaged:
        sources[_SEEDS] = PARTLY, f"instances are {finding.averaged}: their variation is averaged"
    return sources


def _of_resamples(finding: Finding) -> dict[str, tuple[str, str]]:
    n = finding.n_blocks
    if finding.speaks_about == SEEDS_ONLY:
        return {_SEEDS: (YES, f"{n} runs on one split")}
    if finding.speaks_about == PROVIDED or finding.conditions:
        unknown = (UNKNOWN, f"what the {n} runs or folds have in common is not known")
        return {_TRAINING: unknown, _INSTANCES: unknown, _SEEDS: (YES, f"{n} runs")}
    if finding.conditional_on:
        drawn = (YES, f"{n} draws from {finding.conditional_on}")
        test = (NO, "one test sample for all draws") if finding.fixed_test else drawn
        return {_TRAINING: drawn, _INSTANCES: test, _SEEDS: (YES, "each draw is fitted anew")}
    again = (YES, f"{n} splits of one data set; how far they overlap is what the procedure makes up for, or warns of")
    return {_TRAINING: again, _INSTANCES: again, _SEEDS: (YES, "each split is fitted anew, with whatever seed it had")}
