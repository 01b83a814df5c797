"""Inserting many rows: the statement is compiled by SQLAlchemy once, and the rows go to the driver as they are.

Core would look at every parameter of every row, which costs more than SQLite itself. The types stored here (whole and
floating-point numbers, texts, bytes, booleans) need no conversion by any driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, Table, insert


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have every column of the table."""
    if rows:
        statement, parameters = _compiled(table, connection.dialect)
        connection.exec_driver_sql(statement, [parameters(row) for row in rows])


@lru_cache(maxsize=64)
def _compiled(table: Table, dialect: Dialect) -> tuple[str, Callable[[Mapping[str, Any]], Any]]:
    compiled = insert(table).compile(dialect=dialect)
    order = compiled.positiontup
    # A driver with named parameters takes the rows themselves.
    return str(compiled), dict if order is None else itemgetter(*order)
