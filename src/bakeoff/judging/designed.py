"""What a designed study shows: the effect of each factor and interaction, its levels, and the best setting, honestly.

All settings are run in the same blocks (folds, tasks or test rows). So each effect is a set of contrasts that every
block estimates, and is held against its own variation from block to block; where the training sets of blocks overlap,
F is corrected as elsewhere. What is said of many settings of one learner is said of a family: p-values are Holm's, and
the mean of the best setting, which was chosen for it, is told with what is left of it if the choice is made elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.designs.effects import TIMES, LenthAnalysis, VisibleEffect, apart_by_one, lenth, seen, trends
from bakeoff.designs.response_surface import surface_effects
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.inference.adjustments import holm
from bakeoff.judging.case import Case
from bakeoff.judging.design_verdict import (
    BestSetting,
    DesignVerdict,
    EffectTest,
    OrderSpread,
    Trend,
    level_text,
    levels_of,
)
from bakeoff.judging.factors import overlap_of
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.planned import plan_status_of
from bakeoff.judging.request import Request
from bakeoff.judging.surfaces import coded_settings, report_surface
from bakeoff.judging.verdict import Verdict
from bakeoff.judging.warnings import ends_of_the_range
from bakeoff.mathematics.laws import check_alpha, f_sf
from bakeoff.mathematics.linear_models import BlockEffect, block_effect
from bakeoff.scores import Level, Scores
from bakeoff.scores.table import KEYS, Labels, frozen
from bakeoff.text import CodedWarning

Array = NDArray[np.float64]
TASK, LEARNER, ORDER = "task", "learner", "presentation-order"
SURFACES = ("response-surface", "latin-hypercube", "random")
CROSSED = ("factorial", "learning-curve", "noise", "fractional", "screening")
_MOST_FIRST = 40  # settings of which all pairs are compared to say who may be first
_MOST_LEVELS = 12
BEST = "best setting"  # in a comparison with learners that have none of the factors


# ----------------------------------------------------------------------------------------------------------------------


def judge_design(
    scores: Scores,
    *,
    measure: str | None = None,
    alpha: float = 0.05,
    margin: float | None = None,
    missing: str = "error",
    level: str | None = None,
) -> DesignVerdict:
    """What may be claimed of the factors of a designed study, from its scores.

    The scores are those of a study with factors (`study.run()`, `study.scores(store)`). A `margin` is the difference
    between two levels that would matter: within it they are equivalent.
    """
    check_alpha(alpha)
    if not scores.settings:
        raise UsageError(
            "These scores come from no designed study: give a Study factors and a design, or compare learners at the "
            "levels of one factor with judge_factor."
        )
    if level == Level.RESAMPLES.value and scores.by_instance is not None:
        scores, level = replace(scores, by_instance=None), None  # one split: its score, and not its rows
    case = Case(scores, Request.of(measure=measure, alpha=alpha, margin=margin, missing=missing, level=level))
    case.require_one_measure()
    return _verdict(case, dict(scores.settings), alpha)


def _verdict(case: Case, design: Mapping[str, Any], alpha: float) -> DesignVerdict:
    layout = case.layout()
    if not layout.matched:
        raise MisfitError(
            "Each setting has learning samples of its own, so that no block holds all of them. Run the study with a "
            "scheme whose splits all learners share."
        )
    known = design["settings"]
    settings = {name: known[name] for name in case.lead.learners if name in known}
    if len(settings) < 2:
        raise MisfitError(f"At least two settings of the design are needed; found {len(settings)} in these scores.")
    tables, ratio_words, warnings = setting_tables(case, list(settings), TASK in design["factors"])
    measured = case.lead.measures[case.lead.measure.labels[0]]
    means = dict(zip(settings, np.mean([table.values.mean(axis=0) for table in tables], axis=0).tolist(), strict=True))
    factors = list(dict.fromkeys(name for each in settings.values() for name in each))
    surface = design["kind"] in SURFACES
    visible = visible_effects(design, settings)
    effects = _effects(visible, tables)
    screening, sizes = _screening(design, visible, settings, means, alpha)
    crossed = design["kind"] in CROSSED
    cases = {"": case} if len(tables) == 1 else _by_task(case)
    levels = {} if surface else _level_verdicts(cases, settings, factors, crossed, alpha)
    verdict = DesignVerdict(
        source=case.lead.source,
        measure=measured.name,
        larger_is_better=measured.larger_is_better,
        kind=design["kind"],
        blocks=_blocks_in_words(tables, layout.level),
        how=ratio_words,
        shares_training=any(table.ratio > 0 for table in tables),
        about=_ABOUT[layout.level] if len(tables) == 1 else _ABOUT_THESE,
        alpha=alpha,
        settings=settings,
        means=means,
        task_means={
            table.task: dict(zip(settings, table.values.mean(axis=0).tolist(), strict=True)) for table in tables
        }
        if len(tables) > 1
        else {},
        effects=effects,
        trends=() if surface or design["kind"] not in CROSSED[:3] else _trends(design, settings, tables),
        levels=levels,
        best=_best(case, settings, tables, measured.larger_is_better),
        screening=screening,
        sizes=sizes,
        directions={f: tuple(_declared(design, settings, f)) for f in factors} if sizes else {},
        orders=_order_spreads(design, settings, tables) if ORDER in design["factors"] else (),
        reference=_against_references(case, design, settings, measured.larger_is_better),
        warnings=(*warnings, *_doubts(design, tables), *_spurious(case)),
        standing=plan_status_of(case, ""),
        level=None if len(tables) > 1 else layout.level,
        n_blocks=min(len(table.values) for table in tables),
    )
    return _with_more(verdict, case, design, tables, alpha)


def _with_more(
    verdict: DesignVerdict, case: Case, design: Mapping[str, Any], tables: Sequence[SettingTable], alpha: float
) -> DesignVerdict:
    """What surfaces, learning curves and noise have beside their effects."""
    kind = design["kind"]
    if kind in SURFACES:
        if not verdict.effects:  # too few settings for a surface: a random search, say
            return verdict
        return replace(verdict, surface=report_surface(design, verdict.settings, tables, verdict.larger_is_better))
    if kind in ("learning-curve", "noise") or "training-size" in design["factors"]:
        from bakeoff.judging.learning_curves import learning_curves, noise_tables

        settings, learner = verdict.settings, design.get("learners", ["learner"])[0]
        if "training-size" in design["factors"]:
            curves = learning_curves(settings, tables, alpha, verdict.larger_is_better, verdict.measure, learner)
            return replace(verdict, curves=curves)
        return replace(verdict, noise=noise_tables(case, settings, alpha, learner))
    return verdict


_ABOUT = {
    Level.TASKS: "It speaks about new problems of which these tasks are a sample.",
    Level.RESAMPLES: "It speaks about this problem, and new samples of it as far as resampling stands in for them.",
    Level.INSTANCES: "It speaks about these fitted models on new rows, not about learning anew.",
    Level.SINGLE: "One score of each setting tells what happened here, and little of what would happen again.",
}


def visible_effects(design: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]]) -> tuple[VisibleEffect, ...]:
    """The effects that settings of a design can see."""
    factors = list(dict.fromkeys(name for each in settings.values() for name in each))
    if design["kind"] in SURFACES:
        return surface_effects(coded_settings(design, settings), factors)
    return seen(_numbered(settings, factors), factors, _order(design)).effects


def patterns_apart_by_one(
    design: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]], effects: Sequence[VisibleEffect]
) -> list[Array]:
    """For each effect the means of settings of which two levels, or two differences, are apart by one: of a surface the
    ends of the range on a straight line."""
    if design["kind"] in SURFACES:
        names, points = list(design["factors"]), coded_settings(design, settings) / 2
        return [points[:, [names.index(each) for each in effect.factors]].prod(axis=1) for effect in effects]
    return [apart_by_one(_numbered(settings, effect.factors)) for effect in effects]


_ABOUT_THESE = "It speaks about these problems, one by one and on average, and about no others."


def _order(design: Mapping[str, Any]) -> int:
    return 1 if design["kind"] == "screening" else int(design.get("options", {}).get("order", 2))


@dataclass(frozen=True, eq=False)
class SettingTable:
    """Blocks × settings of one task, or of all, and the ratio by which overlapping training sets are corrected for."""

    task: str
    values: Array
    ratio: float

    @property
    def factor(self) -> float:
        """By how much the variance of a mean over the blocks exceeds that of one block: 1/n + ratio."""
        return 1 / len(self.values) + self.ratio


def setting_tables(
    case: Case, names: Sequence[str], by_task: bool
) -> tuple[list[SettingTable], str, list[CodedWarning]]:
    """One table over all blocks; one for each task, if the task is a factor of the design."""
    layout = case.layout()
    if not by_task or len(case.lead.tasks) < 2:
        blocks = case.blocks(layout.level)
        ratio, how, warnings = overlap_of(layout)
        columns = [blocks.learners.index(name) for name in names]
        return [SettingTable("", blocks.values[:, columns], ratio)], how, warnings
    tables, how, warnings = [], "", []
    for task, one in _by_task(case).items():
        blocks = one.blocks(Level.RESAMPLES)
        ratio, how, warnings = overlap_of(one.layout())
        columns = [blocks.learners.index(name) for name in names]
        tables.append(SettingTable(task, blocks.values[:, columns], ratio))
    return tables, f"{how}, the tasks being a factor themselves", warnings


def _blocks_in_words(tables: Sequence[SettingTable], level: Level) -> str:
    if level is Level.SINGLE:
        return "a single run"
    if len(tables) == 1:
        return show.counted(len(tables[0].values), level.value)
    return show.counted(sum(len(table.values) for table in tables), "resamples") + f" of {len(tables)} tasks"


def _numbered(settings: Mapping[str, Mapping[str, Any]], factors: Sequence[str]) -> Array:
    levels = {factor: levels_of(settings, factor) for factor in factors}
    return np.array([[float(levels[f].index(each[f])) for f in factors] for each in settings.values()])


def _effects(visible: Sequence[VisibleEffect], tables: Sequence[SettingTable]) -> tuple[EffectTest, ...]:
    """F of each visible effect, and of its interaction with the task where that is a factor; with its share of the
    variation between settings, within each task."""
    means = np.array([table.values.mean(axis=0) for table in tables])
    total = float(((means - means.mean(axis=1, keepdims=True)) ** 2).sum()) or nan
    effects: list[tuple[tuple[str, ...], str, BlockEffect | None, float]] = []
    for effect in visible:
        sizes = means @ effect.weights
        common = len(tables) * float((sizes.mean(axis=0) ** 2).sum())
        z = [table.values @ effect.weights for table in tables]
        effects.append((effect.factors, effect.label, _tested_effect(z, tables, between=False), common / total))
        if len(tables) > 1:
            factors = (*effect.factors, TASK)
            rest = float((sizes**2).sum()) - common
            effects.append((factors, TIMES.join(factors), _tested_effect(z, tables, between=True), rest / total))
    p = np.array([nan if effect is None else effect.p for _, _, effect, _ in effects])
    adjusted = np.full(len(p), nan)
    if (known := ~np.isnan(p)).any():
        adjusted[known] = holm(p[known])
    nothing = BlockEffect(nan, (nan, nan), 1.0, nan)
    return tuple(
        EffectTest(
            name=TIMES.join(factors),
            label=label,
            f=test.f,
            df=test.df,
            epsilon=test.epsilon,
            p=test.p,
            p_adjusted=q,
            share=0.0 if np.isnan(share) else share,
            factors=factors,
        )
        for (factors, label, effect, share), q in zip(effects, adjusted.tolist(), strict=True)
        for test in (effect or nothing,)
    )


def _tested_effect(z: Sequence[Array], tables: Sequence[SettingTable], between: bool) -> BlockEffect | None:
    """An effect held against its variation from block to block, within tasks where the task is a factor: on average
    over the tasks, or how it differs `between` them. None where there are no blocks to hold it against."""
    if min(len(part) for part in z) < 2:
        return None
    try:
        if len(z) == 1:
            return block_effect(z[0], tables[0].ratio)
        return _within_tasks(z, [table.factor for table in tables], between)
    except DegenerateError:
        return None


def _within_tasks(z: Sequence[Array], factors: Sequence[float], between: bool) -> BlockEffect:
    """F over several tasks that are themselves a factor, with the variation within tasks pooled.

    On average: |mean of the tasks' means|² against trace C Σ(1/n + ratio)/T²; between them: their weighted spread.
    """
    k, df = z[0].shape[1], sum(len(part) - 1 for part in z)
    squares = [(len(part) - 1) * np.atleast_2d(np.cov(part, rowvar=False)) for part in z]
    pooled = np.sum(squares, axis=0) / df
    trace = float(np.trace(pooled))
    means = np.array([part.mean(axis=0) for part in z])
    if trace <= 1e-24:
        raise DegenerateError("An effect is the same in every block: there is nothing to hold it against.")
    if between:
        weights = 1 / np.array(factors)
        centre = weights @ means / weights.sum()
        df1 = k * (len(z) - 1)
        f = float(weights @ ((means - centre) ** 2).sum(axis=1)) / ((len(z) - 1) * trace)
    else:
        df1 = k
        f = float((means.mean(axis=0) ** 2).sum()) / (trace * sum(factors) / len(z) ** 2)
    epsilon = min(1.0, trace**2 / (k * float((pooled**2).sum())))
    df2 = k * df
    return BlockEffect(f, (float(df1), float(df2)), epsilon, float(f_sf(f, df1 * epsilon, df2 * epsilon)))


def _trends(
    design: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]], tables: Sequence[SettingTable]
) -> tuple[Trend, ...]:
    """Straight and curved parts of the effects of numeric factors with three levels or more."""
    rows: list[tuple[str, str, float, float]] = []
    for name, described in design["factors"].items():
        levels = [] if name == TASK else levels_of(settings, name)
        if len(levels) < 3 or not all(isinstance(level, (int, float)) for level in levels):
            continue
        spaced = np.log(levels) if described.get("scale") == "log" else np.array(levels, dtype=float)
        at = [levels.index(setting[name]) for setting in settings.values()]
        for degree, contrast in zip(("linear", "quadratic"), trends(spaced), strict=False):
            weights = contrast[at] / (len(at) / len(levels))
            effect = _tested_effect([table.values @ weights[:, None] for table in tables], tables, between=False)
            size = float(np.mean([(table.values @ weights).mean() for table in tables]))
            rows.append((name, degree, size, nan if effect is None else effect.p))
    known = [row for row in rows if not np.isnan(row[3])]
    if not known:
        return ()
    adjusted = holm(np.array([row[3] for row in known])).tolist()
    return tuple(Trend(*row, q) for row, q in zip(known, adjusted, strict=True))


def _declared(design: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]], factor: str) -> list[Any]:
    """The levels of a factor in the order in which the study names them."""
    known = levels_of(settings, factor)
    named = design["factors"].get(factor, {}).get("levels", known)
    return [level for level in named if level in known] if set(known) <= set(named) else known


def _screening(
    design: Mapping[str, Any],
    visible: Sequence[VisibleEffect],
    settings: Mapping[str, Mapping[str, Any]],
    means: Mapping[str, float],
    alpha: float,
) -> tuple[LenthAnalysis | None, dict[str, float] | None]:
    """Lenth's analysis, where all effects are differences between two halves of the settings."""
    if not visible or any(effect.df != 1 or effect.confounded for effect in visible if len(effect.factors) > 1):
        return None, None
    if any(effect.df != 1 for effect in visible):
        return None, None
    mean = np.array([means[name] for name in settings])
    sizes = {}
    for effect in visible:
        two = {factor: _declared(design, settings, factor) for factor in effect.factors}
        sign = np.array([np.prod([2 * two[f].index(each[f]) - 1 for f in two]) for each in settings.values()])
        column = effect.weights[:, 0] * np.sign(sign @ effect.weights[:, 0])
        sizes[effect.label] = float(2 * mean @ column / sqrt(len(mean)))
    try:
        return lenth(list(sizes.values()), alpha), sizes
    except DegenerateError:
        return None, sizes


