"""Planned or exploratory: whether an analysis was written down before there were results to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bakeoff.stores.history import study_of_first_results
from bakeoff.studies.analysis import Analysis
from bakeoff.studies.study import Study

if TYPE_CHECKING:
    from bakeoff.stores.reader import Reader


def why_exploratory(analysis: Analysis, study: Study, store: Reader) -> str | None:
    """The reason why an analysis was not planned; None if it was.

    What counts is the version of the study under which its first results came in: an analysis that is added to the
    file afterwards was thought of by somebody who could have seen them.
    """
    asked = analysis.describe()
    first = study_of_first_results(store, study.key)
    before = study.describe() if first is None else first.description
    planned = before["analyses"]
    if asked in planned:
        return None
    if any(asked == each.describe() for each in study.analyses):
        return "it was written into the study after its first results were stored"
    return _difference(asked, planned)


def _difference(asked: dict[str, object], planned: list[dict[str, object]]) -> str:
    """In what the analysis differs from the planned one that is nearest."""

    def differing(plan: dict[str, object]) -> list[str]:
        return [name for name in asked if asked[name] != plan.get(name)]

    nearest = min(planned, key=lambda plan: len(differing(plan)))
    return ", ".join(
        f"{'α' if name == 'alpha' else name} {_shown(name, asked[name])} instead of {_shown(name, nearest.get(name))}"
        for name in differing(nearest)
    )


def _shown(name: str, value: object) -> str:
    """A value as a reader of the reason would say it."""
    if value in (None, {}):
        return {"procedure": "the one that fits", "adjust": "its own", "level": "its own"}.get(name, "none")
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {item}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
