"""Alignment: what was read, and whether the learners stand side by side in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff.scores.blocks import FinestGrid, Level, grid_at, natural_level
from bakeoff.scores.reading import as_scores
from bakeoff.scores.table import NO_VALUE, OK, Scores
from bakeoff.text import listing, shortened, to_json_value, width

if TYPE_CHECKING:
    import pandas as pd

_MOST_NAMES = 8
_MOST_CELLS, _MOST_FAILURES, _MOST_LEARNERS, _MOST_MEASURES, _MOST_NOTES = 5, 4, 4, 3, 7


@dataclass(frozen=True)
class FailedRows:
    """Rows that failed in the same way."""

    status: str
    message: str
    count: int


@dataclass(frozen=True)
class MeasureAlignment:
    """How the values of one measure stand: its direction, its level, and what is not there.

    `missing` names the first of the missing cells, `unmatched` counts for each learner the blocks that others have a
    row for and it has none.
    """

    name: str
    better: str
    origin: str
    level: Level
    n_blocks: int
    n_cells: int
    n_missing: int
    missing: tuple[str, ...]
    failures: tuple[FailedRows, ...]
    n_unmatched: int
    unmatched: tuple[tuple[str, int], ...]

    @property
    def complete(self) -> bool:
        return self.n_missing == 0

    @property
    def n_failed(self) -> int:
        return sum(failure.count for failure in self.failures)


@dataclass(frozen=True)
class Alignment:
    """The report that follows every reading, before anybody compares anything."""

    source: str
    n_rows: int
    learners: tuple[str, ...]
    tasks: tuple[str, ...]
    n_repeats: int
    n_folds: int
    n_instances: int
    measures: tuple[MeasureAlignment, ...]
    notes: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return all(measure.complete for measure in self.measures)

    @property
    def in_order(self) -> bool:
        """Whether nothing is missing, failed or unmatched."""
        return self.complete and not any(measure.failures or measure.n_unmatched for measure in self.measures)

    def to_text(self) -> str:
        """The report in at most some 25 lines."""
        lines = list(self._lines())
        column = max(width(title) for title, _ in lines)
        return "\n".join(
            [f"{_one_line(self.source, 160)}: {_count(self.n_rows, 'row')}"]
            + [f"  {title}{' ' * (column - width(title))}  {text}" for title, text in lines]
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON knows it."""
        return dict(to_json_value(self))

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{escape(title)}</th><td>{escape(text)}</td></tr>" for title, text in self._lines())
        caption = f"<caption>{escape(self.source)}: {_count(self.n_rows, 'row')}</caption>"
        return f"<table>{caption}<tbody>{rows}</tbody></table>"

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "learners", _names(self.learners)
        if self.tasks:
            yield "tasks", _names(self.tasks)
        for title, number in (("repeats", self.n_repeats), ("folds", self.n_folds), ("instances", self.n_instances)):
            if number:
                yield title, str(number)
        for measure in self.measures[:_MOST_MEASURES]:
            yield from _measure_lines(measure)
        if len(self.measures) > _MOST_MEASURES:
            yield "measures", f"and {_names([measure.name for measure in self.measures[_MOST_MEASURES:]])}"
        for i, note in enumerate(self.notes[:_MOST_NOTES]):
            yield "" if i else "notes", _one_line(note, 160)
        if len(self.notes) > _MOST_NOTES:
            yield "", f"and {len(self.notes) - _MOST_NOTES} more"


def align(scores: Scores | pd.DataFrame, measure: str | None = None) -> Alignment:
    """Report what a table holds; of all its measures, or of one.

    >>> from bakeoff.measures import known_measure
    >>> both = Scores.of(
    ...     [0.9, 0.8, 0.7],
    ...     learner=["svm", "knn", "svm"],
    ...     task=["iris", "iris", "wine"],
    ...     measures={"accuracy": known_measure("accuracy")},
    ... )
    >>> print(align(both).to_text())
    scores: 3 rows
      learners   2: svm and knn
      tasks      2: iris and wine
      accuracy   larger is better (known measure); compared over tasks
      missing    1 of 4 cells: knn on task wine
      unmatched  1 of 2 blocks only some learners have: knn lacks 1
    """
    scores = as_scores(scores, measure)
    names = scores.measure.labels if measure is None else (measure,)
    whole = scores if measure is None else scores.only(measure=measure)
    return Alignment(
        source=scores.source,
        n_rows=len(whole),
        learners=whole.learners,
        tasks=_used(whole.tasks),
        n_repeats=len(_used(whole.repeat.labels)),
        n_folds=len(_used(whole.fold.labels)),
        n_instances=len(_used(whole.instance.labels)),
        measures=tuple(_measure(whole if len(names) == 1 else whole.only(measure=name)) for name in names),
        notes=scores.notes,
    )


