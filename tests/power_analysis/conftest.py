"""Powers and sizes that R computed."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def from_r() -> Callable[[str], float]:
    """The value of the call that begins like this; data/README.md says how it was made."""
    with (Path(__file__).parent / "data" / "power_r.csv").open(encoding="utf-8", newline="") as file:
        values = {row["call"]: float(row["value"]) for row in csv.DictReader(file)}

    def of(call: str) -> float:
        (value,) = [value for name, value in values.items() if name.startswith(call)]
        return value

    return of
