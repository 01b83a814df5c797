"""What learners answered on test samples, and what is made of it: curves over thresholds, confusion matrices, and how
far probabilities can be taken at their word.

Scores of different fits are on different scales, so that test samples are not thrown together unless it is asked for:
each has a curve of its own, and the curves are averaged at equal x (vertically; Fawcett 2006,
doi:10.1016/j.patrec.2005.10.010). One test sample has its curve as it is. After leave-one-out no sample has a curve,
and the scores are pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, MisfitError, UsageError, nearest
from bakeoff.mathematics.auc import auc
from bakeoff.mathematics.checks import Array
from bakeoff.mathematics.laws import check_confidence
from bakeoff.measures import curves
from bakeoff.measures.curves import (
    ManyClass,
    TwoClass,
    auc_interval,
    cheapest_class,
    many_class_measures,
    one_versus_rest,
    risk,
)
from bakeoff.records import Record

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
GRID = np.linspace(0, 1, 101)
_ROUNDING = 1e-12
BOOTSTRAP, MOST_DRAWN = 1000, 4_000_000  # resamples of a pointwise band, and numbers that may be drawn for it


@dataclass(frozen=True, eq=False)
class AnsweredRows:
    """A test sample: the codes of true and assigned classes, and scores: of the second class, or a column a class.

    `probabilistic` scores are probabilities.
    """

    truth: Codes
    assigned: Codes | None
    scores: Array | None
    probabilistic: bool = False

    def of_class(self, code: int) -> Array | None:
        """The scores of a class."""
        if self.scores is None or self.scores.ndim == 2:
            return None if self.scores is None else self.scores[:, code]
        if code == 1:
            return self.scores
        return 1 - self.scores if self.probabilistic else -self.scores


@dataclass(frozen=True, eq=False)
class LearnerAnswers:
    """What a learner answered on the test samples of a task."""

    task: str
    learner: str
    classes: tuple[str, ...]
    samples: tuple[AnsweredRows, ...]

    def code_of(self, positive: str | None) -> int:
        """The code of the class that is held against the others; of two it is the second if it is not named."""
        where = f"{self.task!r}" if self.task else "the file"
        if positive is not None:
            if positive not in self.classes:
                raise UsageError(f"{where} has no class {positive!r}. {nearest(positive, self.classes)}")
            return self.classes.index(positive)
        if len(self.classes) != 2:
            raise MisfitError(
                f"A curve over thresholds tells two classes apart, and {where} has {len(self.classes)}: "
                f"{', '.join(self.classes)}.",
                alternatives=["--positive NAME: one class against all others"],
            )
        return 1

    def against_rest(self, code: int, probabilities: bool = False) -> list[tuple[Array, Array]]:
        """Of each test sample: truth in zeros and ones, and the scores of that class."""
        columns = []
        for sample in self.samples:
            scores = sample.of_class(code)
            if scores is None or (probabilities and not sample.probabilistic):
                what = "probabilities" if probabilities and scores is not None else "scores"
                given = "scores that are none" if scores is not None else "classes"
                raise MisfitError(
                    f"{self.learner} gave no {what}{f' on {self.task}' if self.task else ''}, only {given}, so that "
                    + ("they cannot be held against outcomes." if probabilities else "there are no thresholds."),
                    alternatives=["--learner NAME (repeated): learners that give probabilities or a decision function"],
                )
            columns.append(((sample.truth == code).astype(float), scores))
        return columns


# ----------------------------------------------------------------------------------------------------------------------
# Curves.


@dataclass(frozen=True)
class CurveKind:
    """A kind of curve. Between two points it goes straight, or stays as high as at the next threshold (`stepped`)."""

    title: str
    of: Callable[[Any, Any], curves.Curve]
    stepped: bool = False


KINDS = {
    "roc": CurveKind("ROC curve", curves.roc_curve),
    "pr": CurveKind("Precision–recall curve", curves.precision_recall_curve, stepped=True),
    "sensitivity-specificity": CurveKind("Sensitivity–specificity curve", curves.sensitivity_specificity_curve),
    "lift": CurveKind("Lift curve", curves.lift_curve, stepped=True),
    "cost": CurveKind("Cost curve", curves.cost_curve),
}
BANDS = ("simultaneous", "pointwise", "none")


@dataclass(frozen=True, eq=False)
class LearnerCurve:
    """The curve of a learner on a task; `skipped` of its test samples had no rows of one of the two classes.

    `pooled`: the scores of all samples were thrown together. `band` names what lies between `lower` and `upper` (places
    `band_x`): "simultaneous" or "pointwise", of one sample, or "spread" over several; empty without one. `area` is that
    under the ROC curve, of one sample with DeLong's interval, of several the mean with one standard deviation to either
    side. `share` is that of positives among the test rows.
    """

    task: str
    learner: str
    kind: str
    positive: str
    names: tuple[str, str]
    x: Array
    y: Array
    samples: int
    skipped: int = 0
    pooled: bool = False
    band: str = ""
    band_x: Array | None = None
    lower: Array | None = None
    upper: Array | None = None
    area: tuple[float, float, float] = (nan, nan, nan)
    share: float = nan

    def to_dict(self) -> dict[str, Any]:
        record = {
            "task": self.task,
            "learner": self.learner,
            "kind": self.kind,
            "positive": self.positive,
            "x_is": self.names[0],
            "y_is": self.names[1],
            "x": self.x.tolist(),
            "y": self.y.tolist(),
            "test_samples": self.samples,
            "skipped": self.skipped,
            "pooled": self.pooled,
            "auc": list(self.area),
            "share_of_positives": self.share,
        }
        if self.band_x is not None and self.lower is not None and self.upper is not None:
            ends = {"x": self.band_x.tolist(), "lower": self.lower.tolist(), "upper": self.upper.tolist()}
            record["band"] = {"kind": self.band, **ends}
        return record


def kind_named(kind: str) -> CurveKind:
    if kind not in KINDS:
        raise UsageError(f"There is no curve {kind!r}. {nearest(kind, KINDS)}")
    return KINDS[kind]


def learner_curve(
    answers: LearnerAnswers,
    kind: str = "roc",
    *,
    positive: str | None = None,
    pool: bool = False,
    band: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> LearnerCurve:
    """The curve of a learner: of its test sample, the mean of those of several, or of all samples thrown together.

    Samples of one row each (leave-one-out) are pooled without being asked.
    """
    made_as, code = kind_named(kind), answers.code_of(positive)
    samples = answers.against_rest(code)
    pooled = len(samples) > 1 and (pool or all(len(truth) == 1 for truth, _ in samples))
    used = [(np.concatenate([t for t, _ in samples]), np.concatenate([s for _, s in samples]))] if pooled else samples
    there = []
    for truth, scores in used:
        try:
            there.append((truth, scores, made_as.of(truth, scores)))
        except DegenerateError:
            continue
    if not there:
        raise MisfitError(
            f"No test sample of {answers.task!r} has rows both of {answers.classes[code]!r} and of others.",
            alternatives=["larger test samples: fewer folds, or stratify = true", "--pool: all samples together"],
        )
    x, y = (there[0][2].x, there[0][2].y) if len(there) == 1 else averaged([c for _, _, c in there], made_as.stepped)
    bounds = _band(kind, [c for _, _, c in there], there[0][:2], band, confidence, seed)
    areas = np.array([auc(truth, scores) for truth, scores, _ in there if 0 < truth.sum() < len(truth)])
    every = np.concatenate([truth for truth, _ in samples])
    return LearnerCurve(
        answers.task, answers.learner, kind, answers.classes[code], there[0][2].names, x, y,
        len(samples), 0 if pooled else len(samples) - len(there), pooled, *bounds,
        area=_area(areas, there[0][:2], confidence), share=float(every.mean()),
    )  # fmt: skip


def averaged(each: Sequence[curves.Curve], stepped: bool) -> tuple[Array, Array]:
    """The mean of the curves at equal x."""
    return GRID, np.mean([_at(GRID, curve, stepped) for curve in each], axis=0)


def _at(x: Array, curve: curves.Curve, stepped: bool) -> Array:
    """A curve at other places. Where it goes straight up or down, its highest point is what a threshold can reach."""
    places = np.unique(curve.x)
    highest = np.array([curve.y[curve.x == place].max() for place in places])
    nearest_above = np.minimum(np.searchsorted(places, x - _ROUNDING), len(places) - 1)
    if stepped:
        return np.asarray(highest[nearest_above])
    ascending = slice(None) if curve.x[0] <= curve.x[-1] else slice(None, None, -1)
    between = np.interp(x, curve.x[ascending], curve.y[ascending])
    return np.where(np.abs(places[nearest_above] - x) <= _ROUNDING, highest[nearest_above], between)


def _area(areas: Array, first: tuple[Array, Array], confidence: float) -> tuple[float, float, float]:
    if not len(areas):
        return nan, nan, nan
    if len(areas) > 1:
        mean, spread = float(areas.mean()), float(areas.std(ddof=1))
        return mean, mean - spread, mean + spread
    try:
        return (float(areas[0]), *auc_interval(*first, confidence))
    except DegenerateError:
        return float(areas[0]), nan, nan


def _band(
    kind: str,
    each: Sequence[curves.Curve],
    sample: tuple[Array, Array],
    band: str | None,
    confidence: float,
    seed: int,
) -> tuple[str, Array | None, Array | None, Array | None]:
    """What the band is called, where it is, and its ends; only the rates of a ROC curve have one."""
    if band is not None and band not in BANDS:
        raise UsageError(f"A band is {', '.join(BANDS[:-1])} or none; found {band!r}.")
    if band == "none" or kind not in ("roc", "sensitivity-specificity"):
        return "", None, None, None
    turned = kind == "sensitivity-specificity"
    if len(each) > 1:
        heights = np.array([_at(GRID, curve, False) for curve in each])
        mean, sd = heights.mean(axis=0), heights.std(axis=0, ddof=1)
        return "spread", GRID, np.clip(mean - sd, 0, 1), np.clip(mean + sd, 0, 1)
    truth, scores = sample
    if turned:  # specificity against sensitivity is the ROC curve of the other class, turned round
        truth, scores = 1 - truth, -scores
    bounds = pointwise_band(truth, scores, confidence, seed) if band == "pointwise" else simultaneous_band(
        truth, scores, confidence
    )  # fmt: skip
    x, lower, upper = bounds
    name = band or "simultaneous"
    return (name, 1 - x[::-1], lower[::-1], upper[::-1]) if turned else (name, x, lower, upper)


def simultaneous_band(truth: Array, scores: Array, confidence: float = 0.95) -> tuple[Array, Array, Array]:
    """Places, and ends of a band that the whole true ROC curve lies in with that confidence.

    Campbell (1994), doi:10.1002/sim.4780130508: the laws of scores of positives and of negatives lie within
    Kolmogorov's distances of the empirical ones, each with the root of the confidence; so the true curve at x lies
    between the lowest and the highest that the empirical one has within the one distance, moved by the other.

    >>> x, lower, upper = simultaneous_band(np.repeat([1.0, 0.0], 50), np.arange(100.0)[::-1])
    >>> round(float(lower[50]), 3), float(upper[50])
    (0.795, 1.0)
    """
    curve = curves.roc_curve(truth, scores)
    positives, negatives = int(truth.sum()), int(len(truth) - truth.sum())
    level = sqrt(check_confidence(confidence))
    along, up = (_kolmogorov_distance(level, n) for n in (negatives, positives))
    last = np.searchsorted(curve.x, GRID + along + _ROUNDING, side="right") - 1  # the highest at most so far right
    first = np.searchsorted(curve.x, GRID - along - _ROUNDING, side="left")  # the lowest at least so far right
    upper = np.minimum(curve.y[np.minimum(last, len(curve.y) - 1)] + up, 1.0)
    lower = np.maximum(curve.y[first] - up, 0.0)
    lower[GRID - along <= 0] = 0.0  # no threshold is known to lie to the right
    upper[GRID + along >= 1] = 1.0
    return GRID, lower, upper


@cache
def _kolmogorov_distance(level: float, n: int) -> float:
    """Which an empirical law of n values keeps from the true one with that chance. All learners share it: n is that of
    the test sample."""
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, n))


def pointwise_band(truth: Array, scores: Array, confidence: float = 0.95, seed: int = 0) -> tuple[Array, Array, Array]:
    """Places, and ends of intervals for the height of the ROC curve at each: percentiles of a bootstrap that resamples
    positives and negatives by themselves."""
    check_confidence(confidence)
    random = np.random.default_rng(seed)
    distinct, place = np.unique(-scores, return_inverse=True)
    draws = int(np.clip(MOST_DRAWN // len(distinct), 200, BOOTSTRAP))
    rates = []
    for side in (0.0, 1.0):
        here = np.bincount(place[truth == side], minlength=len(distinct))
        drawn = random.multinomial(int(here.sum()), here / here.sum(), size=draws)
        rates.append(np.cumsum(drawn, axis=1) / here.sum())
    heights = np.array([np.interp(GRID, np.append(0.0, x), np.append(0.0, y)) for x, y in zip(*rates, strict=True)])
    lower, upper = np.quantile(heights, ((1 - confidence) / 2, (1 + confidence) / 2), axis=0)
    return GRID, lower, upper


# ----------------------------------------------------------------------------------------------------------------------
# Which of several ROC curves is best depends on what errors cost (Alpaydın, section 19.7 and figure 19.3b).


@dataclass(frozen=True, eq=False)
class Preference(Record):
    """For losses of a missed positive from `ratio_from` to `ratio_to` times that of a false alarm these learners are
    the cheapest, at this point of their curves."""

    ratio_from: float
    ratio_to: float
    learners: tuple[str, ...]
    fp_rate: float
    tp_rate: float


def preferences(each: Sequence[LearnerCurve]) -> list[Preference]:
    """Who is cheapest for which ratio of losses, at the share of positives in the test rows.

    The cheapest points for any losses are the corners of the convex hull of all curves together, and a corner is the
    cheapest as long as the line of equal cost is steeper than the edge behind it and flatter than the one before it:
    its slope is (1 − π)/(π r), where r is the ratio and π the share of positives. Provost and Fawcett (2001),
    doi:10.1023/A:1007601015854. Ratios at which all is called negative, or all positive, belong to every learner.

    >>> one = LearnerCurve("t", "careful", "roc", "1", ("fp-rate", "tp-rate"), np.array([0, 0, 1.0]),
    ...                    np.array([0, 0.5, 1.0]), 1, share=0.5)
    >>> two = LearnerCurve("t", "bold", "roc", "1", ("fp-rate", "tp-rate"), np.array([0, 0.5, 1.0]),
    ...                    np.array([0, 1.0, 1.0]), 1, share=0.5)
    >>> [(made.ratio_from, made.ratio_to, made.learners) for made in preferences([one, two])]
    [(0.0, 1.0, ('careful',)), (1.0, inf, ('bold',))]
    """
    owners: dict[tuple[float, float], list[str]] = {}
    for curve in each:
        for x, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True):
            owners.setdefault((round(x, 12), round(y, 12)), []).append(curve.learner)
    for trivial in ((0.0, 0.0), (1.0, 1.0)):
        owners[trivial] = [curve.learner for curve in each]
    share = float(np.mean([curve.share for curve in each]))
    odds = (1 - share) / share
    corners = _upper_hull(sorted(owners))
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) if b[0] > a[0] else inf for a, b in pairwise(corners)]
    ratios = [0.0, *(odds / slope if slope > 0 else inf for slope in slopes), inf]
    result: list[Preference] = []
    for i, corner in enumerate(corners):
        low, high = ratios[i], ratios[i + 1]
        if high <= low:
            continue
        names = tuple(dict.fromkeys(owners[corner]))
        if result and result[-1].learners == names:
            low = result.pop().ratio_from
        result.append(Preference(low, high, names, *corner))
    return result


def _upper_hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of the hull from (0, 0) to (1, 1), seen from above; points on an edge are none."""
    hull: list[tuple[float, float]] = []
    for point in points:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) >= -_ROUNDING:
            hull.pop()
        hull.append(point)
    return hull


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Positive if c lies to the left of the way from a to b."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


