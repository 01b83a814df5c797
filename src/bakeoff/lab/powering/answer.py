"""The answer to a question about power: in words, as a table, as JSON, as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import isnan
from typing import TYPE_CHECKING, Any

from bakeoff import presentation as show
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.pilot import CONFIDENCE, Pilot
from bakeoff.lab.powering.smallest_p import SmallestP
from bakeoff.lab.powering.solving import Point

if TYPE_CHECKING:
    import pandas as pd

_FOUND = {
    "one": "a claim that the learner is better than the value tested against",
    "two": "a claim that the better of the two is better",
    "pair": "a claim that the best learner is better than the last one",
    "any": "a true claim about any pair of learners that differ",
    "all": "true claims about all pairs of learners that differ",
    "global": "a claim that the learners are not all alike",
}


@dataclass(frozen=True, slots=True)
class Pessimistic:
    """The same question, had the pilot been lucky: with the upper end of the interval of what it is unsure of."""

    varies: str
    value: float
    point: Point | None
    why_not: str = ""


@dataclass(frozen=True, eq=False)
class Power:
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
    smallest_p: SmallestP | None = None
    pilot: Pilot | None = None
    pessimistic: Pessimistic | None = None

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

    def _pessimistic_sentence(self, said: Pessimistic) -> str:
        level = show.percent((1 + CONFIDENCE) / 2)
        end = "lower" if self.pilot is not None and self.pilot.unlucky == self.pilot.lower else "upper"
        if_so = f"If the {said.varies} is {show.number(said.value)}, the {end} {level} confidence limit of the pilot"
        if said.point is None:
            return f"{if_so}: {said.why_not}"
        told = self._with(said.point)
        return f"{if_so}: {told[0].lower()}{told[1:]}."

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
        said = [f"Warning: {text}" for text in self.warnings] + [f"Note: {text}" for text in self.notes]
        if said:
            parts.append("\n".join(show.wrapped(line, indent="  ") for line in said))
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
        made: dict[str, Any] = show.plain(self)
        del made["guess"]["residuals"]
        if made["pilot"] is not None:
            del made["pilot"]["residuals"]
        return {"sentence": self.sentence, **made}

    def to_json(self) -> str:
        return show.to_json(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Power of {self.procedure}: {self.sentence}>"

    def _repr_html_(self) -> str:
        said = [*self.basis, *(f"Warning: {w}" for w in self.warnings), *(f"Note: {note}" for note in self.notes)]
        lines = "<br>".join(escape(line) for line in said)
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
