"""Engines beyond local processes: the workers of a Dask cluster, or of any executor that a user passes.

Elsewhere, a worker runs cells as they are run here: by an engine of its own with one process, so that a learner that
hangs, crashes or eats the memory costs a cell and not the worker. What workers need of a run is a `Parcel`; the
coordinator keeps a bounded number of chunks under way, and whatever a lost worker had is given to another one.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
import multiprocessing
import os
import platform
import queue
import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from bakeoff.errors import BakeoffError, InputError, UsageError
from bakeoff.running.engine import RESOLVE, UNSUITED, Engine, EngineError, Schedule
from bakeoff.running.scratch import Scratch
from bakeoff.running.work import Chunk, Limits, Outcome, Status

_AHEAD = 2  # chunks that a slot has: the one it works on and the next
_MOST_LOSSES = 20  # of one chunk's workers
_ALONG = 64_000_000  # bytes of a file that go along with the parcel; larger ones are read from a folder that all share
_LOOK = 0.5
_TO_START = 0.05  # seconds, of a process of a worker, until it runs cells
_PATIENCE = 120.0  # seconds without a scheduler, or without any worker
_MOST_DELIVERIES, _BETWEEN_DELIVERIES = 100, 2.0  # of one parcel to workers that do not know it; seconds between them
_COMPARED = ("bakeoff", "numpy", "scipy", "scikit-learn", "pandas", "cloudpickle")


# ----------------------------------------------------------------------------------------------------------------------
# What workers need of a run.


@dataclass(frozen=True)
class Parcel:
    """All that a worker elsewhere must know of a run. Files that do not go along are read from `folder`, which then is
    one that all machines share; their hashes tell whether they are the right ones. `sources` is the user's own code."""

    token: str
    folder: str
    hashes: Mapping[str, str]
    limits: Limits
    import_from: tuple[str, ...] = ()
    preload: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    sources: Mapping[str, bytes] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)  # that a worker must have, by the names of packages

    @classmethod
    def of(cls, folder: Path, limits: Limits, **more: Any) -> Parcel:
        """Of the files in the scratch folder of a run."""
        files = sorted(path for path in folder.iterdir() if path.is_file())
        hashes = {path.name: _hash(path.read_bytes()) for path in files}
        token = _hash(repr((str(folder), hashes, os.urandom(8))).encode())
        return cls(token, str(folder), hashes, limits, **more)

    def with_contents(self, own_code: Iterable[str], versions: Mapping[str, str]) -> Parcel:
        """The same, so that nothing need be shared but what is large; for workers of these versions only."""
        folder = Path(self.folder)
        contents = {name: (folder / name).read_bytes() for name in self.hashes}
        small = {name: data for name, data in contents.items() if len(data) <= _ALONG}
        sources: dict[str, bytes] = {}
        for path in map(Path, own_code):
            homes = [
                path.resolve().relative_to(home) for home in self.import_from if path.resolve().is_relative_to(home)
            ]
            if homes:
                sources[homes[0].as_posix()] = path.read_bytes()
        values = {**vars(self), "contents": small, "sources": sources, "versions": versions}
        return Parcel(**values)

    def unpack(self, target: Path) -> tuple[str, ...]:
        """Put everything into a folder of the worker's own; returns where code of the user's own is found."""
        if differing := _differing(platform.node(), versions_here(self.versions), self.versions):
            raise EngineError(_other_versions(differing))  # it joined when the others had been asked
        for name, wanted in self.hashes.items():
            data = self.contents.get(name)
            if data is None:
                data = self._shared(name)
            if _hash(data) != wanted:
                raise InputError(f"{name} in {self.folder} is not what the coordinator wrote there.")
            (target / name).write_bytes(data)
        for name, data in self.sources.items():
            path = target / "code" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return (str(target / "code"), *self.import_from) if self.sources else self.import_from

    def _shared(self, name: str) -> bytes:
        try:
            return (Path(self.folder) / name).read_bytes()
        except OSError as error:
            raise InputError(
                f"The data of the study cannot be read on {platform.node()}: {Path(self.folder) / name} "
                f"({error.strerror}). Workers on other machines need a folder that all of them share: name one in the "
                "environment variable TMPDIR of the run."
            ) from error


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def versions_here(packages: Iterable[str] = _COMPARED) -> dict[str, str]:
    """Of Python, without the last of its numbers, and of packages that results depend on, as far as they are here."""
    versions = {"python": ".".join(platform.python_version_tuple()[:2])}
    for name in packages:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def _differing(worker: str, theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    return [
        f"{worker} has {name} {theirs[name]}, here it is {version}" if name in theirs else f"{worker} has no {name}"
        for name, version in ours.items()
        if theirs.get(name) != version
    ]


def _other_versions(differing: Sequence[str]) -> str:
    shown = "; ".join(differing[:5]) + ("; …" if len(differing) > 5 else "")
    return (
        "The workers must have the versions of Python and packages that are here, or scores would depend on where a "
        f"cell is run: {shown}. Make their environments alike."
    )


# ----------------------------------------------------------------------------------------------------------------------
# At the worker.


class UnknownParcelError(Exception):
    """A worker that was not told of the run: it joined a scheduler that was started anew."""


_KNOWN: dict[str, Parcel] = {}  # parcels that were sent to this process
_OPENED: dict[tuple[int, str], tuple[Engine, ExitStack]] = {}  # by thread and run: its engine, and what ends it
_MOST_OPENED = 2  # of a thread, so that two coordinators may share a worker without its starting anew all the time


class _LoneChunk:
    """The schedule of a worker elsewhere: one chunk, and what comes of it if it fails as a whole."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunks = deque([chunk])

    def take(self, learner: int | None, *, others: Collection[int] = (), only: bool = False) -> Chunk | None:
        if not self._chunks or (only and self._chunks[0].learner != learner):
            return None
        return self._chunks.popleft()

    def give_back(self, chunks: Iterable[Chunk]) -> None:
        self._chunks.extend(chunks)

    def process_took(self, seconds: float) -> None:
        """A worker elsewhere keeps its process from chunk to chunk; how long turns are is not for it to say."""


def run_there(parcel: Parcel | str, chunk: Chunk) -> list[Outcome]:
    """The outcomes of a chunk, in this process's own worker."""
    lone: Any = _LoneChunk(chunk)
    return [outcome for outcomes in _engine(parcel).run(lone) for outcome in outcomes]


def ask_there(parcel: Parcel | str, question: str, learner: int, *more: Any) -> Any:
    """What a learner is in full, or why it cannot learn from these tasks."""
    engine = _engine(parcel)
    return engine.resolve(learner) if question == RESOLVE else engine.unsuited(learner, *more)


def _engine(parcel: Parcel | str) -> Engine:
    """The engine of this thread for that run. Those of runs that were not heard of for longest are ended."""
    token, thread = parcel if isinstance(parcel, str) else parcel.token, threading.get_ident()
    opened = _OPENED.pop((thread, token), None) or _open(_KNOWN.get(parcel) if isinstance(parcel, str) else parcel)
    own = [each for each in _OPENED if each[0] == thread]
    for each in own[: len(own) + 1 - _MOST_OPENED]:
        _OPENED.pop(each)[1].close()
    _OPENED[thread, token] = opened
    return opened[0]


def _open(parcel: Parcel | None) -> tuple[Engine, ExitStack]:
    if parcel is None:
        raise UnknownParcelError
    # A worker of Dask says of itself that it may have no children, so that they do not outlive it: ours never do.
    getattr(multiprocessing.current_process(), "_config", {}).pop("daemon", None)
    with ExitStack() as opened:
        scratch = Scratch()
        opened.callback(scratch.close)
        settings: dict[str, Any] = {"import_from": parcel.unpack(scratch.folder), "preload": parcel.preload}
        engine = opened.enter_context(Engine(scratch.folder, workers=1, limits=parcel.limits, **settings))
        return engine, opened.pop_all()


def receive(parcel: Parcel) -> None:
    """Called once in a worker process, before any chunk of that run."""
    _KNOWN[parcel.token] = parcel


def forget(token: str) -> None:
    """Called in a worker process when a run is over: end what it left."""
    _KNOWN.pop(token, None)
    for each in [each for each in _OPENED if each[1] == token]:
        _OPENED.pop(each)[1].close()


# ----------------------------------------------------------------------------------------------------------------------
# At the coordinator.


class RemoteEngine:
    """Chunks to workers elsewhere, through something like `concurrent.futures.Executor.submit`.

    A subclass says how many chunks may be at work at once (`slots`), how one is sent (`_send`), and what a lost worker
    looks like (`_is_lost`).
    """

    def __init__(self, parcel: Parcel) -> None:
        self.parcel = parcel
        self._answers: queue.Queue[Any] = queue.Queue()
        self._under_way: dict[Any, Chunk] = {}
        self._learner: int | None = None  # of the last chunk that was sent
        self._abandoned: set[Any] = set()  # futures that will never be heard of
        self._losses: Counter[int] = Counter()  # of workers, by the first cell that they worked on

    def slots(self) -> int:
        raise NotImplementedError

    def _send(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A future of the function's answer."""
        raise NotImplementedError

    def _is_lost(self, error: BaseException) -> bool:
        return isinstance(error, CancelledError | BrokenExecutor)

    def _in_our_words(self, error: Exception) -> Exception:
        """An error that does not come from a cell, nor from a worker that was lost."""
        return error

    def _restore(self) -> None:
        """Called when a worker was lost, before its chunk is sent to another."""

    def _deliver(self) -> None:
        """Called when a worker turns out not to know the run: tell all of them."""

    def __enter__(self) -> RemoteEngine:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._under_way:
            with suppress(Exception):  # those who would do the work may be gone
                future.cancel()
        self._under_way.clear()

    # Questions about learners, before any cell is run

    def resolve(self, learner: int) -> dict[str, Any] | str | None:
        answer: dict[str, Any] | str | None = self._answer(RESOLVE, learner)
        return answer

    def unsuited(self, learner: int, tasks: Sequence[tuple[str, str]]) -> str | None:
        answer: str | None = self._answer(UNSUITED, learner, tuple(tasks))
        return answer

    def _answer(self, *question: Any) -> Any:
        for _ in range(_MOST_LOSSES):
            try:
                return self._send(ask_there, *question).result()
            except UnknownParcelError:
                self._deliver()
            except Exception as error:
                if not self._is_lost(error):
                    raise self._in_our_words(error) from error
                self._restore()
        raise EngineError("No worker lives long enough to answer. See what ends them, and run the study again.")

    # Cells

    def run(self, schedule: Schedule) -> Iterator[list[Outcome]]:
        """Outcomes as they come, and none now and then while nothing is heard. No more chunks are under way than the
        workers need to be busy."""
        schedule.process_took(_TO_START * self.slots())  # whoever's turn it is, each worker starts a process for it
        while True:
            self._fill(schedule)
            if not self._under_way:
                return
            try:
                future = self._answers.get(timeout=_LOOK)
            except queue.Empty:
                self._look()
                yield []
                continue
            chunk = self._under_way.pop(future, None)
            if chunk is not None:
                yield self._outcomes(future, chunk, schedule)

    def _look(self) -> None:
        """Called now and then while nothing is heard."""

    def _fill(self, schedule: Schedule) -> None:
        while len(self._under_way) < max(1, _AHEAD * self.slots()):
            # All workers run the same learner, until its turn is over: each would else start a process for every chunk.
            chunk = schedule.take(self._learner)
            if chunk is None:
                return
            self._learner = chunk.learner
            future = self._send(run_there, chunk)
            self._under_way[future] = chunk
            future.add_done_callback(self._answers.put)

    def _outcomes(self, future: Any, chunk: Chunk, schedule: Schedule) -> list[Outcome]:
        if future in self._abandoned:
            self._abandoned.remove(future)
            schedule.give_back([chunk])
            return []
        try:
            outcomes: list[Outcome] = future.result()
        except UnknownParcelError:
            self._deliver()
            schedule.give_back([chunk])
            return []
        except Exception as error:
            if not self._is_lost(error):
                raise self._in_our_words(error) from error
            return self._lost(chunk, schedule)
        return outcomes

    def _lost(self, chunk: Chunk, schedule: Schedule) -> list[Outcome]:
        """A worker went with the chunk that it had: another gets it, unless it has cost too many."""
        self._restore()
        first = chunk.work[0].cell
        self._losses[first] += 1
        if self._losses[first] < _MOST_LOSSES:
            schedule.give_back([chunk])
            return []
        if len(chunk.work) > 1:
            schedule.give_back(chunk.one_by_one())
            return []
        reason = f"every worker that was given this cell was lost, {_MOST_LOSSES} in all"
        return [Outcome(first, Status.CRASH, reason)]


class ExecutorEngine(RemoteEngine):
    """Any `concurrent.futures.Executor` whose workers share a folder with this process."""

    def __init__(self, parcel: Parcel, executor: Executor, slots: int) -> None:
        super().__init__(parcel)
        self._executor, self._slots = executor, slots

    def slots(self) -> int:
        return self._slots

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        forget(self.parcel.token)  # what threads of this process have; that of other processes ends with them

    def _send(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return self._executor.submit(function, self.parcel, *arguments)
        except (BrokenExecutor, RuntimeError) as error:
            raise EngineError(
                f"The executor takes no more work: {error}. What is finished is kept; run the study again with another."
            ) from error


# ----------------------------------------------------------------------------------------------------------------------
# Dask


class DaskEngine(RemoteEngine):
    """The workers of a Dask cluster, by the address of its scheduler. Those that join later are used as well."""

    def __init__(self, parcel: Parcel, address: str) -> None:
        super().__init__(parcel)
        self.address = address
        self._client: Any = None
        self._deliveries: list[str] = []  # the names under which the parcel was sent
        self._delivered = 0.0
        self._slots, self._looked = 0, 0.0
        with ExitStack() as opened:
            opened.enter_context(_without_log())
            opened.callback(self._leave)  # also if it is refused: workers that join later would be sent the parcel
            self._connect(_PATIENCE / 4)
            self._opened = opened.pop_all()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._opened.close()

    def _leave(self) -> None:
        for name in self._deliveries:
            with suppress(Exception):
                self._client.unregister_worker_plugin(name)
        with suppress(Exception):
            self._client.close(timeout=2)

    def slots(self) -> int:
        if monotonic() - self._looked > _LOOK:
            self._looked = monotonic()
            with suppress(Exception):
                self._slots = sum(self._client.nthreads().values())
        return self._slots

    def _send(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self._look()
        return self._client.submit(function, self.parcel.token, *arguments, pure=False, retries=0)

    def _is_lost(self, error: BaseException) -> bool:
        names = {each.__name__ for each in type(error).__mro__}
        return super()._is_lost(error) or bool(
            names & {"KilledWorker", "CommClosedError", "FutureCancelledError", "TimeoutError", "FutureLostError"}
        )

    def _in_our_words(self, error: Exception) -> Exception:
        if isinstance(error, BakeoffError):
            return error
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        if isinstance(cause, OSError):
            return EngineError(
                f"A worker of {self.address} could not do what it was sent ({type(cause).__name__}: {cause}). See what "
                "its machine lacks: room for files, memory, processes to spare. What is finished is kept; the same "
                "command goes on with it."
            )
        return EngineError(
            f"The workers of {self.address} do not understand what they are sent ({type(cause).__name__}: {cause}), "
            "though the numbers of their versions are those that are here: their bakeoff is another one. Install the "
            "same on all machines. What is finished is kept; the same command goes on with it."
        )

    def _look(self) -> None:
        if self._client.status != "running":
            self._restore()

    def _restore(self) -> None:
        """A scheduler that was started anew knows nothing of us: what was under way is sent again."""
        if self._client.status == "running":
            return
        with suppress(Exception):
            self._client.close(timeout=1)
        self._abandoned = set(self._under_way)
        for future in self._abandoned:
            self._answers.put(future)
        self._connect(_PATIENCE)

    def _connect(self, patience: float) -> None:
        """Until the scheduler answers and has workers: it may go again while it is asked."""
        distributed = _distributed()
        until = monotonic() + patience
        while True:
            try:
                self._client = distributed.Client(self.address, timeout=5, set_as_default=False)
                self._wait_for_workers(until)
                self._check_versions()
                break
            except (OSError, ValueError, TimeoutError) as error:
                if isinstance(error, ValueError) or monotonic() > until:
                    raise EngineError(
                        f"No scheduler of Dask answers at {self.address}. See that it is running there (dask "
                        "scheduler) and can be reached; what is finished is kept, and the same command goes on with it."
                    ) from error
                sleep(_LOOK)
        self._delivered = self._looked = 0.0
        self._end_orphans()
        self._deliver()

    def _end_orphans(self) -> None:
        """What coordinators that were killed left with the workers, which may live for months. Whoever was only cut off
        delivers again."""

        def orphans(dask_scheduler: Any) -> list[str]:  # sent by value: the scheduler need not have bakeoff
            deliveries = [name for name in dask_scheduler.worker_plugins if name.startswith("bakeoff@")]
            return [name for name in deliveries if name.split("@")[1] not in dask_scheduler.clients]

        with suppress(Exception):  # a matter of tidiness
            for name in self._client.run_on_scheduler(orphans):
                self._client.unregister_worker_plugin(name)

    def _wait_for_workers(self, until: float) -> None:
        while not self._client.nthreads():
            if monotonic() > until:
                self._client.close(timeout=1)
                raise EngineError(
                    f"The scheduler at {self.address} has no workers. Start some (dask worker {self.address}), and run "
                    "the study again."
                )
            sleep(_LOOK)

    def _deliver(self) -> None:
        """To all workers, and to those that join later. Dask finds its way back to a scheduler that was started anew by
        itself, and that one knows nothing of us. Under another name each time: to replace one would first end what
        its workers do."""
        if monotonic() - self._delivered < _BETWEEN_DELIVERIES:
            sleep(_LOOK)
            return
        if len(self._deliveries) >= _MOST_DELIVERIES:
            raise EngineError(
                f"The workers of {self.address} do not keep what they are sent: see what ends them or their scheduler. "
                "What is finished is kept; the same command goes on with it."
            )
        self._deliveries.append(f"bakeoff@{self._client.id}@{self.parcel.token}@{len(self._deliveries)}")
        try:
            self._client.register_plugin(_plugin(self.parcel), name=self._deliveries[-1])
        except (OSError, TimeoutError):
            pass  # the scheduler may just be going again
        except Exception as error:
            raise self._in_our_words(error) from error
        self._delivered = monotonic()

    def _check_versions(self) -> None:
        """Refuse workers whose results would be those of other programs."""
        # By functions of the standard library: bakeoff itself may not be there.
        ask = partial(self._client.run, on_error="return")
        theirs: dict[str, dict[str, str]] = {}
        calls: Counter[str] = Counter()  # some go or come while they are asked: the parcel asks them again
        for name in self.parcel.versions:
            versions = ask(platform.python_version) if name == "python" else ask(importlib.metadata.version, name)
            for worker, version in versions.items():
                known = theirs.setdefault(worker, {})
                if not isinstance(version, BaseException):
                    known[name] = ".".join(version.split(".")[:2]) if name == "python" else version
                calls[worker] += isinstance(version, str | importlib.metadata.PackageNotFoundError)
        left = {worker: known for worker, known in theirs.items() if calls[worker] == len(self.parcel.versions)}
        differing = [line for worker in left for line in _differing(worker, left[worker], self.parcel.versions)]
        if differing:
            raise EngineError(f"{_other_versions(differing)} Nothing was run.")


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise UsageError("A Dask cluster needs the package distributed: pip install 'bakeoff[dask]'.") from None
    return distributed


@contextmanager
def _without_log() -> Iterator[None]:
    """Dask writes tracebacks when a scheduler or a worker goes. That it does is expected here, and what comes of it is
    told by ours, in a sentence."""
    _distributed()
    loggers = [logging.getLogger(name) for name in list(logging.Logger.manager.loggerDict) if "distributed" in name]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _plugin(parcel: Parcel) -> Any:
    """What gives the parcel to every worker once, also to those that join later."""

    class Delivery(_distributed().WorkerPlugin):  # type: ignore[misc]
        """Sent by value, so that it must look up by name what is to be that of the worker."""

        def setup(self, worker: Any) -> None:
            from bakeoff.running.elsewhere import receive

            receive(parcel)

        def teardown(self, worker: Any) -> None:
            from bakeoff.running.elsewhere import forget

            forget(parcel.token)

    return Delivery()


# ----------------------------------------------------------------------------------------------------------------------


_ADDRESSES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")


def open_engine(
    what: str | Executor | Any,
    folder: Path,
    limits: Limits,
    *,
    workers: int,
    own_code: Iterable[str] = (),
    packages: Collection[str] = (),
    **settings: Any,
) -> RemoteEngine:
    """The engine that a user named: the address of a scheduler of Dask, a client of it, or an executor."""
    parcel = Parcel.of(folder, limits, **{name: tuple(value) for name, value in settings.items()})
    if isinstance(what, Executor):
        return ExecutorEngine(parcel, what, workers)
    if hasattr(what, "scheduler") and hasattr(what, "submit"):
        what = what.scheduler.address
    if not isinstance(what, str) or not what.startswith(_ADDRESSES):
        raise UsageError(
            "An engine is the address of a scheduler of Dask, as tcp://HOST:8786, in Python also a client of it or a "
            f"concurrent.futures.Executor; found {what!r}. For Slurm, Kubernetes and others see docs/scale.md."
        )
    return DaskEngine(parcel.with_contents(own_code, versions_here((*_COMPARED, *packages))), what)
