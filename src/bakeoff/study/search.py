"""A response surface, iterated: fit, go where the surface is best, run that, fit again, until nothing is gained.

The first design is run as any study is. Then each step adds settings, which makes another version of the study: its
description has the steps, so that the store keeps them with their reasons, and what was run is not run again. A step
goes to the best point of the fitted surface; if that is no gain and the surface lacks fit, to a smaller design around
the best setting so far. A gain is told by the blocks, as two learners are: the corrected t test over what they share.
Steps choose where to look, and claim nothing; what may be claimed of the best setting, its verdict says.

References: Box and Wilson (1951), doi:10.1111/j.2517-6161.1951.tb00067.x; Alpaydın (2014), 19.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff.designs.response_surface import (
    BlockedSurface,
    best_in_region,
    central_composite,
    quadratic_terms,
    surface_in_blocks,
)
from bakeoff.errors import DegenerateError, MisfitError
from bakeoff.mathematics.checks import Array
from bakeoff.mathematics.laws import t_sf
from bakeoff.scores import Level, Scores, blocks
from bakeoff.scores import layout as layout_of
from bakeoff.study.design import SearchStep, StudyDesign
from bakeoff.text import listing, number, p_equals

if TYPE_CHECKING:
    from bakeoff.store.database import Place
    from bakeoff.store.reader import Reader
    from bakeoff.study.study import Study

STEPS = 10
GAIN, ZOOM = "best of the surface", "closer design"
_SMALLEST = 0.05  # half the width of a region, coded: closer than that no factor is worth setting
# Lack of fit decides here where to look, not what to claim: not to notice it would end the search too early.
_DOUBT = 0.25


def is_search(study: Study) -> bool:
    """Whether steps follow the first design of a study."""
    return study.design is not None and study.design.kind == "response-surface" and steps_of(study) > 0


def steps_of(study: Study) -> int:
    return int(study.design.options.get("steps", STEPS))


def at_end(study: Study, store: Reader) -> Study:
    """The study with all steps that a store holds of it."""
    if study.design is None or study.design.kind != "response-surface" or study.design.steps:
        return study
    ours = study.describe()
    longest: list[Mapping[str, Any]] = []
    for record in store.studies():
        theirs = record.description.get("design") or {}
        steps = theirs.get("steps", [])
        if len(steps) > len(longest) and _same_beginning(ours, record.description):
            longest = steps
    for step in longest:
        study = with_step(study, SearchStep(step["what"], step["why"], tuple(step["settings"])))
    return study


def _same_beginning(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Whether another version of a study differs in nothing but the settings that steps have added."""
    rest = [{k: v for k, v in one.items() if k not in ("design", "learners", "tasks")} for one in (ours, theirs)]
    names = [[task["name"] for task in one["tasks"]] for one in (ours, theirs)]
    designs = [{k: v for k, v in one["design"].items() if k not in ("steps", "settings")} for one in (ours, theirs)]
    first = list(theirs["design"]["settings"])[: len(ours["design"]["settings"])]
    same = first == list(ours["design"]["settings"])
    return same and rest[0] == rest[1] and names[0] == names[1] and _plain(designs[0]) == _plain(designs[1])


def _plain(description: Mapping[str, Any]) -> str:
    from bakeoff.keys import canonical_json

    return canonical_json(description)


def with_step(study: Study, step: SearchStep) -> Study:
    """The study with the settings of a step."""
    design, learners = study.design.with_step(step)
    return replace(study, learners=[*study.learners, *learners], design=design)


# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Responses:
    """Blocks × settings in the order of the design, turned so that larger is better."""

    design: StudyDesign
    table: Array
    ratio: float
    larger: bool

    @property
    def points(self) -> Array:
        return self.design.coded(list(self.design.settings.values()))

    @property
    def best(self) -> int:
        return int(np.argmax(self.table.mean(axis=0)))

    def gain(self, ours: int, others: Sequence[int]) -> tuple[float, float]:
        """By how much a setting is better than the best of others, and p of that being nothing, one-sided."""
        rival = max(others, key=lambda i: float(self.table[:, i].mean()))
        d = self.table[:, ours] - self.table[:, rival]
        n, mean, spread = len(d), float(d.mean()), float(d.std(ddof=1)) if len(d) > 1 else 0.0
        if spread == 0:
            return mean, 0.0 if mean > 0 else 1.0
        return mean, float(t_sf(mean / (spread * np.sqrt(1 / n + self.ratio)), n - 1))


def responses_of(study: Study, scores: Scores) -> _Responses:
    """What was scored, by the first measure."""
    name = study.measure_names[0]
    one = scores.only(measure=name)
    facts = layout_of(one)
    level = facts.level if facts.level is not Level.INSTANCES else Level.RESAMPLES
    table = blocks(one, level=level)
    overlap = facts.level is Level.RESAMPLES and facts.problem is None
    ratio = facts.test_train_ratio if overlap else 0.0
    larger = one.measures[name].larger_is_better
    columns = [table.learners.index(each) for each in study.design.settings]
    values = table.values[:, columns] * (1 if larger else -1)
    if np.isnan(values).any():
        raise MisfitError(
            "Some settings have no score, and a surface takes one of each. bakeoff failures shows why; narrow the "
            "region so that all of it can be run."
        )
    return _Responses(study.design, values, 0.0 if np.isnan(ratio) else ratio, larger)


