"""The numbers that Alpaydın prints in chapter 19, and exercise 2 as a simulation."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import binomial_pmf, normal_quantile
from bakeoff.published.comparison import Cell, PublishedComparison, Reproduction, simulated
from bakeoff.published.result import Document, PublishedResult


def critical_values(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """Quantiles, and the few other numbers that the chapter prints."""
    from bakeoff.inference.adjustments import bonferroni_bound
    from bakeoff.mathematics.checks import midranks
    from bakeoff.mathematics.laws import chi2_quantile, f_quantile, t_quantile

    large = 10**9  # (1 − 1/N)^N differs from its limit by less than its last digit in floating point
    ranks = midranks(np.array([[2.0, 1.0, 2.0, 4.0]]))[0]
    cells = (
        Cell("z(.025)", "19.8", normal_quantile(0.975), "1.96"),
        Cell("z(.005)", "19.8", normal_quantile(0.995), "2.58"),
        Cell("z(.05)", "19.8, 19.10.2", normal_quantile(0.95), "1.64"),
        Cell("t(.05, 9)", "19.10.3", t_quantile(0.95, 9), "1.83"),
        Cell("t(.05, 29)", "19.10.3", t_quantile(0.95, 29), "1.70"),
        Cell("χ²(.05, 1)", "19.11.1", chi2_quantile(0.95, 1), "3.84"),
        Cell("t(.025, 9)", "19.11.2", t_quantile(0.975, 9), "2.26"),
        Cell("t(.025, 29)", "19.11.2", t_quantile(0.975, 29), "2.05"),
        Cell("t(.025, 5)", "19.11.3", t_quantile(0.975, 5), "2.57"),
        Cell("F(.05, 10, 5)", "19.11.4", f_quantile(0.95, 10, 5), "4.74"),
        Cell("F(.05, 4, 45)", "19.12", f_quantile(0.95, 4, 45), "2.6"),
        Cell("(1 − 1/N)^N, N large", "19.6.3", (1 - 1 / large) ** large, "0.368"),
        Cell("share of instances in a bootstrap sample, %", "19.6.3", 100 * (1 - (1 - 1 / large) ** large), "63.2"),
        Cell("six 95 % intervals all cover, at least, %", "19.12", 100 * (1 - bonferroni_bound(0.05, 6)), "70"),
        Cell("ranks of 2, 1, 2, 4", "19.13.1", ", ".join(f"{rank:g}" for rank in ranks), "2.5, 1, 2.5, 4"),
    )
    return CRITICAL_VALUES.compared(cells)


# --- Exercise 2 ------------------------------------------------------------------------------------------------------

P0 = 0.2
RATES = (0.10, 0.15, 0.20, 0.25, 0.30, 0.35)
FOLDS, FOLD_SIZE = 10, 10
ALPHA = 0.05


def exercise2(full: bool = False, seed: int = 0, jobs: int = 1) -> PublishedComparison:
    """How often the binomial, the approximate normal and the t test reject p ≤ p₀, for several true p."""
    return simulate_exercise2(EXERCISE2.replications, seed)


def simulate_exercise2(replications: int, seed: int) -> PublishedComparison:
    """The same with any number of replications; the document asks for at least 1,000."""

    n = FOLDS * FOLD_SIZE
    decides = {"binomial": binomial_decisions(n), "approximate normal": normal_decisions(n)}
    cells, apart = [], []
    for p, stream in zip(RATES, np.random.SeedSequence(seed).spawn(len(RATES)), strict=True):
        errors = np.random.default_rng(stream).binomial(FOLD_SIZE, p, size=(replications, FOLDS))
        row = f"p = {p:.2f}" + (" = p₀" if p == P0 else "")
        for name, rejects in decides.items():
            hits, exact = int(rejects[errors.sum(axis=1)].sum()), rejection_chance(rejects, p)
            apart.append(standard_errors(hits, replications, exact))
            note = f"exact {exact:.4f}, z = {apart[-1]:.2f}"
            cells.append(simulated(row, name, hits, replications, None, note=note))
        cells.append(simulated(row, "t, K = 10", int(t_rejects(errors / FOLD_SIZE).sum()), replications, None))
    return EXERCISE2.compared(
        tuple(cells),
        protocol=f"A classifier with error probability p makes Bernoulli errors on {n} instances, {FOLDS} folds of "
        f"{FOLD_SIZE}; each test asks at level {ALPHA} whether the error exceeds p₀ = {P0}. Of the first two the exact "
        "chance is noted.",
        replications=replications,
        full=replications >= EXERCISE2.full_replications,
        seed=seed,
        notes=(
            f"The simulated shares of the first two tests are at most {max(map(abs, apart)):.2f} standard errors from "
            "the exact chances.",
            "What to expect at p = p₀: at most α from the binomial test, and less, because counts are discrete; about "
            "α, and possibly more, from the other two, which are approximations.",
        ),
    )


def standard_errors(hits: int, replications: int, exact: float) -> float:
    """How many standard errors a simulated share is from the exact chance.

    >>> round(standard_errors(64, 1000, 0.05), 2)
    2.03
    """
    from bakeoff.calibration.table import monte_carlo_se

    gap, se = hits / replications - exact, float(monte_carlo_se(exact, replications))
    return gap / se if se > 0 else (0.0 if gap == 0 else inf)


def binomial_decisions(n: int) -> NDArray[np.bool_]:
    """Whether the binomial test rejects, for 0 … n errors: there are no more outcomes than that."""
    from bakeoff.mathematics.proportions import binomial_p

    return np.array([binomial_p(e, n, P0, "greater") < ALPHA for e in range(n + 1)])


def normal_decisions(n: int) -> NDArray[np.bool_]:
    """The same for the approximate normal test."""
    from bakeoff.procedures.rates import normal_approximation

    return np.array([normal_approximation(e, n, P0, alternative="greater").p < ALPHA for e in range(n + 1)])


def t_rejects(rates: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the t test over the folds of each row rejects; equal folds have no t, and no claim is made from them."""
    from bakeoff.errors import DegenerateError
    from bakeoff.procedures.one_mean import mean_t

    def rejects(folds: tuple[float, ...]) -> bool:
        try:
            return mean_t(folds, p0=P0, alternative="greater").p < ALPHA
        except DegenerateError:
            return False

    # The order of folds does not matter, and few sorted tuples occur: each is tested once.
    decided: dict[tuple[float, ...], bool] = {}
    keys = [tuple(row) for row in np.sort(rates, axis=1).tolist()]
    return np.array([decided[key] if key in decided else decided.setdefault(key, rejects(key)) for key in keys])


