"""Laws estimated from a data set without a model: the bootstrap and the Bayesian bootstrap.

The empirical distribution of a learning sample is all that is known of the law it came from; samples from it stand for
new learning samples. Test samples from it hold rows that were learned from as well. To test on rows that were
not drawn, use the schemes `out-of-bootstrap` and `bayesian-bootstrap` on the data themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


def rows_of(table: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of an array or of a DataFrame."""
    return table.iloc[rows].reset_index(drop=True) if hasattr(table, "iloc") else np.asarray(table)[rows]


@dataclass(frozen=True, eq=False)
class EmpiricalBootstrap:
    """Rows drawn with replacement, each equally likely.

    >>> X, y = EmpiricalBootstrap(np.arange(3.0)[:, None], np.array(["a", "b", "c"])).draw(4, np.random.default_rng(1))
    >>> X[:, 0].astype(int).tolist(), y.tolist()
    ([1, 1, 2, 2], ['b', 'b', 'c', 'c'])
    """

    X: Any
    y: Any

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        rows = rng.integers(0, len(self.X), n)
        return rows_of(self.X, rows), rows_of(self.y, rows)


@dataclass(frozen=True, eq=False)
class BayesianBootstrap:
    """Chances of the rows are drawn first, uniformly among all that add up to one; then rows by those chances.

    The chances are a draw from the posterior of the law, with a prior that favours nothing: Rubin (1981), The Bayesian
    bootstrap, doi:10.1214/aos/1176345338. Samples vary more than those of the bootstrap.
    """

    X: Any
    y: Any

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        chance = rng.standard_exponential(len(self.X))
        rows = rng.choice(len(self.X), n, p=chance / chance.sum())
        return rows_of(self.X, rows), rows_of(self.y, rows)
