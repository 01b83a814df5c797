"""The answer to a question about power: in words, as a table, as JSON, as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import isnan
from typing import TYPE_CHECKING, Any

from bakeoff import text as show
from bakeoff.errors import UsageError
from bakeoff.figures.curves import PowerCurve
from bakeoff.mathematics.laws import check_alpha
from bakeoff.power_analysis.guess import Guess
from bakeoff.power_analysis.pilot import CONFIDENCE, Pilot
from bakeoff.power_analysis.solve import Point
from bakeoff.procedures import answering, explain, procedures
from bakeoff.records import Answer, Record
from bakeoff.text import count, noun, number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


# ----------------------------------------------------------------------------------------------------------------------
# The smallest p that a design can reach: with too few blocks no data are significant, whatever they say.
#
# Tests that count relabellings of the data have a smallest p: with n tasks there are 2ⁿ ways to swap two learners, and
# the most extreme of them, in both directions, are 2 of these. Tests with a continuous law reach any p.
_MOST = 1000


@dataclass(frozen=True, slots=True, eq=False)
class SmallestPAnswer(Record):
    """The smallest p of a test on n blocks. `needed` is the number of blocks from which on α can be reached.

    p is that of one test; of several pairs that share α, `tests` of them, the smallest adjusted p is p × tests.
    """

    procedure: str
    n: int
    blocks: str
    p: float
    alpha: float
    needed: int
    when: str
    tests: int = 1

    @property
    def adjusted(self) -> float:
        return min(1.0, self.p * self.tests)

    @property
    def in_reach(self) -> bool:
        return self.adjusted <= self.alpha

    @property
    def sentence(self) -> str:
        """The answer in words, a warning if α is out of reach."""
        family = ""
        if self.tests > 1:
            family = f" ({number(self.adjusted)} after adjustment for {self.tests} comparisons)"
        text = (
            f"With {count(self.n)} {noun(self.n, self.blocks)}, p of {self.procedure} cannot go below "
            f"{number(self.p)}{family}: "
            f"that is when {self.when}."
        )
        if self.in_reach:
            return text
        return (
            f"{text} α = {number(self.alpha)} is out of reach whatever the data say: it takes {self.needed} "
            f"{self.blocks} at least."
        )


def smallest_p(
    procedure: str,
    n: int,
    *,
    learners: int = 2,
    alpha: float = 0.05,
    sides: int = 2,
    resamples: int | None = None,
    tests: int = 1,
) -> SmallestPAnswer | None:
    """The smallest p of a test with n blocks; None if it can be as small as you like.

    `resamples` is the number of relabellings that a Monte-Carlo test draws: its p is 1/(resamples + 1) at least.

    >>> result = smallest_p("sign", 5)
    >>> result.p, result.in_reach, result.needed
    (0.0625, False, 6)
    >>> smallest_p("paired-permutation", 40, resamples=999).p
    0.001
    """
    check_alpha(alpha)
    bound = explain(procedure).smallest_p
    if bound is None or answering(explain(procedure), learners).smallest_p is None:
        return None
    if n < 1:
        raise UsageError(f"The number of blocks is one at least; found {n!r}.")
    half = 2 if explain(procedure).sides and sides == 1 else 1
    drawn = 1 / (resamples + 1) if resamples else 0.0

    def least(blocks_: int) -> float:
        return max(bound.law(blocks_, learners) / half, drawn)

    needed = next((m for m in range(1, _MOST) if least(m) * tests <= alpha), 0)
    if not needed:
        raise UsageError(
            f"With {resamples} relabellings drawn, p is {number(drawn)} at least, and α = {number(alpha)} for {tests} "
            f"comparison{'s' * (tests != 1)} is out of reach: draw at least {int(tests / alpha)}."
        )
    return SmallestPAnswer(procedure, int(n), bound.counted, least(int(n)), alpha, needed, bound.when, tests)


def has_smallest_p() -> tuple[str, ...]:
    """The tests whose p has a lower end."""
    return tuple(procedure.name for procedure in procedures() if procedure.card.smallest_p is not None)


# ----------------------------------------------------------------------------------------------------------------------
_FOUND = {
    "one": "a claim that the learner is better than the value tested against",
    "two": "a claim that the better of the two is better",
    "pair": "a claim that the best learner is better than the last one",
    "any": "a true claim about any pair of learners that differ",
    "all": "true claims about all pairs of learners that differ",
    "global": "a claim that the learners are not all alike",
}


@dataclass(frozen=True, slots=True, eq=False)
class Pessimistic(Record):
    """The same question, had the pilot been lucky: with the upper end of the interval of what it is unsure of."""

    varies: str
    value: float
    point: Point | None
    why_not: str = ""


@dataclass(frozen=True, eq=False)
class Power(Answer):
    """What was asked, what was found, and what it rests on.

    `solved_for` is n, difference or power; `at` holds all three (the power reached, not the one wanted) with the
    Monte-Carlo error, NaN if nothing was simulated. `standardised` differences are in standard deviations.
    """

    procedure: str
    title: str
    solved_for: str
    wanted: float | None
    at: Point
    blocks: str
    how: str
    guess: Guess
    standardised: bool
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    curve: tuple[Point, ...] = ()
    smallest_p: SmallestPAnswer | None = None
    pilot: Pilot | None = None
    pessimistic: Pessimistic | None = None

    def plot(self, ax: Axes | None = None) -> PowerCurve:
        """The power curve, drawn on an ax if one is given; `save(path)` makes a file of it."""
        chart = power_curve(self)
        if ax is not None:
            chart.draw(ax)
        return chart

    @property
    def n(self) -> int:
        return self.at.n

    @property
    def difference(self) -> float:
        return self.at.difference

    @property
    def power(self) -> float:
        return self.at.power

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error of the power; NaN if nothing was simulated."""
        return self.at.error

    @property
    def over(self) -> str:
        """What the curve runs over: n or difference."""
        return "difference" if self.solved_for == "difference" else "n"

    def difference_in_words(self, value: float) -> str:
        return f"{show.number(value)} sd" if self.standardised else show.number(value)

    def _with(self, point: Point) -> str:
        chance = chance_in_words(point)
        n = f"{show.count(point.n)} {show.noun(point.n, self.blocks)}"
        difference = self.difference_in_words(point.difference)
        if self.solved_for == "n":
            return f"{n} {'finds' if point.n == 1 else 'find'} a difference of {difference} with a power of {chance}"
        if self.solved_for == "difference":
            return f"With {n}, a difference of {difference} or more is found with a power of {chance}"
        missed = f"it is missed with a probability of {show.number(1 - point.power, 3)}"
        return f"With {n}, a difference of {difference} is found with a power of {chance}; {missed}"

    @property
    def sentence(self) -> str:
        """The answer."""
        wanted = f" ({show.number(self.wanted)} was wanted)" if self.solved_for == "n" and self.wanted else ""
        return f"{self._with(self.at)}{wanted}."

    @property
    def basis(self) -> list[str]:
        """What the answer rests on, in sentences."""
        guess = self.guess
        sides = "two-sided" if guess.sides == 2 else "one-sided"
        sided = "" if guess.find == "global" else f", {sides}"
        lines = [f"Test: {self.title} ({self.procedure}){sided}, α = {show.number(guess.alpha)}."]
        kind = {1: "one", 2: "two"}.get(guess.learners, "pair") if guess.find == "pair" else guess.find
        lines.append(f"Found is {_FOUND[kind]}. Power is {self.how}.")
        if self.assumptions:
            lines.append(f"Taken for granted: {'; '.join(self.assumptions)}.")
        if self.pilot is not None:
            lines.append(self.pilot.sentence)
        if self.pessimistic is not None:
            lines.append(self._pessimistic_sentence(self.pessimistic))
        return lines

    def _pessimistic_sentence(self, pessimistic: Pessimistic) -> str:
        level = show.percent((1 + CONFIDENCE) / 2)
        end = "lower" if self.pilot is not None and self.pilot.unlucky == self.pilot.lower else "upper"
        value = show.number(pessimistic.value)
        if_so = f"If the {pessimistic.varies} is {value}, the {end} {level} confidence limit of the pilot"
        if pessimistic.point is None:
            return f"{if_so}: {pessimistic.why_not}"
        text = self._with(pessimistic.point)
        return f"{if_so}: {text[0].lower()}{text[1:]}."

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells of the power curve."""
        header = [self.blocks, "difference", "power"]
        simulated = any(not isnan(p.error) for p in self.curve)
        cells = [
            [show.count(p.n), self.difference_in_words(p.difference), power_in_words(p)]
            + ([f"± {show.number(p.error, 2)}"] if simulated else [])
            for p in self.curve
        ]
        return header + (["Monte-Carlo error"] if simulated else []), cells

    def to_text(self) -> str:
        parts = [show.wrapped(self.sentence)]
        parts.append("\n".join(show.wrapped(line, indent="  ") for line in self.basis))
        lines = [f"Warning: {text}" for text in self.warnings] + [f"Note: {text}" for text in self.notes]
        if lines:
            parts.append("\n".join(show.wrapped(line, indent="  ") for line in lines))
        if self.curve:
            parts.append(show.text_table(*self.table(), left=0))
        return "\n\n".join(parts)

    def to_frame(self) -> pd.DataFrame:
        """The power curve, or the one point that was computed, with full precision."""
        import pandas as pd

        points = self.curve or (self.at,)
        return pd.DataFrame(
            {name: [getattr(p, name) for p in points] for name in ("n", "difference", "power", "error")}
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON knows it, but for the residuals of a pilot."""
        fields: dict[str, Any] = show.to_json_value(self)
        del fields["guess"]["residuals"]
        if fields["pilot"] is not None:
            del fields["pilot"]["residuals"]
        return {"sentence": self.sentence, **fields}

    def __repr__(self) -> str:
        return f"<Power of {self.procedure}: {self.sentence}>"

    def _repr_html_(self) -> str:
        remarks = [*self.basis, *(f"Warning: {w}" for w in self.warnings), *(f"Note: {note}" for note in self.notes)]
        lines = "<br>".join(escape(line) for line in remarks)
        table = show.html_table(*self.table(), "Power curve") if self.curve else ""
        return f"<p><b>{escape(self.sentence)}</b></p><p>{lines}</p>{table}"


