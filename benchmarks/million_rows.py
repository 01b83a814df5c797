"""`bakeoff compare` on CSVs of 1,000,000 rows, to the verdict, against pandas that only reads them: CPU time."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from measure import row

GOAL, ROWS = 2.0, 1_000_000
# Modules are compiled once and kept, as for any user.
USUAL = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu(*command: str) -> float:
    """The CPU time of a program, the least of three."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], stdout=subprocess.DEVNULL, check=True, env=USUAL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def lines_of_items() -> Iterator[str]:
    loss = np.random.default_rng(1).random((2, ROWS // 2))
    yield "model,item,loss"
    yield from (f"{m},{i},{v:.6f}" for m, own in zip("ab", loss, strict=True) for i, v in enumerate(own))


def lines_of_folds() -> Iterator[str]:
    """Four learners on 2,500 tasks, ten times ten folds of each."""
    accuracy = np.random.default_rng(1).random((4, ROWS // 400, 10, 10))
    yield "model,dataset,repeat,fold,accuracy"
    yield from (f"m{m},d{t},{r},{f},{v:.4f}" for (m, t, r, f), v in np.ndenumerate(accuracy))


def lines_of_answers() -> Iterator[str]:
    """Two learners on 50,000 items, with ten seeds."""
    right = np.random.default_rng(1).random((2, ROWS // 20, 10)) < 0.7
    yield "model,item,seed,correct"
    yield from (f"m{m},q{i},{s},{int(v)}" for (m, i, s), v in np.ndenumerate(right))


SHAPES = {"items": lines_of_items, "tasks × folds": lines_of_folds, "items × seeds": lines_of_answers}


def rows() -> list[dict[str, Any]]:
    rows = []
    for shape, lines in SHAPES.items():
        with TemporaryDirectory() as folder:
            path = Path(folder) / "scores.csv"
            path.write_text("\n".join(lines()) + "\n")
            ours = cpu("-m", "bakeoff", "compare", str(path))
            peer = cpu("-c", f"import pandas; pandas.read_csv({str(path)!r})")
        one = row(f"a CSV of 1,000,000 rows to a verdict, {shape}", ours, "pandas.read_csv alone", peer)
        rows.append({**one, "goal": f"within {GOAL:g} s", "met": ours <= GOAL})
    return rows
