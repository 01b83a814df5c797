"""Pages that the code writes: which test when, the Python interface, the commands, measures, and the gallery."""

from __future__ import annotations

import argparse
import inspect
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from html import escape
from importlib.resources import files
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from make_site import Page
from procedure_docs import escaped

import bakeoff
from bakeoff.cli import COMMANDS, main, parser
from bakeoff.procedures import procedures
from bakeoff.procedures.card import Card, Compares

EXPLANATIONS, REFERENCE, GALLERY = "Explanations", "Reference", "Gallery"


def generated(target: Path) -> Iterator[tuple[str, Page]]:
    """(group of the navigation, page); figures are put into the folder of the site."""
    yield EXPLANATIONS, Page("Which test when", "which-test-when.html", which_test_when())
    yield REFERENCE, Page("Commands", "commands.html", commands())
    yield REFERENCE, Page("Python", "python.html", interface())
    yield REFERENCE, Page("Measures", "measures.html", measures())
    yield GALLERY, Page("Figures", "figures.html", gallery(target / "figures"))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; its cells are Markdown already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# ----------------------------------------------------------------------------------------------------------------------
# Which test when: a chart from the cards.


_BLOCKS = {
    ("instances", True): ("The same test instances, answered by all", "a test set, benchmark items, forecasts"),
    ("instances", False): ("Test instances of each learner's own", "two test sets"),
    ("resamples", True): (
        "Resamples of one data set, shared by all",
        "folds, repeats, bootstrap samples, shared seeds",
    ),
    ("resamples", False): ("Runs of each learner's own", "seeds, samples that nobody shares"),
    ("tasks", True): ("Several data sets", "a benchmark suite"),
    ("tasks", False): ("Data sets of each learner's own", ""),
}
_HOW_MANY = {Compares.ONE: "One learner", Compares.PAIR: "Two learners", Compares.MANY: "Several learners"}
_INTRO = """\
# Which test when

The design chooses the test, never a look at its result. First: what is a **block**, the thing that all learners were
measured on together? Then: how many learners? In each column the topmost procedure that fits is what `bakeoff advise`
recommends. Those in grey answer whoever asks for them by name: they pool what need not be alike, and say so. Procedures
for two also compare several, pair by pair with an adjustment.

This chart is drawn from the [cards](procedures.html) of the procedures.
"""


def which_test_when() -> str:
    cards = [procedure.card for procedure in procedures()]
    boxes = []
    for (level, paired), (title, such_as) in _BLOCKS.items():
        here = [card for card in cards if card.level.value == level and card.paired is paired]
        ways = []
        for compares, name in _HOW_MANY.items():
            listed = sorted(
                (card for card in here if card.compares is compares), key=lambda card: (bool(card.pooled), card.rank)
            )
            if listed:
                ways.append(f"<div><h4>{name}</h4>\n<ul>\n{''.join(_entry(card) for card in listed)}</ul></div>")
        about = f" <small>({such_as})</small>" if such_as else ""
        scopes = " or ".join(dict.fromkeys(card.speaks_about.value for card in here))
        head = f"<h3>{title}{about}</h3>\n<p>A conclusion speaks about {escape(scopes)}.</p>"
        boxes.append(f'<section>\n{head}\n<div class="ways">\n' + "\n".join(ways) + "\n</div>\n</section>")
    chart = '<div class="chart">\n' + "\n".join(boxes) + "\n</div>"
    return f"{_INTRO}\n{chart}\n"


def _entry(card: Card) -> str:
    kind = ' class="named"' if card.pooled else ""
    return f'<li{kind}><a href="procedures.html#{card.name}">{card.name}</a> {escape(card.recommended_for)}</li>\n'


# ----------------------------------------------------------------------------------------------------------------------
# The commands, from their grammar.


_COMMANDS = """\
# Commands

`bakeoff COMMAND --help` says the same in the terminal. Exit codes: 0 done, 2 usage or bad input, 3 the data do not fit
the request, 4 some cells of a run failed, 130 stopped with Ctrl-C; of a gate also 1 fail and 5 undecided.
"""


def commands() -> str:
    (choices,) = [action.choices for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    parts = [_COMMANDS]
    for command in COMMANDS:
        grammar = choices[command.name]
        grammar.format_help()  # the options are there once they are asked for
        usage = " ".join(grammar.format_usage().removeprefix("usage: ").split())
        parts.append(f"## bakeoff {command.name}\n\n{escaped(command.about[0].upper() + command.about[1:])}.")
        parts.append(f"```text\n{_folded(usage)}\n```")
        rows = [
            [_called(action), escaped(_help_of(action, grammar))]
            for action in grammar._actions
            if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction)
        ]
        if rows:
            parts.append(table(["argument", "meaning"], rows))
    return "\n\n".join(parts) + "\n"


