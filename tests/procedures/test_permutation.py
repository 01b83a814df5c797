"""The permutation test with t*: coin's values, the identities between t*, F and χ², exact and Monte-Carlo p."""

from __future__ import annotations

from math import inf, nan, sqrt

import numpy as np
import pytest

from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.mathematics.block_permutations import t_star
from bakeoff.measures import known_measure
from bakeoff.procedures import procedure_named
from bakeoff.procedures.permutations import permutation, permutation_independent, permutation_samples
from bakeoff.scores import Scores, layout, unpaired

FIVE = [[3, 2, 8], [1, 6, 9], [4, 5, 7], [1, 3, 9], [5, 5, 3]]
THREE = [[1, 2, 4, 3], [2, 3, 3, 5], [1, 2, 3, 4]]
TWO = [[0.21, 0.2], [0.25, 0.22], [0.19, 0.2], [0.3, 0.25], [0.27, 0.21], [0.22, 0.23], [0.26, 0.21], [0.24, 0.2]]
SHIFTED = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.3, 0.4, 0.5], [0.4, 0.5, 0.6]]


@pytest.mark.parametrize(
    ("table", "value", "chi2", "p", "exact"),
    [
        (FIVE, 0.225595238095238, 5.3006993006993, 0.0706265141573215, 0.0493827160493827),
        (THREE, 1.63333333333333, 7.47457627118644, 0.0582153072847715, 0.0243055555555556),
        (TWO, 0.141355140186916, 4.24561403508772, 0.0393518368613438, 0.0546875),
    ],
)
def test_coin(table: list[list[float]], value: float, chi2: float, p: float, exact: float) -> None:
    found = t_star(table)
    assert (found.value, found.chi2, found.p_asymptotic) == pytest.approx((value, chi2, p), rel=1e-10)
    test, limit = permutation(table, method="exact").tests
    assert (test.statistic, test.p) == pytest.approx((value, exact), rel=1e-10)
    assert (limit.statistic, limit.p, limit.df) == (found.chi2, found.p_asymptotic, (found.df,))


def test_zero_residual_has_an_infinite_statistic_and_a_proper_p() -> None:
    found = permutation(SHIFTED, method="exact")
    assert found.tests[0].statistic == inf
    assert found.tests[0].p == pytest.approx(6 / 6**4)
    assert found.details["chi2"] == pytest.approx(2 * 4)
    assert permutation(SHIFTED, resamples=50_000).tests[0].p == pytest.approx(6 / 6**4, rel=0.3)


@pytest.mark.parametrize("method", ["exact", "monte-carlo", "asymptotic"])
def test_learners_that_are_alike(method: str) -> None:
    found = permutation(np.repeat([[0.1], [0.7], [0.1 + 0.2]], 4, axis=1), method=method, resamples=1000)
    assert [test.p for test in found.tests] == pytest.approx([1.0] * len(found.tests))
    assert found.tests[0].statistic == 0.0


def test_monte_carlo_p_is_never_zero_and_says_how_sure_it_is() -> None:
    x = np.random.default_rng(2).normal(size=(40, 4)) + np.arange(4)
    found = permutation(x, resamples=999)
    assert found.tests[0].p == 1 / 1000
    assert found.details["p_standard_error"] == pytest.approx(sqrt(0.001 * 0.999 / 1000))
    assert "999 relabellings" in found.tests[0].note


