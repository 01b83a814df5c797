from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.scores import blocks, layout


def test_one_score_a_row_with_a_measure_column(read: Any) -> None:
    scores = read(
        "learner,task,measure,repeat,fold,value,n_train,n_test,status\n"
        "svm,iris,accuracy,1,1,0.9,135,15,ok\n"
        "svm,iris,fit_time,1,1,2.5,135,15,ok\n"
        "knn,iris,accuracy,1,1,0.8,135,15,ok\n"
        "knn,iris,fit_time,1,1,0.1,135,15,ok\n"
    )
    assert scores.measures["accuracy"].larger_is_better
    assert not scores.measures["fit_time"].larger_is_better
    assert scores.only(measure="accuracy").value.tolist() == [0.9, 0.8]
    assert scores.n_train.tolist() == [135] * 4
    assert scores.notes == ("read as a long table, a row per score",)


def test_columns_named_after_measures_are_melted(read: Any) -> None:
    scores = read("model,dataset,fold,accuracy,AUC,fit_time,comment\nsvm,a,1,0.9,0.8,3,x\nknn,a,1,0.7,,1,y\n")
    assert scores.measure.labels == ("accuracy", "AUC", "fit_time")
    assert scores.only(measure="AUC").value[0] == 0.8
    assert np.isnan(scores.only(measure="AUC").value[1])
    assert not scores.measures["fit_time"].larger_is_better
    assert "ignored: 'comment'" in scores.notes


def test_a_score_needs_a_direction_and_may_be_given_a_name(read: Any) -> None:
    text = "model,score\nsvm,1\nknn,2\n"
    with pytest.raises(
        UsageError, match=r"The direction of measure 'score' is not known. Say whether larger or smaller"
    ):
        read(text)
    assert read(text, larger_is_better=False).measures["score"].origin == "as you said"
    assert read(text, measure="rmse").measures["rmse"].better == "smaller"


def test_a_measure_column_with_an_unknown_measure(read: Any) -> None:
    text = "model,metric,value\nsvm,frob,1\nsvm,acc,0.5\nknn,frob,2\nknn,acc,0.6\n"
    with pytest.raises(UsageError, match="direction of measure 'frob' is not known"):
        read(text)
    both = read(text, larger_is_better=False)
    assert (both.measures["frob"].better, both.measures["acc"].better) == ("smaller", "larger")
    assert read(text, measure="acc").value.tolist() == [0.5, 0.6], "only what is asked for needs a direction"


def test_a_column_of_any_name_can_be_the_measure(read: Any) -> None:
    text = "model,accuracy,Frob Score\nsvm,0.5,1\nknn,0.6,2\n"
    scores = read(text, measure="frob_score", larger_is_better=True)
    assert scores.measure.labels == ("frob_score",)
    assert scores.value.tolist() == [1, 2]
    assert "ignored: 'accuracy'" in scores.notes
    with pytest.raises(UsageError, match=r"There is no measure 'auc' in scores.csv"):
        read(text, measure="auc")


def test_a_measure_by_name_only_holds_no_numbers(read: Any) -> None:
    scores = read("model,time,accuracy\nsvm,2024-05-01,0.5\nknn,2024-05-02,0.6\n")
    assert scores.measure.labels == ("accuracy",)
    assert "ignored: 'time'" in scores.notes


def test_text_among_the_numbers_of_a_measure(read: Any) -> None:
    with pytest.raises(
        InputError, match=r"scores.csv, line 3, column 'accuracy': A number was expected, but 'good' was"
    ):
        read("model,accuracy\nsvm,0.5\nknn,good\n")


@pytest.mark.parametrize("cell", ["inf", "-inf", "Infinity", "1e999"])
def test_infinite_values_name_their_line(read: Any, cell: str) -> None:
    with pytest.raises(InputError, match=r"scores.csv, line 3: The value for learner 'knn' is infinite"):
        read(f"model,accuracy\nsvm,0.5\nknn,{cell}\n")


