"""Which direction of a measure is better: from its name, or from the user, and never from a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.measures import Measure, known_measure
from bakeoff.measures.measure import SAID
from bakeoff.scores.factor import Factor

_ROUNDING = 1e-6  # a mean of single-precision numbers may exceed 1 by so much
_NO_PER_CENT = 1.5  # where the largest value is no larger, "in per cent" would be a guess


def directed(names: Sequence[str], larger_is_better: bool | None) -> dict[str, Measure]:
    """The measures whose direction is known by name or was said; `Scores` refuses those that are left.

    The user's word is about the one measure of a table, or about those of several that have no known direction.

    >>> directed(["rmse"], None)["rmse"].better
    'smaller'
    >>> directed(["frobscore"], True)["frobscore"].origin
    'as you said'
    >>> directed(["accuracy"], False)["accuracy"].origin
    'as you said; usually larger is better'
    """
    known = {name: measure for name in names if (measure := known_measure(name)) is not None}
    if larger_is_better is None:
        return known
    if len(names) == 1:
        return {names[0]: _as_said(names[0], known.get(names[0]), larger_is_better)}
    unknown = [name for name in names if name not in known]
    if not unknown:
        raise UsageError(
            f"Which measure is it whose direction you give? The table holds several ({', '.join(names)}), all with a "
            "known direction. Name one (--measure NAME; in Python measure=NAME), or leave the direction out."
        )
    return known | {name: _as_said(name, None, larger_is_better) for name in unknown}


def _as_said(name: str, known: Measure | None, larger_is_better: bool) -> Measure:
    if known is None:
        return Measure(name, larger_is_better, origin=SAID)
    if known.larger_is_better == larger_is_better:
        return replace(known, origin=SAID)
    return replace(known, larger_is_better=larger_is_better, origin=f"{SAID}; usually {known.better} is better")


def one_measure(asked: Sequence[str], because: str) -> UsageError:
    """The refusal of several measures by a table that holds one."""
    return UsageError(f"Say one measure, not {len(asked)} ({', '.join(asked)}): {because}.")


def with_range(
    measures: dict[str, Measure], measure: Factor, value: NDArray[np.float64]
) -> tuple[dict[str, Measure], list[str]]:
    """Fit the known range of a measure to the values found: an accuracy of 85 is in per cent, not above the ceiling.

    `measure` holds a label for each row of `value`, which may have several columns.

    >>> accuracy = directed(["accuracy"], None)
    >>> fitted, notes = with_range(accuracy, Factor.of(["accuracy"]), np.array([85.0]))
    >>> fitted["accuracy"].upper, notes
    (100, ['accuracy goes up to 85: read as per cent, from 0 to 100'])
    >>> with_range(accuracy, Factor.of(["accuracy"]), np.array([1.0000001]))[1]
    []
    """
    fitted, notes = dict(measures), []
    for code, name in enumerate(measure.labels):
        if name not in measures:
            continue
        its = value[measure.codes == code]
        its = its[np.isfinite(its)]
        if not len(its):
            continue
        low, high, usual = float(its.min()), float(its.max()), measures[name]
        if usual.lower - _ROUNDING <= low and high <= usual.upper + _ROUNDING:
            continue
        is_share = (usual.lower, usual.upper) == (0, 1)
        if is_share and low >= -_ROUNDING and high <= _NO_PER_CENT:
            fitted[name] = replace(usual, lower=-inf, upper=inf)
            notes.append(
                f"{name} goes up to {high:g}, which is neither a share from 0 to 1 nor likely a per cent: no range is "
                "assumed; look at the values above 1"
            )
        elif is_share and low >= 0 and high <= 100:
            fitted[name] = replace(usual, upper=100)
            notes.append(f"{name} goes up to {high:g}: read as per cent, from 0 to 100")
        else:
            fitted[name] = replace(usual, lower=-inf, upper=inf)
            notes.append(f"{name} goes from {low:g} to {high:g}, outside its usual range: no range is assumed")
    return fitted, notes
