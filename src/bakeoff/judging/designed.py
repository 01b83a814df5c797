"""What a designed study shows: the effect of each factor and interaction, its levels, and the best setting, honestly.

All settings are run in the same blocks (folds, tasks or test rows). So each effect is a set of contrasts that every
block estimates, and is held against its own variation from block to block; where the training sets of blocks overlap,
F is corrected as elsewhere. What is said of many settings of one learner is said of a family: p-values are Holm's, and
the mean of the best setting, which was chosen for it, is told with what is left of it if the choice is made elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.designs.effects import TIMES, LenthAnalysis, VisibleEffect, lenth, seen, trends
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.inference.adjustments import holm
from bakeoff.judging.case import Case
from bakeoff.judging.factors import overlap_of
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.planned import plan_status_of
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import Verdict
from bakeoff.mathematics.laws import check_alpha, f_sf
from bakeoff.mathematics.linear_models import BlockEffect, block_effect
from bakeoff.records import Record
from bakeoff.scores import Level, Scores
from bakeoff.scores.provenance import PlanStatus
from bakeoff.scores.table import KEYS, Labels, frozen
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bakeoff.figures.figure import Chart
    from bakeoff.judging.learning_curves import LearningCurves, NoiseTables
    from bakeoff.judging.surfaces import SurfaceReport

Array = NDArray[np.float64]
TASK = "task"
CROSSED = ("factorial", "learning-curve", "noise", "fractional", "screening")
_MOST_FIRST = 40  # settings of which all pairs are compared to say who may be first
_MOST_LEVELS = 12


@dataclass(frozen=True, slots=True, eq=False)
class EffectTest(Record):
    """An effect: F with its degrees of freedom, ε, p, p adjusted for all effects, and its share of the variation
    between settings. `label` names what it is aliased with. NaN where there is nothing to hold it against."""

    name: str
    label: str
    f: float
    df: tuple[float, float]
    epsilon: float
    p: float
    p_adjusted: float
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Trend(Record):
    """The straight part of a numeric factor's effect, or its curvature, over its levels as they are spaced."""

    factor: str
    degree: str
    contrast: float
    p: float
    p_adjusted: float


