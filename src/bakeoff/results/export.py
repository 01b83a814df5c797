"""Export: a study as files that any tool reads."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from bakeoff.atomic_files import whole_file
from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.measures.response import Truth
from bakeoff.resampling import SCHEMES
from bakeoff.resampling.scheme import Combination
from bakeoff.results.grid import (
    Spec,
    StoredPrediction,
    StudyGrid,
    TaskCells,
    resolve_measures,
    study_grid,
    task_predictions,
    truth,
)
from bakeoff.results.planned import provenance_of
from bakeoff.results.scores import LongTable, flattened, problem_of, scores_of, splitting_of
from bakeoff.results.values import averaged_over_fits, task_values
from bakeoff.scores import Scores
from bakeoff.scores.design import COLUMN as DESIGN
from bakeoff.scores.design import Design
from bakeoff.scores.provenance import METADATA, told_to_file
from bakeoff.store.database import read_json
from bakeoff.store.reader import Reader, check_attempt, in_portions
from bakeoff.store.schema import RESOURCES, attempt, cell, learner, run

# ----------------------------------------------------------------------------------------------------------------------
# Tables as files, CSV or Parquet, written a portion at a time and put in place when they are whole.


FORMATS = ("csv", "parquet")
_ROWS_AT_ONCE = 200_000
Columns = Mapping[str, Sequence[Any] | NDArray[Any]]


class _RowSink(Protocol):
    def add(self, columns: Columns) -> None: ...


class TableFile:
    """A table that grows. Rows are gathered until they are worth writing: Parquet keeps them in groups."""

    def __init__(self, rows: _RowSink, names: Sequence[str]) -> None:
        self._rows, self._names = rows, names
        self._waiting: dict[str, list[Any]] = {name: [] for name in names}
        self._count = 0

    def add(self, columns: Columns) -> None:
        """Some more rows: every column, all equally long. Of arrays many rows at a time cost little."""
        for name in self._names:
            self._waiting[name].append(columns[name])
        self._count += len(columns[self._names[0]])
        if self._count >= _ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        self._rows.add({name: _joined(parts) for name, parts in self._waiting.items()})
        self._waiting, self._count = {name: [] for name in self._names}, 0


def _joined(parts: Sequence[Any]) -> Sequence[Any] | NDArray[Any]:
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [value for part in parts for value in (part.tolist() if isinstance(part, np.ndarray) else part)]


def format_of(path: Path) -> str | None:
    """The format that the ending of a file name stands for.

    >>> format_of(Path("scores.CSV")), format_of(Path("folder"))
    ('csv', None)
    """
    ending = path.suffix.lower().removeprefix(".")
    return ending if ending in FORMATS else None


def known_format(name: str) -> str:
    if name not in FORMATS:
        raise UsageError(f"There is no format {name!r} to export to. {nearest(name, FORMATS)}")
    return name


@contextmanager
def table_file(path: Path, types: Mapping[str, str], metadata: Mapping[str, str] | None = None) -> Iterator[TableFile]:
    """A file to add rows to. `types` are int, float, text or floats (a list of them) by column.

    A Parquet file keeps `metadata` beside its columns; a CSV file has no place for them.
    The file appears under its name when all is written; if anything goes wrong, what was there before stays.
    """
    writer = _csv if format_of(path) == "csv" else _parquet
    try:
        with whole_file(path) as passing, writer(passing, types, metadata or {}) as rows:
            file = TableFile(rows, tuple(types))
            yield file
            file.flush()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"The file cannot be written ({reason}).", source=str(path)) from error


@contextmanager
def _csv(path: Path, types: Mapping[str, str], _: Mapping[str, str]) -> Iterator[_RowSink]:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(types)

        class Rows:
            def add(self, columns: Columns) -> None:
                lists = {
                    name: column.tolist() if isinstance(column, np.ndarray) else column
                    for name, column in columns.items()
                }
                shown = [[_as_text(value) for value in lists[name]] for name in types]
                writer.writerows(zip(*shown, strict=True))

        yield Rows()


def _as_text(value: Any) -> Any:
    """Numbers with all their digits; nothing for what is not there."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return " ".join(str(_as_text(item)) for item in value)
    return value


