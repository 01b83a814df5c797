"""A batch of results as rows of tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

from bakeoff.stores.blobs import packed
from bakeoff.stores.records import Attempted, CellRecord
from bakeoff.stores.schema import RESOURCES

OK = "ok"
_NO_RESOURCES: dict[str, float | None] = dict.fromkeys(RESOURCES)


class Known(NamedTuple):
    """A cell that was tried before."""

    id: int
    status: str
    tries: int


@dataclass
class Batch:
    """Rows to be inserted, table by table; `changed` are cells that were there and have a new status."""

    run_id: int
    now: str
    next_cell: int
    measures: Mapping[str, int]
    known: dict[bytes, Known]
    cells: list[dict[str, Any]] = field(default_factory=list)
    attempts: list[dict[str, Any]] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)
    predictions: list[dict[str, Any]] = field(default_factory=list)
    changed: dict[int, str] = field(default_factory=dict)

    def add(self, record: CellRecord, attempted: Attempted) -> None:
        status = str(attempted.status)
        before = self.known.get(record.key)
        if before is None:
            cell_id, number = self.next_cell, 1
            self.next_cell += 1
            self.cells.append(
                {
                    "id": cell_id,
                    "key": record.key,
                    "learner": record.learner_id,
                    "split": record.split_id,
                    "seed": record.seed,
                    "status": status,
                }
            )
        elif before.status == OK:
            return
        else:
            cell_id, number = before.id, before.tries + 1
            self.changed[cell_id] = status
        self.known[record.key] = Known(cell_id, status, number)
        self._attempt(cell_id, number, status, attempted)
        if status == OK:
            self._scores(cell_id, attempted)
            self._prediction(cell_id, attempted)

    def _attempt(self, cell_id: int, number: int, status: str, attempted: Attempted) -> None:
        odd = attempted.resources.keys() - _NO_RESOURCES.keys()
        if odd:
            raise ValueError(f"There is no column for {', '.join(sorted(odd))}; known are {', '.join(RESOURCES)}.")
        self.attempts.append(
            {
                "cell": cell_id,
                "number": number,
                "run": self.run_id,
                "status": status,
                "message": storable(attempted.message),
                "detail": storable(attempted.detail),
                "written": self.now,
                **_NO_RESOURCES,
                **attempted.resources,
                "notes": json.dumps(attempted.notes) if attempted.notes else "[]",
            }
        )

    def _scores(self, cell_id: int, attempted: Attempted) -> None:
        for name, value in attempted.scores.items():
            value = float(value)
            if isnan(value):
                self._score(cell_id, name, None, "the value is not a number")
            else:
                self._score(cell_id, name, value, None)
        for name, reason in attempted.undefined.items():
            if name not in attempted.scores:
                self._score(cell_id, name, None, storable(reason))

    def _score(self, cell_id: int, name: str, value: float | None, reason: str | None) -> None:
        self.scores.append({"cell": cell_id, "measure": self.measures[name], "value": value, "reason": reason})

    def _prediction(self, cell_id: int, attempted: Attempted) -> None:
        made = attempted.prediction
        if made is None:
            return
        scores = made.scores
        self.predictions.append(
            {
                "cell": cell_id,
                "predicted": packed(made.values),
                "scores": None if scores is None else packed(scores),
                "columns": None if scores is None or scores.ndim == 1 else scores.shape[1],
                "probabilistic": made.probabilistic,
            }
        )


def storable(text: str) -> str:
    """What a learner said, as a database takes it: without halves of characters and zero bytes.

    >>> storable("caf\\udce9\\0")
    'caf\\\\udce9\\\\0'
    """
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
