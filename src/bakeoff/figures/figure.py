"""What all figures share: a table, a drawing of it, files that are never half written, and letters that fit.

A figure is a `Chart`: a record that is its own table (`to_frame`), draws itself on an ax (`draw`) or makes a figure of
the right size (`figure`), and saves that as SVG, PDF or PNG by extension (`save`), the same bytes for the same figure.
Only drawing loads matplotlib.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bakeoff.atomic_files import whole_file
from bakeoff.errors import UsageError, nearest
from bakeoff.figures.lettering import (
    SANS_SERIF,
    joined_within,
    labels_within,
    lines_of,
    literal,
    told_of_boxes,
    width_of,
    without_glyph_warnings,
    write_literally,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure
    from matplotlib.text import Text

KINDS = ("svg", "pdf", "png")
DOTS_PER_INCH = 300
POINTS_PER_INCH = 72
# matplotlib's settings are global: whoever renders sets them for that time, so one at a time.
_rendering = RLock()


def kind_of(path: str | os.PathLike[str], text: Sequence[str] = ()) -> str:
    """The kind of file that a path's extension asks for; `text` are kinds of text that this figure has beside pictures.

    >>> kind_of("ranks.SVG")
    'svg'
    """
    extension = Path(path).suffix
    kind = extension.lower().removeprefix(".")
    if kind not in (*KINDS, *text):
        extension_text = f"the extension {extension!r}" if extension else "no extension"
        tex = f" This one can also be written as TikZ: .{text[0]}." if text else ""
        if kind in TIKZ and not text:
            tex = " Only the critical-difference diagram is also written as TikZ."
        raise UsageError(
            f"A figure is saved as SVG, PDF or PNG: its file name ends in .svg, .pdf or .png; found {extension_text} "
            f"in {os.fspath(path)!r}.{tex}"
        )
    return kind


# ----------------------------------------------------------------------------------------------------------------------
# One style for all figures: thin dark lines on white. What colours tell apart, strokes, markers or fillings tell too:
# figures print in grey; the colours are dark ones of Okabe and Ito's, which colour-blind readers tell apart.


INK, FAINT, PALE, GRID = "black", "0.35", "0.6", "0.9"
ACCENT, WARNING = "#0050a0", "#8a4b00"
COLOURS = ("#0050a0", "#c04000", "#007a5a", "#9a4a86", "#555555", "#b07800")
# Of another number than the colours: it takes thirty lines until one looks like an earlier one.
STROKES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2)), (0, (7, 1.2, 2, 1.2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
BASE = 9.0  # points: the font size for which figures are laid out
PAD = 4.0  # points of white around a figure, and between its parts
TIKZ = ("tex", "tikz")


@dataclass(frozen=True, slots=True)
class Style:
    """How wide a figure is, in inches (None: as suits it), how large its letters are, in points, and of which font.
    `mark` is written above it: what whoever sees the figure alone must know, such as that it is exploratory.

    >>> Style(width=3.3, font_size=8).scale
    0.8888888888888888
    """

    width: float | None = None
    font_size: float = BASE
    font: str = ""
    mark: str = ""

    def __post_init__(self) -> None:
        if self.width is not None and not 1 <= self.width <= 50:
            raise UsageError(f"A figure is 1 to 50 inches wide (a column of a paper is 3.3); found {self.width:g}.")
        if not 4 <= self.font_size <= 40:
            raise UsageError(f"The font size is 4 to 40 points; found {self.font_size:g}.")
        if self.font and self.font not in _installed():
            raise UsageError(f"There is no font {self.font!r} on this machine. {nearest(self.font, _installed())}")

    @property
    def scale(self) -> float:
        """How many times as large as they are laid out letters are."""
        return self.font_size / BASE

    def settings(self) -> Any:
        """A context in which matplotlib has these settings and otherwise its own, whatever the user's are."""
        from matplotlib import style

        return style.context(
            [
                "default",
                {
                    "svg.fonttype": "none",
                    "svg.hashsalt": "bakeoff",
                    "pdf.fonttype": 42,
                    "font.family": ["sans-serif"],
                    "font.sans-serif": [*([self.font] if self.font else []), *SANS_SERIF],
                    "font.size": self.font_size,
                    "axes.linewidth": 0.7,
                    "axes.unicode_minus": True,
                    "text.hinting": "none",  # which would make small letters wider than they are on paper
                },
            ]
        )


