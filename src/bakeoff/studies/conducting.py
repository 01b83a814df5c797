"""Conducting a study: what is stored already, what is left, and running that."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.running.interrupts import held_back
from bakeoff.running.outcome import Outcome, Status
from bakeoff.running.packing import Pace, packed
from bakeoff.running.work import Work
from bakeoff.stores.records import CellRecord
from bakeoff.studies.preparing import Prepared, prepare
from bakeoff.studies.study import Study
from bakeoff.studies.suited import check_suited
from bakeoff.studies.unchanged import check_unchanged, of_own_code

if TYPE_CHECKING:
    from bakeoff.scores import Scores
    from bakeoff.stores.store import Store

_SECONDS_BETWEEN_COMMITS = 0.5
_CELLS_BETWEEN_COMMITS = 500
_MOST_WORKERS = 1024


class Watcher(Protocol):
    """Somebody who wants to see a run go on."""

    def begin(self, left: dict[tuple[int, int], int], pace: Pace, workers: int) -> None:
        """Cells to be run of each kind (learner, task), and the pace at which they will turn out to go."""

    def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
        """One more."""


@dataclass(frozen=True)
class Summary:
    """What a run did. `interrupted` means that it was stopped and can be resumed."""

    cells: int
    stored_before: int
    ok: int
    failed: int
    failed_before: int
    left: int
    seconds: float
    interrupted: bool = False
    notes: tuple[str, ...] = ()


def run(
    study: Study,
    *,
    n_jobs: int = 1,
    store: str | Path | None = None,
    retry_failed: bool = False,
    progress: bool = False,
) -> Scores:
    """Run what is left of a study and return its scores; see `Study.run`."""
    from bakeoff.stores.failures import failures
    from bakeoff.stores.reader import Reader
    from bakeoff.studies.failures import about_failures
    from bakeoff.studies.progress import Bars
    from bakeoff.studies.scoring import with_test_rows

    with tempfile.TemporaryDirectory(prefix="bakeoff-") as passing:
        path = Path(store) if store is not None else Path(passing) / "study.sqlite"
        with Bars(study, quiet=not progress) as bars:
            summary = conduct(study, path, workers=n_jobs, retry_failed=retry_failed, watcher=bars)
        if summary.interrupted:
            raise KeyboardInterrupt
        with Reader(path) as stored:
            if failed := summary.failed + summary.failed_before:
                groups = failures(stored, study.key)
                told = about_failures(groups, failed, summary.cells, kept=store is not None)
                warnings.warn(told, stacklevel=3)  # at the line that called Study.run
            return with_test_rows(stored, study.key, kept=store is not None)


def conduct(
    study: Study,
    path: Path,
    *,
    workers: int = 1,
    retry_failed: bool = False,
    watcher: Watcher | None = None,
) -> Summary:
    """Run every cell that is not stored yet. Ctrl-C is not an error: what is finished is kept."""
    from bakeoff.stores.store import Store

    workers = checked_workers(workers)
    began, new = monotonic(), not path.exists()
    with Store.open(path, create=True) as store, importing_from(study.folder), _forgotten_if_refused(store, new):
        prepared = prepare(study, store)
        left = _left(prepared, store, retry_failed)
        if not left.pending.any() and not any(of_own_code(learner) for learner in study.learners):
            return _summary(prepared, left, [0, 0], began)
        return _Run(study, store, prepared, left, workers, watcher).go(began)


@contextmanager
def _forgotten_if_refused(store: Store, new: bool) -> Iterator[None]:
    """A store that was made for a study that is then refused goes again: nobody should find a file without results."""
    try:
        yield
    except BakeoffError:
        if new:
            with suppress(BakeoffError):
                store.forget()
        raise


@contextmanager
def importing_from(folder: str) -> Iterator[None]:
    """Let functions that make data be found beside the study file, as those of learners are in the workers."""
    place = str(Path(folder).resolve())
    if place in sys.path:
        yield
        return
    sys.path.insert(0, place)
    try:
        yield
    finally:
        sys.path.remove(place)


def checked_workers(n_jobs: int) -> int:
    """A number of workers as scikit-learn's users write it: −1 is one for each processor."""
    cores = os.cpu_count() or 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise UsageError(f"n_jobs is a whole number of workers, or −1 for one a processor; found {n_jobs!r}.")
    n_jobs = int(n_jobs)
    workers = cores + 1 + n_jobs if n_jobs < 0 else n_jobs
    if workers < 1:
        raise UsageError(f"The number of workers must be positive, or −1 for one a processor; found {n_jobs}.")
    if workers > _MOST_WORKERS:
        raise UsageError(
            f"At most {_MOST_WORKERS} workers can be started on one machine, and this one has {cores} processors; "
            f"found {n_jobs}."
        )
    return workers


@dataclass(frozen=True, eq=False)
class _Left:
    """What is to be done: the key of each cell, and which of them are pending."""

    keys: list[bytes]
    pending: Any
    ok: int
    failed: int


def _left(prepared: Prepared, store: Store, retry_failed: bool) -> _Left:
    grid = prepared.grid
    keys = grid.keys()
    states = store.states(prepared.learner_ids, grid.split_ids())
    seen: set[bytes] = set()
    meant = grid.meant()
    pending = np.zeros(len(keys), dtype=bool)
    ok = failed = 0
    for number, key in enumerate(keys):
        if key in seen or not meant[number]:
            continue  # the same split drawn twice: run once
        seen.add(key)
        state = states.get(key)
        if state is None:
            pending[number] = True
        elif state == Status.OK:
            ok += 1
        else:
            failed += 1
            pending[number] = retry_failed
    return _Left(keys, pending, ok, 0 if retry_failed else failed)


