from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.procedures.bayes_signed_rank import bayes_signed_rank

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
