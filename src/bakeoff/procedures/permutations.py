"""Permutation tests of two learners: labels exchanged within each block, or between two independent samples."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics import sign_flips
from bakeoff.mathematics.block_permutations import count_random, enumerate_all, t_star
from bakeoff.mathematics.checks import choice, count, differences, rounded, whole_steps
from bakeoff.mathematics.label_draws import Draw, draw_difference, draw_interval, draw_shares, draw_z, random_draws
from bakeoff.mathematics.laws import chi2_sf, direction, p_from_t
from bakeoff.mathematics.linear_models import number_samples
from bakeoff.mathematics.rank_tables import between_samples, count_random_dealings, dealing_tail, dealing_ways
from bakeoff.procedures.card import FEWER, ONE_LAW, Answers, NullDesign, SmallestP, Trial, flips, orders, two_samples
from bakeoff.procedures.needs import at_least_runs, not_repeated
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, Options, Result, procedure

# --- What the permutation tests share: where p comes from, how many relabellings are drawn, what is said about both ---
METHODS = ("auto", "exact", "monte-carlo", "asymptotic")
TAILS = ("greater", "less", "two-sided")  # in the order in which draws are counted
OPTIONS: Options = {
    "method": ("where p comes from", METHODS),
    "resamples": "how many relabellings Monte Carlo draws",
    "seed": "seed of the random relabellings",
}
INDEPENDENT_BLOCKS = (
    "Blocks are independent: each a learning sample drawn by itself (simulation, bootstrap), not folds that share "
    "training data."
)
BOUNDED = (
    "Relabellings are drawn a part at a time: memory is below 100 MB beside the scores for 10,000 blocks of 20 "
    "learners, however many relabellings there are."
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


# --- The permutation test of matched pairs ----------------------------------------------------------------------------
MANY_FLIPS = 1000  # blocks up to which "auto" is exact
_PAIRS = [0.21, 0.25, 0.19, 0.30, 0.27, 0.22, 0.26, 0.24], [0.20, 0.22, 0.20, 0.25, 0.21, 0.23, 0.21, 0.20]


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    title="Permutation test of matched pairs",
    question="Do two learners differ in mean performance, over learning samples of this problem?",
    null="within a block the two learners can be exchanged: each difference has its sign by a fair coin",
    needs=(not_repeated, at_least_runs(3)),
    assumes=(
        INDEPENDENT_BLOCKS,
        "Under the null hypothesis the differences are symmetric about zero. Nothing else is assumed about them.",
    ),
    conventions=(
        "The estimate is the mean of first minus second; z = Σd / √Σd², and t of eq. (2) of Hothorn et al., which "
        "orders relabellings alike, is in the details.",
        "Two-sided p is the share of relabellings with |Σ ±d| ≥ |Σ d|, ties included; a one-sided p is one tail. "
        "Monte Carlo counts the data as one relabelling more, p = (1 + number) / (1 + resamples).",
        BOUNDED,
        "The exact law is that of whole numbers: differences are taken as multiples of their last decimal (twelve "
        "digits are kept), or of a common fraction. If that is too much work (B · Σ of the multiples over 1.6e9) "
        "and there are more than 32 blocks, they are rounded to a grid of 2^18 steps, and the note bounds what "
        "that does to p.",
        "The interval holds the shifts that the test does not reject: by the means of all subsets up to 14 blocks, "
        "then by the saddlepoint approximation; it is made to agree with p at zero.",
        "Learners with the same value in every block have z = 0 and p = 1.",
    ),
    cautions=(
        "Folds share training data, so they are not independent blocks: prefer corrected-t there. Measured at a true "
        "null (two nearest-mean classifiers, n = 200, α = .05, 2,000 repetitions): 5.0 % false positives over one "
        "10-fold cross-validation, where kfold-t has 6.5 % on the same data.",
        "With B blocks p cannot be below 2^(1−B): five blocks never reach 5 %.",
        "With many blocks very small differences become significant: look at the interval as well.",
    ),
    references=("hothorn2005", "streitberg1986", "robinson1982", "phipson2010"),
    published="R exactRankTests 0.8.35, perm.test(paired = TRUE, exact = TRUE), and coin 1.4.2, oneway_test with "
    "blocks, on eight made-up pairs",
    printed="exact p = 0.0546875; exact p, greater = 0.02734375; z = 2.060488785; asymptotic p, greater = "
    "0.01967591843",
    example=(
        Example("p", *_PAIRS, method="exact"),
        Example("p", *_PAIRS, method="exact", alternative="greater"),
        Example("statistic", *_PAIRS, method="asymptotic"),
        Example("p", *_PAIRS, method="asymptotic", alternative="greater"),
    ),
    recommended_for="two learners over {runs}, without assumptions about the law of the differences",
    rank=45,
    options=OPTIONS,
    rank_for_draws=30,
    smallest_p=SmallestP(flips, "blocks", "one learner wins in all of them"),
    synonyms=("randomization test", "permutation test"),
)
def paired_permutation(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "auto",
    resamples: int = 100_000,
    seed: int = 1,
) -> Result:
    """Test whether two learners perform alike, by exchanging their labels within each of B blocks.

    Useful when blocks are independent samples and nothing is known about the law of the performances: it is exact for
    any law and any B. The null hypothesis is that within a block the labels mean nothing, so that each difference has
    its sign by a fair coin. The statistic is the sum of the differences, which orders relabellings as the paired t
    does. It differs from wilcoxon in that the sizes of differences count, not their ranks. Zero differences change
    nothing; if all are zero, p is 1.

    method   "exact": all 2^B relabellings, by the shift algorithm; "monte-carlo": `resamples` of them, the data
             counted as one more, so that p is never 0; "asymptotic": z = Σd / √Σd² against the normal law;
             "auto": exact up to 1,000 blocks, then Monte Carlo

    >>> a = [0.21, 0.25, 0.19, 0.30, 0.27, 0.22, 0.26, 0.24]
    >>> b = [0.20, 0.22, 0.20, 0.25, 0.21, 0.23, 0.21, 0.20]
    >>> result = paired_permutation(a, b)
    >>> result.p, round(result.statistic, 4), round(result.details["t"], 4)
    (0.0546875, 2.0605, 2.8135)
    """
    choice(method, METHODS, "method of the permutation test")
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    d = differences(first, second)
    unit = float(np.abs(d).max()) or 1.0
    z = sign_flips.flip_z(d)
    if method == "auto":
        method = "exact" if len(d) <= MANY_FLIPS else "monte-carlo"
    details: dict[str, Any] = {"sum": float(d.sum()), "z": z, "t": sign_flips.flip_t(d), "n": len(d), "method": method}
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()))
    if method == "asymptotic":
        p, note = p_from_t(z, inf, alternative), "asymptotic"
    elif method == "exact":
        p, note = _exact(sign_flips.flip_scores(d, scale), alternative, details)
    else:
        scores = sign_flips.flip_scores(d, scale)
        positive = int(scores[scores > 0].sum())
        drawn = sign_flips.random_sums(np.abs(scores), positive, checked_resamples(resamples), count(seed, "seed"))
        p, note = monte_carlo_p(drawn[TAILS.index(alternative)], resamples, details)
    p = 1.0 if not d.any() else p
    lower, upper = sign_flips.flip_interval(d, confidence, alternative, method == "asymptotic")
    lower, upper = align_interval_with_p(lower, upper, p, confidence, estimate=direction(alternative, z))
    return Result(float(np.mean(d / unit)) * unit, lower, upper, z, "z", p=p, note=note, details=details)


def _exact(scores: sign_flips.Whole, alternative: str, details: dict[str, Any]) -> tuple[float, str]:
    tails = sign_flips.tails_of_flips(scores)
    details["n_permutations"] = 2.0 ** len(scores) if len(scores) < 1024 else inf
    # |Σ ±d| ≥ |Σ d| in both tails, which are alike.
    p = {"greater": tails.above, "less": tails.below}.get(alternative, min(1.0, 2 * min(tails.above, tails.below)))
    if tails.exact:
        return p, "exact"
    details["p_smaller_tail_between"] = (tails.lowest, tails.highest)
    width = (tails.highest - tails.lowest) / 2
    return p, f"exact for differences rounded to a grid, which moves a tail by at most {width:.1g}"


# --- The permutation test of two independent samples: two learners that share no blocks -------------------------------
_SAMPLES = [12, 15, 11, 18, 14, 16], [10, 9, 13, 8, 12]
MOST_WAYS = 1_000_000  # to deal the values out, which the exact law goes through


def permutation_samples(
    samples: Sequence[ArrayLike] | ArrayLike, *, method: str = "auto", resamples: int = 100_000, seed: int = 1
) -> Result:
    """Test whether k independent samples have one law, by exchanging the labels of all values.

    Useful for learners that were run on samples of their own, if nothing is known about the law of the performances; on
    two samples it is independent-permutation, two-sided. NaN is left out. The statistic is Σ n_i (x̄_i − x̄)², as
    χ² = (N − 1) SS_between / SS_total with k − 1 degrees of freedom: coin's oneway_test. p is the share of relabellings
    with a χ² at least that of the data, by `method`: "exact" all of them, "monte-carlo" `resamples` of them, the data
    counted as one more, "asymptotic" by the χ² law, "auto" exact up to a million ways and else Monte Carlo.

    >>> result = permutation_samples([[1, 2, 3], [2, 4, 6], [9, 8, 7]])
    >>> round(result.statistic, 4), round(result.p, 6)
    (6.5882, 0.010714)
    """
    choice(method, METHODS, "method of the permutation test")
    parts = number_samples(samples)
    sizes = np.array([len(part) for part in parts])
    values = rounded(np.concatenate(parts))
    whole = whole_steps(values - values.min(), float(np.abs(values).max()))
    scores = (len(whole) * whole - whole.sum()).astype(float)  # their mean is zero
    total = float(scores @ scores)
    between = float(between_samples(scores[None], sizes)[0])
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
        extreme = count_random_dealings(scores, sizes, checked_resamples(resamples), count(seed, "seed"))
        p, note = monte_carlo_p(extreme, resamples, details)
    return Result(statistic=chi2, statistic_name="χ²", df=(float(len(sizes) - 1),), p=p, note=note, details=details)


@procedure(
    Compares.PAIR,
    Level.RESAMPLES,
    name="independent-permutation",
    title="Permutation test of two independent samples",
    question="Do two learners differ in performance, if each was run on samples of its own?",
    null="all values come from one law, so that any of them could have been the first learner's",
    assumes=(
        "All values are independent, within a learner and between learners: other learning samples, other test sets.",
        "Under the null hypothesis both learners have the same law, spread included.",
    ),
    conventions=(
        "The estimate is the first mean minus the second; z standardises the sum of the first sample by its mean "
        "and variance over all relabellings.",
        "Two-sided p is the share of relabellings whose sum is at least as far from its mean, ties included, as in "
        "R's coin (scipy doubles the smaller tail instead).",
        "Values are taken as whole multiples of their last decimal, twelve digits being kept.",
        "The interval holds the shifts that the test does not reject, each end by the one-sided test at half the "
        "level: exactly up to 65,536 relabellings, then asymptotically; it is made to agree with p at zero.",
        "Samples in which all values are the same have z = 0 and p = 1.",
        BOUNDED,
    ),
    cautions=(
        "On shared splits it throws the pairing away: use paired-permutation or corrected-t.",
        "If one learner varies more than the other, it can reject although the means are the same, above all if the "
        "samples differ in size: unpaired-t does not mind. Measured (α = .05): 7–8 % false claims at a ratio of 5 of "
        "the standard deviations, 34 % for 3 runs of the one that varies more against 10.",
    ),
    references=("pitman1937", "streitberg1986", "hothorn2005 section 4.1"),
    published="R coin 1.4.2, oneway_test(distribution = 'exact') on eleven made-up values",
    printed="z = 2.133149502; exact p = 0.0303030303; exact p, greater = 0.0173160173",
    example=(
        Example("statistic p", *_SAMPLES, method="exact"),
        Example("p", *_SAMPLES, method="exact", alternative="greater"),
    ),
    recommended_for="two learners over samples that they do not share, without assumptions about the law",
    rank=40,
    options=OPTIONS,
    rank_for_draws=30,
    paired=False,
    pooled=ONE_LAW,
    smallest_p=SmallestP(two_samples, "runs of each learner", "the samples do not overlap", for_pairs=False),
    fewer=FEWER,
    all_at_once=lambda samples: (permutation_samples(samples),),
    synonyms=("randomization test", "permutation test"),
)
def permutation_independent(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    method: str = "auto",
    resamples: int = 100_000,
    seed: int = 1,
) -> Result:
    """Test whether two independent samples have the same law, by exchanging their labels.

    Useful for two learners that were run on samples of their own, if nothing is known about the law of the
    performances. The null hypothesis is that all values come from one law, so that every choice of n of the N values
    as the first sample was equally likely. The statistic is the sum of the first sample. It differs from
    paired-permutation in that no value belongs to another.

    method   "exact": all relabellings; "monte-carlo": `resamples` of them, the data counted as one more;
             "asymptotic": z, the sum standardised by its permutation mean and variance, against the normal law;
             "auto": exact where that is affordable, else Monte Carlo up to 1,000 values, else asymptotic

    >>> result = permutation_independent([12, 15, 11, 18, 14, 16], [10, 9, 13, 8, 12])
    >>> round(result.p, 6), round(result.statistic, 4)
    (0.030303, 2.1331)
    """
    choice(method, METHODS, "method of the permutation test")
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    both, n = rounded(np.concatenate([first, second])), len(first)
    x, y, draw = both[:n], both[n:], Draw.of(both, n)
    method = draw.method(method)
    z = draw_z(x, y)
    details: dict[str, Any] = {"z": z, "n": (len(x), len(y)), "method": method}
    p, note = p_from_t(z, inf, alternative), "asymptotic"
    # The tails are those of the smaller sample, which may be the second.
    side = draw.side(alternative)
    if method == "exact":
        shares = draw_shares(draw.scores, draw.m, draw.w)
        p = {"greater": shares.above, "less": shares.below, "two-sided": shares.far}[side]
        note = f"exact: {comb(len(both), draw.m):,} relabellings" if len(both) <= 60 else "exact"
    elif method == "monte-carlo":
        drawn = random_draws(draw.scores, draw.m, draw.w, checked_resamples(resamples), count(seed, "seed"))
        p, note = monte_carlo_p(drawn[TAILS.index(side)], resamples, details)
    if np.ptp(both) == 0:
        p = 1.0
    lower, upper = draw_interval(x, y, confidence, alternative, method == "asymptotic")
    lower, upper = align_interval_with_p(lower, upper, p, confidence, estimate=direction(alternative, z))
    return Result(draw_difference(x, y), lower, upper, z, "z", p=p, note=note, details=details)


# --- The permutation test with t* of Hothorn, Leisch, Zeileis and Hornik: K learners in B blocks, all at once ---------
T_STAR_METHODS = ("monte-carlo", "exact", "asymptotic")


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Permutation test with t*",
    question="Do any of the learners differ in performance, over learning samples of this problem?",
    null="all learners have the same performance distribution, so that labels within a block mean nothing",
    answers=Answers.GLOBAL,
    needs=(not_repeated,),
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
        "Folds share training data, so they are not independent blocks. Measured at a true null (three nearest-mean "
        "classifiers, n = 200, α = .05): 5.3 % false positives over one 10-fold cross-validation (3,000 repetitions), "
        "77 % over 10 × 10 folds (600).",
        "With many blocks very small differences become significant: look at the differences, not only at p.",
        "With one fixed test set for all blocks it speaks about that test set only. Equally good learners were told "
        "apart in 92 % of competitions with 50 training samples and one test set of 100 (docs/calibration.md).",
        "It says that some learners differ, not which: compare pairs with closed-testing (up to four learners) "
        "or paired-permutation, over folds with corrected-t.",
    ),
    references=("hothorn2005", "pesarin2001", "phipson2010"),
    published="R coin 1.4.2, symmetry_test(teststat = 'quadratic') on five made-up blocks, and an enumeration of "
    "its relabellings (run by us)",
    printed="chi2 = 5.3006993; asymptotic p = 0.070626514; exact p = 0.0493827160",
    example=Example("chi2 p_asymptotic p", [[3, 2, 8], [1, 6, 9], [4, 5, 7], [1, 3, 9], [5, 5, 3]], method="exact"),
    recommended_for="learners over {runs}, tested all at once without assumptions about the law",
    rank=20,
    options={**OPTIONS, "method": ("where p comes from", T_STAR_METHODS)},
    sides=False,
    smallest_p=SmallestP(orders, "blocks", "all of them order the learners alike"),
    fewer=FEWER,
    further_trials=(Trial(NullDesign.REPEATED_FOLDS, 2, holds=False), Trial(NullDesign.FIXED_TEST, 2, holds=False)),
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
    choice(method, T_STAR_METHODS, "method of the permutation test")
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
