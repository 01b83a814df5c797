"""Means of 10 learners on 10,000 items, 10,000 paired resamples: of whole clusters, and of items.

Peers resample rows and take means: a plain loop in numpy; scipy.stats.bootstrap, which knows no clusters. Their time
grows in proportion to the resamples, so that they are given a share of them, and their time is scaled up. Standard
errors are compared.
"""

from __future__ import annotations

from typing import Any

from measure import row, side

RESAMPLES = 10_000
SHARE = 200
GOAL = 20.0
TABLE = """
import numpy as np
rng = np.random.default_rng(2024)
clusters = rng.integers(0, 500, 10_000)
table = 0.5 * rng.normal(size=(500, 1))[clusters] + rng.normal(size=(10_000, 10))
"""
OURS = TABLE + "from bakeoff.mathematics.clusters import bootstrap_means"
LOOP = """
groups = [np.flatnonzero(clusters == c) for c in range(500)]
def rows_of_clusters():
    return np.concatenate([groups[c] for c in rng.integers(0, 500, 500)])
def rows():
    return rng.integers(0, 10_000, 10_000)
"""
SCIPY = f"""
found = bootstrap(
    (table,), lambda x, axis: x.mean(axis=axis), axis=0, n_resamples={SHARE}, batch=10, method="percentile", rng=1
)
return found.standard_error.tolist()
"""


def rows() -> list[dict[str, Any]]:
    rows = []
    loop = f"return np.std([table[NAME()].mean(axis=0) for _ in range({SHARE})], axis=0).tolist()"
    for what, argument, name in (("clusters", ", clusters", "rows_of_clusters"), ("items", "", "rows")):
        call = f"return bootstrap_means(table{argument}, resamples={RESAMPLES}).std(axis=0).tolist()"
        ours = side(OURS, call, 5)
        peers = {"numpy loop": side(TABLE + LOOP, loop.replace("NAME", name), 3)}
        if what == "items":
            peers["scipy.stats.bootstrap"] = side(TABLE + "from scipy.stats import bootstrap", SCIPY, 3)
        for peer, theirs in peers.items():
            ratio = sum(theirs.answer) / sum(ours.answer)
            if not 0.9 < ratio < 1.1:
                raise RuntimeError(f"The two disagree: standard errors of {peer} are {ratio:.2f} times ours.")
            cpu = theirs.run * RESAMPLES / SHARE
            goal = GOAL if what == "clusters" else None
            rows.append(row(f"bootstrap of {what}, 10,000 × 10, {RESAMPLES:,} resamples", ours.run, peer, cpu, goal))
        if what == "clusters":  # scipy does without clusters what it would have to do with them
            theirs = side(TABLE + "from scipy.stats import bootstrap", SCIPY, 3)
            cpu = theirs.run * RESAMPLES / SHARE
            rows.append(row("the same", ours.run, "scipy.stats.bootstrap, of items", cpu, GOAL))
    return rows


if __name__ == "__main__":
    for one in rows():
        print(one)