# ----------------------------------------------------------------------------------------------------------------------
# The levels of each factor, as learners: their verdict is made by whatever compares learners.


def _by_task(case: Case) -> dict[str, Case]:
    """The resamples of each task by themselves."""
    request = replace(case.request, level=Level.RESAMPLES)
    return {task: Case(case.origin.only(tasks=[task]), request) for task in case.lead.tasks}


def _level_verdicts(
    cases: Mapping[str, Case],
    settings: Mapping[str, Mapping[str, Any]],
    factors: Sequence[str],
    crossed: bool,
    alpha: float,
) -> dict[str, Verdict]:
    """For each factor what may be claimed of its levels, averaged over the others; from the baseline on where the
    others never change; on each task, if that is a factor. All of these share α."""
    verdicts = {}
    for factor, (task, case) in product(factors, cases.items()):
        levels = levels_of(settings, factor)
        if not 2 <= len(levels) <= _MOST_LEVELS:
            continue
        try:
            averaged = levels_as_learners(case.lead, settings if crossed else _arm(settings, factor, factors), factor)
            request = replace(case.request, alpha=alpha / len(factors) / len(cases), measure=None)
            verdicts[f"{factor} on {task}" if task else factor] = verdict_on(Case(averaged, request))
        except (MisfitError, DegenerateError):
            continue  # too few blocks for any procedure: the effects say so
    return verdicts


