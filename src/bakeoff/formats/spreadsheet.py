"""The first sheet of an xlsx workbook that holds a table. Formulas are not computed: their last values are read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bakeoff.errors import InputError
from bakeoff.formats.format import ZIP, Format, ScorePart, Sign, table_part
from bakeoff.formats.sources import ScoreFile

if TYPE_CHECKING:
    from xml.etree import ElementTree

_MOST_CELLS = 5_000_000


def read(source: ScoreFile) -> Iterable[ScorePart]:
    strings = _strings(source)
    sheets = _sheets(source)
    for number, (name, member) in enumerate(sheets):
        rows = _rows(source, member, strings)
        filled = [row for row in rows if any(cell.strip() for cell in row)]
        if len(filled) < 2:
            continue
        width = max(len(row) for row in filled)
        if width * len(filled) > _MOST_CELLS:
            raise _too_many(source)
        header, *body = [[*row, *[""] * (width - len(row))] for row in filled]
        columns = dict(zip(_unique(header), map(list, zip(*body, strict=True)), strict=True))
        left = [other for other, _ in sheets[:number] + sheets[number + 1 :]]
        notes = [f"sheet {name!r} read; not {', '.join(map(repr, left[:4]))}"] if left else []
        return [table_part(source.name, columns, notes)]
    raise InputError("No sheet holds a header and a row below it.", source=source.name)


def _unique(header: list[str]) -> list[str]:
    """Empty headers are told apart, so that no column is lost; doubled ones are refused where tables are tidied."""
    seen: dict[str, int] = {}
    names = []
    for cell in header:
        seen[cell] = seen.get(cell, 0) + 1
        names.append(cell if seen[cell] == 1 else f"{cell} ({seen[cell]})".strip())
    return names


def _xml(source: ScoreFile, member: str) -> ElementTree.Element:
    from xml.etree import ElementTree

    data = source.member(member)
    if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data:
        raise InputError("The workbook defines entities, as no spreadsheet does. It is not read.", source=source.name)
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InputError(f"The workbook is damaged ({error}).", source=source.name) from None


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _strings(source: ScoreFile) -> list[str]:
    if "xl/sharedStrings.xml" not in source.content.names:
        return []
    root = _xml(source, "xl/sharedStrings.xml")
    return ["".join(t.text or "" for t in item.iter() if _local(t) == "t") for item in root if _local(item) == "si"]


def _sheets(source: ScoreFile) -> list[tuple[str, str]]:
    """The sheets in the order of the workbook, each with the member that holds it."""
    targets = {each.get("Id", ""): each.get("Target", "") for each in _xml(source, "xl/_rels/workbook.xml.rels").iter()}
    sheets = []
    for each in _xml(source, "xl/workbook.xml").iter():
        if _local(each) == "sheet":
            key = next((value for name, value in each.attrib.items() if name.endswith("}id")), "")
            target = targets.get(key, "").lstrip("/")
            member = target if target.startswith("xl/") else f"xl/{target}"
            if member in source.content.names:
                sheets.append((each.get("name", "?"), member))
    return sheets


def _rows(source: ScoreFile, member: str, strings: list[str]) -> list[list[str]]:
    rows, cells = [], 0
    for row in _xml(source, member).iter():
        if _local(row) != "row":
            continue
        line: list[str] = []
        for cell in row:
            if _local(cell) != "c":
                continue
            place = _column_number(cell.get("r", "")) if cell.get("r") else len(line)
            if place > 16_384:
                raise InputError("A cell lies outside of any sheet.", source=source.name)
            line += [""] * (place - len(line))
            line.append(_value(cell, strings, source))
        cells += len(line)  # those in between too, which are as many as somebody likes
        if cells > _MOST_CELLS:
            raise _too_many(source)
        rows.append(line)
    return rows


def _too_many(source: ScoreFile) -> InputError:
    return InputError("The sheet holds more than five million cells. Save it as CSV.", source=source.name)


def _column_number(reference: str) -> int:
    """
    >>> _column_number("A1"), _column_number("AB7")
    (0, 27)
    """
    letters = re.match(r"[A-Z]+", reference)
    number = 0
    for letter in letters[0][:4] if letters else "A":
        number = number * 26 + ord(letter) - 64
    return number - 1


def _value(cell: ElementTree.Element, strings: list[str], source: ScoreFile) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(t.text or "" for t in cell.iter() if _local(t) == "t")
    text = next((each.text or "" for each in cell if _local(each) == "v"), "")
    if kind == "s":
        if text and not (text.isascii() and text.isdigit() and int(text) < len(strings)):
            raise InputError(f"The workbook is damaged: it has no text {text[:20]!r}.", source=source.name)
        return strings[int(text)] if text else ""
    if kind == "b":
        return "True" if text == "1" else "False"
    if kind == "e":
        return ""
    return text


FORMAT = Format(
    name="xlsx",
    title="an xlsx workbook",
    signs=(Sign(ZIP, ("xl/workbook.xml",), certainty=3),),
    maps="the first sheet with a header and rows; then as any table",
    drops="other sheets, formulas (their last values are read), formatting, cells in error",
    read=read,
    generic=True,
)
