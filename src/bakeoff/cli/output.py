"""Where the answer of a command goes."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.errors import UsageError
from bakeoff.whole_files import whole


def emit(arguments: argparse.Namespace, text: str) -> None:
    """Print the answer, or write it to the file asked for: whole, or not at all."""
    if arguments.output is None:
        print(text)
        return
    if not arguments.output:
        raise UsageError("-o names the file to write to, but the name given is empty. Name a file, or leave -o out.")
    target = Path(arguments.output)
    try:
        with whole(target) as passing:
            passing.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{target} cannot be written: {error.strerror}. Name a file in a folder that exists."
        ) from error
