"""Closed testing: by its definition, against enumeration, and its limits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.anova import aligned_tukey
from bakeoff.procedures.closed_testing import closed_testing
from bakeoff.procedures.permutations import paired_permutation, permutation
from bakeoff.scores import Scores


def table(k: int, n: int = 5, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.round(0.8 + 0.05 * rng.normal(size=(n, 1)) + 0.02 * rng.normal(size=(n, k)) + 0.02 * np.arange(k), 3)


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_a_pair_falls_with_all_that_contain_it(method: str) -> None:
    values = table(4, n=4)
    many = closed_testing(values, method=method)
    assert many.decided is not None

    def p(*members: int) -> float:
        return permutation(values[:, list(members)], method=method).tests[0].p

    for i, j in combinations(range(4), 2):
        other = [m for m in range(4) if m not in (i, j)]
        partition = min(1.0, 2 * min(p(i, j), p(*other)))
        expected = max(p(i, j), *(p(*sorted((i, j, m))) for m in other), p(0, 1, 2, 3), partition)
        assert many.decided.p[i, j] == pytest.approx(p(i, j))
        assert many.decided.p_adjusted[i, j] == many.decided.p_adjusted[j, i] == pytest.approx(expected)


def test_two_and_three_learners_have_no_partitions() -> None:
    two, three = closed_testing(table(2)), closed_testing(table(3))
    assert two.decided is not None
    assert three.decided is not None
    assert two.decided.p_adjusted[0, 1] == two.decided.p[0, 1] == paired_permutation(*table(2).T).p
    assert three.details["p_partitions"] == {}
    assert three.decided.p_adjusted[0, 2] == max(three.decided.p[0, 2], three.tests[0].p)


def test_monte_carlo_does_not_depend_on_the_order_of_columns() -> None:
    values = table(4, n=12)
    order = [2, 0, 3, 1]
    one, other = (closed_testing(v, method="monte-carlo", resamples=2000) for v in (values, values[:, order]))
    assert one.decided is not None
    assert other.decided is not None
    assert np.array_equal(one.decided.p_adjusted[np.ix_(order, order)], other.decided.p_adjusted)
    near = closed_testing(values, method="asymptotic")
    assert near.decided is not None
    assert one.decided.p == pytest.approx(near.decided.p, abs=0.08)


def test_identical_learners_stand() -> None:
    many = closed_testing(np.repeat(table(1), 4, axis=1))
    assert many.decided is not None
    assert (many.decided.p_adjusted == 1).all()
    assert (many.decided.difference == 0).all()
    assert many.tests[0].p == 1


def test_the_familywise_error_is_controlled() -> None:
    """Learners 1 and 2 alike, 3 and 4 alike, the pairs far apart: here the partitions are needed."""
    rng = np.random.default_rng(5)
    wrong = without = 0
    for _ in range(400):
        values = rng.normal(size=(30, 4)) + np.array([0, 0, 3, 3])
        many = closed_testing(values, method="asymptotic")
        assert many.decided is not None
        wrong += min(many.decided.p_adjusted[0, 1], many.decided.p_adjusted[2, 3]) <= 0.05
        subsets = many.details["p_closed_subsets_only"]
        without += min(subsets[0, 1], subsets[2, 3]) <= 0.05
    assert wrong / 400 <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 400)
    assert without / 400 > 0.07  # about .0975 without them


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"method": "exat"}, "Did you mean 'exact'"),
        ({"partitions": "fisher"}, "no test of two pairs at once 'fisher'"),
        ({"partitions": "sum-chi2"}, "needs the method asymptotic"),
    ],
)
def test_bad_options_are_refused(bad: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        closed_testing(table(4), **bad)  # type: ignore[arg-type]


def scores(k: int, values: np.ndarray | None = None) -> Scores:
    values = table(k, n=8) if values is None else values
    row, column = (part.ravel() for part in np.indices(values.shape))
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    return Scores.of(
        values.ravel(),
        learner=[f"l{j}" for j in column],
        repeat=[f"r{i}" for i in row],
        measures={"accuracy": accuracy},
    )


def test_the_function_is_for_four_learners_and_names_what_is_for_more() -> None:
    with pytest.raises(UsageError, match="found 5: use aligned-tukey"):
        closed_testing(table(5))


@pytest.mark.parametrize("k", [5, 6, 9, 20])
def test_more_than_four_learners_are_compared_by_aligned_tukey(k: int) -> None:
    """Catalogue G5: beyond four learners simultaneous intervals after alignment."""
    found, other = (analyse(scores(k), name) for name in ("closed-testing", "aligned-tukey"))
    assert found.rows == other.rows
    assert len(found.pairs) == k * (k - 1) // 2
    assert (found.procedure, found.instead_of, other.instead_of) == ("aligned-tukey", "closed-testing", "")
    # The rows are those of the array function too: mean differences within q √(MS/B), q of the Studentized range.
    estimates = aligned_tukey(table(k, n=8)).estimates
    assert estimates is not None
    half = estimates.law.critical(0.05, len(found.pairs)) * np.sqrt(2 * estimates.covariance[0, 0])
    for row in found.pairs:
        difference = estimates.values[int(row.first[1:])] - estimates.values[int(row.second[1:])]
        assert (row.estimate, row.lower, row.upper) == pytest.approx((difference, difference - half, difference + half))
        assert (row.p_adjusted <= 0.05) == (row.lower > 0 or row.upper < 0)


def test_four_learners_are_still_tested_by_the_full_closure() -> None:
    found = analyse(scores(4), "closed-testing")
    assert (found.procedure, found.instead_of) == ("closed-testing", "")
    many = closed_testing(table(4, n=8))
    assert many.decided is not None
    for row in found.pairs:
        assert row.p_adjusted == many.decided.p_adjusted[int(row.first[1:]), int(row.second[1:])]
        assert np.isnan(row.lower)


@pytest.mark.parametrize("k", [5, 7])
def test_ties_and_constants_beyond_four_learners(k: int) -> None:
    """Identical learners stand; a difference without any variance is refused in its row, as aligned-tukey does."""
    alike = analyse(scores(k, np.repeat(table(1, n=8), k, axis=1)), "closed-testing")
    assert {(row.estimate, row.p, row.p_adjusted) for row in alike.pairs} == {(0.0, 1.0, 1.0)}
    tied = analyse(scores(k, np.round(table(k, n=8), 1)), "closed-testing")
    assert all(0 <= row.p <= row.p_adjusted <= 1 for row in tied.pairs)
    shifted = np.round(table(1, n=8) + 0.5 * np.arange(k), 3)
    constant = analyse(scores(k, shifted), "closed-testing")
    assert all(row.note.startswith("refused") and np.isnan(row.p) for row in constant.pairs)
    assert "NaN" not in constant.to_json()
    with pytest.raises(MisfitError, match="at least 2 blocks"):
        analyse(scores(k, table(k, n=1)), "closed-testing", anyway=True)


def test_other_adjustments_start_from_the_pairs_own_p() -> None:
    own, holm = (analyse(scores(4), "closed-testing", adjust=name) for name in (None, "holm"))
    assert own.adjust_title == "closed testing adjustment"
    smallest = min(holm.pairs, key=lambda row: row.p)
    assert smallest.p_adjusted == pytest.approx(6 * smallest.p)
    assert [row.p for row in own.pairs] == [row.p for row in holm.pairs]
    control = analyse(scores(4), "closed-testing", control="l0")
    assert control.adjust == "holm"
    assert len(control.pairs) == 3
