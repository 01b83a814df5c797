"""How often the best learners are in the sets of `bakeoff first`, and how large these are: the table in docs/gate.md.

Beside them stand the set that follows from the decisions about all pairs and, if `arch` is installed, Hansen, Lunde and
Nason's model confidence set (arch.bootstrap.MCS(-x, size=0.05, reps=499, block_size=1, method="R",
bootstrap="circular", seed=1)).

    python tools/confidence_sets.py 300
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bakeoff.mathematics.joint_flips import best_by_flips, joint_flips

Array = NDArray[np.float64]
ALPHA, BLOCKS, DRAWS = 0.05, 50, 499


def by_pairs(x: Array) -> set[int]:
    pairs = list(combinations(range(x.shape[1]), 2))
    weights = np.array([[float(c == i) - float(c == j) for c in range(x.shape[1])] for i, j in pairs])
    tested = joint_flips(x, weights, draws=DRAWS, seed=1)
    beaten = {j if z > 0 else i for (i, j), z, p in zip(pairs, tested.statistic, tested.p_adjusted, strict=True)
              if p <= ALPHA}  # fmt: skip
    return set(range(x.shape[1])) - beaten


def alone(x: Array) -> set[int]:
    return set(np.flatnonzero(best_by_flips(x, draws=DRAWS, seed=1).p > ALPHA).tolist())


def at_once(x: Array) -> set[int]:
    return set(np.flatnonzero(best_by_flips(x, draws=DRAWS, seed=1).p_adjusted > ALPHA).tolist())


def sets() -> dict[str, Callable[[Array], set[int]]]:
    methods: dict[str, Callable[[Array], set[int]]] = {"pairs": by_pairs, "first": alone, "all at once": at_once}
    try:
        from arch.bootstrap import MCS
    except ImportError:
        return methods

    def hansen(x: Array) -> set[int]:
        confidence_set = MCS(-x, ALPHA, reps=DRAWS, block_size=1, method="R", bootstrap="circular", seed=1)
        confidence_set.compute()
        return {int(name) for name in confidence_set.included}

    return {**methods, "MCS (arch)": hansen}


def behind(kind: str, k: int) -> Array:
    """How far each learner is behind the best, in units of the noise that all share."""
    gap = np.zeros(k)
    if kind == "two are the best":
        gap[2:] = 0.15
    elif kind == "each a little behind the one before":
        gap = 0.08 * np.arange(k)
    elif kind == "one is the best by far":
        gap[1:] = 0.5
    return gap


def main(tables: int) -> None:
    rng, methods = np.random.default_rng(7), sets()
    for k in (5, 20):
        for kind in ("all alike", "two are the best", "each a little behind the one before", "one is the best by far"):
            gap = behind(kind, k)
            best = set(np.flatnonzero(gap == 0).tolist())
            seen: dict[str, list[tuple[bool, bool, int]]] = defaultdict(list)
            for number in range(tables):
                spread = np.linspace(0.5, 1.5, k)[:: 1 if number % 2 else -1]
                x = rng.normal(size=(BLOCKS, 1)) + spread * rng.normal(size=(BLOCKS, k)) - gap
                for name, method in methods.items():
                    held = method(x)
                    seen[name].append((min(best) in held, best <= held, len(held)))
            cells = []
            for rows in seen.values():
                one, every, size = np.mean(rows, axis=0)
                cells.append(f"{100 * one:.1f} / {100 * every:.1f}, {size:.1f}")
            print(f"| {k} | {kind} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
