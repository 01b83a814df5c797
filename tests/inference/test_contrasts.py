"""Which comparisons are made."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import MisfitError, UsageError
from bakeoff.inference.contrasts import against, all_pairs, contrasts

NAMES = ("svm", "knn", "tree")


@given(order=st.permutations(range(6)))
def test_all_pairs_once_the_first_in_order_first(order: list[int]) -> None:
    found = all_pairs(order)
    assert len(found) == 15
    assert {frozenset(pair) for pair in found.pairs} == {frozenset((i, j)) for i in range(6) for j in range(i)}
    assert all(order.index(first) < order.index(second) for first, second in found.pairs)


@given(order=st.permutations(range(5)), control=st.integers(0, 4))
def test_against_a_control(order: list[int], control: int) -> None:
    found = against(control, order)
    assert [first for first, _ in found.pairs] == [i for i in order if i != control]
    assert {second for _, second in found.pairs} == {control}


@given(order=st.permutations(range(4)), seed=st.integers(0, 1000))
def test_the_matrix_takes_differences(order: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=4)
    for found in (all_pairs(order), against(order[0], order)):
        expected = [values[first] - values[second] for first, second in found.pairs]
        assert found.matrix @ values == pytest.approx(expected)
        assert found.matrix.sum(axis=1) == pytest.approx(np.zeros(len(found)))


def test_by_name() -> None:
    assert contrasts("all-pairs", NAMES, [2, 0, 1], None).pairs == ((2, 0), (2, 1), (0, 1))
    assert contrasts("control", NAMES, [2, 0, 1], "knn").pairs == ((2, 1), (0, 1))


@pytest.mark.parametrize(
    ("kind", "control", "sentence"),
    [
        ("all-pair", None, "Did you mean 'all-pairs'"),
        ("all-pairs", "knn", "goes with contrast='control'"),
        ("control", None, "--control LEARNER"),
        ("control", "kn", "Did you mean 'knn'"),
    ],
)
def test_bad_requests_are_refused(kind: str, control: str | None, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        contrasts(kind, NAMES, [0, 1, 2], control)


def test_one_learner_cannot_be_compared() -> None:
    with pytest.raises(MisfitError, match=r"at least two learners; found 1 \(svm\)") as refusal:
        contrasts("all-pairs", NAMES[:1], [0], None)
    assert "wilson" in refusal.value.alternatives[0]


def test_weights_can_be_written() -> None:
    found = contrasts("svm=0.5, knn=.5, tree=-1", NAMES, range(3), None)
    assert found.weights == ((0.5, 0.5, -1.0),)
    assert found.names == (("0.5 svm + 0.5 knn", "tree"),)
    assert contrasts("svm=1,knn=-1", NAMES, range(3), None).names == (("svm", "knn"),)


def test_an_equals_sign_in_a_name_is_no_weight() -> None:
    names = ("svm C=1", "svm C=10")
    assert contrasts("svm C=1 vs svm C=10", names, range(2), None).weights == ((1.0, -1.0),)
    assert contrasts("svm C=1=1, svm C=10=-1", names, range(2), None).weights == ((1.0, -1.0),)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("svm=1, knn=x", "gives 'knn' the weight 'x': no number"),
        ("svm=1, svm=-1", "gives 'svm' two weights"),
        ("svm=1, knn=-2", "add up to zero; found -1"),
        ("svn=1, knn=-1", "Did you mean 'svm'"),
        ("+ vs svm", "names no learner"),
        (["svm vs knn", 3], "said in words"),
        (None, "said in words"),
    ],
)
def test_contrasts_that_cannot_be_made(said: object, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        contrasts(said, NAMES, range(3), None)  # type: ignore[arg-type]
