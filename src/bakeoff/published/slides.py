"""The numbers on the slides about comparing data mining methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from bakeoff.published.comparison import Cell, PublishedComparison, Reproduction, erratum
from bakeoff.published.result import Document, PublishedResult, printed_values


def intervals(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """Every interval of a rate by both methods that the slides use, and the table of normal quantiles."""
    from bakeoff.mathematics.laws import normal_quantile

    printed_numbers = printed_values("slides")
    cells = [
        cell for rate in printed_numbers["rate"] for method in ("wilson", "wald") for cell in _bounds(rate, method)
    ]
    for level, printed in printed_numbers["quantiles"].items():
        ours = normal_quantile((1 + float(level)) / 2)
        cells.append(Cell(f"z, {round(100 * float(level))} %", "quantile", ours, printed, erratum="S14"))
    return INTERVALS.compared(
        tuple(cells),
        protocol="Every interval by Wilson's method and by Wald's. The slides do not say which one they use: all but "
        "the first are Wilson's, beside which Wald's is shown for comparison.",
    )


def _bounds(rate: dict[str, Any], method: str) -> list[Cell]:
    """Both ends of an interval by one method; Wald's stand beside what is printed only where the slides have them."""
    from bakeoff.mathematics.proportions import proportion_interval

    scale = 100.0 if rate.get("percent") else 1.0
    bounds = proportion_interval(rate["x"], rate["n"], confidence=rate["confidence"], method=method)
    erratum = "S6" if method == rate["method"] else "S5"
    column, beside = method.capitalize(), method in ("wilson", rate["method"])
    return [
        Cell(rate["row"], f"{column}, {end}", scale * bound, printed if beside else None, erratum=erratum)
        for end, bound, printed in zip(("lower", "upper"), bounds, rate["bounds"], strict=True)
    ]


def two_models(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """M1 with 15 % errors on 30 instances against M2 with 25 % on 5000, each on a test set of its own."""
    from bakeoff.procedures.rates import two_proportions

    printed = printed_values("slides")["two_models"]
    test = two_proportions(printed["e1"], printed["n1"], printed["e2"], printed["n2"], pooled=False, interval="wald")
    half = (test.upper - test.lower) / 2
    decision = "not significant" if test.lower <= 0 <= test.upper else "significant"
    cells = (
        Cell("d = e1 − e2", "", test.estimate, printed["d"], erratum="S4"),
        Cell("variance of d", "", test.details["variance"], printed["variance"]),
        Cell("σ of d", "", test.details["standard_error"], printed["variance"], erratum="S3"),
        Cell("half-width, 95 %", "", half, printed["half_width"]),
        Cell("lower, 95 %", "", test.lower),
        Cell("upper, 95 %", "", test.upper),
        Cell("decision, 95 %", "", decision, "not significant"),
    )
    return TWO_MODELS.compared(cells, protocol="z with a variance for each rate and Wald's interval, as on the slides.")


def t_tests(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """The paired and the unpaired t of the slides on the same folds, by our procedures and by the formulas."""
    from bakeoff.procedures.paired_t import kfold_t
    from bakeoff.procedures.unpaired_t import unpaired_t

    folds = printed_values("slides")["folds"]
    a, b = np.array(folds["a"]), np.array(folds["b"])
    d, k = a - b, len(a)
    paired = kfold_t(a, b)
    smaller, welch = (unpaired_t(a, b, df=df) for df in ("smaller", "welch"))
    s = float(np.sqrt(np.sum((d - d.mean()) ** 2) / (k * (k - 1))))
    cells = (
        Cell("paired, kfold-t", "t", paired.statistic),
        Cell("paired, δ̄ / s_δ̄ of the slide", "t", float(d.mean()) / s),
        Cell("paired, m_d / (σ_d²/k) as printed", "t", float(d.mean() / (d.var(ddof=1) / k)), note="S9"),
        Cell("paired, kfold-t", "p", paired.p),
        Cell("unpaired, unpaired-t", "t", smaller.statistic),
        Cell("unpaired, min(k, j) − 1 df", "p", smaller.p, note="S13"),
        Cell("unpaired, Welch's df", "p", welch.p),
    )
    return T_TESTS.compared(
        cells,
        protocol="The slides give formulas and no numbers. Here they are applied to the errors of two made-up learners "
        "in ten folds: once as pairs, and once as if the folds were not shared.",
        notes=tuple(f"{key}: {erratum(key)}" for key in ("S9", "S13")),
    )


INTERVALS = PublishedResult(
    name="slides-intervals",
    title="Intervals of a rate, and normal quantiles",
    document=Document.S,
    place="Confidence intervals for accuracy",
    shows="How an interval shrinks with the test set; Wald's and Wilson's intervals are mixed without saying so.",
    regenerate=intervals,
    status=Reproduction.MISPRINTS,
    errata=("S5", "S6", "S14"),
)
TWO_MODELS = PublishedResult(
    name="slides-two-models",
    title="Two models on two test sets of 30 and 5000 instances",
    document=Document.S,
    place="Example of comparing two models",
    shows="A difference of ten points may be chance where one test set has 30 instances.",
    regenerate=two_models,
    status=Reproduction.MISPRINTS,
    errata=("S4", "S3"),
)
T_TESTS = PublishedResult(
    name="slides-t-tests",
    title="The paired and the unpaired t test of ten folds",
    document=Document.S,
    place="Comparing classifiers A and B; unpaired observations",
    shows="What pairing gains, and what the printed formula would give.",
    regenerate=t_tests,
    status=Reproduction.UNPRINTED,
)
RESULTS = (INTERVALS, TWO_MODELS, T_TESTS)
