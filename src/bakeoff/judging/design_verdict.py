"""The verdict on a design: what may be claimed of its factors, as sentences, tables, figures and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff import text as show
from bakeoff.designs.effects import LenthAnalysis
from bakeoff.judging.verdict import Verdict
from bakeoff.records import Answer, Record
from bakeoff.scores import Level
from bakeoff.scores.provenance import PlanStatus
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bakeoff.figures.figure import Chart
    from bakeoff.judging.learning_curves import LearningCurves, NoiseTables
    from bakeoff.judging.surfaces import SurfaceReport


@dataclass(frozen=True, slots=True, eq=False)
class EffectTest(Record):
    """An effect: F with its degrees of freedom, ε, p, p adjusted for all effects, and its share of the variation
    between settings. `label` names what it is aliased with. NaN where there is nothing to hold it against. `factors`
    are those that it is an effect of, the task among them."""

    name: str
    label: str
    f: float
    df: tuple[float, float]
    epsilon: float
    p: float
    p_adjusted: float
    share: float
    factors: tuple[str, ...] = ()


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


@dataclass(frozen=True, slots=True, eq=False)
class OrderSpread(Record):
    """By how much the scores of a learner vary with the order in which the same rows are presented: the standard
    deviation between orders within a block, and the widest range of any block."""

    name: str
    sd: float
    widest: float


@dataclass(frozen=True, eq=False)
class DesignVerdict(Answer):
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
    curves: tuple[LearningCurves, ...] = ()  # of each task, if that is a factor
    noise: NoiseTables | None = None
    orders: tuple[OrderSpread, ...] = ()
    reference: Verdict | None = None  # the best setting, chosen on other blocks, against learners without the factors
    warnings: tuple[CodedWarning, ...] = ()
    standing: PlanStatus | None = None
    level: Level | None = None  # what blocks are; None if tasks are a factor, and blocks those of each
    n_blocks: int = 0
    directions: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # the two levels that `sizes` are between
    task_means: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # where the task is a factor
    shares_training: bool = False  # blocks have training data in common, and F makes up for it

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
            family = f", with p adjusted for {len(self.effects)} effects" if len(self.effects) > 1 else ""
            parts.append(f"Shown to matter{family}: {named}.")
        interactions = [each.label for each in shown if len(each.factors) > 1]
        if interactions:
            parts.append(
                f"{show.listing(interactions)}: what one does depends on the other, and so may which of its levels is "
                "the best one; effects of single factors are means over the rest."
            )
        if unsure:
            parts.append(f"Not shown to matter: {show.listing(unsure)}; that is not shown to be nothing.")
        if not self.curves and self.noise is None:
            parts.append(self.about_best)
        for more in (self.surface, *self.curves, self.noise):
            if more is not None:
                parts.append(more.sentence)
        parts += [part for part in (self.about_orders, self.about_reference) if part]
        return " ".join(parts)

    @property
    def about_orders(self) -> str:
        """Whether learners depend on the order in which rows are presented."""
        moved = [each for each in self.orders if each.widest > 0]
        still = [each.name for each in self.orders if each.widest == 0]
        parts = []
        if moved:
            components = [f"{each.name} by {show.number(each.sd)} (up to {show.number(each.widest)})" for each in moved]
            parts.append(
                f"From one order of the same rows to another {self.measure} varies in a block, as standard deviation: "
                f"{show.listing(components)}; chance that a learner has of its own is part of it."
            )
        if still:
            parts.append(f"The order of rows makes no difference at all to {show.listing(still)}.")
        return " ".join(parts)

    @property
    def about_reference(self) -> str:
        """The best setting beside learners that have none of the factors."""
        if self.reference is None:
            return ""
        from bakeoff.judging.wording import answer

        return f"Beside the design, with the best setting chosen on the other blocks: {answer(self.reference)}"

    @property
    def about_best(self) -> str:
        best, name = self.best, self.measure
        text = f"The best mean {name} of {best.of} settings, {show.number(best.mean)} of {best.name}, was chosen for it"
        sentences = []
        if not np.isnan(best.nested):
            sentences.append(f"chosen on the other blocks, settings have {show.number(best.nested)}")
        if not np.isnan(best.shrunken):
            sentences.append(f"shrunken towards the mean of all it is {show.number(best.shrunken)}")
        text += f": {'; '.join(sentences)}." if sentences else "."
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
            [*(level_text(self.settings[name].get(factor)) for factor in names), show.number(self.means[name])]
            for name in order[:most]
        ]
        return [*names, f"mean {self.measure}"], rows

    def screening_table(self) -> tuple[list[str], list[list[str]]]:
        assert self.screening is not None
        assert self.sizes is not None
        screening = self.screening
        rows = [
            [name, self._direction(name), show.number(size), show.number(float(t)), show.p_value(float(p))]
            for (name, size), t, p in zip(self.sizes.items(), screening.t, screening.p, strict=True)
        ]
        return ["effect", "from → to", f"difference in {self.measure}", "t (Lenth)", "p"], rows

    def _direction(self, label: str) -> str:
        names = {each.label: each.name for each in self.effects}
        levels = self.directions.get(names.get(label, label), ())
        return " → ".join(map(level_text, levels))

    def trend_table(self) -> tuple[list[str], list[list[str]]]:
        rows = [[t.factor, t.degree, show.number(t.contrast), show.p_value(t.p_adjusted)] for t in self.trends]
        return ["factor", "trend", "contrast", "adjusted p"], rows

    @property
    def shown_interactions(self) -> list[tuple[str, str]]:
        """The pairs of factors that are shown to matter together; not those of a surface, whose settings are no
        table."""
        if self.surface is not None:
            return []
        shown = [each.factors for each in self.effects if each.p_adjusted <= self.alpha]
        return [(pair[0], pair[1]) for pair in shown if len(pair) == 2]

    @property
    def cells(self) -> list[tuple[Mapping[str, Any], float]]:
        """The levels of each setting with its mean: on each task, where that is a factor."""
        if self.task_means:
            return [
                ({**self.settings[name], "task": task}, mean)
                for task, means in self.task_means.items()
                for name, mean in means.items()
            ]
        return [(setting, self.means[name]) for name, setting in self.settings.items()]

    def cell_means(self, first: str, second: str) -> tuple[list[str], list[list[str]]]:
        """The mean of each combination of two factors' levels: what an interaction plot draws."""
        settings = dict(enumerate(setting for setting, _ in self.cells))
        columns, rows = levels_of(settings, second), levels_of(settings, first)
        cells = [[level_text(a), *(show.number(self._mean_at({first: a, second: b})) for b in columns)] for a in rows]
        return [f"{first} \\ {second}", *map(level_text, columns)], cells

    def _mean_at(self, levels: Mapping[str, Any]) -> float:
        values = [
            mean
            for setting, mean in self.cells
            if all(setting.get(factor) == level for factor, level in levels.items())
        ]
        return float(np.mean(values)) if values else nan

    def to_text(self) -> str:
        parts = [show.wrapped(self.paragraph)]
        if self.effects:
            parts.append(show.text_table(*self.effect_table(), most=60))
        if self.screening is not None:
            parts.append(show.text_table(*self.screening_table()))
            parts.append(show.wrapped(_about_lenth(self.screening)))
        if self.trends:
            parts.append(show.text_table(*self.trend_table(), left=2))
        for pair in self.shown_interactions:
            parts.append(f"mean {self.measure}\n" + show.text_table(*self.cell_means(*pair)))
        for factor, verdict in self.levels.items():
            parts.append(f"Levels of {factor}:\n" + show.text_table(*verdict.table(10), left=3))
        for more in (self.surface, *self.curves, self.noise):
            if more is not None:
                parts.append(more.to_text())
        if not self.curves and self.noise is None:
            header, rows = self.setting_table()
            rest = f"\n… and {len(self.settings) - len(rows)} more" if len(self.settings) > len(rows) else ""
            parts.append("The best settings:\n" + show.text_table(header, rows) + rest)
        if self.reference is not None:
            parts.append("Beside the design:\n" + show.text_table(*self.reference.table(10), left=3))
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
        parts: dict[str, Any] = {"surface": self.surface, "noise": self.noise, "reference": self.reference}
        bare = replace(self, levels={}, surface=None, curves=(), noise=None, reference=None)
        fields = {name: value for name, value in show.to_json_value(bare).items() if name not in parts}
        levels = {factor: verdict.to_dict() for factor, verdict in self.levels.items()}
        curves = [each.to_dict() for each in self.curves]
        more = {name: part.to_dict() for name, part in parts.items() if part is not None}
        return {"paragraph": self.paragraph, **fields, "levels": levels, "curves": curves, **more}

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.paragraph)}</p>{show.html_table(*self.effect_table())}"


def _tested(effect: EffectTest) -> str:
    df = ", ".join(map(show.number, effect.df))
    return f"F({df}) = {show.number(effect.f)}, {show.p_equals(effect.p_adjusted)}"


def level_text(level: Any) -> str:
    return "" if level is None else f"{level:.6g}" if isinstance(level, float) else str(level)


def levels_of(settings: Mapping[Any, Mapping[str, Any]], factor: str) -> list[Any]:
    levels = list(dict.fromkeys(setting[factor] for setting in settings.values() if factor in setting))
    numbers = all(isinstance(level, (int, float)) and not isinstance(level, bool) for level in levels)
    return sorted(levels) if numbers else levels


def _about_lenth(lenth: LenthAnalysis) -> str:
    return (
        f"Lenth's pseudo standard error is {show.number(lenth.pse)}, from the effects themselves: right if most of "
        f"them are nothing. Beyond {show.number(lenth.margin)} a single effect stands out, beyond "
        f"{show.number(lenth.simultaneous)} any of all."
    )
