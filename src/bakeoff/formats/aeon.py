"""aeon and tsml: predictions of a resample (testResample<k>.csv), or a matrix of data sets by resamples."""

from __future__ import annotations

import csv
from collections.abc import Iterable

from bakeoff.errors import InputError
from bakeoff.formats.format import TABLE, TEXT, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile

_PREDICTIONS = r"^[^,\n]*,[^,\n]+ \([^,\n]*\),(TEST|TRAIN|Test|Train),-?\d+,"


def read(source: ScoreFile) -> Iterable[ScorePart]:
    if source.content.head.startswith("Resamples"):
        return [_matrix(source)]
    return _predictions(source)


def _predictions(source: ScoreFile) -> list[ScorePart]:
    """Right or wrong on each case. Case i of two resamples is not the same series: cases lie within resamples."""
    lines = source.text().splitlines()
    task, name, part, resample, *_ = lines[0].split(",", 5)
    if part.upper() == "TRAIN":
        return []  # a cross-validation of the training set is no test
    rows = [line.split(",") for line in lines[3:] if line.strip()]
    if not rows or len(rows[0]) < 2:
        raise InputError("Lines with a true and a predicted class were expected from line 4 on.", source=source.name)
    whole = all(_is_whole(cell) for row in rows for cell in row[:2])
    n = len(rows)
    right = [float(row[0].strip() == row[1].strip()) for row in rows]
    squared = [] if whole else [(float(row[0]) - float(row[1])) ** 2 for row in rows]
    return [
        ScorePart(
            {
                "task": [task] * n,
                "fold": [resample] * n,
                "instance": [f"{resample}/{i}" for i in range(n)],
                "measure": ["accuracy" if whole else "squared_error"] * n,
                "value": list(right if whole else squared),
            },
            model=name.partition(" (")[0],
            tool="tsml predictions",
        )
    ]


def _is_whole(cell: str) -> bool:
    try:
        return float(cell).is_integer()
    except ValueError:
        return True


def _matrix(source: ScoreFile) -> ScorePart:
    """One file a learner, which only the file's name tells: <Estimator>_<measure>.csv."""
    rows = [row for row in csv.reader(source.text().splitlines()) if any(cell.strip() for cell in row)]
    header, body = rows[0][1:], rows[1:]
    stem = source.file.rpartition(".")[0] or source.file
    learner, _, measure = stem.rpartition("_")
    columns: dict[str, list[object]] = {name: [] for name in ("task", "resample", "measure", "value")}
    for row in body:
        for resample, cell in zip(header, row[1:], strict=True):
            for key, value in zip(
                columns, (row[0], resample, measure, float(cell) if cell.strip() else None), strict=True
            ):
                columns[key].append(value)
    return ScorePart(columns, model=learner, tool="an aeon matrix")


FORMAT = Format(
    name="aeon",
    title="aeon or tsml results",
    signs=(
        Sign(TEXT, pattern=_PREDICTIONS, certainty=3),
        Sign(TABLE, ("Resamples:",), certainty=3),
        Sign(TABLE, ("Resamples",), certainty=3),
    ),
    maps="testResample<k>.csv: task and learner from line 1, fold = resample, instances within it, right or wrong; "
    "<Estimator>_<measure>.csv: learner and measure from the file name, a row a task, a column a resample",
    drops="trainResample files (cross-validation of the training set), probabilities, times",
    read=read,
)
