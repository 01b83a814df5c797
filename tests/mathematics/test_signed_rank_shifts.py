"""Shifts of differences at which their signed-rank z reaches a level, against loops that do what the words say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from bakeoff.mathematics.ranks import (
    CLOSE,
    shifts_at_jumps,
    shifts_reaching,
    signed_rank_scores,
    z_of_scores,
)

Array = NDArray[np.float64]
KINDS = ["numbers", "ties", "skewed", "far from zero", "nearly equal"]


def rows(kind: str, n: int, rng: np.random.Generator) -> Array:
    d = rng.standard_normal((30, n))
    return {"numbers": d, "ties": d.round(1), "skewed": np.exp(2 * d) - 3, "far from zero": d + 40,
            "nearly equal": 1 + 1e-7 * d}[kind]  # fmt: skip


def z_of(d: Array) -> Array:
    return z_of_scores(signed_rank_scores(d))


@pytest.mark.parametrize("level", [-1.0, 0.0, 1.3, 2.9])
@pytest.mark.parametrize("kind", KINDS)
def test_shifts_are_where_z_comes_down_to_the_level(kind: str, level: float) -> None:
    """On both sides of the shift that is found, z is on both sides of the level."""
    rng = np.random.default_rng(len(kind))
    for n in (2, 3, 6, 13, 60, 201):
        d = rows(kind, n, rng)
        found = shifts_reaching(d, level, z_of(d))
        spread, ended = np.ptp(d, axis=1), np.isfinite(found) & (np.ptp(d, axis=1) > 0)
        step = (1e-8 * spread + 1e-14 * np.abs(d).max(axis=1))[ended]
        assert (z_of(d[ended] - (found[ended] - step)[:, None]) > level).all()
        assert (z_of(d[ended] - (found[ended] + step)[:, None]) <= level).all()
        assert (z_of(d - (d.min(axis=1) - spread - 1)[:, None])[~np.isfinite(found)] <= level).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_shift_at_a_jump_is_the_very_mean_of_two_differences(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for n in (1, 2, 5, 40):
        d = rows(kind, n, rng)
        i, j = rng.integers(n, size=(2, len(d)))
        mean = (d[np.arange(len(d)), i] + d[np.arange(len(d)), j]) / 2
        beside = mean + rng.uniform(-1, 1, len(d)) * CLOSE * np.ptp(d, axis=1)
        for shift, between in ((beside, False), (mean + 0.3 * np.ptp(d, axis=1) + 1e-3, True)):
            found = shifts_at_jumps(d, shift)
            for row, at, answer in zip(d, shift, found, strict=True):
                means = (row[:, None] + row) / 2
                nearest = means.flat[np.abs(means - at).argmin()]
                close = abs(nearest - at) <= 10 * CLOSE * np.ptp(row)
                assert abs(answer - at) == (abs(nearest - at) if close else 0)
                assert answer in means or (between and not close)


def test_of_two_jumps_equally_near_the_upper_one_is_taken() -> None:
    d = np.array([[0.0, 2e-9, 3.0, 4.0, 8.0]])
    assert shifts_at_jumps(d, np.array([1.0000000005 + 0.5]))[0] == pytest.approx(1.500000001, abs=1e-15)


@pytest.mark.parametrize("kind", ["numbers", "ties"])
def test_rows_that_are_all_tied_in_part_have_the_length_of_their_midranks(kind: str) -> None:
    """The highest z, all differences being positive, decides whether there is an end at all."""
    d = np.abs(rows(kind, 12, np.random.default_rng(3))) + 0.1
    highest = z_of(d - (d.min(axis=1) - np.ptp(d, axis=1))[:, None])
    for level in (highest.min() - 1e-9, float(np.median(highest)) + 1e-12, highest.max() + 1e-9):
        found = shifts_reaching(d, level, z_of(d))
        assert ((found == -np.inf) == (highest <= level)).all()
