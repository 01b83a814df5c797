"""The small questions, from counts alone: how well a rate of x of n is known, whether two rates differ, and from which
probability on a decision is the cheaper one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import nan
from typing import Any

from bakeoff import text as show
from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import check_alternative, check_confidence
from bakeoff.mathematics.proportions import INTERVALS, proportion_interval
from bakeoff.measures.curves import decision_threshold
from bakeoff.procedures.rates import binomial_test, two_proportions
from bakeoff.records import Answer, Record


@dataclass(frozen=True, slots=True, eq=False)
class Rate(Record):
    """x of n, with the interval of each method by name, the recommended one first. `p` is that of the exact test
    against `p0`; NaN if there is none."""

    x: float
    n: float
    intervals: dict[str, tuple[float, float]]
    p0: float = nan
    p: float = nan

    @property
    def rate(self) -> float:
        return self.x / self.n

    @property
    def in_words(self) -> str:
        return f"{show.number(self.x, 12)} of {show.number(self.n, 12)} = {show.number(self.rate)}"


@dataclass(frozen=True, slots=True, eq=False)
class Rates(Answer):
    """One rate with its intervals; or two of test sets of their own, with the difference, its interval and test."""

    rates: tuple[Rate, ...]
    confidence: float
    alternative: str
    difference: float = nan
    lower: float = nan
    upper: float = nan
    wald: tuple[float, float] = (nan, nan)
    z: float = nan
    p: float = nan

    @property
    def sentence(self) -> str:
        """The answer in words."""
        level = show.percent(self.confidence)
        if len(self.rates) == 1:
            (only,) = self.rates
            text = f"{only.in_words}; {level} interval {show.interval(*next(iter(only.intervals.values())))} (Wilson)."
            if only.p0 == only.p0:
                text += f" Exact test against {show.number(only.p0)}: {show.p_equals(only.p)}."
            return text
        first, second = self.rates
        return (
            f"{first.in_words} and {second.in_words}: they differ by {show.number(self.difference)}, {level} interval "
            f"{show.interval(self.lower, self.upper)} (Newcombe), z = {show.number(self.z)}, {show.p_equals(self.p)}. "
            + ("These counts tell them apart." if self.p <= 1 - self.confidence else _NOT_APART)
            + " This is for two test sets that share no instance; on the same instances keep the answers and use "
            "`bakeoff compare`."
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = [
            "",
            *(f"{show.percent(self.confidence)} {name.replace('_', '–')}" for name in self.rates[0].intervals),
        ]
        rows = [[rate.in_words, *(show.interval(*ends) for ends in rate.intervals.values())] for rate in self.rates]
        transposed = [[header[i], *(row[i] for row in rows)] for i in range(1, len(header))]
        return ["interval", *(row[0] for row in rows)], transposed

    def to_text(self) -> str:
        parts = [show.wrapped(self.sentence), show.text_table(*self.table())]
        if len(self.rates) == 2:
            parts.append(f"Wald's interval of the difference, for comparison: {show.interval(*self.wald)}")
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"sentence": self.sentence, **show.to_json_value(self)}
        return fields

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{show.html_table(*self.table())}"


_NOT_APART = "These counts do not tell them apart, which is not evidence that they are equal."


def rate_interval(
    x: float,
    n: float,
    *other: float,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    p0: float | None = None,
) -> Rates:
    """How well a rate of x of n is known; with two more numbers, how it differs from a second rate x of n.

    `alternative` "less" or "greater" gives intervals with one end, and a test of that side; `p0` is a rate that was
    fixed in advance, which x of n is tested against.

    >>> print(rate_interval(750, 1000).sentence)
    750 of 1000 = 0.75; 95 % interval [0.7222, 0.7758] (Wilson).
    >>> round(rate_interval(56, 70, 48, 80).lower, 4)
    0.0524
    """
    check_confidence(confidence)
    check_alternative(alternative)
    if len(other) not in (0, 2):
        raise UsageError(f"A rate is two numbers, x of n, and two rates are four; found {2 + len(other)} numbers.")
    pairs = [(x, n), *([(other[0], other[1])] if other else [])]
    rates = tuple(_rate(right, of, confidence, alternative, p0) for right, of in pairs)
    if not other:
        return Rates(rates, confidence, alternative)
    if p0 is not None:
        raise UsageError("p0 is for one rate: two are tested against each other. Leave it out.")
    first, second = rates
    pair = (first.rate, n, second.rate, other[1])
    result = two_proportions(*pair, confidence=confidence, alternative=alternative)
    wald = two_proportions(*pair, confidence=confidence, alternative=alternative, interval="wald")
    ends = (result.lower, result.upper)
    return Rates(
        rates, confidence, alternative, result.estimate, *ends, (wald.lower, wald.upper), result.statistic, result.p
    )


def _rate(x: float, n: float, confidence: float, alternative: str, p0: float | None) -> Rate:
    whole = n == n and n > 0 and n == n // 1
    if not whole or not 0 <= x <= n:
        raise UsageError(
            f"A rate is x of n, with a whole n of at least 1 and x from 0 to n; found {x:g} of {n:g}. Say how many "
            "were right of how many: bakeoff interval 750 1000."
        )
    ends = {
        name: proportion_interval(x, n, confidence=confidence, method=name, alternative=alternative)
        for name in INTERVALS
    }
    tested = nan if p0 is None else binomial_test(x, n, p0, alternative=alternative).p
    return Rate(x, n, ends, nan if p0 is None else p0, tested)


def counts_in(words: Sequence[str]) -> list[float]:
    """The numbers in words such as 750 1000, or 30/40 35/50.

    >>> counts_in(["30/40", "35/50"])
    [30.0, 40.0, 35.0, 50.0]
    """
    numbers = [part.strip() for word in words for part in word.replace(",", " ").replace("/", " ").split()]
    try:
        counts = [float(part) for part in numbers]
    except ValueError:
        raise UsageError(f"Counts were expected, as 750 1000 or 30/40 35/50; found {' '.join(words)!r}.") from None
    if len(counts) not in (2, 4):
        raise UsageError(
            f"Two counts make a rate (750 1000), four make two (30/40 35/50); found {len(counts)}: {' '.join(words)}."
        )
    return counts


# ----------------------------------------------------------------------------------------------------------------------
# The threshold that losses imply.


@dataclass(frozen=True, slots=True)
class Threshold:
    """The probability of the positive class above which saying so is the cheaper answer."""

    miss: float
    alarm: float
    threshold: float

    @property
    def sentence(self) -> str:
        return (
            f"Missing a positive costs {show.number(self.miss)} and a false alarm {show.number(self.alarm)}: say "
            f"positive where its probability is above {show.number(self.threshold)}."
        )

    def to_json(self) -> str:
        return show.to_json({"sentence": self.sentence, **show.to_json_value(self)})

    def __str__(self) -> str:
        return self.sentence


def threshold_of(miss: float, alarm: float = 1.0) -> Threshold:
    """From which probability of the positive class on it is cheaper to say positive: alarm / (miss + alarm).

    >>> print(threshold_of(5))
    Missing a positive costs 5 and a false alarm 1: say positive where its probability is above 0.1667.
    """
    for name, cost in (("a miss", miss), ("a false alarm", alarm)):
        if not 0 < cost < float("inf"):
            raise UsageError(f"The cost of {name} is a positive number; found {cost:g}.")
    return Threshold(float(miss), float(alarm), decision_threshold([[0, miss], [alarm, 0]]))
