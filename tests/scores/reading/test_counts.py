"""750 of 1000 is a rate, whoever divides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff import analyse
from bakeoff.errors import InputError, UsageError


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
