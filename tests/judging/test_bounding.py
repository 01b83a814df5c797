from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import zoo

from bakeoff.finding import Row
from bakeoff.judging import analyse
from bakeoff.judging.bounding import CUT, within_range
from bakeoff.measures import Measure

ERROR = Measure("error", larger_is_better=False, lower=0.0, upper=1.0)
ROW = Row("a − b", "a", "b", estimate=0.5, lower=-1.2, upper=1.118, note="exact")


def test_a_difference_of_rates_is_at_most_one() -> None:
    (made,) = within_range([ROW], ERROR, "ab")
    assert (made.lower, made.upper) == (-1.0, 1.0)
    assert made.note == f"exact; {CUT}"


def test_a_rate_lies_between_its_ends() -> None:
    (made,) = within_range([Row("a", "a", estimate=0.98, lower=0.9, upper=1.06)], ERROR, "a")
    assert (made.lower, made.upper, made.note) == (0.9, 1.0, CUT)


def test_what_is_possible_stays() -> None:
    inside = replace(ROW, lower=-0.2, upper=0.9)
    sided = replace(ROW, lower=-0.2, upper=inf)
    groups = replace(ROW, first="a + b", second="c")
    beyond = replace(ROW, estimate=1.5)
    free = Measure("cost", larger_is_better=False)
    assert within_range([inside, sided, groups, beyond], ERROR, "abc") == (inside, sided, groups, beyond)
    assert within_range([ROW], free, "ab") == (ROW,)


def test_dunn_on_ten_instances() -> None:
    answers = np.column_stack([[0] * 8 + [1, 1], [1] * 7 + [0, 1, 0]]).astype(float)
    (row,) = analyse(zoo.table(answers, kind="instances", name="error"), "dunn", anyway=True).pairs
    assert min(row.lower, -row.upper) == -1.0
    assert CUT in row.note


def test_scores_beyond_the_range_show_that_it_is_not_theirs() -> None:
    values = np.column_stack([[5.0, 7.0, 2.0], [4.0, 9.0, 1.0]])
    (row,) = analyse(zoo.table(values, kind="kfold"), "corrected-t").pairs
    assert row.lower < -1
    assert row.note == ""
