"""Objects in memory: {"tree": cross_validate(…)}, {"new": "new.jsonl"}, several DataFrames, cv_results_, records."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.formats.format import ScorePart, columns_of, flat, plain_part, table_part
from bakeoff.formats.sklearn import of_cross_validate
from bakeoff.formats.sources import ScoreFile, sources_of
from bakeoff.formats.stacking import read_all, stacked
from bakeoff.scores.reading.raw import RawTable, is_frame, read_frame


def table_of(sources: Sequence[Any]) -> RawTable:
    """One table of what is given: frames, mappings of names to results, records, and paths among them."""
    if not sources:
        raise UsageError("Name what is to be read: read_scores('scores.csv'), or a DataFrame, or {'tree': …}.")
    read: list[tuple[ScoreFile, ScorePart]] = []
    for place, given in enumerate(sources, start=1):
        read += _read(given, f"source {place}" if len(sources) > 1 else "the results")
    return stacked(read, [])


def _read(given: Any, where: str, label: str = "", task: str = "") -> list[tuple[ScoreFile, ScorePart]]:
    if is_frame(given):
        return [(_source(where, label), plain_part(read_frame(given, where)))]
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        return read_all(sources_of([f"{label}={path}" if label else path]), None, [])
    if isinstance(given, Mapping):
        return _of_mapping(given, where, label, task)
    if isinstance(given, list | tuple) and given and all(isinstance(each, Mapping) for each in given):
        return [(_source(where, label), table_part(where, columns_of(flat(each) for each in given)))]
    raise UsageError(
        "A path, a pandas DataFrame, a list of records or a mapping of learners to their results was expected, but "
        f"{type(given).__name__} was given."
    )


def _of_mapping(given: Mapping[Any, Any], where: str, label: str, task: str) -> list[tuple[ScoreFile, ScorePart]]:
    if any(str(key).startswith("test_") for key in given) and ("fit_time" in given or "score_time" in given):
        return [(_source(where, label), of_cross_validate(given, where=where, task=task))]
    if "params" in given and any(str(key).startswith("split0_test_") for key in given):
        columns = {str(key): [str(cell) for cell in _listed(cells)] for key, cells in given.items()}
        return [(_source(where, label), table_part(where, columns))]
    if all(isinstance(value, Mapping) or _is_source(value) for value in given.values()) and given:
        nested = all(isinstance(value, Mapping) and _holds_results(value) for value in given.values())
        read = []
        for key, value in given.items():
            if nested:  # tasks, with the learners of each
                read += [
                    pair
                    for name, result in value.items()
                    for pair in _read(result, f"{where}[{key!r}][{name!r}]", str(name), str(key))
                ]
            else:
                read += _read(value, f"{where}[{key!r}]", str(key), task)
        return read
    cells = {str(key): _listed(value) for key, value in given.items() if _is_column(value)}
    if len(cells) == len(given) and cells and len({len(each) for each in cells.values()}) == 1:
        return [(_source(where, label), table_part(where, cells))]
    raise UsageError(
        "A mapping is read as {learner: cross_validate(…)}, {task: {learner: cross_validate(…)}}, {learner: path or "
        f"DataFrame}}, or columns of one length; found the keys {', '.join(map(repr, list(given)[:5]))}."
    )


def _holds_results(value: Mapping[Any, Any]) -> bool:
    """Whether the values of a mapping are results themselves: then its keys are learners, and its own name a task."""
    return bool(value) and all(
        (isinstance(each, Mapping) and any(str(key).startswith("test_") for key in each)) or _is_source(each)
        for each in value.values()
    )


def _is_source(value: object) -> bool:
    return is_frame(value) or isinstance(value, str | os.PathLike)


def _is_column(value: object) -> bool:
    return hasattr(value, "tolist") or isinstance(value, list | tuple)


def _listed(value: Any) -> list[object]:
    return list(value.tolist()) if hasattr(value, "tolist") else list(value)


def _source(where: str, label: str) -> ScoreFile:
    return ScoreFile(where, bytes, label=label, origin=where)
