"""A published result: where it stands, what it shows, how it is regenerated, and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from bakeoff.lab.published.cells import Cell
from bakeoff.lab.published.comparison import Comparison, Drawable, Status
from bakeoff.presentation import plain


class Document(Enum):
    """The founding documents, by the letter that their errata bear."""

    F = "Feelders & Verkooijen"
    A = "Alpaydın, chapter 19"
    S = "Slides, comparing data mining methods"
    R = "Riddle, experimental design"
    H = "Hothorn, Leisch, Zeileis & Hornik"


# (full size?, seed, worker processes) → comparison. A result that is exact ignores all three; one that is resumable
# takes the file that keeps what is finished as well, `store`.
Regenerate = Callable[..., Comparison]


@dataclass(frozen=True, slots=True)
class Published:
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
    status: Status = Status.REPRODUCED
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
        figure: Drawable | None = None,
    ) -> Comparison:
        """The comparison of this result with these cells."""
        place = f"{self.document.value}: {self.place}"
        return Comparison(self.name, self.title, place, cells, protocol, replications, full, seed, notes, figure)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the function, as JSON knows it."""
        made: dict[str, Any] = plain(self)
        del made["regenerate"]
        return made
