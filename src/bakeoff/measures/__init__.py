"""Measures: what a number means, and which direction is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bakeoff.measures.measure import KNOWN, LOSSES, Loss, Measure, add_measure, known_measure, loss_named

__all__ = ["KNOWN", "LOSSES", "Loss", "Measure", "known_measure", "loss_named", "register"]


def register(
    measure: Measure,
    *,
    other_names: Sequence[str] = (),
    needs: str = "",
    pointwise: Callable[..., Any] | None = None,
    compute: Callable[..., Any] | None = None,
    note: str = "",
) -> Measure:
    """Add a measure from outside the package: scores of it have a direction and a range from then on.

    A study computes it too, if one says what of a prediction it `needs` ("labels", "scores", "probabilities",
    "numbers" or "log densities") and gives a function of (truth, prediction): `pointwise` returns a value for each test
    row, whose mean is the measure, `compute` one for all rows together. Code of the user's own is part of what it is:
    edited, it is computed anew. Of code of an installed package the name alone counts.
    """
    if not (needs or pointwise or compute):
        add_measure(measure, other_names)
        return measure
    from bakeoff.measures.responses import COMPUTED, response_of

    response = response_of(measure, needs, pointwise, compute, note)
    add_measure(measure, other_names)
    COMPUTED[measure.name] = response
    return measure
