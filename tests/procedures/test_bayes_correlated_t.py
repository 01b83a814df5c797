from __future__ import annotations

import numpy as np
import pytest
import zoo
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.procedures.bayes import bayes_correlated_t
from bakeoff.procedures.paired_t import corrected_t

RNG = np.random.default_rng(0)
A = 0.8 + 0.02 * RNG.standard_normal(30)
B = A - 0.004 + 0.01 * RNG.standard_normal(30)


@pytest.mark.parametrize("rope", [0.0, 0.002, 0.01])
def test_the_posterior_is_students(rope: float) -> None:
    found = bayes_correlated_t(A, B, rope=rope, rho=0.1)
    d = A - B
    law = stats.t(29, d.mean(), np.sqrt(d.var(ddof=1) * (1 / 30 + 0.1 / 0.9)))
    assert found.worse == pytest.approx(law.cdf(-rope))
    assert found.better == pytest.approx(law.sf(rope))
    assert found.same == pytest.approx(law.cdf(rope) - law.cdf(-rope), abs=1e-12)
    assert (found.lower, found.upper) == pytest.approx(law.interval(0.95))


def test_without_rope_it_is_the_corrected_t_test_turned_round() -> None:
    found = bayes_correlated_t(A, B, rho=0.2)
    assert found.worse == pytest.approx(corrected_t(A, B, ratio=0.25, alternative="greater").p)


def test_the_same_learner_twice() -> None:
    none, wide = bayes_correlated_t(A, A, rho=0.1), bayes_correlated_t(A, A, rho=0.1, rope=0.01)
    assert (none.worse, none.same, none.better) == (0.5, 0.0, 0.5)
    assert (wide.worse, wide.same, wide.better) == (0.0, 1.0, 0.0)


def test_a_difference_without_spread_is_refused() -> None:
    with pytest.raises(DegenerateError, match="single point"):
        bayes_correlated_t([0.5, 0.6, 0.7], [0.4, 0.5, 0.6], rho=0.1)


@pytest.mark.parametrize(
    ("a", "b", "match"),
    [
        ([0.1, 0.2], [0.1], "equally long"),
        ([0.1], [0.2], "at least two"),
        ([0.1, float("nan")], [0.1, 0.2], "finite"),
        (["x", "y"], [0.1, 0.2], "numbers"),
    ],
)
def test_bad_columns_are_refused(a: list[float], b: list[float], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        bayes_correlated_t(a, b, rho=0.1)


def test_the_correlation_is_read_off_the_folds() -> None:
    values = zoo.values_for(zoo_card(), 2, np.random.default_rng(1))
    found = analyse(zoo.table(values, kind="kfold"), "bayes-correlated-t", rope=0.01)
    assert found.options["rho"] == pytest.approx(0.1)
    with pytest.raises(MisfitError, match="--rho"):
        analyse(zoo.table(values, kind="repeats:10"), "bayes-correlated-t")
    assert analyse(zoo.table(values, kind="repeats:10"), "bayes-correlated-t", rho=0.3).options["rho"] == 0.3


def zoo_card():  # type: ignore[no-untyped-def]
    from bakeoff.procedures import explain

    return explain("bayes-correlated-t")


def test_smaller_is_better_turns_the_answer_round() -> None:
    values = np.column_stack([A, B])
    up = analyse(zoo.table(values, kind="kfold", name="accuracy"), "bayes-correlated-t", control="ada").pairs[0]
    down = analyse(zoo.table(values, kind="kfold", name="error"), "bayes-correlated-t", control="ada").pairs[0]
    assert (up.worse, up.better) == (down.better, down.worse)
    assert up.estimate == down.estimate