def _folded(usage: str, width: int = 88) -> str:
    """A usage in lines, broken between arguments only."""
    lines = [""]
    for word in re.findall(r"\[[^\]]*\]|\{[^}]*\}|\S+", usage):
        if len(lines[-1]) + len(word) > width:
            lines.append("    ")
        lines[-1] += f"{'' if not lines[-1].strip() else ' '}{word}"
    return "\n".join(lines)


def _called(action: argparse.Action) -> str:
    value = action.metavar or (
        ""
        if action.nargs == 0
        else "{" + ",".join(map(str, action.choices)) + "}"
        if action.choices
        else action.dest.upper()
    )
    value = " ".join(value) if isinstance(value, tuple) else value
    flags = ", ".join(f"`{flag}`" for flag in action.option_strings)
    return (f"{flags} `{value}`" if flags and value else flags or f"`{value}`").replace("|", "\\|")


def _help_of(action: argparse.Action, grammar: argparse.ArgumentParser) -> str:
    return grammar._get_formatter()._expand_help(action) if action.help else ""


# ----------------------------------------------------------------------------------------------------------------------
# The Python interface, from docstrings.


def interface() -> str:
    named = [(name, getattr(bakeoff, name)) for name in bakeoff.__all__ if name != "__version__"]
    kinds = [
        ("Functions", [(name, thing) for name, thing in named if not inspect.isclass(thing)]),
        ("Classes", [(n, t) for n, t in named if inspect.isclass(t) and not issubclass(t, BaseException)]),
        ("Errors and warnings", [(n, t) for n, t in named if inspect.isclass(t) and issubclass(t, BaseException)]),
    ]
    parts = ["# Python\n\n`import bakeoff` loads nothing heavy; names are imported when they are first used.\n"]
    for title, things in kinds:
        parts.append(f"## {title}")
        for name, thing in things:
            parts.append(f"### {name}\n\n{_signature(f'bakeoff.{name}', thing)}\n\n{prose(thing)}")
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                parts += _members(name, thing)
    return "\n\n".join(parts) + "\n"


def _signature(name: str, thing: Any) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        text = "(…)"
    text = re.sub(r"<factory>|<object object at \w+>", "…", text)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", re.sub(r"<\w+\.\w+: ([^>]*)>", r"\1", text))
    words = f"{name}{text}"
    if len(words) > 88:
        inner = re.split(r", (?![^\[(]*[\])])", text[1 : text.rindex(")")])
        words = f"{name}(\n" + "".join(f"    {part},\n" for part in inner) + text[text.rindex(")") :]
    return f"```python sketch\n{words}\n```"


def _members(name: str, thing: type) -> Iterator[str]:
    """Public methods and properties that say what they do."""
    for member, value in vars(thing).items():
        if member.startswith("_"):
            continue
        if isinstance(value, classmethod | staticmethod):
            value = value.__func__
        if inspect.isfunction(value) and value.__doc__:
            yield f"#### {name}.{member}\n\n{_signature(f'{name}.{member}', value)}\n\n{prose(value)}"
        elif (isinstance(value, property) or hasattr(value, "func")) and inspect.getdoc(value):
            yield f"#### {name}.{member}\n\n{prose(value)}"


def prose(thing: Any) -> str:
    """A docstring as Markdown: examples are code, all else is text."""
    lines, output, inside = (inspect.getdoc(thing) or "").splitlines(), [], False
    for line in lines:
        if line.lstrip().startswith(">>>") and not inside:
            output += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            output.append("```")
            inside = False
        output.append(line if inside or line.startswith("    ") else line.replace("<", "&lt;"))
    return "\n".join([*output, *(["```"] if inside else [])])


# ----------------------------------------------------------------------------------------------------------------------
# Measures and figures.


_MEASURES = """\
# Measures

A measure owns its direction and its range: nobody else asks whether larger is better. Those below are computed from
stored predictions at any time, or measured by a run; names of scikit-learn's scorers are measures too, and
[studies](studies.html#measures) tell how to describe one of your own.
"""


def measures() -> str:
    from bakeoff.measures.measure import other_names
    from bakeoff.measures.responses import COMPUTED
    from bakeoff.text import number

    rows = [
        [
            f"`{each.name}`",
            each.measure.better,
            f"{number(each.measure.lower)} … {number(each.measure.upper)}",
            escaped(", ".join(each.kinds)),
            escaped(each.needs),
            escaped(", ".join(other_names(each.name))),
            escaped(each.note),
        ]
        for each in COMPUTED.values()
    ]
    header = ["measure", "better", "range", "tasks", "needs", "also called", "note"]
    return f"{_MEASURES}\n{table(header, rows)}\n"