CRITICAL_VALUES = PublishedResult(
    name="alpaydin-critical-values",
    title="Critical values and other numbers of the chapter",
    document=Document.A,
    place="sections 19.6–19.13",
    shows="The quantiles that the tests of the chapter are decided by.",
    regenerate=critical_values,
)
EXERCISE2 = PublishedResult(
    name="alpaydin-exercise2",
    title="Rejection probabilities of the binomial, approximate normal and t tests",
    document=Document.A,
    place="section 19.16, exercise 2",
    shows="At p = p₀ the exact test stays below α, the approximate ones are near it; power grows with p.",
    regenerate=exercise2,
    status=Reproduction.UNPRINTED,
    replications=10_000,
    full_replications=10_000,
    seconds=3,
    full_seconds=3,
)
RESULTS = (CRITICAL_VALUES, EXERCISE2)


# ----------------------------------------------------------------------------------------------------------------------
# How often tests of one error rate reject, exactly: their size at p = p₀, and their power elsewhere.
#
# Reference: Alpaydın (2014), 19.10.1–19.10.2 and exercise 2.


def rejection_chance(rejects: NDArray[np.bool_], p: float) -> float:
    """The chance that a test rejects if the error rate is p. At p = p₀ it is the size of the test.

    The binomial test keeps its level; the normal one can exceed it:

    >>> round(rejection_chance(binomial_decisions(30), 0.2), 4)
    0.0256
    >>> round(rejection_chance(normal_decisions(30), 0.2), 4)
    0.0611
    """
    if not 0 <= p <= 1:
        raise UsageError(f"An error rate lies between 0 and 1; found {p!r}.")
    n = len(rejects) - 1
    return float(sum(binomial_pmf(int(e), n, p) for e in np.flatnonzero(rejects)))
