"""The familywise error: the chance of any false claim among several, and which hypotheses each adjustment rejects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff import presentation as show
from bakeoff.adjustments import ADJUSTMENTS, adjust, adjustment_named
from bakeoff.errors import UsageError
from bakeoff.joint_laws import RangeLaw
from bakeoff.mathematics.checks import count
from bakeoff.mathematics.laws import check_alpha, t_quantile

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

# Those that need nothing but the p-values.
METHODS = tuple(name for name, method in ADJUSTMENTS.items() if method.of_pairs is None and name != "none")


def independent_error(alpha: float, tests: int) -> float:
    """1 − (1 − α)^J: the chance of any false claim among J independent tests at level α, all hypotheses true.

    >>> round(independent_error(0.05, 20), 2)
    0.64
    """
    return float(-np.expm1(_checked(tests) * np.log1p(-check_alpha(alpha))))


def bonferroni_bound(alpha: float, tests: int) -> float:
    """Jα, but at most 1: what the familywise error cannot exceed, however the tests depend on each other.

    >>> round(bonferroni_bound(0.05, 6), 4)
    0.3
    """
    return min(1.0, _checked(tests) * check_alpha(alpha))


def all_pairs_error(alpha: float, k: int, df: float = inf) -> float:
    """The exact familywise error of all pairwise z tests (with `df`, of t tests) between k equal means.

    It is less than that of independent tests: five means have ten pairs, and .286 where ten independent tests have
    .401. (Feelders and Verkooijen say that dependence makes it larger; by Šidák's inequality it does not.)

    >>> round(all_pairs_error(0.05, 5), 3), round(independent_error(0.05, 10), 3)
    (0.286, 0.401)
    """
    if _checked(k) < 2:
        raise UsageError(f"Pairs need at least two means; found k = {k}.")
    quantile = t_quantile(1 - check_alpha(alpha) / 2, df)
    return float(RangeLaw(k, df).tail(np.array(quantile), k * (k - 1) // 2))


def level_for(alpha: float, tests: int, method: str = "bonferroni") -> float:
    """The level of a single test at which J tests together keep α: α/J (bonferroni) or 1 − (1 − α)^(1/J) (sidak).

    >>> round(level_for(0.05, 10), 4), round(level_for(0.05, 10, "sidak"), 4)
    (0.005, 0.0051)
    """
    check_alpha(alpha)
    if method == "sidak":
        return float(-np.expm1(np.log1p(-alpha) / _checked(tests)))
    if method != "bonferroni":
        raise UsageError(f"One level for all tests is bonferroni's or sidak's; found {method!r}.")
    return alpha / _checked(tests)


def _checked(tests: float) -> int:
    n = count(tests, "number of tests")
    if n < 1:
        raise UsageError("At least one test is needed; found 0.")
    return n


@dataclass(frozen=True, eq=False)
class Rejections:
    """Several hypotheses and, by each method, their adjusted p-values. A hypothesis is rejected if that is ≤ α."""

    p: tuple[float, ...]
    alpha: float
    adjusted: dict[str, tuple[float, ...]]

    def rejects(self, method: str) -> tuple[bool, ...]:
        """Which hypotheses a method rejects, in the order given."""
        name = adjustment_named(method).name
        if name not in self.adjusted:
            raise UsageError(f"{method!r} was not asked for. Known are: {', '.join(self.adjusted)}.")
        return tuple(value <= self.alpha for value in self.adjusted[name])

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells: a row a hypothesis, a column a method; a star marks what it rejects."""

        def marked(p: float) -> str:
            return ("*" if p <= self.alpha else "") + show.p_value(p)

        header = ["hypothesis", "p", *self.adjusted]
        columns = [self.p, *self.adjusted.values()]
        return header, [[f"H{i + 1}", *(marked(column[i]) for column in columns)] for i in range(len(self.p))]

    def to_text(self) -> str:
        m = len(self.p)
        lines = [
            f"{m} p-value{'s' * (m != 1)}, adjusted; * rejected at α = {show.number(self.alpha)}",
            show.text_table(*self.table()),
            f"Without adjustment, {self._true} some false claim with probability "
            f"{show.number(independent_error(self.alpha, m), 3)}.",
        ]
        for name in self.adjusted:
            method, found = ADJUSTMENTS[name], self.rejects(name)
            which = show.listing([f"H{i + 1}" for i, one in enumerate(found) if one], 12) or "nothing"
            lines.append(f"  {method.title} rejects {which}; it controls {method.controls}.")
        return "\n".join(show.wrapped(line, indent="    ") if line.startswith("  ") else line for line in lines)

    @property
    def _true(self) -> str:
        m = len(self.p)
        return "a test of a true hypothesis makes" if m == 1 else f"{m} independent tests of true hypotheses make"

    def to_frame(self) -> pd.DataFrame:
        """A row a hypothesis: p, and for each method the adjusted p and whether it is rejected."""
        import pandas as pd

        columns: dict[str, Any] = {"hypothesis": [f"H{i + 1}" for i in range(len(self.p))], "p": self.p}
        for name, values in self.adjusted.items():
            columns[name], columns[f"{name}_rejects"] = values, self.rejects(name)
        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = show.plain(self)
        return {**made, "rejected": {name: list(self.rejects(name)) for name in self.adjusted}}

    def to_json(self) -> str:
        return show.to_json(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return show.html_table(*self.table(), f"rejected (*) at α = {show.number(self.alpha)}")


def rejected(p: ArrayLike, alpha: float = 0.05, methods: Sequence[str] = METHODS) -> Rejections:
    """Which of several hypotheses each adjustment rejects, at the familywise (or false discovery) rate α.

    >>> found = rejected([0.01, 0.02, 0.04])
    >>> found.rejects("bonferroni"), found.rejects("holm"), found.rejects("hochberg")
    ((True, False, False), (True, True, True), (True, True, True))
    """
    check_alpha(alpha)
    try:
        values = np.atleast_1d(np.asarray(p, dtype=float))
    except (TypeError, ValueError):
        raise UsageError("p-values must be numbers; found something else among them.") from None
    if values.ndim != 1 or len(values) == 0:
        raise UsageError(f"At least one p-value is needed, in one list; found the shape {values.shape}.")
    if np.isnan(values).any():
        raise UsageError("A p-value is missing (NaN): leave the hypothesis out, or count it as p = 1.")
    names = [adjustment_named(name).name for name in methods]
    adjusted = {name: tuple(adjust(values, name).tolist()) for name in names}
    return Rejections(tuple(values.tolist()), float(alpha), adjusted)
