"""The files that bakeoff and a command exchange: rows out, predictions in."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from math import isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.learners.facts import CLASSIFICATION, DENSITY, Facts
from bakeoff.learners.fitted import InvalidPrediction
from bakeoff.measures.prediction import Prediction
from bakeoff.presentation import listing, shortened

PREDICTION = "prediction"
_SUM_TOLERANCE = 1e-3  # probabilities are often written with four digits


def write_rows(path: str, features: Sequence[str], X: Any, target: str | None = None, y: Any = None) -> None:
    """A CSV file with a header; numbers to the last digit, missing values as empty cells, the target last."""
    rows: Iterable[list[Any]] = (
        X.tolist() if isinstance(X, np.ndarray) else (list(r) for r in X.itertuples(index=False, name=None))
    )
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if target is None:
            writer.writerow(features)
            writer.writerows([_cell(value) for value in row] for row in rows)
        else:
            labels = np.asarray(y).tolist()
            writer.writerow([*features, target])
            writer.writerows(
                [*(_cell(value) for value in row), _cell(label)] for row, label in zip(rows, labels, strict=True)
            )


def read_answer(path: str, facts: Facts, n: int) -> Prediction:
    """The predictions that a command wrote, checked."""
    header, rows = _table(path)
    if PREDICTION not in header:
        found = listing([repr(shortened(name, 40)) for name in header])
        raise InvalidPrediction(f"the output has no column {PREDICTION!r}. Its columns are {found}.")
    if len(rows) != n:
        raise InvalidPrediction(
            f"expected were {n} predictions, one for each test row; the output has {len(rows)} rows."
        )
    answers = [row[header.index(PREDICTION)].strip() for row in rows]
    if facts.kind != CLASSIFICATION:
        return Prediction(_numbers(answers, PREDICTION, facts.kind == DENSITY))
    known = _codes_by_text(facts.classes)
    unknown = [answer for answer in answers if answer not in known]
    if unknown:
        some = [repr(shortened(text, 40)) for text in dict.fromkeys(unknown)]
        raise InvalidPrediction(
            f"{len(unknown)} of {n} predictions are no class of the data: {listing(some, 3)}. The classes are "
            f"{listing([str(label) for label in facts.classes])}."
        )
    codes = np.array([known[answer] for answer in answers], dtype=np.int64)
    scores = _probabilities(header, rows, facts.classes)
    return Prediction(codes, scores, scores is not None)


def _table(path: str) -> tuple[list[str], list[list[str]]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except FileNotFoundError:
        raise InvalidPrediction("the command wrote no output file.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidPrediction(f"the output is no CSV file in UTF-8: {error}.") from None
    if not rows:
        raise InvalidPrediction("the output file is empty.")
    header = [name.strip() for name in rows[0]]
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(header):
            raise InvalidPrediction(f"row {number} of the output has {len(row)} cells; the header has {len(header)}.")
    return header, rows[1:]


def _probabilities(header: list[str], rows: list[list[str]], classes: tuple[Any, ...]) -> NDArray[np.float64] | None:
    """The columns named as the classes, if there are any: for two classes the second one's."""
    by_text = _codes_by_text(classes)
    column_of = {by_text[name]: place for place, name in enumerate(header) if name != PREDICTION and name in by_text}
    if not column_of:
        return None
    absent = [str(label) for code, label in enumerate(classes) if code not in column_of]
    if absent:
        raise InvalidPrediction(f"the output has probabilities, but none for the class {listing(absent)}.")
    columns = [
        _numbers([row[column_of[code]].strip() for row in rows], str(label)) for code, label in enumerate(classes)
    ]
    table = np.column_stack(columns)
    if (table < 0).any() or (np.abs(table.sum(axis=1) - 1) > _SUM_TOLERANCE).any():
        raise InvalidPrediction("the probabilities of a row of the output are negative or do not add up to one.")
    return table[:, 1].copy() if len(classes) == 2 else table


def _numbers(texts: list[str], column: str, impossible_allowed: bool = False) -> NDArray[np.float64]:
    found = np.empty(len(texts))
    for place, text in enumerate(texts):
        try:
            found[place] = float(text)
        except ValueError:
            found[place] = np.nan
        # The log density of a row that the model holds to be impossible is minus infinity.
        if not isfinite(found[place]) and not (impossible_allowed and found[place] == -np.inf):
            raise InvalidPrediction(
                f"column {column!r} of the output has {shortened(text, 40)!r} in row {place + 1}; a number is expected."
            )
    return found


def _codes_by_text(classes: tuple[Any, ...]) -> dict[str, int]:
    """Each class by the texts a program may write for it: 1 is also 1.0, and True is also TRUE and true.

    >>> _codes_by_text((0.0, 1.0))
    {'0.0': 0, '0': 0, '1.0': 1, '1': 1}
    """
    by_text: dict[str, int] = {}
    for code, label in enumerate(classes):
        texts = [str(label).strip()]
        if isinstance(label, (bool, np.bool_)):
            texts += [texts[0].upper(), texts[0].lower()]
        elif isinstance(label, (int, float, np.number)) and float(label).is_integer():
            texts += [str(int(label)), str(float(label))]
        for text in texts:
            by_text.setdefault(text, code)
    return by_text


def _cell(value: Any) -> Any:
    """A value as it is written: nothing for None, NaN and pandas' own signs of a missing value."""
    if isinstance(value, float):
        return "" if isnan(value) else repr(value)
    return "" if value is None or type(value).__name__ in ("NAType", "NaTType") else value
