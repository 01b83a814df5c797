"""What a pilot tells about the experiment to come: how much scores vary, and how surely that is known."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.lab.powering.scales import BINARY
from bakeoff.mathematics.laws import chi2_quantile
from bakeoff.presentation import count, noun, number, percent
from bakeoff.procedures.card import Card, Compares
from bakeoff.procedures.result import is_constant
from bakeoff.procedures.wilson import proportion_interval
from bakeoff.scores import Layout, Level, Missing, Scores, blocks
from bakeoff.scores import layout as read_layout

Array = NDArray[np.float64]
CONFIDENCE = 0.9
# What power hangs on, in words; with the last two it is the difference itself.
CORRELATION, DISTANCE, RATIO = "correlation of their scores", "distance", "logarithm of the ratio"


@dataclass(frozen=True, eq=False)
class Pilot:
    """A small experiment that was made. `first` and `second` are the two best learners, or the two that were named.

    `varies` names what power hangs on, the sd or the share of discordant instances; `value` is the pilot's, `lower`
    and `upper` are the ends of its interval of CONFIDENCE. `difference` is how much better the first was, NaN if there
    is only one learner. `auc` is the second area under the ROC curve, `positives` the share of positive instances,
    `measures` the number of measures compared at once, `absent` the share of scores that are missing.
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
        what = "sd of the differences" if self.second and self.varies == "sd" else self.varies
        between = f" between {self.first} and {self.second}" if self.second else f" of {self.first}"
        told = np.isnan(self.difference) or self.varies == DISTANCE
        seen = "" if told else f", {self.first} better by {number(self.difference)}"
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
    facts = _layout_for(card, one, level, missing)
    sheet = blocks(one, level=facts.level, missing=missing)
    if sheet.n_blocks < 2:
        raise MisfitError(
            f"{one.source} has {sheet.n_blocks} {facts.level.value}: how much scores vary shows in two at least."
        )
    values = sheet.values * -sheet.measure.sign  # smaller is better, as in simulated scores
    folds = facts.folds if facts.level is Level.RESAMPLES and facts.folds > 1 else None
    known: dict[str, Any] = {
        "source": one.source,
        "measure": sheet.measure.name,
        "blocks": facts.level.value,
        "n": sheet.n_blocks,
        "learners": sheet.learners,
        "folds": folds,
    }
    if card.compares is Compares.ONE:
        return _of_one(card, values, known)
    if len(sheet.learners) < 2:
        raise MisfitError(f"{one.source} has one learner; {card.name} compares two at least.")
    i, j = (int(c) for c in np.argsort(values.mean(axis=0), kind="stable")[:2])
    known |= {"first": sheet.learners[i], "second": sheet.learners[j]}
    known["difference"] = float(values[:, j].mean() - values[:, i].mean())
    if card.name in BINARY:
        return _of_answers(card, values[:, i], values[:, j], facts, known)
    rho = correlation if correlation is not None else 1 / folds if folds else 0.0
    return _of_numbers(values, i, j, card.paired, rho, known)


def _layout_for(card: Card, one: Scores, level: Level | None, missing: Missing) -> Layout:
    try:
        return read_layout(one, level=level or card.level, missing=missing)
    except MisfitError:
        # A t test of differences may be planned for blocks of any kind.
        if level is None and card.name == "paired-t":
            return read_layout(one, missing=missing)
        raise


def _of_one(card: Card, values: Array, known: dict[str, Any]) -> Pilot:
    if values.shape[1] != 1:
        raise UsageError(
            f"{card.name} is about one learner; the pilot has {values.shape[1]}. Name one: --learner NAME."
        )
    column = values[:, 0]
    known |= {"first": known["learners"][0], "second": "", "difference": nan}
    if card.name in BINARY:
        rate = float(np.abs(column).mean())
        lower, upper = proportion_interval(round(rate * len(column)), len(column), confidence=CONFIDENCE)
        return Pilot(**known, varies="error rate", value=rate, lower=lower, upper=upper, error=rate)
    sd, lower, upper = _sd_with_interval(column)
    return Pilot(**known, varies="sd", value=sd, lower=lower, upper=upper)


def _of_answers(card: Card, first: Array, second: Array, facts: Layout, known: dict[str, Any]) -> Pilot:
    if not facts.binary:
        raise MisfitError(f"{card.name} counts right and wrong answers; the pilot's values are not 0 or 1.")
    # Measures of which larger is better come with the opposite sign: 0 is wrong then.
    wrong = second if second.min() >= 0 and first.min() >= 0 else second + 1
    n, unlike, error = len(first), int((first != second).sum()), float(wrong.mean())
    if not card.paired:
        lower, upper = proportion_interval(round(n * error), n, confidence=CONFIDENCE)
        return Pilot(**known, varies="error rate", value=error, lower=lower, upper=upper, error=error)
    lower, upper = proportion_interval(unlike, n, confidence=CONFIDENCE, method="clopper_pearson")
    return Pilot(
        **known, varies="share of discordant instances", value=unlike / n, lower=lower, upper=upper,
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
        **known, varies="sd", value=more * sd, lower=more * lower, upper=more * upper,
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
