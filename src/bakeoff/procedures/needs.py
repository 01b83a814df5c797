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
THESE_TWO = (
    "It speaks about these two fitted models: how the learners vary with the training set is not in it. For learners, "
    "resample and use corrected-t or 5x2-f."
)
NO_SERIES = f"{NEW_INSTANCES[:-1]}; they are no time series and no clusters."
OWN_TEST_SETS = (
    "The two test sets are independent draws from the population that the models are meant for, with no instance in "
    "common."
)
CORRELATION = "That correlation is n_test / (n_train + n_test): a good guess, exact for no learner."
SAME_FOLDS = "Within a fold both learners saw the same training and test instances."


def _are(n: int) -> str:
    return f"is {n}" if n == 1 else f"are {n}"


def _need(asks: str, holds: Callable[[Layout], bool], reason: str, **further: Any) -> Need:
    """A need from a condition, and why it is not met, in which {layout} stands for the layout; what else a `Need` has
    is passed on."""
    return Need(asks, lambda layout: None if holds(layout) else reason.format(layout=layout), **further)


def _unless(asks: str, **further: Any) -> Callable[[Callable[[Layout], str | None]], Need]:
    """A need from the function that tells why it is not met."""
    return lambda unmet: Need(asks, unmet, **further)


def _at_least(n: int, noun: str, number: Callable[[Layout], int], why: str = "", **further: Any) -> Need:
    """So many of something, without which there is no answer; or, with a reason `why`, below which it should not be
    used."""
    asks = f"at least {n} {noun}"
    needs = f"{why}: it should have {n} {noun} or more" if why else f"it needs {asks}"
    return Need(
        asks,
        lambda layout: None if number(layout) >= n else f"{needs}, and there {_are(number(layout))}",
        essential=not why,
        **further,
    )


def at_level(level: Level) -> Need:
    """Blocks of that kind, at least one."""
    return _need(
        f"blocks that are {level.value}",
        lambda layout: layout.level is level,
        f"it reads {level.value} as blocks, and here the blocks are: {{layout.level.value}}",
    )


def at_least_blocks(n: int) -> Need:
    return _at_least(n, "block" if n == 1 else "blocks", lambda layout: layout.n_blocks)


def at_least_learners(n: int) -> Need:
    return _at_least(n, "learner" if n == 1 else "learners", lambda layout: layout.n_learners)


def enough_blocks(n: int, why: str) -> Need:
    """So many blocks, below which it can be computed and should not be trusted."""
    return _at_least(n, "blocks", lambda layout: layout.n_blocks, why)


def enough_clusters(n: int, why: str) -> Need:
    """So many clusters, below which it can be computed and should not be used."""
    return _at_least(n, "clusters", lambda layout: n if layout.clusters is None else layout.clusters.n, why)


def folds_of_each_task(least: int) -> Need:
    return _at_least(least, "folds of each task", lambda layout: layout.repeats * layout.folds)


def at_least_runs(n: int) -> Need:
    """So many values of each learner, where learners share none; or so many blocks."""

    @_unless(f"at least {n} runs of each learner", essential=False)
    def need(layout: Layout) -> str | None:
        fewest = min(layout.n_each, default=layout.n_blocks)
        return None if fewest >= n else f"it needs at least {n} runs of each learner, and some learner has {fewest}"

    return need


# Procedures for many learners work for two, but a procedure for pairs then says it better.
three_or_more = _need(
    "three learners or more",
    lambda layout: layout.n_learners != 2,
    "it is made for three learners or more, and there are 2: a procedure for pairs is sharper",
    essential=False,
)


@_unless("blocks that are not repeated cross-validation or random splits", essential=False)
def not_repeated(layout: Layout) -> str | None:
    """Blocks that may be taken as independent are not those of repeated cross-validation, nor random splits."""
    # The mean of a single learner has no other procedure; its interval comes with a warning.
    random_splits = layout.are_runs and layout.splitting.runs is Runs.RANDOM_SPLITS
    if (random_splits or layout.resampling == GAPS) and layout.n_learners > 1:
        kind = "random splits of one data set" if random_splits else GAPS
        return f"it takes blocks as independent, and here they are {kind}, whose training sets overlap"
    if layout.repeats < 2 or layout.folds < 2:
        return None
    return (
        f"it takes blocks as independent, and here they come from {layout.resampling} "
        f"({layout.repeats} × {layout.folds}), which tests on the same instances once a repeat"
    )