@contextmanager
def _parquet(path: Path, types: Mapping[str, str], metadata: Mapping[str, str]) -> Iterator[_RowSink]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = {"int": pa.int64(), "float": pa.float64(), "text": pa.string(), "floats": pa.list_(pa.float64())}
    schema = pa.schema([(name, arrow[kind]) for name, kind in types.items()], metadata=dict(metadata) or None)
    # A file of ours: its own would stay open if the disk is full, and keep the room that it takes.
    with path.open("wb") as file, pq.ParquetWriter(file, schema) as writer:

        class Rows:
            def add(self, columns: Columns) -> None:
                arrays = [pa.array(columns[name], type=schema.field(name).type, from_pandas=True) for name in types]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema))

        yield Rows()


# ----------------------------------------------------------------------------------------------------------------------


_TEXTS = ("task", "learner", "measure", "repeat", "fold", "instance")
_PLACE = {"task": "text", "learner": "text", "repeat": "int", "fold": "int", "role": "text"}


def export(
    store: Reader,
    study_key: str,
    target: str | Path,
    *,
    form: str = "parquet",
    measures: Sequence[Spec] | None = None,
) -> tuple[Path, ...]:
    """Write a study to files; returns them.

    A target that ends in .csv or .parquet becomes the table of scores as `bakeoff compare` reads it. Any other is a new
    folder with everything: scores of all splits, predictions, splits, attempts, learners, tasks, runs, and the study.
    """
    path = Path(target)
    if format_of(path) is not None:
        write_scores(scores_of(store, study_key, measures), path)
        return (path,)
    ending = known_format(form)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(
            f"{path} is there already. Name a folder that is not there yet or is empty, or a file that ends in .csv or "
            ".parquet for the scores alone."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        passing = Path(tempfile.mkdtemp(prefix=path.name + ".", dir=path.parent))
    except OSError as error:
        raise InputError(f"The folder cannot be made ({error.strerror}).", source=str(path)) from error
    try:
        names = _write_all(store, study_key, passing, ending, measures)
        passing.chmod(0o755)
        os.replace(passing, path)
    except OSError as error:
        raise InputError(f"The files cannot be written ({error.strerror}).", source=str(path)) from error
    finally:
        shutil.rmtree(passing, ignore_errors=True)
    return tuple(path / name for name in names)


def write_scores(scores: Scores, path: Path) -> None:
    """A table of scores as a CSV or Parquet file, which `read_scores` takes for what it is.

    A column tells what the learning samples were drawn from, where they are draws, and another the clusters that
    instances lie in. Whether an analysis was planned can
    be told in the metadata of a Parquet file only.
    """
    columns: dict[str, Any] = {}
    types: dict[str, str] = {}
    for name in (*_TEXTS, "value", "n_train", "n_test", "status", "message"):
        column = getattr(scores, name)
        if name == "instance" and column.labels == ("",):
            continue
        is_number = name in ("value", "n_train", "n_test")
        columns[name] = column.tolist() if is_number else column.values()
        types[name] = "float" if is_number else "text"
    if scores.clusters is not None:
        name = "strata" if scores.clusters.fixed else "cluster"
        columns[name], types[name] = scores.clusters.labels.values(), "text"
    if designs := scores.designs:
        columns[DESIGN], types[DESIGN] = designs, "text"
    provenance = scores.provenance
    with table_file(
        path, types, {} if provenance is None else {METADATA: told_to_file(provenance, scores.value)}
    ) as file:
        file.add(columns)


def _write_all(
    store: Reader, study_key: str, folder: Path, ending: str, measures: Sequence[Spec] | None
) -> tuple[str, ...]:
    grid = study_grid(store, study_key)
    _write_raw_scores(store, grid, folder / f"scores.{ending}", measures)
    _write_predictions(store, grid, folder / f"predictions.{ending}")
    _write_splits(store, grid, folder / f"splits.{ending}")
    _write_attempts(store, grid, folder / f"attempts.{ending}")
    about = json.dumps(_about(store, grid), ensure_ascii=False, indent=2)
    (folder / "study.json").write_bytes(about.encode("utf-8", "backslashreplace"))
    return tuple(sorted(file.name for file in folder.iterdir()))


def _write_raw_scores(store: Reader, grid: StudyGrid, path: Path, measures: Sequence[Spec] | None) -> None:
    """The scores of all splits as they are stored: each fold by itself, those of apparent fits included."""
    requests = resolve_measures(grid, measures)
    tables = [
        flattened(grid.names, requests, [averaged_over_fits(grid.learners, task_values(store, grid, task, requests))])
        for task in grid.tasks
    ]
    designs = [_design_of_splits(grid, task).to_cell() for task in grid.tasks]
    types = {**_PLACE, "measure": "text", "value": "float", "n_train": "int", "n_test": "int"}
    types |= {"status": "text", "message": "text", **({DESIGN: "text"} if any(designs) else {})}
    with table_file(path, types, _about_splits(store, grid, tables)) as file:
        for table, design in zip(tables, designs, strict=True):
            columns: dict[str, list[Any]] = {
                name: getattr(table, name).values() for name in (*_PLACE, "measure", "status", "message")
            }
            columns |= {name: list(map(int, columns[name])) for name in ("repeat", "fold")}
            columns |= {name: getattr(table, name).astype(int).tolist() for name in ("n_train", "n_test")}
            file.add({**columns, "value": table.value.tolist(), DESIGN: [design] * len(table)})


def _combining(grid: StudyGrid) -> set[Combination]:
    """How the schemes of a study make scores out of those of splits."""
    kinds = [SCHEMES.get(str(task.scheme.get("scheme"))) for task in grid.tasks]
    return {kind.combine if kind is not None else Combination.NONE for kind in kinds}


def _design_of_splits(grid: StudyGrid, task: TaskCells) -> Design:
    """Folds of one repeat are no draws, even where their means are."""
    independent = any(task.scheme.get("independent") for task in grid.tasks)
    splitting = splitting_of(grid)
    if not any(SCHEMES[name].overlaps for name in [splitting.optimistic] if name):
        splitting = replace(splitting, optimistic="")  # apparent scores are rows of their own here
    return Design(None if Combination.FOLDS in _combining(grid) else problem_of(grid, task), independent, splitting)


def _about_splits(store: Reader, grid: StudyGrid, tables: Sequence[LongTable]) -> dict[str, str]:
    values = np.concatenate([table.value for table in tables])
    tasks = tuple(label for table in tables for label in table.task.labels)
    used = {label for table in tables for label in table.learner.labels}
    provenance = provenance_of(store, grid, tasks, tuple(name for name in grid.names if name in used))
    if _combining(grid) != {Combination.NONE}:
        provenance = provenance.changed("scores of single splits")
    return {METADATA: told_to_file(provenance, values)}


def _write_predictions(store: Reader, grid: StudyGrid, path: Path) -> None:
    """A row for each test row of a fit; of several targets a row for each of them, which a further column names."""
    truths = {task.number: truth(store, task.task_id) for task in grid.tasks}
    several = any(whole.values.ndim == 2 for whole in truths.values())
    types = {**_PLACE, "fit": "int", "row": "int", **({"target": "text"} if several else {})}
    types |= {"truth": "text", "prediction": "text", "scores": "floats"}
    fits = _fit_numbers(grid)
    with table_file(path, types) as file:
        for task in grid.tasks:
            whole = truths[task.number]
            for predicted in task_predictions(store, grid, task):
                split = predicted.split
                where = (task.name, predicted.learner, split.repeat, split.fold, split.role, fits[predicted.column])
                columns = _prediction_columns(whole, predicted)
                n = len(columns["row"])
                file.add(
                    {**{name: [value] * n for name, value in zip((*_PLACE, "fit"), where, strict=True)}, **columns}
                )


def _prediction_columns(whole: Truth, predicted: StoredPrediction) -> dict[str, Any]:
    rows, answer = predicted.rows, predicted.prediction
    n, expected = len(rows), whole.values[rows]
    if whole.values.ndim == 2:
        width = expected.shape[1]
        scores = [None] * (n * width) if answer.scores is None else answer.scores.reshape(-1, 1).tolist()
        return {
            "row": np.repeat(rows + 1, width),
            "target": list(map(str, whole.classes)) * n,
            "truth": _shown(expected.ravel()),
            "prediction": _shown(answer.values.ravel()),
            "scores": scores,
        }
    labels = np.array([str(label) for label in whole.classes], dtype=object)
    return {
        "row": rows + 1,
        "target": [""] * n,
        "truth": [""] * n if whole.kind == "density" else _shown(expected, labels),
        "prediction": _shown(answer.values, labels),
        "scores": [None] * n if answer.scores is None else answer.scores.reshape(n, -1).tolist(),
    }


def _shown(values: NDArray[Any], labels: NDArray[Any] | None = None) -> Any:
    """Codes as the labels that they stand for, numbers with all their digits."""
    return labels[values] if labels is not None and len(labels) else [repr(value) for value in values.tolist()]


def _fit_numbers(grid: StudyGrid) -> list[int]:
    """For each column of the grid, which of the fits of its learner it is: the first, the second, …"""
    return [grid.learners[: column + 1].count(name) for column, name in enumerate(grid.learners)]


def _write_splits(store: Reader, grid: StudyGrid, path: Path) -> None:
    types = {"task": "text", "repeat": "int", "fold": "int", "role": "text", "part": "text", "row": "int"}
    with table_file(path, types) as file:
        for task in grid.tasks:
            rows = int((task.index.n_train + task.index.n_test).max())
            for places in in_portions(range(len(task.index)), max(1, _ROWS_AT_ONCE // rows)):
                file.add(_rows_of_places(store, task, list(places)))


def _rows_of_places(store: Reader, task: TaskCells, places: list[int]) -> dict[str, NDArray[Any]]:
    """The rows to learn from and to test on of some splits, one after the other."""
    rows = store.rows_of_splits(np.unique(task.index.ids[places]).tolist())
    parts = [part for place in places for part in rows[int(task.index.ids[place])]]
    sizes, twice = [len(part) for part in parts], np.repeat(places, 2)
    role = np.array(task.index.role, dtype=object)
    return {
        "task": np.full(sum(sizes), task.name, dtype=object),
        "repeat": np.repeat(task.index.repeat[twice], sizes),
        "fold": np.repeat(task.index.fold[twice], sizes),
        "role": np.repeat(role[twice], sizes),
        "part": np.repeat(np.array(["train", "test"] * len(places), dtype=object), sizes),
        "row": np.concatenate(parts) + 1,
    }


def _write_attempts(store: Reader, grid: StudyGrid, path: Path) -> None:
    columns = {"number": "int", "run": "int", "seed": "int", "status": "text", "message": "text", "written": "text"}
    types = {**_PLACE, "fit": "int", **columns, **dict.fromkeys(RESOURCES, "float"), "notes": "text", "detail": "text"}
    with table_file(path, types) as file:
        for task in grid.tasks:
            rows = _attempts(store, grid, task)
            file.add({name: [row[name] for row in rows] for name in types})


def _attempts(store: Reader, grid: StudyGrid, task: TaskCells) -> list[dict[str, Any]]:
    """Every attempt at a cell of a task, at the first place of its split and under the first name of its learner."""
    place: dict[int, int] = {}
    for number, split_id in enumerate(task.index.ids.tolist()):
        place.setdefault(split_id, number)
    its = (attempt.c.number, attempt.c.run, *store.attempt_columns())
    query = select(cell.c.split, cell.c.learner, cell.c.seed, *its).join_from(cell, attempt)
    query = query.where(task.condition).order_by(cell.c.split, cell.c.learner, attempt.c.number)
    rows, fits = [], _fit_numbers(grid)
    columns = {number: column for column, number in reversed(list(enumerate(grid.learner_ids)))}
    for row in store.rows(query):
        check_attempt(row._mapping, f"what is stored of an attempt on task {task.name!r}")
        at = place[row.split]
        where = {"repeat": int(task.index.repeat[at]), "fold": int(task.index.fold[at]), "role": task.index.role[at]}
        column = columns[row.learner]
        named = {"task": task.name, "learner": grid.learners[column], "fit": fits[column]}
        rows.append({**row._mapping, **named, **where})
    return rows


def _about(store: Reader, grid: StudyGrid) -> dict[str, Any]:
    """The study in words: its description, and what is known of tasks, learners and runs."""
    tasks = {}
    for task in grid.tasks:
        record = store.task(task.task_id)
        tasks[task.name] = {
            "key": record.key,
            "kind": record.kind,
            "rows": record.n,
            "features": list(record.features),
            "classes": list(record.classes),
            "scheme": task.scheme,
            "notes": [*record.notes, *task.notes],
        }
    columns = select(learner.c.key, learner.c.description, learner.c.resolved)
    learners = {}
    for name, number in zip(grid.learners, grid.learner_ids, strict=True):
        (row,) = store.rows(columns.where(learner.c.id == number))
        resolved = None if row.resolved is None else read_json(row.resolved)
        learners[name] = {"key": row.key, "description": read_json(row.description), "resolved": resolved}
    runs = store.rows(select(run).where(run.c.study == grid.record.id).order_by(run.c.id))
    return {
        "key": grid.record.key,
        "name": grid.record.name,
        "registered": grid.record.registered,
        "description": grid.record.description,
        "tasks": tasks,
        "learners": learners,
        "runs": [{**row._mapping, "environment": read_json(row.environment)} for row in runs],
    }
