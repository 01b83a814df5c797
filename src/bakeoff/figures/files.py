"""Figures as files: SVG, PDF or PNG by extension, the same bytes for the same figure, never half a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError
from bakeoff.whole_files import whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("svg", "pdf", "png")
DOTS_PER_INCH = 300
# matplotlib's settings are global: whoever renders sets them for that time, so one at a time.
_rendering = Lock()


def kind_of(path: str | os.PathLike[str]) -> str:
    """The kind of file that a path's extension asks for.

    >>> kind_of("ranks.SVG")
    'svg'
    """
    extension = Path(path).suffix
    kind = extension.lower().removeprefix(".")
    if kind not in KINDS:
        found = f"the extension {extension!r}" if extension else "no extension"
        raise UsageError(
            f"A figure is saved as SVG, PDF or PNG: its file name ends in .svg, .pdf or .png; found {found} in "
            f"{os.fspath(path)!r}."
        )
    return kind


def render(make: Callable[[], Figure], kind: str, *, title: str, about: str) -> bytes:
    """The figure as a file of that kind, whatever the user's own matplotlib settings are.

    The bytes depend on the figure and on the version of matplotlib only: no dates, no random names. Text in SVG and
    PDF stays text. `title` and `about` go into the file's metadata.
    """
    from matplotlib import style

    from bakeoff.figures.lettering import SANS_SERIF

    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": "bakeoff",
        "pdf.fonttype": 42,
        "font.family": ["sans-serif"],
        "font.sans-serif": SANS_SERIF,
    }
    metadata: dict[str, dict[str, str | None]] = {
        "svg": {"Title": title, "Description": about, "Date": None},
        "pdf": {"Title": title, "Subject": about, "CreationDate": None},
        "png": {"Title": title, "Description": about},
    }
    file = BytesIO()
    with _rendering, style.context(["default", settings]):
        make().savefig(file, format=kind, dpi=DOTS_PER_INCH, facecolor="white", metadata=metadata[kind])
    return file.getvalue()


def save_figure(make: Callable[[], Figure], path: str | os.PathLike[str], *, title: str, about: str) -> None:
    """Render the figure that `make` makes, and save it under the path, by its extension."""
    target = Path(path)
    kind = kind_of(target)
    try:
        if target.is_dir():
            raise UsageError(f"{str(target)!r} is a directory; a figure needs the name of a file.")
        if not target.parent.is_dir():
            raise UsageError(f"There is no directory {str(target.parent)!r} to save {target.name!r} in. Make it first.")
        content = render(make, kind, title=title, about=about)
        with whole(target) as passing:
            passing.write_bytes(content)
    except OSError as failed:
        raise UsageError(f"{str(target)!r} cannot be written: {failed.strerror or failed}.") from failed
