"""Files of splits: what `bakeoff export` writes, a fold for each row, or the task splits of OpenML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, nearest
from bakeoff.resampling.predefined import ANY_TASK
from bakeoff.resampling.scheme import split
from bakeoff.resampling.split import APPARENT, TEST, Split
from bakeoff.scores.reading.raw import source_name
from bakeoff.tasks.sources import ARFF, file_bytes, format_of, read_table
from bakeoff.tasks.tables import NameColumn, Table

TRAIN = "train"
# The names that OpenML gives to the columns of its splits, whose rows, repeats and folds are numbered from 0.
_OPENML = {"type": "part", "rowid": "row", "repeat": "repeat", "fold": "fold"}


def read_splits(path: Path) -> dict[str, tuple[Split, ...]]:
    """The splits in a file, by the name of their task; by an empty name if the file names none.

    The columns are those of `splits.csv` as export writes it: `part` (train or test) and `row`, from 1, beside them
    `task`, `repeat`, `fold` and `role` where there are several; or `row` and `fold` alone: the fold in which each row
    is tested on. An ARFF file is one of OpenML's: type, rowid, repeat and fold, from 0.
    """
    source, form = source_name(path), format_of(path)
    names = ("task", "part", "type", "role")
    table = read_table(file_bytes(path), source, form, categorical=names)
    known = [name.strip().lower() for name in table.names]
    openml = form == ARFF or {"type", "rowid"} <= set(known)
    columns = {_OPENML.get(name, name) if openml else name: table.columns[i] for i, name in enumerate(known)}
    if "row" not in columns or not {"part", "fold"} & set(columns):
        raise InputError(
            "Splits have a column row (or rowid, as OpenML's) with part (train or test), or with fold; the columns "
            f"here are {', '.join(table.names)}. {nearest('row', table.names)}",
            source=source,
        )
    first = 0 if openml else 1
    numbers = {
        name: _whole(table, columns[name], name, first if name == "row" or openml else None)
        for name in ("row", "repeat", "fold")
        if name in columns
    }
    n = table.n_rows
    repeat, fold = (numbers.get(name, np.ones(n, dtype=np.int64)) for name in ("repeat", "fold"))
    if openml:
        repeat, fold = repeat + 1 if "repeat" in numbers else repeat, fold + 1 if "fold" in numbers else fold
    rows = numbers["row"] - first
    tasks = _labels(table, columns.get("task"), ANY_TASK, "task")
    if "part" not in columns:
        return {
            name: _folds(rows[tasks == name], repeat[tasks == name], fold[tasks == name]) for name in np.unique(tasks)
        }
    parts = np.array([part.lower() for part in _labels(table, columns["part"], "", "part").tolist()])
    roles = _labels(table, columns.get("role"), TEST, "role")
    _check_words(table, parts, (TRAIN, TEST), "part")
    _check_words(table, roles, (TEST, APPARENT), "role")
    return {
        str(name): _splits(rows, parts, repeat, fold, roles, np.flatnonzero(tasks == name)) for name in np.unique(tasks)
    }


def _splits(rows: Any, parts: Any, repeat: Any, fold: Any, roles: Any, here: NDArray[np.intp]) -> tuple[Split, ...]:
    """The splits of one task, in the order of their repeats and folds."""
    groups: dict[tuple[int, int, str], dict[str, list[int]]] = {}
    for i in here.tolist():
        place = groups.setdefault((int(repeat[i]), int(fold[i]), str(roles[i])), {TRAIN: [], TEST: []})
        place[str(parts[i])].append(int(rows[i]))
    made = []
    for (number, which, role), both in sorted(groups.items()):
        train, test = (np.sort(np.array(both[part], dtype=np.int64)) for part in (TRAIN, TEST))
        made.append(split(number, which, train, test, role))
    return tuple(made)


def _folds(rows: Any, repeat: Any, fold: Any) -> tuple[Split, ...]:
    """Each fold is tested on by what is learned from all other rows of its repeat."""
    made = []
    for number in np.unique(repeat).tolist():
        here = repeat == number
        for which in np.unique(fold[here]).tolist():
            inside = here & (fold == which)
            made.append(split(number, which, np.sort(rows[here & ~inside]), np.sort(rows[inside])))
    return tuple(made)


def _whole(table: Table, column: Any, name: str, least: int | None) -> NDArray[np.int64]:
    if isinstance(column, NameColumn):
        labels = column.labels
        try:
            values = np.array([int(label) for label in labels], dtype=np.float64)[column.codes]
        except ValueError:
            text = next(label for label in labels if not label.lstrip("-").isdigit())
            row = int(np.flatnonzero(column.codes == labels.index(text))[0])
            raise table.error(f"A whole number was expected, but {text!r} was found.", row=row, column=name) from None
    else:
        values = column
    wrong = np.flatnonzero(np.isnan(values) | (values != np.floor(values)) | (values < (0 if least is None else least)))
    if len(wrong):
        row = int(wrong[0])
        least_text = "" if least is None else f" of at least {least}"
        raise table.error(
            f"A whole number{least_text} was expected, but {values[row]:g} was found.", row=row, column=name
        )
    return values.astype(np.int64)


def _labels(table: Table, column: Any, default: str, name: str) -> NDArray[Any]:
    if column is None:
        return np.full(table.n_rows, default, dtype=object)
    if not isinstance(column, NameColumn):
        raise table.error("Words were expected here, but numbers were found.", row=0, column=name)
    gone = np.flatnonzero(column.codes < 0)
    if len(gone):
        raise table.error(f"The {name} is missing here.", row=int(gone[0]), column=name)
    return np.array(column.labels, dtype=object)[column.codes]


def _check_words(table: Table, words: NDArray[Any], allowed: tuple[str, ...], name: str) -> None:
    wrong = np.flatnonzero(~np.isin(words.astype(str), allowed))
    if len(wrong):
        word = str(words[wrong[0]])
        raise table.error(f"{word!r} is not possible. {nearest(word, allowed)}", row=int(wrong[0]), column=name)
