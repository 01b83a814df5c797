"""Engines beyond local processes: one contract for all of them, and what only a cluster can do."""

from __future__ import annotations

import dataclasses
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from clusters import Cluster
from proofs import Place, content, odd, rows, study_text

from bakeoff.cli import main
from bakeoff.errors import InputError, UsageError
from bakeoff.running import elsewhere
from bakeoff.running.elsewhere import Parcel, open_engine
from bakeoff.running.engine import EngineError
from bakeoff.running.work import Limits, Outcome
from bakeoff.study.file import read_study
from bakeoff.study.run import Summary, run_study

LEARNERS = {
    "numpy": odd("GlobalNumpy"),
    "forest": 'path = "sklearn.ensemble.RandomForestClassifier"\nparameters = { n_estimators = 3 }',
    "bayes": 'path = "sklearn.naive_bayes.GaussianNB"',
}
BAD = {
    "Raises": ("error", "ValueError: no convergence after 7 iterations"),
    "ExitsHard": ("crash", "the process ended itself with exit code 5"),
    "Hangs": ("timeout", "past the time limit of 5 s"),
    "EatsMemory": ("memory", "past the memory limit"),
}
SLOW = {**LEARNERS, "slow": odd("Odd", seconds=0.05)}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    yield started
    started.end()


def engines(kind: str, cluster: Cluster) -> Any:
    if kind == "dask":
        return cluster.address
    return ThreadPoolExecutor(2) if kind == "threads" else ProcessPoolExecutor(2)


@pytest.fixture(scope="module", params=["dask", "threads", "processes"])
def engine(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Any]:
    made = engines(request.param, cluster)
    yield made
    if isinstance(made, Executor):
        made.shutdown()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """What local processes make of the study."""
    place = Place(tmp_path_factory.mktemp("here") / "study", study_text(LEARNERS))
    conducted(place, None)
    return dict(content(place.store))


def conducted(place: Place, engine: Any, **more: Any) -> Summary:
    return run_study(read_study(place.folder / "study.toml"), place.store, workers=2, engine=engine, **more)


def ended(store: Path, learner: str) -> list[tuple[str, str]]:
    """How the attempts at the cells of a learner ended, and what they say."""
    query = "SELECT attempt.status, message FROM attempt JOIN cell ON cell.id = cell JOIN study_learner USING (learner)"
    return rows(store, f"{query} WHERE name = '{learner}'")


# --- the contract -----------------------------------------------------------------------------------------------------


def test_the_same_scores_bit_for_bit(engine: Any, here: dict[Any, Any], tmp_path: Path) -> None:
    place = Place(tmp_path / "study", study_text(LEARNERS))
    summary = conducted(place, engine)
    assert (summary.ok, summary.failed) == (9, 0)
    assert content(place.store) == here
    assert "odd_learners" not in sys.modules, "code of the study was imported by the coordinator"


def test_failures_are_rows_and_the_workers_live_on(engine: Any, tmp_path: Path) -> None:
    bad = {name: f'path = "hostile.{name}"' for name in BAD}
    limits = 'time_limit = 5\nmemory_limit = "700 MB"'
    place = Place(tmp_path / "study", study_text({**bad, "bayes": LEARNERS["bayes"]}, folds=2, limits=limits))
    summary = conducted(place, engine)
    assert (summary.ok, summary.failed) == (2, 2 * len(BAD))
    for name, (status, message) in BAD.items():
        told = ended(place.store, name)
        assert {row[0] for row in told} == {status}, told
        assert all(message in row[1] for row in told), told


