"""Braintrust: the rows of an experiment, as exported or fetched: a span each, of which the roots hold the scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bakeoff.formats.format import JSON, RECORDS, Format, ScorePart, Sign, digest, flat, occurrences
from bakeoff.formats.sources import ScoreFile


def read(source: ScoreFile) -> Iterable[ScorePart]:
    """An item is a record of the data set or, without one, its input; asked several times it has several trials."""
    events = source.document["events"] if source.content.kind == JSON else source.records()
    rows = [event for event in events if isinstance(event, Mapping) and _is_root(event)]
    names = list(dict.fromkeys(name for row in rows for name in _scores(row)))
    items = [str(row.get("dataset_record_id") or digest(row.get("input"))) for row in rows]
    experiments = [str(row.get("experiment_id") or "") for row in rows]
    trials = occurrences(zip(experiments, items, strict=True))
    columns: dict[str, list[object]] = {
        name: [] for name in ("instance", "repeat", "hash", "measure", "value", "status", "message")
    }
    several = len(set(experiments)) > 1
    if several:
        columns["learner"] = []
    extra = [flat(row.get("metadata") or {}, "metadata.") for row in rows]
    for header in dict.fromkeys(key for cells in extra for key in cells):
        columns[header] = []
    for row, item, trial, experiment, more in zip(rows, items, trials, experiments, extra, strict=True):
        failed, scores = bool(row.get("error")), _scores(row)
        for name in names:
            value = scores.get(name)
            cells: dict[str, object] = {
                "instance": item,
                "repeat": trial,
                "hash": digest(row.get("input"), row.get("expected")),
                "measure": name,
                "value": None if failed or value is None else float(value),
                "status": "error" if failed else "not scored" if value is None else "",
                "message": str(row["error"])[:200] if failed else "",
                **({"learner": experiment} if several else {}),
            }
            for key, column in columns.items():
                column.append(cells.get(key, more.get(key)))
    return [ScorePart(columns, tool="Braintrust", directions=dict.fromkeys(names, True))]


def _is_root(event: Mapping[str, Any]) -> bool:
    if isinstance(event.get("is_root"), bool):
        return bool(event["is_root"])
    return bool(event.get("span_id") == event.get("root_span_id"))


def _scores(row: Mapping[str, Any]) -> Mapping[str, Any]:
    scores = row.get("scores")
    return {k: v for k, v in scores.items() if v is None or isinstance(v, int | float)} if scores else {}


FORMAT = Format(
    name="braintrust",
    title="a Braintrust experiment",
    signs=(
        Sign(RECORDS, ("input", "scores", "root_span_id"), certainty=3),
        Sign(JSON, ("events", "events.scores", "events.root_span_id"), certainty=3),
    ),
    maps="instance = dataset_record_id or else the input, repeat = trial, measures = scores, larger is better; learner "
    "= the file's name or name=path (experiment_id, if a file holds several). A row with an error is a failure",
    drops="spans within a row, outputs, times and tokens",
    read=read,
)
