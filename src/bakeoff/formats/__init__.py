"""Formats by name: every `Format` in a file of this folder is tried on the files that are to be read.

bakeoff formats                              what is read, how it is recognised, what it maps, what it drops
bakeoff.read_scores("llama/", "qwen/")       files, folders, archives: items matched, differences told
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.formats.format import Format
from bakeoff.formats.sources import ScoreFile
from bakeoff.text import listing

_FOREIGN: dict[str, Format] = {}


def register(format: Format) -> Format:
    """Add a format from outside the package: from then on files are recognised and read by it as by any."""
    if format.name in formats():
        raise UsageError(f"There is a format {format.name!r} already; give yours a name of its own.")
    _FOREIGN[format.name] = format
    return format


def formats() -> dict[str, Format]:
    """The formats by name, in the order of the listing."""
    return {**_own(), **_FOREIGN}


@cache
def _own() -> dict[str, Format]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    formats = [value for module in modules for value in vars(module).values() if isinstance(value, Format)]
    return {each.name: each for each in sorted(formats, key=lambda each: (each.generic, each.name))}


def format_named(name: str) -> Format:
    """The format of that name.

    >>> format_named("lm-eval").title
    'lm-evaluation-harness'
    """
    known = formats()
    match = known.get(name.strip().lower().replace("_", "-").replace(" ", "-"))
    if match is None:
        raise UsageError(f"There is no format {name!r}. {nearest(name, known)}")
    return match


def claim(source: ScoreFile, *, generic: bool = True) -> Format | None:
    """The format that a file is of, by what is in it; None if none knows it. Two equal claims are asked about."""
    content = source.content
    sure = {each: each.certainty(content, source.file) for each in formats().values() if generic or not each.generic}
    most = max(sure.values(), default=0)
    if not most:
        return None
    best = [each for each, certainty in sure.items() if certainty == most]
    if len(best) > 1:
        raise UsageError(
            f"{source.name} may be {listing([each.title for each in best])}. Say which: "
            f"{' or '.join(f'--format {each.name}' for each in best)} (in Python format=)."
        )
    return best[0]


def unknown(source: ScoreFile) -> InputError:
    """What to say of a file that no format knows."""
    return InputError(
        "No format knows this file. Known are files of the tools that `bakeoff formats` lists, CSV, Parquet and xlsx "
        "tables, and JSON records with a number in them; --format NAME overrules what a file looks like.",
        source=source.name,
    )
