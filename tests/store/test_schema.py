"""The tables: portable, and with the rules that the database itself keeps."""

from __future__ import annotations

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateIndex, CreateTable
from store_contract import Registered, ok

from bakeoff.store.schema import APPLICATION_ID, metadata
from bakeoff.store.writer import Store


def test_the_application_id_is_legible_in_the_file() -> None:
    assert APPLICATION_ID.to_bytes(4, "big") == b"bake"


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()], ids=lambda dialect: dialect.name)
def test_every_table_can_be_made(dialect: object) -> None:
    for table in metadata.sorted_tables:
        assert "CREATE TABLE" in str(CreateTable(table).compile(dialect=dialect))  # type: ignore[arg-type]
        for index in table.indexes:
            assert "INDEX" in str(CreateIndex(index).compile(dialect=dialect))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "statement",
    [
        # a second attempt of a cell that is ok already
        "INSERT INTO attempt (cell, number, run, status, message, detail, written, notes) "
        "VALUES (1, 2, 1, 'ok', '', '', '', '')",
        # a cell of a learner that is not there
        "INSERT INTO cell VALUES (9, x'09', 99, 1, 0, 'ok')",
        # another cell for the same learner and split
        "INSERT INTO cell SELECT 9, x'09', learner, split, 0, 'ok' FROM cell",
        # a score of nothing
        "INSERT INTO score VALUES (77, 1, 0.5, NULL, NULL)",
    ],
)
def test_what_the_database_refuses(store: Store, statement: str) -> None:
    Registered(store).write((0, 0, ok()))
    with pytest.raises(IntegrityError), store.snapshot() as connection:
        connection.exec_driver_sql(statement)
