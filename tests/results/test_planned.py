"""Under which version of a study its first results came in."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from store_contract import N, Registered, folds

from bakeoff.resampling.split import Splits
from bakeoff.results.instances import in_units
from bakeoff.results.planned import changes_since, study_of_first_results
from bakeoff.results.scores import scores_of
from bakeoff.scores import Scores, unpaired
from bakeoff.store.reader import Reader
from bakeoff.store.writer import Store
from bakeoff.study.file import read_study
from bakeoff.study.run import run_study
from bakeoff.study.study import Analysis


def test_the_first_version_stays_the_first(finished_study: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path, store = tmp_path / finished_study.name, tmp_path / "small.sqlite"
    first = read_study(path)
    path.write_text(path.read_text().replace("from iris?", "from iris, really?"))
    second = read_study(path)
    assert first.key != second.key
    run_study(second, store)
    with Reader(store) as stored:
        for study in (first, second):
            found = study_of_first_results(stored, study.key)
            assert found is not None
            assert found.key == first.key


def test_before_there_are_results_there_is_none(small_study: Path) -> None:
    from bakeoff.store.writer import Store
    from bakeoff.study.prepare import prepare

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
    run_study(study, store)
    with Reader(store) as stored:
        found = study_of_first_results(stored, study.key)
        assert found is not None
        assert found.key == first.key


def test_a_study_of_another_name_that_shares_no_cell_is_another_story(finished_study: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    path, store = tmp_path / "other.toml", tmp_path / "small.sqlite"
    path.write_text((tmp_path / finished_study.name).read_text().replace("seed = 7", "seed = 8"))
    study = read_study(path)
    run_study(study, store)
    with Reader(store) as stored:
        found = study_of_first_results(stored, study.key)
        assert found is not None
        assert found.key == study.key


def test_what_was_left_out_or_changed_is_told_and_what_was_added_is_not() -> None:
    first = {"seed": 1, "resampling": {"folds": 5}, "tasks": [{"name": "iris"}], "learners": [{"name": "a", "C": 1}]}
    assert changes_since(first, {**first, "question": "?"}) == []
    assert changes_since(first, {**first, "tasks": [{"name": "wine"}, {"name": "iris"}]}) == []
    assert list(map(str, changes_since(first, {**first, "tasks": []}))) == [
        "task iris left out since the first results"
    ]
    changed = {**first, "learners": [{"name": "a", "C": 2}], "resampling": {"folds": 10}}
    assert list(map(str, changes_since(first, changed))) == [
        "learner a changed since the first results",
        "another resampling than for the first results",
    ]


# ----------------------------------------------------------------------------------------------------------------------
# What scores bring along of the study that they come from.


@pytest.fixture
def changing(finished_study: Path, tmp_path: Path) -> Path:
    """A finished study in a folder of its own, which may be changed and run again."""
    shutil.copytree(finished_study.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / finished_study.name


def scores(study_file: Path) -> Scores:
    return read_study(study_file).scores(study_file.with_suffix(".sqlite"))


def run_again(study_file: Path) -> Scores:
    run_study(read_study(study_file), study_file.with_suffix(".sqlite"))
    return scores(study_file)


def test_the_study_its_plan_and_what_it_is_about(finished_study: Path) -> None:
    came = scores(finished_study).provenance
    assert came is not None
    assert (came.study, came.key) == ("small", read_study(finished_study).key)
    assert came.planned == (Analysis("error").describe(),)
    assert (came.later, came.changes) == ((), ())
    assert (came.tasks, came.learners) == (("iris",), ("majority", "bayes"))


def test_a_learner_deleted_from_the_file_after_the_results_is_told(changing: Path) -> None:
    text = changing.read_text()
    cut = text.index("[[learner]]", text.index("[[learner]]") + 1)
    after = text.find("\n[", cut)
    changing.write_text(text[:cut] + text[after:])
    came = run_again(changing).provenance
    assert came is not None
    assert came.changes == ("learner bayes left out since the first results",)


def test_an_analysis_added_after_the_first_results_stays_a_later_one(changing: Path) -> None:
    changing.write_text(changing.read_text() + '[[analysis]]\nmeasure = "error"\n[[analysis]]\nmeasure = "fit_time"\n')
    for _ in range(2):
        came = run_again(changing).provenance
        assert came is not None
        assert came.planned == (Analysis("error").describe(),)
        assert came.later == (Analysis("fit_time").describe(),)


def test_a_learner_added_later_leaves_the_plan_as_it_was(changing: Path) -> None:
    changing.write_text(
        changing.read_text() + '[[learner]]\nname = "coin"\npath = "sklearn.dummy.DummyClassifier"\n'
        'parameters = { strategy = "uniform" }\n'
    )
    came = run_again(changing).provenance
    assert came is not None
    assert came.planned == (Analysis("error").describe(),)
    assert came.learners == ("majority", "bayes", "coin")


def test_it_goes_where_the_rows_go(store: Store) -> None:
    ours = Registered(store, splits=Splits(folds(2).splits[:1]))
    ours.fill([0, 1])
    rows = scores_of(store, ours.key, ["error"], instances=True)
    assert rows.provenance == scores_of(store, ours.key).provenance
    by_unit = in_units(rows, {"ours": np.arange(N) // 3})
    assert by_unit.provenance == rows.provenance
    assert rows.only(learners=["learner 1"]).provenance == rows.provenance
    said = unpaired(rows).provenance
    assert said is not None
    assert said.changes == ("learners taken for independent samples",)
    assert unpaired(unpaired(rows)).provenance == said


def test_a_study_of_which_no_analyses_are_known_planned_none(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 1])
    came = scores_of(store, ours.key, ["error"]).provenance
    assert came is not None
    assert (came.planned, came.later) == ((), ())
