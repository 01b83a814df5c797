"""Packing: how many cells travel together. Long cells go alone; short ones in chunks worth sending."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from bakeoff.running.work import Chunk, Work

_WORTH_SENDING = 0.05  # seconds of work a chunk should hold: sending costs some 0.2 ms
_LARGEST = 200
_GUESSES = 0.7  # how much of an earlier estimate is kept when a new cell of its kind was timed


class Pace:
    """Seconds a cell of each kind takes, learned from those that are finished."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[int, int], float] = {}

    def learn(self, kind: tuple[int, int], seconds: float) -> None:
        before = self._seconds.get(kind)
        self._seconds[kind] = seconds if before is None else _GUESSES * before + (1 - _GUESSES) * seconds

    def of(self, kind: tuple[int, int]) -> float | None:
        """Seconds for a cell of that kind; None before the first is finished."""
        return self._seconds.get(kind)


def packed(
    work: Iterable[Work], rows_of: Callable[[int], Any], pace: Pace, *, left: Callable[[], int], workers: int
) -> Iterator[Chunk]:
    """Chunks of consecutive cells. Toward the end they become small, so that no worker waits long for another.

    `rows_of` gives the training and test rows of a split by its number.
    """
    kept: list[Work] = []
    seconds = 0.0

    def chunk() -> Chunk:
        nonlocal kept, seconds
        made = Chunk(tuple(kept), {each.split: rows_of(each.split) for each in kept})
        kept, seconds = [], 0.0
        return made

    for each in work:
        expected = pace.of(each.kind)
        if expected is None or expected >= _WORTH_SENDING:
            if kept:
                yield chunk()
            kept.append(each)
            yield chunk()
            continue
        kept.append(each)
        seconds += expected
        most = max(1, min(_LARGEST, left() // (4 * workers)))
        if seconds >= _WORTH_SENDING or len(kept) >= most:
            yield chunk()
    if kept:
        yield chunk()
