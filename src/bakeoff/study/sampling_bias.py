"""Sampling bias: whether the rows that are tested on are drawn as those that are learned from.

Splits that bakeoff draws at random are so by construction. A test sample that came with the data, folds of somebody
else's and splits of the user's own need not be: their classes may be there in other proportions, and their inputs may
come from elsewhere. That is looked for by a test of the proportions, and by a classifier that is to tell the two parts
apart on rows that it has not seen (Lopez-Paz and Oquab 2017, arXiv:1610.06545).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.mathematics.auc import auc
from bakeoff.mathematics.laws import chi2_sf, normal_sf
from bakeoff.resampling.split import TEST, Split
from bakeoff.tasks.dataset import Dataset
from bakeoff.text import TaskRemark, listing, number, p_equals, per_hundred, percent

DRIFT, PROPORTIONS = "drift", "class-proportions"
LEVEL = 0.01  # of each warning for a task
MOST_SPLITS, MOST_ROWS, FEWEST = 5, 4000, 40
_TELLING = 1.2  # times the mean weight of an input, to be named
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Apart:
    """How well a classifier tells learning from test rows, on rows that it has not seen; ½ is chance."""

    auc: float
    p: float
    inputs: tuple[str, ...] = ()  # by which it does so, the first being the most telling


def about_parts(data: Dataset, splits: Sequence[Split], seed: int) -> Iterator[TaskRemark]:
    """Warnings on splits that were not drawn at random from the rows."""
    some = [split for split in splits if split.role == TEST][:MOST_SPLITS]
    if data.codes is not None:
        yield from _proportions(data, some)
    scores = [told_apart(data, split.train, split.test, seed) for split in some]
    known = [(number, one) for number, one in enumerate(scores, 1) if one is not None]
    worst = min(known, key=lambda each: each[1].p, default=None)
    if worst is not None and worst[1].p <= LEVEL / len(known):
        which = "the test rows" if len(some) == 1 else f"the test rows of split {worst[0]}"
        telling = f", above all by {listing(list(worst[1].inputs), 3)}" if worst[1].inputs else ""
        own = f"{data.name}: a classifier tells {which} from those that are learned from{telling}"
        yield TaskRemark(
            DRIFT,
            f"{own} (AUC {number(worst[1].auc, 2)}",
            (
                f"on rows that it has not seen, {p_equals(worst[1].p)}):",
                "they are not drawn alike, and scores on them say less about new rows of either kind.",
            ),
            "Find out how the test rows were collected. Split all rows at random (pool = true), or say for which rows "
            "the conclusion is to hold.",
        )


def _proportions(data: Dataset, splits: Sequence[Split]) -> Iterator[TaskRemark]:
    assert data.codes is not None
    worst, which = 1.0, None
    for split in splits:
        counts = [np.bincount(data.codes[rows], minlength=len(data.classes)) for rows in (split.train, split.test)]
        p = proportions_p(np.array(counts))
        if p < worst:
            worst, which = p, counts
    if which is None or worst > LEVEL / len(splits):
        return
    shares = [counts / counts.sum() for counts in which]
    most = int(np.argmax(np.abs(shares[1] - shares[0])))
    learned, tested = (float(share[most]) for share in shares)
    own = f"{data.name}: class {data.classes[most]} makes {percent(learned)} of the rows that are learned from"
    yield TaskRemark(
        PROPORTIONS,
        f"{own} and {per_hundred(tested)}",
        (f"% of those that are tested on ({p_equals(worst)}).",),
        "Stratify the split, or weigh the classes as they will be met; rates such as the error hold for the "
        "proportions of the test rows only.",
    )


def proportions_p(counts: NDArray[np.int64]) -> float:
    """Pearson's χ² test that two samples have their classes in one proportion; classes of fewer than five expected
    rows are thrown together."""
    table = counts[:, counts.sum(axis=0) > 0].astype(float)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    small = expected.min(axis=0) < 5
    if small.sum() > 1:
        table = np.column_stack([table[:, ~small], table[:, small].sum(axis=1)])
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    if table.shape[1] < 2 or expected.min() < 1:
        return 1.0
    statistic = float(((table - expected) ** 2 / expected).sum())
    return float(chi2_sf(statistic, table.shape[1] - 1))


def told_apart(data: Dataset, train: Any, test: Any, seed: int) -> Apart | None:
    """Fit a classifier to one half of the rows of both parts, and see how it orders the other half.

    p is that of Mann and Whitney's test, which holds for the half that was not fitted, whatever the classifier. None
    where there are too few rows, or inputs that are no table.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    learned, tested = (rng.permutation(np.unique(rows))[:MOST_ROWS] for rows in (train, test))
    if data.form != "table" or min(len(learned), len(tested)) < FEWEST:
        return None
    from sklearn.ensemble import ExtraTreesClassifier

    halves = [(rows[: len(rows) // 2], rows[len(rows) // 2 :]) for rows in (learned, tested)]
    fitted_to, seen = (np.concatenate([half[i] for half in halves]) for i in range(2))
    labels = [np.repeat([0, 1], [len(halves[0][i]), len(halves[1][i])]) for i in range(2)]
    forest = ExtraTreesClassifier(200, min_samples_leaf=3, class_weight="balanced", random_state=seed % 2**31)
    inputs = _numbers(data, np.concatenate([fitted_to, seen]))
    forest.fit(inputs[: len(fitted_to)], labels[0])
    score = forest.predict_proba(inputs[len(fitted_to) :])[:, 1]
    area = float(auc(labels[1], score))
    n0, n1 = int((labels[1] == 0).sum()), int((labels[1] == 1).sum())
    _, ties = np.unique(score, return_counts=True)
    n = n0 + n1
    variance = (n + 1 - float((ties**3 - ties).sum()) / (n * (n - 1))) / (12 * n0 * n1)
    p = float(normal_sf((area - 0.5) / sqrt(variance))) if variance > 0 else 1.0
    weight = forest.feature_importances_ * inputs.shape[1]  # one on average
    order = [i for i in np.argsort(-weight, kind="stable")[:3] if weight[i] > _TELLING]
    names = tuple(data.features[i] for i in order) if len(data.features) == inputs.shape[1] else ()
    return Apart(area, p, names)


def _numbers(data: Dataset, rows: NDArray[np.integer[Any]]) -> Array:
    """The inputs of some rows as numbers: categories by their codes, missing values by a number below all others. Only
    these rows are read: all of them may be more than memory holds."""
    X, _ = data.rows(rows)
    if hasattr(X, "iloc"):
        columns = []
        for name in X.columns:
            series = X[name]
            numeric = series.dtype.kind in "biuf" if hasattr(series.dtype, "kind") else False
            columns.append(series.to_numpy(float) if numeric else _codes(series))
        table = np.column_stack(columns)
    else:
        table = np.array(X, dtype=float)
    low = np.nanmin(table, axis=0, initial=0.0) - 1
    return np.asarray(np.where(np.isnan(table), low, table))


def _codes(series: Any) -> Array:
    codes = series.astype("category").cat.codes.to_numpy(float)
    return np.asarray(np.where(codes < 0, np.nan, codes))