def _arm(
    settings: Mapping[str, Mapping[str, Any]], factor: str, factors: Sequence[str]
) -> dict[str, Mapping[str, Any]]:
    """The settings in which all other factors stand where they mostly do: the baseline."""
    usual = {}
    for other in factors:
        values = [setting[other] for setting in settings.values()]
        usual[other] = max(values, key=values.count)
    return {
        name: setting
        for name, setting in settings.items()
        if all(setting[other] == usual[other] for other in factors if other != factor)
    }


def levels_as_learners(scores: Scores, settings: Mapping[str, Mapping[str, Any]], factor: str) -> Scores:
    """The scores with the levels of a factor in the place of learners, each the mean over its settings in a block."""
    part = scores.only(learners=[name for name in scores.learners if name in settings])
    labels = [level_text(level) for level in levels_of(settings, factor)]
    of_learner = np.array([labels.index(level_text(settings[name][factor])) for name in part.learners])
    codes = of_learner[part.learner.codes]
    keys = np.stack([codes, *(getattr(part, name).codes for name in KEYS if name != "learner")])
    _, first, group = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    group = group.ravel()
    mean = np.bincount(group, part.value) / np.bincount(group)
    chosen = np.zeros(len(part), dtype=bool)
    chosen[first] = True
    place = {row: number for number, row in enumerate(first)}
    kept = part.where(chosen)
    rows = np.flatnonzero(chosen)
    return replace(
        kept,
        learner=Labels(tuple(labels), frozen(codes[rows].astype(np.intp))),
        value=frozen(np.array([mean[place[row]] for row in rows])),
        predictions=None,
        by_instance=None,
        provenance=None,
        settings={},
        fits=(),
    )