class _Run:
    """One run: the engine on one side, the store on the other."""

    def __init__(
        self, study: Study, store: Store, prepared: Prepared, left: _Left, workers: int, watcher: Watcher | None
    ) -> None:
        self.study, self.store, self.prepared, self.left = study, store, prepared, left
        self.watcher, self.pace = watcher, Pace()
        self.workers = max(1, min(workers, int(left.pending.sum())))
        self.waiting: list[tuple[CellRecord, Outcome]] = []
        self.counts = [0, 0]  # ok, failed
        self.under_way: dict[int, Work] = {}
        self.told: list[str] = []
        self.to_send = int(left.pending.sum())

    def go(self, began: float) -> Summary:
        from bakeoff.running.engine import Engine
        from bakeoff.running.environment import environment
        from bakeoff.running.scratch import Scratch

        limits = self.study.limits
        folder = Path(self.study.folder).resolve()
        record = environment(limits.threads, self.workers, folder=folder)
        scratch, state, run_id = Scratch(), "interrupted", None
        try:
            self.prepared.hand_over(scratch)
            with Engine(scratch.folder, workers=self.workers, limits=limits, import_from=[str(folder)]) as engine:
                self._check_learners(engine)
                run_id = self.store.start_run(self.prepared.study_id, record, self.workers, limits.threads)
                if self.watcher is not None:
                    self.watcher.begin(self._left_by_kind(), self.pace, self.workers)
                self._work_off(engine, run_id)
            state = "finished"
        except KeyboardInterrupt:
            pass
        except BaseException:
            state = "failed"
            raise
        finally:
            self._close(run_id, state)
            scratch.close()
        made = _summary(self.prepared, self.left, self.counts, began, interrupted=state == "interrupted")
        return replace(made, notes=(*made.notes, *self.told))

    def _check_learners(self, engine: Any) -> None:
        """Refuse what should not be run, before anything is."""
        resolved = [engine.resolve(number) for number in range(len(self.study.learners))]
        check_suited(self.prepared, engine, resolved, self._left_by_kind())
        made = [each if isinstance(each, dict) else None for each in resolved]
        self.told += check_unchanged(self.prepared, made, self.store)

    def _close(self, run_id: int | None, state: str) -> None:
        """Keep what is finished, however the run ends; the first error is the one to report."""
        if run_id is None:
            return  # it ended before it began
        try:
            self._commit(run_id)
            self.store.finish_run(run_id, state)
        except BakeoffError:
            if state == "finished":
                raise

    def _work_off(self, engine: Any, run_id: int) -> None:
        rows = self.prepared.rows_of(self.store)
        chunks = packed(self._work(), rows, self.pace, left=lambda: self.to_send, workers=self.workers)
        committed = monotonic()
        for outcomes in engine.run(chunks):
            for outcome in outcomes:
                self._keep(outcome)
            if len(self.waiting) >= _CELLS_BETWEEN_COMMITS or monotonic() - committed > _SECONDS_BETWEEN_COMMITS:
                self._commit(run_id)
                committed = monotonic()

    def _work(self) -> Iterator[Work]:
        locate = self.prepared.locate
        for cell in self.prepared.grid.order(self.study.key, self.left.pending):
            learner, block, position = locate(cell)
            seed = self.prepared.grid.seed_of(learner, block, block.split_keys[position])
            work = Work(cell, learner, block.task, int(block.split_ids[position]), seed)
            self.under_way[cell] = work
            self.to_send -= 1
            yield work

    def _keep(self, outcome: Outcome) -> None:
        work = self.under_way.pop(outcome.cell)
        learner_id = self.prepared.learner_ids[work.learner]
        record = CellRecord(self.left.keys[outcome.cell], learner_id, work.split, work.seed)
        self.waiting.append((record, outcome))
        self.counts[outcome.status is not Status.OK] += 1
        self.pace.learn(work.kind, outcome.resources.get("seconds", self.study.limits.time_limit or 1.0))
        if self.watcher is not None:
            self.watcher.finished(work.kind, outcome)

    def _commit(self, run_id: int) -> None:
        if self.waiting:
            # Ctrl-C in the middle would leave it open whether they are written.
            with held_back():
                self.store.write(run_id, self.waiting)
                self.waiting = []

    def _left_by_kind(self) -> dict[tuple[int, int], int]:
        left: dict[tuple[int, int], int] = {}
        for cell in np.flatnonzero(self.left.pending):
            learner, block, _ = self.prepared.locate(int(cell))
            left[learner, block.task] = left.get((learner, block.task), 0) + 1
        return left


def _summary(prepared: Prepared, left: _Left, counts: list[int], began: float, *, interrupted: bool = False) -> Summary:
    pending = int(left.pending.sum())
    return Summary(
        cells=pending + left.ok + left.failed,
        stored_before=left.ok,
        ok=counts[0],
        failed=counts[1],
        failed_before=left.failed,
        left=pending - sum(counts),
        seconds=monotonic() - began,
        interrupted=interrupted,
        notes=prepared.notes,
    )
