"""Verdicts as files: written in the form that an ending names, and read again from JSON.

The JSON of a verdict holds all of it, so that every other form can be made from it again, without the scores. Its
schema, `bakeoff.verdict/1`, is that of the records themselves.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from math import inf, nan
from os import PathLike
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from bakeoff.atomic_files import write_text
from bakeoff.errors import InputError, UsageError
from bakeoff.figures.figure import KINDS
from bakeoff.inference.finding import Finding
from bakeoff.judging.advice import Advice
from bakeoff.judging.sources_of_variance import SourcesOfVariance
from bakeoff.judging.verdict import SCHEMA, Verdict
from bakeoff.reports.manuscript import Manuscript, as_csv, as_html, as_latex, as_markdown, joined
from bakeoff.reports.paper import bibtex_of, manuscript_of_finding
from bakeoff.scores.alignment import Alignment
from bakeoff.scores.design import FIXED_TEST

# What an ending asks for: a sentence each, for messages and for the docs.
FORMS = {
    ".txt": "what the screen shows",
    ".md": "Markdown",
    ".html": "a page of HTML",
    ".tex": "LaTeX, with booktabs",
    ".csv": "the pairs with full precision",
    ".json": "everything, to be read again",
    ".bib": "BibTeX of the methods used",
}


def save(
    verdict: Verdict,
    path: str | PathLike[str],
    *,
    style: str = "paper",
    tables: Sequence[str] | None = None,
    reference: str | None = None,
) -> Path:
    """Write a verdict in the form that the ending of the path names: whole, or not at all."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending.removeprefix(".") in KINDS:
        verdict.plot().save(target)
        return target
    text = rendered([verdict], ending, style=style, tables=tables, reference=reference)
    return write_text(target, text)


def _check_form(ending: str) -> None:
    """Refuse an ending that there is no form for."""
    if ending not in FORMS:
        known = ", ".join(f"{each} ({what})" for each, what in FORMS.items())
        raise UsageError(
            f"A verdict is written as {known}, or drawn as {', '.join(f'.{kind}' for kind in KINDS)}; "
            f"{ending or 'a name without an ending'} is none of them."
        )


def rendered(
    verdicts: Sequence[Verdict],
    ending: str,
    *,
    style: str = "paper",
    tables: Sequence[str] | None = None,
    reference: str | None = None,
) -> str:
    """Verdicts, one after another, in the form that an ending names."""
    _check_form(ending)
    if not verdicts:
        raise UsageError(f"There is no verdict about pairs of learners to be written as {ending}. Use .txt or .json.")
    if ending in (".json", ".csv") and len(verdicts) > 1:
        raise UsageError(
            f"A {ending} file holds one verdict, and there are {len(verdicts)}. Say which: --measure NAME."
        )
    if ending == ".csv":
        if tables is not None and len(tables) > 1:
            raise UsageError(f"A CSV file holds one table, and {len(tables)} were asked for: {', '.join(tables)}.")
        return verdicts[0].to_csv(*(tables or ()))
    if ending == ".bib":
        return bibtex_of(*(each.finding for each in verdicts))
    if ending in (".json", ".txt"):
        texts = (each.to_json() if ending == ".json" else each.to_text() for each in verdicts)
        return "\n\n".join(texts) + "\n"
    documents = [each.manuscript(style, tables, reference) for each in verdicts]
    return _FORMS[ending](documents[0] if len(documents) == 1 else joined(documents))


_FORMS: dict[str, Callable[[Manuscript], str]] = {".md": as_markdown, ".html": as_html, ".tex": as_latex}


def rendered_finding(finding: Finding, ending: str) -> str:
    """What an analysis found, in the form that an ending names."""
    if ending == ".bib":
        return bibtex_of(finding)
    return in_ending(manuscript_of_finding(finding), ending)


def in_ending(document: Manuscript, ending: str) -> str:
    """A document in the form that an ending names; of a CSV file its first table."""
    if ending not in (".csv", *_FORMS):
        raise UsageError(f"This is written as text (.txt), .md, .html, .tex, .csv or .json, and not as {ending}.")
    return as_csv(document.tables[0]) if ending == ".csv" else _FORMS[ending](document)


# ----------------------------------------------------------------------------------------------------------------------
# Reading


def read_verdict(path: str | PathLike[str]) -> Verdict:
    """A verdict from the JSON that `bakeoff compare -o verdict.json`, `bakeoff judge` or `verdict.save` wrote."""
    return verdict_from(_document(path), str(path))


def read_circumstances(path: str | PathLike[str]) -> tuple[Alignment | None, Advice | None]:
    """What was read and what was recommended when a verdict was made, as far as its file says so and can be read:
    another version may have known of them otherwise, and the verdict does not need them."""
    document = _document(path)
    known: list[Any] = []
    for kind, name in ((Alignment, "alignment"), (Advice, "advice")):
        try:
            known.append(_value(kind, document[name]))
        except (AttributeError, KeyError, TypeError, ValueError):
            known.append(None)
    return known[0], known[1]


def _document(path: str | PathLike[str]) -> Any:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}.") from None
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}.") from None


