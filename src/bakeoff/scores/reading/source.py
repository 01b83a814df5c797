"""From a path to bytes, and every way in which that can go wrong, in prose."""

from __future__ import annotations

import errno
import os

from bakeoff.errors import InputError
from bakeoff.scores.reading.raw import shorten

EXPECTED = "A CSV or Parquet file was expected"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file. It is opened once and read once, so a pipe will do as well."""
    source = source_name(path)
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise InputError(
            "There is no such file. Check the spelling and the folder you are in.", source=source
        ) from None
    except IsADirectoryError:
        raise InputError(f"{EXPECTED}, but this is a directory. Name one file in it.", source=source) from None
    except PermissionError:
        raise InputError(
            "This file may not be read by you. Ask its owner for permission to read it, or copy it.", source=source
        ) from None
    except OSError as error:
        raise InputError(_reason(path, error), source=source) from None
    except ValueError:  # a path with a NUL character in it
        raise InputError("This is no path of a file: it contains a NUL character.", source=source) from None


def _reason(path: str | os.PathLike[str], error: OSError) -> str:
    if error.errno == errno.ENAMETOOLONG:
        length = len(os.fspath(path))
        return f"There is no such file: the path has {length} characters, more than this system allows."
    return f"This file cannot be read ({error.strerror}). {EXPECTED}."


def source_name(path: str | os.PathLike[str]) -> str:
    """The path as messages name it: as the user wrote it, cut in the middle if it is very long."""
    return shorten(os.fspath(path), most=160)


def what_it_looks_like(data: bytes) -> str | None:
    """What a file that is not text seems to be, and what to do about it; None if it may well be text."""
    for magic, sentence in (
        (b"\x1f\x8b", "a gzip archive. Unpack it first (gunzip)"),
        (b"PK\x03\x04", "a zip archive or a spreadsheet. Unpack it, or save the sheet as CSV"),
        (b"\xd0\xcf\x11\xe0", "an old spreadsheet. Save the sheet as CSV"),
        (b"\x89HDF", "an HDF5 file. Export the table as CSV or Parquet"),
        (b"SQLite format 3", "an SQLite database. Export the table as CSV"),
        (b"\xff\xfe", "UTF-16 text. Save it as UTF-8 (in Excel: CSV UTF-8)"),
        (b"\xfe\xff", "UTF-16 text. Save it as UTF-8 (in Excel: CSV UTF-8)"),
    ):
        if data.startswith(magic):
            return f"{EXPECTED}, but this looks like {sentence}."
    if b"\0" in data:
        return (
            f"{EXPECTED}, but this is a binary file: it has a NUL byte at byte {data.index(0)}. "
            "Export the table as CSV (UTF-8) or Parquet."
        )
    return None
