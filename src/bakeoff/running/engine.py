"""The engine: chunks of cells to worker processes, outcomes back as they come.

Each worker has a pebble pool of its own. Pebble starts, limits and kills processes; that a pool has one worker only
means that whatever a dying worker leaves half-written or locked in its pipes is thrown away with the pool, and no
other worker notices. Short cells travel together, so that sending them costs little; a chunk that fails as a whole is
tried again cell by cell, so that one bad cell costs itself alone.
"""

from __future__ import annotations

import contextlib
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, TimeoutError
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from bakeoff.errors import BakeoffError
from bakeoff.running.processes import Context, context, kill_orphans
from bakeoff.running.work import Chunk, Limits, Outcome, Status, Work
from bakeoff.running.worker import Settings, received, resolved, run_chunk, start, unsuited, warm_up

_AHEAD = 2  # chunks that a worker has: the one it works on and the next, so that it never waits for us
_TRIES_AFTER_A_KILL = 2  # a process that was killed may have been killed by somebody else
_MOST_REFUSALS = 20  # of workers in a row to be started
_TO_WARM_UP = 300.0  # seconds to import a learner and to load its data, which count for no cell
_UNKNOWN = 255  # the exit code that multiprocessing gives to a process of which nobody can tell it any more
_BREATH = 0.2  # seconds between looks at the clock and for Ctrl-C


class EngineError(BakeoffError):
    """Workers cannot be started."""

    exit_code = 2


class _Slot:
    """A place for one worker: its pool, and what it was given and has not answered yet."""

    def __init__(self, settings: Settings, started: Context) -> None:
        self.settings, self.context = settings, started
        self.given: dict[Future[Any], Chunk] = {}
        self.warm: set[tuple[int, int]] = set()
        self.pool: Any = None
        self._renew()

    def _renew(self) -> None:
        from pebble import ProcessPool

        self.warm.clear()
        self.pool = ProcessPool(max_workers=1, initializer=start, initargs=(self.settings,), context=self.context)

    def give(self, chunk: Chunk, time_limit: float | None, done: SimpleQueue[tuple[_Slot, Future[Any]]]) -> None:
        for kind in dict.fromkeys(work.kind for work in chunk.work):
            if kind not in self.warm:
                # Whatever goes wrong here will go wrong in the cell itself, and is reported there.
                self.pool.schedule(warm_up, args=kind, timeout=_TO_WARM_UP)
                self.warm.add(kind)
        future = self.pool.schedule(run_chunk, args=(chunk,), timeout=time_limit)
        self.given[future] = chunk
        future.add_done_callback(lambda finished: done.put((self, finished)))

    def replace(self) -> list[Chunk]:
        """A new pool for a broken one; returns what the old one still had."""
        left = list(self.given.values())
        self.given.clear()
        self.close()
        self._renew()
        return left

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self.pool.stop()
            self.pool.join()


