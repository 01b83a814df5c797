"""lighteval: details of a task as Parquet, with the metrics of each document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bakeoff.errors import InputError
from bakeoff.formats.format import TABLE, Format, ScorePart, Sign, digest, graded
from bakeoff.formats.sources import ScoreFile

_FILE = re.compile(r"details_(.+?)_(\d{4}-\d\d-\d\dT[\d-]+(?:\.\d+)?)\.parquet")


def read(source: ScoreFile) -> Iterable[ScorePart]:
    named = _FILE.fullmatch(source.file)
    rows: dict[str, list[object]] = {name: [] for name in ("instance", "measure", "value", "hash")}
    for number, record in enumerate(_records(source)):
        inner = record.get("doc")
        doc = inner if isinstance(inner, Mapping) else record
        metrics = record.get("metric") or record.get("metrics") or {}
        text = doc.get("query") or record.get("full_prompt") or record.get("example")
        mark = digest(text)
        item = doc.get("id")
        for name, value in metrics.items() if isinstance(metrics, Mapping) else ():
            score = graded(value)
            if score is None:
                continue
            for key, cell in zip(rows, (str(number if item in (None, "") else item), name, score, mark), strict=True):
                rows[key].append(cell)
    n = len(rows["value"])
    task = named[1] if named else source.file.partition(".")[0]
    return [
        ScorePart(
            {"task": [task] * n, **rows} if n else {},
            model=_model(source),
            tool="lighteval",
            stamp=named[2] if named else "",
        )
    ]


def _records(source: ScoreFile) -> Iterable[Mapping[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(source.data))
        wanted = ("doc", "metric", "metrics", "example", "full_prompt")
        names = [name for name in file.schema_arrow.names if name in wanted]
        for batch in file.iter_batches(batch_size=1000, columns=names):
            yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"The Parquet file cannot be read ({str(error)[:100]}).", source=source.name) from None


def _model(source: ScoreFile) -> str:
    """details/<model>/<date>/details_<task>_<date>.parquet"""
    parts = source.parts
    if "details" in parts[:-2]:
        return "/".join(parts[parts.index("details") + 1 : -2])
    return parts[-3] if len(parts) > 2 else ""


FORMAT = Format(
    name="lighteval",
    title="lighteval details",
    signs=(
        Sign(TABLE, ("doc", "metric", "model_response"), certainty=3),
        Sign(TABLE, ("example", "metrics", "full_prompt"), certainty=3),
    ),
    maps="instance = doc.id or the place, checked by the query; measure = metric; task and learner from the path "
    "details/<model>/<date>/details_<task>_<date>.parquet",
    drops="prompts, answers, metrics that are no numbers",
    read=read,
)
