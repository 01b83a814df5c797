"""The permutation test with t* of Hothorn, Leisch, Zeileis and Hornik: K learners in B blocks, all at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.mathematics.block_permutations import count_random, enumerate_all, t_star
from bakeoff.mathematics.checks import choice
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