class Engine:
    """Local processes. Use as a context manager; `run` may be left at any time, and everything is stopped."""

    def __init__(self, folder: Path, *, workers: int, limits: Limits, import_from: Iterable[str] = ()) -> None:
        self.folder, self.limits = folder, limits
        settings = Settings(str(folder), tuple(import_from), limits.memory_limit, limits.threads)
        started = context(limits.threads)
        self._slots = [_Slot(settings, started) for _ in range(workers)]
        self._done: SimpleQueue[tuple[_Slot, Future[Any]]] = SimpleQueue()
        self._tries: dict[int, int] = {}
        self._again: deque[Chunk] = deque()
        self._refusals = 0

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        for slot in self._slots:
            slot.close()
        kill_orphans(self.folder, all_groups=True)

    def run(self, chunks: Iterator[Chunk]) -> Iterator[list[Outcome]]:
        """Outcomes as they come, in any order; chunks are asked for only when a worker has room for one."""
        while True:
            self._fill(chunks)
            if not any(slot.given for slot in self._slots):
                if self._again:
                    continue  # no worker could be started
                return
            try:
                slot, future = self._done.get(timeout=_BREATH)
            except Empty:
                continue
            chunk = slot.given.pop(future, None)
            if chunk is None:
                continue  # answered by a pool that was given up; the cells are on their way again
            yield self._outcomes(slot, chunk, future)

    def resolve(self, learner: int) -> dict[str, Any] | str | None:
        """What a learner is in full, found out in a worker; a sentence if it can never be made, and None if its code
        does not even say why."""
        resolution: dict[str, Any] | str | None = self._asked(resolved, learner)
        return resolution

    def unsuited(self, learner: int, tasks: Sequence[tuple[str, str]]) -> str | None:
        """Why a learner cannot learn from one of these tasks (names and kinds); None if nothing is known against it."""
        reason: str | None = self._asked(unsuited, learner, tasks)
        return reason

    def _asked(self, question: Callable[..., Any], *given: Any) -> Any:
        """The answer of a worker; None if it cannot give one."""
        slot = self._slots[0]
        for _ in range(_TRIES_AFTER_A_KILL):
            try:
                return slot.pool.schedule(question, args=given, timeout=_TO_WARM_UP).result()
            except Exception:  # noqa: BLE001 (any failure of the learner's own code)
                self._give_up(slot)
        return None

    def _fill(self, chunks: Iterator[Chunk]) -> None:
        for room in range(_AHEAD):
            for slot in self._slots:
                if len(slot.given) > room:
                    continue
                chunk = self._again.popleft() if self._again else next(chunks, None)
                if chunk is None:
                    return
                self._give(slot, chunk)

    def _give(self, slot: _Slot, chunk: Chunk) -> None:
        try:
            slot.give(chunk, self.limits.time_limit, self._done)
        except (OSError, RuntimeError) as broken:
            # The pool broke since it was last heard of, or its process was killed while it started.
            self._refusals += 1
            self._again.append(chunk)
            self._give_up(slot)
            if self._refusals >= _MOST_REFUSALS:
                raise EngineError(
                    f"No worker process can be started: {_root(broken)}. See that the machine has memory and processes "
                    "to spare, and run the study again: it goes on where it stopped."
                ) from broken
        else:
            self._refusals = 0

    def _outcomes(self, slot: _Slot, chunk: Chunk, future: Future[Any]) -> list[Outcome]:
        from pebble import ProcessExpired

        try:
            return received(self.folder, future.result())
        except TimeoutError:
            # Pebble would go on with a new process on the old pipes. It may have been stopped in the middle of a
            # message; and what was loaded for it counts for no cell, so that the next process is to load it again.
            self._give_up(slot)
            status, message = Status.TIMEOUT, f"past the time limit of {self.limits.time_limit:g} s"
        except ProcessExpired as died:
            self._give_up(slot)
            status, message = Status.CRASH, _cause(died.exitcode)
            if _was_killed(died.exitcode) and len(chunk.work) == 1 and self._may_try_again(chunk):
                self._again.append(chunk)
                return []
        except (CancelledError, OSError, RuntimeError) as broken:
            # The pool broke before or after the cell, for no fault of its own as far as is known.
            self._give_up(slot)
            if len(chunk.work) == 1 and not self._may_try_again(chunk):
                return [Outcome(chunk.work[0].cell, Status.CRASH, f"the worker was lost: {broken}")]
            self._again.extend(chunk.one_by_one())
            return []
        if len(chunk.work) > 1:
            self._again.extend(chunk.one_by_one())
            return []
        return [Outcome(chunk.work[0].cell, status, message)]

    def _give_up(self, slot: _Slot) -> None:
        # Before as well: what a dead worker left running holds its pipes open, and the pool would wait for their end.
        kill_orphans(self.folder)
        self._again.extend(slot.replace())
        kill_orphans(self.folder)

    def _may_try_again(self, chunk: Chunk) -> bool:
        cell = chunk.work[0].cell
        self._tries[cell] = self._tries.get(cell, 0) + 1
        return self._tries[cell] < _TRIES_AFTER_A_KILL


def _root(error: BaseException) -> str:
    """What it began with, in its own words or by its name."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


def _was_killed(exitcode: int | None) -> bool:
    """By a signal; or its exit code is not known, because the server that would have told it was killed as well."""
    return exitcode is None or exitcode < 0 or exitcode == _UNKNOWN


def _cause(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"the process ended itself with exit code {exitcode}"
    try:
        name = signal.Signals(-exitcode).name
    except ValueError:
        name = f"signal {-exitcode}"
    return f"the process was killed by {name}"


# ----------------------------------------------------------------------------------------------------------------------
# Packing: how many cells travel together. Long cells go alone; short ones in chunks worth sending.


_WORTH_SENDING = 0.05  # seconds of work a chunk should hold: sending costs some 0.2 ms
_LARGEST = 200
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


def packed(
    work: Iterable[Work], rows_of: Callable[[int], Any], pace: ChunkSizer, *, left: Callable[[], int], workers: int
) -> Iterator[Chunk]:
    """Chunks of consecutive cells. Toward the end they become small, so that no worker waits long for another.

    `rows_of` gives the training and test rows of a split by its number.
    """
    kept: list[Work] = []
    seconds = 0.0

    def chunk() -> Chunk:
        nonlocal kept, seconds
        fitted_chunk = Chunk(tuple(kept), {each.split: rows_of(each.split) for each in kept})
        kept, seconds = [], 0.0
        return fitted_chunk

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
