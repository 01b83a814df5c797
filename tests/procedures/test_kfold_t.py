"""The K-fold paired t test: mlxtend's value, and the refusal of repeated cross-validation."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import MisfitError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.kfold_t import PROCEDURE, kfold_t
from bakeoff.scores import Scores

A = [0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82]
B = [0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82]


def repeated(repeats: int, folds: int) -> Scores:
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    n = repeats * folds
    values = np.random.default_rng(0).normal(0.8, 0.02, size=2 * n)
    split = np.tile(np.arange(n), 2)
    return Scores.of(
        values,
        learner=["a"] * n + ["b"] * n,
        repeat=(split // folds).tolist(),
        fold=(split % folds).tolist(),
        measures={"accuracy": accuracy},
    )


@pytest.mark.parametrize(("alternative", "p"), [("two-sided", 0.004646628087613774), ("greater", 0.002323314043806887)])
def test_mlxtend(alternative: str, p: float) -> None:
    found = kfold_t(A, B, alternative=alternative)
    assert (found.statistic, found.p) == pytest.approx((3.737046593418296, p), rel=1e-10)


def test_one_cross_validation_fits() -> None:
    assert len(analyse(repeated(1, 10), "kfold-t").pairs) == 1


@pytest.mark.parametrize(("repeats", "folds"), [(10, 10), (5, 2)])
def test_repeated_cross_validation_is_refused_unless_insisted_on(repeats: int, folds: int) -> None:
    with pytest.raises(MisfitError, match="naive t over repeated cross-validation") as refusal:
        analyse(repeated(repeats, folds), "kfold-t")
    assert any("corrected-t" in other for other in refusal.value.alternatives)
    found = analyse(repeated(repeats, folds), "kfold-t", anyway=True)
    assert found.against_advice


def test_repeated_runs_are_no_folds() -> None:
    with pytest.raises(MisfitError, match="folds of one cross-validation"):
        analyse(repeated(10, 1), "kfold-t")


def test_card_quotes_the_measured_error_rate() -> None:
    (caution,) = PROCEDURE.card.cautions
    assert "8.7 %" in caution.measured
    assert "57.7 %" in caution.measured