@cache
def _installed() -> frozenset[str]:
    from matplotlib.font_manager import fontManager

    return frozenset(font.name for font in fontManager.ttflist)


USUAL = Style()


@contextmanager
def rendering(style: Style) -> Iterator[None]:
    """While it lasts matplotlib is set as a style says, by nobody else."""
    with _rendering, style.settings(), without_glyph_warnings():
        yield


def render(make: Callable[[], Figure], kind: str, *, title: str, about: str, style: Style = USUAL) -> bytes:
    """The figure as a file of that kind, whatever the user's own matplotlib settings are.

    The bytes depend on the figure and on the version of matplotlib only: no dates, no random names. Text in SVG and
    PDF stays text. `title` and `about` go into the file's metadata.
    """
    metadata: dict[str, dict[str, str | None]] = {
        "svg": {"Title": title, "Description": about, "Date": None},
        "pdf": {"Title": title, "Subject": about, "CreationDate": None},
        "png": {"Title": title, "Description": about},
    }
    file = BytesIO()
    with rendering(style):
        quick: dict[str, Any] = {"pil_kwargs": {"compress_level": 3}} if kind == "png" else {}
        canvas = make()
        if style.mark:
            _write_mark(canvas, style)
        canvas.savefig(file, format=kind, dpi=DOTS_PER_INCH, facecolor="white", metadata=metadata[kind], **quick)
    return file.getvalue()


def _write_mark(canvas: Figure, style: Style) -> None:
    """Write the mark above a figure that is finished: the page grows, and what is on it keeps its size and its place
    from below."""
    wide, high = (inches * POINTS_PER_INCH for inches in canvas.get_size_inches())
    size = style.font_size * 0.85
    lines = lines_of(literal(style.mark), size, wide - 2 * PAD)
    room = len(lines) * size * 1.35 + PAD
    share = high / (high + room)
    for ax in canvas.axes:
        box = ax.get_position(original=True)
        ax.set_position((box.x0, box.y0 * share, box.width, box.height * share))
    for text in canvas.texts:
        text.set_y(text.get_position()[1] * share)
    canvas.set_size_inches(wide / POINTS_PER_INCH, (high + room) / POINTS_PER_INCH)
    top = 1 - PAD / 2 / (high + room)
    canvas.text(PAD / wide, top, "\n".join(lines), fontsize=size, color=WARNING, va="top", linespacing=1.3)
    write_literally(canvas)