@dataclass(frozen=True, slots=True, eq=False)
class BestSetting(Record):
    """The setting with the best mean, and what that mean is worth. `nested` is the mean score of settings that were
    chosen on all other blocks; `shrunken` the best mean drawn towards the mean of all as far as chance spreads them.
    `first` are the settings that no other was shown to be better than."""

    name: str
    setting: Mapping[str, Any]
    mean: float
    shrunken: float
    nested: float
    of: int
    first: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class DesignVerdict(Record):
    """What may be claimed of the factors of a study."""

    source: str
    measure: str
    larger_is_better: bool
    kind: str
    blocks: str
    how: str
    about: str
    alpha: float
    settings: Mapping[str, Mapping[str, Any]]
    means: Mapping[str, float]
    effects: tuple[EffectTest, ...]
    trends: tuple[Trend, ...]
    levels: Mapping[str, Verdict]
    best: BestSetting
    screening: LenthAnalysis | None = None
    sizes: Mapping[str, float] | None = None  # effects of two-level factors: mean at the second level less at the first
    surface: SurfaceReport | None = None
    curves: LearningCurves | None = None
    noise: NoiseTables | None = None
    warnings: tuple[CodedWarning, ...] = ()
    standing: PlanStatus | None = None

    @property
    def paragraph(self) -> str:
        """What may be claimed, in plain English."""
        n = len(self.settings)
        parts = [] if self.standing is None else [str(self.standing)]
        parts += [f"{show.counted(n, 'settings')} ({self.kind}) over {self.blocks}{self.how}. {self.about}"]
        shown = [each for each in self.effects if each.p_adjusted <= self.alpha]
        unsure = [each.label for each in self.effects if not each.p_adjusted <= self.alpha]
        if shown:
            named = "; ".join(f"{e.label} ({_tested(e)}, {e.share:.0%} of the variation)" for e in shown)
            parts.append(f"Shown to matter, with p adjusted for {len(self.effects)} effects: {named}.")
        interactions = [each.label for each in shown if TIMES in each.name]
        if interactions:
            parts.append(
                f"{show.listing(interactions)}: the best level of one depends on the other, so that effects of single "
                "factors are means over the rest."
            )
        if unsure:
            parts.append(f"Not shown to matter: {show.listing(unsure)}; that is not shown to be nothing.")
        if self.curves is None and self.noise is None:
            parts.append(self.about_best)
        for more in (self.surface, self.curves, self.noise):
            if more is not None:
                parts.append(more.sentence)
        return " ".join(parts)

    @property
    def about_best(self) -> str:
        best, name = self.best, self.measure
        text = f"The best mean {name} of {best.of} settings, {show.number(best.mean)} of {best.name}, was chosen for it"
        told = []
        if not np.isnan(best.nested):
            told.append(f"chosen on the other blocks, settings have {show.number(best.nested)}")
        if not np.isnan(best.shrunken):
            told.append(f"shrunken towards the mean of all it is {show.number(best.shrunken)}")
        text += f": {'; '.join(told)}." if told else "."
        if len(best.first) > 1:
            text += (
                f" {len(best.first)} of the settings may be the best one: none was shown to be better than they are."
            )
        return text

    # Tables

    def effect_table(self) -> tuple[list[str], list[list[str]]]:
        header = ["effect", "share", "F", "df", "ε", "p", "adjusted p"]
        rows = [
            [
                each.label,
                f"{each.share:.1%}",
                *([show.number(each.f), ", ".join(map(show.number, each.df)), show.number(each.epsilon, 3)]),
                show.p_value(each.p),
                show.p_value(each.p_adjusted),
            ]
            if not np.isnan(each.f)
            else [each.label, f"{each.share:.1%}", "", "", "", "", ""]
            for each in self.effects
        ]
        kept = [i for i in range(len(header)) if i != 4 or any(each.epsilon < 1 for each in self.effects)]
        return [header[i] for i in kept], [[row[i] for i in kept] for row in rows]

    def setting_table(self, most: int = 10) -> tuple[list[str], list[list[str]]]:
        """The best settings with their means."""
        order = sorted(self.means, key=lambda name: self.means[name], reverse=self.larger_is_better)
        names = list(dict.fromkeys(name for each in self.settings.values() for name in each))
        rows = [
            [*(_shown(self.settings[name].get(factor)) for factor in names), show.number(self.means[name])]
            for name in order[:most]
        ]
        return [*names, f"mean {self.measure}"], rows

    def screening_table(self) -> tuple[list[str], list[list[str]]]:
        assert self.screening is not None
        assert self.sizes is not None
        found = self.screening
        rows = [
            [name, show.number(size), show.number(float(t)), show.p_value(float(p))]
            for (name, size), t, p in zip(self.sizes.items(), found.t, found.p, strict=True)
        ]
        return ["effect", f"difference in {self.measure}", "t (Lenth)", "p"], rows

    def cell_means(self, first: str, second: str) -> tuple[list[str], list[list[str]]]:
        """The mean of each combination of two factors' levels: what an interaction plot draws."""
        columns, rows = _levels(self.settings, second), _levels(self.settings, first)
        cells = [[_shown(a), *(show.number(self._mean_at({first: a, second: b})) for b in columns)] for a in rows]
        return [f"{first} \\ {second}", *map(_shown, columns)], cells

    def _mean_at(self, levels: Mapping[str, Any]) -> float:
        values = [
            self.means[name]
            for name, setting in self.settings.items()
            if all(setting.get(factor) == level for factor, level in levels.items())
        ]
        return float(np.mean(values)) if values else nan

    def to_text(self) -> str:
        parts = [show.wrapped(self.paragraph)]
        if self.effects:
            parts.append(show.text_table(*self.effect_table()))
        if self.screening is not None:
            parts.append(show.text_table(*self.screening_table()))
            parts.append(show.wrapped(_about_lenth(self.screening)))
        if self.trends:
            rows = [[t.factor, t.degree, show.number(t.contrast), show.p_value(t.p_adjusted)] for t in self.trends]
            parts.append(show.text_table(["factor", "trend", "contrast", "adjusted p"], rows, left=2))
        for each in self.effects:
            if TIMES in each.name and each.name.count(TIMES) == 1 and each.p_adjusted <= self.alpha:
                parts.append(f"mean {self.measure}\n" + show.text_table(*self.cell_means(*each.name.split(TIMES))))
        for factor, verdict in self.levels.items():
            parts.append(f"Levels of {factor}:\n" + show.text_table(*verdict.table(10), left=3))
        for more in (self.surface, self.curves, self.noise):
            if more is not None:
                parts.append(more.to_text())
        if self.curves is None and self.noise is None:
            header, rows = self.setting_table()
            rest = f"\n… and {len(self.settings) - len(rows)} more" if len(self.settings) > len(rows) else ""
            parts.append("The best settings:\n" + show.text_table(header, rows) + rest)
        parts += [show.wrapped(f"Warning {warning}", indent="  ") for warning in self.warnings]
        return "\n\n".join(parts)

    def plot(self, kind: str = "interaction", ax: Axes | None = None, **options: Any) -> Chart:
        """A figure of the design: interaction, contour, half-normal, learning-curve, difference, task-differences.

        `x` and `group` name factors, `pair` two learners; it is drawn on an ax if one is given.
        """
        from bakeoff.figures.designed import design_chart

        chart = design_chart(self, kind, **options)
        if ax is not None:
            chart.draw(ax)
        return chart

    def to_frame(self) -> pd.DataFrame:
        """The effects, a row each."""
        import pandas as pd

        fields = ("name", "label", "f", "epsilon", "p", "p_adjusted", "share")
        frame = pd.DataFrame([{name: getattr(each, name) for name in fields} for each in self.effects])
        frame["df"], frame["df_error"] = zip(*(each.df for each in self.effects), strict=True)
        return frame

    def to_dict(self) -> dict[str, Any]:
        nested = ("levels", "surface", "curves", "noise")
        plain = show.to_json_value(replace(self, levels={}, surface=None, curves=None, noise=None))
        fields = {name: value for name, value in plain.items() if name not in nested}
        levels = {factor: verdict.to_dict() for factor, verdict in self.levels.items()}
        more = {name: part.to_dict() for name in nested[1:] if (part := getattr(self, name)) is not None}
        return {"paragraph": self.paragraph, **fields, "levels": levels, **more}

    def to_json(self) -> str:
        return show.to_json(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.paragraph)}</p>{show.html_table(*self.effect_table())}"


