"""Which measures are asked for: those of the study, which were stored, or others, which predictions are enough for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.measures.measure import Measure
from bakeoff.measures.response import Needs, Response
from bakeoff.measures.responses import response_from
from bakeoff.stores.grid import StudyGrid

Spec = str | Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """A measure, under which id it is stored if it is one of the study, and how it is computed if predictions do."""

    measure: Measure
    stored: int | None
    response: Response | None

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def computable(self) -> bool:
        """Whether it can be had for a cell that was stored without it."""
        return self.response is not None and self.response.needs is not Needs.ESTIMATOR

    @property
    def is_resource(self) -> bool:
        return self.response is not None and self.response.needs is Needs.RESOURCES


def asked_for(grid: StudyGrid, measures: Sequence[Spec] | None) -> list[Asked]:
    """The measures asked for, in that order; all of the study if none are named."""
    if measures is None:
        return [_of_study(name, number, definition) for name, (number, definition) in grid.measures.items()]
    if isinstance(measures, (str, Mapping)):
        raise UsageError(f"A list of measures was expected; found {measures!r}. Write [{measures!r}].")
    made = [_one(grid, spec) for spec in measures]
    names = [asked.name for asked in made]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"The measure {name!r} is asked for twice.")
    return made


def _one(grid: StudyGrid, spec: Spec) -> Asked:
    name = spec if isinstance(spec, str) else spec.get("name")
    if isinstance(name, str) and name in grid.measures:
        number, definition = grid.measures[name]
        if isinstance(spec, str) or response_from(spec).describe() == definition:
            return _of_study(name, number, definition)
    response = response_from(spec)
    if response.needs is Needs.ESTIMATOR:
        raise UsageError(
            f"The measure {response.name!r} needs the fitted estimator, which is not stored. Name it in the study "
            "before it is run, or ask for a measure that predictions are enough for."
        )
    return Asked(response.measure, None, response)


def _of_study(name: str, number: int, definition: Mapping[str, Any]) -> Asked:
    """A measure by its definition, which is `Response.describe`; a bare name if it was linked without one."""
    if "scorer" in definition:
        # A scorer is not imported to be read.
        larger = bool(definition.get("larger_is_better", True))
        return Asked(Measure(name, larger, origin="scorer of the study"), number, None)
    response = response_from(definition or name)
    return Asked(response.measure, number, response)
