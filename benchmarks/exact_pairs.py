"""The exact permutation test of matched pairs, B = 250 blocks, against R's exactRankTests::perm.test.

Ours includes the interval, theirs gives p only. Scores are whole numbers up to a limit, because the time of both grows
with their sum. If Rscript or the package is missing, the times that were timing once, 7 ms and 432 ms, are quoted
for the smallest and the largest limit, and the row says so.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import numpy as np

from measure import row, side

GOAL = 8.0
BLOCKS = 250
QUOTED = {100: 0.007, 3000: 0.432}
OURS = """
import numpy as np
from bakeoff.mathematics import sign_flips
from bakeoff.procedures.permutations import paired_permutation
rng = np.random.default_rng({limit})
a, b = rng.integers(1, {limit} + 1, (2, {blocks}))
"""
# Without the memory of the last answers: each run computes the law anew.
JOB = """
sign_flips._kept_tails.cache_clear()
return paired_permutation(a, b, method="exact").p
"""
THEIRS = """
suppressWarnings(suppressMessages(library(exactRankTests)))
a <- c({a}); b <- c({b})
p <- perm.test(a, b, paired = TRUE, exact = TRUE)$p.value
ten <- function(i) for (j in 1:10) perm.test(a, b, paired = TRUE, exact = TRUE)
runs <- sapply(1:3, function(i) sum(system.time(ten(i))[1:2]) / 10)
cat(format(c(min(runs), p), digits = 15))
"""


def _theirs(limit: int) -> tuple[float, float] | None:
    """CPU seconds of R, and its p; None if it cannot be run."""
    program = shutil.which("Rscript")
    if program is None:
        return None
    a, b = np.random.default_rng(limit).integers(1, limit + 1, (2, BLOCKS))
    text = THEIRS.format(a=", ".join(map(str, a)), b=", ".join(map(str, b)))
    done = subprocess.run([program, "-e", text], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    seconds, p = map(float, done.stdout.split())
    return seconds, p


def rows() -> list[dict[str, Any]]:
    rows = []
    for limit, quoted in QUOTED.items():
        ours = side(OURS.format(limit=limit, blocks=BLOCKS), JOB, 100)
        timing = _theirs(limit)
        if timing is not None and abs(timing[1] - ours.answer) > 1e-6:
            raise RuntimeError(f"The two disagree: p = {ours.answer} and {timing[1]}.")
        peer = "exactRankTests perm.test" if timing else "exactRankTests (quoted, not run)"
        what = f"exact matched pairs, B = {BLOCKS}, scores up to {limit}"
        rows.append(row(what, ours.run, peer, timing[0] if timing else quoted, GOAL))
    return rows


if __name__ == "__main__":
    for one in rows():
        print(one)
