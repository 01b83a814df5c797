"""The permutation test with t* of Hothorn, Leisch, Zeileis and Hornik: K learners in B blocks, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.mathematics.block_permutations import count_random, enumerate_all, t_star
from bakeoff.mathematics.checks import Array, choice, count, rounded, whole_steps
from bakeoff.mathematics.laws import chi2_sf
from bakeoff.mathematics.linear_models import number_samples
from bakeoff.mathematics.rank_tables import dealing_tail, dealing_ways
from bakeoff.procedures.card import FEWER, Answers, Caution, Compares, NullDesign, Published, SmallestP, Trial, orders
from bakeoff.procedures.needs import not_repeated
from bakeoff.procedures.pair_permutation import BOUNDED, INDEPENDENT_BLOCKS, OPTIONS, checked_resamples, monte_carlo_p
from bakeoff.procedures.procedure import ManyResult, Result, numbers, procedure
from bakeoff.scores import Level

METHODS = ("monte-carlo", "exact", "asymptotic")


_FIVE_BLOCKS = [[3, 2, 8], [1, 6, 9], [4, 5, 7], [1, 3, 9], [5, 5, 3]]


def _published() -> list[float]:
    many = permutation(_FIVE_BLOCKS, method="exact")
    return [*numbers(many, "chi2 p_asymptotic"), many.tests[0].p]


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Permutation test with t*",
    question="Do any of the learners differ in performance, over learning samples of this problem?",
    null="all learners have the same performance distribution, so that labels within a block mean nothing",
    answers=Answers.GLOBAL,
    needs=(not_repeated(),),
    assumes=(
        INDEPENDENT_BLOCKS,
        "Under the null hypothesis the learners can be exchanged within a block. Nothing is assumed about the law.",
    ),
    conventions=(
        "t* is eq. (3) of Hothorn et al.: F of the repeated-measures analysis of variance is B(B−1) t*, and "
        "χ² = (K−1) B² t* / (1 + B t*) with K − 1 degrees of freedom is its asymptotic form.",
        "p is the share of relabellings with a t* at least that of the data, ties included; Monte Carlo counts the "
        "data as one of them, p = (1 + number) / (1 + resamples).",
        BOUNDED,
        "t* has no sides: it grows with any difference between any learners. For a one-sided question about two of "
        "them use paired-permutation.",
        "If all learners are alike in every block t* is 0 and p is 1; if they differ by the same amounts in every "
        "block t* is infinite and p is the share of relabellings that keep their order.",
    ),
    cautions=(
        Caution(
            "Folds share training data, so they are not independent blocks.",
            "Measured at a true null (three nearest-mean classifiers, n = 200, α = .05): 5.3 % false positives "
            "over one 10-fold cross-validation (3,000 repetitions), 77 % over 10 × 10 folds (600).",
        ),
        "With many blocks very small differences become significant: look at the differences, not only at p.",
        Caution(
            "With one fixed test set for all blocks it speaks about that test set only.",
            "Equally good learners were told apart in 92 % of competitions with 50 training samples and one test "
            "set of 100 (docs/calibration.md).",
        ),
        "It says that some learners differ, not which: compare pairs with closed-testing (up to four learners) "
        "or paired-permutation, over folds with corrected-t.",
    ),
    references=("hothorn2005", "pesarin2001", "phipson2010"),
    published=Published(
        "R coin 1.4.2, symmetry_test(teststat = 'quadratic') on five made-up blocks, and an enumeration of "
        "its relabellings (run by us)",
        "chi2 = 5.3006993; asymptotic p = 0.070626514; exact p = 0.0493827160",
        _published,
    ),
    recommended_for="learners over independent learning samples, tested all at once without assumptions about the law",
    rank=20,
    options={**OPTIONS, "method": ("where p comes from", METHODS)},
    sides=False,
    smallest_p=SmallestP(orders, "blocks", "all of them order the learners alike"),
    fewer=FEWER,
    trials=(
        Trial(NullDesign.DRAWS, 4, FEWER),
        Trial(NullDesign.REPEATED_FOLDS, 2, FEWER, holds=False),
        Trial(NullDesign.FIXED_TEST, 2, FEWER, holds=False),
    ),
)
def permutation(
    table: ArrayLike, *, method: str = "monte-carlo", resamples: int = 100_000, seed: int = 1
) -> ManyResult:
    """Test whether K learners perform alike, by permuting their labels within each of B blocks.

    Useful when the blocks are independent samples from one data generating process (bootstrap or simulated learning
    samples) and nothing is known about the law of the performances. The null hypothesis is that all learners have the
    same joint performance distribution, so that within a block labels mean nothing. p is the share of relabellings
    whose t* is at least that of the data, ties included: `method` "monte-carlo" draws `resamples` of them and
    counts the data as one more, so that p is never 0; "exact" takes them all; "asymptotic" uses the χ² law.

    >>> many = permutation([[3, 2, 8], [1, 6, 9], [4, 5, 7], [1, 3, 9], [5, 5, 3]], method="exact")
    >>> round(many.tests[0].p, 6)
    0.049383
    """
    choice(method, METHODS, "method of the permutation test")
    observed = t_star(table)
    details: dict[str, Any] = {
        "t_star": observed.value,
        "F": observed.f,
        "chi2": observed.chi2,
        "p_asymptotic": observed.p_asymptotic,
        "column_means": np.asarray(table, dtype=float).mean(axis=0),
    }
    p, df = observed.p_asymptotic, (observed.df,)
    limit = Result(statistic=observed.chi2, statistic_name="χ² from t*", df=df, p=p, note="asymptotic")
    if method == "asymptotic":
        return ManyResult(tests=(limit,), details=details)
    if method == "exact":
        extreme, size = enumerate_all(table)
        p, note = extreme / size, f"exact: {extreme:,} of {size:,} relabellings"
    else:
        p, note = monte_carlo_p(count_random(table, checked_resamples(resamples), seed), resamples, details)
    test = Result(statistic=observed.value, statistic_name="t*", p=p, note=note)
    return ManyResult(tests=(test, limit), details=details)


# ----------------------------------------------------------------------------------------------------------------------
# The same for independent samples: labels are exchanged among all values, not within blocks.


MOST_WAYS = 1_000_000  # to deal the values out, which the exact law goes through
CHUNK = 2**20  # values of random relabellings at a time


def permutation_samples(
    samples: Sequence[ArrayLike] | ArrayLike, *, method: str = "auto", resamples: int = 100_000, seed: int = 1
) -> Result:
    """Test whether k independent samples have one law, by exchanging the labels of all values.

    Useful for learners that were run on samples of their own, if nothing is known about the law of the performances; on
    two samples it is permutation-independent, two-sided. NaN is left out. The statistic is Σ n_i (x̄_i − x̄)², as
    χ² = (N − 1) SS_between / SS_total with k − 1 degrees of freedom: coin's oneway_test. p is the share of relabellings
    with a χ² at least that of the data, by `method`: "exact" all of them, "monte-carlo" `resamples` of them, the data
    counted as one more, "asymptotic" by the χ² law, "auto" exact up to a million ways and else Monte Carlo.

    >>> result = permutation_samples([[1, 2, 3], [2, 4, 6], [9, 8, 7]])
    >>> round(result.statistic, 4), round(result.p, 6)
    (6.5882, 0.010714)
    """
    choice(method, ("auto", *METHODS), "method of the permutation test")
    parts = number_samples(samples)
    sizes = np.array([len(part) for part in parts])
    values = rounded(np.concatenate(parts))
    whole = whole_steps(values - values.min(), float(np.abs(values).max()))
    scores = (len(whole) * whole - whole.sum()).astype(float)  # their mean is zero
    total = float(scores @ scores)
    between = float(_between(scores[None], sizes)[0])
    chi2 = (len(scores) - 1) * between / total if total else 0.0
    details: dict[str, Any] = {"chi2": chi2, "sizes": sizes, "p_asymptotic": float(chi2_sf(chi2, len(sizes) - 1))}
    affordable = dealing_ways(sizes) <= MOST_WAYS
    if method == "exact" and not affordable:
        raise UsageError("There are too many relabellings to make them all. Use the method monte-carlo.")
    p, note = details["p_asymptotic"], "asymptotic"
    if total == 0:
        p, note = 1.0, "all values are the same"
    elif method == "exact" or (method == "auto" and affordable):
        p, note = dealing_tail(scores / 2, sizes), f"exact: {dealing_ways(sizes):,.0f} relabellings"
    elif method != "asymptotic":
        rng = np.random.Generator(np.random.SFC64(count(seed, "seed")))
        extreme, left = 0, checked_resamples(resamples)
        while left:
            rows = min(left, max(1, CHUNK // len(scores)))
            drawn = _between(rng.permuted(np.tile(scores, (rows, 1)), axis=1), sizes)
            extreme, left = extreme + int(np.count_nonzero(drawn >= between * (1 - 1e-12))), left - rows
        p, note = monte_carlo_p(extreme, resamples, details)
    return Result(statistic=chi2, statistic_name="χ²", df=(float(len(sizes) - 1),), p=p, note=note, details=details)


def _between(scores: Array, sizes: Any) -> Array:
    """Σ n_i x̄_i² of each row, whose mean is zero."""
    sums = np.add.reduceat(scores, np.append(0, np.cumsum(sizes)[:-1]), axis=1)
    return np.asarray(np.square(sums) @ (1 / sizes))
