"""Sharing out: the same answers in the same order, in one process or in two."""

from __future__ import annotations

from bakeoff.lab.published.parallel import spread

PARTS = [(base, 3) for base in range(7)]


def test_the_number_of_jobs_changes_nothing() -> None:
    assert spread(pow, PARTS, jobs=1) == spread(pow, PARTS, jobs=2) == [base**3 for base in range(7)]


def test_a_single_part_and_none() -> None:
    assert spread(pow, PARTS[:1], jobs=2) == [0]
    assert spread(pow, [], jobs=2) == []