def test_ctrl_c_stops_and_the_rest_is_run_later(engine: Any, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", study_text(SLOW, folds=10))

    class Watcher:
        def begin(self, *_: Any) -> None:
            pass

        def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
            raise KeyboardInterrupt

    assert conducted(place, engine, watcher=Watcher()).interrupted
    summary = conducted(place, engine)
    assert summary.left == 0
    assert summary.stored_before + summary.ok == 40
    assert len(content(place.store)) == 40


def test_no_more_is_under_way_than_keeps_the_workers_busy(tmp_path: Path) -> None:
    class Counting(ThreadPoolExecutor):
        most = waiting = 0
        lock = threading.Lock()

        def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
            with self.lock:
                self.waiting += 1
                Counting.most = max(self.most, self.waiting)
            future = super().submit(function, *arguments, **options)
            future.add_done_callback(self.done)
            return future

        def done(self, _: Any) -> None:
            with self.lock:
                self.waiting -= 1

    place = Place(tmp_path / "study", study_text(LEARNERS, folds=10, repeats=3))
    with Counting(2) as executor:
        assert conducted(place, executor).ok == 90
    assert Counting.most <= 4


# --- Dask -------------------------------------------------------------------------------------------------------------


def during(place: Place, cluster: Cluster, *misfortunes: Callable[[], object]) -> Summary:
    """Run a study on the cluster, and let things happen after the first results, one after the other."""
    happened = threading.Event()

    class Watcher:
        cells = 0

        def begin(self, *_: Any) -> None:
            pass

        def finished(self, kind: tuple[int, int], outcome: Outcome) -> None:
            self.cells += 1
            if self.cells == 5:
                threading.Thread(target=happen, daemon=True).start()

    def happen() -> None:
        for misfortune in misfortunes:
            misfortune()
            time.sleep(0.5)
        happened.set()

    summary = conducted(place, cluster.address, watcher=Watcher())
    assert happened.wait(120), "it was over before anything happened"
    return summary


SLOW_STUDY = study_text({"bayes": LEARNERS["bayes"], "slow": odd("Odd", seconds=0.15)}, folds=10, repeats=4)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """What local processes make of a study that takes a while."""
    local = Place(tmp_path_factory.mktemp("local") / "study", SLOW_STUDY)
    conducted(local, None)
    return dict(content(local.store))


def test_the_scheduler_starts_anew_and_a_worker_stands_still(expected: dict[Any, Any], tmp_path: Path) -> None:
    place = Place(tmp_path / "study", SLOW_STUDY)
    cluster = Cluster(tmp_path, workers=1, silence=5)
    try:
        summary = during(
            place, cluster, cluster.restart_scheduler, cluster.add_worker,
            lambda: cluster.signal(cluster.add_worker(), signal.SIGSTOP),
        )  # fmt: skip
        assert (summary.ok, summary.failed) == (80, 0)
        assert content(place.store) == expected
    finally:
        cluster.end()


def test_what_a_killed_coordinator_left_is_ended_by_the_next(cluster: Cluster, tmp_path: Path) -> None:
    from distributed import Client

    def known() -> set[str]:
        with Client(cluster.address, set_as_default=False) as client:
            return {token for tokens in client.run(lambda: list(elsewhere._KNOWN)).values() for token in tokens}

    (tmp_path / "empty").mkdir()
    killed: Any = open_engine(cluster.address, tmp_path / "empty", Limits(), workers=2)
    with killed._opened:
        killed._client.close()  # and nothing else
    assert known() == {killed.parcel.token}
    conducted(Place(tmp_path / "study", study_text(LEARNERS)), cluster.address)
    assert known() == set()


def test_other_versions_are_told_before_the_first_cell(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path / "study", study_text(LEARNERS))
    monkeypatch.setattr(
        elsewhere, "versions_here", lambda packages: {"python": "3.1", "numpy": "0.0.1", "nowhere": "1"}
    )
    with pytest.raises(EngineError, match="versions of Python and packages") as told:
        conducted(place, cluster.address)
    for part in ("has python 3.", "here it is 3.1", ", here it is 0.0.1", "has no nowhere", "Nothing was run"):
        assert part in str(told.value)
    assert not place.store.exists()


def test_workers_are_killed_and_others_join(cluster: Cluster, expected: dict[Any, Any], tmp_path: Path) -> None:
    """None of the workers that the cluster began with is left to the tests below, which need but one."""
    place = Place(tmp_path / "study", SLOW_STUDY)
    workers = [name for name in cluster.programs if name.startswith("worker")]
    workers += [cluster.add_worker() for _ in range(2 - len(workers))]  # a second try has lost those of the first
    first, second = workers[:2]
    summary = during(
        place,
        cluster,
        lambda: cluster.kill(first),
        lambda: cluster.add_worker(nanny=True),
        lambda: cluster.kill(second),
    )
    assert (summary.ok, summary.failed) == (80, 0)
    assert content(place.store) == expected


@pytest.mark.parametrize("name", ["run_there", "ask_there", "Parcel"])
def test_workers_with_another_bakeoff_of_the_same_number_are_told_in_our_words(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What is sent is known by its name there, and theirs has no such thing."""
    from distributed import Client

    later = ModuleType("bakeoff_of_tomorrow")
    monkeypatch.setitem(sys.modules, later.__name__, later)
    if name == "Parcel":
        there: Any = dataclasses.make_dataclass(name, [], bases=(Parcel,), frozen=True)
    else:
        there = FunctionType(getattr(elsewhere, name).__code__, vars(elsewhere), name)
    there.__module__, there.__qualname__ = later.__name__, name
    setattr(later, name, there)
    monkeypatch.setattr(elsewhere, name, there)
    with pytest.raises(EngineError, match="do not understand what they are sent") as told:
        conducted(Place(tmp_path / "study", study_text(LEARNERS)), cluster.address)
    for part in (cluster.address, "bakeoff_of_tomorrow", "their bakeoff is another one. Install the same"):
        assert part in str(told.value)
    with Client(cluster.address, set_as_default=False) as client:
        left = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.worker_plugins))
    assert not [name for name in left if name.startswith("bakeoff@")], "workers that join later would not start"


def test_trouble_of_a_workers_machine_is_not_taken_for_another_bakeoff(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_processes(token: str, question: str, *arguments: Any) -> Any:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(elsewhere, "ask_there", without_processes)
    with pytest.raises(EngineError, match=r"could not do what it was sent \(OSError: .*Too many open files.*is kept"):
        conducted(Place(tmp_path / "study", study_text(LEARNERS)), cluster.address)


def test_no_scheduler_no_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(elsewhere, "_PATIENCE", 0.0)
    place = Place(tmp_path / "study", study_text(LEARNERS))
    study = str(place.folder / "study.toml")
    assert main(["run", study, "--quiet", "--engine", "tcp://127.0.0.1:1"]) == 2
    assert "No scheduler of Dask answers at tcp://127.0.0.1:1" in capsys.readouterr().err
    assert main(["run", study, "--quiet", "--engine", "slurm"]) == 2
    assert "An engine is the address of a scheduler of Dask" in capsys.readouterr().err


# --- parcels ----------------------------------------------------------------------------------------------------------


def test_a_parcel_arrives_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, code, target = tmp_path / "source", tmp_path / "code", tmp_path / "target"
    for folder in (source, code, target):
        folder.mkdir()
    (source / "learners").write_bytes(b"small")
    (source / "task-0").write_bytes(b"large" * 100)
    (code / "mine.py").write_bytes(b"x = 1")
    monkeypatch.setattr(elsewhere, "_ALONG", 10)
    parcel = Parcel.of(source, Limits(), import_from=(str(code),)).with_contents([str(code / "mine.py")], {})
    assert list(parcel.contents) == ["learners"]
    assert parcel.unpack(target) == (str(target / "code"), str(code))
    assert (target / "code" / "mine.py").read_bytes() == b"x = 1"
    assert (target / "task-0").read_bytes() == b"large" * 100
    (source / "task-0").write_bytes(b"other")
    with pytest.raises(InputError, match="is not what the coordinator wrote"):
        parcel.unpack(target)
    (source / "task-0").unlink()
    with pytest.raises(InputError, match="a folder that all of them share"):
        parcel.unpack(target)


def test_what_is_no_engine(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="An engine is the address"):
        open_engine(3, tmp_path, Limits(), workers=1)


def test_a_worker_keeps_the_engines_of_two_runs(tmp_path: Path) -> None:
    """Two coordinators may share it; a third takes the place of whoever was not heard of for longest."""
    parcels = [Parcel.of(tmp_path, Limits()) for _ in range(3)]
    try:
        first, second = (elsewhere._engine(parcel) for parcel in parcels[:2])
        assert elsewhere._engine(parcels[0]) is first
        elsewhere._engine(parcels[2])
        assert elsewhere._engine(parcels[0]) is first
        assert elsewhere._engine(parcels[1]) is not second
    finally:
        for parcel in parcels:
            elsewhere.forget(parcel.token)
    with pytest.raises(elsewhere.UnknownParcelError):
        elsewhere._engine("never heard of")


def test_a_worker_that_joins_later_has_the_same_versions(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    parcel = Parcel.of(source, Limits()).with_contents([], {"python": "3.1", "numpy": "0.0.1", "nowhere": "1"})
    with pytest.raises(EngineError, match=r"has python 3\.\d+, here it is 3\.1; .*0\.0\.1; .* has no nowhere"):
        parcel.unpack(tmp_path)
