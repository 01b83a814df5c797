"""How the runs of a stored study were split, as far as the sizes of its samples do not tell; read off its scheme."""

from __future__ import annotations

from bakeoff.resampling.optimism import OPTIMISTIC
from bakeoff.scores.splitting import Runs, Splitting
from bakeoff.stores.grid import StudyGrid

# Repeats of these schemes are runs; those of others are cross-validations, or draws from a problem (`problem_of`).
_RUNS = {"disjoint-halves": Runs.INDEPENDENT, "hold-out": Runs.RANDOM_SPLITS}


def splitting_of(grid: StudyGrid) -> Splitting:
    """The splitting of a study, whose tasks are all split alike."""
    schemes = {str(task.scheme.get("scheme")) for task in grid.tasks}
    runs = {_RUNS.get(scheme) for scheme in schemes}
    optimistic = sorted(schemes & set(OPTIMISTIC))
    return Splitting(runs.pop() if len(runs) == 1 else None, None, optimistic[0] if optimistic else "")
