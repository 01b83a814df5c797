"""What the documents print, as data: the tables under data/published."""

from __future__ import annotations

import csv
import tomllib
from importlib.resources import files
from typing import Any

from bakeoff.errors import UsageError


def printed_values(name: str) -> dict[str, Any]:
    """A TOML file of printed numbers, which are strings so that their digits are kept.

    >>> printed_values("feelders")["section2"]["quantile"]
    '2.135'
    """
    return tomllib.loads(_text(f"{name}.toml"))


def printed_rows(name: str) -> list[dict[str, str]]:
    """A CSV file of printed numbers, a dictionary a row.

    >>> printed_rows("riddle_ceiling")[0]["IR"]
    '93.8'
    """
    return list(csv.DictReader(_text(f"{name}.csv").splitlines()))


def _text(name: str) -> str:
    path = files("bakeoff") / "data" / "published" / name
    if not path.is_file():
        raise UsageError(f"There is no table {name!r} of printed numbers.")
    return path.read_text(encoding="utf-8")