def _tested(effect: EffectTest) -> str:
    df = ", ".join(map(show.number, effect.df))
    return f"F({df}) = {show.number(effect.f)}, {show.p_equals(effect.p_adjusted)}"


def _shown(level: Any) -> str:
    return "" if level is None else f"{level:.6g}" if isinstance(level, float) else str(level)


def _levels(settings: Mapping[str, Mapping[str, Any]], factor: str) -> list[Any]:
    found = list(dict.fromkeys(setting[factor] for setting in settings.values() if factor in setting))
    numbers = all(isinstance(level, (int, float)) and not isinstance(level, bool) for level in found)
    return sorted(found) if numbers else found


def _about_lenth(found: LenthAnalysis) -> str:
    return (
        f"Lenth's pseudo standard error is {show.number(found.pse)}, from the effects themselves: right if most of "
        f"them are nothing. Beyond {show.number(found.margin)} a single effect stands out, beyond "
        f"{show.number(found.simultaneous)} any of all."
    )


# ----------------------------------------------------------------------------------------------------------------------


def judge_design(
    scores: Scores, *, measure: str | None = None, alpha: float = 0.05, missing: str = "error", level: str | None = None
) -> DesignVerdict:
    """What may be claimed of the factors of a designed study, from its scores.

    The scores are those of a study with factors (`study.run()`, `study.scores(store)`).
    """
    check_alpha(alpha)
    if not scores.settings:
        raise UsageError(
            "These scores come from no designed study: give a Study factors and a design, or compare learners at the "
            "levels of one factor with judge_factor."
        )
    if level == Level.RESAMPLES.value and scores.by_instance is not None:
        scores, level = replace(scores, by_instance=None), None  # one split: its score, and not its rows
    case = Case(scores, Request.of(measure=measure, alpha=alpha, missing=missing, level=level))
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
    tables, ratio_words, warnings = _tables(case, list(settings), TASK in design["factors"])
    measured = case.lead.measures[case.lead.measure.labels[0]]
    means = dict(zip(settings, np.mean([table.values.mean(axis=0) for table in tables], axis=0).tolist(), strict=True))
    factors = list(dict.fromkeys(name for each in settings.values() for name in each))
    surface = design["kind"] in ("response-surface", "latin-hypercube", "random")
    visible = () if surface else seen(_numbered(settings, factors), factors, _order(design)).effects
    effects = _effects(visible, tables)
    screening, sizes = _screening(visible, settings, means, alpha)
    crossed = design["kind"] in CROSSED
    levels = {} if surface else _level_verdicts(case, settings, factors, crossed, alpha)
    verdict = DesignVerdict(
        source=case.lead.source,
        measure=measured.name,
        larger_is_better=measured.larger_is_better,
        kind=design["kind"],
        blocks=_blocks_in_words(tables, layout.level),
        how=ratio_words,
        about=_ABOUT[layout.level],
        alpha=alpha,
        settings=settings,
        means=means,
        effects=effects,
        trends=() if surface or design["kind"] not in CROSSED[:3] else _trends(design, settings, tables),
        levels=levels,
        best=_best(case, settings, tables, measured.larger_is_better),
        screening=screening,
        sizes=sizes,
        warnings=(*warnings, *_doubts(design, tables)),
        standing=plan_status_of(case, ""),
    )
    return _with_more(verdict, case, design, tables, alpha)