# ----------------------------------------------------------------------------------------------------------------------
# The best of many settings, and its winner's curse.


def _best(
    case: Case, settings: Mapping[str, Mapping[str, Any]], tables: Sequence[SettingTable], larger: bool
) -> BestSetting:
    names = list(settings)
    mean = np.mean([table.values.mean(axis=0) for table in tables], axis=0)
    best = int(np.argmax(mean) if larger else np.argmin(mean))
    first: tuple[str, ...] = ()
    if len(names) <= _MOST_FIRST and len(tables) == 1:
        try:
            part = case.origin.only(learners=names)
            first = verdict_on(Case(replace(part, provenance=None), replace(case.request, procedure=None))).first
        except (MisfitError, DegenerateError):
            first = ()
    nested, shrunken = _nested(tables, larger), _shrunken(tables, mean, best)
    return BestSetting(names[best], settings[names[best]], float(mean[best]), shrunken, nested, len(names), first)


def _nested(tables: Sequence[SettingTable], larger: bool) -> float:
    """The mean score, block by block, of the setting that is best on all other blocks: of groups of blocks, if there
    are many. NaN for a single block."""
    estimates = []
    for table in tables:
        n = len(table.values)
        if n < 2:
            return nan
        groups = np.arange(n) * min(n, 50) // n
        values = []
        for group in range(groups[-1] + 1):
            held = groups == group
            others = table.values[~held].mean(axis=0)
            values.append((table.values[held, np.argmax(others) if larger else np.argmin(others)].mean(), held.sum()))
        estimates.append(np.average([v for v, _ in values], weights=[w for _, w in values]))
    return float(np.mean(estimates))


