"""Running a study: what is stored already, what is left, running that, and the scores that come of it."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import cache_from_source
from itertools import islice
from numbers import Integral
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError, FailedCellsWarning, InputError, UnseenCodeWarning, UsageError, nearest
from bakeoff.learners.code import code_of, code_of_function
from bakeoff.measures.response import Needs
from bakeoff.running.engine import ChunkSizer, Engine, Schedule
from bakeoff.running.processes import missing_limits, sigint_deferred
from bakeoff.running.work import Outcome, Status, Work, seconds
from bakeoff.store.reader import CellRecord
from bakeoff.study.prepare import Prepared, check_learners_fit, check_learners_unchanged, prepare
from bakeoff.study.study import Study
from bakeoff.text import count, listing, shortened

if TYPE_CHECKING:
    from bakeoff.results.status import FailureGroup
    from bakeoff.scores import Scores
    from bakeoff.store.database import Place
    from bakeoff.store.writer import Store

_SECONDS_BETWEEN_COMMITS = 1.0  # what is finished since then is lost if the coordinator is killed; each costs 3 ms
_CELLS_BETWEEN_COMMITS = 500
_SECONDS_BETWEEN_LOOKS = 1.0  # at cells that other coordinators run
_MOST_TAKEN, _SECONDS_TAKEN = 2000, 10.0  # cells, and seconds of work, that a coordinator takes from others at once
_MOST_WORKERS = 1024


class ProgressListener(Protocol):
    """Somebody who wants to see a run go on."""

    def begin(self, left: dict[tuple[int, int], int], pace: ChunkSizer, workers: int) -> None:
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
    again: Sequence[str] = (),
    progress: bool | None = None,
    only: Sequence[str] = (),
    budget: float | str | None = None,
    engine: Any = None,
) -> Scores:
    """Run what is left of a study and return its scores; see `Study.run`."""
    from bakeoff.results.status import failures
    from bakeoff.store.database import place_of
    from bakeoff.store.reader import Reader
    from bakeoff.study.progress import Bars, in_notebook
    from bakeoff.study.stored import with_test_rows

    with tempfile.TemporaryDirectory(prefix="bakeoff-") as passing:
        path = place_of(store) if store is not None else Path(passing) / "study.sqlite"
        shown = in_notebook() if progress is None else progress
        with Bars(study, quiet=not shown) as bars:
            part: dict[str, Any] = {"only": only, "budget": seconds(budget), "again": again, "engine": engine}
            summary = run_study(study, path, workers=n_jobs, retry_failed=retry_failed, watcher=bars, **part)
        if summary.interrupted:
            raise KeyboardInterrupt
        if study.design is not None and not summary.left and not only:
            from bakeoff.study.search import follow, is_search

            if is_search(study):
                study = follow(study, path, lambda longer: run_study(longer, path, workers=n_jobs), lambda line: None)
        if store is not None and (unseen := unseen_code(study)):
            warnings.warn(UnseenCodeWarning(unseen), stacklevel=3)
        with Reader(path) as stored:
            if failed := summary.failed + summary.failed_before:
                groups = failures(stored, study.key)
                message = about_failures(groups, failed, summary.cells, kept=store is not None)
                warnings.warn(message, stacklevel=3)  # at the line that called Study.run
            return with_test_rows(stored, study.key, kept=store is not None)


def run_study(
    study: Study,
    path: Place,
    *,
    workers: int = 1,
    retry_failed: bool = False,
    again: Sequence[str] = (),
    watcher: ProgressListener | None = None,
    only: Sequence[str] = (),
    budget: float | None = None,
    engine: Any = None,
    shard: str | None = None,
    among: Callable[[Prepared, Store], Any] | None = None,
) -> Summary:
    """Run every cell that is not stored yet. Ctrl-C is not an error: what is finished is kept.

    `engine` runs them elsewhere than in processes of this machine: see `open_engine`. Of several runs with stores of
    their own each takes its `shard`, "3/40".

    The learners named in `again` are run anew as a whole; their old results stay in the store, under another key.
    `only` names a part of them, "LEARNER", "LEARNER/TASK" or "/TASK"; after `budget` seconds no cell is begun.
    `among` tells, for each cell of the prepared study, whether it may be run now.
    """
    from bakeoff.store.reader import Reader
    from bakeoff.store.writer import Store

    workers, wanted, part = checked_workers(workers), checked_part(study, only), checked_shard(shard)
    check_names(study, again)
    _forget_compiled(study)
    _check_code(study)
    began, new = monotonic(), not path.exists()
    with Store.open(path, create=True) as store, importing_from(study.folder), _forgotten_if_refused(store, new):
        prepared = store.patiently(lambda: prepare(study, store))
        for name, learner_id in zip((learner.name for learner in study.fitted), prepared.learner_ids, strict=True):
            if name in again and store.set_aside(learner_id, np.unique(prepared.grid.split_ids()).tolist()):
                store.keep("remark", f"{study.key}/run-again/{name}", _run_again(name))
        left = _part_of(_left(prepared, store, retry_failed), prepared, wanted, part)
        if among is not None:
            left = replace(left, pending=left.pending & among(prepared, store))
        if not left.pending.any():
            return _summary(prepared, left, [0, 0], began)
        summary = _Run(study, store, prepared, left, workers, watcher, budget, engine).go(began)
    if isinstance(path, Path):
        Reader(path).close()  # somebody may have written to the file meanwhile: what is there can be read
    return summary


def _run_again(name: str) -> dict[str, str]:
    return {
        "code": "run-again",
        "text": f"{name} was run again when its results were known, and the others were not: whoever is run again for "
        "having done badly does better by chance alone (regression to the mean).",
        "action": "Report the first results, which are kept; or run all learners again, on the same problems.",
    }


def check_names(study: Study, again: Sequence[str]) -> None:
    """That those who are to be run again are there."""
    known = [learner.name for learner in study.learners]
    for name in again:
        if name not in known:
            raise UsageError(f"The study has no learner {name!r} to be run again. {nearest(name, known)}")


@contextmanager
def _forgotten_if_refused(store: Store, new: bool) -> Iterator[None]:
    """A store that was made for a study that is then refused goes again: nobody should find a file without results."""
    try:
        yield
    except BakeoffError:
        if new:
            with suppress(BakeoffError):
                store.delete_if_empty()
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
class _PendingCells:
    """What is to be done: which cells are pending, and how many were finished before."""

    pending: NDArray[np.bool_]
    ok: int
    failed: int
    retry: bool = False  # whether those that failed are among the pending
    unscored: frozenset[bytes] = frozenset()  # that went well, and are run once more for the sake of a scorer


def _left(prepared: Prepared, store: Store, retry_failed: bool) -> _PendingCells:
    grid = prepared.grid
    states = store.patiently(lambda: store.states(prepared.learner_ids, grid.split_ids()))
    unscored = store.patiently(lambda: _unscored(prepared, store))
    seen: set[bytes] = set()
    pending, twins = grid.in_study(), grid.has_twins()
    ok = failed = 0
    for number, key in enumerate(grid.keys()) if states or twins else ():
        if not pending[number]:
            continue
        if twins and key in seen:
            pending[number] = False  # the same split drawn twice: run once
            continue
        if twins:
            seen.add(key)
        state = states.get(key)
        if state is None or key in unscored:
            continue
        if state == Status.OK:
            ok += 1
            pending[number] = False
        else:
            failed += 1
            pending[number] = retry_failed
    return _PendingCells(pending, ok, 0 if retry_failed else failed, retry_failed, frozenset(unscored))


def _unscored(prepared: Prepared, store: Store) -> set[bytes]:
    """Cells that were run before a scorer was asked for, or before it was edited: the fitted estimator, which it needs,
    is gone, and they are run once more to be scored."""
    names = [response.name for response in prepared.study.measures if response.needs is Needs.ESTIMATOR]
    if not names:
        return set()
    return store.unscored(prepared.study_id, names, prepared.learner_ids, prepared.grid.split_ids())


def checked_part(study: Study, only: Sequence[str]) -> set[tuple[int, int]] | None:
    """The pairs (learner, task) that a user named; None for all of them.

    A name is that of a learner, LEARNER/TASK for one task of it, /TASK for all learners on a task.
    """
    if isinstance(only, str):
        only = [only]
    learners, tasks = [each.name for each in study.fitted], [each.name for each in study.tasks]
    wanted: set[tuple[int, int]] = set()
    for name in only:
        ways = [(name, "")] + [(name[:i], name[i + 1 :]) for i, letter in enumerate(name) if letter == "/"]
        fits = [(a, b) for a, b in ways if a in ("", *learners) and b in ("", *tasks) and (a or b)]
        if not fits:
            learner, _, task = name.partition("/")
            wrong = f"learner {learner!r}. {nearest(learner, dict.fromkeys(learners))}"
            if learner in ("", *learners):
                wrong = f"task {task!r}. {nearest(task, tasks)}"
            raise UsageError(f"only names {name!r} (LEARNER, LEARNER/TASK or /TASK), and there is no {wrong}")
        learner, task = fits[0]
        wanted |= {
            (i, j)
            for i, a in enumerate(learners)
            for j, b in enumerate(tasks)
            if learner in ("", a) and task in ("", b)
        }
    return wanted if only else None


def checked_shard(shard: str | None) -> tuple[int, int] | None:
    """Which of how many parts a run takes.

    >>> checked_shard("3/40")
    (3, 40)
    """
    if shard is None:
        return None
    match = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", shard)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(f"A shard is written K/N, the first of forty as 1/40; found {shard!r}.")
    return int(match[1]), int(match[2])


def _part_of(
    left: _PendingCells, prepared: Prepared, wanted: set[tuple[int, int]] | None, shard: tuple[int, int] | None = None
) -> _PendingCells:
    """What is left of the part that was named. A shard has whole splits, so that learners can be compared in each."""
    if wanted is None and shard is None:
        return left
    pending = left.pending.copy()
    for cell in np.flatnonzero(pending):
        learner, block, position = prepared.locate(int(cell))
        named = wanted is None or (learner, block.task) in wanted
        mine = shard is None or int.from_bytes(block.split_keys[position][:8], "big") % shard[1] == shard[0] - 1
        pending[cell] = named and mine
    return replace(left, pending=pending)


class _Run:
    """One run: the engine on one side, the store on the other."""

    def __init__(
        self,
        study: Study,
        store: Store,
        prepared: Prepared,
        left: _PendingCells,
        workers: int,
        watcher: ProgressListener | None,
        budget: float | None = None,
        engine: Any = None,
    ) -> None:
        self.engine = engine
        self.ends = None if budget is None else monotonic() + budget
        self.study, self.store, self.prepared, self.left = study, store, prepared, left
        self.watcher, self.pace = watcher, ChunkSizer()
        self.workers = max(1, min(workers, int(left.pending.sum())))
        self.waiting: list[tuple[CellRecord, Outcome]] = []
        self.counts = [0, 0]  # ok, failed
        self.under_way: dict[int, tuple[Work, bytes]] = {}  # with the key of the cell
        self.messages: list[str] = []
        self.others: list[int] = []  # cells that other coordinators have taken
        self.files = _stamps(study)
        self.positions: dict[int, int] = {}

    def go(self, began: float) -> Summary:
        from bakeoff.running.environment import environment
        from bakeoff.running.scratch import Scratch

        limits = self.study.limits
        folder = Path(self.study.folder).resolve()
        record = environment(limits.threads, self.workers, folder=folder)
        record["data"] = {self.study.tasks[block.task].name: block.task_key for block in self.prepared.grid.blocks}
        scratch, state, run_id = Scratch(), "interrupted", None
        try:
            self.prepared.write_task_data(scratch)
            settings = {"import_from": [str(folder)], "preload": _modules_of(self.prepared)}
            with self._engine(scratch.folder, record, **settings) as engine:
                self._check_learners(engine)
                if lacking := missing_limits(limits.memory_limit):
                    self.messages.append(lacking)
                run_id = self._started(record)
                if self.watcher is not None:
                    self.watcher.begin(self._left_by_kind(), self.pace, self.workers)
                self._run_pending(engine, run_id)
            state = "finished"
        except KeyboardInterrupt:
            pass
        except BaseException:
            state = "failed"
            raise
        finally:
            self._close(run_id, state)
            scratch.close()
        summary = _summary(self.prepared, self.left, self.counts, began, interrupted=state == "interrupted")
        return replace(summary, notes=(*summary.notes, *self.messages))

    def _started(self, record: dict[str, Any]) -> int:
        start, study_id = self.store.start_run, self.prepared.study_id
        return self.store.patiently(lambda: start(study_id, record, self.workers, self.study.limits.threads))

    def _engine(self, folder: Path, record: dict[str, Any], **settings: Any) -> Any:
        """Processes of this machine, or what the user named."""
        if self.engine is None:
            return Engine(folder, workers=self.workers, limits=self.study.limits, **settings)
        from bakeoff.running.elsewhere import open_engine

        own = {path for learner in self.study.learners for path in learner.code.paths}
        packages = {name for learner in self.study.learners for name in learner.code.packages}
        more: dict[str, Any] = {"own_code": own, "packages": packages, "workers": self.workers}
        opened = open_engine(self.engine, folder, self.study.limits, **more, **settings)
        self.workers, record["engine"] = opened.slots(), type(opened).__name__
        return opened

    def _check_learners(self, engine: Any) -> None:
        """Refuse what should not be run, before anything is."""
        resolved = [engine.resolve(number) for number in range(len(self.study.fitted))]
        check_learners_fit(self.prepared, engine, resolved, self._left_by_kind())
        descriptions = [each if isinstance(each, dict) else None for each in resolved]
        self.messages += check_learners_unchanged(self.prepared, descriptions, self.store)

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

    def _run_pending(self, engine: Any, run_id: int) -> None:
        pending = self.left.pending
        while True:
            if self._run_ours(engine, run_id, pending):
                self.messages.append("the budget of time is spent: no further cell was begun")
                return
            if not self.others:
                return
            self._commit(run_id)
            sleep(_SECONDS_BETWEEN_LOOKS)  # others run the rest, and may end before it does
            pending = self._unfinished_by_others()

    def _unfinished_by_others(self) -> NDArray[np.bool_]:
        """The cells that other coordinators had taken and have not finished; those that they have are counted."""
        splits = self.prepared.grid.split_ids()
        states = self.store.patiently(lambda: self.store.states(self.prepared.learner_ids, splits))
        pending = np.zeros_like(self.left.pending)
        for cell in self.others:
            state = states.get(self.prepared.key_of(cell))
            if state is None or (state != Status.OK and self.left.retry):
                pending[cell] = True
            else:
                self.counts[state != Status.OK] += 1
        return pending

    def _run_ours(self, engine: Any, run_id: int, pending: NDArray[np.bool_]) -> bool:
        """All of them but what others are running; returns whether the time was over before that."""
        self.others = []
        rows, cells = self.prepared.rows_of(self.store), int(pending.sum())
        work, workers = self._work(pending), self.workers
        schedule = Schedule(work, rows, self.pace, cells=cells, workers=workers, is_over=self._is_over)
        self.positions = schedule.positions
        committed = monotonic()
        for outcomes in engine.run(schedule):
            for outcome in outcomes:
                self._keep(outcome)
            if len(self.waiting) >= _CELLS_BETWEEN_COMMITS or monotonic() - committed > _SECONDS_BETWEEN_COMMITS:
                self._commit(run_id)
                committed = monotonic()
        return schedule.spent

    def _is_over(self) -> bool:
        return self.ends is not None and monotonic() > self.ends

    def _taken(self, pending: NDArray[np.bool_]) -> Iterator[int]:
        """Cells in their order; of a store that is shared those that we may take, some seconds of work at a time."""
        order = self.prepared.grid.order(self.study.key, pending)
        if not self.store.is_shared:
            yield from order
            return
        most = max(len(self.study.fitted), 2 * self.workers)
        while some := list(islice(order, most)):
            began = monotonic()
            keys = [self.prepared.key_of(cell) for cell in some]
            ours = self.store.take(keys, retry=self.left.retry, again=self.left.unscored)
            self.others += [cell for cell, key in zip(some, keys, strict=True) if key not in ours]
            yield from (cell for cell, key in zip(some, keys, strict=True) if key in ours)
            took = monotonic() - began
            most = min(2 * most, _MOST_TAKEN) if took < _SECONDS_TAKEN else max(most // 2, 2 * self.workers)

    def _work(self, pending: NDArray[np.bool_]) -> Iterator[Work]:
        locate, grid = self.prepared.locate, self.prepared.grid
        for cell in self._taken(pending):
            learner, block, position = locate(cell)
            split_key = block.split_keys[position]
            seed = grid.seed_of(learner, block, split_key)
            work = Work(cell, learner, block.task, int(block.split_ids[position]), seed)
            self.under_way[cell] = work, grid.key_of(learner, block, split_key)
            yield work

    def _keep(self, outcome: Outcome) -> None:
        work, key = self.under_way.pop(outcome.cell)
        learner_id = self.prepared.learner_ids[work.learner]
        record = CellRecord(key, learner_id, work.split, work.seed, self.positions.pop(outcome.cell, 0))
        if outcome.prediction is not None and not self.study.keep_scores:
            outcome.prediction = outcome.prediction.without_scores()
        self.waiting.append((record, outcome))
        self.counts[outcome.status is not Status.OK] += 1
        self.pace.learn(work.kind, outcome.resources.get("seconds", self.study.limits.time_limit or 1.0))
        if self.watcher is not None:
            self.watcher.finished(work.kind, outcome)

    def _commit(self, run_id: int) -> None:
        if self.waiting:
            self._check_files()
            # Ctrl-C in the middle would leave it open whether they are written.
            with sigint_deferred():
                self.store.write(run_id, self.waiting)
                self.waiting = []

    def _check_files(self) -> None:
        """Workers import a learner's code when they start, so that an edit would have its results stored as those of
        the code before it."""
        edited = [path for path, stamp in _stamps(self.study).items() if self.files.get(path) != stamp]
        if edited:
            self.waiting, self.counts = [], [0, 0]
            self.store.check_is_there()  # a folder that is gone as a whole has taken the results along
            raise InputError(
                "The code of a learner or scorer was edited or removed while the study ran. What was stored before is "
                "kept, the cells since then are not. Run it again: what is made of other code is another one.",
                source=edited[0],
            )

    def _left_by_kind(self) -> dict[tuple[int, int], int]:
        left: dict[tuple[int, int], int] = {}
        by_split = self.left.pending.reshape(-1, len(self.prepared.learner_ids))
        begin = 0
        for block in self.prepared.grid.blocks:
            end = begin + len(block.split_ids)
            for learner, cells in enumerate(by_split[begin:end].sum(axis=0).tolist()):
                if cells:
                    left[learner, block.task] = left.get((learner, block.task), 0) + cells
            begin = end
        return left


_PREPARING = ("sklearn.compose", "sklearn.impute", "sklearn.pipeline", "sklearn.preprocessing")
_TUNING = ("sklearn.model_selection", "sklearn.pipeline")


def _modules_of(prepared: Prepared) -> list[str]:
    """The modules of scikit-learn that learners, their preparation and their tuning are from. They are imported once
    for all workers; those of other packages, which may do anything when they are imported, by the workers of their
    learner only. What is not named here a worker imports for itself."""
    learners = prepared.study.learners
    described = json.dumps([learner.describe() for learner in learners])
    # Of a module that is not public its package, which Python imports with it.
    modules = set(re.findall(r'"(sklearn(?:\.[a-z]\w*)+)[\w.]*\.\w+"', described))
    if prepared.may_need_preparation():
        modules.update(_PREPARING)
    if any(learner.tuning is not None or len(learner.steps) > 1 for learner in learners):
        modules.update(_TUNING)
    return sorted(modules)


def _stamps(study: Study) -> dict[str, tuple[int, int] | None]:
    """When the files that learners and scorers of one's own are made of were last written, and how long they are."""
    stamps: dict[str, tuple[int, int] | None] = {}
    for path in {path for code in study.own_code.values() for path in code.paths}:
        try:
            status = os.stat(path)
            stamps[path] = status.st_mtime_ns, status.st_size
        except OSError:
            stamps[path] = None
    return stamps


