"""The misprints and errors of the founding documents, a sentence each; they stand in data/published/errata.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from bakeoff.errors import UsageError, nearest


@cache
def errata() -> Mapping[str, str]:
    """All of them by key: the letter of the document and a number."""
    text = (files("bakeoff") / "data" / "published" / "errata.toml").read_text(encoding="utf-8")
    return MappingProxyType(tomllib.loads(text))


def erratum(key: str) -> str:
    """What is wrong, and what is right.

    >>> erratum("S4")
    'With e1 = 0.15 and e2 = 0.25 the difference e1 − e2 is −0.1, not 0.1.'
    """
    if key not in errata():
        raise UsageError(f"There is no erratum {key!r}. {nearest(key, errata())}")
    return errata()[key]
