"""A parser whose refusals are sentences: what was expected, what was found, and where to read more."""

from __future__ import annotations

import argparse

from bakeoff.errors import nearest

TYPE_CHECKING = False  # as in bakeoff/__init__.py: typing is too expensive for --help
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn


class Grammar(argparse.ArgumentParser):
    """As argparse's, without the usage in front of an error. The sub-parsers of one are of the same class."""

    def __init__(self, *arguments: Any, read_more: str = "", **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.read_more = read_more or f"{self.prog} --help"
        self.register("type", int, whole_number)
        self.register("type", float, number)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and leave with the exit code of a wrong option."""
        self.exit(2, f"bakeoff: {in_a_sentence(message)} See `{self.read_more}`.\n")

    def unrecognised(self, rest: Sequence[str]) -> NoReturn:
        """Refuse what no argument takes."""
        self.error(self.about(rest))

    def about(self, rest: Sequence[str], more: str = "", others: Sequence[str] = ()) -> str:
        """What to say of what no argument takes: the flag that was probably meant, of these or of `others`."""
        named = [action for action in self._actions if action.help != argparse.SUPPRESS]
        known = [flag for action in named for flag in action.option_strings if flag.startswith("--")]
        known += others
        flag = next((word for word in rest if word.startswith("--")), None)
        suggestion = "" if flag is None else nearest(flag.partition("=")[0], known).partition("Known are")[0]
        return f"unrecognised arguments: {' '.join(rest)}. {suggestion}{more}".strip()

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is none of the choices, with the nearest of them."""
        if action.choices is None or value in action.choices:
            return
        listed = nearest(str(value), map(str, action.choices))
        if isinstance(action, argparse._SubParsersAction):
            self.error(f"There is no command {value!r}. {listed}")
        raise argparse.ArgumentError(action, f"cannot be {value!r}. {listed}")


def whole_number(text: str) -> int:
    """
    >>> whole_number("10")
    10
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"takes a whole number, but {text!r} was found.") from None


def number(text: str) -> float:
    """
    >>> number("0.05")
    0.05
    """
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"takes a number, but {text!r} was found.") from None


def in_a_sentence(message: str) -> str:
    """What argparse says, as a sentence.

    >>> in_a_sentence("argument -o/--output: expected one argument")
    '-o/--output must be followed by a value, but none was found.'
    >>> in_a_sentence("the following arguments are required: SCORES, --with")
    'Needed, but not found: SCORES, --with.'
    >>> in_a_sentence("argument --b: not allowed with argument --a")
    '--b contradicts --a: give one of them.'
    """
    required = "the following arguments are required: "
    if message.startswith(required):
        return f"Needed, but not found: {message.removeprefix(required)}."
    name, _, reason = message.removeprefix("argument ").partition(": ")
    if not message.startswith("argument ") or not reason:
        return _ended(message)
    if reason.startswith("expected "):
        return f"{name} must be followed by a value, but none was found."
    if reason.startswith("not allowed with argument "):
        return f"{name} contradicts {reason.removeprefix('not allowed with argument ')}: give one of them."
    return _ended(f"{name} {reason}" if reason.startswith(("takes ", "cannot be ")) else f"{name}: {reason}")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


# ----------------------------------------------------------------------------------------------------------------------
# Where the answer of a command goes. Here, and not beside a command, so that none loads what others need.


_TEXTS = ("", ".txt", ".md", ".json", ".log", ".out")


def emit(arguments: argparse.Namespace, text: str) -> None:
    """Print the answer, or write it to the file asked for: whole, or not at all."""
    from bakeoff.text import shown_as_text

    if arguments.output is None:
        print(shown_as_text(text))
        return
    from bakeoff.errors import UsageError

    if not arguments.output:
        raise UsageError("-o names the file to write to, but the name given is empty. Name a file, or leave -o out.")
    from pathlib import Path

    from bakeoff.atomic_files import whole_file
    from bakeoff.figures.figure import KINDS

    target = Path(arguments.output)
    if target.suffix.lower() not in _TEXTS:
        picture = target.suffix.lower().removeprefix(".") in KINDS
        draws = f"--figure {target}" if hasattr(arguments, "figure") else "bakeoff plot"
        raise UsageError(
            f"-o writes the answer as text (.txt, .md) or JSON (.json), and {target} would be "
            + (f"a picture. Name a text file; {draws} draws a figure." if picture else "neither. Name another file.")
        )
    try:
        with whole_file(target) as passing:
            passing.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{target} cannot be written: {error.strerror}. Name a file in a folder that exists."
        ) from error
