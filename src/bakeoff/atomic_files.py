"""Files that are there as a whole or not at all: written beside their place, and moved there when all is written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from bakeoff.errors import UsageError

_numbers = count()


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """The path to write to. It takes the target's place at the end; after an error, what was there before stays."""
    if not target.name:  # "." and "/", and "" which is the same as "."
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    # A name of its own, not the target's with something added: that could be longer than a name may be.
    passing = target.with_name(f".bakeoff-{os.getpid()}-{next(_numbers)}.part")
    try:
        yield passing
        passing.replace(target)
    finally:
        passing.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> Path:
    """Write a text, whole or not at all."""
    try:
        with whole_file(target) as passing:
            passing.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}. {_advice(error)}") from error
    return target


def _advice(error: OSError) -> str:
    """What to do about a file that could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "Make room there, or name a file on another disk."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "Name a file in a folder that you may write to."
    return "Name a file in a folder that exists."
