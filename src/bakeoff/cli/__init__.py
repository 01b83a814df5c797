"""The command line. Exit codes: 0 done, 2 usage or bad input, 3 the data do not fit the request, 4 some cells of a
run failed, 130 interrupted."""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
from contextlib import contextmanager

from bakeoff import __version__
from bakeoff.cli import lab_grammar, list_grammar, score_grammar, study_grammar
from bakeoff.cli.grammar import Grammar
from bakeoff.errors import BakeoffError

TYPE_CHECKING = False  # as in bakeoff/__init__.py: typing is too expensive for --help
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

__all__ = ["main", "parser"]

# By what one has.
GROUPS = (
    ("with a file of scores, predictions or logs", score_grammar.COMMANDS),
    ("with a study", study_grammar.COMMANDS),
    ("with a question, before there are data", lab_grammar.COMMANDS),
    ("to look things up", list_grammar.COMMANDS),
)
COMMANDS = tuple(command for _, commands in GROUPS for command in commands)
_BEGIN = """\
begin with:
  bakeoff demo                 see it work: a real study, from data to verdict, in less than a minute
  bakeoff compare scores.csv   a verdict on scores that you have
  bakeoff init                 a study file that runs as it is; then bakeoff run study.toml
"""
_EPILOG = """\
exit codes: 0 done; 2 usage or bad input; 3 the data do not fit the request; 4 some cells of a run failed;
130 stopped with Ctrl-C
"""


# Between two looks for garbage. By default they are seven hundred, and a tenth of a short command goes into looking;
# all modules of a verdict together make a hundred thousand, which no look can free.
_NEW_OBJECTS = 200_000


