"""What the permutation tests share: where p comes from, how many relabellings are drawn, what is said about both."""

from __future__ import annotations

from math import sqrt
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.mathematics.checks import count
from bakeoff.procedures.card import Option, Reference

METHODS = ("auto", "exact", "monte-carlo", "asymptotic")
METHOD = Option("method", "auto", "where p comes from", choices=METHODS)
RESAMPLES = Option("resamples", 100_000, "how many relabellings Monte Carlo draws", kind=int)
SEED = Option("seed", 1, "seed of the random relabellings", kind=int)

INDEPENDENT_BLOCKS = (
    "Blocks are independent: each a learning sample drawn by itself (simulation, bootstrap), not folds that share "
    "training data."
)
BOUNDED = (
    "Relabellings are drawn a part at a time: memory is below 100 MB beside the scores for 10,000 blocks of 20 "
    "learners, however many relabellings there are."
)
NEVER_ZERO = Reference(
    "Phipson and Smyth (2010), Permutation p-values should never be zero, Stat. Appl. Genet. Mol. Biol. 9.",
    "10.2202/1544-6115.1585",
)
SHIFT_ALGORITHM = Reference(
    "Streitberg and Röhmel (1986), Exact distributions for permutation and rank tests, Statist. Software Newsletter "
    "12, 10–17."
)


def checked_resamples(resamples: int) -> int:
    """How many relabellings are drawn: one at least.

    >>> checked_resamples(0)
    Traceback (most recent call last):
    bakeoff.errors.UsageError: A Monte-Carlo p needs at least one resample; found 0.
    """
    if count(resamples, "resamples") < 1:
        raise UsageError("A Monte-Carlo p needs at least one resample; found 0.")
    return resamples


def monte_carlo_p(extreme: int, resamples: int, details: dict[str, Any]) -> tuple[float, str]:
    """p with the data as one relabelling more, and how it came about; its standard error is put into the details.

    >>> details = {}
    >>> monte_carlo_p(4, 99, details)
    (0.05, 'Monte Carlo, 99 relabellings; standard error of p 0.022')
    >>> round(details["p_standard_error"], 4)
    0.0218
    """
    p = (1 + extreme) / (1 + resamples)
    details["p_standard_error"] = error = sqrt(p * (1 - p) / (1 + resamples))
    return p, f"Monte Carlo, {resamples:,} relabellings; standard error of p {error:.2g}"