def _with_more(
    verdict: DesignVerdict, case: Case, design: Mapping[str, Any], tables: Sequence[SettingTable], alpha: float
) -> DesignVerdict:
    """What surfaces, learning curves and noise have beside their effects; loaded for those alone."""
    kind = design["kind"]
    if kind in ("response-surface", "latin-hypercube", "random"):
        from bakeoff.judging.surfaces import report_surface

        return replace(verdict, surface=report_surface(design, verdict.settings, tables, verdict.larger_is_better))
    if kind in ("learning-curve", "noise") or "training-size" in design["factors"]:
        from bakeoff.judging.learning_curves import learning_curves, noise_tables

        if "training-size" in design["factors"]:
            curves = learning_curves(verdict.settings, tables, alpha, verdict.larger_is_better, verdict.measure)
            return replace(verdict, curves=curves)
        return replace(verdict, noise=noise_tables(case, verdict.settings, alpha))
    return verdict


_ABOUT = {
    Level.TASKS: "It speaks about new problems of which these tasks are a sample.",
    Level.RESAMPLES: "It speaks about this problem, and new samples of it as far as resampling stands in for them.",
    Level.INSTANCES: "It speaks about these fitted models on new rows, not about learning anew.",
    Level.SINGLE: "One score of each setting tells what happened here, and little of what would happen again.",
}


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


def _tables(case: Case, names: Sequence[str], by_task: bool) -> tuple[list[SettingTable], str, list[CodedWarning]]:
    """One table over all blocks; one for each task, if the task is a factor of the design."""
    layout = case.layout()
    tasks = case.lead.tasks
    if not by_task or len(tasks) < 2:
        blocks = case.blocks(layout.level)
        ratio, how, warnings = overlap_of(layout)
        columns = [blocks.learners.index(name) for name in names]
        return [SettingTable("", blocks.values[:, columns], ratio)], how, warnings
    tables, how, warnings = [], "", []
    for task in tasks:
        one = Case(case.origin.only(tasks=[task]), replace(case.request, level=Level.RESAMPLES))
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
    levels = {factor: _levels(settings, factor) for factor in factors}
    return np.array([[float(levels[f].index(each[f])) for f in factors] for each in settings.values()])


