"""Which effects a design can see: main effects and interactions as contrasts of its runs, and what hides what.

An effect is a set of columns over the runs: the contrasts of a factor's levels, or their products. Two effects whose
columns span the same space are aliased: no number of replicates tells them apart. Where they are only inclined to each
other, as in Plackett–Burman designs, they are partially confounded. An effect that lies wholly in the space of those
before it (simpler ones come first) cannot be seen.

Reference: Montgomery (2013), Design and Analysis of Experiments, chapters 5, 6 and 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, number_column
from bakeoff.mathematics.laws import t_quantile, t_sf

_ALIKE, _SLIGHT = 1e-8, 1e-6  # of lengths and cosines: rounding of products of contrasts
TIMES = " × "


@dataclass(frozen=True, slots=True, eq=False)
class VisibleEffect:
    """An effect that the design can estimate: the factors in it, its orthonormal columns, those of the joint fit of all
    visible effects (`weights`, orthonormal too: a row a run), what it is aliased with, and what it is partially
    confounded with, the closest first."""

    factors: tuple[str, ...]
    columns: Array
    weights: Array
    aliases: tuple[str, ...] = ()
    confounded: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        return TIMES.join(self.factors)

    @property
    def label(self) -> str:
        """The name with all that stands behind it: "a + b × c".

        >>> seen([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]], ["a", "b", "c"]).effects[0].label
        'a + b × c'
        """
        return " + ".join([self.name, *self.aliases])

    @property
    def df(self) -> int:
        return int(self.columns.shape[1])

    def reach(self, pattern: ArrayLike) -> float:
        """How much of a pattern of the runs' means the effect catches: the sum of squares of its contrasts.

        >>> a = seen([[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "b"]).effects[0]
        >>> round(a.reach([-0.5, -0.5, 0.5, 0.5]), 9), round(a.reach([-0.5, 0.5, -0.5, 0.5]), 9)
        (1.0, 0.0)
        """
        return float(((np.asarray(pattern, dtype=float) @ self.weights) ** 2).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Visibility:
    """What a design sees: the effects that it estimates, and those of the same order that it cannot, with what hides
    them; an empty text where no run has the combinations that it takes."""

    effects: tuple[VisibleEffect, ...]
    hidden: tuple[tuple[str, str], ...]

    def effect(self, name: str) -> VisibleEffect | None:
        """The effect of that name, if it is seen."""
        return next((each for each in self.effects if each.name == name), None)


def seen(levels: ArrayLike, names: Sequence[str], order: int = 2) -> Visibility:
    """What a design can see of main effects and interactions of at most `order` factors.

    `levels` has a row a run and a column a factor, levels numbered in any way. A factor with one level has no effect.

    >>> found = seen([[0, 0], [1, 0], [0, 1]], ["a", "b"])
    >>> [effect.name for effect in found.effects], found.hidden
    (['a', 'b'], (('a × b', ''),))
    """
    table = np.asarray(levels, dtype=float)
    if table.ndim != 2 or table.shape[1] != len(names):
        raise UsageError(f"A design has a column for each of its {len(names)} factors; found the shape {table.shape}.")
    runs = len(table)
    main = {name: _contrasts(column) for name, column in zip(names, table.T, strict=True)}
    spanned, accepted = np.full((runs, 1), runs**-0.5), []
    spaces: dict[str, Array] = {}
    hidden: list[tuple[str, str]] = []
    aliases: dict[str, list[str]] = {}
    for chosen in _terms(names, main, max(order, 2)):
        name, columns = TIMES.join(chosen), _product([main[each] for each in chosen])
        space = spaces[name] = orthonormal(columns - columns.mean(axis=0))
        if len(chosen) > order:
            continue
        rest = orthonormal(space - spanned @ (spanned.T @ space))
        if rest.shape[1]:
            accepted.append((chosen, rest if len(chosen) > 1 else space))
            spanned = np.column_stack([spanned, rest])
            continue
        culprits = _hiding(space, accepted) if _is_crossed(table, [names.index(each) for each in chosen]) else []
        for culprit in culprits if len(culprits) == 1 else ():
            aliases.setdefault(culprit, []).append(name)
        hidden.append((name, " and ".join(culprits)))
    return Visibility(_visible(accepted, aliases, spaces, runs), tuple(hidden))


def _terms(names: Sequence[str], main: dict[str, Array], order: int) -> list[tuple[str, ...]]:
    """Main effects and interactions of the factors that have more than one level, simpler ones first."""
    varied = [name for name in names if main[name].shape[1]]
    return [chosen for size in range(1, order + 1) for chosen in combinations(varied, size)]


def _is_crossed(table: Array, columns: Sequence[int]) -> bool:
    """Whether all combinations of the factors' levels are run. Without them an interaction is a mixture of the main
    effects: nothing hides it, it was never there."""
    part = table[:, list(columns)]
    return len(np.unique(part, axis=0)) == np.prod([len(np.unique(column)) for column in part.T])


def _contrasts(column: Array) -> Array:
    """A factor's levels against their mean: an indicator of each level but the last, centred on the levels."""
    _, codes = np.unique(column, return_inverse=True)
    k = int(codes.max()) + 1
    return np.asarray((np.eye(k) - 1 / k)[codes][:, : k - 1])


def _product(parts: Sequence[Array]) -> Array:
    """All products of a column of each."""
    whole = np.ones((len(parts[0]), 1))
    for part in parts:
        whole = (whole[:, :, None] * part[:, None, :]).reshape(len(whole), -1)
    return whole


def orthonormal(columns: Array) -> Array:
    """Orthonormal columns of the same span."""
    if not columns.size:
        return np.empty((len(columns), 0))
    vectors, values, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(vectors[:, values > _ALIKE * max(1.0, float(values.max(initial=0.0)))])


def _hiding(columns: Array, accepted: Sequence[tuple[tuple[str, ...], Array]]) -> list[str]:
    """The effects that a hidden one is mixed with; one alone, if it is the same as that."""
    cosines = {
        TIMES.join(name): np.linalg.svd(basis.T @ columns, compute_uv=False)
        for name, basis in accepted
        if np.abs(basis.T @ columns).max(initial=0.0) > _SLIGHT
    }
    same = [name for name, each in cosines.items() if len(each) == columns.shape[1] and each.min() > 1 - _SLIGHT]
    return same[:1] or list(cosines)


def _visible(
    accepted: Sequence[tuple[tuple[str, ...], Array]],
    aliases: dict[str, list[str]],
    spaces: dict[str, Array],
    runs: int,
) -> tuple[VisibleEffect, ...]:
    """The effects, each with the weights that the joint least squares fit of all gives it."""
    model = np.column_stack([np.full(runs, runs**-0.5), *(columns for _, columns in accepted)])
    solved = np.linalg.pinv(model)
    visible, start = [], 1
    for chosen, columns in accepted:
        df, name = columns.shape[1], TIMES.join(chosen)
        cosines = {
            other: float(np.linalg.svd(spaces[name].T @ space, compute_uv=False).max(initial=0.0))
            for other, space in spaces.items()
            if other != name and other not in aliases.get(name, ())
        }
        partly = sorted(((other, cosine) for other, cosine in cosines.items() if cosine > _SLIGHT), key=_closest)
        weights = orthonormal(solved[start : start + df].T)
        visible.append(VisibleEffect(chosen, columns, weights, tuple(aliases.get(name, ())), tuple(partly)))
        start += df
    return tuple(visible)


def apart_by_one(levels: ArrayLike) -> Array:
    """The least pattern of means in which two levels of a factor differ by one: the first and the last by a half from
    the rest; of several factors, in which two differences differ by one. `levels` has a row a run, a column a factor.

    >>> apart_by_one([[0], [1], [2]]).tolist()
    [-0.5, 0.0, 0.5]
    """
    table = np.asarray(levels, dtype=float)
    low, high = table.min(axis=0), table.max(axis=0)
    return np.asarray(((table == high) / 2 - (table == low) / 2).prod(axis=1))


def _closest(pair: tuple[str, float]) -> float:
    return -pair[1]


# ----------------------------------------------------------------------------------------------------------------------
# Contrasts over the levels of a numeric factor: orthogonal polynomials on its own spacing.


def trends(levels: ArrayLike) -> Array:
    """Orthonormal polynomial contrasts over levels: the linear one, and of three levels or more the quadratic one.

    >>> (trends([1, 2, 3]) * [[2**0.5], [6**0.5]]).round(4).tolist()
    [[-1.0, -0.0, 1.0], [1.0, -2.0, 1.0]]
    """
    x = number_column(levels, "levels")
    if len(np.unique(x)) < 2:
        raise UsageError("A trend needs at least two different levels.")
    degree = min(2, len(np.unique(x)) - 1)
    scaled = (x - x.mean()) / np.ptp(x)
    q, r = np.linalg.qr(np.vander(scaled, degree + 1, increasing=True))
    return np.asarray((q * np.sign(np.diag(r))).T[1:])


# ----------------------------------------------------------------------------------------------------------------------
# Screening without replicates: Lenth's pseudo standard error, and the margins that follow from it.
#
# Reference: Lenth (1989), Quick and easy analysis of unreplicated factorials, doi:10.1080/00401706.1989.10488595.


@dataclass(frozen=True, slots=True, eq=False)
class LenthAnalysis:
    """Effects held against their own spread. `margin` is the margin of error of a single effect, `simultaneous` that
    of all of them together."""

    pse: float
    df: float
    margin: float
    simultaneous: float
    t: Array
    p: Array


def lenth(effects: ArrayLike, alpha: float = 0.05) -> LenthAnalysis:
    """Lenth's analysis of contrasts with equal variance, most of which are supposed to be nothing.

    s₀ = 1.5 median |c|; PSE = 1.5 median of those |c| below 2.5 s₀; t = c / PSE with m/3 degrees of freedom; the
    simultaneous margin takes the quantile (1 + (1 − α)^(1/m)) / 2.

    >>> found = lenth([0.0, 1.0, -2.0, 0.5, 20.0, 1.5, -0.5])
    >>> round(found.pse, 3), round(found.margin, 3)
    (1.125, 4.235)
    """
    c = number_column(effects, "effects")
    m = len(c)
    if m < 3:
        raise DegenerateError(
            f"Lenth's analysis takes the spread from the effects themselves, of which there must be some that are "
            f"nothing; there are {m} in all. Replicate the runs instead."
        )
    size = np.abs(c)
    s0 = 1.5 * float(np.median(size))
    pse = 1.5 * float(np.median(size[size < 2.5 * s0])) if s0 > 0 else 0.0
    if pse <= 0:
        raise DegenerateError(
            "Half of the effects and more are exactly zero: there is no spread to hold others against."
        )
    df = m / 3
    t = c / pse
    return LenthAnalysis(
        pse=pse,
        df=df,
        margin=t_quantile(1 - alpha / 2, df) * pse,
        simultaneous=t_quantile((1 + (1 - alpha) ** (1 / m)) / 2, df) * pse,
        t=t,
        p=np.asarray(np.minimum(2 * t_sf(np.abs(t), df), 1.0)),
    )
