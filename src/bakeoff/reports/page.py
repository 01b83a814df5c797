"""A page of HTML that needs nobody: sections of words, tables, figures and files, in one document.

Sections are data; templates make HTML of them, and escape whatever they are given. Styles stand in the page, figures
are drawn in it, and what can be downloaded is in its links, so that opening it asks no network for anything.
"""

from __future__ import annotations

import csv
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any

from bakeoff.text import number, shown_as_text, unbroken

if TYPE_CHECKING:
    from jinja2 import Environment

    from bakeoff.figures.figure import Chart
    from bakeoff.reports.manuscript import PaperTable

# Rows of the table behind a figure that are shown; the file has all.
MOST_ROWS = 400


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph; `role` says what for: "answer", "note", "caution", or nothing."""

    text: str
    role: str = ""
    kind: str = field(default="words", init=False)


@dataclass(frozen=True, slots=True)
class Items:
    """A list; of pairs, terms and what is said of each."""

    items: tuple[str | tuple[str, str], ...]
    role: str = ""
    kind: str = field(default="items", init=False)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: header, cells, how many columns are text, and the rows (and cells) that are in bold; a file of it."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    notes: tuple[str, ...] = ()
    bold: frozenset[tuple[int, int]] = frozenset()
    file: PageFile | None = None
    kind: str = field(default="grid", init=False)


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure, drawn in the page; what it shows in words; the table behind it; and both as files."""

    name: str
    title: str
    caption: str
    svg: str
    table: Grid
    files: tuple[PageFile, ...]
    kind: str = field(default="picture", init=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """Text as it is typed: commands, BibTeX."""

    text: str
    file: PageFile | None = None
    kind: str = field(default="listing", init=False)


@dataclass(frozen=True, slots=True)
class FoldedBlock:
    """What is there for whoever asks."""

    title: str
    blocks: tuple[Any, ...]
    kind: str = field(default="folded", init=False)


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file inside the page, to be downloaded."""

    name: str
    label: str
    content: str
    type: str = "text/plain"

    @property
    def address(self) -> str:
        return f"data:{self.type};charset=utf-8;base64,{b64encode(self.content.encode()).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading and what stands below it."""

    id: str
    title: str
    blocks: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page: its title, what stands below that, its sections, and what is said at the end."""

    title: str
    subtitle: str
    sections: tuple[PageSection, ...]
    footer: str = ""

    def render(self) -> str:
        """The page as a document of HTML."""
        return _environment().get_template("page.html").render(page=self, style=_style())


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        """Every text that a template shows: characters that would turn or break the page are shown as such."""
        return shown_as_text(value) if type(value) is str else value

    environment = Environment(
        loader=PackageLoader("bakeoff.reports"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["drawing"] = Markup
    environment.filters["unbroken"] = unbroken
    return environment


def _style() -> Any:
    from importlib.resources import files

    from markupsafe import Markup

    return Markup((files("bakeoff.reports") / "templates" / "page.css").read_text(encoding="utf-8"))


# ----------------------------------------------------------------------------------------------------------------------
# From tables and figures to blocks.


def grid_of(table: PaperTable, most: int | None = None) -> Grid:
    """A table of a paper as a block, with the same at full precision as a file."""
    bold = frozenset((i, j) for i, row in enumerate(table.rows) for j, cell in enumerate(row) if cell.bold)
    rows = tuple(tuple(cell.text + cell.mark for cell in row) for row in table.rows[:most])
    hidden = len(table.rows) - len(rows)
    notes = (*table.notes_with(), *((f"{hidden} more rows are in the file.",) if hidden else ()))
    file = PageFile(f"{table.name}.csv", "CSV", csv_text(table.data_header, table.data), "text/csv")
    return Grid(table.caption, table.header, rows, table.left, notes, bold, file)


def picture_of(chart: Chart, name: str, number_of: int) -> Picture:
    """A chart as a block. `number_of` sets it apart from others in the page."""
    svg = chart.to_svg()
    frame = chart.to_frame()
    header = tuple(map(str, frame.columns))
    data = [tuple(row) for row in frame.itertuples(index=False)]
    rows = tuple(tuple(_cell(value) for value in row) for row in data[:MOST_ROWS])
    left = next((i for i, value in enumerate(data[0]) if not isinstance(value, str)), len(header)) if data else 1
    hidden = len(data) - len(rows)
    notes = (f"{hidden} more rows are in the file.",) if hidden else ()
    title = chart.title or name.replace("-", " ")
    table = Grid(f"What the figure shows: {title}", header, rows, max(1, left), notes)
    files = (
        PageFile(f"{name}.svg", "SVG", svg, "image/svg+xml"),
        PageFile(f"{name}.csv", "CSV", csv_text(header, data), "text/csv"),
    )
    return Picture(name, title, chart.caption, inline(svg, number_of, title, chart.caption), table, files)


def csv_text(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table as CSV, with full precision; what is not known is empty."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["" if value is None or value != value else value for value in row] for row in rows])
    return file.getvalue()


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool) or not isinstance(value, float | int):
        return str(value.item() if hasattr(value, "item") and not isinstance(value, str) else value)
    return number(float(value))


def inline(svg: str, number_of: int, title: str, about: str) -> str:
    """An SVG as part of a page: its names are its own, it has a name and a description, and its width is the page's."""
    from markupsafe import escape

    body = shown_as_text(svg[svg.index("<svg") :])
    body = re.sub(r"<metadata>.*?</metadata>", "", body, count=1, flags=re.DOTALL)
    body = re.sub(r"<title>.*?</title>", "", body, count=1, flags=re.DOTALL)
    body = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\.\d{3})\d+", r"\1", tag[0]), body)  # thousandths of a point
    body = re.sub(r">\s*\n\s*<", "><", body)
    # The sheet, and the field within the axes: the page has a colour of its own.
    body = re.sub(r"fill: #ffffff", "fill: none", body, count=1)
    body = re.sub(r'(<g id="patch_2"><path [^>]*?)fill: #ffffff', r"\1fill: none", body, count=1)
    mine = f"figure{number_of}-"
    body = re.sub(r'\bid="', f'id="{mine}', body)
    body = re.sub(r"url\(#", f"url(#{mine}", body)
    body = re.sub(r'href="#', f'href="#{mine}', body)
    opening = body[: body.index(">") + 1]
    size = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', opening)
    drawn = re.sub(r' (?:width|height|role|aria-\w+)="[^"]*"', "", opening)
    wide = f' style="max-width:{float(size[1]) * 4 / 3:.0f}px"' if size else ""
    named = f'{drawn[:-1]} role="img" aria-labelledby="{mine}title {mine}about"{wide}>'
    note = (
        f'<title id="{mine}title">{escape(shown_as_text(title))}</title>'
        f'<desc id="{mine}about">{escape(shown_as_text(about))}</desc>'
    )
    return f"{named}{note}{body[len(opening) :]}"
