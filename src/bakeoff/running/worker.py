"""The worker: cells in, outcomes out. Whatever a learner does, the outcome is a row."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from math import nan
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from bakeoff.errors import UsageError
from bakeoff.learners.commands import CommandLearner
from bakeoff.learners.fit import CpuMeter, answers_of, free_parameters, model_size, watches
from bakeoff.learners.learner import DataInfo, InvalidPrediction, Learner, LearningSample, why_unsuitable
from bakeoff.learners.make import Make, check_makeable, described, maker, resolve
from bakeoff.learners.seeds import seed_everything
from bakeoff.learners.tuning import chosen, is_tuned
from bakeoff.measures.response import Needs, Truth, unpacked_rows
from bakeoff.measures.responses import ScorerInput as Scored
from bakeoff.measures.responses import evaluate
from bakeoff.resampling.cross_validation import inner_groups
from bakeoff.running.processes import become_worker, cut_head
from bakeoff.running.work import Chunk, Outcome, Status, Work
from bakeoff.tasks.dataset import Dataset
from bakeoff.text import shown_as_text

with suppress(ImportError):  # there is none on Windows
    from resource import RUSAGE_SELF, getrusage

# ----------------------------------------------------------------------------------------------------------------------
# Peak memory of one cell in a process that runs many, read from the kernel: nothing polls.
#
# Linux keeps the largest resident size of a process and lets the process reset it. Elsewhere the largest size can only
# grow, so that a cell after a larger one shows nothing of its own; then nothing is reported rather than too much.


_RESET = b"5"  # of /proc/self/clear_refs: reset the peak resident set size
_PEAK = b"VmHWM:"
_ALIKE = 2**20  # bytes by which the two that tell may differ


class ResourceMeter(CpuMeter):
    """CPU time and peak memory of fit and predict, by as few calls of the system as will do: after a fit, whose code
    and data have taken the place of everything else in the caches, each costs some 5 µs."""

    peak = nan  # bytes by which this process grew at most since `begin`; NaN where the system does not tell

    def __init__(self) -> None:
        self._before, self._has_peak, self._by_usage = 0, True, False
        try:
            self._reset = os.open("/proc/self/clear_refs", os.O_WRONLY)
            self._status = os.open("/proc/self/status", os.O_RDONLY)
            self.begin()
            self._by_usage = abs(getrusage(RUSAGE_SELF).ru_maxrss * 1024 - self._before) < _ALIKE
        except (NameError, OSError, ValueError):  # of another system
            self._has_peak = False

    def begin(self) -> float:
        if self._has_peak:
            os.write(self._reset, _RESET)
        cpu, self._before = self._read()
        return cpu

    def end(self) -> float:
        cpu, largest = self._read()
        if self._has_peak:
            self.peak = float(max(0, largest - self._before))
        return cpu

    def _read(self) -> tuple[float, int]:
        """CPU time, and the largest resident size. In a process that was started in the place of a larger one getrusage
        tells the size of that one; workers are forked."""
        if self._by_usage:
            usage = getrusage(RUSAGE_SELF)
            return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        return self.now(), self._from_status() if self._has_peak else 0

    def _from_status(self) -> int:
        status = os.pread(self._status, 4096, 0)
        start = status.index(_PEAK) + len(_PEAK)
        return int(status[start : status.index(b"kB", start)]) * 1024


# ----------------------------------------------------------------------------------------------------------------------


# A message up to this size goes through the pipe in one write, which a kill cannot cut in two, and which waits for
# nobody to read it; a larger one is a file.
_THROUGH_THE_PIPE = 15_000
_IN_THE_PIPE, _IN_A_FILE = b"=", b">"
_FIRST_LINES, _LAST_LINES = 1_000, 2_000
_LONG_LOG = 100_000  # bytes of output that are kept from one chunk to the next
_MANY_NOTES = 5
MODEL_SIZES = {"model_size": model_size, "parameters": free_parameters}


@dataclass(frozen=True)
class Settings:
    """What a worker is told once, when it starts."""

    folder: str
    import_from: tuple[str, ...] = ()
    memory_limit: int | None = None
    threads: int = 1
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))  # of whoever starts it


class _Here:
    """The state of this process."""

    folder: Path
    pid: int
    is_fork = False  # of a worker, by its learner
    log: int = 2
    meter: ResourceMeter


def start(settings: Settings) -> None:
    """Called in a worker process before its first cell."""
    _Here.folder = Path(settings.folder)
    _Here.log = become_worker(_Here.folder, settings.memory_limit, settings.threads, settings.environment)
    _Here.pid = os.getpid()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_note_fork)
    _Here.meter = ResourceMeter()
    gc.freeze()
    for folder in reversed(settings.import_from):
        if folder not in sys.path:
            sys.path.insert(0, folder)


def _note_fork() -> None:
    _Here.is_fork = True


def serve(connection: Any, settings: Settings) -> None:
    """The life of a worker: questions in, answers out, until nobody asks any more."""
    start(settings)
    questions: dict[str, Callable[..., Any]] = {
        "run": run_chunk,
        "warm_up": warm_up,
        "resolve": resolved,
        "unsuited": unsuited,
    }
    while True:
        try:
            question, *arguments = pickle.loads(read_message(connection, _Here.folder))  # noqa: S301 (our coordinator)
        except (EOFError, OSError):
            os._exit(0)  # whatever a learner has left running here shall hold up nothing
        try:
            answer = questions[question](*arguments)
        except Exception:  # noqa: BLE001 (the learner's own code; a chunk has said so already, cell by cell)
            answer = None
        write_message(connection, _Here.folder, pickle.dumps(answer, protocol=5))


def write_message(connection: Any, folder: Path, data: bytes) -> None:
    """Send bytes to the other side of a pipe."""
    if len(data) <= _THROUGH_THE_PIPE:
        connection.send_bytes(_IN_THE_PIPE + data)
        return
    name = f"message-{os.getpid()}-{os.urandom(6).hex()}"
    (folder / name).write_bytes(data)
    connection.send_bytes(_IN_A_FILE + name.encode())


def read_message(connection: Any, folder: Path) -> bytes:
    """What the other side has sent."""
    data: bytes = connection.recv_bytes()
    if data[:1] == _IN_THE_PIPE:
        return data[1:]
    path = folder / data[1:].decode()
    content = path.read_bytes()
    path.unlink()
    return content


def run_chunk(chunk: Chunk) -> list[Outcome]:
    """The outcomes of a chunk. Learners answer first, all cells through, and are judged then: what we do after a fit,
    whose code and data have taken the place of ours in the caches, takes three times as long as among its like."""
    if _log_size() > _LONG_LOG:
        os.ftruncate(_Here.log, 0)
    rows = {number: (unpacked_rows(train), unpacked_rows(test)) for number, (train, test) in chunk.splits.items()}
    attempts = [_attempt(work, *rows[work.split]) for work in chunk.work]
    if os.getpid() != _Here.pid:  # forked behind Python's back, which tells of its own forks
        os._exit(0)
    ends = [*(attempt.printed for attempt in attempts[1:]), _log_size()]
    with warnings.catch_warnings(record=True) as caught:
        _note_all_warnings()
        return [_judged(attempt, end, caught) for attempt, end in zip(attempts, ends, strict=True)]


class _Attempt(NamedTuple):
    """A learner has answered, or failed to."""

    work: Work
    result: Callable[[], Outcome] | Outcome
    seconds: float
    caught: Sequence[warnings.WarningMessage]
    printed: int  # bytes in the log before it began


def _attempt(work: Work, train: Any, test: Any) -> _Attempt:
    """Fit and predict once. Only what kills the process (crash, time limit) does not end here."""
    printed, started = _log_size(), perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        _note_all_warnings()
        result = _tried(work, lambda: _answered(work, train, test))
    if _Here.is_fork:
        os._exit(0)  # a child that the learner forked and that returned from fit: it must not answer for us
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # a learner may have put anything in their place
            stream.flush()
    return _Attempt(work, result, perf_counter() - started, caught, printed)


def _judged(attempt: _Attempt, end: int, caught: list[warnings.WarningMessage]) -> Outcome:
    """What came of an attempt; `end` is where in the log its own output ends."""
    known, started = len(caught), perf_counter()
    outcome = attempt.result if isinstance(attempt.result, Outcome) else _tried(attempt.work, attempt.result)
    outcome.resources["seconds"] = attempt.seconds + perf_counter() - started
    if outcome.status is not Status.OK and (printed := _printed(attempt.printed, end)):
        outcome.detail = f"{outcome.detail}\n\nprinted:\n{printed}".strip()
    if attempt.caught or len(caught) > known:
        outcome.notes = (*outcome.notes, *_warned([*attempt.caught, *caught[known:]]))
    return outcome


def _note_all_warnings() -> None:
    """Other filters could not apply any more, and are left out: scikit-learn sets every one of them anew for each tree
    of a forest."""
    warnings.resetwarnings()
    warnings.simplefilter("always")


T = TypeVar("T")


def _tried(work: Work, action: Callable[[], T]) -> T | Outcome:
    """What it returns, or how it failed."""
    try:
        return action()
    except MemoryError as error:
        return _failed(work, Status.MEMORY, error)
    except BaseException as error:  # noqa: BLE001 (SystemExit and KeyboardInterrupt of a learner are its failure)
        return _failed(work, _status_of(error), error)


def _answered(work: Work, train: Any, test: Any) -> Callable[[], Outcome] | Outcome:
    """Fit and predict, and what makes an outcome of the answers; the outcome itself where the fitted estimator is
    needed for it, which is not kept."""
    job = _job(work.learner, work.task)
    dataset = job.dataset
    seed_everything(work.seed)
    train, (X_train, y_train) = _learned_from(job, train)
    X_test, y_test = dataset.rows(test)
    estimator = job.make(work.seed)
    groups = inner_groups(train, dataset.groups) if is_tuned(estimator) or watches(estimator) else None
    weights = None if dataset.weights is None else dataset.weights[train]
    answers = answers_of(estimator, X_train, y_train, X_test, job.info, groups, weights, _Here.meter)
    peak, tuned = _Here.meter.peak, chosen(estimator)

    def outcome(fitted: Scored | None = None) -> Outcome:
        prediction, resources = answers.checked(), answers.timings.resources()
        resources["peak_memory"] = peak
        for name in job.sizes:
            size = MODEL_SIZES[name](fitted and fitted.estimator)
            if size is not None:
                resources[name] = float(size)
        values, undefined = evaluate(job.responses, job.truth.rows(test), prediction, resources, fitted)
        return Outcome(
            work.cell,
            Status.OK,
            scores=values,
            undefined=undefined,
            resources=resources,
            prediction=prediction.packed(),
            notes=({"tuned": tuned},) if tuned else (),
        )

    if job.needs_fitted:
        return outcome(Scored(None if isinstance(estimator, CommandLearner) else estimator, X_test, y_test))
    return outcome


def _learned_from(job: _Job, train: Any) -> tuple[Any, tuple[Any, Any]]:
    """The rows to learn from, and what they hold: a part of the split's, with noise, or in another order, where the
    learner asks so."""
    dataset, sample = job.dataset, job.sample
    if sample is None:
        return train, dataset.rows(train)
    from sklearn.utils import _safe_indexing

    from bakeoff.learners.learner import part_of, presented, with_noise

    chosen = part_of(train, sample, dataset.codes, dataset.groups)
    rows, (X, y) = train[chosen], with_noise(*dataset.rows(train[chosen]), train, chosen, sample, job.info)
    if not sample.order:
        return rows, (X, y)
    place = presented(rows, sample.order)
    return rows[place], (_safe_indexing(X, place), _safe_indexing(y, place))


def _failed(work: Work, status: Status, error: BaseException) -> Outcome:
    name, text, in_our_words = "an error without a name", "", False
    with suppress(Exception):  # an error that cannot even say what it is
        name = str(type(error).__name__)
        in_our_words = str(type(error).__module__).startswith("bakeoff.")
        text = str(error).strip()
    message = text if text and in_our_words else f"{name}: {text}" if text else name
    if status is Status.MEMORY:
        message = f"past the memory limit{f' ({text})' if text else ''}"
    return Outcome(work.cell, status, message[:1000], _trace(error))


def _status_of(error: BaseException) -> Status:
    return Status.INVALID if isinstance(error, InvalidPrediction) else Status.ERROR


def _trace(error: BaseException) -> str:
    """The traceback from the learner's own frames on: ours are of no interest to its author."""
    own = str(Path(__file__).parent.parent)
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(own)] or list(frames)
    lines = traceback.format_list(theirs[-12:])
    with suppress(Exception):
        lines += traceback.format_exception_only(error)
    return "".join(lines)[-8000:].rstrip()


