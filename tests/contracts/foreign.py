"""A procedure, two schemes and a measure from outside the package, as anybody would write them; and a plugin of pytest.

`pytest -p foreign` registers them before the contracts are collected, so that they run over these too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bakeoff import measures, procedures, resampling
from bakeoff.errors import UsageError
from bakeoff.measures import Measure
from bakeoff.measures.response import Prediction, Truth
from bakeoff.measures.responses import COMPUTED
from bakeoff.procedures.card import Compares, Published
from bakeoff.procedures.needs import SAMPLE_OF_PROBLEMS
from bakeoff.procedures.paired_t import mean_difference
from bakeoff.procedures.procedure import Result, procedure
from bakeoff.procedures.references import Reference
from bakeoff.resampling.scheme import Scheme, Sharing, split
from bakeoff.resampling.split import Sample, Split
from bakeoff.resampling.units import Units
from bakeoff.scores import Level


@procedure(
    Compares.PAIR,
    Level.TASKS,
    title="Paired t test over tasks, with a variance that is counted twice",
    question="Do two learners differ over tasks, by a test that nobody would use?",
    null="the two learners have the same mean score over tasks",
    assumes=(SAMPLE_OF_PROBLEMS,),
    conventions=("The variance of the mean is counted `times` over.",),
    references=(Reference("Nobody (2026), A test from outside."),),
    published=Published("the definition", "t = 2.449490", lambda: [cautious_t([3, 5, 4], [1, 2, 3]).statistic]),
    recommended_for="a demonstration",
    rank=99,
    options={"times": "how often the variance is counted"},
)
def cautious_t(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided", times: float = 2.0
) -> Result:
    """t of differences with too large a standard error."""
    n = np.size(a)
    return mean_difference(a, b, inflation=(times - 1) / n, confidence=confidence, alternative=alternative)


@dataclass(frozen=True)
class Alternating(Scheme):
    """Every k-th row, or every k-th group of rows, is tested on, by turns."""

    scheme: ClassVar[str] = "alternating"
    about: ClassVar[str] = "every k-th row is tested on, by turns"
    shares: ClassVar[Sharing | None] = Sharing.FOLDS
    partition: ClassVar[bool] = True
    by_chance: ClassVar[bool] = False

    folds: int = 5

    def count(self, sample: Sample) -> int:
        return self.folds

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        if units.n < self.folds:
            raise UsageError(
                f"{self.folds} turns need at least {units.word(self.folds)}; found {units.word(units.n)}. Take fewer."
            )
        turn = np.arange(units.n) % self.folds
        for fold in range(self.folds):
            yield split(1, fold + 1, units.rows(turn != fold), units.rows(turn == fold))


@dataclass(frozen=True)
class Silent(Alternating):
    """The same, without a word about what its splits share."""

    scheme: ClassVar[str] = "silent"
    shares: ClassVar[Sharing | None] = None


def worst_recall(truth: Truth, prediction: Prediction) -> float:
    """The share of the class that is recognised least."""
    right = truth.values == prediction.values
    return float(min(right[truth.values == code].mean() for code in np.unique(truth.values)))


WORST_RECALL = Measure("worst_recall", larger_is_better=True, lower=0, upper=1)


def register() -> None:
    measures.register(
        WORST_RECALL,
        other_names=["recall of the worst class"],
        needs="labels",
        compute=worst_recall,
        note="the class that is recognised least",
    )
    procedures.register(cautious_t.procedure)  # type: ignore[attr-defined]
    for kind in (Alternating, Silent):
        resampling.register(kind)


def forget() -> None:
    procedures._FOREIGN.clear()
    for name in measures.measure._OTHER_NAMES.pop("worst_recall", ()):
        del measures.measure._BY_ANY_NAME[name]
    for known in (measures.measure._BY_ANY_NAME, measures.KNOWN, COMPUTED):
        known.pop("worst_recall", None)
    for name in ("alternating", "silent"):
        resampling.SCHEMES.pop(name, None)


def pytest_configure(config: Any) -> None:
    """As a plugin: before anything is collected."""
    register()
