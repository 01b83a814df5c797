"""What SQLite complains about, in sentences that say what is kept and what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from bakeoff.errors import InputError

_NOT_A_DATABASE = (
    "This is not a store of bakeoff: the file is no SQLite database. Name the store of a study, or another file to "
    "make a new one."
)
_FULL = (
    "The disk is full. Nothing of the last batch of results was written; all batches before are kept. Make room, "
    "and run the study again: it goes on where it stopped."
)
_DAMAGED = (
    "The store is damaged: it is shorter than it says, or its pages contradict each other. Restore it from a backup; "
    "`sqlite3 STORE .recover` may save what is legible."
)
_READ_ONLY = (
    "The store may not be written to. Give yourself the right to write to the file and to its folder, or copy it to a "
    "folder of your own."
)
_SENTENCES = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_NOTADB: _NOT_A_DATABASE,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: "The store cannot be opened. See that its folder exists and that you may read the file "
    "and write to the folder, where SQLite keeps two more files while a store is in use.",
    sqlite3.SQLITE_PERM: "The store may not be opened: you have no right to.",
    sqlite3.SQLITE_BUSY: "The store is in use by another program for longer than half a minute. Close that program and "
    "run the study again: it goes on where it stopped.",
}
_READING_OR_WRITING = (
    "The disk failed while the store was read or written, or is full. What was finished before is kept. See to the "
    "disk, and run the study again: it goes on where it stopped."
)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns complaints of the database about the file or the disk into an InputError; others are our mistakes."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        original = error.orig if isinstance(error, DBAPIError) else error
        code = getattr(original, "sqlite_errorcode", 0) & 0xFF  # the upper bytes tell details of the same complaint
        sentence = _READING_OR_WRITING if code == sqlite3.SQLITE_IOERR else _SENTENCES.get(code)
        if sentence is None:
            raise
        raise InputError(sentence, source=str(path)) from error


def not_a_database(path: Path) -> InputError:
    return InputError(_NOT_A_DATABASE, source=str(path))


def read_only(path: Path) -> InputError:
    return InputError(_READ_ONLY, source=str(path))