class Chart(ABC):
    """A figure: the table behind it, and how that is drawn.

    `kinds` are the names by which it is asked for (`bakeoff plot KIND`, `scores.plot.KIND()`), each with a line about
    it, and `made_of` says what from: a verdict, scores, predictions, or a plain table. Charts that only other code
    makes have no kinds. Of scores it takes one measure, or `several_measures`. `caption` is for beside the figure, and
    in it only where that is asked for. Of a `square` figure the area within the axes is.
    """

    kinds: ClassVar[Mapping[str, str]] = {}
    made_of: ClassVar[str] = ""
    several_measures: ClassVar[bool] = False
    square: ClassVar[bool] = False
    size: ClassVar[tuple[float, float]] = (6.5, 4.2)  # inches, with letters of the usual size
    title: str
    caption: str

    @classmethod
    def of(cls, source: Any, kind: str, **options: Any) -> Chart:
        """The chart of a source: what `made_of` says."""
        raise NotImplementedError(f"{cls.__name__} is made by other code")

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The table behind the figure."""

    @property
    def row_names(self) -> Sequence[tuple[str, ...]]:
        """The names in the label of each row, if there are several in one."""
        return ()

    @abstractmethod
    def draw(self, ax: Axes) -> None:
        """Draw it on an ax, with letters as large as matplotlib is set to."""

    def height_at(self, width: float) -> float:
        """How high a figure of that width is, in inches, both with letters of the usual size."""
        natural, height = self.size
        return height * min(1.0, max(0.7, width / natural))

    def figure(self, *, caption: bool = False, style: Style = USUAL) -> Figure:
        """The chart as a matplotlib figure of its own, below a title and above its caption if they are asked for;
        pyplot does not know of it."""
        with rendering(style):
            canvas = self._canvas(style)
            self._fill(canvas)
            self._arrange(canvas, *self._write_around(canvas, style) if caption else (0.0, 0.0))
        return canvas

    def _canvas(self, style: Style) -> Figure:
        from matplotlib.figure import Figure

        width = (style.width or self.size[0]) / style.scale
        return Figure(figsize=(width * style.scale, self.height_at(width) * style.scale), facecolor="white")

    def _fill(self, canvas: Figure) -> None:
        self.draw(canvas.subplots())

    def _arrange(self, canvas: Figure, above: float, below: float) -> None:
        make_room_for_legend(canvas, canvas.axes[0], above + below)
        arrange(canvas, [canvas.axes[:1]], above=above, below=below, square=self.square, row_names=self.row_names)

    def _write_around(self, canvas: Figure, style: Style) -> tuple[float, float]:
        """Title and caption, and how many points they take above and below."""
        wide, high = (inches * POINTS_PER_INCH for inches in canvas.get_size_inches())
        size = style.font_size * 0.8
        lines = lines_of(literal(self.caption), size, wide - 2 * PAD) if self.caption else []
        below, above = len(lines) * size * 1.35 + PAD * bool(lines), 0.0
        title = lines_of(self.title, style.font_size, wide - 2 * PAD) if self.title else []
        if title:
            above = len(title) * style.font_size * 1.35 + PAD
        canvas.set_size_inches(wide / POINTS_PER_INCH, (high + above + below) / POINTS_PER_INCH)
        if title:
            canvas.suptitle("\n".join(title), fontsize=style.font_size, y=1 - PAD / (high + above + below), va="top")
        if lines:
            text = "\n".join(lines)
            place = {"x": PAD / wide, "y": PAD / (high + above + below)}
            canvas.supxlabel(text, fontsize=size, ha="left", va="bottom", color=FAINT, linespacing=1.3, **place)
        write_literally(canvas)
        return above, below

    def to_svg(self, *, caption: bool = False, style: Style = USUAL) -> str:
        """The figure as the text of an SVG."""
        return self._rendered("svg", caption, style).decode()

    def _rendered(self, kind: str, caption: bool, style: Style) -> bytes:
        make = self.figure if caption is False and style == USUAL else lambda: self.figure(caption=caption, style=style)
        return render(make, kind, title=self.title, about=self.caption, style=style)

    def save(self, path: str | os.PathLike[str], *, caption: bool = False, style: Style = USUAL) -> None:
        """Save it as SVG, PDF or PNG, by the extension: whole, or not at all."""
        target = Path(path)
        kind = kind_of(target, self.text_kinds)
        try:
            if target.is_dir():
                raise UsageError(f"{str(target)!r} is a directory; a figure needs the name of a file.")
            if not target.parent.is_dir():
                raise UsageError(
                    f"There is no directory {str(target.parent)!r} to save {target.name!r} in. Make it first."
                )
            with told_of_boxes(kind):
                content = self._rendered(kind, caption, style) if kind in KINDS else self.to_text(kind, style).encode()
            with whole_file(target) as passing:
                passing.write_bytes(content)
        except OSError as failed:
            raise UsageError(f"{str(target)!r} cannot be written: {failed.strerror or failed}.") from failed

    text_kinds: ClassVar[Sequence[str]] = ()  # extensions of files of text that it can be written as

    def to_text(self, kind: str, style: Style = USUAL) -> str:
        """The figure as text of one of `text_kinds`."""
        raise NotImplementedError(f"{type(self).__name__} is a picture only")

    def _repr_svg_(self) -> str:
        return self.to_svg()


class PanelChart(Chart):
    """A figure of several panels: rows and columns of axes."""

    @property
    @abstractmethod
    def panel_grid(self) -> tuple[list[float], list[float]]:
        """The heights of the rows and the widths of the columns, in any unit."""

    @abstractmethod
    def draw_panels(self, axes: Sequence[Sequence[Axes]]) -> None:
        """Draw a panel on each ax."""

    def draw(self, ax: Axes) -> None:
        """Draw the panels on an ax, which gives up its own axes for theirs."""
        ax.set_axis_off()
        heights, widths = (np.array(part) / sum(part) for part in self.panel_grid)
        bottoms, lefts = 1 - np.cumsum(heights), np.cumsum(widths) - widths
        axes = [
            [
                ax.inset_axes((left + 0.2 * wide, bottom + 0.25 * high, 0.75 * wide, 0.6 * high))
                for left, wide in zip(lefts.tolist(), widths.tolist(), strict=True)
            ]
            for bottom, high in zip(bottoms.tolist(), heights.tolist(), strict=True)
        ]
        self.draw_panels(axes)
        write_literally(ax)

    def _fill(self, canvas: Figure) -> None:
        heights, widths = self.panel_grid
        axes = canvas.subplots(len(heights), len(widths), squeeze=False)
        self.draw_panels([list(row) for row in axes])
        write_literally(canvas)

    def _arrange(self, canvas: Figure, above: float, below: float) -> None:
        heights, widths = self.panel_grid
        rows = [canvas.axes[i * len(widths) : (i + 1) * len(widths)] for i in range(len(heights))]
        make_room_for_legend(canvas, rows[-1][0], above + below)
        arrange(canvas, rows, heights=heights, widths=widths, above=above, below=below, square=self.square)


def arrange(
    canvas: Figure,
    rows: Sequence[Sequence[Axes]],
    *,
    heights: Sequence[float] | None = None,
    widths: Sequence[float] | None = None,
    above: float = 0.0,
    below: float = 0.0,
    square: bool = False,
    row_names: Sequence[tuple[str, ...]] = (),
) -> None:
    """Place axes so that all that is written around them is inside the figure, and nothing over something else.

    What stands outside an ax is measured, once before it has its place and once after, since ticks depend on that.
    matplotlib's own way to do it takes twice as long as drawing. `above` and `below` are points kept free.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(canvas).get_renderer()  # type: ignore[no-untyped-call]
    per_point = canvas.dpi / POINTS_PER_INCH
    _wrap_labels(canvas, rows)
    _shorten_names(canvas, rows, row_names)
    shares = [np.array(part if part is not None else [1.0] * n, dtype=float) for part, n in
              ((heights, len(rows)), (widths, len(rows[0])))]  # fmt: skip
    for attempt in range(2):
        around = np.array([[_around(ax, renderer) for ax in row] for row in rows]) / per_point + PAD
        left, right = around[:, :, 0].max(axis=0), around[:, :, 1].max(axis=0)
        bottom, top = around[:, :, 2].max(axis=1), around[:, :, 3].max(axis=1)
        wide, high = (inches * POINTS_PER_INCH for inches in canvas.get_size_inches())
        across = np.maximum(wide - (left + right).sum(), 20.0 * len(left)) * shares[1] / shares[1].sum()
        if square and not attempt:
            down = np.full(len(rows), across.max())
            high = down.sum() + (bottom + top).sum() + above + below
            canvas.set_size_inches(wide / POINTS_PER_INCH, high / POINTS_PER_INCH)
        else:
            down = (
                np.maximum(high - above - below - (bottom + top).sum(), 20.0 * len(top)) * shares[0] / shares[0].sum()
            )
        x = np.cumsum(left + across + right) - across - right
        y = high - above - np.cumsum(top + down + bottom) + bottom
        for i, row in enumerate(rows):
            for j, ax in enumerate(row):
                ax.set_position((x[j] / wide, y[i] / high, across[j] / wide, down[i] / high))
                if not attempt:
                    _break_into_lines(ax.xaxis.label, max(1.05 * across[j], 0.3 * wide))


