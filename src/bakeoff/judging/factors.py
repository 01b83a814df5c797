"""A second factor beside the learner that is not the data set: its effect, and whether the learners' order hangs on it.

Learners × levels of the factor in every block (folds, runs, tasks or instances): each effect is held against its own
variation from block to block. Where learners share no blocks it is the analysis of variance of independent samples.
What may be claimed of pairs is said for each level by itself, at a level of error that all of them share, and, where
the order does not seem to hang on the factor, for the mean over its levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging.case import Case
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import Verdict
from bakeoff.mathematics.laws import check_alpha
from bakeoff.mathematics.linear_models import two_factors, two_factors_in_blocks
from bakeoff.procedures import procedure_named, procedures
from bakeoff.records import Answer, Record
from bakeoff.scores import Blocks, Layout, Level, Scores, long_form
from bakeoff.scores.table import KEYS, Labels, frozen
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class FactorEffect(Record):
    """F of an effect. `epsilon` shrinks the degrees of freedom for p where differences vary unequally."""

    name: str
    f: float
    df: tuple[float, float]
    epsilon: float
    p: float


@dataclass(frozen=True, eq=False)
class Factorial(Answer):
    """Learners at the levels of a factor: the effects, the centre of each cell, and a verdict for each level.

    `centres` are means, or medians over tasks. `across` is the verdict on the means over the levels.
    """

    source: str
    measure: str
    factor: str
    levels: tuple[str, ...]
    learners: tuple[str, ...]
    blocks: str
    how: str
    alpha: float
    effects: tuple[FactorEffect, ...]
    centres: Mapping[str, tuple[float, ...]]
    centre: str
    within: Mapping[str, Verdict]
    across: Verdict
    warnings: tuple[CodedWarning, ...] = ()

    @property
    def interaction(self) -> FactorEffect:
        return self.effects[-1]

    @property
    def paragraph(self) -> str:
        """What may be claimed."""
        learner, factor, both = self.effects
        n = len(self.within)
        parts = [f"{len(self.learners)} learners at {n} levels of {self.factor}, over {self.blocks}, {self.how}."]
        hangs = both.p <= self.alpha
        parts.append(
            f"The differences between learners {'change' if hangs else 'are not shown to change'} with {self.factor} "
            f"({_tested(both)})" + (": what is true at one level need not be true at another." if hangs else ".")
        )
        for effect, things in ((learner, "learners"), (factor, f"levels of {self.factor}")):
            shown = "differ" if effect.p <= self.alpha else "are not shown to differ"
            other = self.factor if things == "learners" else "learners"
            parts.append(f"On average over {other}, the {things} {shown} ({_tested(effect)}).")
        if not hangs:
            parts.append(f"Of the means over {self.factor}: {_claims(self.across)}")
        share = show.number(self.alpha / n)
        each = "; ".join(f"{level}: {_claims(verdict).rstrip('.')}" for level, verdict in self.within.items())
        parts.append(f"Within each level (α = {share} each, {show.number(self.alpha)} for all): {each}.")
        return " ".join(parts)

    def effect_table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [e.name, show.number(e.f), ", ".join(map(show.number, e.df)), show.number(e.epsilon, 3), show.p_value(e.p)]
            for e in self.effects
        ]
        header = ["effect", "F", "df", "ε", "p"]
        return (header, rows) if any(e.epsilon < 1 for e in self.effects) else _without_column(header, rows, 3)

    def centre_table(self) -> tuple[list[str], list[list[str]]]:
        header = [f"{self.centre} {self.measure}", *self.levels]
        return header, [[name, *map(show.number, self.centres[name])] for name in self.learners]

    def to_text(self) -> str:
        parts = [show.wrapped(self.paragraph), show.text_table(*self.effect_table())]
        parts.append(show.text_table(*self.centre_table()))
        for level, verdict in self.within.items():
            parts.append(f"{self.factor} = {level}:\n" + show.text_table(*verdict.table(30), left=3))
        parts += [show.wrapped(f"Warning {warning}", indent="  ") for warning in self.warnings]
        return "\n\n".join(parts)

    def to_frame(self) -> pd.DataFrame:
        """The decisions at each level, a row each."""
        import pandas as pd

        frames = {level: verdict.to_frame() for level, verdict in self.within.items()}
        return pd.concat(frames, names=[self.factor]).reset_index(level=0).reset_index(drop=True)

    def to_dict(self) -> dict[str, Any]:
        within = {level: verdict.to_dict() for level, verdict in self.within.items()}
        fields = {"paragraph": self.paragraph, **show.to_json_value(replace(self, within={}))}
        return {**fields, "within": within, "across": self.across.to_dict()}

    def _repr_html_(self) -> str:
        tables = show.html_table(*self.effect_table()) + show.html_table(*self.centre_table())
        return f"<p>{escape(self.paragraph)}</p>{tables}"


def _tested(effect: FactorEffect) -> str:
    return f"F({', '.join(map(show.number, effect.df))}) = {show.number(effect.f)}, {show.p_equals(effect.p)}"


def _claims(verdict: Verdict) -> str:
    from bakeoff.judging.wording import claims_in_words

    return claims_in_words(verdict)


def _without_column(header: list[str], rows: list[list[str]], i: int) -> tuple[list[str], list[list[str]]]:
    return header[:i] + header[i + 1 :], [row[:i] + row[i + 1 :] for row in rows]


# ----------------------------------------------------------------------------------------------------------------------


def judge_factor(
    by_level: Mapping[str, Scores], *, factor: str = "factor", alpha: float = 0.05, **request: Any
) -> Factorial:
    """What may be claimed of learners at the levels of a second factor: scores by level, as `read_by_factor` gives.

    The other arguments are those of `judge`, which is asked about each level by itself, and about the means over them.
    """
    check_alpha(alpha)
    levels = tuple(by_level)
    if len(levels) < 2:
        raise UsageError(f"A factor has at least two levels; {factor} has {len(levels)}.")
    first = next(iter(by_level.values()))
    for level, scores in by_level.items():
        if set(scores.learners) != set(first.learners):
            odd = sorted(set(scores.learners) ^ set(first.learners))
            raise MisfitError(
                f"Every learner is needed at every level of {factor}: {show.listing(odd, 6)} is at {level!r} or "
                f"{levels[0]!r} only. Leave it out (--without NAME), or run what is missing."
            )
    share = alpha / len(levels)
    within = {level: verdict_on(Case(scores, Request.of(alpha=share, **request))) for level, scores in by_level.items()}
    mean = _mean_over(by_level, factor)
    case = Case(mean, Request.of(alpha=alpha, **request))
    across = verdict_on(case)
    names = across.finding.learners
    layout = case.layout(across.finding.level)
    cases = [Case(scores, Request.of(alpha=alpha, **request)) for scores in by_level.values()]
    effects, how, warnings = _effects(cases, layout, names, factor)
    centres, centre = _centres(cases, layout, names)
    return Factorial(
        source=first.source,
        measure=across.finding.measure.name,
        factor=factor,
        levels=levels,
        learners=names,
        blocks=show.counted(across.finding.n_blocks, layout.level.value),
        how=how,
        alpha=alpha,
        effects=effects,
        centres=centres,
        centre=centre,
        within=within,
        across=across,
        warnings=(*warnings, *across.warnings),
    )


@dataclass(frozen=True, eq=False)
class FactorTable(Answer):
    """The analysis of variance of two factors: sums of squares, degrees of freedom, mean squares, F and p by effect."""

    source: str
    measure: str
    title: str
    factor: str
    effects: Mapping[str, tuple[float, ...]]
    conventions: tuple[str, ...]
    cautions: tuple[str, ...]

    def table(self) -> tuple[list[str], list[list[str]]]:
        cells = [[name, *map(show.number, row[:4]), show.p_value(row[4])] for name, row in self.effects.items()]
        return ["source", "SS", "df", "MS", "F", "p"], cells

    def to_text(self) -> str:
        lines = [show.wrapped(f"  {line}", indent="    ") for line in self.conventions]
        beware = ["Beware:", *(show.wrapped(f"  {line}", indent="    ") for line in self.cautions)]
        head = f"{self.title}: {self.measure} of {self.source} by learner and {self.factor}"
        return "\n".join([head, show.text_table(*self.table()), *lines, *beware])


def analyse_factor(
    by_level: Mapping[str, Scores], procedure: str, *, factor: str, measure: str | None = None, **options: Any
) -> FactorTable:
    """The table that a procedure of two factors makes of the values at all levels, as independent samples."""
    chosen = procedure_named(procedure)
    if not chosen.card.takes_long_table:
        named = ", ".join(each.card.name for each in procedures() if each.card.takes_long_table)
        raise UsageError(f"{chosen.card.title} takes no second factor. Those that do: {named}; or compare --factor.")
    parts = [Case(scores, Request.of(measure=measure)).lead for scores in by_level.values()]
    columns = [long_form(part) for part in parts]
    y, who = (np.concatenate([column[i] for column in columns]) for i in (0, 1))
    level = np.repeat(list(by_level), [len(column[0]) for column in columns])
    many = chosen.compute(y, who, level, names=("learner", factor), **options)
    shared = not any(part.independent for part in parts)
    note = (
        "Learners share their blocks here, which this table ignores: `bakeoff compare --factor` holds each effect "
        "against its own variation from block to block."
    )
    cautions = chosen.card.cautions
    return FactorTable(
        source=parts[0].source,
        measure=parts[0].measure.labels[0],
        title=chosen.card.title,
        factor=factor,
        effects=many.details["effects"],
        conventions=chosen.card.conventions,
        cautions=(note, *cautions) if shared else cautions,
    )


def _effects(
    cases: list[Case], layout: Layout, names: tuple[str, ...], factor: str
) -> tuple[tuple[FactorEffect, ...], str, list[CodedWarning]]:
    titles = ("learner", factor, f"learner × {factor}")
    if not layout.matched:
        parts = [long_form(case.lead) for case in cases]
        y, who = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        level = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        table = two_factors(y, who, level, (titles[0], titles[1]), "2", True)
        error = table["error"][1]
        effects = [FactorEffect(name, row[3], (row[1], error), 1.0, row[4]) for name, row in table.items()]
        return tuple(effects[:3]), "by two-way analysis of variance of independent samples", []
    values = _cube([case.blocks(layout.level) for case in cases], names)
    ratio, how, warnings = overlap_of(layout)
    found_in = two_factors_in_blocks(values, ratio=ratio)
    return (
        tuple(FactorEffect(name, e.f, e.df, e.epsilon, e.p) for name, e in zip(titles, found_in, strict=True)),
        f"by analysis of variance within blocks{how}",
        warnings,
    )


def overlap_of(layout: Layout) -> tuple[float, str, list[CodedWarning]]:
    """The ratio of test to training size by which F over resamples of one task is corrected, in words too; 0 where
    blocks have no training data in common, and with a warning where that is not known."""
    overlap = layout.level is Level.RESAMPLES and layout.problem is None
    ratio = layout.test_train_ratio if overlap else 0.0
    if isnan(ratio):
        unknown = CodedWarning(
            "overlap-unknown",
            "How much training data the runs have in common is not known; F is as if they had none.",
            "Say --runs independent or fixed-split, or the --ratio of test to training size.",
        )
        return 0.0, "", [unknown]
    if not ratio:
        return 0.0, "", []
    how = f", F divided by 1 + n × {show.number(ratio)} for training data in common ({layout.ratio_source})"
    return ratio, how, []


def _cube(tables: list[Blocks], names: tuple[str, ...]) -> NDArray[np.float64]:
    """Blocks × learners × levels, of the blocks that every level has; their order may differ from level to level."""
    rows = [{label: row for row, label in enumerate(table.labels)} for table in tables]
    shared = [label for label in rows[0] if all(label in others for others in rows[1:])]
    columns = [[table.learners.index(name) for name in names] for table in tables]
    parts = [
        table.values[[row[label] for label in shared]][:, column]
        for table, row, column in zip(tables, rows, columns, strict=True)
    ]
    return np.stack(parts, axis=2)


def _centres(cases: list[Case], layout: Layout, names: tuple[str, ...]) -> tuple[dict[str, tuple[float, ...]], str]:
    """The mean of each cell; over tasks, which have no common mean, its median."""
    middle = np.nanmedian if layout.level is Level.TASKS else np.nanmean
    cells: dict[str, tuple[float, ...]] = {}
    for name in names:
        values = [case.lead.value[case.lead.learner.codes == case.lead.learners.index(name)] for case in cases]
        cells[name] = tuple(float(middle(part)) if np.isfinite(part).any() else nan for part in values)
    return cells, "median" if layout.level is Level.TASKS else "mean"


def _mean_over(by_level: Mapping[str, Scores], factor: str) -> Scores:
    """The scores with the mean over the levels in each cell; all levels must hold the same cells."""
    levels = list(by_level)
    first = by_level[levels[0]]
    keys = _cells_of(first)
    total = first.value.copy()
    for level in levels[1:]:
        place = {key: row for row, key in enumerate(_cells_of(by_level[level]))}
        missing = next((key for key in keys if key not in place), None)
        if missing is not None or len(place) != len(keys):
            odd = missing or next(key for key in place if key not in set(keys))
            where = ", ".join(part for part in odd if part)
            raise MisfitError(
                f"Every cell is needed at every level of {factor}; {where} is at {levels[0]!r} or at {level!r} only. "
                "Run what is missing, or leave the learner or task out (--without, --task)."
            )
        total = total + by_level[level].value[[place[key] for key in keys]]
    return replace(first, value=frozen(total / len(levels)), predictions=None, by_instance=None)


def _cells_of(scores: Scores) -> list[tuple[str, ...]]:
    columns: list[Labels] = [getattr(scores, name) for name in KEYS]
    return list(zip(*(column.values() for column in columns), strict=True))
