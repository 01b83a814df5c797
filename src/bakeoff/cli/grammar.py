"""What the grammars of all commands are made of: a parser whose refusals are sentences, options that several commands
take, and where the answer goes. No more than argparse is imported."""

from __future__ import annotations

import argparse

from bakeoff.errors import nearest, suggestion

TYPE_CHECKING = False  # as in bakeoff/__init__.py: typing is too expensive for --help
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn


class Command:
    """A command: what it is for, what adds its options to its grammar, and the module whose run_NAME carries it out."""

    def __init__(
        self,
        name: str,
        about: str,
        fill: Callable[[argparse.ArgumentParser], None],
        home: str,
        takes_options: bool = False,
    ) -> None:
        self.name, self.about, self.fill, self.home, self.takes_options = name, about, fill, home, takes_options


class Grammar(argparse.ArgumentParser):
    """As argparse's, without the usage in front of an error. The sub-parsers of one are of the same class."""

    def __init__(
        self,
        *arguments: Any,
        read_more: str = "",
        fill: Callable[[argparse.ArgumentParser], None] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.read_more = read_more or f"{self.prog} --help"
        self.register("type", int, whole_number)
        self.register("type", float, number)
        self._fill = fill  # adds the options, once this is the command that was asked for

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's; the options are added first."""
        self._add_options()
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """As argparse's; the options are added first."""
        self._add_options()
        return super().format_help()

    def _add_options(self) -> None:
        fill, self._fill = self._fill, None
        if fill is not None:
            fill(self)

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
        close = "" if flag is None else suggestion(flag.partition("=")[0], known)
        return " ".join(part for part in (f"unrecognised arguments: {' '.join(rest)}.", close, more) if part)

    def options_given(self, arguments: argparse.Namespace) -> dict[str, str]:
        """The options that were said, other than by their defaults: the flag of each by its name."""
        options = [action for action in self._actions if action.option_strings and hasattr(arguments, action.dest)]
        given = [action for action in options if getattr(arguments, action.dest) != action.default]
        return {action.dest: action.option_strings[-1] for action in reversed(given)}

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
# Options that several commands take.


def output(command: argparse.ArgumentParser) -> None:
    """Where the answer goes, and in which form."""
    command.add_argument("--json", action="store_true", help="one JSON object instead of text")
    command.add_argument("-o", "--output", metavar="FILE", help="write the answer to a file instead of the screen")


def paper(command: argparse.ArgumentParser) -> None:
    """What of an answer is written for a paper, and how: beside `output`."""
    group = command.add_argument_group(
        "for a paper", "-o table.tex, .md, .html, .csv or .bib writes what the ending says"
    )
    group.add_argument("--style", choices=("plain", "paper"), help="of the paragraph (screen: plain; files: paper)")
    group.add_argument(
        "--table",
        action="append",
        choices=("learners", "tasks", "pairs", "p", "tests"),
        help="only this table (may be repeated; of a CSV file one: pairs)",
    )


def study(command: argparse.ArgumentParser) -> None:
    """A study file, and where its results are."""
    command.add_argument("study", metavar="STUDY", help="the study file, e.g. study.toml")
    command.add_argument("--store", metavar="FILE", help="where results are kept (default: beside it, study.sqlite)")


def part_of_study(command: argparse.ArgumentParser) -> None:
    """Of which tasks and learners."""
    command.add_argument("--task", action="append", metavar="NAME", help="only this task (may be repeated)")
    command.add_argument("--learner", action="append", metavar="NAME", help="only this learner (may be repeated)")


def other_names(group: argparse._ActionsContainer, flags: str, **options: Any) -> None:
    """Other names that people guess for an option; the help names the one."""
    group.add_argument(*flags.split(), help=argparse.SUPPRESS, **options)


def reading(command: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """What is to be read, and how."""
    what = "files, folders or globs, NAME=PATH, or - for standard input: CSV, Parquet, JSON, xlsx, or of a tool"
    command.add_argument("file", metavar="SCORES", nargs="*" if optional else "+", help=f"{what} (`bakeoff formats`)")
    group = command.add_argument_group("reading")
    table(group)
    part_of_table(group)
    rows = ("tasks", "folds", "runs", "instances")
    group.add_argument("--rows", choices=rows, help="what a row of a wide table is, if headers do not tell")
    group.add_argument("--shape", choices=("long", "wide", "predictions"), help="the shape, if it is mistaken")
    values(group)
    about = "of several tasks with their instances: new instances of these tasks, or new tasks"
    group.add_argument("--about", choices=("items", "problems"), help=about)
    weights = "what counts alike in a mean: instances (default), or clusters, strata or tasks"
    group.add_argument("--weights", choices=("items", "clusters"), help=weights)
    group.add_argument(
        "--unpaired", action="store_true", help="no two learners were scored on the same folds or instances"
    )
    group.add_argument(
        "--runs",
        choices=("independent", "fixed-split", "random-splits"),
        help="what numbered runs of one task are: each on a sample of its own, all on one split with other seeds, or "
        "random splits of one data set (with --ratio)",
    )
    group.add_argument("--ratio", metavar="R", help="of random splits: test size over training size (0.5, 50/100)")


def values(group: argparse._ArgumentGroup) -> None:
    """Which measure, which direction of it, what instances have in common, and what is left out."""
    group.add_argument(
        "--measure",
        action="append",
        metavar="NAME",
        help="the measure to compare by; its name, if the file has none (repeated: several at once)",
    )
    other_names(group, "--metric --metrics --score", dest="measure", action="append")
    related = group.add_mutually_exclusive_group()
    related.add_argument("--cluster", metavar="COLUMN", help="what instances have in common, as passages: a sample")
    related.add_argument("--strata", metavar="COLUMN", help="the same, but a fixed list that the conclusion is about")
    group.add_argument("--ignore", action="append", metavar="COLUMN", help="a column to leave out (may be repeated)")
    group.add_argument(
        "--positive", metavar="CLASS", help="of numbers beside a truth of two labels: whose probabilities they are"
    )
    direction = group.add_mutually_exclusive_group()
    direction.add_argument("--larger-is-better", dest="larger", action="store_true", default=None)
    direction.add_argument("--smaller-is-better", dest="larger", action="store_false", default=None)
    larger = "--higher-is-better --bigger-is-better --maximize --maximise"
    other_names(direction, larger, dest="larger", action="store_true", default=None)
    other_names(direction, "--lower-is-better --minimize --minimise", dest="larger", action="store_false", default=None)


def table(group: argparse._ArgumentGroup) -> None:
    """What the files are, which column is what, and which rows count."""
    group.add_argument("--format", metavar="NAME", help="of the files, if it is mistaken (see `bakeoff formats`)")
    group.add_argument(
        "--columns",
        action="append",
        metavar="ROLE=HEADER,…",
        help="which column is what: learner=config.model,task=config.dataset,repeat=seed",
    )
    group.add_argument(
        "--where", action="append", metavar="COLUMN=VALUE", help="only these rows: status=finished (may be repeated)"
    )
    group.add_argument("--transpose", action="store_true", help="turn the table round first")
    group.add_argument("--average", action="store_true", help="average several values of one cell")


def curve_options(command: argparse._ActionsContainer) -> None:
    """How curves over thresholds are made."""
    bands = "of one test sample: the whole true curve lies in it (default), its height at each place does, or no band"
    command.add_argument("--band", choices=("simultaneous", "pointwise", "none"), help=bands)
    pool = "throw the scores of all test samples together (as is done after leave-one-out), not average their curves"
    command.add_argument("--pool", action="store_true", help=pool)


def figure_options(command: argparse.ArgumentParser) -> None:
    """What a figure looks like."""
    group = command.add_argument_group("figure")
    group.add_argument("--caption", action="store_true", help="title and caption in the figure, not only beside it")
    group.add_argument("--width", type=float, metavar="INCHES", help="of the figure (a column of a paper: 3.3)")
    group.add_argument("--font-size", type=float, default=9.0, metavar="POINTS", help="of its letters (default 9)")
    group.add_argument("--font", default="", metavar="NAME", help="of its letters (default: DejaVu Sans)")


def part_of_table(group: argparse._ArgumentGroup) -> None:
    """Of which tasks and learners, and what becomes of gaps."""
    group.add_argument("--task", action="append", metavar="NAME", help="only this task (may be repeated)")
    group.add_argument("--learner", action="append", metavar="NAME", help="only this learner (may be repeated)")
    group.add_argument("--without", action="append", metavar="NAME", help="all learners but this (may be repeated)")
    group.add_argument(
        "--missing",
        choices=("error", "drop-block", "worst"),
        default="error",
        help="learners without a value: refuse (default), leave the block out, or the worst value seen",
    )


def procedure(group: argparse._ActionsContainer) -> None:
    group.add_argument("--with", dest="procedure", metavar="NAME", help="the procedure; default: the advisor's")


def request(command: argparse.ArgumentParser) -> None:
    """What is asked of the scores."""
    group = command.add_argument_group("request")
    group.add_argument(
        "--contrast",
        action="append",
        metavar="WHAT",
        help="all-pairs (default), control, groups in words: 'tree + forest vs lda', or weights: 'tree=1, lda=-1' "
        "(may be repeated)",
    )
    group.add_argument("--control", metavar="LEARNER", help="hold the others against this learner")
    other_names(group, "--baseline --reference", dest="control")
    other_names(group, "--posthoc --post-hoc", dest="adjust")
    group.add_argument(
        "--adjust", metavar="NAME", help="none, holm, bonferroni, hochberg, …, or the procedure's own (single-step)"
    )
    group.add_argument("--alpha", type=float, default=0.05, metavar="α", help="the error rate (default 0.05)")
    group.add_argument(
        "--alternative",
        choices=("two-sided", "better", "worse"),
        default="two-sided",
        help="of the first learner of each pair; pairs are then read in the order of the file, not of the results",
    )
    group.add_argument("--level", choices=("instances", "resamples", "tasks"), help="read the scores at that level")
    group.add_argument("--anyway", action="store_true", help="go on against advice; the report will say so")


# ----------------------------------------------------------------------------------------------------------------------
# Where the answer of a command goes. Here, and not beside a command, so that none loads what others need.


_TEXTS = ("", ".txt", ".md", ".json", ".log", ".out")
_FORMS = (".md", ".html", ".tex", ".csv", ".bib")  # that what people put in a paper has beside them


def emit(arguments: argparse.Namespace, text: str, form: Callable[[str], str] | None = None) -> None:
    """Print the answer, or write it to the file asked for, whole or not at all; `form` makes it what an ending says."""
    from bakeoff.text import shown_as_text

    if arguments.output is None:
        print(shown_as_text(text))
        return
    ending = check_output(arguments, form is not None)
    from pathlib import Path

    from bakeoff.atomic_files import write_text

    write_text(Path(arguments.output), text + "\n" if form is None or ending not in _FORMS else form(ending))


def check_output(arguments: argparse.Namespace, forms: bool = False) -> str:
    """The ending of the file to write to, if the answer can be written so; before anything is computed for it."""
    if arguments.output is None:
        return ""
    from bakeoff.errors import UsageError

    if not arguments.output:
        raise UsageError("-o names the file to write to, but the name given is empty. Name a file, or leave -o out.")
    from pathlib import Path

    from bakeoff.figures.figure import KINDS

    target = Path(arguments.output)
    ending = target.suffix.lower()
    if ending not in _TEXTS and not (forms and ending in _FORMS):
        draws = f"--figure {target}" if hasattr(arguments, "figure") else "bakeoff plot"
        known = "text (.txt), .md, .html, .tex, .csv, .bib (BibTeX)" if forms else "text (.txt, .md)"
        picture = ending.removeprefix(".") in KINDS
        raise UsageError(
            f"-o writes the answer as {known} or JSON (.json), and {target} would be "
            + (
                f"a picture. Name a text file; {draws} draws a figure."
                if picture
                else "none of them. Name another file."
            )
        )
    return ending
