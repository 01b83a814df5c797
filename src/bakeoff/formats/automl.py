"""AutoML Benchmark (AMLB) and TabArena: a row a framework's fold. The measure differs by task: only ranks compare."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from bakeoff.formats.format import TABLE, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile
from bakeoff.text import listing

_LOSSES = frozenset(["logloss", "rmse", "mae", "mse", "rmsle", "msle", "rae", "rse", "mape"])


def _amlb(source: ScoreFile) -> Iterable[ScorePart]:
    """`result` is larger for what is better: newer versions negate losses, and those of older ones are negated here."""
    table = source.table()
    cells = {name: table.labels(name).values() for name in table.names}
    n = table.n_rows
    metrics = cells.get("metric") or _guessed_metrics(cells, n)
    values: list[float | None] = []
    for result, metric in zip(table.numbers("result").tolist(), metrics, strict=True):
        failed = result != result
        values.append(None if failed else -result if metric in _LOSSES and result > 0 else result)
    constraints = cells.get("constraint") or [""] * n
    several = len(set(constraints)) > 1
    learners = [
        f"{name} {limit}" if several else name for name, limit in zip(cells["framework"], constraints, strict=True)
    ]
    columns: dict[str, list[object]] = {
        "learner": list(learners),
        "task": list(cells["task"]),
        "fold": list(cells["fold"]),
        "value": list(values),
    }
    if "info" in cells:
        columns["message"] = list(cells["info"])
    return [_part(columns, metrics, "result", True, "AMLB")]


def _guessed_metrics(cells: dict[str, list[str]], n: int) -> list[str]:
    """Files of 2019 do not name the metric: it is the column that holds the result, on most rows of the task.

    In published tables a single row has its result in another column.
    """
    known = [name for name in ("auc", "logloss", "acc", "rmse") if name in cells]
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for i in range(n):
        for name in known:
            seen[cells["task"][i]][name] += bool(cells[name][i]) and cells[name][i] == cells["result"][i]
    usual = {task: counts.most_common(1)[0][0] for task, counts in seen.items() if counts.total()}
    return [usual.get(task, "result") for task in cells["task"]]


def _tabarena(source: ScoreFile) -> Iterable[ScorePart]:
    table = source.table()
    cells = {name: table.labels(name).values() for name in table.names}
    learner = next(name for name in ("framework", "method", "model") if name in cells)
    columns: dict[str, list[object]] = {
        "learner": list(cells[learner]),
        "task": list(cells.get("dataset") or cells["task"]),
        "fold": list(cells.get("fold") or cells["split_idx"]),
        "value": [None if value != value else value for value in table.numbers("metric_error").tolist()],
    }
    if "repeat" in cells:
        columns["repeat"] = list(cells["repeat"])
    metrics = cells.get("metric") or ["metric_error"] * table.n_rows
    return [_part(columns, metrics, "metric_error", False, "TabArena")]


def _part(columns: dict[str, list[object]], metrics: Sequence[str], name: str, larger: bool, tool: str) -> ScorePart:
    several = sorted({metric for metric, value in zip(metrics, columns["value"], strict=True) if value is not None})
    note = f"{name} is about {listing(several)}, by task; {'larger' if larger else 'smaller'} is better"
    return ScorePart(
        {**columns, "measure": [name] * len(metrics)},
        tool=tool,
        directions={name: larger},
        scales_differ=len(several) > 1,
        notes=(note,),
    )


AMLB = Format(
    name="amlb",
    title="results of the AutoML Benchmark",
    signs=(Sign(TABLE, ("task", "framework", "fold", "result"), certainty=3),),
    maps="learner = framework (with constraint, if there are several), task, fold, value = result, larger is better: "
    "losses of older versions are negated; message = info. An empty result is a failure",
    drops="seeds (they differ by framework), times, other metrics. Where metrics differ by task only ranks compare",
    read=_amlb,
)
TABARENA = Format(
    name="tabarena",
    title="TabArena results",
    signs=(Sign(TABLE, ("fold", "metric_error"), certainty=3), Sign(TABLE, ("split_idx", "metric_error"), certainty=3)),
    maps="learner = framework or method, task = dataset, fold, value = metric_error, smaller is better",
    drops="validation errors, times. Where metrics differ by task only ranks are compared",
    read=_tabarena,
)