def _forget_compiled(study: Study) -> None:
    """Remove what was compiled of files of one's own: Python takes it for current if the file has the same length and
    was written in the same second, and would run the code before an edit."""
    described = [task.describe() for task in study.tasks if task.runs_code]
    functions = [each.get("loader") or each.get("generator", "") for each in described]
    of_data = {path for each in functions for path in code_of_function(each, study.folder).paths}
    for path in {*_stamps(study), *of_data}:
        with suppress(OSError, NotImplementedError):
            Path(cache_from_source(path)).unlink(missing_ok=True)


def _check_code(study: Study) -> None:
    """That one's own code is what it was when the study was made: a file may have been edited since."""
    now = {("learner", each.name): partial(code_of, each) for each in study.learners}
    functions = {each.name: each.scorer or each.function for each in study.measures}
    now |= {("measure", name): partial(code_of_function, each, study.folder) for name, each in functions.items()}
    for (noun, name), code in study.own_code.items():
        if code.paths and now[noun, name]().describe() != code.describe():
            raise UsageError(f"The code of {noun} {name!r} was edited since the study was made. Make the study again.")


def _summary(
    prepared: Prepared, left: _PendingCells, counts: list[int], began: float, *, interrupted: bool = False
) -> Summary:
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


def unseen_code(study: Study) -> str:
    """That the source of learners or scorers cannot be had, in a sentence; empty if it can."""
    names = [name for (_, name), code in study.own_code.items() if code.unseen]
    if not names:
        return ""
    return (
        f"The source of {listing(names)} cannot be had: typed at a prompt, or edited since it was loaded. Its compiled "
        "code stands for it in the store, so that results are found again by the same version of Python only. Put it "
        "into a file to keep them."
    )


