from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.scores import Level, blocks, layout, read_scores

DATA = Path(__file__).parents[2] / "oracles" / "data"


def test_a_row_per_task(read: Any) -> None:
    scores = read("dataset,svm,knn\niris,0.9,0.8\nwine,0.7,0.6\n", measure="accuracy")
    assert blocks(scores).values.tolist() == [[0.9, 0.8], [0.7, 0.6]]
    assert scores.tasks == ("iris", "wine")
    assert scores.notes == ("read as a wide table, a column per learner", "column 'dataset' read as task")


def test_keys_of_every_kind(read: Any) -> None:
    scores = read("DB,Rep,Fold,train_size,A,B\n1,1,1,90,0.5,0.6\n1,1,2,90,0.7,0.8\n", measure="acc")
    assert scores.fold.values() == ["1", "1", "2", "2"]
    assert scores.n_train.tolist() == [90] * 4
    assert scores.learners == ("A", "B")


def test_without_a_name_the_measure_is_a_score_whose_direction_is_asked_for(read: Any) -> None:
    text = "dataset,svm,knn\niris,0.9,0.8\n"
    with pytest.raises(UsageError, match="direction of measure 'score' is not known"):
        read(text)
    assert read(text, larger_is_better=True).measures["score"].origin == "as you said"


def test_the_rows_are_asked_for_when_no_column_tells(read: Any) -> None:
    with pytest.raises(UsageError) as caught:
        read("svm,knn\n0.9,0.8\n", measure="acc")
    text = str(caught.value)
    assert text.startswith("What are the rows of scores.csv? The table is wide, and no column says what a row is.")
    for phrase in (
        "--rows tasks (each row is another data set)",
        "--rows folds (each row is a fold of one cross-validation, in which every case was tested once)",
        "--rows runs (each row is another split, seed or run on one data set)",
        "--rows instances (each row is one test case)",
    ):
        assert phrase in text


def test_the_rows_are_asked_for_when_tasks_repeat(read: Any) -> None:
    text = "dataset,svm,knn\niris,0.9,0.8\niris,0.7,0.6\nwine,0.5,0.4\nwine,0.3,0.2\n"
    with pytest.raises(UsageError, match="The table is wide, and several rows share their data set"):
        read(text, measure="acc")
    scores = read(text, measure="acc", rows="folds")
    assert scores.fold.values() == ["1", "1", "2", "2"] * 2
    assert layout(scores).folds == 2
    assert "the rows are folds, as you said, and numbered from 1" in scores.notes


@pytest.mark.parametrize(
    ("rows", "level"), [("tasks", Level.TASKS), ("folds", Level.RESAMPLES), ("instances", Level.INSTANCES)]
)
def test_rows_without_a_key_are_numbered(read: Any, rows: str, level: Level) -> None:
    scores = read("svm,knn\n0.9,0.8\n0.7,0.6\n", measure="acc", rows=rows)
    assert layout(scores).level is level
    assert blocks(scores).labels == tuple(f"{rows[:-1]} {i}" for i in (1, 2))


@pytest.mark.parametrize("header", ["name", "which", "", "ID"])
def test_a_column_of_text_names_the_rows(read: Any, header: str) -> None:
    scores = read(f"{header},svm,knn\niris,0.9,0.8\nwine,0.7,0.6\n", measure="acc", rows="tasks")
    assert scores.tasks == ("iris", "wine")
    assert scores.learners == ("svm", "knn")


@pytest.mark.parametrize("header", ["", "nr", "whatever"])
def test_a_row_number_is_nobodys_score(read: Any, header: str) -> None:
    scores = read(f"{header},svm,knn\n0,0.9,0.8\n1,0.7,0.6\n2,0.7,0.6\n", measure="acc", rows="instances")
    assert scores.learners == ("svm", "knn")
    assert scores.instance.labels == ("0", "1", "2")


def test_row_labels_that_start_anew_in_each_task(read: Any) -> None:
    scores = read("dataset,id,svm\na,1,0.5\na,2,0.6\nb,1,0.7\nb,2,0.8\n", measure="acc", rows="folds")
    assert scores.fold.values() == ["1", "2", "1", "2"]


def test_rows_and_columns_that_contradict_each_other(read: Any) -> None:
    with pytest.raises(
        UsageError, match=r"You said that the rows of scores.csv are tasks, but one of its columns names"
    ):
        read("fold,svm,knn\n1,0.9,0.8\n", measure="acc", rows="tasks")


def test_rows_that_agree_with_the_columns(read: Any) -> None:
    by_key = read("seed,svm,knn\n1,0.9,0.8\n2,0.7,0.6\n", measure="acc", rows="folds")
    assert by_key.repeat.labels == ("1", "2")
    assert by_key.fold.labels == ("",)


