"""Where an answer goes: to the terminal, or to a file. Apart from the commands, so that those about studies do not load
what those about verdicts need."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.atomic_files import whole_file
from bakeoff.errors import UsageError
from bakeoff.text import shown_as_text


def emit(arguments: argparse.Namespace, text: str) -> None:
    """Print the answer, or write it to the file asked for: whole, or not at all."""
    if arguments.output is None:
        print(shown_as_text(text))
        return
    if not arguments.output:
        raise UsageError("-o names the file to write to, but the name given is empty. Name a file, or leave -o out.")
    from bakeoff.figures.figure import KINDS

    target = Path(arguments.output)
    if target.suffix.lower().removeprefix(".") in KINDS:
        draws = f"--figure {target}" if hasattr(arguments, "figure") else "bakeoff plot"
        raise UsageError(
            f"-o writes the answer as text, and {target} would be a picture. Name a text file; {draws} draws a figure."
        )
    try:
        with whole_file(target) as passing:
            passing.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{target} cannot be written: {error.strerror}. Name a file in a folder that exists."
        ) from error
