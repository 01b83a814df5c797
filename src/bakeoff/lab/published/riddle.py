"""The tables in Riddle's notes on experimental design: errors and half-widths, Holte's ceiling, wins under noise."""

from __future__ import annotations

import numpy as np

from bakeoff.lab.published.cells import Cell, printed_number
from bakeoff.lab.published.comparison import Comparison, Status
from bakeoff.lab.published.printed import printed_rows
from bakeoff.lab.published.result import Document, Published

METHODS = ("C4.5", "Randomized C4.5", "Bagged C4.5", "AdaBoosted C4.5")
DOMAINS = "9"

# --- Error rates and half-widths on 33 data sets --------------------------------------------------------------------


def errors(full: bool = False, seed: int = 0, jobs: int = 1) -> Comparison:
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
    from bakeoff.lab.half_widths import implied_sizes

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
    found = []
    for row in rows:
        n = int(row["n"] or 0) + added
        for error in (row[f"{method} error"] for method in METHODS if 0 < n - added < 5000):
            value, unit = printed_number(error)
            found.append(abs(round(value * n) / n - value) <= unit / 2 * (1 + 1e-9))
    return sum(found), len(found)


def half_width(error: float, n: float) -> float:
    """Half of Wald's 95 % interval."""
    from bakeoff.procedures.wilson import proportion_interval

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


def one_rule_ceiling(full: bool = False, seed: int = 0, jobs: int = 1) -> Comparison:
    """The best of C4 and 1R on each data set, and how little room it leaves."""
    from bakeoff.lab.ceiling import ceiling

    first, second, best = printed_rows("riddle_ceiling")
    sets = [name for name in first if name != "method"]
    found = ceiling([[float(row[name]) for name in sets] for row in (first, second)])
    cells = [Cell(name, "Max", float(ours), best[name], unit=0.1) for name, ours in zip(sets, found.best, strict=True)]
    cells.append(Cell("last data set", "name", sets[-1], "VI", erratum="R10"))
    for name, mean, room in zip((first["method"], second["method"]), found.means, found.room, strict=True):
        cells += [Cell(f"mean accuracy of {name}", "", float(mean)), Cell(f"room above {name}", "", float(room))]
    cells.append(Cell("mean of Max", "", found.mean_best))
    return CEILING.compared(
        tuple(cells),
        protocol="The larger accuracy of each column. The room is what choosing the right method for every data set "
        "would gain.",
    )


# --- Wins, losses and ties under class noise --------------------------------------------------------------------------


def noise(full: bool = False, seed: int = 0, jobs: int = 1) -> Comparison:
    """The four charts of wins, losses and ties, with the sign test that the notes go on to describe."""
    from bakeoff.procedures.win_loss_tie import win_loss_tie

    cells = []
    for row in printed_rows("riddle_noise"):
        wins, losses, ties = map(int, row["record"].split("-"))
        # All that a chart keeps of a domain is who won it.
        found = win_loss_tie([1.0] * wins + [0.0] * (losses + ties), [0.0] * wins + [1.0] * losses + [0.0] * ties)
        where = f"{row['noise']} %, {row['row']} against {row['column']}: {row['record']}"
        cells += [
            Cell(where, "domains", float(wins + losses + ties), DOMAINS),
            Cell(where, "sign test, p", found.p, note="significant" if found.p <= 0.05 else ""),
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


def demsar(full: bool = False, seed: int = 0, jobs: int = 1) -> Comparison:
    """Wilcoxon, sign and Friedman test on the AUCs of four variants of C4.5 on 14 data sets."""
    from bakeoff.procedures.friedman import (
        DEMSAR,
        chi2_from_mean_ranks,
        critical_difference,
        friedman,
        iman_davenport,
    )
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


ERRORS = Published(
    name="riddle-errors",
    title="Error rates of four tree learners on 33 data sets, with half-widths",
    document=Document.R,
    place="Experiments with standard deviation (from Dietterich 2000)",
    shows="What is called a standard deviation is the half-width of a 95 % interval.",
    regenerate=errors,
)
CEILING = Published(
    name="riddle-ceiling",
    title="Holte's 1R against C4: the ceiling effect",
    document=Document.R,
    place="Four spurious effects",
    shows="Where the best known accuracy is hardly better than either, equal means say little.",
    regenerate=one_rule_ceiling,
    status=Status.MISPRINTS,
    errata=("R10",),
)
NOISE = Published(
    name="riddle-noise",
    title="Wins, losses and ties of four tree learners at four levels of class noise",
    document=Document.R,
    place="Table 3, pairwise combination chart (from Dietterich 2000)",
    shows="Boosting wins without noise and loses with it; bagging gains.",
    regenerate=noise,
)
DEMSAR_EXAMPLE = Published(
    name="riddle-demsar",
    title="Demšar's example: four variants of C4.5 on 14 data sets",
    document=Document.R,
    place="Wilcoxon, Friedman and Nemenyi tests (the example of their source, Demšar 2006)",
    shows="C4.5 with tuned leaf size beats C4.5; printed mean ranks break a tie that the printed AUCs have.",
    regenerate=demsar,
    status=Status.MISPRINTS,
    errata=("R7",),
)
RESULTS = (ERRORS, CEILING, NOISE, DEMSAR_EXAMPLE)
