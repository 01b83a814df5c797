"""The t* Monte-Carlo test, K = 4 learners in B = 250 blocks, 1,000,000 resamples, against scipy's permutation_test.

Both permute labels within blocks and count the resamples with at least the observed statistic. scipy is given the
statistic in its cheapest form (the numerator of t*, which orders resamples as t* does), the batch size at which it was
fastest here, and a share of the resamples, because its time grows in proportion: the time of PEER_RESAMPLES is scaled
up to RESAMPLES. CPU time, imports excluded, the best of a few runs of each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000_000
PEER_RESAMPLES = 20_000
BATCH = 1_000
GOAL = 30.0


def table() -> NDArray[np.float64]:
    rng = np.random.default_rng(2005)
    return np.asarray(0.8 + 0.05 * rng.normal(size=(250, 1)) + 0.02 * rng.normal(size=(250, 4)) + [0, 0, 0.001, 0.002])


def numerator(*columns: NDArray[np.float64], axis: int = -1) -> Any:
    """Σ_k (column mean − grand mean)²."""
    means = [column.mean(axis=axis) for column in columns]
    grand = sum(means) / len(means)
    return sum((mean - grand) ** 2 for mean in means)


def best_cpu(job: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """The least CPU time of some runs, and what the job returned."""
    times, result = [], None
    for _ in range(runs):
        start = time.process_time()
        result = job()
        times.append(time.process_time() - start)
    return min(times), result


def rows() -> list[dict[str, Any]]:
    """One row: our CPU seconds, the peer's (scaled), their ratio, and the ratio that is asked for."""
    import scipy
    from scipy.stats import permutation_test

    from bakeoff.procedures.permutations import permutation

    values = table()
    ours, many = best_cpu(lambda: permutation(values, resamples=RESAMPLES, seed=1), 5)
    peer, other = best_cpu(
        lambda: permutation_test(
            tuple(values.T),
            numerator,
            permutation_type="samples",
            vectorized=True,
            n_resamples=PEER_RESAMPLES,
            batch=BATCH,
            alternative="greater",
            rng=1,
        ),
        3,
    )
    if abs(many.tests[0].p - other.pvalue) > 0.02:
        raise RuntimeError(f"The two disagree: p = {many.tests[0].p} and {other.pvalue}.")
    scaled = peer * RESAMPLES / PEER_RESAMPLES
    return [
        {
            "name": f"t* Monte Carlo, 250 × 4, {RESAMPLES:,} resamples",
            "ours_cpu": ours,
            "peer": f"scipy {scipy.__version__} permutation_test ({PEER_RESAMPLES:,} resamples, scaled)",
            "peer_cpu": scaled,
            "ratio": scaled / ours,
            "goal": GOAL,
        }
    ]


if __name__ == "__main__":
    for row in rows():
        print(row)
