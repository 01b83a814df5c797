"""LangSmith: the results of an experiment as CSV, one file an experiment."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.formats.format import TABLE, Format, ScorePart, Sign, graded, occurrences
from bakeoff.formats.sources import ScoreFile

_FEEDBACK = "feedback."


def read(source: ScoreFile) -> Iterable[ScorePart]:
    table = source.table()
    cells = {name: table.labels(name).values() for name in table.names}
    items = cells["example_id"]
    repeats = occurrences(items)
    errors = cells.get("error") or [""] * len(items)
    columns: dict[str, list[object]] = {
        name: [] for name in ("instance", "repeat", "measure", "value", "status", "message")
    }
    words = set()
    for name in (each for each in table.names if each.startswith(_FEEDBACK)):
        for item, repeat, error, cell in zip(items, repeats, errors, cells[name], strict=True):
            error = "" if error in ("nan", "None") else error
            value = None if error else graded(cell)
            if value is not None and value != value:
                value = None
            if value is not None and cell.strip().lower() in ("true", "false"):
                words.add(name.removeprefix(_FEEDBACK))
            row = (item, repeat, name.removeprefix(_FEEDBACK), value, "error" if error else "", error[:200])
            for key, each in zip(columns, row, strict=True):
                columns[key].append(each)
    return [ScorePart(columns, tool="LangSmith", directions=dict.fromkeys(words, True))]


FORMAT = Format(
    name="langsmith",
    title="a LangSmith experiment",
    signs=(Sign(TABLE, ("example_id", "feedback.*"), certainty=3),),
    maps="instance = example_id, repeat = the how many-th time, measure = feedback key, learner = the file's name or "
    "name=path. A run with an error is a failure",
    drops="inputs, outputs, references, times",
    read=read,
)
