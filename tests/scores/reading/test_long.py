from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff import analyse
from bakeoff.errors import InputError, UsageError
from bakeoff.scores import blocks, layout
from bakeoff.scores.reading.long import is_fine


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


# ----------------------------------------------------------------------------------------------------------------------
# Rows that were tested on what had been learned are no test, and are left out with a note.


HEAD = "learner,repeat,role,error\n"


def test_they_are_left_out(read: Any) -> None:
    scores = read(HEAD + "a,0,apparent,0\nb,0,apparent,0\na,1,test,0.3\nb,1,test,0.4\na,2,test,0.3\nb,2,test,0.2\n")
    assert scores.value.tolist() == [0.3, 0.4, 0.3, 0.2]
    assert scores.repeat.labels == ("1", "2")
    assert (
        "2 rows of fits to all rows (role apparent) left out: they were tested on what they had learned" in scores.notes
    )


def test_where_there_are_none_nothing_is_said(read: Any) -> None:
    scores = read(HEAD + "a,1,test,0.3\nb,1,test,0.4\n")
    assert len(scores) == 2
    assert not any("role" in note for note in scores.notes)


def test_another_column_of_that_name_is_left_alone(read: Any) -> None:
    scores = read(HEAD + "a,1,baseline,0.3\nb,1,apparent,0.4\n")
    assert len(scores) == 2
    assert "ignored: 'role'" in scores.notes


def test_nothing_else_is_no_evidence(read: Any) -> None:
    with pytest.raises(InputError, match=r"All rows have the role 'apparent'.*tells nothing"):
        read(HEAD + "a,0,apparent,0\nb,0,apparent,0\n")


# ----------------------------------------------------------------------------------------------------------------------
# 750 of 1000 is a rate, whoever divides.


@pytest.mark.parametrize(
    ("name", "rate", "value"),
    [("correct", "accuracy", 0.75), ("n_correct", "accuracy", 0.75), ("Errors", "error", 0.75)],
)
def test_a_count_is_a_rate_of_the_test_set(read: Any, name: str, rate: str, value: float) -> None:
    scores = read(f"learner,{name},n_test\nM1,750,1000\nM2,0,20\n")
    assert scores.measure.labels == (rate,)
    assert scores.value.tolist() == [value, 0.0]
    assert scores.n_test.tolist() == [1000, 20]
    assert f"column {name!r} counts some of 'n_test': read as {rate}" in scores.notes
    found = analyse(scores, "binomial", p0=0.5)
    assert found.details["M1"]["x"] == 750


def test_counts_that_are_none(read: Any) -> None:
    for wrong in ("31", "-1", "2.5"):
        with pytest.raises(InputError, match=r"line 2, column 'errors': A count of the 30 instances in 'n_test' was"):
            read(f"learner,errors,n_test\nM1,{wrong},30\n")
    with pytest.raises(InputError, match="A size above 0 was expected"):
        read("learner,errors,n_test\nM1,0,0\n")
    assert np.isnan(read("learner,errors,n_test\nM1,,30\nM2,3,30\n").value[0])  # missing stays missing


def test_what_is_no_count_is_left_alone(read: Any) -> None:
    assert read("learner,correct,n_test\nM1,0.75,30\n").value.tolist() == [0.75]  # "correct" may be a rate
    assert read("learner,instance,correct,n_test\nM1,1,1,30\nM1,2,0,30\n").value.tolist() == [1, 0]
    both = read("learner,error,errors,n_test\nM1,0.1,3,30\n")
    assert (both.measure.labels, both.value.tolist()) == (("error",), [0.1])
    with pytest.raises((InputError, UsageError), match="nothing holds their scores"):
        read("learner,errors\nM1,3\n")


# ----------------------------------------------------------------------------------------------------------------------
# The column that tells what samples were drawn from; and columns of the same name that do not.


OOB = "real world: the empirical distribution of this learning sample"
TWONORM, RINGNORM = (
    "simulation: the generator twonorm",
    "simulation: the generator ringnorm and this fixed test sample",
)


def table(*designs: str, header: str = "design") -> str:
    """A row for each design, of two learners in turn, in one repeat after the other."""
    rows = [f"{'ab'[i % 2]},{i // 2 + 1},0.{i + 1},{design}" for i, design in enumerate(designs)]
    return "\n".join([f"learner,repeat,accuracy,{header}", *rows, ""])


