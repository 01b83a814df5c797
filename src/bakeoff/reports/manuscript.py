"""A document of paragraphs and tables, and its forms: text, Markdown, HTML, LaTeX and CSV.

What is said is decided once, in the document; a form adds nothing but its own signs. Names come from files of others:
each form has one function that makes text of them, whatever they hold.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape as html_text
from io import StringIO
from math import isnan
from textwrap import wrap
from typing import Any

from bakeoff import text as show
from bakeoff.text import latex_text, markdown_text


@dataclass(frozen=True, slots=True)
class TableCell:
    """What stands in a cell, and whether it is one of the best; `mark` says how it stands to a reference."""

    text: str
    bold: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class BoldNote:
    """A note on what is bold in a table."""

    meaning: str


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table as it is shown, its first `left` columns being text; and the same as `data` with full precision."""

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    data_header: tuple[str, ...]
    data: tuple[tuple[Any, ...], ...]
    left: int = 1
    notes: tuple[str | BoldNote, ...] = ()
    of_learners: bool = False  # a column for each, of which there may be many, with names that may be long

    def notes_with(self, sign: str = "Bold:") -> tuple[str, ...]:
        """The notes as texts, with what stands for bold where nothing can be."""
        return tuple(f"{sign} {note.meaning}" if isinstance(note, BoldNote) else note for note in self.notes)


@dataclass(frozen=True, slots=True)
class Section:
    """A paragraph under a heading. `cited` are keys of the sources that it rests on."""

    heading: str
    text: str
    cited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manuscript:
    """Paragraphs, tables, notes and references, in the order in which they are read."""

    title: str
    answer: str
    sections: tuple[Section, ...]
    tables: tuple[PaperTable, ...]
    notes: tuple[str, ...]
    references: tuple[str, ...]


def joined(documents: Sequence[Manuscript]) -> Manuscript:
    """Several documents as one, their tables numbered apart and each source named once."""
    return Manuscript(
        title="; ".join(document.title for document in documents),
        answer=" ".join(document.answer for document in documents),
        sections=tuple(section for document in documents for section in document.sections),
        tables=tuple(
            replace(table, name=f"{table.name}-{i}")
            for i, document in enumerate(documents, 1)
            for table in document.tables
        ),
        notes=tuple(dict.fromkeys(note for document in documents for note in document.notes)),
        references=tuple(dict.fromkeys(each for document in documents for each in document.references)),
    )


# ----------------------------------------------------------------------------------------------------------------------
# Text


SENTENCE = 54  # letters of a line of the last column of a table of words


def _in_lines(row: Sequence[str]) -> list[list[str]]:
    """A row of a table of words, its last cell broken into lines below one another."""
    first, *more = wrap(row[-1], SENTENCE) or [""]
    return [[*row[:-1], first], *([*("" for _ in row[:-1]), line] for line in more)]


def as_text(document: Manuscript) -> str:
    parts = [show.wrapped(document.answer)]
    parts += [f"{section.heading}\n{show.wrapped(section.text)}" for section in document.sections]
    for table in document.tables:
        cells = [[cell.text + cell.mark + ("*" if cell.bold else "") for cell in row] for row in table.rows]
        if table.left == len(table.header):  # words only, of which the last are sentences
            cells = [line for row in cells for line in _in_lines(row)]
        parts.append(
            f"{show.wrapped(table.caption)}\n\n{show.text_table(table.header, cells, left=table.left, most=72)}"
        )
        parts += [show.wrapped(note) for note in table.notes_with("*")]
    parts += [show.wrapped(note, indent="  ") for note in document.notes]
    if document.references:
        parts.append("References\n" + "\n".join(show.wrapped(f"- {each}", indent="  ") for each in document.references))
    return "\n\n".join(parts) + "\n"


# ----------------------------------------------------------------------------------------------------------------------
# Markdown, as GitHub and pandoc read it


