"""Text on a figure: the fonts, how wide a text is, lines of running text, numbers that stand in a column."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox

from bakeoff.presentation import number

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


@contextmanager
def without_glyph_warnings() -> Iterator[None]:
    """A character that no font has is drawn as a box; that is seen, and needs no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from", category=UserWarning)
        yield


class QuietText(Text):
    """A text that does not warn when it is drawn, by whomever, with characters that no font has."""

    def draw(self, renderer: RendererBase) -> None:
        with without_glyph_warnings():
            super().draw(renderer)

    def get_window_extent(self, renderer: RendererBase | None = None, dpi: float | None = None) -> Bbox:
        with without_glyph_warnings():
            return super().get_window_extent(renderer, dpi)


def write(ax: Axes, x: float, y: float, text: str, size: float, **style: Any) -> None:
    """A text, drawn literally (no $…$, no TeX), with the middle of its line at y of an ax in points, y down."""
    ax.add_artist(
        QuietText(
            x,
            y + _MIDDLE * size,
            text,
            fontsize=size,
            family=families(text),
            verticalalignment="baseline",
            parse_math=False,
            usetex=False,
            **style,
        )
    )


def families(text: str) -> list[str]:
    """The font families for a text: sans-serif, and what more is needed and installed."""
    known = _characters(findfont(_regular(1.0)))
    if all(ord(character) in known for character in text):
        return ["sans-serif"]
    return ["sans-serif", *(name for name in _MORE_FONTS if name in fontManager.get_font_names())]


def width_of(text: str, size: float) -> float:
    """The width of a text in points."""
    if not text:
        return 0.0
    font = FontProperties(family=families(text), size=size)
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
    return FontProperties(family=["sans-serif"], size=size)


@lru_cache(maxsize=8)
def _characters(path: str) -> frozenset[int]:
    return frozenset(get_font(path).get_charmap())
