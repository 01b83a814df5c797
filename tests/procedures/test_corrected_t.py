"""The corrected resampled t test: values of correctR and WEKA, where the ratio comes from, and when it is missing."""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.corrected_t import PROCEDURE, corrected_t
from bakeoff.procedures.paired_t import paired_t
from bakeoff.scores import Scores, layout

A = [0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82]
B = [0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82]


def scores(**columns: object) -> Scores:
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    return Scores.of(
        [*A, *B],
        learner=["a"] * 10 + ["b"] * 10,
        measures={"accuracy": accuracy},
        **columns,  # type: ignore[arg-type]
    )


def test_weka() -> None:
    found = corrected_t(A, B, ratio=0.5)
    assert (found.statistic, found.p) == pytest.approx((1.5256428831468223, 0.16144019375800883), rel=1e-10)
    assert found.df == (9.0,)


def test_variance_is_that_of_the_paired_t_times_one_plus_j_ratio() -> None:
    naive, corrected = paired_t(A, B), corrected_t(A, B, ratio=1 / 9)
    assert corrected.statistic == pytest.approx(naive.statistic / sqrt(1 + 10 / 9))
    assert corrected.upper - corrected.lower == pytest.approx((naive.upper - naive.lower) * sqrt(1 + 10 / 9))


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_halves(alternative: str) -> None:
    both, one = corrected_t(A, B, ratio=0.1), corrected_t(A, B, ratio=0.1, alternative=alternative)
    assert one.p == pytest.approx(both.p / 2 if alternative == "greater" else 1 - both.p / 2)


def test_no_difference_at_all() -> None:
    found = corrected_t([0.5, 0.6, 0.7], [0.5, 0.6, 0.7], ratio=1 / 9)
    assert (found.statistic, found.p) == (0.0, 1.0)
    assert isnan(found.lower)
    assert isnan(found.upper)


def test_constant_difference_is_refused() -> None:
    with pytest.raises(DegenerateError):
        corrected_t([0.5, 0.6, 0.7], [0.4, 0.5, 0.6], ratio=1 / 9)


@pytest.mark.parametrize("ratio", [None, nan])
def test_an_unknown_ratio_is_refused_with_the_way_to_give_it(ratio: float | None) -> None:
    with pytest.raises(UsageError, match=r"n_train and n_test, or --ratio"):
        corrected_t(A, B, ratio=ratio)


@pytest.mark.parametrize("ratio", [0.0, -0.1, inf])
def test_an_impossible_ratio_is_refused(ratio: float) -> None:
    with pytest.raises(UsageError, match="positive number"):
        corrected_t(A, B, ratio=ratio)


def test_ratio_is_read_off_the_sizes_or_the_folds() -> None:
    folds = [*range(10), *range(10)]
    from_folds = analyse(scores(fold=folds), "corrected-t").pairs[0]
    assert from_folds.p == pytest.approx(corrected_t(A, B, ratio=1 / 9).p)
    sizes = scores(fold=folds, n_train=np.full(20, 800), n_test=np.full(20, 200))
    assert analyse(sizes, "corrected-t").pairs[0].p == pytest.approx(corrected_t(A, B, ratio=0.25).p)


def test_random_splits_without_sizes_need_the_option() -> None:
    splits = scores(repeat=[*range(10), *range(10)])
    (reason,) = [why for need in PROCEDURE.card.needs if (why := need.unmet(layout(splits))) is not None]
    assert "--ratio 0.1111" in reason
    with pytest.raises(MisfitError, match="ratio of test to training size is not known"):
        analyse(splits, "corrected-t")
    told = analyse(splits, "corrected-t", ratio=0.25, anyway=True)
    assert told.pairs[0].p == pytest.approx(corrected_t(A, B, ratio=0.25).p)