def as_markdown(document: Manuscript) -> str:
    parts = [f"# {markdown_text(document.title)}"] if document.title else []
    parts += [f"**{markdown_text(document.answer)}**"] if document.answer else []
    parts += [f"## {markdown_text(part.heading)}\n\n{markdown_text(part.text)}" for part in document.sections]
    parts += [_markdown_table(table) for table in document.tables]
    parts += ["\n".join(f"- {markdown_text(note)}" for note in document.notes)] if document.notes else []
    if document.references:
        parts.append("## References\n\n" + "\n".join(f"- {markdown_text(each)}" for each in document.references))
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: PaperTable) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def shown(cell: TableCell) -> str:
        text = markdown_text(cell.text)
        return f"**{text}**{cell.mark}" if cell.bold and text else f"{text}{cell.mark}"

    rule = [":---" if i < table.left else "---:" for i in range(len(table.header))]
    lines = [line(list(map(markdown_text, table.header))), line(rule)]
    lines += [line([shown(cell) for cell in row]) for row in table.rows]
    notes = [markdown_text(note) for note in table.notes_with()]
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


def as_html(document: Manuscript, *, whole: bool = True) -> str:
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
    begin = f'<!DOCTYPE html>\n<html lang="en"><head>{head}\n<style>\n{_STYLE}</style></head>\n<body>'
    return f"{begin}\n{body}\n</body></html>\n"


def _html_text(text: str) -> str:
    return html_text(show.shown_as_text(text))


def html_table(table: PaperTable) -> str:
    """One table, with a caption, headers that say what they are of, and its notes below."""
    text = _html_text

    def kind(i: int) -> str:
        return ' class="text"' if i < table.left else ""

    def shown(cell: TableCell) -> str:
        content = f"<strong>{text(cell.text)}</strong>" if cell.bold else text(cell.text)
        return content + (f"<sup>{text(cell.mark)}</sup>" if cell.mark else "")

    head = "".join(f'<th scope="col"{kind(i)}>{text(name)}</th>' for i, name in enumerate(table.header))
    rows = [
        f'<tr><th scope="row"{kind(0)}>{shown(row[0])}</th>'
        + "".join(f"<td{kind(i)}>{shown(cell)}</td>" for i, cell in enumerate(row[1:], 1))
        + "</tr>"
        for row in table.rows
    ]
    notes = "".join(f'\n<p class="note">{text(note)}</p>' for note in table.notes_with())
    return (
        f"<table><caption>{text(table.caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(rows)
        + f"\n</tbody></table>{notes}"
    )


# ----------------------------------------------------------------------------------------------------------------------
# LaTeX, with booktabs


# What pdfLaTeX sets by itself with T1 fonts: the letters of European languages in Latin script.
_SETTABLE = re.compile("[\x20-\x7e¡-¬®-ÿĀ-ĒĔ-ěĜ-ĤĨ-ıĴ-ľŁ-ňŊŋŌ-ŬŮ-žẞ]|\n")
_NEEDS_UNICODE = """\
% Some names hold characters that pdfLaTeX does not know: use LuaLaTeX or XeLaTeX, with a font that has them.
"""
_PACKAGES = "% \\usepackage[T1]{fontenc}  \\usepackage{textcomp,booktabs,longtable,graphicx}\n"
LONG = 45  # rows that a page has


def as_latex(document: Manuscript) -> str:
    """Paragraphs and tables to be put into a document that loads booktabs."""
    parts = [f"\\paragraph{{{latex_text(part.heading)}}} {_with_citations(part)}" for part in document.sections]
    parts += [latex_table(table) for table in document.tables]
    parts += [f"% {' '.join(show.shown_as_text(note).split())}" for note in document.notes]
    source = "\n\n".join(parts) + "\n"
    plain = all(_SETTABLE.match(character) for line in source.splitlines() if line[:1] != "%" for character in line)
    return f"{_PACKAGES}{'' if plain else _NEEDS_UNICODE}\n{source}"


def _with_citations(section: Section) -> str:
    cited = f" \\cite{{{','.join(section.cited)}}}." if section.cited else ""
    text = latex_text(section.text)
    return f"{text.removesuffix('.')}{cited}" if cited else text


