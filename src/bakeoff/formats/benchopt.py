"""benchopt: convergence curves of solvers. What a curve comes to is where it ends, and when it comes near the best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import inf, isfinite
from statistics import median

from bakeoff.formats.format import TABLE, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile

NEAR = 1e-3  # of the way from the worst start to the best value that any solver reached on the problem

_Curve = list[tuple[float, float]]  # time and value of the objective, point by point


def read(source: ScoreFile) -> Iterable[ScorePart]:
    """A value a solver and problem: the median over repetitions, which time the same problem again."""
    table = source.table()
    solver, data, objective, repetition = (
        table.labels(name).values() for name in ("solver_name", "dataset_name", "objective_name", "idx_rep")
    )
    points = zip(table.numbers("time").tolist(), table.numbers("objective_value").tolist(), strict=True)
    several = len(set(objective)) > 1
    curves: dict[str, dict[str, dict[str, _Curve]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row, point in enumerate(points):
        task = f"{objective[row]}, {data[row]}" if several else data[row]
        curves[task][solver[row]][repetition[row]].append(point)
    columns: dict[str, list[object]] = {name: [] for name in ("task", "learner", "measure", "value", "status")}
    for task, by_solver in curves.items():
        target = _target([curve for runs in by_solver.values() for curve in runs.values()])
        for name, runs in by_solver.items():
            ends = median(curve[-1][1] for curve in runs.values())
            reached = median(_time_to(target, curve) for curve in runs.values())
            for cells in (
                (task, name, "objective_value", ends if isfinite(ends) else None, "" if isfinite(ends) else "diverged"),
                (task, name, "time_to_target", *((reached, "") if isfinite(reached) else (None, "target not reached"))),
            ):
                for key, cell in zip(columns, cells, strict=True):
                    columns[key].append(cell)
    return [
        ScorePart(
            columns,
            tool="benchopt",
            directions={"objective_value": False, "time_to_target": False},
            headline="time_to_target",
            scales_differ=len(curves) > 1,
            notes=(
                f"time_to_target: until a solver has come {100 - 100 * NEAR:g} % of the way from the worst start "
                "to the best value of all",
                "objective_value: where the curve of a solver ends",
                "repetitions time the same problem again: their median is a solver's value on it",
            ),
        )
    ]


def _target(curves: Iterable[_Curve]) -> float:
    values = [[value for _, value in curve if isfinite(value)] for curve in curves]
    starts = [each[0] for each in values if each]
    if not starts:
        return -inf
    best = min(min(each) for each in values if each)
    return best + NEAR * (max(starts) - best)


def _time_to(target: float, curve: _Curve) -> float:
    return next((time for time, value in curve if value <= target), inf)


FORMAT = Format(
    name="benchopt",
    title="benchopt results",
    signs=(Sign(TABLE, ("solver_name", "dataset_name", "objective_name", "idx_rep", "objective_value"), certainty=3),),
    maps="learner = solver_name, task = dataset_name (with objective_name, if there are several), value = "
    "time_to_target or objective_value at the end; a curve is one value, and repetitions are averaged by their median",
    drops="all other points of the curves, other objectives, platform and versions. Over problems only ranks are "
    "compared",
    read=read,
)
