"""Rows that were tested on what had been learned are no test, and are left out with a note."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff.errors import InputError

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