def test_text_in_a_learners_column(read: Any) -> None:
    with pytest.raises(
        InputError, match=r"scores.csv, line 3, column 'knn': A number was expected, but 'bad' was found"
    ):
        read("dataset,svm,knn\niris,0.9,0.8\nwine,0.7,bad\n", measure="acc")


def test_a_column_of_words_is_nobodys_score(read: Any) -> None:
    scores = read("dataset,author_name,svm\niris,fisher,0.9\n", measure="acc")
    assert scores.learners == ("svm",)
    assert "set aside, as nobody's scores: 'author_name'" in scores.notes


def test_empty_cells_are_missing(read: Any) -> None:
    scores = read("dataset,svm,knn\niris,0.9,\nwine,0.7,?\n", measure="acc")
    assert np.isnan(scores.value).tolist() == [False, True, False, True]
    assert scores.status.values() == ["ok", "missing"] * 2


@pytest.mark.parametrize(("line", "learner"), [(2, "svm"), (2, "knn"), (3, "svm"), (4, "knn")])
def test_infinity_names_its_line(read: Any, line: int, learner: str) -> None:
    cells = [["a", "0.9", "0.8"], ["b", "0.7", "0.6"], ["c", "0.5", "0.4"]]
    cells[line - 2][1 + ["svm", "knn"].index(learner)] = "inf"
    with pytest.raises(InputError, match=rf"scores.csv, line {line}: The value for learner '{learner}', task"):
        read("dataset,svm,knn\n" + "".join(",".join(row) + "\n" for row in cells), measure="acc")


def test_a_measure_column(read: Any) -> None:
    text = "dataset,metric,svm,knn\niris,acc,0.9,0.8\niris,rmse,2,3\n"
    scores = read(text)
    assert scores.measure.values() == ["acc", "acc", "rmse", "rmse"]
    assert read(text, measure="rmse").value.tolist() == [2, 3]


def test_columns_that_are_measures_and_no_learners(read: Any) -> None:
    with pytest.raises(
        InputError, match="No column names the learners, and 'accuracy' and 'auc' are named after measures"
    ):
        read("dataset,accuracy,auc\niris,0.9,0.8\n")


def test_no_learner_at_all(read: Any) -> None:
    with pytest.raises(InputError, match="A wide table has a column of numbers for each learner, but none was found"):
        read("dataset,fold\niris,1\n", measure="acc")


def test_doubled_rows(read: Any) -> None:
    with pytest.raises(InputError, match="line 3: There is a second value for learner 'svm', task 'iris', fold '1'"):
        read("dataset,fold,svm\niris,1,0.5\niris,1,0.6\n", measure="acc")


def test_names_with_commas_quotes_emoji_and_html(read: Any) -> None:
    scores = read('dataset,"a, b","say ""hi""",🙂,<b>x</b>\n"<i>iris</i>, 1",1,2,3,4\n', measure="reward")
    assert scores.learners == ("a, b", 'say "hi"', "🙂", "<b>x</b>")
    assert scores.tasks == ("<i>iris</i>, 1",)
    assert "<b>x</b>" not in scores._repr_html_()


def test_a_trailing_comma_makes_no_learner(read: Any) -> None:
    scores = read("dataset,svm,knn,\niris,0.9,0.8,\n", measure="acc")
    assert scores.learners == ("svm", "knn")


def test_ten_times_ten_folds_of_three_tasks(read: Any) -> None:
    rows = [f"{db},{rep},{fold},0.5,0.6\n" for db in "abc" for rep in range(1, 11) for fold in range(1, 11)]
    facts = layout(read('"DB","Rep","Fold","AlgA","AlgB"\n' + "".join(rows), measure="accuracy"))
    assert (facts.n_blocks, facts.repeats, facts.folds) == (3, 10, 10)


def test_a_published_table() -> None:
    demsar = read_scores(DATA / "demsar2006.csv", measure="auc")
    assert blocks(demsar).values.shape == (14, 4)
    assert blocks(demsar).values[0].tolist() == [0.763, 0.768, 0.771, 0.798]


def test_several_measures_need_a_column_that_names_them(read: Any) -> None:
    with pytest.raises(UsageError, match=r"Say one measure, not 2 \(acc, auc\): .* none that names measures"):
        read("dataset,svm,knn\niris,1,2\n", measure=["acc", "auc"])
    both = read("dataset,metric,svm,knn\niris,acc,1,2\niris,auc,1,1\niris,time,1,2\n", measure=["auc", "acc"])
    assert both.measure.labels == ("auc", "acc")