def _effects(visible: Sequence[VisibleEffect], tables: Sequence[SettingTable]) -> tuple[EffectTest, ...]:
    """F of each visible effect, and of its interaction with the task where that is a factor."""
    mean = np.mean([table.values.mean(axis=0) for table in tables], axis=0)
    total = float(((mean - mean.mean()) ** 2).sum())
    found: list[tuple[str, str, BlockEffect | None, float]] = []
    for effect in visible:
        share = float(((mean @ effect.weights) ** 2).sum()) / total if total else 0.0
        z = [table.values @ effect.weights for table in tables]
        found.append((effect.name, effect.label, _held(z, tables, between=False), share))
        if len(tables) > 1:
            title = f"{effect.name}{TIMES}{TASK}"
            found.append((title, title, _held(z, tables, between=True), 0.0))
    p = np.array([nan if effect is None else effect.p for _, _, effect, _ in found])
    adjusted = np.full(len(p), nan)
    if (known := ~np.isnan(p)).any():
        adjusted[known] = holm(p[known])
    nothing = BlockEffect(nan, (nan, nan), 1.0, nan)
    return tuple(
        EffectTest(name, label, (e or nothing).f, (e or nothing).df, (e or nothing).epsilon, (e or nothing).p, q, share)
        for (name, label, e, share), q in zip(found, adjusted.tolist(), strict=True)
    )


def _held(z: Sequence[Array], tables: Sequence[SettingTable], between: bool) -> BlockEffect | None:
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
        levels = [] if name == TASK else _levels(settings, name)
        if len(levels) < 3 or not all(isinstance(level, (int, float)) for level in levels):
            continue
        spaced = np.log(levels) if described.get("scale") == "log" else np.array(levels, dtype=float)
        at = [levels.index(setting[name]) for setting in settings.values()]
        for degree, contrast in zip(("linear", "quadratic"), trends(spaced), strict=False):
            weights = contrast[at] / (len(at) / len(levels))
            effect = _held([table.values @ weights[:, None] for table in tables], tables, between=False)
            size = float(np.mean([(table.values @ weights).mean() for table in tables]))
            rows.append((name, degree, size, nan if effect is None else effect.p))
    known = [row for row in rows if not np.isnan(row[3])]
    if not known:
        return ()
    adjusted = holm(np.array([row[3] for row in known])).tolist()
    return tuple(Trend(*row, q) for row, q in zip(known, adjusted, strict=True))


def _screening(
    visible: Sequence[VisibleEffect],
    settings: Mapping[str, Mapping[str, Any]],
    means: Mapping[str, float],
    alpha: float,
) -> tuple[LenthAnalysis | None, dict[str, float] | None]:
    """Lenth's analysis, where all effects are differences between two halves of the settings."""
    if not visible or any(effect.df != 1 or effect.confounded for effect in visible if TIMES in effect.name):
        return None, None
    if any(effect.df != 1 for effect in visible):
        return None, None
    mean = np.array([means[name] for name in settings])
    sizes = {}
    for effect in visible:
        numbered = _numbered(settings, effect.factors)
        sign = np.prod(2 * numbered - 1, axis=1)
        column = effect.weights[:, 0] * np.sign(sign @ effect.weights[:, 0])
        sizes[effect.label] = float(2 * mean @ column / sqrt(len(mean)))
    try:
        return lenth(list(sizes.values()), alpha), sizes
    except DegenerateError:
        return None, sizes


# ----------------------------------------------------------------------------------------------------------------------
# The levels of each factor, as learners: their verdict is made by whatever compares learners.


def _level_verdicts(
    case: Case, settings: Mapping[str, Mapping[str, Any]], factors: Sequence[str], crossed: bool, alpha: float
) -> dict[str, Verdict]:
    """For each factor what may be claimed of its levels, averaged over the others; from the baseline on where the
    others never change. The factors share α."""
    verdicts = {}
    for factor in factors:
        levels = _levels(settings, factor)
        if not 2 <= len(levels) <= _MOST_LEVELS:
            continue
        try:
            averaged = levels_as_learners(case.lead, settings if crossed else _arm(settings, factor, factors), factor)
            request = replace(case.request, alpha=alpha / len(factors), measure=None)
            verdicts[factor] = verdict_on(Case(averaged, request))
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
    labels = [_shown(level) for level in _levels(settings, factor)]
    of_learner = np.array([labels.index(_shown(settings[name][factor])) for name in part.learners])
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
    if len(names) <= _MOST_FIRST:
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
