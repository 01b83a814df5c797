"""What designs can see: aliases, partial confounding, what was never run; trends; Lenth's analysis."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.designs.effects import lenth, seen, trends
from bakeoff.designs.factorial import (
    fractional_factorial,
    full_factorial,
    one_at_a_time,
    plackett_burman,
    standard_fraction,
)
from bakeoff.errors import DegenerateError, UsageError

NAMES = list("abcdefgh")

# Montgomery (2013), table 8.14, and the NIST/SEMATECH e-Handbook of Statistical Methods, 5.3.3.4.7.
PUBLISHED = {
    (3, 4): 3, (4, 8): 4, (5, 8): 3, (5, 16): 5, (6, 8): 3, (6, 16): 4, (6, 32): 6, (7, 8): 3, (7, 16): 4, (7, 32): 4,
    (7, 64): 7, (8, 16): 4, (8, 32): 4, (8, 64): 5, (9, 16): 3, (9, 32): 4, (9, 64): 4, (10, 16): 3, (10, 32): 4,
    (10, 64): 4, (11, 16): 3, (11, 32): 4, (11, 64): 4,
}  # fmt: skip


@pytest.mark.parametrize(("factors", "runs"), PUBLISHED)
def test_tabulated_fractions_have_their_published_resolution(factors: int, runs: int) -> None:
    found = standard_fraction(factors, runs=runs)
    assert found.resolution == PUBLISHED[factors, runs]
    assert found.design.shape == (runs, factors)


def test_the_smallest_fraction_of_a_resolution() -> None:
    assert standard_fraction(6, resolution=4).runs == 16
    assert standard_fraction(4, resolution=5).runs == 16  # the full factorial
    with pytest.raises(UsageError, match="has 8, 16, 32, 64 runs; found 12"):
        standard_fraction(6, runs=12)
    with pytest.raises(UsageError, match="up to 11 factors"):
        standard_fraction(12, resolution=4)


@pytest.mark.parametrize("generators", ["a b c abc", "a b c ab ac", "a b c d abc bcd", "a b -ab"])
def test_aliases_agree_with_the_algebra_of_words(generators: str) -> None:
    fraction = fractional_factorial(generators)
    k = fraction.design.shape[1]
    table = fraction.aliases(2)
    letters = dict(zip(fraction.factors, NAMES, strict=False))
    for effect in seen(fraction.design, NAMES[:k]).effects:
        word = "".join(letter for letter, name in letters.items() if name in effect.factors)
        wanted = {" × ".join(letters[letter] for letter in other.lstrip("-")) for other in table[word]}
        assert set(effect.aliases) == wanted


def test_a_full_factorial_sees_everything_and_mixes_nothing() -> None:
    found = seen(full_factorial([3, 2, 2]), NAMES[:3], order=3)
    assert {effect.name: effect.df for effect in found.effects} == {
        "a": 2, "b": 1, "c": 1, "a × b": 2, "a × c": 2, "b × c": 1, "a × b × c": 2,
    }  # fmt: skip
    assert not found.hidden
    assert not any(effect.confounded or effect.aliases for effect in found.effects)
    weights = np.column_stack([effect.weights for effect in found.effects])
    np.testing.assert_allclose(weights.T @ weights, np.eye(11), atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=0), 0, atol=1e-12)


def test_one_at_a_time_cannot_see_interactions() -> None:
    found = seen(one_at_a_time([3, 3]), ["a", "b"])
    assert [effect.name for effect in found.effects] == ["a", "b"]
    assert found.hidden == (("a × b", ""),)


def test_plackett_burman_mixes_main_effects_partially() -> None:
    found = seen(plackett_burman(11), [f"f{i}" for i in range(11)], order=1)
    assert len(found.effects) == 11
    for effect in found.effects:
        assert not effect.aliases
        cosines = [cosine for _, cosine in effect.confounded]
        assert max(cosines) == pytest.approx(1 / 3)
        assert not any(name.split(" × ")[0] == effect.name for name, _ in effect.confounded)


def test_trends_are_orthonormal_whatever_the_spacing() -> None:
    for levels in ([1, 2, 3, 4, 5], [0, 1, 5, 7], [1.0, 10.0]):
        rows = trends(levels)
        np.testing.assert_allclose(rows @ rows.T, np.eye(len(rows)), atol=1e-12)
        np.testing.assert_allclose(rows.sum(axis=1), 0, atol=1e-12)
        assert (rows[:, -1] > 0).all()
    # Montgomery, appendix: five equidistant levels, -2 -1 0 1 2 and 2 -1 -2 -1 2
    np.testing.assert_allclose(
        trends([10, 20, 30, 40, 50]) * [[10**0.5], [14**0.5]], [[-2, -1, 0, 1, 2], [2, -1, -2, -1, 2]], atol=1e-9
    )
    with pytest.raises(UsageError, match="two different levels"):
        trends([3, 3])


def test_lenth_on_a_published_factorial() -> None:
    """Montgomery's pilot plant filtration, example 6.2: effects of 2^4, unreplicated."""
    effects = {
        "A": 21.625, "B": 3.125, "C": 9.875, "D": 14.625, "AB": 0.125, "AC": -18.125, "AD": 16.625, "BC": 2.375,
        "BD": -0.375, "CD": -1.125, "ABC": 1.875, "ABD": 4.125, "ACD": -1.625, "BCD": -2.625, "ABCD": 1.375,
    }  # fmt: skip
    found = lenth(list(effects.values()))
    assert found.pse == pytest.approx(2.625)  # 1.5 × median, by hand and by R's BsMD::LenthPlot
    assert found.margin == pytest.approx(2.5706 * 2.625, abs=1e-3)
    assert found.simultaneous == pytest.approx(5.219 * 2.625, rel=1e-3)
    active = [name for name, t in zip(effects, np.abs(found.t) * found.pse > found.simultaneous, strict=True) if t]
    assert active == ["A", "D", "AC", "AD"]


def test_lenth_refuses_what_has_no_spread() -> None:
    with pytest.raises(DegenerateError, match="there are 2 in all"):
        lenth([1.0, 2.0])
    with pytest.raises(DegenerateError, match="exactly zero"):
        lenth([0.0, 0.0, 0.0, 1.0])
