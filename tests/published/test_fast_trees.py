"""Discriminants predict as R's MASS::lda does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.published.fast_trees import fit_discriminants, grow

R = np.genfromtxt(Path(__file__).parent / "data" / "rpart_lda.csv", delimiter=",", names=True)


def test_as_lda_alone_and_in_a_batch() -> None:
    x = np.stack([R["x1"], R["x2"]], axis=1).reshape(4, -1, 2)
    y, copies, lda = (R[name].reshape(4, -1) for name in ("y", "copies", "lda"))
    batch = fit_discriminants(x, y, copies)
    for i in range(4):
        alone = fit_discriminants(x[i], y[i], copies[i][None])
        assert (batch.predict(x[i])[i] == lda[i]).all()
        assert (alone.predict(x[i])[0] == lda[i]).all()


def test_a_shift_of_the_data_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(50, 3)), rng.integers(0, 2, 50)
    weights = np.ones((1, 50))
    near, far = fit_discriminants(x, y, weights), fit_discriminants(x + 1e6, y, weights)
    np.testing.assert_allclose(near.direction, far.direction, rtol=1e-6)


def test_refusals() -> None:
    x = np.arange(8.0).reshape(4, 2)
    with pytest.raises(DegenerateError, match="both classes"):
        fit_discriminants(x, np.ones(4), np.ones((1, 4)))
    with pytest.raises(DegenerateError, match="singular"):
        fit_discriminants(np.zeros((4, 2)), np.array([0, 0, 1, 1]), np.ones((1, 4)))
    with pytest.raises(UsageError, match="fits × n weights"):
        fit_discriminants(x, np.ones(3), np.ones((1, 4)))


# ----------------------------------------------------------------------------------------------------------------------
# Trees predict as R's rpart does, in a batch or alone.


@pytest.mark.parametrize("sample", np.unique(R["sample"]))
def test_as_rpart(sample: float) -> None:
    d = R[R["sample"] == sample]
    x = np.column_stack([d["x1"], d["x2"]])
    assert grow(x, d["y"], d["copies"][None]).predict(x)[0].tolist() == (d["tree"] == 1).tolist()


def test_as_rpart_in_one_batch_with_samples_of_their_own() -> None:
    x = np.stack([R["x1"], R["x2"]], axis=1).reshape(4, -1, 2)
    y, copies, tree = (R[name].reshape(4, -1) for name in ("y", "copies", "tree"))
    trees = grow(x, y, copies)
    for i in range(4):
        assert (trees.predict(x[i])[i] == tree[i]).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_a_batch_is_its_trees_one_by_one(seed: int, features: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 12, (60, features)).astype(float)
    y = (x.sum(axis=1) + rng.normal(0, 4, 60)) > x.sum(axis=1).mean()
    weights = rng.multinomial(60, np.full(60, 1 / 60), size=5).astype(float)
    together = grow(x, y, weights).predict(x)
    for row, alone in zip(together, weights, strict=True):
        assert (row == grow(x, y, alone[None]).predict(x)[0]).all()
        repeated = np.repeat(np.arange(60), alone.astype(int))  # copies are cases
        assert (row == grow(x[repeated], y[repeated], np.ones((1, 60))).predict(x)[0]).all()


def test_limits_are_kept() -> None:
    x = np.arange(30.0)[:, None]
    y = x[:, 0] < 3
    assert not grow(x, y, np.ones((1, 30))).predict(x).any()  # three cases are no bucket
    found = grow(x, y, np.ones((1, 30)), minbucket=1).predict(x)[0]
    assert (found == y).all()
    assert not grow(x[:19], y[:19], np.ones((1, 19)), minbucket=1).predict(x).any()  # too few to split
    noisy = np.tile([True, False], 15)
    assert len(set(grow(x, noisy, np.ones((1, 30)), cp=1.0).predict(x)[0].tolist())) == 1  # pruned to the root


def test_one_class_needs_no_split() -> None:
    x = np.arange(40.0)[:, None]
    for label in (False, True):
        assert (grow(x, np.full(40, label), np.ones((2, 40))).predict(x) == label).all()


def test_neighbouring_floats_can_be_separated() -> None:
    x = np.where(np.arange(40) < 20, 1.0, np.nextafter(1.0, 2.0))[:, None]
    y = np.arange(40) < 20
    assert (grow(x, y, np.ones((1, 40))).predict(x)[0] == y).all()


def test_shapes_are_checked() -> None:
    with pytest.raises(UsageError, match="trees × n weights"):
        grow(np.ones((5, 2)), np.ones(5), np.ones((1, 4)))
