"""Joint laws: how large the largest |t| of a family of contrasts may be by chance; what single-step inference uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import f_quantile, f_sf, t_quantile, t_sf
from bakeoff.mathematics.ranges import LargestT, modulus_quantile, modulus_sf, range_quantile, range_sf

Array = NDArray[np.float64]


class JointLaw(Protocol):
    """The law of the largest |t| of a family of contrasts. `pairs_only` ones know all pairs of means, nothing else."""

    @property
    def pairs_only(self) -> bool: ...

    def tail(self, t: Array, family: int) -> Array: ...

    def critical(self, alpha: float, family: int) -> float: ...


@dataclass(frozen=True, slots=True)
class RangeLaw:
    """Largest |t| over all pairs of k means with equal variances: the Studentized range over √2."""

    k: int
    df: float = inf
    pairs_only: bool = True

    def tail(self, t: Array, family: int) -> Array:
        return range_sf(np.sqrt(2.0) * np.abs(t), self.k, self.df)

    def critical(self, alpha: float, family: int) -> float:
        return range_quantile(alpha, self.k, self.df) / float(np.sqrt(2.0))


@dataclass(frozen=True, slots=True)
class ModulusLaw:
    """Bound on the largest |t| of any family: the Studentized maximum modulus."""

    df: float = inf
    pairs_only: bool = False

    def tail(self, t: Array, family: int) -> Array:
        return modulus_sf(np.abs(t), family, self.df)

    def critical(self, alpha: float, family: int) -> float:
        return modulus_quantile(alpha, family, self.df)


@dataclass(frozen=True, slots=True)
class BonferroniLaw:
    """Bonferroni's bound on the largest |t| of any family, as Dunn's intervals use it."""

    df: float = inf
    pairs_only: bool = False

    def tail(self, t: Array, family: int) -> Array:
        return np.asarray(np.minimum(1.0, 2 * family * t_sf(np.abs(t), self.df)))

    def critical(self, alpha: float, family: int) -> float:
        return t_quantile(1 - alpha / (2 * family), self.df)


@dataclass(frozen=True, slots=True)
class ScheffeLaw:
    """Scheffé: all contrasts between k means at once, however many, even those that the data suggested."""

    k: int
    df: float
    pairs_only: bool = False

    def tail(self, t: Array, family: int) -> Array:
        return np.asarray(f_sf(np.square(t) / (self.k - 1), self.k - 1, self.df))

    def critical(self, alpha: float, family: int) -> float:
        return float(np.sqrt((self.k - 1) * f_quantile(1 - alpha, self.k - 1, self.df)))


@dataclass(frozen=True, slots=True, eq=False)
class MaxTLaw:
    """The law of the largest |t| itself, for any family: its correlations are taken from the estimates' covariance.

    `only` names the kind of family that it is restricted to: "control" makes it Dunnett's. It has to be `fitted` to a
    family before it is asked.
    """

    df: float = inf
    only: str = ""
    largest: LargestT | None = None
    pairs_only: bool = False

    def fitted(self, covariance: Array, kind: str, matrix: Callable[[], Array]) -> JointLaw:
        """The law of one family, whose contrasts are the rows of `matrix`; for all pairs the Studentized range."""
        if self.only and kind != self.only:
            raise UsageError("Dunnett's adjustment is for comparisons with a control: name it, or use max-t.")
        variance = np.diag(covariance)
        pairs = variance[:, None] + variance - 2 * covariance
        off = pairs[~np.eye(len(covariance), dtype=bool)]
        if kind == "all-pairs" and np.ptp(off) <= 1e-9 * off.max():
            return RangeLaw(len(covariance), self.df)
        return replace(self, largest=LargestT(matrix(), covariance, self.df))

    def _fit(self) -> LargestT:
        if self.largest is None:
            raise UsageError("The max-t law has to be fitted to a family of contrasts first.")
        return self.largest

    def tail(self, t: Array, family: int) -> Array:
        return self._fit().sf(t)

    def critical(self, alpha: float, family: int) -> float:
        return self._fit().critical(alpha)


def laws_of_means(k: int, df: float) -> dict[str, JointLaw]:
    """The joint laws that every set of k means with one estimated variance has, beside that of all pairs."""
    return {"scheffe": ScheffeLaw(k, df), "dunnett": MaxTLaw(df, only="control"), "max-t": MaxTLaw(df)}
