"""Merging stores: what several runs have written apart, in one store. Done twice, it changes nothing the second time.

Numbers of rows mean something in their own store only. Whatever has a key is the same thing in both; a cell that is
"ok" in one of them is "ok" in the other afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, Table, func, inspect, select, update

from bakeoff.errors import InputError
from bakeoff.measures.response import unpacked
from bakeoff.store.reader import OK, Reader, check_attempt, check_scores, in_portions, score_checksums
from bakeoff.store.schema import (
    CHECKSUM,
    attempt,
    cell,
    learner,
    measure,
    metadata,
    place,
    prediction,
    run,
    score,
    split,
    splitting,
    study,
    study_learner,
    study_measure,
    study_task,
    task,
)
from bakeoff.store.writer import Store

Rows = list[dict[str, Any]]
Numbers = dict[int, int]  # of a row here, by its number there

# What tells a row from others, in whichever store it stands; in the order in which they refer to each other.
_KEYS: dict[Table, tuple[str, ...]] = {
    study: ("key",),
    task: ("key",),
    learner: ("key",),
    measure: ("key",),
    splitting: ("task", "key"),
    split: ("task", "seed", "hash"),
    run: ("study", "started", "environment"),
}
_PARTS = (place, study_task, study_learner, study_measure)  # rows that belong to one of these
_AT_ONCE = 2_000  # cells


@dataclass(frozen=True)
class MergeCounts:
    """What a store has got from others: cells that it did not have, and attempts at cells in all."""

    cells: int
    attempts: int


def merge(target: Store, source: Reader) -> MergeCounts:
    """Write to one store what another holds, all of it in one transaction."""
    with source.snapshot() as there, target.snapshot() as here:
        merging = _Merging(target, here, there)
        for table in _KEYS:
            merging.add_known_by_key(table)
        for table in _PARTS:
            merging.add_parts(table)
        merging.add_records()
        return merging.add_cells()


class _Merging:
    def __init__(self, target: Store, here: Connection, there: Connection) -> None:
        self.target, self.here, self.there = target, here, there
        self.numbers: dict[str, Numbers] = {}
        self._tables = set(inspect(there).get_table_names())

    def add_known_by_key(self, table: Table) -> None:
        """Rows that have a key: those that are not here yet get a number of their own."""
        names = _KEYS[table]
        rows = self._translated(table, _rows(self.there, table))
        known = {
            tuple(row[name] for name in names): row
            for row in _rows(self.here, table, ("id", *names, *_GROWING.get(table, ())))
        }
        number = _last(self.here, table)
        mapped: Numbers = {}
        new: Rows = []
        for row in rows:
            key = tuple(row[name] for name in names)
            there = row["id"]
            if key in known:
                if table is task:
                    self._extend(known[key], row)
                mapped[there] = known[key]["id"]
                continue
            number += 1
            mapped[there] = number
            new.append({**row, "id": number})
        self.numbers[table.name] = mapped
        self._insert(table, new)

    def _extend(self, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
        """A task of samples that are drawn may have more of them in one store than in the other."""
        mine, other = unpacked(ours["truth"]), unpacked(theirs["truth"])
        both = min(len(mine), len(other))
        if not np.array_equal(mine[:both], other[:both]):
            raise InputError(
                f"Task {theirs['name']!r} has other samples in the two stores, though its key is the same."
            )
        if len(other) > len(mine):
            values = {name: theirs[name] for name in ("n", "truth", "units", "notes", CHECKSUM)}
            self.here.execute(update(task).where(task.c.id == ours["id"]).values(**values))

    def add_parts(self, table: Table) -> None:
        """Rows that belong to others, whose first column says to which: they are there as a whole, or not at all."""
        owner = next(iter(table.c)).name
        rows = self._translated(table, _rows(self.there, table))
        owned = set(self.here.execute(select(table.c[owner]).distinct()).scalars())
        self._insert(table, [row for row in rows if row[owner] not in owned])

    def add_records(self) -> None:
        """What is known of studies beside their cells; what was known here first stays."""
        table = metadata.tables.get("record")
        if table is None or "record" not in self._tables:
            return
        names = [column.name for column in table.primary_key]
        known = {tuple(row[name] for name in names) for row in _rows(self.here, table, names)}
        rows = _rows(self.there, table)
        self._insert(table, [row for row in rows if tuple(row[name] for name in names) not in known])

    # Cells

    def add_cells(self) -> MergeCounts:
        added = attempts = 0
        for rows in self._portions():
            known = {
                row.key: (row.id, row.status)
                for some in in_portions([row["key"] for row in rows])
                for row in self.here.execute(select(cell.c.key, cell.c.id, cell.c.status).where(cell.c.key.in_(some)))
            }
            number, mapped, new = _last(self.here, cell), Numbers(), Rows()
            for row in self._translated(cell, rows):
                ours = known.get(row["key"])
                if ours is None:
                    number += 1
                    mapped[row["id"]] = number
                    new.append({**row, "id": number})
                elif ours[1] != OK:
                    mapped[row["id"]] = ours[0]
            self._insert(cell, new)
            added += len(new)
            attempts += self._add_attempts(mapped, {row["id"] for row in new})
            self._settle(
                {mapped[row["id"]]: row["status"] for row in rows if row["id"] in mapped and row["status"] == OK}
            )
            self._add_results(mapped, {row["id"] for row in rows if row["status"] == OK})
        return MergeCounts(added, attempts)

    def _portions(self) -> Iterator[Rows]:
        for first in range(0, _last(self.there, cell) + 1, _AT_ONCE):
            within = cell.c.id.between(first + 1, first + _AT_ONCE)
            rows = [dict(row._mapping) for row in self.there.execute(select(cell).where(within))]
            if rows:
                yield rows

    def _add_attempts(self, mapped: Numbers, new: set[int]) -> int:
        """Attempts that are not here yet, after those that are; their positions in their runs go along."""
        before: dict[int, set[tuple[int, str]]] = {}
        for row in self._of_cells(self.here, attempt, [ours for ours in mapped.values() if ours not in new]):
            before.setdefault(row["cell"], set()).add((row["run"], row["written"]))
        rows: Rows = []
        moved: dict[tuple[int, int], tuple[int, int]] = {}
        for row in self._translated(attempt, self._of_cells(self.there, attempt, mapped), cells=mapped):
            there = row.pop("_there")
            known = before.setdefault(row["cell"], set())
            if (row["run"], row["written"]) in known:
                continue
            known.add((row["run"], row["written"]))
            check_attempt(row, "what is stored of an attempt in the other store")
            moved[there, row["number"]] = (row["cell"], len(known))
            rows.append({**row, "number": len(known)})
        self._insert(attempt, rows)
        table = metadata.tables.get("position")
        if table is not None and "position" in self._tables:
            positions = [
                row for row in self._of_cells(self.there, table, mapped) if (row["cell"], row["number"]) in moved
            ]
            self._insert(
                table,
                [
                    dict(
                        zip(("cell", "number"), moved[row["cell"], row["number"]], strict=True),
                        position=row["position"],
                    )
                    for row in positions
                ],
            )
        return len(rows)

    def _settle(self, states: Mapping[int, str]) -> None:
        for number, status in states.items():
            self.here.execute(update(cell).where(cell.c.id == number, cell.c.status != OK).values(status=status))

    def _add_results(self, mapped: Numbers, finished: set[int]) -> None:
        wanted = {there: here for there, here in mapped.items() if there in finished}
        scores = self._of_cells(self.there, score, wanted)
        _check(scores)
        scores = self._translated(score, scores, cells=wanted)
        valued = [row for row in scores if row["value"] is not None]
        if valued:  # the number of the measure is part of the checksum
            values, measures = np.array([row["value"] for row in valued]), np.array([row["measure"] for row in valued])
            for row, checksum in zip(valued, score_checksums(values, measures).tolist(), strict=True):
                row[CHECKSUM] = checksum
        self._insert(score, [{**row, "_there": None} for row in scores])
        self._insert(
            prediction, self._translated(prediction, self._of_cells(self.there, prediction, wanted), cells=wanted)
        )

    # Rows

    def _of_cells(self, connection: Connection, table: Table, cells: Sequence[int] | Numbers) -> Rows:
        columns = _columns(connection, table)
        rows: Rows = []
        for some in in_portions(sorted(cells)):
            query = select(*columns).where(table.c.cell.in_(some)).order_by(*table.primary_key)
            rows += [_whole(table, row._mapping) for row in connection.execute(query)]
        return rows

    def _translated(self, table: Table, rows: Rows, cells: Numbers | None = None) -> Rows:
        """Rows of the other store that refer to rows of this one."""
        references = {
            column.name: cells
            if key.column.table is cell and cells is not None
            else self.numbers[key.column.table.name]
            for column in table.c
            for key in column.foreign_keys
        }
        translated = []
        for row in rows:
            changed = dict(row)
            if cells is not None:
                changed["_there"] = row["cell"]
            for name, numbers in references.items():
                changed[name] = numbers[row[name]]
            translated.append(changed)
        return translated

    def _insert(self, table: Table, rows: Rows) -> None:
        names = [column.name for column in table.c]
        self.target.insert(self.here, table, [{name: row[name] for name in names} for row in rows])


_GROWING = {task: ("name", "truth")}


def _check(scores: Rows) -> None:
    """That values are what was written, before they get checksums of this store."""
    for number in {row["measure"] for row in scores}:
        rows = [row for row in scores if row["measure"] == number and row["value"] is not None]
        values = np.array([row["value"] for row in rows], dtype=float)
        stored = np.array([np.nan if row[CHECKSUM] is None else row[CHECKSUM] for row in rows], dtype=float)
        check_scores(values, stored, number, "a score of the other store")


def _rows(connection: Connection, table: Table, names: Sequence[str] | None = None) -> Rows:
    columns = _columns(connection, table) if names is None else [table.c[name] for name in names]
    order = [table.c.id] if "id" in table.c else list(table.primary_key)
    rows = connection.execute(select(*columns).order_by(*order))
    return [_whole(table, row._mapping) if names is None else dict(row._mapping) for row in rows]


def _columns(connection: Connection, table: Table) -> list[Any]:
    """The columns that a table has there: older stores lack some."""
    there = {column["name"] for column in inspect(connection).get_columns(table.name)}
    return [column for column in table.c if column.name in there]


def _whole(table: Table, row: Mapping[Any, Any]) -> dict[str, Any]:
    return {column.name: row.get(column.name) for column in table.c}


def _last(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one())
