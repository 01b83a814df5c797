"""The engine: chunks of cells to worker processes, outcomes back as they come.

A worker is a process and a pipe, and runs cells of one learner; for another one it is ended and a new one started.
Nobody else holds its pipe: whatever a dying worker leaves half-written is thrown away with it. Short cells travel
together, so that sending them costs little; a chunk that fails as a whole is tried again cell by cell, so that one bad
cell costs itself alone.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple

from bakeoff.errors import BakeoffError
from bakeoff.running import processes
from bakeoff.running.work import Chunk, Limits, Outcome, Status, Work
from bakeoff.running.worker import Settings, read_message, serve, write_message

_AHEAD = 2  # chunks that a worker has: the one it works on and the next, so that it never waits for us
_MOST_KILLS = 20  # of one cell's workers by somebody else: a learner might do it in a way that nobody sees
_TRIES_WITHOUT_MEMORY = 2  # of a cell whose worker the system killed for lack of memory, which others may have taken
_MOST_REFUSALS = 20  # of workers in a row to be started
_BETWEEN_REFUSALS = 0.01  # seconds, more each time: a server that was just killed is found dead a moment later
_TO_WARM_UP = 300.0  # seconds to import a learner and to load its data, which count for no cell
_UNKNOWN = 255  # the exit code that multiprocessing gives to a process of which nobody can tell it any more
_LOOK = 0.5  # seconds between looks at the clock, for Ctrl-C, and whether workers were stopped or print too much
_EXAMINED = -1  # in place of the learner of a worker that has imported several
# Signals by which people and systems end processes; those of a program's own mistakes are not among them.
_FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGSTOP")

_GARBLED = "the process no longer answers as one of Python does: the learner has altered what its library is made of"

RUN, WARM_UP, RESOLVE, UNSUITED = "run", "warm_up", "resolve", "unsuited"


class EngineError(BakeoffError):
    """Workers cannot be started."""

    exit_code = 2


class _GarbledError(Exception):
    """A worker says something that is no answer: its learner has altered what all programs are made of."""


class _Assignment(NamedTuple):
    """What a worker was asked: a chunk of cells, or a question; and the seconds that it has for it."""

    limit: float | None
    chunk: Chunk | None = None
    about: tuple[int, int] | None = None  # the kind of cells that it is to warm up for


class _Worker:
    """A process that runs cells of one learner, and what it was given and has not answered yet."""

    def __init__(self, settings: Settings, context: Any, learner: int) -> None:
        self.learner, self.folder = learner, Path(settings.folder)
        self.assignments: deque[_Assignment] = deque()
        self.warm: set[tuple[int, int]] = set()
        self.started = self.since = monotonic()
        self.stopped_before = False
        self.connection, theirs = context.Pipe()
        try:
            self.process = context.Process(target=serve, args=(theirs, settings), daemon=True)
            self.process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()
        self.memory_kills = processes.kills_for_lack_of_memory()
        processes.LIVE.add(self.process.pid)

    def ask(self, question: str, arguments: Sequence[Any], limit: float | None, **about: Any) -> None:
        if not self.assignments:
            self.since = monotonic()
        self.assignments.append(_Assignment(limit, **about))
        write_message(self.connection, self.folder, pickle.dumps((question, *arguments), protocol=5))

    def run(self, chunk: Chunk, limit: float | None, cold: Collection[tuple[int, int]]) -> None:
        for kind in dict.fromkeys(work.kind for work in chunk.work):
            if kind not in self.warm and kind not in cold:
                # Whatever goes wrong here will go wrong in the cell itself, and is reported there.
                self.ask(WARM_UP, kind, _TO_WARM_UP, about=kind)
                self.warm.add(kind)
        self.ask(RUN, (chunk,), limit, chunk=chunk)

    def answer(self) -> tuple[_Assignment, Any]:
        """The next answer, which has arrived; a _GarbledError if it is none. Only what was answered is no longer
        given."""
        data = read_message(self.connection, self.folder)
        try:
            answer = pickle.loads(data)  # noqa: S301 (written by our own worker)
        except Exception as error:
            raise _GarbledError from error
        if self.assignments[0].chunk is not None and not isinstance(answer, list):
            raise _GarbledError
        self.since, self.stopped_before = monotonic(), False
        return self.assignments.popleft(), answer

    @property
    def chunks(self) -> list[Chunk]:
        return [each.chunk for each in self.assignments if each.chunk is not None]

    @property
    def seconds_left(self) -> float | None:
        """Until it is past its time; None if there is no limit."""
        limit = self.assignments[0].limit if self.assignments else None
        return None if limit is None else self.since + limit - monotonic()

    def was_stopped(self) -> bool:
        """Whether somebody stopped it, and let it stand since the last look: the run as a whole may just be resumed."""
        stopped = processes.is_stopped(self.process.pid)
        before, self.stopped_before = self.stopped_before, stopped
        return stopped and before

    def end(self) -> int | None:
        """End the process, and all that came of it; returns its exit code."""
        exitcode: int | None = self.process.exitcode
        with contextlib.suppress(OSError):
            self.connection.close()
        processes.end(self.process, self.folder)
        return exitcode


class Engine:
    """Local processes. Use as a context manager; `run` may be left at any time, and everything is stopped."""

    def __init__(
        self,
        folder: Path,
        *,
        workers: int,
        limits: Limits,
        import_from: Iterable[str] = (),
        preload: Iterable[str] = (),
    ) -> None:
        self.folder, self.limits = folder, limits
        self._settings = Settings(str(folder), tuple(import_from), limits.memory_limit, limits.threads)
        self._context = processes.context(limits.threads, preload)
        self._workers: list[_Worker | None] = [None] * workers
        self._kills: Counter[int] = Counter()  # of workers, by the cell that they worked on
        self._kills_of: Counter[int] = Counter()  # by its learner
        self._done: set[int] = set()  # learners that have an outcome
        self._cold: set[tuple[int, int]] = set()  # kinds of cells that there is no warming up for
        self._refusals = 0
        self._looked = monotonic()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        for place in range(len(self._workers)):
            self._end(place)
        processes.end_strays(everywhere=True)

    # Questions about learners, before any cell is run

    def resolve(self, learner: int) -> dict[str, Any] | str | None:
        """What a learner is in full, found out in a worker; a sentence if it can never be made, and None if its code
        does not even say why."""
        resolution: dict[str, Any] | str | None = self._answer_to(RESOLVE, learner)
        return resolution

    def unsuited(self, learner: int, tasks: Sequence[tuple[str, str]]) -> str | None:
        """Why a learner cannot learn from one of these tasks (names and kinds); None if nothing is known against it."""
        reason: str | None = self._answer_to(UNSUITED, learner, tasks)
        return reason

    def _answer_to(self, question: str, learner: int, *more: Any) -> Any:
        """The answer of a worker; None if it cannot give one."""
        for _ in range(2):
            worker = self._workers[0] or self._started(0, learner)
            if worker is None:
                continue
            if worker.learner != learner:
                worker.learner = _EXAMINED  # it has imported others by now, and is to run no cell of any
            with contextlib.suppress(EOFError, OSError, _GarbledError):  # it may be killed before it is asked
                worker.ask(question, (learner, *more), _TO_WARM_UP)
                ready = wait([worker.connection, worker.process.sentinel], _TO_WARM_UP)
                if worker.connection in ready or (ready and worker.connection.poll()):
                    return worker.answer()[1]
            self._end(0)
        return None

    # Cells

    def run(self, schedule: Schedule) -> Iterator[list[Outcome]]:
        """Outcomes as they come, in any order, and none now and then while all workers are silent, so that whoever
        asks can write what it has; chunks are asked for only when a worker has room for one."""
        while True:
            self._fill(schedule)
            busy = {place: worker for place, worker in enumerate(self._workers) if worker and worker.assignments}
            if not busy:
                return
            heard = self._heard_of(busy)
            if not heard:
                yield []
            for place in heard:
                worker = busy[place]
                if self._workers[place] is worker:
                    yield self._outcomes(place, worker, schedule)

    def _fill(self, schedule: Schedule) -> None:
        for room in range(_AHEAD):
            for place in range(len(self._workers)):
                worker = self._workers[place]
                if worker is None or len(worker.chunks) <= room:
                    self._give(place, schedule)

    def _give(self, place: int, schedule: Schedule) -> None:
        worker = self._workers[place]
        others = {other.learner for other in self._workers if other and other is not worker}
        busy = bool(worker and worker.assignments)
        while (chunk := schedule.take(worker.learner if worker else None, others=others, only=busy)) is not None:
            if worker is None or worker.learner != chunk.learner:
                self._end(place)
                worker = self._started(place, chunk.learner)
            if worker is not None:
                try:
                    worker.run(chunk, self.limits.time_limit, self._cold)
                except OSError:  # it has ended since it was last heard of: that is found out when it is listened to
                    if chunk not in worker.chunks:
                        worker.assignments.append(_Assignment(self.limits.time_limit, chunk))
                return
            schedule.give_back([chunk])

    def _started(self, place: int, learner: int) -> _Worker | None:
        """A new worker; None if it was refused, which can be a matter of the moment."""
        processes.wake_server()
        try:
            worker = self._workers[place] = _Worker(self._settings, self._context, learner)
        except (OSError, EOFError, RuntimeError) as refused:
            self._refusals += 1
            if self._refusals >= _MOST_REFUSALS:
                raise EngineError(
                    f"No worker process can be started: {str(refused) or type(refused).__name__}. See that the machine "
                    "has memory and processes to spare, and run the study again: it goes on where it stopped."
                ) from refused
            sleep(_BETWEEN_REFUSALS * self._refusals)
            return None
        self._refusals = 0
        return worker

    def _heard_of(self, busy: dict[int, _Worker]) -> list[int]:
        """The places of workers that have answered, ended, or are past their time; waits for a moment at most."""
        limits = [worker.seconds_left for worker in busy.values()]
        patience = max(0.0, min([_LOOK, *(left for left in limits if left is not None)]))
        places: dict[Any, int] = {}
        for place, worker in busy.items():
            places[worker.connection] = places[worker.process.sentinel] = place
        heard = list(dict.fromkeys(places[each] for each in wait(list(places), patience)))
        late = [p for p, worker in busy.items() if (left := worker.seconds_left) is not None and left <= 0]
        if monotonic() - self._looked >= _LOOK:
            self._looked = monotonic()
            late += [place for place, worker in busy.items() if place not in heard and worker.was_stopped()]
            for worker in busy.values():
                processes.cut_log(self.folder, worker.process.pid)
        return heard + [place for place in dict.fromkeys(late) if place not in heard]

    def _outcomes(self, place: int, worker: _Worker, schedule: Schedule) -> list[Outcome]:
        """What a worker that was heard of has answered, or what became of the cell that it worked on."""
        try:
            if worker.connection.poll():
                given, answer = worker.answer()
                if given.chunk is None:
                    schedule.process_took(monotonic() - worker.started)
                    return []
                outcomes: list[Outcome] = answer
                self._done.add(given.chunk.learner)
                return outcomes
        except _GarbledError:
            self._end(place)
            return self._lost(worker, schedule, (Status.CRASH, _GARBLED))
        except (EOFError, OSError):
            worker.process.join(_LOOK)  # it is dying, and what it leaves is of no use
        left = worker.seconds_left
        in_time = left is None or left > 0
        stopped = worker.stopped_before and processes.is_stopped(worker.process.pid)
        own = processes.own_signal(self.folder, worker.process.pid)
        exitcode = self._end(place)
        if exitcode is None and not in_time and (kind := worker.assignments[0].about) is not None:
            self._cold.add(kind)  # what takes for ever is to import it: that is tried again in the time of the cells
            schedule.give_back(worker.chunks)
            return []
        if exitcode is None and not in_time:
            ended = Status.TIMEOUT, f"past the time limit of {self.limits.time_limit:g} s"
            return self._lost(worker, schedule, ended)
        name = "SIGSTOP" if stopped else _signal(exitcode)
        ended = Status.CRASH, _cause(exitcode, own or name)
        tries = _MOST_KILLS if name in _FROM_OUTSIDE and own is None else 1
        if name == "SIGKILL" and processes.kills_for_lack_of_memory() > worker.memory_kills:
            ended = Status.MEMORY, "killed by the system, which had no memory left"
            tries = _TRIES_WITHOUT_MEMORY
        return self._lost(worker, schedule, ended, tries)

    def _lost(self, worker: _Worker, schedule: Schedule, ended: tuple[Status, str], tries: int = 1) -> list[Outcome]:
        """What is to be said of the cell that a worker worked on when it ended, unless it may be tried again; what else
        the worker had is given back."""
        first, *rest = worker.chunks
        schedule.give_back(rest)
        if len(first.work) > 1:
            schedule.give_back(first.one_by_one())
            return []
        (work,) = first.work
        if tries > 1 and self._may_try_again(work, tries):
            schedule.give_back([first])
            return []
        return [Outcome(work.cell, *ended)]

    def _may_try_again(self, work: Work, most: int) -> bool:
        self._kills[work.cell] += 1
        self._kills_of[work.learner] += 1
        hopeless = work.learner not in self._done and self._kills_of[work.learner] > _MOST_KILLS
        return self._kills[work.cell] < (2 if hopeless else most)

    def _end(self, place: int) -> int | None:
        worker, self._workers[place] = self._workers[place], None
        return None if worker is None else worker.end()


def _signal(exitcode: int | None) -> str:
    """The name of the signal that ended a process; empty if none did. If its exit code is not known, because the server
    that would have told it was killed as well, that of a kill."""
    if exitcode is None or exitcode == _UNKNOWN:
        return "SIGKILL"
    if exitcode >= 0:
        return ""
    try:
        return signal.Signals(-exitcode).name
    except ValueError:
        return f"signal {-exitcode}"


def _cause(exitcode: int | None, name: str) -> str:
    if name == "SIGSTOP":
        return "the process was stopped by SIGSTOP"
    return f"the process was killed by {name}" if name else f"the process ended itself with exit code {exitcode}"


# ----------------------------------------------------------------------------------------------------------------------
# The schedule: which cells a worker is given next, and how many of them travel together.
#
# A process runs cells of one learner only, because whatever a learner does to the libraries it has loaded would change
# the scores of others; and to start a process takes as long as many a fit. So learners take turns: of a window of
# splits, as many as make a turn worth its process, each learner's cells are run one after the other. A run that is
# stopped has complete blocks, in which all learners can be compared, of all windows but the last.


WORTH_SENDING = 0.1  # seconds of work a chunk should hold: to send it and its outcomes costs some 0.3 ms
_LEAST_TURN = 1.5  # seconds of work a turn should hold: to start a process costs some 20 ms
_TURN = 40  # times what it takes to start one and to warm it up
_LARGEST = 200
WIDEST = 4000  # cells of a window
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

    `rows_of` gives the training and test rows of some splits by their numbers, and is told which will be asked for
    soon; `cells` is how many there are in all. Once the time `is_over` nothing is handed out any more, and `spent`
    tells that something was left.
    Toward the end chunks become small, so that no worker waits long for another.
    """

    def __init__(
        self,
        work: Iterable[Work],
        rows_of: Callable[[list[int], Iterable[int]], dict[int, Any]],
        pace: ChunkSizer,
        *,
        cells: int,
        workers: int,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_over, self.spent = is_over, False
        self._work = iter(work)
        self._rows_of, self._pace, self._left = rows_of, pace, cells
        self._workers = max(workers, 1)  # a cluster may have none at this moment
        self._ahead: Work | None = next(self._work, None)
        self._waiting: dict[int, deque[Work]] = {}
        self._returned: deque[Chunk] = deque()
        self._turn = _LEAST_TURN
        self._handed_out = 0
        self.positions: dict[int, int] = {}  # of cells by their numbers: when each was last handed out, from 1

    def process_took(self, seconds: float) -> None:
        """How long it took to start a process and to make it ready for its first cell."""
        self._turn = max(self._turn, _TURN * seconds)

    def take(self, learner: int | None, *, others: Collection[int] = (), only: bool = False) -> Chunk | None:
        """The next chunk for a worker that runs this learner: of the same one if there is any, or else, unless `only`
        that will do, of one that no other worker runs, or of any."""
        # Asked here and not where work comes from: of short cells a whole window is taken from there at once.
        left = self._ahead is not None or self._waiting or self._returned
        if left and self._is_over():
            self.spent = True
        chunk = None if self.spent else self._next(learner, others, only)
        for work in () if chunk is None else chunk.work:
            self._handed_out += 1
            self.positions[work.cell] = self._handed_out
        return chunk

    def _next(self, learner: int | None, others: Collection[int], only: bool) -> Chunk | None:
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
            if not known or cells >= WIDEST or min(seconds.values()) >= self._turn:
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
        return Chunk(tuple(kept), self._rows_of([each.split for each in kept], (each.split for each in waiting)))