_LESS_MEMORY = (
    "Raise the limit of the process, if it has one (ulimit), use fewer workers (-j), or keep data that are large as "
    "Parquet, of which a file above 1 GB is read by row groups."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A user's mistake is a message, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show is shown with a replacement, rather than ending the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if argv is None:  # a process of its own, most of whose objects are modules: they stay to its end
        gc.set_threshold(_NEW_OBJECTS)
        atexit.register(gc.freeze)  # nor is there anything to free when the system takes it all back
        # Numpy's threads wait for work by asking for it, a tenth of a second each, and commands have none for them.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    argv = sys.argv[1:] if argv is None else list(argv)
    arguments, rest = parser(*argv[:1]).parse_known_args(argv)
    if arguments.command is None:
        from pathlib import Path

        from bakeoff.cli.here import next_steps

        print(next_steps(Path()))
        return 2
    if rest and not arguments.takes_options:
        arguments.grammar.unrecognised(rest)
    if hasattr(arguments, "json") and str(getattr(arguments, "output", None) or "").lower().endswith(".json"):
        arguments.json = True  # the ending says what is written
    from importlib import import_module

    code, message = 0, ""
    try:
        if arguments.home not in WITHOUT_SCIPY:
            _import_lightly()
        # The command's module is imported only now: --help and --version load nothing heavy.
        home = import_module(f"bakeoff.cli.{arguments.home}")
        code = getattr(home, f"run_{arguments.command}")(arguments, rest) or 0  # only a gate answers by its code
        sys.stdout.flush()
    except BakeoffError as error:
        code, message = error.exit_code, str(error)
    except MemoryError as error:
        code, message = 2, f"The memory is not enough for this ({error or 'none is left'}). {_LESS_MEMORY}"
    except KeyboardInterrupt:
        code, message = 130, "interrupted"
    except BrokenPipeError:
        if not _nobody_reads(sys.stdout):
            raise  # it was another pipe: the command has not done what it should
        _ignore_the_rest(sys.stdout)
    if message:
        from bakeoff.text import shown_as_text

        try:
            print(f"bakeoff: {shown_as_text(message)}", file=sys.stderr, flush=True)
        except BrokenPipeError:
            _ignore_the_rest(sys.stderr)
    return code


WITHOUT_SCIPY = ("conduct", "demo", "serve", "study")  # modules of commands which some need, and then import themselves
# Of numpy's namespace, what is loaded by those who ask for it.
_SELDOM = ("core", "ctypeslib", "f2py", "ma", "matlib", "polynomial", "testing")


def _import_lightly() -> None:
    """Import scipy's functions without the rarely used rest of numpy, which takes half as long again as all of ours.

    They copy numpy's whole namespace, and thereby load its Fortran interface and its tools for tests. Here they copy
    modules that load what they stand for when something is asked of them. Nor are the docstrings of all functions taken
    apart and put together again, with a table of who else's arrays they take. A command has its process to itself; a
    library must not do such a thing.
    """
    if "scipy.special" in sys.modules:
        return
    from importlib import import_module
    from types import ModuleType

    import numpy

    standing_in = {name: ModuleType(f"numpy.{name}") for name in _SELDOM if name not in vars(numpy)}
    for name, module in standing_in.items():
        vars(module)["__getattr__"] = lambda attribute, name=name: getattr(import_module(f"numpy.{name}"), attribute)
        setattr(numpy, name, module)
    try:
        with _docstrings_as_they_are():
            import_module("scipy.special")
    finally:
        for name, module in standing_in.items():
            if vars(numpy).get(name) is module:  # whoever imported the real one has put it there
                delattr(numpy, name)


@contextmanager
def _docstrings_as_they_are() -> Iterator[None]:
    """Let scipy's functions keep the docstrings that they were compiled with, if this version would change them."""
    from importlib import import_module

    try:
        names = vars(import_module("scipy._lib._array_api"))
        parser = names["FunctionDoc"]
    except (ImportError, KeyError):  # another version, which has other ways
        yield
        return
    names["FunctionDoc"] = _Docstring
    try:
        yield
    finally:
        names["FunctionDoc"] = parser


class _Docstring(dict):  # type: ignore[type-arg]  # subscripts are not there before Python runs typing's part
    """A docstring as scipy's parser would give it, a signature in the first line and sections, but in one piece."""

    def __init__(self, function: object) -> None:
        super().__init__(Notes=[])
        self.text = f"()\n{function.__doc__ or ''}"

    def __str__(self) -> str:
        return self.text


def _nobody_reads(stream: TextIO) -> bool:
    """Whether whoever read from the other end of a pipe has gone, where the system can tell."""
    import select

    try:
        poll = select.poll()
        poll.register(stream.fileno(), 0)  # that it is broken is told without being asked for
        return bool(poll.poll(0))
    except AttributeError:  # there is no such call on Windows
        return True
    except (OSError, ValueError):  # it is no file
        return False


def _ignore_the_rest(stream: TextIO) -> None:
    """The reader has seen enough (`bakeoff … | head`): what is still to be written goes nowhere, quietly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def parser(first: str = "") -> argparse.ArgumentParser:
    """The parser of `bakeoff`, with one subparser a command, which learns its options when it is asked for.

    If the `first` word is a command, none of the others can be meant, and they are left out.
    """
    top = _Top(
        prog="bakeoff",
        description="Which method learns most from the data? Honest comparisons of machine-learning methods.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"bakeoff {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Grammar)
    for command in [command for command in COMMANDS if command.name == first] or COMMANDS:
        about = command.about[0].upper() + command.about[1:] + "."
        added = commands.add_parser(
            command.name, help=command.about, description=about, epilog=_EPILOG, allow_abbrev=False, fill=command.fill
        )
        added.set_defaults(takes_options=command.takes_options, grammar=added, home=command.home)
    return top


class _Top(Grammar):
    """The grammar of `bakeoff` itself, whose help has the commands by what one has."""

    def format_help(self) -> str:
        from shutil import get_terminal_size
        from textwrap import fill

        width, column = max(get_terminal_size().columns - 2, 60), 4 + max(len(command.name) for command in COMMANDS) + 2
        parts = [f"usage: bakeoff COMMAND …\n\n{self.description}\n", _BEGIN]
        for title, commands in GROUPS:
            lines = [
                fill(f"    {c.name:{column - 4}}{c.about}", width, subsequent_indent=" " * column) for c in commands
            ]
            parts.append("\n".join([f"{title}:", *lines, ""]))
        parts.append("options: --version; bakeoff COMMAND --help tells all about one command\n")
        return "\n".join([*parts, _EPILOG])