def _wrap_labels(canvas: Figure, rows: Sequence[Sequence[Axes]]) -> None:
    """Break what is written at the axes and above them into lines, where a long name would reach beyond the figure."""
    wide, high = (inches * POINTS_PER_INCH for inches in canvas.get_size_inches())
    for ax in (ax for row in rows for ax in row):
        across, along = 0.7 * wide / len(rows[0]), 0.8 * high / len(rows)
        for label, room in ((ax.xaxis.label, across), (ax.yaxis.label, along), (ax.title, across)):
            _break_into_lines(label, room)


def _break_into_lines(label: Text, room: float) -> None:
    size = label.get_fontproperties().get_size_in_points()
    if max(width_of(line, size) for line in label.get_text().split("\n")) > room:
        label.set_text("\n".join(lines_of(" ".join(label.get_text().split()), size, room)))


NAMES, NAMES_OF_PANELS = 0.5, 0.36  # of a figure's width, that the names of its rows may take: beside one ax, several


def _shorten_names(canvas: Figure, rows: Sequence[Sequence[Axes]], row_names: Sequence[tuple[str, ...]]) -> None:
    """Shorten the names of rows where they would leave no room for what is drawn."""
    from matplotlib.ticker import FixedLocator

    wide = canvas.get_size_inches()[0] * POINTS_PER_INCH
    for ax in (row[0] for row in rows):
        if not isinstance(ax.yaxis.get_major_locator(), FixedLocator):
            continue
        texts = ax.get_yticklabels()
        labels = [text.get_text() for text in texts]
        size = texts[0].get_fontproperties().get_size_in_points() if texts else 0.0
        room = wide * (NAMES if len(rows[0]) == 1 else NAMES_OF_PANELS)
        if (shorter := joined_within(row_names or [(label,) for label in labels], size, room)) != labels:
            limits = ax.get_ylim()
            ax.set_yticks(ax.get_yticks(), shorter)
            ax.set_ylim(limits)
            write_literally(ax)


