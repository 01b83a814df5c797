"""Needs that several procedures share, and sentences that several cards say."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

from bakeoff.measures.measure import canonical_name
from bakeoff.procedures.card import Need
from bakeoff.scores import Layout, Level
from bakeoff.scores.design import Runs
from bakeoff.scores.layout import FIVE_BY_TWO, GAPS, KFOLD, REPEATED_KFOLD

SAMPLE_OF_PROBLEMS = (
    "The tasks are a sample of the problems that the conclusion is meant for, and independent of each other."
)
NEW_INSTANCES = "The instances are independent draws from the population that the models are meant for."
FITTED_MODELS = "It speaks about these fitted models; for learners, resample and use corrected-t."
SAME_FOLDS = "Within a fold both learners saw the same training and test instances."


def _plural(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def _are(n: int) -> str:
    return f"is {n}" if n == 1 else f"are {n}"


def _need(asks: str, holds: Callable[[Layout], bool], reason: Callable[[Layout], str] | str, **further: Any) -> Need:
    """A need from a condition, and why it is not met; what else a `Need` has is passed on."""

    def unmet(layout: Layout) -> str | None:
        if holds(layout):
            return None
        return reason if isinstance(reason, str) else reason(layout)

    return Need(asks, unmet, **further)


def at_level(level: Level) -> Need:
    """Blocks of that kind, at least one."""
    return _need(
        f"blocks that are {level.value}",
        lambda layout: layout.level is level,
        lambda layout: f"it reads {level.value} as blocks, and here the blocks are: {layout.level.value}",
    )


def at_least_blocks(n: int) -> Need:
    asks = f"at least {_plural(n, 'block')}"
    return _need(
        asks, lambda layout: layout.n_blocks >= n, lambda layout: f"it needs {asks}, and there {_are(layout.n_blocks)}"
    )


def at_least_learners(n: int) -> Need:
    asks = f"at least {_plural(n, 'learner')}"
    return _need(
        asks,
        lambda layout: layout.n_learners >= n,
        lambda layout: f"it needs {asks}, and there {_are(layout.n_learners)}",
    )


def three_or_more() -> Need:
    """Procedures for many learners work for two, but a procedure for pairs then says it better."""
    return _need(
        "three learners or more",
        lambda layout: layout.n_learners != 2,
        "it is made for three learners or more, and there are 2: a procedure for pairs is sharper",
        essential=False,
    )


def not_repeated() -> Need:
    """Blocks that may be taken as independent are not those of repeated cross-validation, nor random splits."""

    def unmet(layout: Layout) -> str | None:
        # The mean of a single learner has no other procedure; its interval comes with a warning.
        if layout.are_runs and layout.splitting.runs is Runs.RANDOM_SPLITS and layout.n_learners > 1:
            return (
                "it takes blocks as independent, and here they are random splits of one data set, whose training sets "
                "overlap"
            )
        if layout.resampling == GAPS and layout.n_learners > 1:
            return f"it takes blocks as independent, and here they are {GAPS}, whose training sets overlap"
        if layout.repeats < 2 or layout.folds < 2:
            return None
        return (
            f"it takes blocks as independent, and here they come from {layout.resampling} "
            f"({layout.repeats} × {layout.folds}), which tests on the same instances once a repeat"
        )

    return Need("blocks that are not repeated cross-validation or random splits", unmet, essential=False)


def sharing_training_data() -> Need:
    """Resamples that share training data, for procedures that make up for it."""

    def unmet(layout: Layout) -> str | None:
        if layout.are_runs and layout.splitting.runs is Runs.INDEPENDENT:
            return "it makes up for training sets that overlap, and each run here learned from a sample of its own"
        if layout.are_runs and layout.splitting.runs is Runs.FIXED_SPLIT:
            return "it makes up for training sets that differ and overlap, and all runs here learned from the same rows"
        if layout.problem is None:
            return None
        return (
            "it makes up for training sets that overlap, and these blocks are independent draws, given what they were "
            "drawn from"
        )

    return Need("resamples that are not independent draws", unmet, essential=False)


def independent_instances() -> Need:
    """Instances that are independent of one another: neither in clusters nor successive in time."""

    def unmet(layout: Layout) -> str | None:
        if layout.level is not Level.INSTANCES:
            return None
        if layout.clusters is not None and not layout.clusters.fixed:
            return (
                f"it takes instances as independent, and here {layout.n_blocks} of them lie in {layout.clusters.n} "
                f"clusters ({layout.clusters.column}), which they resemble"
            )
        if layout.ordered:
            return (
                "it takes instances as independent, and here they are successive in time "
                f"({layout.ordered}): each resembles the one before"
            )
        return None

    return Need("instances that are independent of one another", unmet, essential=False, code="dependent-instances")


def in_clusters(least: int) -> Need:
    """Instances in a sample of clusters, so many at least."""

    def unmet(layout: Layout) -> str | None:
        if layout.clusters is None:
            return "it compares clusters of instances, and here are none: name their column (--cluster COLUMN)"
        if layout.clusters.fixed:
            return (
                f"it takes clusters for a sample of such, and here {layout.clusters.column} is a fixed list, as was "
                "said"
            )
        if layout.clusters.n < least:
            return f"it needs at least {least} clusters, and there {_are(layout.clusters.n)}"
        return None

    return Need(f"instances in a sample of at least {least} clusters", unmet)


def enough_clusters(n: int, why: str) -> Need:
    """So many clusters, below which it can be computed and should not be used."""

    def number(layout: Layout) -> int:
        return n if layout.clusters is None else layout.clusters.n

    return _need(
        f"at least {n} clusters",
        lambda layout: number(layout) >= n,
        lambda layout: f"{why}: it should have {n} clusters or more, and there {_are(number(layout))}",
        essential=False,
    )


def in_strata() -> Need:
    """Instances in a fixed list of clusters, each of two instances or more."""

    def unmet(layout: Layout) -> str | None:
        if layout.clusters is None or not layout.clusters.fixed:
            return (
                "it takes clusters for a fixed list, and here is none: say --strata COLUMN, or --about items of "
                "several tasks"
            )
        if min(layout.clusters.sizes) < 2:
            return f"a variance within each of {layout.clusters.column} needs two instances in each"
        return None

    return Need("instances in a fixed list of strata, each of two or more", unmet)


def answered_in_runs() -> Need:
    """Instances that were answered in the same runs, two at least."""

    def unmet(layout: Layout) -> str | None:
        if layout.own_runs > 1 and not layout.unequal_folds:
            return "it compares within runs, and no two learners share one here"
        if layout.answers * layout.own_runs < 2:
            return "it tells runs from instances, and here each instance was answered once"
        return None

    return Need("instances that were answered in the same two or more runs", unmet)


def in_time() -> Need:
    return _need(
        "instances that are successive in time",
        lambda layout: bool(layout.ordered),
        "it is made for values that are successive in time, and here are none: give a column of times",
        essential=False,
    )


def at_least_runs(n: int) -> Need:
    """So many values of each learner, where learners share none; or so many blocks."""

    def unmet(layout: Layout) -> str | None:
        fewest = min(layout.n_each, default=layout.n_blocks)
        if fewest >= n:
            return None
        return f"it needs at least {n} runs of each learner, and some learner has {fewest}"

    return Need(f"at least {n} runs of each learner", unmet, essential=False)


def enough_blocks(n: int, why: str) -> Need:
    """So many blocks, below which it can be computed and should not be trusted."""
    return _need(
        f"at least {n} blocks",
        lambda layout: layout.n_blocks >= n,
        lambda layout: f"{why}: it should have {n} blocks or more, and there {_are(layout.n_blocks)}",
        essential=False,
    )


def right_or_wrong() -> Need:
    """Each value is 0 or 1: an instance is right or wrong."""
    return _need(
        "a value of 0 or 1 for each instance (right or wrong)",
        lambda layout: layout.binary,
        lambda layout: (
            f"it counts right and wrong answers, and the values of {layout.measure.name} are not 0 or 1 per instance"
        ),
    )


# --- who comes first where there is little, or very much --------------------------------------------------------------

FEWEST = 6  # blocks of which flips can claim anything at 5 %
FEW_RUNS = 8  # below which paired t tests of runs find more than flips
MOST_LEARNERS, MOST_MODELS, MOST_LOSSES = 60, 100, 40  # beyond which all pairs together take too long


def answers_of_many(layout: Layout) -> bool:
    """Right or wrong answers of several models; or so few values that nothing should be claimed, as flips then say."""
    if layout.clusters is not None or layout.ordered or layout.n_learners > MOST_MODELS:
        return False
    return layout.n_learners > 2 if layout.binary else layout.n_blocks < FEWEST


def very_many_models(layout: Layout) -> bool:
    return layout.n_learners > (MOST_MODELS if layout.binary else MOST_LOSSES)


def few_runs(layout: Layout) -> bool:
    """Few runs that are known to be independent; or more learners than flips can take."""
    independent = layout.problem is not None or (layout.are_runs and layout.splitting.runs is Runs.INDEPENDENT)
    return independent and (layout.n_blocks < FEW_RUNS or layout.n_learners > MOST_LEARNERS)


def few_tasks(layout: Layout) -> bool:
    """Five tasks, or four of two learners; or more learners than flips can take. Fewer tasks are only described."""
    fewest = 4 if layout.n_learners == 2 else 5
    return fewest <= layout.n_blocks < FEWEST or layout.n_learners > MOST_LEARNERS


# --- of what was measured -------------------------------------------------------------------------------------------


def is_share(layout: Layout) -> bool:
    """Whether a measure is a share of the test instances."""
    return canonical_name(layout.measure.name) in ("accuracy", "error")


def rates_or_answers() -> Need:
    """Answers that are right or wrong, or rates of them with their number."""

    def unmet(layout: Layout) -> str | None:
        if layout.level is Level.INSTANCES:
            return None if layout.binary else f"the values of {layout.measure.name} are not 0 or 1 per instance"
        if layout.level is not Level.SINGLE:
            return (
                f"it takes one rate a learner, or answers that are right or wrong; the blocks are {layout.level.value}"
            )
        return "the sizes of the test sets are not known: give a column n_test" if isnan(layout.n_test) else None

    return Need("answers that are right or wrong (0 or 1), or one rate a learner with the size n_test", unmet)


def share_of_instances() -> Need:
    """Only such rates have the variance e(1 − e)/n."""
    return _need(
        "a rate over all test instances: error or accuracy",
        lambda layout: layout.level is Level.INSTANCES or is_share(layout),
        lambda layout: (
            "it takes rates over all test instances, as error and accuracy are, and the measure is "
            f"{layout.measure.name}"
        ),
        essential=False,
    )


def squared_errors() -> Need:
    return _need(
        "squared errors",
        lambda layout: canonical_name(layout.measure.name) == "squared_error",
        lambda layout: (
            f"it is the law of squared normal errors, and the measure is {layout.measure.name}, not squared_error"
        ),
        essential=False,
    )


def scores_of_instances() -> Need:
    return _need(
        "scores or probabilities for each instance, and a truth of 0 and 1",
        lambda layout: layout.with_predictions,
        "it needs a score or probability for each instance and a truth of 0 and 1: read a table of predictions",
    )


def several_measures() -> Need:
    return _need(
        "at least two measures",
        lambda layout: len(layout.measures) >= 2,
        lambda layout: (
            "it compares on several measures at once (--measure repeated), and there is one: " + layout.measure.name
        ),
    )


# --- of folds and tasks ---------------------------------------------------------------------------------------------


def five_times_two() -> Need:
    def unmet(layout: Layout) -> str | None:
        if layout.resampling == FIVE_BY_TWO and layout.n_blocks == 10:
            return None
        if layout.resampling == FIVE_BY_TWO:
            return f"it needs all ten splits of 5×2 cross-validation, and there are {layout.n_blocks}"
        return f"it needs five repeats of two folds, and the splits here are: {layout.resampling}"

    return Need("five repeats of two folds", unmet)


def ten_times_ten() -> Need:
    def splits(layout: Layout) -> str:
        several = layout.repeats > 1 and layout.folds > 1
        return f"{layout.repeats} × {layout.folds}" if several else layout.resampling

    return _need(
        "ten repeats of ten folds",
        lambda layout: layout.resampling == REPEATED_KFOLD and (layout.repeats, layout.folds) == (10, 10),
        lambda layout: (
            f"its 10 degrees of freedom were calibrated for 10 × 10 folds, and the splits here are: {splits(layout)}"
        ),
        essential=False,
    )


def not_naive() -> Need:
    """No naive t over repeated cross-validation, which has a warning of its own."""
    return _need(
        "cross-validation that is not repeated",
        lambda layout: layout.repeats < 2 or layout.folds < 2,
        lambda layout: (
            f"the blocks come from {layout.resampling} ({layout.repeats} × {layout.folds}): a naive t over repeated "
            "cross-validation counts the same instances once a repeat and is badly wrong"
        ),
        essential=False,
        code="naive-repeated-cv",
    )


def folds_or_independent() -> Need:
    def holds(layout: Layout) -> bool:
        independent = layout.are_runs and layout.splitting.runs in (Runs.INDEPENDENT, Runs.FIXED_SPLIT)
        repeated = layout.repeats > 1 and layout.folds > 1  # which `not_naive` speaks of
        return layout.resampling == KFOLD or independent or repeated

    return _need(
        "the folds of a cross-validation, or independent runs",
        holds,
        lambda layout: (
            f"it is made for the folds of one cross-validation, and the blocks here are: {layout.resampling}"
        ),
        essential=False,
    )


def known_ratio() -> Need:
    """A known ratio of test to training size."""
    return _need(
        "a known ratio of test to training size (n_train and n_test, or --ratio)",
        _ratio_is_known,
        "the ratio of test to training size is not known: give columns n_train and n_test, or --ratio 0.1111 (ten "
        "folds)",
        supplied_by="ratio",
    )


def known_correlation(resample: str) -> Need:
    """A known ρ, the blocks being called a resample or a fold."""
    return _need(
        f"a known share of the data that each {resample} is tested on (n_train and n_test, or --rho)",
        _ratio_is_known,
        f"the correlation between {resample}s is not known: give columns n_train and n_test, or --rho 0.1 (ten folds)",
        supplied_by="rho",
    )


def _ratio_is_known(layout: Layout) -> bool:
    return not isnan(layout.test_train_ratio)


def folds_of_each_task(least: int) -> Need:
    def reason(layout: Layout) -> str:
        folds = layout.repeats * layout.folds
        return f"it needs at least {least} folds of each task, and there {_are(folds)}"

    return _need(f"at least {least} folds of each task", lambda x: x.repeats * x.folds >= least, reason)


def runs_of_each_task() -> Need:
    return _need(
        "several resamples of each task",
        lambda layout: layout.repeats * layout.folds > 1,
        "it needs several resamples of each task, and there is one value per task",
    )


def two_tasks() -> Need:
    return _need(
        "at least two tasks", lambda layout: len(layout.tasks) > 1, "it needs at least two tasks, and there is one"
    )


def tasks_or_resamples() -> Need:
    return _need(
        "blocks that are tasks or resamples",
        lambda layout: layout.level in (Level.TASKS, Level.RESAMPLES),
        lambda layout: f"it compares values of tasks or resamples, and here the blocks are: {layout.level.value}",
    )


def more_blocks_than_measures() -> Need:
    return _need(
        "more blocks than measures",
        lambda layout: layout.n_blocks > len(layout.measures),
        lambda layout: (
            f"it needs more blocks than measures, and there are {layout.n_blocks} and {len(layout.measures)}"
        ),
        supplied_by="reduce",
    )


def blocks_for_measures() -> Need:
    """As many degrees of freedom of the error as there are measures."""

    def unmet(layout: Layout) -> str | None:
        df = (layout.n_blocks - 1) * (layout.n_learners - 1)
        if df >= len(layout.measures):
            return None
        return f"it needs (blocks − 1) (learners − 1) of at least {len(layout.measures)}, the measures; there are {df}"

    return Need("more blocks than measures allow for", unmet, supplied_by="reduce")
