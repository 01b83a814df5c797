"""Tables of papers, in Markdown or LaTeX: markup goes, the cells stay; what ± means is not said, and is not used."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bakeoff.errors import InputError
from bakeoff.formats.format import TEXT, Format, ScorePart, Sign, table_part
from bakeoff.formats.sources import ScoreFile


def read(source: ScoreFile) -> Iterable[ScorePart]:
    text = source.text()
    rows = _latex(text) if "\\begin{tabular" in text else _markdown(text)
    rows = [row for row in rows if any(row)]
    if len(rows) < 2:
        raise InputError("A table with a header and a row below it was expected.", source=source.name)
    width = len(rows[0])
    for row in rows[1:]:
        if len(row) != width:
            raise InputError(
                f"The row that begins with {row[0]!r} has {len(row)} cells, and the header has {width}. Write one "
                "cell for each column: cells over several columns or rows are not read.",
                source=source.name,
            )
    header, *body = rows
    if len(set(header)) < width:
        raise InputError("A header stands twice. Give each column a name of its own.", source=source.name)
    return [table_part(source.name, dict(zip(header, map(list, zip(*body, strict=True)), strict=True)))]


def _markdown(text: str) -> list[list[str]]:
    """The rows of the first table; the line of dashes below the header is left out."""
    rows: list[list[str]] = []
    for line in text.splitlines():
        line = line.strip()
        if "|" not in line:
            if rows:
                break
            continue
        cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
        if all(re.fullmatch(r"\s*:?-+:?\s*", cell) for cell in cells):
            continue
        rows.append([plain(cell) for cell in cells])
    return rows


# Lengths are bounded here and below: a text of openings that nothing closes would take for ever.
_RULES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule)\b|\\(?:cmidrule|cline)(?:\([^)]{0,60}\))?\{[^}]{0,60}\}")


def _latex(text: str) -> list[list[str]]:
    # A search for the end from every beginning would take as long as the square of a text that has none.
    ended = text[: text.rfind("\\end{tabular") + len("\\end{tabular")] if "\\end{tabular" in text else ""
    body = re.search(r"\\begin\{tabular[^{}\\]*\}(?:\[[^\]]*\])?(.*?)\\end\{tabular", ended, re.DOTALL)
    if body is None:
        return []
    inside = re.sub(r"(?<!\\)%.*", "", body[1])
    inside = re.sub(r"^\s*\{(?:[^{}]|\{[^{}]*\})*\}(?:\{(?:[^{}]|\{[^{}]*\})*\})?", "", inside, count=1)
    inside = _RULES.sub("", inside)
    rows = re.split(r"\\\\(?:\[[^\]]{0,60}\])?", inside)
    return [[plain(cell) for cell in re.split(r"(?<!\\)&", row)] for row in rows if row.strip()]


_COMMANDS = re.compile(
    r"\\(?:textbf|textit|underline|emph|mathbf|text|mathrm|bm|cellcolor\{[^}]*\}|uline)\s*\{([^{}]*)\}"
)


def plain(cell: str) -> str:
    r"""A cell without markup.

    >>> plain(r"\textbf{96.0}{\scriptsize$\pm$0.9}"), plain("**96.0 (0.9)**"), plain(r"$95.3_{\pm 1.2}$")
    ('96.0±0.9', '96.0 (0.9)', '95.3±1.2')
    """
    text = cell.strip()
    for _ in range(5):
        text = _COMMANDS.sub(r"\1", text)
    text = re.sub(r"\^\{?(?:\\dagger|\\ddagger|\\ast|\*|[a-z])\}?", "", text)
    text = text.replace(r"\pm", "±").replace(r"\%", "%").replace(r"\_", "_").replace(r"\&", "&")
    text = re.sub(
        r"\\(?:scriptsize|tiny|small|footnotesize|bf|it|bfseries|itshape|quad|dagger|ddagger)\b|\\[,;!]", "", text
    )
    text = re.sub(r"_\{\s*±\s*([^{}]*)\}", r"±\1", text)
    text = re.sub(r"[${}]|\*\*|__|<[^>]+>|`", "", text).replace("~", " ")
    text = re.sub(r"\s*±\s*", "±", text) if text.startswith("±") or "±" in text else text
    return text.strip().strip("*†‡")


FORMAT = Format(
    name="paper-table",
    title="a table of a paper",
    signs=(
        Sign(TEXT, pattern=r"\\begin\{tabular", certainty=3),
        Sign(TEXT, pattern=r"(?m)^\s*\|?[^\n]*\|[^\n]*\n\s*\|?\s*:?-{2,}:?\s*\|", certainty=3),
    ),
    maps="a Markdown or LaTeX table, without its markup; then as any table",
    drops="what follows ± or stands in brackets: it does not say what varies",
    read=read,
    generic=True,
)