def make_room_for_legend(canvas: Figure, ax: Axes, besides: float = 0.0) -> None:
    """Make a figure higher, if the legend beside its ax is, or stands below it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    legend = ax.get_legend()
    if legend is None:
        return
    renderer = FigureCanvasAgg(canvas).get_renderer()  # type: ignore[no-untyped-call]
    box = legend.get_window_extent(renderer)
    wide, high = canvas.get_size_inches()
    needed = box.height / canvas.dpi + (besides + 2 * PAD) / POINTS_PER_INCH
    if box.y1 < ax.get_window_extent().y0:  # it stands below
        needed += high
    canvas.set_size_inches(wide, max(high, needed))


def _around(ax: Axes, renderer: RendererBase) -> tuple[float, float, float, float]:
    """How far what belongs to an ax reaches beyond it: left, right, below, above, in pixels."""
    ax.apply_aspect()
    beside = [text for text in ax.texts if text.get_in_layout()]
    legend = ax.get_legend()
    artists = [*beside, *([] if legend is None else [legend])]
    inner, outer = ax.get_window_extent(), ax.get_tightbbox(renderer, bbox_extra_artists=artists)
    if outer is None:
        return 0.0, 0.0, 0.0, 0.0
    return (
        max(0.0, inner.x0 - outer.x0), max(0.0, outer.x1 - inner.x1),
        max(0.0, inner.y0 - outer.y0), max(0.0, outer.y1 - inner.y1),
    )  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------------
# What most drawings begin or end with.


def plain_axes(ax: Axes, x: str = "", y: str = "") -> None:
    """Two spines instead of four, small numbers, and what is on the axes."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize="small", length=3, width=0.7)
    ax.set_xlabel(x, fontsize="medium")
    ax.set_ylabel(y, fontsize="medium")


