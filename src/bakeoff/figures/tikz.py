r"""A diagram as TikZ, for papers whose letters are TeX's.

The text is a `tikzpicture` for \input; the preamble needs \usepackage{tikz} alone. It is made of what was drawn, in the
same places, so that it cannot differ from the picture; names are escaped, and letters that pdfTeX does not know are
question marks there and themselves in LuaTeX and XeTeX.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np

from bakeoff.text import latex_letters, shown_as_text, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

LETTER = r"\bakeoffletter"
_DEFINED = rf"\providecommand{LETTER}[1]{{\ifdefined\directlua#1\else\ifdefined\XeTeXrevision#1\else?\fi\fi}}%"


def escaped(text: str) -> str:
    r"""A text as TeX shows it.

    >>> escaped("a_b & 50 % {x} \\input")
    'a\\_b \\& 50 \\% \\{x\\} \\textbackslash{}input'
    >>> escaped("née 随机")
    'née \\bakeoffletter{随机}'
    """
    line = shown_as_text(" ".join(text.split()))
    parts = []
    for known, letters in groupby(line, key=lambda letter: latex_letters(letter) != letter or _known_to_tex(letter)):
        run = "".join(letters)
        parts.append(latex_letters(run) if known else f"{LETTER}{{{run}}}")
    return "".join(parts)


def _known_to_tex(letter: str) -> bool:
    """ASCII, and Latin letters with an accent."""
    return letter.isascii() or (ord(letter) < 0x180 and letter.isalpha() and normalize("NFD", letter)[0].isascii())


def tikz(ax: Axes, caption: str, scale: float) -> str:
    """What an ax shows that is laid out in points, y down, magnified; the caption stands above as a comment."""
    width, height = ax.get_xlim()[1], ax.get_ylim()[0]
    lines = [f"% {line}" for line in wrapped(caption, 110).splitlines()]
    lines += [
        _DEFINED,
        r"\begin{tikzpicture}[x=1pt, y=-1pt, line cap=butt, every node/.style={inner sep=0pt, outer sep=0pt}]",
        f"  \\useasboundingbox (0,0) rectangle ({_n(width * scale)},{_n(height * scale)});",
    ]
    for line in sorted(ax.lines, key=lambda line: line.get_zorder()):
        lines += _marks(line, scale) if line.get_marker() not in ("none", "None", None) else [_path(line, scale)]
    lines += [_node(text, scale) for text in ax.texts]
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _points(line: Line2D) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]


def _path(line: Line2D, scale: float) -> str:
    way = " -- ".join(f"({_n(x * scale)},{_n(y * scale)})" for x, y in _points(line))
    return f"  \\draw[line width={_n(line.get_linewidth())}pt, color={_colour(line.get_color())}] {way};"


def _marks(line: Line2D, scale: float) -> list[str]:
    radius = _n(line.get_markersize() / 2)
    edge = line.get_markeredgecolor() if line.get_markeredgewidth() else line.get_markerfacecolor()
    look = f"fill={_colour(line.get_markerfacecolor())}, draw={_colour(edge)}"
    marks = []
    for x, y in _points(line):
        at = f"({_n(x * scale)},{_n(y * scale)})"
        corners = " -- ".join(f"+({a}{radius if a else 0},{b}{radius if b else 0})" for a, b in _CORNERS)
        shape = f"{at} {corners} -- cycle" if line.get_marker() == "D" else f"{at} circle[radius={radius}pt]"
        marks.append(f"  \\filldraw[{look}] {shape};")
    return marks


_CORNERS = (("-", ""), ("", "-"), ("+", ""), ("", "+"))


def _node(text: Text, scale: float) -> str:
    x, y = text.get_position()
    size = float(text.get_fontsize())
    where = {"left": "base west", "right": "base east", "center": "base"}[text.get_horizontalalignment()]
    font = f"\\fontsize{{{_n(size)}}}{{{_n(1.2 * size)}}}\\selectfont"
    place = f"({_n(x * scale)},{_n(y * scale)})"
    look = f"anchor={where}, text={_colour(text.get_color())}, font={font}"
    return f"  \\node[{look}] at {place} {{{escaped(text.get_text())}}};"


def _colour(colour: Any) -> str:
    from matplotlib.colors import to_rgb

    red, green, blue = (_n(part) for part in to_rgb(colour))
    return f"{{rgb,1:red,{red};green,{green};blue,{blue}}}"


def _n(value: float) -> str:
    """
    >>> _n(2.0), _n(-0.001), _n(1.256)
    ('2', '0', '1.26')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text