def next_step(responses: _Responses, most: int | None = None) -> tuple[SearchStep | None, str]:
    """The step that follows from what was scored; none, with the reason, where the search is over."""
    design, points = responses.design, responses.points
    centre, half = _region(responses)
    inside = (np.abs(points - centre) <= half + 1e-9).all(axis=1)
    local = (points[inside] - centre) / half
    fit = _fitted(local, responses.table[:, inside], list(design.factors), responses.ratio)
    alpha = float(design.options.get("alpha", 0.05))
    gained = _last_gain(responses, alpha)
    if fit is not None and gained is not None:
        target = np.clip(centre + half * best_in_region(fit.surface, larger_is_better=True), -1, 1)
        new = _new_settings(responses, [target])
        if new:
            predicted = float(fit.surface.predict((responses.design.coded(new)[0] - centre) / half)[0])
            shown = predicted if responses.larger else -predicted
            why = (
                f"surface: {fit.surface.kind if responses.larger else _turned(fit.surface.kind)}, R² = "
                f"{number(fit.surface.r_squared, 3)}, {_fit_words(fit)}; predicts {number(shown)}{gained}"
            )
            return SearchStep(GAIN, why, tuple(new)), ""
        gained = None
    if (half <= _SMALLEST).all():
        return None, "the region is as small as it is worth"
    if fit is not None and not np.isnan(fit.lack_of_fit[3]) and fit.lacks_fit > _DOUBT and gained is None:
        return None, "the best point of the surface was run, it is no significant gain, and no lack of fit is shown"
    around = responses.points[responses.best]
    k = len(design.factors)
    smaller = central_composite(k, "faced", "faced", centre=(0, 1)) * (half / 2) + _kept_inside(around, half / 2)
    new = _new_settings(responses, list(smaller))
    if not new:
        return None, "all settings around the best one were run"
    if most is not None and len(new) > most:
        return None, f"a closer design takes {len(new)} settings, and {most} are left of the budget"
    lack = "" if fit is None else f"{_fit_words(fit)}; "
    return SearchStep(ZOOM, f"{lack}half the region, around the best setting so far", tuple(new)), ""


def _turned(kind: str) -> str:
    return {"maximum": "minimum", "minimum": "maximum"}.get(kind, kind)


def _fit_words(fit: BlockedSurface) -> str:
    p = fit.lack_of_fit[3]
    return "lack of fit not testable" if np.isnan(p) else f"lack of fit {p_equals(p)}"


def _fitted(points: Array, table: Array, names: Sequence[str], ratio: float) -> BlockedSurface | None:
    if len(points) < quadratic_terms(len(names)):
        return None
    try:
        return surface_in_blocks(points, table, names, ratio)
    except DegenerateError:
        return None


def _region(responses: _Responses) -> tuple[Array, Array]:
    """Centre and half widths of the region that is looked at: halved by each closer design, around its best setting
    then, and never beyond what the study allows."""
    k, first = len(responses.design.factors), len(responses.design.settings)
    centre, half = np.zeros(k), np.ones(k)
    for step in responses.design.steps:
        first -= len(step.settings)
    place = first
    for step in responses.design.steps:
        if step.what == ZOOM:
            half = half / 2
            before = responses.table[:, :place].mean(axis=0)
            centre = _kept_inside(responses.points[int(np.argmax(before))], half)
        place += len(step.settings)
    return centre, half


def _kept_inside(centre: Array, half: Array) -> Array:
    return np.asarray(np.clip(centre, -1 + half, 1 - half))


def _last_gain(responses: _Responses, alpha: float) -> str | None:
    """In words what the last step to the best of a surface has gained; None if that is nothing significant. Before
    such a step there is nothing to be told."""
    steps = responses.design.steps
    if not steps or steps[-1].what != GAIN:
        return ""
    size, new = len(responses.design.settings), len(steps[-1].settings)
    gain, p = responses.gain(
        int(np.argmax(responses.table[:, size - new :].mean(axis=0))) + size - new, range(size - new)
    )
    return f"; the last step gained {number(gain)} ({p_equals(p)})" if p <= alpha and gain > 0 else None


def _new_settings(responses: _Responses, coded: Sequence[Array]) -> list[dict[str, Any]]:
    """Settings at coded points that were not run yet, each once."""
    known = [dict(setting) for setting in responses.design.settings.values()]
    new: list[dict[str, Any]] = []
    for point in coded:
        setting = {name: f.axis.at(v) for (name, f), v in zip(responses.design.factors.items(), point, strict=True)}
        if setting not in known and setting not in new:
            new.append(setting)
    return new


def follow(study: Study, path: Place, run_one: Callable[[Study], Any], say: Callable[[str], None]) -> Study:
    """Take step after step, each run by `run_one`, until nothing is gained or the budget of settings is spent."""
    from bakeoff.results.scores import scores_of
    from bakeoff.store.reader import Reader

    with Reader(path) as store:
        study = at_end(study, store)
    if study.design.steps:
        run_one(study)  # what may be left of it
    budget = study.design.options.get("budget")
    while True:
        with Reader(path) as store:
            responses = responses_of(study, scores_of(store, study.key, [study.measure_names[0]]))
        left = None if budget is None else int(budget) - len(study.design.settings)
        step, over = (
            next_step(responses, left) if left is None or left > 0 else (None, "the budget of settings is spent")
        )
        if len(study.design.steps) >= steps_of(study) and step is not None:
            step, over = None, f"{steps_of(study)} steps were taken"
        if step is None:
            say(f"The search is over: {over}.")
            return study
        study = with_step(study, step)
        at = listing([", ".join(f"{k} = {v:g}" for k, v in each.items()) for each in step.settings], 2)
        say(f"Step {len(study.design.steps)}: {step.what}, {at} ({step.why}).")
        if getattr(run_one(study), "left", 0):
            return study  # stopped, or out of time
