"""Beyond one machine: the Dask engine beside a bare client.map, a store on a server, a coordinator of many workers.

What is compared here is mostly time that passes, since workers sleep: these rows want a quiet machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

Row = tuple[str, float, str, float, str, bool]  # what, seconds of ours, beside what, its seconds, the goal, met?
ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "running"), str(ROOT / "tests" / "contracts")]

STUDY = """\
seed = 1
[[task]]
data = "iris"
[[learner]]
name = "sleeper"
path = "sleeper.Sleeper"
parameters = {{ seconds = {seconds} }}
[[learner]]
name = "another"
path = "sleeper.Another"
parameters = {{ seconds = {seconds} }}
[resampling]
scheme = "cross-validation"
folds = 10
repeats = {repeats}
"""
SLEEPER = """\
import time
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Sleeper(ClassifierMixin, BaseEstimator):
    def __init__(self, seconds=0.0):
        self.seconds = seconds
    def fit(self, X, y):
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])

class Another(Sleeper):
    pass

def bare(number, X, y, seconds):
    train = np.arange(len(y)) % 10 != number % 10
    return float((Sleeper(seconds).fit(X[train], y[train]).predict(X[~train]) != y[~train]).mean())
"""


def study_in(folder: Path, seconds: float, cells: int) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "sleeper.py").write_text(SLEEPER)
    path = folder / "study.toml"
    path.write_text(STUDY.format(seconds=seconds, repeats=cells // 20))
    return path


def conducted(path: Path, store: Any, engine: Any, workers: int, **more: Any) -> float:
    """Seconds that a run takes, after a short one has warmed the workers up."""
    from bakeoff.study.file import read_study
    from bakeoff.study.run import run_study

    began = time.perf_counter()
    summary = run_study(read_study(path), store, workers=workers, engine=engine, **more)
    assert summary.left == summary.failed == 0
    return time.perf_counter() - began


def on_dask(workers: int, seconds: float, cells: int) -> tuple[float, float]:
    """Seconds of ours, and of a bare client.map of the same cells."""
    import distributed
    from clusters import Cluster
    from sklearn.datasets import load_iris

    with tempfile.TemporaryDirectory() as place:
        cluster = Cluster(Path(place), workers)
        try:
            warm = study_in(Path(place) / "warm", 0.0, 20)
            conducted(warm, warm.with_suffix(".sqlite"), cluster.address, workers)
            study = study_in(Path(place) / "study", seconds, cells)
            ours = conducted(study, study.with_suffix(".sqlite"), cluster.address, workers)
            with distributed.Client(cluster.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
                client.upload_file(str(study.parent / "sleeper.py"))
                sys.path.insert(0, str(study.parent))
                from sleeper import bare

                X, y = load_iris(return_X_y=True)
                client.gather(client.map(bare, range(20), X=X, y=y, seconds=0.0, pure=False))
                began = time.perf_counter()
                client.gather(client.map(bare, range(cells), X=X, y=y, seconds=seconds, pure=False))
                return ours, time.perf_counter() - began
        finally:
            cluster.end()


def on_a_server(scores: int) -> tuple[float, float]:
    """Scores a second, from outcomes to committed rows: of the clock, and of the processor time of both sides."""
    import psutil
    from postgres import PostgresServer
    from store_contract import Registered, folds, ok

    from bakeoff.store.writer import Store

    def cpu() -> float:
        times = [each.cpu_times() for each in psutil.Process(postgres.pid).children(recursive=True)]
        return time.process_time() + sum(float(each.user + each.system) for each in times)

    postgres = PostgresServer()
    try:
        with Store.open(postgres.new_database()) as store:
            ours = Registered(store, learners=100, splits=folds(3, scores // 100))
            places = list({split: number for number, (split, _) in enumerate(ours.splits)}.values())
            cells = [ours.cell(learner, place) for place in places for learner in range(100)][:scores]
            work = [(cell, ok()) for cell in cells]
            began, spent = time.perf_counter(), cpu()
            for start in range(0, len(work), 500):
                assert store.write(ours.run, work[start : start + 500]) == len(work[start : start + 500])
            return len(work) / (time.perf_counter() - began), len(work) / (cpu() - spent)
    finally:
        postgres.end()


class SleepingExecutor(Executor):
    """Workers that take their time and do nothing: what is left is the work of the coordinator and of its store."""

    def __init__(self, workers: int, seconds: float) -> None:
        self.seconds, self.free = seconds, [0.0] * workers
        self.waiting: list[tuple[float, int, Future[Any], Any]] = []
        self.changed, self.count, self.ended = threading.Condition(), 0, False
        self.sent = 0
        threading.Thread(target=self._wake, daemon=True).start()

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if function.__name__ != "run_there":
            future.set_result(function(*arguments))
            return future
        chunk = arguments[1]
        with self.changed:
            begins = max(time.monotonic(), heappop(self.free))
            ends = begins + self.seconds * len(chunk.work)
            heappush(self.free, ends)
            heappush(self.waiting, (ends, self.count, future, chunk))
            self.count += 1
            self.sent += 1
            self.changed.notify()
        return future

    def _wake(self) -> None:
        while not self.ended:
            with self.changed:
                while not self.waiting or self.waiting[0][0] > time.monotonic():
                    self.changed.wait(max(0.0, self.waiting[0][0] - time.monotonic()) if self.waiting else 0.5)
                    if self.ended:
                        return
                _, _, future, chunk = heappop(self.waiting)
            future.set_result([_slept(work, self.seconds) for work in chunk.work])


def _slept(work: Any, seconds: float) -> Any:
    from bakeoff.running.work import Outcome, Status

    resources = {"seconds": seconds, "fit_time": seconds, "predict_time": 0.0}
    return Outcome(work.cell, Status.OK, scores={"error": 0.5}, resources=resources)


class Memory:
    """What the process holds when the first cells are done, and when the last are: a listener of a run."""

    def __init__(self, cells: int) -> None:
        self.cells, self.done, self.held = cells, 0, [0, 0]

    def begin(self, *_: Any) -> None:
        pass

    def finished(self, *_: Any) -> None:
        import psutil

        self.done += 1
        if self.done in (self.cells // 20, self.cells):
            self.held[self.done == self.cells] = psutil.Process().memory_info().rss


def coordinator(workers: int, seconds: float, cells: int) -> dict[str, float]:
    """How a coordinator keeps up with workers that do nothing but take their time; and how it grows."""
    with tempfile.TemporaryDirectory() as place:
        warm = study_in(Path(place) / "warm", 0.0, 200)
        conducted(warm, warm.with_suffix(".sqlite"), SleepingExecutor(workers, 0.0), workers)
        study = study_in(Path(place) / "study", seconds, cells)
        cpu, memory = time.process_time(), Memory(cells)
        executor = SleepingExecutor(workers, seconds)
        took = conducted(study, study.with_suffix(".sqlite"), executor, workers, watcher=memory)
        executor.ended = True
        return {
            "seconds": took,
            "ideal": cells * seconds / workers,
            "cpu_a_cell": (time.process_time() - cpu) / cells,
            "held_mb": memory.held[1] / 1e6,
            "grown_mb": (memory.held[1] - memory.held[0]) / 1e6,
            "messages": executor.sent,
        }


LARGE = """
import json, resource, sys, time
import bakeoff
start = time.process_time()
verdict = bakeoff.judge(bakeoff.read_scores(sys.argv[1], measure="accuracy"))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([time.process_time() - start, peak * 1024, len(verdict.decisions)]))
"""


def large_table(scores: int, folder: str) -> tuple[float, float]:
    """CPU seconds from a Parquet file of that many scores to a verdict, and bytes at the most."""
    import json
    import subprocess

    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    learners, tasks = 20, 1000
    runs = scores // (learners * tasks)
    path = Path(folder) / "large.parquet"
    rng = np.random.default_rng(1)
    names = pa.array([f"learner {number}" for number in range(learners)])
    kinds = {"model": pa.dictionary(pa.int32(), pa.string()), "dataset": pa.dictionary(pa.int32(), pa.string())}
    schema = pa.schema([*kinds.items(), ("seed", pa.int32()), ("accuracy", pa.float64())])
    data = pa.array([f"data {number}" for number in range(tasks)])
    with pq.ParquetWriter(path, schema) as writer:
        for task in range(tasks):
            learner = np.tile(np.arange(learners, dtype=np.int32), runs)
            value = 0.7 + 0.002 * learner + rng.normal(0, 0.05, learners * runs)
            columns = [
                pa.DictionaryArray.from_arrays(pa.array(learner), names),
                pa.DictionaryArray.from_arrays(pa.array(np.full(len(learner), task, dtype=np.int32)), data),
                pa.array(np.repeat(np.arange(runs, dtype=np.int32), learners)),
                pa.array(value),
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    command = [sys.executable, "-c", LARGE, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    cpu, peak, pairs = json.loads(done.stdout)
    assert pairs == learners * (learners - 1) // 2
    return cpu, peak


# ----------------------------------------------------------------------------------------------------------------------
# The rows, each to be had by itself: python benchmarks/scale.py dask server


def dask() -> Row:
    ours, bare = on_dask(2, 0.05, 1000)
    return "Dask, 1,000 cells of 50 ms, 2 workers", ours, "bare client.map", bare, "≤ 1.1×", ours <= 1.1 * bare


def efficiency() -> Row:
    one, _ = on_dask(1, 0.05, 500)
    two, _ = on_dask(2, 0.05, 1000)
    return "Dask, 1,000 cells of 50 ms, 2 workers", two, "500 cells, 1 worker", one, "≥ 0.9", one >= 0.9 * two


def short() -> Row:
    ours, bare = on_dask(2, 0.001, 10_000)
    return "Dask, 10,000 cells of 1 ms, 2 workers", ours, "bare client.map", bare, "≥ 800/s", 10_000 / ours >= 800


def server() -> Row:
    clock, rate = on_a_server(30_000)  # both sides take turns, so that on a quiet machine the two are alike
    name = f"PostgreSQL, a score, CPU of both sides ({clock:,.0f}/s of the clock)"
    return name, 1 / rate, "goal 10,000/s", 1e-4, "≥ 10,000/s", rate >= 10_000


def many() -> Row:
    figures = coordinator(200, 0.1, 100_000)
    print(f"coordinator: {figures}", file=sys.stderr)
    name = f"200 workers, 100,000 cells of 0.1 s ({figures['grown_mb']:.1f} MB more at their end)"
    return name, figures["seconds"], "no overhead", figures["ideal"], "flat: ≤ 5 MB", figures["grown_mb"] <= 5


def large() -> Row:
    with tempfile.TemporaryDirectory() as folder:
        cpu, peak = large_table(100_000_000, folder)
    name = f"100,000,000 scores to a verdict ({peak / 1e9:.2f} GB)"
    return name, cpu, "goal 60 s, 2 GB", 60.0, "≤ 60 s, 2 GB", cpu <= 60 and peak <= 2e9


def _row(part: Callable[[], Row]) -> list[dict[str, Any]]:
    what, ours, peer, theirs, goal, met = part()
    print(f"{part.__name__}: load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", file=sys.stderr, flush=True)
    row = {"name": what, "ours_cpu": ours, "peer": peer, "peer_cpu": theirs, "ratio": theirs / ours}
    return [{**row, "goal": goal, "met": met}]


PARTS = {part.__name__: partial(_row, part) for part in (dask, efficiency, short, server, many, large)}


def rows() -> list[dict[str, Any]]:
    return [row for part in PARTS.values() for row in part()]


if __name__ == "__main__":
    from run import show

    show([row for name in sys.argv[1:] or PARTS for row in PARTS[name]()])