@_unless("resamples that are not independent draws", essential=False)
def sharing_training_data(layout: Layout) -> str | None:
    """Resamples that share training data, for procedures that make up for it."""
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


@_unless("instances that are independent of one another", essential=False, code="dependent-instances")
def independent_instances(layout: Layout) -> str | None:
    """Instances that are independent of one another: neither in clusters nor successive in time."""
    if layout.level is not Level.INSTANCES:
        return None
    if layout.clusters is not None and not layout.clusters.fixed:
        return (
            f"it takes instances as independent, and here {layout.n_blocks} of them lie in {layout.clusters.n} "
            f"clusters ({layout.clusters.column}), which they resemble"
        )
    if layout.ordered:
        return (
            f"it takes instances as independent, and here they are successive in time ({layout.ordered}): each "
            "resembles the one before"
        )
    return None


def in_clusters(least: int) -> Need:
    """Instances in a sample of clusters, so many at least."""

    @_unless(f"instances in a sample of at least {least} clusters")
    def need(layout: Layout) -> str | None:
        if layout.clusters is None:
            return "it compares clusters of instances, and here are none: name their column (--cluster COLUMN)"
        if layout.clusters.fixed:
            column = layout.clusters.column
            return f"it takes clusters for a sample of such, and here {column} is a fixed list, as was said"
        if layout.clusters.n < least:
            return f"it needs at least {least} clusters, and there {_are(layout.clusters.n)}"
        return None

    return need


@_unless("instances in a fixed list of strata, each of two or more")
def in_strata(layout: Layout) -> str | None:
    """Instances in a fixed list of clusters, each of two instances or more."""
    if layout.clusters is None or not layout.clusters.fixed:
        return (
            "it takes clusters for a fixed list, and here is none: say --strata COLUMN, or --about items of several "
            "tasks"
        )
    if min(layout.clusters.sizes) < 2:
        return f"a variance within each of {layout.clusters.column} needs two instances in each"
    return None


@_unless("instances that were answered in the same two or more runs")
def answered_in_runs(layout: Layout) -> str | None:
    """Instances that were answered in the same runs, two at least."""
    if layout.own_runs > 1 and not layout.unequal_folds:
        return "it compares within runs, and no two learners share one here"
    if layout.answers * layout.own_runs < 2:
        return "it tells runs from instances, and here each instance was answered once"
    return None


