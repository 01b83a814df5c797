"""OpenML: evaluations as list_evaluations gives them; with per_fold=True a list of values in each row."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bakeoff.formats.format import TABLE, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile

_MEASURES = {
    "predictive_accuracy": "accuracy",
    "area_under_roc_curve": "auc",
    "f_measure": "f1_weighted",
    "root_mean_squared_error": "rmse",
    "mean_absolute_error": "mae",
}


def read(source: ScoreFile) -> Iterable[ScorePart]:
    table = source.table()
    cells = {name: table.labels(name).values() for name in table.names}
    flows = cells.get("flow_name") or cells["flow_id"]
    setups = cells.get("setup_id") or [""] * table.n_rows
    by_flow: dict[tuple[str, str], set[str]] = {}
    for flow, task, setup in zip(flows, cells["task_id"], setups, strict=True):
        by_flow.setdefault((flow, task), set()).add(setup)
    several = {flow for (flow, _), versions in by_flow.items() if len(versions) > 1}
    newest: dict[tuple[str, ...], int] = {}
    runs = cells.get("run_id") or [""] * table.n_rows
    keys = list(zip(flows, setups, cells["task_id"], cells["function"], strict=True))
    for i, key in enumerate(keys):
        if key not in newest or _number(runs[i]) > _number(runs[newest[key]]):
            newest[key] = i
    columns: dict[str, list[object]] = {name: [] for name in ("learner", "task", "fold", "measure", "value")}
    for i in sorted(newest.values()):
        values = _values(cells.get("values", [""] * table.n_rows)[i], cells.get("value", [""] * table.n_rows)[i])
        learner = f"{flows[i]} (setup {setups[i]})" if flows[i] in several else flows[i]
        measure = _MEASURES.get(cells["function"][i], cells["function"][i])
        for fold, value in enumerate(values):
            for name, cell in zip(columns, (learner, cells["task_id"][i], str(fold), measure, value), strict=True):
                columns[name].append(cell)
    left = table.n_rows - len(newest)
    if set(columns["fold"]) == {"0"}:
        del columns["fold"]
    return [
        ScorePart(
            columns,
            tool="OpenML",
            notes=(f"{left} earlier uploads of the same setup and task left out",) if left else (),
        )
    ]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def _values(many: str, one: str) -> list[float | None]:
    if many.strip() not in ("", "nan", "None"):
        return [float(value) for value in json.loads(many)]
    return [float(one) if one.strip() not in ("", "nan", "None") else None]


FORMAT = Format(
    name="openml",
    title="OpenML evaluations",
    signs=(
        Sign(TABLE, ("task_id", "flow_name", "function", "value"), certainty=3),
        Sign(TABLE, ("task_id", "flow_id", "function", "value"), certainty=3),
    ),
    maps="task = task_id, learner = flow_name (with setup_id, if a flow has several), measure = function, fold = "
    "place in values (repeats and folds are not told apart)",
    drops="data_id (splits belong to tasks), earlier uploads of the same setup, names of uploaders",
    read=read,
)
