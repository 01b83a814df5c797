"""How the runs of a task were split into rows to learn from and rows to test on, where labels and sizes do not tell.

Runs on random splits of one data set learn from rows that they share, so that their scores go up and down together; a
test that takes them for independent claims far too much. A table that merely numbers its runs does not say what they
are. A study does, and so can the user.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from bakeoff.resampling.optimism import OPTIMISTIC


class Runs(StrEnum):
    """What the repeated runs of one task are."""

    INDEPENDENT = "independent"  # each learned from a sample of its own
    FIXED_SPLIT = "fixed-split"  # all on one split, with other seeds
    RANDOM_SPLITS = "random-splits"  # on splits of one data set, which overlap


_SAID = {
    Runs.INDEPENDENT: "runs on samples of their own",
    Runs.FIXED_SPLIT: "runs on one split",
    Runs.RANDOM_SPLITS: "runs on random splits",
}
_RATIO = re.compile(r"runs on random splits, ratio (\S{1,30})")
_OPTIMISTIC = re.compile(r"tested on rows learned from \((\S{1,30})\)")


@dataclass(frozen=True, slots=True)
class Splitting:
    """What `runs` are, if it is known; their `ratio` of test to training size, if it was said; and the scheme by which
    scores are `optimistic`, because rows were tested on that had been learned from."""

    runs: Runs | None = None
    ratio: float | None = None
    optimistic: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """In words that `splitting_from` reads.

        >>> Splitting(Runs.RANDOM_SPLITS, 0.5, "632").parts
        ('runs on random splits, ratio 0.5', 'tested on rows learned from (632)')
        """
        runs = "" if self.runs is None else _SAID[self.runs]
        if self.runs is Runs.RANDOM_SPLITS and self.ratio is not None:
            runs += f", ratio {self.ratio!r}"
        seen = f"tested on rows learned from ({self.optimistic})" if self.optimistic else ""
        return tuple(part for part in (runs, seen) if part)


NOT_KNOWN = Splitting()


def splitting_from(parts: tuple[str, ...]) -> Splitting | None:
    """What parts of a text say of the splits; None if one of them says something else.

    >>> splitting_from(("runs on one split",)).runs
    <Runs.FIXED_SPLIT: 'fixed-split'>
    >>> splitting_from(("runs on three splits",))
    """
    runs, ratio, optimistic = None, None, ""
    by_text = {text: kind for kind, text in _SAID.items()}
    for part in parts:
        if part in by_text and runs is None:
            runs = by_text[part]
        elif (found := _RATIO.fullmatch(part)) and runs is None and (ratio := _positive(found[1])) is not None:
            runs = Runs.RANDOM_SPLITS
        elif (found := _OPTIMISTIC.fullmatch(part)) and found[1] in OPTIMISTIC and not optimistic:
            optimistic = found[1]
        else:
            return None
    return Splitting(runs, ratio, optimistic)


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and value > 0 else None
