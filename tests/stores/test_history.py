"""Under which version of a study its first results came in."""

from __future__ import annotations

import shutil
from pathlib import Path

from bakeoff.stores.history import changes_since, study_of_first_results
from bakeoff.stores.reader import Reader
from bakeoff.studies.conducting import conduct
from bakeoff.studies.file import read_study


def test_the_first_version_stays_the_first(finished_study: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path, store = tmp_path / finished_study.name, tmp_path / "small.sqlite"
    first = read_study(path)
    path.write_text(path.read_text().replace("from iris?", "from iris, really?"))
    second = read_study(path)
    assert first.key != second.key
    conduct(second, store)
    with Reader(store) as stored:
        for study in (first, second):
            found = study_of_first_results(stored, study.key)
            assert found is not None
            assert found.key == first.key


def test_before_there_are_results_there_is_none(small_study: Path) -> None:
    from bakeoff.stores.store import Store
    from bakeoff.studies.preparing import prepare

    study = read_study(small_study)
    with Store.open(small_study.with_suffix(".sqlite")) as store:
        prepare(study, store)
        assert study_of_first_results(store, study.key) is None


def test_another_seed_has_seen_what_the_first_gave(finished_study: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path, store = tmp_path / finished_study.name, tmp_path / "small.sqlite"
    first = read_study(path)
    path.write_text(path.read_text().replace("seed = 7", "seed = 8"))
    study = read_study(path)
    conduct(study, store)
    with Reader(store) as stored:
        found = study_of_first_results(stored, study.key)
        assert found is not None
        assert found.key == first.key


def test_a_study_of_another_name_that_shares_no_cell_is_another_story(finished_study: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path, store = tmp_path / "other.toml", tmp_path / "small.sqlite"
    path.write_text((tmp_path / finished_study.name).read_text().replace("seed = 7", "seed = 8"))
    study = read_study(path)
    conduct(study, store)
    with Reader(store) as stored:
        found = study_of_first_results(stored, study.key)
        assert found is not None
        assert found.key == study.key


def test_what_was_left_out_or_changed_is_told_and_what_was_added_is_not() -> None:
    first = {"seed": 1, "resampling": {"folds": 5}, "tasks": [{"name": "iris"}], "learners": [{"name": "a", "C": 1}]}
    assert changes_since(first, {**first, "question": "?"}) == []
    assert changes_since(first, {**first, "tasks": [{"name": "wine"}, {"name": "iris"}]}) == []
    assert changes_since(first, {**first, "tasks": []}) == ["task iris left out since the first results"]
    changed = {**first, "learners": [{"name": "a", "C": 2}], "resampling": {"folds": 10}}
    assert changes_since(first, changed) == [
        "learner a changed since the first results",
        "another resampling than for the first results",
    ]
