"""Bayesian answers: the signed-rank test of all pairs against autorank, the hierarchical one against baycomp and Stan.

Signed ranks: 10 learners × 30 tasks, 50,000 draws a pair on both sides, from a table of scores to the finding. autorank
is given four of the learners, because its time grows in proportion to the pairs: that of 6 pairs is scaled to 45.

Hierarchical: 30 tasks × 10 folds. baycomp samples the model with Stan, which compiles it with the system's compiler and
is not part of this environment; its time is quoted: 68 s for 20 tasks × 10 folds, 4 chains of 10,000 draws, two cores.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from measure import row, side

GOAL, HIERARCHICAL_GOAL = 20.0, 100.0
STAN_SECONDS = 68.0
LEARNERS, SOME, TASKS = 10, 4, 30
PAIRS, SOME_PAIRS = LEARNERS * (LEARNERS - 1) // 2, SOME * (SOME - 1) // 2

TABLE = f"""
import numpy as np
rng = np.random.default_rng(2014)
table = 0.8 + 0.05 * rng.normal(size=({TASKS}, 1)) + 0.02 * rng.normal(size=({TASKS}, {LEARNERS}))
table += np.linspace(0, 0.02, {LEARNERS})
names = [f"l{{i}}" for i in range({LEARNERS})]
"""
OURS = """
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.scores import Scores
def scores_of(values, learners, **keys):
    return Scores.of(values, learner=learners, measures={"accuracy": known_measure("accuracy")}, **keys)
"""
SCORES = f"""
scores = scores_of(table.ravel(), names * {TASKS}, task=[f"t{{i // {LEARNERS}}}" for i in range(table.size)])
"""
JOB = """
found = analyse(scores, "bayes-signed-rank", rope=0.01)
return {row.contrast: (row.worse, row.same, row.better) for row in found.pairs}
"""
PEER = (
    """
import pandas as pd
from autorank import autorank
"""
    + TABLE
    + f"""
frame = pd.DataFrame(table[:, :{SOME}], columns=names[:{SOME}])
"""
)
PEER_JOB = """
found = autorank(frame, approach="bayesian", rope=0.01, rope_mode="absolute", nsamples=50000, random_state=1)
matrix = found.posterior_matrix
return {f"{a} − {b}": tuple(matrix.loc[a, b]) for i, a in enumerate(matrix) for b in list(matrix)[i + 1:]}
"""
FOLDS = f"""
import numpy as np
rng = np.random.default_rng(2017)
own = 0.01 + 0.01 * rng.normal(size=({TASKS}, 1, 1)) * [0, 1]
values = 0.8 + own + 0.03 * rng.normal(size=({TASKS}, 10, 2))
i, j, k = np.indices(values.shape).reshape(3, -1)
scores = scores_of(values.ravel(), [f"l{{x}}" for x in k], task=[f"t{{x}}" for x in i], fold=[f"f{{x}}" for x in j])
"""
HIERARCHICAL_JOB = """
found = analyse(scores, "bayes-hierarchical", rope=0.01).pairs[0]
return [found.worse, found.same, found.better]
"""


def rows() -> list[dict[str, Any]]:
    ours, peer = side(OURS + TABLE + SCORES, JOB, 3), side(PEER, PEER_JOB, 1)
    # autorank's first number is for the pair's first learner being the larger.
    for pair, theirs in peer.answer.items():
        first, second = pair.split(" − ")
        shares = ours.answer.get(pair) or ours.answer[f"{second} − {first}"][::-1]
        if max(abs(a - b) for a, b in zip(shares[::-1], theirs, strict=True)) > 0.02:
            raise RuntimeError(f"The two disagree about {pair}: {shares} and {theirs}.")
    hierarchical = side(OURS + FOLDS, HIERARCHICAL_JOB, 5)
    scaled = peer.run * PAIRS / SOME_PAIRS
    name = f"autorank {version('autorank')}, Bayesian ({SOME_PAIRS} pairs, scaled)"
    return [
        row(f"Bayesian signed rank, {LEARNERS} learners × {TASKS} tasks, {PAIRS} pairs", ours.run, name, scaled, GOAL),
        row(
            f"Bayesian hierarchical, {TASKS} tasks × 10 folds",
            hierarchical.run,
            "baycomp 1.0 + Stan (quoted)",
            STAN_SECONDS,
            HIERARCHICAL_GOAL,
        ),
    ]


if __name__ == "__main__":
    for line in rows():
        print(line)
