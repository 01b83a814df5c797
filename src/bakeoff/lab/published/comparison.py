"""All cells of a published result beside the document's, with a summary in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from html import escape
from math import isnan, log10
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

from bakeoff import presentation as show
from bakeoff.lab.published.cells import AGREEING, Agreement, Cell
from bakeoff.lab.published.errata import erratum
from bakeoff.mathematics.laws import normal_quantile

if TYPE_CHECKING:
    import pandas as pd

# The chance that a simulated table is marked anywhere although both simulations estimate the same.
FALSE_MARK = 0.01


class Status(Enum):
    """What became of a published result."""

    REPRODUCED = "reproduced"
    MISPRINTS = "reproduced, but for misprints"
    NOT_REPRODUCED = "not reproduced"
    UNPRINTED = "computed; nothing is printed"


class Drawable(Protocol):
    """The table behind a figure, which can draw itself into a file."""

    def save(self, path: str | PathLike[str]) -> None: ...


@dataclass(frozen=True)
class Comparison:
    """Ours beside the document's, cell by cell.

    `replications` is the size of the simulation that was run, 0 if nothing is simulated; `protocol` says in a sentence
    or two how our numbers were made; `notes` what the reader should know of the outcome; `figure` is the table behind
    the figure, where there is one.
    """

    name: str
    title: str
    place: str
    cells: tuple[Cell, ...]
    protocol: str = ""
    replications: int = 0
    full: bool = False
    seed: int = 0
    notes: tuple[str, ...] = ()
    figure: Drawable | None = None

    @property
    def limit(self) -> float:
        """How many standard errors a simulated cell may be off: fewer than one table in a hundred is marked by chance.

        With m simulated cells each has a share 1 − (1 − 0.01)^(1/m) of that chance (Šidák).
        """
        simulated = sum(cell.standard_error is not None and cell.printed is not None for cell in self.cells)
        share = 1 - (1 - FALSE_MARK) ** (1 / max(simulated, 1))
        return float(normal_quantile(1 - share / 2))

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        """How each cell stands to the document's."""
        limit = self.limit
        return tuple(cell.agreement(limit) for cell in self.cells)

    @property
    def status(self) -> Status:
        found = set(self.agreements)
        if Agreement.DIFFERS in found:
            return Status.NOT_REPRODUCED
        if found == {Agreement.UNPRINTED}:
            return Status.UNPRINTED
        return Status.MISPRINTS if Agreement.MISPRINT in found else Status.REPRODUCED

    @property
    def errata(self) -> tuple[str, ...]:
        """The misprints that showed, in order."""
        seen = (c.erratum for c, how in zip(self.cells, self.agreements, strict=True) if how is Agreement.MISPRINT)
        return tuple(dict.fromkeys(seen))

    @property
    def differing(self) -> tuple[Cell, ...]:
        """The cells that differ beyond all error and that no misprint explains."""
        return tuple(c for c, how in zip(self.cells, self.agreements, strict=True) if how is Agreement.DIFFERS)

    @property
    def summary(self) -> str:
        """The outcome in a sentence."""
        count = Counter(self.agreements)
        printed = len(self.cells) - count[Agreement.UNPRINTED]
        parts = [f"{count[how]} {_OUTCOME[how][count[how] > 1]}" for how in _OUTCOME if count[how]]
        if not printed:
            return "The document prints nothing to hold these numbers against."
        largest = max((abs(cell.z) for cell in self.cells if not isnan(cell.z)), default=None)
        simulated = "" if largest is None else f" The largest |z| is {largest:.2f}; up to {self.limit:.2f} is chance."
        numbers = "number" if printed == 1 else "numbers"
        return f"Of {printed} {numbers} beside a printed one, {show.listing(parts)}.{simulated}"

    @property
    def size(self) -> str:
        """How much was computed."""
        if not self.replications:
            return "Nothing is simulated."
        whose = "full size" if self.full else "reduced; --full for the document's own size"
        return f"{show.count(self.replications)} replications ({whose}), seed {self.seed}."

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells as they are shown; columns without content are left out."""
        header = ["row", "column", "ours", "document", "Monte-Carlo error", "z", "", "note"]
        rows = [
            [
                cell.row,
                cell.column,
                shown(cell),
                cell.printed or "",
                "" if cell.standard_error is None else show.number(cell.standard_error, 2),
                "" if isnan(cell.z) else f"{cell.z:.2f}",
                _marked(cell, how),
                cell.note,
            ]
            for cell, how in zip(self.cells, self.agreements, strict=True)
        ]
        used = [i for i in range(len(header)) if i == 0 or any(row[i] for row in rows)]
        return [header[i] for i in used], [[row[i] for i in used] for row in rows]

    def to_text(self) -> str:
        """Heading, table, summary, misprints and notes."""
        header, rows = self.table()
        left = 2 if "column" in header else 1
        head = [f"{self.name}: {self.title}", self.place]
        head += [show.wrapped(line) for line in (self.protocol, self.size) if line]
        parts = ["\n".join(head), show.text_table(header, rows, left=left, most=60), show.wrapped(self.summary)]
        parts += [show.wrapped(f"{key}: {erratum(key)}", indent="  ") for key in self.errata]
        parts += [show.wrapped(note) for note in self.notes]
        return "\n\n".join(parts)

    def to_frame(self) -> pd.DataFrame:
        """One row a cell, with full precision."""
        import pandas as pd

        columns: dict[str, list[Any]] = {
            name: [getattr(cell, name) for cell in self.cells]
            for name in ("row", "column", "ours", "printed", "standard_error", "z", "erratum", "note")
        }
        columns["agreement"] = [how.value for how in self.agreements]
        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON knows it, with the agreement of each cell and the summary."""
        made: dict[str, Any] = show.plain(self)
        for cell, told, how in zip(self.cells, made["cells"], self.agreements, strict=True):
            told.update(z=show.plain(cell.z), agreement=how.value)
        made.update(
            status=self.status.value,
            summary=self.summary,
            limit=self.limit,
            errata={key: erratum(key) for key in self.errata},
        )
        return made

    def to_json(self) -> str:
        return show.to_json(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        table = show.html_table(*self.table(), f"{self.name}: {self.title}")
        said = [self.summary, *(f"{key}: {erratum(key)}" for key in self.errata), *self.notes]
        return table + "".join(f"<p>{escape(line)}</p>" for line in said)


# For one cell, and for several.
_OUTCOME = {
    Agreement.EXACT: ("agrees to the digits printed", "agree to the digits printed"),
    Agreement.ROUNDING: (
        "agrees within the rounding of the inputs that the document prints",
        "agree within the rounding of the inputs that the document prints",
    ),
    Agreement.SIMULATION: ("agrees within Monte-Carlo error", "agree within Monte-Carlo error"),
    Agreement.MISPRINT: ("differs because the document is at fault", "differ because the document is at fault"),
    Agreement.DIFFERS: ("differs", "differ"),
}
_MARKS = {
    Agreement.EXACT: "agrees",
    Agreement.ROUNDING: "agrees (rounded inputs)",
    Agreement.SIMULATION: "agrees (simulation)",
    Agreement.DIFFERS: "DIFFERS",
    Agreement.UNPRINTED: "",
}


def _marked(cell: Cell, how: Agreement) -> str:
    return f"ERRATUM {cell.erratum}" if how is Agreement.MISPRINT else _MARKS[how]


def shown(cell: Cell) -> str:
    """Our value in the notation of the document, with one digit more than it prints.

    >>> shown(Cell("X²", "", 1.163636, "1.1636")), shown(Cell("upper", "", 0.0006120, "6.2e-4"))
    ('1.16364', '6.12e-4')
    """
    if isinstance(cell.ours, str):
        return cell.ours
    mantissa, _, exponent = (cell.printed or "").lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) + 1
    if exponent and cell.ours:
        digits, power = f"{cell.ours:.{decimals}e}".split("e")
        return f"{digits}e{int(power)}"
    if "." in mantissa and abs(cell.ours) < 1e6:
        return f"{cell.ours:.{max(decimals, _decimals(cell))}f}"
    return show.number(cell.ours)


def _decimals(cell: Cell) -> int:
    """Those of the unit, where zeros at the end are left off in print."""
    return 0 if cell.unit is None else max(0, round(-log10(cell.unit))) + 1


def share_agreeing(comparison: Comparison) -> float:
    """The share of printed cells that agree, to compare two protocols by."""
    printed = [how for how in comparison.agreements if how is not Agreement.UNPRINTED]
    return sum(how in AGREEING for how in printed) / len(printed) if printed else 1.0
