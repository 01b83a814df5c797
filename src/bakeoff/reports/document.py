"""A document of paragraphs and tables, and its forms: text, Markdown, HTML, LaTeX and CSV.

What is said is decided once, in the document; a form adds nothing but its own signs. Names come from files of others:
each form has one function that makes text of them, whatever they hold.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape as html_text
from io import StringIO
from math import isnan
from typing import Any

from bakeoff import text as show
from bakeoff.text import markdown_text


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell, and whether it is one of the best; `mark` says how it stands to a reference."""

    text: str
    bold: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it is shown, its first `left` columns being text; and the same as `data` with full precision."""

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    data_header: tuple[str, ...]
    data: tuple[tuple[Any, ...], ...]
    left: int = 1
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A paragraph under a heading. `cited` are keys of the sources that it rests on."""

    heading: str
    text: str
    cited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """Paragraphs, tables, notes and references, in the order in which they are read."""

    title: str
    answer: str
    sections: tuple[Section, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    references: tuple[str, ...]


# ----------------------------------------------------------------------------------------------------------------------
# Text


def as_text(document: Document) -> str:
    parts = [show.wrapped(document.answer)]
    parts += [f"{section.heading}\n{show.wrapped(section.text)}" for section in document.sections]
    for table in document.tables:
        cells = [[cell.text + cell.mark + ("*" if cell.bold else "") for cell in row] for row in table.rows]
        parts.append(f"{show.wrapped(table.caption)}\n\n{show.text_table(table.header, cells, left=table.left)}")
        notes = [*(["* bold elsewhere"] if _any_bold(table) else []), *table.notes]
        parts += [show.wrapped(note) for note in notes]
    parts += [show.wrapped(note, indent="  ") for note in document.notes]
    if document.references:
        parts.append("References\n" + "\n".join(show.wrapped(f"- {each}", indent="  ") for each in document.references))
    return "\n\n".join(parts) + "\n"


def _any_bold(table: Table) -> bool:
    return any(cell.bold for row in table.rows for cell in row)


# ----------------------------------------------------------------------------------------------------------------------
# Markdown, as GitHub and pandoc read it


def as_markdown(document: Document) -> str:
    parts = [f"# {markdown_text(document.title)}"] if document.title else []
    parts += [f"**{markdown_text(document.answer)}**"] if document.answer else []
    parts += [f"## {markdown_text(part.heading)}\n\n{markdown_text(part.text)}" for part in document.sections]
    parts += [_markdown_table(table) for table in document.tables]
    parts += ["\n".join(f"- {markdown_text(note)}" for note in document.notes)] if document.notes else []
    if document.references:
        parts.append("## References\n\n" + "\n".join(f"- {markdown_text(each)}" for each in document.references))
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def shown(cell: Cell) -> str:
        text = markdown_text(cell.text)
        return f"**{text}**{cell.mark}" if cell.bold and text else f"{text}{cell.mark}"

    rule = [":---" if i < table.left else "---:" for i in range(len(table.header))]
    lines = [line(list(map(markdown_text, table.header))), line(rule)]
    lines += [line([shown(cell) for cell in row]) for row in table.rows]
    notes = [markdown_text(note) for note in table.notes]
    return "\n\n".join([f"*{markdown_text(table.caption)}*", "\n".join(lines), *notes])


# ----------------------------------------------------------------------------------------------------------------------
# HTML


_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1.5rem 0 .5rem; border-top: 2px solid; border-bottom: 2px solid; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { padding: .2rem .7rem; text-align: right; font-variant-numeric: tabular-nums; }
thead th { border-bottom: 1px solid; }
.text { text-align: left; }
.note { font-size: .9em; margin: 0 0 .3rem; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e8e8e8; } }
@media print { body { margin: 0; max-width: none; } table { break-inside: avoid; } }
"""


def as_html(document: Document, *, whole: bool = True) -> str:
    """A page by itself, without scripts and without anything from elsewhere; or what would stand in its body."""
    text = _html_text
    parts = [f"<h1>{text(document.title)}</h1>"] if document.title else []
    parts += [f'<p class="answer"><strong>{text(document.answer)}</strong></p>'] if document.answer else []
    parts += [f"<h2>{text(part.heading)}</h2>\n<p>{text(part.text)}</p>" for part in document.sections]
    parts += [html_table(table) for table in document.tables]
    if document.notes:
        parts.append("<ul>" + "".join(f"<li>{text(note)}</li>" for note in document.notes) + "</ul>")
    if document.references:
        listed = "".join(f"<li>{text(each)}</li>" for each in document.references)
        parts.append(f"<h2>References</h2>\n<ul>{listed}</ul>")
    body = "\n".join(parts)
    if not whole:
        return body + "\n"
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{text(document.title)}</title>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}\n<style>\n{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'


def _html_text(text: str) -> str:
    return html_text(show.shown_as_text(text))


def html_table(table: Table) -> str:
    """One table, with a caption, headers that say what they are of, and its notes below."""
    text = _html_text

    def kind(i: int) -> str:
        return ' class="text"' if i < table.left else ""

    def shown(cell: Cell) -> str:
        made = f"<strong>{text(cell.text)}</strong>" if cell.bold else text(cell.text)
        return made + (f"<sup>{text(cell.mark)}</sup>" if cell.mark else "")

    head = "".join(f'<th scope="col"{kind(i)}>{text(name)}</th>' for i, name in enumerate(table.header))
    rows = [
        f'<tr><th scope="row"{kind(0)}>{shown(row[0])}</th>'
        + "".join(f"<td{kind(i)}>{shown(cell)}</td>" for i, cell in enumerate(row[1:], 1))
        + "</tr>"
        for row in table.rows
    ]
    notes = "".join(f'\n<p class="note">{text(note)}</p>' for note in table.notes)
    return (
        f"<table><caption>{text(table.caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(rows)
        + f"\n</tbody></table>{notes}"
    )


# ----------------------------------------------------------------------------------------------------------------------
# LaTeX, with booktabs


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": "'", "-": "{-}",
    "α": r"\ensuremath{\alpha}", "β": r"\ensuremath{\beta}", "χ": r"\ensuremath{\chi}", "δ": r"\ensuremath{\delta}",
    "Δ": r"\ensuremath{\Delta}", "κ": r"\ensuremath{\kappa}", "λ": r"\ensuremath{\lambda}", "Λ": r"\ensuremath{\Lambda}",
    "μ": r"\ensuremath{\mu}", "ρ": r"\ensuremath{\rho}", "σ": r"\ensuremath{\sigma}", "τ": r"\ensuremath{\tau}",
    "±": r"\ensuremath{\pm}", "×": r"\ensuremath{\times}", "−": r"\ensuremath{-}", "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}", "≈": r"\ensuremath{\approx}", "∞": r"\ensuremath{\infty}", "√": r"\ensuremath{\surd}",
    "†": r"\dag{}", "‡": r"\ddag{}", "…": r"\dots{}", "–": "--", "—": "---", "’": "'", "‘": "`",
    "“": "``", "”": "''", "²": r"\textsuperscript{2}", "₁": r"\textsubscript{1}", "₂": r"\textsubscript{2}",
    "\u00a0": "~", "\u200b": "", "→": r"\ensuremath{\rightarrow}", "·": r"\ensuremath{\cdot}", "€": r"\texteuro{}",
}  # fmt: skip
# What pdfLaTeX sets by itself with T1 fonts: the letters of European languages in Latin script.
_SETTABLE = re.compile("[\x20-\x7e¡-¬®-ÿĀ-ĒĔ-ěĜ-ĤĨ-ıĴ-ľŁ-ňŊŋŌ-ŬŮ-žẞ]|\n")
_LETTERS = str.maketrans(_LATEX)
_NEEDS_UNICODE = """\
% Some names hold characters that pdfLaTeX does not know: use LuaLaTeX or XeLaTeX, with a font that has them.
"""
_PACKAGES = "% \\usepackage{booktabs}  \\usepackage[T1]{fontenc}  \\usepackage{textcomp}\n"


def latex_text(text: str) -> str:
    r"""A text that LaTeX sets as it is, in one line.

    >>> print(latex_text("a_b & 50 % of {c} \\input"))
    a\_b \& 50 \% of \{c\} \textbackslash{}input
    """
    text = " ".join(show.shown_as_text(text).split())
    # Of hyphens only neighbours would become dashes; the signs of a text in brackets would become an option of \\.
    text = re.sub(r"-(?=-)", "\ue000", text).translate(_LETTERS | {ord("-"): "-"})
    return text.replace("\ue000", "{-}").replace("[", "{[}").replace("]", "{]}")


def as_latex(document: Document) -> str:
    """Paragraphs and tables to be put into a document that loads booktabs."""
    parts = [f"\\paragraph{{{latex_text(part.heading)}}} {_with_citations(part)}" for part in document.sections]
    parts += [latex_table(table) for table in document.tables]
    parts += [f"% {' '.join(show.shown_as_text(note).split())}" for note in document.notes]
    made = "\n\n".join(parts) + "\n"
    plain = all(_SETTABLE.match(character) for line in made.splitlines() if line[:1] != "%" for character in line)
    return f"{_PACKAGES}{'' if plain else _NEEDS_UNICODE}\n{made}"


def _with_citations(section: Section) -> str:
    cited = f" \\cite{{{','.join(section.cited)}}}." if section.cited else ""
    text = latex_text(section.text)
    return f"{text.removesuffix('.')}{cited}" if cited else text


def latex_table(table: Table) -> str:
    """One table of booktabs, with caption and label."""

    def shown(cell: Cell) -> str:
        text = latex_text(cell.text)
        text = rf"\textbf{{{text}}}" if cell.bold and text else text
        return text + (rf"\textsuperscript{{{latex_text(cell.mark)}}}" if cell.mark else "")

    columns = "l" * table.left + "r" * (len(table.header) - table.left)
    rows = [" & ".join(map(latex_text, table.header)), r"\midrule"]
    rows += [" & ".join(map(shown, row)) for row in table.rows]
    body = "\n".join(row if row == r"\midrule" else f"{row} \\\\" for row in rows)
    notes = "".join(f"\n\n\\smallskip\n{{\\footnotesize {latex_text(note)}\\par}}" for note in table.notes)
    return (
        f"\\begin{{table}}\n\\centering\n\\caption{{{latex_text(table.caption)}}}\n\\label{{tab:{table.name}}}\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}{notes}\n\\end{{table}}"
    )


# ----------------------------------------------------------------------------------------------------------------------
# CSV: one table, with full precision


def as_csv(table: Table) -> str:
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.data_header)
    writer.writerows([["" if _nothing(value) else value for value in row] for row in table.data])
    return file.getvalue()


def _nothing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))


FORMS: dict[str, Callable[[Document], str]] = {
    ".md": as_markdown,
    ".html": as_html,
    ".tex": as_latex,
}