# ----------------------------------------------------------------------------------------------------------------------
# Confusion matrices.


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often each class (row) was taken for each (column), over all `samples` test samples of a task together.

    `cheapest` counts the classes that would cost least by the stored probabilities, if a loss was given; None without.
    """

    task: str
    learner: str
    classes: tuple[str, ...]
    matrix: Counts
    samples: int
    cheapest: Counts | None = None

    @property
    def measures(self) -> ManyClass:
        """Accuracy, kappa, and recall, precision and F₁ of each class."""
        return many_class_measures(self.matrix)

    def against_rest(self, name: str) -> TwoClass:
        """One class against all others: its tp-rate, fp-rate, specificity and whatever else two classes have."""
        if name not in self.classes:
            raise UsageError(f"There is no class {name!r} here. {nearest(name, self.classes)}")
        return one_versus_rest(self.matrix, self.classes.index(name))

    def risk(self, loss: Sequence[Sequence[float]]) -> float:
        """The average loss; loss[i][j] is the cost of assigning class j where i is true."""
        return risk(self.matrix, loss)

    def to_dict(self) -> dict[str, Any]:
        measures = self.measures
        each = {"recall": measures.recall, "precision": measures.precision, "f1": measures.f1}
        return {
            "task": self.task,
            "learner": self.learner,
            "classes": list(self.classes),
            "matrix": self.matrix.tolist(),
            "test_samples": self.samples,
            "accuracy": measures.accuracy,
            "kappa": measures.kappa,
            **{name: values.tolist() for name, values in each.items()},
        }


def confusion(answers: LearnerAnswers, loss: Array | None = None) -> Confusion:
    """The counts of a learner; with a loss also those of the cheapest classes by its probabilities.

    >>> rows = AnsweredRows(np.array([0, 1, 1]), np.array([0, 0, 1]), None)
    >>> confusion(LearnerAnswers("", "svm", ("cat", "dog"), (rows,))).matrix.tolist()
    [[1, 0], [1, 1]]
    """
    k = len(answers.classes)
    if loss is not None and loss.shape != (k, k):
        raise UsageError(
            f"The loss is a number for each pair of the {k} classes of {answers.task!r}, row by row: {k * k} of them; "
            f"found {loss.size}."
        )
    matrix, cheapest = np.zeros((k, k), dtype=np.int64), None if loss is None else np.zeros((k, k), dtype=np.int64)
    for sample in answers.samples:
        if sample.assigned is None:
            raise MisfitError(
                f"{answers.learner} assigned no classes, only scores, which have no threshold of their own.",
                alternatives=["bakeoff curves FILE: all thresholds at once"],
            )
        np.add.at(matrix, (sample.truth, sample.assigned), 1)
        if cheapest is None or loss is None:
            continue
        if sample.scores is None or not sample.probabilistic:
            cheapest = None  # a learner without probabilities in one sample has them in none
        else:
            of = sample.scores if sample.scores.ndim == 2 else np.column_stack([1 - sample.scores, sample.scores])
            np.add.at(cheapest, (sample.truth, cheapest_class(of, loss)), 1)
    return Confusion(answers.task, answers.learner, answers.classes, matrix, len(answers.samples), cheapest)


# ----------------------------------------------------------------------------------------------------------------------
# Whether probabilities can be taken at their word.


@dataclass(frozen=True, eq=False)
class Reliability(Record):
    """Of the rows whose probability lies in a class: how many, their mean probability, and the share of positives with
    an interval."""

    learner: str
    low: float
    high: float
    rows: int
    predicted: float
    observed: float
    lower: float
    upper: float


def reliability(answers: LearnerAnswers, *, positive: str | None = None, classes: int = 10) -> list[Reliability]:
    """Classes of equal width from 0 to 1, those without rows left out; the 95 % intervals are Wilson's, pointwise.

    >>> rows = AnsweredRows(np.array([0, 1, 1, 0]), None, np.array([0.1, 0.9, 0.8, 0.85]), probabilistic=True)
    >>> made = reliability(LearnerAnswers("", "svm", ("no", "yes"), (rows,)), classes=2)
    >>> [(one.rows, round(one.predicted, 3), round(one.observed, 3)) for one in made]
    [(1, 0.1, 0.0), (3, 0.85, 0.667)]
    """
    from bakeoff.mathematics.proportions import proportion_interval

    if not 2 <= classes <= 100:
        raise UsageError(f"Probabilities are put into 2 to 100 classes; found {classes}.")
    parts = answers.against_rest(answers.code_of(positive), probabilities=True)
    truth, chance = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    edges = np.linspace(0, 1, classes + 1)
    place = np.clip(np.searchsorted(edges, chance, side="right") - 1, 0, classes - 1)
    diagrams = []
    for i in range(classes):
        here = place == i
        if here.any():
            n, hits = int(here.sum()), int(truth[here].sum())
            ends = proportion_interval(hits, n, confidence=0.95)
            low, high = float(edges[i]), float(edges[i + 1])
            diagrams.append(Reliability(answers.learner, low, high, n, float(chance[here].mean()), hits / n, *ends))
    return diagrams
