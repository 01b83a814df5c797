"""Finding: what an analysis found, in rows with fixed columns."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from bakeoff import __version__, text
from bakeoff.inference.effects import Effect
from bakeoff.inference.evidence import Interval
from bakeoff.measures import Measure
from bakeoff.records import Answer, Record
from bakeoff.scores import Level
from bakeoff.scores.provenance import PlanStatus

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "contrast", "estimate", "lower", "upper", "confidence", "interval",
    "statistic", "df", "p", "p_adjusted", "worse", "same", "better", "note", "planned",
)  # fmt: skip
MEAN_RANK = "mean rank"  # a scale of positions and differences: from 1 to the number of learners


@dataclass(frozen=True, slots=True, eq=False)
class Row(Record):
    """One comparison. `first` and `second` are empty for a test of all learners at once.

    A Bayesian procedure has no p; it gives the probabilities that the first learner is worse, practically the same, or
    better. A comparison that could not be made is `refused`, and its note says why. `symbol` is that of the statistic
    where its name says more than that: F of "F, Huynh–Feldt".
    """

    contrast: str
    first: str = ""
    second: str = ""
    estimate: float = nan
    lower: float = nan
    upper: float = nan
    confidence: float = nan
    interval: Interval = Interval.NONE
    statistic: float = nan
    statistic_name: str = ""
    df: tuple[float, ...] = ()
    p: float = nan
    p_adjusted: float = nan
    worse: float = nan
    same: float = nan
    better: float = nan
    note: str = ""
    refused: bool = False
    symbol: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Relevance(Record):
    """How a contrast stands to the margin Δ, as one-sided p-values, plain and adjusted for the number of contrasts.

    superior       of the null that the first is better by Δ at most
    non_inferior   of the null that the first is worse by Δ or more
    equivalent     of the null that the two differ by Δ or more, either way (two one-sided tests)
    """

    contrast: str
    superior: float
    non_inferior: float
    equivalent: float
    superior_adjusted: float
    non_inferior_adjusted: float
    equivalent_adjusted: float


@dataclass(frozen=True, eq=False)
class Finding(Answer):
    """Rows, and everything needed to understand and repeat them.

    `scale` is what is estimated, such as a difference in error, and `quantity` what that is a difference in; `estimate`
    says more where the estimate is not the mean of it, such as a median.
    `n_each` is how many blocks each learner has, where they share none, and `n_blocks` then the most of them.
    `conditional_on` is what the blocks were drawn from, if they are draws: the conclusion holds given that;
    `fixed_test` tells that all of them were tested on one sample. `averaged`
    says what each block is the mean of, and `ratio_source` where the ratio of test to training size comes from.
    `against` is the level that each learner alone is held against; NaN if there is none.
    `grouped` says in which clusters instances lie, whether these are a sample, and what counts alike; `n_clusters` is
    how many were drawn, if it is clusters that were.
    `position` is where each learner stands; `placed_by_rank` tells that 1 is best there, whatever the measure.
    `conditions` are what nobody knows and all of it rests on, in words.
    `procedure` is the one that answered; where another one was asked for, `instead_of` names that and `instead_because`
    says why it did not. `standing` is that of the analysis in the study that the scores come from; None for scores from
    elsewhere.
    """

    procedure: str
    title: str
    null: str
    speaks_about: str
    source: str
    measure: Measure
    level: Level
    learners: tuple[str, ...]
    n_blocks: int
    contrast: str
    adjust: str
    adjust_title: str
    alternative: str
    alpha: float
    scale: str
    on_measure: bool
    larger_is_better: bool
    rows: tuple[Row, ...]
    position: Mapping[str, float]
    position_name: str
    conventions: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    posterior: bool = False
    margin: float | None = None
    relevance: tuple[Relevance, ...] = ()
    relevance_rule: str = ""
    against_advice: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    estimate: str = ""
    conditional_on: str = ""
    instead_of: str = ""
    instead_because: str = ""
    standing: PlanStatus | None = None
    n_each: tuple[int, ...] = ()
    averaged: str = ""
    against: float = nan
    ratio_source: str = ""
    grouped: str = ""
    n_clusters: int = 0
    placed_by_rank: bool = False
    conditions: tuple[str, ...] = ()
    quantity: str = ""
    fixed_test: bool = False

    @cached_property
    def pairs(self) -> tuple[Row, ...]:
        """The rows that compare two learners: looked for once, because a thousand learners make half a million."""
        return tuple(row for row in self.rows if row.second)

    @property
    def tests(self) -> tuple[Row, ...]:
        """The rows that test all learners at once."""
        return tuple(row for row in self.rows if not row.first)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The learners from the best position (mean rank or mean) to the worst. An estimate, not a claim."""
        turn = 1 if self.smallest_first else -1
        return tuple(sorted(self.learners, key=lambda name: turn * self.position[name]))

    @property
    def sign(self) -> int:
        """+1 if a larger estimate is better for the first learner of a row."""
        return 1 if self.larger_is_better else -1

    @property
    def smallest_first(self) -> bool:
        """Whether the smallest position is the best."""
        return self.placed_by_rank or not self.measure.larger_is_better

    @property
    def sidedness(self) -> str:
        """Whether tests are two-sided or one-sided, or there are none."""
        if self.posterior:
            return "posterior probabilities"
        return "two-sided" if self.alternative == "two-sided" else "one-sided"

    @property
    def sides(self) -> str:
        """The same, with the side that was asked for."""
        if self.posterior or self.alternative == "two-sided":
            return self.sidedness
        if not self.pairs and any(row.first for row in self.rows):
            return f"{self.sidedness}: {self.alternative} than the value tested against"
        return f"{self.sidedness}: the first is {self.alternative}"

    @property
    def interval_name(self) -> str:
        """What the intervals of several rows cover, where it is not each its own difference."""
        kinds = {row.interval for row in self.rows}
        joint = next((kind for kind in (Interval.STEPWISE, Interval.SIMULTANEOUS) if kind in kinds), None)
        return "interval" if joint is None or self.posterior else f"{joint.value} interval"

    @property
    def heading(self) -> str:
        if self.posterior:
            return f"{self.title} (posterior probabilities; a claim needs {text.number(1 - self.alpha)})"
        if not any(
            row.first for row in self.rows
        ):  # tests of all learners at once have no sides, and there is one of them
            return f"{self.title} (α = {text.number(self.alpha)})"
        adjusted = f", {self.adjust_title}" if len(self.pairs) > 1 or self.adjust != "none" else ""
        return f"{self.title} ({self.sides}{adjusted}, α = {text.number(self.alpha)})"

    def table(self, most: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Header and cells of all rows (or of the first `most`) as they are shown."""
        show = text
        header = ["contrast", "estimate", self.interval_name, "statistic", "df", "p", "adjusted p"]
        header += ["P(worse)", "P(same)", "P(better)", "note"]
        cells = [
            [
                row.contrast,
                show.number(row.estimate),
                show.interval(row.lower, row.upper),
                f"{row.statistic_name} = {show.number(row.statistic)}" if row.statistic_name else "",
                ", ".join(show.number(df) for df in row.df),
                show.p_value(row.p),
                show.p_value(row.p_adjusted),
                show.p_value(row.worse),
                show.p_value(row.same),
                show.p_value(row.better),
                row.note,
            ]
            for row in self.rows[:most]
        ]
        used = [i for i in range(len(header)) if i == 0 or any(row[i] for row in cells)]
        return [header[i] for i in used], [[row[i] for i in used] for row in cells]

    def to_text(self, most: int = 60) -> str:
        header, cells = self.table(most)
        hidden = f"\n… and {len(self.rows) - most} more rows" if len(self.rows) > most else ""
        parts = [self.heading, *([text.wrapped(self.instead_because)] if self.instead_of else [])]
        parts += [text.wrapped(str(self.standing))] if self.standing is not None else []
        parts += [f"Null hypothesis: {self.null}."]
        if any(row.estimate == row.estimate for row in self.rows):
            parts.append(f"The estimate is the {self.estimate or self.scale}.")
        if self.options_text:
            parts.append(f"Options: {self.options_text}.")
        notes = self._long_notes(most)
        if notes:
            header, cells = header[:-1], [row[:-1] for row in cells]
        parts += [text.text_table(header, cells, most=_WIDEST) + hidden, *map(_noted, notes)]
        for title, (head, lines) in self.further_tables().items():
            parts += [f"{title}:", text.text_table(head, lines[:most])]
        if self.relevance_rule:
            parts += [text.wrapped(self.relevance_rule)]
        if self.relevance:
            parts += [text.text_table(*self.relevance_table(most))]
        if self.effects:
            parts += [text.text_table(*self.effect_table(most))]
        parts += map(_noted, self.conventions)
        if self.cautions:
            parts += ["Beware:", *map(_noted, self.cautions)]
        if self.against_advice:
            parts += ["Done against advice:", *map(_noted, self.against_advice)]
        return "\n".join(parts)

    @property
    def options_text(self) -> str:
        """The procedure's own options and what was read off the data for it, as they were used."""
        return self.options_text_without(())

    def options_text_without(self, unsaid: Collection[str], meanings: Mapping[str, str] | None = None) -> str:
        """The same without some of them, and with what each means where that is given."""
        options = {name: value for name, value in self.options.items() if name not in unsaid}
        plain = {name: value for name, value in options.items() if isinstance(value, (str, bool, int, float))}
        known = {name: value for name, value in plain.items() if value == value}  # NaN: not known, and not used
        means = {name: f" ({meaning})" for name, meaning in (meanings or {}).items()}
        return ", ".join(f"{name} = {_in_words(value)}{means.get(name, '')}" for name, value in known.items())

    def _long_notes(self, most: int) -> list[str]:
        """The notes in full, each once with the rows it belongs to, if one of them is too long for a column."""
        rows = self.rows[:most]
        if all(text.width(row.note) <= _NARROW for row in rows):
            return []
        named = [row.contrast for row in rows]
        of_note: dict[str, list[str]] = {}
        for row in rows:
            label = f"{row.contrast}, {row.statistic_name}" if named.count(row.contrast) > 1 else row.contrast
            if row.note:
                of_note.setdefault(row.note, []).append(label)
        return [
            f"{text.listing(labels, 6) if len(labels) < len(rows) or len(rows) == 1 else 'All'}: {note}"
            for note, labels in of_note.items()
        ]

    def further_tables(self) -> dict[str, tuple[list[str], list[list[str]]]]:
        """Header and cells of the tables that the procedure made, by title; those of a pair bear its name."""
        tables: dict[str, tuple[list[str], list[list[str]]]] = {}
        for name, part in (("", self.details), *self.details.items()):
            for title, (header, rows) in (part.get("tables", {}) if isinstance(part, Mapping) else {}).items():
                cells = [[cell if isinstance(cell, str) else text.number(cell) for cell in row] for row in rows]
                tables[f"{name}: {title}" if name else title] = (list(header), cells)
        return tables

    def relevance_table(self, most: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Header and cells of the tests against the margin, adjusted as the rule says."""
        margin = text.number(self.margin) if self.margin is not None else "Δ"
        header = [f"margin {margin}", "superior p", "non-inferior p", "equivalent p"]
        show = text.p_value
        cells = [
            [r.contrast, *map(show, (r.superior_adjusted, r.non_inferior_adjusted, r.equivalent_adjusted))]
            for r in self.relevance[:most]
        ]
        return header, cells

    def effect_table(self, most: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Header and cells of the effect sizes."""
        level = text.percent(1 - self.alpha)
        header = ["effect sizes", "difference", f"{level} interval", "standardised", "P(first better)", "Cliff's δ"]
        show, span = text.number, text.interval
        cells = [
            [
                e.contrast,
                show(e.difference),
                span(e.lower, e.upper),
                *map(show, (e.standardised, e.superiority, e.dominance)),
            ]
            for e in self.effects[:most]
        ]
        return header, cells

    def to_frame(self) -> pd.DataFrame:
        """The rows with full precision. `planned` is None for scores that come from no study."""
        import pandas as pd

        planned = None if self.standing is None else self.standing.planned
        return pd.DataFrame(
            {
                name: [
                    ", ".join(text.number(df) for df in row.df)
                    if name == "df"
                    else str(row.interval.value)
                    if name == "interval"
                    else planned
                    if name == "planned"
                    else getattr(row, name)
                    for row in self.rows
                ]
                for name in COLUMNS
            },
            columns=list(COLUMNS),
        )

    def _repr_html_(self) -> str:
        header, cells = self.table()
        further = [table for table in (self.relevance_table(), self.effect_table()) if table[1]]
        tables = [text.html_table(*table) for table in further]
        parts = f"<p>{escape(self.instead_because)}</p>" if self.instead_of else ""
        parts += f"<p>{escape(str(self.standing))}</p>" if self.standing is not None else ""
        return "".join([parts, text.html_table(header, cells, self.heading), *tables])


# A note of more columns stands below the table; names of contrasts may be longer than that.
_NARROW, _WIDEST = 40, 72


def _in_words(value: str | bool | float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else text.number(value)


def _noted(line: str) -> str:
    return text.wrapped(f"  {line}", indent="    ")


def versions() -> dict[str, str]:
    """What made a finding: bakeoff, Python, and the libraries that do its mathematics."""
    import numpy
    import scipy

    return {
        "bakeoff": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }


# ----------------------------------------------------------------------------------------------------------------------
# Intervals within what a measure allows: no two error rates differ by more than one.


CUT = "interval cut off where the measure ends"


def clip_to_range(rows: Iterable[Row], measure: Measure, learners: Iterable[str]) -> tuple[Row, ...]:
    """The rows of learners and of pairs, with intervals cut off at the ends of what is possible.

    What lies beyond is impossible, so that an interval covers no less without it. Ends that are infinite are those of
    one-sided intervals, and stay. Estimates that lie beyond themselves contradict the range, which is then not used.

    >>> error = Measure("error", larger_is_better=False, lower=0.0, upper=1.0)
    >>> row = Row("a − b", "a", "b", estimate=0.5, lower=-0.118, upper=1.118)
    >>> [(made.lower, made.upper) for made in clip_to_range([row], error, ["a", "b"])]
    [(-0.118, 1.0)]
    """
    names, rows, span = frozenset(learners), tuple(rows), measure.upper - measure.lower
    if all(row.second and -span <= row.lower and row.upper <= span for row in rows if row.first):
        return rows  # as nearly always, and there may be half a million of them
    return tuple(_cut(row, *_range(row, measure, names)) for row in rows)


def _range(row: Row, measure: Measure, names: frozenset[str]) -> tuple[float, float]:
    span = measure.upper - measure.lower
    if row.first in names and row.second in names:
        return -span, span
    if row.first in names and not row.second:
        return measure.lower, measure.upper
    return float("-inf"), float("inf")


def _cut(row: Row, lowest: float, highest: float) -> Row:
    if not lowest <= row.estimate <= highest:
        return row
    lower = lowest if isfinite(row.lower) and row.lower < lowest else row.lower
    upper = highest if isfinite(row.upper) and row.upper > highest else row.upper
    if lower is row.lower and upper is row.upper:
        return row
    return replace(row, lower=lower, upper=upper, note="; ".join(part for part in (row.note, CUT) if part))
