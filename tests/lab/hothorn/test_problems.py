"""What both experiments share."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.hothorn.problems import check_sizes, fold_counts, rejects, validation_counts


def test_validation_cases_are_never_trained_on() -> None:
    folds = fold_counts(20, 50, np.random.default_rng(1))
    counts = folds.sum(axis=1)
    assert (counts.sum(axis=1) == 20).all()
    validation = validation_counts(folds, counts)
    training = counts[:, None, :] - folds
    assert not (validation * training).any()
    assert (validation.sum() + (folds * (training > 0)).sum()) == folds.sum()


def test_no_difference_is_no_rejection() -> None:
    assert not rejects(np.zeros(1), np.zeros(1), 0.05).any()
    assert rejects(np.array([1.7, 1.6]), np.ones(2), 0.05).tolist() == [True, False]


def test_refusals() -> None:
    for sizes in ((5, 10, 1), (100, 1, 1), (100, 10, 0), (100.5, 10, 1)):
        with pytest.raises(UsageError, match="whole number of at least"):
            check_sizes(*sizes)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="α"):
        rejects(np.zeros(1), np.zeros(1), 2)
