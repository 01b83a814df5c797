"""All cells of a published result beside the document's, with a summary in words."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from html import escape
from importlib.resources import files
from math import isfinite, isnan, log10, nan, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bakeoff import text as show
from bakeoff.errors import UsageError, nearest
from bakeoff.figures.figure import Chart
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.records import Answer, Record

if TYPE_CHECKING:
    import pandas as pd


# ----------------------------------------------------------------------------------------------------------------------
# One number of ours beside the number that a document prints, and whether they agree.


class Agreement(Enum):
    """How a cell of ours stands to the document's, from the best to the worst."""

    EXACT = "agrees"  # to the digits printed
    ROUNDING = "agrees within the rounding of its inputs"
    SIMULATION = "agrees within Monte-Carlo error"
    TOO_FEW = "too few runs to tell"  # so few that nearly any number would have agreed
    MISPRINT = "misprint"  # they differ, and the document is known to be at fault
    DIFFERS = "differs"
    UNPRINTED = "not printed"  # ours stands alone


SHOWS_OF_SHARE, SHOWS_OF_NUMBER = 0.1, 0.25  # what a simulation has to be able to show before it says "agrees"


@dataclass(frozen=True, slots=True, eq=False)
class Cell(Record):
    """One cell. Numbers agree if they are the same to the digits printed; words, if they are the same.

    row, column      where it stands
    ours             what was computed: a number with full precision, or words
    printed          what the document has, as printed ("5.9e-4", ".05"); None if it has nothing there
    standard_error   of the difference between the two if either is simulated; None if both are exact
    unit             one in the last digit printed, where zeros at the end were left off ("0.05" among three decimals)
    slack            how far ours can be off because the document prints its inputs rounded
    erratum          the misprint (a key of `errata`) that explains a difference
    note             anything else to be said about it
    """

    row: str
    column: str
    ours: float | str
    printed: str | None = None
    standard_error: float | None = None
    unit: float | None = None
    slack: float = 0.0
    erratum: str = ""
    note: str = ""

    @property
    def document(self) -> float:
        """The printed number; nan for words and for nothing."""
        return nan if self.printed is None or isinstance(self.ours, str) else printed_number(self.printed)[0]

    @property
    def excess(self) -> float:
        """By how much the two differ beyond the digits printed; 0 if they do not."""
        if self.printed is None or isinstance(self.ours, str):
            return nan
        value, unit = printed_number(self.printed)
        # Floating point must not decide a half: 0.0245 printed as 0.025 agrees, and so does 0.024.
        half = (self.unit or unit) / 2 * (1 + 1e-9)
        gap = abs(self.ours - value)
        return gap - half if gap > half else 0.0

    @property
    def z(self) -> float:
        """The difference in standard errors; nan if neither is simulated or nothing is printed."""
        if self.standard_error is None or self.printed is None or isinstance(self.ours, str):
            return nan
        if self.standard_error == 0:
            return 0.0 if self.excess == 0 else float("inf")
        return (self.ours - self.document) / self.standard_error

    def telling(self, limit: float) -> bool:
        """Whether so much was simulated that a number which is off would show: `limit` standard errors are at most ten
        points of a share, or a quarter of another number."""
        if self.standard_error is None or isnan(self.document):
            return True
        share = 0 <= self.document <= 1
        return limit * self.standard_error <= (SHOWS_OF_SHARE if share else SHOWS_OF_NUMBER * abs(self.document))

    def agreement(self, limit: float) -> Agreement:
        """How the two stand to each other; a simulated cell may differ by `limit` standard errors.

        >>> Cell("θ1 − θ2", "lower", 0.000588, "5.9e-4").agreement(3).value
        'agrees'
        >>> Cell("β2 = 0", "oob", 0.061, "0.054", standard_error=0.005).agreement(3).value
        'agrees within Monte-Carlo error'
        >>> Cell("θ3 − θ4", "upper", 0.000612, "6.2e-3", erratum="F1").agreement(3).value
        'misprint'
        """
        if self.printed is None:
            return Agreement.UNPRINTED
        if abs(self.z) <= limit and not self.telling(limit):
            return Agreement.TOO_FEW
        if isinstance(self.ours, str):
            same = self.ours == self.printed
        else:
            same = self.excess == 0
            if not same and self.excess <= self.slack:
                return Agreement.ROUNDING
            if not same and abs(self.z) <= limit:
                return Agreement.SIMULATION
        if same:
            return Agreement.EXACT
        return Agreement.MISPRINT if self.erratum else Agreement.DIFFERS


def printed_number(text: str) -> tuple[float, float]:
    """A number as printed, and one in its last digit.

    >>> printed_number("5.9e-4"), printed_number("-.05"), printed_number("383")
    ((0.00059, 1e-05), (-0.05, 0.01), (383.0, 1.0))
    """
    mantissa, _, exponent = text.strip().lower().replace("−", "-").partition("e")
    decimals = len(mantissa.partition(".")[2])
    try:
        value, unit = float(f"{mantissa}e{exponent or 0}"), float(f"1e{int(exponent or 0) - decimals}")
    except ValueError:
        value = unit = nan
    if not isfinite(value):
        raise UsageError(f"A printed number looks like 0.054 or 5.9e-4; found {text!r}.")
    return value, unit


