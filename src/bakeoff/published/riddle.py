"""The tables in Riddle's notes on experimental design: errors and half-widths, Holte's ceiling, wins under noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import Array, number_column, number_table, paired
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.published.comparison import Cell, PublishedComparison, Reproduction, printed_number
from bakeoff.published.result import Document, PublishedResult, printed_rows

METHODS = ("C4.5", "Randomized C4.5", "Bagged C4.5", "AdaBoosted C4.5")
DOMAINS = "9"

# --- Error rates and half-widths on 33 data sets --------------------------------------------------------------------


def errors(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """The half-width of every error rate from the size of its data set."""
    cells, sizes = [], 0
    rows = printed_rows("riddle_errors")
    for row in rows:
        n, known = size_of(row)
        sizes += known
        cells += [_half_width_cell(row, method, n) for method in METHODS]
    starred = sum(cell.note == "*" for cell in cells)
    (smoothed, rates), (counts, _) = multiples(rows, 10), multiples(rows, 0)
    return ERRORS.compared(
        tuple(cells),
        protocol="Half-widths of Wald's 95 % intervals, 1.96 √(e(1 − e)/n), from the printed error rates e and the "
        f"sizes n of the data sets: {sizes} are known, the others are the n that explains the half-widths of a row.",
        notes=(
            "The numbers after ± are half-widths of 95 % intervals, not the standard deviations of the heading (R1): "
            "one n a row explains all of them.",
            f"{smoothed} of the {rates} error rates on data sets of fewer than 5,000 instances are multiples of 1/(n + "
            f"10), only {counts} of 1/n (R2): they are not counts divided by n.",
            f"{starred} cells bear a star in the column P, as noted; the notes do not say what it means (in the "
            "source: pruned trees were used).",
        ),
    )


def size_of(row: dict[str, str]) -> tuple[float, bool]:
    """The size of a data set, and whether it is known; else the middle of the sizes that explain the row."""

    if row["n"]:
        return float(row["n"]), True
    low, high = implied_sizes(
        [float(row[f"{method} error"]) for method in METHODS],
        [float(row[f"{method} half-width"]) for method in METHODS],
    )
    return (low + high) / 2, False


def multiples(rows: list[dict[str, str]], added: int) -> tuple[int, int]:
    """How many error rates are multiples of 1/(n + added) to the digits printed, and how many could fail to be.

    From 5,000 instances on, every number of four decimals is one.
    """
    lines = []
    for row in rows:
        n = int(row["n"] or 0) + added
        for error in (row[f"{method} error"] for method in METHODS if 0 < n - added < 5000):
            value, unit = printed_number(error)
            lines.append(abs(round(value * n) / n - value) <= unit / 2 * (1 + 1e-9))
    return sum(lines), len(lines)


def half_width(error: float, n: float) -> float:
    """Half of Wald's 95 % interval."""
    from bakeoff.mathematics.proportions import proportion_interval

    lower, upper = proportion_interval(error * n, n, confidence=0.95, method="wald")
    return (upper - lower) / 2


def _half_width_cell(row: dict[str, str], method: str, n: float) -> Cell:
    error, unit = printed_number(row[f"{method} error"])
    ours = half_width(error, n)
    near = [half_width(error + step, n) for step in (-unit / 2, unit / 2)]
    return Cell(
        row["dataset"],
        f"{method}, ± half-width",
        ours,
        row[f"{method} half-width"],
        slack=max(abs(other - ours) for other in near),
        note=row[f"{method} star"],
    )


# --- Holte's 1R: the ceiling ---------------------------------------------------------------------------------------


