"""From a store to Scores."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from store_contract import SCHEME, Registered, add_splits, failed, folds, ok, rows, splits_of, task_record

from bakeoff.errors import InputError, MisfitError
from bakeoff.judging import judge
from bakeoff.resampling.split import APPARENT, Split, Splits
from bakeoff.results import scores as results_scores
from bakeoff.results.export import export
from bakeoff.results.grid import StudyGrid, TaskCells, resolve_measures, study_grid
from bakeoff.results.scores import COLUMNS, LongTable, flattened, problem_of, scores_of
from bakeoff.results.values import task_values
from bakeoff.scores import Missing, Scores, blocks, read_scores
from bakeoff.scores.design import NOT_KNOWN, Problem, RunDesign, Runs
from bakeoff.store.reader import Reader
from bakeoff.store.writer import Store
from bakeoff.study.study import Study
from bakeoff.text import CodedWarning, TaskRemark


def long_table(store: Store, study_key: str, measures: list[str] | None = None) -> LongTable:
    """All scores of a study as they are stored, those of the fit to all rows (role "apparent") included."""
    grid = study_grid(store, study_key)
    asked = resolve_measures(grid, measures)
    return flattened(grid.learners, asked, [task_values(store, grid, task, asked) for task in grid.tasks])


def test_scores_of_a_finished_study(store: Store) -> None:
    ours = Registered(store, splits=folds(3, repeats=2))
    ours.fill([0, 2])
    scores = scores_of(store, ours.key, ["error"])
    made = blocks(scores)
    assert scores.learners == ("learner 0", "learner 1")
    assert made.values.tolist() == [[0.0, 0.5]] * 6
    assert scores.notes == ("Study our study (study key), stored in study.sqlite.", "ours: a note")
    assert scores.source == "study.sqlite"
    assert scores.measures["error"].better == "smaller"


def test_all_measures_of_the_study(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 2])
    scores = scores_of(store, ours.key)
    assert scores.measure.labels == ("error", "auc")
    assert "auc was computed from stored predictions, after the run." in scores.notes


@pytest.mark.parametrize("fields", [("code", "text", "action"), ("code", "text", "action", "own", "shared")])
def test_remarks_on_several_tasks_are_said_once_those_of_older_stores_too(store: Store, fields: tuple[str]) -> None:
    ours = Registered(store)
    ours.fill([0, 2])
    rest = "% of the test rows have a twin, the same in inputs and target."
    for name, share in (("iris:", 4), ("my task:", 5.5), ("zoo:", 61)):
        twins = TaskRemark("twins", f"{name} {share}", (rest,), "Drop them.")
        content = {**asdict(twins), "text": twins.text}
        store.keep("remark", f"{ours.key}/{name}", {field: content[field] for field in fields})
    stopped = CodedWarning("stopped", "The run was stopped.", "Run it.")
    store.keep("remark", f"{ours.key}/z", asdict(stopped))
    store.keep("remark", "another study/z", asdict(stopped))
    assert scores_of(store, ours.key, ["error"]).doubts == (
        CodedWarning("twins", f"Tasks iris: 4; my task: 5.5; zoo: 61 {rest}", "Drop them."), stopped
    )  # fmt: skip


def test_short_remarks_of_older_stores_stay_apart(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 2])
    texts = ["Task a: 3 of it all the same.", "Task b: 4 of it all the same.", "Task c: 4 of what else."]
    for text in texts:
        store.keep("remark", f"{ours.key}/{text}", {"code": "twins", "text": text, "action": "Look."})
    store.keep("remark", f"{ours.key}/z", {"code": "other", "text": "Stopped.", "action": "Run."})
    assert [doubt.text for doubt in scores_of(store, ours.key, ["error"]).doubts] == [*texts, "Stopped."]


def test_failures_are_rows_without_a_value(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 2])
    before = scores_of(store, ours.key, ["error"])
    ours = Registered(store, learners=3)
    ours.write((2, 0, failed("it broke")), (2, 1, ok()), (2, 2, ok()))
    scores = scores_of(store, ours.key, ["error"])
    assert len(scores) == len(before) + 3
    (row,) = np.flatnonzero(np.isnan(scores.value))
    assert scores.status.values()[row] == "error"
    assert scores.message.values()[row] == "it broke"
    with pytest.raises(MisfitError, match=r"1 of 9 cells of study\.sqlite have no value for error"):
        blocks(scores)
    assert blocks(scores, missing=Missing.DROP_BLOCK).n_blocks == 2


def test_what_is_left_is_counted(store: Store) -> None:
    ours = Registered(store)
    ours.write((0, 0, ok()))
    assert "5 of 6 cells were not run yet." in scores_of(store, ours.key, ["error"]).notes


def test_nothing_was_run(store: Store) -> None:
    with pytest.raises(InputError, match="No cell of the study has been run to its end yet"):
        scores_of(store, Registered(store).key)


def test_several_tasks_under_the_names_of_the_study(store: Store) -> None:
    ours = Registered(store)
    other = store.add_task(task_record("other"))
    add_splits(store, other, SCHEME, {"scheme": "cv"}, 1, folds(4))
    store.link(
        ours.study,
        [(other, "second", SCHEME), (ours.task, "first", SCHEME)],
        [(number, f"learner {i}") for i, number in enumerate(ours.learners)],
        [("error", {})],
    )
    ours.fill([0, 1])
    mine = ours.splits
    ours.splits = splits_of(store, other, SCHEME)
    ours.fill([0, 1])
    assert len(ours.splits) + len(mine) == 7
    scores = scores_of(store, ours.key)
    assert scores.tasks == ("second", "first")
    assert len(scores) == 14


class TestMoreThanIsHeldAtOnce:
    """A study is read task by task, and only the means of tasks are kept."""

    TASKS = ("iris", "wine", "zoo", "tae", "glass", "sonar")

    @pytest.fixture(scope="class")
    @classmethod
    def stored(cls, tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
        learners = {"dummy": DummyClassifier(), "1": KNeighborsClassifier(1), "5": KNeighborsClassifier(5)}
        study = Study(cls.TASKS, learners, resampling=3, measures=["error", "log_loss"])
        path = tmp_path_factory.mktemp("large") / "study.sqlite"
        study.run(store=path)
        return study, path

    def test_the_verdict_is_that_of_the_small_path(
        self, stored: tuple[Study, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        study, path = stored
        with Reader(path) as reader:
            small = scores_of(reader, study.key)
            monkeypatch.setattr(results_scores, "MOST_ROWS", 50)
            large = scores_of(reader, study.key)
        assert (len(small.value), len(large.value)) == (6 * 3 * 3 * 2, 6 * 3 * 2)
        assert "108 scores, read task by task" in large.notes[-1]
        for measure in ("error", "log_loss"):
            found = [judge(scores, measure=measure) for scores in (small, large)]
            assert found[0].order == found[1].order
            assert [each.decision for each in found[0].decisions] == [each.decision for each in found[1].decisions]
            numbers = [
                [
                    (row.estimate, row.lower, row.upper, row.statistic, row.p, row.p_adjusted)
                    for row in each.finding.rows
                ]
                for each in found
            ]
            np.testing.assert_allclose(numbers[0], numbers[1], rtol=1e-12)

    def test_one_task_is_held_whole(self, stored: tuple[Study, Path], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(results_scores, "MOST_ROWS", 2)
        with Reader(stored[1]) as reader:
            assert len(scores_of(reader, stored[0].key, ["error"], tasks=["iris"]).value) == 9

    def test_every_cell_must_have_a_value(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        first = Registered(store)
        first.fill([0, 2])
        other = store.add_task(task_record("another"))
        add_splits(store, other, SCHEME, {"scheme": "cross-validation"}, 1, folds())
        names = [(learner, f"learner {i}") for i, learner in enumerate(first.learners)]
        store.link(first.study, [(first.task, "a", SCHEME), (other, "b", SCHEME)], names, [("error", {})])
        assert len(scores_of(store, first.key).value) == 6
        monkeypatch.setattr(results_scores, "MOST_ROWS", 2)
        with pytest.raises(
            InputError, match=r"task 'b': 6 of 6 cells have no value, the first in repeat 1, fold 1\. In"
        ):
            scores_of(store, first.key)


def test_a_reader_gives_the_same_as_the_writer(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 1])
    with Store.read(store.path) as reader:
        np.testing.assert_array_equal(scores_of(reader, ours.key).value, scores_of(store, ours.key).value)


def test_a_verdict_from_a_store(store: Store) -> None:
    ours = Registered(store, splits=folds(3, repeats=10))
    ours.write(*((0, split, ours.wrong_in(split, split % 2)) for split in range(30)))
    ours.write(*((1, split, ours.wrong_in(split, 2)) for split in range(30)))
    verdict = judge(scores_of(store, ours.key, ["error"]), "corrected-t", anyway=True)
    assert verdict.order


def test_instances(store: Store) -> None:
    from bakeoff.resampling.split import Splits

    ours = Registered(store, splits=Splits(folds(3).splits[:1]))
    ours.fill([0, 2])
    scores = scores_of(store, ours.key, ["error"], instances=True)
    assert len(scores) == 8
    assert scores.notes == ("Study our study (study key), stored in study.sqlite.",)


# ----------------------------------------------------------------------------------------------------------------------
# The long table.


def test_a_row_for_each_cell_that_was_run_and_each_measure(store: Store) -> None:
    ours = Registered(store)
    ours.write((1, 0, ok(0.1)), (0, 1, failed("no")), (1, 2, ok(0.3)))
    table = long_table(store, ours.key, ["error"])
    shown = zip(*(getattr(table, name).values() for name in ("learner", "repeat", "fold", "status")), strict=True)
    assert list(shown) == [
        ("learner 1", "1", "1", "ok"),
        ("learner 0", "1", "2", "error"),
        ("learner 1", "1", "3", "ok"),
    ]
    assert table.learner.labels == ("learner 0", "learner 1")
    np.testing.assert_array_equal(table.value, [0.1, np.nan, 0.3])
    assert table.message.values() == ["", "no", ""]
    assert table.n_train.tolist() == [8, 8, 8]
    assert table.n_test.tolist() == [4, 4, 4]


def test_measures_stand_one_after_the_other(store: Store) -> None:
    ours = Registered(store)
    ours.fill([0, 1])
    table = long_table(store, ours.key)
    assert table.measure.values() == ["error"] * 6 + ["auc"] * 6
    assert set(table.task.values()) == {"ours"}
    assert len(table) == 12


def test_labels_that_no_row_has_are_left_out(store: Store) -> None:
    ours = Registered(store)
    ours.write((1, 2, ok()))
    table = long_table(store, ours.key, ["error"])
    assert table.learner.labels == ("learner 1",)
    assert table.fold.labels == ("3",)
    assert all(len(getattr(table, name)) == 1 for name in COLUMNS)


def test_roles(store: Store) -> None:
    both = Splits((Split(0, 1, rows(0, 1), rows(0, 1), APPARENT), Split(1, 1, rows(0, 1), rows(2, 3))))
    ours = Registered(store, learners=1, splits=both)
    ours.fill([1])
    table = long_table(store, ours.key, ["error"])
    assert table.role.values() == [APPARENT, "test"]
    assert table.repeat.values() == ["0", "1"]


def test_an_empty_table(store: Store) -> None:
    assert len(long_table(store, Registered(store).key)) == 0


# ----------------------------------------------------------------------------------------------------------------------
# Problem


SAMPLE = "the empirical distribution of this learning sample"


def grid(store: Store, *tasks: tuple[dict[str, Any], dict[str, Any]]) -> StudyGrid:
    """The grid of a study whose tasks have these schemes and descriptions."""
    made = study_grid(store, Registered(store).key)
    one = made.tasks[0]
    cells = tuple(
        TaskCells(number, f"task {number}", one.task_id, scheme, (), one.index, one.learner_ids, one.splitting_id)
        for number, (scheme, _) in enumerate(tasks)
    )
    made.record.description["tasks"] = [said for _, said in tasks]
    return StudyGrid(made.record, made.learners, made.learner_ids, cells, made.measures)


def simulation(**said: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"scheme": "simulation"}, {"simulated": said}


def only_problem(grid: StudyGrid) -> Problem | None:
    """That of a study with one task."""
    return problem_of(grid, grid.tasks[0])


@pytest.mark.parametrize(
    ("said", "conditional_on", "fixed"),
    [
        ({"generator": "twonorm", "test": "fresh"}, "the generator twonorm", False),
        ({"generator": "twonorm"}, "the generator twonorm and this fixed test sample", True),
        ({"generator": "a.b", "m": 7}, "the generator a.b and this fixed test sample of 7 rows", True),
        ({"bootstrap": "bayesian", "test": "fresh"}, SAMPLE, False),
        (
            {"bootstrap": "parametric", "test": "fresh"},
            "the model that was fitted to this learning sample (a parametric bootstrap)",
            False,
        ),
    ],
)
def test_simulations(store: Store, said: dict[str, Any], conditional_on: str, fixed: bool) -> None:
    found = only_problem(grid(store, simulation(**said)))
    assert found is not None
    assert (found.kind, found.conditional_on, found.fixed_test) == ("simulation", conditional_on, fixed)


@pytest.mark.parametrize("scheme", ["out-of-bootstrap", "bootstrap-cv", "bayesian-bootstrap", "632+", "bootstrap"])
def test_real_world(store: Store, scheme: str) -> None:
    found = only_problem(grid(store, ({"scheme": scheme}, {})))
    assert found == Problem("real world", "bootstrap samples of one task", SAMPLE)


def test_competition(store: Store) -> None:
    found = only_problem(grid(store, ({"scheme": "competition"}, {})))
    assert found is not None
    assert found.conditional_on == f"{SAMPLE} and this fixed test sample"


@pytest.mark.parametrize("scheme", ["cross-validation", "5x2", "hold-out", "given", "leave-one-out", "of the user"])
def test_others_are_no_draws(store: Store, scheme: str) -> None:
    assert only_problem(grid(store, ({"scheme": scheme}, {}))) is None


def test_each_task_has_its_own_problem(store: Store) -> None:
    two = simulation(generator="twonorm", test="fresh"), simulation(generator="ringnorm", m=7)
    there = grid(store, *two)
    fresh, fixed = (problem_of(there, task) for task in there.tasks)
    assert fresh is not None
    assert fixed is not None
    assert (fresh.conditional_on, fresh.fixed_test) == ("the generator twonorm", False)
    assert fixed.conditional_on == "the generator ringnorm and this fixed test sample of 7 rows"


# ----------------------------------------------------------------------------------------------------------------------
# Splitting


LEARNERS = {"majority": DummyClassifier(), "nearest": KNeighborsClassifier(1)}


def run(resampling: object, store: Path | None = None) -> tuple[Scores, str]:
    study = Study("iris", LEARNERS, resampling=resampling, measures=["error"])
    return study.run(store=store), study.key


@pytest.mark.parametrize(
    ("resampling", "splitting"),
    [
        ({"scheme": "disjoint-halves", "parts": 3}, RunDesign(Runs.INDEPENDENT)),
        ({"scheme": "hold-out", "repeats": 3}, RunDesign(Runs.RANDOM_SPLITS)),
        ({"scheme": "bootstrap", "repeats": 3}, RunDesign(optimistic="bootstrap")),
        ({"scheme": "632", "repeats": 3}, RunDesign(optimistic="632")),
        ({"scheme": "out-of-bootstrap", "repeats": 3}, NOT_KNOWN),
        ({"scheme": "cross-validation", "folds": 3}, NOT_KNOWN),
    ],
    ids=lambda one: one["scheme"] if isinstance(one, dict) else "",
)
def test_a_study_knows_how_it_was_split(resampling: object, splitting: RunDesign) -> None:
    assert run(resampling)[0].splitting == splitting


@pytest.mark.parametrize(
    ("scheme", "in_folder"), [("disjoint-halves", Runs.INDEPENDENT), ("632", None), ("bootstrap", None)]
)
def test_exported_scores_say_it_too(tmp_path: Path, scheme: str, in_folder: Runs | None) -> None:
    parameters = {"parts": 3} if scheme == "disjoint-halves" else {"repeats": 3}
    scores, key = run({"scheme": scheme, **parameters}, tmp_path / "study.sqlite")
    with Reader(tmp_path / "study.sqlite") as store:
        export(store, key, tmp_path / "scores.csv")
        export(store, key, tmp_path / "all", form="csv")
    assert read_scores(tmp_path / "scores.csv").splitting == scores.splitting
    # Apparent scores stand in rows of their own there, and are not read as results.
    optimistic = "bootstrap" if scheme == "bootstrap" else ""
    assert read_scores(tmp_path / "all" / "scores.csv").splitting == RunDesign(in_folder, None, optimistic)
