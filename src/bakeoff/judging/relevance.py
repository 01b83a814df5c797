"""Relevance: is a difference larger than the margin Δ, certainly not worse by Δ, or certainly smaller than Δ?

The three questions of Hothorn et al., section 6, for the first side's advantage a over the second (a > 0 is better,
whatever the direction of the measure; their null hypothesis of superiority is printed the wrong way round):

    superiority        H0: a ≤ Δ
    non-inferiority    H0: a ≤ −Δ
    equivalence        H0: |a| ≥ Δ, by two one-sided tests: the larger of the p of a ≤ −Δ and of a ≥ Δ

A procedure that gives an interval at every level answers them all: the one-sided p of "a ≤ c" is half the error rate at
which the lower end of the two-sided interval passes c. Estimates with a standard error have that in closed form; other
intervals are moved to c by a search over their level. The p-values therefore agree with the intervals, and with the
decisions that rest on them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf, isclose, isfinite, isnan, nan
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.inference.adjustments import adjustment_named
from bakeoff.inference.contrasts import Contrasts
from bakeoff.inference.effects import Effect, independent_effects, paired_effect, paired_effects
from bakeoff.inference.evidence import Comparison, Estimates, Interval, JointTests, fitted_to
from bakeoff.inference.finding import Relevance
from bakeoff.inference.joint_laws import JointLaw
from bakeoff.mathematics.clusters import cluster_means, gather, stratified_means
from bakeoff.mathematics.laws import normal_sf, t_quantile, t_sf
from bakeoff.procedures.card import Answers
from bakeoff.procedures.procedure import Procedure
from bakeoff.scores import Blocks, Layout, Level, Samples
from bakeoff.text import number

Array = NDArray[np.float64]
Ends = Callable[[float], tuple[float, float]]
Above = Callable[[float], float]

# Levels are searched on the scale of normal quantiles, on which the ends of most intervals move in straight lines.
FARTHEST = 6.5
CLOSE = 1e-7


@dataclass(frozen=True, slots=True)
class Against:
    """A margin, which way the measure goes (−1: smaller is better), the adjustment, and the α of one tail."""

    margin: float
    sign: int
    adjust: str
    tail: float


@dataclass(frozen=True, slots=True)
class MarginTests:
    """The p-values of a family of contrasts against a margin, and how they were adjusted, in words."""

    rows: tuple[Relevance, ...] = ()
    rule: str = ""


NOTHING = MarginTests()


def checked_margin(margin: float | None) -> float | None:
    if margin is not None and not (isinstance(margin, Real) and 0 < margin < inf):
        raise UsageError(f"The margin of relevance is a positive difference in the measure; found {margin!r}.")
    return margin


def not_used(margin: float, measure: str, scale: str = "", flag: str = "") -> MarginTests:
    """No p-values, and why: what is compared is not on the scale of the margin, or there is no interval, or nothing to
    hold a learner against, which the option `flag` gives."""
    why = "is held against intervals of differences, and there are none"
    if flag:
        why += f" without a value to hold the learners against ({flag})"
    if scale:
        why = f"is a difference in {measure}, and here learners are compared by {scale}"
    return MarginTests((), f"The margin of {number(margin)} was not used: it {why}.")


@dataclass(frozen=True, slots=True)
class Shift:
    """p of "difference ≤ c" (above) and of "difference ≥ c" (below), and both after adjustment for the family."""

    above: Above
    below: Above
    above_adjusted: Above
    below_adjusted: Above

    def against(self, contrast: str, margin: float, sign: int) -> Relevance:
        """The three questions; `sign` is −1 where a smaller value is better."""
        plain = _three(self.above, self.below, margin, sign)
        return Relevance(contrast, *plain, *_three(self.above_adjusted, self.below_adjusted, margin, sign))


def _three(above: Above, below: Above, margin: float, sign: int) -> tuple[float, float, float]:
    equivalent = max(above(-margin), below(margin))
    if sign > 0:
        return above(margin), above(-margin), equivalent
    return below(-margin), below(margin), equivalent


def relevance_of_estimates(
    estimates: Estimates, family: Contrasts, names: Sequence[str], against: Against
) -> MarginTests:
    """For contrasts of estimates: t = (difference − c) / se, adjusted by the joint law if that was asked for."""
    difference, se, law = fitted_to(estimates, family, against.adjust)
    shifts = [
        _shifted(d, s, estimates.df, law, len(family), against.adjust)
        for d, s in zip(difference.tolist(), se.tolist(), strict=True)
    ]
    return _family(shifts, names, against, law is not None)


def relevance_of_joint(tested: JointTests, names: Sequence[str], against: Against) -> MarginTests:
    """For contrasts that share their draws and are adjusted by them: where each statistic would be, were the difference
    the margin."""
    above, below = _tails(tested, against.margin)

    def looked_up(tails: dict[float, tuple[Array, Array]], item: int, adjusted: bool) -> Above:
        return lambda c: float(tails[c][adjusted][item])

    shifts = [
        Shift(*(looked_up(tails, item, adjusted) for adjusted in (False, True) for tails in (above, below)))
        if there
        else None
        for item, there in enumerate(_bounded(tested))
    ]
    return _family(shifts, names, against, joint=True)


def relevance_of_alone(each: Sequence[JointTests], names: Sequence[str], against: Against) -> MarginTests:
    """The same for contrasts that were drawn for one by one, and are adjusted in another way."""
    m = sum(bool(_bounded(one)[0]) for one in each)

    def shift(one: JointTests) -> Shift | None:
        if not _bounded(one)[0]:
            return None
        plain = [lambda c, tails=tails: float(tails[c][1][0]) for tails in _tails(one, against.margin)]
        return Shift(*plain, *(lambda c, p=p: _adjusted(p(c), m, against.adjust) for p in plain))

    return _family([shift(one) for one in each], names, against, joint=False)


def _tails(tested: JointTests, margin: float) -> list[dict[float, tuple[Array, Array]]]:
    """p of "difference ≤ c" and of "difference ≥ c" of all contrasts, c = ±margin: by itself, and of the largest."""
    at = {c: tested.statistic_at(c) for c in (margin, -margin)}
    return [{c: tested.tail(sign * z) for c, z in at.items()} for sign in (1, -1)]


def _bounded(tested: JointTests) -> NDArray[np.bool_]:
    """Which contrasts have an interval."""
    return np.asarray(~(np.isnan(tested.intervals.lower) | np.isnan(tested.intervals.upper)))


def relevance_of_pairs(
    rows: Sequence[Comparison],
    ends: Callable[[int, float], tuple[float, float]],
    names: Sequence[str],
    against: Against,
) -> MarginTests:
    """For pairs that were compared one at a time; `ends` gives the two-sided interval of a pair at a confidence."""
    m = sum(not isnan(row.p) for row in rows)

    def tests(item: int, row: Comparison) -> Shift | None:
        if row.interval is Interval.NONE or isnan(row.lower) or isnan(row.upper):
            return None
        se = _standard_error(row, lambda confidence: ends(item, confidence))
        if se is not None:
            df = row.df[0] if row.df else inf
            return _shifted(row.estimate, se, df, None, m, against.adjust)
        return _searched(lambda confidence: ends(item, confidence), row.estimate, m, against.adjust)

    return _family([tests(item, row) for item, row in enumerate(rows)], names, against, False)


def relevance_of_each(
    rows: Sequence[Comparison],
    ends: Callable[[int, float], tuple[float, float]],
    names: Sequence[str],
    against: Against,
    reference: float,
) -> MarginTests:
    """For learners that were held against a value fixed in advance: it takes the place of the second of a pair."""
    moved = [
        row._replace(estimate=row.estimate - reference, lower=row.lower - reference, upper=row.upper - reference)
        for row in rows
    ]

    def moved_ends(item: int, confidence: float) -> tuple[float, float]:
        low, high = ends(item, confidence)
        return low - reference, high - reference

    return relevance_of_pairs(moved, moved_ends, [f"{name} − {number(reference)}" for name in names], against)


def _family(shifts: Sequence[Shift | None], names: Sequence[str], against: Against, joint: bool) -> MarginTests:
    rows = tuple(
        tests.against(name, against.margin, against.sign)
        if tests is not None
        else Relevance(name, nan, nan, nan, nan, nan, nan)
        for name, tests in zip(names, shifts, strict=True)
    )
    if all(tests is None for tests in shifts):
        return not_used(against.margin, "")
    return MarginTests(rows, _rule(against, sum(tests is not None for tests in shifts), joint))


def _rule(against: Against, m: int, joint: bool) -> str:
    """What the p-values are, what they are compared with, and how they were adjusted."""
    asks = (
        f"Held against the margin of {number(against.margin)}: is the first better by more than that (superior), not "
        "worse by as much (non-inferior), different by less (equivalent)? One-sided p-values, which agree with the "
        f"intervals at {number(against.tail)}"
    )
    if m <= 1 or against.adjust == "none":
        return f"{asks}." if m <= 1 else f"{asks}, not adjusted for {m} comparisons."
    by = "by the intervals' joint law" if joint else f"by {adjustment_named(_single(against.adjust)).title}"
    own = joint or against.adjust in ("bonferroni", "sidak")
    because = "" if own else ": a stepwise adjustment has no intervals to hold against a margin"
    return f"{asks}, adjusted for {m} comparisons {by}{because}."


def _single(adjust: str) -> str:
    """The adjustment with one level for all rows that stands in for another one."""
    return "sidak" if adjust == "sidak" else "bonferroni"


def _adjusted(p: float, m: int, adjust: str) -> float:
    """A one-sided p whose double is adjusted, as the two-sided interval is."""
    if m <= 1 or adjust == "none" or isnan(p):
        return p
    if _single(adjust) == "sidak":
        return p if p >= 0.5 else max(p, float(-np.expm1(m * np.log1p(-2 * p))) / 2)
    return min(1.0, m * p)


def _shifted(d: float, se: float, df: float, law: JointLaw | None, m: int, adjust: str) -> Shift | None:
    """Tests of one estimate with a standard error, against any value; none without: zero spread shows nothing."""
    if se == 0:
        return None

    def t(c: float) -> float:
        return (d - c) / se

    def plain(t: float) -> float:
        return float(t_sf(t, df))

    def adjusted(t: float) -> float:
        p = plain(t)
        if law is None:
            return _adjusted(p, m, adjust)
        return max(p, float(law.tail(np.array([t]), m)[0]) / 2 if t > 0 else 0.5)

    return Shift(lambda c: plain(t(c)), lambda c: plain(-t(c)), lambda c: adjusted(t(c)), lambda c: adjusted(-t(c)))


def _standard_error(row: Comparison, ends: Ends) -> float | None:
    """The standard error behind a row, if its interval is estimate ± t · se and its statistic estimate / se."""
    if row.statistic_name not in ("t", "z") or len(row.df) > 1 or isnan(row.statistic):
        return None
    low, high = ends(0.95)
    if isnan(low) or low == high or not isclose(row.estimate - low, high - row.estimate, rel_tol=1e-9, abs_tol=1e-300):
        return None
    se = (high - low) / 2 / t_quantile(0.975, row.df[0] if row.df else inf)
    return se if isclose(row.statistic * se, row.estimate, rel_tol=1e-8, abs_tol=1e-9 * se) else None


def _searched(ends: Ends, estimate: float, m: int, adjust: str) -> Shift:
    """Tests against any value by the level at which an end of the interval gets there."""

    def mirrored(confidence: float) -> tuple[float, float]:
        low, high = ends(confidence)
        return -high, -low

    # Three questions are asked of two margins, each with and without adjustment: eight searches, of which three differ.
    @cache
    def above(c: float) -> float:
        return level_of_passing(ends, c, estimate)

    @cache
    def below(c: float) -> float:
        return level_of_passing(mirrored, -c, -estimate)

    return Shift(above, below, lambda c: _adjusted(above(c), m, adjust), lambda c: _adjusted(below(c), m, adjust))


def level_of_passing(ends: Ends, c: float, estimate: float = nan) -> float:
    """The one-sided p of "at most c": half the least error rate at which the lower end of the interval lies above c.

    If the estimate itself is not above c, the upper end tells how far p is beyond a half. Some intervals are empty at
    low confidence (that of the 5×2 cv F test is); they leave out everything, and the estimate tells on which side c is.

    >>> from bakeoff.mathematics.laws import normal_quantile
    >>> z = lambda confidence: normal_quantile((1 + confidence) / 2)
    >>> round(level_of_passing(lambda confidence: (2 - z(confidence), 2 + z(confidence)), 0.04), 6)
    0.024998
    """

    def lower_is_above(z: float) -> float:
        end = ends(_confidence(z))[0]
        return inf if isnan(end) else end - c

    def upper_is_below(z: float) -> float:
        end = ends(_confidence(z))[1]
        return inf if isnan(end) else c - end

    try:
        if lower_is_above(CLOSE) > 0 and not estimate <= c:
            return float(normal_sf(_last(lower_is_above)))
        if upper_is_below(CLOSE) > 0:
            return float(1 - normal_sf(_last(upper_is_below)))
    except BakeoffError:
        return nan
    return 0.5


def _confidence(z: float) -> float:
    """Of an interval that reaches z standard errors to each side, were it normal."""
    return float(min(max(1 - 2 * normal_sf(z), 1e-12), 1 - 1e-12))


def _last(positive: Callable[[float], float]) -> float:
    """The last z at which a falling function is positive, by the rule of Chandrupatla (1997): along a parabola through
    the last three points where it may be trusted, else by halving, as with steps and with ends that lie very far.

    Each step is some way off both ends, so that an end that is as good as there is left by one short step beyond.
    """
    new, end, last = FARTHEST, CLOSE, CLOSE  # the newest point, that on the other side, and the one before them
    at_new, at_end = positive(new), positive(end)
    if at_new > 0:
        return new
    at_last, share = at_end, 0.5
    while (width := abs(end - new)) > CLOSE:
        least = min(0.75 * CLOSE / width, 0.5)
        z = new + min(max(share, least), 1 - least) * (end - new)
        value = positive(z)
        if (value > 0) == (at_new > 0):
            last, at_last = new, at_new
        else:
            last, at_last, end, at_end = end, at_end, new, at_new
        new, at_new, share = z, value, 0.5
        if isfinite(at_new) and isfinite(at_end) and isfinite(at_last) and at_last not in (at_end, at_new):
            xi, phi = (new - end) / (last - end), (at_new - at_end) / (at_last - at_end)
            if phi * phi < xi and (1 - phi) ** 2 < 1 - xi:
                share = at_new / (at_end - at_new) * at_last / (at_end - at_last)
                share += (last - new) / (end - new) * at_new / (at_last - at_new) * at_end / (at_last - at_end)
    return new if at_new > 0 else end


# ----------------------------------------------------------------------------------------------------------------------
# Effect sizes of the contrasts of an analysis, on the measure itself, whatever the procedure compares.


# Beyond this many pairs nobody reads a table of effect sizes, and half a million would take minutes.
MOST_EFFECTS = 1000
AT_ONCE = 2**19  # values


def effects_of(
    chosen: Procedure,
    blocks: Blocks | Samples,
    family: Contrasts,
    layout: Layout,
    confidence: float,
    ratio: float | None = None,
    weights: str = "items",
) -> tuple[Effect, ...]:
    """An effect a contrast: paired where learners share their blocks, else of two samples. Where instances lie in
    clusters or strata, the difference and its interval are those of clusters, with these `weights`.

    `ratio` is that of test to training size if the procedure was given one: its interval and ours make up for the same
    overlap.

    There is none where the values of the blocks are not what the procedure compares: several measures at once, or
    predictions that it computes a measure from.
    """
    if len(family) > MOST_EFFECTS or chosen.card.answers is Answers.MULTIVARIATE or chosen.card.on_predictions:
        return ()
    larger = blocks.measure.larger_is_better
    names = [" − ".join(family.named(item, blocks.learners)) for item in range(len(family))]
    if isinstance(blocks, Blocks):
        # Draws are independent given what they were drawn from, and tasks do not overlap: nothing to correct for there.
        overlapping = blocks.level is Level.RESAMPLES and layout.problem is None
        overlap = (layout.test_train_ratio if ratio is None else ratio) if overlapping else 0.0
        inflation = 0.0 if isnan(overlap) else overlap
        sides = [family.sides(item, blocks.values) for item in range(len(family))]
        if blocks.cluster is not None and layout.clusters is not None and not np.isnan(blocks.values).any():
            return _clustered_effects(names, sides, blocks, layout.clusters.fixed, confidence, weights)
        settings = {"confidence": confidence, "inflation": inflation}
        if not np.isnan(blocks.values).any():
            first, second = (np.array(side) for side in zip(*sides, strict=True))
            return paired_effects(names, first, second, larger, **settings)
        return tuple(
            paired_effect(name, *complete, larger, **settings) if len(complete[0]) else Effect(name, nan, nan, nan, nan)
            for name, complete in zip(names, itertools.starmap(_complete, sides), strict=True)
        )
    if not family.pairs or min(map(len, blocks.values)) < 2:
        return ()
    return _independent_effects(names, family.pairs, blocks.values, larger, confidence)


def _independent_effects(
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    samples: Sequence[Array],
    larger_is_better: bool,
    confidence: float,
) -> tuple[Effect, ...]:
    """Pairs of samples of the same sizes are computed together, as many as are a table of a few megabytes."""
    by_size: dict[tuple[int, int], list[int]] = {}
    for item, (i, j) in enumerate(pairs):
        by_size.setdefault((len(samples[i]), len(samples[j])), []).append(item)
    effects: dict[int, Effect] = {}
    for sizes, items in by_size.items():
        step = max(1, AT_ONCE // sum(sizes))
        for some in (items[start : start + step] for start in range(0, len(items), step)):
            first, second = (np.array([samples[pairs[item][side]] for item in some]) for side in (0, 1))
            labels = [names[item] for item in some]
            rows = independent_effects(labels, first, second, larger_is_better, confidence=confidence)
            effects.update(zip(some, rows, strict=True))
    return tuple(effects[item] for item in range(len(pairs)))


def _clustered_effects(
    names: Sequence[str],
    sides: Sequence[tuple[Array, Array]],
    blocks: Blocks,
    fixed: bool,
    confidence: float,
    weights: str,
) -> tuple[Effect, ...]:
    """Effects of instances, with the differences and intervals of means over clusters or strata."""
    first, second = (np.array(side) for side in zip(*sides, strict=True))
    plain = paired_effects(names, first, second, blocks.measure.larger_is_better, confidence=confidence)
    d = (first - second).T
    unit, assigned = float(np.abs(d).max()) or 1.0, np.asarray(blocks.cluster)
    try:
        over = stratified_means if fixed else lambda x, g, weights: cluster_means(gather(x, g), weights=weights)
        means = over(d / unit, assigned, weights=weights)
    except BakeoffError:  # one cluster, or strata of one instance: no interval
        return tuple(replace(effect, lower=nan, upper=nan) for effect in plain)
    ends = means.intervals(confidence)
    return tuple(
        replace(effect, difference=float(mean) * unit, lower=float(low) * unit, upper=float(high) * unit)
        for effect, mean, low, high in zip(plain, means.estimate, ends.lower, ends.upper, strict=True)
    )


def _complete(first: Array, second: Array) -> tuple[Array, Array]:
    """The two sides of a contrast in the blocks that have both: some procedures work on incomplete tables."""
    there = ~(np.isnan(first) | np.isnan(second))
    return first[there], second[there]
