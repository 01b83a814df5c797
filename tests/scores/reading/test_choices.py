"""What the user says of a table: which column is what, which rows count, which way round."""

from __future__ import annotations

import pandas as pd
import pytest

from bakeoff import UsageError, read_scores

RUNS = pd.DataFrame(
    {
        "config.arch": ["tree", "tree", "svm", "svm"],
        "config.data": ["iris", "wine", "iris", "wine"],
        "config.seed": [1, 1, 1, 1],
        "status": ["finished", "finished", "finished", "crashed"],
        "summary.accuracy": [0.9, 0.8, 0.7, 0.2],
        "summary.loss": [1.0, 2.0, 3.0, 4.0],
    }
)


def test_columns_say_which_is_what() -> None:
    scores = read_scores(RUNS, columns="learner=config.arch,task=config.data,repeat=config.seed", measure="accuracy")
    assert (scores.learners, scores.tasks, scores.repeat.labels) == (("tree", "svm"), ("iris", "wine"), ("1",))
    assert any("columns as you said: 'config.arch' as learner" in note for note in scores.notes)
    same = read_scores(RUNS, columns={"model": "config.arch"}, measure="accuracy")
    assert same.learners == ("tree", "svm"), "another name of a role will do"
    assert same.tasks == ("iris", "wine"), "config.data is read without its prefix"


def test_the_column_of_values() -> None:
    scores = read_scores(RUNS, columns="learner=config.arch,value=summary.loss")
    assert scores.measure.labels == ("loss",)
    odd = RUNS.rename(columns={"summary.loss": "points"})
    scores = read_scores(odd, columns="learner=config.arch,value=points", larger_is_better=True)
    assert scores.value[:3].tolist() == [1, 2, 3]


def test_where_keeps_rows() -> None:
    for condition in ("status=finished", "status!=crashed", "summary.accuracy>0.5", "status=FINISHED,running"):
        scores = read_scores(RUNS, columns="learner=config.arch", where=condition, measure="accuracy")
        assert len(scores) == 3, condition
        assert any(f"3 of 4 rows, those with {condition}" in note for note in scores.notes)
    both = read_scores(
        RUNS, columns="learner=config.arch", where=["status=finished", "config.data=iris"], measure="loss"
    )
    assert len(both) == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"columns": "learner=config.arhc"}, "--columns names the column 'config.arhc'.*Did you mean 'config.arch'"),
        ({"columns": "learnr=config.arch"}, "such as learner=config.model; found 'learnr=config.arch'"),
        ({"columns": "learner"}, "Columns are said as role=header"),
        ({"where": "status"}, "--where takes column=value"),
        ({"where": "state=1"}, "--where names the column 'state'"),
        (
            {"where": "status=done"},
            "No row of the DataFrame has status=done. Column 'status' holds finished and crashed",
        ),
        ({"where": "summary.loss>high"}, "compares 'summary.loss' with a number"),
    ],
)
def test_mistakes_are_sentences(options: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        read_scores(RUNS, **options)


def test_transpose() -> None:
    frame = pd.DataFrame({"learner": ["svm", "knn"], "iris": [0.9, 0.8], "wine": [0.7, 0.6]})
    scores = read_scores(frame, transpose=True, measure="accuracy")
    assert (scores.learners, scores.tasks) == (("svm", "knn"), ("iris", "wine"))
    twice = pd.DataFrame({"learner": ["svm", "svm"], "iris": [0.9, 0.8]})
    with pytest.raises(UsageError, match="'svm' stands twice in it"):
        read_scores(twice, transpose=True)


def test_average_of_several_values_of_one_cell() -> None:
    frame = pd.DataFrame(
        {"model": ["a", "a", "b"], "dataset": ["x"] * 3, "acc": [0.5, 0.7, 0.4], "note": ["p", "q", "r"]}
    )
    scores = read_scores(frame, average=True)
    assert scores.value.tolist() == pytest.approx([0.6, 0.4])
    with pytest.raises(ValueError, match="--average"):
        read_scores(frame, ignore="note")


def test_a_question_names_the_flag_that_answers_it(tmp_path: object) -> None:
    csv = "run_id,experiment_id,status,metrics.accuracy,params.arch\n1,1,FINISHED,0.5,tree\n2,1,FINISHED,0.6,svm\n"
    from pathlib import Path

    path = Path(str(tmp_path)) / "runs.csv"
    path.write_text(csv)
    with pytest.raises(UsageError, match=r"names the learners\? Say --columns learner=HEADER.*'params.arch'"):
        read_scores(path)
    assert read_scores(path, columns="learner=params.arch").learners == ("tree", "svm")
