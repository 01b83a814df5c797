"""The four multivariate statistics of a hypothesis matrix H against an error matrix E: one small eigenproblem."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, prod, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A multivariate statistic with its F (exact or approximate) and p."""

    name: str
    value: float
    f: float
    df: tuple[float, float]
    p: float


def root_of(E: Array) -> tuple[Array, Array] | None:
    """The measures' units and L⁻¹ with E = LL' in those units; None unless each measure is clearly free of others."""
    unit = np.sqrt(E.diagonal())
    if not unit.all():
        return None
    try:
        root = np.linalg.cholesky(E / unit / unit[:, None])
    except np.linalg.LinAlgError:
        return None
    # The diagonal is what each measure keeps of its own when those before it are taken off.
    return (unit, np.linalg.inv(root)) if root.diagonal().min() > 1e-5 else None


def root_of_residuals(residuals: Array) -> tuple[Array, Array]:
    """The same by a QR decomposition of the residuals, which nearly dependent measures need: E squares condition."""
    unit = np.linalg.norm(residuals, axis=0)
    root: Array = np.linalg.qr(residuals / unit)[1]
    return unit, np.asarray(np.linalg.inv(root.T), dtype=float)


def eigenvalues(H: Array, unit: Array, inverse: Array) -> Array:
    """Those of E⁻¹H from the largest on, which are all that the statistics need."""
    values = np.linalg.eigvalsh(inverse @ (H / unit / unit[:, None]) @ inverse.T)
    return np.asarray(np.maximum(values[::-1], 0.0))


def eigen(H: Array, unit: Array, inverse: Array) -> tuple[Array, Array]:
    """Eigenvalues of E⁻¹H from the largest on, and its eigenvectors as columns, scaled so that w'Ew = 1.

    They are those of the symmetric L⁻¹HL⁻ᵀ, with E = LL' in the measures' own units, as `root_of` gives them.

    >>> values, vectors = eigen(np.diag([2.0, 8.0]), *root_of(np.diag([1.0, 4.0])))
    >>> values.tolist(), vectors.tolist()
    ([2.0, 2.0], [[0.0, 1.0], [0.5, 0.0]])
    """
    values, vectors = np.linalg.eigh(inverse @ (H / unit / unit[:, None]) @ inverse.T)
    w = inverse.T @ vectors[:, ::-1]
    # A direction has no sign of its own: its heaviest measure (in its own unit) counts as positive.
    w = w * np.sign(w[np.abs(w).argmax(axis=0), np.arange(len(values))])
    return np.maximum(values[::-1], 0.0), np.asarray(w / unit[:, None])


def statistics(roots: Array, p: int, df_h: float, df_e: float) -> tuple[Statistic, ...]:
    """Wilks, Pillai, Hotelling–Lawley and Roy from the eigenvalues of E⁻¹H, with the F of each as R gives it.

    Exact if min(p, df_h) is 1, Wilks's also if it is 2. Roy's F is an upper bound: its p is too small.
    """
    each: list[float] = roots.tolist()
    s, m, n = min(p, df_h), (abs(p - df_h) - 1) / 2, (df_e - p - 1) / 2
    wilks = prod(1 / (1 + root) for root in each)
    pillai, lawley, roy = sum(root / (1 + root) for root in each), sum(each), max(each, default=0.0)
    square = p * p + df_h * df_h - 5
    t = sqrt(((p * df_h) ** 2 - 4) / square) if square > 0 else 1.0
    df2 = (df_e - (p - df_h + 1) / 2) * t - (p * df_h - 2) / 2
    a, b, larger = 2 * m + s + 1, 2 * n + s + 1, max(p, df_h)
    made = (
        ("Wilks", wilks, (wilks ** (-1 / t) - 1) * df2 / (p * df_h) if wilks > 0 else inf, p * df_h, df2),
        ("Pillai", pillai, b / a * pillai / (s - pillai) if pillai < s else inf, s * a, s * b),
        ("Hotelling–Lawley", lawley, 2 * (s * n + 1) * lawley / (s * s * a), s * a, 2 * (s * n + 1)),
        ("Roy", roy, (df_e - larger + df_h) * roy / larger, larger, df_e - larger + df_h),
    )
    return tuple(
        Statistic(name, value, f, (float(one), float(two)), float(special.fdtrc(one, two, f)) if two > 0 else nan)
        for name, value, f, one, two in made
    )
