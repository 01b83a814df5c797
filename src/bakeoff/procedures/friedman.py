"""Friedman's test on ranks within tasks, with Iman and Davenport's F and post-hoc comparisons of mean ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import Estimates
from bakeoff.inference.joint_laws import RangeLaw
from bakeoff.mathematics.checks import Array, choice, midranks, rounded
from bakeoff.mathematics.laws import chi2_sf, f_sf
from bakeoff.mathematics.rank_tables import friedman_chi2
from bakeoff.mathematics.ranks import LARGE, SMALL, spread_law, spread_tail
from bakeoff.procedures.card import MEAN_RANKS, SmallestP, orders
from bakeoff.procedures.needs import SAMPLE_OF_PROBLEMS, three_or_more
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, NullDesign, Result, Trial, procedure
from bakeoff.text import p_equals

CHI2 = "Friedman χ²"
TIE_CORRECTED = f"{CHI2}, tie-corrected"
METHODS = ("asymptotic", "exact")
FEW_TASKS = 12  # beyond so many the law of F will do
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.975, 0.975], [0.957, 0.978, 0.946, 0.970],
]  # fmt: skip


def _published(many: ManyResult) -> list[float]:
    chi2, f, ranks = (many.details[name] for name in ("chi2_raw", "f_raw", "mean_ranks"))
    return [chi2, f.statistic, critical_difference(4, 14, 0.05), min(ranks)]


@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Friedman test with post-hoc comparisons of mean ranks",
    question="Do the learners rank differently over many tasks, and which pairs differ?",
    null="in every task all orders of the learners are equally likely",
    needs=(three_or_more,),
    assumes=(
        SAMPLE_OF_PROBLEMS,
        "The learners' scores on one task are comparable; nothing is assumed about their distribution.",
    ),
    conventions=(
        "Ranks are taken within each task, 1 is best, ties share their mean rank.",
        "χ² is tie-corrected; Iman and Davenport's F is computed from it. The raw χ² is shown where it differs.",
        "For small tables the exact p, every order of the ranks within a task being equally likely, is noted "
        "beside that of χ²; method=exact puts it in its place.",
        "Pairs are compared by z = (R̄i − R̄j) / √(k(k+1)/(6N)); single-step adjustment is Nemenyi's, by the "
        "Studentized range with infinite degrees of freedom. Against a control, bonferroni is Bonferroni–Dunn.",
    ),
    cautions=(
        "The outcome for a pair depends on which other learners are in the table, because ranks do: it says that two "
        "learners differ in mean rank within this pool. task-flips looks at each pair by itself; for two learners use "
        "wilcoxon. Measured where two learners are equally good and the others a little better than both (α = .05): 9 "
        "% false claims about the two for 5 learners and 8 tasks, 25 % for 20, 78 % for 60; and 97 % for 20 learners "
        "and 60 tasks.",
        "A gate before the pairs (look at them only if the test of all rejects) does not protect and costs power.",
        "A difference of mean ranks says how often, not by how much, one learner is ahead.",
        "With few tasks (N ≤ 10) or few learners (k ≤ 5) the χ² approximation is rough; F is better.",
    ),
    references=("friedman1937", "iman1980", "demsar2006", "benavoli2016"),
    published="Demšar (2006), from the AUCs of his Table 6 (his own ranks break a tie by unprinted decimals)",
    printed="chi2_raw = 9.857; F_raw = 3.987; critical_difference = 1.25; best mean rank = 1.929",
    example=Example(_published, -np.array(DEMSAR)),
    recommended_for="many learners over many tasks, whose scores cannot be averaged across tasks",
    rank=10,
    pooled=MEAN_RANKS,
    further_trials=(Trial(NullDesign.UNEQUAL_TASKS, 10, holds=False), Trial(NullDesign.POOL, 5, holds=False)),
    options={"method": ("where the p of χ² comes from", METHODS)},
    single_step="Nemenyi",
    scale="mean rank",
    smallest_p=SmallestP(
        orders, "tasks", "all of them order the learners alike (exact law of the test of all)", for_pairs=False
    ),
    ranks=True,
    order_only=True,
    also_called={
        "nemenyi": {},
        "friedman-nemenyi": {},
        "bonferroni-dunn": {"adjust": "bonferroni", "contrast": "control"},
    },
    synonyms=("critical difference diagram", "Friedman–Nemenyi", "Demšar", "Demsar", "Iman–Davenport"),
)
def friedman(table: ArrayLike, *, method: str = "asymptotic") -> ManyResult:
    """Compare k learners over N tasks by their ranks within each task; rank 1 is the smallest value.

    Useful when values of different tasks cannot be averaged, because their scales differ. The null hypothesis is that
    all orders are equally likely in every task. Ties share mean ranks, and χ² is corrected for them; the raw χ², which
    Demšar and Riddle print, is in the details. For small tables the exact p is noted beside that of χ²; `method`
    "exact" puts it in its place.

    >>> many = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> many.details["mean_ranks"].tolist()
    [1.25, 2.0, 2.75]
    >>> round(many.tests[0].p, 4)
    0.1054
    """
    ranks = midranks(rounded(table))
    n, k = ranks.shape
    mean_ranks = ranks.mean(axis=0)
    raw, corrected = friedman_chi2(ranks)
    exact = _exact_p(ranks, choice(method, METHODS, "method of Friedman's test"))
    chi2 = Result(
        statistic=corrected,
        statistic_name=TIE_CORRECTED,
        symbol=CHI2,
        df=(k - 1,) if method == "asymptotic" else (),
        p=float(chi2_sf(corrected, k - 1)) if method == "asymptotic" or exact is None else exact,
        note="; ".join(_notes(raw, corrected, method, exact)),
    )
    return ManyResult(
        tests=(chi2, iman_davenport(corrected, n, k)),
        estimates=estimates_of_ranks(mean_ranks, k * (k + 1) / (12 * n)),
        details={
            "mean_ranks": mean_ranks,
            "chi2": corrected,
            "chi2_raw": raw,
            "p_raw": float(chi2_sf(raw, k - 1)),
            "p_exact": exact,
            "f_raw": iman_davenport(raw, n, k),
            "tasks": n,
        },
    )


def ranked_alike(table: ArrayLike) -> tuple[Result, ...]:
    """Friedman's test of all learners at once, with Iman and Davenport's F, to stand beside pairs.

    F rises with χ², so that of few tasks the exact law of ranks gives its p, where that of F claims too much (of four
    tasks and three learners χ² = 6 has p = 0.069, and by the law of F 0.016).

    >>> [round(test.p, 4) for test in ranked_alike([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])]
    [0.1054, 0.125]
    """
    ranks = midranks(rounded(table))
    n, k = ranks.shape
    chi2 = friedman_chi2(ranks)[1]
    p = float(chi2_sf(chi2, k - 1))
    first = Result(statistic=chi2, statistic_name=TIE_CORRECTED, symbol=CHI2, df=(float(k - 1),), p=p)
    f = iman_davenport(chi2, n, k)
    exact = spread_tail(ranks, SMALL) if 1 < n <= FEW_TASKS else None
    return first, f if exact is None else replace(f, p=exact, note="exact p")


def estimates_of_ranks(means: Array, variance: float) -> Estimates:
    """Mean ranks, compared by the Studentized range with infinite degrees of freedom."""
    k = len(means)
    return Estimates(means, np.eye(k) * variance, inf, RangeLaw(k))


def _exact_p(ranks: Array, method: str) -> float | None:
    """The exact p where it is asked for, or costs next to nothing."""
    exact = spread_tail(ranks, LARGE if method == "exact" else SMALL)
    if exact is None and method == "exact":
        n, k = ranks.shape
        raise UsageError(
            f"The exact law of Friedman's statistic is for small tables; {n} tasks and {k} learners are too many. "
            "Use the method asymptotic, and read Iman and Davenport's F."
        )
    return exact


def _notes(raw: float, corrected: float, method: str, exact: float | None) -> Iterator[str]:
    if abs(raw - corrected) >= 1e-9:
        yield f"without tie correction χ² = {raw:.4g}"
    if method == "exact":
        yield "exact"
    elif exact is not None and corrected > 0:
        yield f"exact {p_equals(exact)}"


def exact_p(chi2: float, n: int, k: int) -> float:
    """P(χ² ≥ chi2) for n tasks and k learners without ties, exactly.

    >>> round(exact_p(6.5, 4, 3), 4), round(exact_p(8, 4, 3), 4)
    (0.0417, 0.0046)
    """
    law = spread_law(np.tile(np.arange(1.0, k + 1), (n, 1)))
    if law is None:
        raise UsageError(f"The exact law of Friedman's statistic is for small tables; {n} × {k} is too large.")
    values, p = law
    statistics = 12 / (n * k * (k + 1)) * values / (4 * k)
    return min(1.0, float(p[statistics >= chi2 - 1e-9 * max(1.0, chi2)].sum()))


def iman_davenport(chi2: float, n: int, k: int) -> Result:
    """Iman and Davenport's F from Friedman's χ²: less conservative, (N−1) χ² / (N (k−1) − χ²).

    >>> round(iman_davenport(9.28, 14, 4).statistic, 2)
    3.69
    """
    return f_of_ranks("Iman–Davenport F", chi2, n * (k - 1), n, k)


def f_of_ranks(name: str, between: float, total: float, n: int, k: int) -> Result:
    """F = (N−1) between / (total − between) with k−1 and (N−1)(k−1) degrees of freedom."""
    df, note = (float(k - 1), float((k - 1) * (n - 1))), ""
    if n < 2:
        f, p, note = nan, nan, "needs two tasks: 0/0"
    elif total == 0:
        f, p = 0.0, 1.0
    elif total - between <= 1e-12 * total:
        f, p, note = inf, 0.0, "every task ranks the learners alike"
    else:
        f = (n - 1) * between / (total - between)
        p = float(f_sf(f, *df))
    return Result(statistic=f, statistic_name=name, df=df, p=p, note=note)


def critical_difference(k: int, n: int, alpha: float) -> float:
    """Nemenyi's critical difference of mean ranks, q √(k (k+1) / (6 N)).

    >>> round(critical_difference(4, 14, 0.05), 2)
    1.25
    """
    return RangeLaw(k).critical(alpha, k * (k - 1) // 2) * float(np.sqrt(k * (k + 1) / (6 * n)))
