"""What a pilot tells about tests that need more than the sd of a difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import atanh, log, nan, sqrt, tanh

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, MisfitError
from bakeoff.lab.powering.pilot import CONFIDENCE, CORRELATION, DISTANCE, RATIO, Pilot, read_pilot
from bakeoff.mathematics.auc import auc
from bakeoff.mathematics.exactness import midranks
from bakeoff.mathematics.laws import chi2_quantile, f_quantile, noncentral_f_sf, normal_quantile
from bakeoff.presentation import listing
from bakeoff.procedures.card import Card
from bakeoff.scores import Level, Missing, Scores, blocks, long_form, samples
from bakeoff.scores import layout as read_layout

Array = NDArray[np.float64]
TAIL = (1 - CONFIDENCE) / 2


def pilot_for(
    scores: Scores, card: Card, *, measure: str | None, level: Level | None, missing: Missing, correlation: float | None
) -> Pilot:
    """What scores of a pilot say, for whatever test is planned."""
    special = _SPECIAL.get(card.name)
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
    d = np.column_stack([sheet.values[:, j] - sheet.values[:, i] for sheet in sheets])
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
        first=one.learners[i], second=one.learners[j], difference=float(abs(means[i] - means[j])), varies="sd",
        value=sd, lower=sd * sqrt(df / chi2_quantile(1 - TAIL, df)), upper=sd * sqrt(df / chi2_quantile(TAIL, df)),
        folds=runs if runs > 1 else None,
    )  # fmt: skip


def of_holes(one: Scores, card: Card, missing: Missing) -> Pilot:
    """The sd from the tasks that have all learners, and the share of scores that are missing."""
    facts = read_layout(one, level=card.level)
    dropped = Missing.DROP_BLOCK if missing is Missing.ERROR and facts.n_missing else missing
    found = read_pilot(one, card, missing=dropped)
    return replace(found, absent=facts.n_missing / facts.n_cells if facts.n_missing else nan)


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


_SPECIAL: Mapping[str, Callable[[Scores, Card, Missing], Pilot]] = {
    "delong": of_areas,
    "hotelling": of_several_measures,
    "manova": of_several_measures,
    "two-way-anova": of_cells,
    "skillings-mack": of_holes,
    "variance-ratio": of_squares,
}