def chance_in_words(point: Point) -> str:
    """A power, with its Monte-Carlo error if it was simulated."""
    error = "" if isnan(point.error) else f" ± {show.number(point.error, 2)}"
    return f"{power_in_words(point)}{error}"


def power_in_words(point: Point) -> str:
    """Three digits; what is nearly certain is not shown as certain.

    >>> power_in_words(Point(9, 0.1, 0.80778)), power_in_words(Point(9, 0.1, 0.9999))
    ('0.808', '>0.999')
    """
    return ">0.999" if point.power > 0.9995 and isnan(point.error) else show.number(point.power, 3)


# ----------------------------------------------------------------------------------------------------------------------
# The power curve of an answer, as the table behind a figure.
BAND = 2.0  # Monte-Carlo standard errors to either side


def power_curve(answer: Power) -> PowerCurve:
    """What there is to draw of an answer that has a curve."""
    if len(answer.curve) < 2:
        raise UsageError("This answer has no power curve to draw: ask for one (curve=True).")
    along_n = len({point.n for point in answer.curve}) > 1
    points = tuple(
        (
            float(point.n if along_n else point.difference),
            point.power,
            max(0.0, point.power - BAND * point.error),
            min(1.0, point.power + BAND * point.error),
        )
        if not isnan(point.error)
        else (float(point.n if along_n else point.difference), point.power, point.error, point.error)
        for point in answer.curve
    )
    if along_n:
        axis, fixed = answer.blocks, f"a difference of {answer.difference_in_words(answer.difference)}"
    else:
        unit = " (sd)" if answer.standardised else ""
        axis, fixed = f"difference{unit}", f"{count(answer.n)} {noun(answer.n, answer.blocks)}"
    band = f" The band is ± {BAND:g} Monte-Carlo standard errors." if not isnan(answer.error) else ""
    sides = "two-sided" if answer.guess.sides == 2 else "one-sided"
    return PowerCurve(
        points,
        (float(answer.n if along_n else answer.difference), answer.power),
        answer.wanted,
        answer.guess.alpha,
        axis,
        f"Power of {answer.procedure} for {fixed}",
        f"{answer.title}, {sides}, α = {number(answer.guess.alpha)}; {answer.how}. The dot: {axis} "
        f"{number(answer.n if along_n else answer.difference)}, power {chance_in_words(answer.at)}. "
        f"Dotted: α{'; dashed: the power wanted' if answer.wanted is not None else ''}.{band}",
    )