in_time = _need(
    "instances that are successive in time",
    lambda layout: bool(layout.ordered),
    "it is made for values that are successive in time, and here are none: give a column of times",
    essential=False,
)
right_or_wrong = _need(
    "a value of 0 or 1 for each instance (right or wrong)",
    lambda layout: layout.binary,
    "it counts right and wrong answers, and the values of {layout.measure.name} are not 0 or 1 per instance",
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


@_unless("answers that are right or wrong (0 or 1), or one rate a learner with the size n_test")
def rates_or_answers(layout: Layout) -> str | None:
    """Answers that are right or wrong, or rates of them with their number."""
    if layout.level is Level.INSTANCES:
        return None if layout.binary else f"the values of {layout.measure.name} are not 0 or 1 per instance"
    if layout.level is not Level.SINGLE:
        return f"it takes one rate a learner, or answers that are right or wrong; the blocks are {layout.level.value}"
    return "the sizes of the test sets are not known: give a column n_test" if isnan(layout.n_test) else None


# Only such rates have the variance e(1 − e)/n.
share_of_instances = _need(
    "a rate over all test instances: error or accuracy",
    lambda layout: layout.level is Level.INSTANCES or is_share(layout),
    "it takes rates over all test instances, as error and accuracy are, and the measure is {layout.measure.name}",
    essential=False,
)
squared_errors = _need(
    "squared errors",
    lambda layout: canonical_name(layout.measure.name) == "squared_error",
    "it is the law of squared normal errors, and the measure is {layout.measure.name}, not squared_error",
    essential=False,
)
scores_of_instances = _need(
    "scores or probabilities for each instance, and a truth of 0 and 1",
    lambda layout: layout.with_predictions,
    "it needs a score or probability for each instance and a truth of 0 and 1: read a table of predictions",
)
several_measures = _need(
    "at least two measures",
    lambda layout: len(layout.measures) >= 2,
    "it compares on several measures at once (--measure repeated), and there is one: {layout.measure.name}",
)

# --- of folds and tasks ---------------------------------------------------------------------------------------------


@_unless("five repeats of two folds")
def five_times_two(layout: Layout) -> str | None:
    if layout.resampling != FIVE_BY_TWO:
        return f"it needs five repeats of two folds, and the splits here are: {layout.resampling}"
    if layout.n_blocks != 10:
        return f"it needs all ten splits of 5×2 cross-validation, and there are {layout.n_blocks}"
    return None


@_unless("ten repeats of ten folds", essential=False)
def ten_times_ten(layout: Layout) -> str | None:
    if layout.resampling == REPEATED_KFOLD and (layout.repeats, layout.folds) == (10, 10):
        return None
    several = layout.repeats > 1 and layout.folds > 1
    splits = f"{layout.repeats} × {layout.folds}" if several else layout.resampling
    return f"its 10 degrees of freedom were calibrated for 10 × 10 folds, and the splits here are: {splits}"


# No naive t over repeated cross-validation, which has a warning of its own.
not_naive = _need(
    "cross-validation that is not repeated",
    lambda layout: layout.repeats < 2 or layout.folds < 2,
    "the blocks come from {layout.resampling} ({layout.repeats} × {layout.folds}): a naive t over repeated "
    "cross-validation counts the same instances once a repeat and is badly wrong",
    essential=False,
    code="naive-repeated-cv",
)


@_unless("the folds of a cross-validation, or independent runs", essential=False)
def folds_or_independent(layout: Layout) -> str | None:
    independent = layout.are_runs and layout.splitting.runs in (Runs.INDEPENDENT, Runs.FIXED_SPLIT)
    repeated = layout.repeats > 1 and layout.folds > 1  # which `not_naive` speaks of
    if layout.resampling == KFOLD or independent or repeated:
        return None
    return f"it is made for the folds of one cross-validation, and the blocks here are: {layout.resampling}"


def _ratio_is_known(layout: Layout) -> bool:
    return not isnan(layout.test_train_ratio)


known_ratio = _need(
    "a known ratio of test to training size (n_train and n_test, or --ratio)",
    _ratio_is_known,
    "the ratio of test to training size is not known: give columns n_train and n_test, or --ratio 0.1111 (ten folds)",
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


runs_of_each_task = _need(
    "several resamples of each task",
    lambda layout: layout.repeats * layout.folds > 1,
    "it needs several resamples of each task, and there is one value per task",
)
two_tasks = _need(
    "at least two tasks", lambda layout: len(layout.tasks) > 1, "it needs at least two tasks, and there is one"
)
tasks_or_resamples = _need(
    "blocks that are tasks or resamples",
    lambda layout: layout.level in (Level.TASKS, Level.RESAMPLES),
    "it compares values of tasks or resamples, and here the blocks are: {layout.level.value}",
)


@_unless("more blocks than measures", supplied_by="reduce")
def more_blocks_than_measures(layout: Layout) -> str | None:
    n, measures = layout.n_blocks, len(layout.measures)
    return None if n > measures else f"it needs more blocks than measures, and there are {n} and {measures}"


@_unless("more blocks than measures allow for", supplied_by="reduce")
def blocks_for_measures(layout: Layout) -> str | None:
    """As many degrees of freedom of the error as there are measures."""
    df, measures = (layout.n_blocks - 1) * (layout.n_learners - 1), len(layout.measures)
    if df >= measures:
        return None
    return f"it needs (blocks − 1) (learners − 1) of at least {measures}, the measures; there are {df}"