def test_the_problem_is_known_again(read: Any) -> None:
    scores = read(table(*[OOB] * 6))
    assert scores.problem is not None
    assert scores.problem.kind == "real world"
    assert layout(scores).sentence.startswith("2 learners on 3 bootstrap samples of one task")
    assert not scores.independent
    assert any("conditional on the empirical distribution of this learning sample" in note for note in scores.notes)
    assert not any("ignored" in note for note in scores.notes)


def test_independent_samples_do_not_become_pairs(read: Any) -> None:
    scores = read(table(*[f"{TWONORM}; independent samples"] * 6))
    assert scores.independent
    assert not layout(scores).matched
    assert read(table(*["independent samples"] * 6)).independent
    assert read(table(*["independent samples"] * 6)).problem is None


def test_several_designs_of_one_kind_are_several_laws(read: Any) -> None:
    scores = read(table(TWONORM, TWONORM, RINGNORM, RINGNORM))
    assert scores.problem is not None
    assert scores.problem.conditional_on == "the law that each task was drawn from and this fixed test sample"
    assert scores.problem.fixed_test
    assert read(table(TWONORM, TWONORM, OOB, OOB)).problem is None


@pytest.mark.parametrize(
    "designs",
    [("full", "full"), (OOB, ""), (OOB, "something else"), (TWONORM, f"{TWONORM}; independent samples"), ("", "")],
)
def test_a_column_that_says_something_else_is_ignored(read: Any, designs: tuple[str, str]) -> None:
    scores = read(table(*designs))
    assert (scores.problem, scores.independent) == (None, False)
    assert "ignored: 'design'" in scores.notes


def test_a_measure_of_that_name_is_a_measure(read: Any) -> None:
    scores = read("learner,repeat,design\na,1,0.5\nb,1,0.6\n", measure="design", larger_is_better=True)
    assert scores.measure.labels == ("design",)


def test_headers_may_be_written_otherwise(read: Any) -> None:
    assert read(table(OOB, OOB, header="Design")).problem is not None


def test_a_table_without_one(read: Any) -> None:
    scores = read("learner,repeat,accuracy\na,1,0.5\nb,1,0.6\n")
    assert (scores.problem, scores.independent) == (None, False)


# ----------------------------------------------------------------------------------------------------------------------
# Failures


@pytest.mark.parametrize("status", ["ok", "OK", "Success", "finished", "COMPLETED", "done", "", "NA", "1", "True"])
def test_all_went_well(status: str) -> None:
    assert is_fine(status)


@pytest.mark.parametrize("status", ["failed", "timeout", "error", "crashed", "running", "OOM", "0", "False"])
def test_something_went_wrong(status: str) -> None:
    assert not is_fine(status)


def test_a_failure_is_a_row_without_a_value_and_with_its_reason(read: Any) -> None:
    scores = read(
        "model,seed,status,message,acc\n"
        "svm,1,Success,,0.9\n"
        "svm,2,timeout,after 60 s,\n"
        "knn,1,ok,nan,0.8\n"
        "knn,2,crashed,out of memory,0.3\n"
    )
    assert scores.status.values() == ["ok", "timeout", "ok", "crashed"]
    assert scores.message.values() == ["", "after 60 s", "", "out of memory"]
    assert np.isnan(scores.value).tolist() == [False, True, False, True]
    assert "1 row with a value did not succeed according to column 'status': the value is not used" in scores.notes


def test_an_empty_cell_is_missing_and_one_with_a_message_failed(read: Any) -> None:
    scores = read("model,seed,error,acc\nsvm,1,,0.9\nsvm,2,did not converge,\nknn,1,,NA\nknn,2,,0.5\n")
    assert scores.status.values() == ["ok", "failed", "missing", "ok"]
    assert scores.message.values()[1] == "did not converge"


def test_a_column_of_error_rates_is_a_measure_and_no_message(read: Any) -> None:
    scores = read("model,error\nsvm,0.1\nknn,0.2\n")
    assert scores.measure.labels == ("error",)
    assert scores.value.tolist() == [0.1, 0.2]
    assert scores.message.labels == ("",)


def test_a_failed_run_fails_for_every_measure(read: Any) -> None:
    scores = read("model,status,acc,fit_time\nsvm,ok,0.9,1\nknn,failed,,2\n")
    assert scores.measure.values() == ["acc", "acc", "fit_time", "fit_time"]
    assert scores.status.values() == ["ok", "failed", "ok", "failed"]
    assert np.isnan(scores.value).tolist() == [False, True, False, True]
