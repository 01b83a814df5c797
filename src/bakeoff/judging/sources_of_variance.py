"""Where the variance of a comparison lies: between clusters, between items, between answers to one item; and what more
answers, items or clusters could still gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError
from bakeoff.mathematics.clusters import variance_components
from bakeoff.records import Record
from bakeoff.scores import Layout, Level, Scores
from bakeoff.scores.blocks import block_keys
from bakeoff.scores.layout import UNLIKE_RUNS
from bakeoff.scores.table import cell_numbers
from bakeoff.text import listing, number

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SourcesOfVariance(Record):
    """Variances of the difference between two learners on a single answer (or of the values of one learner).

    `sampling` is that between answers to one item, NaN if each was answered once; `items` then has it too. `cluster` is
    NaN without a sample of clusters. `answers` is the number of answers to an item that tells as much as those there
    are, `effective_clusters` the number of clusters of equal size.
    """

    first: str
    second: str
    cluster: float
    items: float
    sampling: float
    n_clusters: int
    effective_clusters: float
    n_items: int
    answers: float

    @property
    def shares(self) -> dict[str, float]:
        """The part of the whole variance that each source has."""
        known = {"cluster": self.cluster, "items": self.items, "sampling": self.sampling}
        parts = {name: value for name, value in known.items() if value == value}
        total = sum(parts.values())
        return {name: value / total if total > 0 else 0.0 for name, value in parts.items()}

    def standard_error(self, *, answers: float | None = None, items: float = 1.0, clusters: float = 1.0) -> float:
        """Of the mean, with so many answers to each item, and so many times as many items of a cluster, and clusters.

        √(σ²_cluster/C + (σ²_item + σ²_sampling/r)/n)
        """
        r = self.answers if answers is None else answers
        within = self.items + (self.sampling / r if self.sampling == self.sampling else 0.0)
        between = self.cluster / (self.effective_clusters * clusters) if self.cluster == self.cluster else 0.0
        return sqrt(between + within / (self.n_items * items * clusters))

    @property
    def sentence(self) -> str:
        """The shares, and what more of each would gain."""
        named = {"cluster": "between clusters", "items": "between items", "sampling": "between answers to one item"}
        if "sampling" not in self.shares:
            named["items"] = "between items of a cluster"
        (first, share), *others = self.shares.items()
        portions = [f"{100 * share:.1f} % lies {named[first]}"]
        portions += [f"{100 * share:.1f} % {named[name]}" for name, share in others]
        who = f"the difference between {self.first} and {self.second}" if self.second else f"the scores of {self.first}"
        now = self.standard_error()
        gains = []
        # A variance that is estimated as zero does not promise that nothing would be left.
        if self.sampling == self.sampling and (left := self.standard_error(answers=np.inf)) > 0:
            gains.append(f"{number(left, 3)} at best with more answers to each item")
        if self.cluster == self.cluster:
            if (left := self.standard_error(items=np.inf)) > 0:
                gains.append(f"{number(left, 3)} at best with more items of these clusters")
            gains.append(f"{number(self.standard_error(clusters=2), 3)} with twice as many clusters")
        else:
            gains.append(f"{number(self.standard_error(items=2), 3)} with twice as many items")
        gained = f"Its standard error of {number(now, 3)} would be about {listing(gains)}."
        return f"Of the variance of {who}, {listing(portions)}. {gained}"


def sources_of_variance(scores: Scores, layout: Layout, best_first: Sequence[str]) -> SourcesOfVariance | None:
    """The sources of variance of the difference between the two best learners; None where only one can be seen.

    Of each learner, answers to one item vary about their mean with v/(r − 1). Differences of these means vary from item
    to item by what items differ in and by v/r of each learner; where both learners have the same runs, it is the
    differences in these that are taken, whatever the two have in common there.
    """
    repeated = layout.answers > 1 or layout.own_runs > 1
    sampled = layout.clusters is not None and not layout.clusters.fixed
    if layout.level is not Level.INSTANCES or not (repeated or sampled) or not layout.matched or layout.n_missing:
        return None
    if any(doubt.code == UNLIKE_RUNS for doubt in layout.doubts):
        return None  # runs are a source of their own, which repeated answers to one item do not show
    names = [name for name in best_first if name in scores.learners][:2]
    keys = block_keys(scores, Level.INSTANCES)
    item = np.unique(cell_numbers(scores, keys), return_inverse=True)[1]
    rows = [np.flatnonzero(scores.learner.codes == scores.learners.index(name)) for name in names]
    n = int(item.max()) + 1
    if any(len(np.unique(item[part])) < n for part in rows):
        return None
    columns = [_Answers.of(scores.value[part], item[part], n) for part in rows]
    run = cell_numbers(scores, ("task", "repeat", "fold", "instance"))
    if len(rows) == 2 and np.array_equal(np.sort(run[rows[0]]), np.sort(run[rows[1]])):
        first, second = (part[np.argsort(run[part], kind="stable")] for part in rows)
        columns = [_Answers.of(scores.value[first] - scores.value[second], item[first], n)]
        d = columns[0].mean
    else:
        d = columns[0].mean - columns[1].mean if len(columns) == 2 else columns[0].mean
    sampling, share = sum(each.variance for each in columns), sum(each.share for each in columns)
    cluster, within, count, effective = np.nan, float(np.var(d, ddof=1)) if n > 1 else np.nan, 0, np.nan
    if sampled and layout.clusters is not None and scores.clusters is not None:
        labels = np.empty(n, dtype=np.intp)
        labels[item] = scores.clusters.labels.codes
        try:
            cluster, within = (float(v) for v in np.maximum(variance_components(d[:, None], labels).variances[:, 0], 0))
        except DegenerateError:
            return None
        count, effective = layout.clusters.n, layout.clusters.effective
    if not repeated or not sampling > 0 or within != within:
        sampling = share = np.nan
    items = max(within - (share if share == share else 0.0), 0.0)
    if not (within > 0 and (repeated or sampled)) or (sampling != sampling and cluster != cluster):
        return None
    answers = sampling / share if share == share and share > 0 else 1.0
    second_name = names[1] if len(names) > 1 else ""
    return SourcesOfVariance(names[0], second_name, cluster, items, sampling, count, effective, n, answers)


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """Of the answers to each item their mean; the variance of a single one, and its part in the variance of a mean."""

    mean: Array
    variance: float
    share: float

    @classmethod
    def of(cls, values: Array, item: NDArray[np.intp], n: int) -> _Answers:
        count = np.bincount(item, minlength=n)
        mean = np.bincount(item, weights=values, minlength=n) / count
        left = float(np.sum((values - mean[item]) ** 2))
        df = len(values) - n
        variance = left / df if df > 0 else 0.0
        return cls(mean, variance, variance * float(np.mean(1 / count)))