def latex_table(table: PaperTable) -> str:
    """One table of booktabs, with caption and label; of more learners than a line has room for, several."""
    wide = sum(_widths(table, table.header)) > LINE
    turned = wide and (table.of_learners or len(table.rows) > LONG)
    widths = _widths(table, table.header[: table.left] if turned else table.header)
    if not table.of_learners or sum(widths) <= LINE:
        return _one_latex_table(table, turned)
    room, parts = LINE - sum(widths[: table.left]), [[table.left]]
    for i in range(table.left + 1, len(widths)):
        if sum(widths[j] for j in parts[-1]) + widths[i] > room:
            parts.append([])
        parts[-1].append(i)
    tables = []
    for n, part in enumerate(parts, 1):
        kept = [*range(table.left), *part]
        some = replace(
            table,
            name=f"{table.name}-{n}" if n > 1 else table.name,
            caption=f"{table.caption.removesuffix('.')} (part {n} of {len(parts)}).",
            header=tuple(table.header[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in table.rows),
            notes=table.notes if n == len(parts) else (),
        )
        tables.append(_one_latex_table(some, turned))
    return "\n\n".join(tables)


LINE = 86  # letters of a line of a page, in small print


def _widths(table: PaperTable, header: Sequence[str]) -> list[int]:
    """How wide each column is, in letters, with what is left free beside it; of the headers those given count."""
    heads = [len(name) for name in header] + [1] * (len(table.header) - len(header))
    return [2 + max(wide, *(len(row[i].text) for row in table.rows)) for i, wide in enumerate(heads)]


def _one_latex_table(table: PaperTable, turned: bool) -> str:
    def shown(cell: TableCell) -> str:
        text = _breakable(latex_text(cell.text)) if small else latex_text(cell.text)
        text = rf"\textbf{{{text}}}" if cell.bold and text else text
        return text + (rf"\textsuperscript{{{latex_text(cell.mark)}}}" if cell.mark else "")

    widths = _widths(table, table.header[: table.left] if turned else table.header)
    small = len(table.rows) > LONG and sum(widths) > LINE * 0.75
    names = [latex_text(name) for name in table.header]
    if turned:  # they stand where they would be wider than the numbers below them
        names = [name if i < table.left else rf"\rotatebox{{90}}{{{name}}}" for i, name in enumerate(names)]
    head = " & ".join(names) + " \\\\\n\\midrule"
    body = "\n".join(f"{' & '.join(map(shown, row))} \\\\" for row in table.rows)
    title = f"\\caption{{{latex_text(table.caption)}}}\n\\label{{tab:{table.name}}}"
    notes = "".join(
        f"\n\n\\smallskip\n{{\\raggedright\\footnotesize {latex_text(note)}\\par}}" for note in table.notes_with()
    )
    columns = "l" * table.left + "r" * (len(table.header) - table.left)
    if len(table.rows) > LONG:
        columns = _narrow_columns(table, widths) if small else columns
        source = (
            f"\\begin{{longtable}}{{{columns}}}\n{title} \\\\\n\\toprule\n{head}\n"
            f"\\endhead\n\\bottomrule\n\\endfoot\n{body}\n\\end{{longtable}}"
        )
        return (f"{{\\scriptsize\\setlength{{\\tabcolsep}}{{3pt}}\n{source}}}" if small else source) + notes
    tabular = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}\n{body}\n\\bottomrule\n\\end{{tabular}}"
    # As wide as it is, or as the line, if that is narrower: only LaTeX knows either.
    fitted = "\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi"
    tabular = f"\\resizebox{{{fitted}}}{{!}}{{%\n{tabular}}}"
    return f"\\begin{{table}}\n\\centering\n{title}\n{tabular}{notes}\n\\end{{table}}"


def _narrow_columns(table: PaperTable, widths: Sequence[int]) -> str:
    """The columns of a table of several pages: where names are too long for the line they are broken."""
    long = [i for i in range(table.left) if widths[i] > LONG_NAME]
    room = LINE - sum(wide for i, wide in enumerate(widths) if i not in long)
    if sum(widths[i] for i in long) <= room or not long:
        return "l" * table.left + "r" * (len(table.header) - table.left)
    share = max(0.1, round(0.96 * room / LINE / len(long), 3))
    return "".join(
        f"p{{{share}\\linewidth}}" if i in long else "l" if i < table.left else "r" for i in range(len(table.header))
    )


LONG_NAME = 18  # letters


def _breakable(name: str) -> str:
    """A name that may be broken where words within it end."""
    return name.replace("\\_", "\\_\\allowbreak{}")


# ----------------------------------------------------------------------------------------------------------------------
# CSV: one table, with full precision


def as_csv(table: PaperTable) -> str:
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.data_header)
    writer.writerows([["" if _nothing(value) else value for value in row] for row in table.data])
    return file.getvalue()


def _nothing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))