def one_rule_ceiling(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """The best of C4 and 1R on each data set, and how little room it leaves."""

    first, second, best = printed_rows("riddle_ceiling")
    sets = [name for name in first if name != "method"]
    highest = ceiling([[float(row[name]) for name in sets] for row in (first, second)])
    cells = [
        Cell(name, "Max", float(ours), best[name], unit=0.1) for name, ours in zip(sets, highest.best, strict=True)
    ]
    cells.append(Cell("last data set", "name", sets[-1], "VI", erratum="R10"))
    for name, mean, room in zip((first["method"], second["method"]), highest.means, highest.room, strict=True):
        cells += [Cell(f"mean accuracy of {name}", "", float(mean)), Cell(f"room above {name}", "", float(room))]
    cells.append(Cell("mean of Max", "", highest.mean_best))
    return CEILING.compared(
        tuple(cells),
        protocol="The larger accuracy of each column. The room is what choosing the right method for every data set "
        "would gain.",
    )


# --- Wins, losses and ties under class noise --------------------------------------------------------------------------


def noise(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """The four charts of wins, losses and ties, with the sign test that the notes go on to describe."""
    from bakeoff.procedures.win_loss_tie import win_loss_tie

    cells = []
    for row in printed_rows("riddle_noise"):
        wins, losses, ties = map(int, row["record"].split("-"))
        # All that a chart keeps of a domain is who won it.
        record = win_loss_tie([1.0] * wins + [0.0] * (losses + ties), [0.0] * wins + [1.0] * losses + [0.0] * ties)
        where = f"{row['noise']} %, {row['row']} against {row['column']}: {row['record']}"
        cells += [
            Cell(where, "domains", float(wins + losses + ties), DOMAINS),
            Cell(where, "sign test, p", record.p, note="significant" if record.p <= 0.05 else ""),
        ]
    significant = sum(cell.note != "" for cell in cells)
    return NOISE.compared(
        tuple(cells),
        protocol="The outcome on each domain is not printed, so the records are what goes in: they must count nine "
        "domains each, and are held against chance by the sign test with ties split evenly and an odd one dropped.",
        notes=(
            f"Nine domains are few: by the sign test {significant} of the {len(cells) // 2} records is significant at "
            "5 %, before any adjustment for their number.",
        ),
    )


# --- Demšar's worked example, from which the notes take their tests ---------------------------------------------------


def demsar(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """Wilcoxon, sign and Friedman test on the AUCs of four variants of C4.5 on 14 data sets."""
    from bakeoff.mathematics.rank_tables import chi2_from_mean_ranks
    from bakeoff.procedures.friedman import DEMSAR, critical_difference, friedman, iman_davenport
    from bakeoff.procedures.wilcoxon import compute as wilcoxon
    from bakeoff.procedures.win_loss_tie import win_loss_tie

    aucs = np.array(DEMSAR)
    n, k = aucs.shape
    ranked = friedman(-aucs)
    signed = wilcoxon(aucs[:, 1], aucs[:, 0])
    counted = win_loss_tie(list(aucs[:, 1]), list(aucs[:, 0]))
    printed_ranks = ("3.143", "2.000", "2.893", "1.964")
    from_ranks = chi2_from_mean_ranks([float(rank) for rank in printed_ranks], n)
    half = 0.5  # mean ranks come in halves: 92.5 would not be 93
    tied, untied = "from the AUCs", "from the printed ranks"
    cells = [
        Cell("R+, C4.5+m against C4.5", "Wilcoxon", float(signed.details["w_plus"]), "93", unit=half),
        Cell("R−", "Wilcoxon", float(signed.details["w_minus"]), "12", unit=half),
        Cell("T", "Wilcoxon", signed.statistic, "12", unit=half),
        Cell("wins, ties split", "sign test", float(counted.details["wins_with_split_ties"]), "11"),
    ]
    cells += [
        Cell(f"mean rank of {name}", tied, float(ours), printed, erratum="R7")
        for name, ours, printed in zip(
            ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"), ranked.details["mean_ranks"], printed_ranks, strict=True
        )
    ]
    cells += [
        Cell("Friedman χ²", tied, float(ranked.details["chi2_raw"]), "9.28", erratum="R7"),
        Cell("Iman–Davenport F", tied, ranked.details["f_raw"].statistic, "3.69", erratum="R7"),
        Cell("Friedman χ²", untied, from_ranks, "9.28"),
        Cell("Iman–Davenport F", untied, iman_davenport(from_ranks, n, k).statistic, "3.69"),
        Cell("Friedman χ², tie-corrected", tied, float(ranked.details["chi2"])),
        Cell("critical difference, α = .10", "Nemenyi", critical_difference(k, n, 0.10), "1.12"),
        Cell("critical difference, α = .05", "Nemenyi", critical_difference(k, n, 0.05), "1.25"),
    ]
    return DEMSAR_EXAMPLE.compared(
        tuple(cells),
        protocol="Zero differences are split between the sides, as the notes say; χ² and F without tie correction, as "
        "in their formula.",
    )


ERRORS = PublishedResult(
    name="riddle-errors",
    title="Error rates of four tree learners on 33 data sets, with half-widths",
    document=Document.R,
    place="Experiments with standard deviation (from Dietterich 2000)",
    shows="What is called a standard deviation is the half-width of a 95 % interval.",
    regenerate=errors,
)
CEILING = PublishedResult(
    name="riddle-ceiling",
    title="Holte's 1R against C4: the ceiling effect",
    document=Document.R,
    place="Four spurious effects",
    shows="Where the best known accuracy is hardly better than either, equal means say little.",
    regenerate=one_rule_ceiling,
    status=Reproduction.MISPRINTS,
    errata=("R10",),
)
NOISE = PublishedResult(
    name="riddle-noise",
    title="Wins, losses and ties of four tree learners at four levels of class noise",
    document=Document.R,
    place="Table 3, pairwise combination chart (from Dietterich 2000)",
    shows="Boosting wins without noise and loses with it; bagging gains.",
    regenerate=noise,
)
DEMSAR_EXAMPLE = PublishedResult(
    name="riddle-demsar",
    title="Demšar's example: four variants of C4.5 on 14 data sets",
    document=Document.R,
    place="Wilcoxon, Friedman and Nemenyi tests (the example of their source, Demšar 2006)",
    shows="C4.5 with tuned leaf size beats C4.5; printed mean ranks break a tie that the printed AUCs have.",
    regenerate=demsar,
    status=Reproduction.MISPRINTS,
    errata=("R7",),
)
RESULTS = (ERRORS, CEILING, NOISE, DEMSAR_EXAMPLE)


# ----------------------------------------------------------------------------------------------------------------------
# The ceiling effect: methods that look alike because the task leaves no room to be better.
#
# Holte (1993), doi:10.1023/A:1022631118932, found one-rule classifiers almost as accurate as C4. Before that is news,
# one asks what anything could have reached there: where the best accuracy known is hardly better than either, the
# comparison says little (Cohen 1995, Empirical Methods for Artificial Intelligence, 3.2).


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Two methods beside the best of them on each task.

    `best` is the larger score of each task, `room` its mean less the mean of each method: what choosing the right
    method on every task would gain. Where there is hardly any room, equal means are no evidence of equal methods.
    """

    means: Array
    best: Array
    mean_best: float
    wins: tuple[int, int]
    ties: int

    @property
    def room(self) -> Array:
        return self.mean_best - self.means


def ceiling(scores: ArrayLike) -> Ceiling:
    """Means, wins and room of two methods (rows) on tasks (columns); larger scores are better.

    >>> result = ceiling([[93.8, 77.2, 100.0], [95.9, 87.4, 98.4]])
    >>> result.best.tolist(), result.wins, result.room.round(2).tolist()
    ([95.9, 87.4, 100.0], (1, 2), [4.1, 0.53])
    """
    table = number_table(scores, "scores", rows=2)
    if len(table) != 2:
        raise UsageError(f"The ceiling of a comparison has two methods as rows; found {len(table)}.")
    first, second = table
    best = table.max(axis=0)
    return Ceiling(
        means=table.mean(axis=1),
        best=best,
        mean_best=float(best.mean()),
        wins=(int((first > second).sum()), int((second > first).sum())),
        ties=int((first == second).sum()),
    )


# ----------------------------------------------------------------------------------------------------------------------
# What a printed "error ± half-width" says about the sample behind it.
#
# If h = z √(e(1 − e)/n) is a normal interval, then n = z² e(1 − e)/h². Printed digits are rounded, so they give a range
# of sizes; where the ranges of all methods of a row share a size, one test sample explains the row, and the ± are half-
# widths of intervals and not standard deviations (as which Riddle's slide heads the table of Dietterich 2000,
# doi:10.1023/A:1007607513941).


def implied_sizes(errors: ArrayLike, half_widths: ArrayLike) -> tuple[float, float]:
    """The smallest and largest sample size that explain all pairs printed with four decimals, at 95 %; none does if the
    first is larger.

    >>> low, high = implied_sizes([0.3257, 0.2018], [0.0637, 0.0545])
    >>> round(low, 1), round(high, 1)
    (207.9, 208.3)
    >>> low, high = implied_sizes([0.3257, 0.2018], [0.0637, 0.0245])
    >>> low > high
    True
    """
    e, h = paired(number_column(errors, "errors"), number_column(half_widths, "half-widths"))
    z, unit = normal_quantile((1 + 0.95) / 2), 0.5 * 10.0**-4
    if (e < 0).any() or (e > 1).any():
        raise UsageError("Errors are rates between 0 and 1.")
    if (h <= unit).any():
        raise UsageError("A half-width must exceed the rounding of 4 decimals for a size to follow from it.")
    variance = np.array([_variance(rate, unit) for rate in e.tolist()])
    low, high = z**2 * variance[:, 0] / (h + unit) ** 2, z**2 * variance[:, 1] / (h - unit) ** 2
    return float(low.max()), float(high.min())


def _variance(rate: float, unit: float) -> tuple[float, float]:
    """The smallest and largest e(1 − e) within rounding; the largest is ¼ if ½ is possible."""
    ends = np.clip([rate - unit, rate + unit], 0, 1)
    values = ends * (1 - ends)
    return float(values.min()), 0.25 if ends[0] <= 0.5 <= ends[1] else float(values.max())
