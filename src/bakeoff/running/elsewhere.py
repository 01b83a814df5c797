"""Engines beyond local processes: the workers of a Dask cluster, or of any executor that a user passes.

Elsewhere, a worker runs cells as they are run here: by an engine of its own with one process, so that a learner that
hangs, crashes or eats the memory costs a cell and not the worker. What workers need of a run is a `Parcel`; the
coordinator keeps a bounded number of chunks under way, and whatever a lost worker had is given to another one.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import multiprocessing
import os
import platform
import queue
import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from bakeoff.errors import InputError, UsageError
from bakeoff.running.engine import RESOLVE, UNSUITED, Engine, EngineError, Schedule
from bakeoff.running.scratch import Scratch
from bakeoff.running.work import Chunk, Limits, Outcome, Status

_AHEAD = 2  # chunks that a slot has: the one it works on and the next
_MOST_LOSSES = 20  # of one chunk's workers
_ALONG = 64_000_000  # bytes of a file that go along with the parcel; larger ones are read from a folder that all share
_LOOK = 0.5
_PATIENCE = 120.0  # seconds without a scheduler, or without any worker
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

    @classmethod
    def of(cls, folder: Path, limits: Limits, **more: Any) -> Parcel:
        """Of the files in the scratch folder of a run."""
        files = sorted(path for path in folder.iterdir() if path.is_file())
        hashes = {path.name: _hash(path.read_bytes()) for path in files}
        token = _hash(repr((str(folder), hashes, os.urandom(8))).encode())
        return cls(token, str(folder), hashes, limits, **more)

    def with_contents(self, own_code: Iterable[str]) -> Parcel:
        """The same, so that nothing need be shared but what is large."""
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
        values = {**vars(self), "contents": small, "sources": sources}
        return Parcel(**values)

    def unpack(self, target: Path) -> tuple[str, ...]:
        """Put everything into a folder of the worker's own; returns where code of the user's own is found."""
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


# ----------------------------------------------------------------------------------------------------------------------
# At the worker.


_KNOWN: dict[str, Parcel] = {}  # parcels that were sent to this process
_OPENED: dict[int, tuple[str, Engine, ExitStack]] = {}  # by thread: of which run, its engine, and what ends it


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
    """The engine of this thread for that run; the one of an earlier run is ended."""
    token, thread = parcel if isinstance(parcel, str) else parcel.token, threading.get_ident()
    if thread in _OPENED and _OPENED[thread][0] != token:
        _OPENED.pop(thread)[2].close()
    if thread not in _OPENED:
        what = _KNOWN[parcel] if isinstance(parcel, str) else parcel
        # A worker of Dask says of itself that it may have no children, so that they do not outlive it: ours never do.
        getattr(multiprocessing.current_process(), "_config", {}).pop("daemon", None)
        with ExitStack() as opened:
            scratch = Scratch()
            opened.callback(scratch.close)
            settings: dict[str, Any] = {"import_from": what.unpack(scratch.folder), "preload": what.preload}
            engine = opened.enter_context(Engine(scratch.folder, workers=1, limits=what.limits, **settings))
            _OPENED[thread] = token, engine, opened.pop_all()
    return _OPENED[thread][1]


def receive(parcel: Parcel) -> None:
    """Called once in a worker process, before any chunk of that run."""
    _KNOWN[parcel.token] = parcel


def forget(token: str) -> None:
    """Called in a worker process when a run is over: end what it left."""
    _KNOWN.pop(token, None)
    for thread in [thread for thread, (of_run, _, _) in _OPENED.items() if of_run == token]:
        _OPENED.pop(thread)[2].close()


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
        self._abandoned: set[Any] = set()  # futures that will never be heard of
        self._losses: Counter[int] = Counter()  # of workers, by the first cell that they worked on

    def slots(self) -> int:
        raise NotImplementedError

    def _send(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A future of the function's answer."""
        raise NotImplementedError

    def _is_lost(self, error: BaseException) -> bool:
        return isinstance(error, CancelledError | BrokenExecutor | KeyError)

    def _restore(self) -> None:
        """Called when a worker was lost, before its chunk is sent to another."""

    def __enter__(self) -> RemoteEngine:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._under_way:
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
            except Exception as error:
                if not self._is_lost(error):
                    raise
                self._restore()
        raise EngineError("No worker lives long enough to answer. See what ends them, and run the study again.")

    # Cells

    def run(self, schedule: Schedule) -> Iterator[list[Outcome]]:
        """Outcomes as they come. No more chunks are under way than the workers need to be busy."""
        while True:
            self._fill(schedule)
            if not self._under_way:
                return
            try:
                future = self._answers.get(timeout=_LOOK)
            except queue.Empty:
                self._look()
                continue
            chunk = self._under_way.pop(future, None)
            if chunk is not None:
                yield self._outcomes(future, chunk, schedule)

    def _look(self) -> None:
        """Called now and then while nothing is heard."""

    def _fill(self, schedule: Schedule) -> None:
        others = {chunk.learner for chunk in self._under_way.values()}
        while len(self._under_way) < max(1, _AHEAD * self.slots()):
            chunk = schedule.take(None, others=others)
            if chunk is None:
                return
            others.add(chunk.learner)
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
        except Exception as error:
            if not self._is_lost(error):
                raise
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

    def __init__(self, parcel: Parcel, address: str, packages: Collection[str] = ()) -> None:
        super().__init__(parcel)
        self.address, self._packages = address, (*_COMPARED, *packages)
        self._client: Any = None
        self._slots, self._looked = 0, 0.0
        self._connect(_PATIENCE / 4)

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        with suppress(Exception):
            self._client.unregister_worker_plugin(_plugin_name(self.parcel))
        with suppress(Exception):
            self._client.close(timeout=2)

    def slots(self) -> int:
        if monotonic() - self._looked > _LOOK:
            self._looked = monotonic()
            with suppress(Exception):
                self._slots = sum(self._client.nthreads().values())
        return self._slots

    def _send(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._client.submit(function, self.parcel.token, *arguments, pure=False, retries=0)

    def _is_lost(self, error: BaseException) -> bool:
        names = {each.__name__ for each in type(error).__mro__}
        return super()._is_lost(error) or bool(
            names & {"KilledWorker", "CommClosedError", "FutureCancelledError", "TimeoutError", "FutureLostError"}
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
        distributed = _distributed()
        until = monotonic() + patience
        while True:
            try:
                client = self._client = distributed.Client(self.address, timeout=5, set_as_default=False)
                break
            except (OSError, ValueError, TimeoutError) as error:
                if isinstance(error, ValueError) or monotonic() > until:
                    raise EngineError(
                        f"No scheduler of Dask answers at {self.address}. See that it is running there (dask "
                        "scheduler) and can be reached; what is finished is kept, and the same command goes on with it."
                    ) from error
                sleep(_LOOK)
        while not client.nthreads():
            if monotonic() > until:
                client.close(timeout=1)
                raise EngineError(
                    f"The scheduler at {self.address} has no workers. Start some (dask worker {self.address}), and run "
                    "the study again."
                )
            sleep(_LOOK)
        self._check_versions()
        client.register_plugin(_plugin(self.parcel), name=_plugin_name(self.parcel))
        self._looked = 0.0

    def _check_versions(self) -> None:
        """Refuse workers whose results would be those of other programs."""
        differing: list[str] = []
        # By functions of the standard library: bakeoff itself may not be there.
        ask = partial(self._client.run, on_error="return")
        for name, ours in versions_here(self._packages).items():
            found = ask(platform.python_version) if name == "python" else ask(importlib.metadata.version, name)
            for worker, theirs in found.items():
                if isinstance(theirs, BaseException):
                    differing.append(f"{worker} has no {name}")
                elif theirs != ours and not (name == "python" and theirs.startswith(f"{ours}.")):
                    differing.append(f"{worker} has {name} {theirs}, here it is {ours}")
        if differing:
            shown = "; ".join(differing[:5]) + ("; …" if len(differing) > 5 else "")
            raise EngineError(
                f"The workers must have the versions of Python and packages that are here, or scores would depend on "
                f"where a cell is run: {shown}. Make their environments alike. Nothing was run."
            )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise UsageError("A Dask cluster needs the package distributed: pip install 'bakeoff[dask]'.") from None
    return distributed


def _plugin_name(parcel: Parcel) -> str:
    return f"bakeoff-{parcel.token}"


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
    return DaskEngine(parcel.with_contents(own_code), what, packages)
