"""Bootstrap intervals of any measure: of each learner and of differences between them, from predictions.

Measures such as F₁ or the AUC belong to all rows together, so that rows have no scores to be compared by. Rows, or
whole clusters of them, are drawn with replacement, for all learners at once, and the measure is computed again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, MisfitError, UsageError, nearest
from bakeoff.mathematics.checks import count as whole_number
from bakeoff.mathematics.clusters import bootstrap_statistic
from bakeoff.mathematics.laws import check_alpha
from bakeoff.measures import Measure
from bakeoff.measures.response import Prediction
from bakeoff.measures.responses import response_from
from bakeoff.procedures.clusters import FEWEST_RESAMPLED, percentile_interval
from bakeoff.records import Record
from bakeoff.scores.reading import read_predicted
from bakeoff.scores.reading.predictions import PredictedRows
from bakeoff.text import count, interval, number, p_value, percent, text_table, to_json, to_json_value, wrapped

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
MOST_UNDEFINED = 0.05  # share of resamples in which a measure may not exist


@dataclass(frozen=True, slots=True, eq=False)
class ResampledRow(Record):
    """A learner's value, or the difference of two; p is about differences only. The interval is pointwise."""

    contrast: str
    estimate: float
    lower: float
    upper: float
    p: float = float("nan")


@dataclass(frozen=True, eq=False)
class Resampled(Record):
    """Percentile intervals of a measure, from resamples of rows or of whole clusters."""

    source: str
    measure: Measure
    n_rows: int
    n_clusters: int
    column: str
    resamples: int
    undefined: int
    seed: int
    alpha: float
    rows: tuple[ResampledRow, ...]

    @property
    def sentence(self) -> str:
        """What was drawn, and what the intervals are."""
        drawn = f"{count(self.n_rows)} rows"
        if self.n_clusters:
            drawn += f" in {count(self.n_clusters)} clusters ({self.column}: a sample of such), drawn as a whole"
        left_out = f"; in {count(self.undefined)} of them the measure does not exist" if self.undefined else ""
        return (
            f"{self.source}: {self.measure.name} ({self.measure.better} is better), {percent(1 - self.alpha)} "
            f"percentile intervals from {count(self.resamples)} resamples of {drawn}, seed {self.seed}{left_out}. "
            "Each interval is about its own row: several comparisons are not adjusted for."
        )

    def to_text(self) -> str:
        cells = [
            [row.contrast, number(row.estimate), interval(row.lower, row.upper), p_value(row.p)] for row in self.rows
        ]
        return wrapped(self.sentence) + "\n\n" + text_table(["", self.measure.name, "interval", "p"], cells)

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([{name: getattr(row, name) for name in ResampledRow.__slots__} for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = to_json_value(self)
        return fields

    def to_json(self) -> str:
        return to_json(self)

    def __str__(self) -> str:
        return self.to_text()


def bootstrap(
    source: str | os.PathLike[str] | pd.DataFrame,
    measure: str,
    *,
    cluster: str | None = None,
    ignore: str | Sequence[str] = (),
    learners: Sequence[str] | None = None,
    alpha: float = 0.05,
    resamples: int = 2_000,
    seed: int = 1,
) -> Resampled:
    """Bootstrap intervals of a measure for each learner and for the difference of each pair, from predictions.

    `source` is a file or table of predictions: the truth, and a column for each learner with labels, probabilities of
    class 1, or numbers. `cluster` names the column of what several rows have in common: whole clusters are then drawn.
    Percentiles of few draws are too narrow, so that fewer than fifty rows or clusters are refused.

    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 200)
    >>> table = pd.DataFrame({"truth": y, "a": y, "b": np.where(rng.random(200) < 0.3, 1 - y, y)})
    >>> found = bootstrap(table, "f1", resamples=199)
    >>> [row.contrast for row in found.rows], found.rows[2].lower > 0
    (['a', 'b', 'a − b'], True)
    """
    check_alpha(alpha)
    if (whole_number(resamples, "resamples") + 1) * alpha < 2:
        raise UsageError(f"{resamples} resamples have no percentiles at α = {alpha:g}: use {round(2 / alpha)} or more.")
    given = read_predicted(source, cluster=cluster, ignore=ignore)
    response = response_from(measure, given.truth.kind, given.truth.classes or None)
    names = _chosen(given, learners)
    codes = None if given.cluster is None else given.cluster.codes
    units = len(given.truth.values) if codes is None else len(np.unique(codes))
    if units < FEWEST_RESAMPLED:
        what = "rows" if codes is None else f"clusters ({given.column})"
        raise MisfitError(
            f"{given.source} has {units} {what}, and percentiles of so few are too narrow: {FEWEST_RESAMPLED} at "
            "least.",
            alternatives=["bakeoff compare with a measure that each row has, such as error, for which few will do"],
        )

    def values(rows: Array) -> Array:
        which = rows[:, 0].astype(np.intp)
        truth = given.truth.rows(which)
        try:
            return np.array([response.of(truth, _rows(given.predictions[name], which)) for name in names])
        except DegenerateError:  # a resample without one of the classes
            return np.full(len(names), np.nan)

    everything = np.arange(len(given.truth.values), dtype=float)[:, None]
    whole = np.array([response.of(given.truth, given.predictions[name]) for name in names])
    drawn = bootstrap_statistic(everything, values, codes, resamples=resamples, seed=seed)
    known = drawn[~np.isnan(drawn).any(axis=1)]
    if len(known) < (1 - MOST_UNDEFINED) * len(drawn):
        raise DegenerateError(
            f"In {len(drawn) - len(known)} of {len(drawn)} resamples {response.name} does not exist, as where a class "
            "is missing: what is left of them would be no fair draw."
        )
    sign = response.measure.sign
    rows = tuple(_intervals(names, sign * whole, sign * known, sign, alpha))
    return Resampled(
        given.source, response.measure, len(everything), 0 if codes is None else units, given.column, len(drawn),
        len(drawn) - len(known), seed, alpha, rows,
    )  # fmt: skip


def _intervals(names: Sequence[str], whole: Array, drawn: Array, sign: int, alpha: float) -> Iterator[ResampledRow]:
    """Learners and pairs from the best on; values count in the direction in which larger is better."""
    order = np.argsort(-whole, kind="stable").tolist()
    for i in order:
        low, high, _ = percentile_interval(np.sort(sign * drawn[:, i]), alpha, "two-sided")
        yield ResampledRow(names[i], float(sign * whole[i]), low, high)
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            low, high, p = percentile_interval(np.sort(sign * (drawn[:, i] - drawn[:, j])), alpha, "two-sided")
            same = np.ptp(drawn[:, i] - drawn[:, j]) == 0 and whole[i] == whole[j]
            ends = (float("nan"), float("nan"), 1.0) if same else (low, high, p)
            yield ResampledRow(f"{names[i]} − {names[j]}", float(sign * (whole[i] - whole[j])), *ends)


def _chosen(given: PredictedRows, learners: Sequence[str] | None) -> list[str]:
    known: Mapping[str, Prediction] = given.predictions
    for name in learners or ():
        if name not in known:
            raise UsageError(f"There is no learner {name!r} in {given.source}. {nearest(name, known)}")
    return list(known) if not learners else list(dict.fromkeys(learners))


def _rows(prediction: Prediction, which: NDArray[np.intp]) -> Prediction:
    scores = None if prediction.scores is None else prediction.scores[which]
    return Prediction(prediction.values[which], scores, prediction.probabilistic)
