"""Under which version of a study its first results came in."""

from __future__ import annotations

import shutil
from pathlib import Path

from bakeoff.stores.history import study_of_first_results
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


def test_a_study_that_shares_no_cell_is_another_story(finished_study: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path, store = tmp_path / finished_study.name, tmp_path / "small.sqlite"
    path.write_text(path.read_text().replace("seed = 7", "seed = 8"))
    study = read_study(path)
    conduct(study, store)
    with Reader(store) as stored:
        found = study_of_first_results(stored, study.key)
        assert found is not None
        assert found.key == study.key
