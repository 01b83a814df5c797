"""The schedule: which cells a worker is given next, and how many of them travel together.

A process runs cells of one learner only, because whatever a learner does to the libraries it has loaded would change
the scores of others; and to start a process takes as long as many a fit. So learners take turns: of a window of splits,
as many as make a turn worth its process, each learner's cells are run one after the other. A run that is stopped has
complete blocks, in which all learners can be compared, of all windows but the last.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Any

from bakeoff.running.work import Chunk, Work

WORTH_SENDING = 0.05  # seconds of work a chunk should hold: sending costs some 0.1 ms
_LEAST_TURN = 1.5  # seconds of work a turn should hold: to start a process costs some 20 ms
_TURN = 40  # times what it takes to start one and to warm it up
_LARGEST = 200
_WIDEST = 4000  # cells of a window
_GUESSES = 0.7  # how much of an earlier estimate is kept when a new cell of its kind was timed


class ChunkSizer:
    """Seconds a cell of each kind takes, learned from those that are finished."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[int, int], float] = {}

    def learn(self, kind: tuple[int, int], seconds: float) -> None:
        before = self._seconds.get(kind)
        self._seconds[kind] = seconds if before is None else _GUESSES * before + (1 - _GUESSES) * seconds

    def of(self, kind: tuple[int, int]) -> float | None:
        """Seconds for a cell of that kind; None before the first is finished."""
        return self._seconds.get(kind)


class Schedule:
    """Cells in the order of `work`, which goes split by split, handed out as chunks of one learner.

    `rows_of` gives the training and test rows of some splits by their numbers; `cells` is how many there are in all.
    Toward the end chunks become small, so that no worker waits long for another.
    """

    def __init__(
        self,
        work: Iterable[Work],
        rows_of: Callable[[list[int]], dict[int, Any]],
        pace: ChunkSizer,
        *,
        cells: int,
        workers: int,
    ) -> None:
        self._work = iter(work)
        self._rows_of, self._pace, self._left, self._workers = rows_of, pace, cells, workers
        self._ahead: Work | None = next(self._work, None)
        self._waiting: dict[int, deque[Work]] = {}
        self._returned: deque[Chunk] = deque()
        self._turn = _LEAST_TURN

    def process_took(self, seconds: float) -> None:
        """How long it took to start a process and to make it ready for its first cell."""
        self._turn = max(self._turn, _TURN * seconds)

    def take(self, learner: int | None, *, others: Collection[int] = (), only: bool = False) -> Chunk | None:
        """The next chunk for a worker that runs this learner: of the same one if there is any, or else, unless `only`
        that will do, of one that no other worker runs, or of any."""
        for chunk in self._returned:
            if chunk.learner == learner or not only:
                self._returned.remove(chunk)
                return chunk
        if learner not in self._waiting and self._seconds_waiting() < self._turn / 2:
            self._open_window()
        if learner in self._waiting:
            return self._chunk(learner)
        if only or not self._waiting:
            return None
        free = [waiting for waiting in self._waiting if waiting not in others]
        return self._chunk(free[0] if free else max(self._waiting, key=lambda one: len(self._waiting[one])))

    def give_back(self, chunks: Iterable[Chunk]) -> None:
        """Chunks that were taken, and are to be run after all."""
        self._returned.extend(chunks)

    def _seconds_waiting(self) -> float:
        return sum(len(cells) * (self._pace.of(cells[0].kind) or WORTH_SENDING) for cells in self._waiting.values())

    def _open_window(self) -> None:
        """Take whole splits until each of their learners has a turn's worth of work."""
        seconds: dict[int, float] = {}
        cells, known = 0, True
        while self._ahead is not None:
            split = self._ahead.split
            while self._ahead is not None and self._ahead.split == split:
                work = self._ahead
                expected = self._pace.of(work.kind)
                known = known and expected is not None
                seconds[work.learner] = seconds.get(work.learner, 0.0) + (expected or 0.0)
                self._waiting.setdefault(work.learner, deque()).append(work)
                cells += 1
                self._ahead = next(self._work, None)
            if not known or cells >= _WIDEST or min(seconds.values()) >= self._turn:
                return

    def _chunk(self, learner: int) -> Chunk:
        waiting = self._waiting[learner]
        most = max(1, min(_LARGEST, self._left // (4 * self._workers)))
        kept = [waiting.popleft()]
        expected = self._pace.of(kept[0].kind)
        seconds = WORTH_SENDING if expected is None else expected
        while waiting and seconds < WORTH_SENDING and len(kept) < most:
            expected = self._pace.of(waiting[0].kind)
            if expected is None or expected >= WORTH_SENDING:
                break
            seconds += expected
            kept.append(waiting.popleft())
        if not waiting:
            del self._waiting[learner]
        self._left -= len(kept)
        return Chunk(tuple(kept), self._rows_of([each.split for each in kept]))
