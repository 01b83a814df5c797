"""Where the answer of a command goes."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bakeoff.errors import UsageError


def emit(arguments: argparse.Namespace, text: str) -> None:
    """Print the answer, or write it to the file asked for: whole, or not at all."""
    if arguments.output is None:
        print(text)
        return
    target = Path(arguments.output)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError(
            f"{target} cannot be written: {error.strerror}. Name a file in a folder that exists."
        ) from error
