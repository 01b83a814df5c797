"""OpenAI evals: the log of a run, an event a line."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.formats.format import RECORDS, Format, ScorePart, Sign, occurrences, text_of
from bakeoff.formats.sources import ScoreFile
from bakeoff.text import CodedWarning


def read(source: ScoreFile) -> Iterable[ScorePart]:
    spec: dict[str, object] = {}
    items: list[str] = []
    columns: dict[str, list[object]] = {name: [] for name in ("instance", "measure", "value", "status")}
    finished = False
    for record in source.records():
        if isinstance(record.get("spec"), dict):
            spec = record["spec"]
        finished |= "final_report" in record
        kind, data = record.get("type"), record.get("data")
        if kind == "match" and isinstance(data, dict):
            scores: dict[str, object] = {"match": data.get("correct")}
        elif kind == "metrics" and isinstance(data, dict):
            scores = {key: value for key, value in data.items() if isinstance(value, bool | int | float)}
        elif kind == "error":
            scores = {"match": None}
        else:
            continue
        for name, value in scores.items():
            items.append(f"{record['sample_id']} {name}")
            cells = (
                record["sample_id"], name, None if value is None else float(value), "error" * (kind == "error"),  # type: ignore[arg-type]
            )  # fmt: skip
            for key, cell in zip(columns, cells, strict=True):
                columns[key].append(cell)
    columns["repeat"] = list(occurrences(items))
    functions = spec.get("completion_fns") or []
    model = str(functions[0]) if isinstance(functions, list) and functions else ""
    n = len(items)
    doubts: tuple[CodedWarning, ...] = ()
    if not finished:
        doubts = (
            CodedWarning(
                "unfinished-log",
                f"{source.file} has no final report: the run may not be over.",
                "Compare runs that are over.",
            ),
        )
    return [
        ScorePart(
            {"task": [str(spec.get("base_eval") or spec.get("eval_name") or "")] * n, **columns} if n else {},
            model=model,
            tool="OpenAI evals",
            directions={"match": True},
            settings={"eval": text_of(spec.get("eval_name")), "split": text_of(spec.get("split"))},
            doubts=doubts,
        )
    ]


FORMAT = Format(
    name="openai-evals",
    title="a log of OpenAI evals",
    signs=(Sign(RECORDS, ("spec", "spec.completion_fns"), certainty=3),),
    maps="instance = sample_id, measure = match (or the keys of metrics), several matches of one sample are repeats; "
    "learner, task = completion_fns, base_eval",
    drops="samplings and the final report; errors are kept as failures",
    read=read,
)