def _used(labels: tuple[str, ...]) -> tuple[str, ...]:
    return () if labels == ("",) else labels


def _measure(one: Scores) -> MeasureAlignment:
    measure = one.measures[one.measure.labels[0]]
    level = natural_level(one)
    fine = grid_at(one, level)  # with runs of one's own averaged: a seed of another learner is no cell that is missing
    holes = np.argwhere(np.isnan(fine.values) & fine.expected)
    absent = fine.expected & ~fine.present
    return MeasureAlignment(
        name=measure.name,
        better=measure.better,
        origin=measure.origin,
        level=level,
        n_blocks=len(fine.values),
        n_cells=int(fine.expected.sum()),
        n_missing=len(holes),
        missing=tuple(_cell(fine, block, learner) for block, learner in holes[:_MOST_CELLS].tolist()),
        failures=_failures(one),
        n_unmatched=int(absent.any(axis=1).sum()),
        unmatched=tuple(
            (learner, count) for learner, count in zip(one.learners, absent.sum(axis=0).tolist(), strict=True) if count
        ),
    )


def _cell(fine: FinestGrid, block: int, learner: int) -> str:
    return f"{fine.scores.learners[learner]} on {fine.label(block)}"


def _failures(one: Scores) -> tuple[FailedRows, ...]:
    """Failed rows by status and message, the most frequent first. A cell that is merely empty did not fail."""
    fine = [code for code, label in enumerate(one.status.labels) if label in (OK, NO_VALUE)]
    rows = np.flatnonzero(~np.isin(one.status.codes, fine))
    if not len(rows):
        return ()
    pairs = np.column_stack([one.status.codes[rows], one.message.codes[rows]])
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return tuple(
        FailedRows(one.status.labels[kinds[i, 0]], one.message.labels[kinds[i, 1]], int(counts[i])) for i in order
    )


def _measure_lines(measure: MeasureAlignment) -> Iterator[tuple[str, str]]:
    state = "; complete" if measure.complete else ""
    over = "a single run" if measure.level is Level.SINGLE else f"compared over {measure.level.value}"
    yield (
        _one_line(measure.name, 30),
        f"{measure.better} is better ({_one_line(measure.origin, 80)}); {over}{state}",
    )
    if measure.n_missing:
        cells = [_one_line(cell, 60) for cell in measure.missing]
        more = measure.n_missing - len(cells)
        named = "; ".join(cells) + (f"; and {more} more" if more else "")
        yield "missing", f"{measure.n_missing} of {_count(measure.n_cells, 'cell')}: {named}"
    if measure.failures:
        kinds = [
            f"{failure.count} × {_one_line(failure.status, 20)}"
            + (f" ({_one_line(failure.message, 50)})" if failure.message else "")
            for failure in measure.failures[:_MOST_FAILURES]
        ]
        more = len(measure.failures) - len(kinds)
        yield (
            "failed",
            f"{_count(measure.n_failed, 'row')}: " + "; ".join(kinds) + (f"; {more} more kinds" * bool(more)),
        )
    if measure.n_unmatched:
        lacking = [f"{_one_line(name, 30)} lacks {count}" for name, count in measure.unmatched]
        yield (
            "unmatched",
            f"{measure.n_unmatched} of {_count(measure.n_blocks, 'block')} only some learners have: "
            f"{listing(lacking, _MOST_LEARNERS)}",
        )


def _names(names: Sequence[str]) -> str:
    short, long = ([_one_line(name, most) for name in names[:_MOST_NAMES]] for most in (30, 42))
    shown = short if len(set(short)) == len(short) or len(set(long)) < len(long) else long  # to be told apart
    more = len(names) - len(shown)
    return f"{len(names)}: " + (f"{', '.join(shown)} and {more} more" if more else listing(shown))


def _one_line(text: str, most: int) -> str:
    """A name from a file as a terminal may show it: in one line, and without characters that steer the terminal."""
    return shortened("".join(c if c.isprintable() or c.isspace() else "�" for c in text), most)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
