"""Scores that say less than they seem to: learners that score alike in every block, or that never gave a result."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from bakeoff.judging.verdict import Decision, Judged
from bakeoff.judging.warnings import CodedWarning
from bakeoff.presentation import counted, listing
from bakeoff.scores import Blocks, Missing, Scores
from bakeoff.scores.blocks import grid


def without_results(table: Scores, missing: Missing) -> tuple[str, ...]:
    """The learners that have no value at all, and were given the worst one instead."""
    if missing is not Missing.WORST:
        return ()
    values = grid(table).values
    return tuple(name for name, column in zip(table.learners, values.T, strict=True) if np.isnan(column).all())


def no_claims_for(failed: Collection[str], decisions: Sequence[Judged]) -> tuple[Judged, ...]:
    """The decisions, without those in favour of a learner that never gave a result: what was put in is no evidence."""

    def favours(judged: Judged) -> bool:
        first = (Decision.BETTER, Decision.EQUIVALENT, Decision.NON_INFERIOR)
        second = (Decision.WORSE, Decision.EQUIVALENT)
        return (judged.first in failed and judged.decision in first) or (
            judged.second in failed and judged.decision in second
        )

    return tuple(replace(judged, decision=Decision.UNDECIDED) if favours(judged) else judged for judged in decisions)


def alike(sheet: Blocks) -> list[tuple[str, ...]]:
    """The learners that have the same score in every block, up to rounding error, together."""
    if sheet.n_blocks < 2 or np.isnan(sheet.values).any():
        return []
    scale = float(np.abs(sheet.values).max()) or 1.0
    columns: dict[bytes, list[str]] = {}
    for name, column in zip(sheet.learners, np.round(sheet.values.T / scale, 13) + 0.0, strict=True):
        columns.setdefault(column.tobytes(), []).append(name)
    return [tuple(names) for names in columns.values() if len(names) > 1]


def about_scores(sheet: Blocks | None, failed: Collection[str]) -> Iterator[CodedWarning]:
    """What to know of learners that score alike, or not at all."""
    if failed:
        yield CodedWarning(
            "never-succeeded",
            f"{listing(list(failed), 6)} gave no result in any block; the worst value in the table stands in for all.",
            "Nothing is claimed in favour of such a learner. Find out why it fails, or leave it out (--learner NAME, "
            "repeated, names those to compare).",
        )
    groups = [] if sheet is None else [names for names in alike(sheet) if not set(names) <= set(failed)]
    if sheet is not None and groups:
        said = "; ".join(listing(list(names), 6) for names in groups[:4])
        more = f"; and {len(groups) - 4} more groups" if len(groups) > 4 else ""
        yield CodedWarning(
            "identical-scores",
            f"The scores are the same in all {counted(sheet.n_blocks, sheet.level.value)}: {said}{more}. A difference "
            "that never varies has no standard error, and is no evidence that learners are equal.",
            "Make sure that they are different learners, each with its own results.",
        )
