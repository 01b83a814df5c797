"""The results of Feelders and Verkooijen (1995), Which method learns most from the data?"""

from __future__ import annotations

from itertools import combinations
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

from bakeoff.published.comparison import Cell, PublishedComparison, Reproduction, printed_number
from bakeoff.published.result import Document, PublishedResult, printed_values

if TYPE_CHECKING:
    from bakeoff.inference.evidence import Estimates

DIFFERS, ALIKE = "significant", "not significant"


def _pair(key: str) -> str:
    i, j = key.split(",")
    return f"θ{i} − θ{j}"


def _decision(lower: float, upper: float) -> str:
    return ALIKE if lower <= 0 <= upper else DIFFERS


# --- Table 3: four regression models on 106 instances --------------------------------------------------------------


def table3(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """Hochberg and Tamhane's intervals from the printed means and covariances, with the printed and the right |M|."""
    from bakeoff.procedures.hochberg_tamhane import from_summary, simultaneous_intervals

    printed = printed_values("feelders")["section2"]
    means = [float(mean) for mean in printed["means"]]
    S = [[float(entry) for entry in row] for row in printed["covariance"]]
    estimates = from_summary(means, S, printed["instances"]).estimates
    assert estimates is not None
    right = simultaneous_intervals(estimates, alpha=printed["alpha"])
    cells = [Cell("|M|, 6 pairs, 105 df, α = .10", "quantile", right.critical, printed["quantile"], erratum="F2")]
    cells += _table3_bounds(
        printed, estimates, float(printed["quantile"]), f"|M| = {printed['quantile']}", {"1,4": "F3", "3,4": "F1"}
    )
    cells += _table3_bounds(printed, estimates, right.critical, "right |M|", dict.fromkeys(printed["intervals"], "F2"))
    for k, (i, j) in enumerate(right.pairs):
        # "the linear model performs significantly worse than the three neural network models", which do not differ
        cells.append(
            Cell(
                _pair(f"{i + 1},{j + 1}"),
                "decision, right |M|",
                _decision(right.lower[k], right.upper[k]),
                DIFFERS if i == 0 else ALIKE,
            )
        )
    return TABLE3.compared(
        tuple(cells),
        protocol="From the printed means and the printed S of Table 2: once with the printed quantile, which is that "
        "of another law, and once with the right one, by which every bound that F2 marks moves outwards.",
    )


def _table3_bounds(
    print_of: dict[str, Any], estimates: Estimates, quantile: float, label: str, misprints: dict[str, str]
) -> list[Cell]:
    """Both ends of all intervals with one quantile; `misprints` are those that may explain a difference, by pair."""
    from bakeoff.procedures.hochberg_tamhane import simultaneous_intervals

    bounds = simultaneous_intervals(estimates, critical=quantile)
    cells = []
    for k, (key, (lower, upper)) in enumerate(print_of["intervals"].items()):
        slack = _slack(print_of, *bounds.pairs[k], quantile, float(bounds.se[k]))
        for end, ours, printed in (("lower", bounds.lower[k], lower), ("upper", bounds.upper[k], upper)):
            known = misprints.get(key, "")
            cells.append(Cell(_pair(key), f"{end}, {label}", float(ours), printed, slack=slack, erratum=known))
    return cells


def _slack(printed: dict[str, Any], i: int, j: int, quantile: float, se: float) -> float:
    """How far a bound can be off because two means and three entries of S are printed rounded."""

    def half(text: str) -> float:
        return printed_number(text)[1] / 2

    S = printed["covariance"]
    variance = (half(S[i][i]) + half(S[j][j]) + 2 * half(S[i][j])) / printed["instances"]
    return half(printed["means"][i]) + half(printed["means"][j]) + quantile * (sqrt(se**2 + variance) - se)


# --- Table 4: McNemar ------------------------------------------------------------------------------------------------


def table4(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """Linear discriminant against a neural network on 384 instances."""
    from bakeoff.procedures.mcnemar import mcnemar_counts

    printed = printed_values("feelders")["section3"]["table4"]
    n = printed["counts"]
    test = mcnemar_counts(
        n["both_wrong"], n["only_lda_wrong"], n["only_nn_wrong"], n["both_right"], method="chi2", correction=True
    )
    margins = {
        "lda_wrong": n["both_wrong"] + n["only_lda_wrong"],
        "lda_right": n["only_nn_wrong"] + n["both_right"],
        "nn_wrong": n["both_wrong"] + n["only_nn_wrong"],
        "nn_right": n["only_lda_wrong"] + n["both_right"],
        "total": sum(n.values()),
    }
    cells = [Cell(name.replace("_", ", "), "margin", float(value), printed[name]) for name, value in margins.items()]
    cells += [
        Cell("discordant instances", "McNemar", float(test.details["discordant"]), printed["discordant"]),
        Cell("X², continuity-corrected", "McNemar", test.statistic, printed["statistic"]),
        Cell("p", "McNemar", test.p, printed["p"]),
        Cell("H0: equal error, 5 %", "McNemar", "rejected" if test.p <= 0.05 else "not rejected", "not rejected"),
    ]
    return TABLE4.compared(tuple(cells), protocol="McNemar's χ² with continuity correction from the printed counts.")


# --- Table 5: five classifiers on 384 instances ------------------------------------------------------------------


def table5(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """Dunn's intervals from the printed rates, as the document computed them, and from the counts."""
    from bakeoff.inference.joint_laws import BonferroniLaw
    from bakeoff.procedures.right_or_wrong import from_summary

    printed_table = printed_values("feelders")["section3"]["table5"]
    n, pairs = printed_table["instances"], len(printed_table["intervals"])
    sigma = float(printed_table["sigma_diff"])
    exact = [right / n for right in printed_table["right"]]
    estimates = from_summary(exact, sigma, inf).estimates
    assert estimates is not None
    quantile = estimates.law.critical(printed_table["alpha"], pairs)
    cells = [
        Cell(f"Ȳ.{i + 1}", "rate", ours, printed, unit=printed_table["unit"])
        for i, (ours, printed) in enumerate(zip(exact, printed_table["rates"], strict=True))
    ]
    cells += [
        Cell("Z, 10 pairs, ν = ∞", "quantile", quantile, printed_table["quantile"]),
        Cell(
            "Z, 10 pairs, ν = 383",
            "quantile",
            BonferroniLaw(n - 1.0).critical(printed_table["alpha"], pairs),
            printed_table["quantile"],
            erratum="F7",
        ),
        Cell("2 Z σ_diff", "width", 2 * quantile * sigma, printed_table["width"], erratum="F11"),
    ]
    rounded = [float(rate) for rate in printed_table["rates"]]
    cells += _table5_bounds(printed_table, rounded, quantile * sigma, "printed rates", "")
    cells += _table5_bounds(printed_table, exact, quantile * sigma, "counts", "F8")
    for i, j in combinations(range(5), 2):
        d = exact[i] - exact[j]
        decision = _decision(d - quantile * sigma, d + quantile * sigma)
        # "f3 performs significantly worse than all other functions", among which no difference has been found
        cells.append(Cell(_pair(f"{i + 1},{j + 1}"), "decision, counts", decision, DIFFERS if 2 in (i, j) else ALIKE))
    return TABLE5.compared(
        tuple(cells),
        protocol="From the printed σ_diff, which needs answers that are not printed; the rates once as they are "
        "printed, from which the document computed its table, and once from the counts.",
    )


def _table5_bounds(print_of: dict[str, Any], rates: list[float], half: float, label: str, erratum: str) -> list[Cell]:
    cells = []
    for key, (lower, upper) in print_of["intervals"].items():
        i, j = (int(part) - 1 for part in key.split(","))
        d = rates[i] - rates[j]
        for end, ours, printed in (("lower", d - half, lower), ("upper", d + half, upper)):
            cells.append(Cell(_pair(key), f"{end}, {label}", ours, printed, unit=print_of["unit"], erratum=erratum))
    return cells


# --- Section 1: the familywise error ------------------------------------------------------------------------------


def familywise(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """The chance of any false claim among independent and among pairwise tests."""
    from bakeoff.inference.adjustments import all_pairs_error, independent_error, level_for

    pairs, independent = all_pairs_error(0.05, 5), independent_error(0.05, 10)
    cells = (
        Cell("20 independent tests at .05", "familywise error", independent_error(0.05, 20), "0.64"),
        Cell("10 independent tests at .05", "familywise error", independent),
        Cell("10 pairwise tests of 5 equal means at .05", "familywise error", pairs),
        Cell(
            "pairwise against independent tests",
            "familywise error",
            "larger" if pairs > independent else "smaller",
            "larger",
            erratum="F4",
        ),
        Cell("10 tests after Bonferroni, α/J each", "familywise error", independent_error(level_for(0.05, 10), 10)),
    )
    return FAMILYWISE.compared(
        cells, protocol="1 − (1 − α)^J, and for all pairs the law of the range of five normal variables."
    )


TABLE3 = PublishedResult(
    name="feelders-table3",
    title="Simultaneous intervals for four regression models, from the covariances of Table 2",
    document=Document.F,
    place="section 2, Tables 2 and 3",
    shows="The linear model is worse than all three networks, which do not differ; the printed quantile is too small.",
    regenerate=table3,
    status=Reproduction.MISPRINTS,
    errata=("F2", "F3", "F1"),
)
TABLE4 = PublishedResult(
    name="feelders-table4",
    title="McNemar's test of a linear discriminant against a neural network",
    document=Document.F,
    place="section 3, Table 4",
    shows="23 against 32 instances that only one gets wrong are no evidence of different error rates.",
    regenerate=table4,
)
TABLE5 = PublishedResult(
    name="feelders-table5",
    title="Simultaneous intervals for five classifiers on 384 instances",
    document=Document.F,
    place="section 3, Table 5",
    shows="The tree is worse than all others, which do not differ; the table was computed from rounded rates.",
    regenerate=table5,
    status=Reproduction.MISPRINTS,
    errata=("F7", "F11", "F8"),
)
FAMILYWISE = PublishedResult(
    name="feelders-familywise",
    title="The familywise error of many tests",
    document=Document.F,
    place="section 1",
    shows="Twenty independent tests at 5 % make a false claim with probability .64; dependence makes it smaller.",
    regenerate=familywise,
    status=Reproduction.MISPRINTS,
    errata=("F4",),
)
RESULTS = (TABLE3, TABLE4, TABLE5, FAMILYWISE)