def _shrunken(tables: Sequence[SettingTable], mean: Array, best: int) -> float:
    """The best mean, drawn towards the mean of all settings by the share of chance in their spread: v / (v + τ²)."""
    if min(len(table.values) for table in tables) < 2 or len(mean) < 4:
        return nan
    within = []
    for table in tables:
        y = table.values
        rest = y - y.mean(axis=0) - y.mean(axis=1)[:, None] + y.mean()
        within.append(float((rest**2).sum()) / ((len(y) - 1) * (y.shape[1] - 1)) * table.factor)
    chance = float(np.sum(within)) / len(tables) ** 2
    spread = float(mean.var(ddof=1))
    kept = max(0.0, 1 - chance / spread) if spread > 0 else 0.0
    return float(mean.mean() + kept * (mean[best] - mean.mean()))


# ----------------------------------------------------------------------------------------------------------------------
# What stands beside the design: learners without its factors, and the order in which rows are presented.


def _against_references(
    case: Case, design: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]], larger: bool
) -> Verdict | None:
    """The learners that have none of the factors, against the best setting: in each block the one that is best on all
    others, since the best of all blocks was chosen for its luck too. None where no procedure fits."""
    references = [name for name in design.get("references", ()) if name in case.lead.learners]
    if not references:
        return None
    rows, level = replace(case.origin, by_instance=None), case.layout().level
    keys = (rows.task.codes,) if level is Level.TASKS else (rows.task.codes, rows.repeat.codes, rows.fold.codes)
    _, block = np.unique(np.stack(keys), axis=1, return_inverse=True)
    block, learner = block.ravel(), rows.learner.codes
    at = [rows.learners.index(name) for name in settings]
    place = np.full(len(rows.learners), -1)
    place[at] = np.arange(len(at))
    total, n = np.zeros((block.max() + 1, len(at))), np.zeros((block.max() + 1, len(at)))
    mine = (place[learner] >= 0) & ~np.isnan(rows.value)
    np.add.at(total, (block[mine], place[learner[mine]]), rows.value[mine])
    np.add.at(n, (block[mine], place[learner[mine]]), 1)
    means = np.divide(total, n, out=np.zeros_like(total), where=n > 0)
    if len(means) < 2:
        return None
    others = means.sum(axis=0) - means
    chosen = np.array(at)[others.argmax(axis=1) if larger else others.argmin(axis=1)]
    kept = (learner == chosen[block]) | np.isin(learner, [rows.learners.index(name) for name in references])
    part = rows.where(kept)
    names = [part.learners[code] if part.learners[code] in references else BEST for code in part.learner.codes]
    labels = (BEST, *references)
    codes = np.array([labels.index(name) for name in names], dtype=np.intp)
    pooled = replace(
        part, learner=Labels(labels, frozen(codes)), predictions=None, provenance=None, settings={}, fits=()
    )
    try:
        return verdict_on(Case(pooled, replace(case.request, procedure=None, measure=None)))
    except (MisfitError, DegenerateError):
        return None


