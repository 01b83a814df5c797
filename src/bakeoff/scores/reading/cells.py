"""Cells as people write them: 90.0%, 87.2 ± 0.5, 0.97 (0.01), 1,200.5, −0.3, True, yes, C, OOM. They become numbers.

Only columns of scores are touched, and only if every cell of a column is understood: a name that looks like a number is
still a name, and one word among numbers is still an error that points at its line.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError
from bakeoff.measures import known_measure
from bakeoff.scores.reading.headers import role_of, weak_role_of
from bakeoff.scores.reading.raw import RawTable, is_missing, is_number
from bakeoff.scores.table import Labels, frozen
from bakeoff.text import listing

_FAILED = frozenset(
    {"oom", "out of memory", "memout", "mem out", "timeout", "time out", "timed out", "to", "mo", "dnf", "crash"}
    | {"crashed", "failed", "fail", "error", "killed", "did not finish", "diverged", "inf.", "err"}
)
_DASHES = frozenset({"–", "—", "−", "--", "---", "…", "..."})
_WORDS = (
    {"true": "1", "false": "0"},
    {"yes": "1", "no": "0"},
    {"c": "1", "i": "0", "p": "0.5", "n": "0"},
    {"correct": "1", "incorrect": "0"},
    {"pass": "1", "fail": "0"},
    {"passed": "1", "failed": "0"},
)
_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][+-]?\d+)?"
_SPREAD = re.compile(
    rf"({_NUMBER})\s*%?\s*(?:(?:±|\+/-|\+-|\\pm)\s*({_NUMBER})|[(\[]\s*(?:±\s*)?{_NUMBER}\s*%?\s*[)\]])\s*%?"
)
_PERCENT = re.compile(rf"({_NUMBER})\s*%")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
_PER_CENT, _MIXED = "per cent", "per cent and shares"
_MARKS = str.maketrans({"*": "", "†": "", "‡": "", "§": "", "\u2212": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " "})


def plain_cells(table: RawTable) -> RawTable:
    """The table with numbers where a column of scores writes them otherwise, and notes that say so."""
    predictions = any(role_of(name) == "truth" or weak_role_of(name) == "truth" for name in table.names)
    notes: dict[str, list[str]] = {}
    for name in table.names:
        column = table.column(name)
        if not isinstance(column, Labels) or not _may_hold_scores(name):
            continue
        labels = [label.strip() for label in column.labels]
        if all(is_missing(label) or is_number(label, decimal_comma=table.decimal_comma) for label in labels):
            continue
        cells = None if predictions else _by_words(labels)
        kind = "words"
        if cells is None:
            cells = _by_numbers(labels, decimal_comma=table.decimal_comma)
            kind = "numbers"
        if cells is None:
            continue
        texts, kinds = cells
        if _MIXED in kinds:
            raise _mixed_units(table, name, name)
        if kind == "words" and name in ("status", "state"):
            continue
        table = table.with_column(name, _renamed(column, texts))
        for each in kinds:
            notes.setdefault(each, []).append(name)
    _refuse_mixed_units(table, notes.get(_PER_CENT, []))
    remarks = tuple(f"{listing([repr(name) for name in names], most=4)}: {kind}" for kind, names in notes.items())
    return replace(table, notes=(*table.notes, *remarks)) if remarks else table


def _refuse_mixed_units(table: RawTable, in_per_cent: list[str]) -> None:
    """Of columns that are learners either all are in per cent or none: 0.97 beside 90.0% is a share, or below 1 %."""
    learners = [name for name in table.names if role_of(name) is None and known_measure(name) is None]
    if not set(in_per_cent) & set(learners):
        return
    for name in learners:
        if name in in_per_cent or not table.holds_numbers(name):
            continue
        with contextlib.suppress(InputError):  # a column with other words in it is looked at later
            values = table.numbers(name)
            if np.nanmin(values) >= 0 and 0 < np.nanmax(values) <= 1:
                mixed = name
                break
    else:
        return
    raise _mixed_units(table, in_per_cent[0], mixed)


def _mixed_units(table: RawTable, per_cent: str, other: str) -> InputError:
    where = (
        f"{per_cent!r} is in per cent and {other!r}" if per_cent != other else f"{other!r} is in per cent in part, and"
    )
    return InputError(
        f"{where} has numbers from 0 to 1 without the sign: shares, or less than one per cent? Write them alike.",
        source=table.source,
    )


def _may_hold_scores(name: str) -> bool:
    role = role_of(name)
    return role in (None, "value") or known_measure(name) is not None


def _renamed(column: Labels, texts: list[str]) -> Labels:
    merged = Labels.of(texts)
    return Labels(merged.labels, frozen(merged.codes[column.codes]))


def _by_words(labels: list[str]) -> tuple[list[str], list[str]] | None:
    """Right and wrong in words, if the whole column says it in the same ones."""
    for words in _WORDS:
        if all(label.lower() in words or is_missing(label) for label in labels):
            present = sorted({label for label in labels if not is_missing(label)})
            if len(present) < 2 and set(words) == {"c", "i", "p", "n"}:
                return None  # a single letter alone is more likely a name
            texts = [words.get(label.lower(), "") for label in labels]
            meaning = " and ".join(f"{label} as {words[label.lower()]}" for label in present)
            return texts, [f"{meaning}"]
    return None


def _by_numbers(labels: list[str], *, decimal_comma: bool) -> tuple[list[str], list[str]] | None:
    """Numbers with something around them. None if a cell is not understood, or if none is a number."""
    texts, kinds, numbers, percents, shares = [], dict[str, None](), 0, 0, 0
    for label in labels:
        if is_missing(label) or label in _DASHES:
            texts.append("")
            continue
        if label.lower() in _FAILED:
            texts.append("")
            kinds[f"{label} read as a failure, without a value"] = None
            continue
        cleaned = label.translate(_MARKS).strip()
        value = _number_in(cleaned, decimal_comma)
        if value is None:
            return None
        number, spread, percent = value
        numbers += 1
        percents += percent
        shares += not percent and 0 < float(number.replace(",", ".")) < 1
        if spread:
            kinds["the mean is read; what stands beside it is not used, as it does not say what varies"] = None
        texts.append(number)
    if not numbers:
        return None
    if percents:
        kinds[_MIXED if shares else _PER_CENT] = None
    return texts, list(kinds)


def _number_in(text: str, decimal_comma: bool) -> tuple[str, bool, bool] | None:
    """
    >>> _number_in("87.2 ± 0.5", False), _number_in("1,200.5", False), _number_in("90%", False)
    (('87.2', True, False), ('1200.5', False, False), ('90', False, True))
    """
    percent = "%" in text
    if match := _SPREAD.fullmatch(text):
        number, spread = match[1], True
    elif match := _PERCENT.fullmatch(text):
        number, spread = match[1], False
    else:
        number, spread = text, False
    if not decimal_comma and _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    return (number, spread, percent) if is_number(number, decimal_comma=decimal_comma) else None


# ----------------------------------------------------------------------------------------------------------------------
# Times.


def times_of(table: RawTable, name: str) -> NDArray[np.float64] | None:
    """The times as numbers: whole numbers, or dates; None if they are anything else, as seconds of a fit."""
    labels = table.labels(name)
    try:
        values = np.array([float(label) for label in labels.labels])
        if not (values == np.floor(values)).all():
            return None
    except ValueError:
        dates = _dates(labels.labels)
        if dates is None:
            return None
        values = dates
    return np.asarray(values[labels.codes])


# Days before months, or the other way round, if only one of them reads all labels.
_PARTS_OF_YEARS = re.compile(r"(\d{4})[\W_]*([QWMH])0?(\d{1,2})", re.IGNORECASE)  # 1960Q1, 2020-W05
_FORMS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y-%m", "%b %Y", "%Y%m%d")


def _dates(labels: Sequence[str]) -> NDArray[np.float64] | None:
    """Dates as numbers of seconds; None if they are none, or can be read in two ways."""
    if all(parts := [_PARTS_OF_YEARS.fullmatch(label.strip()) for label in labels]):
        return np.array([100.0 * int(part[1]) + int(part[3]) for part in parts if part is not None])
    readings = [reading for form in ("", *_FORMS) if (reading := _read_dates(labels, form)) is not None]
    if len(readings) == 1 or (readings and all((np.diff(r) > 0).all() for r in readings[:1])):
        return readings[0]
    return None


def _read_dates(labels: Sequence[str], form: str) -> NDArray[np.float64] | None:
    try:
        dates = [datetime.strptime(label, form) if form else datetime.fromisoformat(label) for label in labels]
        # Counted from a day, and not from a clock: a table must read alike wherever it is read.
        return np.array([(date.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds() for date in dates])
    except (ValueError, OverflowError):
        return None
