"""The same study and seed give the same scores and predictions, bit for bit, however it is run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from proofs import Place, attempts, cells, content, odd, rows, study_text

from bakeoff.running import engine
from bakeoff.study.file import read_study
from bakeoff.study.run import Summary, run_study

LEARNERS = {
    "numpy": odd("GlobalNumpy"),
    "python": odd("GlobalPython"),
    "hash order": odd("HashOrder"),
    "forest": 'path = "sklearn.ensemble.RandomForestClassifier"\nparameters = { n_estimators = 3 }',
    "tree": 'path = "sklearn.tree.DecisionTreeClassifier"\nparameters = { max_features = 1 }',
}
ADDED = {"another": 'path = "sklearn.tree.ExtraTreeClassifier"'}
TEXT = study_text(LEARNERS, repeats=2)


def conducted(place: Place, workers: int = 1) -> Summary:
    """In this process, so that one server of workers does for all of these tests."""
    return run_study(read_study(place.folder / "study.toml"), place.store, workers=workers)


def everything(store: Path) -> dict[str, set[tuple[object, ...]]]:
    """All rows about results, with their times: what must not change when something is added."""
    return {table: set(rows(store, f"SELECT * FROM {table}")) for table in ("cell", "attempt", "score", "prediction")}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The study, run once by one worker."""
    place = Place(tmp_path_factory.mktemp("first") / "study", TEXT)
    summary = conducted(place)
    assert (summary.ok, summary.failed) == (30, 0)
    return place


def test_cells_have_predictions_and_differ_from_each_other(first: Place) -> None:
    found = content(first.store)
    assert len(found) == 30
    assert all(cell.prediction is not None and len(cell.scores) == 2 for cell in found.values())
    assert len({cell.seed for cell in found.values()}) == 30
    assert len({cell.prediction for cell in found.values()}) > 20, "else little would be proved by what follows"


def test_two_workers(first: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", TEXT)
    conducted(place, workers=2)
    assert content(place.store) == content(first.store)


def test_another_order_of_learners(first: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", study_text(dict(reversed(LEARNERS.items())), repeats=2))
    conducted(place, workers=2)
    assert content(place.store) == content(first.store)


@pytest.mark.parametrize("worth_sending", [0.0, 100.0], ids=["cell by cell", "many at once"])
def test_cells_sent_together(
    worth_sending: float, first: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "WORTH_SENDING", worth_sending)
    place = Place(tmp_path / "study", TEXT)
    conducted(place)
    assert content(place.store) == content(first.store)


@pytest.mark.parametrize("added", ["learner", "task"])
def test_what_is_added_changes_no_row(added: str, first: Place, tmp_path: Path) -> None:
    learners = {**ADDED, **LEARNERS} if added == "learner" else LEARNERS
    text = study_text(learners, repeats=2, tasks=["wine", "iris"] if added == "task" else ["iris"])
    grown, anew = Place(tmp_path / "grown", text), Place(tmp_path / "anew", text)
    shutil.copy(first.store, grown.store)
    before = everything(grown.store)
    summary = conducted(grown)
    assert summary.stored_before == 30
    assert summary.ok == (6 if added == "learner" else 30)
    after = everything(grown.store)
    assert all(before[table] < after[table] for table in before)
    conducted(anew, workers=2)
    assert content(grown.store) == content(anew.store), "what was added is what it would have been from the start"


def test_a_stopped_run_goes_on_to_the_same(first: Place, tmp_path: Path) -> None:
    """Stopped by an exception at every third outcome, as Ctrl-C does it; the signal itself is tested elsewhere."""

    class Impatient:
        seen = 0

        def begin(self, *_: object) -> None:
            pass

        def finished(self, *_: object) -> None:
            self.seen += 1
            if self.seen == 9:
                raise KeyboardInterrupt

    place = Place(tmp_path / "study", TEXT)
    study = read_study(place.folder / "study.toml")
    launches = 1
    while run_study(study, place.store, workers=2, watcher=Impatient()).interrupted:
        launches += 1
        assert launches < 10
    assert launches == 4
    assert content(place.store) == content(first.store)
    assert set(map(tuple, attempts(place.store).values())) == {("ok",)}


def test_a_process_of_its_own_with_other_hashes(first: Place, tmp_path: Path) -> None:
    place = Place(tmp_path / "study", TEXT)
    done = place.run("-j", "2", PYTHONHASHSEED="12345", OMP_NUM_THREADS="2")
    assert (done.code, done.err) == (0, "")
    assert content(place.store) == content(first.store)
    assert cells(place.store) == 30
    assert os.listdir(place.temporary) == []


GOOD = {
    "bayes": 'path = "sklearn.naive_bayes.GaussianNB"',
    "tree": 'path = "sklearn.tree.DecisionTreeClassifier"\nparameters = { max_features = 1 }',
}
BAD = {name: f'path = "hostile.{name}"' for name in ("Patches", "LeaksAThread")}


def scores_of_the_good(place: Place) -> list[str]:
    """As a user gets them, a line a cell."""
    assert place.command("scores", "study.toml", "-o", "scores.csv").code == 0
    lines = (place.folder / "scores.csv").read_text().splitlines()
    return sorted(line for line in lines if any(f",{name}," in line for name in GOOD))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    place = Place(tmp_path_factory.mktemp("alone") / "study", study_text(GOOD, folds=5, repeats=4))
    assert conducted(place).failed == 0
    return scores_of_the_good(place)


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_learners_that_patch_libraries_or_leak_threads_change_nothing_for_others(
    workers: int, alone: list[str], tmp_path: Path
) -> None:
    order = {**BAD, **GOOD} if workers != 2 else {**GOOD, **BAD}
    place = Place(tmp_path / "study", study_text(order, folds=5, repeats=4))
    assert conducted(place, workers).failed == 0
    assert scores_of_the_good(place) == alone
    assert len(alone) == 80, "two learners and two measures on twenty splits"
