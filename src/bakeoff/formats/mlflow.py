"""MLflow: runs from the database (the default store), from mlruns folders, or as search_runs writes them.

No field says what a learner is: params.model and the like are taken for it, and --columns says it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bakeoff.errors import InputError
from bakeoff.formats.format import FOLDER, SQLITE, TABLE, Format, ScorePart, Sign, columns_of, table_part
from bakeoff.formats.sources import ScoreFile, query

TOOL = "MLflow"
_PARENT = "tags.mlflow.parentRunId"
_STATUS = {"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}
Run = dict[str, object]


def read(source: ScoreFile) -> Iterable[ScorePart]:
    kinds = {SQLITE: _of_database, FOLDER: _of_folders, TABLE: _of_table}
    runs = kinds[source.content.kind](source)
    if not runs:
        raise InputError("The store holds no runs.", source=source.name)
    kept, notes = _without_parents(runs)
    fields = ("run_id", "experiment_id", "artifact_uri", "start_time", "end_time", "lifecycle_stage")
    columns = columns_of(
        {key: cell for key, cell in run.items() if key not in fields and not key.startswith("tags.")} for run in kept
    )
    return [table_part(source.name, columns, notes, tool=TOOL, long=True)]


def _without_parents(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """Runs without those that only gather others: what they log counts their children once more."""
    parents = {run.get(_PARENT) for run in runs if run.get(_PARENT)}
    kept = [run for run in runs if run["run_id"] not in parents]
    left = len(runs) - len(kept)
    return kept, [
        f"{left} run{'s' * (left != 1)} with runs below {'them' if left != 1 else 'it'} left out"
    ] if left else []


def _of_table(source: ScoreFile) -> list[Run]:
    table = source.table()
    cells = {name: [cell or None for cell in table.labels(name).values()] for name in table.names}
    rows = zip(*cells.values(), strict=True)
    return [{name: None if cell == "nan" else cell for name, cell in zip(cells, row, strict=True)} for row in rows]


def _of_database(source: ScoreFile) -> list[Run]:
    runs: dict[str, Run] = {
        key: {"run_id": key, "status": status}
        for key, status in query(source, "select run_uuid, status from runs where lifecycle_stage = 'active'")
    }
    for prefix, table in (("params", "params"), ("tags", "tags")):
        for key, name, value in query(source, f"select run_uuid, key, value from {table}"):
            if key in runs:
                runs[key][f"{prefix}.{name}"] = value
    for key, name, value, is_nan in query(source, "select run_uuid, key, value, is_nan from latest_metrics"):
        if key in runs:
            runs[key][f"metrics.{name}"] = None if is_nan else value
    return list(runs.values())


def _of_folders(source: ScoreFile) -> list[Run]:
    """The file store: <experiment>/<run>/meta.yaml, params/<key>, metrics/<key> with lines of time, value and step."""
    assert source.path is not None
    runs = []
    for meta in sorted(source.path.glob("**/meta.yaml")):
        metadata = _plain_yaml(meta)
        if "run_id" not in metadata or metadata.get("lifecycle_stage") == "deleted":
            continue
        run: Run = {
            "run_id": metadata["run_id"],
            "status": _STATUS.get(metadata.get("status", ""), metadata.get("status")),
        }
        for folder in ("params", "tags"):
            run |= {f"{folder}.{name}": text.strip() for name, text in _files(meta.parent / folder).items()}
        for name, text in _files(meta.parent / "metrics").items():
            last = text.strip().splitlines()[-1].split() if text.strip() else []
            run[f"metrics.{name}"] = last[1] if len(last) > 1 else None
        runs.append(run)
    return runs


def _plain_yaml(path: Path) -> dict[str, str]:
    """The lines `key: value` of a meta.yaml; it has no others, and no loader of YAML is trusted with it."""
    lines = (line.partition(":") for line in _text(path).splitlines())
    return {key.strip(): value.strip().strip("'\"") for key, _, value in lines}


def _files(folder: Path) -> Mapping[str, str]:
    if not folder.is_dir():
        return {}
    return {path.relative_to(folder).as_posix(): _text(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def _text(path: Path) -> str:
    if path.stat().st_size > 1 << 20:
        # A metric that was logged at every step: its last lines hold the last value.
        with path.open("rb") as file:
            file.seek(-4096, 2)
            return file.read().decode("utf-8", "replace")
    return path.read_text("utf-8", "replace")


FORMAT = Format(
    name="mlflow",
    title="MLflow runs",
    signs=(
        Sign(TABLE, ("run_id", "experiment_id", "metrics.*"), certainty=3),
        Sign(SQLITE, ("latest_metrics", "params", "runs"), certainty=3),
        Sign(FOLDER, ("*/meta.yaml", "*/metrics/*"), certainty=3),
    ),
    maps="a row a run: status, params.*, metrics.* (the last value); learner, task and repeat by --columns, or by "
    "names such as params.model, params.dataset, params.seed",
    drops="deleted runs, runs that have runs below them, tags, times. Failed and running runs are kept as failures",
    read=read,
)
