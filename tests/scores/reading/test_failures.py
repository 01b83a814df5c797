from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.scores.reading.failures import is_fine


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