def test_monte_carlo_is_repeatable_and_near_the_exact_p() -> None:
    exact = permutation(FIVE, method="exact").tests[0].p
    found = [permutation(FIVE, resamples=100_000, seed=seed).tests[0].p for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert found == pytest.approx([exact] * 3, abs=5 * sqrt(exact * (1 - exact) / 100_000))


def test_asymptotic_and_permutation_p_meet_for_many_blocks() -> None:
    x = np.random.default_rng(3).gamma(2, size=(250, 4)) + np.array([0, 0, 0, 0.2])
    found = permutation(x, resamples=200_000)
    assert found.tests[0].p == pytest.approx(found.tests[1].p, abs=0.01)


def test_error_rate_at_a_true_null_is_exact() -> None:
    rng = np.random.default_rng(4)
    p = np.array([permutation(rng.standard_cauchy(size=(5, 3)), method="exact").tests[0].p for _ in range(1000)])
    for alpha in (0.05, 0.1, 0.3):
        assert abs(np.mean(p <= alpha) - alpha) < 4 * sqrt(alpha * (1 - alpha) / 1000) + 0.005


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"table": [[1.0, 2.0]]}, "at least 2 rows"),
        ({"table": [[1.0], [2.0]]}, "2 columns"),
        ({"table": [[1.0, inf], [2.0, 3.0]]}, "finite"),
        ({"table": [[1.0, nan], [2.0, 3.0]]}, "finite"),
        ({"table": FIVE, "method": "exakt"}, "Did you mean 'exact'"),
        ({"table": FIVE, "resamples": 0}, "at least one resample"),
        ({"table": FIVE, "resamples": -5}, "resamples"),
        ({"table": FIVE, "seed": -1}, "seed"),
        ({"table": np.arange(80.0).reshape(20, 4) ** 2, "method": "exact"}, "too many to enumerate"),
    ],
)
def test_bad_requests_are_refused(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        permutation(**arguments)  # type: ignore[arg-type]


def test_through_a_table_of_scores() -> None:
    error = known_measure("error")
    assert error is not None
    values = np.array(FIVE) / 10
    block, column = np.indices(values.shape)
    kinds = {"learner": column.ravel().tolist(), "measures": {"error": error}}
    scores = Scores.of(values.ravel(), repeat=block.ravel().tolist(), **kinds)
    found = analyse(scores, "permutation", method="exact")
    assert found.tests[0].p == pytest.approx(0.0493827160493827)
    assert procedure_named("permutation").card.least_p(layout(scores)) == pytest.approx(1 / 6**4)
    twice = np.vstack([values, values[::-1]])
    block, column = np.indices(twice.shape)
    crossed = Scores.of(
        twice.ravel(),
        repeat=(block // 5).ravel().tolist(),
        fold=(block % 5).ravel().tolist(),
        learner=column.ravel().tolist(),
        measures={"error": error},
    )
    with pytest.raises(MisfitError, match="it takes blocks as independent"):
        analyse(crossed, "permutation")


# --- independent samples ----------------------------------------------------------------------------------------------

THREE = [[1, 2, 3], [2, 4, 6], [9, 8, 7]]


def test_samples_as_coin_does() -> None:
    """R coin 1.4.2: oneway_test(y ~ g), and an enumeration of the 1680 relabellings."""
    found = permutation_samples(THREE, method="asymptotic")
    assert (found.statistic, found.p, *found.df) == pytest.approx((6.5882352941176, 0.0371007665796, 2.0))
    assert permutation_samples(THREE).p == pytest.approx(18 / 1680)
    drawn = permutation_samples(THREE, method="monte-carlo", resamples=20_000)
    assert drawn.p == pytest.approx(18 / 1680, abs=4 * drawn.details["p_standard_error"])


@pytest.mark.parametrize("values", [([12, 15, 11, 18, 14, 16], [10, 9, 13, 8, 12]), ([0.1, 0.2, 0.3], [0.3, 0.3])])
def test_two_samples_are_permutation_independent(values: tuple[list[float], list[float]]) -> None:
    two = permutation_independent(*values, method="exact")
    found = permutation_samples(values, method="exact")
    assert found.p == pytest.approx(two.p, rel=1e-12)
    assert found.statistic == pytest.approx(two.statistic**2, rel=1e-9)


def test_three_learners_with_samples_of_their_own_are_tested_all_at_once_first() -> None:
    error = known_measure("error")
    assert error is not None
    learner, repeat = np.indices((3, 3))
    kinds = {"learner": learner.ravel().tolist(), "repeat": repeat.ravel().tolist(), "measures": {"error": error}}
    found = analyse(unpaired(Scores.of(np.ravel(THREE) / 10, **kinds)), "independent-permutation")
    (first, *pairs) = found.rows
    assert (first.first, first.statistic_name, first.p) == ("", "χ²", pytest.approx(18 / 1680))
    assert len(pairs) == 3


def test_samples_that_say_nothing_or_too_much() -> None:
    same = permutation_samples([[1, 1], [1, 1, 1]])
    assert (same.statistic, same.p) == (0.0, 1.0)
    many = np.random.default_rng(1).random((30, 3))
    assert "Monte Carlo" in permutation_samples(many, resamples=99).note
    with pytest.raises(UsageError, match="too many relabellings"):
        permutation_samples(many, method="exact")
