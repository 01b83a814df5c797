"""JSON that nobody's tool has written: records in a list or in JSONL, columns in lists, a table of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bakeoff.errors import InputError
from bakeoff.formats.format import JSON, RECORDS, Format, ScorePart, Sign, columns_of, flat, table_part
from bakeoff.formats.sources import ScoreFile


def read(source: ScoreFile) -> Iterable[ScorePart]:
    if source.content.kind == RECORDS:
        return [_of_records(source, source.records())]
    return [_of_object(source, source.document)]


def _of_records(source: ScoreFile, records: Iterable[Mapping[str, Any]]) -> ScorePart:
    columns = columns_of(flat(record) for record in records)
    if not columns:
        raise InputError("The records hold no single values: nothing in them could be a score.", source=source.name)
    return table_part(source.name, columns)


def _of_object(source: ScoreFile, document: Mapping[str, Any]) -> ScorePart:
    """Columns in lists of one length, a list of records under some key, or a table of numbers by two names."""
    lists = {key: value for key, value in document.items() if isinstance(value, list)}
    records = [key for key, value in lists.items() if value and all(isinstance(each, dict) for each in value)]
    if len(records) == 1:
        return _of_records(source, document[records[0]])
    if len(records) > 1:
        raise InputError(
            f"Several lists of records were found ({', '.join(records[:4])}). Write the one with the scores alone.",
            source=source.name,
        )
    plain = {key: value for key, value in lists.items() if not any(isinstance(each, dict | list) for each in value)}
    if plain and len({len(value) for value in plain.values()}) == 1 and len(plain) == len(document):
        return table_part(source.name, plain)
    tables = {key: flat(value) for key, value in document.items() if isinstance(value, dict)}
    if len(tables) == len(document) and all(tables.values()):
        return table_part(source.name, columns_of({"": key, **cells} for key, cells in tables.items()))
    return _of_records(source, [document])


FORMAT = Format(
    name="json",
    title="JSON",
    signs=(Sign(RECORDS, certainty=1), Sign(JSON, certainty=1)),
    maps="records become rows; nested keys become dotted headers (scores.match.value); then as any table",
    drops="lists inside records, and texts of more than 200 characters",
    read=read,
    generic=True,
)
