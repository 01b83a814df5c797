"""The command line. Exit codes: 0 done, 2 usage or bad input, 3 the data do not fit the request."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from bakeoff.cli.parser import parser
from bakeoff.errors import BakeoffError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A user's mistake is a message, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show is shown with a replacement, rather than ending the program.
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    arguments, rest = parser().parse_known_args(argv)
    if arguments.command is None:
        parser().print_help()
        return 2
    if rest and not arguments.takes_options:
        parser().error(f"unrecognised arguments: {' '.join(rest)}")
    try:
        # The command's module is imported only now: --help and --version load nothing heavy.
        command = import_module(f"bakeoff.cli.{arguments.command}")
        command.run(arguments, rest)
        sys.stdout.flush()
    except BakeoffError as error:
        print(f"bakeoff: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("bakeoff: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has seen enough (`bakeoff … | head`); closing quietly needs a place for the last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0
