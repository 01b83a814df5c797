"""How often a test of one rate rejects, exactly, for any rate tested against, any number of instances and any truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff import text as show
from bakeoff.errors import UsageError
from bakeoff.power_analysis.formulas import power_binomial, power_normal_approximation
from bakeoff.power_analysis.methods import card_of
from bakeoff.procedures import procedures
from bakeoff.procedures.card import Card, PowerFormula
from bakeoff.records import Answer, Record

if TYPE_CHECKING:
    import pandas as pd

_FORMULAS = {PowerFormula.ONE_RATE: power_binomial, PowerFormula.ONE_RATE_NORMAL: power_normal_approximation}


def is_about_one_rate(card: Card) -> bool:
    return card.power in _FORMULAS


@dataclass(frozen=True, slots=True, eq=False)
class Rejection(Record):
    """If the true rate is `rate`: the chances to find it smaller than p0, and larger."""

    rate: float
    smaller: float
    larger: float

    @property
    def either(self) -> float:
        return self.smaller + self.larger


@dataclass(frozen=True, eq=False)
class RejectionChances(Answer):
    """The rejection probabilities of a test of one rate. `at` is the one that was asked about, if any."""

    procedure: str
    title: str
    n: int
    p0: float
    alpha: float
    sides: int
    table: tuple[Rejection, ...]
    at: Rejection | None = None

    @property
    def sentence(self) -> str:
        test = f"{self.title} on {show.counted(self.n, 'instances')} against {show.number(self.p0)}"
        test += f" ({'two-sided' if self.sides == 2 else 'one-sided'}, α = {show.number(self.alpha)})"
        row = self.at or next(row for row in self.table if row.rate == self.p0)
        itself = "" if self.at is not None else " itself"
        return (
            f"{test}: if the rate is {show.number(row.rate)}{itself}, it rejects with probability {self._chance(row)}."
        )

    def _chance(self, row: Rejection) -> str:
        either = f"{show.number(row.either, 4)} " if self.sides == 2 else ""
        parts = f"smaller {show.number(row.smaller, 3)}, larger {show.number(row.larger, 3)}"
        return f"{either}({parts})" if self.sides == 2 else parts

    def cells(self) -> tuple[list[str], list[list[str]]]:
        header = ["true rate", "found smaller", "found larger", *(["rejected"] if self.sides == 2 else [])]
        rows = [
            [show.number(row.rate), show.number(row.smaller, 3), show.number(row.larger, 3)]
            + ([show.number(row.either, 3)] if self.sides == 2 else [])
            for row in self.table
        ]
        return header, rows

    def to_text(self) -> str:
        note = "Exact, by the binomial law."
        if self.sides == 1:
            note += " Each column is a one-sided test of its own."
        return f"{show.wrapped(self.sentence)}\n{note}\n\n{show.text_table(*self.cells(), left=0)}"

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(
            {name: [getattr(row, name) for row in self.table] for name in ("rate", "smaller", "larger", "either")}
        )

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"sentence": self.sentence, **show.to_json_value(self)}
        return fields

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{show.html_table(*self.cells())}"


def rejections(
    test: str,
    n: int,
    p0: float,
    *,
    rate: float | None = None,
    rates: Sequence[float] | None = None,
    alpha: float = 0.05,
    one_sided: bool = False,
) -> RejectionChances:
    """How often a test of one rate rejects with n instances, if the true rate is `rate`, and at a range of `rates`.

    At the rate p0 itself it is the size of the test: of the exact one never above α, and well below it for few
    instances; of the normal approximation now and then above it.

    >>> found = rejections("binomial", 20, 0.3, rate=0.5)
    >>> round(found.at.larger, 4), round(found.at.smaller, 4)
    (0.4119, 0.0)
    """
    card = card_of(test)
    if not is_about_one_rate(card):
        named = ", ".join(each.card.name for each in procedures() if is_about_one_rate(each.card))
        raise UsageError(f"{card.title} does not test one rate against p0. Those that do: {named}.")
    given = [*([] if rate is None else [rate]), *(rates or ())]
    for name, value in (("p0", p0), *(("A true rate", one) for one in given)):
        if not 0 <= value <= 1 or (name == "p0" and value in (0, 1)):
            raise UsageError(f"{name} is a rate between 0 and 1; found {value!r}.")
    if n != n // 1 or n < 1:
        raise UsageError(f"n, the number of instances, is a whole number of at least 1; found {n!r}.")
    shown = rates if rates is not None else _around(n, p0)
    table = tuple(_at(card, n, p0, one, alpha, one_sided) for one in sorted({*map(float, shown), p0}))
    at = None if rate is None else _at(card, n, p0, rate, alpha, one_sided)
    return RejectionChances(card.name, card.title, int(n), p0, alpha, 1 if one_sided else 2, table, at)


def _at(card: Card, n: int, p0: float, rate: float, alpha: float, one_sided: bool) -> Rejection:
    """Larger than p0 is smaller in the mirror: errors and right answers change places."""
    formula, sides = _FORMULAS[card.power], 1 if one_sided else 2  # type: ignore[index]
    return Rejection(
        rate,
        formula(n, p0, rate, alpha=alpha, sides=sides),
        formula(n, 1 - p0, 1 - rate, alpha=alpha, sides=sides),
    )


def _around(n: int, p0: float) -> list[float]:
    """Rates within four standard errors of p0, and no further than a rate can be."""
    reach = 4 * np.sqrt(p0 * (1 - p0) / n)
    below, above = np.linspace(max(p0 - reach, 0.0), p0, 7), np.linspace(p0, min(p0 + reach, 1.0), 7)
    return [float(f"{rate:.3g}") for rate in (*below[:-1], *above[1:])]
