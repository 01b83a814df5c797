"""Letters on figures: names as they are drawn, fonts that have their characters, how wide a text is."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from unicodedata import category, combining

import numpy as np

from bakeoff.errors import MissingGlyphsWarning
from bakeoff.text import number, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.font_manager import FontProperties
    from matplotlib.transforms import Bbox

# ----------------------------------------------------------------------------------------------------------------------
# Names as they are drawn: literal, in one line, and short enough.


MOST_COLUMNS = 30
# Neither XML nor a font has a place for these.
_UNSHOWABLE = {"Cc", "Cs"}
_NONCHARACTERS = {"\ufffe", "\uffff"}


def literal(name: str) -> str:
    """A name in one line; characters that cannot be shown become "�".

    >>> literal("a\\n b"), literal("x\\x00y")
    ('a b', 'x�y')
    """
    line = " ".join(name.split())
    return "".join("�" if category(c) in _UNSHOWABLE or c in _NONCHARACTERS else c for c in line)


def shortened_in_the_middle(name: str, most: int = MOST_COLUMNS) -> str:
    """A name of at most that many columns: what distinguishes names is mostly at their beginning or end.

    >>> shortened_in_the_middle("gradient boosting, depth 3", 16)
    'gradient…depth 3'
    """
    if width(name) <= most:
        return name
    tail = _fitting(reversed(name), (most - 1) // 2)[::-1].lstrip()
    while tail and combining(tail[0]):
        tail = tail[1:]
    head = _fitting(name, most - 1 - (most - 1) // 2).rstrip()
    return f"{head}…{tail}"


def labels_of(names: Sequence[str]) -> list[str]:
    """A label for each name; where that makes some of them alike, all get their place in the list.

    >>> labels_of(["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40, "c"])
    ['aaaaaaaaaaaaa…bbbbbbbbbbbb #1', 'aaaaaaaaaaaaa…bbbbbbbbbbbb #2', 'c #3']
    """
    labels = [shortened_in_the_middle(literal(name)) for name in names]
    if len(set(labels)) == len(labels):
        return labels
    return [
        f"{shortened_in_the_middle(label, MOST_COLUMNS - 4)} #{place}".strip()
        for place, label in enumerate(labels, start=1)
    ]


LEAST_COLUMNS = 9  # of a name, that readers may still know it
BETWEEN = " – "  # the names of a pair


def labels_within(labels: Sequence[str], size: float, room: float, least: int = LEAST_COLUMNS) -> list[str]:
    """Labels of which none is wider than the room, in points: the long ones shortened, as far as all can still be told
    apart, and no further than anyone would know them by.

    >>> labels_within(["gradient boosting, depth 3", "tree"], 9.0, 90.0)
    ['gradient…, depth 3', 'tree']
    """
    return joined_within([(label,) for label in labels], size, room, least)


def joined_within(names: Sequence[tuple[str, ...]], size: float, room: float, least: int = LEAST_COLUMNS) -> list[str]:
    """The same of labels of several names each, such as those of a pair, which are shortened alike.

    >>> joined_within([("gradient boosting, depth 3", "tree")], 9.0, 110.0)
    ['gradien…depth 3 – tree']
    """
    labels = [BETWEEN.join(parts) for parts in names]
    widest = max((width_of(label, size) for label in labels), default=0.0)
    fitting = list(labels)
    most = min(MOST_COLUMNS, int(MOST_COLUMNS * room / widest) + 8) if widest else 0
    while widest > room and most >= least:
        shorter = [BETWEEN.join(shortened_in_the_middle(name, most) for name in parts) for parts in names]
        if len(set(shorter)) < len(set(labels)):
            break
        fitting, widest, most = shorter, max(width_of(label, size) for label in shorter), most - 1
    return fitting


def _fitting(characters: Iterable[str], columns: int) -> str:
    """As many of the characters as fit."""
    taken = ""
    for character in characters:
        if width(taken + character) > columns:
            break
        taken += character
    return taken


# ----------------------------------------------------------------------------------------------------------------------
# Text on a figure: the fonts, how wide a text is, lines of running text, numbers that stand in a column.


# DejaVu Sans comes with matplotlib; the others stand in for it where an SVG is shown without it.
SANS_SERIF = ["DejaVu Sans", "Verdana", "Arial", "Helvetica"]
# Tried in this order, where installed, for characters that DejaVu Sans does not have.
_MORE_FONTS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Hiragino Sans",
    "PingFang SC", "Microsoft YaHei", "Arial Unicode MS", "Noto Sans Devanagari", "Noto Emoji", "Segoe UI Emoji",
    "Segoe UI Symbol", "Noto Sans Symbols 2", "Apple Symbols", "Symbola",
)  # fmt: skip
# Where the middle of the small letters and digits lies above the baseline, in parts of the font size.
_MIDDLE = 0.35


# Characters that no font had while a figure was rendered, and the font of matplotlib that draws boxes for them.
_lacking: set[str] = set()
_BOXES = "Last Resort"


@contextmanager
def told_of_boxes(kind: str) -> Iterator[None]:
    """Say afterwards which characters became boxes; text of an SVG stays text, and whoever shows it has the fonts."""
    _lacking.clear()
    yield
    if _lacking and kind != "svg":
        warnings.warn(
            f"No font on this machine has {''.join(sorted(_lacking))}: these characters are boxes in the figure. "
            "Install a font that has them (Debian: fonts-noto-cjk, fonts-noto-core), or save an SVG, whose text stays "
            "text.",
            MissingGlyphsWarning,
            stacklevel=4,  # past contextlib and `save`
        )


@contextmanager
def without_glyph_warnings() -> Iterator[None]:
    """A character that no font has is drawn as a box; we say it once, when the figure is saved."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from", category=UserWarning)
        yield


@cache
def quiet_text() -> Any:
    """The class of texts that do not warn when they are drawn, by whomever, with characters that no font has."""
    from matplotlib.text import Text

    class QuietText(Text):
        def draw(self, renderer: RendererBase) -> None:
            with without_glyph_warnings():
                super().draw(renderer)

        def get_window_extent(self, renderer: RendererBase | None = None, dpi: float | None = None) -> Bbox:
            with without_glyph_warnings():
                return super().get_window_extent(renderer, dpi)

    return QuietText


def write(ax: Axes, x: float, y: float, text: str, size: float, *, scale: float = 1.0, **style: Any) -> None:
    """A text, drawn literally (no $…$, no TeX), with the middle of its line at y of an ax in points, y down; or in
    `scale` times that."""
    ax.add_artist(
        quiet_text()(
            x,
            y + _MIDDLE * size,
            text,
            fontsize=size * scale,
            family=families(text),
            verticalalignment="baseline",
            parse_math=False,
            usetex=False,
            **style,
        )
    )


def write_literally(drawing: Any) -> None:
    """All texts of a figure or ax as they stand: a dollar is a dollar, and letters come from a font that has them."""
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    for ax in drawing.findobj(Axes):
        ax.get_xticklabels(), ax.get_yticklabels()  # until they are asked for they have no text
    for text in drawing.findobj(Text):
        text.set_parse_math(False)
        fonts = families(text.get_text())
        if len(fonts) > 1:
            text.set_fontfamily(fonts)


def families(text: str) -> list[str]:
    """The font families for a text: sans-serif, and for each character that it lacks an installed one that has it."""
    if text.isascii():
        return ["sans-serif"]
    from matplotlib.font_manager import findfont

    usual = _characters(findfont(_regular(1.0)))
    lacking = {character for character in text if ord(character) not in usual and not character.isspace()}
    others = {character: _font_with(character) for character in sorted(lacking)}
    _lacking.update(character for character, name in others.items() if not name)
    return ["sans-serif", *dict.fromkeys(name for name in others.values() if name)]


@lru_cache(maxsize=4096)
def _font_with(character: str) -> str:
    """The family of an installed font that has a character, the usual ones first; empty if there is none."""
    from matplotlib.font_manager import fontManager

    usual = {name: place for place, name in enumerate(_MORE_FONTS)}
    fonts = sorted(fontManager.ttflist, key=lambda font: (usual.get(font.name, len(usual)), font.name))
    names = (font.name for font in fonts if _BOXES not in font.name and ord(character) in _characters(font.fname))
    return next(names, "")


def width_of(text: str, size: float) -> float:
    """The width of a text in points."""
    if not text:
        return 0.0
    from matplotlib import rcParams

    return _width(text, size, tuple(families(text)), tuple(rcParams["font.sans-serif"]))


@lru_cache(maxsize=16384)  # names are measured again and again while a figure is arranged
def _width(text: str, size: float, family: tuple[str, ...], _sans_serif: tuple[str, ...]) -> float:
    """The width of a text in these fonts; what sans-serif is was set by whoever draws."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(family), size=size)
    with without_glyph_warnings():
        wide, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(wide)


def lines_of(text: str, size: float, width: float) -> list[str]:
    """Running text in lines of at most that width in points; a word that is wider has a line of its own.

    A line does not end beside an equals sign, nor between a symbol and what it stands for.
    """
    glued = re.sub(r" = ", "\u00a0=\u00a0", re.sub(r"([◆●○]) ", "\\1\u00a0", text))
    lines: list[str] = []
    for word in glued.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line.replace("\u00a0", " ") for line in lines]


def column(values: Sequence[float], digits: int = 4) -> list[str]:
    """Numbers with the same number of decimals, as many as the one that needs most of them.

    >>> column([1.9286, 2.0, 12.0])
    ['1.929', '2.000', '12.000']
    >>> column([-2e-7, 3.0])
    ['−2e−7', '3']
    """
    texts = [number(value, digits) for value in values]
    if not any("e" in text for text in texts):
        decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
        texts = [f"{value:.{decimals}f}" for value in values]
    return [text.replace("-", "−") for text in texts]


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """Labels with as many digits as it takes to tell the ticks apart, with exponents at all of them or at none.

    >>> tick_texts([0.8, 0.9]), tick_texts([0.0, 5e5, 1e6]), tick_texts([1.00001, 1.00002])
    (['0.8', '0.9'], ['0', '5e5', '1e6'], ['1.00001', '1.00002'])
    """
    texts: list[str] = []
    for digits in range(4, 16):
        texts = column(ticks, digits)
        if any("e" in text for text in texts):
            texts = [_scientific(tick, digits) if tick else "0" for tick in ticks]
        if len(set(texts)) == len(ticks):
            break
    return texts


def _scientific(value: float, digits: int) -> str:
    text = np.format_float_scientific(value, precision=digits - 1, trim="-", exp_digits=1, unique=False)
    return text.replace("e+", "e").replace("-", "−")


def _regular(size: float) -> FontProperties:
    from matplotlib.font_manager import FontProperties

    return FontProperties(family=["sans-serif"], size=size)


@lru_cache(maxsize=512)
def _characters(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())
