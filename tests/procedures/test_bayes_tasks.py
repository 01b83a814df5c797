from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.procedures.bayes import bayes_sign, bayes_signed_rank, checked_correlation, checked_rope, rope_note


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


# ----------------------------------------------------------------------------------------------------------------------
# Bayes signed rank


# baycomp 1.0.3, SignedRankTest.probs(x, y, rope, nsamples=300_000, random_state=0), x and y from default_rng(7).
RNG = np.random.default_rng(7)
X = np.round(RNG.normal(0.8, 0.05, 20), 4)
Y = np.round(X + RNG.normal(0.004, 0.02, 20), 4)
BAYCOMP: dict[float, tuple[float, ...]] = {
    0.0: (0.8865, 0.1135),
    0.005: (0.7233, 0.2384, 0.0383),
    0.0101: (0.1156, 0.8841, 0.0004),
}


@pytest.mark.parametrize("rope", list(BAYCOMP))
def test_baycomp_agrees(rope: float) -> None:
    found = bayes_signed_rank(X, Y, rope=rope, samples=200_000)
    ours = (found.better, found.worse) if rope == 0 else (found.better, found.same, found.worse)
    assert ours == pytest.approx(BAYCOMP[rope], abs=0.005)


def test_exchanging_the_learners_exchanges_the_answer() -> None:
    there, back = bayes_signed_rank(X, Y, rope=0.005), bayes_signed_rank(Y, X, rope=0.005)
    assert (there.worse, there.same, there.better) == (back.better, back.same, back.worse)
    assert (there.estimate, there.lower, there.upper) == (-back.estimate, -back.upper, -back.lower)


def test_seeds_repeat_and_differ() -> None:
    one, again, other = (bayes_signed_rank(X, Y, seed=seed).better for seed in (1, 1, 2))
    assert one == again != other
    assert one == pytest.approx(other, abs=0.01)


def test_the_same_learner_twice_is_undecided() -> None:
    none, wide = bayes_signed_rank(X, X), bayes_signed_rank(X, X, rope=0.01)
    assert (none.worse, none.same, none.better) == (0.5, 0.0, 0.5)
    assert (wide.worse, wide.same, wide.better) == (0.0, 1.0, 0.0)


def test_a_strong_prior_elsewhere() -> None:
    left, right = (bayes_signed_rank(X, Y, rope=0.005, prior=50.0, prior_place=place) for place in ("left", "right"))
    assert left.worse > 0.99
    assert right.better > 0.99
    assert left.lower == -np.inf
    assert right.upper == np.inf


def test_the_note_states_draws_and_error() -> None:
    found = bayes_signed_rank(X, Y, samples=1000)
    assert "1,000 draws" in found.note
    assert 0 < found.details["standard_error"] < 0.02


def test_one_task() -> None:
    found = bayes_signed_rank([0.9], [0.8])
    assert found.better > 0.6
    assert found.lower <= found.estimate <= found.upper


@pytest.mark.parametrize("samples", [0, 99, 10.5, float("nan")])
def test_samples_are_enough(samples: float) -> None:
    with pytest.raises(UsageError, match="number of samples"):
        bayes_signed_rank(X, Y, samples=samples)  # type: ignore[arg-type]


def test_many_tasks_stay_in_memory() -> None:
    d = 0.01 * np.random.default_rng(2).standard_normal(10_000)
    found = bayes_signed_rank(d, np.zeros(10_000), rope=0.05, samples=2000)
    assert found.same > 0.5
    assert found.worse + found.same + found.better == pytest.approx(1.0)


# ----------------------------------------------------------------------------------------------------------------------
# Posterior


@pytest.mark.parametrize("rope", [-0.1, float("nan"), float("inf")])
def test_a_rope_is_a_difference(rope: float) -> None:
    with pytest.raises(UsageError, match="not negative"):
        checked_rope(rope)


def test_the_note_says_that_there_is_no_rope() -> None:
    assert "any difference counts" in rope_note(0.0)
    assert rope_note(0.025) == "rope ±0.025"


@pytest.mark.parametrize("rho", [None, float("nan")])
def test_an_unknown_correlation_is_asked_for(rho: float | None) -> None:
    with pytest.raises(UsageError, match="--rho"):
        checked_correlation(rho)


@pytest.mark.parametrize("rho", [-0.1, 1.0, 2.0])
def test_a_correlation_is_possible(rho: float) -> None:
    with pytest.raises(UsageError, match=r"\[0, 1\)"):
        checked_correlation(rho)