def verdict_from(document: Any, source: str = "the document") -> Verdict:
    """A verdict from the object that `to_dict` makes, or from one that holds it."""
    if isinstance(document, dict) and "verdict" in document:
        document = document["verdict"]
    elif isinstance(document, dict) and isinstance(document.get("verdicts"), list):
        held = document["verdicts"]
        if len(held) != 1:
            raise InputError(f"{source} holds {len(held)} verdicts; one is needed. Judge one measure: --measure NAME.")
        document = held[0]
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        doubt = f"its schema is {schema!r}" if schema else "it names no schema"
        raise InputError(
            f"{source} holds no verdict that can be read: {SCHEMA!r} is expected, and {doubt}. Verdicts are written by "
            "`bakeoff compare scores.csv -o verdict.json`."
        )
    try:
        verdict: Verdict = _value(Verdict, _completed(document))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{source} says that it is {SCHEMA!r}, but is not: {error}.") from None
    return verdict


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    """A verdict of a version that had some facts in its sentences only, or under other names, with fields for them."""
    finding = document["finding"]
    if "quantity" in finding:
        return document
    facts = {
        "measure": {**finding["measure"], "by_user": finding["measure"].get("said", False)},
        "quantity": finding["scale"].removeprefix("difference in "),
        "fixed_test": FIXED_TEST in finding.get("conditional_on", ""),
        "rows": [{**row, "symbol": row["statistic_name"].partition(", ")[0]} for row in finding["rows"]],
    }
    confidence = 1 - finding["alpha"]
    summaries = [{**each, "confidence": confidence} for each in document.get("summaries") or []]
    document = {**document, "finding": {**finding, **facts}, "summaries": summaries}
    if document.get("description"):
        setbacks = [
            {**each, "names": [re.sub(r"(^|, )instance ", r"\1", label) for label, _ in each["blocks"]]}
            for each in document["description"].get("setbacks", [])
        ]
        document["description"] = {**document["description"], "setbacks": setbacks}
    return document


@cache
def _hints(record: type) -> dict[str, Any]:
    hints = get_type_hints(record, localns={"SourcesOfVariance": SourcesOfVariance})
    return {field.name: hints[field.name] for field in fields(record)}


def _value(kind: Any, value: Any) -> Any:
    """A value of a type from what JSON has for it. NaN is null there, and infinities are texts."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return _anything(value)
    if origin in (Union, types.UnionType):
        inner = next(part for part in parts if part is not type(None))
        return None if value is None else _value(inner, value)
    if isinstance(kind, type) and is_dataclass(kind):
        given = {name: _value(hint, value[name]) for name, hint in _hints(kind).items() if name in value}
        return kind(**given)
    if origin is tuple:
        if len(parts) == 2 and parts[1] is Ellipsis:
            return tuple(_value(parts[0], each) for each in value)
        return tuple(_value(part, each) for part, each in zip(parts, value, strict=True))
    if origin in (dict, Mapping):
        return {str(key): _value(parts[1], each) for key, each in value.items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is float:
        return nan if value is None else float(value)
    if not isinstance(value, kind):
        raise TypeError(f"{kind.__name__} is expected where {value!r} was found")
    return value


def _anything(value: Any, inside: bool = False) -> Any:
    if isinstance(value, list):
        return [_anything(each, inside=True) for each in value]
    if isinstance(value, dict):
        return {key: _anything(each) for key, each in value.items()}
    if value in ("Infinity", "-Infinity"):
        return inf if value == "Infinity" else -inf
    return nan if value is None and inside else value


# ----------------------------------------------------------------------------------------------------------------------
# The schema, from the records themselves


def verdict_schema() -> dict[str, Any]:
    """The JSON Schema of a verdict. Fields may be added within a version, so that others are allowed."""
    definitions: dict[str, Any] = {}
    _schema_of(Verdict, definitions)
    whole = definitions.pop("Verdict")
    derived = {
        "schema": {"const": SCHEMA},
        "answer": {"type": "string"},
        "paragraph": {"type": "string"},
        "ranking": {"type": "array", "items": {"type": "string"}},
        "first": {"type": "array", "items": {"type": "string"}},
        "ranks": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        },
        "standing": {"anyOf": [{"$ref": "#/$defs/PlanStatus"}, {"type": "null"}]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "description": "What may be claimed: the JSON of bakeoff's verdict. Numbers that do not exist are null.",
        "type": "object",
        "properties": {**derived, **whole["properties"]},
        "required": [*derived, *whole["required"]],
        "$defs": dict(sorted(definitions.items())),
    }


_PLAIN = {str: "string", bool: "boolean", int: "integer"}


def _schema_of(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if origin in (Union, types.UnionType):
        inner = next(part for part in parts if part is not type(None))
        return {"anyOf": [_schema_of(inner, definitions), {"type": "null"}]}
    if isinstance(kind, type) and is_dataclass(kind):
        name = kind.__name__
        if name not in definitions:
            definitions[name] = {}
            properties = {field: _schema_of(hint, definitions) for field, hint in _hints(kind).items()}
            definitions[name] |= {"type": "object", "properties": properties, "required": list(properties)}
        return {"$ref": f"#/$defs/{name}"}
    if origin is tuple:
        if len(parts) == 2 and parts[1] is Ellipsis:
            return {"type": "array", "items": _schema_of(parts[0], definitions)}
        made_of = [_schema_of(part, definitions) for part in parts]
        return {"type": "array", "prefixItems": made_of, "minItems": len(parts), "maxItems": len(parts)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _schema_of(parts[1], definitions)}
    if issubclass(kind, Enum):
        return {"enum": [each.value for each in kind]}
    if kind is float:
        return {"anyOf": [{"type": ["number", "null"]}, {"enum": ["Infinity", "-Infinity"]}]}
    return {"type": _PLAIN[kind]}