@pytest.mark.parametrize(
    ("cells", "line", "measure"),
    [
        ("inf,1\nknn,1,1", 2, "accuracy"),
        ("1,1\nknn,inf,1", 3, "accuracy"),
        ("1,inf\nknn,1,1", 2, "fit_time"),
        ("1,1\nknn,1,inf", 3, "fit_time"),
    ],
)
def test_infinity_in_a_melted_column_names_its_line(read: Any, cells: str, line: int, measure: str) -> None:
    with pytest.raises(InputError, match=rf"line {line}: The value for learner '\w+', measure '{measure}' is infinite"):
        read(f"model,accuracy,fit_time\nsvm,{cells}\n")


def test_missing_values_stay_missing(read: Any) -> None:
    scores = read("model,dataset,acc\nsvm,a,0.5\nsvm,b,NaN\nknn,a,\nknn,b,0.4\n")
    assert np.isnan(scores.value).tolist() == [False, True, True, False]
    assert scores.status.values() == ["ok", "missing", "missing", "ok"]


def test_a_table_in_which_everything_failed(read: Any) -> None:
    scores = read("model,status,acc\nsvm,timeout,\nknn,timeout,NA\n")
    assert np.isnan(scores.value).all()
    assert scores.status.labels == ("timeout",)
    beside = read("model,error,acc\nsvm,,0.5\nknn,,0.6\n")
    assert beside.measure.labels == ("acc",), "an empty column is no measure where another one has numbers"


def test_doubled_cells_name_both_lines(read: Any) -> None:
    with pytest.raises(InputError) as caught:
        read("model,dataset,acc\nsvm,a,0.5\nknn,a,0.4\n\nsvm,a,0.5\nsvm,a,0.6\n")
    text = str(caught.value)
    assert text.startswith("scores.csv, line 5: There is a second value for learner 'svm', task 'a', first on line 2;")
    assert "(1 more like it)" in text
    assert "add a repeat, fold or instance column" in text


def test_a_row_index_that_pandas_wrote_is_ignored(read: Any) -> None:
    scores = read(",model,acc\n0,svm,0.5\n1,knn,0.4\n")
    assert scores.learners == ("svm", "knn")
    assert scores.value.tolist() == [0.5, 0.4]


def test_nothing_that_could_be_a_score(read: Any) -> None:
    with pytest.raises(
        InputError, match="The column 'method' names learners, but nothing holds their scores"
    ) as caught:
        read("method,iris,wine\n1R,0.5,0.6\n")
    assert "the rest is 'iris' and 'wine'" in str(caught.value)
    assert "turn the table round" in str(caught.value)
    with pytest.raises(InputError, match="The column 'metric' names measures, but there is no column 'value'"):
        read("model,metric,number\nsvm,acc,1\n")
    with pytest.raises(InputError, match="A long table needs a column that names the learners"):
        read("dataset,acc\niris,1\n", shape="long")


def test_a_value_column_beside_known_measures(read: Any) -> None:
    scores = read("model,score,fit_time\nsvm,3,1\nknn,4,2\n", larger_is_better=True)
    assert scores.measure.labels == ("score", "fit_time")
    assert not scores.measures["fit_time"].larger_is_better


def test_per_cent(read: Any) -> None:
    scores = read("model,acc\nsvm,85.5\nknn,90\n")
    assert scores.measures["acc"].upper == 100
    assert "acc goes up to 90: read as per cent, from 0 to 100" in scores.notes


def test_unequal_folds(read: Any) -> None:
    scores = read(
        "model,fold,acc\n"
        + "".join(f"svm,{i},0.5\n" for i in range(1, 6))
        + "".join(f"knn,{i},0.4\n" for i in range(6, 11))
    )
    assert layout(scores).unequal_folds


def test_a_thousand_learners(read: Any) -> None:
    rows = "".join(f"learner {i},{task},{i / 1000}\n" for task in ("a", "b") for i in range(1000))
    scores = read("model,dataset,acc\n" + rows)
    assert len(scores.learners) == 1000
    assert blocks(scores).values.shape == (2, 1000)


def test_one_row_and_one_learner(read: Any) -> None:
    scores = read("model,acc\nsvm,0.5\n")
    assert len(scores) == 1
    assert scores.learners == ("svm",)