def gallery(folder: Path) -> str:
    """Every kind of figure, drawn from data that come with bakeoff by the command that is shown."""
    from bakeoff.figures import charts

    folder.mkdir(parents=True, exist_ok=True)
    parts = [_GALLERY]
    with TemporaryDirectory() as place, chdir(place):
        _examples()
        for kind, chart in charts().items():
            command = next((words for words in _ways(kind) if _done(words)), None)
            if command is None:
                raise SystemExit(f"No example of the gallery suits the figure {kind!r}: add one to _ways.")
            shutil.copyfile(f"{kind}.svg", folder / f"{kind}.svg")
            about = escape(chart.kinds[kind])
            parts.append(
                f'## {kind}\n\n<figure><div class="sheet"><img src="{folder.name}/{kind}.svg" alt="{about}"></div>\n'
                f"<figcaption>{about}</figcaption></figure>\n\n```console\n$ bakeoff {shlex.join(command)}\n```"
            )
    return "\n\n".join(parts) + "\n"


_GALLERY = """\
# Figures

Every kind of figure that `bakeoff plot` draws. `scores.csv` is C4.5 and three ensembles of it on 33 data sets, which
`bakeoff demo --scores` writes; `study.toml` a small study of three learners; the other tables are made up, and any of
that shape will do. Each figure has its table (`to_frame()`),
is drawn on an ax of yours (`draw(ax)`) and saved as SVG, PDF or PNG. `bakeoff plot` lists the kinds.
"""
_STUDY = """\
measures = ["error", "fit_time"]
resampling = { scheme = "cross-validation", folds = 5, repeats = 2 }
task = [{ data = "heart" }]
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
[[learner]]
name = "logistic"
path = "sklearn.linear_model.LogisticRegression"
prepare = "standard"
"""


def _examples() -> None:
    """The files that figures are drawn of, in this folder."""
    shutil.copyfile(str(files("bakeoff") / "data" / "dietterich2000.csv"), "scores.csv")
    Path("study.toml").write_text(_STUDY, encoding="utf-8")
    for kind, (header, rows) in _plain_tables().items():
        lines = [
            header,
            *(",".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row) for row in rows),
        ]
        Path(f"{kind}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if not _done(["run", "study.toml", "--quiet"]):
        raise SystemExit("The study of the gallery did not run.")


def _plain_tables() -> dict[str, tuple[str, list[tuple[object, ...]]]]:
    """Small tables of one's own, for figures that take any: made up, but of the shape that they have."""
    rate = {"tree": (0.15, 0.9), "forest": (0.08, 0.8), "bayes": (0.2, 0.3)}
    curves: list[tuple[object, ...]] = [
        (name, n, fold, least + room / n**0.5 + 0.01 * (fold - 2) * (10 / n) ** 0.3)
        for name, (least, room) in rate.items()
        for n in (10, 30, 100, 300, 1000)
        for fold in (1, 2, 3)
    ]
    surface: list[tuple[object, ...]] = [
        (depth, leaf, 0.9 - 0.01 * (depth - 5) ** 2 - 0.003 * (leaf - 4) ** 2)
        for depth in range(1, 9)
        for leaf in range(1, 9)
    ]
    effects = [("depth", 8.1), ("leaf", -0.6), ("trees", 4.9), ("depth:leaf", 0.4), ("depth:trees", -3.9)]
    effects += [("leaf:trees", 0.7), ("depth:leaf:trees", 0.2)]
    power = [
        (test, n, 1 - (1 - 0.05) * share**n)
        for test, share in (("paired t", 0.9), ("sign", 0.93))
        for n in range(5, 60, 5)
    ]
    return {
        "learning-curve": ("learner,n_train,fold,error", curves),
        "difference": ("learner,n_train,fold,error", [row for row in curves if row[0] != "bayes"]),
        "interaction": ("learner,factor,fold,error", curves),
        "contour": ("depth,leaf,accuracy", surface),
        "half-normal": ("term,effect", list(effects)),
        "power": ("test,tasks,power", list(power)),
    }


def _ways(kind: str) -> Iterator[list[str]]:
    """Commands that may draw a figure of that kind, the usual first."""
    out = ["-o", f"{kind}.svg"]
    yield ["plot", kind, "scores.csv", "--measure", "error", *out]
    yield ["plot", kind, "study.toml", *out]
    yield ["plot", kind, "study.toml", "--measure", "error", *out]
    yield ["plot", kind, f"{kind}.csv", *out]
    yield ["plot", kind, "study.toml", "--measure", "error", "--measure", "fit_time", *out]
    bayesian = ["--with", "bayes-sign", "--margin", "0.5"]
    yield ["plot", kind, "scores.csv", "--measure", "error", *bayesian, *out]


def _done(command: Sequence[str]) -> bool:
    """Whether a command does what it is asked for, without a word."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            return main(command) == 0
        except SystemExit:
            return False
