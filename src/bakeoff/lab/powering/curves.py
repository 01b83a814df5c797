"""The power curve of an answer, as the table behind a figure."""

from __future__ import annotations

from math import isnan

from bakeoff.errors import UsageError
from bakeoff.figures.power_curve import PowerCurve
from bakeoff.lab.powering.answer import Power, chance_in_words
from bakeoff.presentation import count, noun, number

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
