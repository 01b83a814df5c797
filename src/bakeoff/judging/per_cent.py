"""Rates in per cent, for procedures whose mathematics takes them as shares of 1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bakeoff.measures import Measure
from bakeoff.procedures.card import Compares
from bakeoff.procedures.result import Procedure, Result


def unit_of(measure: Measure) -> float:
    """What a share of 1 is in the unit of a measure of rates.

    >>> unit_of(Measure("error", False, 0, 100)), unit_of(Measure("error", False, 0, 1))
    (100.0, 1.0)
    """
    return 100.0 if (measure.lower, measure.upper) == (0, 100) else 1.0


def in_unit(chosen: Procedure, unit: float) -> Procedure:
    """The procedure for rates in that unit: it answers in the unit in which it was asked.

    >>> from bakeoff.registry import procedure_named
    >>> in_unit(procedure_named("wilson"), 100.0).compute([75.0], 1000).estimate
    75.0
    """
    if unit == 1.0:
        return chosen
    columns = 1 if chosen.card.compares is Compares.ONE else 2

    def compute(*given: Any, **options: Any) -> Result:
        shares = [np.asarray(values, dtype=float) / unit for values in given[:columns]]
        found: Result = chosen.compute(*shares, *given[columns:], **options)
        return replace(found, estimate=unit * found.estimate, lower=unit * found.lower, upper=unit * found.upper)

    return replace(chosen, compute=compute)
