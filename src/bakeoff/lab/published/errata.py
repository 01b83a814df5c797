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

    >>> erratum("F1")
    'Table 3, θ3 − θ4: the upper bound 6.2e-3 should be 6.1e-4; the exponent is a misprint.'
    """
    if key not in errata():
        raise UsageError(f"There is no erratum {key!r}. {nearest(key, errata())}")
    return errata()[key]