def label_rows(ax: Axes, labels: Sequence[str]) -> None:
    """A row for each label, the first on top; lines between rows would say nothing."""
    ax.set_yticks(range(len(labels)), list(labels))
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0, labelsize="small")
    ax.spines["left"].set_visible(False)


def key(ax: Axes, *, below: Axes | None = None, behind: Sequence[str] = (), **options: Any) -> None:
    """A legend where no curve can be: beside the ax, or below it where there is no room for both or it is higher;
    or `below` another ax, the last of several panels. Names are shortened where they would leave the figure, and those
    of many so that they stand in two columns; what stands `behind` the first of them stays whole."""
    from matplotlib.transforms import offset_copy

    handles, names = ax.get_legend_handles_labels()
    if not handles:
        return
    texts = [*behind, *[""] * (len(names) - len(behind))]
    labels = [label_with(name, text) for name, text in zip(names, texts, strict=True)]
    # Beside the names a line, and what matplotlib leaves free around it and between columns.
    size = small_size()
    across, along = ax.figure.get_figure(root=True).get_size_inches() * POINTS_PER_INCH
    beside = max(width_of(label, size) for label in labels) + AROUND_NAMES * size
    common = {"fontsize": "small", "frameon": False, "handlelength": 2.6, **options}
    if below is None and across > 2.3 * beside and along > 1.6 * size * len(labels):
        ax.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0, **common)
        return
    room = across - 4 * size
    labels, widest = _names_within(names, texts, size, room)
    root = ax.figure.get_figure(root=True)
    beneath = offset_copy((below or ax).transAxes, root, x=-2 * size, y=-4.8 * size, units="points")
    place = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "bbox_transform": beneath, "borderaxespad": 0.0}
    columns = max(1, min(len(labels), int(room // widest)))
    (below or ax).legend(handles, labels, ncols=columns, **{**place, **common})


def label_with(name: str, text: str) -> str:
    """A name of a legend with what stands behind it, if anything does."""
    return f"{name}  {text}" if text else name


def _names_within(names: Sequence[str], behind: Sequence[str], size: float, room: float) -> tuple[list[str], float]:
    """The names of a legend, and how wide its columns are: many in two columns if they can be known by what is left of
    them then."""
    last = max(width_of(label_with("", text), size) for text in behind)
    for columns in (2, 1) if len(names) > MOST_IN_A_COLUMN else (1,):
        within = room / columns - AROUND_NAMES * size
        short = labels_within(names, size, within - last, LEAST_IN_LEGEND)
        texts = [label_with(name, text) for name, text in zip(short, behind, strict=True)]
        widest = max(width_of(text, size) for text in texts)
        if widest <= within:
            break
    return texts, widest + AROUND_NAMES * size


AROUND_NAMES = 5.6  # letters: the line beside a name in a legend, and what is left free around both
MOST_IN_A_COLUMN, LEAST_IN_LEGEND = 6, 14  # names, and columns of a name


def small_size() -> float:
    """Points of small letters, as matplotlib is set."""
    from matplotlib import rcParams

    return 0.833 * float(rcParams["font.size"])


def strokes(n: int) -> list[dict[str, Any]]:
    """How each of n lines is drawn: by colour, and in grey by stroke."""
    return [{"color": COLOURS[i % len(COLOURS)], "linestyle": STROKES[i % len(STROKES)]} for i in range(n)]
