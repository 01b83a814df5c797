"""Rows in bulk, for drivers with positions and for drivers with names."""

from __future__ import annotations

from sqlalchemy import Column, Integer, MetaData, Table, create_engine, insert, select
from sqlalchemy.dialects import postgresql

from bakeoff.stores.inserting import _compiled, insert_rows
from bakeoff.stores.schema import score

TABLE = Table("t", MetaData(), Column("a", Integer), Column("b", Integer))


def test_rows_come_in_whatever_order_their_values_are_in() -> None:
    with create_engine("sqlite://").begin() as connection:
        TABLE.create(connection)
        insert_rows(connection, TABLE, [{"b": 2, "a": 1}, {"a": 3, "b": None}])
        insert_rows(connection, TABLE, [])
        assert [tuple(row) for row in connection.execute(select(TABLE))] == [(1, 2), (3, None)]


def test_a_driver_with_named_parameters_gets_the_rows_themselves() -> None:
    row = {"cell": 1, "measure": 2, "value": 0.5, "reason": None}
    dialect = postgresql.psycopg2.dialect()
    statement, parameters = _compiled(score, dialect)
    assert parameters(row) == row
    assert statement == str(insert(score).compile(dialect=dialect))
    assert "%(cell)s" in statement