# ----------------------------------------------------------------------------------------------------------------------
# What a run says in Python when cells of it failed: a warning that counts them and says what to do.


_MOST_GROUPS, _LONGEST_MESSAGE = 4, 100


def about_failures(groups: Sequence[FailureGroup], failed: int, cells: int, *, kept: bool) -> FailedCellsWarning:
    """How many of how many cells failed, of which learners and why, and how to see and to repeat them.

    `kept` tells whether there is a store to look them up in.

    >>> from bakeoff.results.status import FailureGroup
    >>> print(about_failures([FailureGroup("svm", "timeout", "past 2 s", 3, ("iris",), ())], 3, 30, kept=True))
    3 of 30 cells failed, and their scores have no value: 3 × svm (timeout: past 2 s). study.failures(store) shows all
    of them; study.run(store=…, retry_failed=True) tries them again.
    """
    which = "All" if failed == cells else f"{count(failed)} of"
    groups_text = [
        f"{count(group.count)} × {group.learner} ({group.status}: {_why(group.message)})" for group in groups
    ]
    what_to_do = (
        "study.failures(store) shows all of them; study.run(store=…, retry_failed=True) tries them again."
        if kept
        else "The column message of the scores says why. With a store, study.run(store='study.sqlite') keeps what is "
        "finished, study.failures('study.sqlite') shows what failed, and run(…, retry_failed=True) tries it again."
    )
    return FailedCellsWarning(
        f"{which} {count(cells)} cell{'s' * (cells != 1)} failed, and {'its' if failed == 1 else 'their'} scores have "
        f"no value: {listing(groups_text, _MOST_GROUPS)}. {what_to_do}"
    )


def _why(message: str) -> str:
    return shortened(message, _LONGEST_MESSAGE).rstrip(".")
