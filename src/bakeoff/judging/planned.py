"""Planned or exploratory: was an analysis described before there were scores, or when they were known?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging.advice import recommend
from bakeoff.judging.case import Case
from bakeoff.measures import known_measure
from bakeoff.procedures import procedure_named
from bakeoff.scores import Scores
from bakeoff.scores.provenance import PlanStatus, Provenance
from bakeoff.text import listing

# What an analysis is described by beside its measure and its options, and what is meant where nothing is said.
_USUAL: dict[str, Any] = {
    "procedure": None,
    "contrast": "all-pairs",
    "control": None,
    "adjust": None,
    "alternative": "two-sided",
    "level": None,
    "missing": "error",
    "alpha": 0.05,
    "margin": None,
}


def plan_status_of(case: Case, fitting: str | None = None) -> PlanStatus | None:
    """Whether a case was planned in the study that its scores come from; None if that is not known.

    `fitting` is the procedure that fits the design, if it was found already: it is what a plan means that names none,
    and to name it then is to ask for what was planned.
    """
    scores, request = case.origin, case.original_request
    origin = scores.provenance
    if origin is None:
        return None
    measure = _single(request.measure or scores.measure.labels)
    described = _described({**request.describe(), "measure": measure})

    @cache
    def fits() -> str:
        return fitting or _recommended(case)

    reasons = [
        _why_not_planned(described, origin, fits),
        *_parts(scores, origin, described),
        *_turned(scores),
        *origin.changes,
    ]
    reason = ", ".join(each for each in reasons if each)
    return PlanStatus(origin.study, origin.key, not reason, reason)


def unplanned(scores: Scores, reason: str) -> PlanStatus | None:
    """The status of something that no study can plan."""
    origin = scores.provenance
    return None if origin is None else PlanStatus(origin.study, origin.key, False, reason)


def _recommended(case: Case) -> str:
    try:
        return recommend(case)
    except MisfitError:
        return ""  # none fits


def _described(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request as the description of a planned analysis has it, so that the same is the same however it was said."""
    description = {"measure": _single(request["measure"])}
    description |= {name: request.get(name, usual) for name, usual in _USUAL.items()}
    if description["procedure"] is not None:
        description["procedure"] = _canonical(description["procedure"])
    description["contrast"] = _single(description["contrast"])
    if description["contrast"] == "all-pairs" and description["control"] is not None:
        description["contrast"] = "control"
    description["missing"] = str(description["missing"])
    return {**description, "options": dict(request.get("options") or {})}


def _canonical(procedure: str) -> str:
    try:
        return procedure_named(procedure).name
    except UsageError:
        return procedure  # there is none of that name, which others will say


def _single(value: Any) -> Any:
    """One thing as itself, several as a list."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Sequence):
        return value
    return value[0] if len(value) == 1 else list(value)


def _why_not_planned(described: dict[str, Any], origin: Provenance, fits: Callable[[], str]) -> str:
    """The reason why an analysis was not planned; empty if it was."""
    planned, later = (list(map(_described, some)) for some in (origin.planned, origin.later))
    differing = [_differing(described, plan, fits) for plan in planned]
    if [] in differing:
        return ""
    if any(not _differing(described, plan, fits) for plan in later):
        return "it was written into the study after its first results were stored"
    if not planned:
        return "it planned none"
    names, nearest = min(zip(differing, planned, strict=True), key=lambda both: len(both[0]))
    return ", ".join(
        f"{'α' if name == 'alpha' else name} {_shown(name, described[name])} instead of {_shown(name, nearest[name])}"
        for name in names
    )


def _differing(described: Mapping[str, Any], plan: Mapping[str, Any], fits: Callable[[], str]) -> list[str]:
    """The names of what is not as in the plan. A procedure that is not named is the one that fits."""
    names = [name for name in described if described[name] != plan[name]]
    if "procedure" in names and None in (described["procedure"], plan["procedure"]):
        named = described["procedure"] or plan["procedure"]
        if fits() == named:
            names.remove("procedure")
    return names


def _shown(name: str, value: object) -> str:
    """A value as a reader of the reason would say it."""
    if value in (None, {}):
        return {"procedure": "the one that fits", "adjust": "its own", "level": "its own"}.get(name, "none")
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {item}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_shown(name, item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _turned(scores: Scores) -> Iterator[str]:
    """Measures whose direction was turned round when the table was read: the study knew the usual one."""
    for name, measure in scores.measures.items():
        known = known_measure(name)
        if known is not None and measure.larger_is_better is not known.larger_is_better and measure.by_user:
            yield f"{measure.better} {name} taken for better"


def _parts(scores: Scores, origin: Provenance, described: Mapping[str, Any]) -> Iterator[str]:
    """What of the study is left out. Whoever leaves out learners or tasks could have seen their results."""
    for noun, here, there in (("task", scores.tasks, origin.tasks), ("learner", scores.learners, origin.learners)):
        if set(there) - set(here):
            yield f"only {noun}{'s' * (len(here) > 1)} {listing(here)}"
        elif noun == "learner" and described["alternative"] != "two-sided" and here != there:
            # The side of a one-sided test is read off the order of the learners.
            yield f"learners in the order {', '.join(here)}"
