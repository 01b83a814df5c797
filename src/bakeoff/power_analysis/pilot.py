"""What a pilot tells about the experiment to come: how much scores vary, and how surely that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import atanh, isnan, log, nan, sqrt, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError, DegenerateError, MisfitError, UsageError
from bakeoff.judging.advice import MEASURED, about_design, makes_up_for_overlap
from bakeoff.mathematics.auc import auc
from bakeoff.mathematics.checks import midranks
from bakeoff.mathematics.clusters import variance_components
from bakeoff.mathematics.laws import chi2_quantile, f_quantile, noncentral_f_sf, normal_quantile
from bakeoff.mathematics.proportions import proportion_interval
from bakeoff.procedures.card import Card, Compares, PowerFormula, Shape
from bakeoff.procedures.procedure import is_constant
from bakeoff.scores import Layout, Level, Missing, Scores, blocks, long_form, samples
from bakeoff.scores import layout as read_layout
from bakeoff.scores.layout import declare_runs
from bakeoff.text import count, listing, noun, number, percent

Array = NDArray[np.float64]
CONFIDENCE = 0.9
# What power hangs on, in words; with the last two it is the difference itself.
CORRELATION, DISTANCE, RATIO = "correlation of their scores", "distance", "logarithm of the ratio"
DISCORDANT, ERROR_RATE, SD = "share of discordant instances", "error rate", "sd"


@dataclass(frozen=True, eq=False)
class Pilot:
    """A small experiment that was made. `first` and `second` are the two best learners, or the two that were named.

    `varies` names what power hangs on, the sd or the share of discordant instances; `value` is the pilot's, `lower`
    and `upper` are the ends of its interval of CONFIDENCE. `difference` is how much better the first was, NaN if there
    is only one learner. `auc` is the second area under the ROC curve, `positives` the share of positive instances,
    `measures` the number of measures compared at once, `absent` the share of scores that are missing, `ratio` that of
    test to training size, where blocks are splits of one data set. Where blocks are clusters, `icc` is the correlation
    of two instances of one, `cluster_size` their mean number, and `cluster_spread` its coefficient of variation.
    """

    source: str
    measure: str
    blocks: str
    n: int
    learners: tuple[str, ...]
    first: str
    second: str
    difference: float
    varies: str
    value: float
    lower: float
    upper: float
    error: float = nan
    folds: int | None = None
    residuals: Array | None = None
    auc: float = nan
    positives: float = nan
    measures: int | None = None
    absent: float = nan
    ratio: float | None = None
    icc: float = nan
    cluster_size: float = nan
    cluster_spread: float = 0.0

    @property
    def unlucky(self) -> float:
        """The end of the interval that makes the experiment larger: few differences found, or much noise."""
        return self.lower if self.varies in (CORRELATION, DISTANCE, RATIO) else self.upper

    @property
    def is_difference(self) -> bool:
        """Whether what varies is the difference itself."""
        return self.varies in (DISTANCE, RATIO)

    @property
    def sentence(self) -> str:
        what = "sd of the differences" if self.second and self.varies == SD else self.varies
        between = f" between {self.first} and {self.second}" if self.second else f" of {self.first}"
        unknown = np.isnan(self.difference) or self.varies == DISTANCE
        seen = "" if unknown else f", {self.first} better by {number(self.difference)}"
        return (
            f"Pilot {self.source}: {count(self.n)} {noun(self.n, self.blocks)}, {self.measure}{between}{seen}; {what} "
            f"{number(self.value)}, {percent(CONFIDENCE)} interval {number(self.lower)} to {number(self.upper)}."
        )


def read_pilot(
    scores: Scores,
    card: Card,
    *,
    measure: str | None = None,
    level: Level | None = None,
    missing: Missing = Missing.ERROR,
    correlation: float | None = None,
) -> Pilot:
    """What scores of a pilot say, for the test that is planned."""
    one = scores.only(measure=measure) if measure is not None else scores
    layout = _layout_for(card, one, level, missing)
    matrix = blocks(one, level=layout.level, missing=missing)
    if matrix.n_blocks < 2:
        raise MisfitError(
            f"{one.source} has {matrix.n_blocks} {layout.level.value}: how much scores vary shows in two at least."
        )
    values = matrix.values * -matrix.measure.sign  # smaller is better, as in simulated scores
    folds = layout.folds if layout.level is Level.RESAMPLES and layout.folds > 1 else None
    ratio = layout.test_train_ratio if layout.level is Level.RESAMPLES and layout.problem is None else nan
    known: dict[str, Any] = {
        "source": one.source,
        "measure": matrix.measure.name,
        "blocks": layout.level.value,
        "n": matrix.n_blocks,
        "learners": matrix.learners,
        "folds": folds,
        "ratio": None if isnan(ratio) else ratio,
    }
    if card.compares is Compares.ONE:
        return _of_one(card, values, known)
    if len(matrix.learners) < 2:
        raise MisfitError(f"{one.source} has one learner; {card.name} compares two at least.")
    i, j = (int(c) for c in np.argsort(values.mean(axis=0), kind="stable")[:2])
    known |= {"first": matrix.learners[i], "second": matrix.learners[j]}
    known["difference"] = float(values[:, j].mean() - values[:, i].mean())
    if card.binary:
        return _of_answers(card, values[:, i], values[:, j], layout, known)
    # Nadeau and Bengio's guess, the share of the data that is tested on: 1/K of K folds.
    rho = correlation if correlation is not None else 0.0 if isnan(ratio) else ratio / (1 + ratio)
    return _of_numbers(values, i, j, card.paired, rho, known)


def _layout_for(card: Card, one: Scores, level: Level | None, missing: Missing) -> Layout:
    try:
        return read_layout(one, level=level or card.level, missing=missing)
    except MisfitError:
        # A t test of differences may be planned for blocks of any kind.
        if level is None and card.power is PowerFormula.PAIRED_T:
            return read_layout(one, missing=missing)
        raise


def _of_one(card: Card, values: Array, known: dict[str, Any]) -> Pilot:
    if values.shape[1] != 1:
        raise UsageError(
            f"{card.name} is about one learner; the pilot has {values.shape[1]}. Name one: --learner NAME."
        )
    column = values[:, 0]
    known |= {"first": known["learners"][0], "second": "", "difference": nan}
    if card.binary:
        rate = float(np.abs(column).mean())
        lower, upper = proportion_interval(round(rate * len(column)), len(column), confidence=CONFIDENCE)
        return Pilot(**known, varies=ERROR_RATE, value=rate, lower=lower, upper=upper, error=rate)
    sd, lower, upper = _sd_with_interval(column)
    return Pilot(**known, varies=SD, value=sd, lower=lower, upper=upper)


def _of_answers(card: Card, first: Array, second: Array, layout: Layout, known: dict[str, Any]) -> Pilot:
    if not layout.binary:
        raise MisfitError(f"{card.name} counts right and wrong answers; the pilot's values are not 0 or 1.")
    # Measures of which larger is better come with the opposite sign: 0 is wrong then.
    wrong = second if second.min() >= 0 and first.min() >= 0 else second + 1
    n, unlike, error = len(first), int((first != second).sum()), float(wrong.mean())
    if not card.paired:
        lower, upper = proportion_interval(round(n * error), n, confidence=CONFIDENCE)
        return Pilot(**known, varies=ERROR_RATE, value=error, lower=lower, upper=upper, error=error)
    lower, upper = proportion_interval(unlike, n, confidence=CONFIDENCE, method="clopper_pearson")
    return Pilot(
        **known, varies=DISCORDANT, value=unlike / n, lower=lower, upper=upper,
        error=error,
    )  # fmt: skip


def _of_numbers(values: Array, i: int, j: int, paired: bool, rho: float, known: dict[str, Any]) -> Pilot:
    if paired:
        sd, lower, upper = _sd_with_interval(values[:, i] - values[:, j])
    else:
        both = np.concatenate([values[:, c] - values[:, c].mean() for c in (i, j)])
        sd, lower, upper = _sd_with_interval(both, lost=2)
    # Values that are correlated vary less around their own mean than around the true one: E S² = σ²(1 − ρ).
    more = 1 / sqrt(1 - rho)
    return Pilot(
        **known, varies=SD, value=more * sd, lower=more * lower, upper=more * upper,
        residuals=more * _residuals(values, paired),
    )  # fmt: skip


def _residuals(values: Array, paired: bool) -> Array:
    """What is left of the values when learners and, if they are shared, blocks are taken out; as variable as before."""
    n = len(values)
    left = values - values.mean(axis=0)
    if paired:
        left = left - left.mean(axis=1, keepdims=True)
    return np.asarray(left * sqrt(n / (n - 1)))


def _sd_with_interval(values: Array, lost: int = 1) -> tuple[float, float, float]:
    """The sd and its interval by the χ² law, which holds for normal values."""
    if is_constant(values, float(np.max(np.abs(values), initial=0.0))):
        raise DegenerateError("The pilot's differences do not vary at all, so no sd can be taken from them: give one.")
    df = len(values) - lost
    sd = sqrt(float(((values - values.mean()) ** 2).sum()) / df)
    tail = (1 - CONFIDENCE) / 2
    return sd, sd * sqrt(df / chi2_quantile(1 - tail, df)), sd * sqrt(df / chi2_quantile(tail, df))


# ----------------------------------------------------------------------------------------------------------------------
# Runs of a pilot of which it is not known whether they are independent: what power says about them.


_UNKNOWN = (
    "What the {n} runs of the pilot are is not known. Runs on random splits of one data set overlap: what takes them "
    f"for independent then claims too much ({MEASURED}), and its power is none. Plan for corrected-t with its ratio "
    "(bakeoff power corrected-t --ratio N_TEST/N_TRAIN as a number) if they are random splits; say --pilot-runs "
    "independent if each learned from a sample of its own, or --pilot-runs fixed-split if all used one split and "
    "differ in their seed only (in Python runs=)."
)


_OVERLAP = (
    "The {n} resamples of the pilot ({what}) share training data. A test that takes such differences for independent "
    f"claims too much ({MEASURED}), and its power is none: this answer holds for differences of samples that have no "
    "row in common. For more resamples of this data set plan for corrected-t (bakeoff power corrected-t --pilot FILE)."
)


def _takes_for_independent(layout: Layout, card: Card) -> bool:
    """Whether blocks that are splits of one data set would be tested as if they shared nothing."""
    splits = layout.level is Level.RESAMPLES and layout.problem is None and not isnan(layout.test_train_ratio)
    knows = makes_up_for_overlap(card) or card.fixed_folds is not None or card.power is PowerFormula.NAIVE_FOLDS
    return splits and not knows


def with_runs(pilot: Scores | None, runs: str | None, options: Mapping[str, Any]) -> Scores | None:
    """A pilot, with what was said of its runs. The ratio of random splits is that of the test."""
    return pilot if pilot is None or runs is None else declare_runs(pilot, runs, options.get("ratio"))


def about_pilot(
    pilot: Scores | None, card: Card, measure: str | None, level: str | None, missing: str | Missing
) -> tuple[str, ...]:
    """What to know of the runs of a pilot that a test is planned from."""
    if pilot is None:
        return ()
    try:
        layout = read_layout(pilot, measure, level=Level(level) if level else None, missing=Missing(missing))
    except BakeoffError:
        return ()  # the pilot was read otherwise: not as runs
    messages = {warning.code: f"{warning.text} {warning.action}" for warning in about_design(layout, card)}
    if _takes_for_independent(layout, card):
        messages.setdefault("overlap", _OVERLAP.format(n=layout.n_blocks, what=layout.resampling))
    if "unknown-runs" in messages:
        messages["unknown-runs"] = _UNKNOWN.format(n=layout.n_blocks)
    return tuple(messages.values())


# ----------------------------------------------------------------------------------------------------------------------
# What a pilot tells about tests that need more than the sd of a difference.


TAIL = (1 - CONFIDENCE) / 2


def pilot_for(
    scores: Scores, card: Card, *, measure: str | None, level: Level | None, missing: Missing, correlation: float | None
) -> Pilot:
    """What scores of a pilot say, for whatever test is planned."""
    special = None if card.strata else _SPECIAL.get(card.shape)
    if special is None:
        return read_pilot(scores, card, measure=measure, level=level, missing=missing, correlation=correlation)
    one = scores.only(measure=measure) if measure is not None else scores
    return special(one, card, missing)


def _two_best(values: Array, names: tuple[str, ...], card: Card, source: str) -> tuple[int, int]:
    """The columns of the two with the smallest means."""
    if len(names) < 2:
        raise MisfitError(f"{source} has one learner; {card.name} compares two at least.")
    i, j = np.argsort(values, kind="stable")[:2].tolist()
    return i, j


def of_areas(one: Scores, card: Card, missing: Missing) -> Pilot:
    """Areas under the ROC curve, and how alike the two best order the instances of a class."""
    kept = one.predictions
    if kept is None or not kept.binary:
        raise MisfitError(f"{card.name} needs scores or probabilities for each instance; {one.source} keeps none.")
    areas = np.array([auc(kept.truth, column) for column in kept.values.T])
    i, j = _two_best(-areas, kept.learners, card, one.source)
    within, n = [], len(kept.truth)
    for label in (0.0, 1.0):
        here = kept.truth == label
        if here.sum() > 3:
            first, second = (_normal_scores(kept.values[here, column]) for column in (i, j))
            within.append((int(here.sum()), _correlated(first, second)))
    if not within:
        raise MisfitError(
            f"{one.source} has too few instances of each class to tell how alike two learners order them."
        )
    rho = sum(size * r for size, r in within) / sum(size for size, _ in within)
    z, se = atanh(min(max(rho, -0.999), 0.999)), 1 / sqrt(max(n - 3 * len(within), 1))
    reach = normal_quantile(1 - TAIL) * se
    lower, value, upper = (min(max(tanh(each), 0.0), 0.999) for each in (z - reach, z, z + reach))
    return Pilot(
        source=one.source, measure="auc", blocks=Level.INSTANCES.value, n=n, learners=kept.learners,
        first=kept.learners[i], second=kept.learners[j], difference=float(areas[i] - areas[j]), varies=CORRELATION,
        value=value, lower=lower, upper=upper, auc=float(max(areas[j], 0.5)), positives=float(kept.truth.mean()),
    )  # fmt: skip


def _normal_scores(values: Array) -> Array:
    """The binormal model is about orders: ranks as quantiles of the normal law."""
    ranks = midranks(values)
    return np.array([normal_quantile(float(rank) / (len(values) + 1)) for rank in ranks])


def _correlated(first: Array, second: Array) -> float:
    spread = float(first.std() * second.std())
    return 0.0 if spread == 0 else float(((first - first.mean()) * (second - second.mean())).mean() / spread)


def of_several_measures(one: Scores, card: Card, missing: Missing) -> Pilot:
    """The distance of two learners over all measures, in sds of their differences: √(d'S⁻¹d)."""
    names = one.measure.labels
    if len(names) < 2:
        raise MisfitError(f"{card.name} compares several measures at once; {one.source} has {len(names)}.")
    sheets = [blocks(one.only(measure=name), level=card.level, missing=missing) for name in names]
    lead, p, n = sheets[0], len(names), sheets[0].n_blocks
    i, j = _two_best(-lead.measure.sign * lead.means, lead.learners, card, one.source)
    if n <= p:
        raise MisfitError(f"A distance over {p} measures takes more than {p} {lead.level.value}; {one.source} has {n}.")
    d = np.column_stack([each.values[:, j] - each.values[:, i] for each in sheets])
    covariance = np.atleast_2d(np.cov(d, rowvar=False))
    if np.linalg.matrix_rank(covariance) < p:
        raise DegenerateError("The pilot's measures follow from each other: leave one of them out.")
    squared = float(d.mean(axis=0) @ np.linalg.solve(covariance, d.mean(axis=0)))
    lower, upper = _distance_interval(n, p, squared)
    return Pilot(
        source=one.source, measure=listing(names), blocks=lead.level.value, n=n, learners=lead.learners,
        first=lead.learners[i], second=lead.learners[j], difference=sqrt(squared), varies=DISTANCE,
        value=sqrt(squared), lower=lower, upper=upper, measures=p,
    )  # fmt: skip


def _distance_interval(n: int, p: int, squared: float) -> tuple[float, float]:
    """The distances at which T² would be as large, or as small, with a chance of (1 − CONFIDENCE)/2."""
    f = n * squared * (n - p) / (p * (n - 1))

    def where(chance: float) -> float:
        low, high = 0.0, 1.0
        while float(noncentral_f_sf(f, p, n - p, n * high**2)) < chance:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            enough = float(noncentral_f_sf(f, p, n - p, n * middle**2)) >= chance
            low, high = (low, middle) if enough else (middle, high)
        return low

    return where(TAIL), where(1 - TAIL)


def of_cells(one: Scores, card: Card, missing: Missing) -> Pilot:
    """The sd of the runs of a learner on a task, over all learners and tasks."""
    values, learner, task = long_form(one)
    cells = [values[(learner == a) & (task == b)] for a in one.learners for b in one.tasks]
    df = sum(len(cell) - 1 for cell in cells if len(cell))
    within = sum(float(((cell - cell.mean()) ** 2).sum()) for cell in cells if len(cell))
    if df < 1 or within <= 0:
        raise MisfitError(f"How much runs on a task vary shows in two of them at least; {one.source} has none.")
    sd, measure = sqrt(within / df), one.measures[one.measure.labels[0]]
    means = np.array([values[learner == name].mean() for name in one.learners])
    i, j = _two_best(-measure.sign * means, one.learners, card, one.source)
    runs = max(len(cell) for cell in cells)
    return Pilot(
        source=one.source, measure=measure.name, blocks=Level.TASKS.value, n=len(one.tasks), learners=one.learners,
        first=one.learners[i], second=one.learners[j], difference=float(abs(means[i] - means[j])), varies=SD,
        value=sd, lower=sd * sqrt(df / chi2_quantile(1 - TAIL, df)), upper=sd * sqrt(df / chi2_quantile(TAIL, df)),
        folds=runs if runs > 1 else None,
    )  # fmt: skip


def of_holes(one: Scores, card: Card, missing: Missing) -> Pilot:
    """The sd from the tasks that have all learners, and the share of scores that are missing."""
    layout = read_layout(one, level=card.level)
    dropped = Missing.DROP_BLOCK if missing is Missing.ERROR and layout.n_missing else missing
    pilot = read_pilot(one, card, missing=dropped)
    return replace(pilot, absent=layout.n_missing / layout.n_cells if layout.n_missing else nan)


def of_squares(one: Scores, card: Card, missing: Missing) -> Pilot:
    """The logarithm of the ratio of two mean squared errors, which is the difference itself."""
    drawn = samples(one, level=card.level)
    means = np.array([float(np.mean(column)) for column in drawn.values])
    i, j = _two_best(means, drawn.learners, card, one.source)
    if not means[i] > 0:
        raise DegenerateError(f"{drawn.learners[i]} makes no errors at all in the pilot, so that there is no ratio.")
    seen, df = log(means[j] / means[i]), (float(len(drawn.values[j])), float(len(drawn.values[i])))
    lower, upper = (seen - log(f_quantile(q, *df)) for q in (1 - TAIL, TAIL))
    return Pilot(
        source=one.source, measure=drawn.measure.name, blocks=Level.INSTANCES.value, n=int(min(df)),
        learners=drawn.learners, first=drawn.learners[i], second=drawn.learners[j], difference=seen, varies=RATIO,
        value=seen, lower=lower, upper=upper,
    )  # fmt: skip


def of_clusters(one: Scores, card: Card, missing: Missing) -> Pilot:
    """How much the differences on instances vary, and how much of that is between clusters."""
    matrix = blocks(one, level=Level.INSTANCES, missing=missing)
    if matrix.cluster is None:
        raise MisfitError(
            f"{card.name} is planned for instances in clusters, and {one.source} names none: say --cluster COLUMN."
        )
    values = matrix.values * -matrix.measure.sign
    if card.compares is Compares.ONE:
        i, j, d = 0, None, values[:, 0]
    else:
        i, j = _two_best(values.mean(axis=0), matrix.learners, card, one.source)
        d = values[:, i] - values[:, j]
    sizes = np.bincount(matrix.cluster)
    sizes = sizes[sizes > 0]
    components = variance_components(d[:, None], matrix.cluster)
    total = float(np.maximum(components.variances, 0.0).sum())
    if not total > 0:
        raise DegenerateError("The pilot's differences do not vary at all, so no sd can be taken from them: give one.")
    df, sd = max(len(sizes) - 1, 1), sqrt(total)
    return Pilot(
        source=one.source, measure=matrix.measure.name, blocks="clusters", n=len(sizes), learners=matrix.learners,
        first=matrix.learners[i], second="" if j is None else matrix.learners[j],
        difference=nan if j is None else float(-d.mean()), varies=SD, value=sd,
        lower=sd * sqrt(df / chi2_quantile(1 - TAIL, df)), upper=sd * sqrt(df / chi2_quantile(TAIL, df)),
        icc=float(min(components.shares[0, 0], 0.999)), cluster_size=float(sizes.mean()),
        cluster_spread=float(sizes.std() / sizes.mean()),
    )  # fmt: skip


_SPECIAL: Mapping[Shape, Callable[[Scores, Card, Missing], Pilot]] = {
    Shape.SCORES: of_areas,
    Shape.MEASURES: of_several_measures,
    Shape.RUNS: of_cells,
    Shape.HOLES: of_holes,
    Shape.SQUARES: of_squares,
    Shape.CLUSTERS: of_clusters,
}