def _order_spreads(
    design: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]], tables: Sequence[SettingTable]
) -> tuple[OrderSpread, ...]:
    """How much scores vary with the order in which the same rows are presented, for each combination of the others."""
    groups: dict[str, list[int]] = {}
    for number, setting in enumerate(settings.values()):
        others = [f"{key}={level_text(level)}" for key, level in setting.items() if key not in (ORDER, LEARNER)]
        who = str(setting.get(LEARNER) or design["learners"][0])
        groups.setdefault(" ".join([who, *others]), []).append(number)
    spreads = []
    for label, numbers in groups.items():
        within = np.concatenate([table.values[:, numbers].var(axis=1, ddof=1) for table in tables])
        widest = np.concatenate([np.ptp(table.values[:, numbers], axis=1) for table in tables])
        spreads.append(OrderSpread(label, float(np.sqrt(within.mean())), float(widest.max())))
    return tuple(spreads)


def _spurious(case: Case) -> Iterator[CodedWarning]:
    """What looks like an effect and is none: order, bias of samples, a ceiling or floor. The luck of the best setting
    is told with that."""
    yield from case.origin.doubts
    if case.layout().level is not Level.SINGLE:
        yield from ends_of_the_range(case.blocks(case.layout().level))


def _doubts(design: Mapping[str, Any], tables: Sequence[SettingTable]) -> list[CodedWarning]:
    doubts = []
    if design["kind"] == "one-at-a-time":
        doubts.append(
            CodedWarning(
                "unseen-interaction",
                "Factors were changed one at a time: whether the best level of one depends on another was not seen, "
                "and the best combination may be none that was run.",
                'Run a factorial design of the factors that matter: [design] kind = "factorial".',
            )
        )
    if design["kind"] in ("screening", "fractional"):
        doubts.append(
            CodedWarning(
                "aliased-effects",
                "A fraction of all settings was run: each effect may be that of any interaction it is mixed with.",
                "bakeoff plan shows which; run a factorial design of the factors that matter.",
            )
        )
    if min(len(table.values) for table in tables) < 2:
        doubts.append(
            CodedWarning(
                "no-replicates",
                "Each setting has one score, so that effects can be held against each other only.",
                'Resample: [resampling] scheme = "cross-validation" gives each setting a score for each fold.',
            )
        )
    return doubts
