"""Names as they are drawn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.figures.labels import MOST_COLUMNS, labels_of, literal, shortened_in_the_middle
from bakeoff.presentation import width


def test_a_short_name_stays_as_it_is() -> None:
    assert labels_of(["svm", "C4.5+m"]) == ["svm", "C4.5+m"]


def test_a_long_name_keeps_both_ends() -> None:
    assert shortened_in_the_middle("logistic regression, l2, C=10", 15) == "logisti…2, C=10"


def test_a_cut_leaves_no_accent_without_its_letter() -> None:
    assert shortened_in_the_middle("aaaaaaaae\u0301bc", 6) == "aaa…bc"


def test_labels_that_shortening_makes_alike_are_numbered() -> None:
    first, second = labels_of(["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40])
    assert (first[-3:], second[-3:]) == (" #1", " #2")


@given(st.lists(st.text(max_size=80), unique=True, min_size=1, max_size=30))
def test_labels_are_short_different_and_in_one_line(names: list[str]) -> None:
    labels = labels_of(names)
    assert len(set(labels)) == len(names)
    for label in labels:
        assert width(label) <= MOST_COLUMNS
        assert label == literal(label)
