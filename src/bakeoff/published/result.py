"""A published result: where it stands, what it shows, how it is regenerated, and what that costs."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.figures.figure import Chart
from bakeoff.published.comparison import Cell, PublishedComparison, Reproduction
from bakeoff.text import to_json_value


class Document(Enum):
    """The founding documents, by the letter that their errata bear."""

    F = "Feelders & Verkooijen"
    A = "Alpaydın, chapter 19"
    S = "Slides, comparing data mining methods"
    R = "Riddle, experimental design"
    H = "Hothorn, Leisch, Zeileis & Hornik"


# (full size?, seed, worker processes) → comparison. A result that is exact ignores all three; one that is resumable
# takes the file that keeps what is finished as well, `store`, and tells how far it is if asked (`progress`).
Regenerate = Callable[..., PublishedComparison]


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One published result.

    replications, full_replications   of the simulation, by default and with --full; 0: nothing is simulated
    seconds, full_seconds             what to expect on two cores
    status, errata                    what becomes of it, and which misprints show; the tests hold it to that
    figure                            what its figure shows; empty if it has none
    resumable                         whether it can be kept in a file and resumed
    """

    name: str
    title: str
    document: Document
    place: str
    shows: str
    regenerate: Regenerate
    status: Reproduction = Reproduction.REPRODUCED
    errata: tuple[str, ...] = ()
    replications: int = 0
    full_replications: int = 0
    seconds: float = 1.0
    full_seconds: float = 1.0
    figure: str = ""
    resumable: bool = False

    def compared(
        self,
        cells: tuple[Cell, ...],
        *,
        protocol: str = "",
        replications: int = 0,
        full: bool = False,
        seed: int = 0,
        notes: tuple[str, ...] = (),
        figure: Chart | None = None,
    ) -> PublishedComparison:
        """The comparison of this result with these cells."""
        place = f"{self.document.value}: {self.place}"
        return PublishedComparison(
            self.name, self.title, place, cells, protocol, replications, full, seed, notes, figure
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the function, as JSON knows it."""
        fields: dict[str, Any] = to_json_value(self)
        del fields["regenerate"]
        return fields


# ----------------------------------------------------------------------------------------------------------------------
# What the documents print, as data: the tables under data/published.


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