def _warned(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """What the fit warned of, each once."""
    texts = []
    for each in caught:
        with suppress(Exception):  # the text of a warning is the learner's own code as well
            first = (str(each.message).strip().splitlines() or [""])[0]
            texts.append(f"{each.category.__name__}: {first[:300]}")
    return list(dict.fromkeys(texts))[:_MANY_NOTES]


def _log_size() -> int:
    return os.lseek(_Here.log, 0, os.SEEK_END)


def _printed(began: int, size: int) -> str:
    """What a cell wrote to standard output and error: all of it, or its beginning and its end."""
    head, cut = cut_head(_Here.folder, os.getpid())
    if cut:
        began, size = 0, _log_size()  # the coordinator has cut the log meanwhile, and kept how it began
    elif size - began <= _FIRST_LINES + _LAST_LINES:
        return shown_as_text(_read_log(began, size - began).decode(errors="replace")).strip()
    else:
        head = _read_log(began, _FIRST_LINES)
    tail = _read_log(max(began, size - _LAST_LINES), _LAST_LINES)
    left_out = "… much more …" if cut else f"… {size - began - _FIRST_LINES - len(tail)} bytes more …"
    parts = (head.decode(errors="replace"), left_out, tail.decode(errors="replace"))
    return "\n".join(shown_as_text(part).strip() for part in parts if part.strip())


def _read_log(start: int, length: int) -> bytes:
    """Part of what was written. What is written next goes to the end all the same."""
    os.lseek(_Here.log, start, os.SEEK_SET)
    return os.read(_Here.log, length)


def warm_up(learner: int, task: int) -> None:
    """Import what a learner needs and load the data, outside of any cell's time."""
    _job(learner, task)


def resolved(learner: int) -> dict[str, Any] | str:
    """What a learner is in full: its class and all its parameters, defaults included; why it can never be made."""
    what = _learner(learner)
    try:
        check_makeable(what)
    except UsageError as error:
        return error.reason
    return resolve(what)


def unsuited(learner: int, tasks: Sequence[tuple[str, str]]) -> str | None:
    """Why a learner cannot learn from one of these tasks (names and kinds); None if nothing is known against it."""
    what = _learner(learner)
    if what.command:
        return None  # a program says nothing of what it can do
    estimator = described(what)
    return next((why for name, kind in tasks if (why := why_unsuitable(estimator, kind, name)) is not None), None)


class _Job(NamedTuple):
    """What all cells of one learner on one task have in common."""

    dataset: Dataset
    truth: Truth
    info: DataInfo
    make: Make
    responses: list[Any]
    sample: LearningSample | None  # how the rows to learn from are changed; None: they are not
    sizes: tuple[str, ...]  # of the fitted model: measured only if somebody asks, because it takes as long as a fit
    needs_fitted: bool  # whether scores or sizes are taken from the fitted estimator


@cache
def _job(learner: int, task: int) -> _Job:
    responses, sample = _get("responses")[task], _learner(learner).sample
    sizes = tuple({each.resource for each in responses if each.resource in MODEL_SIZES})
    changed = None if sample == LearningSample() else sample
    needs_fitted = bool(sizes) or any(each.needs is Needs.ESTIMATOR for each in responses)
    return _Job(*_task(task), maker(_learner(learner), _task(task)[2]), responses, changed, sizes, needs_fitted)


@cache
def _learner(number: int) -> Learner:
    learner: Learner = pickle.loads(_get("learners")[number])  # noqa: S301 (as below)
    return learner


@cache
def _task(number: int) -> tuple[Dataset, Truth, DataInfo]:
    task: tuple[Dataset, Truth, DataInfo] = _get(f"task-{number}")
    return task


def _get(name: str) -> Any:
    return pickle.loads((_Here.folder / name).read_bytes())  # noqa: S301 (written by our own coordinator)