def simulated(
    row: str,
    column: str,
    hits: float,
    replications: int,
    printed: str | None,
    *,
    theirs: int = 0,
    erratum: str = "",
    note: str = "",
) -> Cell:
    """A share of replications beside the document's, which comes from `theirs` replications (0: it is exact).

    The standard error is that of the difference, from both together under the hypothesis that they estimate one chance;
    one half is added to successes and failures, so that a share of 0 or 1 does not look exact.

    >>> cell = simulated("β2 = 0", "oob", 61, 1000, "0.054", theirs=5000)
    >>> round(cell.ours, 3), round(cell.standard_error, 4), round(cell.z, 2)
    (0.061, 0.0079, 0.88)
    """
    if not 0 <= hits <= replications or replications < 1:
        raise UsageError(f"Of at least one replication, some or all are hits; found {hits} of {replications}.")
    chance = (hits + 0.5) / (replications + 1)
    variance = chance * (1 - chance) / replications
    if printed is not None:
        value, _ = printed_number(printed)
        total = replications + theirs
        # An exact value of 0 or 1 says that there is no error at all; ours then keeps its own.
        pooled = (hits + theirs * value + 0.5) / (total + 1) if theirs else value
        pooled = pooled if 0 < pooled < 1 else chance
        variance = pooled * (1 - pooled) * (1 / replications + (1 / theirs if theirs else 0))
    return Cell(row, column, hits / replications, printed, sqrt(variance), erratum=erratum, note=note)


# ----------------------------------------------------------------------------------------------------------------------
# The misprints and errors of the founding documents, a sentence each; they stand in data/published/errata.toml.


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


# ----------------------------------------------------------------------------------------------------------------------


# The chance that a simulated table is marked anywhere although both simulations estimate the same.
FALSE_MARK = 0.01


class Reproduction(Enum):
    """What became of a published result."""

    REPRODUCED = "reproduced"
    MISPRINTS = "reproduced, but for misprints"
    NOT_REPRODUCED = "not reproduced"
    UNPRINTED = "computed; nothing is printed"
    TOO_FEW = "not checked: too few runs to tell"


@dataclass(frozen=True, eq=False)
class PublishedComparison(Answer):
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
    figure: Chart | None = None

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
    def status(self) -> Reproduction:
        kinds = set(self.agreements)
        if Agreement.DIFFERS in kinds:
            return Reproduction.NOT_REPRODUCED
        if kinds == {Agreement.UNPRINTED}:
            return Reproduction.UNPRINTED
        if kinds <= {Agreement.UNPRINTED, Agreement.TOO_FEW}:
            return Reproduction.TOO_FEW
        return Reproduction.MISPRINTS if Agreement.MISPRINT in kinds else Reproduction.REPRODUCED

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
        checked = printed - count[Agreement.TOO_FEW]
        part = ""
        if checked < printed:
            more = "" if self.full else "; --full makes more"
            part = f" Checked {checked} of {printed}: for the others too few runs were made to tell{more}."
        return f"Of {printed} {numbers} beside a printed one, {show.listing(parts)}.{part}{simulated}"

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
        fields: dict[str, Any] = show.to_json_value(self)
        for cell, fields_of_cell, how in zip(self.cells, fields["cells"], self.agreements, strict=True):
            fields_of_cell.update(z=show.to_json_value(cell.z), agreement=how.value)
        fields.update(
            status=self.status.value,
            summary=self.summary,
            limit=self.limit,
            errata={key: erratum(key) for key in self.errata},
        )
        return fields

    def _repr_html_(self) -> str:
        table = show.html_table(*self.table(), f"{self.name}: {self.title}")
        lines = [self.summary, *(f"{key}: {erratum(key)}" for key in self.errata), *self.notes]
        return table + "".join(f"<p>{escape(line)}</p>" for line in lines)


# For one cell, and for several.
_OUTCOME = {
    Agreement.EXACT: ("agrees to the digits printed", "agree to the digits printed"),
    Agreement.ROUNDING: (
        "agrees within the rounding of the inputs that the document prints",
        "agree within the rounding of the inputs that the document prints",
    ),
    Agreement.SIMULATION: ("agrees within Monte-Carlo error", "agree within Monte-Carlo error"),
    Agreement.TOO_FEW: ("has too few runs to tell", "have too few runs to tell"),
    Agreement.MISPRINT: ("differs because the document is at fault", "differ because the document is at fault"),
    Agreement.DIFFERS: ("differs", "differ"),
}
_MARKS = {
    Agreement.EXACT: "agrees",
    Agreement.ROUNDING: "agrees (rounded inputs)",
    Agreement.SIMULATION: "agrees (simulation)",
    Agreement.TOO_FEW: "too few runs to tell",
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
