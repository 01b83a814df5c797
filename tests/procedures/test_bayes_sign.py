from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.bayes_sign import bayes_sign


def shares(n_left: int, n_rope: int, n_right: int, **options: object):  # type: ignore[no-untyped-def]
    d = [-1.0] * n_left + [0.0] * n_rope + [1.0] * n_right
    return bayes_sign(d, [0.0] * len(d), **options)  # type: ignore[arg-type]


def test_two_shares_are_a_beta_tail() -> None:
    found = shares(3, 0, 7, rope=0.5, prior=0)
    assert found.better == pytest.approx(stats.beta(7, 3).sf(0.5), abs=1e-10)
    assert found.same == 0


def test_simulated_shares_agree() -> None:
    found = shares(4, 5, 6, rope=0.5)
    draws = np.random.default_rng(0).dirichlet([4, 6, 6], 400_000).argmax(axis=1)
    assert (found.worse, found.same, found.better) == pytest.approx(np.bincount(draws) / len(draws), abs=0.003)


def test_the_prior_moves_the_answer_to_its_place() -> None:
    rope, left, right = (shares(2, 1, 2, rope=0.5, prior=4, prior_place=place) for place in ("rope", "left", "right"))
    assert rope.same > 0.7
    assert left.worse > 0.7
    assert right.better == pytest.approx(left.worse)
    assert (left.lower, right.upper) == (-inf, inf)


def test_all_on_one_side() -> None:
    found = shares(0, 0, 12, prior=0)
    assert (found.worse, found.better) == (0.0, 1.0)
    assert found.estimate == 1.0


def test_differences_at_the_rope_lie_in_it() -> None:
    found = bayes_sign([0.768, 0.9], [0.763, 0.8], rope=0.005)
    assert (found.details["left"], found.details["rope"], found.details["right"]) == (0, 1, 1)


def test_one_task_is_enough_for_an_answer_but_not_for_a_claim() -> None:
    found = bayes_sign([0.9], [0.8], rope=0.01)
    assert found.better == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"prior": -1.0}, "strength of the prior"),
        ({"prior": float("nan")}, "strength of the prior"),
        ({"prior_place": "middle"}, "place of the prior"),
        ({"rope": -0.1}, "rope"),
        ({"confidence": 1.0}, "confidence"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        bayes_sign([1, 2, 3], [3, 2, 1], **options)  # type: ignore[arg-type]


@given(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0]), min_size=1, max_size=60), st.floats(0, 3))
def test_probabilities_add_up_and_turn_round(d: list[float], prior: float) -> None:
    there = bayes_sign(d, [0.0] * len(d), rope=0.75, prior=prior)
    back = bayes_sign([0.0] * len(d), d, rope=0.75, prior=prior)
    assert there.worse + there.same + there.better == pytest.approx(1.0)
    assert there.worse == pytest.approx(back.better, abs=1e-12)
    assert there.lower == -back.upper
    assert there.estimate == -back.estimate


def test_ten_thousand_tasks() -> None:
    d = np.random.default_rng(1).standard_normal(10_000) + 0.03
    found = bayes_sign(d, np.zeros(10_000), rope=0.0)
    assert 0.9 < found.better <= 1
