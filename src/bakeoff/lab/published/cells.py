"""One number of ours beside the number that a document prints, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import isfinite, nan, sqrt

from bakeoff.errors import UsageError


class Agreement(Enum):
    """How a cell of ours stands to the document's, from the best to the worst."""

    EXACT = "agrees"  # to the digits printed
    ROUNDING = "agrees within the rounding of its inputs"
    SIMULATION = "agrees within Monte-Carlo error"
    MISPRINT = "misprint"  # they differ, and the document is known to be at fault
    DIFFERS = "differs"
    UNPRINTED = "not printed"  # ours stands alone


AGREEING = (Agreement.EXACT, Agreement.ROUNDING, Agreement.SIMULATION)


@dataclass(frozen=True, slots=True)
class Cell:
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
