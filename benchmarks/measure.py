"""Time one side of a comparison: CPU seconds in a process of its own, so that neither side warms up the other."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

# What the other process runs. What a peer prints is not ours to show, and is not asked for.
_PROGRAM = """
import contextlib, io, json, sys, time, warnings
warnings.simplefilter("ignore")
with contextlib.redirect_stdout(io.StringIO()):
    {setup}
    def job():
        {job}
    answer = job()
    whole = time.process_time()
    runs = []
    for _ in range({runs}):
        start = time.process_time()
        job()
        runs.append(time.process_time() - start)
print(json.dumps({{"run": min(runs), "whole": whole, "answer": answer}}))
"""


@dataclass(frozen=True)
class Side:
    """`run`: the best of some runs, imports excluded. `whole`: the process from its start through its first run."""

    run: float
    whole: float
    answer: Any


def side(setup: str, job: str, runs: int) -> Side:
    """Run `setup` once and `job` (statements that return something JSON can hold) several times."""
    program = _PROGRAM.format(
        setup=setup.strip().replace("\n", "\n    "), job=job.strip().replace("\n", "\n        "), runs=runs
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"A benchmark failed:\n{done.stderr}")
    return Side(**json.loads(done.stdout))


def row(name: str, ours: float, peer: str, theirs: float, goal: float | None = None) -> dict[str, Any]:
    """A row of the table; `goal` is the ratio asked for, None where it is only reported."""
    return {
        "name": name,
        "ours_cpu": ours,
        "peer": peer,
        "peer_cpu": theirs,
        "ratio": theirs / ours,
        "goal": goal,
    }
